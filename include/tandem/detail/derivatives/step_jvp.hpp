// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/derived_arguments.hpp"
#include "tandem/detail/derivatives/moving_configuration.hpp"
#include "tandem/detail/problems/step.hpp"
#include "tandem/detail/simulation/step_rules.hpp"

namespace tandem::inline TANDEM_ISA {

/// How the state after a step changes along increments of all that the step depends on, without forming a matrix.
///
///     dq_next = d/ds q_next(q (+) s dq, v + s dv, tau + s dtau, ...)   and similarly dv_next
///
/// Method    `step` on dual numbers, see docs/algorithms/rollout_gradient.md; forward dynamics by articulated bodies
/// In, Out   jvp_arguments: those of step and their tangents, zeros if omitted; of the joint limits in `stops` that
///           act, tangents of their impedances
/// Frames    as step; dq, that of the target, and dq_next are increments of integrate
/// Joints    damping, friction and springs count. Which rows are at an effort limit, whether friction slips and which
///           stops act is taken as it was found: where that changes the derivative jumps
/// Gives     iterations and convergence as step. Derivatives that do not converge are NaN
/// Work      twice that of step, and 2 nq + 14 nv + 12 n_links rows     Cost O(n_links): three steps
/// Errors    does not serve closed loops
struct StepJvp : StepOptions {
  static constexpr const char* name = "step_jvp";
  static constexpr const char* summary = "JVP of a step";
  static constexpr auto& arguments = jvp_arguments<Step>;
  static constexpr bool inverts_mass_matrix = true;
  static constexpr bool iterates = true;  ///< gives what became of its iterations
  static constexpr bool branches = true;  ///< goes different ways in different states, unless branches_of is null
  static constexpr Method methods[] = {Method::automatic, Method::articulated_body};

  template <class M>
  const char* branches_of(const ModelView<M>& m, bool has_target) const {
    return why_steps_branch(m, rules(), has_target);
  }
  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    return work_rows_with<ArticulatedBody>(m);
  }
  template <class Dynamics, class M>
  TANDEM_HD Index work_rows_with(const ModelView<M>& m) const {
    const Index given = m.nq + Index{6} * m.nv + Index{6} * m.n_links;
    return 2 * (given + stepped_rows(m, rules()) + WorkOf<Dynamics, BiasForces, Energy>::work_rows(m));
  }

  template <class S, class M, class... Columns>
  TANDEM_HD StepOutcome<S> body(const ModelView<M>& m, Columns... columns) const {
    return run<S>(ArticulatedBody{}, m, columns...);
  }

  /// With accelerations by `dynamics`, which has a body like ArticulatedBody.
  template <class S, class Dynamics, class M, class Q, class Qd, class Tau, class Dt, class Dq, class Dv, class Dtau,
            class Fx, class Qt, class Kp, class Kd, class St, class Dfx, class Dqt, class Dkp, class Dkd, class Dz,
            class Qn, class Vn, class Dqn, class Dvn, class Sn, class Dzn, class Work>
  TANDEM_PASS StepOutcome<S> run(const Dynamics& dynamics, const ModelView<M>& m, Q q, Qd v, Tau tau, Dt dt, Dq dq,
                                 Dv dv, Dtau dtau, Fx f_ext, Qt target, Kp kp, Kd kd, St stops, Dfx df_ext,
                                 Dqt dtarget, Dkp dkp, Dkd dkd, Dz dimpedance, Qn q_next, Vn v_next, Dqn dq_next,
                                 Dvn dv_next, Sn stops_next, Dzn dimpedance_next, Work w) const {
    auto rest = dual_column<S>(w);
    using Column = decltype(rest);
    const StepRules told = rules();
    const Index nv = m.nv, forces = Index{6} * m.n_links;
    ColumnDrive<Column, Column> drive{};
    const auto given = [&](auto values, auto rates, Index rows) TANDEM_INLINE {
      if (!values && !rates) return Column{};
      const Column column = take(rest, rows);
      join<S>(values, rates, rows, column);
      return column;
    };
    drive.tau = given(tau, dtau, nv);
    drive.f_ext = given(f_ext, df_ext, forces);
    if (target) {
      const Column moving = take(rest, m.nq);
      if (dtarget)
        moving_configuration<S>(m, target, dtarget, moving);
      else
        join<S>(target, Dqt{}, m.nq, moving);
      drive.controller = {moving, given(kp, dkp, nv), given(kd, dkd, nv)};
    }
    SteppedRobot<Dual<S>, M, Column> robot(m, told, take(rest, stepped_rows(m, told)), Dual<S>(S(dt[0])));
    const Column what_stops_do = take(rest, 3 * nv);
    drive.work = rest;

    moving_configuration<S>(m, q, dq, robot.q);
    join<S>(v, dv, nv, robot.column(robot.velocity));
    if (stops) {
      join<S>(stops, Dz{}, 3 * nv, what_stops_do);
      if (dimpedance) move_impedances<S>(stops, dimpedance, nv, what_stops_do);
      robot.stops.recall(what_stops_do);
    }
    auto robots = robot_alone<Column>(robot, dynamics, rest);
    StepOutcome<Dual<S>> outcome;
    step(robots, drive, told, outcome);

    take_values<S>(robot.q, m.nq, q_next);
    take_velocity<S>(m, robot.q, dq_next);
    take_values<S>(robot.column(robot.velocity), nv, v_next);
    take_rates<S>(robot.column(robot.velocity), nv, dv_next);
    robot.stops.keep(what_stops_do);
    take_values<S>(what_stops_do, 3 * nv, stops_next);
    if (dimpedance_next)
      for (Index k = 0; k < nv; ++k) dimpedance_next[k] = Dual<S>(what_stops_do[3 * k]).rate;
    return {outcome.iterations.value, outcome.converged.value};
  }

 private:
  /// Impedances of stops that act.
  template <class S, class Stops, class Rates, class Duals>
  TANDEM_HD static void move_impedances(Stops stops, Rates dimpedance, Index nv, Duals duals) {
    for (Index k = 0; k < nv; ++k)
      duals[3 * k] = Dual<S>(S(stops[3 * k]), select(S(stops[3 * k + 2]) == S(0), S(0), S(dimpedance[k])));
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[StepJvp]
after = "Step"
cuda_apart = true
cuda_passes_apart = true

[StepJvp.cpp]
order = "q v tau dt dq dv dtau q_next v_next dq_next dv_next work"
more = {struct = "StepIncrements", name = "more"}
more_doc = '''
Further inputs and outputs of step_jvp; empty ones are not used. See StepArguments for the inputs; empty tangents
are zeros.
'''

[StepJvp.python]
summary = "JVP of a :func:`step` by all its inputs, without matrices."
text = '''
    dq_next = d/ds q_next(q (+) s dq, v + s dv, tau + s dtau, ...), and similarly dv_next

in time and memory O(n), for every integrator, with dq and dq_next in the tangent space of :func:`integrate`. They
are the derivatives of the computed step up to rounding. Active effort limits, slipping friction and active joint
limits are those of the step: the derivative jumps where they change. ``dimpedance`` is the tangent of the
impedances in ``stops``, ``dimpedance_next`` of those in ``stops_next``. The adjoint is :func:`step_vjp`.
Errors are those of :func:`step`.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, tau = np.full(7, 0.1), np.zeros(7), np.ones(7)
>>> dtau = np.ones(7)
>>> q_next, v_next, dq_next, dv_next = tandem.step_jvp(arm, q, v, tau, 1e-3, np.zeros(7), np.zeros(7), dtau)
>>> after, before = (tandem.step(arm, q, v, tau + e * dtau, 1e-3)[1] for e in (1e-3, -1e-3))
>>> np.allclose(dv_next, (after - before) / 2e-3)
True
'''

[StepJvp.python.flags]
stops_next = ["next_stops", "whether to return the joint-limit states and dimpedance_next"]
dimpedance_next = ["next_stops", "whether to return the joint-limit states and dimpedance_next"]
*/
