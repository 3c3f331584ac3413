// SPDX-License-Identifier: Apache-2.0
#include "tracing/jit/vex.hpp"

namespace tandem {
namespace {

struct OwnCode {
  Xbyak::CodeGenerator code{Xbyak::DEFAULT_MAX_CODE_SIZE, Xbyak::AutoGrow};
};
struct OwnVex final : OwnCode, Vex {
  OwnVex(bool wide, bool single) : Vex(code, wide, single) {}
};

}  // namespace

std::unique_ptr<Instructions> vex_instructions(bool wide, bool single) {
  return std::make_unique<OwnVex>(wide, single);
}

}  // namespace tandem
