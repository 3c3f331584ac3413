// SPDX-License-Identifier: Apache-2.0
/// Spatial types in the rows of a column: as records, load<Motion<S>>(c, row), and in the order of users' arrays.
#pragma once
#include "tandem/detail/core/record.hpp"
#include "tandem/detail/spatial/articulated_inertia.hpp"
#include "tandem/detail/spatial/quaternion.hpp"

namespace tandem::inline TANDEM_ISA {

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
