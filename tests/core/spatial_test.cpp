// SPDX-License-Identifier: Apache-2.0
/// Every spatial operator against the 6x6 matrix it stands for.
#include <gtest/gtest.h>

#include "support/dense.hpp"
#include "tandem/detail/spatial/joint_motion.hpp"
#include "tandem/detail/spatial/load_store.hpp"
#include "tandem/detail/spatial/rates.hpp"

namespace tandem::test {
namespace {

constexpr int trials = 10;

/// Sums of a few dozen products of numbers of order one: 32 eps times the largest entry of the operands' product.
void expect_equal(const Matrix& ours, const Matrix& reference) {
  EXPECT_LE((ours - reference).cwiseAbs().maxCoeff(), 32 * eps * (1 + reference.cwiseAbs().maxCoeff()))
      << "ours\n"
      << ours << "\nreference\n"
      << reference;
}

class SpatialAlgebra : public ::testing::TestWithParam<int> {
 protected:
  RandomSpatial random{static_cast<std::uint64_t>(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(Seeds, SpatialAlgebra, ::testing::Range(1, trials + 1));

TEST_P(SpatialAlgebra, ThreeVectorsAndMatrices) {
  const auto a = random.vec3(), b = random.vec3();
  const auto A = random.mat3(), B = random.mat3();
  const auto P = random.sym3(), Q = random.sym3();
  const Matrix3 A_ = dense(A), B_ = dense(B);
  expect_equal(dense(a + b), dense(a) + dense(b));
  expect_equal(dense(a - b), dense(a) - dense(b));
  expect_equal(dense(-a), -dense(a));
  expect_equal(dense(3.0 * a), 3 * dense(a));
  EXPECT_NEAR(dot(a, b), dense(a).dot(dense(b)), 1e-15);
  expect_equal(dense(cross(a, b)), dense(a).cross(dense(b)));
  EXPECT_NEAR(norm(a), dense(a).norm(), 1e-15);
  expect_equal(dense(transpose(A)), A_.transpose());
  expect_equal(dense(A + B), A_ + B_);
  expect_equal(dense(A - B), A_ - B_);
  expect_equal(dense(A * b), A_ * dense(b));
  expect_equal(dense(transpose_mul(A, b)), A_.transpose() * dense(b));
  expect_equal(dense(A * B), A_ * B_);
  expect_equal(dense(transpose_mul(A, B)), A_.transpose() * B_);
  expect_equal(dense(mul_transpose(A, B)), A_ * B_.transpose());
  expect_equal(dense(outer(a, b)), dense(a) * dense(b).transpose());
  expect_equal(dense(skew(a)), skew_matrix(dense(a)));
  expect_equal(dense(cross(a, B)), skew_matrix(dense(a)) * B_);
  expect_equal(dense(P + Q), dense(P) + dense(Q));
  expect_equal(dense(P - Q), dense(P) - dense(Q));
  expect_equal(dense(2.0 * P), 2 * dense(P));
  expect_equal(dense(P * b), dense(P) * dense(b));
  expect_equal(dense(full(P)), dense(P));
  expect_equal(dense(congruence(A, P)), A_.transpose() * dense(P) * A_);
  expect_equal(dense(symmetric_mul_transpose(A, A)), A_ * A_.transpose());
}

TEST_P(SpatialAlgebra, MotionsAndForces) {
  const auto a = random.motion(), b = random.motion();
  const auto f = random.force(), g = random.force();
  expect_equal(dense(a + b), dense(a) + dense(b));
  expect_equal(dense(a - b), dense(a) - dense(b));
  expect_equal(dense(2.0 * a), 2 * dense(a));
  expect_equal(dense(f + g), dense(f) + dense(g));
  expect_equal(dense(f - g), dense(f) - dense(g));
  expect_equal(dense(2.0 * f), 2 * dense(f));
  EXPECT_NEAR(dot(a, f), dense(a).dot(dense(f)), 1e-14);
  expect_equal(dense(cross(a, b)), cross_matrix(dense(a)) * dense(b));
  expect_equal(dense(cross(a, f)), -cross_matrix(dense(a)).transpose() * dense(f));
}

TEST_P(SpatialAlgebra, RotationsAsTurns) {
  const auto turn = [&] {
    const double angle = 3 * random.number();
    return SinCos<double>{std::sin(angle), std::cos(angle)};
  };
  for (const bool has_first : {false, true}) {
    const Transform<double, RotationZXZ<double>> X = {{turn(), turn(), turn(), has_first}, random.vec3()};
    const Transform<double> Y = {X.E * Mat3<double>::identity(), X.r};
    expect_equal(dense(mul_transpose(Y.E, Y.E)), Matrix3::Identity());
    expect_equal(dense(row2(X.E)), dense(Y.E.row2));
    const auto a = random.motion();
    const auto f = random.force();
    const auto I = random.inertia();
    const auto A = random.articulated_inertia();
    const auto Z = random.transform();
    expect_equal(dense(X * a), dense(Y * a));
    expect_equal(dense(transpose_mul(X, f)), dense(transpose_mul(Y, f)));
    expect_equal(dense(X * Z), dense(Y * Z));
    expect_equal(dense(transpose_mul(X, I)), dense(transpose_mul(Y, I)));
    expect_equal(dense(transpose_mul(X, A)), dense(transpose_mul(Y, A)));
  }
}

TEST_P(SpatialAlgebra, Transforms) {
  const auto X = random.transform(), Y = random.transform();
  const auto a = random.motion();
  const auto f = random.force();
  expect_equal(dense(X * a), dense(X) * dense(a));
  expect_equal(dense(transpose_mul(X, f)), dense(X).transpose() * dense(f));
  expect_equal(dense(X * Y), dense(X) * dense(Y));
  expect_equal(dense(inverse(X)) * dense(X), Matrix6::Identity());
  expect_equal(dense(Transform<double>::identity()), Matrix6::Identity());
  EXPECT_NEAR(dot(a, transpose_mul(X, f)), dot(X * a, f), 1e-14);  // power does not depend on the frame
}

TEST_P(SpatialAlgebra, RigidInertias) {
  const auto I = random.inertia(), K = random.inertia();
  const auto X = random.transform();
  const auto a = random.motion();
  const auto r = random.vec3();
  expect_equal(dense(I + K), dense(I) + dense(K));
  expect_equal(dense(I * a), dense(I) * dense(a));
  expect_equal(dense(transpose_mul(X, I)), dense(X).transpose() * dense(I) * dense(X));
  const Transform<double> move = {Mat3<double>::identity(), r};
  expect_equal(dense(shift(I, r)), dense(move).transpose() * dense(I) * dense(move));
}

TEST_P(SpatialAlgebra, ArticulatedInertias) {
  const auto A = random.articulated_inertia(), B = random.articulated_inertia();
  const auto I = random.inertia();
  const auto X = random.transform();
  const auto a = random.motion();
  const auto U = random.force();
  expect_equal(dense(articulated(I)), dense(I));
  expect_equal(dense(A + B), dense(A) + dense(B));
  expect_equal(dense(A + I), dense(A) + dense(I));
  expect_equal(dense(A * a), dense(A) * dense(a));
  const MotionAcrossZ<double> across = {a.w.x, a.w.y, a.v.x, a.v.y};
  expect_equal(dense(A * across), dense(A) * dense(Motion<double>::zero() + across));
  expect_equal(dense(minus_product(A, U, 1.5 * U)), dense(A) - 1.5 * dense(U) * dense(U).transpose());
  expect_equal(dense(transpose_mul(X, A)), dense(X).transpose() * dense(A) * dense(X));
}

TEST_P(SpatialAlgebra, Quaternions) {
  const auto a = random.quaternion(), b = random.quaternion();
  expect_equal(dense(rotation(a * b)), dense(rotation(a)) * dense(rotation(b)));
  expect_equal(dense(rotation(conjugate(a))), dense(rotation(a)).transpose());
  expect_equal(dense(rotation(a)), Eigen::Quaterniond(a.w, a.x, a.y, a.z).toRotationMatrix());
  const Quaternion<double> longer = {3 * a.x, 3 * a.y, 3 * a.z, 3 * a.w};
  expect_equal(dense(rotation(longer)), dense(rotation(a)));
  const auto back = normalised(longer);
  expect_equal(Eigen::Vector4d(back.x, back.y, back.z, back.w), Eigen::Vector4d(a.x, a.y, a.z, a.w));
}

/// A motion that keeps only some numbers adds and crosses as the full one.
template <class Sparse>
void expect_as_full(const Motion<double>& a, const Sparse& sparse) {
  const Motion<double> full_motion = Motion<double>::zero() + sparse;
  expect_equal(dense(a + sparse), dense(a) + dense(full_motion));
  expect_equal(dense(cross(a, sparse)), dense(cross(a, full_motion)));
  expect_equal(dense(Motion<double>::zero() + velocity_product(a, sparse)), dense(cross(a, full_motion)));
}

/// Newton's and Euler's terms against spatial ones, from one link over a joint to the next.
template <class Sparse>
void expect_rates(RandomSpatial& random, const Sparse& v_J, const Sparse& a_J) {
  const auto X = random.transform();
  const auto v_p = random.motion(), a_p = random.motion();
  const auto v_i = X * v_p + v_J, a_i = X * a_p + a_J + cross(v_i, v_J);
  const auto p = rates_of<double>({v_p.w, a_p.w, add_cross(a_p.v, v_p.w, v_p.v)});
  const auto i = moved(X * p, v_J, a_J);
  expect_equal(dense(i.angular.w), dense(v_i.w));
  expect_equal(dense(i.angular.dw), dense(a_i.w));
  expect_equal(dense(i.a), dense(add_cross(a_i.v, v_i.w, v_i.v)));
  const auto I = random.inertia();
  expect_equal(dense(I * i), dense(I * a_i + cross(v_i, I * v_i)));
}

TEST_P(SpatialAlgebra, RatesAreSpatialMotionsInOtherTerms) {
  const auto number = [&] { return random.number(); };
  expect_rates(random, AngularZ<double>{number()}, AngularZ<double>{number()});
  expect_rates(random, LinearZ<double>{number()}, LinearZ<double>{number()});
  expect_rates(random, PlanarMotion<double>{number(), number(), number()},
               PlanarMotion<double>{number(), number(), number()});
  expect_rates(random, Angular<double>{random.vec3()}, Angular<double>{random.vec3()});
  expect_rates(random, random.motion(), random.motion());
}

TEST_P(SpatialAlgebra, SparseJointMotionsEqualFullOnes) {
  const auto a = random.motion();
  expect_as_full(a, AngularZ<double>{random.number()});
  expect_as_full(a, LinearZ<double>{random.number()});
  expect_as_full(a, PlanarMotion<double>{random.number(), random.number(), random.number()});
  expect_as_full(a, Angular<double>{random.vec3()});
}

TEST_P(SpatialAlgebra, LoadGivesBackWhatWasStored) {
  double rows[30];
  const auto X = random.transform();
  store(&rows[0], 3, X);
  expect_equal(dense(load<Transform<double>>(rows, 3)), dense(X));
  const auto A = random.articulated_inertia();
  store(&rows[0], 5, A);
  expect_equal(dense(load<ArticulatedInertia<double>>(rows, 5)), dense(A));
  const auto I = random.inertia();
  store(&rows[0], 1, I);
  expect_equal(dense(load<Inertia<double>>(rows, 1)), dense(I));
  const auto f = random.force();
  store_linear_first(&rows[0], 2, f);
  EXPECT_EQ(rows[2], f.f.x);
  expect_equal(dense(load_force_linear_first<double>(rows, 2)), dense(f));
  double strided_rows[60];
  const StridedColumn<double> column{strided_rows, 5};
  const auto a = random.motion();
  store(column, 3, a);
  EXPECT_EQ(strided_rows[15], a.w.x);
  expect_equal(dense(load<Motion<double>>(column + 3, 0)), dense(a));
}

}  // namespace
}  // namespace tandem::test
