// SPDX-License-Identifier: Apache-2.0
/// A step of instances whose accelerations are found in one call: of a robot alone, of robots with loops, and by
/// methods that divide robots or iterate.
#include "backends/cpu/instruction_set.hpp"
#include "backends/cpu/step_robots.hpp"
#include "parts.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"

namespace tandem::simulation_detail {
namespace {

/// What the text of a step asks for.
template <class T>
class Host final : public RobotsToStep<T> {
 public:
  Host(SimulationState<T>& state, std::span<const T> f_ext) : s(state), f_ext_(f_ext) {}

  void accelerate(RobotRows<const T> at_q, RobotRows<const T> at_v, RobotRows<const T> forces,
                  RobotRows<const T> diagonal, RobotRows<T> a, double time) override {
    s.stage = time;
    Iteration{s}.solve({at_q, at_v, forces, diagonal, a}, stage_++);
  }
  void respond(RobotRows<const T> at_q, RobotRows<const T> forces, RobotRows<const T> diagonal,
               RobotRows<T> a) override {
    const auto still = RobotRows<const T>::same(s.still.data(), a.part());
    Steps{s}.evaluate_forward(s.impulses, {at_q, still, forces, diagonal, a}, false);
  }
  void compensate(RobotRows<const T> at_q, RobotRows<T> forces) override { Drive{s}.compensate(at_q, forces); }
  void push(Index robot, const T* at_q, T* pushed) override {
    static const Algorithm& algorithm = find_algorithm(InverseDynamics::name);
    const Index wrenches = Index{6} * s.model.n_links();
    const Index stride = static_cast<Index>(f_ext_.size()) > wrenches ? wrenches : 0;
    const T* const still = s.still.data();
    const Array<T> arguments[] = {Array<T>::input(at_q, 0), Array<T>::input(still, 0), Array<T>::input(still, 0),
                                  Array<T>::input(f_ext_.data() + robot * stride, 0), Array<T>::output(pushed, 0)};
    evaluate<T>(algorithm, s.weightless, arguments, Index{1}, s.work);
    for (std::size_t k = 0; k < s.nv; ++k) pushed[k] = -pushed[k];
  }
  void energy(Index robot, const T* at_q, const T* at_v, T& kinetic, T& potential) override {
    const BatchPart one = {robot, 1};
    Watch{s}.measure({at_q, 0, one}, {at_v, 0, one}, {&kinetic, 0, one}, {&potential, 0, one});
  }

 private:
  SimulationState<T>& s;
  std::span<const T> f_ext_;
  int stage_ = 0;  ///< of rk4
};

}  // namespace

/// The state after a step of dt, what stops do then, and in energies what was taken and given.
template <class T>
void Steps<T>::advance(std::span<const T> tau, std::span<const T> f_ext) {
  const StepKernel<T>& kernel = []() -> const StepKernel<T>& {
    if constexpr (std::is_same_v<T, double>)
      return cpu::in_use().steps.in_double;
    else
      return cpu::in_use().steps.in_float;
  }();
  StepRules rules = rules_of(s.options);
  rules.accounts = true;
  s.models.clear();
  for (Index b = 0; b < s.batch; ++b) s.models.push_back(s.view_of(b));
  s.scratch.resize(static_cast<std::size_t>(kernel.scratch(s.models[0], rules, s.batch)));
  const auto nq = static_cast<Index>(s.nq), nv = static_cast<Index>(s.nv);
  Host<T> host(s, f_ext);
  host.batch = s.batch;
  host.rules = rules;
  host.h = static_cast<T>(s.options.dt);
  host.models = s.models.data();
  const BatchPart whole = {0, s.batch};
  host.q = {s.q.data(), nq, whole};
  host.v = {s.v.data(), nv, whole};
  if (!tau.empty()) host.tau = {tau.data(), static_cast<Index>(tau.size()) > nv ? nv : 0, whole};
  if (s.controller.acts())
    for_each_controller_input(
        [&](const Argument& row, auto& rows, const auto& values) {
          rows = {values.data(), static_cast<Index>(s.rows_of(row)), whole};
        },
        host.controller, s.controller);
  if (!s.contacts) host.stops = {s.stops.data(), 3 * nv, whole};  // of which contacts have the rows
  host.energies = {s.energies.data(), 4, whole};
  host.has_wrenches = !f_ext.empty();
  host.compensates = Drive{s}.compensates_in_stages();
  host.converged = s.step_status.data();
  host.scratch = s.scratch.data();
  kernel.run(host);
  s.stage = 0;
  Contacts{s}.add_energies();
  for (std::size_t i = 0; i < s.accounts.size(); ++i) {
    const T* const e = s.energies.data() + 4 * i;
    s.accounts[i].add(e[0], e[1], double{e[2]} + double{e[3]});
    s.driven[i] = double{e[2]};
    s.stopped_by[i] = double{e[1]};
  }
}

/// The accelerations of the instances of c.a.part().
template <class T>
void Steps<T>::evaluate_forward(const Plan<T>& plan, const Columns<T>& c, bool gravity) {
  const BatchPart part = c.a.part();
  const Array<T> arguments[] = {input(c.q, part),        input(c.v, part), input(c.tau, part), {},
                                input(c.diagonal, part), output(c.a, part)};
  s.with_parameters(part.first, gravity, [&](std::span<const BatchedParameter<T>> varied) {
    evaluate(plan, arguments, Batch<T>(part.n, s.options.threads, {}, varied), s.work);
  });
}

template <class T>
void Steps<T>::check_forces(std::span<const T> tau, std::span<const T> f_ext) const {
  stride_of("tau", tau, s.nv, s.batch);
  stride_of("f_ext", f_ext, std::size_t{6} * static_cast<std::size_t>(s.model.n_links()), s.batch);
}

template <class T>
void Steps<T>::run(Index steps, std::span<const T> tau, std::span<const T> f_ext) {
  check_forces(tau, f_ext);
  if (steps < 1) return;
  if (s.is_driven)
    Actuation{s}.run(steps, tau, f_ext);
  else
    run_undriven(steps, tau, f_ext);
}

template <class T>
void Steps<T>::run_undriven(Index steps, std::span<const T> tau, std::span<const T> f_ext) {
  Parameters{s}.begin();
  Drive{s}.begin();
  if (s.in_lanes && s.batch > 1) return Lanes{s}.run(steps, tau, f_ext);
  for (Index k = 0; k < steps; ++k) step_together(tau, f_ext);
}

template <class T>
void Steps<T>::step_together(std::span<const T> tau, std::span<const T> f_ext) {
  Loops{s}.begin();
  Watch{s}.begin();
  const std::span<const T> driven = Drive{s}.forces(tau);
  Loops{s}.begin_energy();
  advance(driven, f_ext);
  Contacts{s}.end();
  ++s.steps;
  for (SimulationAccount& account : s.accounts) ++account.steps;
  if (s.model.n_loops() > 0) Loops{s}.close();
  Loops{s}.end_energy();
  Watch{s}.end();
}

template struct Steps<double>;
template struct Steps<float>;

}  // namespace tandem::simulation_detail
