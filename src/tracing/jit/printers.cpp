// SPDX-License-Identifier: Apache-2.0
/// Which printers this copy of the library has.
#include "tracing/jit/instructions.hpp"
#include "tandem/error.hpp"

namespace tandem {

std::unique_ptr<Instructions> neon_instructions(bool single);
#if defined(TANDEM_HAS_XBYAK)
std::unique_ptr<Instructions> sse_instructions(bool single);
std::unique_ptr<Instructions> vex_instructions(bool wide, bool single);
#endif

std::unique_ptr<Instructions> instructions_of(Registers registers, bool single) {
  switch (registers) {
    case Registers::neon: return neon_instructions(single);
#if defined(TANDEM_HAS_XBYAK)
    case Registers::sse2: return sse_instructions(single);
    case Registers::avx2:
    case Registers::avx512: return vex_instructions(registers == Registers::avx512, single);
#endif
    default: throw Error("this build of Tandem has no Xbyak, which generates code for x86-64");
  }
}

std::vector<Registers> registers_here() {
  std::vector<Registers> here;
#if defined(TANDEM_HAS_NEON)
  here.push_back(Registers::neon);
#elif defined(TANDEM_HAS_XBYAK)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) here.push_back(Registers::avx512);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) here.push_back(Registers::avx2);
  here.push_back(Registers::sse2);
#endif
  return here;
}

}  // namespace tandem
