// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/controller.hpp"
#include "tandem/detail/problems/energy.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/simulation/drives.hpp"
#include "tandem/detail/simulation/step.hpp"

namespace tandem::inline TANDEM_ISA {

/// Time steps: the state after one or more steps of length dt with constant joint torques tau.
///
///     (M + h D + h^2 K) a = tau - bias - D v - K (q - q_rest) - h K v,    v += h a,    q = q (+) h v
///
/// by semi_implicit_euler with h = dt, where the linear velocity of free and planar joints is stepped along axes that
/// do not turn, see simulation/free_flight.hpp, and in the same way by the option `integrator`: rk4, implicit_midpoint
/// (see there). D has joint damping and kd, K has stiffness and kp. Dry friction pushes with its bound against a row
/// that slips, or holds one that sticks, see simulation/dry_friction.hpp.
///
/// Method    forward dynamics by the option `method`, in passes if joint limits or effort limits are active, see
///           simulation/step.hpp
/// In        q [nq] rad|m   v [nv] rad/s|m/s   dt [] s
///           tau [nv] N m|N, f_ext [n_links, 6] N, N m: the same in all steps
///           q_target [nq], kp, kd [nv]: a controller kp (q_target - q) - kd v, each row clipped to the joint's effort
///           limit; omitted gains are 0; without q_target there is no controller
///           stops [nv, 3]: state of the joint limits after the previous call; omitted: no limit is active
/// Out       q_next [nq]   v_next [nv]; may be q and v themselves
///           stops_next [nv, 3]: state of the joint limits for the next call; may be `stops`
///           step_energies [4] J: dissipated, of this by joint limits, work of tau and f_ext, work of the controller,
///           in all steps
/// Frames    f_ext at each link's origin along its own axes, linear part first
/// Joints    position limits act on joints with one degree of freedom, see joint_stops.hpp; velocity limits do not act
/// Gives     iterations of implicit_midpoint in all steps, and for every lane whether all of them converged
/// Work      nq + 27 nv rows, with stages 3 nq + 33 nv, of implicit_midpoint 4 nq + 37 nv, and those of forward
///           dynamics
/// Cost      forward dynamics once per step, for rk4 four times, for implicit_midpoint five to sixteen times; once more
///           when a joint reaches its limit
/// Errors    closed loops and contacts are not supported: see Simulation and rollout. A step that is too long may
///           diverge; if implicit_midpoint does not converge, the state before that step is kept, and no further step
///           of the call is done
struct Step : StepOptions {
  static constexpr const char* name = "step";
  static constexpr const char* summary = "state after one or more time steps";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::tau,
      {"dt", Rows::scalar, Role::input, "s", "length of a step"},
      argument::f_ext,
      controller_inputs[0],
      controller_inputs[1],
      controller_inputs[2],
      {"stops", Rows::stop, Role::optional_input, "N m s/rad|N s/m, N m|N", "joint-limit states before"},
      {"q_next", Rows::q, Role::output, "rad|m", "next configuration", "", Limit::none, "q"},
      {"v_next", Rows::v, Role::output, "rad/s|m/s", "next velocity", "", Limit::none, "v"},
      {"stops_next", Rows::stop, Role::optional_output, "N m s/rad|N s/m, N m|N", "joint-limit states afterwards", "",
       Limit::none, "stops"},
      {"step_energies", Rows::step_energy, Role::optional_output, "J", "energy balance of the steps"},
  };
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  static constexpr bool inverts_mass_matrix = true;
  static constexpr bool iterates = true;  ///< gives what became of its iterations
  static constexpr bool branches = true;  ///< goes different ways in different states, unless branches_of is null
  static constexpr auto& methods = ForwardDynamics::methods;
  Method method = Method::automatic;
  int steps = 1;

  template <class M>
  const char* branches_of(const ModelView<M>& m, bool has_target) const {
    return why_steps_branch(m, rules(false), has_target);
  }
  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    const Index forward = ForwardDynamics{method}.work_rows(m), others = WorkOf<BiasForces, Energy>::work_rows(m);
    return stepped_rows(m, rules(true)) + (forward < others ? others : forward);
  }

  template <class S, class M, class Q, class Qd, class Tau, class Dt, class Fx, class Qt, class Kp, class Kd, class St,
            class Qn, class Vn, class Sn, class E, class Work>
  TANDEM_PASS StepOutcome<S> body(const ModelView<M>& m, Q q, Qd v, Tau tau, Dt dt, Fx f_ext, Qt q_target, Kp kp, Kd kd,
                                  St stops, Qn q_next, Vn v_next, Sn stops_next, E step_energies, Work w) const {
    const StepRules told = rules(static_cast<bool>(step_energies));
    const Work rest = w + stepped_rows(m, told);
    const ForwardDynamics dynamics{method};
    SteppedRobot<S, M, Work> robot(m, told, w, S(dt[0]));
    begin(robot, q, v);
    if (stops) robot.stops.recall(stops);
    auto robots = robot_alone<Q>(robot, dynamics, rest);
    const ColumnDrive<Q, Work> drive{tau, f_ext, {q_target, kp, kd}, rest};
    StepOutcome<S> outcome;
    for (int k = 0; k < steps; ++k) step(robots, drive, told, outcome);
    end(robot, q_next, v_next);
    if (stops_next) robot.stops.keep(stops_next);
    if (step_energies) store(step_energies, 0, robot.energies);
    return outcome;
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[Step]
after = "CloseLoops"
compiled_with = "CloseLoops"
cuda_apart = true
cuda_passes_apart = true

[Step.cpp]
order = "q v tau dt q_next v_next work"
more = {struct = "StepArguments", name = "more"}
more_doc = '''
Further inputs and outputs of step; empty ones are not used.
'''

[Step.cpp.members]
stops_next = "[nv, 3] impedance, force, side (1 upper, -1 lower, 0 inactive) of joint limits"
step_energies = "[4] J: dissipated, by joint limits, work of tau and f_ext, of the controller"

[Step.python]
summary = "State after one or more time steps of ``dt``."
text = '''
    (M + h D + h^2 K) a = tau - bias - D v - K (q - q_rest) - h K v,  v += h a,  q = q (+) h v

with h = ``dt``, or similarly by rk4 or implicit_midpoint, which conserves energy. The linear velocity of free and
planar joints is integrated along fixed axes, so that a spinning body moves along a straight line. D has joint
damping, ``kd`` and friction, K has stiffness and ``kp``: a controller kp (q_target - q) - kd v, clipped to effort
limits. Joint limits act; contacts do not: :class:`Simulation`, :func:`rollout` and, in Python, :func:`contact_step`
have them. The forces are constant in all ``steps``. :class:`Simulation` uses the same step, stores the joint-limit
states, closes loops and detects divergence. A gain without a target is an error, as are closed loops. ``stops`` has the
impedance, force and side of every joint limit: 1 at the upper limit, -1 at the lower, 0 inactive.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v = tandem.step(arm, np.full(7, 0.1), np.zeros(7), np.zeros(7), 1e-3, steps=100)
>>> q.shape, bool(abs(v).max() > 0)
((7,), True)
'''

[Step.python.notes]
stops = "; ``stops_next`` of the previous call"
step_energies = ": dissipated, of this by joint limits, work of ``tau`` and ``f_ext``, work of the controller"

[Step.python.flags]
stops_next = ["next_stops", "whether to return the joint-limit states"]
step_energies = ["energies", "whether to return the energy balance"]
*/
