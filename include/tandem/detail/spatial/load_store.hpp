// SPDX-License-Identifier: Apache-2.0
/// Spatial types to and from the rows of a column.
#pragma once
#include "tandem/detail/core/column.hpp"
#include "tandem/detail/spatial/articulated_inertia.hpp"
#include "tandem/detail/spatial/quaternion.hpp"

namespace tandem::inline TANDEM_ISA {

template <class S, class Column>
TANDEM_HD Vec3<S> load_vec3(const Column& c, Index row) {
  return {S(c[row]), S(c[row + 1]), S(c[row + 2])};
}
template <class S, class Column>
TANDEM_HD Mat3<S> load_mat3(const Column& c, Index row) {
  return {load_vec3<S>(c, row), load_vec3<S>(c, row + 3), load_vec3<S>(c, row + 6)};
}
template <class S, class Column>
TANDEM_HD Sym3<S> load_sym3(const Column& c, Index row) {
  return {S(c[row]), S(c[row + 1]), S(c[row + 2]), S(c[row + 3]), S(c[row + 4]), S(c[row + 5])};
}
template <class S, class Column>
TANDEM_HD Motion<S> load_motion(const Column& c, Index row) {
  return {load_vec3<S>(c, row), load_vec3<S>(c, row + 3)};
}
template <class S, class Column>
TANDEM_HD Force<S> load_force(const Column& c, Index row) {
  return {load_vec3<S>(c, row), load_vec3<S>(c, row + 3)};
}
template <class S, class Column>
TANDEM_HD Transform<S> load_transform(const Column& c, Index row) {
  return {load_mat3<S>(c, row), load_vec3<S>(c, row + 9)};
}
template <class S, class Column>
TANDEM_HD Inertia<S> load_inertia(const Column& c, Index row) {
  return {S(c[row]), load_vec3<S>(c, row + 1), load_sym3<S>(c, row + 4)};
}
template <class S, class Column>
TANDEM_HD ArticulatedInertia<S> load_articulated_inertia(const Column& c, Index row) {
  return {load_sym3<S>(c, row), load_mat3<S>(c, row + 6), load_sym3<S>(c, row + 15)};
}
template <class S, class Column>
TANDEM_HD Quaternion<S> load_quaternion(const Column& c, Index row) {
  return {S(c[row]), S(c[row + 1]), S(c[row + 2]), S(c[row + 3])};
}

template <class Column, class S>
TANDEM_HD void store(const Column& c, Index row, const Vec3<S>& a) {
  c[row] = a.x;
  c[row + 1] = a.y;
  c[row + 2] = a.z;
}
template <class Column, class S>
TANDEM_HD void store(const Column& c, Index row, const Mat3<S>& A) {
  store(c, row, A.row0);
  store(c, row + 3, A.row1);
  store(c, row + 6, A.row2);
}
template <class Column, class S>
TANDEM_HD void store(const Column& c, Index row, const Sym3<S>& A) {
  store(c, row, Vec3<S>{A.xx, A.yy, A.zz});
  store(c, row + 3, Vec3<S>{A.xy, A.xz, A.yz});
}
template <class Column, class S>
TANDEM_HD void store(const Column& c, Index row, const Motion<S>& a) {
  store(c, row, a.w);
  store(c, row + 3, a.v);
}
template <class Column, class S>
TANDEM_HD void store(const Column& c, Index row, const Force<S>& a) {
  store(c, row, a.n);
  store(c, row + 3, a.f);
}
template <class Column, class S>
TANDEM_HD void store(const Column& c, Index row, const Transform<S>& X) {
  store(c, row, X.E);
  store(c, row + 9, X.r);
}
template <class Column, class S>
TANDEM_HD void store(const Column& c, Index row, const Inertia<S>& I) {
  c[row] = I.m;
  store(c, row + 1, I.h);
  store(c, row + 4, I.I);
}
template <class Column, class S>
TANDEM_HD void store(const Column& c, Index row, const ArticulatedInertia<S>& A) {
  store(c, row, A.J);
  store(c, row + 6, A.H);
  store(c, row + 15, A.M);
}
template <class Column, class S>
TANDEM_HD void store(const Column& c, Index row, const Quaternion<S>& a) {
  c[row] = a.x;
  c[row + 1] = a.y;
  c[row + 2] = a.z;
  c[row + 3] = a.w;
}

/// Users' arrays have spatial vectors linear part first.
template <class S, class Column>
TANDEM_HD Force<S> load_force_linear_first(const Column& c, Index row) {
  return {load_vec3<S>(c, row + 3), load_vec3<S>(c, row)};
}
template <class Column, class S>
TANDEM_HD void store_linear_first(const Column& c, Index row, const Motion<S>& a) {
  store(c, row, a.v);
  store(c, row + 3, a.w);
}
template <class Column, class S>
TANDEM_HD void store_linear_first(const Column& c, Index row, const Force<S>& a) {
  store(c, row, a.f);
  store(c, row + 3, a.n);
}

}  // namespace tandem::inline TANDEM_ISA
