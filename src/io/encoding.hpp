// SPDX-License-Identifier: Apache-2.0
/// In which encoding an XML text is written.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::io {

/// How to read an XML text.
struct XmlEncoding {
  const char* name;                           ///< for expat
  std::size_t start = 0;                      ///< where the text begins, after a byte order mark
  std::size_t declaration = 0;                ///< where the XML declaration begins
  std::size_t declaration_end = 0;            ///< one past its end; equal to its beginning if there is none
  std::optional<std::size_t> strange_byte{};  ///< first byte that is not UTF-8, where UTF-8 had to be expected
};

/// Looks at the byte order mark, the declaration and the bytes themselves: whatever is valid UTF-8 is taken
/// as such, unless Latin-1 is declared.
XmlEncoding find_encoding(std::string_view text);

/// Position of the first byte that does not belong to valid UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace tandem::io
