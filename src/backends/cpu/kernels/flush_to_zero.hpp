// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tandem/detail/core/config.hpp"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tandem::inline TANDEM_ISA {

/// While it lives, this thread takes numbers too small for a normal exponent for zero. How far one end of a long chain
/// feels the other dies away exponentially, and such numbers cost a processor far more than the rest.
class FlushToZero {
 public:
  FlushToZero() : before_(get()) { set(before_ | flags); }
  ~FlushToZero() { set(before_); }
  FlushToZero(const FlushToZero&) = delete;
  FlushToZero& operator=(const FlushToZero&) = delete;

 private:
#if defined(__SSE2__)
  using Register = unsigned;
  static constexpr Register flags = 0x8040;
  static Register get() { return _mm_getcsr(); }
  static void set(Register value) { _mm_setcsr(value); }
#elif defined(__aarch64__)
  using Register = std::uint64_t;
  static constexpr Register flags = Register{1} << 24;
  static Register get() {
    Register value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void set(Register value) { __asm__ volatile("msr fpcr, %0" : : "r"(value)); }
#else
  using Register = unsigned;
  static constexpr Register flags = 0;
  static Register get() { return 0; }
  static void set(Register) {}
#endif

  Register before_;
};

}  // namespace tandem::inline TANDEM_ISA
