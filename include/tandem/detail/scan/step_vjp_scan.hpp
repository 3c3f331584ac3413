// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/step_scan.hpp"
#include "tandem/detail/derivatives/step_vjp.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivatives of the weighted state after a step of one chain of many links.
/// docs/algorithms/products_scan.md
///
/// Method    the text of step_vjp, with scan_articulated_body for accelerations and forward_dynamics_vjp_scan for their
/// way back; what
///           it does joint by joint is done one after the other
/// In, Out   as StepVjp
/// Joints    every type; in lanes as scan_articulated_body
/// Options   chunk, chunks: links of a chunk, or how many chunks; those of StepVjp, without implicit_midpoint
/// Work      that of forward_dynamics_vjp_scan and of a step and its way back     Cost O(n_links)
/// Errors    none; a singular robot gives infinities or NaN
struct StepVjpScan : StepByScan<StepVjpScan, AdjointScan, StepVjp> {};

}  // namespace tandem::inline TANDEM_ISA
