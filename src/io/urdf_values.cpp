// SPDX-License-Identifier: Apache-2.0
#include "urdf_values.hpp"

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "numbers.hpp"

namespace tandem::io {
namespace {

/// True for text that only xacro can turn into a value.
bool needs_xacro(std::string_view text) {
  return text.find("${") != std::string_view::npos || text.find("$(") != std::string_view::npos;
}

/// The default of `$(optenv NAME default)`, which some published files still hold.
std::optional<std::string_view> optenv_default(std::string_view text) {
  constexpr std::string_view opening = "$(optenv ";
  if (!text.starts_with(opening) || text.find(')') != text.size() - 1) return std::nullopt;
  text = text.substr(opening.size(), text.size() - opening.size() - 1);
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return text.substr(space + 1);
}

}  // namespace

/// `axis xyz`, or `xyz` where the element at hand is the link or joint itself.
std::string UrdfValues::label(std::string_view attribute) const {
  return sentence(of_, of_.empty() ? "" : " ", attribute);
}

bool UrdfValues::read(const XmlElement& element, std::string_view attribute, std::span<double> out) {
  const char* given = element.find(attribute);
  if (given == nullptr) return false;
  std::string_view text = given;
  if (const auto standard = optenv_default(text)) {
    warning(element.line, sentence(label(attribute), "=", in_quotes(text), ": read as ", in_quotes(*standard)));
    text = *standard;
  } else if (needs_xacro(text)) {
    note_xacro(element.line, label(attribute) + "=" + in_quotes(text));
    return false;
  }
  std::array<double, 4> numbers{};
  const std::span<double> values = std::span(numbers).first(out.size());
  if (const auto complaint = read_reals(text, values)) {
    problem(element.line, sentence(label(attribute), "=", in_quotes(text), ": ", *complaint));
    return false;
  }
  std::ranges::copy(values, out.begin());
  return true;
}

/// A name as written, even where only xacro could tell what it stands for.
bool UrdfValues::read(const XmlElement& element, std::string_view attribute, std::string& out) {
  const char* text = element.find(attribute);
  if (text == nullptr) return false;
  out = text;
  if (!needs_xacro(out)) return true;
  note_xacro(element.line, label(attribute) + "=" + in_quotes(out));
  return false;
}

void UrdfValues::require(const XmlElement& element, std::string_view attribute, std::span<double> out) {
  if (element.find(attribute) == nullptr)
    return problem(element.line, sentence(of_, of_.empty() ? "" : ": ", "attribute ", attribute, " is missing"));
  read(element, attribute, out);
}

void UrdfValues::read_pose(const XmlElement& element, Pose& out) {
  std::array<double, 3> rpy;
  std::array<double, 4> quaternion;
  read(element, "xyz", out.position);
  if (read(element, "rpy", rpy)) out.rotation = rotation_from_rpy(rpy[0], rpy[1], rpy[2]);
  if (!read(element, "quat_xyzw", quaternion)) return;
  if (element.find("rpy") != nullptr)
    return problem(element.line, sentence(of_, ": expected rpy or quat_xyzw, got both"));
  if (std::ranges::all_of(quaternion, [](double x) { return x == 0; }))
    return problem(element.line, label("quat_xyzw") + ": expected a quaternion that is not zero");
  out.rotation = rotation_from_quaternion(quaternion[0], quaternion[1], quaternion[2], quaternion[3]);
}

void UrdfValues::problem(int line, std::string message) { description_.problem(at(line), std::move(message)); }

void UrdfValues::warning(int line, std::string message) {
  if (description_.warnings().size() < most_remarks) description_.warning(at(line), std::move(message));
}

void UrdfValues::note_xacro(int line, const std::string& what) {
  ++xacro_count_;
  if (!xacro_) xacro_ = XmlNote{line, what};
}

}  // namespace tandem::io
