// SPDX-License-Identifier: Apache-2.0
/// The part of UrdfReader that turns attributes into values.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "numbers.hpp"
#include "urdf_limits.hpp"
#include "urdf_reader.hpp"

namespace tandem::io {
namespace {

/// `axis xyz`, or `xyz` where the element at hand is the link or joint itself.
std::string label(std::string_view what, std::string_view attribute) {
  return what.empty() ? std::string(attribute) : std::string(what) + ' ' + std::string(attribute);
}

std::string missing(std::string_view what, std::string_view attribute) {
  return (what.empty() ? "" : std::string(what) + ": ") + "attribute " + std::string(attribute) + " is missing";
}

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

bool UrdfReader::read(const XmlElement& element, std::string_view what, std::string_view attribute,
                      std::span<double> out) {
  const char* given = element.find(attribute);
  if (given == nullptr) return false;
  std::string_view text = given;
  if (const auto standard = optenv_default(text)) {
    warning(element.line, label(what, attribute) + "=" + in_quotes(text) + ": taken as " + in_quotes(*standard));
    text = *standard;
  } else if (needs_xacro(text)) {
    note_xacro(element.line, label(what, attribute) + "=" + in_quotes(text));
    return false;
  }
  std::array<double, 4> numbers{};
  const std::span<double> values = std::span(numbers).first(out.size());
  if (const auto complaint = read_reals(text, values)) {
    problem(element.line, label(what, attribute) + "=" + in_quotes(text) + ": " + *complaint);
    return false;
  }
  std::ranges::copy(values, out.begin());
  return true;
}

bool UrdfReader::read(const XmlElement& element, std::string_view what, std::string_view attribute, double& out) {
  return read(element, what, attribute, std::span(&out, 1));
}

void UrdfReader::require(const XmlElement& element, std::string_view what, std::string_view attribute,
                         std::span<double> out) {
  if (element.find(attribute) == nullptr) return problem(element.line, missing(what, attribute));
  read(element, what, attribute, out);
}

void UrdfReader::require(const XmlElement& element, std::string_view what, std::string_view attribute, double& out) {
  require(element, what, attribute, std::span(&out, 1));
}

/// A name as written, even where only xacro could tell what it stands for.
bool UrdfReader::read(const XmlElement& element, std::string_view what, std::string_view attribute, std::string& out) {
  const char* text = element.find(attribute);
  if (text == nullptr) return false;
  out = text;
  if (!needs_xacro(out)) return true;
  note_xacro(element.line, label(what, attribute) + "=" + in_quotes(out));
  return false;
}

void UrdfReader::read_pose(const XmlElement& element, std::string_view what, Pose& out) {
  std::array<double, 3> rpy;
  std::array<double, 4> quaternion;
  read(element, what, "xyz", out.position);
  if (read(element, what, "rpy", rpy)) out.rotation = rotation_from_rpy(rpy[0], rpy[1], rpy[2]);
  if (!read(element, what, "quat_xyzw", quaternion)) return;
  if (element.find("rpy") != nullptr)
    return problem(element.line, std::string(what) + ": expected rpy or quat_xyzw, got both");
  if (std::ranges::all_of(quaternion, [](double x) { return x == 0; }))
    return problem(element.line, std::string(what) + " quat_xyzw: expected a quaternion that is not zero");
  out.rotation = rotation_from_quaternion(quaternion[0], quaternion[1], quaternion[2], quaternion[3]);
}

// A value that cannot be read is replaced by one that gives no reason for further problems.

void UrdfReader::read_mass(const XmlElement& element) {
  link_.mass = 1;
  require(element, "mass", "value", link_.mass);
}

void UrdfReader::read_inertia(const XmlElement& element) {
  link_.inertia = {1, 0, 0, 1, 0, 1};
  auto& [xx, xy, xz, yy, yz, zz] = link_.inertia;
  require(element, "inertia", "ixx", xx);
  read(element, "inertia", "ixy", xy);
  read(element, "inertia", "ixz", xz);
  require(element, "inertia", "iyy", yy);
  read(element, "inertia", "iyz", yz);
  require(element, "inertia", "izz", zz);
}

void UrdfReader::read_limit(const XmlElement& element) {
  if (joint_kind(joint_.type).has_range) {
    double lower = 0, upper = 0;  // what the format says if they are absent
    const bool has_lower = element.find("lower") != nullptr, has_upper = element.find("upper") != nullptr;
    if (!has_lower && !has_upper)
      warning(element.line, "limit: lower and upper are missing; both are 0 then, which leaves no room to move");
    const bool good_lower = read(element, "limit", "lower", lower) || !has_lower;
    const bool good_upper = read(element, "limit", "upper", upper) || !has_upper;
    if (good_lower && good_upper) {
      joint_.lower = lower <= -urdf_unlimited ? -unlimited : lower;
      joint_.upper = upper >= urdf_unlimited ? unlimited : upper;
    }
  }
  if (read(element, "limit", "velocity", joint_.velocity) && joint_.velocity >= urdf_unlimited)
    joint_.velocity = unlimited;
  if (read(element, "limit", "effort", joint_.effort) && joint_.effort >= urdf_unlimited) joint_.effort = unlimited;
}

void UrdfReader::read_dynamics(const XmlElement& element) {
  read(element, "dynamics", "damping", joint_.damping);
  read(element, "dynamics", "friction", joint_.friction);
}

void UrdfReader::read_mimic(const XmlElement& element) {
  read(element, "mimic", "joint", joint_.mimic);
  if (joint_.mimic.empty()) problem(element.line, "mimic: attribute joint is missing, expected the joint to follow");
  read(element, "mimic", "multiplier", joint_.multiplier);
  read(element, "mimic", "offset", joint_.offset);
}

void UrdfReader::read_tandem(const XmlElement& element) {
  read(element, "tandem", "armature", joint_.armature);
  read(element, "tandem", "stiffness", joint_.stiffness);
  read(element, "tandem", "rest", joint_.rest);
}

}  // namespace tandem::io
