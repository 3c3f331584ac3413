// SPDX-License-Identifier: Apache-2.0
/// Robot models.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/model/pose.hpp"
#include "tandem/model/shapes.hpp"
#include "tandem/model/view.hpp"

namespace tandem {

namespace model_detail {
struct Storage;
}

/// Inertial properties of a link, in the link's frame of the description.
struct MassProperties {
  double mass = 0;                  ///< kg
  std::array<double, 3> com{};      ///< center of mass, m; zero without mass
  std::array<double, 6> inertia{};  ///< xx xy xz yy yz zz about the center of mass, kg m^2
};

/// Limits of a joint; velocity and effort apply to each degree of freedom. Infinite: unlimited.
struct JointLimits {
  double lower;     ///< lower position limit, rad or m; -infinity for joints with several degrees of freedom
  double upper;     ///< upper position limit, rad or m; +infinity for joints with several degrees of freedom
  double velocity;  ///< rad/s or m/s
  double effort;    ///< N m or N
};

/// Armature and passive forces of each degree of freedom of a joint.
struct JointDynamics {
  double armature;   ///< rotor inertia, kg m^2 or kg
  double damping;    ///< viscous, N m s/rad or N s/m
  double friction;   ///< Coulomb, N m or N
  double stiffness;  ///< stiffness of the spring, N m/rad or N/m
  double rest;       ///< rest position of the spring, rad or m; zero for joints with several degrees of freedom
};

/// Relation of a mimic joint to its source: position = multiplier * position of the source + offset.
struct MimicRule {
  int joint = 0;          ///< index of the source; 0: not a mimic joint
  double multiplier = 1;  ///< units of the joint per unit of the source
  double offset = 0;      ///< rad or m
};

/// A loop joint, which constrains frame 2 on link_2 relative to frame 1 on link_1.
struct LoopJoint {
  JointType type = JointType::fixed;  ///< type in the description
  int link_1 = 0;                     ///< index of the first link
  int link_2 = 0;                     ///< index of the second link
  Pose placement_1{};                 ///< pose of frame 1 in the described frame of link_1
  Pose placement_2{};                 ///< pose of frame 2 in the described frame of link_2
  std::array<double, 3> axis{};       ///< axis or normal in both frames; {0, 0, 0} if the type has none
  ContactSoftness softness{};         ///< softness in simulations with contacts
  double torque_scale = 1;            ///< length by which angles count there beside distances, m
  /// Centers of mass of both links in the description, in the described frames of link_1 and link_2, m.
  std::array<std::array<double, 3>, 2> com{};
};

/// A robot: immutable, thread-safe, and cheap to copy, because copies share the data. Moving from a model copies it.
///
/// Links, joints, frames and loop joints are given by index. An index out of range throws Error with the valid range.
/// Link 0 is the base, which does not move: the root link of the description, or the world for a floating robot. Joint
/// i moves link i. Frames are those of the links (with the index of the link), then those of links that were merged
/// over fixed joints, then added frames.
class Model {
 public:
  Model(const Model&) = default;             ///< shares the data
  Model& operator=(const Model&) = default;  ///< the same

  const std::string& name() const;                    ///< name of the robot
  int n_links() const { return view_.n_links; }       ///< links including the base
  int n_joints() const { return view_.n_links - 1; }  ///< moving joints: n_links - 1
  int n_frames() const { return view_.n_frames; }     ///< links, merged links and added frames
  int n_loops() const { return view_.n_loops; }       ///< loop joints
  int nq() const { return view_.nq; }                 ///< length of a configuration
  int nv() const { return view_.nv; }                 ///< length of a velocity, an acceleration, joint torques

  /// Names, valid as long as a copy of this model exists, and null-terminated at data() + size().
  std::string_view link_name(int link) const;    ///< link in [0, n_links)
  std::string_view joint_name(int joint) const;  ///< joint in [1, n_links)
  std::string_view frame_name(int frame) const;  ///< frame in [0, n_frames)
  std::string_view loop_name(int loop) const;    ///< loop in [0, n_loops)
  /// Index of the link with a name; -1 if there is none.
  int find_link(std::string_view name) const;
  /// Index of the joint with a name; -1 if there is none.
  int find_joint(std::string_view name) const;
  /// Index of the frame with a name, or of the frame of the link or fixed joint with this name; -1 if there is none.
  int find_frame(std::string_view name) const;
  /// Index of the loop joint with a name; -1 if there is none.
  int find_loop(std::string_view name) const;
  /// As find_link(), but throws Error that suggests the nearest names.
  int link_index(std::string_view name) const;
  /// As find_joint(), but throws Error that suggests the nearest names.
  int joint_index(std::string_view name) const;
  /// As find_frame(), but throws Error that suggests the nearest names.
  int frame_index(std::string_view name) const;
  /// As find_loop(), but throws Error that suggests the nearest names.
  int loop_index(std::string_view name) const;

  /// Index of the parent of a link; -1 for the base.
  int parent(int link) const;
  /// Index of the link of a frame.
  int frame_link(int frame) const;
  /// Pose of a frame in the described frame of its link.
  Pose frame_placement(int frame) const;
  /// Name of the fixed joint of a merged link; empty for other frames.
  std::string_view fixed_joint_name(int frame) const;

  /// A loop joint, loop in [0, n_loops).
  LoopJoint loop(int loop) const;

  /// Type of a joint in the description (continuous differs from revolute).
  JointType joint_type(int joint) const { return view_.type[of_joint(joint)]; }
  /// Axis of a joint with one degree of freedom or normal of a planar one, in the child link's described frame;
  /// {0, 0, 0} otherwise.
  std::array<double, 3> joint_axis(int joint) const;
  double joint_pitch(int joint) const;  ///< pitch of a helical joint, m per turn; 0 otherwise
  /// Pose of the child link's described frame in that of the parent at joint position 0, including fixed joints between
  /// the two.
  Pose joint_placement(int joint) const;
  /// First row of a joint in q; joint_kind(joint_type(joint)).nq rows in all. For a mimic joint, that of its source.
  int q_index(int joint) const;
  /// First row of a joint in v; joint_kind(joint_type(joint)).nv rows in all. For a mimic joint, that of its source.
  int v_index(int joint) const;
  /// Limits of a joint; for a mimic joint, those of its source.
  JointLimits joint_limits(int joint) const;
  /// Armature and passive forces of a joint. For a mimic joint, those of its source, which include its own.
  JointDynamics joint_dynamics(int joint) const;
  bool is_mimic(int joint) const { return view_.mimics[of_joint(joint)] != 0; }  ///< whether it is a mimic joint
  /// Relation of a mimic joint to its source.
  MimicRule mimic_rule(int joint) const;

  double mass() const;                               ///< mass of all links including the base, kg
  double link_mass(int link) const;                  ///< mass of a link including merged links, kg
  MassProperties mass_properties(int link) const;    ///< including merged links
  int depth() const;                                 ///< number of joints on the longest path from the base
  const std::vector<std::string>& warnings() const;  ///< warnings about the description
  /// Warnings about joints that move no mass or inertia, for which forward dynamics has no result (Status::singular).
  std::vector<std::string> singular_joints() const;

  /// Gravity [m/s^2], base axes.
  const std::array<double, 3>& gravity() const { return gravity_; }
  /// Acceleration of the base, [linear; angular], base axes, m/s^2, rad/s^2; zero unless set by with_base_acceleration.
  const std::array<double, 6>& base_acceleration() const { return base_acceleration_; }
  /// The robot with another gravity, m/s^2; shares all other data. Throws Error for numbers that are not finite.
  Model with_gravity(const std::array<double, 3>& gravity) const;
  /// The robot with an accelerating base: [linear; angular] in base axes, m/s^2 and rad/s^2. Replaces a previous base
  /// acceleration; gravity is added. Throws Error for numbers that are not finite.
  Model with_base_acceleration(const std::array<double, 6>& acceleration) const;

  /// Number of named configurations, such as the keyframes of MJCF.
  int n_configurations() const;
  std::string_view configuration_name(int configuration) const;  ///< configuration in [0, n_configurations)
  int find_configuration(std::string_view name) const;           ///< index of the name; -1 if there is none
  /// As find_configuration(), but throws Error that suggests the nearest names.
  int configuration_index(std::string_view name) const;
  /// q [nq] of a named configuration, valid as long as a copy of this model exists.
  std::span<const double> configuration(int configuration) const;
  /// The same by name.
  std::span<const double> configuration(std::string_view name) const {
    return configuration(configuration_index(name));
  }

  /// The robot without loop joints: its spanning tree. Shares all data.
  Model without_loops() const;

  /// The data that copies of a model share, all except gravity and base acceleration. It is the key of caches, such as
  /// that of the arrays on a GPU.
  std::shared_ptr<const void> shared_data() const { return storage_; }

  /// Sizes and arrays in double or float.
  template <class M>
  const ModelView<M>& view() const;

 private:
  friend class ModelBuilder;
  explicit Model(std::shared_ptr<const model_detail::Storage> storage);
  /// The index itself, if there is something of it; else Error.
  int of_link(int link) const { return within("link", link, 0, n_links() - 1); }
  int of_joint(int joint) const { return within("joint", joint, 1, n_joints()); }
  int of_frame(int frame) const { return within("frame", frame, 0, n_frames() - 1); }
  int of_loop(int loop) const { return within("loop joint", loop, 0, n_loops() - 1); }
  int within(const char* kind, int index, int first, int last) const {
    if (index < first || index > last) throw_outside(kind, index, first, last);
    return index;
  }
  [[noreturn]] void throw_outside(const char* kind, int index, int first, int last) const;
  void update_views();  ///< writes gravity and base acceleration into the views

  std::shared_ptr<const model_detail::Storage> storage_;
  ModelView<double> view_;
  ModelView<float> view_float_;
  std::array<double, 3> gravity_{};
  std::array<double, 6> base_acceleration_{};
};

/// Sizes and arrays in double.
template <>
inline const ModelView<double>& Model::view<double>() const {
  return view_;
}
/// Sizes and arrays in float.
template <>
inline const ModelView<float>& Model::view<float>() const {
  return view_float_;
}

/// Number of rows of a joint type in q.
inline int joint_nq(JointType type) { return joint_kind(type).nq; }
/// Number of rows of a joint type in v.
inline int joint_nv(JointType type) { return joint_kind(type).nv; }

}  // namespace tandem
