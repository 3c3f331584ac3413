// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tandem/tandem.hpp"

namespace tandem::bench {

/// What one state of an algorithm takes.
struct Work {
  double flops = 0;  ///< additions, multiplications, divisions, square roots; the sines of joint angles come on top
  double bytes = 0;  ///< of its arguments, each read or written once
};

/// Counted by running the algorithm's body on numbers that count, everything optional left out.
Work work_of_state(const std::string& algorithm, const Model& model, const std::string& precision);

}  // namespace tandem::bench
