// SPDX-License-Identifier: Apache-2.0
/// Numbers and names as error texts show them.
#pragma once
#include <string>
#include <string_view>

namespace tandem::model_detail {

/// The shortest digits that give the same number again.
std::string text(double x);
/// Six digits, for numbers that have been computed.
std::string rounded_text(double x);

/// The name in quotation marks; a very long one is cut, control characters become question marks.
std::string in_quotes(std::string_view name);

/// `link "elbow"`
inline std::string element(std::string_view kind, std::string_view name) {
  return std::string(kind) + " " + in_quotes(name);
}

}  // namespace tandem::model_detail
