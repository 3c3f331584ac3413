// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/passes/world_placement.hpp"

namespace tandem::inline TANDEM_ISA {

/// Composite rigid bodies: the inertia of every link with all that it carries, joints locked, along the link's own axes
/// about its own origin. Own origins keep the digits that lever arms to a common origin would cost on long chains.
///                                                                                                [RBDA] section 6.2
struct CompositeInertia {
  /// What is kept of a link.
  template <class S>
  struct Link {
    Transform<S> X_iw;
    Inertia<S> I;
    Transform<S> X_ip;  ///< as keep_transform leaves it
  };
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return rows_of<Link<double>> * m.n_links;
  }

  /// Outward: from the world to every link. E of X_iw has the link's axes in world coordinates as rows, r is the link's
  /// origin in the world.
  template <class S, class M, class Q, class Work>
  TANDEM_HD static void place(const ModelView<M>& m, Q q, Work w) {
    const auto links = records<Link<S>>(w);
    auto X_iw = Transform<S>::identity();
    links.store(0, &Link<S>::X_iw, X_iw);
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      const auto X_pw = p == i - 1 ? X_iw : links.load(p, &Link<S>::X_iw);
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto X_ip = link_transform<S>(joint, m, i, q);
        X_iw = X_ip * X_pw;
        keep_transform(joint, X_ip, w, links.row(i, &Link<S>::X_ip));
      });
      links.store(i, &Link<S>::X_iw, X_iw);
    }
  }

  /// After place. Calls f(joint, link, X_iw, I_i) for every link, tips first, when its composite inertia is complete.
  /// With `whole` the base's rows get that of all moving links about the world's origin.
  template <class S, bool whole, class M, class Work, class F>
  TANDEM_HD static void gather(const ModelView<M>& m, Work w, F&& f) {
    const auto links = records<Link<S>>(w);
    auto from_next = Inertia<S>::zero();  // what link i + 1 brings to link i, which on a chain is its parent
    for (int i = m.n_links - 1; i >= 1; --i) {
      const int p = m.parent[i];
      auto I_i = link_inertia<S>(m, i);
      if (m.last_child[i] != 0) I_i = I_i + from_next;
      if (branches(m, i)) I_i = I_i + links.load(i, &Link<S>::I);
      on_kept_joint_kind<S>(m, i, w, links.row(i, &Link<S>::X_ip), [&](auto joint) TANDEM_INLINE {
        // first what the next link waits for: a processor does the rest meanwhile
        if (p != 0 || whole)
          from_next = transpose_mul(recall_transform<S>(joint, m, i, w, links.row(i, &Link<S>::X_ip)), I_i);
        f(joint, i, links.load(i, &Link<S>::X_iw), I_i);
      });
      // the parent carries it; its last child, met first, brings the first share
      if (p == i - 1 || (p == 0 && !whole)) continue;
      links.store(p, &Link<S>::I, m.last_child[p] == i ? from_next : links.load(p, &Link<S>::I) + from_next);
    }
    if (whole) links.store(0, &Link<S>::I, branches(m, 0) ? from_next + links.load(0, &Link<S>::I) : from_next);
  }
};

/// Momentum about its origin, along world axes, that a unit rate along a joint's k-th axis gives to the composite body.
template <class S, class Joint>
TANDEM_HD Force<S> momentum_of_axis(const Inertia<S>& I, const Mat3<S>& E, const Joint& joint, int k) {
  const Force<S> F = joint.column(k, I);
  return {transpose_mul(E, F.n), transpose_mul(E, F.f)};
}

}  // namespace tandem::inline TANDEM_ISA
