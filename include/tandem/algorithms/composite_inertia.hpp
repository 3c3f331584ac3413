// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/algorithms/world_placement.hpp"

namespace tandem::inline TANDEM_ISA {

/// Composite rigid bodies: the inertia of every link with all that it carries, joints locked, along world axes about the
/// link's own origin. World axes spare the turning of inertias from link to link; own origins keep the digits that
/// lever arms to a common origin would cost on long chains.               [RBDA] section 6.2, changed: axes
struct CompositeInertia {
  enum Field { X = 0, I = 12, rows_per_link = 22 };
  TANDEM_HD static constexpr Index at(int link, Field f) { return Index{rows_per_link} * link + f; }
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return Index{rows_per_link} * m.n_links;
  }

  /// After place_links. Calls f(link, X_iw, I_i) for every link, tips first, when its composite inertia is complete. With
  /// `whole` the base's rows get that of all moving links about the world's origin.
  template <class S, bool whole, class M, class Work, class F>
  TANDEM_HD static void gather(const ModelView<M>& m, Work w, F&& f) {
    auto from_next = Inertia<S>::zero();  // what link i + 1 brings to link i, which on a chain is its parent
    for (int i = m.n_links - 1; i >= 1; --i) {
      const int p = m.parent[i];
      const auto X_iw = load_transform<S>(w, at(i, X));
      const auto I_link = link_inertia<S>(m, i);
      Inertia<S> I_i = {I_link.m, transpose_mul(X_iw.E, I_link.h), turn_back(X_iw.E, I_link.I)};
      if (m.last_child[i] != 0) I_i = I_i + from_next;
      if (branches(m, i)) I_i = I_i + load_inertia<S>(w, at(i, I));
      f(i, X_iw, I_i);
      if (p == 0 && !whole) continue;
      // the parent carries it; its last child, met first, brings the first share
      from_next = shift(I_i, X_iw.r - load_vec3<S>(w, at(p, X) + 9));
      if (p == i - 1) continue;
      store(w, at(p, I), m.last_child[p] == i ? from_next : load_inertia<S>(w, at(p, I)) + from_next);
    }
    if (whole) store(w, at(0, I), branches(m, 0) ? from_next + load_inertia<S>(w, at(0, I)) : from_next);
  }
};

/// Momentum about the link's origin that a unit rate along one of the link's six axes gives to the composite body.
template <class S>
TANDEM_HD Force<S> momentum_of_axis(const Inertia<S>& I, const Vec3<S>& direction, int row) {
  if (row < 3) return {I.I * direction, cross(direction, I.h)};
  return {cross(I.h, direction), I.m * direction};
}

}  // namespace tandem::inline TANDEM_ISA
