// SPDX-License-Identifier: Apache-2.0
/// Inertia of a link from the way it is described (mass, centre of mass, inertia about it) to the way algorithms use it (ten
/// numbers about the origin of the model's link frame). Model::mass_properties is the way back.
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

}  // namespace tandem::inline TANDEM_ISA
