// SPDX-License-Identifier: Apache-2.0
/// Inertia of a link between the way it is described (mass, centre of mass, inertia about it) and the way algorithms use it
/// (ten numbers about the origin of the model's link frame).
#pragma once
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// Inertia of link i in the model's frame of it: mass [kg], centre of mass [m] and rotational inertia about that [kg m^2]
/// in the described frame, which is frame i of the model.
template <class S, class M>
TANDEM_HD Inertia<S> link_inertia_from(const ModelView<M>& m, int i, const S& mass, const Vec3<S>& com,
                                       const Sym3<S>& about_com) {
  return transpose_mul(frame_transform<S>(m, i), shift(Inertia<S>{mass, Vec3<S>::zero(), about_com}, com));
}

/// The way back.
template <class S>
struct LinkInertia {
  S mass;
  Vec3<S> com;
  Sym3<S> about_com;
};
template <class S, class M>
TANDEM_HD LinkInertia<S> described_link_inertia(const ModelView<M>& m, int i) {
  const Inertia<S> I = transpose_mul(inverse(frame_transform<S>(m, i)), link_inertia<S>(m, i));
  const S per_mass = I.m > S(0) ? S(1) / I.m : S(0);
  const Vec3<S> com = per_mass * I.h;
  return {I.m, com, shift(I, -com).I};
}

}  // namespace tandem::inline TANDEM_ISA
