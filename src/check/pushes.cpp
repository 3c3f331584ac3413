// SPDX-License-Identifier: Apache-2.0
#include "check/pushes.hpp"

#include <utility>

#include "core/at.hpp"
#include "model/pose.hpp"
#include "tandem/detail/spatial/mat3.hpp"

namespace tandem::check_detail {
namespace {

/// From a link's axes to the world's.
Mat3<double> rotation_of(const Numbers& pose, int link) {
  const double* p = &pose[12 * at(link)];
  return {{p[0], p[1], p[2]}, {p[4], p[5], p[6]}, {p[8], p[9], p[10]}};
}
Vec3<double> position_of(const Numbers& pose, int link) {
  const double* p = &pose[12 * at(link)];
  return {p[3], p[7], p[11]};
}

}  // namespace

void push_apart(const Numbers& pose, int link_1, int link_2, const Vec3<double>& point, const Vec3<double>& f,
                const Vec3<double>& n, Numbers& f_ext) {
  for (const auto& [link, sign] : {std::pair{link_1, -1.0}, {link_2, 1.0}}) {
    const Mat3<double> R = rotation_of(pose, link);
    const Vec3<double> force = transpose_mul(R, sign * f);
    const Vec3<double> moment = transpose_mul(R, sign * (n + cross(point - position_of(pose, link), f)));
    double* const own = &f_ext[6 * at(link)];
    for (const auto& [k, x] :
         {std::pair{0, force.x}, {1, force.y}, {2, force.z}, {3, moment.x}, {4, moment.y}, {5, moment.z}})
      own[k] += x;
  }
}

void push_by_loop(const Numbers& pose, const LoopJoint& loop, std::span<const double, 6> wrench, Numbers& f_ext) {
  const auto& r = loop.placement_1.rotation;
  const Mat3<double> axes =
      rotation_of(pose, loop.link_1) * Mat3<double>{{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}};
  const Vec3<double> point = position_of(pose, loop.link_2) +
                             rotation_of(pose, loop.link_2) * model_detail::vector(loop.placement_2.position);
  push_apart(pose, loop.link_1, loop.link_2, point, axes * Vec3<double>{wrench[0], wrench[1], wrench[2]},
             axes * Vec3<double>{wrench[3], wrench[4], wrench[5]}, f_ext);
}

}  // namespace tandem::check_detail
