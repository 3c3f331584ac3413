// SPDX-License-Identifier: Apache-2.0
#include "tandem/model/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif

namespace tandem {
namespace {

/// `bytes` is a multiple of `unit`, a power of two.
void* take_memory(std::size_t unit, std::size_t bytes) {
#if defined(_WIN32)
  return _aligned_malloc(bytes, unit);
#else
  return std::aligned_alloc(unit, bytes);
#endif
}

}  // namespace

void* allocate_lines(std::size_t bytes) {
  constexpr std::size_t line = 64, large_page = std::size_t{1} << 21;
  const std::size_t unit = bytes >= 2 * large_page ? large_page : line;
  const std::size_t whole = std::max(unit, (bytes + unit - 1) / unit * unit);
  void* memory = whole >= bytes ? take_memory(unit, whole) : nullptr;
  if (!memory) throw std::bad_alloc();
#if defined(__linux__)
  if (unit == large_page) madvise(memory, whole, MADV_HUGEPAGE);  // advice: small pages do as well
#endif
  return memory;
}

void free_lines(void* memory) noexcept {
#if defined(_WIN32)
  _aligned_free(memory);
#else
  std::free(memory);
#endif
}

}  // namespace tandem
