// SPDX-License-Identifier: Apache-2.0
/// Spatial types to and from the rows of a column.
#pragma once
#include "tandem/detail/core/record.hpp"
#include "tandem/detail/spatial/articulated_inertia.hpp"
#include "tandem/detail/spatial/quaternion.hpp"

namespace tandem::inline TANDEM_ISA {

template <class S, class Column>
TANDEM_HD Vec3<S> load_vec3(const Column& c, Index row) {
  return load<Vec3<S>>(c, row);
}
template <class S, class Column>
TANDEM_HD Mat3<S> load_mat3(const Column& c, Index row) {
  return load<Mat3<S>>(c, row);
}
template <class S, class Column>
TANDEM_HD Motion<S> load_motion(const Column& c, Index row) {
  return load<Motion<S>>(c, row);
}
template <class S, class Column>
TANDEM_HD Force<S> load_force(const Column& c, Index row) {
  return load<Force<S>>(c, row);
}
template <class S, class Column>
TANDEM_HD Transform<S> load_transform(const Column& c, Index row) {
  return load<Transform<S>>(c, row);
}
template <class S, class Column>
TANDEM_HD Inertia<S> load_inertia(const Column& c, Index row) {
  return load<Inertia<S>>(c, row);
}
template <class S, class Column>
TANDEM_HD Quaternion<S> load_quaternion(const Column& c, Index row) {
  return load<Quaternion<S>>(c, row);
}

/// Users' arrays have spatial vectors linear part first.
template <class S, class Column>
TANDEM_HD Force<S> load_force_linear_first(const Column& c, Index row) {
  return {load<Vec3<S>>(c, row + 3), load<Vec3<S>>(c, row)};
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
