// SPDX-License-Identifier: Apache-2.0
#include "scalars/bodies.hpp"

namespace tandem::test {

const std::vector<Body<Dual>>& dual_bodies() {
  static const auto bodies = all_bodies<Dual>(Algorithms{});
  return bodies;
}

}  // namespace tandem::test
