// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstddef>

namespace tandem {

/// Memory that begins at a cache line, which is as good as any vector register wants it. Large memory lies in large
/// pages, where the system has them for who asks (madvise of Linux): a pass over a million links otherwise spends a
/// good part of its time looking up where its pages are. Errors: std::bad_alloc.
void* allocate_lines(std::size_t bytes);
/// Gives back what allocate_lines gave.
void free_lines(void* memory) noexcept;

/// The same for containers.
template <class T>
struct LineAllocator {
  using value_type = T;  ///< of an element

  LineAllocator() = default;
  /// All of them are alike.
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}

  /// Room for n elements.
  T* allocate(std::size_t n) { return static_cast<T*>(allocate_lines(n * sizeof(T))); }
  /// Gives it back.
  void deallocate(T* p, std::size_t) noexcept { free_lines(p); }
  /// Always.
  friend bool operator==(LineAllocator, LineAllocator) { return true; }
};

}  // namespace tandem
