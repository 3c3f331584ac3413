// SPDX-License-Identifier: Apache-2.0
/// The one table of robots that tests run over.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "support/dense.hpp"
#include "tandem/api/evaluate.hpp"
#include "tandem/model/builder.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test {

/// A robot with the description it was built from, so that a test may change the one and compare with the other.
struct Case {
  std::string name;
  std::uint64_t seed = 0;  ///< of the robot; states are drawn from it as well
  BuildOptions options = {};
  ModelBuilder description;
  Model model;

  Case(std::string name, std::uint64_t seed, ModelBuilder description, BuildOptions options = {});
};

/// Chains, stars, trees, ropes, snakes, floating bases, every joint type, mimic joints, massless and very unequal
/// links, armature, springs, frames, no degree of freedom at all, and the shipped robots; none of more than 41 links
/// under sanitizers, and none of more than 40 degrees of freedom where cases are few. Built once.
const std::vector<Case>& cases();

/// The case of this name, also where `cases` leaves it out; fails the program if there is none.
const Case& case_named(const std::string& name);

/// Everything a function may ask for. Numbers are floats, so that both precisions start from the same ones.
struct State {
  std::uint64_t seed;
  Vector q, v, a, tau;
  Vector f_ext;  ///< [n_links * 6]
};
State random_state(const Model& model, std::uint64_t seed);
/// Changes of the inertial parameters of every link, in proportion to what they are.
Vector parameter_changes(const Model& model);
/// Weights of what forward kinematics gives of every frame: as many as its poses have numbers.
Vector frame_weights(const Model& model);

/// Numbers at random for the arguments of any function.
class RandomInputs {
 public:
  RandomInputs(const Model& model, std::uint64_t seed, std::uint64_t other_seed)
      : state_(random_state(model, seed)),
        other_(random_state(model, other_seed)),
        changes_(parameter_changes(model)),
        weights_(frame_weights(model)) {}
  /// At least as many as the argument has rows.
  const Vector& of(const Argument& argument) const;

 private:
  State state_, other_;
  Vector changes_, weights_;
};

/// Two states of every case, the second with another seed (one under sanitizers); what a test loops over.
std::vector<State> states(const Case& c);

/// What an algorithm can be told, each value once: references, and the methods of its own kernels; the frame is the
/// last.
std::vector<Options> own_options(const Algorithm& algorithm, const Model& model);

/// True if some joint of the robot is of this type.
bool has_joint(const Model& model, JointType type);
/// True if the robot has a free joint on the base and no other joint there.
bool is_free_floating(const Model& model);

}  // namespace tandem::test
