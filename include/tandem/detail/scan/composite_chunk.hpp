// SPDX-License-Identifier: Apache-2.0
/// The composite scan of a mass matrix over one chunk (scan/composite_scan.hpp), for whoever computes faster than it
/// reads: of links only their place is kept.
#pragma once
#include "tandem/detail/scan/all_pairs.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::inline TANDEM_ISA {

// A Lane has what is said in scan/inward_chunk.hpp of joints, which are counted from the chunk's end, and
//   keep_place(j, X_iw) place_kept(j)
//   keep_way(j, X) brought(j)         of a parent link of paths: pose in the chunk's start; inertia of the paths
//   store(j, k, dof)                  what AllPairs wants to know of degree of freedom k of joint j
template <class Lane>
struct CompositeChunk {
  using S = typename Lane::S;
  Lane& lane;

  /// Outward: where the chunk's end is, and the inertia of all its links, at its start, without what paths bring to
  /// them.
  TANDEM_HD InwardRun<S, Inertia> gather() const {
    auto run = Inward<S, Inertia>::identity();
    outward([&](int j, const Transform<S>& X_ip) TANDEM_INLINE {
      run.X = X_ip * run.X;
      run.b = run.b + transpose_mul(run.X, lane.inertia(j));
      if (lane.carries(j)) [[unlikely]]
        lane.keep_way(j, run.X);
    });
    return run;
  }
  /// From where the chunk starts, and what hangs from its last link: outward the links' places, inward all that is
  /// known of their axes.
  TANDEM_HD void find_axes(Transform<S> X_iw, Inertia<S> I) const {
    outward([&](int j, const Transform<S>& X_ip) TANDEM_INLINE {
      X_iw = X_ip * X_iw;
      lane.keep_place(j, X_iw);
    });
    for (int j = 0; j < lane.steps; ++j)
      lane.on_joint(j, [&](auto joint) TANDEM_INLINE {
        const Transform<S> X = lane.place_kept(j);
        I = I + lane.inertia(j);
        if (lane.carries(j)) [[unlikely]]
          I = I + lane.brought(j);
        for (int k = 0; k < decltype(joint)::nv; ++k)
          lane.store(j, k, {along_world_axes(X, joint.template axis<S>(k)), X.r, momentum_of_axis(I, X.E, joint, k)});
        I = transpose_mul(lane.transform(joint, j), I);
      });
  }

 private:
  template <class F>
  TANDEM_HD void outward(F&& f) const {
    for (int j = lane.longest - 1; j >= 0; --j)
      if (j < lane.steps) lane.on_joint(j, [&](auto joint) TANDEM_INLINE { f(j, lane.transform(joint, j)); });
  }
};

}  // namespace tandem::inline TANDEM_ISA
