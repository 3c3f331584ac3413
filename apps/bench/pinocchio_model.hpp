// SPDX-License-Identifier: Apache-2.0
/// A robot as Pinocchio's model. Included where Pinocchio is there to be compiled against.
#pragma once
#if __has_include(<pinocchio/multibody.hpp>)  // Pinocchio 4
#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#else
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/joint/joints.hpp>
#include <pinocchio/multibody/model.hpp>
#endif
#include <fmt/core.h>

#include <string>

#include "rivals.hpp"

namespace tandem::bench {

namespace pin = pinocchio;
using Vector = Eigen::VectorXd;

inline Eigen::Vector3d eigen(const Numbers3& a) { return {a[0], a[1], a[2]}; }
inline Eigen::Matrix3d eigen(const Numbers9& a) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(a.data());
}

inline pin::JointModel joint_model(PlainLink::Joint joint, const Eigen::Vector3d& axis) {
  if (joint == PlainLink::Joint::free) return pin::JointModelFreeFlyer();
  if (joint == PlainLink::Joint::spherical) return pin::JointModelSpherical();
  const bool slides = joint == PlainLink::Joint::prismatic;
  int along = -1;
  for (int k = 0; k < 3; ++k)
    if (axis.isApprox(Eigen::Vector3d::Unit(k), 1e-12)) along = k;
  switch (along) {
    case 0: return slides ? pin::JointModel(pin::JointModelPX()) : pin::JointModel(pin::JointModelRX());
    case 1: return slides ? pin::JointModel(pin::JointModelPY()) : pin::JointModel(pin::JointModelRY());
    case 2: return slides ? pin::JointModel(pin::JointModelPZ()) : pin::JointModel(pin::JointModelRZ());
    default:
      return slides ? pin::JointModel(pin::JointModelPrismaticUnaligned(axis))
                    : pin::JointModel(pin::JointModelRevoluteUnaligned(axis));
  }
}

/// The robot in Pinocchio, in one of the two choices of frames.
inline pin::Model build(const PlainRobot& robot, bool z_axes) {
  pin::Model model;
  model.name = robot.name;
  for (std::size_t i = 1; i < robot.links.size(); ++i) {
    const PlainLink& link = robot.links[i];
    const PlainLink::InFrame& f = z_axes ? link.turned : link.described;
    // indices of links here and of joints there are the same: 0 is the base
    const auto id = model.addJoint(static_cast<pin::JointIndex>(link.parent), joint_model(link.joint, eigen(f.axis)),
                                   pin::SE3(eigen(f.rotation), eigen(f.position)), "joint" + std::to_string(i));
    model.appendBodyToJoint(id, pin::Inertia(link.mass, eigen(f.com), eigen(f.inertia)));
  }
  for (int k = 0; k < robot.nv; ++k) model.armature[k] = robot.armature[static_cast<std::size_t>(k)];
  return model;
}

/// Pinocchio's Data holds nv^3 numbers, and some joints have no counterpart: says so and gives false.
inline bool takes(const PlainRobot& robot) {
  if (robot.nv > 500) {
    const double nv = robot.nv;
    fmt::print(stderr, "{}: Pinocchio's Data would need {:.0f} GB, left out\n", robot.name, 48e-9 * nv * nv * nv);
    return false;
  }
  if (!robot.known_joints)
    fmt::print(stderr, "{}: left out of Pinocchio's rows: a joint has no counterpart there\n", robot.name);
  return robot.known_joints;
}

}  // namespace tandem::bench
