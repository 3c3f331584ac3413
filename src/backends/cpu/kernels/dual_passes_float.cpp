// SPDX-License-Identifier: Apache-2.0
#include "passes.hpp"

namespace tandem::inline TANDEM_ISA {

TANDEM_DUAL_PASSES(, float)

}  // namespace tandem::inline TANDEM_ISA
