// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/tree_ltl.hpp"
#include "tandem/detail/problems/bias_forces.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"

namespace tandem::inline TANDEM_ISA {

/// Forward dynamics through the mass matrix: bias forces, M, and a factorisation that knows the tree.
///
///     a = M^-1 (tau - bias)
///
/// Method    [RBDA] sections 6.2 and 6.5; with mimic joints M is no longer sparse like the tree: dense Cholesky
/// Work      nv^2 rows, and those of bias forces or the mass matrix, whichever needs more
/// Cost      O(n_dof * depth^2)
struct CompositeRigidBody {
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return Index{m.nv} * m.nv + WorkOf<BiasForces, MassMatrix>::work_rows(m);
  }

  template <class S, class M, class Q, class Qd, class Tau, class Fx, class D, class Qdd, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, Qdd a, Work w) {
    const auto H = w, scratch = w + Index{m.nv} * m.nv;
    BiasForces::body<S>(m, q, v, f_ext, as_column<Qdd>(H), scratch);  // in the room of H, as a may be where tau is
    for (int k = 0; k < m.nv; ++k) a[k] = S(tau[k]) - S(H[k]);
    MassMatrix::body<S>(m, q, as_column<Qdd>(H), scratch);
    if (diagonal)
      for (int k = 0; k < m.nv; ++k) H[Index{m.nv} * k + k] = S(H[Index{m.nv} * k + k]) + S(diagonal[k]);
    if (m.n_mimic == 0)
      solve_tree_ltl<S>(H, m.nv, a, m.dof_parent, m.dof_run_start);
    else
      solve_spd<S>(H, m.nv, a);
  }
};

}  // namespace tandem::inline TANDEM_ISA
