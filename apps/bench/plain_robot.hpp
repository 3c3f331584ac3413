// SPDX-License-Identifier: Apache-2.0
/// A robot and its states in plain numbers, as every library of the benchmark is given them. Nothing of the library's
/// mathematics is included here: what rivals are compiled from, which takes minutes, changes only when this does.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tandem::bench {

using Numbers3 = std::array<double, 3>;
using Numbers9 = std::array<double, 9>;  ///< a matrix, row by row

/// One moving link and the joint that carries it.
struct PlainLink {
  enum class Joint { revolute, prismatic, spherical, free, other };
  Joint joint = Joint::other;
  int parent = 0;  ///< 0 is the base
  double mass = 0;
  /// In one choice of link frames: where the frame lies in that of the parent, the joint's axis, the centre of mass and
  /// the inertia about it.
  struct InFrame {
    Numbers9 rotation{};
    Numbers3 position{}, axis{}, com{};
    Numbers9 inertia{};
  };
  InFrame described;  ///< as the description has it
  InFrame turned;     ///< every axis is z, which is what a careful user can do
};

struct PlainState {
  std::vector<double> q, v, a, tau;
};

struct PlainRobot {
  std::string name;
  int nq = 0, nv = 0;
  std::vector<PlainLink> links;  ///< 1, 2, ...; the first is the base and has no joint
  std::vector<double> armature;  ///< [nv]
  /// no mimic, planar, helical and universal joints, which have no counterpart elsewhere
  bool known_joints = true;

  std::vector<PlainState> states;  ///< calls take them in turn, so that no branch predictor learns one by heart
  std::int64_t batch_size = 0;
  PlainState batch;  ///< [batch][row]; rows that ask for fewer take the first ones
};
using PlainRobotPointer = std::shared_ptr<const PlainRobot>;

}  // namespace tandem::bench
