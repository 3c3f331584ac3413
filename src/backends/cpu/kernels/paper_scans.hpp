// SPDX-License-Identifier: Apache-2.0
/// The scan by which methods of papers find joint forces at rest, chunk after chunk on threads: compiled in one object,
/// paper_scans_*.cpp, and linked to theirs.
#pragma once
#include "run_links.hpp"
#include "tandem/detail/scan/inverse_dynamics_scan.hpp"

// clang-format off
#define TANDEM_PAPER_SCANS(declared, T) \
  declared template class ScanPlanner<T>; \
  declared template void InverseDynamicsScan::body<T>(const ThreadsExecutor&, const ModelView<T>&, T*, T*, \
                                                      StridedColumn<const T>, T*, T*, T*) const;
// clang-format on

namespace tandem::inline TANDEM_ISA {

TANDEM_PAPER_SCANS(extern, double)
TANDEM_PAPER_SCANS(extern, float)

}  // namespace tandem::inline TANDEM_ISA
