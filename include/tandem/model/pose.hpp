// SPDX-License-Identifier: Apache-2.0
/// Poses of frames.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>

namespace tandem {

/// Pose of a frame B in a frame A: x_A = R x_B + p.
struct Pose {
  std::array<double, 3> position{0, 0, 0};                    ///< p: origin of B in A, m
  std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< R: row-major, from axes of B to axes of A
};

/// Composition: the pose of C in A from `first`, the pose of B in A, and `second`, the pose of C in B. Rotations that
/// are orthonormal only up to rounding are corrected.
Pose operator*(const Pose& first, const Pose& second);

/// Rotation from fixed-axis roll, pitch, yaw [rad] (the URDF convention): R = Rz(yaw) Ry(pitch) Rx(roll).
std::array<double, 9> rotation_from_rpy(double roll, double pitch, double yaw);
/// Rotation from a quaternion (x, y, z, w), which need not be normalised.
std::array<double, 9> rotation_from_quaternion(double x, double y, double z, double w);

}  // namespace tandem
