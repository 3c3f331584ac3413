// SPDX-License-Identifier: Apache-2.0
#include "shared_scans.hpp"

namespace tandem::inline TANDEM_ISA {

TANDEM_SCANS(, float)

}  // namespace tandem::inline TANDEM_ISA
