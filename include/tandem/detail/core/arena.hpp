// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tandem/detail/core/column.hpp"

namespace tandem::inline TANDEM_ISA {

/// Memory that is handed out piece after piece, each at the beginning of a cache line. Without memory an arena measures
/// how much the pieces take: one function lays out what it wants for both.
class Arena {
 public:
  static constexpr std::uintptr_t line = 64;

  Arena() = default;
  TANDEM_HD Arena(void* memory)
      : begin_(static_cast<char*>(memory)), used_(-reinterpret_cast<std::uintptr_t>(memory) % line) {}

  /// n of T, of which no constructor runs; null from an arena that measures.
  template <class T>
  TANDEM_HD T* take(Index n) {
    T* const piece = begin_ ? reinterpret_cast<T*>(begin_ + used_) : nullptr;
    used_ += (static_cast<std::uintptr_t>(n) * sizeof(T) + line - 1) / line * line;
    return piece;
  }
  /// A piece of n for each of these pointers.
  template <class... T>
  TANDEM_HD void take(Index n, T*&... pieces) {
    ((pieces = take<T>(n)), ...);
  }
  /// Numbers S within which the pieces have room, wherever they begin.
  template <class S>
  TANDEM_HD Index rows() const {
    return static_cast<Index>((used_ + line - 1) / sizeof(S)) + 1;
  }

 private:
  char* begin_ = nullptr;
  std::uintptr_t used_ = 0;
};

/// Bytes that are still in the caches of a processor when the next pass over them begins; more are not.
inline constexpr Index bytes_in_cache = Index{1} << 24;
/// And in the one that a core has for itself.
inline constexpr Index bytes_near_core = Index{1} << 20;

}  // namespace tandem::inline TANDEM_ISA
