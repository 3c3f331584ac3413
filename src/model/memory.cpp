// SPDX-License-Identifier: Apache-2.0
#include "tandem/model/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tandem {

void* allocate_lines(std::size_t bytes) {
  constexpr std::size_t line = 64, large_page = std::size_t{1} << 21;
  const std::size_t unit = bytes >= 2 * large_page ? large_page : line;
  const std::size_t whole = std::max(unit, (bytes + unit - 1) / unit * unit);
  void* memory = whole >= bytes ? std::aligned_alloc(unit, whole) : nullptr;
  if (!memory) throw std::bad_alloc();
#if defined(__linux__)
  if (unit == large_page) madvise(memory, whole, MADV_HUGEPAGE);  // advice: small pages do as well
#endif
  return memory;
}

void free_lines(void* memory) noexcept { std::free(memory); }

}  // namespace tandem
