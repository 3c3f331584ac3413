// SPDX-License-Identifier: Apache-2.0
/// Inertia of a link from the way it is described (mass, centre of mass, inertia about it) to the way algorithms use it
/// (ten numbers about the origin of the model's link frame). Model::mass_properties is the way back.
#pragma once
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// Inertia of link i in the model's frame of it: mass [kg], centre of mass [m] and rotational inertia about that [kg
/// m^2] in the described frame, which is frame i of the model.
template <class S, class M>
TANDEM_HD Inertia<S> link_inertia_from(const ModelView<M>& m, int i, const S& mass, const Vec3<S>& com,
                                       const Sym3<S>& about_com) {
  return transpose_mul(frame_transform<S>(m, i), shift(Inertia<S>{mass, Vec3<S>::zero(), about_com}, com));
}

/// The same of every moving link, from columns with the numbers of all links; inertias are xx xy xz yy yz zz, as links
/// are described.
template <class S, class M, class Mass, class Com, class Inertias, class Out>
TANDEM_HD void link_inertias_from(const ModelView<M>& m, const Mass& mass, const Com& com, const Inertias& inertia,
                                  Out out) {
  for (int i = 1; i < m.n_links; ++i) {
    const Index row = Index{6} * i;
    const Sym3<S> about_com = {S(inertia[row]),     S(inertia[row + 3]), S(inertia[row + 5]),
                               S(inertia[row + 1]), S(inertia[row + 2]), S(inertia[row + 4])};
    store(out, Index{10} * i, link_inertia_from(m, i, S(mass[i]), load<Vec3<S>>(com, Index{3} * i), about_com));
  }
}

}  // namespace tandem::inline TANDEM_ISA
