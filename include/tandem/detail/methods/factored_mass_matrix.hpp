// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/methods/articulated_body.hpp"

namespace tandem::inline TANDEM_ISA {

/// The two halves of inverse_mass_matrix_product: what depends on q alone, and what each vector needs besides. A driver
/// that has many vectors for one configuration goes through the first half once; the bits are those of doing both.
///
/// Method    the articulated inertias of forward dynamics are a factorisation of M, [RBDA] section 7.3
/// In        q [nq] rad|m, then x [nv] N m|N as often as there are vectors     Out y [nv] rad/s^2|m/s^2
/// Joints    not for robots with mimic joints, whose joints are held together anew for each vector
/// Work      as articulated_body; between the calls left as it is
/// Cost      O(n_links) each; a vector costs four to five tenths of both
struct FactoredMassMatrix {
  template <class M>
  TANDEM_HD static bool serves(const ModelView<M>& m) {
    return m.n_mimic == 0;
  }

  template <class S, class M, class Q, class Work>
  TANDEM_HD static void factor(const ModelView<M>& m, Q q, Work w) {
    ArticulatedBody::factorise<S>(m, q, w);
  }

  template <class S, class M, class X, class Y, class Work>
  TANDEM_HD static void solve(const ModelView<M>& m, X x, Y y, Work w) {
    ArticulatedBody::inward<S, false, false>(m, ZeroColumn{}, x, NoColumn{}, NoColumn{}, w);
    ArticulatedBody::outward<S, false>(m, Motion<S>::zero(), ZeroColumn{}, y, w);
  }
};

}  // namespace tandem::inline TANDEM_ISA
