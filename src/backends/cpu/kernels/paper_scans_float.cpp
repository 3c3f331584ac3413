// SPDX-License-Identifier: Apache-2.0
#include "paper_scans.hpp"

namespace tandem::inline TANDEM_ISA {

TANDEM_PAPER_SCANS(, float)

}  // namespace tandem::inline TANDEM_ISA
