// SPDX-License-Identifier: Apache-2.0
/// Gravity compensation: forces on links that carry the weight of a mass.
#pragma once
#include "tandem/detail/contact/kinds.hpp"
#include "tandem/detail/contact/link_passes.hpp"

namespace tandem::inline TANDEM_ISA {

/// The forces, in the workspace: with c at p in the frame of link i, and base acceleration -g,
///
///     f = -c E_i g,    n = p x f                                             [MuJoCo, Modeling, body/gravcomp]
template <class S, class M, class Work>
struct CarriedMasses {
  static constexpr int rows = 6;
  const ModelView<M>& m;
  const CarriedList& list;
  Work w;

  TANDEM_HD Work of(int k) const { return w + Index{rows} * k; }

  /// Finds them, and takes them off what links need in the rows F of `bodies`.
  TANDEM_PASS void push(Work bodies) const {
    const Vec3<S> up = base_rates<S>(m).a;
    int next = 0;
    LinkPasses::places<S>(m, bodies, [&](int i, const Transform<S>& X_iw) TANDEM_INLINE {
      if (next == list.n || list.kinds[next].link != i) return;
      const CarriedKind& kind = list.kinds[next];
      const Vec3<S> f = S(kind.mass) * (X_iw.E * up), p{S(kind.position[0]), S(kind.position[1]), S(kind.position[2])};
      const Force<S> carries{cross(p, f), f};
      store(of(next++), 0, carries);
      const Index row = ArticulatedBody::at(i, ArticulatedBody::F);
      store(bodies, row, load<Force<S>>(bodies, row) - carries);
    });
  }
  /// W on link i that moves so; `next` as in push.
  TANDEM_HD S power(int i, const Motion<S>& v, int& next) const {
    if (next == list.n || list.kinds[next].link != i) return S(0);
    return dot(v, load<Force<S>>(of(next++), 0));
  }
};

}  // namespace tandem::inline TANDEM_ISA
