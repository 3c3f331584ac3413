// SPDX-License-Identifier: Apache-2.0
/// Points at which two shapes are nearest to each other, or deepest in each other. Functions of pairs of shapes are in
/// files of their own; in all of them
///
///     distance   of the two surfaces along the normal, below 0 where they overlap; no_contact in slots that are not
///                used
///     normal     unit vector from shape 1 to shape 2
///     position   half way between the two surfaces
///
/// in world axes, without a branch on a number: slots of a pack are computed in all lanes alike. All numbers are
/// finite. Slots, points and tangents are those of MuJoCo [MuJoCo 4.0, Computation, Collision], where it has a closed
/// form.
#pragma once
#include <limits>

#include "tandem/detail/spatial/mat3.hpp"

namespace tandem::inline TANDEM_ISA {

/// The distance in slots that are not used: larger than any margin, and finite in float.
inline constexpr double no_contact = 1e30;
/// The square of a length below which a vector has no direction.
inline constexpr double no_direction = 1e-30;

/// A contact. `tangent` is a direction that the first tangent is to have; zero: any.
template <class S>
struct ContactPoint {
  S distance;
  Vec3<S> position, normal, tangent;
};

/// Where a shape stands: R turns its axes into those of the world, p is its origin there.
template <class S>
struct ShapePose {
  Mat3<S> R;
  Vec3<S> p;
  TANDEM_HD Vec3<S> axis_x() const { return {R.row0.x, R.row1.x, R.row2.x}; }
  TANDEM_HD Vec3<S> axis_y() const { return {R.row0.y, R.row1.y, R.row2.y}; }
  TANDEM_HD Vec3<S> axis_z() const { return {R.row0.z, R.row1.z, R.row2.z}; }
};

/// a where the condition holds, b elsewhere.
template <class Condition, class S>
TANDEM_HD Vec3<S> choose(const Condition& condition, const Vec3<S>& a, const Vec3<S>& b) {
  return {select(condition, a.x, b.x), select(condition, a.y, b.y), select(condition, a.z, b.z)};
}

/// The lesser and the larger of two numbers; x between two bounds.
template <class S>
TANDEM_HD S lesser(const S& a, const S& b) {
  return select(b < a, b, a);
}
template <class S>
TANDEM_HD S larger(const S& a, const S& b) {
  return select(a < b, b, a);
}
template <class S>
TANDEM_HD S between(const S& low, const S& x, const S& high) {
  return lesser(larger(x, low), high);
}

/// The part of the line p + t d, 0 <= t <= 1, with |p + t d| <= half, intersected with [from, to].
template <class S>
TANDEM_HD void clip(const S& p, const S& d, const S& half, S& from, S& to) {
  const auto is_flat = abs(d) < S(std::numeric_limits<typename RealOf<S>::type>::min());
  const S divisor = select(is_flat, S(1), d);
  const S low = (select(d < S(0), half, -half) - p) / divisor, high = (select(d < S(0), -half, half) - p) / divisor;
  const auto is_outside = half < abs(p);
  from = select(is_flat, select(is_outside, S(2), from), larger(from, low));
  to = select(is_flat, to, lesser(to, high));
}

/// a / |a|, or `otherwise` where a has no direction; `length` is |a|.
template <class S>
TANDEM_HD Vec3<S> direction_or(const Vec3<S>& a, const Vec3<S>& otherwise, S& length) {
  const S squared = dot(a, a);
  const auto has_none = squared < S(no_direction);
  const S divisor = sqrt(select(has_none, S(1), squared));
  length = select(has_none, S(0), divisor);
  return choose(has_none, otherwise, (S(1) / divisor) * a);
}
template <class S>
TANDEM_HD Vec3<S> direction_or(const Vec3<S>& a, const Vec3<S>& otherwise) {
  S length;
  return direction_or(a, otherwise, length);
}

/// Rows: the normal and two tangents, orthonormal. The first tangent is the direction that the contact has, else y of
/// the world, else z, made normal to the normal. Where the direction is that of the normal it is x, as in MuJoCo: of a
/// capsule that stands upright.
template <class S>
TANDEM_HD Mat3<S> contact_frame(const ContactPoint<S>& contact) {
  const Vec3<S>& n = contact.normal;
  const Vec3<S> x = {S(1), S(0), S(0)}, y = {S(0), S(1), S(0)}, z = {S(0), S(0), S(1)};
  const auto across = [&](const Vec3<S>& a) { return mul_add(-dot(n, a), n, a); };
  const Vec3<S> usual = across(choose(abs(n.y) < S(0.5), y, z));
  const Vec3<S> other = choose(abs(n.x) < S(0.5), across(x), usual);
  const Vec3<S> wanted = across(contact.tangent);
  const Vec3<S> given = choose(dot(wanted, wanted) < S(no_direction), other, wanted);
  const Vec3<S> first = direction_or(choose(dot(contact.tangent, contact.tangent) < S(0.25), usual, given), usual);
  return {n, first, cross(n, first)};
}

}  // namespace tandem::inline TANDEM_ISA
