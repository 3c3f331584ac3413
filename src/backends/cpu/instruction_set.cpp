// SPDX-License-Identifier: Apache-2.0
#include "instruction_set.hpp"

#include <atomic>
#include <cstdlib>

#include "core/text.hpp"
#include "tandem/api/evaluate.hpp"
#include "tandem/error.hpp"

namespace tandem {

// the copies of the folder `kernels`
#if defined(TANDEM_HAS_BASELINE)
inline namespace baseline {
std::span<const Kernels> kernels();
std::span<const LinkKernels> link_kernels();
}  // namespace baseline
#endif
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
#if defined(TANDEM_HAS_BASELINE)
    {"baseline", [] { return true; }, &tandem::baseline::kernels, &tandem::baseline::link_kernels},
#endif
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
  for (const InstructionSet& set : known)
    if (name == set.name && set.runs_here()) return set;
  throw Error(sentence(asked_by, "\"", name, "\" is no instruction set of this machine and this build; there are ",
                       comma_separated(instruction_sets())));
}

const InstructionSet* first_choice() {
  if (const char* forced = std::getenv("TANDEM_ISA"); forced && *forced) return &find(forced, "TANDEM_ISA: ");
  const InstructionSet* widest = nullptr;
  for (const InstructionSet& set : known)
    if (set.runs_here()) widest = &set;
  if (widest) return widest;
  throw Error(
      sentence("Tandem was built for processors with ",
               comma_separated(known, [](const InstructionSet& set) { return set.name; }),
               ", and this one has none of these; build it here, or with -DTANDEM_INSTRUCTION_SETS=baseline for "
               "every processor"));
}

std::atomic<const InstructionSet*>& in_use() {
  static std::atomic<const InstructionSet*> set = first_choice();
  return set;
}

}  // namespace

std::span<const Kernels> kernels() { return in_use().load(std::memory_order_relaxed)->kernels(); }

std::span<const LinkKernels> link_kernels() { return in_use().load(std::memory_order_relaxed)->link_kernels(); }

}  // namespace cpu

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const cpu::InstructionSet& set : cpu::known)
    if (set.runs_here()) names.emplace_back(set.name);
  return names;
}

std::string instruction_set() { return cpu::in_use().load()->name; }

void use_instruction_set(std::string_view name) { cpu::in_use().store(&cpu::find(name, "")); }

}  // namespace tandem
