// SPDX-License-Identifier: Apache-2.0
/// What the printers of x86-64 share.
#pragma once
#include <xbyak/xbyak.h>

#include "tracing/jit/instructions.hpp"

namespace tandem {

/// Instructions without addresses of their own.
inline std::vector<std::byte> written(const Xbyak::CodeGenerator& code) {
  const auto* first = reinterpret_cast<const std::byte*>(code.getCode());
  return {first, first + code.getSize()};
}

}  // namespace tandem
