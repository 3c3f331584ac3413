// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/divided_dynamics.hpp"
#include "tandem/detail/scan/inverse_dynamics_vjp_scan.hpp"
#include "tandem/detail/derivatives/forward_dynamics_vjp.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivatives of weighted accelerations of one chain of many links, as scans.
/// docs/algorithms/products_scan.md
///
/// Method    scan_articulated_body for a; the same articulated bodies for tau_bar = M^-1 a_bar;
/// inverse_dynamics_vjp_scan at a with
///           weights -tau_bar, in the same chunks
/// In, Out   as ForwardDynamicsVjp
/// Joints    every type; in lanes as scan_articulated_body
/// Options   chunk, chunks: links of a chunk, or how many chunks
/// Work      the more of both, and two rows per degree of freedom     Cost O(n_links), depth chunk + log(chunks)
/// Errors    none; a singular robot gives infinities or NaN
struct ForwardDynamicsVjpScan : DividedDynamics<ForwardDynamicsVjpScan, AdjointScan> {
  using Problem = ForwardDynamicsVjp;
  int chunk = 0, chunks = 0;

  template <class S, class Groups, class Executor, class M, class Q, class Qd, class Tau, class Weight, class Fx,
            class D, class A, class Qb, class Vb, class Tb, class Fb, class Pb>
  static void run(const Groups& groups, const Executor& executor, const ScanPlan& plan, const ModelView<M>& m, Q q,
                  Qd v, Tau tau, Weight a_bar, Fx f_ext, D diagonal, A a, Qb q_bar, Vb v_bar, Tb tau_bar, Fb f_ext_bar,
                  Pb pi_bar, Arena arena) {
    S* const minus = arena.take<S>(m.nv);
    ScanArticulatedBody::run<S>(groups, executor, plan, m, q, v, tau, f_ext, diagonal, a, arena);
    ScanArticulatedBody::respond<S>(groups, executor, plan, m, q, a_bar, diagonal, tau_bar, arena);
    for_each_row(executor, m.nv, [=](Index k) TANDEM_INLINE { minus[k] = -S(tau_bar[k]); });
    InverseDynamicsVjpScan::run<S>(groups, executor, plan, m, q, v, a, minus, f_ext, A{}, q_bar, v_bar, A{}, f_ext_bar,
                                   pi_bar, arena);
  }
};

}  // namespace tandem::inline TANDEM_ISA
