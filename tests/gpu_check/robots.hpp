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

/// An arm, a floating tree of the size of a humanoid, a rope of spherical joints, a tree with mimic joints, one with a
/// joint of every type, a long chain. None is read from a file: this program does without a reader.
std::vector<Robot> robots();
/// Those of URDF files, a word for each: NAME=FILE, with "+floating" behind it if the root is free. Throws Error where
/// there is no reader.
std::vector<Robot> robots_of_files(const std::vector<std::string>& files);

}  // namespace tandem::gpu_check
