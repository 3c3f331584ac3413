// SPDX-License-Identifier: Apache-2.0
#include "shared_scans.hpp"

namespace tandem::inline TANDEM_ISA {

TANDEM_SCANS(, double)

}  // namespace tandem::inline TANDEM_ISA
