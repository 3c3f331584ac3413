// SPDX-License-Identifier: Apache-2.0
/// Controllers of joints: the table of their inputs, and a struct of them.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include "tandem/arguments.hpp"

namespace tandem {

/// Inputs of a controller tau = kp (q_target - q) - kd v, the difference taken on the configuration manifold.
inline constexpr Argument controller_inputs[] = {
    {"q_target", Rows::q, Role::optional_input, "rad|m", "target of a controller kp (q_target - q) - kd v"},
    {"kp", Rows::v, Role::optional_input, "N m/rad|N/m", "its position gain, 0 if omitted"},
    {"kd", Rows::v, Role::optional_input, "N m s/rad|N s/m", "its velocity gain, 0 if omitted"},
};

/// The inputs of a controller in any form: arrays, columns, vectors of numbers.
template <class Values>
struct Controller {
  Values q_target{};  ///< [nq]
  Values kp{};        ///< [nv], none negative
  Values kd{};        ///< [nv], none negative

  /// Whether there is a target, without which there is no controller.
  constexpr bool acts() const {
    if constexpr (requires { q_target.empty(); })
      return !q_target.empty();
    else
      return static_cast<bool>(q_target);
  }
  bool operator==(const Controller&) const = default;  ///< equality of all inputs
};

/// Calls f(row of the table, member of each of the controllers) for every input.
template <class F, class... Controllers>
constexpr void for_each_controller_input(F&& f, Controllers&&... of) {
  f(controller_inputs[0], of.q_target...);
  f(controller_inputs[1], of.kp...);
  f(controller_inputs[2], of.kd...);
}

}  // namespace tandem
