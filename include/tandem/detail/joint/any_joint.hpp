// SPDX-License-Identifier: Apache-2.0
/// One joint for every type, where few links have another joint than a hinge.
#pragma once
#include "tandem/detail/joint/axes.hpp"

namespace tandem::inline TANDEM_ISA {

/// A joint whose type is known at run time, at a configuration: up to six axes, each along a direction of the link.
/// Passes of chunks are compiled once for it instead of once for every type; the numbers are those of the type's own
/// struct.
template <class R>
struct AnyJoint {
  static constexpr bool has_angular = true, has_linear = true;

  JointType type;
  int nv;
  bool axes_turn;
  AxialJoint<R> axial;          ///< with one degree of freedom
  UniversalJoint<R> universal;  ///< if axes turn

  template <class M, class Q>
  TANDEM_HD static AnyJoint at(const ModelView<M>& m, int i, const Q& q) {
    const JointType type = m.type[i];
    const bool universal = type == JointType::universal;
    return {type, on_joint(m, i, [](auto joint) { return decltype(joint)::nv; }), universal, AxialJoint<R>::of(m, i),
            universal ? UniversalJoint<R>::at(q + m.q_index[i]) : UniversalJoint<R>{}};
  }

  template <class Q>
  TANDEM_PASS Transform<R> transform(const Transform<R>& X_T, const Q& q) const {
    switch (type) {
      case JointType::universal: return universal.transform(X_T);
      case JointType::planar: return PlanarJoint::transform(X_T, q);
      case JointType::spherical: return SphericalJoint::transform(X_T, q);
      case JointType::free: return FreeJoint::transform(X_T, q);
      default: return axial.transform(X_T, q);
    }
  }

  /// Axis k among the six [angular; linear] of the link; of axes that turn, that which it has at rest.
  TANDEM_HD int row(int k) const {
    switch (type) {
      case JointType::universal:
      case JointType::spherical: return k;
      case JointType::planar: return PlanarJoint::row(k);
      case JointType::free: return FreeJoint::row(k);
      case JointType::prismatic: return 5;
      default: return 2;
    }
  }
  TANDEM_HD bool is_angular(int k) const { return row(k) < 3; }
  template <class S>
  TANDEM_HD Vec3<S> direction(int k, const Mat3<S>& E) const {
    return axes_turn ? universal.direction(k, E) : row_of(E, row(k) % 3);
  }
};

template <class R>
inline constexpr int most_nv<AnyJoint<R>> = 6;
template <class R>
inline constexpr bool axes_may_turn<AnyJoint<R>> = true;

template <class S>
struct JointAxes<S, AnyJoint<S>> {
  AnyJoint<S> joint;
  Mat3<S> E;
  int nv = joint.nv;

  TANDEM_HD Vec3<S> direction(int k) const { return joint.direction(k, E); }
  TANDEM_HD S along(int k, const Force<S>& f) const {
    if (joint.type == JointType::helical) return axial().along(k, f);
    return dot(direction(k), joint.is_angular(k) ? f.n : f.f);
  }
  TANDEM_HD Motion<S> add(int k, const S& s, const Motion<S>& a) const {
    if (joint.type == JointType::helical) return axial().add(k, s, a);
    if (joint.is_angular(k)) return {mul_add(s, direction(k), a.w), a.v};
    return {a.w, mul_add(s, direction(k), a.v)};
  }

 private:
  TANDEM_HD JointAxes<S, AxialJoint<S>> axial() const { return {joint.axial, E}; }
};
/// S x
template <class S, class Column>
TANDEM_PASS Motion<S> motion_along(const JointAxes<S, AnyJoint<S>>& axes, const Column& x) {
  auto m = axes.add(0, S(x[0]), Motion<S>::zero());
  for (int k = 1; k < axes.nv; ++k) m = axes.add(k, S(x[k]), m);
  return m;
}

/// Calls f with joint i at a configuration: a hinge, or a joint of any other type.
template <class S, class M, class Q, class F>
TANDEM_HD decltype(auto) on_hinge_or_any_joint(const ModelView<M>& m, int i, const Q& q, F&& f) {
  AtJoint<S>::visit(i);
  if (m.type[i] == JointType::revolute || m.type[i] == JointType::continuous) [[likely]]
    return f(RevoluteJoint{});
  return f(AnyJoint<S>::at(m, i, q));
}

}  // namespace tandem::inline TANDEM_ISA
