// SPDX-License-Identifier: Apache-2.0
/// Steps driven by the actuators of the robot: their forces at the beginning of every step, and their activations after
/// it.
#include <algorithm>
#include <cmath>

#include "actuate.hpp"
#include "backends/cpu/threads.hpp"
#include "core/text.hpp"
#include "parts.hpp"
#include "tandem/api/actuators.hpp"
#include "tandem/error.hpp"

namespace tandem::simulation_detail {

/// Throws Error for actuators whose forces change within a step of integrators with stages.
template <class T>
void Actuation<T>::check() const {
  if (s.options.integrator == Integrator::semi_implicit_euler) return;
  for (const Actuator& actuator : actuators(s.model))
    if (actuator.acts() && depends_on_state(actuator))
      throw Error(sentence("simulation: the force of actuator ", in_quotes(actuator.name),
                           " depends on the state and acts with semi_implicit_euler; integrator is ",
                           to_string(s.options.integrator), ". Use that integrator, or give actuator_forces as tau"));
}

/// As MuJoCo's implicitfast: but for files for which Euler was chosen, velocity gains act at the end of the step, as
/// joint damping does.
template <class T>
bool Actuation<T>::damps() const {
  const auto own = s.dynamics.algorithm().methods;
  return s.options.integrator == Integrator::semi_implicit_euler && s.options.losses && !s.options.effort_limits &&
         contact_settings(s.model).integrator != "Euler" && s.model.n_loops() == 0 &&
         std::find(own.begin(), own.end(), s.dynamics.options().method) != own.end();
}

/// driven_tau: tau and the forces of actuators, of all instances or those named; servo_damping: joint damping with
/// the velocity gains of servos.
template <class T>
void Actuation<T>::actuate_joints(std::span<const T> tau) {
  const bool is_damped = damps();
  const std::size_t nu = s.ctrl.size() / s.accounts.size(), na = s.act.size() / s.accounts.size();
  s.driven_tau.resize(s.v.size());
  s.servo_damping.assign(is_damped ? s.v.size() : 0, T(0));
  const auto own_damping = [&](std::size_t b) -> const T* {
    for (std::size_t p = 0; p < s.parameters.size(); ++p)
      if (s.options.parameters[p].parameter == Parameter::damping)
        return s.parameters[p].data() + (s.parameters[p].size() > s.nv ? b * s.nv : 0);
    return s.model.template view<T>().damping;
  };
  for (Index b = 0; b < s.batch; ++b)  // before anything is done
    check_controls("simulation", s.model, std::span<const double>(s.ctrl).subspan(static_cast<std::size_t>(b) * nu, nu),
                   s.of_instance(b));
  bool any_damping = false;
  cpu::for_each_range(
      s.batch, 64, s.batch <= 64 ? 1 : cpu::available_threads(s.options.threads), [&](Index first, Index end, int) {
        std::vector<double> q(s.nq), v(s.nv), force(s.nv), gain(s.nv);
        for (Index instance = first; instance < end; ++instance) {
          const auto b = static_cast<std::size_t>(instance);
          std::copy_n(s.q.data() + b * s.nq, s.nq, q.begin());
          std::copy_n(s.v.data() + b * s.nv, s.nv, v.begin());
          actuate(s.model, {q, v, {s.ctrl.data() + b * nu, nu}, {s.act.data() + b * na, na}}, force,
                  is_damped ? std::span<double>(gain) : std::span<double>());
          for (std::size_t k = 0; k < s.nv; ++k) {
            T& to = s.driven_tau[b * s.nv + k];
            to = (tau.empty() ? T(0) : tau[tau.size() > s.nv ? b * s.nv + k : k]) + static_cast<T>(force[k]);
            if (!is_damped) continue;
            to += static_cast<T>(gain[k] * v[k]);
            s.servo_damping[b * s.nv + k] = own_damping(b)[k] + static_cast<T>(gain[k]);
          }
        }
      });
  for (std::size_t b = 0; is_damped && b < s.accounts.size() && !any_damping; ++b)
    any_damping = !std::equal(own_damping(b), own_damping(b) + s.nv, s.servo_damping.data() + b * s.nv);
  if (!any_damping) s.servo_damping.clear();
}

/// Activations of an instance after a step.
template <class T>
void Actuation<T>::advance_activations_of(Index instance) {
  const std::size_t n = s.accounts.size(), nu = s.ctrl.size() / n, na = s.act.size() / n,
                    b = static_cast<std::size_t>(instance);
  if (na == 0 || s.is_diverged[b]) return;
  advance_activations(s.model, std::span<const double>(s.ctrl).subspan(b * nu, nu), s.options.dt,
                      std::span<double>(s.act).subspan(b * na, na));
}

/// Calls f(first step, how many) for steps in which the forces of actuators are constant.
template <class T>
template <class F>
void Actuation<T>::for_each_driven(Index steps, std::span<const T> tau, F&& f) {
  const auto changes = [](const Actuator& actuator) { return actuator.acts() && depends_on_state(actuator); };
  const Index n = std::ranges::any_of(actuators(s.model), changes) ? 1 : steps;
  for (Index k = 0; k < steps; k += n) {
    actuate_joints(tau);
    f(k, n);
  }
  s.servo_damping.clear();
}

template <class T>
void Actuation<T>::run(Index steps, std::span<const T> tau, std::span<const T> f_ext) {
  for_each_driven(steps, tau, [&](Index, Index n) {
    Steps{s}.run_undriven(n, s.driven_tau, f_ext);
    for (Index b = 0; b < s.batch; ++b) advance_activations_of(b);
  });
}

/// The same of some instances.
template <class T>
void Actuation<T>::step_part(std::span<const Index> instances, Index steps, std::span<const T> tau,
                             std::span<const T> f_ext) {
  for_each_driven(steps, tau, [&](Index done, Index n) {
    Part{s}.step(instances, s.steps + done, n, s.driven_tau, f_ext);
    for (const Index b : instances) advance_activations_of(b);
  });
}

template struct Actuation<double>;
template struct Actuation<float>;

}  // namespace tandem::simulation_detail
