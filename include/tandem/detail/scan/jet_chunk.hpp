// SPDX-License-Identifier: Apache-2.0
/// Inverse dynamics over one chunk, for whoever computes faster than it reads: of links nothing is kept but the
/// force that their motion takes. In link coordinates, by jets (scan/link_coordinates.hpp).
#pragma once
#include "tandem/detail/scan/link_coordinates.hpp"

namespace tandem::inline TANDEM_ISA {

// A Lane has what is said in scan/inward_chunk.hpp of joints, which are counted from the chunk's end, and
//   a(j)                            acceleration of joint j
//   keep_force(j, f) force_kept(j)
//   put(j, k, x)                    torque k of joint j: x, and what accelerating the rotor takes
//   keep_way(j, run) brought(j)     of a parent link of paths: motion relative to the chunk's start; force of the paths
template <class Lane>
struct JetChunk {
  using S = typename Lane::S;
  Lane& lane;

  /// Outward: how the chunk's end moves against its start.
  TANDEM_HD JetRun<S> move() const {
    auto run = Jet<S>::identity();
    outward([&](int j, auto joint, const Transform<S>& X_ip) TANDEM_INLINE {
      run = Jet<S>::append(run, X_ip, joint.template motion<S>(lane.v(j)), joint.template motion<S>(lane.a(j)));
      if (lane.carries(j)) [[unlikely]]
        lane.keep_way(j, run);
    });
    return run;
  }
  /// Outward: the force that each link's motion takes and its paths bring, and what all of them take at the chunk's
  /// start, which moves so.
  TANDEM_HD InwardRun<S, Force> push(Motion<S> v_i, Motion<S> a_i) const {
    auto run = Inward<S, Force>::identity();
    outward([&](int j, auto joint, const Transform<S>& X_ip) TANDEM_INLINE {
      LinkCoordinates::advance(X_ip, joint.template motion<S>(lane.v(j)), joint.template motion<S>(lane.a(j)), v_i,
                               a_i);
      const auto I_i = lane.inertia(j);
      auto f_i = I_i * a_i + cross(v_i, I_i * v_i);
      if (lane.feels()) [[unlikely]]
        f_i = f_i - lane.force(j);
      if (lane.carries(j)) [[unlikely]]
        f_i = f_i + lane.brought(j);
      lane.keep_force(j, f_i);
      run.X = X_ip * run.X;
      run.b = run.b + transpose_mul(run.X, f_i);
    });
    return run;
  }
  /// Inward: the torques, from the force that the chunk hands on at its end.
  TANDEM_HD void gather(Force<S> f) const {
    for (int j = 0; j < lane.steps; ++j)
      lane.on_joint(j, [&](auto joint) TANDEM_INLINE {
        f = f + lane.force_kept(j);
        for (int k = 0; k < decltype(joint)::nv; ++k) lane.put(j, k, joint.along(k, f));
        f = transpose_mul(lane.transform(joint, j), f);
      });
  }

 private:
  template <class F>
  TANDEM_HD void outward(F&& f) const {
    for (int j = lane.longest - 1; j >= 0; --j)
      if (j < lane.steps) lane.on_joint(j, [&](auto joint) TANDEM_INLINE { f(j, joint, lane.transform(joint, j)); });
  }
};

}  // namespace tandem::inline TANDEM_ISA
