// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/model/view.hpp"

namespace tandem {

namespace model_detail {
struct Storage;
}

/// The mass of a link and how it is distributed, in the link's described frame.
struct MassProperties {
  double mass = 0;                  ///< kg
  std::array<double, 3> com{};      ///< centre of mass, m; zero without mass
  std::array<double, 6> inertia{};  ///< xx xy xz yy yz zz about the centre of mass, kg m^2
};

/// One robot: immutable, cheap to copy (copies share the data), safe to use from any number of threads.
///
/// Index 0 of the links is the base, which does not move (the root link of the description, or the world under a
/// floating robot); joint i carries link i. Frames are the links' own frames (same index as the link), then those of
/// the links that were folded into another one over fixed joints, then added frames.
class Model {
 public:
  const std::string& name() const;
  int n_links() const { return view_.n_links; }
  int n_joints() const { return view_.n_links - 1; }
  int n_frames() const { return view_.n_frames; }
  int nq() const { return view_.nq; }
  int nv() const { return view_.nv; }

  /// Names; they stay valid as long as a copy of this model lives. A zero byte follows each, so data() serves C.
  std::string_view link_name(int link) const;    ///< link in [0, n_links)
  std::string_view joint_name(int joint) const;  ///< joint in [1, n_links)
  std::string_view frame_name(int frame) const;  ///< frame in [0, n_frames)
  /// Indices of names; -1 if there is none. A frame is found by its link's name or by the name of its fixed joint.
  int find_link(std::string_view name) const;
  int find_joint(std::string_view name) const;
  int find_frame(std::string_view name) const;
  /// The same, but throwing an Error that suggests the nearest names.
  int link_index(std::string_view name) const;
  int joint_index(std::string_view name) const;
  int frame_index(std::string_view name) const;

  /// The joint's type as described (a continuous joint is not called revolute).
  JointType joint_type(int joint) const { return view_.type[joint]; }
  /// Direction of a one-dof joint or normal of a planar one, in the child link's described frame; {0, 0, 0} otherwise.
  std::array<double, 3> joint_axis(int joint) const;
  double joint_pitch(int joint) const;  ///< of a helical joint, m along its axis each turn; 0 otherwise
  bool is_mimic(int joint) const { return view_.mimics[joint] != 0; }

  double mass() const;               ///< of all links, the base included, kg
  double link_mass(int link) const;  ///< with what was folded into it, kg
  MassProperties mass_properties(int link) const;  ///< with what was folded into it
  int depth() const;                 ///< number of joints on the longest path from the base
  const std::vector<std::string>& warnings() const;

  /// Gravity [m/s^2], base axes.
  const std::array<double, 3>& gravity() const { return gravity_; }
  /// Acceleration of the base, [linear; angular], base axes; zero unless set by with_base_acceleration.
  const std::array<double, 6>& base_acceleration() const { return base_acceleration_; }
  /// The same robot under another gravity; shares all other data.
  Model with_gravity(const std::array<double, 3>& gravity) const;
  /// The same robot on a base that accelerates: [linear; angular] in base axes, m/s^2 and rad/s^2, added to -gravity.
  /// Replaces an acceleration set before.
  Model with_base_acceleration(const std::array<double, 6>& acceleration) const;

  /// What the copies of a model share, all but gravity and the base's acceleration: a key for what is kept for a model
  /// elsewhere, such as its arrays on a GPU. Lives as long as any of the copies.
  std::shared_ptr<const void> shared_data() const { return storage_; }

  /// The arrays, for double and for float.
  template <class M>
  const ModelView<M>& view() const;

 private:
  friend class ModelBuilder;
  explicit Model(std::shared_ptr<const model_detail::Storage> storage);
  void update_views();  ///< writes gravity and base acceleration into the views

  std::shared_ptr<const model_detail::Storage> storage_;
  ModelView<double> view_;
  ModelView<float> view_float_;
  std::array<double, 3> gravity_{};
  std::array<double, 6> base_acceleration_{};
};

template <>
inline const ModelView<double>& Model::view<double>() const {
  return view_;
}
template <>
inline const ModelView<float>& Model::view<float>() const {
  return view_float_;
}

/// Number of rows a joint takes in q and in v.
inline int joint_nq(JointType type) { return joint_kind(type).nq; }
inline int joint_nv(JointType type) { return joint_kind(type).nv; }

}  // namespace tandem
