// SPDX-License-Identifier: Apache-2.0
#include "instruction_set.hpp"

#include <atomic>
#include <cstdlib>

#include "tandem/error.hpp"

namespace tandem {

// the copies of the folder `kernels`
inline namespace baseline {
std::span<const Kernels> kernels();
std::span<const LinkKernels> link_kernels();
}  // namespace baseline
#if defined(TANDEM_HAS_AVX2)
namespace avx2 {
std::span<const Kernels> kernels();
std::span<const LinkKernels> link_kernels();
}  // namespace avx2
#endif
#if defined(TANDEM_HAS_AVX512)
namespace avx512 {
std::span<const Kernels> kernels();
std::span<const LinkKernels> link_kernels();
}  // namespace avx512
#endif

namespace cpu {
namespace {

struct InstructionSet {
  const char* name;
  bool (*runs_here)();
  std::span<const Kernels> (*kernels)();
  std::span<const LinkKernels> (*link_kernels)();
};

constexpr InstructionSet known[] = {
    {"baseline", [] { return true; }, &tandem::baseline::kernels, &tandem::baseline::link_kernels},
#if defined(TANDEM_HAS_AVX2)
    {"avx2", [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }, &avx2::kernels,
     &avx2::link_kernels},
#endif
#if defined(TANDEM_HAS_AVX512)
    {"avx512",
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
     },
     &avx512::kernels, &avx512::link_kernels},
#endif
};

const InstructionSet& find(std::string_view name, const std::string& asked_by) {
  std::string names;
  for (const InstructionSet& set : known) {
    if (!set.runs_here()) continue;
    if (name == set.name) return set;
    names += (names.empty() ? "" : ", ") + std::string(set.name);
  }
  throw Error(asked_by + "\"" + std::string(name) + "\" is no instruction set of this machine; there are " + names);
}

const InstructionSet* first_choice() {
  if (const char* forced = std::getenv("TANDEM_ISA"); forced && *forced) return &find(forced, "TANDEM_ISA: ");
  const InstructionSet* widest = &known[0];
  for (const InstructionSet& set : known)
    if (set.runs_here()) widest = &set;
  return widest;
}

std::atomic<const InstructionSet*>& in_use() {
  static std::atomic<const InstructionSet*> set = first_choice();
  return set;
}

}  // namespace

std::span<const Kernels> kernels() { return in_use().load(std::memory_order_relaxed)->kernels(); }

std::span<const LinkKernels> link_kernels() { return in_use().load(std::memory_order_relaxed)->link_kernels(); }

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet& set : known)
    if (set.runs_here()) names.emplace_back(set.name);
  return names;
}

std::string instruction_set() { return in_use().load()->name; }

void use_instruction_set(std::string_view name) { in_use().store(&find(name, "")); }

}  // namespace cpu
}  // namespace tandem
