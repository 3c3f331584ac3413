// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/spatial/vec3.hpp"

namespace tandem::inline TANDEM_ISA {

/// Spatial motion [w; v]: velocity or acceleration of a frame.
/// w in rad/s (rad/s^2) along the frame's axes; v in m/s (m/s^2) of the body point now at its origin.
template <class S>
struct Motion {
  Vec3<S> w, v;
  TANDEM_HD static constexpr Motion zero() { return {Vec3<S>::zero(), Vec3<S>::zero()}; }

  TANDEM_HD friend constexpr Motion operator+(const Motion& a, const Motion& b) { return {a.w + b.w, a.v + b.v}; }
  TANDEM_HD friend constexpr Motion operator-(const Motion& a, const Motion& b) { return {a.w - b.w, a.v - b.v}; }
  TANDEM_HD friend constexpr Motion operator*(S s, const Motion& a) { return {s * a.w, s * a.v}; }
};

/// s a + b
template <class S>
TANDEM_HD constexpr Motion<S> mul_add(const S& s, const Motion<S>& a, const Motion<S>& b) {
  return {mul_add(s, a.w, b.w), mul_add(s, a.v, b.v)};
}

/// A motion about the point at r.
template <class S>
TANDEM_HD constexpr Motion<S> shift_origin(const Motion<S>& m, const Vec3<S>& r) {
  return {m.w, add_cross(m.v, m.w, r)};
}

/// a x b: how the motion b changes when carried along by the velocity a.        [RBDA section 2.9]
template <class S>
TANDEM_HD constexpr Motion<S> cross(const Motion<S>& a, const Motion<S>& b) {
  return {cross(a.w, b.w), add_cross(cross(a.w, b.v), a.v, b.w)};
}

}  // namespace tandem::inline TANDEM_ISA
