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
///     permitted = gap / h before the limit,       0 beyond it
///
/// Before the limit the joint may go as far as the limit within the step: it is met, not crossed. As `approach` is the speed that the
/// push has already slowed, a step divides what is too fast by 1 + hardness at any h: no step is too long, and no stop too stiff. A push
/// below zero would pull: the stop has let go.
///
/// A joint that is beyond its limit, because it began there or a step let it cross, is led back after each step: what it is beyond
/// shrinks with the time constant max(recovery, 5 h), in the joint's coordinate alone. Velocities stay, and with them momentum: a stop that
/// pushed it back would fling it in.
struct JointStops {
  static constexpr double hardness = 10000;
  static constexpr double recovery = 0.05;  ///< s
  static constexpr double steps_of_recovery = 5;

  /// How fast a joint may approach its limit; `rate` is 1 / h, the same for all joints, which so need no division.
  template <class S>
  TANDEM_HD static S permitted(const S& gap, const S& rate) {
    return select(gap < S(0), S(0), gap * rate);
  }
  /// What is left after a step of h of the way that a joint is beyond its limit: exp(-x), x = h / max(recovery, 5 h), within 5e-7.
  template <class S>
  TANDEM_HD static S left_beyond(const S& h) {
    const S shortest = S(steps_of_recovery) * h, usual(recovery);
    const S x = h / select(shortest < usual, usual, shortest), even = S(1) + x * x / S(12), odd = x / S(2);
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
