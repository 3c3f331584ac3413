// SPDX-License-Identifier: Apache-2.0
#include "numbers.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/text.hpp"

namespace tandem::io {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// One number without white space around it.
std::errc read_real(std::string_view word, double& out) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  return end == word.data() + word.size() ? error : std::errc::invalid_argument;
}

}  // namespace

std::optional<std::string> read_reals(std::string_view text, std::span<double> out) {
  std::size_t count = 0;
  std::string_view wrong;
  std::errc error{};
  auto at = text.begin();
  while ((at = std::find_if_not(at, text.end(), is_space)) != text.end()) {
    const auto end = std::find_if(at, text.end(), is_space);
    if (count < out.size() && error == std::errc{}) {
      wrong = {at, end};
      error = read_real(wrong, out[count]);
    }
    ++count;
    at = end;
  }
  if (count == out.size() && error == std::errc{}) return std::nullopt;
  if (error == std::errc::result_out_of_range) return in_quotes(wrong) + " is beyond the range of a double";

  std::string expected = "expected " + (out.size() == 1 ? "a number" : std::to_string(out.size()) + " numbers");
  if (count != out.size())
    expected += ", got " + (count == 0 ? "none" : std::to_string(count));
  else if (out.size() > 1)
    expected += ", got " + in_quotes(wrong);
  if (text.find_first_of(",;") != std::string_view::npos) expected += " (separate numbers by spaces)";
  return expected;
}

}  // namespace tandem::io
