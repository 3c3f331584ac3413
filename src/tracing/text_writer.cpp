// SPDX-License-Identifier: Apache-2.0
#include "tracing/text_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace tandem {
namespace {

/// The shortest digits that give the number again, as a literal of a floating type.
std::string digits(double x, bool single) {
  std::array<char, 40> buffer;
  const auto end = single ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(x)).ptr
                          : std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

TextWriter::TextWriter(const RecordedFunction& function, Language language)
    : function_(function),
      nodes_(function.graph.nodes()),
      language_(language),
      single_(function.graph.precision() == Graph::Precision::single_precision) {
  outputs_.resize(nodes_.size());
  for (const RecordedColumn& column : function.columns)
    for (std::size_t row = 0; row < column.rows.size(); ++row)
      if (is_input(*column.argument))
        inputs_.push_back({column.argument->name, row});
      else
        outputs_[static_cast<std::size_t>(column.rows[row].node)].push_back(
            {column.argument->name, row, column.rows[row].minus});
}

std::string TextWriter::literal(double x) const {
  return digits(x, single_) + (language_ == Language::c && single_ ? "f" : "");
}
std::string TextWriter::number(double x) const {
  return language_ == Language::c ? literal(x) : "S(" + literal(x) + ")";
}

std::string TextWriter::term(const Term& t) const {
  const bool known = function_.graph.is_known(t);
  return (t.minus ? "-" : "") + (known ? number(std::abs(function_.graph.value(t))) : variable(t.node));
}

std::string TextWriter::loaded(const Place& place) {
  return std::string(place.column) + "[" + std::to_string(place.row) + "]";
}

void TextWriter::store(const Place& place, const std::string& value) {
  line(std::string(place.column) + "[" + std::to_string(place.row) + "] = " + value + ";");
}

std::string TextWriter::function_of_angle(std::int32_t angle, bool sine) {
  const auto own = static_cast<std::size_t>(angle);
  if (angles_.size() < nodes_.size()) angles_.resize(nodes_.size());
  const std::string name = "angle" + std::to_string(angle);
  if (!angles_[own]) {
    angles_[own] = true;
    line((language_ == Language::c ? std::string("const tandem_angle ") : std::string("const auto ")) + name +
         " = sine_and_cosine(" + variable(angle) + ");");
  }
  return name + (sine ? ".sine" : ".cosine");
}

std::string TextWriter::expression(const Node& node) {
  const auto operand = [&](int k) { return term(node.operand[k]); };
  const auto sum = [&](int a, int b) {
    const Term& second = node.operand[b];
    return operand(a) + (second.minus ? " - " + term(-second) : " + " + term(second));
  };
  const auto call = [&](const char* function, int operands) {
    std::string all = std::string(function) + "(";
    for (int k = 0; k < operands; ++k) all += (k > 0 ? ", " : "") + operand(k);
    return all + ")";
  };
  switch (node.operation) {
    case Operation::input: return loaded(inputs_[static_cast<std::size_t>(node.value)]);
    case Operation::constant: return number(node.value);
    case Operation::add: return sum(0, 1);
    case Operation::multiply: return operand(0) + " * " + operand(1);
    case Operation::multiply_add: return call("mul_add", 3);
    case Operation::divide: return operand(0) + " / " + operand(1);
    case Operation::square_root: return call("square_root", 1);
    case Operation::absolute: return call("absolute", 1);
    case Operation::sine: return function_of_angle(node.operand[0].node, true);
    case Operation::cosine: return function_of_angle(node.operand[0].node, false);
    case Operation::select_less: return call("select_less", 4);
    case Operation::select_equal: return call("select_equal", 4);
    case Operation::select_bit: {
      const int which = static_cast<int>(function_.graph.value(node.operand[1]));
      return "select_bits<" + std::to_string(which / 4) + ", " + std::to_string(which % 4) + ">(" + operand(0) + ", " +
             operand(2) + ", " + operand(3) + ")";
    }
  }
  return {};
}

void TextWriter::define(std::int32_t k, const std::string& value) {
  line((language_ == Language::c ? (single_ ? "const float " : "const double ") : "const S ") + variable(k) + " = " +
       value + ";");
  for (const Place& place : outputs_[static_cast<std::size_t>(k)]) store(place, (place.minus ? "-" : "") + variable(k));
}

void TextWriter::store_outputs(std::int32_t k, const std::string& value, bool minus) {
  for (const Place& place : outputs_[static_cast<std::size_t>(k)])
    store(place, (place.minus != minus ? "-" : "") + value);
}

void TextWriter::known_outputs() {
  if (language_ == Language::cuda) return known_outputs([] { return true; });
  for (const RecordedColumn& column : function_.columns) {
    if (is_input(*column.argument)) continue;
    const std::string name = column.argument->name;
    for (std::size_t row = 0; row < column.rows.size();) {
      const Term t = column.rows[row];
      std::size_t end = row + 1;
      if (function_.graph.is_known(t)) {
        while (end < column.rows.size() && column.rows[end] == t) ++end;
        const std::string value = term(t);
        if (end - row < 3)
          for (std::size_t k = row; k < end; ++k) store({column.argument->name, k}, value);
        else  // a run of zeros is as long as a line
          line("for (int k = " + std::to_string(row) + "; k < " + std::to_string(end) + "; ++k) " + name +
               "[k] = " + value + ";");
      }
      row = end;
    }
  }
}

std::string function_head(const RecordedFunction& function, Language language, const std::string& name) {
  const bool c = language == Language::c;
  const char* real = function.graph.precision() == Graph::Precision::single_precision ? "float" : "double";
  std::string types, parameters;
  for (const RecordedColumn& column : function.columns) {
    if (column.rows.empty()) continue;
    const std::string own = column.argument->name;
    if (!parameters.empty()) parameters += ", ";
    parameters += c ? std::string(is_input(*column.argument) ? "const " : "") + real + "* " + own
                    : "const Column_" + own + "& " + own;
    types += ", class Column_" + own;
  }
  return (c ? "void " : "template <class S" + types + ">\ninline void ") + name + "(" + parameters + ") {\n";
}

std::string with_words(std::string text, const std::vector<std::pair<std::string, std::string>>& words) {
  for (const auto& [word, by] : words)
    for (std::size_t k = text.find(word); k != std::string::npos; k = text.find(word, k + by.size()))
      text.replace(k, word.size(), by);
  return text;
}

}  // namespace tandem
