// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/dense_cholesky.hpp"
#include "tandem/detail/scan/composite_scan.hpp"
#include "tandem/detail/scan/inverse_dynamics_scan.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"

namespace tandem::inline TANDEM_ISA {

/// Forward dynamics by inverting the mass matrix (JSIIA, joint space inertia inversion).
///
///     a = (M + diag(diagonal))^-1 (tau - bias),   M = U^T U
///
/// Method    [Yang] section II-C, (6), (7): bias by inverse dynamics with a = 0, every column of M by inverse dynamics
///           at rest with a unit acceleration, then Cholesky. Changed: unless form is body, M comes from composite
///           inertias in place of n inverse dynamics: composite_scan on chains, composite_rigid_body on trees
/// In, out   those of forward_dynamics
/// Joints    every type, trees and joints that follow others too
/// Options   form: body fills M by columns of inverse dynamics, and is, like the others, that of the scan for the bias
/// Work      nv^2 + nv rows, and those of inverse dynamics (sixteen times with columns) or the mass matrix
/// Cost      n^3 / 3 + M; it passes through tau - bias: errors grow like the condition of M, n^4 on a chain
/// Errors    none; a singular robot gives infinities or NaN in its own state
struct MassMatrixInversion {
  using Problem = ForwardDynamics;
  static constexpr Method method = Method::mass_matrix_inversion;
  Form form = Form::automatic;

  template <class M>
  static const char* refuses(const ModelView<M>&, const Options&) {
    return nullptr;
  }

  static constexpr Index parts = 16;  ///< that columns are dealt out to

  template <class M>
  TANDEM_HD Form chosen(const ModelView<M>& m) const {
    return scan().chosen(m);
  }
  TANDEM_HD bool by_columns() const { return form == Form::body; }
  TANDEM_HD InverseDynamicsScan scan() const { return {.form = form}; }
  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    const Index bias = is_chain(m) ? scan().work_rows(m) : BiasForces::work_rows(m);
    const Index mass = by_columns()  ? parts * (InverseDynamics::work_rows(m) + 2 * Index{m.nv})
                       : is_chain(m) ? CompositeScan().work_rows(m)
                                     : MassMatrix::work_rows(m);
    return Index{m.nv} * m.nv + m.nv + (bias > mass ? bias : mass);
  }

  template <class S, class Executor, class M, class Q, class Qd, class Tau, class Fx, class D, class A, class Work>
  TANDEM_HD void body(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, A a,
                      Work w) const {
    const Index n = m.nv;
    const S still(0);
    const auto H = w, bias = w + n * n, scratch = bias + n;
    if (is_chain(m))
      scan().template body<S>(executor, m, q, v, in_every_row(still), f_ext, bias, scratch);
    else
      BiasForces::body<S>(m, q, v, f_ext, bias, scratch);

    if (by_columns())
      fill_columns<S>(executor, m, q, H, scratch);
    else if (is_chain(m))
      CompositeScan().body<S>(executor, m, q, H, scratch);
    else
      MassMatrix::body<S>(m, q, H, scratch);
    solve<S>(executor, n, H, tau, bias, diagonal, a);
  }

  /// a = (H + diag(diagonal))^-1 (tau - bias). H [n, n] is overwritten.
  template <class S, class Executor, class Matrix, class Tau, class Bias, class D, class A>
  TANDEM_HD static void solve(const Executor& executor, Index n, Matrix H, Tau tau, Bias bias, D diagonal, A a) {
    for_each_number(executor, n, [&](Index k) TANDEM_INLINE {
      a[k] = S(tau[k]) - S(bias[k]);
      if (diagonal) H[k * n + k] = S(H[k * n + k]) + S(diagonal[k]);
    });
    DenseCholesky::factorise<S>(executor, n, H);
    if constexpr (is_of_threads<Executor>)
      DenseCholesky::solve_in_blocks<S>(executor, n, H, a);
    else
      DenseCholesky::solve<S>(n, H, a);
  }

 private:
  /// Row j of the upper triangle: the joint forces of a unit acceleration of row j, at rest, without gravity.
  template <class S, class Executor, class M, class Q, class Matrix, class Work>
  TANDEM_HD static void fill_columns(const Executor& executor, const ModelView<M>& m, Q q, Matrix H, Work w) {
    const Index n = m.nv;
    const auto resting = m.without_gravity();
    executor.for_each(parts, [&](Index part) TANDEM_INLINE {
      const auto unit = w + part * (InverseDynamics::work_rows(m) + 2 * n), none = unit + n, scratch = none + n;
      for (Index k = 0; k < n; ++k) unit[k] = S(0);
      for (Index j = part; j < n; j += parts) {
        unit[j] = S(1);
        InverseDynamics::body<S>(resting, q, zeros<Q, S>(none, n), unit, Q{}, H + j * n, scratch);
        unit[j] = S(0);
      }
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
