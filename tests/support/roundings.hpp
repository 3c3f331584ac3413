// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/api/evaluate.hpp"

namespace tandem::test {

/// Roundings of a product that is added to a sum: one where they are fused, two where there is no such instruction.
inline double roundings_of_a_product() {
#if defined(TANDEM_STRICT)
  return 2;
#elif defined(__x86_64__)
  return instruction_set() == "baseline" ? 2 : 1;
#else
  return 1;
#endif
}

}  // namespace tandem::test
