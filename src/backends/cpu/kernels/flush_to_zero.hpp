// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/core/config.hpp"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tandem::inline TANDEM_ISA {

/// While it lives, this thread takes numbers too small for a normal exponent for zero. How far one end of a long chain
/// feels the other dies away exponentially, and such numbers cost a processor far more than the rest.
class FlushToZero {
#if defined(__SSE2__)
 public:
  FlushToZero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
  ~FlushToZero() { _mm_setcsr(before_); }
  FlushToZero(const FlushToZero&) = delete;
  FlushToZero& operator=(const FlushToZero&) = delete;

 private:
  unsigned before_;
#endif
};

}  // namespace tandem::inline TANDEM_ISA
