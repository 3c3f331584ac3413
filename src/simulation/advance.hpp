// SPDX-License-Identifier: Apache-2.0
/// A step of instances whose accelerations are found in one call: of a robot alone, of robots with loops, and by
/// methods that divide robots or iterate.
#pragma once
#include "backends/cpu/instruction_set.hpp"
#include "backends/cpu/step_robots.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"

namespace tandem {

/// The arguments of forward dynamics, of the instances of a.part().
template <class T>
struct Simulation<T>::Columns {
  RobotRows<const T> q, v, tau, diagonal;
  RobotRows<T> a;
};

/// Rows of instances as an argument of a call for a part of them.
template <class T>
Array<T> Simulation<T>::input(const RobotRows<const T>& rows, const BatchPart& part) {
  return rows ? Array<T>::input(rows.of(part.first), rows.stride()) : Array<T>();
}
template <class T>
Array<T> Simulation<T>::output(const RobotRows<T>& rows, const BatchPart& part) {
  return Array<T>::output(rows.of(part.first), rows.stride());
}

/// What the text of a step asks for.
template <class T>
class Simulation<T>::Host final : public RobotsToStep<T> {
 public:
  Host(Simulation& simulation, std::span<const T> f_ext) : simulation_(simulation), f_ext_(f_ext) {}

  void accelerate(RobotRows<const T> at_q, RobotRows<const T> at_v, RobotRows<const T> forces,
                  RobotRows<const T> diagonal, RobotRows<T> a, double time) override {
    simulation_.stage_ = time;
    simulation_.solve({at_q, at_v, forces, diagonal, a}, stage_++);
  }
  void respond(RobotRows<const T> at_q, RobotRows<const T> forces, RobotRows<const T> diagonal,
               RobotRows<T> a) override {
    const auto still = RobotRows<const T>::same(simulation_.still_.data(), a.part());
    simulation_.evaluate_forward(simulation_.impulses_, {at_q, still, forces, diagonal, a}, false);
  }
  void compensate(RobotRows<const T> at_q, RobotRows<T> forces) override { simulation_.compensate(at_q, forces); }
  void push(Index robot, const T* at_q, T* pushed) override {
    static const Algorithm& algorithm = find_algorithm(InverseDynamics::name);
    const Index wrenches = Index{6} * simulation_.model_.n_links();
    const Index stride = static_cast<Index>(f_ext_.size()) > wrenches ? wrenches : 0;
    const T* const still = simulation_.still_.data();
    const Array<T> arguments[] = {Array<T>::input(at_q, 0), Array<T>::input(still, 0), Array<T>::input(still, 0),
                                  Array<T>::input(f_ext_.data() + robot * stride, 0), Array<T>::output(pushed, 0)};
    evaluate<T>(algorithm, simulation_.weightless_, arguments, Index{1}, simulation_.work_);
    for (std::size_t k = 0; k < simulation_.nv_; ++k) pushed[k] = -pushed[k];
  }
  void energy(Index robot, const T* at_q, const T* at_v, T& kinetic, T& potential) override {
    const BatchPart one = {robot, 1};
    simulation_.measure({at_q, 0, one}, {at_v, 0, one}, {&kinetic, 0, one}, {&potential, 0, one});
  }

 private:
  Simulation& simulation_;
  std::span<const T> f_ext_;
  int stage_ = 0;  ///< of rk4
};

/// The state after a step of dt, what stops do then, and in energies_ what was taken and given.
template <class T>
void Simulation<T>::advance(std::span<const T> tau, std::span<const T> f_ext) {
  const StepKernel<T>& kernel = []() -> const StepKernel<T>& {
    if constexpr (std::is_same_v<T, double>)
      return cpu::in_use().steps.in_double;
    else
      return cpu::in_use().steps.in_float;
  }();
  StepRules rules = rules_of(options_);
  rules.accounts = true;
  models_.clear();
  for (Index b = 0; b < batch_; ++b) models_.push_back(view_of(b));
  scratch_.resize(static_cast<std::size_t>(kernel.scratch(models_[0], rules, batch_)));
  const auto nq = static_cast<Index>(nq_), nv = static_cast<Index>(nv_);
  Host host(*this, f_ext);
  host.batch = batch_;
  host.rules = rules;
  host.h = static_cast<T>(options_.dt);
  host.models = models_.data();
  const BatchPart whole = {0, batch_};
  host.q = {q_.data(), nq, whole};
  host.v = {v_.data(), nv, whole};
  if (!tau.empty()) host.tau = {tau.data(), static_cast<Index>(tau.size()) > nv ? nv : 0, whole};
  if (!q_target_.empty()) {
    host.q_target = {q_target_.data(), nq, whole};
    host.kp = {kp_.data(), nv, whole};
    host.kd = {kd_.data(), nv, whole};
  }
  if (!contacts_) host.stops = {stops_.data(), 3 * nv, whole};  // of which contacts have the rows
  host.energies = {energies_.data(), 4, whole};
  host.has_wrenches = !f_ext.empty();
  host.compensates = compensates_in_stages();
  host.converged = step_status_.data();
  host.scratch = scratch_.data();
  kernel.run(host);
  stage_ = 0;
  add_contact_energies();
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    const T* const e = energies_.data() + 4 * i;
    accounts_[i].add(e[0], e[1], double{e[2]} + double{e[3]});
    driven_[i] = double{e[2]};
    stopped_by_[i] = double{e[1]};
  }
}

}  // namespace tandem
