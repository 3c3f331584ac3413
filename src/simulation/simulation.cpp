// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/simulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "policy/automatic.hpp"
#include "core/text.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/integrate.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/passive_forces.hpp"
#include "tandem/error.hpp"

// what of it has files of its own
#include "advance.hpp"
#include "contacts.hpp"
#include "controls.hpp"
#include "drive.hpp"
#include "iterate.hpp"
#include "lanes.hpp"
#include "loops.hpp"
#include "parameters.hpp"
#include "part.hpp"
#include "state.hpp"
#include "stops.hpp"
#include "watch.hpp"

namespace tandem {
namespace {

SimulationOptions checked(SimulationOptions options) {
  const auto check = [](const char* name, double x, bool good, const char* expected) {
    if (!good) throw Error(sentence("simulation: ", name, " is ", x, ", expected ", expected));
  };
  check("dt", options.dt, std::isfinite(options.dt) && options.dt > 0, "a finite positive number");
  check("excess", options.excess, options.excess >= 0, "0 or more, or infinity (not checked)");
  check("max_speed", options.max_speed, options.max_speed >= 0,
        "a positive speed, infinity (not checked) or 0 (a full turn per step)");
  if (*to_string(options.integrator) == '\0')
    throw Error(sentence("simulation: integrator is ", static_cast<int>(options.integrator),
                         ", not a valid value; expected one of ",
                         comma_separated(NamesOf<Integrator>::table, [](const Named& row) { return row.name; })));
  if (options.batch < 1) throw Error(sentence("simulation: batch is ", options.batch, ", expected 1 or more"));
  if (options.threads < 0)
    throw Error(sentence("simulation: threads is ", options.threads, ", expected 1 or more, or 0 for all cores"));
  return options;
}

/// What forward dynamics is told: methods that divide a robot take no parameters for every state.
Options dynamics_of(const Model& model, const SimulationOptions& options) {
  Options dynamics = options.dynamics;
  if (!options.parameters.empty() && dynamics.method == Method::automatic)
    dynamics.method = own_method(find_algorithm(ForwardDynamics::name), model);
  return dynamics;
}

/// Impulses are rare and small: by a method that goes over the links one after the other, and lays nothing out; the one
/// that accelerations are found by, if it does, as kernels in lanes do.
Options one_by_one(const Model& model, Method method) {
  const Algorithm& forward = find_algorithm(ForwardDynamics::name);
  const bool is_own = method != Method::automatic &&
                      std::find(forward.methods.begin(), forward.methods.end(), method) != forward.methods.end();
  return {.method = is_own ? method : own_method(forward, model)};
}

}  // namespace

template <class T>
Simulation<T>::Simulation(Model model, SimulationOptions options)
    : given_(std::move(model)),
      model_(options.contacts ? given_.without_loops() : given_),
      weightless_(model_.with_gravity({0, 0, 0}).with_base_acceleration({0, 0, 0, 0, 0, 0})),
      options_(checked(std::move(options))),
      batch_(options_.batch),
      nq_(static_cast<std::size_t>(model_.nq())),
      nv_(static_cast<std::size_t>(model_.nv())),
      dynamics_(model_, find_algorithm(ForwardDynamics::name), dynamics_of(model_, options_), {},
                options_.contacts ? Specialise::off : options_.specialise),
      impulses_(weightless_, find_algorithm(ForwardDynamics::name), one_by_one(model_, dynamics_.options().method)) {
  for (std::vector<T>* x : {&unit_, &response_, &still_}) x->resize(nv_);
  prepare_contacts();
  prepare_guess();
  prepare_step();
  make_room();
  const StartConfiguration start =
      contacts_ ? simulation_detail::start_on_ground(model_) : start_configuration(model_);
  start_ = start.what;
  for_each_instance([&](Index, std::size_t iq, std::size_t) {
    std::copy(start.q.begin(), start.q.end(), q_.begin() + static_cast<std::ptrdiff_t>(iq));
  });
  prepare_controller();
  set_parameters(std::move(options_.parameters));
  prepare_watch();
}

/// All that there is of every instance, for as many as there are.
template <class T>
void Simulation<T>::make_room() {
  const auto n = static_cast<std::size_t>(batch_);
  const auto room = [](std::size_t size, std::initializer_list<std::vector<T>*> of) {
    for (std::vector<T>* x : of) x->resize(size);
  };
  const auto rooms = [n](auto&... x) { (x.resize(n), ...); };
  room(n * nq_, {&q_, &q_seen_});
  room(n * nv_, {&v_, &v_seen_});
  room(3 * n * nv_, {&stops_});
  ctrl_.resize(n * actuators(model_).size());
  for (std::vector<double>* x : {&act_, &act_first_}) x->resize(n * static_cast<std::size_t>(activations(model_)));
  room(4 * n, {&energies_});
  if (!options_.controller.q_target.empty()) {
    room(n * nq_, {&q_target_, &q_target_seen_});
    room(n * nv_, {&kp_, &kd_, &kp_seen_, &kd_seen_, &error_});
  }
  if (iterates_) rooms(converged_, iterations_);
  make_room_for_contacts();
  rooms(accounts_, kinetic_, potential_, watched_, divergences_, is_diverged_, driven_, stopped_by_, step_status_,
        steps_done_);
}

/// The accelerations of the instances of c.a.part().
template <class T>
void Simulation<T>::evaluate_forward(const Plan<T>& plan, const Columns& c, bool gravity) {
  const BatchPart part = c.a.part();
  const Array<T> arguments[] = {input(c.q, part),        input(c.v, part), input(c.tau, part), {},
                                input(c.diagonal, part), output(c.a, part)};
  with_parameters(part.first, gravity, [&](std::span<const BatchedParameter<T>> varied) {
    evaluate(plan, arguments, Batch<T>(part.n, options_.threads, {}, varied), work_);
  });
}

template <class T>
void Simulation<T>::check_forces(std::span<const T> tau, std::span<const T> f_ext) const {
  at(accounts_, 0);
  simulation_detail::stride_of("tau", tau, nv_, batch_);
  simulation_detail::stride_of("f_ext", f_ext, std::size_t{6} * static_cast<std::size_t>(model_.n_links()), batch_);
}

template <class T>
void Simulation<T>::run(Index steps, std::span<const T> tau, std::span<const T> f_ext) {
  check_forces(tau, f_ext);
  if (steps < 1) return;
  if (is_driven_)
    run_driven(steps, tau, f_ext);
  else
    run_steps(steps, tau, f_ext);
}

template <class T>
void Simulation<T>::run_steps(Index steps, std::span<const T> tau, std::span<const T> f_ext) {
  begin_parameters();
  begin_controller();
  if (in_lanes_ && batch_ > 1) return run_in_lanes(steps, tau, f_ext);
  for (Index k = 0; k < steps; ++k) step_together(tau, f_ext);
}

template <class T>
void Simulation<T>::step_together(std::span<const T> tau, std::span<const T> f_ext) {
  begin_loops();
  begin_watch();
  const std::span<const T> driven = drive(tau);
  begin_energy();
  advance(driven, f_ext);
  end_contacts();
  ++steps_;
  for (Account& account : accounts_) ++account.steps;
  if (model_.n_loops() > 0) close_loops();
  end_energy();
  end_watch();
}

template class Simulation<double>;
template class Simulation<float>;

}  // namespace tandem
