// SPDX-License-Identifier: Apache-2.0
/// Damping that acts after contacts: how a row of v enters the contact problem of a semi-implicit step.
#pragma once
#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

/// A row of the contact problem, and what ContactSolver::slow adds to the diagonal after it.
template <class S>
struct DampedLater {
  S push;    ///< N m|N: tau with springs and damping as they are at the beginning of the step
  S within;  ///< kg m^2|kg: the diagonal without these
  S after;   ///< h D
};

/// tau and the diagonal have springs K and damping D at the end of the step of length h, at the speed v + h t, t the
/// turning part of v: see SteppedRobot::look_ahead.
template <class S>
TANDEM_HD DampedLater<S> damp_later(const S& tau, const S& diagonal, const S& v, const S& t, const S& K, const S& D,
                                    const S& h) {
  const S spring = h * K, after = h * D, left = diagonal - after - h * spring;
  return {mul_add(spring, mul_add(h, t, v), mul_add(after, t, tau)), select(S(0) < left, left, S(0)), after};
}

}  // namespace tandem::inline TANDEM_ISA
