// SPDX-License-Identifier: Apache-2.0
/// A step of a simulation, backwards: from how a number depends on the state after it to how it depends on the state before it, and on
/// what drives the joints in it. Exact to rounding: what is taken back is what was computed, not the equation of motion.
///
///     StepTape<S, Work> tape(m, rules, w);
///     TapedRobots<...> robots = {inner, tape};  TapedDrive<...> drive = {inner_drive, tape};
///     step<S>(robots, drive, rules, outcome);                            // which keeps what it found
///     StepGradient<S, ...> gradient(robot, drive, tape, back, w);
///     gradient.step();                                                  // its columns by_q, by_v: of the state after it, then before it
///
/// `back` is forward dynamics, backwards: back(q, v, tau, diagonal, by_a, by_q, by_v, by_tau) finds from by_a, how the number depends on the
/// accelerations, the other three; by_tau is (M + diagonal)^-1 by_a, and what is added to the diagonal has by_tau times -a.
///
/// Increments of configurations are those of `integrate`. Which rows a controller holds at their limit, and whether friction slips, is
/// taken as it was found: where that changes there is no derivative.
#pragma once
#include "tandem/detail/simulation/step_tape.hpp"
#include "tandem/detail/simulation/tangents.hpp"

namespace tandem::inline TANDEM_ISA {

template <class S, class Robot, class Drive, class Back, class Work>
class StepGradient {
 public:
  using Tape = StepTape<S, Work>;

  /// Columns of nv rows. The first ones are results; those from by_tau to by_armature are summed up until they are cleared.
  enum Column {
    by_q,
    by_v,
    by_tau,
    by_target,
    by_kp,
    by_kd,
    by_damping,
    by_friction,
    by_stiffness,
    by_armature,
    by_a,
    by_q_at,
    by_v_at,
    by_force,
    by_u,
    by_sum,
    way,
    by_stage_a,
    by_stage_rate = by_stage_a + 4,
    columns = by_stage_rate + 4
  };
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return columns * Index{m.nv};
  }

  TANDEM_HD StepGradient(const Robot& robot, const Drive& drive, const Tape& tape, Back& back, Work w)
      : robot_(robot), drive_(drive), tape_(tape), back_(back), rows_(w), nv_(robot.m.nv) {}
  TANDEM_HD Work column(int c) const { return rows_ + nv_ * c; }
  TANDEM_HD void clear(Column first, Column last) const {
    for (int c = first; c <= last; ++c) fill(column(c), nv_, S(0));
  }

  /// Of the step on the tape.
  TANDEM_HD void step() {
    if (robot_.rules.integrator == Integrator::rk4) return step_rk4();
    step_semi_implicit();
  }

 private:
  /// v' = v + h a, q' = q (+) h v'
  TANDEM_PASS void step_semi_implicit() {
    const Work v = tape_.column(0, Tape::velocity), a = tape_.column(0, Tape::acceleration), u = column(way),
               of_u = column(by_u), of_a = column(by_a), of_v = column(by_v);
    const S h = robot_.h;
    for (Index k = 0; k < nv_; ++k) u[k] = h * (S(v[k]) + h * S(a[k]));
    go_back_from(u, of_u);
    for (Index k = 0; k < nv_; ++k) {
      of_v[k] = S(of_v[k]) + h * S(of_u[k]);
      of_a[k] = h * S(of_v[k]);
    }
    accelerations(0, column(by_a), h);
    add(column(by_q_at), column(by_q));
    add(column(by_v_at), column(by_v));
  }

  /// The stages, the last one first.
  TANDEM_PASS void step_rk4() {
    const S h = robot_.h;
    const Work sum = column(by_sum), q = column(by_q), v = column(by_v), of_u = column(by_u), v_at = column(by_v_at);
    const auto reach = [&](int stage) TANDEM_INLINE { return stage < 3 ? h / S(2) : h; };
    go_back_from(robot_.column(Robot::displacement_sum), sum);
    for (int stage = 0; stage < 4; ++stage) {
      const S weight = stage == 0 || stage == 3 ? h / S(6) : h / S(3);
      const Work of_a = column(by_stage_a + stage), of_rate = column(by_stage_rate + stage);
      for (Index k = 0; k < nv_; ++k) {
        of_a[k] = weight * S(v[k]);
        of_rate[k] = weight * S(sum[k]);
      }
    }
    for (int stage = 3; stage >= 1; --stage) {
      const Work u = tape_.column(stage, Tape::displacement), last_a = column(by_stage_a + stage - 1),
                 last_rate = column(by_stage_rate + stage - 1);
      accelerations(stage, column(by_stage_a + stage), S(0));
      fill(of_u, nv_, S(0));
      Tangents::rate<S>(robot_.m, u, tape_.column(stage, Tape::velocity), column(by_stage_rate + stage), of_u, v_at);
      Tangents::integrate<S>(robot_.m, u, column(by_q_at), q, of_u);
      for (Index k = 0; k < nv_; ++k) {
        v[k] = S(v[k]) + S(v_at[k]);
        last_a[k] = S(last_a[k]) + reach(stage) * S(v_at[k]);
        last_rate[k] = S(last_rate[k]) + reach(stage) * S(of_u[k]);
      }
    }
    accelerations(0, column(by_stage_a), S(0));
    add(column(by_q_at), q);
    add(v_at, v);
    add(column(by_stage_rate), v);
  }

  /// q' = q (+) u: by_q becomes that of q, of_u that of u.
  TANDEM_HD void go_back_from(Work u, Work of_u) {
    const Work q = column(by_q), after = column(by_q_at);
    Tape::copy(q, after, nv_);
    fill(q, nv_, S(0));
    fill(of_u, nv_, S(0));
    Tangents::integrate<S>(robot_.m, u, after, q, of_u);
  }

  /// The accelerations of a stage, by the state that its forces were taken at: by_q_at and by_v_at.
  TANDEM_PASS void accelerations(int stage, Work of_a, const S& reach) {
    const Work of_q = column(by_q_at), of_v = column(by_v_at), of_force = column(by_force);
    back_(tape_.q(stage), tape_.column(stage, Tape::velocity), tape_.column(stage, Tape::tau),
          tape_.column(stage, Tape::diagonal), of_a, of_q, of_v, of_force);
    forces(stage, reach, of_q, of_v);
  }

  /// The forces on the joints, see SteppedRobot::forces, with of_force as by_force has it.
  TANDEM_PASS void forces(int stage, const S& reach, Work of_q, Work of_v) {
    const auto& m = robot_.m;
    const Work v = tape_.column(stage, Tape::velocity), a = tape_.column(stage, Tape::acceleration),
               clipped = tape_.column(stage, Tape::is_clipped), error = tape_.column(stage, Tape::error),
               stretched = tape_.column(stage, Tape::stretched);
    const Work of_force = column(by_force), of_error = column(by_u), of_stretch = column(way);
    const bool has_target = drive_.has_target();
    for (int k = 0; k < m.nv; ++k) {
      const S by = of_force[k], speed = v[k], end = speed + reach * S(a[k]);
      S D(0), kp(0);
      S by_both = -(by * end), by_K = reach * by_both;  // of D + reach K, of K
      const S slips = loss(k, speed, by_both, D);
      sum(by_armature, k, -(by * S(a[k])));
      sum(by_stiffness, k, robot_.has_springs ? mul_add(-by, S(stretched[k]), by_K) : by_K);
      of_stretch[k] = -(S(m.stiffness[k]) * by);
      S K(m.stiffness[k]);
      if (has_target) {
        const auto free = S(clipped[k]) == S(0);
        const S kd = select(free, robot_.gain(drive_.kd(), k), S(0));
        kp = select(free, robot_.gain(drive_.kp(), k), S(0));
        const S acts = select(free, select(S(m.tau_limit[k]) == S(0), S(0), S(1)), S(0));
        D = D + kd;
        K = K + kp;
        of_error[k] = kp * by;
        sum(by_kp, k, acts * mul_add(by, S(error[k]), by_K));
        sum(by_kd, k, acts * by_both);
      }
      of_v[k] = S(of_v[k]) + (slips - by * (D + reach * K));
      sum(by_tau, k, by);
    }
    if (robot_.has_springs) Tangents::stretch<S>(m, stretched, of_stretch, of_q);
    if (!has_target) return;
    Tangents::difference_start<S>(m, error, of_error, of_q);
    Tangents::difference_end<S>(m, error, of_error, column(by_target));
  }

  /// Damping and friction of a row, the D of which the number depends on as by_both says. Returns how it depends on the speed through it.
  TANDEM_HD S loss(int k, const S& speed, const S& by_both, S& D) {
    const auto& m = robot_.m;
    if (!robot_.rules.losses) return S(0);
    D = PassiveForces::loss_coefficient(m, k, speed);
    const S size = abs(speed), slip(PassiveForces::slip_speed);
    const auto sticks = size < slip;
    const S per_speed = S(1) / select(sticks, slip, size);
    sum(by_damping, k, by_both);
    sum(by_friction, k, by_both * per_speed);
    const S falls = S(m.friction[k]) * (per_speed * per_speed);
    return select(sticks, S(0), by_both * select(speed < S(0), falls, -falls));
  }

  TANDEM_HD void sum(Column c, Index k, const S& x) const {
    const Work to = column(c);
    to[k] = S(to[k]) + x;
  }
  TANDEM_HD void add(Work from, Work to) const {
    for (Index k = 0; k < nv_; ++k) to[k] = S(to[k]) + S(from[k]);
  }

  const Robot& robot_;
  const Drive& drive_;
  const Tape& tape_;
  Back& back_;
  Work rows_;
  Index nv_;
};

}  // namespace tandem::inline TANDEM_ISA
