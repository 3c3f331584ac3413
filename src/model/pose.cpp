// SPDX-License-Identifier: Apache-2.0
#include "pose.hpp"

#include <cmath>
#include <limits>

namespace tandem {
namespace model_detail {
namespace {

/// A rotation written with few digits, made orthonormal: two Newton steps of the polar decomposition.
Mat3<double> straightened(Mat3<double> R) {
  for (int step = 0; step < 2; ++step) {
    const Mat3<double> S = transpose_mul(R, R);
    const Mat3<double> correction = {0.5 * (Vec3<double>{3, 0, 0} - S.row0), 0.5 * (Vec3<double>{0, 3, 0} - S.row1),
                                     0.5 * (Vec3<double>{0, 0, 3} - S.row2)};
    R = R * correction;
  }
  return R;
}

}  // namespace

Transform<double> transform(const Pose& pose) {
  const std::array<double, 9>& r = pose.rotation;
  const Mat3<double> R = {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}};
  const Mat3<double> error = mul_transpose(R, R) - Mat3<double>::identity();
  constexpr double rounding = 1e-14;
  const bool rounded = std::abs(error.row0.x) > rounding || std::abs(error.row0.y) > rounding ||
                       std::abs(error.row0.z) > rounding || std::abs(error.row1.y) > rounding ||
                       std::abs(error.row1.z) > rounding || std::abs(error.row2.z) > rounding;
  return {transpose(rounded ? straightened(R) : R), vector(pose.position)};
}

Mat3<double> without_roundings(Mat3<double> E) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  for (Vec3<double>* row : {&E.row0, &E.row1, &E.row2})
    for (double* x : {&row->x, &row->y, &row->z}) {
      if (std::abs(*x) <= rounding) *x = 0;
      if (std::abs(std::abs(*x) - 1) <= rounding) *x = std::copysign(1, *x);
    }
  return E;
}

Pose pose(const Transform<double>& X_ip) {
  const auto& [x, y, z] = X_ip.E;  // the rows are the frame's axes: columns of the rotation
  return {{X_ip.r.x, X_ip.r.y, X_ip.r.z}, {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
}

}  // namespace model_detail

Pose operator*(const Pose& first, const Pose& second) {
  return model_detail::pose(model_detail::transform(second) * model_detail::transform(first));
}

}  // namespace tandem
