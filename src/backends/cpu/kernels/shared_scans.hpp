// SPDX-License-Identifier: Apache-2.0
/// Scans that methods in several objects run, with chunks in lanes, on threads. Each is compiled in one object,
/// shared_scans_*.cpp, and linked to the objects of methods.
#pragma once
#include "run_scan.hpp"
#include "tandem/detail/scan/scan_articulated_body.hpp"

// clang-format off
#define TANDEM_ABREAST(declared, T, rows) \
  declared template void ChunksAbreast<FullPack<T>>::gather_some<rows>(const T*, Index ChunkPlace::*, \
                                                                       const std::int32_t*, int, int, \
                                                                           FullPack<T>*) const; \
  declared template void ChunksAbreast<FullPack<T>>::scatter_some<rows>(const FullPack<T>*, const std::int32_t*, \
                                                                        int, int, T*) const;
#define TANDEM_SCANS(declared, T) \
  declared template void ArticulatedBodyScan::run<T>(const TurningChunks<T>&, const ThreadsExecutor&, const ScanPlan&, \
                                                     const ModelView<T>&, T*, T*, T*, T*, T*, T*, Arena); \
  declared template void ArticulatedBodyScan::respond<T>(const TurningChunks<T>&, const ThreadsExecutor&, \
      const ScanPlan&, \
                                                         const ModelView<T>&, T*, T*, T*, T*, Arena);         \
  declared template class PreparedScan<T, true>; \
  declared template class ScanPlanner<T>; \
  TANDEM_ABREAST(declared, T, 1) TANDEM_ABREAST(declared, T, 3) TANDEM_ABREAST(declared, T, 4)
// clang-format on

namespace tandem::inline TANDEM_ISA {

template <class T>
using TurningChunks = ChunksInLanes<FullPack<T>, PreparedScan<T, true>>;

TANDEM_SCANS(extern, double)
TANDEM_SCANS(extern, float)

}  // namespace tandem::inline TANDEM_ISA
