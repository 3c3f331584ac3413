// SPDX-License-Identifier: Apache-2.0
/// Contacts of two shapes against closed forms and searches over their points; the same bits in every lane.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "backends/cpu/kernels/pack.hpp"
#include "shapes.hpp"

namespace tandem::test {
namespace {

/// Signed distance of a point in the world from the surface of a shape.
double outside(const Shape3& shape, const Vec3<double>& world) {
  const Vec3<double> p = transpose_mul(shape.pose.R, world - shape.pose.p);
  const auto& [x, y, z] = shape.size;
  const auto of = [](std::initializer_list<double> excesses) {
    double squares = 0, most = -1e9;
    for (const double e : excesses) {
      squares += std::max(e, 0.0) * std::max(e, 0.0);
      most = std::max(most, e);
    }
    return most > 0 ? std::sqrt(squares) : most;
  };
  switch (shape.type) {
    case ShapeType::plane: return p.z;
    case ShapeType::sphere: return norm(p) - x;
    case ShapeType::capsule: return std::hypot(p.x, p.y, p.z - std::clamp(p.z, -y, y)) - x;
    case ShapeType::cylinder: return of({std::hypot(p.x, p.y) - x, std::abs(p.z) - y});
    case ShapeType::box: return of({std::abs(p.x) - x, std::abs(p.y) - y, std::abs(p.z) - z});
    default: return 0;
  }
}

TEST(PlaneContacts, AreAtTheLowestPoint) {
  RandomShapes random(1);
  for (const ShapeType type : with_plane)
    for (int k = 0; k < poses; ++k) {
      const Shape3 plane = random.shape(ShapeType::plane), shape = random.shape(type);
      const Vec3<double> n = plane.pose.axis_z();
      const double expected = dot(n, shape.pose.p - plane.pose.p) - reach(shape, transpose_mul(shape.pose.R, -n));
      EXPECT_NEAR(least(contacts_of(plane, shape)), expected, 64 * eps) << to_string(type);
    }
}

TEST(PlaneContacts, OfABoxAreItsLowerCorners) {
  const Shape3 plane = {ShapeType::plane, {Mat3<double>::identity(), {0, 0, 0.5}}, {}};
  const Shape3 box = {ShapeType::box, {Mat3<double>::identity(), {1, 2, 3}}, {0.1, 0.2, 0.3}};
  for (const Point& point : contacts_of(plane, box)) {
    EXPECT_NEAR(point.distance, 2.2, 1e-15);
    EXPECT_NEAR(std::abs(point.position.x - 1), 0.1, 1e-15);
    EXPECT_NEAR(std::abs(point.position.y - 2), 0.2, 1e-15);
    EXPECT_NEAR(point.position.z, 1.6, 1e-15);
  }
}

TEST(PlaneContacts, OfAnUprightCylinderAreThreePointsOfItsRim) {
  const Shape3 plane = {ShapeType::plane, {Mat3<double>::identity(), {0, 0, 0}}, {}};
  const Shape3 cylinder = {ShapeType::cylinder, {Mat3<double>::identity(), {0, 0, 1}}, {0.5, 1, 0}};
  const std::vector<Point> points = contacts_of(plane, cylinder);
  for (const int k : {0, 2, 3}) {
    const Point& point = points[static_cast<std::size_t>(k)];
    EXPECT_NEAR(point.distance, 0, 1e-15);
    EXPECT_NEAR(std::hypot(point.position.x, point.position.y), 0.5, 1e-15);
  }
  EXPECT_NEAR(points[0].position.x + points[2].position.x + points[3].position.x, 0, 1e-15);
  EXPECT_NEAR(points[1].distance, 2, 1e-15);
}

/// The two points of a contact are on the surfaces, as far as these have a distance in closed form.
TEST(Contacts, AreBetweenPointsOfTheTwoSurfaces) {
  RandomShapes random(2);
  for_each_pair([&](ShapeType first, ShapeType second) {
    if (is_general(first, second)) return;
    for (int k = 0; k < poses; ++k) {
      const Shape3 a = random.shape(first), b = random.shape(second);
      const std::vector<Point> points = contacts_of(a, b);
      // boxes that are apart may be nearest at corners, which are on no common axis
      if (first == ShapeType::box && second == ShapeType::box && least(points) > 0) continue;
      for (const Point& point : points) {
        if (point.distance >= no_contact) continue;
        EXPECT_NEAR(norm(point.normal), 1, 16 * eps);
        const Vec3<double> half = 0.5 * point.distance * point.normal;
        const double on_first = outside(a, point.position - half);
        // of a capsule on a box the ball's, which is inside the capsule where the way is not normal to it
        const bool is_ball = first == ShapeType::capsule && second == ShapeType::box;
        EXPECT_LT(on_first, 256 * eps) << to_string(first) << ' ' << to_string(second);
        if (!is_ball) {
          EXPECT_GT(on_first, -256 * eps) << to_string(first) << ' ' << to_string(second);
        }
        if (second == ShapeType::ellipsoid || second == ShapeType::mesh) continue;
        const double on_second = outside(b, point.position + half);
        // points of a disc, and of the upper end of a capsule, are inside
        const bool is_inner =
            first == ShapeType::plane && (second == ShapeType::cylinder || second == ShapeType::capsule);
        EXPECT_LT(on_second, 256 * eps) << to_string(first) << ' ' << to_string(second);
        if (!is_inner) {
          EXPECT_GT(on_second, -256 * eps) << to_string(first) << ' ' << to_string(second);
        }
      }
    }
  });
}

/// Least distance of points of a segment from a shape by a search, less its radius.
double searched(const Shape3& capsule, const Shape3& other) {
  const auto at = [&](double t) { return outside(other, mul_add(t, capsule.pose.axis_z(), capsule.pose.p)); };
  double low = -capsule.size.y, high = capsule.size.y;  // convex outside
  for (int k = 0; k < 200; ++k) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (at(a) < at(b) ? high : low) = at(a) < at(b) ? b : a;
  }
  return at(0.5 * (low + high)) - capsule.size.x;
}

TEST(Contacts, OfTwoThatMoveAreAtTheLeastDistance) {
  RandomShapes random(3);
  for_each_pair([&](ShapeType first, ShapeType second) {
    if (is_general(first, second)) return;
    for (int k = 0; k < poses; ++k) {
      const Shape3 a = random.shape(first), b = random.shape(second);
      const double found = least(contacts_of(a, b));
      if (first == ShapeType::sphere) {
        EXPECT_NEAR(found, outside(b, a.pose.p) - a.size.x, 64 * eps) << to_string(second);
      } else if (first == ShapeType::capsule) {
        const double expected = searched(a, b);
        // the search goes over where the distance is not convex, which is inside; rounded minima are flat
        if (expected + a.size.x > 1e-3) {
          EXPECT_NEAR(found, expected, 1e-12) << to_string(second);
        }
      }
    }
  });
}

/// The overlap of two convex bodies along any direction is at least their depth, and along the normal it is their
/// depth.
TEST(Contacts, OfTwoBoxesAreAtTheirDepth) {
  RandomShapes random(7);
  RandomSpatial directions(8);
  int overlaps = 0, edges = 0, exact = 0;
  for (int k = 0; k < 4 * poses; ++k) {
    const Shape3 a = random.shape(ShapeType::box), b = random.shape(ShapeType::box);
    const auto along = [&](const Vec3<double>& n) {
      return dot(n, b.pose.p - a.pose.p) - reach(a, transpose_mul(a.pose.R, n)) - reach(b, transpose_mul(b.pose.R, n));
    };
    const std::vector<Point> points = contacts_of(a, b);
    const double depth = least(points);
    double most = -1e9;
    for (int i = 0; i < 200; ++i) most = std::max(most, along(direction_or(directions.vec3(), {1.0, 0.0, 0.0})));
    if (depth >= 0) continue;  // apart
    ++overlaps;
    const Point& deepest = *std::ranges::min_element(points, {}, &Point::distance);
    EXPECT_LE(along(deepest.normal), depth + 64 * eps);
    EXPECT_LE(most, face_instead_of_edges * depth + 64 * eps);
    exact += most < depth + 1e-12 && along(deepest.normal) > depth - 64 * eps;
    edges += std::ranges::count_if(points, [](const Point& p) { return p.distance < no_contact; }) == 1;
  }
  EXPECT_GT(overlaps, poses / 2);
  EXPECT_GT(edges, 10);
  EXPECT_GT(exact, 0.8 * overlaps);
}

/// The same of capsules, with directions close to the normal, also where the axis goes through the box.
TEST(Contacts, OfACapsuleInABoxAreAtItsDepth) {
  RandomShapes random(11);
  RandomSpatial directions(12);
  int through = 0, by_edge = 0;
  for (int k = 0; k < 10 * poses; ++k) {
    const Shape3 a = random.shape(ShapeType::capsule), b = random.shape(ShapeType::box);
    const auto along = [&](const Vec3<double>& n) {
      return dot(n, b.pose.p - a.pose.p) - reach(a, transpose_mul(a.pose.R, n)) - reach(b, transpose_mul(b.pose.R, n));
    };
    const std::vector<Point> points = contacts_of(a, b);
    const Point& deepest = points[0];
    EXPECT_GE(points[1].distance, deepest.distance);
    EXPECT_NEAR(along(deepest.normal), deepest.distance, 256 * eps);
    for (const double angle : {0.01, 0.1, 1.0, 10.0})
      for (int i = 0; i < 20; ++i)
        EXPECT_LE(along(direction_or(mul_add(angle, directions.vec3(), deepest.normal), {1.0, 0.0, 0.0})),
                  deepest.distance + 256 * eps);
    if (-a.size.x <= deepest.distance) continue;  // the axis is outside
    ++through;
    const Vec3<double> n = transpose_mul(b.pose.R, deepest.normal);
    by_edge += std::max({std::abs(n.x), std::abs(n.y), std::abs(n.z)}) < 0.999;
  }
  EXPECT_GT(through, poses / 2);
  EXPECT_GT(by_edge, through / 20);
}

/// A long capsule that sticks through a plate is pushed out of the face it is closest to, at both edges of the plate.
TEST(Contacts, OfACapsuleThroughABoxPushItOutOfOneFace) {
  const Mat3<double> lying = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}};  // its z is x of the world
  const Shape3 box = {ShapeType::box, {Mat3<double>::identity(), {0, 0, 0}}, {1, 1, 0.1}};
  const Shape3 capsule = {ShapeType::capsule, {lying, {0.3, 0.2, 0.06}}, {0.05, 3, 0}};
  const std::vector<Point> points = contacts_of(capsule, box);
  for (const Point& point : points) {
    EXPECT_NEAR(point.distance, -0.09, 1e-15);
    EXPECT_NEAR(point.normal.z, -1, 1e-15);
    EXPECT_NEAR(std::abs(point.position.x), 1, 1e-15);
    EXPECT_NEAR(point.position.z, 0.055, 1e-15);
  }
  EXPECT_NEAR(points[0].position.x + points[1].position.x, 0, 1e-15);
}

TEST(Contacts, OfABoxOnABoxAreTheCornersOfTheCommonFace) {
  const Shape3 below = {ShapeType::box, {Mat3<double>::identity(), {0, 0, 0}}, {1, 1, 1}};
  const double angle = 0.7853981633974483, c = std::cos(angle);
  const Shape3 turned = {ShapeType::box, {{{c, -c, 0}, {c, c, 0}, {0, 0, 1}}, {0, 0, 1.4}}, {1, 1, 0.5}};
  const Shape3 small = {ShapeType::box, {Mat3<double>::identity(), {0.3, 0.2, 1.4}}, {0.2, 0.3, 0.5}};
  for (const auto& [above, corners_of_face] : {std::pair{turned, 8}, {small, 4}})
    for (const bool swapped : {false, true}) {
      int used = 0;
      double x = 0, y = 0;
      for (const Point& point : swapped ? contacts_of(above, below) : contacts_of(below, above)) {
        if (point.distance >= no_contact) continue;
        ++used;
        EXPECT_NEAR(point.distance, -0.1, 1e-15);
        EXPECT_NEAR(point.normal.z, swapped ? -1 : 1, 1e-15);
        EXPECT_NEAR(point.position.z, 0.95, 1e-15);
        x += point.position.x, y += point.position.y;
      }
      EXPECT_EQ(used, corners_of_face);
      EXPECT_NEAR(x / used, above.pose.p.x, 1e-14);
      EXPECT_NEAR(y / used, above.pose.p.y, 1e-14);
    }
}

TEST(Contacts, OfACapsuleThatLiesOnABoxAreAtBothEnds) {
  const Mat3<double> lying = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}};  // its z is x of the world
  const Shape3 box = {ShapeType::box, {Mat3<double>::identity(), {0, 0, 0}}, {1, 1, 1}};
  for (const double tilt : {0.0, 1e-9, -1e-9, 0.01}) {
    const Mat3<double> turn = {{std::cos(tilt), 0, std::sin(tilt)}, {0, 1, 0}, {-std::sin(tilt), 0, std::cos(tilt)}};
    for (const double length : {0.5, 3.0}) {  // shorter than the face, and longer
      const Shape3 capsule = {ShapeType::capsule, {turn * lying, {0, 0.2, 1.25}}, {0.25, length, 0}};
      const std::vector<Point> points = contacts_of(capsule, box);
      ASSERT_LT(points[1].distance, 1) << tilt;
      const double left = std::min(points[0].position.x, points[1].position.x);
      const double right = std::max(points[0].position.x, points[1].position.x);
      EXPECT_NEAR(right - left, 2 * std::min(length, 1.0), 0.05) << tilt;
      EXPECT_LT(points[0].distance, 0.05);
    }
  }
}

TEST(Contacts, OfParallelCapsulesAreAtBothEndsOfTheirOverlap) {
  const Shape3 a = {ShapeType::capsule, {Mat3<double>::identity(), {0, 0, 0}}, {0.1, 1, 0}};
  const Shape3 b = {ShapeType::capsule, {Mat3<double>::identity(), {0.3, 0, 0.5}}, {0.1, 1, 0}};
  const std::vector<Point> points = contacts_of(a, b);
  for (const Point& point : points) EXPECT_NEAR(point.distance, 0.1, 1e-15);
  EXPECT_NEAR(points[0].position.z, -0.5, 1e-15);
  EXPECT_NEAR(points[1].position.z, 1, 1e-15);
}

TEST(ContactFrames, AreOrthonormalAndTurnRight) {
  RandomShapes random(4);
  const Shape3 plane = random.shape(ShapeType::plane);
  for (const ShapeType type : with_plane)
    for (const Point& point : contacts_of(plane, random.shape(type))) {
      const Mat3<double> E = contact_frame(point), one = mul_transpose(E, E);
      for (const Vec3<double>& row :
           {one.row0 - Mat3<double>::identity().row0, one.row1 - Mat3<double>::identity().row1,
            one.row2 - Mat3<double>::identity().row2})
        EXPECT_LT(norm(row), 16 * eps);
      EXPECT_NEAR(dot(cross(E.row0, E.row1), E.row2), 1, 16 * eps);
    }
}

TEST(ContactFrames, AreOrthonormalWhereTheTangentIsTheNormal) {
  RandomShapes random(5);
  for (int k = 0; k < 100; ++k) {
    const Vec3<double> n = random.shape(ShapeType::plane).pose.axis_z();
    const Mat3<double> E = contact_frame(ContactPoint<double>{0, {0, 0, 0}, n, n});
    EXPECT_NEAR(norm(E.row1), 1, 16 * eps);
    EXPECT_NEAR(dot(E.row0, E.row1), 0, 16 * eps);
    EXPECT_NEAR(dot(cross(E.row0, E.row1), E.row2), 1, 16 * eps);
  }
}

/// Where directions vanish: centres that coincide, axes through each other. Masked lanes compute these.
TEST(Contacts, AreFiniteWhereNothingHasADirection) {
  for_each_pair([&](ShapeType first, ShapeType second) {
    Shape3 a = {first, {Mat3<double>::identity(), {0, 0, 0}}, {0.5, 0.5, 0.5}, 5, corners}, b = a;
    b.type = second;
    for (const Point& point : contacts_of(a, b)) {
      EXPECT_TRUE(std::isfinite(point.distance) && std::isfinite(norm(point.position)));
      EXPECT_NEAR(norm(point.normal), 1, 16 * eps) << to_string(first) << ' ' << to_string(second);
    }
  });
}

/// Also where the other lane is so far away that it is left out: contacts within a margin, and no others.
TEST(Contacts, HaveTheSameBitsInEveryLane) {
  using Lanes = Pack<double, 2>;
  RandomShapes random(5);
  for_each_pair([&](ShapeType first, ShapeType second) {
    for (int k = 0; k < poses / 4; ++k) {
      const Shape3 a[] = {with_box(random.shape(first)), with_box(random.shape(first))};
      Shape3 b[] = {with_box(random.shape(second)), with_box(random.shape(second))};
      if (k % 4 == 0) b[k % 8 / 4].pose.p.x += 4;
      const auto packed = [&](const Shape3* shapes) {
        return lanes_of<Lanes>(shapes[0], [&](auto get) {
          Lanes pack;
          for (int lane = 0; lane < 2; ++lane) pack.lanes[lane] = get(shapes[lane]);
          return pack;
        });
      };
      for (const double margin : {no_contact, 0.3, 0.0}) {
        ContactPoint<Lanes> points[most_contact_slots];
        pair_contacts(packed(a), packed(b), points, margin);
        for (int lane = 0; lane < 2; ++lane) {
          const std::vector<Point> alone = contacts_of(a[lane], b[lane]);
          for (std::size_t slot = 0; slot < alone.size(); ++slot) {
            const double distance = points[slot].distance.lanes[lane];
            if (!(alone[slot].distance < margin)) {
              EXPECT_GE(distance, margin) << to_string(first) << ' ' << to_string(second);
              continue;
            }
            EXPECT_EQ(distance, alone[slot].distance) << to_string(first) << ' ' << to_string(second);
            EXPECT_EQ(points[slot].position.y.lanes[lane], alone[slot].position.y);
            EXPECT_EQ(points[slot].normal.z.lanes[lane], alone[slot].normal.z);
          }
        }
      }
    }
  });
}

TEST(Contacts, AreTheSameInFloat) {
  RandomShapes random(6);
  for_each_pair([&](ShapeType first, ShapeType second) {
    for (int k = 0; k < poses; ++k) {
      const Shape3 a = random.shape(first), b = random.shape(second);
      const auto rounded = [](const Shape3& shape) {
        return lanes_of<float>(shape, [&](auto get) { return static_cast<float>(get(shape)); });
      };
      ContactPoint<float> points[most_contact_slots];
      pair_contacts(rounded(a), rounded(b), points);
      const std::vector<Point> exact = contacts_of(a, b);
      double nearest = no_contact;
      for (std::size_t slot = 0; slot < exact.size(); ++slot)
        nearest = std::min<double>(nearest, points[slot].distance);
      if (std::max(nearest, least(exact)) < no_contact) {
        EXPECT_NEAR(nearest, least(exact), 512 * 1.2e-7) << to_string(first) << ' ' << to_string(second);
      }
    }
  });
}

}  // namespace
}  // namespace tandem::test
