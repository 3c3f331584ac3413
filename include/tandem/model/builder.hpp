// SPDX-License-Identifier: Apache-2.0
/// Robot descriptions, and ModelBuilder, which edits and checks a description and builds a Model.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/error.hpp"
#include "tandem/model/actuators.hpp"
#include "tandem/model/couplers.hpp"
#include "tandem/model/model.hpp"
#include "tandem/model/pose.hpp"
#include "tandem/model/shapes.hpp"
#include "tandem/model/tendons.hpp"

namespace tandem {

/// Description of a rigid link.
struct LinkDescription {
  std::string name{};                               ///< unique name
  double mass = 0;                                  ///< kg
  std::array<double, 3> com{0, 0, 0};               ///< center of mass in the link's frame, m
  std::array<double, 6> inertia{0, 0, 0, 0, 0, 0};  ///< xx xy xz yy yz zz about the com, link axes, kg m^2
  Source source{};                                  ///< origin of the description
  double carried_mass = 0;                          ///< kg whose weight a force carries, see carried_masses
  std::array<double, 3> carried_com{0, 0, 0};       ///< where that acts in the link's frame, m
};

/// Value of a limit that does not exist.
inline constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Description of a joint. Limits and dynamics apply to each of its degrees of freedom.
struct JointDescription {
  std::string name{};                   ///< unique name
  JointType type = JointType::fixed;    ///< joint type
  std::string parent{};                 ///< name of the parent link
  std::string child{};                  ///< name of the child link
  Pose placement{};                     ///< pose of the child's frame in the parent's frame at zero q
  std::array<double, 3> axis{1, 0, 0};  ///< revolute, continuous, prismatic, helical: direction; planar: normal
  double pitch = 0;                     ///< helical: m per turn, right-handed if positive
  double lower = -unlimited;            ///< revolute, prismatic, helical: lower position limit, rad or m
  double upper = unlimited;             ///< the same, upper; spherical: largest angle, rad, see angle_limits
  double velocity = unlimited;          ///< velocity limit, rad/s or m/s
  double effort = unlimited;            ///< effort limit, N m or N
  double damping = 0;                   ///< viscous, N m s/rad or N s/m
  double friction = 0;                  ///< Coulomb, N m or N
  double armature = 0;                  ///< rotor inertia seen at the joint, kg m^2 or kg
  double stiffness = 0;                 ///< stiffness of a spring, N m/rad or N/m
  double rest = 0;                      ///< its rest position, rad or m (one-dof joints; others: neutral)
  std::string mimic{};                  ///< name of the source of a mimic joint; empty: independent
  double multiplier = 1;                ///< position = multiplier * position of `mimic` + offset
  double offset = 0;                    ///< rad or m
  Source source{};                      ///< origin of the description
  ContactSoftness limit_softness{};     ///< softness of its limits in simulations with contacts
  ContactSoftness friction_softness{};  ///< softness of its friction in simulations with contacts
  ContactSoftness mimic_softness{};     ///< softness of its coupler after couple_mimic_joints()
};

/// An additional named frame on a link, such as a sensor or a tool.
struct FrameDescription {
  std::string name{};  ///< unique name among frames and links
  std::string link{};  ///< name of its link
  Pose placement{};    ///< pose in the link's frame
  Source source{};     ///< origin of the description
};

/// A loop joint: it constrains a frame on one link relative to a frame on another link, in addition to the joints of
/// the tree. The two frames coincide except for the motion of its type: none (fixed), rotation about the axis
/// (revolute, continuous), translation along it (prismatic), motion in the plane normal to it (planar), any rotation
/// (spherical). Contact dynamics and simulations with contacts hold the frames together by springs and dampers, as
/// MuJoCo's `connect` (spherical) and `weld` (fixed).
struct LoopDescription {
  std::string name{};                   ///< unique name among loop joints and joints
  JointType type = JointType::fixed;    ///< one of the types above
  std::string link_1{};                 ///< name of the first link
  std::string link_2{};                 ///< name of the second link
  Pose placement_1{};                   ///< pose of the first frame in the frame of link_1
  Pose placement_2{};                   ///< pose of the second frame in the frame of link_2
  std::array<double, 3> axis{1, 0, 0};  ///< axis or normal, in both frames
  Source source{};                      ///< origin of the description
  ContactSoftness softness{};           ///< softness in simulations with contacts
  double torque_scale = 1;              ///< length by which angles count there beside distances, m
};

/// The control of an actuator.
struct ActuatorControl {
  std::string actuator{};  ///< name of the actuator
  double ctrl = 0;         ///< control, in units of the actuator
};

/// Position of one joint.
struct JointPosition {
  std::string joint{};      ///< name of the joint
  std::vector<double> q{};  ///< its rows of q, rad|m
};

/// A named configuration, such as a keyframe: positions of joints. Other joints are in their neutral
/// position; mimic joints follow their sources and are not listed.
struct ConfigurationDescription {
  std::string name{};                       ///< unique name
  std::vector<JointPosition> positions{};   ///< positions of joints, in any order
  Source source{};                          ///< origin of the description
  std::vector<ActuatorControl> controls{};  ///< controls of actuators, in any order; the default is 0
};

/// Options of build().
struct BuildOptions {
  /// Connect the root link to a new link "world" by a free joint "floating_base" (or similar names if these exist). A
  /// robot whose root has no mass and only free joints is floating already and is not changed.
  bool floating = false;
};

/// Scale factors, finite and above 0.
struct Scaling {
  double length = 1;  ///< factor of lengths
  double mass = 1;    ///< factor of masses
};

/// A function that modifies its argument: `[](auto& link) { link.mass = 2; }`. A function that would modify a copy,
/// such as `[](auto link)`, does not compile.
template <class F, class T>
concept Changes = std::invocable<F, T&> && !std::invocable<F, T&&>;

/// A robot description: links, joints and frames, added in any order. build() makes the model, or throws one ModelError
/// with all problems.
///
///     ModelBuilder builder("pendulum");
///     builder.link({.name = "base"});
///     builder.link({.name = "bob", .mass = 1, .com = {0, 0, -0.5}});
///     builder.joint({.name = "hinge", .type = JointType::revolute, .parent = "base", .child = "bob",
///                    .axis = {0, 1, 0}});
///     Model pendulum = builder.build();
///
/// Descriptions of files, generators and models (describe()) are edited in the same way:
///
///     ModelBuilder arm = describe("arm7");
///     arm.change_link("link7", [](auto& link) { link.mass += 0.5; });
///     arm.scale_link("link3", {.length = 1.2}).lock_joint("joint5", {0.3}).append(describe("gripper.urdf"), "tool");
///     Model longer = arm.build();
///
/// An edit that fails throws Error, which names the element and the nearest existing names, and does not change the
/// description. Finding an element takes linear time.
///
/// Links and joints of the model are in the order of the description, depth first, a parent before its children. Links
/// on fixed joints are merged: the child becomes a frame of its parent, to which its inertia is added. Armature,
/// damping, friction and stiffness of a mimic joint are added to the rows of its source, through the multiplier; the
/// limits are those of the source.
///
/// A joint that moves no mass or inertia causes a warning: its row of the mass matrix is zero, and forward dynamics has
/// no result (Status::singular). Other algorithms are not affected.
class ModelBuilder {
 public:
  /// A robot without links. `source` is the origin of the description.
  explicit ModelBuilder(std::string name, Source source = {}) : name_(std::move(name)), source_(std::move(source)) {}

  ModelBuilder& link(LinkDescription link);              ///< adds a link
  ModelBuilder& joint(JointDescription joint);           ///< adds a joint; Error if its type is not valid
  ModelBuilder& frame(FrameDescription frame);           ///< adds a frame
  ModelBuilder& loop(LoopDescription loop);              ///< adds a loop joint; Error if its type is not valid
  ModelBuilder& actuator(ActuatorDescription actuator);  ///< adds an actuator
  ModelBuilder& tendon(TendonDescription tendon);        ///< adds a fixed tendon
  ModelBuilder& coupler(CouplerDescription coupler);  ///< adds a coupler of joints or tendons
  ModelBuilder& configuration(ConfigurationDescription configuration);  ///< adds a named configuration
  ModelBuilder& shape(ShapeDescription shape);                          ///< adds a collision shape
  ModelBuilder& contact_pair(ContactPairDescription pair);              ///< adds an explicit contact pair
  ModelBuilder& contact_exclude(ContactExcludeDescription exclude);     ///< excludes contacts between two links
  /// Set the options of contacts.
  ModelBuilder& contact_settings(ContactSettings settings);
  /// Add a problem that affects contacts only; ContactSet reports it, build() does not.
  ModelBuilder& contact_problem(Source source, std::string message);
  /// Set gravity, base axes, m/s^2. Default (0, 0, -9.81).
  ModelBuilder& gravity(std::array<double, 3> g);
  /// Add a problem found while reading, which build() reports with its own.
  ModelBuilder& problem(Source source, std::string message);
  /// Add a warning, which does not prevent building.
  ModelBuilder& warning(Source source, std::string message);

  /// Set the name of the robot.
  ModelBuilder& rename(std::string name);

  /// The link with a name, or null. The pointer is valid until an element is added or removed.
  const LinkDescription* find_link(std::string_view name) const;
  /// The same for joints.
  const JointDescription* find_joint(std::string_view name) const;
  /// The same for added frames.
  const FrameDescription* find_frame(std::string_view name) const;
  /// The same for loop joints.
  const LoopDescription* find_loop(std::string_view name) const;
  /// The same for actuators.
  const ActuatorDescription* find_actuator(std::string_view name) const;
  /// The same for tendons.
  const TendonDescription* find_tendon(std::string_view name) const;
  /// The same for couplers.
  const CouplerDescription* find_coupler(std::string_view name) const;
  /// The same for named configurations.
  const ConfigurationDescription* find_configuration(std::string_view name) const;
  /// The same for shapes.
  const ShapeDescription* find_shape(std::string_view name) const;

  /// Replace the description of a link. If the name changes, references to the link are updated.
  ModelBuilder& replace_link(std::string_view name, LinkDescription link);
  /// The same for joints.
  ModelBuilder& replace_joint(std::string_view name, JointDescription joint);
  /// The same for frames.
  ModelBuilder& replace_frame(std::string_view name, FrameDescription frame);
  /// The same for loop joints.
  ModelBuilder& replace_loop(std::string_view name, LoopDescription loop);
  /// The same for shapes.
  ModelBuilder& replace_shape(std::string_view name, ShapeDescription shape);
  /// Change a link by a function of its description.
  template <Changes<LinkDescription> F>
  ModelBuilder& change_link(std::string_view name, F&& change) {
    LinkDescription changed = existing_link(name);
    change(changed);
    return replace_link(name, std::move(changed));
  }
  /// The same for joints.
  template <Changes<JointDescription> F>
  ModelBuilder& change_joint(std::string_view name, F&& change) {
    JointDescription changed = existing_joint(name);
    change(changed);
    return replace_joint(name, std::move(changed));
  }
  /// The same for frames.
  template <Changes<FrameDescription> F>
  ModelBuilder& change_frame(std::string_view name, F&& change) {
    FrameDescription changed = existing_frame(name);
    change(changed);
    return replace_frame(name, std::move(changed));
  }

  /// The same for loop joints.
  template <Changes<LoopDescription> F>
  ModelBuilder& change_loop(std::string_view name, F&& change) {
    LoopDescription changed = existing_loop(name);
    change(changed);
    return replace_loop(name, std::move(changed));
  }
  /// The same for shapes.
  template <Changes<ShapeDescription> F>
  ModelBuilder& change_shape(std::string_view name, F&& change) {
    ShapeDescription changed = existing_shape(name);
    change(changed);
    return replace_shape(name, std::move(changed));
  }

  /// Remove a link, its joint and its descendants, with their loop joints, actuators, tendons, couplers and shapes.
  /// Throws Error if a remaining joint mimics a removed one.
  ModelBuilder& remove_link(std::string_view name);
  /// Remove a joint, but not its child: build() fails until another joint connects it. Throws Error if a joint mimics
  /// it.
  ModelBuilder& remove_joint(std::string_view name);
  /// Remove a frame.
  ModelBuilder& remove_frame(std::string_view name);
  /// Remove a loop joint.
  ModelBuilder& remove_loop(std::string_view name);
  /// Remove an actuator, and its control from named configurations.
  ModelBuilder& remove_actuator(std::string_view name);
  /// Remove a tendon and its couplers.
  ModelBuilder& remove_tendon(std::string_view name);
  /// Remove a coupler.
  ModelBuilder& remove_coupler(std::string_view name);
  /// Make mimic joints independent joints with couplers, which act only with contacts, as MuJoCo's constraints.
  ModelBuilder& couple_mimic_joints();
  /// Remove a named configuration.
  ModelBuilder& remove_configuration(std::string_view name);
  /// Remove a shape and its explicit contact pairs.
  ModelBuilder& remove_shape(std::string_view name);
  /// Remove an explicit contact pair.
  ModelBuilder& remove_contact_pair(std::string_view name);
  /// Remove all excludes of two links.
  ModelBuilder& remove_contact_exclude(std::string_view link_1, std::string_view link_2);

  /// Fix a joint at `position`, its rows of q, and lock the joints that mimic it. A position outside its limits is a
  /// warning. Throws Error for a mimic joint or a fixed joint.
  ModelBuilder& lock_joint(std::string_view name, const std::vector<double>& position);

  /// Scale the robot. Masses scale with `mass`, inertias with `mass` and the square of `length`. Positions, centers of
  /// mass, pitches, lengths of shapes, and limits, speeds, rest positions and offsets in metres scale with `length`.
  /// Effort limits, armature, damping, friction and stiffness do not change.
  ModelBuilder& scale(const Scaling& scaling);
  /// Scale one link: mass, center of mass, inertia, shapes, and positions of its joints and frames.
  ModelBuilder& scale_link(std::string_view name, const Scaling& scaling);

  /// Attach another robot to a link or frame `to` of this one, such as an arm to its base or a tool to an arm.
  ///
  /// `joint` connects `to` with the root link of the other robot; its parent and child are filled in. By default it is
  /// fixed and has the name of this link, with "_mount" appended if a joint has this name. `prefix` is added to all
  /// names of the other robot. Duplicate names of shapes and explicit pairs get an underscore. Configurations with
  /// equal names (with prefix) are merged. Gravity and contact settings of the other robot are ignored, with a warning
  /// if gravity differs. Throws Error that lists duplicate names of links and joints.
  ModelBuilder& append(const ModelBuilder& other, std::string_view to, JointDescription joint = {},
                       const std::string& prefix = "");

  /// Reserve memory for a number of links and joints.
  ModelBuilder& reserve(std::size_t links);

  /// Check the description and build the model. Throws ModelError that lists all problems.
  Model build(const BuildOptions& options = {}) const;

  const std::string& name() const { return name_; }                        ///< name of the robot
  const Source& source() const { return source_; }                         ///< origin of the description
  const std::vector<LinkDescription>& links() const { return links_; }     ///< in order of insertion
  const std::vector<JointDescription>& joints() const { return joints_; }  ///< in order of insertion
  const std::vector<FrameDescription>& frames() const { return frames_; }  ///< in order of insertion
  const std::vector<LoopDescription>& loops() const { return loops_; }     ///< in order of insertion
  /// Actuators in order of insertion, which is that of their controls.
  const std::vector<ActuatorDescription>& actuators() const { return actuators_; }
  const std::vector<TendonDescription>& tendons() const { return tendons_; }        ///< in order of insertion
  const std::vector<CouplerDescription>& couplers() const { return couplers_; }  ///< in order of insertion
  /// Named configurations in order of insertion.
  const std::vector<ConfigurationDescription>& configurations() const { return configurations_; }
  const std::vector<ShapeDescription>& shapes() const { return shapes_; }  ///< in order of insertion
  /// Explicit contact pairs in order of insertion.
  const std::vector<ContactPairDescription>& contact_pairs() const { return contact_pairs_; }
  /// Contact excludes in order of insertion.
  const std::vector<ContactExcludeDescription>& contact_excludes() const { return contact_excludes_; }
  const ContactSettings& contact_settings() const { return contact_settings_; }       ///< options of contacts
  const std::vector<Problem>& contact_problems() const { return contact_problems_; }  ///< reported by ContactSet
  const std::vector<Problem>& problems() const { return problems_; }                  ///< also reported by build()
  const std::vector<Problem>& warnings() const { return warnings_; }                  ///< also warnings of the model
  const std::array<double, 3>& gravity() const { return gravity_; }                   ///< base axes, m/s^2

 private:
  const LinkDescription& existing_link(std::string_view name) const;
  const JointDescription& existing_joint(std::string_view name) const;
  const FrameDescription& existing_frame(std::string_view name) const;
  const LoopDescription& existing_loop(std::string_view name) const;
  const ShapeDescription& existing_shape(std::string_view name) const;
  /// Removes the positions of a joint from named configurations.
  void forget_positions(std::string_view joint);
  /// Removes the actuators of a joint, tendon or frame.
  void forget_actuators(std::string ActuatorDescription::* on, std::string_view name);
  /// Removes the tendons and couplers of a joint, or the couplers of a joint or tendon.
  void forget_tendons(std::string_view joint);
  void forget_couplers(CoupledElement element, std::string_view name);
  /// Removes explicit pairs of removed shapes.
  void forget_contact_pairs();
  /// Adds shapes, pairs and excludes of another description, with a prefix of their names.
  void append_contacts(const ModelBuilder& other, const std::string& prefix);

  std::string name_;
  Source source_;
  std::vector<LinkDescription> links_;
  std::vector<JointDescription> joints_;
  std::vector<FrameDescription> frames_;
  std::vector<LoopDescription> loops_;
  std::vector<ActuatorDescription> actuators_;
  std::vector<TendonDescription> tendons_;
  std::vector<CouplerDescription> couplers_;
  std::vector<ConfigurationDescription> configurations_;
  std::vector<ShapeDescription> shapes_;
  std::vector<ContactPairDescription> contact_pairs_;
  std::vector<ContactExcludeDescription> contact_excludes_;
  ContactSettings contact_settings_;
  std::array<double, 3> gravity_{0, 0, -9.81};
  std::vector<Problem> problems_, warnings_, contact_problems_;
};

/// The description of a model, for editing: links including merged ones, joints and frames in order. Merged links are
/// massless links on fixed joints with their old names. A model built from it has the same names, indices and frames,
/// and the same numbers up to rounding. Masses of merged links, chains of mimic joints and warnings are not included.
/// Throws Error for an accelerating base, which a description cannot express.
ModelBuilder describe(const Model& model);

/// The robot with some joints locked in the configuration q [nq], and with the joints that mimic them. The other joints
/// keep their order, and thus their rows of q and v. A position outside its limits is a warning. Throws Error for
/// unknown names, mimic joints, and a q of wrong size or with non-finite numbers.
Model reduced(const Model& model, const std::vector<std::string>& joints, std::span<const double> q);
/// Description of reduced(), for editing; an acceleration of the base is ignored.
ModelBuilder describe_reduced(const Model& model, const std::vector<std::string>& joints, std::span<const double> q);

/// The robot with another one attached to a link or frame, see ModelBuilder::append.
Model append(const Model& model, const Model& other, std::string_view to, const JointDescription& joint = {},
             const std::string& prefix = "");

}  // namespace tandem
