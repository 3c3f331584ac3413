// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include "own_rows.hpp"

namespace tandem::bench {

/// Robots whose gradients are measured at a time, and states of each that are kept, besides all of them.
inline constexpr Index instances_of_gradients = 64, kept_states[] = {12, 4};

/// Of steps of a variant; 0 states: all are kept.
inline std::string gradient_variant(const std::string& steps, Index kept) {
  if (kept == 0) return steps;
  return fmt::format("{}{}{} states kept", steps, steps.empty() ? "" : ", ", kept);
}

/// Gradients of rollouts beside the rollouts.
void add_gradient_rows(Rows& rows, const RobotPointer& robot);

}  // namespace tandem::bench
