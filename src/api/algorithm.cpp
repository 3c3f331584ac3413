// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/evaluate.hpp"

namespace tandem {

bool Algorithm::reads(std::string_view option) const {
  bool read = false;
  for_each_option([&](const auto& row) { read |= row.name == option && (options & row.bit); });
  return read;
}

}  // namespace tandem
