// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "description.hpp"
#include "pose.hpp"
#include "storage.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::model_detail {

namespace {

using Frame = Transform<double>;

/// For every link the turn about z that takes x normal to the axis of its first child, by a right angle at most.
std::vector<Frame> aligned_frames(const ModelView<double>& m) {
  std::vector<Frame> aligned(static_cast<std::size_t>(m.n_links), Frame::identity());
  for (int p = 1; p < m.n_links; ++p) {
    if (m.last_child[p] == 0 || !is_one_dof(m.type[p]) || !is_one_dof(m.type[p + 1])) continue;
    const Vec3<double> axis = load<Transform<double>>(m.placement, 12 * Index{p + 1}).E.row2;
    if (axis.x == 0) continue;
    const double across = std::copysign(std::hypot(axis.x, axis.y), axis.y);
    aligned[static_cast<std::size_t>(p)].E =
        rotated_z(SinCos<double>{-axis.x / across, axis.y / across}, Mat3<double>::identity());
  }
  return aligned;
}

/// E = Rz Rx Rz0 as it stands in ModelView::angles. The first turn, about the parent's z, takes x normal to the joint's
/// axis.
RotationZXZ<double> zxz_of(Mat3<double> E) {
  constexpr double rounding = 4e-16;
  RotationZXZ<double> angles = {{0, 1}, {0, 1}, {0, 1}, std::abs(E.row2.x) > rounding};
  if (angles.has_first) {
    const double across = std::copysign(std::hypot(E.row2.x, E.row2.y), -E.row2.y);
    angles.first_z = {E.row2.x / across, -E.row2.y / across};
    E = transpose(rotated_z(angles.first_z, transpose(E)));
  }
  const double length = std::hypot(E.row2.y, E.row2.z), width = std::hypot(E.row0.x, E.row1.x);
  angles.x = {-E.row2.y / length, E.row2.z / length};
  angles.z = {-E.row1.x / width, E.row0.x / width};
  return angles;
}

}  // namespace

void align_axes(ModelView<double>& m) {
  const std::vector<Frame> frames = aligned_frames(m);
  const auto frame = [&](int link) { return frames[static_cast<std::size_t>(link)]; };
  double *placement = writable(m.placement), *frame_placement = writable(m.frame_placement);
  for (int f = 0; f < m.n_frames; ++f) {
    const Index row = 12 * Index{f};
    const Frame X = load<Transform<double>>(frame_placement, row) * inverse(frame(m.frame_link[f]));
    store(frame_placement, row, Frame{without_roundings(X.E), X.r});
  }
  for (int i = 1; i < m.n_links; ++i) {
    const Index row = 12 * Index{i};
    Frame X_T = frame(i) * load<Transform<double>>(placement, row) * inverse(frame(m.parent[i]));
    X_T.E = without_roundings(X_T.E);
    store(placement, row, X_T);
    if (!is_one_dof(m.type[i])) continue;
    const RotationZXZ<double> E = zxz_of(X_T.E);
    writable(m.zxz_first)[i] = E.has_first;
    const double numbers[] = {E.z.sin, E.z.cos, E.x.sin, E.x.cos, E.first_z.sin, E.first_z.cos};
    std::copy_n(numbers, 6, writable(m.zxz) + 6 * Index{i});
  }
}

}  // namespace tandem::model_detail
