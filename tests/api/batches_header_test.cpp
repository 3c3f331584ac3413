// SPDX-License-Identifier: Apache-2.0
/// include/tandem/api/batches.hpp says what the table of algorithms says: it is written here from that table, and compared.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tandem/api/evaluate.hpp"

namespace tandem::test {
namespace {

constexpr const char* header = "include/tandem/api/batches.hpp";

/// "ForwardDynamics" from "forward_dynamics".
std::string camel(std::string_view name) {
  std::string text;
  bool capital = true;
  for (const char c : name) {
    if (c != '_') text += capital ? static_cast<char>(std::toupper(c)) : c;
    capital = c == '_';
  }
  return text;
}

std::string described(const Argument& a) {
  const RowsKind& rows = NamesOf<Rows>::table[static_cast<int>(a.rows)];
  std::string text = "[" + std::string(rows.sizes) + "] " + a.units + ": " + a.meaning;
  if (*rows.order) text += "; " + std::string(rows.order);
  if (*a.needs) text += "; needs";
  for (const char* input = a.needs; *input; ++input) text += std::string(" ") + *input;
  if (is_optional(a)) text += "; may be left out";
  return text;
}

/// Words in lines of the house's width, each of which begins alike.
std::string broken(const std::string& text, const std::string& begin) {
  constexpr std::size_t width = 120;
  std::istringstream words(text);
  std::string lines, line = begin, word;
  while (words >> word) {
    if (line.size() + 1 + word.size() > width) {
      lines += line + "\n";
      line = begin;
    }
    line += " " + word;
  }
  return lines + line + "\n";
}
std::string comment(const std::string& text, const std::string& indent) { return broken(text, indent + "///"); }

std::string members(const Algorithm& a, bool inputs) {
  std::string text;
  for (const Argument& argument : a.arguments)
    if (is_input(argument) == inputs)
      text += comment(described(argument), "  ") + "  " + (inputs ? "Input" : "Output") + "<T> " + argument.name +
              " = {};\n";
  if (inputs && a.reads("frame"))
    text += "  int frame = -1;  ///< index of the frame that is meant, Model::frame_index\n";
  if (inputs && a.reads("reference"))
    text += "  Reference reference = Reference::local;  ///< axes and point of motions, Jacobians and mobilities\n";
  return text;
}

std::string function(const Algorithm& a, bool by_plan) {
  const std::string name = a.name, type = camel(name);
  std::string text = by_plan ? "/// The same by a plan for it.\n"
                             : comment("For a batch or one state: " + std::string(a.summary) + ". See " + name +
                                           " in tandem/api/functions.hpp.",
                                       "");
  text += "template <class T>\nvoid " + name + "(\n    const " + (by_plan ? "Plan<T>& plan" : "Model& model") +
          ", const std::type_identity_t<" + type + "In<T>>& in,\n    const std::type_identity_t<" + type +
          "Out<T>>& out, Workspace<T>& work,\n    const std::type_identity_t<BatchOptions<T>>& how = {}) {\n";
  std::string arguments;
  for (const Argument& argument : a.arguments)
    arguments += (arguments.empty() ? "" : ", ") + std::string(is_input(argument) ? "in." : "out.") + argument.name +
                 ".layout()";
  text += "  const Layout<T> arguments[] = {\n" + broken(arguments + "};", "     ");
  text +=
      "  evaluate_layouts<T>(" + std::to_string(a.id) + ", " + (by_plan ? "plan" : "model") + ", arguments, work, how";
  if (a.reads("frame"))
    text += ", {.frame = in.frame, .reference = in.reference}";
  else if (a.reads("reference"))
    text += ", {.reference = in.reference}";
  return text + ");\n}\n";
}

std::string written() {
  std::string text =
      "// SPDX-License-Identifier: Apache-2.0\n"
      "/// Every function for a batch of states, its arguments by name, as many lines as there are of them: written "
      "from the\n"
      "/// table of algorithms by tests/api/batches_header_test.cpp, never by hand.\n"
      "///\n"
      "///     std::vector<double> q(1000 * arm.nq()), v(1000 * arm.nv()), tau(v.size()), a(v.size());\n"
      "///     forward_dynamics(arm, {.q = q, .v = v, .tau = tau}, {.a = a}, work, {.threads = 4});\n"
      "///\n"
      "/// An argument is a contiguous container of numbers, state after state, each as its table says; one state "
      "stands for\n"
      "/// all of a batch. Or it is an Array with strides of its own, or one of Eigen's types (tandem/eigen.hpp). How "
      "many\n"
      "/// states there are the outputs say. Throws Error that names the argument whose size is another one, and for "
      "what\n"
      "/// evaluate() throws. T is double or float, as the workspace is.\n"
      "#pragma once\n"
      "#include \"tandem/requires_cxx20.hpp\"\n\n"
      "#include <type_traits>\n\n"
      "#include \"tandem/api/evaluate.hpp\"\n"
      "#include \"tandem/api/layout.hpp\"\n\n"
      "// clang-format off\n"
      "namespace tandem {\n";
  for (const Algorithm& a : algorithms()) {
    const std::string type = camel(a.name);
    text += "\n" + comment("Inputs of " + std::string(a.name) + ".", "") + "template <class T>\nstruct " + type +
            "In {\n" + members(a, true) + "};\n";
    text += comment("Outputs of " + std::string(a.name) + ".", "") + "template <class T>\nstruct " + type + "Out {\n" +
            members(a, false) + "};\n";
    text += function(a, false);
    if (!a.reads("reference")) text += function(a, true);
  }
  return text + "\n}  // namespace tandem\n";
}

TEST(BatchesHeader, IsWrittenFromTheTableOfAlgorithms) {
  std::ifstream file(std::string(TANDEM_SOURCE_DIR) + "/" + header);
  std::stringstream there;
  there << file.rdbuf();
  const std::string expected = written();
  if (there.str() == expected) return;
  std::ofstream("batches.hpp") << expected;
  FAIL() << header
         << " is not what the table of algorithms says; it was written to batches.hpp in the test's folder: copy it";
}

}  // namespace
}  // namespace tandem::test
