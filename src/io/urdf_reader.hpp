// SPDX-License-Identifier: Apache-2.0
/// From the text of a URDF to the links and joints that it describes.
#pragma once
#include <string>
#include <string_view>

#include "tandem/io/meshes.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::io {

/// URDF cannot say that a revolute or prismatic joint is unlimited, and its usual reader wants a number for every
/// limit. A limit of this size or beyond means none.
inline constexpr double urdf_unlimited = 1e300;

/// URDF has no screws and no universal joints. They are written as Drake has them, and read as elements of either name;
/// Drake's ball joints, too.
inline constexpr std::string_view drakes_joint = "drake:joint", drakes_pitch = "drake:screw_thread_pitch";

/// URDF has no joints that close loops. They are written as elements of this name, which Isaac Sim reads and older
/// versions of Drake read; Drake's ball constraints are read, too.
inline constexpr std::string_view loop_joint = "loop_joint", drakes_ball = "drake:ball_constraint";

/// What was read, and whether the text could be read to its end.
struct UrdfReading {
  ModelBuilder description;
  bool complete = true;
};

/// Reports what only a reader can see; missing names and all that concerns the robot as a whole are left to
/// ModelBuilder::build.
UrdfReading read_urdf_text(std::string_view text, const std::string& name, const MeshOptions& meshes = {});

/// What a text says that could be read to its end; else throws ModelError: half a robot would only add problems that
/// follow from the missing half.
ModelBuilder complete_urdf(std::string_view text, const std::string& name, const MeshOptions& meshes = {});

}  // namespace tandem::io
