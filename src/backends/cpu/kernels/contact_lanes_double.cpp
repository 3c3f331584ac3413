// SPDX-License-Identifier: Apache-2.0
#include "contact_lanes.hpp"

namespace tandem::inline TANDEM_ISA {

template class TileContacts<FullPack<double>>;
extern template class TileContacts<double>;  // see contact_alone_double.cpp

template <>
ContactKernel<double> contact_kernel() {
  using D = ContactDriver<double>;
  return {D::lanes, &D::create, &D::destroy, &D::run};
}

}  // namespace tandem::inline TANDEM_ISA
