// SPDX-License-Identifier: Apache-2.0
/// Contacts of two convex shapes without a closed form, from kernels of any instruction set: lane by lane, by the one
/// copy of convex_contacts() that the library has, in double. So a lane's contacts do not depend on its neighbours.
#pragma once
#include "tandem/detail/contact/bounds.hpp"

namespace tandem {

/// A shape as numbers: R by rows, p, size as in PlacedShape.
struct ConvexNumbers {
  ShapeType type;
  double R[9], p[3], size[3];
  int n_vertices;
  const double* vertices;
};
struct ConvexContact {
  double distance, position[3], normal[3];
};
void convex_contacts(const ConvexNumbers& a, const ConvexNumbers& b, int slots, double margin, ConvexContact* out);

inline namespace TANDEM_ISA {

template <class S>
constexpr int lane_count() {
  if constexpr (requires { S::width; })
    return S::width;
  else
    return 1;
}
template <class S>
double double_in_lane(const S& x, int lane) {
  if constexpr (requires { S::width; })
    return static_cast<double>(x.lanes[lane]);
  else
    return static_cast<double>(x);
}
template <class S>
void set_lane(S& x, int lane, double value) {
  if constexpr (requires { S::width; })
    x.lanes[lane] = static_cast<typename RealOf<S>::type>(value);
  else
    x = static_cast<S>(value);
}

/// A lane of a shape.
template <class S>
ConvexNumbers numbers_of(const PlacedShape<S>& shape, int lane) {
  const auto x = [&](const S& number) { return double_in_lane(number, lane); };
  const Mat3<S>& R = shape.pose.R;
  const Vec3<S>&p = shape.pose.p, &size = shape.size;
  return {shape.type,
          {x(R.row0.x), x(R.row0.y), x(R.row0.z), x(R.row1.x), x(R.row1.y), x(R.row1.z), x(R.row2.x), x(R.row2.y),
           x(R.row2.z)},
          {x(p.x), x(p.y), x(p.z)},
          {x(size.x), x(size.y), x(size.z)},
          shape.n_vertices,
          shape.vertices};
}
template <class S>
void set_lane(ContactPoint<S>& to, int lane, const ConvexContact& from) {
  const double *p = from.position, *n = from.normal;
  set_lane(to.distance, lane, from.distance);
  set_lane(to.position.x, lane, p[0]);
  set_lane(to.position.y, lane, p[1]);
  set_lane(to.position.z, lane, p[2]);
  set_lane(to.normal.x, lane, n[0]);
  set_lane(to.normal.y, lane, n[1]);
  set_lane(to.normal.z, lane, n[2]);
}

template <class S>
TANDEM_STEP void call_convex_contacts(const PlacedShape<S>& a, const PlacedShape<S>& b, ContactPoint<S>* out,
                                      double margin) {
#ifdef __CUDA_ARCH__
  // without memory for a polytope, 48 kB a thread: drivers of GPUs refuse these pairs by name
  for (int k = 0; k < contact_slots(a.type, b.type); ++k)
    out[k] = {S(no_contact), a.pose.p, {S(1), S(0), S(0)}, Vec3<S>::zero()};
#else
  const int slots = contact_slots(a.type, b.type);
  const S bound = margin < no_contact ? least_distance(a, b, margin) : S(-no_contact), limit(margin);
  for (int k = 0; k < slots; ++k)
    out[k] = {k == 0 ? bound : S(no_contact), a.pose.p, {S(1), S(0), S(0)}, Vec3<S>::zero()};
  for (int lane = 0; lane < lane_count<S>(); ++lane) {
    if (!(double_in_lane(bound, lane) < double_in_lane(limit, lane))) continue;
    ConvexContact found[most_convex_slots];
    convex_contacts(numbers_of(a, lane), numbers_of(b, lane), slots, margin, found);
    for (int k = 0; k < slots; ++k) set_lane(out[k], lane, found[k]);
  }
#endif
}

/// Of two shapes that are apart within a margin: their nearest points, in a slot that is free, where all contacts that
/// have been found are farther apart than these. Not on GPUs, either.
template <class S>
TANDEM_STEP void add_nearest_points(const PlacedShape<S>& a, const PlacedShape<S>& b, int slots, ContactPoint<S>* out,
                                    double margin) {
#ifndef __CUDA_ARCH__
  for (int lane = 0; lane < lane_count<S>(); ++lane) {
    double least = no_contact;
    int free = 0;
    for (int k = slots - 1; k >= 0; --k) {
      const double distance = double_in_lane(out[k].distance, lane);
      if (distance < least) least = distance;
      if (!(distance < 0.5 * no_contact)) free = k;
    }
    if (!(0 < least)) continue;
    ConvexContact nearest;
    convex_contacts(numbers_of(a, lane), numbers_of(b, lane), 1, margin, &nearest);
    const double rounding = 1e-6 * (double_in_lane(norm(a.size), lane) + double_in_lane(norm(b.size), lane));
    if (nearest.distance < margin && nearest.distance + rounding < least) set_lane(out[free], lane, nearest);
  }
#endif
}

}  // namespace TANDEM_ISA
}  // namespace tandem
