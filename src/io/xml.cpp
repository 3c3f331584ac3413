// SPDX-License-Identifier: Apache-2.0
#include "xml.hpp"

#ifndef XML_DTD
#define XML_DTD  // declares the limits on entities; every distribution builds expat with them
#endif
#include <expat.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <new>

#include "core/text.hpp"
#include "encoding.hpp"

namespace tandem::io {
namespace {

// What a robot description never comes near, and what keeps a hostile one cheap.
constexpr int deepest_nesting = 1'000'000;
constexpr int most_declarations = 500;                  // of entities and attribute defaults
constexpr unsigned long long free_expansion = 1 << 20;  // bytes that entities may expand to in any case
constexpr float largest_expansion = 8;                  // beyond that, times the bytes read
constexpr std::size_t smallest_piece = 256 * 1024;

struct FreeParser {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

/// One reading of one text. Expat is C: an exception must not pass through it, so it waits in `thrown_`.
class Reading {
 public:
  Reading(std::string_view text, const XmlHandler& handler) : text_(text), handler_(handler) {}

  XmlOutcome run() {
    const auto fail = [&](std::string why) { return XmlOutcome{{}, XmlNote{0, std::move(why)}}; };
    if (text_.size() > longest_xml) return fail("larger than 1 GiB, the limit for robot descriptions");
    if (is_binary(text_)) return fail("binary data, not XML");
    encoding_ = find_encoding(text_);
    if (text_.find_first_not_of(" \t\r\n", encoding_.start) == std::string_view::npos) return fail("the file is empty");

    parser_.reset(XML_ParserCreate(encoding_.name));
    if (!parser_) throw std::bad_alloc();
    const auto start = [](void* self, const XML_Char* name, const XML_Char** attributes) {
      static_cast<Reading*>(self)->start(name, attributes);
    };
    const auto end = [](void* self, const XML_Char*) { static_cast<Reading*>(self)->end(); };
    const auto declaration = [](void* self, auto...) { static_cast<Reading*>(self)->count_declaration(); };
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), start, end);
    XML_SetEntityDeclHandler(parser_.get(), declaration);
    XML_SetAttlistDeclHandler(parser_.get(), declaration);
    XML_SetBillionLaughsAttackProtectionActivationThreshold(parser_.get(), free_expansion);
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser_.get(), largest_expansion);
    if (encoding_.strange_byte) {
      const auto lines = std::ranges::count(text_.substr(0, *encoding_.strange_byte), '\n');
      outcome_.warnings.push_back({static_cast<int>(lines) + 1, "the text is not UTF-8 from here on; read as Latin-1"});
    }
    feed_all();
    if (thrown_) std::rethrow_exception(thrown_);
    return std::move(outcome_);
  }

 private:
  template <class Action>
  void guarded(Action&& action) {
    if (stopped_) return;
    try {
      action();
    } catch (...) {
      thrown_ = std::current_exception();
      stop({});
    }
  }

  /// Ends the reading; without a reason the handler knows it already.
  void stop(std::string why) {
    if (!why.empty()) outcome_.failure = XmlNote{line(), std::move(why)};
    stopped_ = true;
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  int line() const {
    const XML_Size line = XML_GetCurrentLineNumber(parser_.get());
    return static_cast<int>(std::min<XML_Size>(line, std::numeric_limits<int>::max()));
  }

  void start(const char* name, const char** attributes) {
    guarded([&] {
      if (++depth_ > deepest_nesting) return stop(sentence("elements are nested more than ", deepest_nesting, " deep"));
      if (!handler_.start({name, attributes, line()})) stop({});
    });
  }

  void end() {
    guarded([&] {
      --depth_;
      handler_.end();
    });
  }

  /// Entities nest, and expat follows them on the call stack: their number bounds the depth.
  void count_declaration() {
    guarded([&] {
      if (++declarations_ > most_declarations)
        stop(sentence("more than ", most_declarations, " entities and attributes are declared"));
    });
  }

  /// Hands the text over in pieces. A tag that does not fit in what was handed over is scanned again with the
  /// next piece, so pieces grow with what is still open: the scanning stays proportional to the text.
  void feed_all() {
    if (!feed(text_.substr(encoding_.start, encoding_.declaration - encoding_.start), false)) return;
    // instead of the declaration, which may be malformed, as much white space with the same line ends
    std::string blank(text_.substr(encoding_.declaration, encoding_.declaration_end - encoding_.declaration));
    std::replace_if(blank.begin(), blank.end(), [](char c) { return c != '\n' && c != '\r'; }, ' ');
    if (!feed(blank, false)) return;

    const std::string_view body = text_.substr(encoding_.declaration_end);
    const std::size_t before = encoding_.declaration_end - encoding_.start;
    std::size_t fed = 0;
    do {
      const XML_Index index = std::max<XML_Index>(0, XML_GetCurrentByteIndex(parser_.get()));
      const std::size_t done = static_cast<std::size_t>(index);
      const std::size_t open = before + fed > done ? before + fed - done : 0;
      const std::string_view piece = body.substr(fed, std::max(smallest_piece, open));
      fed += piece.size();
      if (!feed(piece, fed == body.size())) return;
    } while (fed < body.size());
  }

  bool feed(std::string_view piece, bool last) {
    const XML_Status status = XML_Parse(parser_.get(), piece.data(), static_cast<int>(piece.size()), last);
    if (status == XML_STATUS_OK) return true;
    if (!stopped_) note_failure();
    return false;
  }

  void note_failure() {
    const XML_Error error = XML_GetErrorCode(parser_.get());
    std::string why = sentence("column ", XML_GetCurrentColumnNumber(parser_.get()) + 1, ": ");
    switch (error) {
      case XML_ERROR_AMPLIFICATION_LIMIT_BREACH: why += "entities expand to too much text"; break;
      case XML_ERROR_RECURSIVE_ENTITY_REF: why += "an entity refers to itself"; break;
      case XML_ERROR_NO_ELEMENTS: why += "not XML: the text ends before any element is complete"; break;
      default: why += sentence("not well-formed XML: ", XML_ErrorString(error));
    }
    outcome_.failure = XmlNote{line(), std::move(why)};
  }

  std::string_view text_;
  const XmlHandler& handler_;
  XmlEncoding encoding_{};
  std::unique_ptr<XML_ParserStruct, FreeParser> parser_;
  XmlOutcome outcome_;
  std::exception_ptr thrown_;
  bool stopped_ = false;
  int depth_ = 0, declarations_ = 0;
};

}  // namespace

const char* XmlElement::find(std::string_view attribute) const {
  for (const char** pair = attributes; pair[0] != nullptr; pair += 2)
    if (attribute == pair[0]) return pair[1];
  return nullptr;
}

XmlOutcome parse_xml(std::string_view text, const XmlHandler& handler) { return Reading(text, handler).run(); }

bool is_binary(std::string_view beginning) {
  using namespace std::string_view_literals;
  for (const std::string_view utf16 : {"\xFF\xFE"sv, "\xFE\xFF"sv, "<\0"sv, "\0<"sv})
    if (beginning.starts_with(utf16)) return false;
  return beginning.substr(0, 1024).find('\0') != std::string_view::npos;
}

}  // namespace tandem::io
