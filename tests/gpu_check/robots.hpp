// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tandem/model/generators.hpp"

namespace tandem::gpu_check {

struct Robot {
  std::string name;
  Model model;
};

/// An arm, a floating tree of the size of a humanoid, a rope of spherical joints, a tree with mimic joints, one with a joint
/// of every type, a long chain. None is read from a file: this program does without a reader.
std::vector<Robot> robots();
/// Those that TANDEM_ROBOTS names: URDF files between colons, each with "+floating" behind it if its root is free. Throws Error
/// where there is no reader.
std::vector<Robot> robots_of_user();

/// Whose rates stand in figures of papers besides.
std::vector<Robot> robots_of_papers();

}  // namespace tandem::gpu_check
