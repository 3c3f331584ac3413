// SPDX-License-Identifier: Apache-2.0
/// What the tests of properties share: both precisions, every case, two states of each.
#pragma once
#include <type_traits>

#include "support/many.hpp"
#include "support/robot.hpp"
#include "support/tolerance.hpp"

namespace tandem::test {

using BothReals = ::testing::Types<double, float>;
/// Both precisions; double alone where cases are few. Tests that call every function by every method are of BothReals.
using Reals = std::conditional_t<few_cases, ::testing::Types<double>, BothReals>;

/// f(case, robot, state) for every case and state; a failure names them.
template <class T, class F>
void for_each_state(F&& f) {
  for (const Case& c : cases()) {
    Robot<T> robot(c.model);
    for (const State& s : states(c)) {
      SCOPED_TRACE(c.name + ", seed " + std::to_string(c.seed) + ", state " + std::to_string(s.seed));
      f(c, robot, s);
    }
  }
}

}  // namespace tandem::test
