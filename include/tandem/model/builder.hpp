// SPDX-License-Identifier: Apache-2.0
/// A robot description in the user's own words, and the one place that checks it and turns it into a Model.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "tandem/error.hpp"
#include "tandem/model/model.hpp"
#include "tandem/model/pose.hpp"

namespace tandem {

/// A rigid link as a file describes it.
struct LinkDescription {
  std::string name{};
  double mass = 0;                                  ///< kg
  std::array<double, 3> com{0, 0, 0};               ///< centre of mass in the link's frame, m
  std::array<double, 6> inertia{0, 0, 0, 0, 0, 0};  ///< xx xy xz yy yz zz about the com, link axes, kg m^2
  Source source{};
};

inline constexpr double unlimited = std::numeric_limits<double>::infinity();

/// A joint as a file describes it. Numbers that are per degree of freedom hold for each of a joint's degrees of
/// freedom.
struct JointDescription {
  std::string name{};
  JointType type = JointType::fixed;
  std::string parent{}, child{};        ///< names of links
  Pose placement{};                     ///< of the child's frame at zero q, seen from the parent's frame
  std::array<double, 3> axis{1, 0, 0};  ///< revolute, continuous, prismatic, helical: direction; planar: normal
  double pitch = 0;                     ///< helical: m along the axis each turn, right-handed if positive
  double lower = -unlimited, upper = unlimited;     ///< revolute, prismatic, helical: position limits, rad or m
  double velocity = unlimited, effort = unlimited;  ///< rad/s or m/s, N m or N
  double damping = 0, friction = 0;                 ///< viscous and Coulomb
  double armature = 0;                              ///< rotor inertia seen at the joint
  double stiffness = 0, rest = 0;                   ///< spring; where it is slack (one-dof joints; others: neutral)
  std::string mimic{};                              ///< joint to follow; empty: independent
  double multiplier = 1, offset = 0;                ///< position = multiplier * position of `mimic` + offset
  Source source{};
};

/// A further named frame that rides on a link (a sensor, a tool).
struct FrameDescription {
  std::string name{}, link{};
  Pose placement{};
  Source source{};
};

struct BuildOptions {
  /// Hang the root link from a link "world" by a free joint "floating_base" (or names like these that are not taken). A
  /// robot whose root has no mass and only free joints floats already and stays as it is.
  bool floating = false;
};

/// Collects links, joints and frames in any order and builds the model, or throws one ModelError with every problem.
///
///     ModelBuilder builder("pendulum");
///     builder.link({.name = "base"});
///     builder.link({.name = "bob", .mass = 1, .com = {0, 0, -0.5}});
///     builder.joint({.name = "hinge", .type = JointType::revolute, .parent = "base", .child = "bob", .axis = {0, 1, 0}});
///     Model pendulum = builder.build();
///
/// Links and joints keep the order of description, depth first, a parent before its children. Fixed joints are folded:
/// the child becomes a frame of the link that carries it and its inertia is added there. What a joint that follows
/// another one has of armature, damping, friction and stiffness is added to the rows of the other, through the
/// multiplier; limits are those of the other.
///
/// A moving joint with no mass or inertia behind it is refused, as the mass matrix would have a row of zeros; a robot
/// none of whose moving links has inertia is built, with a warning, for kinematics.
class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name) : name_(std::move(name)) {}

  ModelBuilder& link(LinkDescription link);
  ModelBuilder& joint(JointDescription joint);
  ModelBuilder& frame(FrameDescription frame);
  /// Acceleration of free fall, base axes, m/s^2. Default (0, 0, -9.81).
  ModelBuilder& gravity(std::array<double, 3> g);
  /// A problem found while reading, to be reported with those that build() finds.
  ModelBuilder& problem(Source source, std::string message);
  /// Something suspicious that does not stop the model from being built.
  ModelBuilder& warning(Source source, std::string message);

  /// Makes room for this many links and as many joints.
  ModelBuilder& reserve(std::size_t links);

  /// Checks everything and builds. Throws ModelError that lists all problems.
  Model build(const BuildOptions& options = {}) const;

  const std::string& name() const { return name_; }
  const std::vector<LinkDescription>& links() const { return links_; }
  const std::vector<JointDescription>& joints() const { return joints_; }
  const std::vector<FrameDescription>& frames() const { return frames_; }
  const std::vector<Problem>& problems() const { return problems_; }
  const std::vector<Problem>& warnings() const { return warnings_; }
  const std::array<double, 3>& gravity() const { return gravity_; }

 private:
  std::string name_;
  std::vector<LinkDescription> links_;
  std::vector<JointDescription> joints_;
  std::vector<FrameDescription> frames_;
  std::array<double, 3> gravity_{0, 0, -9.81};
  std::vector<Problem> problems_, warnings_;
};

}  // namespace tandem
