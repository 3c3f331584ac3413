// SPDX-License-Identifier: Apache-2.0
#include "tandem/detail/spatial/body_mobility.hpp"

#include <gtest/gtest.h>

#include "support/dense.hpp"

namespace tandem::test {
namespace {

/// A body with mass, its centre anywhere, and a positive definite inertia about it.
Inertia<double> body(RandomSpatial& random) {
  const double m = 1.5 + random.number();
  const Vec3<double> c = random.vec3();
  const Matrix3 B = dense(random.mat3());
  const Matrix3 C = B * B.transpose() + 0.1 * Matrix3::Identity();
  const Sym3<double> central = {C(0, 0), C(1, 1), C(2, 2), C(0, 1), C(0, 2), C(1, 2)};
  return {m, m * c, central + minus_skew_product(c, m * c)};
}

TEST(BodyMobility, IsTheInverseOfTheInertia) {
  RandomSpatial random(1);
  for (int k = 0; k < 100; ++k) {
    const auto I = body(random);
    const auto f = random.force();
    const Vector6 expected = solve_positive_definite(dense(I), dense(f));
    EXPECT_LE((dense(inverse(I) * f) - expected).norm(), 1e-12 * expected.norm());
  }
}

TEST(BodyMobility, IsSeenFromAnotherFrameAsThatOfTheMovedBody) {
  RandomSpatial random(2);
  for (int k = 0; k < 100; ++k) {
    const auto I = body(random);
    const auto X = random.transform();
    const auto f = random.force();
    const Matrix6 dense_X = dense(X);
    const Vector6 expected = dense_X * dense(inverse(I) * transpose_mul(X, f));
    EXPECT_LE((dense(seen_from(X, inverse(I)) * f) - expected).norm(), 1e-12 * expected.norm());
  }
}

TEST(BodyMobility, OfNothingThatMovesIsZero) {
  RandomSpatial random(3);
  EXPECT_EQ(dense(BodyMobility<double>::zero() * random.force()).norm(), 0);
  EXPECT_EQ(dense(seen_from(random.transform(), BodyMobility<double>::zero()) * random.force()).norm(), 0);
}

}  // namespace
}  // namespace tandem::test
