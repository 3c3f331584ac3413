// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tracing/record.hpp"

namespace tandem {

/// The same function with sines and cosines as inputs: behind the function's own inputs the sine, then the cosine, of
/// each of the angles. They can be computed first, side by side.
struct SplitAngles {
  RecordedFunction function;
  std::vector<Term> angles;  ///< of the graph of the function
};

/// Throws Error where an angle depends on the sine or cosine of another.
SplitAngles split_angles(const RecordedFunction& function);

}  // namespace tandem
