// SPDX-License-Identifier: Apache-2.0
#include "support/redescribe.hpp"

#include <map>

namespace tandem::test {

using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Eigen::Isometry3d isometry(const Pose& pose) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = Eigen::Map<const RowMajor3>(pose.rotation.data());
  X.translation() = Vector3(pose.position.data());
  return X;
}

Pose pose_of(const Eigen::Isometry3d& X) {
  Pose pose;
  Eigen::Map<RowMajor3>(pose.rotation.data()) = X.linear();
  Eigen::Map<Vector3>(pose.position.data()) = X.translation();
  return pose;
}

ModelBuilder reversed(const ModelBuilder& description) {
  ModelBuilder result(description.name());
  result.gravity(description.gravity());
  for (auto link = description.links().rbegin(); link != description.links().rend(); ++link) result.link(*link);
  for (auto joint = description.joints().rbegin(); joint != description.joints().rend(); ++joint) result.joint(*joint);
  for (const FrameDescription& frame : description.frames()) result.frame(frame);
  return result;
}

RowMap::RowMap(const Model& from, const Model& to)
    : q(static_cast<std::size_t>(from.nq())), v(static_cast<std::size_t>(from.nv())) {
  const auto &a = from.view<double>(), &b = to.view<double>();
  for (int i = 1; i < a.n_links; ++i) {
    const int j = to.joint_index(from.joint_name(i));
    for (int k = 0; k < joint_nq(a.type[i]); ++k) q[static_cast<std::size_t>(a.q_index[i] + k)] = b.q_index[j] + k;
    for (int k = 0; k < joint_nv(a.type[i]); ++k) v[static_cast<std::size_t>(a.v_index[i] + k)] = b.v_index[j] + k;
  }
}

Vector RowMap::configuration(const Vector& q_from) const {
  Vector result(q_from.size());
  for (std::size_t k = 0; k < q.size(); ++k) result[q[k]] = q_from[static_cast<Index>(k)];
  return result;
}

Vector RowMap::rates(const Vector& v_from) const {
  Vector result(v_from.size());
  for (std::size_t k = 0; k < v.size(); ++k) result[v[k]] = v_from[static_cast<Index>(k)];
  return result;
}

Matrix RowMap::matrix(const Matrix& M_from) const {
  Matrix result(M_from.rows(), M_from.cols());
  for (std::size_t i = 0; i < v.size(); ++i)
    for (std::size_t j = 0; j < v.size(); ++j)
      result(v[i], v[j]) = M_from(static_cast<Index>(i), static_cast<Index>(j));
  return result;
}

namespace {

Vector3 random_vector(Random& random) { return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; }

Matrix3 random_turn(Random& random) {
  return Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
      .normalized()
      .toRotationMatrix();
}

LinkDescription moved_link(LinkDescription link, const Eigen::Isometry3d& P) {
  const auto& [xx, xy, xz, yy, yz, zz] = link.inertia;
  Matrix3 I;
  I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  const Matrix3 turned = P.linear().transpose() * I * P.linear();
  link.inertia = {turned(0, 0), turned(0, 1), turned(0, 2), turned(1, 1), turned(1, 2), turned(2, 2)};
  Eigen::Map<Vector3>(link.com.data()) = P.inverse() * Vector3(link.com.data());
  return link;
}

}  // namespace

/// How a link's frame may move without a change of q (one-dof and planar joints) or with one that is known.
Eigen::Isometry3d MovedFrames::draw(const JointDescription* joint, Random& random) const {
  Eigen::Isometry3d P = Eigen::Isometry3d::Identity();
  P.linear() = random_turn(random);
  P.translation() = 0.2 * random_vector(random);
  if (joint == nullptr) return P;
  const Vector3 along = 0.2 * random.uniform(-1, 1) * Vector3(joint->axis.data()).normalized();
  switch (joint->type) {
    case JointType::revolute:
    case JointType::continuous:
    case JointType::helical: P.translation() = along; break;
    case JointType::universal: P.setIdentity(); break;
    case JointType::planar:
      P.translation() = along;
      P.linear().setIdentity();
      break;
    case JointType::spherical: P.translation().setZero(); break;
    case JointType::free:  // a rotor's inertia belongs to the coordinates, and is the same along all axes only
      if (joint->armature != 0) P.translation().setZero();
      break;
    default: break;
  }
  return P;
}

ModelBuilder MovedFrames::describe(const Case& c, Random& random) {
  std::map<std::string, const JointDescription*> carrier;
  for (const JointDescription& joint : c.description.joints()) carrier[joint.child] = &joint;
  moved_.assign(static_cast<std::size_t>(original_.n_frames()), Eigen::Isometry3d::Identity());
  const auto of = [&](const std::string& link) -> Eigen::Isometry3d& {
    return moved_[static_cast<std::size_t>(original_.frame_index(link))];
  };

  ModelBuilder result(c.description.name());
  Vector3 gravity(c.description.gravity().data());
  for (const LinkDescription& link : c.description.links()) {
    const auto found = carrier.find(link.name);
    // under a floating base the root hangs on a free joint, and the world stays where it is
    of(link.name) = draw(found == carrier.end() ? nullptr : found->second, random);
    if (found == carrier.end() && !c.options.floating) gravity = of(link.name).linear().transpose() * gravity;
    result.link(moved_link(link, of(link.name)));
  }
  result.gravity({gravity.x(), gravity.y(), gravity.z()});
  for (JointDescription joint : c.description.joints()) {
    const Eigen::Isometry3d &P = of(joint.parent), &C = of(joint.child);
    Eigen::Isometry3d placement = P.inverse() * isometry(joint.placement);
    if (joint.type != JointType::free) placement = placement * C;
    joint.placement = pose_of(placement);
    Eigen::Map<Vector3>(joint.axis.data()) = C.linear().transpose() * Vector3(joint.axis.data());
    result.joint(joint);
  }
  return result;
}

MovedFrames::MovedFrames(const Case& c, std::uint64_t seed)
    : original_(c.model), model_([&] {
        Random random(seed);
        return describe(c, random).build(c.options);
      }()) {}

Vector MovedFrames::configuration(const Vector& q) const {
  const auto& m = original_.view<double>();
  Vector result = q;
  for (int i = 1; i < m.n_links; ++i) {
    const Matrix3 R = moved(i).linear();
    const int row = m.q_index[i];
    if (m.type[i] == JointType::spherical) {
      const Eigen::Quaterniond turn(q[row + 3], q[row], q[row + 1], q[row + 2]), by(R);
      result.segment<4>(row) = (by.conjugate() * turn * by).coeffs();
    } else if (m.type[i] == JointType::free) {
      const Eigen::Quaterniond turn = Eigen::Quaterniond(q[row + 6], q[row + 3], q[row + 4], q[row + 5]).normalized();
      result.segment<3>(row) = q.segment<3>(row) + turn * moved(i).translation();
      result.segment<4>(row + 3) = (turn * Eigen::Quaterniond(R)).coeffs();
    }
  }
  return result;
}

Vector MovedFrames::rates(const Vector& v) const {
  const auto& m = original_.view<double>();
  Vector result = v;
  for (int i = 1; i < m.n_links; ++i) {
    const Matrix3 R_T = moved(i).linear().transpose();
    const int row = m.v_index[i];
    if (m.type[i] == JointType::spherical) result.segment<3>(row) = R_T * v.segment<3>(row);
    if (m.type[i] != JointType::free) continue;
    const Vector3 linear = v.segment<3>(row), angular = v.segment<3>(row + 3);
    result.segment<3>(row) = R_T * (linear + angular.cross(moved(i).translation()));
    result.segment<3>(row + 3) = R_T * angular;
  }
  return result;
}

Vector MovedFrames::forces_back(const Vector& tau) const {
  const auto& m = original_.view<double>();
  Vector result = tau;
  for (int i = 1; i < m.n_links; ++i) {
    const Matrix3 R = moved(i).linear();
    const int row = m.v_index[i];
    if (m.type[i] == JointType::spherical) result.segment<3>(row) = R * tau.segment<3>(row);
    if (m.type[i] != JointType::free) continue;
    const Vector3 force = R * tau.segment<3>(row);
    result.segment<3>(row) = force;
    result.segment<3>(row + 3) = R * tau.segment<3>(row + 3) + moved(i).translation().cross(force);
  }
  return result;
}

Vector MovedFrames::external_forces(const Vector& f_ext) const {
  Vector result = f_ext;
  for (int i = 0; i < original_.n_links(); ++i) {
    const Matrix3 R_T = moved(i).linear().transpose();
    const Vector3 force = f_ext.segment<3>(6 * i), moment = f_ext.segment<3>(6 * i + 3);
    result.segment<3>(6 * i) = R_T * force;
    result.segment<3>(6 * i + 3) = R_T * (moment - moved(i).translation().cross(force));
  }
  return result;
}

}  // namespace tandem::test
