// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/derived_arguments.hpp"
#include "tandem/detail/derivatives/forward_dynamics_vjp.hpp"
#include "tandem/detail/problems/step.hpp"
#include "tandem/detail/simulation/step_gradient.hpp"
#include "tandem/detail/simulation/step_rules.hpp"

namespace tandem::inline TANDEM_ISA {

/// Dynamics that a step and the way back from it ask for, robot after robot.
struct StepDynamics : ArticulatedBody {
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return WorkOf<ForwardDynamicsVjp, InverseDynamicsVjp>::work_rows(m);
  }
  template <class S, class Work, class M, class... Columns>
  TANDEM_HD static void forward_back(Work w, const ModelView<M>& m, Columns... columns) {
    ForwardDynamicsVjp::body<S>(m, columns..., w);
  }
  template <class S, class Work, class M, class... Columns>
  TANDEM_HD static void inverse_back(Work w, const ModelView<M>& m, Columns... columns) {
    InverseDynamicsVjp::body<S>(m, columns..., w);
  }
};

/// The dynamics in a step, backwards, as StepGradient asks for them. Columns In are read, Out written.
template <class S, class Dynamics, class In, class Out, class M, class Work>
class StepAdjoint {
 public:
  static constexpr bool only_explicit = OnlyExplicit<Dynamics>;

  template <class N>
  TANDEM_HD static Index work_rows(const ModelView<N>& m) {
    return 4 * Index{m.nv} + 6 * Index{m.n_links} + WorkOf<Dynamics, BiasForces, Energy>::work_rows(m);
  }
  /// Under the wrenches f_ext, with the derivatives by them added to f_ext_bar; either may be null.
  TANDEM_HD StepAdjoint(const Dynamics& dynamics, const ModelView<M>& m, In f_ext, Out f_ext_bar, Work w)
      : work(w + 4 * Index{m.nv} + 6 * Index{m.n_links}),
        dynamics_(dynamics),
        m_(m),
        weightless_(m.without_gravity()),
        f_ext_(f_ext),
        f_ext_bar_(f_ext_bar),
        zeros_(w),
        minus_(zeros_ + m.nv),
        by_q_(minus_ + m.nv),
        ignored_(by_q_ + m.nv),
        by_forces_(ignored_ + m.nv) {
    fill(zeros_, m.nv, S(0));
    if (f_ext_bar_) fill(f_ext_bar_, Index{6} * m.n_links, S(0));
  }

  TANDEM_HD void operator()(Work q, Work v, Work tau, Work diagonal, Work by_a, Work by_q, Work by_v, Work by_tau,
                            bool) {
    forward(m_, q, v, tau, diagonal, by_a, ignored_, by_q, by_v, by_tau);
  }
  TANDEM_HD void respond(Work q, Work tau, Work diagonal, Work by_a, Work a, Work by_q, Work by_tau, bool) {
    forward(weightless_, q, zeros_, tau, diagonal, by_a, a, by_q, ignored_, by_tau);
  }
  /// Of v.M v / 2 by q and v; of the weight's energy by q.
  TANDEM_HD void energy(Work q, Work v, Work by_q, Work by_v, Work of_q) {
    inverse(q, v, v, In{}, by_q, out(by_v), Out{});
    for (int k = 0; k < m_.nv; ++k) by_q[k] = S(0.5) * S(by_q[k]);
    BiasForces::body<S>(m_, in(q), in(zeros_), In{}, out(of_q), work);
  }
  /// By parameters of links nobody asks.
  TANDEM_HD void energy_by_links(Work, Work, const S&) {}
  /// Wrenches push with J^T f_ext, along axes of links that move with q.
  TANDEM_HD void given(Work q, Work, Work, Work by_push, Work of_q, Work, bool sums) {
    const bool by_forces = sums && f_ext_bar_;
    if (!f_ext_ && !by_forces) return;
    for (int k = 0; k < m_.nv; ++k) minus_[k] = -S(by_push[k]);
    inverse(q, zeros_, minus_, f_ext_, by_q_, Out{}, by_forces ? out(by_forces_) : Out{});
    for (int k = 0; k < m_.nv; ++k) of_q[k] = S(of_q[k]) + S(by_q_[k]);
    if (!by_forces) return;
    for (Index k = 0; k < Index{6} * m_.n_links; ++k) f_ext_bar_[k] = S(f_ext_bar_[k]) + S(by_forces_[k]);
  }

  Work work;  ///< of others, while none of these is asked

 private:
  TANDEM_HD static auto in(Work w) { return as_column<In>(w); }
  TANDEM_HD static Out out(Work w) { return as_column<Out>(w); }

  TANDEM_HD void forward(const ModelView<M>& m, Work q, Work v, Work tau, Work diagonal, Work by_a, Work a, Work by_q,
                         Work by_v, Work by_tau) const {
    dynamics_.template forward_back<S>(work, m, in(q), in(v), in(tau), in(by_a), In{}, in(diagonal), out(a),
                                       out(by_q), out(by_v), out(by_tau), Out{}, Out{});
  }
  /// Without weight and speed.
  TANDEM_HD void inverse(Work q, Work a, Work tau_bar, In f_ext, Work by_q, Out by_a, Out by_forces) const {
    dynamics_.template inverse_back<S>(work, weightless_, in(q), in(zeros_), in(a), in(tau_bar), f_ext, Out{},
                                       out(by_q), out(ignored_), by_a, by_forces, Out{});
  }

  const Dynamics& dynamics_;
  const ModelView<M>& m_;
  ModelView<M> weightless_;
  In f_ext_;
  Out f_ext_bar_;
  Work zeros_, minus_, by_q_, ignored_, by_forces_;
};

/// Derivatives of a weighted sum of the state after a step by all that the step depends on, without forming a matrix.
///
///     q_bar = (dq_next/dq)^T q_next_bar + (dv_next/dq)^T v_next_bar   and similarly v_bar, tau_bar, ...
///
/// Method    `step`, then its adjoint, see docs/algorithms/rollout_gradient.md; forward dynamics by articulated bodies
/// In, Out   vjp_arguments: those of step and their cotangents, zeros or not computed if omitted; those of a controller
///           are zeros without a target; of joint limits, cotangents of their impedances
/// Frames    as step; q_bar and q_target_bar by increments of integrate
/// Joints    damping, friction and springs count. Which rows are at an effort limit, whether friction slips and which
///           stops act is taken as it was found: where that changes the derivative jumps
/// Gives     iterations and convergence as step. Derivatives that do not converge are NaN
/// Work      as step; and 25 to 60 rows per degree of freedom, 6 per link, those of forward_dynamics_vjp
/// Cost      O(n_links): that of step, and forward_dynamics_vjp as many times
/// Errors    does not serve closed loops
struct StepVjp : StepOptions {
  static constexpr const char* name = "step_vjp";
  static constexpr const char* summary = "VJP of a step";
  static constexpr auto& arguments = vjp_arguments<Step>;
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  static constexpr bool inverts_mass_matrix = true;
  static constexpr bool iterates = true;  ///< gives what became of its iterations
  static constexpr bool branches = true;  ///< goes different ways in different states: not to be recorded
  static constexpr Method methods[] = {Method::automatic, Method::articulated_body};

  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    return work_rows_with<StepDynamics>(m);
  }
  template <class Dynamics, class M>
  TANDEM_HD Index work_rows_with(const ModelView<M>& m) const {
    return stepped_rows(m, rules()) + StepTape<M, M*>::work_rows(m, rules()) + gradient_rows<Dynamics>(m) +
           StepAdjoint<M, Dynamics, M*, M*, M, M*>::work_rows(m);
  }

  template <class S, class M, class... Columns>
  TANDEM_HD StepOutcome<S> body(const ModelView<M>& m, Columns... columns) const {
    return run<S>(StepDynamics{}, m, columns...);
  }

  /// With dynamics by `dynamics`, which has what StepDynamics has.
  template <class S, class Dynamics, class M, class Q, class Qd, class Tau, class Dt, class Qnb, class Vnb, class Fx,
            class Qt, class Kp, class Kd, class St, class Znb, class Qn, class Vn, class Qb, class Vb, class Tb,
            class Fb, class Qtb, class Kpb, class Kdb, class Sn, class Zb, class Work>
  TANDEM_PASS StepOutcome<S> run(const Dynamics& dynamics, const ModelView<M>& m, Q q, Qd v, Tau tau, Dt dt,
                                 Qnb q_next_bar, Vnb v_next_bar, Fx f_ext, Qt target, Kp kp, Kd kd, St stops,
                                 Znb impedance_next_bar, Qn q_next, Vn v_next, Qb q_bar, Vb v_bar, Tb tau_bar,
                                 Fb f_ext_bar, Qtb target_bar, Kpb kp_bar, Kdb kd_bar, Sn stops_next,
                                 Zb impedance_bar, Work w) const {
    using Robot = SteppedRobot<S, M, Work>;
    using Tape = StepTape<S, Work>;
    using Drive = ColumnDrive<Q, Work>;
    using Back = StepAdjoint<S, Dynamics, Q, Qb, M, Work>;
    using Gradient = StepGradient<S, Robot, Drive, Back, Work>;
    const StepRules told = rules();
    Robot robot(m, told, w, S(dt[0]));
    Tape tape(m, told, w + stepped_rows(m, told));
    const Work of_gradient = tape.memory + Tape::work_rows(m, told);
    Back back(dynamics, m, f_ext, f_ext_bar, of_gradient + gradient_rows<Dynamics>(m));
    Drive given{tau, f_ext, {target, kp, kd}, back.work};

    begin(robot, q, v);
    if (stops) robot.stops.recall(stops);
    auto alone = robot_alone<Q>(robot, dynamics, back.work);
    TapedRobots<decltype(alone), Tape> robots = {alone, tape};
    TapedDrive<Drive, Tape> drive = {given, tape};
    StepOutcome<S> outcome;
    step(robots, drive, told, outcome);
    end(robot, q_next, v_next);
    if (stops_next) robot.stops.keep(stops_next);

    Gradient gradient(robot, given, tape, back, of_gradient);
    gradient.clear(Gradient::by_q, Gradient::by_armature);
    take_in<S>(m, q_next_bar, gradient.column(Gradient::by_q));
    take_in<S>(m, v_next_bar, gradient.column(Gradient::by_v));
    take_in<S>(m, impedance_next_bar, gradient.column(Gradient::by_impedance));
    gradient.step();
    give<S>(m, gradient.column(Gradient::by_q), q_bar);
    give<S>(m, gradient.column(Gradient::by_v), v_bar);
    give<S>(m, gradient.column(Gradient::by_tau), tau_bar);
    give<S>(m, gradient.column(Gradient::by_target), target_bar);
    give<S>(m, gradient.column(Gradient::by_kp), kp_bar);
    give<S>(m, gradient.column(Gradient::by_kd), kd_bar);
    give<S>(m, gradient.column(Gradient::by_impedance), impedance_bar);
    return outcome;
  }

 private:
  template <class Dynamics, class M>
  TANDEM_HD static Index gradient_rows(const ModelView<M>& m) {
    using Robot = SteppedRobot<M, M, M*>;
    using Back = StepAdjoint<M, Dynamics, M*, M*, M, M*>;
    return StepGradient<M, Robot, ColumnDrive<M*, M*>, Back, M*>::work_rows(m);
  }
  template <class S, class M, class From, class Work>
  TANDEM_HD static void take_in(const ModelView<M>& m, From from, Work to) {
    if (!from) return;
    for (int k = 0; k < m.nv; ++k) to[k] = S(from[k]);
  }
  template <class S, class M, class Work, class To>
  TANDEM_HD static void give(const ModelView<M>& m, Work from, To to) {
    if (!to) return;
    for (int k = 0; k < m.nv; ++k) to[k] = S(from[k]);
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[StepVjp]
after = "StepJvp"
compiled_with = "ForwardDynamicsVjp"
cuda_apart = true
cuda_passes_apart = true

[StepVjp.cpp]
order = "q v tau dt q_next_bar v_next_bar q_next v_next q_bar v_bar tau_bar work"
more = {struct = "StepWeights", name = "more"}
more_doc = '''
Further inputs and outputs of step_vjp; empty ones are not used. See StepArguments for the inputs.
'''

[StepVjp.python]
summary = "VJP of a :func:`step` by all its inputs, without matrices."
text = '''
    q_bar = (dq_next/dq)^T q_next_bar + (dv_next/dq)^T v_next_bar, and similarly v_bar, tau_bar, ...

in time and memory O(n), for every integrator; cotangents of configurations are in the cotangent space of
:func:`integrate`. They are exact for the computed step up to rounding. Active effort limits, slipping friction and
active joint limits are those of the step: the derivative jumps where they change. A joint limit that becomes active
in one step acts in later steps with the impedance in ``stops``: ``impedance_bar`` is its cotangent,
``impedance_next_bar`` that of the next step. For many steps: :func:`rollout_gradient`.
Errors are those of :func:`step`.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, tau = np.full(7, 0.1), np.zeros(7), np.ones(7)
>>> of_q, of_v = np.zeros(7), np.arange(7.0)  # of_v @ v_next
>>> q_next, v_next, q_bar, v_bar, tau_bar = tandem.step_vjp(arm, q, v, tau, 1e-3, of_q, of_v)
>>> after, before = (tandem.step(arm, q, v, tau + e * np.ones(7), 1e-3)[1] for e in (1e-3, -1e-3))
>>> np.allclose(tau_bar.sum(), of_v @ (after - before) / 2e-3)
True
'''

[StepVjp.python.flags]
f_ext_bar = ["by_forces", "whether to return f_ext_bar as well"]
q_target_bar = ["by_controller", "whether to return q_target_bar, kp_bar and kd_bar as well"]
kp_bar = ["by_controller", "whether to return q_target_bar, kp_bar and kd_bar as well"]
kd_bar = ["by_controller", "whether to return q_target_bar, kp_bar and kd_bar as well"]
stops_next = ["next_stops", "whether to return the joint-limit states and impedance_bar"]
impedance_bar = ["next_stops", "whether to return the joint-limit states and impedance_bar"]
*/
