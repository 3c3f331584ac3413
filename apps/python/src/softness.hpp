// SPDX-License-Identifier: Apache-2.0
/// Softness as seven numbers: solref, then solimp.
#pragma once
#include <algorithm>
#include <string>

#include "bindings.hpp"
#include "tandem/model/shapes.hpp"
#include "values.hpp"

namespace tandem::python {

inline ContactSoftness softness_from(nb::handle given, double margin, const std::string& what) {
  ContactSoftness softness;
  const auto all = numbers<7>(given, what);
  std::copy_n(all.begin(), 2, softness.solref.begin());
  std::copy_n(all.begin() + 2, 5, softness.solimp.begin());
  softness.margin = margin;
  return softness;
}
inline nb::tuple numbers_of(const ContactSoftness& s) {
  return nb::make_tuple(s.solref[0], s.solref[1], s.solimp[0], s.solimp[1], s.solimp[2], s.solimp[3], s.solimp[4]);
}

}  // namespace tandem::python
