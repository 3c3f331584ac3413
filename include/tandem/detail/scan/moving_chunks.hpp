// SPDX-License-Identifier: Apache-2.0
/// What the passes of products with derivatives of the dynamics begin with. Columns 0 and 1 of a call are velocities
/// and accelerations.
#pragma once
#include "tandem/detail/scan/origin_motion.hpp"
#include "tandem/detail/scan/product_call.hpp"

namespace tandem::inline TANDEM_ISA {

/// Outward from rest, along the axes of the chunk's start: where its links are, with `keep` in Rows, and how its end
/// moves. Calls f(axes, link, r) for all joints, which read column `more`, too.
template <class Rows, int more, class Lane, class F>
TANDEM_HD void place_and_move(Lane& lane, bool keep, F&& f) {
  using S = typename Lane::S;
  const Rows rows = {lane.dof};
  auto E = Mat3<S>::identity();
  auto o = OriginMotion<S>::zero();
  lane.outward(reads_configuration | reads_in(0) | reads_in(1) | reads_in(more),
               [&](int k, const auto& link, auto joint) TANDEM_INLINE {
                 const Transform<S> X_T = lane.placement(k);
                 const Transform<S> X = link.transform(joint, {X_T.E * E, transpose_mul(E, X_T.r)});
                 E = X.E;
                 const JointAxes<S, decltype(joint)> axes = {joint, E};
                 o.carry(X.r);
                 o.join(axes, link.in[0], link.in[1]);
                 f(axes, link, X.r);
                 if (!keep) return;
                 store(lane.w, rows.at(k, Rows::E), E);
                 store(lane.w, rows.at(k, Rows::r), X.r);
               });
  lane.put(lane.call.memory.orientations, E);
  lane.put(lane.call.memory.motions, o);
}

}  // namespace tandem::inline TANDEM_ISA
