// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "pack.hpp"

namespace tandem::inline TANDEM_ISA {

/// W neighbouring numbers in memory, wherever they begin.
template <class R, int W>
struct UnalignedPack {
  R lanes[W];
  TANDEM_HD operator Pack<R, W>() const {
    Pack<R, W> p;
    __builtin_memcpy(&p.lanes, lanes, sizeof(lanes));
    return p;
  }
  TANDEM_HD UnalignedPack& operator=(const Pack<R, W>& p) {
    __builtin_memcpy(lanes, &p.lanes, sizeof(lanes));
    return *this;
  }
};

}  // namespace tandem::inline TANDEM_ISA
