// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/inverse_dynamics_derivatives.hpp"

namespace tandem::inline TANDEM_ISA {

/// Twice the Coriolis matrix, by the passes of the derivatives by velocity.
struct TwiceCoriolis {
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return InverseDynamicsDerivatives::work_rows(m);
  }
  template <class S, class M, class Q, class Qd, class Matrix, class Work>
  TANDEM_PASS static void find(const ModelView<M>& m, Q q, Qd v, Matrix C, Work w) {
    MovingAxes::place_and_move<S, true>(m, q, v, Qd{}, w);
    InverseDynamicsDerivatives::inward<S>(m, Qd{}, DerivativesBy<Matrix, Matrix, Matrix>{Matrix{}, C, Matrix{}}, w,
                                          w + MovingAxes::work_rows(m));
  }
};

/// Coriolis matrix: Coriolis and centrifugal forces as a matrix times the velocity, with dM/dt - 2 C skew-symmetric.
///
///     C(q, v) v = bias_forces(q, v) - gravity_forces(q)        C + C^T = dM/dt
///
/// Method    that of inverse_dynamics_derivatives with dS/dt in the place of carried + dS/dt, and half of it: for
///           coordinates that add up, half the derivative by velocity, of Christoffel symbols. [Echeandia, Wensing
///           2021]
/// In        q [nq] rad|m   v [nv] rad/s|m/s
/// Out       C [nv, nv] N m|N per rad/s|m/s: a row for each joint force
/// Joints    armature adds nothing
/// Work      52 rows per link + 24 per degree of freedom     Cost O(n_dof depth), and nv^2 zeros
/// Errors    none; a NaN stays in its own instance
struct CoriolisMatrix : TwiceCoriolis {
  static constexpr const char* name = "coriolis_matrix";
  static constexpr const char* summary = "matrix of Coriolis and centrifugal forces";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      {"C", Rows::square, Role::output, "N m|N per rad/s|m/s", "Coriolis matrix, dM/dt - 2 C is skew-symmetric"},
  };

  template <class S, class M, class Q, class Qd, class Matrix, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Matrix C, Work w) {
    find<S>(m, q, v, C, w);
    for (Index k = 0; k < Index{m.nv} * m.nv; ++k) C[k] = S(0.5) * S(C[k]);
  }
};

/// Rate of the mass matrix, dM/dt, as the robot moves with velocity v: C + C^T of the Coriolis matrix.
///
/// In        q [nq] rad|m   v [nv] rad/s|m/s
/// Out       Mdot [nv, nv] kg m^2/s|kg/s, symmetric, both triangles
/// Work      52 rows per link + 24 per degree of freedom     Cost O(n_dof depth), and nv^2 zeros
/// Errors    none; a NaN stays in its own instance
struct MassMatrixRate : TwiceCoriolis {
  static constexpr const char* name = "mass_matrix_rate";
  static constexpr const char* summary = "time derivative of the mass matrix";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      {"Mdot", Rows::matrix, Role::output, "kg m^2/s|kg/s", "time derivative of the mass matrix"},
  };

  template <class S, class M, class Q, class Qd, class Matrix, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Matrix Mdot, Work w) {
    find<S>(m, q, v, Mdot, w);
    const Index n = m.nv;
    for (Index k = 0; k < n; ++k)
      for (Index j = 0; j <= k; ++j) {
        const S half = S(0.5) * (S(Mdot[n * k + j]) + S(Mdot[n * j + k]));
        Mdot[n * k + j] = half;
        Mdot[n * j + k] = half;
      }
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[CoriolisMatrix]
after = "MassMatrixRate"
compiled_with = "InverseMassMatrix"
ignores_loops = true

[CoriolisMatrix.python]
summary = "Coriolis matrix: C v are the Coriolis and centrifugal forces, and dM/dt - 2 C is skew-symmetric."
text = '''
    C(q, v) v = bias_forces(q, v) - gravity_forces(q), C + C^T = dM/dt

After [Echeandia, Wensing 2021]. For joints with one degree of freedom it is that of Christoffel symbols.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v = tandem.random_configuration(arm, seed=1), np.ones(arm.nv)
>>> C = tandem.coriolis_matrix(arm, q, v)
>>> np.allclose(C @ v, tandem.bias_forces(arm, q, v) - tandem.gravity_forces(arm, q))
True
>>> np.allclose(C + C.T, tandem.mass_matrix_rate(arm, q, v))
True
'''

[MassMatrixRate]
after = "MassMatrix"
compiled_with = "CoriolisMatrix"
cuda_with = "CoriolisMatrix"
ignores_loops = true

[MassMatrixRate.python]
summary = "Time derivative of the mass matrix, dM/dt, at velocity v."

[MassMatrixRate.python.notes]
Mdot = ", symmetric"
*/
