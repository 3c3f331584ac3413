// SPDX-License-Identifier: Apache-2.0
/// The interface of simulations.
#include "tandem/api/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/at.hpp"
#include "parts.hpp"

namespace tandem {

/// Calls f(number) for every number that changes from step to step.
template <class State, class F>
void for_each_number(State& self, F&& f) {
  f(self.steps), f(self.steps_then), f(self.began), f(self.has_begun);
  const auto all_of = [&](auto& x) {
    for (auto& number : x) f(number);
  };
  for (auto* x : {&self.q, &self.v, &self.q_first, &self.v_first, &self.q_seen, &self.v_seen}) all_of(*x);
  for (auto* x : {&self.controller, &self.controller_seen})
    for_each_controller_input([&](const Argument&, auto& values) { all_of(values); }, *x);
  for (auto& a : self.accounts) f(a.dissipated), f(a.stopped), f(a.work), f(a.steps);
  for (auto& w : self.watched)
    f(w.is_fresh), f(w.kinetic), f(w.potential), f(w.controller), f(w.given), f(w.speed), f(w.most);
  all_of(self.stops);
  f(self.is_driven);
  for (auto* x : {&self.ctrl, &self.act, &self.act_first}) all_of(*x);
  if (self.iterates)
    for (auto& a : self.accounts)
      f(a.iterated.solutions), f(a.iterated.steps), f(a.iterated.not_converged), f(a.iterated.compared),
          f(a.iterated.gained);
  if (self.contacts) {
    all_of(self.contacts->limit_forces), all_of(self.contacts->forces), all_of(self.contacts->pushes);
    all_of(self.contacts->touching), all_of(self.contacts->q_stage), all_of(self.contacts->v_stage);
    for (auto& a : self.accounts)
      f(a.contacts.solutions), f(a.contacts.steps), f(a.contacts.not_converged), f(a.contacts.taken);
  }
  if (self.guess.empty()) return;
  f(self.found_at), f(self.found_before_at);
  for (auto* x : {&self.found, &self.found_before}) all_of(*x);
  all_of(self.known);
}

template <class T>
Simulation<T>::Simulation(Model model, SimulationOptions options)
    : state_(std::make_unique<SimulationState<T>>(std::move(model), std::move(options))) {}
template <class T>
Simulation<T>::Simulation(Simulation&&) noexcept = default;
template <class T>
Simulation<T>& Simulation<T>::operator=(Simulation&&) noexcept = default;
template <class T>
Simulation<T>::~Simulation() = default;

template <class T>
SimulationState<T>& Simulation<T>::state() const {
  if (!state_) throw Error("simulation: the object was moved from");
  return *state_;
}

template <class T>
const std::string& Simulation<T>::start() const {
  return state().start;
}
template <class T>
std::span<T> Simulation<T>::q() {
  return state().q;
}
template <class T>
std::span<T> Simulation<T>::v() {
  return state().v;
}
template <class T>
std::span<T> Simulation<T>::q_target() {
  return state().controller.q_target;
}
template <class T>
std::span<T> Simulation<T>::kp() {
  return state().controller.kp;
}
template <class T>
std::span<T> Simulation<T>::kd() {
  return state().controller.kd;
}
template <class T>
std::span<T> Simulation<T>::parameter(Parameter parameter) {
  return simulation_detail::Parameters{state()}.values(parameter);
}
template <class T>
std::span<double> Simulation<T>::ctrl() {
  auto& s = state();
  if (!s.is_driven) simulation_detail::Actuation{s}.check();
  s.is_driven = true;
  return s.ctrl;
}
template <class T>
std::span<double> Simulation<T>::act() {
  return state().act;
}
template <class T>
std::int64_t Simulation<T>::steps() const {
  return state().steps;
}
template <class T>
double Simulation<T>::time() const {
  return state().time();
}
template <class T>
const Model& Simulation<T>::model() const {
  return state().given;
}
template <class T>
const SimulationOptions& Simulation<T>::options() const {
  return state().options;
}
template <class T>
const SimulationAccount& Simulation<T>::account(Index instance) const {
  return state().account(instance);
}
template <class T>
void Simulation<T>::set_parameters(std::vector<SimulationParameter> parameters) {
  simulation_detail::Parameters{state()}.set(std::move(parameters));
}
template <class T>
const Divergence* Simulation<T>::divergence(Index instance) const {
  const auto& s = state();
  s.account(instance);
  return s.is_diverged[static_cast<std::size_t>(instance)] ? &s.divergences[static_cast<std::size_t>(instance)]
                                                           : nullptr;
}

template <class T>
void Simulation<T>::run(Index steps, std::span<const T> tau, std::span<const T> f_ext) {
  simulation_detail::Steps{state()}.run(steps, tau, f_ext);
}

template <class T>
void Simulation<T>::step(std::span<const T> tau, std::span<const T> f_ext, std::span<const Index> instances,
                         Index steps) {
  auto& s = state();
  simulation_detail::Steps{s}.check_forces(tau, f_ext);
  if (s.options.first_guess != FirstGuess::zero)
    throw Error(sentence("simulation: single instances cannot be stepped with first_guess ",
                         to_string(s.options.first_guess), ", which uses solutions of the last step; use zero"));
  std::vector<char> is_named(static_cast<std::size_t>(s.batch));
  for (const Index b : instances) {
    s.account(b);
    if (is_named[static_cast<std::size_t>(b)]++) throw Error(sentence("simulation: instance ", b, " occurs twice"));
  }
  if (instances.empty() || steps < 1) return;
  if (s.is_driven)
    simulation_detail::Actuation{s}.step_part(instances, steps, tau, f_ext);
  else
    simulation_detail::Part{s}.step(instances, s.steps, steps, tau, f_ext);
}

template <class T>
void Simulation<T>::set_time(double time) {
  auto& s = state();
  if (!std::isfinite(time))
    throw Error(sentence("simulation: time is ", time, ", expected a finite number of seconds"));
  s.began = time;
  s.steps_then = s.steps;
}

template <class T>
void Simulation<T>::reset(Index instance) {
  auto& s = state();
  s.account(instance == all ? 0 : instance);
  const auto n = static_cast<std::size_t>(instance == all ? s.batch : 1);
  const Index first = instance == all ? 0 : instance;
  if (!s.has_begun) s.store_first();
  const std::vector<double> act = s.act_first;
  const auto q = std::span<const T>(s.q_first).subspan(static_cast<std::size_t>(first) * s.nq, n * s.nq);
  const auto v = std::span<const T>(s.v_first).subspan(static_cast<std::size_t>(first) * s.nv, n * s.nv);
  reset(std::vector<T>(q.begin(), q.end()), std::vector<T>(v.begin(), v.end()), instance);
  const auto rows = static_cast<std::ptrdiff_t>(act.size() / s.accounts.size()), b = static_cast<std::ptrdiff_t>(first);
  std::copy_n(act.begin() + b * rows, static_cast<std::ptrdiff_t>(n) * rows, s.act.begin() + b * rows);
}

template <class T>
void Simulation<T>::reset(std::span<const T> q, std::span<const T> v, Index instance) {
  auto& s = state();
  s.account(instance == all ? 0 : instance);
  const Index first = instance == all ? 0 : instance, end = instance == all ? s.batch : instance + 1;
  const auto check = [&](const char* name, std::span<const T> x, std::size_t rows) {
    if (x.size() != rows && x.size() != rows * static_cast<std::size_t>(end - first))
      throw Error(sentence("simulation: reset has ", x.size(), " numbers ", name, ", expected ", rows));
    for (const T number : x)
      if (!std::isfinite(number))
        throw Error(sentence("simulation: reset expects finite numbers, ", name, " has ", double{number}));
  };
  check("q", q, s.nq);
  if (!v.empty()) check("v", v, s.nv);
  for (Index b = first; b < end; ++b) {
    const auto i = static_cast<std::size_t>(b), k = static_cast<std::size_t>(b - first);
    const T* from_q = q.data() + (q.size() > s.nq ? k * s.nq : 0);
    const T* from_v = v.data() + (v.size() > s.nv ? k * s.nv : 0);
    std::copy_n(from_q, s.nq, s.q.data() + i * s.nq);
    if (v.empty())
      std::fill_n(s.v.data() + i * s.nv, s.nv, T(0));
    else
      std::copy_n(from_v, s.nv, s.v.data() + i * s.nv);
    if (s.has_begun && instance != all) {  // this is where the instance begins now
      std::copy_n(s.q.data() + i * s.nq, s.nq, s.q_first.data() + i * s.nq);
      std::copy_n(s.v.data() + i * s.nv, s.nv, s.v_first.data() + i * s.nv);
    }
    const std::size_t na = s.act.size() / s.accounts.size();
    std::fill_n(s.act.begin() + static_cast<std::ptrdiff_t>(i * na), na, 0.0);
    if (s.has_begun && instance != all) std::fill_n(s.act_first.begin() + static_cast<std::ptrdiff_t>(i * na), na, 0.0);
    s.accounts[i] = {};
    simulation_detail::Watch{s}.forget(b);
  }
  if (instance != all) return;
  s.has_begun = false;
  s.steps = s.steps_then = 0;
  s.began = 0;
}

template <class T>
bool Simulation<T>::finite() const {
  auto& s = state();
  const auto all_finite = [](const std::vector<T>& x) {
    return std::all_of(x.begin(), x.end(), [](T value) { return std::isfinite(value); });
  };
  return all_finite(s.q) && all_finite(s.v);
}

template <class T>
std::vector<double> Simulation<T>::snapshot() const {
  auto& s = state();
  std::vector<double> numbers;
  for_each_number(s, [&](const auto& x) { numbers.push_back(static_cast<double>(x)); });
  return numbers;
}

template <class T>
void Simulation<T>::restore(std::span<const double> snapshot) {
  auto& s = state();
  std::size_t n = 0;
  for_each_number(s, [&](const auto&) { ++n; });
  if (snapshot.size() != n)
    throw Error(sentence("simulation: the snapshot has ", snapshot.size(), " numbers, expected ", n,
                         ": it belongs to another model or other options"));
  auto from = snapshot.begin();
  for_each_number(s, [&](auto& x) { x = static_cast<std::remove_reference_t<decltype(x)>>(*from++); });
  std::fill(s.is_diverged.begin(), s.is_diverged.end(), char(0));
  if (s.contacts)
    for (auto& found : s.contacts->found) found.clear();
}

template <class T>
int Simulation<T>::at_limit(int joint, Index instance) const {
  auto& s = state();
  if (joint < 1 || joint >= s.model.n_links())
    throw Error(sentence("simulation: there is no joint ", joint, ", expected 1 to ", s.model.n_links() - 1));
  s.account(instance);
  const auto& m = s.model.template view<T>();
  if (m.mimics[joint] != 0 || joint_nv(m.type[joint]) != 1) return 0;
  const std::size_t row = static_cast<std::size_t>(instance) * 3 * s.nv + static_cast<std::size_t>(m.v_index[joint]);
  return static_cast<int>(s.stops[row + 2 * s.nv]);
}

template <class T>
const ContactSet& Simulation<T>::contact_set() const {
  auto& s = state();
  if (!s.contacts) throw Error("simulation: there are no contacts; give SimulationOptions::contacts");
  return s.contacts->how.dynamics.set();
}

template <class T>
std::span<const double> Simulation<T>::contact_forces(Index instance) const {
  auto& s = state();
  const auto rows = 6 * static_cast<std::size_t>(contact_set().n_slots());
  s.account(instance);
  return std::span<const double>(s.contacts->forces).subspan(static_cast<std::size_t>(instance) * rows, rows);
}

namespace {
/// Calls f(slot, whether the link is the second of the pair) for contacts of a link with others that may push, in the
/// order of the slots. All other forces are zero.
template <class T, class F>
void for_each_slot(const SimulationState<T>& s, int link, Index instance, F&& f) {
  if (link < 0 || link >= s.model.n_links())
    throw Error(sentence("simulation: there is no link ", link, ", expected 0 to ", s.model.n_links() - 1));
  const auto& links = s.contacts->links;
  const std::int32_t* const touching = s.contacts->touching.data() + at(instance) * (1 + links.size());
  std::vector<std::int32_t> own;
  for (std::int32_t k = 1; k <= touching[0]; ++k) {
    const auto [first, second] = links[at(touching[k])];
    if ((first == link) != (second == link)) own.push_back(touching[k]);
  }
  std::ranges::sort(own);
  for (const std::int32_t slot : own) f(at(slot), links[at(slot)][1] == link);
}
/// The same of contacts of pairs that are found: calls f(contact, whether the link is that of the second shape).
template <class T, class F>
void for_each_found(const SimulationState<T>& s, int link, Index instance, F&& f) {
  const auto shapes = contact_shapes(s.model);
  for (const FoundContact& found : s.contacts->found[at(instance)]) {
    const int first = shapes[at(found.shape_1)].link, second = shapes[at(found.shape_2)].link;
    if (first == link || second == link) f(found, second == link);
  }
}
}  // namespace

template <class T>
std::span<const FoundContact> Simulation<T>::found_contacts(Index instance) const {
  contact_forces(instance);
  return state().contacts->found[at(instance)];
}

template <class T>
std::array<double, 3> Simulation<T>::contact_force(int link, Index instance) const {
  const std::size_t from = contact_forces(instance).size() / 2 * at(instance);
  const double* const pushes = state().contacts->pushes.data() + from;
  std::array<double, 3> sum{};
  for_each_slot(state(), link, instance, [&](std::size_t slot, bool is_second) {
    for (std::size_t k = 0; k < 3; ++k) sum[k] += (is_second ? 1 : -1) * pushes[3 * slot + k];
  });
  for_each_found(state(), link, instance, [&](const FoundContact& found, bool is_second) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t k = 0; k < 3; ++k)
        sum[k] += (is_second ? 1 : -1) * found.force[axis] * found.contact.frame[3 * axis + k];
  });
  return sum;
}

template <class T>
bool Simulation<T>::touches(int link, Index instance) const {
  const auto forces = contact_forces(instance);
  bool found = false;
  for_each_slot(state(), link, instance, [&](std::size_t slot, bool) { found = found || forces[6 * slot] > 0; });
  for_each_found(state(), link, instance,
                 [&](const FoundContact& contact, bool) { found = found || contact.force[0] > 0; });
  return found;
}

namespace {
/// Rows of an instance in numbers of the last stage of rk4.
template <class T>
std::span<const T> stage_of(const SimulationState<T>& s, const std::vector<T>& of, Index instance) {
  s.account(instance);
  if (!s.contacts->how.has_stages)
    throw Error(sentence("simulation: the state of the last stage is kept by rk4; integrator is ",
                         to_string(s.options.integrator)));
  const std::size_t rows = of.size() / s.accounts.size();
  return std::span<const T>(of).subspan(static_cast<std::size_t>(instance) * rows, rows);
}
}  // namespace

template <class T>
std::span<const T> Simulation<T>::contact_q(Index instance) const {
  contact_set();
  return stage_of(state(), state().contacts->q_stage, instance);
}
template <class T>
std::span<const T> Simulation<T>::contact_v(Index instance) const {
  contact_set();
  return stage_of(state(), state().contacts->v_stage, instance);
}

template class Simulation<double>;
template class Simulation<float>;

}  // namespace tandem
