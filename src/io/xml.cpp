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
  XmlOutcome run();

 private:
  template <class Action>
  void guarded(Action&& action);
  void stop(std::string why);
  int line() const;
  void feed_all();
  bool feed(std::string_view piece, bool last);
  void note_failure();
  void note_strange_byte(std::size_t at);

  static void XMLCALL on_start(void* self, const XML_Char* name, const XML_Char** attributes);
  static void XMLCALL on_end(void* self, const XML_Char* name);
  static void XMLCALL on_entity(void* self, const XML_Char*, int, const XML_Char*, int, const XML_Char*,
                                const XML_Char*, const XML_Char*, const XML_Char*);
  static void XMLCALL on_attribute_list(void* self, const XML_Char*, const XML_Char*, const XML_Char*, const XML_Char*,
                                        int);
  void count_declaration();

  std::string_view text_;
  const XmlHandler& handler_;
  XmlEncoding encoding_{};
  std::unique_ptr<XML_ParserStruct, FreeParser> parser_;
  XmlOutcome outcome_;
  std::exception_ptr thrown_;
  bool stopped_ = false;
  int depth_ = 0, declarations_ = 0;
};

template <class Action>
void Reading::guarded(Action&& action) {
  if (stopped_) return;
  try {
    action();
  } catch (...) {
    thrown_ = std::current_exception();
    stop({});
  }
}

/// Ends the reading; without a reason the handler knows it already.
void Reading::stop(std::string why) {
  if (!why.empty()) outcome_.failure = XmlNote{line(), std::move(why)};
  stopped_ = true;
  XML_StopParser(parser_.get(), XML_FALSE);
}

int Reading::line() const {
  const XML_Size line = XML_GetCurrentLineNumber(parser_.get());
  return static_cast<int>(std::min<XML_Size>(line, std::numeric_limits<int>::max()));
}

void XMLCALL Reading::on_start(void* self, const XML_Char* name, const XML_Char** attributes) {
  auto& reading = *static_cast<Reading*>(self);
  reading.guarded([&] {
    if (++reading.depth_ > deepest_nesting)
      return reading.stop("elements are nested more than " + std::to_string(deepest_nesting) + " deep");
    if (!reading.handler_.start({name, attributes, reading.line()})) reading.stop({});
  });
}

void XMLCALL Reading::on_end(void* self, const XML_Char*) {
  auto& reading = *static_cast<Reading*>(self);
  reading.guarded([&] {
    --reading.depth_;
    reading.handler_.end();
  });
}

void XMLCALL Reading::on_entity(void* self, const XML_Char*, int, const XML_Char*, int, const XML_Char*,
                                const XML_Char*, const XML_Char*, const XML_Char*) {
  static_cast<Reading*>(self)->count_declaration();
}

void XMLCALL Reading::on_attribute_list(void* self, const XML_Char*, const XML_Char*, const XML_Char*, const XML_Char*,
                                        int) {
  static_cast<Reading*>(self)->count_declaration();
}

/// Entities nest, and expat follows them on the call stack: their number bounds the depth.
void Reading::count_declaration() {
  guarded([&] {
    if (++declarations_ > most_declarations)
      stop("more than " + std::to_string(most_declarations) + " entities and attributes are declared");
  });
}

/// Hands the text over in pieces. A tag that does not fit in what was handed over is scanned again with the
/// next piece, so pieces grow with what is still open: the scanning stays proportional to the text.
void Reading::feed_all() {
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

bool Reading::feed(std::string_view piece, bool last) {
  const XML_Status status = XML_Parse(parser_.get(), piece.data(), static_cast<int>(piece.size()), last);
  if (status == XML_STATUS_OK) return true;
  if (!stopped_) note_failure();
  return false;
}

void Reading::note_failure() {
  const XML_Error error = XML_GetErrorCode(parser_.get());
  std::string why = "column " + std::to_string(XML_GetCurrentColumnNumber(parser_.get()) + 1) + ": ";
  switch (error) {
    case XML_ERROR_AMPLIFICATION_LIMIT_BREACH: why += "entities expand to far more text than the file holds"; break;
    case XML_ERROR_RECURSIVE_ENTITY_REF: why += "an entity refers to itself"; break;
    case XML_ERROR_NO_ELEMENTS: why += "not XML: the text ends before any element is complete"; break;
    default: why += std::string("not well-formed XML: ") + XML_ErrorString(error);
  }
  outcome_.failure = XmlNote{line(), std::move(why)};
}

void Reading::note_strange_byte(std::size_t at) {
  const auto lines = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  outcome_.warnings.push_back({static_cast<int>(lines) + 1, "the text is not UTF-8 from here on; read as Latin-1"});
}

XmlOutcome Reading::run() {
  const auto fail = [&](std::string why) { return XmlOutcome{{}, XmlNote{0, std::move(why)}}; };
  if (text_.size() > longest_xml) return fail("larger than 1 GiB, which no robot description is expected to be");
  if (is_binary(text_)) return fail("binary data, not XML");
  encoding_ = find_encoding(text_);
  if (text_.find_first_not_of(" \t\r\n", encoding_.start) == std::string_view::npos) return fail("the file is empty");

  parser_.reset(XML_ParserCreate(encoding_.name));
  if (!parser_) throw std::bad_alloc();
  XML_SetUserData(parser_.get(), this);
  XML_SetElementHandler(parser_.get(), on_start, on_end);
  XML_SetEntityDeclHandler(parser_.get(), on_entity);
  XML_SetAttlistDeclHandler(parser_.get(), on_attribute_list);
  XML_SetBillionLaughsAttackProtectionActivationThreshold(parser_.get(), free_expansion);
  XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser_.get(), largest_expansion);
  if (encoding_.strange_byte) note_strange_byte(*encoding_.strange_byte);
  feed_all();
  if (thrown_) std::rethrow_exception(thrown_);
  return std::move(outcome_);
}

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
