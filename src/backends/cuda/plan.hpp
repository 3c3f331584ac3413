// SPDX-License-Identifier: Apache-2.0
/// How many states are worked on at a time, and where their scratch memory lies.
#pragma once
#include <cstddef>

#include "core/text.hpp"
#include "tandem/detail/core/column.hpp"
#include "tandem/error.hpp"

namespace tandem::cuda {

/// Threads that step together.
inline constexpr Index warp = 32;
/// Threads of a block: the registers of a multiprocessor hold at least 256 threads of any kernel. Smaller blocks bring
/// nothing where there are few states.
inline constexpr int threads_per_block = 64;

/// States up to which several threads share one, where there is a kernel for that: those that fill a warp of every
/// multiprocessor.
inline Index most_shared(int multiprocessors) { return Index{multiprocessors} * warp; }

/// Scratch memory [rows][columns] of the threads that run at a time: row k of thread t stands at data[k * stride + t].
template <class T>
struct Scratch {
  T* data = nullptr;
  Index stride = 0;
  Index columns = 0;
};

/// Distance of the rows of that many columns: those of a full warp begin on a cache line each.
inline Index row_stride(Index columns) { return columns < warp ? columns : (columns + warp - 1) / warp * warp; }

/// Bytes of scratch memory of that many columns.
inline std::size_t scratch_bytes(Index columns, Index rows, std::size_t bytes_per_number) {
  return static_cast<std::size_t>(row_stride(columns)) * static_cast<std::size_t>(rows) * bytes_per_number;
}

/// As many columns as wanted, or as many as the memory holds. Throws Error if it does not hold one.
inline Index columns_for(Index wanted, Index rows, std::size_t bytes_per_number, std::size_t most_bytes) {
  if (scratch_bytes(wanted, rows, bytes_per_number) <= most_bytes) return wanted;
  const std::size_t bytes = static_cast<std::size_t>(rows) * bytes_per_number;  // of a column
  const auto held = static_cast<Index>(most_bytes / bytes);
  if (held < 1)
    throw Error(sentence("CUDA: a state of this robot needs ", bytes,
                         " bytes of scratch memory on the device, more than the limit of ", most_bytes));
  return held < warp ? held : held / warp * warp;  // whole warps leave no gaps between the rows
}

}  // namespace tandem::cuda
