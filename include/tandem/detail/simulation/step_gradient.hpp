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
/// `back` is forward dynamics, backwards: back(q, v, tau, diagonal, by_a, by_q, by_v, by_tau, sums) finds from by_a, how the number depends on the
/// accelerations, the other three, and with `sums` adds up what the links' parameters have to do with it; by_tau is (M + diagonal)^-1 by_a, and what is added to the diagonal has by_tau times -a.
///
/// back.energy(q, v, by_q, by_v, of_q) finds how the kinetic energy depends on q and v, and that of the weight on q.
///
/// back.given(q, v, by, of_q, of_v, sums) adds how what the drive gives depends on the state that it is asked in.
///
/// Increments of configurations are those of `integrate`. Which rows a controller holds at their limit, and whether friction slips, is
/// taken as it was found: where that changes there is no derivative.
#pragma once
#include <utility>

#include "tandem/detail/simulation/implicit_midpoint.hpp"
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
    by_v_before,
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
    switch (robot_.rules.integrator) {
      case Integrator::rk4: return step_rk4();
      case Integrator::implicit_midpoint:
        if constexpr (CanBranch<S>) step_implicit_midpoint();
        return;
      default: return step_semi_implicit();
    }
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

  /// u = F(u, lambda) = v + h/2 (a(q (+) h/2 u, u) + lambda u) and no gap g(u) in the energy, see ImplicitMidpoint; v' = 2 u - v, q' = q (+) h u.
  ///
  ///     y = by_u + (dF/du)^T y - z dg/du,   u . y = 0;      by_x = y . dF/dx - z dg/dx   for all x besides u
  ///
  /// Found as the step was, by iteration: it converges as that did. A gradient that does not is NaN.
  TANDEM_PASS void step_implicit_midpoint() {
    const S h = robot_.h, half = h / S(2);
    const Work u = tape_.column(0, Tape::velocity), v = column(by_v), of_u = column(by_u), y = column(by_sum),
               q = column(by_q), of_a = column(by_a), path = column(way), all = column(by_stage_a);
    const Work of_gap = column(gap_u), of_start = column(by_stage_rate);
    for (Index k = 0; k < nv_; ++k) path[k] = h * S(u[k]);
    go_back_from(path, of_u);
    for (Index k = 0; k < nv_; ++k) {
      all[k] = mul_add(h, S(of_u[k]), S(2) * S(v[k]));
      y[k] = S(all[k]);
      v[k] = -S(v[k]);
    }
    const S along = gap();
    const S moves = select(S(8 * rounding_unit<S>) * robot_.midpoint.size < abs(along), S(1), S(0));
    S going(1), z(0), last(-1);
    const auto apply = [&]() TANDEM_INLINE {
      for (Index k = 0; k < nv_; ++k) of_a[k] = half * S(y[k]);
      accelerations(0, of_a, half, true);
      for (Index k = 0; k < nv_; ++k) path[k] = half * S(u[k]);
      fill(of_start, nv_, S(0));
      fill(of_u, nv_, S(0));
      Tangents::integrate<S>(robot_.m, path, column(by_q_at), of_start, of_u);
    };
    sums_ = false;
    for (int pass = 0; pass < most_passes && any(S(0) < going); ++pass) {
      apply();
      S product(0), change(0), size(0);
      for (Index k = 0; k < nv_; ++k) {
        of_a[k] = S(all[k]) + S(column(by_v_at)[k]) + half * mul_add(robot_.midpoint.lambda, S(y[k]), S(of_u[k]));
        product = mul_add(S(u[k]), S(of_a[k]), product);
      }
      const S z_next = select(S(0) < moves, product / along, S(0));
      for (Index k = 0; k < nv_; ++k) {
        const S next = mul_add(-z_next, S(of_gap[k]), S(of_a[k]));
        change = change + abs(next - S(y[k]));
        size = size + abs(next) + abs(S(of_a[k]));
        y[k] = select(S(0) < going, next, S(y[k]));
      }
      z = select(S(0) < going, z_next, z);
      const S near = S(8 * rounding_unit<S>) * size;
      const S stalls =
          select(last < S(0), S(0), select(change < last, S(0), select(S(512) * near < change, S(0), S(1))));
      going = select(near < change, select(S(0) < stalls, S(0), going), S(0));
      last = change;
    }
    sums_ = true;
    apply();
    const S lost = S(0) / select(S(0) < going, S(0), S(1));  // NaN, or 0
    for (Index k = 0; k < nv_; ++k) {
      q[k] = S(q[k]) + mul_add(-z, S(column(gap_q)[k]), S(of_start[k])) + lost;
      v[k] = S(v[k]) + S(y[k]) + mul_add(-z, S(column(gap_v)[k]), S(column(by_v_before)[k]));
    }
    add_of_gap(z);
  }
  static constexpr int most_passes = 200;
  static constexpr int gap_u = by_stage_a + 1, gap_q = by_stage_a + 2, gap_v = by_stage_a + 3;

  /// How the gap in the energy depends on u, q and v: the columns gap_u, gap_q, gap_v. Returns u . gap_u.
  TANDEM_PASS S gap() {
    const S h = robot_.h, half = h / S(2);
    const auto& m = robot_.m;
    const Work u = tape_.column(0, Tape::velocity), of_u = column(gap_u), of_q = column(gap_q), of_v = column(gap_v);
    for (const int c : {gap_u, gap_q, gap_v}) fill(column(c), nv_, S(0));
    if (!ImplicitMidpoint::keeps_energy(m)) return S(0);
    const Work by_path = column(by_u), path = column(way), kinetic = column(by_q_at), momentum = column(by_v_at);
    energy(tape_.q_before(), tape_.v_before(), kinetic, momentum);
    for (Index k = 0; k < nv_; ++k) {
      of_q[k] = -S(kinetic[k]);
      of_v[k] = -S(momentum[k]);
    }
    energy(robot_.q, robot_.column(Robot::velocity), kinetic, momentum);
    for (Index k = 0; k < nv_; ++k) {
      of_u[k] = S(2) * S(momentum[k]);
      of_v[k] = S(of_v[k]) - S(momentum[k]);
      path[k] = h * S(u[k]);
    }
    fill(by_path, nv_, S(0));
    Tangents::integrate<S>(m, path, kinetic, of_q, by_path);
    for (Index k = 0; k < nv_; ++k) of_u[k] = mul_add(h, S(by_path[k]), S(of_u[k]));
    // less the work of what has no potential
    const Work of_error = column(by_a), at_middle = column(by_q_at), error = tape_.column(0, Tape::error);
    const bool sums = std::exchange(sums_, false), has_target = drive_.has_target();
    for (int k = 0; k < m.nv; ++k) {
      const S speed = u[k];
      S D(0), push = robot_.column(Robot::given)[k];
      const S slips = loss(k, speed, speed, D);
      push = push - D * speed;
      S by_speed = -(D + slips);
      if (has_target) {
        const Gains of = gains(0, k);
        const S held = select(of.acts == S(0), S(robot_.column(Robot::clipped)[k]), S(0));
        push = push + (mul_add(of.kp, S(error[k]), -(of.kd * speed)) + held);
        by_speed = by_speed - of.kd;
        of_error[k] = -(h * speed * of.kp);
      }
      of_u[k] = S(of_u[k]) - h * mul_add(speed, by_speed, push);
    }
    if (has_target) {
      fill(at_middle, nv_, S(0));
      distances(0, of_error, at_middle);
      for (Index k = 0; k < nv_; ++k) path[k] = half * S(u[k]);
      fill(by_path, nv_, S(0));
      Tangents::integrate<S>(m, path, at_middle, of_q, by_path);
      for (Index k = 0; k < nv_; ++k) of_u[k] = mul_add(half, S(by_path[k]), S(of_u[k]));
    }
    sums_ = sums;
    const Work of_given = column(by_a);
    for (Index k = 0; k < nv_; ++k) of_given[k] = -(h * S(u[k]));
    fill(at_middle, nv_, S(0));
    back_.given(tape_.q(0), u, of_given, at_middle, of_u, false);
    for (Index k = 0; k < nv_; ++k) path[k] = half * S(u[k]);
    fill(by_path, nv_, S(0));
    Tangents::integrate<S>(m, path, at_middle, of_q, by_path);
    for (Index k = 0; k < nv_; ++k) of_u[k] = mul_add(half, S(by_path[k]), S(of_u[k]));
    S along(0);
    for (Index k = 0; k < nv_; ++k) along = mul_add(S(u[k]), S(of_u[k]), along);
    return along;
  }
  /// How all energy depends on a state.
  TANDEM_HD void energy(Work q, Work v, Work of_q, Work of_v) {
    const Work potential = column(by_force), pull = column(by_u);
    back_.energy(q, v, of_q, of_v, potential);
    for (Index k = 0; k < nv_; ++k) of_q[k] = S(of_q[k]) + S(potential[k]);
    if (!robot_.has_springs) return;
    for_each_stretch<S>(robot_.m, q, [&](int row, const S& x) TANDEM_INLINE { potential[row] = x; });
    for (Index k = 0; k < nv_; ++k) pull[k] = S(robot_.m.stiffness[k]) * S(potential[k]);
    Tangents::stretch<S>(robot_.m, potential, pull, of_q);
  }
  /// -z times how the gap depends on what drives and brakes the joints.
  TANDEM_PASS void add_of_gap(const S& z) {
    if (!ImplicitMidpoint::keeps_energy(robot_.m)) return;
    const Work u = tape_.column(0, Tape::velocity), error = tape_.column(0, Tape::error), of_error = column(by_a),
               ignored = column(by_q_at);
    const bool has_target = drive_.has_target();
    for (int k = 0; k < robot_.m.nv; ++k) {
      const S speed = u[k], work = z * robot_.h * speed;
      S D(0);
      sum(by_tau, k, work);
      loss(k, speed, -(work * speed), D);
      if (!has_target) continue;
      const Gains of = gains(0, k);
      sum(by_kp, k, of.acts * work * S(error[k]));
      sum(by_kd, k, -(of.acts * work * speed));
      of_error[k] = work * of.kp;
    }
    if (has_target) distances(0, of_error, ignored);
    for (Index k = 0; k < nv_; ++k) of_error[k] = z * robot_.h * S(u[k]);
    back_.given(tape_.q(0), u, of_error, ignored, column(by_v_at), true);
  }

  /// q' = q (+) u: by_q becomes that of q, of_u that of u.
  TANDEM_HD void go_back_from(Work u, Work of_u) {
    const Work q = column(by_q), after = column(by_q_at);
    Tape::copy(q, after, nv_);
    fill(q, nv_, S(0));
    fill(of_u, nv_, S(0));
    Tangents::integrate<S>(robot_.m, u, after, q, of_u);
  }

  /// The accelerations of a stage, by the state that its forces were taken at: by_q_at and by_v_at. Where that is the middle of the step,
  /// by_v_before is how they depend on the velocity at its start.
  TANDEM_PASS void accelerations(int stage, Work of_a, const S& reach, bool is_middle = false) {
    const Work of_q = column(by_q_at), of_v = column(by_v_at), of_force = column(by_force);
    back_(tape_.q(stage), tape_.column(stage, Tape::velocity), tape_.column(stage, Tape::tau),
          tape_.column(stage, Tape::diagonal), of_a, of_q, of_v, of_force, sums_);
    forces(stage, reach, of_q, of_v, is_middle);
  }

  /// The forces on the joints, see SteppedRobot::forces, with of_force as by_force has it.
  TANDEM_PASS void forces(int stage, const S& reach, Work of_q, Work of_v, bool is_middle) {
    const auto& m = robot_.m;
    const Work v = tape_.column(stage, Tape::velocity), a = tape_.column(stage, Tape::acceleration),
               error = tape_.column(stage, Tape::error), stretched = tape_.column(stage, Tape::stretched),
               v_begun = is_middle ? tape_.v_before() : v, of_begun = is_middle ? column(by_v_before) : of_v;
    const Work of_force = column(by_force), of_error = column(by_u), of_stretch = column(way);
    const bool has_target = drive_.has_target();
    if (is_middle) fill(of_begun, nv_, S(0));
    for (int k = 0; k < m.nv; ++k) {
      const S by = of_force[k], speed = v[k];
      const S by_both = -(by * (S(v_begun[k]) + reach * S(a[k])));  // of D + reach K
      S by_K = reach * by_both, D(0), K(m.stiffness[k]);
      if (is_middle) by_K = mul_add(reach * by, speed, by_K);
      const S slips = loss(k, speed, by_both, D);
      sum(by_armature, k, -(by * S(a[k])));
      sum(by_stiffness, k, robot_.has_springs ? mul_add(-by, S(stretched[k]), by_K) : by_K);
      of_stretch[k] = -(K * by);
      if (has_target) {
        const Gains of = gains(stage, k);
        D = D + of.kd;
        K = K + of.kp;
        of_error[k] = of.kp * by;
        sum(by_kp, k, of.acts * mul_add(by, S(error[k]), by_K));
        sum(by_kd, k, of.acts * by_both);
      }
      of_v[k] = S(of_v[k]) + slips;
      if (is_middle) of_v[k] = mul_add(reach * by, K, S(of_v[k]));
      of_begun[k] = S(of_begun[k]) - by * (D + reach * K);
      sum(by_tau, k, by);
    }
    if (robot_.has_springs) Tangents::stretch<S>(m, stretched, of_stretch, of_q);
    if (has_target) distances(stage, of_error, of_q);
    back_.given(tape_.q(stage), v, of_force, of_q, of_v, sums_);
  }
  /// How far the joints are from the controller's target, by where they are and by the target.
  TANDEM_HD void distances(int stage, Work of_error, Work of_q) {
    const Work error = tape_.column(stage, Tape::error);
    Tangents::difference_start<S>(robot_.m, error, of_error, of_q);
    if (sums_) Tangents::difference_end<S>(robot_.m, error, of_error, column(by_target));
  }

  /// The controller's gains in a row, zeros and acts = 0 where it is held at its limit or allows no force.
  struct Gains {
    S kp, kd, acts;
  };
  TANDEM_HD Gains gains(int stage, int k) const {
    const auto free = S(tape_.column(stage, Tape::is_clipped)[k]) == S(0);
    const S none(0);
    return {select(free, robot_.gain(drive_.kp(), k), none), select(free, robot_.gain(drive_.kd(), k), none),
            select(free, select(S(robot_.m.tau_limit[k]) == none, none, S(1)), none)};
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
    if (!sums_) return;
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
  bool sums_ = true;  ///< whether results besides by_q and by_v are added up
};

}  // namespace tandem::inline TANDEM_ISA
