// SPDX-License-Identifier: Apache-2.0
/// One step of a simulation, as one text: for a robot, for as many as numbers have lanes, for a GPU's thread; with
/// whatever drives the joints, and whatever finds their accelerations.
///
///     StepRules rules;                                            // the integrator, stops, losses: stepped_robot.hpp
///     SteppedRobot<S, M, Work> robot(m, rules, w, h);             // columns in work_rows of scratch memory
///     begin(robot, q, v);                                         // the state is brought there
///     auto robots = robot_alone<Column>(robot, dynamics, rest);  // rest: dynamics' own scratch memory
///     StepOutcome<S> outcome;
///     for (Index k = 0; k < steps; ++k) step(robots, drive, rules, outcome);        // and stays there
///     end(robot, q, v);                                           // robot.energies has the energies of all steps
///
/// A *drive* tells which forces act on the joints, besides those of the model:
///
///     drive(robot, q, v, time)   writes them to robot.column(robot.given) for the state (q, v) of a stage, `time` s
///                                after the beginning of the step; semi_implicit_euler calls it once per step
///     drive.has_wrenches()       whether it has written joint forces of wrenches on the links to
///                                robot.column(robot.pushed): work is done by these, too, but they are no efforts of
///                                joints
///     drive.has_target()         whether a PD controller acts besides: tau = kp (target - q) - kd v, the difference
///                                taken on the configuration manifold, implicit where the integrator is, each row
///                                clipped to tau_limit
///     drive.target() drive.kp() drive.kd()   its columns, of nq, nv and nv rows; of use only with a target
///
/// drives.hpp has those that there are. What it needs besides (which step it is, scratch memory) a drive brings along:
/// the loop over the steps is its caller's.
///
/// *Dynamics* is what has a body like ForwardDynamics, called as body<S>(m, q, v, tau, f_ext, diagonal, a, work), and
/// its work_rows. The columns that it gets are of the kind `Column` where scratch memory can be seen so: a kernel with
/// the bodies of both has their passes once.
///
/// *Robots* are those that are stepped together. A kernel has one, of as many lanes as its numbers; a simulation whose
/// accelerations are found for all robots in one call has many, see src/backends/cpu/kernels/step_robots.cpp. There are
///
///     robots.for_each(f)                     f(robot) for each
///     robots.accelerate(at_stage, implicit)  the column `acceleration` from the columns tau and diagonal (zeros unless
///                                            implicit), at the state or the stage
///     robots.respond()                       the same without weight and speed: what a push does
///     robots.inertia(robot, row)             that a joint feels while the others are free
///     robots.energy(robot, q, v, K, P)       kinetic and potential, see Energy
///
/// Lanes: what a lane does depends on no other. A pass that one lane needs is done by all; to the others it does what
/// it did before, with the same bits. NaN stays in its lane.
#pragma once
#include "tandem/detail/simulation/implicit_midpoint.hpp"
#include "tandem/detail/simulation/robot_alone.hpp"

namespace tandem::inline TANDEM_ISA {

template <class Robot, class Q, class V>
TANDEM_HD void begin(Robot& robot, Q q, V v) {
  using S = typename Robot::Number;
  const auto v_of = robot.column(robot.velocity);
  for (int k = 0; k < robot.m.nq; ++k) robot.q[k] = S(q[k]);
  for (int k = 0; k < robot.m.nv; ++k) v_of[k] = S(v[k]);
}
template <class Robot, class Q, class V>
TANDEM_HD void end(const Robot& robot, Q q, V v) {
  using S = typename Robot::Number;
  const auto v_of = robot.column(robot.velocity);
  for (int k = 0; k < robot.m.nq; ++k) q[k] = S(robot.q[k]);
  for (int k = 0; k < robot.m.nv; ++k) v[k] = S(v_of[k]);
}

/// Order 1: v += h a, q = q (+) h v; free and planar joints as FreeFlight has it.
template <class S, class Robots, class Drive>
TANDEM_PASS void step_semi_implicit(Robots& robots, Drive& drive) {
  accelerate<S>(robots, drive, StepAt::start, 1, true, true);
  robots.for_each([&](auto& robot) TANDEM_INLINE {
    const auto v = robot.column(robot.velocity), a = robot.column(robot.acceleration), u = robot.column(robot.tau);
    const S h = robot.h;
    if (robot.rules.accounts) robot.account(drive, v, h, h / S(2), h, false);
    for (int k = 0; k < robot.m.nv; ++k) {
      v[k] = S(v[k]) + h * S(a[k]);
      u[k] = h * S(v[k]);
    }
    robot.move(robot.q, u, robot.q);
    robot.turn(u, v);
  });
}

/// Order 4: the classical stages for v and for the displacement u with q(t) = q (+) u(t); its rate is integrate_rate(u,
/// v). Linear velocities of free and planar joints and their rates are along the axes at the start of the step, see
/// FreeFlight.
template <class S, class Robots, class Drive>
TANDEM_PASS void step_rk4(Robots& robots, Drive& drive) {
  accelerate<S>(robots, drive, StepAt::start, 0, false, true);
  robots.for_each([&](auto& robot) TANDEM_INLINE {
    if (robot.rules.accounts) robot.account(drive, robot.column(robot.velocity), S(0), S(0), robot.h / S(6), false);
    fill(robot.column(robot.displacement_sum), robot.m.nv, S(0));
    fill(robot.column(robot.acceleration_sum), robot.m.nv, S(0));
    robot.add_stage(robot.column(robot.velocity), robot.h / S(6));
  });
  for (int stage = 1; stage <= 3; ++stage) {
    robots.for_each([&](auto& robot) TANDEM_INLINE {
      const S reach = stage < 3 ? robot.h / S(2) : robot.h;
      robot.go_to_stage(reach);
      ask(drive, robot, robot.q_stage, robot.column(robot.v_stage), reach);
    });
    accelerate<S>(robots, drive, StepAt::stage, 0, false, false);
    robots.for_each([&](auto& robot) TANDEM_INLINE {
      const auto v_stage = robot.column(robot.v_stage), rate = robot.column(robot.rate);
      const S weight = stage < 3 ? robot.h / S(3) : robot.h / S(6);
      const auto u = robot.column(robot.displacement);
      if (robot.rules.accounts) robot.account(drive, v_stage, S(0), S(0), weight, false);
      FreeFlight::rate<S>(robot.m, u, v_stage, rate);
      robot.turn_back(u, robot.column(robot.acceleration));
      robot.add_stage(rate, weight);
    });
  }
  robots.for_each([&](auto& robot) TANDEM_INLINE {
    const auto v = robot.column(robot.velocity), sum = robot.column(robot.acceleration_sum),
               u = robot.column(robot.displacement_sum);
    for (int k = 0; k < robot.m.nv; ++k) v[k] = S(v[k]) + S(sum[k]);
    robot.move(robot.q, u, robot.q);
    robot.turn(u, v);
  });
}

/// One step of robots that have begun.
template <class S, class Robots, class Drive>
TANDEM_HD void step(Robots& robots, Drive& drive, const StepRules& rules, StepOutcome<S>& outcome) {
  const bool iterates = rules.integrator == Integrator::implicit_midpoint;
  if (iterates) robots.for_each([&](auto& robot) TANDEM_INLINE { robot.keep(); });
  robots.for_each([&](auto& robot) TANDEM_INLINE { ask(drive, robot, robot.q, robot.column(robot.velocity), S(0)); });
  impact<S>(robots);
  robots.for_each([&](auto& robot) TANDEM_INLINE { robot.friction.begin(robot.column(robot.velocity)); });
  switch (rules.integrator) {
    case Integrator::rk4: step_rk4<S>(robots, drive); break;
    case Integrator::implicit_midpoint:
      if constexpr (CanBranch<S> && !OnlyExplicit<Robots>) step_implicit_midpoint<S>(robots, drive, rules, outcome);
      break;
    default: step_semi_implicit<S>(robots, drive);
  }
  lead_back<S>(robots);
  if (iterates) robots.for_each([&](auto& robot) TANDEM_INLINE { robot.put_back(); });
}

}  // namespace tandem::inline TANDEM_ISA
