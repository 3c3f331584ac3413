// SPDX-License-Identifier: Apache-2.0
#include "contact_lanes.hpp"

namespace tandem::inline TANDEM_ISA {

template class TileContacts<FullPack<float>>;
extern template class TileContacts<float>;  // see contact_alone_float.cpp

template <>
ContactKernel<float> contact_kernel() {
  using D = ContactDriver<float>;
  return {D::lanes, &D::create, &D::destroy, &D::run};
}

}  // namespace tandem::inline TANDEM_ISA
