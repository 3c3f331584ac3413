// SPDX-License-Identifier: Apache-2.0
/// Chains that are described link by link, from any link on, and states of them.
#pragma once
#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "tandem/api/mpi.hpp"

namespace tandem::test {

enum class Kind { arm, rope, bending_rope, every_joint };

inline JointType joint_type(Kind kind, Index i, Random& random) {
  switch (kind) {
    case Kind::arm: return random.below(4) == 0 ? JointType::prismatic : JointType::revolute;
    case Kind::rope: return JointType::spherical;
    case Kind::bending_rope: return JointType::revolute;
    case Kind::every_joint: break;
  }
  constexpr JointType all[] = {JointType::free,      JointType::revolute,   JointType::prismatic, JointType::planar,
                               JointType::spherical, JointType::continuous, JointType::helical,   JointType::universal};
  return all[(i - 1) % 8];
}

/// Link i, the same whoever asks. Of a bending rope every other link has no mass.
inline mpi::ChainLink chain_link(Kind kind, Index i) {
  Random random(static_cast<std::uint64_t>(i) * 7919 + static_cast<std::uint64_t>(kind));
  mpi::ChainLink made;
  made.joint.type = joint_type(kind, i, random);
  const auto triple = [&](double size) {
    return std::array<double, 3>{size * random.uniform(-1, 1), size * random.uniform(-1, 1),
                                 size * random.uniform(-1, 1)};
  };
  if (kind == Kind::bending_rope) {
    made.joint.axis = i % 2 == 1 ? std::array<double, 3>{1, 0, 0} : std::array<double, 3>{0, 1, 0};
    if (i % 2 == 1 && i > 1) made.joint.placement.position = {0, 0, -0.1};
    if (i % 2 == 1) return made;
    made.link.mass = 0.1;
    made.link.com = {0, 0, -0.05};
    made.link.inertia = {1e-4, 0, 0, 1e-4, 0, 1e-5};
    return made;
  }
  made.joint.placement.position = triple(0.2);
  made.joint.placement.rotation =
      rotation_from_rpy(random.uniform(-3, 3), random.uniform(-1.5, 1.5), random.uniform(-3, 3));
  made.joint.axis = triple(1);
  made.joint.axis[2] += 2;
  made.joint.armature = 0.01 * random.unit();
  made.link.mass = random.uniform(0.5, 2);
  made.link.com = triple(0.1);
  const auto a = triple(0.1);
  const double m = made.link.mass;
  made.link.inertia = {m * (0.02 + a[0] * a[0]), 0.3 * m * a[0] * a[1], 0, m * (0.02 + a[1] * a[1]), 0,
                       m * (0.02 + a[2] * a[2])};
  return made;
}

/// Rows of joints first .. first + links - 1. Speeds are small: links at the end add up those of all joints before
/// them.
struct ChainState {
  std::vector<double> q, v, tau, f_ext;
};
inline ChainState chain_state(Kind kind, Index first, Index links, double speed) {
  ChainState s;
  for (Index i = first; i < first + links; ++i) {
    Random random(static_cast<std::uint64_t>(i) * 104729 + 17);
    Random of_type(static_cast<std::uint64_t>(i) * 7919 + static_cast<std::uint64_t>(kind));
    const JointType type = joint_type(kind, i, of_type);
    const auto add = [&](std::vector<double>& to, int n, double size) {
      for (int k = 0; k < n; ++k) to.push_back(size * random.uniform(-1, 1));
    };
    if (type == JointType::spherical || type == JointType::free) {
      add(s.q, type == JointType::free ? 3 : 0, 1);
      double x[4], square = 0;
      for (double& number : x) {
        number = random.uniform(-1, 1) + 0.1;
        square += number * number;
      }
      for (const double number : x) s.q.push_back(number / std::sqrt(square));
    } else {
      add(s.q, joint_nq(type), type == JointType::prismatic ? 0.1 : 1);
    }
    add(s.v, joint_nv(type), speed);
    add(s.tau, joint_nv(type), 1);
    add(s.f_ext, 6, 1);
  }
  return s;
}

/// The whole chain, as one model.
inline Model whole_chain(Kind kind, Index links) {
  ModelBuilder builder("chain");
  builder.link({.name = "link0"});
  for (Index i = 1; i <= links; ++i) {
    mpi::ChainLink made = chain_link(kind, i);
    made.link.name = "link" + std::to_string(i);
    made.joint.name = "joint" + std::to_string(i);
    made.joint.parent = "link" + std::to_string(i - 1);
    made.joint.child = made.link.name;
    builder.link(made.link).joint(made.joint);
  }
  return builder.build();
}

}  // namespace tandem::test
