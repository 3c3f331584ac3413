// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstddef>

namespace tandem {

/// Allocate memory aligned to cache lines, which suffices for any vector register. Large blocks use huge pages where
/// the system offers them (madvise on Linux), because passes over a million links otherwise spend much of their time on
/// TLB misses. Throws std::bad_alloc.
void* allocate_lines(std::size_t bytes);
/// Free memory of allocate_lines().
void free_lines(void* memory) noexcept;

/// Standard allocator with allocate_lines().
template <class T>
struct LineAllocator {
  using value_type = T;  ///< type of elements

  LineAllocator() = default;
  /// Conversion; allocators have no state.
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}

  /// Allocate n elements.
  T* allocate(std::size_t n) { return static_cast<T*>(allocate_lines(n * sizeof(T))); }
  /// Free elements.
  void deallocate(T* p, std::size_t) noexcept { free_lines(p); }
  /// Always true.
  friend bool operator==(LineAllocator, LineAllocator) { return true; }
};

}  // namespace tandem
