// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/divided_product.hpp"
#include "tandem/detail/scan/tangent_scan.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_jvp.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivative of joint forces along increments, of one chain of many links, as scans.
/// docs/algorithms/products_scan.md
///
/// Method    tangent_scan.hpp
/// In, Out   as InverseDynamicsJvp
/// Frames    inside a chunk along the axes of its start, between chunks along the world's; about own origins
/// Joints    every type; in lanes side by side where a chain has revolute and prismatic joints, or spherical joints,
/// beyond its
///           first joint; one chunk after the other elsewhere
/// Options   chunk, chunks: links of a chunk, or how many chunks
/// Work      24 rows per link; 110 per chunk     Cost O(n_links), depth chunk + log(chunks)
/// Errors    none; a NaN stays in its own state
struct InverseDynamicsJvpScan : DividedProduct<InverseDynamicsJvpScan, TangentScan> {
  using Problem = InverseDynamicsJvp;
  int chunk = 0, chunks = 0;

  template <class S, class Groups, class Executor, class M, class Q, class Qd, class Qdd, class Dq, class Dv, class Da,
            class Fx, class Dfx, class Dpi, class Tau, class Dtau>
  static void run(const Groups& groups, const Executor& executor, const ScanPlan& plan, const ModelView<M>& m, Q q,
                  Qd v, Qdd a, Dq dq, Dv dv, Da da, Fx f_ext, Dfx df_ext, Dpi dpi, Tau tau, Dtau dtau, Arena arena) {
    using Call = ProductCall<S, M, TangentScan::n_in, TangentScan::n_out, TangentScan::Memory<S>>;
    TangentScan::body(groups, executor,
                      Call{{},
                           m,
                           plan,
                           q,
                           f_ext,
                           {v, a, dq, dv, da},
                           {tau, dtau},
                           df_ext,
                           dpi,
                           nullptr,
                           nullptr,
                           memory<S>(arena, plan)});
  }
};

}  // namespace tandem::inline TANDEM_ISA
