// SPDX-License-Identifier: Apache-2.0
/// Poses as MJCF writes them.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>

#include "tandem/model/pose.hpp"

namespace tandem::io {

/// Of a rotation matrix, the quaternion w x y z.
inline std::array<double, 4> wxyz_from_rotation(const std::array<double, 9>& r) {
  // of the four squares, the largest is at least 1/4: no root of a difference
  const double x = 1 + r[0] - r[4] - r[8], y = 1 - r[0] + r[4] - r[8], z = 1 - r[0] - r[4] + r[8],
               w = 1 + r[0] + r[4] + r[8];
  std::array<double, 4> q{};
  if (w >= x && w >= y && w >= z)
    q = {w, r[7] - r[5], r[2] - r[6], r[3] - r[1]};
  else if (x >= y && x >= z)
    q = {r[7] - r[5], x, r[1] + r[3], r[2] + r[6]};
  else if (y >= z)
    q = {r[2] - r[6], r[1] + r[3], y, r[5] + r[7]};
  else
    q = {r[3] - r[1], r[2] + r[6], r[5] + r[7], z};
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (double& e : q) e /= norm;
  return q;
}

/// Where the frame that a pose is given in stands in that of the pose.
inline Pose inverse(const Pose& pose) {
  const auto& R = pose.rotation;
  const auto& p = pose.position;
  Pose back;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) back.rotation[3 * i + k] = R[3 * k + i];
    back.position[i] = 0 - (R[i] * p[0] + R[3 + i] * p[1] + R[6 + i] * p[2]);
  }
  return back;
}

/// R a.
inline std::array<double, 3> rotated(const std::array<double, 9>& R, const std::array<double, 3>& a) {
  std::array<double, 3> b{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) b[i] += R[3 * i + k] * a[k];
  return b;
}

}  // namespace tandem::io
