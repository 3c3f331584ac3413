// SPDX-License-Identifier: Apache-2.0
#include "urdf_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "numbers.hpp"
#include "tandem/detail/spatial/sym3.hpp"

namespace tandem::io {
namespace {

constexpr std::size_t most_remarks = 10'000;  // problems, and warnings, of one file

/// The elements that matter to dynamics, and where they belong.
constexpr std::pair<std::string_view, std::string_view> homes[] = {
    {"robot", "at the top"},
    {"link", "inside <robot>"},
    {"joint", "inside <robot>"},
    {"inertial", "inside <link>"},
    {"mass", "inside <inertial>"},
    {"inertia", "inside <inertial>"},
    {"origin", "inside <inertial> or <joint>"},
    {"parent", "inside <joint>"},
    {"child", "inside <joint>"},
    {"axis", "inside <joint>"},
    {"limit", "inside <joint>"},
    {"dynamics", "inside <joint>"},
    {"mimic", "inside <joint>"},
};

/// Elements of links and joints that are known to say nothing about dynamics.
constexpr std::string_view harmless[] = {
    "visual",           "collision", "material", "contact",           "sensor",      "gazebo",       "plugin",
    "mujoco",           "verbose",   "group",    "safety_controller", "calibration", "transmission", "ros2_control",
    "hardwareInterface"};

/// "expected fixed, revolute, ... or floating".
std::string expected_joint_types() {
  std::string names = "expected ";
  const auto& kinds = NamesOf<JointType>::table;
  for (const JointKind& kind : kinds)
    names += (&kind == kinds ? "" : &kind + 1 == std::end(kinds) ? " or " : ", ") + std::string(urdf_name(kind));
  return names;
}

std::string tag(std::string_view name) { return "<" + std::string(name) + ">"; }

/// R A R^T for an inertia xx xy xz yy yz zz.
std::array<double, 6> rotated(const std::array<double, 9>& r, const std::array<double, 6>& a) {
  const Mat3<double> R_T{{r[0], r[3], r[6]}, {r[1], r[4], r[7]}, {r[2], r[5], r[8]}};
  const Sym3<double> t = congruence(R_T, Sym3<double>{a[0], a[3], a[5], a[1], a[2], a[4]});
  return {t.xx, t.xy, t.xz, t.yy, t.yz, t.zz};
}

}  // namespace

UrdfReading read_urdf_text(std::string_view text, const std::string& name) {
  UrdfReader reader(name);
  const XmlHandler handler{[&](const XmlElement& element) { return reader.start(element); }, [&] { reader.end(); }};
  return reader.finish(parse_xml(text, handler));
}

bool UrdfReader::start(const XmlElement& element) {
  if (passed_over_ > 0) {
    ++passed_over_;
    return true;
  }
  if (description_.problems().size() >= most_remarks) {
    description_.problem({file_, element.line, {}}, "too many problems; the rest of the file was not read");
    stopped_ = true;
    return false;
  }
  std::string_view name = element.name;
  if (!prefix_.empty() && name.starts_with(prefix_)) name.remove_prefix(prefix_.size());
  switch (inside_) {
    case Inside::document: return start_document(element);
    case Inside::robot: start_in_robot(element, name); break;
    case Inside::link: start_in_link(element, name); break;
    case Inside::inertial: start_in_inertial(element, name); break;
    case Inside::joint: start_in_joint(element, name); break;
  }
  return true;
}

void UrdfReader::end() {
  if (passed_over_ > 0) {
    --passed_over_;
    return;
  }
  switch (inside_) {
    case Inside::document:
    case Inside::robot: inside_ = Inside::document; break;
    case Inside::link:
      end_link();
      inside_ = Inside::robot;
      break;
    case Inside::inertial:
      end_inertial();
      inside_ = Inside::link;
      break;
    case Inside::joint:
      end_joint();
      inside_ = Inside::robot;
      break;
  }
  if (inside_ == Inside::robot) element_.clear();
}

bool UrdfReader::start_document(const XmlElement& element) {
  const std::size_t colon = element.name.rfind(':');
  const std::string_view name = colon == std::string_view::npos ? element.name : element.name.substr(colon + 1);
  if (name != "robot") {
    std::string message = "the root element is " + tag(element.name) + ", expected <robot>";
    if (name == "mujoco") message += "; this looks like MJCF, not URDF";
    if (name == "sdf" || name == "gazebo") message += "; this looks like SDF, not URDF";
    problem(element.line, std::move(message));
    stopped_ = true;
    return false;
  }
  prefix_ = element.name.substr(0, element.name.size() - name.size());
  const char* robot_name = element.find("name");
  description_ = ModelBuilder(robot_name != nullptr ? robot_name : "robot");
  inside_ = Inside::robot;
  element_ = "robot";
  if (robot_name == nullptr) warning(element.line, "attribute name is missing");
  element_.clear();
  return true;
}

void UrdfReader::start_in_robot(const XmlElement& element, std::string_view name) {
  if (name == "link") return start_link(element);
  if (name == "joint") return start_joint(element);
  if (name == "tandem") {
    std::array<double, 3> gravity = description_.gravity();
    if (read(element, "tandem", "gravity", gravity)) description_.gravity(gravity);
    passed_over_ = 1;
    return;
  }
  pass_over(element, name);
}

void UrdfReader::start_link(const XmlElement& element) {
  inside_ = Inside::link;
  seen_.reset();
  link_ = {};
  element_ = "link";
  read(element, "", "name", link_.name);
  if (!link_.name.empty()) element_ += ' ' + in_quotes(link_.name);
  link_.source = at(element.line);
}

void UrdfReader::start_in_link(const XmlElement& element, std::string_view name) {
  if (name != "inertial") return pass_over(element, name);
  if (!first(Child::inertial, element)) return;
  inside_ = Inside::inertial;
  inertial_ = {};
  inertial_line_ = element.line;
  seen_inertial_.reset();
}

void UrdfReader::end_link() { description_.link(std::move(link_)); }

void UrdfReader::start_in_inertial(const XmlElement& element, std::string_view name) {
  if (name == "origin") {
    if (first(Child::origin, element)) read_pose(element, "inertial origin", inertial_);
  } else if (name == "mass") {
    if (first(Child::mass, element)) read_mass(element);
  } else if (name == "inertia") {
    if (first(Child::inertia, element)) read_inertia(element);
  } else {
    return pass_over(element, name);
  }
  passed_over_ = 1;
}

void UrdfReader::end_inertial() {
  link_.com = inertial_.position;
  if (inertial_.rotation != Pose{}.rotation) link_.inertia = rotated(inertial_.rotation, link_.inertia);
  const auto seen = [&](Child child) { return seen_inertial_[static_cast<std::size_t>(child)]; };
  if (!seen(Child::mass)) problem(inertial_line_, "inertial: <mass value=\"...\"/> is missing");
  if (!seen(Child::inertia)) warning(inertial_line_, "inertial: <inertia> is missing; taken as a point mass");
}

void UrdfReader::start_joint(const XmlElement& element) {
  inside_ = Inside::joint;
  seen_.reset();
  joint_ = {};
  element_ = "joint";
  read(element, "", "name", joint_.name);
  if (!joint_.name.empty()) element_ += ' ' + in_quotes(joint_.name);
  joint_.source = at(element.line);

  std::string type;
  if (!read(element, "", "type", type)) {
    if (element.find("type") == nullptr) problem(element.line, "attribute type is missing; " + expected_joint_types());
    return;
  }
  const auto& kinds = NamesOf<JointType>::table;
  const auto* known = std::ranges::find_if(kinds, [&](const JointKind& kind) { return type == urdf_name(kind); });
  if (known == std::end(kinds))
    return problem(element.line, "type=" + in_quotes(type) + ": unknown joint type, " + expected_joint_types());
  joint_.type = static_cast<JointType>(known - kinds);
}

void UrdfReader::start_in_joint(const XmlElement& element, std::string_view name) {
  if (name == "origin") {
    if (first(Child::origin, element)) read_pose(element, "origin", joint_.placement);
  } else if (name == "parent") {
    if (first(Child::parent, element)) read(element, "parent", "link", joint_.parent);
  } else if (name == "child") {
    if (first(Child::child, element)) read(element, "child", "link", joint_.child);
  } else if (name == "axis") {
    if (first(Child::axis, element)) require(element, "axis", "xyz", joint_.axis);
  } else if (name == "limit") {
    if (first(Child::limit, element)) read_limit(element);
  } else if (name == "dynamics") {
    if (first(Child::dynamics, element)) read_dynamics(element);
  } else if (name == "mimic") {
    if (first(Child::mimic, element)) read_mimic(element);
  } else if (name == "tandem") {
    if (first(Child::tandem, element)) read_tandem(element);
  } else {
    return pass_over(element, name);
  }
  passed_over_ = 1;
}

void UrdfReader::end_joint() {
  const bool has_range = joint_kind(joint_.type).has_range;
  if (has_range && !seen_[static_cast<std::size_t>(Child::limit)])
    warning(joint_.source.line, "<limit> is missing; taken as unlimited");
  description_.joint(std::move(joint_));
}

/// True for the first such child of the link, joint or inertial at hand; a further one is passed over.
bool UrdfReader::first(Child child, const XmlElement& element) {
  auto seen = (inside_ == Inside::inertial ? seen_inertial_ : seen_)[static_cast<std::size_t>(child)];
  if (seen) {
    warning(element.line, "a second " + tag(element.name) + " is passed over");
    passed_over_ = 1;
    return false;
  }
  seen = true;
  return true;
}

void UrdfReader::pass_over(const XmlElement& element, std::string_view name) {
  passed_over_ = 1;
  const std::size_t colon = name.find(':');
  if (name.starts_with("xacro:")) return note_xacro(element.line, tag(name));
  if (colon != std::string_view::npos) {
    const std::string_view local = name.substr(colon + 1);
    if (inside_ == Inside::robot && (local == "link" || local == "joint"))
      warning(element.line, tag(name) + " is not URDF and was passed over");
    return;
  }
  const auto* home = std::ranges::find(homes, name, [](const auto& pair) { return pair.first; });
  if (home != std::end(homes)) {
    warning(element.line, tag(name) + " was passed over: it belongs " + std::string(home->second));
    return;
  }
  if (inside_ == Inside::robot || std::ranges::find(harmless, name) != std::end(harmless)) return;
  if (unknown_.size() < most_remarks && unknown_.emplace(name).second)
    warning(element.line, "unknown element " + tag(name) + " was passed over");
}

void UrdfReader::note_xacro(int line, const std::string& what) {
  ++xacro_count_;
  if (!xacro_) xacro_ = XmlNote{line, what};
}

/// Many files hang their root from a link "world" that they do not describe.
void UrdfReader::add_world() {
  const auto hangs = [](const JointDescription& joint) { return joint.parent == "world"; };
  const auto is_world = [](const LinkDescription& link) { return link.name == "world"; };
  const auto first = std::ranges::find_if(description_.joints(), hangs);
  if (first == description_.joints().end() || std::ranges::any_of(description_.links(), is_world)) return;
  const Source source = first->source;
  LinkDescription world;
  world.name = "world";
  world.source = source;
  description_.link(std::move(world));
  description_.warning(source, "parent link \"world\" is not described; taken as the world");
}

void UrdfReader::problem(int line, std::string message) { description_.problem(at(line), std::move(message)); }

void UrdfReader::warning(int line, std::string message) {
  if (description_.warnings().size() < most_remarks) description_.warning(at(line), std::move(message));
}

UrdfReading UrdfReader::finish(XmlOutcome outcome) {
  const bool complete = !outcome.failure && !stopped_;
  for (XmlNote& note : outcome.warnings) description_.warning({file_, note.line, {}}, std::move(note.message));
  if (xacro_) {
    std::string message = "unexpanded xacro: " + xacro_->message + "; run xacro on the file first";
    if (xacro_count_ > 1) message += " (" + std::to_string(xacro_count_ - 1) + " more such places)";
    description_.problem({file_, xacro_->line, {}}, std::move(message));
  }
  if (outcome.failure) problem(outcome.failure->line, std::move(outcome.failure->message));
  if (complete) add_world();
  return {std::move(description_), complete};
}

}  // namespace tandem::io
