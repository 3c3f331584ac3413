// SPDX-License-Identifier: Apache-2.0
#include "contacts.hpp"

#include <vector>

#include "core/text.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// Whether two models have the same joints and links in the same places.
bool same_geometry(const Model& one, const Model& two) {
  if (one.shared_data() == two.shared_data()) return true;
  if (one.nq() != two.nq() || one.nv() != two.nv() || one.n_frames() != two.n_frames()) return false;
  for (int i = 1; i < one.n_links(); ++i)
    if (one.joint_name(i) != two.joint_name(i) || one.joint_type(i) != two.joint_type(i)) return false;
  const std::vector<double> q = start_configuration(one).q;
  std::vector<double> frames_1(12 * static_cast<std::size_t>(one.n_frames())), frames_2(frames_1.size());
  Workspace<double> work;
  forward_kinematics<double>(one, q, frames_1, work);
  forward_kinematics<double>(two, q, frames_2, work);
  return frames_1 == frames_2;
}

/// Options of contact dynamics in steps.
ContactDynamicsOptions options_in_steps(const RolloutOptions& options) {
  ContactDynamicsOptions how = options.contact_dynamics;
  how.time_step = options.dt;
  how.limits = how.limits && options.limits;
  how.friction = how.friction && options.losses;
  how.tendon_damping = how.tendon_damping && options.losses;
  return how;
}

}  // namespace

std::optional<StepContacts> step_contacts(const char* function, const Model& model, const RolloutOptions& options,
                                          bool has_controller, std::optional<ContactDynamics>& last,
                                          const Device& device) {
  const auto refuse = [&](const auto&... parts) { throw Error(sentence(function, ": ", parts...)); };
  if (!options.contacts) {
    if (options.contact_damping || options.contact_dynamics != ContactDynamicsOptions())
      refuse(options.contact_damping ? "contact_damping" : "contact_dynamics", " without contacts; set contacts");
    return {};
  }
  const ContactSet& set = *options.contacts;
  const bool is_rk4 = options.integrator == Integrator::rk4;
  if (options.integrator == Integrator::implicit_midpoint)
    refuse("contacts are simulated by semi_implicit_euler and rk4; integrator is ", to_string(options.integrator));
  const Method method = options.dynamics.method;
  if (method != Method::automatic && method != Method::articulated_body)
    refuse("contacts are solved by articulated_body; method is ", to_string(method));
  if (options.specialise == Specialise::on || options.specialise == Specialise::wait)
    refuse("contacts are not compiled for a robot; specialise is ", to_string(options.specialise), ", use off");
  if (!same_geometry(model, set.model()))
    refuse("contacts are those of another robot, ", set.model().name(),
           "; make the ContactSet from the model that is simulated");
  if (model.n_loops() != set.model().n_loops())
    refuse("contacts are those of a robot with ", set.model().n_loops(), " loop joints; ", model.name(), " has ",
           model.n_loops(), ": make the ContactSet from the model that is simulated");
  const std::optional<double> time_step = options.contact_dynamics.time_step;
  if (time_step && *time_step != options.dt)
    refuse("contacts have the time step ", *time_step, " s, and the ", function, " ", options.dt, " s; leave it out");
  if (is_rk4 && options.contact_damping)
    refuse("contacts have joint damping in every stage of rk4; leave contact_damping out");
  if (is_rk4 && has_controller)
    refuse(
        "a controller with contacts is simulated by semi_implicit_euler; integrator is rk4. Use that integrator, or "
        "give the controller's torques as tau");
  const bool is_disc = has_disc(set, options.contact_dynamics);
  if (is_disc && is_rk4)
    refuse("the friction cone disc needs the normal forces of the step before, which stages of rk4 do not have; use "
           "semi_implicit_euler");
  if (is_disc && device.kind == Device::cuda) refuse("the friction cone disc does not run on a GPU; use device cpu");
  if (device.kind == Device::cuda)
    check_pairs_on_gpu(set, function);
  else if (options.contact_dynamics.max_contacts > 0 || options.contact_dynamics.max_contact_columns > 0)
    refuse("max_contacts and max_contact_columns are for device cuda; the CPU has room for all contacts");
  const ContactDynamicsOptions how = options_in_steps(options);
  if (!last || &last->set().problems() != &set.problems() || last->options() != how) last.emplace(set, how);
  const std::string& file = contact_settings(set.model()).integrator;
  const bool is_of_mujoco = file == "Euler" || file == "implicit" || file == "implicitfast";
  const ContactDamping damping =
      options.contact_damping.value_or(is_of_mujoco ? ContactDamping::after : ContactDamping::within);
  return StepContacts{*last, options.dt, !is_rk4 && damping == ContactDamping::after && options.losses, is_rk4};
}

}  // namespace tandem
