// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/dense_cholesky.hpp"
#include "tandem/detail/passes/column_response.hpp"
#include "tandem/detail/passes/mass_factor.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"

namespace tandem::inline TANDEM_ISA {

/// A column of a matrix [n, n] that lies row after row.
template <class Matrix>
struct ColumnOfMatrix {
  Matrix first;
  Index n;
  TANDEM_HD decltype(auto) operator[](Index k) const { return first[n * k]; }
};

/// Inverse of the mass matrix: the accelerations that unit joint forces cause.
///
/// Method    articulated bodies give the factors of M (mass_factor.hpp), and their inverse row by row outward, without
///           M; for deep robots the bodies answer column by column (column_response.hpp); with mimic joints M and
///           Cholesky's method. [Carpentier 2018] has the articulated bodies hand on rows instead
/// In        q [nq] rad|m
/// Out       Minv [nv, nv] 1/(kg m^2)|1/kg, symmetric, both triangles
/// Joints    armature counts
/// Work      69 rows per link + 37 per degree of freedom + half of nv^2, for deep robots some columns in its place
/// Cost      O(n_dof^2 depth), of deep robots O(n_dof^2)
/// Errors    none; a singular robot gives infinities or NaN in its own instance
struct InverseMassMatrix {
  static constexpr const char* name = "inverse_mass_matrix";
  static constexpr const char* alias = "minverse";
  static constexpr const char* summary = "inverse of the mass matrix";
  static constexpr Argument arguments[] = {
      argument::q,
      {"Minv", Rows::matrix, Role::output, "1/(kg m^2)|1/kg", "inverse of the mass matrix"},
  };
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  static constexpr bool inverts_mass_matrix = true;

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return ArticulatedBody::work_rows(m) +
           (has_mimic_joints(m) ? Index{m.nv} * m.nv + WorkOf<MassMatrix>::work_rows(m)
                                : MovingAxes::work_rows(m) + (ColumnResponse::serves(m) ? ColumnResponse::work_rows(m)
                                                                                        : MassFactor::work_rows(m)));
  }

  template <class S, class M, class Q, class Matrix, class Work>
  TANDEM_PASS static void body(const ModelView<M>& m, Q q, Matrix Minv, Work w) {
    if (has_mimic_joints(m)) {
      if constexpr (joint_set<M> == JointSet::any) by_cholesky<S>(m, q, Minv, w);
      return;
    }
    const auto moving = w + ArticulatedBody::work_rows(m), found = moving + MovingAxes::work_rows(m);
    fill(Minv, m.n_dof, S(0));
    ArticulatedBody::factorise<S>(m, q, Minv, w);
    MovingAxes::place_and_move<S>(m, q, Q{}, Q{}, moving);
    if (ColumnResponse::serves(m)) {
      ColumnResponse::find<S>(m, w, moving, found);
      ColumnResponse::invert<S>(m, w, moving, found, Minv);
    } else {
      MassFactor::find<S>(m, w, moving, found);
      MassFactor::invert<S>(m, w, found, Minv);
    }
  }

  template <class S, class M, class Q, class Matrix, class Work>
  TANDEM_PASS static void by_cholesky(const ModelView<M>& m, Q q, Matrix Minv, Work w) {
    const Index n = m.nv;
    MassMatrix::body<S>(m, q, as_column<Matrix>(w), w + n * n);
    DenseCholesky::factorise<S>(SerialExecutor{}, n, w);
    of_factor<S>(n, w, Minv);
  }
  /// Of M = U^T U as DenseCholesky leaves it.
  template <class S, class Factor, class Matrix>
  TANDEM_PASS static void of_factor(Index n, Factor U, Matrix Minv) {
    for (Index c = 0; c < n; ++c) {
      const ColumnOfMatrix<Matrix> x = {Minv + c, n};
      fill(x, n, S(0));
      x[c] = S(1);
      DenseCholesky::solve<S>(n, U, x);
    }
    Mirror<S>::whole(n, Minv);
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[InverseMassMatrix]
after = "InverseMassMatrixProduct"
declared_after = "ForwardDynamicsSecondDerivatives"
compiled_with = "ForwardDynamicsDerivatives"
cuda_passes_apart = true
ignores_loops = true

[InverseMassMatrix.python]
summary = "Inverse of the mass matrix: the accelerations per unit joint torque."
text = '''
By the factors of the articulated-body method [Rodriguez, Jain, Kreutz-Delgado 1992], without the mass matrix. For
products with a few vectors :func:`inverse_mass_matrix_product` is faster. A singular mass matrix gives infinities
or NaN.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q = tandem.random_configuration(arm, seed=1)
>>> np.allclose(tandem.inverse_mass_matrix(arm, q) @ tandem.mass_matrix(arm, q), np.eye(7))
True
'''

[InverseMassMatrix.python.notes]
Minv = ", symmetric"
*/
