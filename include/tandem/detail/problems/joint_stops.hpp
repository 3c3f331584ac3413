// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/integrate.hpp"

namespace tandem::inline TANDEM_ISA {

/// Calls f(row in q, row in v) for every joint that may have position limits. A mimic joint has none of its own.
template <class M, class F>
TANDEM_HD void for_each_limited_row(const ModelView<M>& m, F&& f) {
  for_each_independent_joint<M>(m, [&](auto joint, int iq, int iv) TANDEM_INLINE {
    if (joint.nv == 1) f(iq, iv);
  });
}

/// The stop at a joint's position limit: a damper that pushes only, and that a step of length h takes implicitly. With
/// `gap` from the joint to its limit, `approach` its speed towards it at the end of the step and I the inertia that it
/// feels there,
///
///     push = impedance (approach - permitted),    impedance = hardness I / h,
///     permitted = gap / h                         before the limit,
///                 gap / max(recovery, 5 h)        beyond it (negative: it goes back), but no more than `held`
///
/// Before the limit the joint may go as far as the limit within the step: it is met, not crossed. As `approach` is the
/// speed that the push has already slowed, a step divides what is too fast by 1 + hardness at any h: no step is too
/// long, and no stop too stiff. A push below zero would pull: the stop has let go.
///
/// Under a load the joint comes to rest where gap / recovery is push / impedance, which a spring of impedance /
/// recovery beside the damper would hold, too. A joint that is farther beyond its limit than twice that, because it
/// began there or a step let it cross, is led back after each step: the rest of the way shrinks with the same time
/// constant, in the joint's coordinate alone. Velocities stay, and with them momentum: a stop that pushed it back would
/// fling it in. `held` = 2 push / impedance, of the step before, and at least the speed that leads back over
/// `crossing`, which steps may let a joint cross.
struct JointStops {
  static constexpr double hardness = 10000;
  static constexpr double recovery = 0.05;  ///< s
  static constexpr double steps_of_recovery = 5;
  static constexpr double crossing = 5e-4;  ///< rad|m

  /// What a gap is multiplied by before the limit and beyond it, 1/s: the same for all joints, which so need no
  /// division.
  template <class S>
  struct Rates {
    S before, beyond;
  };
  template <class S>
  TANDEM_HD static Rates<S> rates(const S& h) {
    const S shortest = S(steps_of_recovery) * h, usual(recovery);
    return {S(1) / h, S(1) / select(shortest < usual, usual, shortest)};
  }
  template <class S>
  TANDEM_HD static S permitted(const S& gap, const Rates<S>& rates, const S& held) {
    const S back = gap * rates.beyond;
    return select(gap < S(0), select(back < -held, -held, back), gap * rates.before);
  }
  /// What is left after a step of h of the way by which a joint is led back: exp(-x), x = h / max(recovery, 5 h),
  /// within 5e-7.
  template <class S>
  TANDEM_HD static S left_beyond(const S& h) {
    const S x = h * rates(h).beyond, even = S(1) + x * x / S(12), odd = x / S(2);
    return (even - odd) / (even + odd);
  }
  template <class S>
  TANDEM_HD static S impedance(const S& inertia, const S& h) {
    return S(hardness) * inertia / h;
  }
  template <class S>
  TANDEM_HD static S push(const S& impedance, const S& approach, const S& permitted) {
    return impedance * (approach - permitted);
  }
};

}  // namespace tandem::inline TANDEM_ISA
