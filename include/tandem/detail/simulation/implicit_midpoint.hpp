// SPDX-License-Identifier: Apache-2.0
/// A step that keeps the energy.
#pragma once
#include "tandem/detail/core/dual.hpp"
#include "tandem/detail/simulation/accelerations.hpp"

namespace tandem::inline TANDEM_ISA {

/// Order 2, symmetric in time: forces as they are in the middle of the step, and as much along the velocity there as
/// the budget of energy needs.
///
///     u = v + h/2 a,    q_m = q (+) h/2 u,    M(q_m) (a - lambda u) = tau(q_m, u) - bias(q_m, u),
///     v' = v + h a,     q' = q (+) h u,       E(q', v') - E(q, v) = h u . (forces that have no potential)
///
/// with v, a, u of free and planar joints along axes that do not turn, those of the middle: FreeFlight brings v there,
/// and v' to those of the end.
///
/// The force lambda M u closes the gap that the midpoint leaves in the energy, of third order in h: as discrete
/// gradients do, but with the velocity for a direction. Without losses and drives the energy of any robot stays what it
/// was, in any number of steps.
///
/// Method    fixed-point iteration on u and lambda. Damping, springs, the controller and dry friction are implicit in
///           it as in semi_implicit_euler, so that stiff ones, and joints that stick or turn round, do not slow it
///           down; lambda follows by Newton's method, with the derivative h u.M u. Every lane ends when u changes by
///           less than the tolerance, or by rounding alone; then it waits unchanged for the others
/// Energies  are watched where the base does not accelerate in turning: else there is no potential
/// Errors    does not converge if h is too long for the motion; each iteration reduces the error by about h omega,
///           where omega is the rate of change of nonlinear forces. A robot whose step does not converge keeps the
///           state before it
struct ImplicitMidpoint {
  template <class S>
  static constexpr double usual_tolerance = 32 * rounding_unit<S>;
  static constexpr int usual_iterations = 50;
  static constexpr double of_rounding =
      4096;                            ///< changes that do not get smaller are rounding below so many tolerances
  static constexpr double unseen = 4;  ///< gaps of the energy that are rounding, in units of its size
  static constexpr int usual_steps = 8;  ///< from here on two units more with each: what goes on then may be rounding
  static constexpr double restless = 0x1p-20;  ///< part of u by which lambda may change by rounding alone

  /// Before the first iteration: the middle as if nothing accelerated.
  template <class Robots, class Robot>
  TANDEM_HD static void begin(Robots& robots, Robot& robot) {
    using S = typename Robot::Number;
    const auto v = robot.column(robot.velocity), u = robot.column(robot.v_stage);
    S kinetic, potential;
    robots.energy(robot, robot.q, v, kinetic, potential);
    robot.midpoint = {};
    robot.midpoint.energy = kinetic + potential;
    robot.midpoint.size = abs(kinetic) + abs(potential);
    for (int k = 0; k < robot.m.nv; ++k) u[k] = S(v[k]);
    go_to_middle(robot);
  }

  /// q_stage = q (+) h/2 u, and the velocity at the start along the axes there
  template <class Robot>
  TANDEM_PASS static void go_to_middle(Robot& robot) {
    using S = typename Robot::Number;
    const auto v = robot.column(robot.velocity), u = robot.column(robot.v_stage),
               way = robot.column(robot.displacement), begun = robot.column(robot.begun);
    for (int k = 0; k < robot.m.nv; ++k) {
      way[k] = robot.h / S(2) * S(u[k]);
      begun[k] = S(v[k]);
    }
    robot.turn_back(way, way);
    robot.move(robot.q, way, robot.q_stage);
    robot.turn(way, begun);
  }

  /// The accelerations of an iteration are there: makes them a, and finds where they lead, the next u and v and the way
  /// to the next q.
  template <class Robot>
  TANDEM_HD static void lead(Robot& robot) {
    using S = typename Robot::Number;
    const S half = robot.h / S(2);
    const auto v = robot.column(robot.begun), a = robot.column(robot.acceleration), u = robot.column(robot.v_stage),
               u_next = robot.column(robot.rate);
    for (int k = 0; k < robot.m.nv; ++k) {
      a[k] = mul_add(robot.midpoint.lambda, S(u[k]), S(a[k]));
      u_next[k] = S(v[k]) + half * S(a[k]);
    }
    arrive(robot, u_next, robot.column(robot.acceleration_sum));
  }
  /// The velocity v + h a at the end of the step, along the axes there, and in `displacement` the way h u to it from
  /// the start.
  template <class Robot, class Work>
  TANDEM_PASS static void arrive(Robot& robot, Work u, Work v_next) {
    using S = typename Robot::Number;
    const S h = robot.h, half = h / S(2);
    const auto v = robot.column(robot.begun), a = robot.column(robot.acceleration),
               way = robot.column(robot.displacement);
    for (int k = 0; k < robot.m.nv; ++k) {
      v_next[k] = S(v[k]) + h * S(a[k]);
      way[k] = half * S(u[k]);
    }
    robot.turn(way, v_next);
    robot.turn_back(way, way);
    for (int k = 0; k < robot.m.nv; ++k) way[k] = S(2) * S(way[k]);
  }

  /// The energy there.
  template <class S>
  struct Budget {
    S gap, rounding;       ///< J: what is too much of it, and what of that may be rounding
    S middle;              ///< kinetic energy of the next u: 2 h of it more for every unit of lambda
    S kinetic, potential;  ///< J
  };
  template <class Robots, class Drive, class Robot>
  TANDEM_PASS static Budget<typename Robot::Number> budget(Robots& robots, Drive& drive, Robot& robot) {
    using S = typename Robot::Number;
    auto& at = robot.midpoint;
    const S h = robot.h, half = h / S(2);
    robot.move(robot.q, robot.column(robot.displacement), robot.q_next);
    S kinetic, potential, middle, ignored;
    robots.energy(robot, robot.q_next, robot.column(robot.acceleration_sum), kinetic, potential);
    robots.energy(robot, robot.q_stage, robot.column(robot.rate), middle, ignored);
    const auto before = robot.energies;
    robot.energies = {S(0), S(0), S(0), S(0)};
    robot.account(drive, robot.column(robot.begun), half, half, h, true);
    const S gap = (kinetic + potential) - at.energy -
                  (robot.energies.work + robot.energies.controlled - robot.energies.dissipated);
    robot.energies = before;
    const S rounding = units(at.steps) * S(rounding_unit<S>) * (at.size + abs(kinetic) + abs(potential));
    return {gap, rounding, middle, kinetic, potential};
  }
  template <class S>
  TANDEM_HD static S units(const S& steps) {
    return S(unseen) + S(2) * select(S(usual_steps) < steps, steps - S(usual_steps), S(0));
  }

  /// Looks at how far the accelerations of an iteration lead, and, unless it was the last, goes on from there where
  /// that is not near enough. False once there is no lane left that goes on.
  template <class Robots, class Drive, class Robot>
  TANDEM_PASS static bool iterate(Robots& robots, Drive& drive, Robot& robot, bool is_last) {
    using S = typename Robot::Number;
    const auto& m = robot.m;
    auto& at = robot.midpoint;
    const S h = robot.h, half = h / S(2);
    const auto a = robot.column(robot.acceleration), u = robot.column(robot.v_stage), u_next = robot.column(robot.rate);
    lead(robot);
    S change(0), size(0), speeds(0);
    for (int k = 0; k < m.nv; ++k) {
      change = change + abs(S(u_next[k]) - S(u[k]));
      size = size + (abs(S(u_next[k])) + half * abs(S(a[k])));
      speeds = speeds + abs(S(u_next[k]));
    }
    S lambda = at.lambda, unrest(0);
    const S by_mechanics = change;
    if (keeps_energy(m)) {
      const auto found = budget(robots, drive, robot);
      const S left = select(found.rounding < abs(found.gap), found.gap, S(0)), denominator = S(2) * h * found.middle;
      lambda = select(found.rounding < found.middle, at.lambda - left / denominator, at.lambda);
      unrest = half * abs(lambda - at.lambda) * speeds;
      change = change + unrest;
    }
    const S tolerance(robot.rules.tolerance > 0 ? robot.rules.tolerance : usual_tolerance<S>), near = tolerance * size;
    const S small = select(near < change, S(0), S(1));
    const S rest = without_rounding_of_energy(by_mechanics, unrest, at.unrest, speeds);
    const S stalls = select(at.changed < S(0), S(0),
                            select(change < at.changed, S(0), select(S(of_rounding) * near < rest, S(0), S(1))));
    const S sound = select(change == change, S(1), S(0));
    const S ends = select(S(0) < small + stalls, sound, S(0));
    // NaN from the start is none of the iteration's; NaN later is what it has led to
    const S blows_up = select(S(0) < sound, S(0), select(at.changed < S(0), S(0), at.going));
    robot.failed = select(S(0) < blows_up, S(1), robot.failed);
    at.steps = at.steps + at.going;
    at.going = select(S(0) < ends, S(0), select(S(0) < sound, at.going, S(0)));
    const auto goes_on = S(0) < at.going;
    if (is_last) robot.failed = select(goes_on, S(1), robot.failed);
    if (is_last || !any(goes_on)) return false;
    at.changed = select(goes_on, change, at.changed);
    at.unrest = select(goes_on, unrest, at.unrest);
    at.lambda = select(goes_on, lambda, at.lambda);
    for (int k = 0; k < m.nv; ++k) u[k] = select(goes_on, S(u_next[k]), S(u[k]));
    go_to_middle(robot);
    return true;
  }

  /// Of an iteration that changes u by `by_mechanics`, and lambda so much that the next changes u by `unrest`: what of
  /// both is not rounding. The energy of a robot that hardly moves is a difference of larger ones, whose rounding keeps
  /// lambda from coming to rest.
  template <class S>
  TANDEM_HD static S without_rounding_of_energy(const S& by_mechanics, const S& unrest, const S& unrest_before,
                                                const S& speeds) {
    const S change = by_mechanics + unrest;
    const auto is_restless = S(restless) * speeds < unrest;
    return select(unrest < unrest_before, change, select(is_restless, change, by_mechanics - unrest_before));
  }

  template <class Robot>
  TANDEM_HD static void begin_to_follow(Robot& robot) {
    using S = typename Robot::Number;
    robot.midpoint.going = S(1);
    robot.midpoint.changed = S(-1);
    robot.midpoint.unrest = S(0);
  }
  /// Of numbers with rates, the values of which stay as iterations have left them: an iteration on the rates of u and
  /// lambda alone. These come to theirs more slowly, as they depend on where the values were an iteration before. False
  /// once all of them have.
  template <class Robots, class Drive, class Robot>
  TANDEM_PASS static bool follow(Robots& robots, Drive& drive, Robot& robot) {
    using S = typename Robot::Number;
    using R = decltype(S::value);
    auto& at = robot.midpoint;
    const R half = robot.h.value / R(2);
    const auto a = robot.column(robot.acceleration), u = robot.column(robot.v_stage), u_next = robot.column(robot.rate);
    lead(robot);
    R change(0), size(0), speeds(0), rates_of_u(0), unrest(0);
    for (int k = 0; k < robot.m.nv; ++k) {
      const S next = u_next[k];
      change = change + abs(next.rate - S(u[k]).rate);
      size = size + (abs(next.rate) + half * abs(S(a[k]).rate));
      speeds = speeds + abs(next.value);
      rates_of_u = rates_of_u + abs(next.rate);
    }
    const R by_mechanics = change;
    const auto goes_on = S(0) < at.going;
    if (keeps_energy(robot.m)) {
      const auto found = budget(robots, drive, robot);
      const R rates = abs(at.energy.rate) + abs(found.kinetic.rate) + abs(found.potential.rate);
      const R rounding = units(at.steps).value * R(rounding_unit<R>) * rates;
      const R left = select(rounding < abs(found.gap.rate), found.gap.rate, R(0));
      const R less = select(found.rounding < found.middle, left / (R(2) * robot.h.value * found.middle.value), R(0));
      unrest = half * abs(less) * speeds;
      change = change + unrest;
      size = size + half * abs(at.lambda.rate) * speeds;
      at.lambda.rate = select(goes_on, at.lambda.rate - less, at.lambda.rate);
    }
    const R near = R(8 * rounding_unit<R>) * size;
    const R rest = without_rounding_of_energy(by_mechanics, unrest, at.unrest.value, rates_of_u);
    const R stalls = select(at.changed < S(0), R(0),
                            select(change < at.changed.value, R(0), select(R(512) * near < rest, R(0), R(1))));
    const R lasts = select(near < change, select(R(0) < stalls, R(0), R(1)), R(0));
    at.going = select(goes_on, S(lasts), at.going);
    at.changed = S(change);
    at.unrest = S(unrest);
    for (int k = 0; k < robot.m.nv; ++k) u[k] = S(S(u[k]).value, select(goes_on, S(u_next[k]).rate, S(u[k]).rate));
    go_to_middle(robot);
    return any(S(0) < at.going);
  }
  /// Rates that have not settled are NaN.
  template <class Robot>
  TANDEM_HD static void end_to_follow(Robot& robot) {
    using S = typename Robot::Number;
    using R = decltype(S::value);
    const auto a = robot.column(robot.acceleration);
    const R lost = R(0) / select(S(0) < robot.midpoint.going, R(0), R(1));
    for (int k = 0; k < robot.m.nv; ++k) a[k] = S(S(a[k]).value, S(a[k]).rate + lost);
  }
  static constexpr int most_followed = 200;  ///< iterations; rates that still change are lost

  /// Whether the energy of a motion that nothing drives stays the same.
  template <class M>
  TANDEM_HD static bool keeps_energy(const ModelView<M>& m) {
    return !any(m.base_acceleration[0] != M(0)) && !any(m.base_acceleration[1] != M(0)) &&
           !any(m.base_acceleration[2] != M(0));
  }
};

template <class S, class Robots, class Drive>
TANDEM_PASS void step_implicit_midpoint(Robots& robots, Drive& drive, const StepRules& rules, StepOutcome<S>& outcome) {
  const int most = rules.max_iterations > 0 ? rules.max_iterations : ImplicitMidpoint::usual_iterations;
  robots.for_each([&](auto& robot) TANDEM_INLINE { ImplicitMidpoint::begin(robots, robot); });
  bool goes_on = true;
  const auto accelerate_middle = [&]() TANDEM_INLINE {
    robots.for_each([&](auto& robot) TANDEM_INLINE {
      ask(drive, robot, robot.q_stage, robot.column(robot.v_stage), robot.h / S(2));
    });
    accelerate<S>(robots, drive, StepAt::middle, 0.5, true, true);
    goes_on = false;
  };
  for (int k = 0; k < most && goes_on; ++k) {
    accelerate_middle();
    robots.for_each([&](auto& robot)
                        TANDEM_INLINE { goes_on |= ImplicitMidpoint::iterate(robots, drive, robot, k + 1 == most); });
  }
  if constexpr (has_rates<S>) {
    robots.for_each([&](auto& robot) TANDEM_INLINE { ImplicitMidpoint::begin_to_follow(robot); });
    goes_on = true;
    for (int k = 0; k < ImplicitMidpoint::most_followed && goes_on; ++k) {
      accelerate_middle();
      robots.for_each([&](auto& robot) TANDEM_INLINE { goes_on |= ImplicitMidpoint::follow(robots, drive, robot); });
    }
  }
  robots.for_each([&](auto& robot) TANDEM_INLINE {
    const auto v = robot.column(robot.begun), a = robot.column(robot.acceleration), u = robot.column(robot.rate);
    const S h = robot.h, half = h / S(2);
    if constexpr (has_rates<S>) ImplicitMidpoint::end_to_follow(robot);
    if (robot.rules.accounts) robot.account(drive, v, half, half, h, true);
    for (int k = 0; k < robot.m.nv; ++k) u[k] = S(v[k]) + half * S(a[k]);
    ImplicitMidpoint::arrive(robot, u, robot.column(robot.velocity));
    robot.move(robot.q, robot.column(robot.displacement), robot.q);
    outcome.iterations = outcome.iterations + robot.midpoint.steps;
    outcome.converged = select(S(0) < robot.failed, S(0), outcome.converged);
  });
}

}  // namespace tandem::inline TANDEM_ISA
