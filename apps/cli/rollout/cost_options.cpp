// SPDX-License-Identifier: Apache-2.0
#include "rollout/cost_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli.hpp"

namespace tandem::cli {
namespace {

const std::vector<std::string> terms = {"q", "v", "effort", "final_q", "final_v"};

constexpr const char* cost_expected =
    "expected TERM=WEIGHT or TERM@JOINT=WEIGHT, such as final_q=10, effort=1e-3, v@joint2=0.1";

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(',', begin);
    words.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return words;
    begin = end + 1;
  }
}

void check_once(std::vector<std::string>& seen, const std::string& name, const char* option) {
  if (std::ranges::find(seen, name) != seen.end())
    throw Error(fmt::format("{}: {} is given twice", option, readable(name)));
  seen.push_back(name);
}

/// A term with the rows that its weight is for.
struct Weight {
  std::string term;
  int first = 0, count = 0;
  double value = 0;
};

Weight weight_of(const std::string& text, const Model& model) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("--cost: \"{}\": {}", readable(text), why));
  };
  const std::size_t equals = text.find('='), at = text.find('@');
  if (equals == std::string::npos) refuse(cost_expected);
  const bool of_joint = at < equals;
  Weight weight{text.substr(0, of_joint ? at : equals), 0, model.nv(), 0};
  if (std::ranges::find(terms, weight.term) == terms.end())
    refuse(fmt::format("expected one of {}{}", fmt::join(terms, ", "), suggestion(weight.term, terms)));
  if (of_joint) {
    const auto& m = model.view<double>();
    const int joint = model.joint_index(text.substr(at + 1, equals - at - 1));
    if (model.is_mimic(joint))
      refuse(fmt::format("the joint follows {}; use that joint", model.joint_name(m.mimics[joint])));
    weight.first = m.v_index[joint];
    weight.count = joint_nv(m.type[joint]);
  }
  if (!read_number(text.substr(equals + 1), weight.value) || !std::isfinite(weight.value))
    refuse(fmt::format("\"{}\" is not a finite number", readable(text.substr(equals + 1))));
  return weight;
}

}  // namespace

CostTerms cost_terms_from(const std::string& words, const Model& model) {
  CostTerms cost;
  if (words.empty()) return cost;
  std::vector<double>* const of_terms[] = {&cost.q, &cost.v, &cost.effort, &cost.final_q, &cost.final_v};
  std::vector<std::string> seen;
  for (const std::string& word : words_of(words)) {
    const Weight weight = weight_of(word, model);
    check_once(seen, word.substr(0, word.find('=')), "--cost");
    std::vector<double>& rows = *of_terms[std::ranges::find(terms, weight.term) - terms.begin()];
    rows.resize(static_cast<std::size_t>(model.nv()), 0.0);
    std::fill_n(rows.begin() + weight.first, weight.count, weight.value);
  }
  return cost;
}

std::vector<std::string> names_of_gradients() {
  std::vector<std::string> names;
  for (const RolloutArgument& row : rollout_gradients) names.emplace_back(row.name);
  for (const Argument& parameter : parameters()) names.emplace_back(parameter.name);
  return names;
}

Derivatives derivatives_from(const std::string& names) {
  Derivatives by;
  if (names.empty()) return by;
  const std::vector<std::string> known = names_of_gradients();
  std::vector<std::string> seen;
  for (const std::string& name : words_of(names)) {
    const auto found = static_cast<std::size_t>(std::ranges::find(known, name) - known.begin());
    if (found == known.size())
      throw Error(fmt::format("--gradient: \"{}\": expected some of {}{}", readable(name), fmt::join(known, ", "),
                              suggestion(name, known)));
    check_once(seen, name, "--gradient");
    if (found < std::size(rollout_gradients))
      by.inputs.push_back(rollout_gradients + found);
    else
      by.parameters.push_back(from_name<Parameter>(name));
  }
  std::ranges::sort(by.inputs);
  return by;
}

}  // namespace tandem::cli
