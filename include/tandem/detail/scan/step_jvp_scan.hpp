// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/step_scan.hpp"
#include "tandem/detail/derivatives/step_jvp.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivatives of the state after a step of one chain of many links along increments.
/// docs/algorithms/products_scan.md
///
/// Method    the text of step_jvp, on dual numbers, with forward_dynamics_jvp_scan for accelerations and their rates;
/// what it does joint
///           by joint is done one after the other
/// In, Out   as StepJvp
/// Joints    every type; in lanes as scan_articulated_body
/// Options   chunk, chunks: links of a chunk, or how many chunks; those of StepJvp, without implicit_midpoint
/// Work      that of forward_dynamics_jvp_scan and twice that of a step     Cost O(n_links)
/// Errors    none; a singular robot gives infinities or NaN
struct StepJvpScan : StepByScan<StepJvpScan, TangentScan, StepJvp> {};

}  // namespace tandem::inline TANDEM_ISA
