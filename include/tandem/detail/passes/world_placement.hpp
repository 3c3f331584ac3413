// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/joint/link_transform.hpp"

namespace tandem::inline TANDEM_ISA {

/// A motion given in link coordinates, along world axes, about the link's own origin.
template <class S>
TANDEM_HD Motion<S> along_world_axes(const Transform<S>& X_iw, const Motion<S>& a) {
  return {transpose_mul(X_iw.E, a.w), transpose_mul(X_iw.E, a.v)};
}

}  // namespace tandem::inline TANDEM_ISA
