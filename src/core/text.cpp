// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace tandem {

std::string text(double x) {
  if (std::isnan(x)) return "nan";  // without its sign
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
  return {digits.data(), end};
}

std::string rounded_text(double x) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x, std::chars_format::general, 6).ptr;
  return {digits.data(), end};
}

std::string in_quotes(std::string_view name) {
  constexpr std::size_t longest = 60;
  std::size_t length = name.size();
  if (length > longest) {  // cut before a character, not within one
    for (length = longest; length > 0 && (name[length] & 0xc0) == 0x80;) --length;
  }
  std::string text = "\"";
  for (const char c : name.substr(0, length)) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return text + (length < name.size() ? "...\"" : "\"");
}

}  // namespace tandem
