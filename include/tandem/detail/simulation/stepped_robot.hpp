// SPDX-License-Identifier: Apache-2.0
/// A robot that is stepped through time: its columns, the forces on its joints and what they do.
#pragma once
#include <limits>

#include "tandem/detail/core/dual.hpp"
#include "tandem/detail/core/record.hpp"
#include "tandem/detail/problems/passive_forces.hpp"
#include "tandem/detail/simulation/dry_friction.hpp"
#include "tandem/detail/simulation/free_flight.hpp"
#include "tandem/detail/simulation/stops.hpp"
#include "tandem/detail/simulation/step_rules.hpp"

namespace tandem::inline TANDEM_ISA {

/// Dynamics that serve no implicit steps say so, and what steps with them: then nothing is compiled for these.
template <class T>
concept OnlyExplicit = requires {
  requires T::only_explicit;
};

/// J within the steps of a robot.
template <class S>
struct StepEnergies {
  S dissipated;  ///< taken by damping, friction and stops, less what stops gave as they led joints back
  S stopped;     ///< the part of it that stops took
  S work;        ///< given by joint forces and wrenches
  S controlled;  ///< given by the controller
};

/// What became of the steps, of every lane.
template <class S>
struct StepOutcome {
  S iterations{0};  ///< of implicit_midpoint, in all steps
  S converged{1};   ///< 0 once an iteration ended short of its tolerance: the robot stays in the state before that step
};

/// Where an iteration of implicit_midpoint is, see there. Flags are numbers, 1 or 0, one a lane.
template <class S>
struct MidpointState {
  S energy{0}, size{0};                ///< at the start, J; of the parts that it is made of
  S lambda{0};                         ///< 1/s
  S changed{-1};                       ///< how far the last iteration led; -1 before there was one
  S unrest{0};                         ///< how far the last change of lambda led
  S going{1}, steps{0};                ///< a flag, and iterations so far
};

/// One robot on numbers S, or as many as S has lanes. Its columns lie in scratch memory, where the state stays from
/// step to step.
template <class S, class M, class Work>
struct SteppedRobot {
  using Number = S;
  using Real = typename RealOf<S>::type;

  /// Columns of nv rows; `cut` is 1 where a limit cuts off what is given. Those of a stage, from v_stage on, are the
  /// other integrators' alone.
  enum Column {
    velocity,
    given,
    cut,
    pushed,
    tau,
    diagonal,
    acceleration,
    loss,
    stretched,
    error,
    clipped,
    is_clipped,
    still,
    unit,
    response,
    ahead,
    stop_columns,
    friction_columns = stop_columns + JointStopColumns<S, M, Work>::columns,
    v_stage = friction_columns + DryFriction<S, M, Work>::columns,
    displacement,
    rate,
    displacement_sum,
    acceleration_sum,
    begun,  // of implicit_midpoint: velocity, along the axes in the middle
    columns
  };

  const ModelView<M>& m;
  const StepRules& rules;
  Work q, q_stage, q_next, rows;  // the latter two are q where the integrator has no stages
  S h;
  JointStopColumns<S, M, Work> stops;
  DryFriction<S, M, Work> friction;
  Work start;  // the state before a step that iterates, with what stops did
  StepEnergies<S> energies = {S(0), S(0), S(0), S(0)}, energies_kept = energies;
  S hit{0};     // whose impacts are solved for
  S failed{0};  // whose steps did not converge: these stay where they are
  MidpointState<S> midpoint;
  bool has_springs;
  bool flies;  ///< whether there are free or planar joints

  TANDEM_HD static bool has_stages(const StepRules& rules) {
    return rules.integrator != Integrator::semi_implicit_euler;
  }
  TANDEM_HD static bool iterates(const StepRules& rules) { return rules.integrator == Integrator::implicit_midpoint; }
  TANDEM_HD static Index work_rows(const ModelView<M>& m, const StepRules& rules) {
    if (!has_stages(rules)) return m.nq + v_stage * Index{m.nv};
    return 3 * Index{m.nq} + columns * Index{m.nv} + (iterates(rules) ? m.nq + 4 * Index{m.nv} : 0);
  }

  /// In scratch memory w of work_rows, with steps of length h_. No stop is met yet.
  TANDEM_HD SteppedRobot(const ModelView<M>& m_, const StepRules& rules_, Work w, const S& h_)
      : m(m_),
        rules(rules_),
        q(w),
        q_stage(w + (has_stages(rules_) ? Index{m_.nq} : Index{0})),
        q_next(q_stage + (has_stages(rules_) ? Index{m_.nq} : Index{0})),
        rows(q_next + m_.nq),
        h(h_),
        stops(m_, rows + Index{m_.nv} * stop_columns, rules_.limits),
        friction(m_, rows + Index{m_.nv} * friction_columns, rules_.losses),
        start(rows + Index{m_.nv} * columns),
        has_springs(false),
        flies(FreeFlight::some_in(m_)) {
    for (int k = 0; k < m.nv; ++k) has_springs = has_springs || any(m.stiffness[k] != M(0));
    fill(column(still), m.nv, S(0));
    fill(column(unit), m.nv, S(0));
    fill(column(cut), m.nv, S(0));
    stops.forget();
  }
  TANDEM_HD Work column(Column c) const { return rows + Index{m.nv} * c; }

  /// Before a step that iterates.
  TANDEM_PASS void keep() {
    copy(q, start, m.nq);
    copy(column(velocity), start + m.nq, m.nv);
    copy(stops.rows, start + m.nq + m.nv, 3 * Index{m.nv});
    energies_kept = energies;
  }
  /// After it: robots whose steps failed are where they were before; rates of that are NaN.
  TANDEM_PASS void put_back() {
    const auto is_lost = S(0) < failed;
    if (!any_lane(is_lost)) return;
    const auto back = [&](Work from, Work to, Index n) TANDEM_INLINE {
      for (Index k = 0; k < n; ++k) to[k] = select(is_lost, without_rate(S(from[k])), S(to[k]));
    };
    back(start, q, m.nq);
    back(start + m.nq, column(velocity), m.nv);
    back(start + m.nq + m.nv, stops.rows, 3 * Index{m.nv});
    const auto old = [&](const S& before, S& now) TANDEM_INLINE { now = select(is_lost, before, now); };
    old(energies_kept.dissipated, energies.dissipated);
    old(energies_kept.stopped, energies.stopped);
    old(energies_kept.work, energies.work);
    old(energies_kept.controlled, energies.controlled);
  }

  TANDEM_HD static S without_rate(const S& x) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    if constexpr (has_rates<S>)
      return S(x.value, decltype(S::rate)(none));
    else
      return x;
  }

  /// v + reach (w x v_lin): the velocity after a time `reach` along axes that do not turn, but for what accelerations
  /// at_v add to it.
  TANDEM_HD Work look_ahead(Work at_v, Work v, const S& reach) const {
    if (!flies) return v;
    const Work next = column(ahead);
    fill(next, m.nv, S(0));
    FreeFlight::make_classical<S>(m, at_v, next);
    for (int k = 0; k < m.nv; ++k) next[k] = S(v[k]) + reach * S(next[k]);
    return next;
  }

  /// The forces on the joints where they are at (at_q, at_v), for a step of which damping, springs and the controller
  /// are taken after a time `reach`, at the speed v + reach a that the acceleration a then leads to (v: look_ahead):
  ///
  ///     tau = given - D v - K (stretch + reach (v - displaced)),    diagonal = reach (D + reach K)
  ///
  /// where `displaced` is zero or, of a stage of implicit_midpoint, the velocity v_stage that has led to at_q within
  /// that time. Rows in which the controller is held at its limit push with that.
  template <class Drive>
  TANDEM_PASS void forces(const Drive& drive, Work at_q, Work v, const S& reach, bool is_displaced) const {
    const Work push = column(tau), on_diagonal = column(diagonal), drives = column(given), losses = column(loss);
    const Work stretch_of = column(stretched), errors = column(error), held = column(clipped),
               is_held = column(is_clipped);
    if (has_springs) for_each_stretch<S>(m, at_q, [&](int row, const S& x) TANDEM_INLINE { stretch_of[row] = x; });
    if (drive.has_target()) distance_to_target(drive, at_q);
    for (int k = 0; k < m.nv; ++k) {
      S force = drives[k], D(0), K(0);
      if (drive.has_wrenches()) force = force + S(column(pushed)[k]);
      if (rules.losses) D = S(m.damping[k]);
      losses[k] = D;
      if (has_springs) {
        K = S(m.stiffness[k]);
        force = PassiveForces::spring_force(m, k, S(stretch_of[k]), force);
      }
      if (drive.has_target()) {
        const auto free = S(is_held[k]) == S(0);
        const S kp = gain(drive.kp(), k), kd = gain(drive.kd(), k);
        D = select(free, D + kd, D);
        K = select(free, K + kp, K);
        force = force + select(free, kp * S(errors[k]), S(held[k]));
      }
      const S both = D + reach * K;
      force = force - both * S(v[k]);
      if (is_displaced) force = force + reach * K * S(column(v_stage)[k]);
      push[k] = force;
      on_diagonal[k] = reach * both;
    }
    friction.add_implicit(column(velocity), push, on_diagonal, h);
  }

  /// How far the joints are from the controller's target.
  template <class Drive>
  TANDEM_PASS void distance_to_target(const Drive& drive, Work at_q) const {
    const Work errors = column(error);
    const auto target = drive.target();
    for_each_independent_joint<S>(m, [&](auto joint, int iq, int iv) TANDEM_INLINE {
      joint.template difference<S>(at_q + iq, target + iq, errors + iv);
    });
  }

  /// Of the controller, 0 if there is none; it does not act on a joint that allows no force.
  template <class Gains>
  TANDEM_HD S gain(const Gains& gains, int row) const {
    return gains ? select(S(m.tau_limit[row]) == S(0), S(0), S(gains[row])) : S(0);
  }
  /// What the controller pushes a joint with that moves at a speed.
  template <class Drive>
  TANDEM_HD S controller_push(const Drive& drive, int row, const S& speed, const S& reach, bool is_displaced) const {
    const S since = is_displaced ? speed - S(column(v_stage)[row]) : speed;
    return gain(drive.kp(), row) * (S(column(error)[row]) - reach * since) - gain(drive.kd(), row) * speed;
  }

  TANDEM_HD void release_controller() const {
    fill(column(clipped), m.nv, S(0));
    fill(column(is_clipped), m.nv, S(0));
  }
  /// Holds the controller at the limit in the rows in which, after a time `reach` under the acceleration found, it
  /// pushes harder than the joint allows, alone or together with what else drives it. False if there is none that was
  /// not held before.
  template <class Drive>
  TANDEM_PASS bool clip_controller(const Drive& drive, Work v, const S& reach, bool is_displaced) const {
    const Work held = column(clipped), is_held = column(is_clipped), a = column(acceleration);
    S found(0);
    for (int k = 0; k < m.nv; ++k) {
      const S limit(m.tau_limit[k]), beside = rules.effort_limits ? S(column(given)[k]) : S(0);
      const S push = beside + controller_push(drive, k, S(v[k]) + reach * S(a[k]), reach, is_displaced);
      const S clip = select(push < S(0), -limit, limit) - beside;
      const S is_new = select(limit < abs(push), select(S(is_held[k]) == S(0), S(1), S(0)), S(0));
      held[k] = select(S(0) < is_new, clip, S(held[k]));
      is_held[k] = S(is_held[k]) + is_new;
      found = found + is_new;
    }
    return any(S(0) < found);
  }
  /// Clips what a drive without a controller gives.
  TANDEM_HD void clip_given() const {
    const Work drives = column(given), is_cut = column(cut);
    for (int k = 0; k < m.nv; ++k) {
      const S limit(m.tau_limit[k]), push = drives[k];
      drives[k] = select(limit < push, limit, select(push < -limit, -limit, push));
      is_cut[k] = select(limit < abs(push), S(1), S(0));
    }
  }

  /// Adds the power of what drives the joints and of losses, for a time `weight`: forces as they are at the speed v +
  /// reach a, at the velocity v + mean a.
  template <class Drive>
  TANDEM_PASS void account(const Drive& drive, Work v, const S& reach, const S& mean, const S& weight,
                           bool is_displaced) {
    const Work a = column(acceleration), losses = column(loss), drives = column(given), held = column(clipped);
    S lost(0), driven(0), controlled(0);
    for (int k = 0; k < m.nv; ++k) {
      const S speed = S(v[k]) + reach * S(a[k]), between = S(v[k]) + mean * S(a[k]);
      lost = lost + between * (S(losses[k]) * speed);
      if (friction.some()) lost = lost - between * S(friction.column(friction.push)[k]);
      driven = driven + between * (drive.has_wrenches() ? S(drives[k]) + S(column(pushed)[k]) : S(drives[k]));
      if (!drive.has_target()) continue;
      controlled = controlled + between * select(S(column(is_clipped)[k]) == S(0),
                                                 controller_push(drive, k, speed, reach, is_displaced), S(held[k]));
    }
    const S stopped = stops.some() ? -weight * stops.power(v, a, mean) : S(0);
    energies.dissipated = energies.dissipated + (weight * lost + stopped);
    energies.stopped = energies.stopped + stopped;
    energies.work = energies.work + weight * driven;
    energies.controlled = energies.controlled + weight * controlled;
  }

  /// The velocities after the impact that the column `acceleration` makes of a step.
  TANDEM_PASS void take_impact() {
    const Work v = column(velocity), a = column(acceleration);
    const auto is_hit = S(0) < hit;
    if (rules.accounts) {
      const S taken = select(is_hit, -h * stops.power(v, a, h / S(2)), S(0));
      energies.dissipated = energies.dissipated + taken;
      energies.stopped = energies.stopped + taken;
    }
    for (int k = 0; k < m.nv; ++k) v[k] = select(is_hit, S(v[k]) + h * S(a[k]), S(v[k]));
  }

  /// The next stage of rk4, from the rates of the last one after the time `reach`; accelerations are along the axes at
  /// the start.
  TANDEM_PASS void go_to_stage(const S& reach) const {
    const Work v = column(velocity), a = column(acceleration), rates = column(rate), u = column(displacement),
               next = column(v_stage);
    for (int k = 0; k < m.nv; ++k) {
      next[k] = S(v[k]) + reach * S(a[k]);
      u[k] = reach * S(rates[k]);
    }
    move(q, u, q_stage);
    turn(u, next);
  }
  /// Adds the rates of a stage to the sums, and keeps them for the next one.
  TANDEM_PASS void add_stage(Work rates, const S& weight) const {
    const Work a = column(acceleration), us = column(displacement_sum), as = column(acceleration_sum),
               kept = column(rate);
    for (int k = 0; k < m.nv; ++k) {
      kept[k] = S(rates[k]);
      us[k] = S(us[k]) + weight * S(rates[k]);
      as[k] = S(as[k]) + weight * S(a[k]);
    }
  }

  TANDEM_HD static void copy(Work from, Work to, Index n) {
    for (Index k = 0; k < n; ++k) to[k] = S(from[k]);
  }
  /// The configuration after a displacement; vectors along the axes after it, and back along those before it, see
  /// FreeFlight.
  TANDEM_HD void move(Work from, Work u, Work to) const { FreeFlight::move<S>(m, from, u, to); }
  TANDEM_HD void turn(Work u, Work x) const {
    if (flies) FreeFlight::turn<S>(m, u, x);
  }
  TANDEM_HD void turn_back(Work u, Work x) const {
    if (flies) FreeFlight::turn_back<S>(m, u, x);
  }
};

/// What makes a step of a robot go different ways in different states, as the end of a sentence, or null if nothing
/// does.
template <class M>
const char* why_steps_branch(const ModelView<M>& m, const StepRules& rules, bool has_target) {
  if (rules.integrator == Integrator::implicit_midpoint) return "iterates by implicit_midpoint";
  if (rules.limits && JointStopColumns<M, M, M*>::some_in(m)) return "stops joints at position limits";
  for (int k = 0; rules.losses && k < m.nv; ++k)
    if (any_lane(m.friction[k] != M(0))) return "has joints with dry friction";
  for (int k = 0; has_target && k < m.nv; ++k)
    if (m.tau_limit[k] < M(std::numeric_limits<double>::infinity())) return "has a controller within effort limits";
  return nullptr;
}

/// Rows of scratch memory that a robot takes.
template <class M>
TANDEM_HD Index stepped_rows(const ModelView<M>& m, const StepRules& rules) {
  return SteppedRobot<M, M, M*>::work_rows(m, rules);
}

}  // namespace tandem::inline TANDEM_ISA
