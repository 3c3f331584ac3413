// SPDX-License-Identifier: Apache-2.0
/// Rotations kept as angles about coordinate axes: half as many operations as with nine numbers where a matrix is
/// rotated.
#pragma once
#include "tandem/detail/spatial/sym3.hpp"

namespace tandem::inline TANDEM_ISA {

/// The opposite angle.
template <class S>
TANDEM_HD constexpr SinCos<S> inverse(const SinCos<S>& t) {
  return {-t.sin, t.cos};
}

/// Two coordinates a, b, in the plane of a rotation, as the rotated frame sees them. They may be vectors: rows of a
/// matrix.
template <class S, class A>
TANDEM_HD constexpr void rotate(const SinCos<S>& t, A& a, A& b) {
  const A a_before = a;
  a = mul_add(t.cos, a, t.sin * b);
  b = mul_add(t.cos, b, -t.sin * a_before);
}

/// The same for a symmetric form: its entries in the plane of the rotation, and those (ak, bk) beside the axis.
template <class S>
TANDEM_HD constexpr void rotate_form(const SinCos<S>& t, S& aa, S& bb, S& ab, S& ak, S& bk) {
  const S w = mul_add(t.sin, bb - aa, t.cos * (ab + ab));
  aa = mul_add(t.sin, w, aa);
  bb = mul_add(-t.sin, w, bb);
  ab = mul_add(t.cos, w, -ab);
  rotate(t, ak, bk);
}

/// The same for a form without symmetry.
template <class S>
TANDEM_HD constexpr void rotate_form(const SinCos<S>& t, S& aa, S& bb, S& ab, S& ba, S& ak, S& bk, S& ka, S& kb) {
  const S w = mul_add(t.sin, bb - aa, t.cos * (ab + ba)), ab_before = ab;
  aa = mul_add(t.sin, w, aa);
  bb = mul_add(-t.sin, w, bb);
  ab = mul_add(t.cos, w, -ba);
  ba = mul_add(t.cos, w, -ab_before);
  rotate(t, ak, bk);
  rotate(t, ka, kb);
}

/// A rotation about z or x of vectors, of the columns of a matrix, and of forms on both sides.
template <class S, class A>
TANDEM_HD constexpr A rotated_z(const SinCos<S>& t, A a) {
  auto& [x, y, z] = a;
  rotate(t, x, y);
  return a;
}
template <class S, class A>
TANDEM_HD constexpr A rotated_x(const SinCos<S>& t, A a) {
  auto& [x, y, z] = a;
  rotate(t, y, z);
  return a;
}
template <class S>
TANDEM_HD constexpr Sym3<S> form_rotated_z(const SinCos<S>& t, Sym3<S> A) {
  rotate_form(t, A.xx, A.yy, A.xy, A.xz, A.yz);
  return A;
}
template <class S>
TANDEM_HD constexpr Sym3<S> form_rotated_x(const SinCos<S>& t, Sym3<S> A) {
  rotate_form(t, A.yy, A.zz, A.yz, A.xy, A.xz);
  return A;
}
template <class S>
TANDEM_HD constexpr Mat3<S> form_rotated_z(const SinCos<S>& t, Mat3<S> A) {
  rotate_form(t, A.row0.x, A.row1.y, A.row0.y, A.row1.x, A.row0.z, A.row1.z, A.row2.x, A.row2.y);
  return A;
}
template <class S>
TANDEM_HD constexpr Mat3<S> form_rotated_x(const SinCos<S>& t, Mat3<S> A) {
  rotate_form(t, A.row1.y, A.row2.z, A.row1.z, A.row2.y, A.row1.x, A.row2.x, A.row0.y, A.row0.z);
  return A;
}

/// E = Rz Rx Rz0: about z, then about x, then about z. Most often the first is none, and left out.
template <class S>
struct RotationZXZ {
  SinCos<S> first_z, x, z;
  bool has_first;
};

/// E b, E B
template <class S, class B>
TANDEM_HD constexpr B operator*(const RotationZXZ<S>& E, const B& b) {
  B c = b;
  if (E.has_first) c = rotated_z(E.first_z, c);
  return rotated_z(E.z, rotated_x(E.x, c));
}
/// E^T b
template <class S>
TANDEM_HD constexpr Vec3<S> transpose_mul(const RotationZXZ<S>& E, const Vec3<S>& b) {
  Vec3<S> c = rotated_x(inverse(E.x), rotated_z(inverse(E.z), b));
  if (E.has_first) c = rotated_z(inverse(E.first_z), c);
  return c;
}
/// E^T A E
template <class S, class A>
  requires requires(const SinCos<S>& t, A form) { form_rotated_z(t, form); }
TANDEM_HD constexpr A congruence(const RotationZXZ<S>& E, const A& form) {
  A c = form_rotated_x(inverse(E.x), form_rotated_z(inverse(E.z), form));
  if (E.has_first) c = form_rotated_z(inverse(E.first_z), c);
  return c;
}
/// The other way, E A E^T.
template <class S, class A>
TANDEM_HD constexpr A congruence_back(const RotationZXZ<S>& E, A form) {
  if (E.has_first) form = form_rotated_z(E.first_z, form);
  return form_rotated_z(E.z, form_rotated_x(E.x, form));
}
template <class S, class A>
TANDEM_HD constexpr A congruence_back(const Mat3<S>& E, const A& form) {
  return congruence(transpose(E), form);
}

/// The third row of E: the axis that all three lead to.
template <class S>
TANDEM_HD constexpr Vec3<S> row2(const RotationZXZ<S>& E) {
  Vec3<S> c = {S(0), -E.x.sin, E.x.cos};
  if (E.has_first) c = rotated_z(inverse(E.first_z), c);
  return c;
}

}  // namespace tandem::inline TANDEM_ISA
