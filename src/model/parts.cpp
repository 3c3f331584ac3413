// SPDX-License-Identifier: Apache-2.0
/// What a model tells of its joints, links and frames, in the frames of the description.
#include <numbers>

#include "described.hpp"
#include "pose.hpp"
#include "storage.hpp"
#include "tandem/model/model.hpp"

namespace tandem {

using namespace model_detail;

int Model::parent(int link) const { return view_.parent[of_link(link)]; }

int Model::frame_link(int frame) const { return view_.frame_link[of_frame(frame)]; }

Pose Model::frame_placement(int frame) const {
  const int link = frame_link(frame);
  if (frame == link) return {};
  return pose(frame_transform<double>(view_, frame) * inverse(frame_transform<double>(view_, link)));
}

std::string_view Model::fixed_joint_name(int frame) const {
  const int fixed = of_frame(frame) - n_links();
  return fixed >= 0 && fixed < storage_->fixed_joints.size() ? storage_->fixed_joints[fixed] : "";
}

std::array<double, 3> Model::joint_axis(int joint) const {
  if (!joint_kind(joint_type(joint)).has_axis) return {0, 0, 0};
  const double* E = view_.frame_placement + 12 * std::int64_t{joint};  // the axis is z in the link's turned frame
  return {E[2], E[5], E[8]};
}

double Model::joint_pitch(int joint) const {
  return joint_kind(joint_type(joint)).has_pitch ? 2 * std::numbers::pi * view_.slides[joint] : 0;
}

Pose Model::joint_placement(int joint) const {
  const auto X = load<Transform<double>>(view_.placement, 12 * std::int64_t{of_joint(joint)});
  return pose(between_described(view_, joint, X));
}

int Model::q_index(int joint) const { return view_.q_index[of_joint(joint)]; }
int Model::v_index(int joint) const { return view_.v_index[of_joint(joint)]; }

JointLimits Model::joint_limits(int joint) const {
  const int q = q_index(joint), v = v_index(joint);
  double upper = view_.q_upper[q];
  for (const AngleLimit& limit : angle_limits(*this))
    if (limit.joint == joint) upper = limit.upper;
  return {view_.q_lower[q], upper, view_.v_limit[v], view_.tau_limit[v]};
}

JointDynamics Model::joint_dynamics(int joint) const {
  const int v = v_index(joint);
  const double rest = joint_kind(joint_type(joint)).nq == 1 ? view_.q_rest[q_index(joint)] : 0;
  return {view_.armature[v], view_.damping[v], view_.friction[v], view_.stiffness[v], rest};
}

LoopJoint Model::loop(int loop) const {
  const JointType type = view_.loop_type[of_loop(loop)];
  const std::int32_t* links = view_.loop_link + 2 * std::int64_t{loop};
  const auto placement = [&](int end) {
    const auto X = load<Transform<double>>(view_.loop_placement, 12 * (2 * std::int64_t{loop} + end));
    return pose(X * inverse(frame_transform<double>(view_, links[end])));
  };
  const auto& details = storage_->loop_details[static_cast<std::size_t>(loop)];
  LoopJoint joint = {type,         links[0], links[1],         placement(0),
                     placement(1), {},       details.softness, details.torque_scale, {}};
  for (std::size_t end = 0; end < 2; ++end) {
    const auto X = frame_transform<double>(view_, links[end]);
    const auto& [x, y, z] = details.com[end];
    const Vec3<double> p = X.E * (Vec3<double>{x, y, z} - X.r);
    joint.com[end] = {p.x, p.y, p.z};
  }
  if (joint_kind(type).has_axis) joint.axis = details.axis;
  return joint;
}

MimicRule Model::mimic_rule(int joint) const {
  const int followed = view_.mimics[of_joint(joint)];
  if (followed == 0) return {};
  return {followed, view_.multiplier[joint], view_.offset[joint]};
}

}  // namespace tandem
