// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_derivatives.hpp"
#include "tandem/detail/problems/inverse_mass_matrix.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivatives of forward dynamics by configuration, velocity and joint torques.
///
///     a(q (+) dq, v + dv, tau + dtau) = a + da_dq dq + da_dv dv + da_dtau dtau + ...
///     da_dq = -M^-1 dtau_dq,   da_dv = -M^-1 dtau_dv,   da_dtau = M^-1         (M with the diagonal that is added)
///
/// with the derivatives of inverse dynamics at the acceleration that tau causes.
///
/// Method    articulated bodies for the acceleration and the factors of M (mass_factor.hpp),
///           inverse_dynamics_derivatives, and its matrices solved in place by these factors, which leave out what is
///           zero, for deep robots by the bodies themselves, column by column (column_response.hpp); with mimic joints
///           by Cholesky's method. After [Carpentier 2018], who multiply by M^-1
/// In        q [nq] rad|m   v [nv] rad/s|m/s   tau [nv] N m|N   f_ext [n_links, 6] N, N m on the links, or none
///           diagonal [nv] kg m^2|kg added to the diagonal of M, or none
/// Out       da_dq, da_dv, da_dtau [nv, nv]: a row for each acceleration, a column for each number that changes; the
///           last one or none
/// Frames    as inverse_dynamics_derivatives
/// Joints    armature counts; damping, friction and springs do not. Joints that follow another move with it
/// Work      69 rows per link + 37 and ten vectors per degree of freedom + half of nv^2, with mimic joints more; for
///           deep robots some columns in place of nv^2     Cost O(n_dof^2 depth), of deep robots O(n_dof^2)
/// Errors    none; a singular robot gives infinities or NaN in its own instance
struct ForwardDynamicsDerivatives {
  static constexpr const char* name = "forward_dynamics_derivatives";
  static constexpr const char* alias = "aba_derivatives";
  static constexpr const char* summary = "derivatives of accelerations by configuration, velocity and joint torques";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::tau,
      argument::f_ext,
      {"diagonal", Rows::v, Role::optional_input, "kg m^2|kg", "added to the diagonal of the mass matrix"},
      {"da_dq", Rows::square, Role::output, "rad/s^2|m/s^2 per rad|m",
       "derivative of the accelerations by configuration"},
      {"da_dv", Rows::square, Role::output, "rad/s^2|m/s^2 per rad/s|m/s", "by velocity"},
      {"da_dtau", Rows::matrix, Role::optional_output, "1/(kg m^2)|1/kg",
       "by joint torques: the inverse of the mass matrix"},
  };
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  static constexpr bool inverts_mass_matrix = true;

  // articulated bodies, whose first rows serve composites once accelerations are known; axes; factors; accelerations
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return bodies_rows(m) + MovingAxes::work_rows(m) + factor_rows(m) + m.nv +
           (has_mimic_joints(m) || ColumnResponse::serves(m) ? 0 : MassFactor::solve_rows(m));
  }

  template <class S, class M, class Q, class Qd, class Tau, class Fx, class D, class Out, class OutV, class OutT,
            class Work>
  TANDEM_PASS static void body(const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, Out da_dq, OutV da_dv,
                               OutT da_dtau, Work w) {
    const auto moving = w + bodies_rows(m), factor = moving + MovingAxes::work_rows(m), a = factor + factor_rows(m);
    ForwardDynamics{}.body<S>(m, q, v, tau, f_ext, diagonal, as_column<Tau>(a), w);
    MovingAxes::place_and_move<S>(m, q, v, as_column<Tau>(a), moving);
    if (has_mimic_joints(m)) {
      if constexpr (joint_set<M> == JointSet::any)
        by_cholesky<S>(m, f_ext, diagonal, da_dq, da_dv, da_dtau, moving, factor, w);
      return;
    }
    const DerivativesBy<Out, OutV, Out> by = {da_dq, da_dv, Out{}};
    if (ColumnResponse::serves(m)) {
      ColumnResponse::find<S>(m, w, moving, factor);
      InverseDynamicsDerivatives::inward<S>(m, f_ext, by, moving, w);
      ColumnResponse::minus_solve<S>(m, w, moving, factor, da_dq);
      ColumnResponse::minus_solve<S>(m, w, moving, factor, da_dv);
      if (da_dtau) ColumnResponse::invert<S>(m, w, moving, factor, da_dtau);
      return;
    }
    MassFactor::find<S>(m, w, moving, factor);
    InverseDynamicsDerivatives::inward<S>(m, f_ext, by, moving, w);
    MassFactor::minus_solve<S>(m, w, factor, da_dq, da_dv, a + m.nv);
    if (da_dtau) MassFactor::invert<S>(m, w, factor, da_dtau);
  }

 private:
  template <class M>
  TANDEM_HD static Index bodies_rows(const ModelView<M>& m) {
    const Index bodies = ForwardDynamics{}.work_rows(m),
                composites = rows_of<InverseDynamicsDerivatives::Composite<double>> * m.n_links;
    return bodies > composites ? bodies : composites;
  }
  template <class M>
  TANDEM_HD static Index factor_rows(const ModelView<M>& m) {
    if (has_mimic_joints(m)) return Index{m.nv} * m.nv;
    return ColumnResponse::serves(m) ? ColumnResponse::work_rows(m) : MassFactor::work_rows(m);
  }

  template <class S, class M, class Fx, class D, class Out, class OutV, class OutT, class Work>
  TANDEM_PASS static void by_cholesky(const ModelView<M>& m, Fx f_ext, D diagonal, Out da_dq, OutV da_dv, OutT da_dtau,
                                      Work moving, Work H, Work w) {
    const Index n = m.nv;
    const auto matrix = as_column<Out>(H);
    InverseDynamicsDerivatives::inward<S>(m, f_ext, DerivativesBy<Out, OutV, Out>{da_dq, da_dv, matrix}, moving, w);
    if (diagonal)
      for (Index k = 0; k < n; ++k) H[n * k + k] = S(H[n * k + k]) + S(diagonal[k]);
    DenseCholesky::factorise<S>(SerialExecutor{}, n, H);
    for (Index c = 0; c < n; ++c) {
      DenseCholesky::solve<S>(n, H, ColumnOfMatrix<Out>{da_dq + c, n});
      DenseCholesky::solve<S>(n, H, ColumnOfMatrix<OutV>{da_dv + c, n});
    }
    for (Index k = 0; k < n * n; ++k) {
      da_dq[k] = -S(da_dq[k]);
      da_dv[k] = -S(da_dv[k]);
    }
    if (da_dtau) InverseMassMatrix::of_factor<S>(n, H, da_dtau);
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[ForwardDynamicsDerivatives]
after = "ForwardDynamics"
declared_after = "ClosedLoopDynamics"
compiled_with = "InverseDynamicsDerivatives"
cuda_apart = true
cuda_passes_apart = true

[ForwardDynamicsDerivatives.python]
summary = "Derivatives of :func:`forward_dynamics` by configuration, velocity and joint torques."
text = '''
    a(q (+) dq, v + dv, tau + dtau) = a + da_dq dq + da_dv dv + da_dtau dtau + ...
    da_dq = -M^-1 dtau_dq, da_dv = -M^-1 dtau_dv, da_dtau = M^-1

After [Carpentier 2018], with the derivatives of :func:`inverse_dynamics_derivatives` at the acceleration due to
``tau`` and with its conventions. Damping, friction and springs are not included. With closed loops they are those
of the acceleration that keeps the loops closed, and the third matrix is not the inverse of the mass matrix.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> da_dq, da_dv, Minv = tandem.forward_dynamics_derivatives(arm, q, v, tau, inverse_mass_matrix=True)
>>> a = tandem.forward_dynamics(arm, q, v, tau)
>>> dtau_dq, dtau_dv = tandem.inverse_dynamics_derivatives(arm, q, v, a)
>>> np.allclose(da_dv, -Minv @ dtau_dv)
True
'''

[ForwardDynamicsDerivatives.python.notes]
da_dv = ""
da_dtau = ", symmetric"

[ForwardDynamicsDerivatives.python.flags]
da_dtau = ["inverse_mass_matrix", "whether to return da_dtau, the inverse of the mass matrix, as well"]
*/
