// SPDX-License-Identifier: Apache-2.0
// More than 400 lines: the table of elements and what is done with each read best side by side.
#include "urdf_reader.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <set>
#include <span>
#include <utility>

#include "core/text.hpp"
#include "tandem/detail/spatial/sym3.hpp"
#include "urdf_collision.hpp"
#include "urdf_values.hpp"

namespace tandem::io {
namespace {

/// Elements of links and joints that are known to say nothing about dynamics.
constexpr std::string_view harmless[] = {
    "visual",           "collision", "material", "contact",           "sensor",      "gazebo",       "plugin",
    "mujoco",           "verbose",   "group",    "safety_controller", "calibration", "transmission", "ros2_control",
    "hardwareInterface"};

/// In Drake's ball constraints: the two links, and where the ball is on each.
constexpr std::string_view drakes_ends[] = {"drake:ball_constraint_body_A", "drake:ball_constraint_body_B",
                                            "drake:ball_constraint_p_AP", "drake:ball_constraint_p_BQ"};

/// Elements of Drake that connect two links in ways that loop joints do not.
constexpr std::string_view drakes_connections[] = {"drake:linear_bushing_rpy", "drake:linear_spring_damper",
                                                   "drake:tendon_constraint",  "drake:distance_constraint",
                                                   "drake:weld_constraint",    "drake:coupler_constraint"};

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

/// Follows the tags of one URDF. Knows only where it is: at the document, in the robot, in a link, its inertial, or a
/// joint; everything else is passed over with all it holds.
class UrdfReader : UrdfValues {
 public:
  UrdfReader(const std::string& name, const MeshOptions& meshes)
      : UrdfValues(name), collision_(UrdfMeshes(name, meshes)) {}

  /// False: this is no URDF, stop.
  bool start(const XmlElement& element) {
    if (passed_over_ > 0) {
      ++passed_over_;
      return true;
    }
    if (description_.problems().size() >= most_remarks) {
      description_.problem({file_, element.line, {}}, "too many errors; the rest of the file was not read");
      stopped_ = true;
      return false;
    }
    if (inside_ == Inside::document) return start_document(element);
    if (inside_ == Inside::collision) {
      collision_.start(element);
      return true;
    }
    std::string_view name = element.name;
    if (!prefix_.empty() && name.starts_with(prefix_)) name.remove_prefix(prefix_.size());
    const Inside place = inside_;
    if (place == Inside::link && name == "collision") {
      inside_ = Inside::collision;
      collision_.begin(element, link_.name, at(element.line));
      return true;
    }
    if (const Known* known = find(place, name); !known) {
      pass_over(element, name);
    } else if (auto seen = seen_[index_of(known)]; seen && place != Inside::robot) {
      warning(element.line, "a second " + tag(element.name) + " is ignored");
    } else {
      seen = true;
      of_ = known->label;
      known->read(*this, element);
    }
    if (inside_ == place) passed_over_ = 1;  // what stands in it is of no interest
    return true;
  }

  void end() {
    if (passed_over_ > 0) {
      --passed_over_;
      return;
    }
    switch (inside_) {
      case Inside::document:
      case Inside::robot: inside_ = Inside::document; break;
      case Inside::link:
        description_.link(std::move(link_));
        inside_ = Inside::robot;
        break;
      case Inside::inertial:
        end_inertial();
        inside_ = Inside::link;
        break;
      case Inside::collision:
        if (collision_.end(description_)) inside_ = Inside::link;
        break;
      case Inside::joint:
        end_joint();
        inside_ = Inside::robot;
        break;
      case Inside::loop:
      case Inside::ball:
        end_loop();
        inside_ = Inside::robot;
        break;
    }
    if (inside_ == Inside::robot) element_.clear();
  }

  UrdfReading finish(XmlOutcome outcome) {
    const bool complete = !outcome.failure && !stopped_;
    for (XmlNote& note : outcome.warnings) description_.warning({file_, note.line, {}}, std::move(note.message));
    if (xacro_) {
      std::string message = "unexpanded xacro: " + xacro_->message + "; run xacro on the file first";
      if (xacro_count_ > 1) message += " (" + std::to_string(xacro_count_ - 1) + " more occurrences)";
      description_.problem({file_, xacro_->line, {}}, std::move(message));
    }
    if (outcome.failure) problem(outcome.failure->line, std::move(outcome.failure->message));
    if (complete) add_world();
    return {std::move(description_), complete};
  }

 private:
  enum class Inside { document, robot, link, inertial, collision, joint, loop, ball };
  static constexpr std::string_view places[] = {"",          "robot", "link",     "inertial",
                                                "collision", "joint", loop_joint, drakes_ball};

  /// An element that matters to dynamics: where it belongs, what messages call it, and what is done with it.
  struct Known {
    std::string_view name;
    Inside inside;
    std::string_view label;
    void (*read)(UrdfReader& reader, const XmlElement& element);
  };
  /// A value that cannot be read is replaced by one that gives no reason for further problems.
  static std::span<const Known> all_known() {
    static constexpr Known known[] = {
        {"link", Inside::robot, "",
         [](UrdfReader& r, const XmlElement& e) { r.start_named(Inside::link, r.link_, e); }},
        {"joint", Inside::robot, "", start_joint},
        {drakes_joint, Inside::robot, "", start_joint},
        {loop_joint, Inside::robot, "",
         [](UrdfReader& r, const XmlElement& e) {
           r.start_named(Inside::loop, r.loop_, e);
           r.read_type(e, r.loop_.type);
         }},
        {drakes_ball, Inside::robot, "", start_ball},
        {"tandem", Inside::robot, "tandem",
         [](UrdfReader& r, const XmlElement& e) {
           std::array<double, 3> gravity = r.description_.gravity();
           if (r.read(e, "gravity", gravity)) r.description_.gravity(gravity);
         }},
        {"inertial", Inside::link, "inertial",
         [](UrdfReader& r, const XmlElement& e) {
           r.inside_ = Inside::inertial;
           r.inertial_ = {};
           r.inertial_line_ = e.line;
         }},
        {"origin", Inside::inertial, "inertial origin",
         [](UrdfReader& r, const XmlElement& e) { r.read_pose(e, r.inertial_); }},
        {"mass", Inside::inertial, "mass",
         [](UrdfReader& r, const XmlElement& e) {
           r.link_.mass = 1;
           r.require(e, "value", r.link_.mass);
         }},
        {"inertia", Inside::inertial, "inertia", [](UrdfReader& r, const XmlElement& e) { r.read_inertia(e); }},
        {"origin", Inside::joint, "origin",
         [](UrdfReader& r, const XmlElement& e) { r.read_pose(e, r.joint_.placement); }},
        {"parent", Inside::joint, "parent",
         [](UrdfReader& r, const XmlElement& e) { r.read(e, "link", r.joint_.parent); }},
        {"child", Inside::joint, "child",
         [](UrdfReader& r, const XmlElement& e) { r.read(e, "link", r.joint_.child); }},
        {"axis", Inside::joint, "axis",
         [](UrdfReader& r, const XmlElement& e) {
           if (joint_kind(r.joint_.type).has_axis) r.require(e, "xyz", r.joint_.axis);
         }},
        {drakes_pitch, Inside::joint, drakes_pitch,
         [](UrdfReader& r, const XmlElement& e) { r.require(e, "value", r.joint_.pitch); }},
        {"limit", Inside::joint, "limit", [](UrdfReader& r, const XmlElement& e) { r.read_limit(e); }},
        {"dynamics", Inside::joint, "dynamics",
         [](UrdfReader& r, const XmlElement& e) {
           r.read(e, "damping", r.joint_.damping);
           r.read(e, "friction", r.joint_.friction);
         }},
        {"mimic", Inside::joint, "mimic",
         [](UrdfReader& r, const XmlElement& e) {
           r.read(e, "joint", r.joint_.mimic);
           if (r.joint_.mimic.empty())
             r.problem(e.line, "mimic: attribute joint is missing, expected the joint to follow");
           r.read(e, "multiplier", r.joint_.multiplier);
           r.read(e, "offset", r.joint_.offset);
         }},
        {"link1", Inside::loop, "link1",
         [](UrdfReader& r, const XmlElement& e) {
           r.read(e, "link", r.loop_.link_1);
           r.read_pose(e, r.loop_.placement_1);
         }},
        {"link2", Inside::loop, "link2",
         [](UrdfReader& r, const XmlElement& e) {
           r.read(e, "link", r.loop_.link_2);
           r.read_pose(e, r.loop_.placement_2);
         }},
        {"axis", Inside::loop, "axis", [](UrdfReader& r, const XmlElement& e) { r.require(e, "xyz", r.loop_.axis); }},
        {drakes_ends[0], Inside::ball, drakes_ends[0],
         [](UrdfReader& r, const XmlElement& e) { r.read(e, "name", r.loop_.link_1); }},
        {drakes_ends[1], Inside::ball, drakes_ends[1],
         [](UrdfReader& r, const XmlElement& e) { r.read(e, "name", r.loop_.link_2); }},
        {drakes_ends[2], Inside::ball, drakes_ends[2],
         [](UrdfReader& r, const XmlElement& e) { r.require(e, "value", r.loop_.placement_1.position); }},
        {drakes_ends[3], Inside::ball, drakes_ends[3],
         [](UrdfReader& r, const XmlElement& e) { r.require(e, "value", r.loop_.placement_2.position); }},
        {"tandem", Inside::joint, "tandem",
         [](UrdfReader& r, const XmlElement& e) {
           r.read(e, "armature", r.joint_.armature);
           r.read(e, "stiffness", r.joint_.stiffness);
           r.read(e, "rest", r.joint_.rest);
         }},
    };
    return known;
  }
  static const Known* find(Inside inside, std::string_view name) {
    const auto known = all_known();
    const auto element =
        std::ranges::find_if(known, [&](const Known& k) { return k.inside == inside && k.name == name; });
    return element == known.end() ? nullptr : &*element;
  }
  static std::size_t index_of(const Known* element) { return static_cast<std::size_t>(element - all_known().data()); }
  bool has_seen(std::string_view name) const { return seen_[index_of(find(inside_, name))]; }

  bool start_document(const XmlElement& element) {
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
    description_ = ModelBuilder(robot_name != nullptr ? robot_name : "robot", {file_, element.line, {}});
    inside_ = Inside::robot;
    element_ = "robot";
    if (robot_name == nullptr) warning(element.line, "attribute name is missing");
    element_.clear();
    return true;
  }

  template <class T>
  void start_named(Inside inside, T& described, const XmlElement& element) {
    inside_ = inside;
    seen_.reset();
    described = {};
    element_ = places[static_cast<int>(inside)];
    read(element, "name", described.name);
    if (!described.name.empty()) element_ += ' ' + in_quotes(described.name);
    described.source = at(element.line);
  }

  static void start_joint(UrdfReader& r, const XmlElement& e) {
    r.start_named(Inside::joint, r.joint_, e);
    r.read_type(e, r.joint_.type);
  }

  /// Drake's constraints have no names of their own.
  static void start_ball(UrdfReader& r, const XmlElement& e) {
    r.start_named(Inside::ball, r.loop_, e);
    if (r.loop_.name.empty()) r.loop_.name = "ball_constraint_" + std::to_string(++r.balls_);
    r.loop_.type = JointType::spherical;
  }

  void read_type(const XmlElement& element, JointType& found) {
    std::string type;
    if (!read(element, "type", type)) {
      if (element.find("type") == nullptr)
        problem(element.line, "attribute type is missing; " + expected_joint_types());
      return;
    }
    if (type == "ball") type = urdf_name(joint_kind(JointType::spherical));
    const auto& kinds = NamesOf<JointType>::table;
    const auto* kind = std::ranges::find_if(kinds, [&](const JointKind& k) { return type == urdf_name(k); });
    if (kind == std::end(kinds))
      return problem(element.line, "type=" + in_quotes(type) + ": unknown joint type, " + expected_joint_types());
    found = static_cast<JointType>(kind - kinds);
  }

  void read_inertia(const XmlElement& element) {
    link_.inertia = {1, 0, 0, 1, 0, 1};
    auto& [xx, xy, xz, yy, yz, zz] = link_.inertia;
    require(element, "ixx", xx);
    read(element, "ixy", xy);
    read(element, "ixz", xz);
    require(element, "iyy", yy);
    read(element, "iyz", yz);
    require(element, "izz", zz);
  }

  void read_limit(const XmlElement& element) {
    if (joint_kind(joint_.type).has_range) {
      double lower = 0, upper = 0;  // what the format says if they are absent
      const bool has_lower = element.find("lower") != nullptr, has_upper = element.find("upper") != nullptr;
      if (!has_lower && !has_upper)
        warning(element.line, "limit: lower and upper are missing; both are 0, so that the joint cannot move");
      const bool good_lower = read(element, "lower", lower) || !has_lower;
      const bool good_upper = read(element, "upper", upper) || !has_upper;
      if (good_lower && good_upper) {
        joint_.lower = lower <= -urdf_unlimited ? -unlimited : lower;
        joint_.upper = upper >= urdf_unlimited ? unlimited : upper;
      }
    }
    if (read(element, "velocity", joint_.velocity) && joint_.velocity >= urdf_unlimited) joint_.velocity = unlimited;
    if (read(element, "effort", joint_.effort) && joint_.effort >= urdf_unlimited) joint_.effort = unlimited;
  }

  void end_inertial() {
    link_.com = inertial_.position;
    if (inertial_.rotation != Pose{}.rotation) link_.inertia = rotated(inertial_.rotation, link_.inertia);
    if (!has_seen("mass")) problem(inertial_line_, "inertial: <mass value=\"...\"/> is missing");
    if (!has_seen("inertia")) warning(inertial_line_, "inertial: <inertia> is missing; the link is a point mass");
  }

  void end_joint() {
    const JointKind& kind = joint_kind(joint_.type);
    if (kind.has_pitch && !has_seen(drakes_pitch))
      problem(joint_.source.line, tag(drakes_pitch) + " is missing, expected value=\"...\", in m per turn");
    if (kind.has_range && !kind.has_pitch && !has_seen("limit"))
      warning(joint_.source.line, "<limit> is missing; the joint is unlimited");
    if (joint_.type == JointType::universal && has_seen("axis"))
      warning(joint_.source.line, "<axis> is ignored: a universal joint rotates about x of its frame, then about y");
    if (joint_.type == JointType::fixed || joint_.type == JointType::free) pass_over_negative_numbers();
    description_.joint(std::move(joint_));
  }

  /// Of joints that the format gives no such numbers; exporters write -1 for "none".
  void pass_over_negative_numbers() {
    const JointDescription without;
    for (const auto& [name, number] : {std::pair{"velocity", &JointDescription::velocity},
                                       {"effort", &JointDescription::effort},
                                       {"damping", &JointDescription::damping},
                                       {"friction", &JointDescription::friction}}) {
      if (!(joint_.*number < 0)) continue;
      warning(joint_.source.line, std::string(name) + " " + text(joint_.*number) + " is ignored: a " +
                                      urdf_name(joint_kind(joint_.type)) + " joint has none");
      joint_.*number = without.*number;
    }
  }

  /// What is missing here builders say of empty names; a ball constraint has places besides.
  void end_loop() {
    if (inside_ == Inside::ball)
      for (const std::string_view place : {drakes_ends[2], drakes_ends[3]})
        if (!has_seen(place))
          problem(loop_.source.line, tag(place) + " is missing, expected value=\"...\", the position of the ball in m");
    if (inside_ == Inside::loop && has_seen("axis") && !joint_kind(loop_.type).has_axis)
      warning(loop_.source.line, "<axis> is ignored: a " + std::string(to_string(loop_.type)) + " loop joint has none");
    description_.loop(std::move(loop_));
  }

  /// `inside <inertial> or <joint>`, or nothing for an element that the reader does not know.
  static std::string home_of(std::string_view name) {
    if (name == "robot") return "at the top level";
    std::string home;
    for (const Known& k : all_known())
      if (k.name == name) home += (home.empty() ? "inside " : " or ") + tag(places[static_cast<int>(k.inside)]);
    return home;
  }

  void pass_over(const XmlElement& element, std::string_view name) {
    if (name.starts_with("xacro:")) return note_xacro(element.line, tag(name));
    const std::size_t colon = name.find(':');
    if (colon != std::string_view::npos) {
      const std::string_view local = name.substr(colon + 1);
      if (std::ranges::find(drakes_connections, name) != std::end(drakes_connections))
        warning(element.line, tag(name) + " is ignored: it is not supported, so that its links are not connected; " +
                                  "use " + tag(loop_joint));
      if (inside_ == Inside::robot && (local == "link" || local == "joint"))
        warning(element.line, tag(name) + " is not URDF and is ignored");
      return;
    }
    if (const std::string home = home_of(name); !home.empty())
      return warning(element.line, tag(name) + " is ignored here: it belongs " + home);
    if (inside_ == Inside::robot || std::ranges::find(harmless, name) != std::end(harmless)) return;
    if (unknown_.size() < most_remarks && unknown_.emplace(name).second)
      warning(element.line, "unknown element " + tag(name) + " is ignored");
  }

  /// Many files hang their root from a link "world" that they do not describe.
  void add_world() {
    const auto hangs = [](const JointDescription& joint) { return joint.parent == "world"; };
    const auto is_world = [](const LinkDescription& link) { return link.name == "world"; };
    const auto first = std::ranges::find_if(description_.joints(), hangs);
    if (first == description_.joints().end() || std::ranges::any_of(description_.links(), is_world)) return;
    const Source source = first->source;
    description_.link({.name = "world", .source = source});
    description_.warning(source, "parent link \"world\" is not defined; the joint is attached to the world");
  }

  Inside inside_ = Inside::document;
  bool stopped_ = false;
  int passed_over_ = 0;  ///< depth inside an element that is passed over, 0 outside
  std::string prefix_;   ///< namespace prefix of the root element, with its colon
  LinkDescription link_;
  JointDescription joint_;
  LoopDescription loop_;
  UrdfCollision collision_;
  int balls_ = 0;                               ///< ball constraints so far
  Pose inertial_;                               ///< of the frame in which the inertia at hand is given
  int inertial_line_ = 0;                       ///< where it begins
  std::bitset<32> seen_;                        ///< known elements in the link or joint at hand
  std::set<std::string, std::less<>> unknown_;  ///< names of elements already warned of
};

}  // namespace

UrdfReading read_urdf_text(std::string_view text, const std::string& name, const MeshOptions& meshes) {
  UrdfReader reader(name, meshes);
  const XmlHandler handler{[&](const XmlElement& element) { return reader.start(element); }, [&] { reader.end(); }};
  return reader.finish(parse_xml(text, handler));
}

}  // namespace tandem::io
