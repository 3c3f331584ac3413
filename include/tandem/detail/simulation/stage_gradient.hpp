// SPDX-License-Identifier: Apache-2.0
/// What the integrators' steps backwards have in common, see step_gradient.hpp: the accelerations of a stage, the
/// forces that cause them, and the impact before the step.
#pragma once
#include "tandem/detail/simulation/step_tape.hpp"
#include "tandem/detail/simulation/tangents.hpp"

namespace tandem::inline TANDEM_ISA {

template <class S, class Robot, class Drive, class Back, class Work>
class StageGradient {
 public:
  using Tape = StepTape<S, Work>;
  using Friction = std::remove_cvref_t<decltype(std::declval<Robot&>().friction)>;

  /// Columns of nv rows. The first ones go from step to step; those from by_tau to by_armature are summed up until they
  /// are cleared.
  enum Column {
    by_q,
    by_v,
    by_impedance,
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
    by_push,
    by_met,
    ahead,
    by_ahead,
    begun,
    by_begun,
    by_stage_a,
    by_stage_rate = by_stage_a + 4,
    columns = by_stage_rate + 4
  };
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return columns * Index{m.nv};
  }

  TANDEM_HD StageGradient(const Robot& robot, const Drive& drive, const Tape& tape, Back& back, Work w)
      : robot_(robot), drive_(drive), tape_(tape), back_(back), rows_(w), nv_(robot.m.nv) {}
  TANDEM_HD Work column(int c) const { return rows_ + nv_ * c; }
  TANDEM_HD void clear(Column first, Column last) const {
    for (int c = first; c <= last; ++c) fill(column(c), nv_, S(0));
  }

 protected:
  /// q' = q (+) u: by_q becomes that of q, of_u that of u.
  TANDEM_HD void go_back_from(Work u, Work of_u) {
    const Work q = column(by_q), after = column(by_q_at);
    Tape::copy(q, after, nv_);
    fill(q, nv_, S(0));
    fill(of_u, nv_, S(0));
    Tangents::move<S>(robot_.m, u, after, q, of_u);
  }
  /// v' = v along the axes after u: by_v becomes that of v, and what it has of u is added to of_u.
  TANDEM_HD void turn_back_from(Work u, Work of_u) const {
    if (robot_.flies) Tangents::turn<S>(robot_.m, u, robot_.column(Robot::velocity), column(by_v), of_u);
  }

  /// The classical accelerations of a stage, by the state that its forces were taken at: by_q_at and by_v_at. Where
  /// that is the middle of the step, by_v_before is how they depend on the velocity at its start, along the axes in the
  /// middle.
  TANDEM_PASS void accelerations(int stage, Work of_a, const S& reach, bool is_middle = false) {
    const Work of_q = column(by_q_at), of_v = column(by_v_at), of_force = column(by_force);
    back_(tape_.q(stage), tape_.column(stage, Tape::velocity), tape_.column(stage, Tape::tau),
          tape_.column(stage, Tape::diagonal), of_a, of_q, of_v, of_force, sums_);
    forces(stage, reach, of_q, of_v, is_middle);
    if (robot_.flies) Tangents::make_classical<S>(robot_.m, tape_.column(stage, Tape::velocity), of_a, of_v);
  }
  /// The classical accelerations of a stage themselves.
  TANDEM_HD Work classical(int stage) const {
    const Work a = tape_.column(stage, Tape::acceleration);
    if (!robot_.flies) return a;
    const Work found = column(ahead);
    Tape::copy(a, found, nv_);
    FreeFlight::make_classical<S>(robot_.m, tape_.column(stage, Tape::velocity), found);
    return found;
  }
  /// The velocity that a step of implicit_midpoint begins with, along the axes in its middle.
  TANDEM_HD Work begun_in_middle() const {
    if (!robot_.flies) return tape_.v_before();
    const Work v = column(begun);
    Tape::copy(tape_.v_before(), v, nv_);
    robot_.turn(tape_.column(0, Tape::displacement), v);
    return v;
  }

  /// The forces on the joints, see SteppedRobot::forces, with of_force as by_force has it.
  TANDEM_PASS void forces(int stage, const S& reach, Work of_q, Work of_v, bool is_middle) {
    const auto& m = robot_.m;
    const Work v = tape_.column(stage, Tape::velocity), a = tape_.column(stage, Tape::acceleration),
               error = tape_.column(stage, Tape::error), stretched = tape_.column(stage, Tape::stretched),
               v_begun = is_middle ? begun_in_middle() : v, of_begun = is_middle ? column(by_v_before) : of_v;
    const bool looks_ahead = robot_.flies && any(S(0) < reach);
    const Work v_ahead = looks_ahead ? robot_.look_ahead(v, v_begun, reach) : v_begun,
               of_ahead = looks_ahead ? column(by_ahead) : of_begun;
    const Work of_force = column(by_force), of_error = column(by_u), of_stretch = column(way), of_given = column(way);
    const bool has_target = drive_.has_target();
    if (is_middle) fill(of_begun, nv_, S(0));
    if (looks_ahead) fill(of_ahead, nv_, S(0));
    if (sums_ && !robot_.has_springs)  // the number depends on the stiffness of springs of none, too
      for_each_stretch<S>(m, tape_.q(stage), [&](int row, const S& x) TANDEM_INLINE { stretched[row] = x; });
    for (int k = 0; k < m.nv; ++k) {
      const S by = of_force[k], speed = v[k];
      const S by_both = -(by * (S(v_ahead[k]) + reach * S(a[k])));  // of D + reach K
      S by_K = reach * by_both, D(0), K(m.stiffness[k]);
      if (is_middle) by_K = mul_add(reach * by, speed, by_K);
      if (robot_.rules.losses) D = S(m.damping[k]);
      sum(by_damping, k, robot_.rules.losses ? by_both : S(0));
      sum(by_armature, k, -(by * S(a[k])));
      sum(by_stiffness, k, mul_add(-by, S(stretched[k]), by_K));
      of_stretch[k] = -(K * by);
      if (has_target) {
        const Gains of = gains(stage, k);
        D = D + of.kd;
        K = K + of.kp;
        of_error[k] = of.kp * by;
        sum(by_kp, k, of.acts * mul_add(by, S(error[k]), by_K));
        sum(by_kd, k, of.acts * by_both);
      }
      if (is_middle) of_v[k] = mul_add(reach * by, K, S(of_v[k]));
      of_ahead[k] = S(of_ahead[k]) - by * (D + reach * K);
    }
    if (looks_ahead) {
      add(of_ahead, of_begun);
      for (int k = 0; k < m.nv; ++k) of_ahead[k] = reach * S(of_ahead[k]);
      Tangents::make_classical<S>(m, v, of_ahead, of_v);
    }
    robot_.friction.for_each([&](int k) TANDEM_INLINE { rub_back(stage, k, S(of_force[k])); });
    if (robot_.stops.some()) {
      if (stage == 0)
        push_back(robot_.stops, v_begun, a, of_force, of_begun);
      else
        add_pushes(of_force);
    }
    if (robot_.has_springs) Tangents::stretch<S>(m, stretched, of_stretch, of_q);
    if (has_target) distances(stage, of_error, of_q);
    for (int k = 0; k < m.nv; ++k) {
      of_given[k] = driven(stage, k, S(of_force[k]));
      sum(by_tau, k, S(of_given[k]));
    }
    back_.given(tape_.q(stage), v, of_given, of_force, of_q, of_v, sums_);
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
  /// What of x is by the force that is given, which counts for nothing where a limit cuts it off, alone or together
  /// with the controller.
  TANDEM_HD S driven(int stage, int k, const S& x) const {
    S beyond = tape_.column(stage, Tape::cut)[k];
    if (robot_.rules.effort_limits && drive_.has_target()) beyond = tape_.column(stage, Tape::is_clipped)[k];
    return select(beyond == S(0), x, S(0));
  }

  /// How much of a row's friction pushes, of which the number depends as `by` says: its part of the bound, see
  /// DryFriction; which rows slip is taken as it was found.
  TANDEM_HD S rubs(int stage, int k) const {
    const S slip = tape_.column(stage, Tape::slips)[k];
    const S end = S(tape_.v_before()[k]) + robot_.h * S(tape_.column(stage, Tape::acceleration)[k]);
    return select(slip == S(0), end * S(1 / Friction::slip_speed), slip);
  }
  /// What friction pushes a row with: of it the number depends as `by` says. It depends on the velocity that the step
  /// begins with.
  TANDEM_HD void rub_back(int stage, int k, const S& by) {
    if (!sums_) return;
    const Work of_v = column(by_v);
    const auto sticks = S(tape_.column(stage, Tape::slips)[k]) == S(0);
    sum(by_friction, k, -(by * rubs(stage, k)));
    of_v[k] = S(of_v[k]) - select(sticks, by * robot_.friction.impedance(k), S(0));
  }

  // A stop that acts pushes with -Z (v - permitted + h a), part of which is in the diagonal; which stops act is taken
  // as it was found.

  /// The speed that a stop permits, and how much less it gets as the joint goes on: by nothing where the load bounds
  /// it.
  struct Permitted {
    S speed, rate;
  };
  template <class Stops>
  TANDEM_HD Permitted permitted(const Stops& stops, int iq, int iv, const S& lower, const S& upper) const {
    const auto is_upper = S(0) < S(stops.column(stops.side)[iv]);
    const S most = stops.column(stops.most)[iv], least = stops.column(stops.least)[iv], at = tape_.q_before()[iq];
    const S gap = select(is_upper, upper - at, at - lower), speed = select(is_upper, most, least);
    const auto rates = JointStops::rates(robot_.h);
    const auto is_free = select(is_upper, most, -least) == gap * rates.beyond;
    return {speed, select(gap < S(0), select(is_free, rates.beyond, S(0)), rates.before)};
  }
  /// What stops that act push with, of which the number depends as of_force says, and on pushes as they were found as
  /// by_push says.
  template <class Stops>
  TANDEM_PASS void push_back(const Stops& stops, Work v, Work a, Work of_force, Work of_v) {
    const Work pushes = column(by_push), of_q = column(by_q);
    stops.for_each([&](int iq, int iv, const S& lower, const S& upper) TANDEM_INLINE {
      const S none(0), Z = stops.column(stops.impedance)[iv];
      const S by = select(S(stops.column(stops.side)[iv]) == none, none, S(of_force[iv]) + S(pushes[iv]));
      const auto rests = by == none;
      const auto may = permitted(stops, iq, iv, lower, upper);
      of_v[iv] = S(of_v[iv]) - select(rests, none, Z * by);
      if (!sums_) return;
      of_q[iv] = S(of_q[iv]) - select(rests, none, may.rate * Z * by);
      const S of_it = select(rests, none, by * ((S(v[iv]) - may.speed) + robot_.h * S(a[iv])));
      add_to_impedance(stops, iv, -of_it);
    });
  }
  /// How the number depends on an impedance: one that was found in this step, or one that was found before it.
  template <class Stops>
  TANDEM_HD void add_to_impedance(const Stops& stops, int iv, const S& x) const {
    const Work of_Z = column(by_impedance), of_met = column(by_met);
    const auto is_met = S(0) < S(stops.column(stops.met)[iv]);
    of_Z[iv] = S(of_Z[iv]) + select(is_met, S(0), x);
    of_met[iv] = S(of_met[iv]) + select(is_met, x, S(0));
  }
  /// Pushes that the first stage has found act in the others, too,
  TANDEM_HD void add_pushes(Work of_force) const {
    const auto& stops = robot_.stops;
    const Work pushes = column(by_push);
    stops.for_each([&](int, int iv, const S&, const S&) TANDEM_INLINE {
      pushes[iv] = S(pushes[iv]) + select(S(stops.column(stops.side)[iv]) == S(0), S(0), S(of_force[iv]));
    });
  }
  /// which all depend on the accelerations of the first.
  TANDEM_HD void accelerations_of_pushes(Work of_a) const {
    const auto& stops = robot_.stops;
    if (!stops.some()) return;
    stops.for_each([&](int, int iv, const S&, const S&) TANDEM_INLINE {
      const S by = robot_.h * S(stops.column(stops.impedance)[iv]) * S(column(by_push)[iv]);
      of_a[iv] = S(of_a[iv]) - select(S(stops.column(stops.side)[iv]) == S(0), S(0), by);
    });
  }

  /// Before a step is gone back: the impedance of a stop was found in this step, where by_met has it from now on, or
  /// before it. The number cannot depend on one that has let go.
  TANDEM_HD void begin_stops() const {
    const auto& stops = robot_.stops;
    if (!stops.some()) return;
    const Work of_Z = column(by_impedance), of_met = column(by_met), of_q = column(by_q);
    fill(column(by_push), nv_, S(0));
    stops.for_each([&](int, int iv, const S&, const S&) TANDEM_INLINE {
      of_q[iv] = S(of_q[iv]) * S(stops.column(stops.left)[iv]);
      const S of_it = select(S(stops.column(stops.side)[iv]) == S(0), S(0), S(of_Z[iv]));
      const auto is_met = S(0) < S(stops.column(stops.met)[iv]);
      of_Z[iv] = select(is_met, S(0), of_it);
      of_met[iv] = select(is_met, of_it, S(0));
    });
  }
  /// When the rest of it has been gone back: the impact, and the inertias that joints felt as they came to a stop.
  TANDEM_HD void end_stops() {
    if constexpr (CanBranch<S>) {
      const auto& stops = robot_.stops;
      if (!stops.some()) return;
      if (any(S(0) < robot_.hit)) impact();
      stops.for_each([&](int, int iv, const S&, const S&) TANDEM_INLINE {
        if (any(S(0) < is_some(S(column(by_met)[iv])))) inertia(iv);
      });
    }
  }
  /// v = v_before + h a in robots that came to a stop too fast, with the a that stops cause at rest without weight.
  TANDEM_PASS void impact() {
    const auto is_hit = S(0) < robot_.hit;
    const Work of_a = column(by_a), of_v = column(by_v), of_q = column(by_q), of_q_at = column(by_q_at),
               of_force = column(by_force);
    for (Index k = 0; k < nv_; ++k) of_a[k] = select(is_hit, robot_.h * S(of_v[k]), S(0));
    respond(tape_.column(Tape::impact_tau), tape_.column(Tape::impact_diagonal));
    for (Index k = 0; k < nv_; ++k) {
      of_q[k] = select(is_hit, S(of_q[k]) + S(of_q_at[k]), S(of_q[k]));
      of_force[k] = select(is_hit, S(of_force[k]), S(0));
    }
    fill(column(by_push), nv_, S(0));
    push_back(tape_.stops(robot_.m), tape_.column(Tape::impact_velocity), tape_.column(Tape::impact_acceleration),
              of_force, of_v);
  }
  /// Z = hardness I / h, where 1 / I is the acceleration of the joint by a unit force.
  TANDEM_PASS void inertia(int iv) {
    const auto& stops = robot_.stops;
    const auto in_impact = tape_.stops(robot_.m);
    const Work of_a = column(by_a), of_q = column(by_q), of_q_at = column(by_q_at), unit = robot_.column(Robot::unit);
    const S of_Z = column(by_met)[iv];
    const S Z = select(S(stops.column(stops.side)[iv]) == S(0), S(in_impact.column(stops.impedance)[iv]),
                       S(stops.column(stops.impedance)[iv]));
    const auto depends = S(0) < is_some(of_Z);
    fill(of_a, nv_, S(0));
    of_a[iv] = select(depends, -(of_Z * (Z * Z * robot_.h / S(JointStops::hardness))), S(0));
    unit[iv] = S(1);
    respond(unit, robot_.column(Robot::still));
    unit[iv] = S(0);
    for (Index k = 0; k < nv_; ++k) of_q[k] = select(depends, S(of_q[k]) + S(of_q_at[k]), S(of_q[k]));
  }
  /// The accelerations that forces cause where the step begins, at rest without weight: by_a of them, by_q_at and
  /// by_force of these.
  TANDEM_HD void respond(Work tau, Work diagonal) {
    const Work a = column(by_v_at), of_force = column(by_force);
    back_.respond(tape_.q_before(), tau, diagonal, column(by_a), a, column(by_q_at), of_force, sums_);
    for (Index k = 0; k < nv_; ++k) sum(by_armature, k, -(S(of_force[k]) * S(a[k])));
  }

  /// 1 for a number that is not zero, NaN included.
  TANDEM_HD static S is_some(const S& x) { return select(x == S(0), S(0), S(1)); }
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
  bool sums_ = true;  ///< whether results besides by_q_at and by_v_at are added up
};

}  // namespace tandem::inline TANDEM_ISA
