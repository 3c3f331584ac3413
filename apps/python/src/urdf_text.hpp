// SPDX-License-Identifier: Apache-2.0
/// URDF text that comes as a `str` of Python.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace tandem::python {

/// A `str` has characters, whatever encoding its XML declaration names, and arrives as UTF-8. A byte order mark says so
/// to the reader, which otherwise goes by the declaration.
inline std::string document_of(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  const bool ascii = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return std::string(ascii || text.starts_with(mark) ? "" : mark).append(text);
}

}  // namespace tandem::python
