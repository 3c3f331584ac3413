// SPDX-License-Identifier: Apache-2.0
#include "rollout/randomize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli.hpp"
#include "rollout/counted_random.hpp"
#include "tandem/api/random_range.hpp"

namespace tandem::cli {
namespace {

const std::vector<std::string> random_names = {"q",        "v",       "mass",     "inertial",  "com",    "inertia",
                                               "armature", "damping", "friction", "stiffness", "gravity"};

constexpr const char* random_expected =
    "expected NAME=LAW or NAME@ELEMENT=LAW, such as q=uniform, v=normal:0.1, mass=uniform:0.8:1.2, "
    "damping@joint2=lognormal:0.3";

std::vector<std::string> split_at(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(at, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

/// What the model has for a parameter.
std::vector<double> nominal_values(const Model& model, Parameter parameter) {
  const auto& m = model.view<double>();
  std::vector<double> values;
  const auto of_joints = [&](const double* field) { values.assign(field, field + m.nv); };
  const auto of_links = [&](auto&& add) {
    for (int i = 0; i < m.n_links; ++i) add(model.mass_properties(i));
  };
  switch (parameter) {
    case Parameter::mass: of_links([&](const MassProperties& l) { values.push_back(l.mass); }); break;
    case Parameter::com:
      of_links([&](const MassProperties& l) { values.insert(values.end(), l.com.begin(), l.com.end()); });
      break;
    case Parameter::inertia:
      of_links([&](const MassProperties& l) { values.insert(values.end(), l.inertia.begin(), l.inertia.end()); });
      break;
    case Parameter::armature: of_joints(m.armature); break;
    case Parameter::damping: of_joints(m.damping); break;
    case Parameter::friction: of_joints(m.friction); break;
    case Parameter::stiffness: of_joints(m.stiffness); break;
    case Parameter::gravity: {
      const auto gravity = model.gravity();
      values.assign(gravity.begin(), gravity.end());
    }
  }
  return values;
}

bool is_of_each_link(const std::string& name) {
  return name == "mass" || name == "inertial" || name == "com" || name == "inertia";
}

}  // namespace

Randomize::Randomize(const std::string& spec, const Model& model, std::uint64_t seed, bool limits)
    : model_(model), seed_(seed), limits_(limits) {
  if (spec.empty()) return;
  for (const std::string& text : split_at(spec, ',')) {
    draws_.push_back(read(text));
    const Draw& draw = draws_.back();
    for (std::size_t k = 0; k + 1 < draws_.size(); ++k)
      if (draws_[k].name == draw.name && draws_[k].element == draw.element)
        throw Error(fmt::format("--randomize: {} is given twice", readable(text.substr(0, text.find('=')))));
    if (draw.name == "q")
      changes_q_ = true;
    else if (draw.name == "v")
      changes_v_ = true;
    else if (draw.name == "inertial")
      add_parameter(Parameter::mass), add_parameter(Parameter::inertia);
    else
      add_parameter(from_name<Parameter>(draw.name));
  }
}

void Randomize::add_parameter(Parameter parameter) {
  if (std::ranges::find(parameters_, parameter) != parameters_.end()) return;
  parameters_.push_back(parameter);
  nominal_.push_back(nominal_values(model_, parameter));
}

/// Masses, inertias and what damps are multiplied by what is drawn; it is added to all others.
bool Randomize::is_factor(const std::string& name) const {
  return name != "q" && name != "v" && name != "com" && name != "gravity";
}

Randomize::Draw Randomize::read(const std::string& text) const {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw Error(fmt::format("--randomize: \"{}\": {}", readable(text), random_expected));
  Draw draw;
  draw.name = text.substr(0, equals);
  if (const std::size_t at = draw.name.find('@'); at != std::string::npos) {
    draw.element = draw.name.substr(at + 1);
    draw.name.resize(at);
    if (draw.element.empty()) throw Error(fmt::format("--randomize: \"{}\": {}", readable(text), random_expected));
  }
  if (std::ranges::find(random_names, draw.name) == random_names.end())
    throw Error(
        fmt::format("--randomize: \"{}\" cannot be random; expected one of q, v, mass, inertial (mass "
                    "and inertia by one factor), com, inertia, armature, damping, friction, stiffness, gravity{}",
                    readable(draw.name), suggestion(draw.name, random_names)));
  draw.stream = stream_of(text.substr(0, equals));
  read_rows(draw, text);
  read_law(draw, text, text.substr(equals + 1));
  return draw;
}

void Randomize::read_rows(Draw& draw, const std::string& text) const {
  if (draw.name == "gravity") {
    if (!draw.element.empty())
      throw Error(fmt::format("--randomize: \"{}\": gravity is the same for all links", readable(text)));
    draw.count = 3;
    return;
  }
  try {
    read_element(draw);
  } catch (const Error& error) {
    throw Error(fmt::format("--randomize: \"{}\": {}", readable(text), error.what()));
  }
}

/// Of links or joints, one if it is named.
void Randomize::read_element(Draw& draw) const {
  const auto& m = model_.view<double>();
  if (is_of_each_link(draw.name)) {
    draw.width = draw.name == "com" ? 3 : draw.name == "inertia" ? 6 : 1;
    draw.count = m.n_links;
    if (!draw.element.empty()) draw.first = model_.link_index(draw.element), draw.count = 1;
    return;
  }
  draw.count = m.nv;
  if (draw.element.empty()) return;
  const int joint = model_.joint_index(draw.element);
  if (model_.is_mimic(joint))
    throw Error(fmt::format("the joint follows {}; use that joint", model_.joint_name(m.mimics[joint])));
  draw.first = m.v_index[joint];
  draw.count = joint_nv(m.type[joint]);
}

void Randomize::read_law(Draw& draw, const std::string& text, const std::string& law) const {
  const std::vector<std::string> words = split_at(law, ':');
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("--randomize: \"{}\": {}", readable(text), why));
  };
  std::vector<double> x;
  for (std::size_t k = 1; k < words.size(); ++k) {
    x.push_back(0);
    if (!read_number(words[k], x.back()) || !std::isfinite(x.back()))
      refuse(fmt::format("\"{}\" is not a finite number", readable(words[k])));
  }
  const bool factor = is_factor(draw.name);
  if (words[0] == "uniform") {
    draw.law = Law::uniform;
    if (x.empty() && draw.name == "q" && draw.element.empty())
      draw.law = Law::anywhere;
    else if (x.empty() && draw.name == "v")
      draw.a = -1, draw.b = 1;
    else if (x.size() == 2)
      draw.a = x[0], draw.b = x[1];
    else if (x.size() == 1 && !factor)
      draw.a = -x[0], draw.b = x[0];
    else if (factor)
      refuse("expected uniform:A:B, factors from A to B, such as uniform:0.8:1.2");
    else
      refuse("expected uniform:A:B, from A to B, or uniform:R, from -R to R");
    if (draw.a > draw.b) refuse(fmt::format("{} is above {}", draw.a, draw.b));
    if (factor && draw.a < 0) refuse("a factor must not be negative");
  } else if (words[0] == "normal") {
    draw.law = Law::normal;
    if (factor)
      refuse(fmt::format("a normal factor may be negative; use {}=lognormal:{}", draw.name,
                         words.size() > 1 ? words.back() : "0.1"));
    if (x.empty() || x.size() > 2) refuse("expected normal:S, of standard deviation S, or normal:MEAN:S");
    draw.a = x.size() == 2 ? x[0] : 0, draw.b = x.back();
  } else if (words[0] == "lognormal") {
    draw.law = Law::lognormal;
    if (!factor) refuse("increments are normal or uniform; lognormal is for factors");
    if (x.size() != 1) refuse("expected lognormal:S, a factor whose logarithm has the standard deviation S");
    draw.b = x[0];
  } else {
    refuse(fmt::format("\"{}\" is not a distribution; expected uniform, {}", readable(words[0]),
                       factor ? "lognormal" : "normal"));
  }
  if (draw.law != Law::uniform && draw.b < 0) refuse("a standard deviation must not be negative");
}

double Randomize::number(const Draw& draw, std::uint64_t instance, int row) const {
  const double u = random_unit(seed_, instance, draw.stream, static_cast<std::uint32_t>(row));
  if (draw.law == Law::normal) return draw.a + draw.b * normal_quantile(u);
  if (draw.law == Law::lognormal) return exponential(draw.b * normal_quantile(u));
  return draw.a + (draw.b - draw.a) * u;
}

/// Uniform within the ranges of random_configuration; rotations uniform.
void Randomize::anywhere(const Draw& draw, std::uint64_t instance, std::vector<double>& q) const {
  const auto& m = model_.view<double>();
  const auto unit = [&](int row) { return random_unit(seed_, instance, draw.stream, static_cast<std::uint32_t>(row)); };
  for (int i = 1; i < m.n_links; ++i) {
    if (m.mimics[i] != 0) continue;
    const JointKind& kind = joint_kind(m.type[i]);
    for (int k = 0; k < kind.nq; ++k) {
      const int row = m.q_index[i] + k;
      double* x = q.data() + row;
      if (k == kind.quaternion) {
        double norm = 0;
        for (int j = 0; j < 4; ++j) x[j] = normal_quantile(unit(row + j)), norm += x[j] * x[j];
        for (int j = 0; j < 4; ++j) x[j] /= std::sqrt(norm);
        break;
      }
      const Range range = random_range(model_, i, k);
      *x = range.lower + (range.upper - range.lower) * unit(row);
    }
  }
}

void Randomize::displace(const Draw& draw, std::uint64_t instance, std::vector<double>& q,
                         Workspace<double>& work) const {
  std::vector<double> u(static_cast<std::size_t>(model_.nv()), 0.0);
  for (int row = draw.first; row < draw.first + draw.count; ++row)
    u[static_cast<std::size_t>(row)] = number(draw, instance, row);
  integrate<double>(model_, q, u, q, work);
}

StartState Randomize::state(const StartState& start, std::uint64_t instance, Workspace<double>& work) const {
  const auto& m = model_.view<double>();
  StartState state = start;
  for (const Draw& draw : draws_) {
    if (draw.name == "q" && draw.law == Law::anywhere) anywhere(draw, instance, state.q);
    if (draw.name == "v")
      for (int row = draw.first; row < draw.first + draw.count; ++row)
        state.v[static_cast<std::size_t>(row)] += number(draw, instance, row);
  }
  for (const Draw& draw : draws_)
    if (draw.name == "q" && draw.law != Law::anywhere) displace(draw, instance, state.q, work);
  if (changes_q_ && limits_)
    for (std::size_t row = 0; row < state.q.size(); ++row)
      if (m.q_lower[row] <= m.q_upper[row]) state.q[row] = std::clamp(state.q[row], m.q_lower[row], m.q_upper[row]);
  return state;
}

std::vector<double> Randomize::values(std::size_t k, std::uint64_t instance) const {
  const char* const name = to_string(parameters_[k]);
  std::vector<double> values = nominal_[k];
  for (const Draw& draw : draws_) {
    const bool both =
        draw.name == "inertial" && (parameters_[k] == Parameter::mass || parameters_[k] == Parameter::inertia);
    if (draw.name != name && !both) continue;
    const int width = parameters_[k] == Parameter::inertia ? 6 : draw.width;
    // an inertia is multiplied by one number, as a factor for each of its entries may give none that a body can have
    const bool shared = parameters_[k] == Parameter::inertia;
    for (int row = draw.first * width; row < (draw.first + draw.count) * width; ++row) {
      const double x = number(draw, instance, shared ? row / width : row);
      double& value = values[static_cast<std::size_t>(row)];
      value = is_factor(draw.name) ? value * x : value + x;
    }
  }
  return values;
}

}  // namespace tandem::cli
