// SPDX-License-Identifier: Apache-2.0
/// Generated robots, the robots that ship with Tandem, and loading of robots by name.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/model/builder.hpp"
#include "tandem/model/meshes.hpp"

namespace tandem {

/// Description of a generated robot; the same spec and seed give the same bits on every machine. N counts the links
/// attached to the base:
///
///     chain:N           arm of N random links, revolute and (one in four) prismatic joints
///     rope:N            N uniform segments on spherical joints
///     rope:N:bending    N uniform segments, each with two crossed revolute joints through a massless link
///     tree:N            N random links, each attached to a random earlier one; twelve consecutive joints include every
///                       type, one fixed joint and one mimic joint
///     snake:N           floating chain of N segments with alternating yaw and pitch joints
///
/// Ropes and snakes have slightly damped joints and do not depend on the seed.
/// Throws Error for an unknown spec, or N outside 1 .. 10,000,000.
ModelBuilder generate(std::string_view spec, std::uint64_t seed = 0);

/// Whether a text has the form of a spec of generate().
bool is_generator(std::string_view spec);

/// Names of the robots that ship with Tandem ("arm6", "arm7", "four_bar", "quadruped", "humanoid").
std::vector<std::string> shipped_robots();

/// URDF text of a shipped robot. Throws Error for an unknown name.
std::string_view shipped_robot(std::string_view name);

/// Load a robot from a URDF or MJCF file, a spec of generate() such as chain:20, or the name of a shipped robot.
/// `meshes` is for URDF.
/// Throws Error or ModelError.
Model load(const std::string& robot, const BuildOptions& options = {}, std::uint64_t seed = 0,
           const MeshOptions& meshes = {});

/// Read the description of a robot for editing. Takes the same names as load() and throws the same errors of reading.
ModelBuilder describe(const std::string& robot, std::uint64_t seed = 0, const MeshOptions& meshes = {});

}  // namespace tandem
