// SPDX-License-Identifier: Apache-2.0
/// What texts of recorded functions have in common, whatever language they are in.
#pragma once
#include "tracing/text.hpp"

namespace tandem {

/// Writes operations as lines of text. Numbers of nodes are variables t0, t1, ...
class TextWriter {
 public:
  TextWriter(const RecordedFunction& function, Language language);
  virtual ~TextWriter() = default;

 protected:
  /// A row of an argument.
  struct Place {
    const char* column;
    std::size_t row;
    bool minus = false;
  };

  static std::string variable(std::int32_t k) { return "t" + std::to_string(k); }
  const char* real() const { return single_ ? "float" : "double"; }
  std::string literal(double x) const;  ///< its digits
  std::string number(double x) const;   ///< of the type that the text computes with
  std::string term(const Term& t) const;
  void line(const std::string& text) { text_ += "  " + text + "\n"; }
  const Node& node(std::int32_t k) const { return nodes_[static_cast<std::size_t>(k)]; }

  virtual std::string loaded(const Place& place);
  virtual void store(const Place& place, const std::string& value);
  /// A line that computes a node, then those that store it where it is an output.
  void statement(std::int32_t k) { define(k, expression(node(k))); }
  /// Likewise, where the number is there already.
  void define(std::int32_t k, const std::string& value);
  /// Stores it where a node is an output, which is that, or minus that, and is needed nowhere else.
  void store_outputs(std::int32_t k, const std::string& value, bool minus);
  /// Outputs that are known beforehand: all of them, or those that fall to one of several.
  void known_outputs();
  template <class Mine>
  void known_outputs(Mine&& is_mine) {
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (nodes_[k].operation == Operation::constant)
        for (const Place& place : outputs_[k])
          if (is_mine()) store(place, (place.minus ? "-" : "") + number(nodes_[k].value));
  }

  const RecordedFunction& function_;
  const std::vector<Node>& nodes_;
  Language language_;
  bool single_;
  std::string text_;

 private:
  std::string function_of_angle(std::int32_t angle, bool sine);
  std::string expression(const Node& node);

  std::vector<Place> inputs_;
  std::vector<std::vector<Place>> outputs_;
  std::vector<bool> angles_;  // whose sine and cosine are there
};

/// What the text of a function in C++ or C begins with.
std::string function_head(const RecordedFunction& function, Language language, const std::string& name);

/// A text with words replaced by others.
std::string with_words(std::string text, const std::vector<std::pair<std::string, std::string>>& words);

}  // namespace tandem
