// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/spatial/motion.hpp"

namespace tandem::inline TANDEM_ISA {

// Motions that a joint allows, S_i v_i, in link coordinates. Each keeps only the numbers that can differ from zero, and
// adds to a Motion and crosses with it as the full motion would.

/// Turning about z: revolute joints.
template <class S>
struct AngularZ {
  S z;
};
/// Sliding along z: prismatic joints.
template <class S>
struct LinearZ {
  S z;
};
/// Sliding in the x-y plane and turning about z: planar joints.
template <class S>
struct PlanarMotion {
  S x, y, turn;
};
/// Turning about any axis: spherical joints.
template <class S>
struct Angular {
  Vec3<S> w;
};
/// Turning about axes that turn against the link: universal joints. At a constant rate the link turns the faster by
/// `drift`.
template <class S>
struct DriftingAngular : Angular<S> {
  Vec3<S> drift;
};
/// Turning about z and sliding along it: helical joints.
template <class S>
struct AxialMotion {
  S turn, slide;
};
/// Any of them, of a joint whose type is known at run time; `drift` if it drifts.
template <class S>
struct GeneralMotion {
  Motion<S> v_J;
  Vec3<S> drift;
  bool drifts;
};

template <class S>
TANDEM_HD constexpr Motion<S> operator+(const Motion<S>& a, const AngularZ<S>& b) {
  return {{a.w.x, a.w.y, a.w.z + b.z}, a.v};
}
template <class S>
TANDEM_HD constexpr Motion<S> operator+(const Motion<S>& a, const LinearZ<S>& b) {
  return {a.w, {a.v.x, a.v.y, a.v.z + b.z}};
}
template <class S>
TANDEM_HD constexpr Motion<S> operator+(const Motion<S>& a, const PlanarMotion<S>& b) {
  return {{a.w.x, a.w.y, a.w.z + b.turn}, {a.v.x + b.x, a.v.y + b.y, a.v.z}};
}
template <class S>
TANDEM_HD constexpr Motion<S> operator+(const Motion<S>& a, const Angular<S>& b) {
  return {a.w + b.w, a.v};
}
template <class S>
TANDEM_HD constexpr Motion<S> operator+(const Motion<S>& a, const AxialMotion<S>& b) {
  return {{a.w.x, a.w.y, a.w.z + b.turn}, {a.v.x, a.v.y, a.v.z + b.slide}};
}
template <class S>
TANDEM_HD constexpr Motion<S> operator+(const Motion<S>& a, const GeneralMotion<S>& b) {
  return a + b.v_J;
}

/// Whether a joint's axes turn against the link as it moves so, and how the link turns the faster: dS/dt v.
template <class JointMotion>
TANDEM_HD constexpr bool drifts(const JointMotion& v_J) {
  if constexpr (requires { v_J.drifts; })
    return v_J.drifts;
  else
    return requires { v_J.drift; };
}
template <class S, class JointMotion>
TANDEM_HD constexpr Motion<S> drift_of(const JointMotion& v_J) {
  if constexpr (requires { v_J.drift; })
    return {v_J.drift, Vec3<S>::zero()};
  else
    return Motion<S>::zero();
}

/// Whether it slides, as far as the type of the motion says.
template <class JointMotion>
TANDEM_HD constexpr bool slides(const JointMotion&) {
  return true;
}
template <class S>
TANDEM_HD constexpr bool slides(const AngularZ<S>&) {
  return false;
}
template <class S>
TANDEM_HD constexpr bool slides(const Angular<S>&) {
  return false;
}

/// v x e_z z
template <class S>
TANDEM_HD constexpr Vec3<S> cross_z(const Vec3<S>& v, S z) {
  return {v.y * z, -v.x * z, S(0)};
}

template <class S>
TANDEM_HD constexpr Motion<S> cross(const Motion<S>& a, const AngularZ<S>& b) {
  return {cross_z(a.w, b.z), cross_z(a.v, b.z)};
}
template <class S>
TANDEM_HD constexpr Motion<S> cross(const Motion<S>& a, const LinearZ<S>& b) {
  return {Vec3<S>::zero(), cross_z(a.w, b.z)};
}
template <class S>
TANDEM_HD constexpr Motion<S> cross(const Motion<S>& a, const PlanarMotion<S>& b) {
  const Vec3<S> v = cross_z(a.v, b.turn);
  return {cross_z(a.w, b.turn),
          {mul_add(-a.w.z, b.y, v.x), mul_add(a.w.z, b.x, v.y), difference_of_products(a.w.x, b.y, a.w.y, b.x)}};
}
template <class S>
TANDEM_HD constexpr Motion<S> cross(const Motion<S>& a, const Angular<S>& b) {
  return {cross(a.w, b.w), cross(a.v, b.w)};
}
template <class S>
TANDEM_HD constexpr Motion<S> cross(const Motion<S>& a, const AxialMotion<S>& b) {
  const Vec3<S> v = cross_z(a.v, b.turn);
  return {cross_z(a.w, b.turn), {mul_add(a.w.y, b.slide, v.x), mul_add(-a.w.x, b.slide, v.y), S(0)}};
}

/// A motion without parts along z: what turning makes of a joint's motion about or along z.
template <class S>
struct MotionAcrossZ {
  S wx, wy, vx, vy;
};
template <class S>
TANDEM_HD constexpr Motion<S> operator+(const Motion<S>& a, const MotionAcrossZ<S>& b) {
  return {{a.w.x + b.wx, a.w.y + b.wy, a.w.z}, {a.v.x + b.vx, a.v.y + b.vy, a.v.z}};
}

/// How a link that moves with v accelerates while its joint keeps its rates, v_J = S dq/dt: v x v_J + dS/dt dq/dt;
/// without the zeros where v_J turns about z or slides along it.
template <class S>
TANDEM_HD constexpr MotionAcrossZ<S> velocity_product(const Motion<S>& v, const AngularZ<S>& v_J) {
  return {v.w.y * v_J.z, -v.w.x * v_J.z, v.v.y * v_J.z, -v.v.x * v_J.z};
}
template <class S>
TANDEM_HD constexpr MotionAcrossZ<S> velocity_product(const Motion<S>& v, const LinearZ<S>& v_J) {
  return {S(0), S(0), v.w.y * v_J.z, -v.w.x * v_J.z};
}
template <class S, class JointMotion>
TANDEM_HD constexpr Motion<S> velocity_product(const Motion<S>& v, const JointMotion& v_J) {
  return cross(v, v_J);
}
template <class S>
TANDEM_HD constexpr Motion<S> velocity_product(const Motion<S>& v, const DriftingAngular<S>& v_J) {
  return {add_cross(v_J.drift, v.w, v_J.w), cross(v.v, v_J.w)};
}
template <class S>
TANDEM_HD constexpr Motion<S> velocity_product(const Motion<S>& v, const GeneralMotion<S>& b) {
  const auto a = cross(v, b.v_J);
  return b.drifts ? Motion<S>{a.w + b.drift, a.v} : a;
}

}  // namespace tandem::inline TANDEM_ISA
