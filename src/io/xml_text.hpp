// SPDX-License-Identifier: Apache-2.0
/// XML as it is written.
#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::io {

/// `text` as the value of an attribute, with what XML would take for its own written as references. Throws Error that
/// begins with `writer` for a name that XML cannot hold.
std::string attribute_text(std::string_view writer, std::string_view text);

/// Elements, one a line, indented. Attributes are those of the element that was begun last.
class XmlText {
 public:
  explicit XmlText(std::string_view writer) : writer_(writer) {}  ///< the function, as errors call it

  XmlText& open(std::string_view name);   ///< begins an element that others stand in
  XmlText& leaf(std::string_view name);   ///< begins one without
  XmlText& close(std::string_view name);  ///< ends the one that was opened
  XmlText& attribute(std::string_view name, std::string_view text);
  XmlText& attribute(std::string_view name, double number);
  XmlText& attribute(std::string_view name, std::span<const double> numbers);

  const std::string& text() const { return text_; }

 private:
  void begin(std::string_view name);

  std::string writer_, text_;
  std::string_view end_;  ///< what is still to be written of the element that was begun last
  std::size_t depth_ = 0;
};

}  // namespace tandem::io
