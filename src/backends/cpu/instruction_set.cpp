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
const KernelTables& kernel_tables();
}
#endif
#if defined(TANDEM_HAS_AVX2)
namespace avx2 {
const KernelTables& kernel_tables();
}
#endif
#if defined(TANDEM_HAS_AVX512)
namespace avx512 {
const KernelTables& kernel_tables();
}
#endif

namespace cpu {
namespace {

struct InstructionSet {
  const char* name;
  bool (*runs_here)();
  const KernelTables& (*tables)();
};

constexpr InstructionSet known[] = {
#if defined(TANDEM_HAS_BASELINE)
    {"baseline", [] { return true; }, &tandem::baseline::kernel_tables},
#endif
#if defined(TANDEM_HAS_AVX2)
    {"avx2", [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }, &avx2::kernel_tables},
#endif
#if defined(TANDEM_HAS_AVX512)
    {"avx512",
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
     },
     &avx512::kernel_tables},
#endif
};

const InstructionSet& find(std::string_view name, const std::string& asked_by) {
  for (const InstructionSet& set : known)
    if (name == set.name && set.runs_here()) return set;
  throw Error(sentence(asked_by, "\"", name, "\" is not an instruction set of this CPU and build; expected one of ",
                       comma_separated(instruction_sets())));
}

const KernelTables* first_choice() {
  if (const char* forced = std::getenv("TANDEM_ISA"); forced && *forced) return &find(forced, "TANDEM_ISA: ").tables();
  const InstructionSet* widest = nullptr;
  for (const InstructionSet& set : known)
    if (set.runs_here()) widest = &set;
  if (widest) return &widest->tables();
  throw Error(
      sentence("Tandem was built for processors with ",
               comma_separated(known, [](const InstructionSet& set) { return set.name; }),
               ", which this CPU does not support; build it on this machine, or with -DTANDEM_INSTRUCTION_SETS=all for "
               "every CPU"));
}

std::atomic<const KernelTables*>& chosen() {
  static std::atomic<const KernelTables*> tables = first_choice();
  return tables;
}

}  // namespace

const KernelTables& in_use() { return *chosen().load(std::memory_order_relaxed); }

}  // namespace cpu

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const cpu::InstructionSet& set : cpu::known)
    if (set.runs_here()) names.emplace_back(set.name);
  return names;
}

std::string instruction_set() {
  for (const cpu::InstructionSet& set : cpu::known)
    if (set.runs_here() && &set.tables() == &cpu::in_use()) return set.name;
  return "";
}

void use_instruction_set(std::string_view name) { cpu::chosen().store(&cpu::find(name, "").tables()); }

}  // namespace tandem
