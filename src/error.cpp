// SPDX-License-Identifier: Apache-2.0
#include "tandem/error.hpp"

#include <utility>

namespace tandem {

std::string to_string(const Source& source) {
  std::string text = source.file;
  if (source.line > 0) text += (text.empty() ? "line " : ":") + std::to_string(source.line);
  if (!source.element.empty()) text += (text.empty() ? "" : ": ") + source.element;
  return text;
}

std::string to_string(const Problem& problem) {
  const std::string where = to_string(problem.source);
  return where + (where.empty() ? "" : ": ") + problem.message;
}

namespace {

constexpr std::size_t most_lines = 100;

std::string one_line_each(const std::vector<Problem>& problems) {
  if (problems.empty()) return "the robot description cannot become a model";
  std::string text;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (i > 0) text += '\n';
    if (i == most_lines) return text + "and " + std::to_string(problems.size() - most_lines) + " more problems";
    text += to_string(problems[i]);
  }
  return text;
}

}  // namespace

ModelError::ModelError(std::vector<Problem> problems)
    : Error(one_line_each(problems)), problems_(std::move(problems)) {}

}  // namespace tandem
