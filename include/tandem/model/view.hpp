// SPDX-License-Identifier: Apache-2.0
/// Joint types and ModelView, the arrays of a model.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>

#include "tandem/names.hpp"

namespace tandem {

/// Types of joints. Fixed joints exist only in descriptions: models merge their links.
enum class JointType : std::uint8_t {
  fixed,       ///< no motion
  revolute,    ///< rotates about its axis
  continuous,  ///< the same without limits
  prismatic,   ///< slides along its axis
  helical,     ///< a screw: rotates about its axis and moves along it by the pitch per turn
  universal,   ///< a cardan: rotates about x of its frame, then about the rotated y
  planar,      ///< moves in a plane: x, y, angle about its normal
  spherical,   ///< rotates about a point: a unit quaternion x y z w
  free         ///< moves freely: position, then a unit quaternion x y z w
};

/// Properties of a joint type. For its kinematics see tandem/detail/joint.
struct JointKind {
  const char* name;   ///< "revolute"
  const char* alias;  ///< name in URDF if it differs, else null
  int nq;             ///< rows in q
  int nv;             ///< rows in v
  int lengths;        ///< number of leading coordinates of q that are lengths, m; the others are angles, rad
  int quaternion;     ///< first coordinate of a unit quaternion x y z w, or -1
  bool has_axis;      ///< whether it has an axis or a normal
  bool has_range;     ///< whether it has position limits
  bool has_pitch;     ///< whether it translates along its axis as it rotates
};
/// Properties of a joint type. A function, because GPU kernels cannot read tables in host memory.
constexpr JointKind joint_kind(JointType type) {
  switch (type) {
    case JointType::fixed: return {"fixed", nullptr, 0, 0, 0, -1, false, false, false};
    case JointType::revolute: return {"revolute", nullptr, 1, 1, 0, -1, true, true, false};
    case JointType::continuous: return {"continuous", nullptr, 1, 1, 0, -1, true, false, false};
    case JointType::prismatic: return {"prismatic", nullptr, 1, 1, 1, -1, true, true, false};
    case JointType::helical: return {"helical", "screw", 1, 1, 0, -1, true, true, true};
    case JointType::universal: return {"universal", nullptr, 2, 2, 0, -1, false, false, false};
    case JointType::planar: return {"planar", nullptr, 3, 3, 2, -1, true, false, false};
    case JointType::spherical: return {"spherical", nullptr, 4, 3, 0, 0, false, false, false};
    case JointType::free: return {"free", "floating", 7, 6, 3, 3, false, false, false};
  }
  return {};
}
template <>
struct NamesOf<JointType> {
  static constexpr const char* kind = "joint type";
  static constexpr JointKind table[] = {
      joint_kind(JointType::fixed),     joint_kind(JointType::revolute),  joint_kind(JointType::continuous),
      joint_kind(JointType::prismatic), joint_kind(JointType::helical),   joint_kind(JointType::universal),
      joint_kind(JointType::planar),    joint_kind(JointType::spherical), joint_kind(JointType::free)};
};

/// Constrained directions of a loop joint of a type as bits: 1, 2, 4 translation along x, y, z of its frames, 8, 16, 32
/// rotation about x, y, z. The axis of the joint is z. 0: loop joints of this type are not supported.
constexpr std::int32_t held_directions(JointType type) {
  switch (type) {
    case JointType::fixed: return 63;
    case JointType::revolute:
    case JointType::continuous: return 31;
    case JointType::prismatic: return 59;
    case JointType::planar: return 28;
    case JointType::spherical: return 7;
    default: return 0;
  }
}
/// Whether a loop joint constrains direction `row`: 0 to 2 along x, y, z, 3 to 5 about x, y, z.
constexpr bool holds(std::int32_t held, int row) { return (held >> row) & 1; }

/// Name of a joint type in URDF.
constexpr const char* urdf_name(const JointKind& kind) { return kind.alias ? kind.alias : kind.name; }

/// Sizes of a model.
struct ModelCounts {
  std::int32_t n_links = 0;     ///< links including the base; joints 1 .. n_links - 1
  std::int32_t nq = 0;          ///< length of q
  std::int32_t nv = 0;          ///< length of v, a, tau
  std::int32_t n_frames = 0;    ///< frames of links, then those of merged links and added frames
  std::int32_t n_mimic = 0;     ///< mimic joints
  std::int32_t n_dof = 0;       ///< degrees of freedom of the tree including mimic joints: nv + n_mimic
  std::int32_t n_own_axes = 0;  ///< degrees of freedom that are not along a unit axis of their link's frame
  std::int32_t n_loops = 0;     ///< loop joints
  std::int32_t n_held = 0;      ///< constrained directions of all loop joints
  std::int32_t depth = 0;       ///< number of joints on the longest path from the base
};

/// Type of the numbers that all states of a pack share; M itself if M is a number of one state.
template <class M>
struct SharedNumber {
  using type = M;  ///< type of a shared number
};

/// Data of a model for the algorithms: sizes and arrays; trivially copyable, does not own the arrays. `M` is the type
/// of real numbers, double, float or a pack of them; data that no parameter of a call changes has the type Shared. This
/// list of fields defines the data of a model: for_each_field() visits it for allocation, conversion and copies to
/// other devices.
///
/// Links are numbered depth first, a parent before its children; link 0 is the base, which does not move. Joint i moves
/// link i (i >= 1) relative to link parent[i]. Internal link frames are rotated against those of the description: z is
/// the axis of a joint with one degree of freedom and the normal of a planar joint; x is normal to the axis of the
/// link's first child. The first n_links frames transform back to the frames of the description.
template <class M>
struct ModelView : ModelCounts {
  /// The same model without gravity, its base at rest.
  constexpr ModelView without_gravity() const {
    ModelView m = *this;
    for (M& x : m.base_acceleration) x = M(0);
    return m;
  }

  using Shared = typename SharedNumber<M>::type;  ///< type of data that no parameter changes
  /// [angular; linear] acceleration of the base minus gravity, base axes, rad/s^2, m/s^2.
  M base_acceleration[6] = {M(0), M(0), M(0), M(0), M(0), M(9.81)};

  const std::int32_t* parent = nullptr;      ///< [n_links] the base has -1
  const JointType* type = nullptr;           ///< [n_links] never fixed; entry 0 is unused
  const std::int32_t* q_index = nullptr;     ///< [n_links] first row of joint i in q (of the joint it mimics, if so)
  const std::int32_t* v_index = nullptr;     ///< [n_links] first row of joint i in v (of the joint it mimics, if so)
  const std::int32_t* mimics = nullptr;      ///< [n_links] the joint that joint i mimics, or 0
  const std::int32_t* last_child = nullptr;  ///< [n_links] the child with the largest index, or 0 for a leaf
  /// [n_links] First degree of freedom of joint i, mimic joints included; v_index in a model without these.
  const std::int32_t* dof_index = nullptr;
  /// [n_dof] Parent of a degree of freedom: the previous one of its joint, else the last one of the parent link; -1 at
  /// the base.
  const std::int32_t* dof_parent = nullptr;
  /// [n_dof] First of the longest run, ending here, in which the parent of each degree of freedom is the previous one.
  const std::int32_t* dof_run_start = nullptr;
  const std::int32_t* dof_link = nullptr;  ///< [n_dof] the link that a degree of freedom moves
  /// [n_dof] Axis in the link's frame: 0, 1, 2 rotation about x, y, z, 3, 4, 5 translation along them, 6 another axis,
  /// which the joint computes.
  const std::int32_t* dof_axis = nullptr;
  /// [n_links] Whether the placement of joint i includes a rotation about the parent's z; rare, as frames are chosen to
  /// avoid it.
  const std::int32_t* zxz_first = nullptr;
  /// [n_links][6] E of the placement of a joint with one degree of freedom: sine and cosine of the rotations about the
  /// joint's z, about x, and about the parent's z.
  const Shared* zxz = nullptr;
  /// [n_links] Translation along z of a joint with one degree of freedom, m per rad|m of q: 0 revolute, 1 prismatic,
  /// pitch / (2 pi) helical.
  const Shared* slides = nullptr;
  const Shared* placement = nullptr;   ///< [n_links][12] E (rows), r: from the parent's frame to the joint's at zero q
  const M* inertia = nullptr;          ///< [n_links][10] m, h, Ixx Iyy Izz Ixy Ixz Iyz about the link's origin
  const Shared* multiplier = nullptr;  ///< [n_links] position = multiplier * q + offset; 1 unless mimicking
  const Shared* offset = nullptr;      ///< [n_links] 0 unless mimicking
  const M* armature = nullptr;         ///< [nv] rotor inertia, kg m^2 or kg
  const M* damping = nullptr;          ///< [nv] viscous, N m s/rad or N s/m
  const M* friction = nullptr;         ///< [nv] Coulomb, N m or N
  const M* stiffness = nullptr;        ///< [nv] spring towards q_rest, N m/rad or N/m
  const Shared* q_rest = nullptr;      ///< [nq] rest position of the springs; default: neutral configuration
  const Shared* q_lower = nullptr;     ///< [nq] -infinity if unlimited
  const Shared* q_upper = nullptr;     ///< [nq] +infinity if unlimited
  const Shared* v_limit = nullptr;     ///< [nv] +infinity if unlimited
  const Shared* tau_limit = nullptr;   ///< [nv] +infinity if unlimited
  const std::int32_t* frame_link = nullptr;  ///< [n_frames] the link of a frame
  const Shared* frame_placement = nullptr;   ///< [n_frames][12] E (rows), r: from the link's frame to the frame
  const JointType* loop_type = nullptr;      ///< [n_loops] type in the description
  const std::int32_t* loop_link = nullptr;   ///< [n_loops][2] the links that a loop joint connects
  const std::int32_t* loop_held = nullptr;   ///< [n_loops] held_directions() of its type
  /// [n_loops][2][12] E (rows), r: from the frames of the links to those of the loop joint.
  const Shared* loop_placement = nullptr;
  const Shared* loop_turn = nullptr;  ///< [n_loops][9] rotation of both frames that makes the joint's axis z
};

/// Call f(pointer to member of m, of n, size, name) for every array of two views of one model; sizes are those of m.
template <class M, class N, class F>
constexpr void for_each_field_of_both(const ModelView<M>& m, const ModelView<N>&, F&& f) {
  using V = ModelView<M>;
  using W = ModelView<N>;
  f(&V::parent, &W::parent, m.n_links, "parent");
  f(&V::type, &W::type, m.n_links, "type");
  f(&V::q_index, &W::q_index, m.n_links, "q_index");
  f(&V::v_index, &W::v_index, m.n_links, "v_index");
  f(&V::mimics, &W::mimics, m.n_links, "mimics");
  f(&V::last_child, &W::last_child, m.n_links, "last_child");
  f(&V::dof_index, &W::dof_index, m.n_links, "dof_index");
  f(&V::dof_parent, &W::dof_parent, m.n_dof, "dof_parent");
  f(&V::dof_run_start, &W::dof_run_start, m.n_dof, "dof_run_start");
  f(&V::dof_link, &W::dof_link, m.n_dof, "dof_link");
  f(&V::dof_axis, &W::dof_axis, m.n_dof, "dof_axis");
  f(&V::zxz_first, &W::zxz_first, m.n_links, "zxz_first");
  f(&V::zxz, &W::zxz, 6 * std::int64_t{m.n_links}, "zxz");
  f(&V::slides, &W::slides, m.n_links, "slides");
  f(&V::placement, &W::placement, 12 * std::int64_t{m.n_links}, "placement");
  f(&V::inertia, &W::inertia, 10 * std::int64_t{m.n_links}, "inertia");
  f(&V::multiplier, &W::multiplier, m.n_links, "multiplier");
  f(&V::offset, &W::offset, m.n_links, "offset");
  f(&V::armature, &W::armature, m.nv, "armature");
  f(&V::damping, &W::damping, m.nv, "damping");
  f(&V::friction, &W::friction, m.nv, "friction");
  f(&V::stiffness, &W::stiffness, m.nv, "stiffness");
  f(&V::q_rest, &W::q_rest, m.nq, "q_rest");
  f(&V::q_lower, &W::q_lower, m.nq, "q_lower");
  f(&V::q_upper, &W::q_upper, m.nq, "q_upper");
  f(&V::v_limit, &W::v_limit, m.nv, "v_limit");
  f(&V::tau_limit, &W::tau_limit, m.nv, "tau_limit");
  f(&V::frame_link, &W::frame_link, m.n_frames, "frame_link");
  f(&V::frame_placement, &W::frame_placement, 12 * std::int64_t{m.n_frames}, "frame_placement");
  f(&V::loop_type, &W::loop_type, m.n_loops, "loop_type");
  f(&V::loop_link, &W::loop_link, 2 * std::int64_t{m.n_loops}, "loop_link");
  f(&V::loop_held, &W::loop_held, m.n_loops, "loop_held");
  f(&V::loop_placement, &W::loop_placement, 24 * std::int64_t{m.n_loops}, "loop_placement");
  f(&V::loop_turn, &W::loop_turn, 9 * std::int64_t{m.n_loops}, "loop_turn");
}

/// Call f(pointer to member, size, name) for every array of a view.
template <class M, class F>
constexpr void for_each_field(const ModelView<M>& m, F&& f) {
  for_each_field_of_both(m, m, [&](auto field, auto, std::int64_t rows, const char* name) { f(field, rows, name); });
}

}  // namespace tandem
