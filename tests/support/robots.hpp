// SPDX-License-Identifier: Apache-2.0
/// Descriptions of robots made for tests.
#pragma once
#include <string>
#include <vector>

#include "core/random.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::test {

/// Adds random links and joints to a description.
class RobotMaker {
 public:
  RobotMaker(std::string name, std::uint64_t seed) : builder_(std::move(name)), random_(seed) {}

  /// A body with a full inertia and its centre of mass off the origin.
  void link(const std::string& name, double mass = 0);
  void massless(const std::string& name) { builder_.link({.name = name}); }
  /// A joint at a random place about 0.2 m from its parent, about a random axis; named after the child.
  JointDescription joint(JointType type, const std::string& parent, const std::string& child);
  /// Adds the joint and a random body that it carries.
  void add(JointDescription joint, double mass = 0);
  void add(JointType type, const std::string& parent, const std::string& child, double mass = 0) {
    add(joint(type, parent, child), mass);
  }

  Pose pose(double distance);
  double uniform(double lower, double upper) { return random_.uniform(lower, upper); }
  ModelBuilder& builder() { return builder_; }

 private:
  std::array<double, 3> direction();

  ModelBuilder builder_;
  Random random_;
};

ModelBuilder one_joint(JointType type, std::uint64_t seed);  ///< a link on a joint of this type
/// a chain through every type, twice; once where cases are few
ModelBuilder every_joint(std::uint64_t seed);
/// A chain whose joints go through the types in turn, named after the first.
ModelBuilder chain_of(const std::vector<JointType>& types, int links, std::uint64_t seed);
ModelBuilder star(int arms, std::uint64_t seed);              ///< arms of two links on the base
ModelBuilder binary_tree(int levels, std::uint64_t seed);     ///< two children everywhere
ModelBuilder unequal_masses(int links, std::uint64_t seed);   ///< light and heavy in turn, 1e-3 and 1e3 kg
/// The heaviest over the lightest moving link.
double mass_ratio(const Model& model);
ModelBuilder massless_links(std::uint64_t seed);              ///< crossed and stacked joints through massless links
ModelBuilder with_armature(std::uint64_t seed);               ///< rotors on every joint, one under a massless leaf
ModelBuilder with_passive_forces(std::uint64_t seed);         ///< springs, damping and friction on every type
ModelBuilder with_fixed_links(std::uint64_t seed);            ///< links and frames fixed to base, links and each other
ModelBuilder immovable(int fixed_links, std::uint64_t seed);  ///< no degree of freedom
/// A long spine with legs, some of them with feet on ball joints: paths on several levels.
Model with_legs(int spine, int legs, JointType type);

/// Two point masses of m1 and m2 kg on massless rods of l1 and l2 m; angles from straight down, the second one relative
/// to the first rod.
ModelBuilder double_pendulum(double m1, double m2, double l1, double l2);

ModelBuilder mimic_chain(std::uint64_t seed);      ///< a finger: each joint follows the one before it
ModelBuilder mimic_branches(std::uint64_t seed);   ///< joints of two branches follow one of a third, one backwards
ModelBuilder mimic_helical(std::uint64_t seed);    ///< screws that follow screws and wheels, and are followed
ModelBuilder mimic_prismatic(std::uint64_t seed);  ///< two jaws slide as a screw turns, on a floating base
ModelBuilder mimic_massless(std::uint64_t seed);   ///< followers that carry no mass, and one with multiplier zero

}  // namespace tandem::test
