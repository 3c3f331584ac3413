// SPDX-License-Identifier: Apache-2.0
/// XML as a stream of start and end tags, for files as people have them. Text between tags, comments and
/// processing instructions are passed over; nothing outside the text is ever opened.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::io {

/// A start tag.
struct XmlElement {
  std::string_view name;    ///< as written, with its prefix if it has one
  const char** attributes;  ///< name, value, name, value, ..., nullptr; UTF-8
  int line;

  /// The value of an attribute, nullptr if it is not there.
  const char* find(std::string_view attribute) const;
};

/// What happens at a tag.
struct XmlHandler {
  std::function<bool(const XmlElement&)> start;  ///< false stops the reading
  std::function<void()> end;
};

/// A remark about the text, and where.
struct XmlNote {
  int line = 0;
  std::string message;
};

struct XmlOutcome {
  std::vector<XmlNote> warnings;
  std::optional<XmlNote> failure;  ///< why the text could not be read to its end
};

/// Bytes of the longest text that is read.
inline constexpr std::size_t longest_xml = std::size_t{1} << 30;

/// Reads the text to its end, to the first error, or until the handler stops it. Takes time and memory in
/// proportion to the text, however it is nested and whatever its entities say.
///
/// More forgiving than XML in three ways, each seen in published robots: a declaration `<?xml ...?>` may be
/// malformed or stand after white space, and text that is not UTF-8 though it should be is read as Latin-1,
/// with a warning.
XmlOutcome parse_xml(std::string_view text, const XmlHandler& handler);

/// True for data that cannot be the beginning of an XML text in any encoding.
bool is_binary(std::string_view beginning);

}  // namespace tandem::io
