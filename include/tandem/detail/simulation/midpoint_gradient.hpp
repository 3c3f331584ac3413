// SPDX-License-Identifier: Apache-2.0
/// A step of implicit_midpoint, backwards, see step_gradient.hpp.
#pragma once
#include <utility>

#include "tandem/detail/simulation/implicit_midpoint.hpp"
#include "tandem/detail/simulation/stage_gradient.hpp"

namespace tandem::inline TANDEM_ISA {

template <class S, class Robot, class Drive, class Back, class Work>
class MidpointGradient : public StageGradient<S, Robot, Drive, Back, Work> {
 public:
  using Base = StageGradient<S, Robot, Drive, Back, Work>;
  using Base::Base;
  using typename Base::Tape;

  using Base::by_q, Base::by_v, Base::by_impedance, Base::by_tau, Base::by_kp, Base::by_kd, Base::by_damping,
      Base::by_friction, Base::by_stiffness, Base::by_armature, Base::by_a, Base::by_q_at, Base::by_v_at,
      Base::by_force, Base::by_u, Base::by_sum, Base::way, Base::by_v_before, Base::by_met, Base::by_stage_a,
      Base::by_stage_rate, Base::by_ahead, Base::by_begun;
  using Base::column;

 protected:
  using Base::begun_in_middle, Base::accelerations, Base::add_to_impedance, Base::distances, Base::gains, Base::driven,
      Base::permitted, Base::rubs, Base::sum;
  using Base::robot_, Base::drive_, Base::tape_, Base::back_, Base::nv_, Base::sums_;
  using typename Base::Gains;

  /// u = F(u, lambda) = v + h/2 (a(q (+) h/2 u, u) + lambda u) and no gap g(u) in the energy, see ImplicitMidpoint; v'
  /// = 2 u - v, q' = q (+) h u; of free and planar joints v is brought to the axes in the middle, and v' from there to
  /// those at the end.
  ///
  ///     y = by_u + (dF/du)^T y - z dg/du,   u . y = 0;      by_x = y . dF/dx - z dg/dx   for all x besides u
  ///
  /// Found as the step was, by iteration: it converges as that did. A gradient that does not is NaN.
  TANDEM_PASS void step_implicit_midpoint() {
    const S h = robot_.h, half = h / S(2);
    const Work u = tape_.column(0, Tape::velocity), v = column(by_v), of_u = column(by_u), y = column(by_sum),
               q = column(by_q), of_a = column(by_a), all = column(by_stage_a), of_begun = column(by_begun);
    const Work of_gap = column(gap_u), of_start = column(by_stage_rate);
    const Work after_q = column(by_q_at), after_v = column(by_v_at);
    Tape::copy(q, after_q, nv_);
    Tape::copy(v, after_v, nv_);
    for (const Work x : {q, v, all}) fill(x, nv_, S(0));
    add_of_end(after_q, after_v, q, v, all);
    Tape::copy(all, y, nv_);
    const S along = gap();
    const S moves = select(S(8 * rounding_unit<S>) * robot_.midpoint.size < abs(along), S(1), S(0));
    S going(1), z(0), last(-1);
    const auto apply = [&]() TANDEM_INLINE {
      for (Index k = 0; k < nv_; ++k) of_a[k] = half * S(y[k]);
      accelerations(0, of_a, half, true);
      fill(of_start, nv_, S(0));
      fill(of_u, nv_, S(0));
      Tangents::move<S>(robot_.m, half_way(), column(by_q_at), of_start, of_u);
      if (!robot_.flies) return;
      for (Index k = 0; k < nv_; ++k) of_begun[k] = S(y[k]) + S(column(by_v_before)[k]);
      Tangents::turn<S>(robot_.m, half_way(), begun_in_middle(), of_begun, of_u);
      along_middle(of_u);
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
    const S lost = S(0) / select(S(0) < going + robot_.failed, S(0), S(1));  // NaN, or 0
    for (Index k = 0; k < nv_; ++k) y[k] = S(y[k]) + lost;
    apply();
    for (Index k = 0; k < nv_; ++k) {
      q[k] = S(q[k]) + mul_add(-z, S(column(gap_q)[k]), S(of_start[k]));
      v[k] = robot_.flies ? S(v[k]) + mul_add(-z, S(column(gap_v)[k]), S(of_begun[k]))
                          : S(v[k]) + S(y[k]) + mul_add(-z, S(column(gap_v)[k]), S(column(by_v_before)[k]));
    }
    add_of_gap(z);
  }
  static constexpr int most_passes = 200;
  static constexpr int gap_u = by_stage_a + 1, gap_q = by_stage_a + 2, gap_v = by_stage_a + 3;

  /// The displacement to the middle of the step, h/2 u along the axes at the start.
  TANDEM_HD Work half_way() const { return tape_.column(0, Tape::displacement); }
  /// What depends on it as `by` says depends so on h/2 u.
  TANDEM_PASS void along_middle(Work by) {
    if (!robot_.flies) return;
    const Work u = tape_.column(0, Tape::velocity), path = column(way), by_turn = column(by_ahead);
    for (Index k = 0; k < nv_; ++k) path[k] = robot_.h / S(2) * S(u[k]);
    fill(by_turn, nv_, S(0));
    Tangents::turn_back<S>(robot_.m, path, path, by, by_turn);
    this->add(by_turn, by);
  }
  /// What depends on the state at the end as after_q and after_v say depends on the state at the start and on u.
  /// after_v is overwritten.
  TANDEM_PASS void add_of_end(Work after_q, Work after_v, Work of_q, Work of_v, Work of_u) {
    const S half = robot_.h / S(2);
    const Work path = column(way), by_path = column(by_u), of_begun = column(by_begun);
    for (Index k = 0; k < nv_; ++k) path[k] = S(2) * S(half_way()[k]);
    fill(by_path, nv_, S(0));
    Tangents::move<S>(robot_.m, path, after_q, of_q, by_path);
    for (Index k = 0; k < nv_; ++k) by_path[k] = S(2) * S(by_path[k]);
    if (robot_.flies) Tangents::turn<S>(robot_.m, half_way(), robot_.column(Robot::velocity), after_v, by_path);
    for (Index k = 0; k < nv_; ++k) of_begun[k] = -S(after_v[k]);
    if (robot_.flies) Tangents::turn<S>(robot_.m, half_way(), begun_in_middle(), of_begun, by_path);
    along_middle(by_path);
    for (Index k = 0; k < nv_; ++k) {
      of_v[k] = S(of_v[k]) + S(of_begun[k]);
      of_u[k] = S(of_u[k]) + mul_add(half, S(by_path[k]), S(2) * S(after_v[k]));
    }
  }

  /// How the gap in the energy depends on u, q and v: the columns gap_u, gap_q, gap_v. Returns u . gap_u.
  TANDEM_PASS S gap() {
    const S h = robot_.h;
    const auto& m = robot_.m;
    const Work u = tape_.column(0, Tape::velocity), of_u = column(gap_u), of_q = column(gap_q), of_v = column(gap_v);
    for (const int c : {gap_u, gap_q, gap_v}) fill(column(c), nv_, S(0));
    if (!ImplicitMidpoint::keeps_energy(m)) return S(0);
    const Work kinetic = column(by_q_at), momentum = column(by_v_at);
    energy(tape_.q_before(), tape_.v_before(), kinetic, momentum);
    for (Index k = 0; k < nv_; ++k) {
      of_q[k] = -S(kinetic[k]);
      of_v[k] = -S(momentum[k]);
    }
    energy(robot_.q_next, robot_.column(Robot::velocity), kinetic, momentum);
    add_of_end(kinetic, momentum, of_q, of_v, of_u);
    // less the work of what has no potential
    const Work of_error = column(by_a), at_middle = column(by_q_at), error = tape_.column(0, Tape::error);
    const bool sums = std::exchange(sums_, false), has_target = drive_.has_target();
    for (int k = 0; k < m.nv; ++k) {
      const S speed = u[k];
      S D(0), push = robot_.column(Robot::given)[k];
      if (drive_.has_wrenches()) push = push + S(robot_.column(Robot::pushed)[k]);
      if (robot_.rules.losses) D = S(m.damping[k]);
      push = push - D * speed;
      S by_speed = -D;
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
      add_of_middle(at_middle, of_q, of_u);
    }
    sums_ = sums;
    const Work of_push = column(by_a), of_given = column(by_force);
    for (int k = 0; k < m.nv; ++k) {
      of_push[k] = -(h * S(u[k]));
      of_given[k] = driven(0, k, S(of_push[k]));
    }
    fill(at_middle, nv_, S(0));
    back_.given(tape_.q(0), u, of_given, of_push, at_middle, of_u, false);
    add_of_middle(at_middle, of_q, of_u);
    S along = robot_.stops.some() ? gap_of_stops() : S(0);
    if (robot_.friction.some()) along = along + gap_of_friction();
    for (Index k = 0; k < nv_; ++k) along = mul_add(S(u[k]), S(of_u[k]), along);
    return along;
  }
  /// The work -h u . push of stops, with push = -Z (2 u - v - h lambda u - permitted). Returns 2/h times how it depends
  /// on lambda.
  TANDEM_PASS S gap_of_stops() {
    const auto& stops = robot_.stops;
    const S h = robot_.h, lambda = robot_.midpoint.lambda;
    const Work u = tape_.column(0, Tape::velocity), of_u = column(gap_u), of_q = column(gap_q), of_v = column(gap_v);
    S by_lambda(0);
    stops.for_each([&](int iq, int iv, const S& lower, const S& upper) TANDEM_INLINE {
      const auto rests = S(stops.column(stops.side)[iv]) == S(0);
      const auto may = permitted(stops, iq, iv, lower, upper);
      const S speed = u[iv], Z = stops.column(stops.impedance)[iv], work = select(rests, S(0), h * Z * speed);
      of_u[iv] = S(of_u[iv]) + select(rests, S(0), work * (S(2) - h * lambda) + h * Z * (end(iv) - may.speed));
      of_v[iv] = S(of_v[iv]) - work;
      of_q[iv] = S(of_q[iv]) + select(rests, S(0), work * may.rate);
      by_lambda = by_lambda - S(2) * work * speed;
    });
    return by_lambda;
  }
  /// The work -h u . push of dry friction, with push = -Z e where a row sticks, else of a size that is given. Returns
  /// as above.
  ///
  ///     e = v + h a = v + 2 (u - v_m) - h (lambda u + w x u_lin)
  ///
  /// where v_m is v along the axes in the middle, and the last product is that of free and planar joints.
  TANDEM_PASS S gap_of_friction() {
    const S h = robot_.h, lambda = robot_.midpoint.lambda;
    const Work u = tape_.column(0, Tape::velocity), of_u = column(gap_u), of_v = column(gap_v), of_end = column(by_a),
               of_begun = column(by_begun), by_path = column(by_u);
    S by_lambda(0);
    fill(of_end, nv_, S(0));
    robot_.friction.for_each([&](int k) TANDEM_INLINE {
      const auto slips = S(0) < abs(S(tape_.column(0, Tape::slips)[k]));
      const S speed = u[k], work = select(slips, S(0), h * robot_.friction.impedance(k) * speed);
      of_end[k] = work;
      of_u[k] = S(of_u[k]) + (work * (S(2) - h * lambda) + h * S(robot_.m.friction[k]) * rubs(0, k));
      by_lambda = by_lambda - S(2) * work * speed;
    });
    for (Index k = 0; k < nv_; ++k) of_begun[k] = S(-2) * S(of_end[k]);
    if (robot_.flies) {
      fill(by_path, nv_, S(0));
      Tangents::turn<S>(robot_.m, half_way(), begun_in_middle(), of_begun, by_path);
      along_middle(by_path);
    }
    for (Index k = 0; k < nv_; ++k) {
      of_v[k] = S(of_v[k]) + (S(of_end[k]) + S(of_begun[k]));
      if (robot_.flies) of_u[k] = mul_add(h / S(2), S(by_path[k]), S(of_u[k]));
      of_end[k] = -(h * S(of_end[k]));
    }
    if (robot_.flies) Tangents::make_classical<S>(robot_.m, u, of_end, of_u);
    return by_lambda;
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
  /// -z times how the gap depends on the robot's parameters, and on what drives and brakes the joints.
  TANDEM_PASS void add_of_gap(const S& z) {
    if (!ImplicitMidpoint::keeps_energy(robot_.m)) return;
    add_of_energy(tape_.q_before(), tape_.v_before(), z);
    add_of_energy(robot_.q_next, robot_.column(Robot::velocity), -z);
    const Work u = tape_.column(0, Tape::velocity), error = tape_.column(0, Tape::error), of_error = column(by_a),
               ignored = column(by_q_at);
    const bool has_target = drive_.has_target();
    for (int k = 0; k < robot_.m.nv; ++k) {
      const S speed = u[k], work = z * robot_.h * speed;
      sum(by_tau, k, driven(0, k, work));
      if (robot_.rules.losses) sum(by_damping, k, -(work * speed));
      if (!has_target) continue;
      const Gains of = gains(0, k);
      sum(by_kp, k, of.acts * work * S(error[k]));
      sum(by_kd, k, -(of.acts * work * speed));
      of_error[k] = work * of.kp;
    }
    if (has_target) distances(0, of_error, ignored);
    const Work of_push = of_error, of_given = column(by_force);
    for (int k = 0; k < robot_.m.nv; ++k) {
      of_push[k] = z * robot_.h * S(u[k]);
      of_given[k] = driven(0, k, S(of_push[k]));
    }
    back_.given(tape_.q(0), u, of_given, of_push, ignored, column(by_v_at), true);
    if (robot_.stops.some()) add_of_stops(z);
    robot_.friction.for_each([&](int k) TANDEM_INLINE { sum(by_friction, k, -(z * robot_.h * S(u[k]) * rubs(0, k))); });
  }
  /// `by` times how the energy of a state depends on links, rotors and springs.
  TANDEM_HD void add_of_energy(Work q, Work v, const S& by) {
    const S half = S(0.5) * by;
    back_.energy_by_links(q, v, by);
    for (Index k = 0; k < nv_; ++k) sum(by_armature, k, half * (S(v[k]) * S(v[k])));
    for_each_stretch<S>(robot_.m, q,
                        [&](int row, const S& x) TANDEM_INLINE { sum(by_stiffness, row, half * (x * x)); });
  }
  TANDEM_HD void add_of_stops(const S& z) const {
    const auto& stops = robot_.stops;
    stops.for_each([&](int iq, int iv, const S& lower, const S& upper) TANDEM_INLINE {
      const S beyond = end(iv) - permitted(stops, iq, iv, lower, upper).speed;
      const S speed = tape_.column(0, Tape::velocity)[iv], work = z * robot_.h * speed * beyond;
      add_to_impedance(stops, iv, select(S(stops.column(stops.side)[iv]) == S(0), S(0), -work));
    });
  }
  /// The velocity at the end of the step that stops push against: without what lambda adds.
  TANDEM_HD S end(int iv) const {
    const S speed = tape_.column(0, Tape::velocity)[iv];
    return S(2) * speed - S(tape_.v_before()[iv]) - robot_.h * robot_.midpoint.lambda * speed;
  }
  /// What depends on the middle q (+) h/2 u of the step as of_middle says depends on q and u.
  TANDEM_PASS void add_of_middle(Work of_middle, Work of_q, Work of_u) {
    const S half = robot_.h / S(2);
    const Work by_path = column(by_u);
    fill(by_path, nv_, S(0));
    Tangents::move<S>(robot_.m, half_way(), of_middle, of_q, by_path);
    along_middle(by_path);
    for (Index k = 0; k < nv_; ++k) of_u[k] = mul_add(half, S(by_path[k]), S(of_u[k]));
  }
};

}  // namespace tandem::inline TANDEM_ISA
