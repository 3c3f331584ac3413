// SPDX-License-Identifier: Apache-2.0
/// A step of a simulation, backwards: from how a number depends on the state after it to how it depends on the state
/// before it, and on what drives the joints in it. Exact to rounding: what is taken back is what was computed, not the
/// equation of motion.
///
///     StepTape<S, Work> tape(m, rules, w);
///     TapedRobots<...> robots = {inner, tape};  TapedDrive<...> drive = {inner_drive, tape};
///     step<S>(robots, drive, rules, outcome);                            // which keeps what it found
///     StepGradient<S, ...> gradient(robot, drive, tape, back, w);
// its columns by_q, by_v, by_impedance: of the state after it and its stops, then before it
///     gradient.step();
///
/// `back` is forward dynamics, backwards: back(q, v, tau, diagonal, by_a, by_q, by_v, by_tau, sums) finds from by_a,
/// how the number depends on the accelerations, the other three, and with `sums` adds up what the links' parameters
/// have to do with it; by_tau is (M + diagonal)^-1 by_a, and what is added to the diagonal has by_tau times -a.
///
/// back.energy(q, v, by_q, by_v, of_q) finds how the kinetic energy depends on q and v, and that of the weight on q;
/// back.energy_by_links(q, v, weight) adds up how both, so weighted, depend on the links' parameters.
///
/// back.given(q, v, by, by_push, of_q, of_v, sums) adds how what the drive gives depends on the state that it is asked
/// in: of the forces that effort limits may cut off the number depends as `by` says, of wrenches on the links as
/// by_push says.
///
/// back.respond(q, tau, diagonal, by_a, a, by_q, by_tau, sums) is for a robot at rest without weight, the accelerations
/// a with it.
///
/// Increments of configurations are those of `integrate`. Which rows a controller holds at their limit, whether
/// friction slips, and which joints press against a stop is taken as it was found: where that changes the derivative
/// jumps.
#pragma once
#include "tandem/detail/simulation/midpoint_gradient.hpp"

namespace tandem::inline TANDEM_ISA {

template <class S, class Robot, class Drive, class Back, class Work>
class StepGradient : public MidpointGradient<S, Robot, Drive, Back, Work> {
 public:
  using Base = MidpointGradient<S, Robot, Drive, Back, Work>;
  using Base::Base;
  using typename Base::Tape;

  using Base::by_q, Base::by_v, Base::by_a, Base::by_q_at, Base::by_v_at, Base::by_u, Base::by_sum, Base::way,
      Base::by_stage_a, Base::by_stage_rate, Base::by_ahead;
  using Base::column;

  /// Of the step on the tape.
  TANDEM_HD void step() {
    begin_stops();
    go_back();
    end_stops();
  }

 private:
  using Base::go_back_from, Base::turn_back_from, Base::classical, Base::accelerations, Base::accelerations_of_pushes,
      Base::begin_stops, Base::end_stops, Base::add;
  using Base::robot_, Base::tape_, Base::nv_;

  TANDEM_HD void go_back() {
    switch (robot_.rules.integrator) {
      case Integrator::rk4: return step_rk4();
      case Integrator::implicit_midpoint:
        if constexpr (CanBranch<S> && !OnlyExplicit<Back>) this->step_implicit_midpoint();
        return;
      default: return step_semi_implicit();
    }
  }

  /// v' = v + h a, q' = q (+) h v'
  TANDEM_PASS void step_semi_implicit() {
    const Work v = tape_.column(0, Tape::velocity), a = classical(0), u = column(way), of_u = column(by_u),
               of_a = column(by_a), of_v = column(by_v);
    const S h = robot_.h;
    for (Index k = 0; k < nv_; ++k) u[k] = h * (S(v[k]) + h * S(a[k]));
    go_back_from(u, of_u);
    turn_back_from(u, of_u);
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
    turn_back_from(robot_.column(Robot::displacement_sum), sum);
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
                 last_rate = column(by_stage_rate + stage - 1), of_a = column(by_stage_a + stage),
                 by_turn = column(by_ahead);
      fill(by_turn, nv_, S(0));
      if (robot_.flies) Tangents::turn_back<S>(robot_.m, u, classical(stage), of_a, by_turn);
      accelerations(stage, of_a, S(0));
      Tape::copy(by_turn, of_u, nv_);
      Tangents::rate<S>(robot_.m, u, tape_.column(stage, Tape::velocity), column(by_stage_rate + stage), of_u, v_at);
      Tangents::move<S>(robot_.m, u, column(by_q_at), q, of_u);
      if (robot_.flies) Tangents::turn<S>(robot_.m, u, tape_.column(stage, Tape::velocity), v_at, of_u);
      for (Index k = 0; k < nv_; ++k) {
        v[k] = S(v[k]) + S(v_at[k]);
        last_a[k] = S(last_a[k]) + reach(stage) * S(v_at[k]);
        last_rate[k] = S(last_rate[k]) + reach(stage) * S(of_u[k]);
      }
    }
    accelerations_of_pushes(column(by_stage_a));
    accelerations(0, column(by_stage_a), S(0));
    add(column(by_q_at), q);
    add(v_at, v);
    add(column(by_stage_rate), v);
  }
};

}  // namespace tandem::inline TANDEM_ISA
