// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <type_traits>

namespace tandem::cli {

/// Appends a number with all its digits, 17 of a double and 9 of a float, and a comma. NaN has no sign.
template <class T>
void append_field(fmt::memory_buffer& line, T x) {
  if (x != x) x = std::numeric_limits<T>::quiet_NaN();
  if constexpr (std::is_same_v<T, float>)
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("{:.9g},"), x);
  else
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("{:.17g},"), x);
}

/// Ends a line of fields.
inline void end_line(fmt::memory_buffer& text) {
  if (text.size() > 0 && text[text.size() - 1] == ',')
    text[text.size() - 1] = '\n';
  else
    text.push_back('\n');
}

}  // namespace tandem::cli
