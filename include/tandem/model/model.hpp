// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/model/pose.hpp"
#include "tandem/model/view.hpp"

namespace tandem {

namespace model_detail {
struct Storage;
}

/// The mass of a link and how it is distributed, in the link's described frame.
struct MassProperties {
  double mass = 0;                  ///< kg
  std::array<double, 3> com{};      ///< center of mass, m; zero without mass
  std::array<double, 6> inertia{};  ///< xx xy xz yy yz zz about the center of mass, kg m^2
};

/// What limits a joint; the velocity and the effort those of each of its degrees of freedom. Infinite: not limited.
struct JointLimits {
  double lower;     ///< least position, rad or m; -infinity of joints with more than one degree of freedom
  double upper;     ///< greatest position
  double velocity;  ///< rad/s or m/s
  double effort;    ///< N m or N
};

/// What a joint does of itself, in each of its degrees of freedom.
struct JointDynamics {
  double armature;   ///< rotor inertia, kg m^2 or kg
  double damping;    ///< viscous, N m s/rad or N s/m
  double friction;   ///< Coulomb, N m or N
  double stiffness;  ///< of its spring, N m/rad or N/m
  double rest;       ///< where that is slack, rad or m; zero but for joints of one degree of freedom
};

/// The joint that a joint follows: position = multiplier * position of that joint + offset.
struct MimicRule {
  int joint = 0;          ///< 0: none
  double multiplier = 1;  ///< in units of the joint per unit of the one it follows
  double offset = 0;      ///< rad or m
};

/// A loop joint: frame 2 on link_2 can move relative to frame 1 on link_1 only as its type allows.
struct LoopJoint {
  JointType type = JointType::fixed;  ///< as described
  int link_1 = 0;                     ///< index of the one link
  int link_2 = 0;                     ///< index of the other
  Pose placement_1{};                 ///< of frame 1 in the described frame of link_1
  Pose placement_2{};                 ///< of frame 2 in that of link_2
  std::array<double, 3> axis{};       ///< direction or normal in both frames; {0, 0, 0} if the type has none
};

/// One robot: immutable, cheap to copy (copies share the data), safe to use from any number of threads. To move from it
/// is to copy it.
///
/// Whatever takes the index of a link, joint or frame throws an Error that gives the range if there is none of that
/// index.
///
/// Index 0 of the links is the base, which does not move (the root link of the description, or the world under a
/// floating robot); joint i moves link i. Frames are those of the links (same index as the link), then those of
/// links that were merged over fixed joints, then added frames.
class Model {
 public:
  Model(const Model&) = default;             ///< shares the data
  Model& operator=(const Model&) = default;  ///< the same

  const std::string& name() const;                    ///< the robot's
  int n_links() const { return view_.n_links; }       ///< links with the base
  int n_joints() const { return view_.n_links - 1; }  ///< joints that move: n_links - 1
  int n_frames() const { return view_.n_frames; }     ///< links, merged links and added frames
  int n_loops() const { return view_.n_loops; }       ///< loop joints
  int nq() const { return view_.nq; }                 ///< length of a configuration
  int nv() const { return view_.nv; }                 ///< length of a velocity, an acceleration, joint torques

  /// Names; they stay valid as long as a copy of this model lives. A zero byte follows each, so data() serves C.
  std::string_view link_name(int link) const;    ///< link in [0, n_links)
  std::string_view joint_name(int joint) const;  ///< joint in [1, n_links)
  std::string_view frame_name(int frame) const;  ///< frame in [0, n_frames)
  std::string_view loop_name(int loop) const;    ///< loop in [0, n_loops)
  /// Indices of names; -1 if there is none. A frame is found by its link's name or by the name of its fixed joint.
  int find_link(std::string_view name) const;
  /// The same of joints.
  int find_joint(std::string_view name) const;
  /// The same of frames.
  int find_frame(std::string_view name) const;
  /// The same of loop joints.
  int find_loop(std::string_view name) const;
  /// The same, but throwing an Error that suggests the nearest names.
  int link_index(std::string_view name) const;
  /// The same of joints.
  int joint_index(std::string_view name) const;
  /// The same of frames.
  int frame_index(std::string_view name) const;
  /// The same of loop joints.
  int loop_index(std::string_view name) const;

  /// The parent of a link, to which joint `link` connects it; -1 for the base.
  int parent(int link) const;
  /// The link of a frame.
  int frame_link(int frame) const;
  /// Pose of a frame in the described frame of its link.
  Pose frame_placement(int frame) const;
  /// Of a frame that was a link on a fixed joint, the name of that joint; empty for all others.
  std::string_view fixed_joint_name(int frame) const;

  /// A joint that closes a loop, loop in [0, n_loops).
  LoopJoint loop(int loop) const;

  /// The joint's type as described (a continuous joint is not called revolute).
  JointType joint_type(int joint) const { return view_.type[of_joint(joint)]; }
  /// Direction of a one-dof joint or normal of a planar one, in the child link's described frame; {0, 0, 0} otherwise.
  std::array<double, 3> joint_axis(int joint) const;
  double joint_pitch(int joint) const;  ///< of a helical joint, m per turn; 0 otherwise
  /// Pose of the child link's described frame in that of the parent at joint position 0. Fixed joints between the
  /// two are in it.
  Pose joint_placement(int joint) const;
  /// First row of the joint in q, and in v; joint_kind(joint_type(joint)) says how many it has. Of a mimic joint, the
  /// row of the joint that it follows.
  int q_index(int joint) const;
  /// The same in v.
  int v_index(int joint) const;
  /// Limits and forces of a joint's rows in q and v: those of a mimic joint are those of the joint that it follows, to
  /// which its own were added.
  JointLimits joint_limits(int joint) const;
  /// What it does of itself; of a mimic joint, the same.
  JointDynamics joint_dynamics(int joint) const;
  bool is_mimic(int joint) const { return view_.mimics[of_joint(joint)] != 0; }  ///< whether it follows another one
  /// How it follows another joint, if it does.
  MimicRule mimic_rule(int joint) const;

  double mass() const;                               ///< of all links, the base included, kg
  double link_mass(int link) const;                  ///< including merged links, kg
  MassProperties mass_properties(int link) const;    ///< including merged links
  int depth() const;                                 ///< number of joints on the longest path from the base
  const std::vector<std::string>& warnings() const;  ///< warnings about the description
  /// Those of them that name a joint which moves nothing with inertia, so that forward dynamics has no result.
  std::vector<std::string> singular_joints() const;

  /// Gravity [m/s^2], base axes.
  const std::array<double, 3>& gravity() const { return gravity_; }
  /// Acceleration of the base, [linear; angular], base axes; zero unless set by with_base_acceleration.
  const std::array<double, 6>& base_acceleration() const { return base_acceleration_; }
  /// The same robot under another gravity; shares all other data. Throws Error for numbers that are not finite.
  Model with_gravity(const std::array<double, 3>& gravity) const;
  /// The same robot on a base that accelerates: [linear; angular] in base axes, m/s^2 and rad/s^2, added to -gravity.
  /// Replaces an acceleration set before. Throws Error for numbers that are not finite.
  Model with_base_acceleration(const std::array<double, 6>& acceleration) const;

  /// Configurations that have a name, such as the keyframes of MJCF.
  int n_configurations() const;
  std::string_view configuration_name(int configuration) const;  ///< configuration in [0, n_configurations)
  int find_configuration(std::string_view name) const;           ///< -1 if there is none of that name
  /// The same, but throwing an Error that suggests the nearest names.
  int configuration_index(std::string_view name) const;
  /// Its q [nq], which stays valid as long as a copy of this model lives.
  std::span<const double> configuration(int configuration) const;
  /// The same by its name.
  std::span<const double> configuration(std::string_view name) const {
    return configuration(configuration_index(name));
  }

  /// The same robot with its loops open: the tree that its joints span. Shares all data.
  Model without_loops() const;

  /// What the copies of a model share, all but gravity and the base's acceleration: a key for what is kept for a model
  /// elsewhere, such as its arrays on a GPU. Lives as long as any of the copies.
  std::shared_ptr<const void> shared_data() const { return storage_; }

  /// The arrays, for double and for float.
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

/// For double.
template <>
inline const ModelView<double>& Model::view<double>() const {
  return view_;
}
/// For float.
template <>
inline const ModelView<float>& Model::view<float>() const {
  return view_float_;
}

/// Number of rows a joint takes in q and in v.
inline int joint_nq(JointType type) { return joint_kind(type).nq; }
/// Rows in v of joints of that type.
inline int joint_nv(JointType type) { return joint_kind(type).nv; }

}  // namespace tandem
