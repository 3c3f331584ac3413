// SPDX-License-Identifier: Apache-2.0
/// Contacts of convex shapes without a closed form.
#include <gtest/gtest.h>

#include <limits>

#include "backends/cpu/kernels/pack.hpp"
#include "shapes.hpp"
#include "tandem/detail/contact/convex.hpp"

namespace tandem::test {
namespace {

/// How far two shapes are apart along a direction.
double apart_along(const Shape3& a, const Shape3& b, const Vec3<double>& n) {
  return dot(n, b.pose.p - a.pose.p) - reach(a, transpose_mul(a.pose.R, n)) - reach(b, transpose_mul(b.pose.R, -n));
}

/// The distance of two convex shapes, or less their depth, is the most by which they are apart along any direction.
TEST(Contacts, OfConvexShapesAreAlongTheDirectionThatPartsThemMost) {
  RandomShapes random(9);
  RandomSpatial directions(10);
  for_each_pair([&](ShapeType first, ShapeType second) {
    if (!is_general(first, second)) return;
    int overlaps = 0;
    for (int k = 0; k < poses; ++k) {
      const Shape3 a = random.shape(first), b = random.shape(second);
      const std::vector<Point> points = contacts_of(a, b);
      const Point& deepest = *std::ranges::min_element(points, {}, &Point::distance);
      overlaps += deepest.distance < 0;
      EXPECT_NEAR(apart_along(a, b, deepest.normal), deepest.distance, 1e-6)
          << to_string(first) << ' ' << to_string(second);
      double most = -1e9;
      for (const double angle : {0.01, 0.1, 1.0})  // a maximum nearby, and of all
        for (int i = 0; i < 60; ++i) {
          const Vec3<double> n = mul_add(angle, directions.vec3(), deepest.normal);
          most = std::max(most, apart_along(a, b, direction_or(n, {1.0, 0.0, 0.0})));
        }
      EXPECT_LE(most, deepest.distance + 1e-9) << to_string(first) << ' ' << to_string(second);
      // within a margin the same contacts; outside a distance that is not more than it is
      for (const double margin : {0.0, 0.3}) {
        std::vector<Point> near(most_contact_slots);
        pair_contacts(with_box(a), with_box(b), near.data(), margin);
        near.resize(points.size());
        if (deepest.distance < margin) {
          EXPECT_EQ(least(near), deepest.distance);
        } else {
          EXPECT_GE(least(near), margin);
          EXPECT_LE(least(near), deepest.distance + 1e-12);
        }
      }
    }
    EXPECT_GT(overlaps, poses / 20) << to_string(first) << ' ' << to_string(second);
  });
}

/// Points, segments and flat or tiny meshes, on each other and apart: nothing has a volume.
TEST(Contacts, OfMeshesWithoutAVolumeAreFinite) {
  static constexpr double points[] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0};
  static constexpr double flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  static constexpr double tiny[] = {0, 0, 0, 1e-9, 0, 0, 0, 1e-9, 0, 0, 0, 1e-9};
  const auto at = [](const Vec3<double>& p) { return ShapePose<double>{Mat3<double>::identity(), p}; };
  std::vector<Shape3> shapes;
  for (int n = 1; n <= 5; ++n) shapes.push_back({ShapeType::mesh, at({0, 0, 0}), {2, 2, 2}, n, points});
  for (const double* vertices : {flat, tiny})
    shapes.push_back({ShapeType::mesh, at({0, 0, 0}), {1, 1, 1}, 4, vertices});
  for (const Shape3& other : std::vector<Shape3>(shapes)) {
    for (const ShapeType type :
         {ShapeType::sphere, ShapeType::capsule, ShapeType::ellipsoid, ShapeType::cylinder, ShapeType::box})
      shapes.push_back({type, at({0, 0, 0}), {0.5, 0.5, 0.5}});
    for (const Shape3& shape : shapes)
      for (const Vec3<double>& away :
           {Vec3<double>{0, 0, 0}, {0.3, 0.2, 0}, {0.5, 0.5, 0.5}, {0, 0, 1}, {1e-12, 0, 0}}) {
        Shape3 moved = shape;
        moved.pose.p = away;
        for (const Point& point : contacts_of(moved, other)) {
          EXPECT_TRUE(std::isfinite(point.distance) && std::isfinite(norm(point.position)));
          EXPECT_NEAR(norm(point.normal), 1, 1e-12);
        }
      }
    shapes.resize(7);
  }
}

/// In this pose a new corner of the polytope lies in the plane of faces far away, and rounding shows them to it. The
/// depth is that along the normal that MuJoCo finds.
TEST(Contacts, OfFacesInOnePlaneEndAtTheDepth) {
  const auto turned = [](double x, double y, double z, double w) {
    return Mat3<double>{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                        {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                        {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
  };
  const Shape3 capsule = {ShapeType::capsule,
                          {turned(-0.3962302380867224, 0.21842919013968584, 0.5094870934869266, -0.7319243054380036),
                           {0.13228975886472333, 0.12369268811897349, 0.04759876605883778}},
                          {0.07, 0.16, 0}};
  const Shape3 cylinder = {ShapeType::cylinder,
                           {turned(0.3834124066062801, -0.09653270434070643, -0.006500834781305319,
                                   0.9184955648233671),
                            {-0.027102910004101005, 0.0642795849026715, 0.14473046428651837}},
                           {0.09, 0.17, 0}};
  ContactPoint<double> found[most_convex_slots];
  convex_contacts(capsule, cylinder, 1, no_contact, found);
  EXPECT_NEAR(found[0].distance, -0.11772252817012548, 1e-9);
}

/// Shapes a billion times as large, or as small, have contacts as many times as far away.
TEST(Contacts, OfScaledShapesAreScaled) {
  RandomShapes random(12);
  for_each_pair([&](ShapeType first, ShapeType second) {
    if (first == ShapeType::plane) return;
    for (const double scale : {1e-9, 1e9}) {
      std::vector<double> hull(std::begin(corners), std::end(corners));
      for (double& x : hull) x *= scale;
      const auto scaled = [&](Shape3 shape) {
        shape.pose.p = scale * shape.pose.p;
        shape.size = scale * shape.size;
        if (shape.type == ShapeType::mesh) shape.vertices = hull.data();
        return shape;
      };
      for (int k = 0; k < poses / 10; ++k) {
        const Shape3 a = random.shape(first), b = random.shape(second);
        const std::vector<Point> usual = contacts_of(a, b), other = contacts_of(scaled(a), scaled(b));
        if (least(usual) < no_contact) {
          EXPECT_NEAR(least(other) / scale, least(usual), 1e-8) << to_string(first) << ' ' << to_string(second);
        }
      }
    }
  });
}

/// NaN and infinities in poses come to an end, and stay in their lane.
TEST(Contacts, OfPosesThatAreNoNumbersEnd) {
  using Lanes = Pack<double, 2>;
  RandomShapes random(13);
  for_each_pair([&](ShapeType first, ShapeType second) {
    const Shape3 a = with_box(random.shape(first)), b = with_box(random.shape(second));
    const std::vector<Point> alone = contacts_of(a, b);
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e300})
      for (double Vec3<double>::*axis : {&Vec3<double>::x, &Vec3<double>::z})
        for (const bool turned : {false, true}) {
          Shape3 spoilt = b;
          (turned ? spoilt.pose.R.row1 : spoilt.pose.p).*axis = bad;
          contacts_of(a, spoilt);
          const Shape3 both[] = {spoilt, b};
          const auto packed = [&](const Shape3& one, const Shape3& other) {
            return lanes_of<Lanes>(one, [&](auto get) {
              Lanes pack;
              pack.lanes[0] = get(one);
              pack.lanes[1] = get(other);
              return pack;
            });
          };
          ContactPoint<Lanes> points[most_contact_slots];
          pair_contacts(packed(a, a), packed(both[0], both[1]), points);
          for (std::size_t slot = 0; slot < alone.size(); ++slot) {
            EXPECT_EQ(points[slot].distance.lanes[1], alone[slot].distance);
            EXPECT_EQ(points[slot].position.x.lanes[1], alone[slot].position.x);
          }
        }
  });
}

/// Everything that stands on a face of a box has contacts round its centre of mass, all at the depth.
TEST(Contacts, OfWhatStandsOnAFaceHoldIt) {
  static constexpr double cube[] = {-0.3, -0.3, -0.3, 0.3, -0.3, -0.3, -0.3, 0.3, -0.3, 0.3, 0.3, -0.3,
                                    -0.3, -0.3, 0.3,  0.3, -0.3, 0.3,  -0.3, 0.3, 0.3,  0.3, 0.3, 0.3};
  const Shape3 box = {ShapeType::box, {Mat3<double>::identity(), {0, 0, 0}}, {1, 1, 1}};
  const double c = std::cos(0.3), s = std::sin(0.3);
  const Mat3<double> turned = {{c, -s, 0}, {s, c, 0}, {0, 0, 1}}, lying = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}};
  const Shape3 standing[] = {{ShapeType::cylinder, {turned, {0.2, 0.1, 1.29}}, {0.4, 0.3, 0}},
                             {ShapeType::mesh, {turned, {0.2, 0.1, 1.29}}, {0, 0, 0}, 8, cube},
                             {ShapeType::cylinder, {lying, {0.2, 0.1, 1.29}}, {0.3, 0.5, 0}}};
  for (const Shape3& shape : standing) {
    const bool first = shape.type < box.type;
    int used = 0;
    Vec3<double> sum = Vec3<double>::zero();
    for (const Point& point : first ? contacts_of(shape, box) : contacts_of(box, shape)) {
      if (point.distance >= no_contact) continue;
      ++used;
      EXPECT_NEAR(point.distance, -0.01, 1e-12);
      EXPECT_NEAR(point.position.z, 0.995, 1e-12);
      EXPECT_NEAR(point.normal.z, first ? -1 : 1, 1e-12);
      sum = sum + point.position;
    }
    EXPECT_EQ(used, shape.pose.R.row2.z > 0 ? 4 : 2);
    EXPECT_NEAR(sum.x / used, 0.2, 1e-9);
    EXPECT_NEAR(sum.y / used, 0.1, 1e-9);
  }
}

}  // namespace
}  // namespace tandem::test
