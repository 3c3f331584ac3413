// SPDX-License-Identifier: Apache-2.0
/// X_ip for algorithms that multiply with it often: where a joint has one degree of freedom, the rotation is kept as
/// z-x-z angles. Articulated inertias then take half the operations from link to link, and sine and cosine are all that
/// has to be kept between two passes.
#pragma once
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// The placement of a joint with one degree of freedom, but for its angle about its own z.
template <class S, class M>
TANDEM_HD Transform<S, RotationZXZ<S>> placement_zxz(const ModelView<M>& m, int i) {
  const auto* zxz = m.zxz + Index{6} * i;
  return {{{S(zxz[4]), S(zxz[5])}, {S(zxz[2]), S(zxz[3])}, {}, m.zxz_first[i] != 0},
          load<Vec3<S>>(m.placement, Index{12} * i + 9)};
}

// What makes X_ip step by step is returned from the outermost block: elsewhere g++ before 14 copies it through memory,
// in chunks that wait for the numbers stored one by one.
template <class S, class Joint, class M, class Column>
TANDEM_HD auto placed_zxz(Joint joint, const ModelView<M>& m, int i, const Column& q) {
  auto X_ip = placement_zxz<S>(m, i);
  joint.place(m.zxz + Index{6} * i, joint_position<S>(m, i, q), X_ip);
  return X_ip;
}
template <class S, class Joint, class M, class Work>
TANDEM_HD auto recalled_zxz(Joint joint, const ModelView<M>& m, int i, Work w, Index row) {
  auto X_ip = placement_zxz<S>(m, i);
  joint.recall(m.zxz + Index{6} * i, w, row, X_ip);
  return X_ip;
}

/// X_ip with the rotation as z-x-z angles where there is one degree of freedom, for algorithms that multiply with it
/// often.
template <class S, class Joint, class M, class Column>
TANDEM_HD auto link_transform(Joint joint, const ModelView<M>& m, int i, const Column& q) {
  if constexpr (Joint::nv == 1)
    return placed_zxz<S>(joint, m, i, q);
  else
    return joint_transform<S>(joint, m, i, q);
}

template <class S, class M, class Column>
TANDEM_HD const Transform<S>& link_transform(const GeneralJoint<S>& joint, const ModelView<M>&, int, const Column&) {
  return joint.X_ip;
}

/// X_ip between the passes of an algorithm, in twelve rows of memory or fewer.
template <class S, class Joint, class Work, class R>
TANDEM_HD void keep_transform(Joint joint, const Transform<S, R>& X_ip, Work w, Index row) {
  if constexpr (Joint::nv == 1)
    joint.keep(w, row, X_ip);
  else if constexpr (Joint::axes_turn)
    joint.keep(w, row);
  else
    store(w, row, X_ip);
}
template <class S, class Joint, class M, class Work>
TANDEM_HD auto recall_transform(Joint joint, const ModelView<M>& m, int i, Work w, Index row) {
  if constexpr (Joint::nv == 1)
    return recalled_zxz<S>(joint, m, i, w, row);
  else if constexpr (Joint::axes_turn)
    return joint.transform(load<Transform<S>>(m.placement, Index{12} * i));
  else
    return load<Transform<S>>(w, row);
}
template <class S, class Work>
TANDEM_HD void keep_transform(const GeneralJoint<S>&, const Transform<S>& X_ip, Work w, Index row) {
  store(w, row, X_ip);
}
template <class S, class M, class Work>
TANDEM_HD Transform<S> recall_transform(const GeneralJoint<S>&, const ModelView<M>&, int, Work w, Index row) {
  return load<Transform<S>>(w, row);
}

}  // namespace tandem::inline TANDEM_ISA
