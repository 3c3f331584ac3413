// SPDX-License-Identifier: Apache-2.0
#include "scalars/bodies.hpp"

namespace tandem::test {

const std::vector<Body<Counting>>& counting_bodies() {
  static const auto bodies = all_bodies<Counting>(Algorithms{});
  return bodies;
}

}  // namespace tandem::test
