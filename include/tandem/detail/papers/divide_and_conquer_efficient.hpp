// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/scan_articulated_body.hpp"

namespace tandem::inline TANDEM_ISA {

/// The efficient divide and conquer algorithm (DCAe): as many subsystems as there are processors, each worked through
/// by the serial O(n) recursion, and a binary tree that joins them.
/// docs/algorithms/divide_and_conquer_efficient.md
///
/// Method    [Critchley] (44) - (59), (72), as a cut of the scan form (scan_articulated_body.hpp): the heaviest path,
///           from the base to the child with the most descendants and on, into a few long chunks that run one after the
///           other, the terminal one longer than the others, as nothing hangs from it. Changed from the paper: its
///           second sweep per subsystem (60) - (71) is not needed, as the mobility of handle 2 is a sum of terms of the
///           first; a subsystem begins with its first joint and takes the acceleration of what it hangs from, in place
///           of a force: no inertia is inverted, links without mass may stand anywhere but at a cut, and nothing is
///           subtracted.
/// In, Out   those of ForwardDynamics
/// Options   chunks: subsystems, if not given 2, for robots of fewer than 192 links 1; load_ratio: length of the
///           terminal one over that of the others, if not given 1.4
/// Joints    of every type with armature, trees; no mimic joints
/// Work      as the scan form
/// Cost      per link of the terminal subsystem about as much as the articulated-body algorithm, of the others more
///           by the second handle (docs/operation_counts.md)
/// Errors    none; a singular robot gives infinities or NaN
struct DivideAndConquerEfficient : ArticulatedBodyInChunks<DivideAndConquerEfficient> {
  static constexpr Method method = Method::divide_and_conquer_efficient;
  int chunks = 0;
  double load_ratio = 1.4;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options& o) {
    if (m.n_mimic != 0) return "it has mimic joints; use articulated_body or composite_rigid_body";
    if (o.chunks < 0) return "chunks is negative, expected 0 or more";
    if (!(o.load_ratio >= 0)) return "load_ratio is negative, expected 0 or more";
    return nullptr;
  }

  template <class M>
  ScanCut cut(const ModelView<M>& m) const {
    // below some 200 links it costs more to hand work to another thread than the thread saves
    return {.rows = rows_of_chunk,
            .chunks = chunks > 0        ? chunks
                      : m.n_links > 192 ? 2
                                        : 1,
            .load_ratio = load_ratio,
            .heaviest_only = true,
            .joined_in_a_row = 1};
  }
};

}  // namespace tandem::inline TANDEM_ISA
