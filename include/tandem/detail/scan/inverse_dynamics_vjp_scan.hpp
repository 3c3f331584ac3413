// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/adjoint_scan.hpp"
#include "tandem/detail/scan/divided_product.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_vjp.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivatives of weighted joint forces of one chain of many links, as scans.
/// docs/algorithms/products_scan.md
///
/// Method    adjoint_scan.hpp
/// In, Out   as InverseDynamicsVjp
/// Frames    inside a chunk along the axes of its start, between chunks along the world's; about own origins
/// Joints    every type; in lanes side by side where a chain has revolute and prismatic joints, or spherical joints,
/// beyond its
///           first joint; one chunk after the other elsewhere
/// Options   chunk, chunks: links of a chunk, or how many chunks
/// Work      36 rows per link with one degree of freedom, else 42; 100 per chunk     Cost O(n_links), depth chunk +
/// log(chunks) Errors    none; a NaN stays in its own state
struct InverseDynamicsVjpScan : DividedProduct<InverseDynamicsVjpScan, AdjointScan> {
  using Problem = InverseDynamicsVjp;
  int chunk = 0, chunks = 0;

  template <class S, class Groups, class Executor, class M, class Q, class Qd, class Qdd, class Weight, class Fx,
            class Tau, class Qb, class Vb, class Ab, class Fb, class Pb>
  static void run(const Groups& groups, const Executor& executor, const ScanPlan& plan, const ModelView<M>& m, Q q,
                  Qd v, Qdd a, Weight tau_bar, Fx f_ext, Tau tau, Qb q_bar, Vb v_bar, Ab a_bar, Fb f_ext_bar, Pb pi_bar,
                  Arena arena) {
    using Call = ProductCall<S, M, AdjointScan::n_in, AdjointScan::n_out, AdjointScan::Memory<S>>;
    if (f_ext_bar) store_linear_first(f_ext_bar, 0, Motion<S>::zero());
    AdjointScan::body(groups, executor,
                      Call{{},
                           m,
                           plan,
                           q,
                           f_ext,
                           {v, a, tau_bar},
                           {tau, q_bar, v_bar, a_bar},
                           nullptr,
                           nullptr,
                           f_ext_bar,
                           pi_bar,
                           memory<S>(arena, plan)});
  }
};

}  // namespace tandem::inline TANDEM_ISA
