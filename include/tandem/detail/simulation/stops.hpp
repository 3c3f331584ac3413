// SPDX-License-Identifier: Apache-2.0
/// Stops at position limits, of one robot or of as many as there are lanes: when a joint meets one, when one lets go,
/// what it pushes with.
#pragma once
#include <limits>

#include "tandem/detail/core/dual.hpp"
#include "tandem/detail/problems/joint_stops.hpp"

namespace tandem::inline TANDEM_ISA {

/// Passes over one step in which stops may let go, and in which joints may meet them: late ones add only, the last ones
/// nothing.
inline constexpr int releasing_passes = 8, meeting_passes = 32;

template <class S>
inline constexpr double rounding_unit = std::is_same_v<typename RealOf<S>::type, float> ? 0x1p-23 : 0x1p-52;

/// Whether a condition holds in any lane. Numbers on which no branch can be taken have no stops.
template <class Condition>
TANDEM_HD bool any_lane(const Condition& condition) {
  if constexpr (requires { any(condition); })
    return any(condition);
  else
    return false;
}

/// What is known of the stop of every row of v. Flags are numbers, 1 or 0, one a lane.
template <class S, class M, class Work>
struct JointStopColumns {
  enum Column {
    impedance,
    push,
    side,
    least,
    most,
    met,
    left,
    columns
  };
  // least and most: permitted speeds at the end of the step; met: 1 if the joint reached its limit in this step; side:
  // 1 upper, -1 lower, 0 inactive; left: fraction of the excess beyond the limit after the return, 1 without a return
  static constexpr double unseen_way = 1e-6 > 64 * rounding_unit<S> ? 1e-6 : 64 * rounding_unit<S>;  ///< rad|m
  const ModelView<M>& m;
  Work rows;
  bool has_some = false;
  S far{0};  ///< 1 where a joint is led back by a way that can be seen

  TANDEM_HD JointStopColumns(const ModelView<M>& m_, Work w, bool act) : m(m_), rows(w) {
    if constexpr (CanBranch<S>) has_some = act && some_in(m);
  }
  TANDEM_HD bool some() const { return has_some; }
  TANDEM_HD static bool some_in(const ModelView<M>& model) {
    bool found = false;
    for_each_in(model, [&](int, int, const S&, const S&) TANDEM_INLINE { found = true; });
    return found;
  }
  TANDEM_HD Work column(Column c) const { return rows + Index{m.nv} * c; }
  TANDEM_HD void forget() const { fill(rows, Index{m.nv} * 3, S(0)); }

  /// What is kept from step to step, in columns [nv][3] of others.
  template <class Column>
  TANDEM_HD void recall(Column from) const {
    for (int k = 0; k < m.nv; ++k)
      for (int c = impedance; c <= side; ++c) rows[Index{m.nv} * c + k] = S(from[3 * k + c]);
  }
  template <class Column>
  TANDEM_HD void keep(Column to) const {
    for (int k = 0; k < m.nv; ++k)
      for (int c = impedance; c <= side; ++c) to[3 * k + c] = S(rows[Index{m.nv} * c + k]);
  }

  /// Calls f(row in q, row in v, lower, upper) for every joint with position limits.
  template <class F>
  TANDEM_HD void for_each(F&& f) const {
    for_each_in(m, f);
  }
  template <class F>
  TANDEM_HD static void for_each_in(const ModelView<M>& m, F&& f) {
    for_each_limited_row(m, [&](int iq, int iv) TANDEM_INLINE {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      const S lower(m.q_lower[iq]), upper(m.q_upper[iq]);
      if (any_lane(S(-infinity) < lower) || any_lane(upper < S(infinity))) f(iq, iv, lower, upper);
    });
  }

  /// After a step: which joints are beyond their limits. Flags robots of which there is one.
  TANDEM_PASS S look_beyond(Work q, const S& h) {
    S found(0);
    const S of_these = JointStops::left_beyond(h), recovery = S(1) / JointStops::rates(h).beyond;
    far = S(0);
    for_each([&](int iq, int iv, const S& lower, const S& upper) TANDEM_INLINE {
      const S way = beyond(iv, S(q[iq]), lower, upper, recovery), size = abs(way);
      const auto is_beyond = S(0) < size;
      column(left)[iv] = select(is_beyond, of_these, S(1));
      found = select(is_beyond, S(1), found);
      far = select(S(unseen_way) < size, S(1), far);
    });
    return found;
  }
  /// Leads them back. Returns the work, J, of the stops, as they last pushed.
  TANDEM_PASS S lead_back(Work q, const S& h) const {
    S work(0);
    const S recovery = S(1) / JointStops::rates(h).beyond;
    for_each([&](int iq, int iv, const S& lower, const S& upper) TANDEM_INLINE {
      const S way = beyond(iv, S(q[iq]), lower, upper, recovery), back = (S(1) - S(column(left)[iv])) * way;
      const auto is_beyond = S(0) < abs(way);
      q[iq] = select(is_beyond, S(q[iq]) - back, S(q[iq]));
      work = select(is_beyond, work - back * S(column(push)[iv]), work);
    });
    return work;
  }
  /// How far a joint is above its upper limit, or, negative, below its lower one, farther than its load holds it.
  TANDEM_HD S beyond(int iv, const S& at, const S& lower, const S& upper, const S& recovery) const {
    if (!any(upper < at) && !any(at < lower)) return S(0);
    const S depth = recovery * held(iv, S(JointStops::crossing) / recovery), above = at - upper - depth,
            below = at - lower + depth;
    return select(S(0) < above, above, select(below < S(0), below, S(0)));
  }
  /// How fast a joint beyond its limit may go back: by twice what its stop pushes with, and at least so fast. Taken as
  /// it was found.
  TANDEM_HD S held(int iv, const S& at_least) const {
    const auto acts = S(0) < abs(S(column(side)[iv]));
    const S load = select(acts, S(2) * abs(S(column(push)[iv])) / select(acts, S(column(impedance)[iv]), S(1)), S(0));
    return as_found(select(load < at_least, at_least, load));
  }
  TANDEM_HD static S as_found(const S& x) {
    if constexpr (has_rates<S>)
      return S(x.value);
    else
      return x;
  }

  /// Looks at which speeds every stop permits in this step. Flags robots with a joint that is faster, other than by the
  /// little that it takes to hold what pressed against the stop in the step before: these lose that speed at once, in
  /// an impact. inertia(row): what the joint feels.
  template <class Inertia>
  TANDEM_PASS S look(Work q, Work v, const S& h, Inertia&& inertia) const {
    const Work sides = column(side);
    const auto rates = JointStops::rates(h);
    const S slowest = S(JointStops::crossing) * rates.beyond;
    S hit(0);
    for_each([&](int iq, int iv, const S& lower, const S& upper) TANDEM_INLINE {
      const S at = q[iq], speed = v[iv], was = sides[iv], size = abs(at);
      const S pressed = any(S(0) < abs(was)) ? held(iv, S(0)) : S(0),
              load = select(pressed < slowest, slowest, pressed);
      const S highest = JointStops::permitted(upper - at, rates, load),
              lowest = -JointStops::permitted(at - lower, rates, load);
      column(most)[iv] = highest;
      column(least)[iv] = lowest;
      column(met)[iv] = S(0);
      // a way within the step that nobody sees is no impact: a force does; nor is what holds what presses already
      const S unseen = S(unseen_way) * select(size < S(1), S(1), size) * rates.before;
      S above = unseen, below = unseen;
      if (any(S(0) < abs(was))) {
        above = unseen + select(S(0) < was, pressed, S(0));
        below = unseen + select(was < S(0), pressed, S(0));
      }
      const S now = select(highest + above < speed, S(1), select(speed < lowest - below, S(-1), S(0)));
      if (!any(S(0) < abs(now))) return;
      hit = select(now == S(0), hit, S(1));
      meet(iv, now, select(now == S(0), S(0), select(now == was, S(0), S(1))), h, inertia);
    });
    return hit;
  }

  /// Flagged robots come to their upper (1) or lower (-1) limit.
  template <class Inertia>
  TANDEM_HD void meet(int iv, const S& at, const S& flag, const S& h, Inertia&& inertia) const {
    const auto meets = S(0) < flag;
    if (!any(meets)) return;
    column(side)[iv] = select(meets, at, S(column(side)[iv]));
    column(met)[iv] = select(meets, S(1), S(column(met)[iv]));
    column(push)[iv] = select(meets, S(0), S(column(push)[iv]));
    column(impedance)[iv] = select(meets, JointStops::impedance(inertia(iv), h), S(column(impedance)[iv]));
  }

  /// The joint force of a stop at a speed at the end of the step.
  TANDEM_HD S push_at(int iv, const S& speed) const {
    const S permitted = select(S(0) < S(column(side)[iv]), S(column(most)[iv]), S(column(least)[iv]));
    return -JointStops::push(S(column(impedance)[iv]), speed, permitted);
  }

  /// Adds what stops push flagged robots with, taken at the end of the step, to the forces on their joints.
  TANDEM_HD void add_implicit(Work v, Work tau, Work diagonal, const S& h, const S& flag) const {
    for_each([&](int, int iv, const S&, const S&) TANDEM_INLINE {
      const S acts = select(S(column(side)[iv]) == S(0), S(0), flag);
      if (!any_lane(S(0) < acts)) return;
      tau[iv] = select(S(0) < acts, S(tau[iv]) + push_at(iv, S(v[iv])), S(tau[iv]));
      diagonal[iv] = select(S(0) < acts, S(diagonal[iv]) + h * S(column(impedance)[iv]), S(diagonal[iv]));
    });
  }
  /// Adds them as they were found to push.
  TANDEM_HD void add_found(Work tau) const {
    for_each([&](int, int iv, const S&, const S&) TANDEM_INLINE {
      tau[iv] = select(S(column(side)[iv]) == S(0), S(tau[iv]), S(tau[iv]) + S(column(push)[iv]));
    });
  }

  /// With the speeds after a step of velocities v and their rate: what every stop of flagged robots pushes with; joints
  /// that come too fast to a stop meet it, stops that pull let go. False if there were none of either.
  template <class Inertia>
  TANDEM_PASS bool revise(Work v, Work a, const S& h, int pass, const S& flag, Inertia&& inertia) const {
    S found(0);
    for_each([&](int, int iv, const S& lower, const S& upper) TANDEM_INLINE {
      const S change = h * S(a[iv]), speed = S(v[iv]) + change, was = column(side)[iv];
      const S slack = S(8 * rounding_unit<S>) * (abs(S(v[iv])) + abs(change));
      const S beyond =
          select(S(column(most)[iv]) + slack < speed, S(1), select(speed < S(column(least)[iv]) - slack, S(-1), S(0)));
      if (any(S(0) < abs(was))) {
        const S resists = column(impedance)[iv], pushes = push_at(iv, speed);
        // one that leaves by less than 1e-9 rad or m in a step may stay: else noise lets it go and come
        const S little = S(1e-9) / (h * S(JointStops::hardness)), bound = select(slack < little, little, slack);
        const bool may_release = pass < releasing_passes;
        const S pulls = select(bound < was * pushes / resists, flag, S(0));
        const S goes = may_release ? select(lower < upper, select(was == S(0), S(0), pulls), S(0)) : S(0);
        const auto keeps = S(0) < select(was == S(0), S(0), select(goes == S(0), flag, S(0)));
        column(push)[iv] = select(keeps, pushes, select(S(0) < goes, S(0), S(column(push)[iv])));
        column(side)[iv] = select(S(0) < goes, S(0), was);
        column(impedance)[iv] = select(S(0) < goes, S(0), resists);
        found = found + goes;
      }
      if (pass >= meeting_passes) return;
      const S meets = select(beyond == S(0), S(0), select(was == S(0), flag, S(0)));
      found = found + meets;
      meet(iv, beyond, meets, h, inertia);
    });
    return any(S(0) < found);
  }

  /// W that the stops do at the velocity v + mean a.
  TANDEM_PASS S power(Work v, Work a, const S& mean) const {
    S sum(0);
    for_each([&](int, int iv, const S&, const S&) TANDEM_INLINE {
      sum = select(S(column(side)[iv]) == S(0), sum, sum + (S(v[iv]) + mean * S(a[iv])) * S(column(push)[iv]));
    });
    return sum;
  }
};

}  // namespace tandem::inline TANDEM_ISA
