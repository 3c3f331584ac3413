// SPDX-License-Identifier: Apache-2.0
/// The gradient of what a rollout costs, or of any number that depends on its states: all steps forward, then one after
/// the other backwards, from states that were kept on the way or found anew from these.
///
/// *Ends* are where the number's own dependence comes from and where the gradient goes:
///
///     finished(robot, end)           the robot is in the last state
///     of_cost()                      how the number depends on the cost
///     of_last(by_q, by_v)            adds how it depends on the last state
///     of_sample(k, by_q, by_v)       adds how it depends on state number k of the path
///     of_step(step, by_tau, by_target)   takes the gradient by what is given for that step
///     of_start(gradient)             takes it by the state at the start, and what is summed up over the steps
#pragma once
#include "tandem/detail/simulation/checkpoints.hpp"
#include "tandem/detail/simulation/cost_gradient.hpp"
#include "tandem/detail/simulation/rollout.hpp"
#include "tandem/detail/simulation/step_gradient.hpp"

namespace tandem::inline TANDEM_ISA {

template <class S, class Robots, class Feed, class Inverse, class Back, class Ends, class Work>
class RolloutGradientLoop {
 public:
  using Loop = RolloutLoop<S, Robots, Feed, Inverse, Work>;
  using Robot = std::remove_reference_t<decltype(std::declval<Robots&>().robot)>;
  using Tape = StepTape<S, Work>;
  using Drive = RolloutDrive<Feed, Inverse, Work>;
  using Gradient = StepGradient<S, Robot, Drive, RolloutGradientLoop, Work>;

  /// Rows of scratch memory besides the robot's, with so many states kept.
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m, const RolloutLaw& law, Index kept) {
    return Loop::work_rows(m) + Tape::work_rows(m, law) + Gradient::work_rows(m) + Index{m.nq} + m.nv +
           kept * state_rows(m, law) + 8 * Index{m.nv};
  }
  /// Of a state that is kept, with what stops did before.
  template <class M>
  TANDEM_HD static Index state_rows(const ModelView<M>& m, const RolloutLaw& law) {
    return Index{m.nq} + (law.limits && JointStopColumns<M, M, M*>::some_in(m) ? 4 : 1) * Index{m.nv};
  }

  /// With room for so many states, 1 or more, and `positions` for as many.
  TANDEM_HD RolloutGradientLoop(const RolloutLaw& law, Feed& feed, Robots& robots, const Inverse& inverse, Back& back,
                                Ends& ends, Index kept, Index* positions, Work w)
      : law_(law),
        feed_(feed),
        robots_(robots),
        robot_(robots.robot),
        ends_(ends),
        nq_(robot_.m.nq),
        nv_(robot_.m.nv),
        of_loop_(w),
        tape_(robot_.m, robot_.rules, of_loop_ + Loop::work_rows(robot_.m)),
        at_(tape_.memory + Tape::work_rows(robot_.m, robot_.rules)),
        states_(at_ + nq_ + nv_),
        behind_(states_ + kept * state_rows(robot_.m, law)),
        drive_{law, feed, inverse, behind_, behind_ + nv_},
        scratch_(drive_.zeros + nv_),
        gradient_(robot_, drive_, tape_, *this, scratch_ + nv_),
        back_(back),
        of_control_(scratch_ + nv_ + Gradient::work_rows(robot_.m)),
        loop_(law, feed, robots, inverse, of_loop_),
        kept_(kept),
        positions_(positions) {
    fill(drive_.zeros, nv_, S(0));
  }

  // Of what StepGradient asks for, dynamics come from outside:
  TANDEM_HD void operator()(Work q, Work v, Work tau, Work diagonal, Work by_a, Work by_q, Work by_v, Work by_tau,
                            bool sums) {
    back_(q, v, tau, diagonal, by_a, by_q, by_v, by_tau, sums);
  }
  TANDEM_HD void energy(Work q, Work v, Work by_q, Work by_v, Work of_q) { back_.energy(q, v, by_q, by_v, of_q); }
  TANDEM_HD void energy_by_links(Work q, Work v, const S& weight) { back_.energy_by_links(q, v, weight); }
  TANDEM_HD void respond(Work q, Work tau, Work diagonal, Work by_a, Work a, Work by_q, Work by_tau, bool sums) {
    back_.respond(q, tau, diagonal, by_a, a, by_q, by_tau, sums);
  }
  /// What the controls give besides tau and pd, and pushes.
  TANDEM_HD void given(Work q, Work v, Work by, Work by_push, Work of_q, Work of_v, bool sums) {
    controls(q, v, by, of_q, of_v, sums);
    const auto f_ext = feed_.pushes(drive_.step);
    if (!f_ext) return;
    const Work minus = of_control_ + 3 * nv_, by_q = of_control_;
    for (Index k = 0; k < nv_; ++k) minus[k] = -S(by_push[k]);
    back_.inverse(q, drive_.zeros, drive_.zeros, minus, f_ext, false, by_q, of_control_ + nv_, of_control_ + 2 * nv_);
    for (Index k = 0; k < nv_; ++k) of_q[k] = S(of_q[k]) + S(by_q[k]);
  }

  TANDEM_HD void run() {
    Index next = 0;
    const RolloutEnd<S> end = loop_.run([&](Index k) TANDEM_INLINE {
      if (k != next) return;
      top_ = k == 0 ? 0 : top_ + 1;
      keep(k);
      next = next_kept(k, law_.steps);
    });
    ends_.finished(robot_, end);
    gradient_.clear(Gradient::by_q, Gradient::by_armature);
    add_last(end);
    for (Index k = law_.steps; k > 0; --k) {
      go_to(k - 1, k);
      take_back(k - 1);
    }
    ends_.of_start(gradient_);
  }

 private:
  /// Forces against the weight, or of computed torque.
  TANDEM_PASS void controls(Work q, Work v, Work by, Work of_q, Work of_v, bool sums) {
    const bool computes = law_.computed_torque && drive_.target();
    if (!computes && !law_.gravity_compensation) return;
    const Work by_q = of_control_, by_v = by_q + nv_, by_a = by_v + nv_, error = by_a + nv_, a = error + nv_;
    if (!computes) {
      back_.inverse(q, drive_.zeros, drive_.zeros, by, Work{}, true, by_q, by_v, by_a);
      for (Index k = 0; k < nv_; ++k) of_q[k] = S(of_q[k]) + S(by_q[k]);
      return;
    }
    const auto v_target = feed_.input(RolloutInput::v_target), a_target = feed_.input(RolloutInput::a_target);
    const auto slower = [&](Index k) TANDEM_INLINE { return v_target ? S(v_target[k]) - S(v[k]) : -S(v[k]); };
    Difference::body<S>(robot_.m, q, drive_.target(), error, error);
    for (Index k = 0; k < nv_; ++k) {
      const S wanted = mul_add(S(drive_.kp()[k]), S(error[k]), S(drive_.kd()[k]) * slower(k));
      a[k] = a_target ? S(a_target[k]) + wanted : wanted;
    }
    back_.inverse(q, v, a, by, Work{}, true, by_q, by_v, by_a);
    for (Index k = 0; k < nv_; ++k) {
      of_q[k] = S(of_q[k]) + S(by_q[k]);
      of_v[k] = S(of_v[k]) + S(by_v[k]) - S(drive_.kd()[k]) * S(by_a[k]);
      if (sums) sum(Gradient::by_kp, k, S(by_a[k]) * S(error[k]));
      if (sums) sum(Gradient::by_kd, k, S(by_a[k]) * slower(k));
      by_a[k] = S(drive_.kp()[k]) * S(by_a[k]);
    }
    Tangents::difference_start<S>(robot_.m, error, by_a, of_q);
    if (sums) Tangents::difference_end<S>(robot_.m, error, by_a, gradient_.column(Gradient::by_target));
  }

  /// The next state behind k that is kept, of the steps before `end`; -1 if there is none.
  TANDEM_HD Index next_kept(Index k, Index end) const {
    const Index left = kept_ - top_;
    return end - k < 2 || left < 2 ? Index{-1} : k + Checkpoints::next(end - k, left);
  }
  TANDEM_PASS void keep(Index k) {
    const Work to = states_ + top_ * state_rows(robot_.m, law_);
    positions_[top_] = k;
    Tape::copy(robot_.q, to, nq_);
    Tape::copy(robot_.column(Robot::velocity), to + nq_, nv_);
    if (robot_.stops.some()) robot_.stops.keep(to + nq_ + nv_);
  }
  /// Brings the robot to the state before step k, from the nearest one that was kept, keeping others on the way to
  /// `end`.
  TANDEM_PASS void go_to(Index k, Index end) {
    while (positions_[top_] > k) --top_;
    const Work from = states_ + top_ * state_rows(robot_.m, law_);
    Tape::copy(from, robot_.q, nq_);
    Tape::copy(from + nq_, robot_.column(Robot::velocity), nv_);
    if (robot_.stops.some()) robot_.stops.recall(from + nq_ + nv_);
    Index next = next_kept(positions_[top_], end);
    for (Index at = positions_[top_]; at < k; ++at) {
      feed_.begin(law_.first + at);
      drive_.step = law_.first + at;
      step<S>(robots_, drive_, robot_.rules, ignored_);
      if (at + 1 != next) continue;
      ++top_;
      keep(at + 1);
      next = next_kept(at + 1, end);
    }
  }

  /// Step k, from the state before it.
  TANDEM_PASS void take_back(Index k) {
    const Work q = at_, v = at_ + nq_;
    Tape::copy(robot_.q, q, nq_);
    Tape::copy(robot_.column(Robot::velocity), v, nv_);
    feed_.begin(law_.first + k);
    drive_.step = law_.first + k;
    tape_.stage = -1;
    TapedDrive<Drive, Tape> drive = {drive_, tape_};
    TapedRobots<Robots, Tape> robots = {robots_, tape_};
    step<S>(robots, drive, robot_.rules, ignored_);
    gradient_.clear(Gradient::by_tau, Gradient::by_target);
    gradient_.step();
    if (law_.costs) add_costs(q, v);
    add_sample(k);
    ends_.of_step(law_.first + k, gradient_.column(Gradient::by_tau), gradient_.column(Gradient::by_target));
  }

  /// Of the last state; those that diverged have no gradient.
  TANDEM_HD void add_last(const RolloutEnd<S>& end) {
    using R = typename RealOf<S>::type;
    const Work q = gradient_.column(Gradient::by_q), v = gradient_.column(Gradient::by_v);
    ends_.of_last(q, v);
    add_sample(law_.steps);
    if (law_.costs) {
      feed_.begin(law_.first + law_.steps);
      const S weight = ends_.of_cost();
      of_state(RolloutInput::final_q_weight, RolloutInput::final_v_weight, robot_.q, robot_.column(Robot::velocity),
               weight);
      for (int k = 0; k < law_.frames; ++k) of_frame(k, feed_.final_frame_weight(k), robot_.q, weight);
    }
    const auto whole = end.steps == S(static_cast<R>(law_.steps));
    const S lost = S(0) / select(whole, select(end.began == S(0), S(0), S(1)), S(0));  // NaN, or 0
    for (Index k = 0; k < nv_; ++k) {
      q[k] = S(q[k]) + lost;
      v[k] = S(v[k]) + lost;
    }
  }
  TANDEM_HD void add_sample(Index k) {
    if (k % law_.every == 0)
      ends_.of_sample(k / law_.every, gradient_.column(Gradient::by_q), gradient_.column(Gradient::by_v));
  }

  /// Of the state before a step, and of the efforts in it.
  TANDEM_PASS void add_costs(Work q, Work v) {
    using R = typename RealOf<S>::type;
    const S weight = S(static_cast<R>(law_.dt)) * ends_.of_cost();
    of_state(RolloutInput::q_weight, RolloutInput::v_weight, q, v, weight);
    for (int k = 0; k < law_.frames; ++k) of_frame(k, feed_.frame_weight(k), q, weight);
    if (const auto effort_weight = feed_.input(RolloutInput::effort_weight)) of_efforts(effort_weight, q, v, weight);
  }
  TANDEM_PASS void of_state(RolloutInput of_q, RolloutInput of_v, Work q, Work v, const S& weight) {
    const auto w_q = feed_.input(of_q), w_v = feed_.input(of_v);
    if (w_q)
      CostGradient::of_configuration(robot_.m, weight, w_q, q, feed_.input(RolloutInput::q_reference), drive_.u,
                                     scratch_, gradient_.column(Gradient::by_q));
    if (w_v)
      CostGradient::of_velocity(nv_, weight, w_v, v, feed_.input(RolloutInput::v_reference),
                                gradient_.column(Gradient::by_v));
  }
  template <class Weight>
  TANDEM_PASS void of_frame(int k, Weight w, Work q, const S& weight) {
    if (w)
      CostGradient::of_frame(robot_.m, feed_.frame(k), weight, w, q, feed_.frame_target(k),
                             gradient_.column(Gradient::by_q));
  }
  /// Of what joints are driven with: what is given, and the controller where they are.
  template <class Weight>
  TANDEM_PASS void of_efforts(Weight w, Work q, Work v, const S& weight) {
    const auto& m = robot_.m;
    drive_.template efforts<S>(robot_, q, v);
    const Work effort = robot_.column(Robot::given), cut = robot_.column(Robot::cut), by_error = scratch_,
               error = drive_.u, by_v = gradient_.column(Gradient::by_v);
    const bool has_target = drive_.has_target();
    for (int k = 0; k < m.nv; ++k) {
      const S by = S(2) * weight * S(w[k]) * S(effort[k]);
      effort[k] = select(S(cut[k]) == S(0), by, S(0));
      sum(Gradient::by_tau, k, S(effort[k]));
      if (!has_target) continue;
      const S kp = drive_.kp()[k], kd = drive_.kd()[k], limit(m.tau_limit[k]);
      const auto is_held = limit < abs(mul_add(kp, S(error[k]), -(kd * S(v[k]))));
      const S free = law_.effort_limits ? S(effort[k]) : select(is_held, S(0), by);
      by_error[k] = kp * free;
      by_v[k] = S(by_v[k]) - kd * free;
      sum(Gradient::by_kp, k, free * S(error[k]));
      sum(Gradient::by_kd, k, -(free * S(v[k])));
    }
    controls(q, v, effort, gradient_.column(Gradient::by_q), by_v, true);
    if (!has_target) return;
    Tangents::difference_start<S>(m, error, by_error, gradient_.column(Gradient::by_q));
    Tangents::difference_end<S>(m, error, by_error, gradient_.column(Gradient::by_target));
  }
  TANDEM_HD void sum(typename Gradient::Column c, Index k, const S& x) const {
    const Work to = gradient_.column(c);
    to[k] = S(to[k]) + x;
  }

  const RolloutLaw& law_;
  Feed& feed_;
  Robots& robots_;
  Robot& robot_;
  Ends& ends_;
  Index nq_, nv_;
  Work of_loop_;
  Tape tape_;
  Work at_, states_, behind_;
  Drive drive_;
  Work scratch_;
  Gradient gradient_;
  Back& back_;
  Work of_control_;
  Loop loop_;
  Index kept_;
  Index* positions_;
  Index top_ = 0;  ///< the last state that is kept
  StepOutcome<S> ignored_;
};

}  // namespace tandem::inline TANDEM_ISA
