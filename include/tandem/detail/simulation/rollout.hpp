// SPDX-License-Identifier: Apache-2.0
/// The loop over the steps of a rollout: what drives the joints, what that costs, and which instances go on. It knows
/// no arrays and no way to solve: a *feed* gives the numbers of every step and takes states, *robots* are those of
/// step.hpp.
///
/// A feed has
///
///     begin(step)                    before each step, and once more, behind the last one, for the final cost
///     input(which)                   a column, false where there is none
///     has_pushes()                   whether there are wrenches on the links in any step
///     pushes(step)                   those of this step [n_links][6], false where there are none
///     frame(k) frame_target(k) frame_weight(k) final_frame_weight(k)   terms of the cost
///     most_speed(row)                of what is within reason, a finite number
///     sample(k, q, v)                takes state number k of the path
///     has_functions                  whether it has these, too:
///     control(step, q, v, tau)       changes the joint forces of the controls
///     cost(step, q, v, tau)          of a state before a step, and final_cost(q, v) of the last one
///
/// a feed that is Watchable has these, too:
///
///     is_watched()                                whether instances are watched in this rollout
///     watched(robots, drive, alive, is_first)     those of `alive` that go on, before the first step and after each
///
/// and inverse(q, v, a, f_ext, weighs, tau) is inverse dynamics of the model as it is given, with weight or without.
#pragma once
#include "tandem/detail/simulation/rollout_cost.hpp"
#include "tandem/detail/simulation/step.hpp"
#include "tandem/rollout_inputs.hpp"

namespace tandem {

/// What a rollout is told, the same for all instances.
struct RolloutLaw : StepRules {
  double dt = 0;
  Index first = 0, steps = 0;  ///< number of the first step, and how many
  Index every = 1;             ///< a path has every so many states
  bool computed_torque = false, gravity_compensation = false;
  bool samples = false, costs = false;
  int frames = 0;  ///< terms of the cost
};

/// Speeds above this count as no longer finite.
template <class R>
inline constexpr R largest_speed = sizeof(R) == 8 ? R(1e150) : R(1e18);

inline namespace TANDEM_ISA {

template <class Feed>
concept Watchable = requires { requires Feed::is_watchable; };

/// What has become of every lane: 1 where it began, as its state was finite; the steps done; 1 where it did not go on
/// to the end; the cost; 0 where that was because a step that iterates did not come to its tolerance.
template <class S>
struct RolloutEnd {
  S began, steps, diverged, cost, converged;
};

/// What drives the joints in a step, as step.hpp has it.
template <class Feed, class Inverse, class Work>
struct RolloutDrive {
  const RolloutLaw& law;
  Feed& feed;
  const Inverse& inverse;
  Work u, zeros;  ///< scratch memory, and zeros, of nv rows
  Index step = 0;

  TANDEM_HD bool has_wrenches() const { return feed.has_pushes(); }
  TANDEM_HD bool has_target() const { return feed.input(RolloutInput::q_target) && !law.computed_torque; }
  TANDEM_HD auto target() const { return feed.input(RolloutInput::q_target); }
  TANDEM_HD auto kp() const { return feed.input(RolloutInput::kp); }
  TANDEM_HD auto kd() const { return feed.input(RolloutInput::kd); }

  /// What the controls push with, but for pd; and pushes from outside.
  template <class Robot, class S>
  TANDEM_HD void operator()(Robot& robot, Work q, Work v, const S&) {
    controls<S>(robot, q, v);
    if (!has_wrenches()) return;
    const Work pushed = robot.column(robot.pushed);
    if (const auto f_ext = feed.pushes(step)) {
      inverse(q, zeros, zeros, f_ext, false, u);
      for (int k = 0; k < robot.m.nv; ++k) pushed[k] = -S(u[k]);
    } else {
      fill(pushed, robot.m.nv, S(0));
    }
  }

  template <class S, class Robot>
  TANDEM_HD void controls(Robot& robot, Work q, Work v) {
    const auto& m = robot.m;
    const Work given = robot.column(robot.given);
    const auto tau = feed.input(RolloutInput::tau);
    for (int k = 0; k < m.nv; ++k) given[k] = tau ? S(tau[k]) : S(0);
    if (target() && law.computed_torque) {
      Difference::body<S>(m, q, target(), u, u);
      const auto v_target = feed.input(RolloutInput::v_target), a_target = feed.input(RolloutInput::a_target);
      for (int k = 0; k < m.nv; ++k) {
        const S slower = v_target ? S(v_target[k]) - S(v[k]) : -S(v[k]);
        const S wanted = mul_add(S(kp()[k]), S(u[k]), S(kd()[k]) * slower);
        u[k] = a_target ? S(a_target[k]) + wanted : wanted;
      }
      inverse(q, v, u, Work{}, true, u);
      add<S>(m.nv, given);
    } else if (law.gravity_compensation) {
      inverse(q, zeros, zeros, Work{}, true, u);
      add<S>(m.nv, given);
    }
    if constexpr (Feed::has_functions) feed.control(step, q, v, given);
  }

  /// What the joints are driven with where they are, pd included, within the limits that hold for them.
  template <class S, class Robot>
  TANDEM_HD void efforts(Robot& robot, Work q, Work v) {
    const auto& m = robot.m;
    controls<S>(robot, q, v);
    const Work given = robot.column(robot.given);
    if (has_target()) {
      Difference::body<S>(m, q, target(), u, u);
      for (int k = 0; k < m.nv; ++k) {
        const S led = mul_add(S(kp()[k]), S(u[k]), -(S(kd()[k]) * S(v[k])));
        given[k] = S(given[k]) + (law.effort_limits ? led : within(led, S(m.tau_limit[k])));
      }
    }
    if (law.effort_limits) robot.clip_given();
  }

 private:
  template <class S>
  TANDEM_HD void add(int rows, Work given) const {
    for (int k = 0; k < rows; ++k) given[k] = S(given[k]) + S(u[k]);
  }
  template <class S>
  TANDEM_HD static S within(const S& x, const S& limit) {
    const S below = select(limit < x, limit, x);
    return select(below < -limit, -limit, below);
  }
};

/// One instance, or as many as S has lanes, whose robot holds the state that it begins in.
template <class S, class Robots, class Feed, class Inverse, class Work>
class RolloutLoop {
 public:
  /// Rows of scratch memory besides the robot's.
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return Index{m.nq} + (Watchable<Feed> ? 6 : 3) * Index{m.nv};
  }

  TANDEM_HD RolloutLoop(const RolloutLaw& law, Feed& feed, Robots& robots, const Inverse& inverse, Work w)
      : law_(law),
        feed_(feed),
        robots_(robots),
        nq_(robots.robot.m.nq),
        nv_(robots.robot.m.nv),
        q_(robots.robot.q),
        v_(robots.robot.column(robots.robot.velocity)),
        q_last_(w),
        v_last_(w + nq_),
        stops_last_(w + nq_ + 3 * nv_),
        drive_{law, feed, inverse, w + nq_ + nv_, w + nq_ + 2 * nv_} {
    fill(drive_.zeros, nv_, S(0));
  }

  TANDEM_HD RolloutEnd<S> run() {
    return run([](Index) TANDEM_INLINE {});
  }
  /// The same; visit(k) is called before step number k of it, with the robot in the state that the step begins in.
  template <class Visit>
  TANDEM_HD RolloutEnd<S> run(Visit&& visit) {
    S alive = watched(select(nothing() == S(0), S(1), S(0)), true), done(0);
    const S began = alive;
    S converged(1);
    if (has_loops() && law_.first == 0) {  // later states are those of steps
      keep();
      alive = closed(alive);
      put_back(alive);
    }
    StepOutcome<S> outcome;
    Index k = 0;
    for (; k < law_.steps && any(S(0) < alive); ++k) {
      feed_.begin(law_.first + k);
      sample(k);
      visit(k);
      drive_.step = law_.first + k;
      if (law_.costs) add_cost(alive);
      keep();
      step<S>(robots_, drive_, robots_.robot.rules, outcome);
      const S fails = select(S(0) < robots_.robot.failed, alive, S(0));
      converged = converged - fails;
      alive = watched(sound(closed(alive - fails)), false);
      done = done + alive;
      put_back(alive);
    }
    for (; k <= law_.steps; ++k) sample(k);
    if (law_.costs) add_final_cost(alive);
    return {began, done, began - alive, cost_.sum, converged};
  }

 private:
  /// A state of the path.
  TANDEM_HD void sample(Index k) {
    if (law_.samples && k % law_.every == 0) feed_.sample(k / law_.every, q_, v_);
  }
  TANDEM_HD void keep() const {
    copy(q_, q_last_, nq_);
    copy(v_, v_last_, nv_);
    if (keeps_stops()) copy(robots_.robot.stops.rows, stops_last_, 3 * nv_);
  }
  TANDEM_HD static void copy(Work from, Work to, Index rows) {
    for (Index k = 0; k < rows; ++k) to[k] = S(from[k]);
  }
  /// Lanes that are not alive stay in the last state.
  TANDEM_HD void put_back(const S& alive) const {
    if (!any(S(alive) < S(1))) return;
    const auto back = [&](Work from, Work to, Index rows) TANDEM_INLINE {
      for (Index k = 0; k < rows; ++k) to[k] = select(S(0) < alive, S(to[k]), S(from[k]));
    };
    back(q_last_, q_, nq_);
    back(v_last_, v_, nv_);
    if (keeps_stops()) back(stops_last_, robots_.robot.stops.rows, 3 * nv_);
  }
  TANDEM_HD bool keeps_stops() const { return is_watched() && robots_.robot.stops.some(); }
  TANDEM_HD bool is_watched() const {
    if constexpr (Watchable<Feed>)
      return feed_.is_watched();
    else
      return false;
  }
  /// Lanes that go on after the watch, if there is one, has seen their state.
  TANDEM_HD S watched(const S& alive, bool is_first) {
    if constexpr (Watchable<Feed>)
      if (is_watched()) return feed_.watched(robots_, drive_, alive, is_first);
    return alive;
  }
  /// States are led back onto closed loops, as a Simulation does; lanes that do not get there are not alive.
  TANDEM_HD S closed(const S& alive) const {
    if constexpr (Robots::closes_loops)
      if (has_loops()) return select(S(0) < alive, robots_.close_loops(), S(0));
    return alive;
  }
  TANDEM_HD bool has_loops() const { return Robots::closes_loops && robots_.robot.m.n_loops > 0; }
  /// Zero, or NaN where a number of the state is not finite.
  TANDEM_HD S nothing() const {
    S sum(0);
    for (Index k = 0; k < nq_; ++k) sum = sum + (S(q_[k]) - S(q_[k]));
    for (Index k = 0; k < nv_; ++k) sum = sum + (S(v_[k]) - S(v_[k]));
    return sum;
  }
  /// 1 in lanes that are alive and still within reason: no joint is faster than it may be, which is less than would
  /// take a finite configuration to one that is not. NaN is no speed.
  TANDEM_HD S sound(const S& alive) const {
    const Work v = v_;
    const Index rows = nv_;
    S good = alive;
    for (Index k = 0; k < rows; ++k) good = select(abs(S(v[k])) < S(feed_.most_speed(k)), good, S(0));
    return good;
  }

  TANDEM_HD void add_cost(const S& alive) {
    S sum(0);
    const auto effort_weight = feed_.input(RolloutInput::effort_weight);
    const Work given = robots_.robot.column(robots_.robot.given);
    if (effort_weight || Feed::has_functions) drive_.template efforts<S>(robots_.robot, q_, v_);
    if (effort_weight) sum = RolloutTerms::of_rows(nv_, effort_weight, given, sum);
    if constexpr (Feed::has_functions) sum = sum + feed_.cost(drive_.step, q_, v_, given);
    sum = of_state(feed_.input(RolloutInput::q_weight), feed_.input(RolloutInput::v_weight), sum);
    for (int k = 0; k < law_.frames; ++k) sum = of_frame(k, feed_.frame_weight(k), sum);
    cost_.add(select(S(0) < alive, S(static_cast<R>(law_.dt)) * sum, S(0)));
  }
  TANDEM_HD void add_final_cost(const S& alive) {
    feed_.begin(law_.first + law_.steps);
    S sum = of_state(feed_.input(RolloutInput::final_q_weight), feed_.input(RolloutInput::final_v_weight), S(0));
    for (int k = 0; k < law_.frames; ++k) sum = of_frame(k, feed_.final_frame_weight(k), sum);
    if constexpr (Feed::has_functions) sum = sum + feed_.final_cost(q_, v_);
    cost_.add(sum);
    cost_.sum = select(S(0) < alive, cost_.sum, S(1) / S(0));
  }
  template <class Weight>
  TANDEM_HD S of_state(Weight q, Weight v, S sum) const {
    const auto& m = robots_.robot.m;
    if (q) sum = RolloutTerms::of_configuration<S>(m, q, q_, feed_.input(RolloutInput::q_reference), drive_.u, sum);
    if (v) sum = RolloutTerms::of_velocity<S>(nv_, v, v_, feed_.input(RolloutInput::v_reference), sum);
    return sum;
  }
  template <class Weight>
  TANDEM_HD S of_frame(int k, Weight weight, const S& sum) const {
    if (!weight) return sum;
    return RolloutTerms::of_frame<S>(robots_.robot.m, feed_.frame(k), weight, q_, feed_.frame_target(k), sum);
  }

  using R = typename RealOf<S>::type;
  const RolloutLaw& law_;
  Feed& feed_;
  Robots& robots_;
  Index nq_, nv_;
  Work q_, v_, q_last_, v_last_, stops_last_;  // the latter only of a feed that is Watchable
  RolloutDrive<Feed, Inverse, Work> drive_;
  LongSum<S> cost_;
};

}  // namespace TANDEM_ISA
}  // namespace tandem
