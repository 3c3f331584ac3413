// SPDX-License-Identifier: Apache-2.0
/// Contacts of spheres and capsules: balls at points of a segment.
#pragma once
#include <limits>

#include "tandem/detail/contact/point.hpp"

namespace tandem::inline TANDEM_ISA {

/// Balls of radius r_1 at c_1 and r_2 at c_2; of two with one centre the normal is `otherwise`.
template <class S>
TANDEM_HD ContactPoint<S> ball_ball(const Vec3<S>& c_1, const S& r_1, const Vec3<S>& c_2, const S& r_2,
                                    const Vec3<S>& otherwise) {
  S length;
  const Vec3<S> n = direction_or(c_2 - c_1, otherwise, length);
  const S distance = length - r_1 - r_2;
  return {distance, mul_add(mul_add(S(0.5), distance, r_1), n, c_1), n, Vec3<S>::zero()};
}

/// One slot.
template <class S>
TANDEM_HD void sphere_sphere(const ShapePose<S>& first, const S& r_1, const ShapePose<S>& second, const S& r_2,
                             ContactPoint<S>* out) {
  out[0] = ball_ball(first.p, r_1, second.p, r_2, {S(1), S(0), S(0)});
}

/// One slot: the sphere, shape 1, and the nearest ball of the capsule.
template <class S>
TANDEM_HD void sphere_capsule(const ShapePose<S>& sphere, const S& r_1, const ShapePose<S>& capsule, const S& r_2,
                              const S& half_length, ContactPoint<S>* out) {
  const Vec3<S> axis = capsule.axis_z();
  const S t = between(-half_length, dot(axis, sphere.p - capsule.p), half_length);
  out[0] = ball_ball(sphere.p, r_1, mul_add(t, axis, capsule.p), r_2, capsule.axis_x());
}

/// One slot. The centre of the sphere is beside the cylinder, over one of its ends, beside and over it (nearest to a
/// rim), or inside, where the nearest of the side and the end counts.
template <class S>
TANDEM_HD void sphere_cylinder(const ShapePose<S>& sphere, const S& r_1, const ShapePose<S>& cylinder, const S& r_2,
                               const S& half_length, ContactPoint<S>* out) {
  const Vec3<S> z = cylinder.axis_z(), way = sphere.p - cylinder.p;
  const S along = dot(z, way);
  const auto is_below = along < S(0);
  const Vec3<S> end = choose(is_below, -z, z);  // towards the nearer end
  S radius;
  const Vec3<S> outwards = direction_or(mul_add(-along, z, way), cylinder.axis_x(), radius);
  const S over = abs(along) - half_length, beside = radius - r_2;  // above 0: outside
  const S out_over = larger(over, S(0)), out_beside = larger(beside, S(0));
  const S outside = sqrt(sum_of_products(out_over, out_over, out_beside, out_beside));
  const Vec3<S> to_centre =
      mul_add(out_beside, outwards, out_over * end);             // from the surface, if the centre is outside
  const Vec3<S> nearest = choose(beside < over, end, outwards);  // way out, if it is inside
  const auto is_outside = S(0) < outside;
  const Vec3<S> n = -direction_or(to_centre, nearest);
  const S depth = select(is_outside, outside, larger(over, beside)), distance = depth - r_1;
  out[0] = {distance, mul_add(mul_add(S(0.5), distance, r_1), n, sphere.p), n, Vec3<S>::zero()};
}

/// Two slots. Points of the two segments that are nearest to each other; if these are parallel, both ends of their
/// overlap, or the ends that face each other.
template <class S>
TANDEM_HD void capsule_capsule(const ShapePose<S>& first, const S& r_1, const S& half_1, const ShapePose<S>& second,
                               const S& r_2, const S& half_2, ContactPoint<S>* out) {
  const Vec3<S> a = first.axis_z(), b = second.axis_z(), way = first.p - second.p;
  const Vec3<S> otherwise = direction_or(cross(a, b), first.axis_x());
  const auto contact = [&](const S& x_1, const S& x_2) TANDEM_INLINE {
    return ball_ball(mul_add(x_1, a, first.p), r_1, mul_add(x_2, b, second.p), r_2, otherwise);
  };
  // nearest points x_1 a, x_2 b of the two lines: x_1 - c x_2 = -u, -c x_1 + x_2 = v
  const S c = dot(a, b), u = dot(a, way), v = dot(b, way), determinant = difference_of_products(S(1), S(1), c, c);
  const auto is_parallel = determinant < S(8 * std::numeric_limits<typename RealOf<S>::type>::epsilon());
  const S divisor = select(is_parallel, S(1), determinant);
  S x_1 = difference_of_products(c, v, u, S(1)) / divisor, x_2 = difference_of_products(S(1), v, c, u) / divisor;
  x_1 = between(-half_1, x_1, half_1);
  x_2 = between(-half_2, mul_add(c, x_1, v), half_2);
  x_1 = between(-half_1, mul_add(c, x_2, -u), half_1);
  const ContactPoint<S> crossing = contact(x_1, x_2);
  // parallel: the segment of the second one on the axis of the first, and what the first one has of it
  const S middle = -u, low = between(-half_1, middle - half_2, half_1),
          high = between(-half_1, middle + half_2, half_1);
  const auto on_second = [&](const S& x) TANDEM_INLINE { return between(-half_2, mul_add(c, x, v), half_2); };
  const ContactPoint<S> one = contact(low, on_second(low)), other = contact(high, on_second(high));
  const auto pick = [&](const ContactPoint<S>& parallel, const ContactPoint<S>& else_) TANDEM_INLINE {
    return ContactPoint<S>{select(is_parallel, parallel.distance, else_.distance),
                           choose(is_parallel, parallel.position, else_.position),
                           choose(is_parallel, parallel.normal, else_.normal), Vec3<S>::zero()};
  };
  out[0] = pick(one, crossing);
  out[1] = pick(other, crossing);
  out[1].distance = select(is_parallel, select(low == high, S(no_contact), other.distance), S(no_contact));
}

}  // namespace tandem::inline TANDEM_ISA
