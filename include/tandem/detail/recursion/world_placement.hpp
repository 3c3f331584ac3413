// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/joint/link_transform.hpp"

namespace tandem::inline TANDEM_ISA {

/// A motion given in link coordinates, along world axes, about the link's own origin.
template <class S>
TANDEM_HD Motion<S> along_world_axes(const Transform<S>& X_iw, const Motion<S>& a) {
  return {transpose_mul(X_iw.E, a.w), transpose_mul(X_iw.E, a.v)};
}

/// The direction of one of a link's six axes [angular; linear] in the world: a row of E, whatever the joint.
template <class S>
TANDEM_HD const Vec3<S>& world_direction(const Transform<S>& X_iw, int row) {
  switch (row % 3) {
    case 0: return X_iw.E.row0;
    case 1: return X_iw.E.row1;
    default: return X_iw.E.row2;
  }
}

}  // namespace tandem::inline TANDEM_ISA
