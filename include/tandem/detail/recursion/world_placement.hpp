// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/joint/link_transform.hpp"

namespace tandem::inline TANDEM_ISA {

/// Outward: X_iw, from the world to every link, 12 rows each. Its E has the link's axes in world coordinates as rows, its
/// r is the link's origin in the world. Calls f(joint, i, X_ip) on the way.
template <class S, class M, class Q, class Work, class F>
TANDEM_HD void place_links(const ModelView<M>& m, Q q, Work X_w, Index rows_per_link, F&& f) {
  auto X_iw = Transform<S>::identity();
  store(X_w, 0, X_iw);
  for (int i = 1; i < m.n_links; ++i) {
    const int p = m.parent[i];
    const auto X_pw = p == i - 1 ? X_iw : load<Transform<S>>(X_w, rows_per_link * p);
    on_joint(m.type[i], [&](auto joint) TANDEM_INLINE {
      const auto X_ip = link_transform<S>(joint, m, i, q);
      X_iw = X_ip * X_pw;
      f(joint, i, X_ip);
    });
    store(X_w, rows_per_link * i, X_iw);
  }
}

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
