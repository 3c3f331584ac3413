// SPDX-License-Identifier: Apache-2.0
/// Poses as users describe them, and the changes of frame that algorithms compute with.
#pragma once
#include "tandem/detail/spatial/transform.hpp"
#include "tandem/model/pose.hpp"

namespace tandem::model_detail {

inline Vec3<double> vector(const std::array<double, 3>& a) { return {a[0], a[1], a[2]}; }

/// From the frame in which the pose is given to the frame that has this pose.
Transform<double> transform(const Pose& pose);
/// The same rotation, ones and zeros exact where roundings have left them four units away: a quarter turn is then one
/// to the last bit, and what it turns keeps its zeros. It stays as orthonormal as it was, to some roundings.
Mat3<double> without_roundings(Mat3<double> E);
/// And back: the pose of frame i in frame p from X_ip.
Pose pose(const Transform<double>& X_ip);

}  // namespace tandem::model_detail
