// SPDX-License-Identifier: Apache-2.0
/// Columns of a thread. Their rows count in 32 bits: products of 64 bits would take a third of a thread's instructions.
#pragma once
#include <cstdint>

#include "tandem/api/batch.hpp"
#include "tandem/detail/core/column.hpp"

namespace tandem::cuda {

/// Rows at equal distances in the memory of the device, less than 4 GiB apart, and fewer than 2^32.
template <class T>
struct FarColumn {
  char* data = nullptr;
  std::uint32_t stride = sizeof(T);  ///< bytes
  FarColumn() = default;
  TANDEM_HD FarColumn(T* first, Index rows_apart)
      : data(reinterpret_cast<char*>(first)),
        stride(static_cast<std::uint32_t>(rows_apart) * std::uint32_t{sizeof(T)}) {}
  TANDEM_HD FarColumn(char* first, std::uint32_t bytes) : data(first), stride(bytes) {}
  TANDEM_HD char* address(Index row) const {
    const auto row_32 = static_cast<std::uint32_t>(row);
#ifdef __CUDA_ARCH__
    char* result;  // one instruction, which the compiler does not find from the product
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(result) : "r"(row_32), "r"(stride), "l"(data));
    return result;
#else
    return data + std::uint64_t{row_32} * std::uint64_t{stride};
#endif
  }
  TANDEM_HD T& operator[](Index row) const { return *reinterpret_cast<T*>(address(row)); }
  TANDEM_HD FarColumn operator+(Index rows) const { return {address(rows), stride}; }
  TANDEM_HD explicit operator bool() const { return data != nullptr; }
};

/// Rows side by side in an array of the thread's own.
template <class T>
struct OwnColumn {
  T* data = nullptr;
  TANDEM_HD T& operator[](Index row) const { return data[static_cast<std::uint32_t>(row)]; }
  TANDEM_HD OwnColumn operator+(Index rows) const { return {data + rows}; }
  TANDEM_HD explicit operator bool() const { return data != nullptr; }
};

/// The rows of state b.
template <class T>
TANDEM_HD StridedColumn<T> column_of(const Array<T>& array, Index b) {
  return {array.data ? array.data + b * array.stride : nullptr, array.row_stride};
}
template <class T>
TANDEM_HD FarColumn<T> far_column_of(const Array<T>& array, Index b) {
  return {array.data ? array.data + b * array.stride : nullptr, array.row_stride};
}

}  // namespace tandem::cuda
