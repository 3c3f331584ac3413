// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tandem/model/pose.hpp"

namespace tandem {

std::array<double, 9> rotation_from_rpy(double roll, double pitch, double yaw) {
  const double cr = std::cos(roll), sr = std::sin(roll);
  const double cp = std::cos(pitch), sp = std::sin(pitch);
  const double cy = std::cos(yaw), sy = std::sin(yaw);
  return {cy * cp,
          cy * sp * sr - sy * cr,
          cy * sp * cr + sy * sr,  //
          sy * cp,
          sy * sp * sr + cy * cr,
          sy * sp * cr - cy * sr,  //
          -sp,
          cp * sr,
          cp * cr};
}

std::array<double, 9> rotation_from_quaternion(double x, double y, double z, double w) {
  const double length = std::sqrt(x * x + y * y + z * z + w * w);
  x /= length;
  y /= length;
  z /= length;
  w /= length;
  return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),  //
          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),  //
          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
}

}  // namespace tandem
