// SPDX-License-Identifier: Apache-2.0
#include "contact_lanes.hpp"

namespace tandem::inline TANDEM_ISA {

template class TileContacts<double>;

}  // namespace tandem::inline TANDEM_ISA
