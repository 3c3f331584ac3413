// SPDX-License-Identifier: Apache-2.0
/// Poses of frames.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>

namespace tandem {

/// Position [m] and rotation of a frame, seen from another one.
struct Pose {
  std::array<double, 3> position{0, 0, 0};                    ///< of the frame's origin, m
  std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< row-major; from own coordinates to the other frame
};

/// Where a frame stands that is at `second` in a frame that is at `first`: first, then second. Rotations that are off
/// by rounding are made orthonormal.
Pose operator*(const Pose& first, const Pose& second);

/// Rotation from fixed-axis roll, pitch, yaw [rad] (the URDF convention): R = Rz(yaw) Ry(pitch) Rx(roll).
std::array<double, 9> rotation_from_rpy(double roll, double pitch, double yaw);
/// Rotation from a quaternion (x, y, z, w), which need not be normalised.
std::array<double, 9> rotation_from_quaternion(double x, double y, double z, double w);

}  // namespace tandem
