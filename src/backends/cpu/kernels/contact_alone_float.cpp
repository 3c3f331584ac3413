// SPDX-License-Identifier: Apache-2.0
#include "contact_lanes.hpp"

namespace tandem::inline TANDEM_ISA {

template class TileContacts<float>;

}  // namespace tandem::inline TANDEM_ISA
