// SPDX-License-Identifier: Apache-2.0
/// Contacts in the steps of rollouts and simulations.
#pragma once
#include <optional>

#include "api/contact_solve.hpp"
#include "tandem/api/rollout.hpp"

namespace tandem {

/// How the steps of a rollout or simulation solve for contacts.
struct StepContacts {
  ContactDynamics dynamics;
  double dt = 0;
  bool damps_after = false;  ///< whether joint damping acts after contacts are solved
  bool has_stages = false;   ///< of rk4

  /// A call without arrays.
  template <class T>
  ContactCall<T> call() const {
    return {.problem = &dynamics.prepared().problem,
            .tiles = &dynamics.prepared().template tiles<T>(),
            .damps_after = damps_after,
            .h = dt,
            .has_stages = has_stages};
  }
};

/// Whether the normal forces of the step before bound friction.
inline bool has_disc(const ContactSet& set, const ContactDynamicsOptions& options) {
  return options.cone.value_or(contact_settings(set.model()).cone) == FrictionCone::disc;
}

/// None without options.contacts. With them a robot is stepped without its loops, which contact dynamics holds. Throws
/// Error in the name of `function` for options that contacts do not support. `last`: the dynamics of an earlier call,
/// which are replaced if they are others.
std::optional<StepContacts> step_contacts(const char* function, const Model& model, const RolloutOptions& options,
                                          bool has_controller, std::optional<ContactDynamics>& last,
                                          const Device& device = {});

}  // namespace tandem
