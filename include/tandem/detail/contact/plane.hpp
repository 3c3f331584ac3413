// SPDX-License-Identifier: Apache-2.0
/// Contacts of a plane, shape 1, whose normal is z of its frame.
#pragma once
#include "tandem/detail/contact/point.hpp"

namespace tandem::inline TANDEM_ISA {

/// A point of shape 2 at that height over the plane.
template <class S>
TANDEM_HD ContactPoint<S> plane_point(const Vec3<S>& n, const Vec3<S>& point, const S& height,
                                      const Vec3<S>& tangent = Vec3<S>::zero()) {
  return {height, mul_add(S(-0.5) * height, n, point), n, tangent};
}

/// A ball of radius r at c.
template <class S>
TANDEM_HD ContactPoint<S> plane_ball(const ShapePose<S>& plane, const Vec3<S>& c, const S& r,
                                     const Vec3<S>& tangent = Vec3<S>::zero()) {
  const Vec3<S> n = plane.axis_z();
  return plane_point(n, mul_add(-r, n, c), dot(n, c - plane.p) - r, tangent);
}

/// One slot.
template <class S>
TANDEM_HD void plane_sphere(const ShapePose<S>& plane, const ShapePose<S>& sphere, const S& r, ContactPoint<S>* out) {
  out[0] = plane_ball(plane, sphere.p, r);
}

/// Two slots: the ball at the end towards z of the capsule, then the other. The first tangent is along the capsule.
template <class S>
TANDEM_HD void plane_capsule(const ShapePose<S>& plane, const ShapePose<S>& capsule, const S& r, const S& half_length,
                             ContactPoint<S>* out) {
  const Vec3<S> axis = capsule.axis_z();
  out[0] = plane_ball(plane, mul_add(half_length, axis, capsule.p), r, axis);
  out[1] = plane_ball(plane, mul_add(-half_length, axis, capsule.p), r, axis);
}

/// One slot: the point of the ellipsoid whose normal is opposite to that of the plane, size .* (size .* d) / |size .*
/// d| in the direction d.
template <class S>
TANDEM_HD void plane_ellipsoid(const ShapePose<S>& plane, const ShapePose<S>& ellipsoid, const Vec3<S>& size,
                               ContactPoint<S>* out) {
  const Vec3<S> n = plane.axis_z(), d = transpose_mul(ellipsoid.R, -n);
  const Vec3<S> scaled = direction_or({size.x * d.x, size.y * d.y, size.z * d.z}, Vec3<S>::zero());
  const Vec3<S> point = mul_add(ellipsoid.R, {size.x * scaled.x, size.y * scaled.y, size.z * scaled.z}, ellipsoid.p);
  out[0] = plane_point(n, point, dot(n, point - plane.p));
}

/// Four slots: of every two opposite corners the lower one.
template <class S>
TANDEM_HD void plane_box(const ShapePose<S>& plane, const ShapePose<S>& box, const Vec3<S>& size,
                         ContactPoint<S>* out) {
  const Vec3<S> n = plane.axis_z();
  const Vec3<S> x = size.x * box.axis_x(), y = size.y * box.axis_y(), z = size.z * box.axis_z();
  const S height = dot(n, box.p - plane.p);
  TANDEM_UNROLLED
  for (int k = 0; k < 4; ++k) {
    const Vec3<S> xy = (k & 1) == 0 ? x + y : x - y, up = (k & 2) == 0 ? xy + z : xy - z;
    const S rise = dot(n, up);
    const auto is_upper = S(0) < rise;
    out[k] = plane_point(n, box.p + choose(is_upper, -up, up), height + select(is_upper, -rise, rise));
  }
}

/// Four slots: the lowest point of the rim that is nearer to the plane, the one above it on the other rim, and two
/// points of the nearer rim that make an equilateral triangle with the lowest one.
template <class S>
TANDEM_HD void plane_cylinder(const ShapePose<S>& plane, const ShapePose<S>& cylinder, const S& r, const S& half_length,
                              ContactPoint<S>* out) {
  const Vec3<S> n = plane.axis_z(), z = cylinder.axis_z();
  const S along = dot(n, z);
  const auto is_upper = S(0) < along;
  const Vec3<S> axis = choose(is_upper, -z, z);  // towards the plane
  const S fall = select(is_upper, -along, along);
  // from the axis down the disc: -n without its part along the axis; any direction where the disc is parallel to the
  // plane
  const Vec3<S> down = r * direction_or(mul_add(fall, axis, -n), cylinder.axis_x());
  const Vec3<S> half = half_length * axis, side = S(0.86602540378443864676) * cross(down, axis);  // sqrt(3) / 2
  const S height = dot(n, cylinder.p - plane.p), sinks = dot(n, down), slopes = half_length * fall;
  const Vec3<S> near = cylinder.p + half;
  out[0] = plane_point(n, near + down, height + slopes + sinks);
  out[1] = plane_point(n, cylinder.p - half + down, height - slopes + sinks);
  const Vec3<S> middle = mul_add(S(-0.5), down, near);
  const S rises = height + slopes - S(0.5) * sinks;
  out[2] = plane_point(n, middle + side, rises);
  out[3] = plane_point(n, middle - side, rises);
}

/// How steep a face may be over the plane so that its corners count as those of a face that lies on it.
inline constexpr double steepest_face = 0.5;

/// Four slots: the lowest of n vertices; the one that is farthest from it along the plane; those that are farthest to
/// either side of the line between them. Height over the lowest one counts against a vertex, divided by steepest_face.
/// What would be the same vertex again has no contact. vertices [n][3] in the frame of the mesh.
template <class S, class Vertices>
TANDEM_HD void plane_vertices(const ShapePose<S>& plane, const ShapePose<S>& mesh, int n_vertices, Vertices vertices,
                              ContactPoint<S>* out) {
  const Vec3<S> n = plane.axis_z(), up = transpose_mul(mesh.R, n);  // in the frame of the mesh
  const S height = dot(n, mesh.p - plane.p);
  const auto vertex = [&](int k) TANDEM_INLINE {
    return Vec3<S>{S(vertices[3 * k]), S(vertices[3 * k + 1]), S(vertices[3 * k + 2])};
  };
  struct Found {
    S score, which;
    Vec3<S> at;
  };
  // the vertex with the largest score, the first of several
  const auto best = [&](auto score) TANDEM_INLINE {
    Found found = {score(vertex(0)), S(0), vertex(0)};
    for (int k = 1; k < n_vertices; ++k) {
      const Vec3<S> v = vertex(k);
      const S its = score(v);
      const auto is_better = found.score < its;
      found = {select(is_better, its, found.score), select(is_better, S(k), found.which),
               choose(is_better, v, found.at)};
    }
    return found;
  };
  const Found lowest = best([&](const Vec3<S>& v) TANDEM_INLINE { return -dot(up, v); });
  const auto across = [&](const Vec3<S>& v) TANDEM_INLINE {
    const Vec3<S> way = v - lowest.at;
    return mul_add(-dot(up, way), up, way);
  };
  const auto penalty = [&](const Vec3<S>& v) TANDEM_INLINE { return S(1 / steepest_face) * dot(up, v - lowest.at); };
  const Found far = best([&](const Vec3<S>& v) TANDEM_INLINE { return norm(across(v)) - penalty(v); });
  const Vec3<S> left = cross(up, direction_or(across(far.at), Vec3<S>::zero()));
  const Found first = best([&](const Vec3<S>& v) TANDEM_INLINE { return dot(left, v - lowest.at) - penalty(v); });
  const Found second = best([&](const Vec3<S>& v) TANDEM_INLINE { return -dot(left, v - lowest.at) - penalty(v); });
  const Found* const all[4] = {&lowest, &far, &first, &second};
  TANDEM_UNROLLED
  for (int k = 0; k < 4; ++k) {
    const S own = height + dot(up, all[k]->at);
    S distance = own;
    for (int i = 0; i < k; ++i) distance = select(all[i]->which == all[k]->which, S(no_contact), distance);
    out[k] = plane_point(n, mul_add(mesh.R, all[k]->at, mesh.p), own);
    out[k].distance = distance;
  }
}

}  // namespace tandem::inline TANDEM_ISA
