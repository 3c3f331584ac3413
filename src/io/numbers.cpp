// SPDX-License-Identifier: Apache-2.0
#include "numbers.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

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
  if (text.find_first_of(",;") != std::string_view::npos) expected += " (spaces go between numbers)";
  return expected;
}

void append_real(std::string& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::size_t cut = std::min(text.size(), longest);
  while (cut < text.size() && cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  std::string quote = "\"";
  for (const char c : text.substr(0, cut)) quote += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return quote + (cut < text.size() ? "...\"" : "\"");
}

}  // namespace tandem::io
