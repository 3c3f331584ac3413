// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/spatial/motion.hpp"

namespace tandem::inline TANDEM_ISA {

/// Spatial force (wrench) [n; f]: moment n in N m about the frame's origin, force f in N, or a momentum in the
/// same layout.
template <class S>
struct Force {
  Vec3<S> n, f;
  TANDEM_HD static constexpr Force zero() { return {Vec3<S>::zero(), Vec3<S>::zero()}; }

  TANDEM_HD friend constexpr Force operator+(const Force& a, const Force& b) { return {a.n + b.n, a.f + b.f}; }
  TANDEM_HD friend constexpr Force operator-(const Force& a, const Force& b) { return {a.n - b.n, a.f - b.f}; }
  TANDEM_HD friend constexpr Force operator*(S s, const Force& a) { return {s * a.n, s * a.f}; }
};

/// s a + b
template <class S>
TANDEM_HD constexpr Force<S> mul_add(const S& s, const Force<S>& a, const Force<S>& b) {
  return {mul_add(s, a.n, b.n), mul_add(s, a.f, b.f)};
}

/// Power of a force on a motion, or twice an energy [W, J].
template <class S>
TANDEM_HD constexpr S dot(const Motion<S>& a, const Force<S>& b) {
  return dot_add(a.w, b.n, dot(a.v, b.f));
}

/// The transpose of that of motions: a force about the point at r, about the origin.
template <class S>
TANDEM_HD constexpr Force<S> shift_origin(const Force<S>& f, const Vec3<S>& r) {
  return {add_cross(f.n, r, f.f), f.f};
}

/// a x* b: how the force (or momentum) b changes when carried along by the velocity a.   [RBDA section 2.9]
template <class S>
TANDEM_HD constexpr Force<S> cross(const Motion<S>& a, const Force<S>& b) {
  return {add_cross(cross(a.w, b.n), a.v, b.f), cross(a.w, b.f)};
}

}  // namespace tandem::inline TANDEM_ISA
