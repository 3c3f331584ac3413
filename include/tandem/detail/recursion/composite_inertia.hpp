// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/recursion/world_placement.hpp"

namespace tandem::inline TANDEM_ISA {

/// Composite rigid bodies: the inertia of every link with all that it carries, joints locked, along the link's own axes
/// about its own origin. Own origins keep the digits that lever arms to a common origin would cost on long chains.
///                                                                                                    [RBDA] section 6.2
struct CompositeInertia {
  enum Field { X = 0, I = 12, X_P = 22, rows_per_link = 34 };  // X_iw, I_i, X_ip
  TANDEM_HD static constexpr Index at(int link, Field f) { return Index{rows_per_link} * link + f; }
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return Index{rows_per_link} * m.n_links;
  }

  template <class S, class M, class Q, class Work>
  TANDEM_HD static void place(const ModelView<M>& m, Q q, Work w) {
    place_links<S>(m, q, w, rows_per_link, [&](auto joint, int i, const auto& X_ip) TANDEM_INLINE {
      keep_transform(joint, X_ip, w, at(i, X_P));
    });
  }

  /// After place. Calls f(joint, link, X_iw, I_i) for every link, tips first, when its composite inertia is complete. With
  /// `whole` the base's rows get that of all moving links about the world's origin.
  template <class S, bool whole, class M, class Work, class F>
  TANDEM_HD static void gather(const ModelView<M>& m, Work w, F&& f) {
    auto from_next = Inertia<S>::zero();  // what link i + 1 brings to link i, which on a chain is its parent
    for (int i = m.n_links - 1; i >= 1; --i) {
      const int p = m.parent[i];
      auto I_i = link_inertia<S>(m, i);
      if (m.last_child[i] != 0) I_i = I_i + from_next;
      if (branches(m, i)) I_i = I_i + load_inertia<S>(w, at(i, I));
      on_joint(m.type[i], [&](auto joint) TANDEM_INLINE {
        // first what the next link waits for: a processor does the rest meanwhile
        if (p != 0 || whole) from_next = transpose_mul(recall_transform<S>(joint, m, i, w, at(i, X_P)), I_i);
        f(joint, i, load_transform<S>(w, at(i, X)), I_i);
      });
      // the parent carries it; its last child, met first, brings the first share
      if (p == i - 1 || (p == 0 && !whole)) continue;
      store(w, at(p, I), m.last_child[p] == i ? from_next : load_inertia<S>(w, at(p, I)) + from_next);
    }
    if (whole) store(w, at(0, I), branches(m, 0) ? from_next + load_inertia<S>(w, at(0, I)) : from_next);
  }
};

/// Momentum about its origin, along world axes, that a unit rate along a joint's k-th axis gives to the composite body.
template <class S, class Joint>
TANDEM_HD Force<S> momentum_of_axis(const Inertia<S>& I, const Mat3<S>& E, const Joint& joint, int k) {
  const Force<S> F = joint.column(k, I);
  return {transpose_mul(E, F.n), transpose_mul(E, F.f)};
}

}  // namespace tandem::inline TANDEM_ISA
