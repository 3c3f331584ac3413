// SPDX-License-Identifier: Apache-2.0
#include "xml_text.hpp"

#include <algorithm>
#include <utility>

#include "core/text.hpp"
#include "encoding.hpp"
#include "tandem/error.hpp"

namespace tandem::io {

std::string attribute_text(std::string_view writer, std::string_view text) {
  const auto cannot_be_written = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  if (find_invalid_utf8(text) != std::string_view::npos || std::ranges::any_of(text, cannot_be_written))
    throw Error(sentence(writer, ": the name ", in_quotes(text),
                         " cannot be written: expected UTF-8 without control "
                         "characters"));
  std::string written;
  for (const char c : text) {
    switch (c) {
      case '&': written += "&amp;"; break;
      case '<': written += "&lt;"; break;
      case '"': written += "&quot;"; break;
      case '\t':
      case '\n':
      case '\r': written += "&#" + std::to_string(int{c}) + ";"; break;
      default: written += c;
    }
  }
  return written;
}

void XmlText::begin(std::string_view name) {
  text_ += end_;
  text_.append(2 * depth_, ' ');
  (text_ += '<') += name;
}

XmlText& XmlText::open(std::string_view name) {
  begin(name);
  end_ = ">\n";
  ++depth_;
  return *this;
}

XmlText& XmlText::leaf(std::string_view name) {
  begin(name);
  end_ = "/>\n";
  return *this;
}

XmlText& XmlText::close(std::string_view name) {
  --depth_;
  begin("/");
  text_ += name;
  end_ = ">\n";
  if (depth_ == 0) text_ += std::exchange(end_, {});
  return *this;
}

XmlText& XmlText::attribute(std::string_view name, std::string_view text) {
  (text_ += ' ') += name;
  ((text_ += "=\"") += attribute_text(writer_, text)) += '"';
  return *this;
}

XmlText& XmlText::attribute(std::string_view name, double number) { return attribute(name, {&number, 1}); }

XmlText& XmlText::attribute(std::string_view name, std::span<const double> numbers) {
  (text_ += ' ') += name;
  text_ += "=\"";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text_ += ' ';
    text_ += tandem::text(numbers[i]);
  }
  text_ += '"';
  return *this;
}

}  // namespace tandem::io
