// SPDX-License-Identifier: Apache-2.0
/// What the gradient of a step needs to know of the step, kept while it is done.
#pragma once
#include "tandem/detail/simulation/accelerations.hpp"

namespace tandem::inline TANDEM_ISA {

/// Where forces were taken and what they were, at each of the stages of a step, and in the impact before it; of an
/// iteration what it ended with.
template <class S, class Work>
struct StepTape {
  /// Columns of nv rows of a stage, behind its configuration.
  enum Column {
    velocity,
    displacement,
    tau,
    diagonal,
    acceleration,
    is_clipped,
    cut,
    error,
    slips,
    stretched,
    columns
  };
  /// Of the impact, before the columns of the stops.
  enum ImpactColumn { impact_velocity, impact_tau, impact_diagonal, impact_acceleration, impact_columns };

  Work memory;
  Index nq, nv;
  int n_stages, stage = -1;

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m, const StepRules& rules) {
    const Index of_stops = Index{impact_columns} + Index{JointStopColumns<M, M, M*>::columns};
    return stages(rules) * (Index{m.nq} + columns * Index{m.nv}) + m.nq + m.nv +
           (rules.limits ? of_stops * Index{m.nv} : 0);
  }
  TANDEM_HD static int stages(const StepRules& rules) { return rules.integrator == Integrator::rk4 ? 4 : 1; }

  template <class M>
  TANDEM_HD StepTape(const ModelView<M>& m, const StepRules& rules, Work w)
      : memory(w), nq(m.nq), nv(m.nv), n_stages(stages(rules)) {}
  TANDEM_HD Work q(int k) const { return memory + k * (nq + columns * nv); }
  TANDEM_HD Work column(int k, Column c) const { return q(k) + nq + c * nv; }
  /// The state that the step begins in, which iterations keep.
  TANDEM_HD Work q_before() const { return q(n_stages); }
  TANDEM_HD Work v_before() const { return q(n_stages) + nq; }
  TANDEM_HD Work column(ImpactColumn c) const { return v_before() + nv + c * nv; }
  /// What stops did in the impact.
  template <class M>
  TANDEM_HD JointStopColumns<S, M, Work> stops(const ModelView<M>& m) const {
    return {m, v_before() + nv + Index{impact_columns} * nv, true};
  }

  /// Accelerations have been found, for the last time or not.
  template <class Robot>
  TANDEM_PASS void keep(const Robot& robot, bool at_stage) const {
    const int k = stage < n_stages ? stage : n_stages - 1;
    copy(at_stage ? robot.q_stage : robot.q, q(k), nq);
    copy(robot.column(at_stage ? robot.v_stage : robot.velocity), column(k, velocity), nv);
    if (at_stage) copy(robot.column(robot.displacement), column(k, displacement), nv);
    copy(robot.column(robot.tau), column(k, tau), nv);
    copy(robot.column(robot.diagonal), column(k, diagonal), nv);
    copy(robot.column(robot.acceleration), column(k, acceleration), nv);
    copy(robot.column(robot.is_clipped), column(k, is_clipped), nv);
    copy(robot.column(robot.cut), column(k, cut), nv);
    copy(robot.column(robot.error), column(k, error), nv);
    copy(robot.friction.column(robot.friction.slips), column(k, slips), nv);
    copy(robot.q, q_before(), nq);
    copy(robot.column(robot.velocity), v_before(), nv);
    if (robot.has_springs) copy(robot.column(robot.stretched), column(k, stretched), nv);
  }
  /// What stops do in the impact has been found, for the last time or not.
  template <class Robot>
  TANDEM_PASS void keep_impact(const Robot& robot) const {
    copy(robot.column(robot.velocity), column(impact_velocity), nv);
    copy(robot.column(robot.tau), column(impact_tau), nv);
    copy(robot.column(robot.diagonal), column(impact_diagonal), nv);
    copy(robot.column(robot.acceleration), column(impact_acceleration), nv);
    copy(robot.stops.rows, stops(robot.m).rows, robot.stops.columns * nv);
  }
  TANDEM_HD static void copy(Work from, Work to, Index rows) {
    for (Index k = 0; k < rows; ++k) to[k] = S(from[k]);
  }
};

/// A drive that is asked once a stage.
template <class Drive, class Tape>
struct TapedDrive {
  Drive& drive;
  Tape& tape;

  template <class Robot, class Work, class S>
  TANDEM_HD void operator()(Robot& robot, Work q, Work v, const S& time) {
    ++tape.stage;
    drive(robot, q, v, time);
  }
  TANDEM_HD bool has_wrenches() const { return drive.has_wrenches(); }
  TANDEM_HD bool has_target() const { return drive.has_target(); }
  TANDEM_HD auto target() const { return drive.target(); }
  TANDEM_HD auto kp() const { return drive.kp(); }
  TANDEM_HD auto kd() const { return drive.kd(); }
};

/// Robots whose accelerations are kept.
template <class Robots, class Tape>
struct TapedRobots {
  Robots& robots;
  Tape& tape;
  static constexpr bool only_explicit = OnlyExplicit<Robots>;

  template <class F>
  TANDEM_HD void for_each(F&& f) {
    robots.for_each(f);
  }
  TANDEM_HD void accelerate(bool at_stage, bool implicit) {
    robots.accelerate(at_stage, implicit);
    for_each([&](auto& robot) TANDEM_INLINE { tape.keep(robot, at_stage); });
  }
  TANDEM_HD void respond() {
    robots.respond();
    for_each([&](auto& robot) TANDEM_INLINE { tape.keep_impact(robot); });
  }
  template <class Robot>
  TANDEM_HD auto inertia(Robot& robot, int row) {
    return robots.inertia(robot, row);
  }
  template <class Robot, class Work, class S>
  TANDEM_HD void energy(Robot& robot, Work q, Work v, S& kinetic, S& potential) {
    robots.energy(robot, q, v, kinetic, potential);
  }
};

}  // namespace tandem::inline TANDEM_ISA
