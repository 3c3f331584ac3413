// SPDX-License-Identifier: Apache-2.0
#include "encoding.hpp"

#include <cstdint>
#include <cstring>

namespace tandem::io {
namespace {

constexpr std::string_view white_space = " \t\r\n";
constexpr std::size_t longest_declaration = 1024;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

/// The value of encoding="..." inside an XML declaration, in lower case; empty if there is none.
std::string declared_encoding(std::string_view declaration) {
  std::size_t at = declaration.find("encoding");
  if (at == std::string_view::npos) return {};
  at = declaration.find_first_of("\"'", at);
  if (at == std::string_view::npos) return {};
  const std::size_t end = declaration.find(declaration[at], at + 1);
  if (end == std::string_view::npos) return {};
  return lower_case(declaration.substr(at + 1, end - at - 1));
}

bool is_latin1(const std::string& encoding) {
  return encoding == "iso-8859-1" || encoding == "iso_8859-1" || encoding == "latin-1" || encoding == "latin1";
}

/// Length of the UTF-8 sequence at the beginning of the text, 0 if it is not valid.
std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) > 0x9F;
  const bool beyond_unicode = first == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond_unicode ? 0 : length;
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight;  // bytes at once: nearly everything is ASCII
    while (at + sizeof eight <= text.size()) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if (eight & 0x8080808080808080u) break;
      at += sizeof eight;
    }
    if (at == text.size()) break;
    const std::size_t length = utf8_sequence(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

XmlEncoding find_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) return {.name = "UTF-16"};
  if (text.starts_with("<\0"sv)) return {.name = "UTF-16LE"};
  if (text.starts_with("\0<"sv)) return {.name = "UTF-16BE"};

  XmlEncoding encoding{.name = "UTF-8"};
  const bool marked = text.starts_with("\xEF\xBB\xBF"sv);
  if (marked) encoding.start = 3;
  encoding.declaration = text.find_first_not_of(white_space, encoding.start);
  if (encoding.declaration == std::string_view::npos) encoding.declaration = text.size();
  encoding.declaration_end = encoding.declaration;

  const std::string_view head = text.substr(encoding.declaration, longest_declaration);
  std::string declared;
  if (head.size() > 5 && lower_case(head.substr(0, 5)) == "<?xml" &&
      (" \t\r\n?"sv).find(head[5]) != std::string_view::npos) {
    const std::size_t end = head.find("?>");
    if (end != std::string_view::npos) {
      encoding.declaration_end = encoding.declaration + end + 2;
      declared = declared_encoding(head.substr(0, end));
    }
  }
  if (is_latin1(declared) && !marked) {
    encoding.name = "ISO-8859-1";
    return encoding;
  }
  const std::size_t invalid = find_invalid_utf8(text);
  if (invalid != std::string_view::npos) {
    encoding.name = "ISO-8859-1";
    if (declared != "windows-1252") encoding.strange_byte = invalid;
  }
  return encoding;
}

}  // namespace tandem::io
