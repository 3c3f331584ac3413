// SPDX-License-Identifier: Apache-2.0
#include "instruction_sets.hpp"

#include <algorithm>

#include "tandem/tandem.hpp"

namespace tandem::bench {

std::vector<std::string> instruction_sets_measured() {
  std::vector<std::string> sets = instruction_sets();
  std::rotate(sets.begin(), std::find(sets.begin(), sets.end(), instruction_set()), sets.end());
  return sets;
}

Forced::Forced(const std::string& instruction_set) : before_(tandem::instruction_set()) {
  use_instruction_set(instruction_set);
}
Forced::~Forced() { use_instruction_set(before_); }

}  // namespace tandem::bench
