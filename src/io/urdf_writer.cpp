// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/text.hpp"
#include "tandem/io/urdf.hpp"
#include "urdf_collision.hpp"
#include "urdf_reader.hpp"
#include "xml_text.hpp"

namespace tandem {
namespace {

/// Fixed-axis roll, pitch, yaw of a rotation. Yaw first, then roll with yaw undone: exact to rounding even
/// where pitch is near +-pi/2 and the two turn about one axis.
std::array<double, 3> rpy_from_rotation(const std::array<double, 9>& r) {
  const double yaw = std::atan2(r[3], r[0]);
  const double c = std::cos(yaw), s = std::sin(yaw);
  const double pitch = std::atan2(-r[6], c * r[0] + s * r[3]);
  const double roll = std::atan2(s * r[2] - c * r[5], c * r[4] - s * r[1]);
  return {roll, pitch, yaw};
}

/// True for a joint that URDF has no word for.
bool is_drakes(const JointDescription& joint) {
  return joint.type == JointType::helical || joint.type == JointType::universal;
}

/// Writes one description.
class UrdfWriter {
 public:
  explicit UrdfWriter(const ModelBuilder& description) : description_(description) {}

  std::string run() {
    for (const auto& link : description_.links()) link_names_.insert(link.name);
    for (const auto& joint : description_.joints()) joint_names_.insert(joint.name);
    for (const auto& loop : description_.loops()) joint_names_.insert(loop.name);
    add("<?xml version=\"1.0\"?>\n<robot").attribute("name", description_.name());
    const auto is_drakes_shape = [](const ShapeDescription& shape) {
      return shape.type == ShapeType::capsule || shape.type == ShapeType::ellipsoid;
    };
    if (std::ranges::any_of(description_.joints(), is_drakes) ||
        std::ranges::any_of(description_.shapes(), is_drakes_shape))
      attribute("xmlns:drake", "http://drake.mit.edu");
    add(">\n");
    if (description_.gravity() != ModelBuilder("").gravity())
      add("  <tandem").attribute("gravity", description_.gravity()).add("/>\n");
    if (const std::size_t left_out = description_.configurations().size(); left_out > 0)
      add("  <!-- not written: ")
          .add(std::to_string(left_out))
          .add(" named configurations, which URDF does not support -->\n");
    if (const std::size_t left_out = description_.actuators().size(); left_out > 0)
      add("  <!-- not written: ").add(std::to_string(left_out)).add(" actuators, which URDF does not support -->\n");
    for (const ShapeDescription& shape : description_.shapes())
      if (is_written(shape)) shapes_[shape.link].push_back(&shape);
    write_left_out_contacts();
    for (const auto& link : description_.links()) write_link(link);
    for (const auto& joint : description_.joints()) write_joint(joint);
    for (const auto& frame : description_.frames()) write_frame(frame);
    for (const auto& loop : description_.loops()) write_loop(loop);
    add("</robot>\n");
    return std::move(text_);
  }

 private:
  UrdfWriter& add(std::string_view text) {
    text_ += text;
    return *this;
  }

  /// A name, with what XML would take for its own written as references.
  UrdfWriter& attribute(std::string_view name, std::string_view text) {
    return add(" ").add(name).add("=\"").add(io::attribute_text("write_urdf", text)).add("\"");
  }

  UrdfWriter& attribute(std::string_view name, double value) { return attribute(name, std::array<double, 1>{value}); }

  template <std::size_t n>
  UrdfWriter& attribute(std::string_view name, const std::array<double, n>& values) {
    add(" ").add(name).add("=\"");
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0) add(" ");
      add(tandem::text(values[i]));
    }
    return add("\"");
  }

  /// A name that is not yet taken, made from the one given.
  std::string unused(std::unordered_set<std::string>& names, std::string name) {
    while (!names.insert(name).second) name += '_';
    return name;
  }

  void write_link(const LinkDescription& link) {
    const LinkDescription empty;
    const auto shapes = shapes_.find(link.name);
    const bool massless = link.mass == empty.mass && link.com == empty.com && link.inertia == empty.inertia;
    if (link.carried_mass > 0)
      add("  <!-- not written: gravity compensation of the next link, which URDF does not support -->\n");
    if (massless && shapes == shapes_.end()) return write_empty_link(link.name);
    add("  <link").attribute("name", link.name).add(">\n");
    if (!massless) write_inertial(link);
    if (shapes != shapes_.end())
      for (const ShapeDescription* shape : shapes->second) write_shape(*shape);
    add("  </link>\n");
  }

  void write_inertial(const LinkDescription& link) {
    const auto& [xx, xy, xz, yy, yz, zz] = link.inertia;
    add("    <inertial>\n");
    add("      <origin").attribute("xyz", link.com).add("/>\n");
    add("      <mass").attribute("value", link.mass).add("/>\n");
    add("      <inertia").attribute("ixx", xx).attribute("ixy", xy).attribute("ixz", xz);
    attribute("iyy", yy).attribute("iyz", yz).attribute("izz", zz).add("/>\n");
    add("    </inertial>\n");
  }

  /// Shapes that URDF, or Drake's dialect of it, has an element for.
  static bool is_written(const ShapeDescription& shape) {
    return shape.unread.empty() && shape.type != ShapeType::mesh && shape.type != ShapeType::height_field &&
           shape.type != ShapeType::sdf;
  }

  void write_left_out_contacts() {
    const auto shapes =
        std::ranges::count_if(description_.shapes(), [](const auto& shape) { return !is_written(shape); });
    const std::size_t rules = description_.contact_pairs().size() + description_.contact_excludes().size();
    if (shapes > 0)
      add("  <!-- not written: ").add(std::to_string(shapes)).add(" shapes, which URDF does not support -->\n");
    if (rules > 0)
      add("  <!-- not written: ")
          .add(std::to_string(rules))
          .add(" contact pairs and excludes, which URDF does not support -->\n");
  }

  void write_shape(const ShapeDescription& shape) {
    const auto& [x, y, z] = shape.size;
    add("    <collision").attribute("name", shape.name).add(">\n");
    if (shape.placement.position != Pose{}.position || shape.placement.rotation != Pose{}.rotation)
      add("      <origin").write_pose(shape.placement).add("/>\n");
    add("      <geometry><");
    switch (shape.type) {
      case ShapeType::sphere: add("sphere").attribute("radius", x); break;
      case ShapeType::capsule: add(io::drakes_capsule).attribute("radius", x).attribute("length", 2 * y); break;
      case ShapeType::cylinder: add("cylinder").attribute("radius", x).attribute("length", 2 * y); break;
      case ShapeType::ellipsoid:
        add(io::drakes_ellipsoid).attribute("a", x).attribute("b", y).attribute("c", z);
        break;
      case ShapeType::box: add("box").attribute("size", std::array<double, 3>{2 * x, 2 * y, 2 * z}); break;
      default: add("plane").attribute("normal", std::array<double, 3>{0, 0, 1}); break;
    }
    add("/></geometry>\n");
    write_contact_parameters(shape);
    add("    </collision>\n");
  }

  /// Those that are not the default. URDF has no word for contacts that are disabled: shapes then touch nothing.
  void write_contact_parameters(const ShapeDescription& shape) {
    const ShapeDescription usual;
    const bool acts = description_.contact_settings().enabled;
    const std::size_t before = text_.size();
    add("      <tandem");
    const std::size_t name_only = text_.size();
    for (const auto& [name, given, otherwise] : {std::tuple{"condim", shape.condim, usual.condim},
                                                 {"contype", acts ? shape.contype : 0, usual.contype},
                                                 {"conaffinity", acts ? shape.conaffinity : 0, usual.conaffinity},
                                                 {"priority", shape.priority, usual.priority}})
      if (given != otherwise) attribute(name, std::to_string(given));
    if (shape.friction != usual.friction) attribute("friction", shape.friction);
    if (shape.solmix != usual.solmix) attribute("solmix", shape.solmix);
    if (shape.softness.solref != usual.softness.solref) attribute("solref", shape.softness.solref);
    if (shape.softness.solimp != usual.softness.solimp) attribute("solimp", shape.softness.solimp);
    if (shape.softness.margin != 0) attribute("margin", shape.softness.margin);
    if (shape.softness.gap != 0) attribute("gap", shape.softness.gap);
    if (text_.size() == name_only)
      text_.resize(before);
    else
      add("/>\n");
  }

  void write_joint(const JointDescription& joint) {
    if (joint.type == JointType::spherical) return write_spherical(joint);
    const JointKind& kind = joint_kind(joint.type);
    const std::string_view element = is_drakes(joint) ? io::drakes_joint : "joint";
    add("  <").add(element).attribute("name", joint.name).attribute("type", urdf_name(kind)).add(">\n");
    write_origin(joint.placement);
    add("    <parent").attribute("link", joint.parent).add("/>\n");
    add("    <child").attribute("link", joint.child).add("/>\n");
    if (kind.has_axis) add("    <axis").attribute("xyz", joint.axis).add("/>\n");
    if (kind.has_pitch) add("    <").add(io::drakes_pitch).attribute("value", joint.pitch).add("/>\n");
    write_limit(joint);
    write_dynamics(joint);
    if (!joint.mimic.empty()) {
      add("    <mimic").attribute("joint", joint.mimic);
      attribute("multiplier", joint.multiplier).attribute("offset", joint.offset).add("/>\n");
    }
    add("  </").add(element).add(">\n");
  }

  void write_limit(const JointDescription& joint) {
    const bool has_range = joint_kind(joint.type).has_range;
    if (!has_range && joint.velocity == unlimited && joint.effort == unlimited) return;
    const auto finite = [](double x) { return std::isinf(x) ? std::copysign(io::urdf_unlimited, x) : x; };
    add("    <limit");
    if (has_range) attribute("lower", finite(joint.lower)).attribute("upper", finite(joint.upper));
    attribute("effort", finite(joint.effort)).attribute("velocity", finite(joint.velocity)).add("/>\n");
  }

  void write_dynamics(const JointDescription& joint) {
    if (joint.damping != 0 || joint.friction != 0)
      add("    <dynamics").attribute("damping", joint.damping).attribute("friction", joint.friction).add("/>\n");
    if (joint.armature != 0 || joint.stiffness != 0 || joint.rest != 0) {
      add("    <tandem").attribute("armature", joint.armature);
      attribute("stiffness", joint.stiffness).attribute("rest", joint.rest).add("/>\n");
    }
  }

  void write_spherical(const JointDescription& joint) {
    add("  <!-- a spherical joint, as three continuous joints through two massless links -->\n");
    if (joint.upper < unlimited) add("  <!-- not written: the limit of its angle, which URDF does not support -->\n");
    constexpr std::array<std::string_view, 3> letters{"_x", "_y", "_z"};
    JointDescription part = joint;
    part.type = JointType::continuous;
    for (std::size_t i = 0; i < 3; ++i) {
      part.name = unused(joint_names_, joint.name + std::string(letters[i]));
      part.axis = {0, 0, 0};
      part.axis[i] = 1;
      part.child = i == 2 ? joint.child : unused(link_names_, joint.child + std::string(letters[i]));
      if (i < 2) write_empty_link(part.child);
      write_joint(part);
      part.parent = part.child;
      part.placement = {};
    }
  }

  void write_frame(const FrameDescription& frame) {
    const std::string name = unused(link_names_, frame.name);
    write_empty_link(name);
    JointDescription joint;
    joint.name = unused(joint_names_, frame.name);
    joint.parent = frame.link;
    joint.child = name;
    joint.placement = frame.placement;
    write_joint(joint);
  }

  void write_loop(const LoopDescription& loop) {
    const JointKind& kind = joint_kind(loop.type);
    add("  <").add(io::loop_joint).attribute("name", loop.name).attribute("type", urdf_name(kind)).add(">\n");
    add("    <link1").attribute("link", loop.link_1).write_pose(loop.placement_1).add("/>\n");
    add("    <link2").attribute("link", loop.link_2).write_pose(loop.placement_2).add("/>\n");
    if (kind.has_axis) add("    <axis").attribute("xyz", loop.axis).add("/>\n");
    add("  </").add(io::loop_joint).add(">\n");
  }

  void write_origin(const Pose& pose) {
    if (pose.position == Pose{}.position && pose.rotation == Pose{}.rotation) return;
    add("    <origin").write_pose(pose).add("/>\n");
  }

  UrdfWriter& write_pose(const Pose& pose) {
    attribute("xyz", pose.position);
    if (pose.rotation != Pose{}.rotation) attribute("rpy", rpy_from_rotation(pose.rotation));
    return *this;
  }

  void write_empty_link(const std::string& name) { add("  <link").attribute("name", name).add("/>\n"); }

  const ModelBuilder& description_;
  std::string text_;
  std::unordered_set<std::string> link_names_, joint_names_;
  std::unordered_map<std::string, std::vector<const ShapeDescription*>> shapes_;  ///< that are written, by link
};

}  // namespace

std::string write_urdf(const ModelBuilder& description) { return UrdfWriter(description).run(); }

}  // namespace tandem
