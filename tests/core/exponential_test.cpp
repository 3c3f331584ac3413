// SPDX-License-Identifier: Apache-2.0
/// Exponential and logarithm of rotations and rigid motions, from tiny angles to half a turn.
#include "tandem/detail/spatial/exponential.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include <unsupported/Eigen/MatrixFunctions>
#include "support/dense.hpp"

namespace tandem::test {
namespace {

constexpr double pi = std::numbers::pi;

const std::vector<double> angles = {0,   1e-300, 1e-160, 1e-30, 1e-12, 1e-8, 1e-5,      9.999e-3,  1.0001e-2,
                                    0.1, 0.5,    1,      2,     3,     3.1,  pi - 1e-6, pi - 1e-12};

Vec3<double> vec3(const Vector3& a) { return {a.x(), a.y(), a.z()}; }

std::vector<Vector3> directions() {
  std::vector<Vector3> result = {Vector3::UnitX(), Vector3::UnitY(), -Vector3::UnitZ()};
  RandomSpatial random(7);
  for (int k = 0; k < 5; ++k) result.push_back(dense(random.vec3()).normalized());
  return result;
}

/// exp of the 4x4 matrix of a body velocity, by Eigen.
Eigen::Matrix4d rigid_exponential(const Vector3& w, const Vector3& v) {
  Eigen::Matrix4d generator = Eigen::Matrix4d::Zero();
  generator.topLeftCorner<3, 3>() = skew_matrix(w);
  generator.topRightCorner<3, 1>() = v;
  return generator.exp();
}

TEST(Exponential, AgreesWithTheMatrixExponential) {
  RandomSpatial random(1);
  for (const double angle : angles) {
    for (const Vector3& n : directions()) {
      const Vector3 w = angle * n, v = dense(random.vec3());
      const Eigen::Matrix4d reference = rigid_exponential(w, v);
      const Matrix3 R = dense(rotation(exponential(vec3(w))));
      EXPECT_LE((R - reference.topLeftCorner<3, 3>()).norm(), 32 * eps) << "angle " << angle;
      const Vector3 p = dense(exponential_translation(Motion<double>{vec3(w), vec3(v)}));
      EXPECT_LE((p - reference.topRightCorner<3, 1>()).norm(), 32 * eps) << "angle " << angle;
    }
  }
}

TEST(Exponential, LogarithmBringsTheVectorBack) {
  for (const double angle : angles) {
    for (const Vector3& n : directions()) {
      const Vector3 u = angle * n;
      const auto a = exponential(vec3(u));
      EXPECT_LE((dense(logarithm(a)) - u).norm(), 8 * eps * angle) << "angle " << angle;
      const Quaternion<double> opposite = {-a.x, -a.y, -a.z, -a.w}, longer = {5 * a.x, 5 * a.y, 5 * a.z, 5 * a.w};
      EXPECT_LE((dense(logarithm(opposite)) - u).norm(), 8 * eps * angle) << "angle " << angle;
      EXPECT_LE((dense(logarithm(longer)) - u).norm(), 8 * eps * angle) << "angle " << angle;
    }
  }
}

TEST(Exponential, LogarithmOfHalfATurnHasLengthPi) {
  for (const Vector3& n : directions()) {
    const Quaternion<double> half_turn = {n.x(), n.y(), n.z(), 0};
    const Vector3 u = dense(logarithm(half_turn));
    EXPECT_NEAR(u.norm(), pi, 4 * eps * pi);
    EXPECT_NEAR(std::abs(u.dot(n)), pi, 4 * eps * pi);
  }
}

TEST(Exponential, BeyondHalfATurnTheShortWayRoundIsTaken) {
  for (const Vector3& n : directions()) {
    const Vector3 u = dense(logarithm(exponential(vec3(4 * n))));
    EXPECT_LE((u - (4 - 2 * pi) * n).norm(), 16 * eps);
  }
}

TEST(Exponential, TranslationRoundTrip) {
  RandomSpatial random(3);
  for (const double angle : angles) {
    for (const Vector3& n : directions()) {
      const Vector3 w = angle * n, v = dense(random.vec3());
      const auto p = exponential_translation(Motion<double>{vec3(w), vec3(v)});
      EXPECT_LE((dense(logarithm_translation(vec3(w), p)) - v).norm(), 32 * eps * v.norm()) << "angle " << angle;
    }
  }
}

TEST(Exponential, FloatKeepsItsDigits) {
  constexpr float eps_float = std::numeric_limits<float>::epsilon();
  for (const float angle : {1e-20f, 1e-6f, 0.00999f, 0.0101f, 0.3f, 3.0f, 3.1415f}) {
    const Vec3<float> u = {0.6f * angle, 0.0f, -0.8f * angle}, v = {0.3f, -0.7f, 0.2f};
    const Vec3<float> back = logarithm(exponential(u));
    EXPECT_LE(norm(back - u), 8 * eps_float * angle) << "angle " << angle;
    const Vec3<float> p = exponential_translation(Motion<float>{u, v});
    EXPECT_LE(norm(logarithm_translation(u, p) - v), 32 * eps_float) << "angle " << angle;
    const Vector3 w = Vector3(u.x, u.y, u.z), v_ = Vector3(v.x, v.y, v.z);
    const Vector3 reference = rigid_exponential(w, v_).topRightCorner<3, 1>();
    EXPECT_LE((Vector3(p.x, p.y, p.z) - reference).norm(), 8 * eps_float) << "angle " << angle;
  }
}

/// exp(u(t)) moves with body velocity v: compare with the difference quotient of the logarithm.
TEST(Exponential, RateHoldsToThirdOrder) {
  RandomSpatial random(4);
  const Vector3 direction = dense(random.vec3()).normalized(), v = dense(random.vec3());
  const auto error = [&](double size) {
    const Vector3 u = size * direction;
    const Motion<double> turn = {vec3(u), Vec3<double>::zero()}, turning = {vec3(v), Vec3<double>::zero()};
    const double h = 1e-5;
    const auto moved = [&](double t) { return dense(logarithm(exponential(vec3(u)) * exponential(vec3(t * v)))); };
    const Vector3 slope = (moved(h) - moved(-h)) / (2 * h);
    return (dense(exponential_rate(turn, turning).w) - slope).norm();
  };
  EXPECT_LT(error(0.4), 0.4 * 0.4 * 0.4 * 0.4 / 100);
  EXPECT_GT(error(0.4) / error(0.2), 10);  // fourth order: 16
  EXPECT_LT(error(0.4) / error(0.2), 22);
}

}  // namespace
}  // namespace tandem::test
