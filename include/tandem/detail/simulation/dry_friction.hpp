// SPDX-License-Identifier: Apache-2.0
/// Dry friction at the joints of a robot that is stepped, or of as many as there are lanes.
#pragma once
#include "tandem/detail/simulation/stops.hpp"

namespace tandem::inline TANDEM_ISA {

/// Coulomb friction of every row of v, bounded by the joint's `friction`:
///
///     push = -friction sign(v')              where the row slips,   |v'| > slip speed
///            -friction v' / slip speed       where it sticks,       v' = v + h a
///
/// v' is the velocity at the end of the step, so that the push is solved for together with the accelerations: a row
/// that sticks adds h friction / slip speed to the diagonal of the mass matrix. Friction never turns a motion round, it
/// ends it; a row that sticks under a load below its friction creeps at most at the slip speed.
///
/// Method    which rows slip is found in passes, beginning with those that move: after a solution, a row that slips and
///           would turn round sticks, one that sticks beyond the slip speed slips. First all of them at once; then, as
///           that may go round in a circle, one row a pass, the first one, which does not (Murty's least-index rule for
///           P-matrices, Math. Programming 7, 1974)
/// Errors    that of the push in the step in which a row comes to rest from a velocity v: rounding * v / slip speed of
///           it
template <class S, class M, class Work>
struct DryFriction {
  using Real = typename RealOf<S>::type;
  static constexpr double slip_speed = std::is_same_v<Real, float> ? 0x1p-14 : 0x1p-20;  ///< rad/s|m/s
  static constexpr int joint_passes = 8, most_passes = 40;

  /// slips: 1 or -1, the direction in which a row slips, or 0 where it sticks; push: N m|N, as it was found.
  enum Column { slips, push, columns };

  const ModelView<M>& m;
  Work rows;
  bool has_some = false;

  TANDEM_HD DryFriction(const ModelView<M>& m_, Work w, bool acts) : m(m_), rows(w) {
    if constexpr (CanBranch<S>)
      for (int k = 0; acts && k < m.nv; ++k) has_some = has_some || any(m.friction[k] != M(0));
    fill(w, columns * Index{m.nv}, S(0));
  }
  TANDEM_HD bool some() const { return has_some; }
  TANDEM_HD Work column(Column c) const { return rows + Index{m.nv} * c; }

  /// Before a step from the velocities v: what moves slips.
  TANDEM_PASS void begin(Work v) const {
    for_each([&](int k) TANDEM_INLINE {
      const S speed = v[k];
      column(slips)[k] = select(S(slip_speed) < abs(speed), direction(speed), S(0));
    });
  }

  /// Adds what it pushes with, taken at the end of a step from the velocities v, to the forces on the joints.
  TANDEM_PASS void add_implicit(Work v, Work tau, Work diagonal, const S& h) const {
    for_each([&](int k) TANDEM_INLINE {
      const S slip = column(slips)[k], Z = impedance(k);
      const auto sticks = slip == S(0);
      tau[k] = S(tau[k]) - select(sticks, Z * S(v[k]), slip * S(m.friction[k]));
      diagonal[k] = S(diagonal[k]) + select(sticks, h * Z, S(0));
    });
  }

  /// With the accelerations of a pass: what every row pushes with, and which slip or stick from now on. False if these
  /// are the same.
  TANDEM_PASS bool revise(Work v, Work a, const S& h, int pass) const {
    S found(0);
    for_each([&](int k) TANDEM_INLINE {
      const S was = column(slips)[k], end = S(v[k]) + h * S(a[k]), bound(m.friction[k]);
      const auto stuck = was == S(0);
      const S now =
          select(stuck, select(S(slip_speed) < abs(end), direction(end), S(0)), select(was * end < S(0), S(0), was));
      S changes = select(now == was, S(0), select(bound == S(0), S(0), S(1)));
      if (pass >= joint_passes) changes = select(S(0) < found, S(0), changes);
      if (pass >= most_passes) changes = S(0);
      column(push)[k] = -select(stuck, impedance(k) * end, was * bound);
      column(slips)[k] = select(S(0) < changes, now, was);
      found = found + changes;
    });
    return any_lane(S(0) < found);
  }

  /// N m s/rad|N s/m: of a row that sticks.
  TANDEM_HD S impedance(int k) const { return S(m.friction[k]) * S(1 / slip_speed); }

  /// Calls f(row) for every row with friction.
  template <class F>
  TANDEM_HD void for_each(F&& f) const {
    for (int k = 0; has_some && k < m.nv; ++k)
      if (any_lane(m.friction[k] != M(0))) f(k);
  }

 private:
  TANDEM_HD static S direction(const S& speed) { return select(speed < S(0), S(-1), S(1)); }
};

}  // namespace tandem::inline TANDEM_ISA
