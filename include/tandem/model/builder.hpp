// SPDX-License-Identifier: Apache-2.0
/// Robot descriptions, and the builder that checks them and makes a Model.
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
#include "tandem/model/model.hpp"
#include "tandem/model/pose.hpp"
#include "tandem/model/shapes.hpp"

namespace tandem {

/// A rigid link as a file describes it.
struct LinkDescription {
  std::string name{};                               ///< of which there is one
  double mass = 0;                                  ///< kg
  std::array<double, 3> com{0, 0, 0};               ///< center of mass in the link's frame, m
  std::array<double, 6> inertia{0, 0, 0, 0, 0, 0};  ///< xx xy xz yy yz zz about the com, link axes, kg m^2
  Source source{};                                  ///< where it is described
};

/// A limit that is none.
inline constexpr double unlimited = std::numeric_limits<double>::infinity();

/// A joint as a file describes it. Numbers that are per degree of freedom hold for each of a joint's degrees of
/// freedom.
struct JointDescription {
  std::string name{};                   ///< of which there is one
  JointType type = JointType::fixed;    ///< how it moves the child
  std::string parent{};                 ///< name of the parent link
  std::string child{};                  ///< name of the child link
  Pose placement{};                     ///< of the child's frame at zero q, seen from the parent's frame
  std::array<double, 3> axis{1, 0, 0};  ///< revolute, continuous, prismatic, helical: direction; planar: normal
  double pitch = 0;                     ///< helical: m per turn, right-handed if positive
  double lower = -unlimited;            ///< revolute, prismatic, helical: least position, rad or m
  double upper = unlimited;             ///< the greatest
  double velocity = unlimited;          ///< largest speed, rad/s or m/s
  double effort = unlimited;            ///< effort limit, N m or N
  double damping = 0;                   ///< viscous, N m s/rad or N s/m
  double friction = 0;                  ///< Coulomb, N m or N
  double armature = 0;                  ///< rotor inertia seen at the joint, kg m^2 or kg
  double stiffness = 0;                 ///< of a spring, N m/rad or N/m
  double rest = 0;                      ///< where it is slack, rad or m (one-dof joints; others: neutral)
  std::string mimic{};                  ///< joint to follow; empty: independent
  double multiplier = 1;                ///< position = multiplier * position of `mimic` + offset
  double offset = 0;                    ///< rad or m
  Source source{};                      ///< where it is described
  ContactSoftness limit_softness{};     ///< of its limits in simulations with contacts
  ContactSoftness friction_softness{};  ///< of its friction there
};

/// An additional named frame on a link, such as a sensor or a tool.
struct FrameDescription {
  std::string name{};  ///< of which there is one, links included
  std::string link{};  ///< name of its link
  Pose placement{};    ///< in the link's frame
  Source source{};     ///< where it is described
};

/// A loop joint: it constrains a frame on one link relative to a frame on another link, in addition to the joints of
/// the tree. The two frames coincide except for the motion of its type: none (fixed), rotation about the axis
/// (revolute, continuous), translation along it (prismatic), motion in the plane normal to it (planar), any rotation
/// (spherical).
struct LoopDescription {
  std::string name{};                   ///< of which there is one, joints included
  JointType type = JointType::fixed;    ///< one of these
  std::string link_1{};                 ///< name of a link
  std::string link_2{};                 ///< name of another one
  Pose placement_1{};                   ///< of the one frame in the frame of link_1
  Pose placement_2{};                   ///< of the other in that of link_2
  std::array<double, 3> axis{1, 0, 0};  ///< direction or normal, in both frames
  Source source{};                      ///< where it is described
};

/// What pushes on a joint as a number, its control, says: a motor or a servo [MuJoCo, Computation, Actuation model]. Of
/// a joint with one degree of freedom at the position q and the velocity v, with l = gear q,
///
///     f = clip((gain_0 + gain_1 l + gain_2 dl/dt) clip(ctrl) + bias_0 + bias_1 l + bias_2 dl/dt),    tau = gear f
///
/// A motor has the gain (1, 0, 0) and no bias; a position servo the gain (kp, 0, 0) and the bias (0, -kp, -kv); a
/// velocity servo the gain (kv, 0, 0) and the bias (0, 0, -kv).
struct ActuatorDescription {
  std::string name{};                                        ///< of which there is one
  std::string joint{};                                       ///< name of the joint; empty: the actuator is ignored
  double gear = 1;                                           ///< 1, or 1/m of joints that slide
  std::array<double, 3> gain{1, 0, 0};                       ///< N m|N per unit of control; per length, per its rate
  std::array<double, 3> bias{0, 0, 0};                       ///< N m|N; per length, per its rate
  std::array<double, 2> ctrl_range{-unlimited, unlimited};   ///< the control is clipped to it
  std::array<double, 2> force_range{-unlimited, unlimited};  ///< f is clipped to it, N m|N
  Source source{};                                           ///< where it is described
};

/// The control of an actuator.
struct ActuatorControl {
  std::string actuator{};  ///< its name
  double ctrl = 0;         ///< in units of the actuator
};

/// Position of one joint.
struct JointPosition {
  std::string joint{};      ///< its name
  std::vector<double> q{};  ///< its rows of q
};

/// A named configuration, such as a keyframe: positions of joints. Other joints are in their neutral
/// position; mimic joints follow their sources and are not listed.
struct ConfigurationDescription {
  std::string name{};                       ///< of which there is one
  std::vector<JointPosition> positions{};   ///< of joints, in any order
  Source source{};                          ///< where it is described
  std::vector<ActuatorControl> controls{};  ///< of actuators, in any order; those not mentioned are 0
};

/// Options of build().
struct BuildOptions {
  /// Hang the root link from a link "world" by a free joint "floating_base" (or names like these that are not taken). A
  /// robot whose root has no mass and only free joints floats already and stays as it is.
  bool floating = false;
};

/// How many times as long and as heavy; each finite and above 0.
struct Scaling {
  double length = 1;  ///< of lengths
  double mass = 1;    ///< of masses
};

/// A function that modifies its argument: `[](auto& link) { link.mass = 2; }`. A function that would modify a copy,
/// such as `[](auto link)`, does not compile.
template <class F, class T>
concept Changes = std::invocable<F, T&> && !std::invocable<F, T&&>;

/// Collects links, joints and frames in any order and builds the model, or throws one ModelError with every problem.
///
///     ModelBuilder builder("pendulum");
///     builder.link({.name = "base"});
///     builder.link({.name = "bob", .mass = 1, .com = {0, 0, -0.5}});
///     builder.joint({.name = "hinge", .type = JointType::revolute, .parent = "base", .child = "bob", .axis = {0, 1, 0}});
///     Model pendulum = builder.build();
///
/// A description that is there already, of a file, a generator or a Model (describe()), is edited the same way:
///
///     ModelBuilder arm = describe("arm7");
///     arm.change_link("link7", [](auto& link) { link.mass += 0.5; });
///     arm.scale_link("link3", {.length = 1.2}).lock_joint("joint5", {0.3}).append(describe("gripper.urdf"), "tool");
///     Model longer = arm.build();
///
/// Edits throw Error, which names the element, the nearest names if there is none of its name, and leave the
/// description as it was. Elements are looked for one after the other.
///
/// Links and joints keep the order of description, depth first, a parent before its children. Links of fixed joints are
/// merged: the child becomes a frame of its parent and its inertia is added there. What a joint that follows another
/// one has of armature, damping, friction and stiffness is added to the rows of the other, through the multiplier;
/// limits are those of the other.
///
/// A moving joint with no mass or inertia behind it brings a warning: the mass matrix has a row of zeros for it, and
/// forward dynamics no result (Status::singular). All else can be computed.
class ModelBuilder {
 public:
  /// A robot of that name, without links. `source` is where it is described.
  explicit ModelBuilder(std::string name, Source source = {}) : name_(std::move(name)), source_(std::move(source)) {}

  ModelBuilder& link(LinkDescription link);                             ///< adds a link
  ModelBuilder& joint(JointDescription joint);                          ///< adds a joint; Error if its type is none
  ModelBuilder& frame(FrameDescription frame);                          ///< adds a frame
  ModelBuilder& loop(LoopDescription loop);                             ///< closes a loop; Error if its type is none
  ModelBuilder& actuator(ActuatorDescription actuator);                 ///< adds an actuator
  ModelBuilder& configuration(ConfigurationDescription configuration);  ///< adds a named configuration
  ModelBuilder& shape(ShapeDescription shape);                          ///< adds a shape that touches others
  ModelBuilder& contact_pair(ContactPairDescription pair);              ///< adds two shapes that touch in any case
  ModelBuilder& contact_exclude(ContactExcludeDescription exclude);     ///< adds two links whose shapes do not touch
  /// Sets what is said of contacts as a whole.
  ModelBuilder& contact_settings(ContactSettings settings);
  /// Something of contacts that was not read. Dynamics without contacts need not know; a ContactSet reports it.
  ModelBuilder& contact_problem(Source source, std::string message);
  /// Acceleration of free fall, base axes, m/s^2. Default (0, 0, -9.81).
  ModelBuilder& gravity(std::array<double, 3> g);
  /// A problem found while reading, to be reported with those that build() finds.
  ModelBuilder& problem(Source source, std::string message);
  /// Something suspicious that does not stop the model from being built.
  ModelBuilder& warning(Source source, std::string message);

  /// The robot's name.
  ModelBuilder& rename(std::string name);

  /// What has a name, or null. It stays where it is until something is added or removed.
  const LinkDescription* find_link(std::string_view name) const;
  /// The same of joints.
  const JointDescription* find_joint(std::string_view name) const;
  /// The same of added frames.
  const FrameDescription* find_frame(std::string_view name) const;
  /// The same of loop joints.
  const LoopDescription* find_loop(std::string_view name) const;
  /// The same of actuators.
  const ActuatorDescription* find_actuator(std::string_view name) const;
  /// The same of named configurations.
  const ConfigurationDescription* find_configuration(std::string_view name) const;
  /// The same of shapes.
  const ShapeDescription* find_shape(std::string_view name) const;

  /// Puts another description in the place of one. Where its name is another, what refers to the old one, as joints to
  /// their links, is led to the new one.
  ModelBuilder& replace_link(std::string_view name, LinkDescription link);
  /// The same of joints.
  ModelBuilder& replace_joint(std::string_view name, JointDescription joint);
  /// The same of frames.
  ModelBuilder& replace_frame(std::string_view name, FrameDescription frame);
  /// The same of loop joints.
  ModelBuilder& replace_loop(std::string_view name, LoopDescription loop);
  /// The same of shapes.
  ModelBuilder& replace_shape(std::string_view name, ShapeDescription shape);
  /// Change a link by a function of its description.
  template <Changes<LinkDescription> F>
  ModelBuilder& change_link(std::string_view name, F&& change) {
    LinkDescription changed = existing_link(name);
    change(changed);
    return replace_link(name, std::move(changed));
  }
  /// The same of joints.
  template <Changes<JointDescription> F>
  ModelBuilder& change_joint(std::string_view name, F&& change) {
    JointDescription changed = existing_joint(name);
    change(changed);
    return replace_joint(name, std::move(changed));
  }
  /// The same of frames.
  template <Changes<FrameDescription> F>
  ModelBuilder& change_frame(std::string_view name, F&& change) {
    FrameDescription changed = existing_frame(name);
    change(changed);
    return replace_frame(name, std::move(changed));
  }

  /// The same of loop joints.
  template <Changes<LoopDescription> F>
  ModelBuilder& change_loop(std::string_view name, F&& change) {
    LoopDescription changed = existing_loop(name);
    change(changed);
    return replace_loop(name, std::move(changed));
  }
  /// The same of shapes.
  template <Changes<ShapeDescription> F>
  ModelBuilder& change_shape(std::string_view name, F&& change) {
    ShapeDescription changed = existing_shape(name);
    change(changed);
    return replace_shape(name, std::move(changed));
  }

  /// Remove a link, its joint and its descendants, with their loop joints, actuators and shapes.
  /// Throws Error if a joint that stays follows one of those.
  ModelBuilder& remove_link(std::string_view name);
  /// Remove a joint, but not its child: build() fails until another joint connects it. Throws Error if a joint follows
  /// it.
  ModelBuilder& remove_joint(std::string_view name);
  /// Removes a frame.
  ModelBuilder& remove_frame(std::string_view name);
  /// Opens a loop.
  ModelBuilder& remove_loop(std::string_view name);
  /// Removes an actuator, and its control from named configurations.
  ModelBuilder& remove_actuator(std::string_view name);
  /// Removes a named configuration.
  ModelBuilder& remove_configuration(std::string_view name);
  /// Removes a shape, and the explicit pairs that it is in.
  ModelBuilder& remove_shape(std::string_view name);
  /// Removes an explicit pair.
  ModelBuilder& remove_contact_pair(std::string_view name);
  /// Removes all excludes of two links.
  ModelBuilder& remove_contact_exclude(std::string_view link_1, std::string_view link_2);

  /// Fix a joint at `position`, its elements of q; joints that follow it are locked
  /// with it. A position outside its limits is a warning. Throws Error for a joint that follows another one, or is
  /// fixed already.
  ModelBuilder& lock_joint(std::string_view name, const std::vector<double>& position);

  /// Scale the robot. Masses scale with `mass`, inertias with mass and the square of length; positions, centers of
  /// mass, screws' pitches, lengths of shapes, and what joints have in metres (limits, speeds, slack springs, offsets)
  /// with length. Motors and springs are those that they were: efforts, armature, damping, friction, stiffness.
  ModelBuilder& scale(const Scaling& scaling);
  /// Scale one link: mass, center of mass, inertia, shapes, and positions of its joints and frames.
  ModelBuilder& scale_link(std::string_view name, const Scaling& scaling);

  /// Hangs a whole other robot from a link or frame of this one: an arm from its base, a tool from an arm. `joint` is
  /// what carries its root link, as seen from there: fixed unless it says otherwise, named after that link, with
  /// "_mount" behind it where a joint has that name, unless it has a name of its own; its parent and child are filled
  /// in. `prefix` stands before all names of the other robot; names of shapes and explicit pairs that are taken get an
  /// underscore. Its gravity is left out, with a warning if it is another one, and so are its contact settings.
  /// Configurations that have the same name in both, the prefix included, become one. Throws Error that lists the names
  /// of links and joints which both robots have.
  ModelBuilder& append(const ModelBuilder& other, std::string_view to, JointDescription joint = {},
                       const std::string& prefix = "");

  /// Makes room for this many links and as many joints.
  ModelBuilder& reserve(std::size_t links);

  /// Checks everything and builds. Throws ModelError that lists all problems.
  Model build(const BuildOptions& options = {}) const;

  const std::string& name() const { return name_; }                        ///< of the robot
  const Source& source() const { return source_; }                         ///< where it is described
  const std::vector<LinkDescription>& links() const { return links_; }     ///< in order of insertion
  const std::vector<JointDescription>& joints() const { return joints_; }  ///< in order of insertion
  const std::vector<FrameDescription>& frames() const { return frames_; }  ///< in order of insertion
  const std::vector<LoopDescription>& loops() const { return loops_; }     ///< in order of insertion
  /// In the order in which they were added, which is that of their controls.
  const std::vector<ActuatorDescription>& actuators() const { return actuators_; }
  /// In the order in which they were added.
  const std::vector<ConfigurationDescription>& configurations() const { return configurations_; }
  const std::vector<ShapeDescription>& shapes() const { return shapes_; }  ///< in the order in which they were added
  /// In the order in which they were added.
  const std::vector<ContactPairDescription>& contact_pairs() const { return contact_pairs_; }
  /// In the order in which they were added.
  const std::vector<ContactExcludeDescription>& contact_excludes() const { return contact_excludes_; }
  const ContactSettings& contact_settings() const { return contact_settings_; }  ///< what is said of contacts as a whole
  const std::vector<Problem>& contact_problems() const { return contact_problems_; }  ///< that a ContactSet reports
  const std::vector<Problem>& problems() const { return problems_; }  ///< also reported by build()
  const std::vector<Problem>& warnings() const { return warnings_; }  ///< also warnings of the model
  const std::array<double, 3>& gravity() const { return gravity_; }   ///< base axes, m/s^2

 private:
  const LinkDescription& existing_link(std::string_view name) const;
  const JointDescription& existing_joint(std::string_view name) const;
  const FrameDescription& existing_frame(std::string_view name) const;
  const LoopDescription& existing_loop(std::string_view name) const;
  const ShapeDescription& existing_shape(std::string_view name) const;
  /// Configurations no longer say where a joint stands.
  void forget_positions(std::string_view joint);
  /// Removes the actuators of a joint.
  void forget_actuators(std::string_view joint);
  /// Removes explicit pairs of shapes that are gone.
  void forget_contact_pairs();
  /// Adds what another description has of contacts, with a prefix before its names.
  void append_contacts(const ModelBuilder& other, const std::string& prefix);

  std::string name_;
  Source source_;
  std::vector<LinkDescription> links_;
  std::vector<JointDescription> joints_;
  std::vector<FrameDescription> frames_;
  std::vector<LoopDescription> loops_;
  std::vector<ActuatorDescription> actuators_;
  std::vector<ConfigurationDescription> configurations_;
  std::vector<ShapeDescription> shapes_;
  std::vector<ContactPairDescription> contact_pairs_;
  std::vector<ContactExcludeDescription> contact_excludes_;
  ContactSettings contact_settings_;
  std::array<double, 3> gravity_{0, 0, -9.81};
  std::vector<Problem> problems_, warnings_, contact_problems_;
};

/// A description that gives the model, for editing: its links including merged ones, joints and frames
/// in their order; merged links are massless links on fixed joints with their old names. A model built from it
/// has the same names, indices and frames, and the same numbers up to rounding. Not included
/// are: masses of merged links, chains of mimic joints, warnings. Throws Error for a base that
/// accelerates, which descriptions have no word for.
ModelBuilder describe(const Model& model);

/// The robot with some of its joints locked where the configuration q [nq] has them; joints that follow them are
/// locked, too. The other joints keep their order, so that their rows are those that are left of q and v. A position
/// outside its limits is a warning. Throws Error for names that are none, joints that follow others, a q of another
/// size or not finite.
Model reduced(const Model& model, const std::vector<std::string>& joints, std::span<const double> q);
/// The same for editing; an acceleration of the base is ignored.
ModelBuilder describe_reduced(const Model& model, const std::vector<std::string>& joints, std::span<const double> q);

/// The robot with another one hung from a link or frame of it, see ModelBuilder::append.
Model append(const Model& model, const Model& other, std::string_view to, const JointDescription& joint = {},
             const std::string& prefix = "");

}  // namespace tandem
