// SPDX-License-Identifier: Apache-2.0
#include "tandem/model/builder.hpp"

#include <algorithm>
#include <map>

#include "description.hpp"
#include "storage.hpp"

namespace tandem {

using namespace model_detail;

namespace {

constexpr std::size_t most_warnings = 1000;

/// In the order of the file's lines; what has no line comes last.
void sort_by_line(std::vector<Problem>& problems) {
  std::multimap<unsigned, Problem> sorted;
  for (Problem& problem : problems) sorted.emplace(static_cast<unsigned>(problem.source.line) - 1, std::move(problem));
  problems.clear();
  for (auto& [line, problem] : sorted) problems.push_back(std::move(problem));
}

[[noreturn]] void refuse(Findings& findings) {
  sort_by_line(findings.problems);
  throw ModelError(std::move(findings.problems));
}

std::vector<std::string> warning_texts(Findings& findings) {
  std::vector<Problem>& warnings = findings.warnings;
  sort_by_line(warnings);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(warnings.size(), most_warnings); ++i) texts.push_back(to_string(warnings[i]));
  if (warnings.size() > most_warnings)
    texts.push_back(sentence("and ", warnings.size() - most_warnings, " more warnings"));
  return texts;
}

}  // namespace

void model_detail::check_type(const JointDescription& joint) {
  if (*to_string(joint.type) == '\0')
    throw Error(sentence(element("joint", joint.name), ": type is ", static_cast<int>(joint.type),
                         ", not a valid value; expected one of ",
                         comma_separated(NamesOf<JointType>::table, [](const JointKind& kind) { return kind.name; })));
}

void model_detail::check_type(const LoopDescription& loop) {
  check_type(JointDescription{.name = loop.name, .type = loop.type});
}

ModelBuilder& ModelBuilder::link(LinkDescription link) {
  links_.push_back(std::move(link));
  return *this;
}

ModelBuilder& ModelBuilder::joint(JointDescription joint) {
  check_type(joint);
  joints_.push_back(std::move(joint));
  return *this;
}

ModelBuilder& ModelBuilder::frame(FrameDescription frame) {
  frames_.push_back(std::move(frame));
  return *this;
}

ModelBuilder& ModelBuilder::loop(LoopDescription loop) {
  check_type(loop);
  loops_.push_back(std::move(loop));
  return *this;
}

ModelBuilder& ModelBuilder::actuator(ActuatorDescription actuator) {
  actuators_.push_back(std::move(actuator));
  return *this;
}

ModelBuilder& ModelBuilder::tendon(TendonDescription tendon) {
  tendons_.push_back(std::move(tendon));
  return *this;
}

ModelBuilder& ModelBuilder::configuration(ConfigurationDescription configuration) {
  configurations_.push_back(std::move(configuration));
  return *this;
}

ModelBuilder& ModelBuilder::shape(ShapeDescription shape) {
  shapes_.push_back(std::move(shape));
  return *this;
}

ModelBuilder& ModelBuilder::contact_pair(ContactPairDescription pair) {
  contact_pairs_.push_back(std::move(pair));
  return *this;
}

ModelBuilder& ModelBuilder::contact_exclude(ContactExcludeDescription exclude) {
  contact_excludes_.push_back(std::move(exclude));
  return *this;
}

ModelBuilder& ModelBuilder::contact_settings(ContactSettings settings) {
  contact_settings_ = std::move(settings);
  return *this;
}

ModelBuilder& ModelBuilder::contact_problem(Source source, std::string message) {
  contact_problems_.push_back({std::move(source), std::move(message)});
  return *this;
}

ModelBuilder& ModelBuilder::gravity(std::array<double, 3> g) {
  gravity_ = g;
  return *this;
}

ModelBuilder& ModelBuilder::problem(Source source, std::string message) {
  problems_.push_back({std::move(source), std::move(message)});
  return *this;
}

ModelBuilder& ModelBuilder::warning(Source source, std::string message) {
  warnings_.push_back({std::move(source), std::move(message)});
  return *this;
}

ModelBuilder& ModelBuilder::reserve(std::size_t links) {
  links_.reserve(links);
  joints_.reserve(links);
  return *this;
}

Model ModelBuilder::build(const BuildOptions& options) const {
  Description description(*this);
  Findings findings(problems_, warnings_);
  check_numbers(description, findings);
  Tree tree = make_tree(description, findings);
  const Loops loops = resolve_loops(description, tree, findings);
  if (tree.is_complete() && options.floating) add_floating_base(description, tree, findings);
  const Mimics mimics = resolve_mimics(description, tree, findings);
  if (tree.is_complete()) check_massless(description, tree, mimics, findings);
  check_actuators(description, tree, findings);
  check_tendons(description, tree, findings);
  check_couplers(description, tree, findings);
  check_shapes(description, tree, findings);
  const Positions positions = resolve_configurations(description, tree, mimics, findings);
  if (!findings.problems.empty()) refuse(findings);
  const std::shared_ptr<Storage> storage = fold(description, tree, mimics, loops, positions, findings);
  if (!findings.problems.empty()) refuse(findings);
  storage->warnings = warning_texts(findings);
  return Model(storage);
}

}  // namespace tandem
