// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/divided_dynamics.hpp"
#include "tandem/detail/scan/inverse_dynamics_jvp_scan.hpp"
#include "tandem/detail/derivatives/forward_dynamics_jvp.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivative of accelerations along increments, of one chain of many links, as scans.
/// docs/algorithms/products_scan.md
///
/// Method    scan_articulated_body for a; inverse_dynamics_jvp_scan at that acceleration, in the same chunks; then
///           the same articulated bodies again, for what is left of dtau
/// In, Out   as ForwardDynamicsJvp
/// Joints    every type; in lanes as scan_articulated_body
/// Options   chunk, chunks: links of a chunk, or how many chunks
/// Work      the more of both, and two rows per degree of freedom     Cost O(n_links), depth chunk + log(chunks)
/// Errors    none; a singular robot gives infinities or NaN
struct ForwardDynamicsJvpScan : DividedDynamics<ForwardDynamicsJvpScan, TangentScan> {
  using Problem = ForwardDynamicsJvp;
  int chunk = 0, chunks = 0;

  template <class S, class Groups, class Executor, class M, class Q, class Qd, class Tau, class Dq, class Dv,
            class Dtau, class Fx, class D, class Dfx, class Dpi, class A, class Da>
  static void run(const Groups& groups, const Executor& executor, const ScanPlan& plan, const ModelView<M>& m, Q q,
                  Qd v, Tau tau, Dq dq, Dv dv, Dtau dtau, Fx f_ext, D diagonal, Dfx df_ext, Dpi dpi, A a, Da da,
                  Arena arena) {
    tangent<S>(groups, executor, plan, m, q, v, tau, dq, dv, dtau, f_ext, diagonal, D{}, df_ext, dpi, a, da, arena);
  }
  /// With an increment of the diagonal, or none.
  template <class S, class Groups, class Executor, class M, class Q, class Qd, class Tau, class Dq, class Dv,
            class Dtau, class Fx, class D, class Dd, class Dfx, class Dpi, class A, class Da>
  static void tangent(const Groups& groups, const Executor& executor, const ScanPlan& plan, const ModelView<M>& m, Q q,
                      Qd v, Tau tau, Dq dq, Dv dv, Dtau dtau, Fx f_ext, D diagonal, Dd ddiagonal, Dfx df_ext, Dpi dpi,
                      A a, Da da, Arena arena) {
    S* const left = arena.take<S>(m.nv);
    ScanArticulatedBody::run<S>(groups, executor, plan, m, q, v, tau, f_ext, diagonal, a, arena);
    InverseDynamicsJvpScan::run<S>(groups, executor, plan, m, q, v, a, dq, dv, Dtau{}, f_ext, df_ext, dpi, Da{}, da,
                                   DividedDynamics::beyond_articulated_bodies<S>(arena, plan));
    for_each_row(executor, m.nv, [=](Index k) TANDEM_INLINE {
      left[k] = S(dtau[k]) - S(da[k]);
      if (ddiagonal) left[k] = left[k] - S(ddiagonal[k]) * S(a[k]);
    });
    ScanArticulatedBody::respond<S>(groups, executor, plan, m, q, left, diagonal, da, arena);
  }
};

}  // namespace tandem::inline TANDEM_ISA
