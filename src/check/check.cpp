// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/check.hpp"

#include <algorithm>
#include <cstdio>

#include "check/state.hpp"
#include "core/random.hpp"
#include "tandem/error.hpp"
#include "tandem/model/contact.hpp"

namespace tandem {
namespace check_detail {
namespace {

constexpr int most_dense = 1000;  ///< degrees of freedom up to which matrices are formed

/// A robot that hangs in the world by one free joint and nothing else.
bool has_floating_base(const Model& model) {
  const auto& m = model.view<double>();
  if (m.n_links < 2 || m.type[1] != JointType::free) return false;
  return std::none_of(m.parent + 2, m.parent + m.n_links, [](int p) { return p == 0; });
}

/// Why a law does not apply to a robot; empty if it does. `unsolvable`: why its mass matrix cannot be inverted.
std::string obstacle(Needs needs, const Subject& subject, const std::string& unsolvable) {
  const bool dense = subject.model.view<double>().n_dof <= most_dense;
  if (subject.model.nv() == 0) return "no joints";
  if (needs == Needs::joints) return "";
  if (!subject.has_inertia) return "no moving mass";
  if ((needs == Needs::mass || needs == Needs::floating_base) && !(subject.mass > 0)) return "no moving mass";
  if (needs == Needs::floating_base && !has_floating_base(subject.model)) return "no floating base";
  if ((needs == Needs::matrices || needs == Needs::invertible || needs == Needs::contacts) && !dense)
    return "over " + std::to_string(most_dense) + " degrees of freedom: matrices are not computed";
  if (needs == Needs::potential && !subject.springs_have_potential)
    return "springs on a free or planar joint have no potential";
  if (needs == Needs::contacts)
    if (const std::string none = no_contacts(subject.closed); !none.empty()) return none;
  return needs == Needs::invertible || needs == Needs::contacts ? unsolvable : "";
}

std::string condition_note(double condition) {
  char text[64];
  std::snprintf(text, sizeof text, "condition number %.1g", condition);
  return text;
}

template <class T>
std::vector<PropertyResult> check(const Model& model, const CheckOptions& options) {
  const Subject subject(model);
  const bool with_matrices = subject.has_inertia && model.nv() > 0 && model.view<double>().n_dof <= most_dense;
  std::vector<Property<T>> properties = kinematic_properties<T>();
  const auto add = [&](const std::vector<Property<T>>& more) {
    properties.insert(properties.end(), more.begin(), more.end());
  };
  for (const auto& more : {dynamic_properties<T>(), derivative_properties<T>(), momentum_properties<T>(),
                           step_properties<T>(), long_run_properties<T>()})
    add(more);
  if (!contact_shapes(model).empty()) add(contact_properties<T>());
  if (model.n_loops() > 0) add(loop_properties<T>());

  std::vector<CheckVerdict> verdicts(properties.size());
  std::vector<std::string> obstacles(properties.size());
  double condition = 0;
  std::string unsolvable;
  Random seeds(options.seed);
  for (int k = 0; k < options.states; ++k) {
    State<T> state(subject, seeds.bits(), with_matrices);
    if (with_matrices) {
      condition = std::max(condition, state.matrices->scaled.condition());
      if (unsolvable.empty()) unsolvable = state.matrices->scaled.obstacle();
    }
    for (std::size_t i = 0; i < properties.size(); ++i) {
      if (obstacles[i].empty()) obstacles[i] = obstacle(properties[i].needs, subject, unsolvable);
      if (obstacles[i].empty()) properties[i].test(state, verdicts[i]);
    }
  }

  std::vector<PropertyResult> results;
  for (std::size_t i = 0; i < properties.size(); ++i) {
    const auto& [name, needs, test] = properties[i];
    const CheckVerdict& verdict = verdicts[i];
    if (!obstacles[i].empty()) {
      results.push_back({name, Outcome::not_applicable, 0, 0, obstacles[i]});
      continue;
    }
    const bool solves = needs == Needs::invertible && verdict.note().empty();
    results.push_back({name, verdict.passed() ? Outcome::passed : Outcome::failed, verdict.error(), verdict.tolerance(),
                       solves ? condition_note(condition) : verdict.note()});
  }
  return results;
}

}  // namespace
}  // namespace check_detail

std::vector<PropertyResult> check_model(const Model& model, const CheckOptions& options) {
  if (options.states < 1) throw Error("check: states is " + std::to_string(options.states) + ", expected 1 or more");
  return options.in_float ? check_detail::check<float>(model, options) : check_detail::check<double>(model, options);
}

}  // namespace tandem
