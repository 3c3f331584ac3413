// SPDX-License-Identifier: Apache-2.0
#include "state.hpp"

#include <cmath>

#include "parts.hpp"
#include "policy/automatic.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/model/actuators.hpp"

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

/// Where a robot starts that touches something: where its file puts it, which is not in the floor.
StartConfiguration start_on_ground(const Model& model) {
  for (const char* name : {"home", "qpos0"})
    if (const int named = model.find_configuration(name); named >= 0) {
      const auto q = model.configuration(named);
      return {{q.begin(), q.end()}, sentence("configuration ", in_quotes(name), " of the model")};
    }
  return start_configuration(model);
}

}  // namespace

template <class T>
SimulationState<T>::SimulationState(Model robot, SimulationOptions how)
    : given(std::move(robot)),
      model(how.contacts ? given.without_loops() : given),
      weightless(model.with_gravity({0, 0, 0}).with_base_acceleration({0, 0, 0, 0, 0, 0})),
      options(checked(std::move(how))),
      batch(options.batch),
      nq(static_cast<std::size_t>(model.nq())),
      nv(static_cast<std::size_t>(model.nv())),
      dynamics(model, find_algorithm(ForwardDynamics::name), dynamics_of(model, options), {},
               options.contacts ? Specialise::off : options.specialise),
      impulses(weightless, find_algorithm(ForwardDynamics::name), one_by_one(model, dynamics.options().method)) {
  using namespace simulation_detail;
  SimulationState& s = *this;
  for (std::vector<T>* x : {&unit, &response, &still}) x->resize(nv);
  Contacts{s}.prepare();
  Iteration{s}.prepare();
  Lanes{s}.prepare();
  make_room();
  const StartConfiguration first = contacts ? start_on_ground(model) : start_configuration(model);
  start = first.what;
  for_each_instance([&](Index, std::size_t iq, std::size_t) {
    std::copy(first.q.begin(), first.q.end(), q.begin() + static_cast<std::ptrdiff_t>(iq));
  });
  Drive{s}.prepare();
  Parameters{s}.set(std::move(options.parameters));
  Watch{s}.prepare();
}

template <class T>
void SimulationState<T>::make_room() {
  const auto n = static_cast<std::size_t>(batch);
  const auto room = [](std::size_t size, std::initializer_list<std::vector<T>*> of) {
    for (std::vector<T>* x : of) x->resize(size);
  };
  const auto rooms = [n](auto&... x) { (x.resize(n), ...); };
  room(n * nq, {&q, &q_seen});
  room(n * nv, {&v, &v_seen});
  room(3 * n * nv, {&stops});
  ctrl.resize(n * actuators(model).size());
  for (std::vector<double>* x : {&act, &act_first}) x->resize(n * static_cast<std::size_t>(activations(model)));
  room(4 * n, {&energies});
  if (options.controller.acts()) {
    for_each_controller_input(
        [&](const Argument& row, auto& now, auto& seen) {
          room(n * rows_of(row), {&now, &seen});
        },
        controller, controller_seen);
    room(n * nv, {&error});
  }
  if (iterates) rooms(converged, iterations);
  simulation_detail::Contacts{*this}.make_room();
  rooms(accounts, kinetic, potential, watched, divergences, is_diverged, driven, stopped_by, step_status, steps_done);
}

template <class T>
ModelView<T> SimulationState<T>::view_of(Index instance) const {
  ModelView<T> m = model.view<T>();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const std::size_t stride = parameters[k].size() > nv ? nv : 0;
    const T* values = parameters[k].data() + static_cast<std::size_t>(instance) * stride;
    switch (options.parameters[k].parameter) {
      case Parameter::damping: m.damping = values; break;
      case Parameter::friction: m.friction = values; break;
      case Parameter::stiffness: m.stiffness = values; break;
      default: break;
    }
  }
  if (!servo_damping.empty()) m.damping = servo_damping.data() + static_cast<std::size_t>(instance) * nv;
  if (contacts) m.friction = still.data();  // a row of contact dynamics
  return m;
}

template struct SimulationState<double>;
template struct SimulationState<float>;

}  // namespace tandem
