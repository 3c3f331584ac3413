// SPDX-License-Identifier: Apache-2.0
/// Pendulums: a point mass, a physical one, two in a row, one that swings every way.
#include "closed_form/robots.hpp"
#include "support/robots.hpp"

namespace tandem::test {
namespace {

template <class T>
class Pendulum : public ::testing::Test {};
TYPED_TEST_SUITE(Pendulum, Reals);

const JointDescription hinge = {.type = JointType::continuous, .axis = {0, 1, 0}};
Matrix scalar(double x) { return Matrix::Constant(1, 1, x); }

/// m l^2 a = tau - m g l sin q
TYPED_TEST(Pendulum, OfAPointMass) {
  constexpr double m = 1.5, l = 0.75;
  const Model model = one_body({.mass = m, .com = {0, 0, -l}}, hinge).build();
  for (const double q : {0.0, 0.5, 1.5, 3.0, -2.0})
    expect_dynamics<TypeParam>(model, vector({q}), vector({0.75}), vector({-1.25}), scalar(m * l * l),
                               vector({m * g * l * std::sin(q)}));
}

/// (I + m |c|^2) a = tau + m g (c turned by q, along x): the centre of mass lies off the z axis.
TYPED_TEST(Pendulum, OfABodyWithItsCentreOfMassAnywhere) {
  constexpr double m = 2, x = 0.25, z = -0.5, I = 0.125;
  const Model model = one_body({.mass = m, .com = {x, 0.375, z}, .inertia = principal(0.2, I, 0.15)}, hinge).build();
  for (const double q : {0.0, 0.5, 1.5, 3.0, -2.0})
    expect_dynamics<TypeParam>(model, vector({q}), vector({0.75}), vector({2.5}), scalar(I + m * (x * x + z * z)),
                               vector({-m * g * (x * std::cos(q) + z * std::sin(q))}));
}

/// The inertia about a slanted axis n is n . I n, and gravity pulls by n . (c x m g).
TYPED_TEST(Pendulum, AboutASlantedAxis) {
  constexpr double m = 2;
  const Vector3 n = Vector3(1, -2, 2) / 3, c(0.25, 0.5, -0.125);
  const Model model = one_body({.mass = m, .com = {c.x(), c.y(), c.z()}, .inertia = principal(0.3, 0.2, 0.4)},
                               {.type = JointType::revolute, .axis = {1, -2, 2}})
                          .build();
  const Matrix3 I = Vector3(0.3, 0.2, 0.4).asDiagonal().toDenseMatrix() +
                    m * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
  for (const double q : {0.0, 0.5, -2.0}) {
    const Vector3 turned = Eigen::AngleAxisd(q, n) * c;
    const double weight = n.dot(turned.cross(Vector3(0, 0, -m * g)));
    expect_dynamics<TypeParam>(model, vector({q}), vector({1.5}), vector({-0.5}), scalar(n.dot(I * n)),
                               vector({-weight}));
  }
}

TYPED_TEST(Pendulum, OfTwoPointMassesInARow) {
  constexpr double m1 = 1.5, m2 = 0.75, l1 = 0.5, l2 = 1.25;
  const Model model = double_pendulum(m1, m2, l1, l2).build();

  for (const Vector& q : {vector({0, 0}), vector({0.5, 1.25}), vector({-2, 0.75}), vector({3, -1.5})}) {
    const Vector v = vector({0.75, -1.25});
    const double c2 = std::cos(q[1]), s2 = std::sin(q[1]), cross = m2 * l1 * l2;
    const double M12 = m2 * l2 * l2 + cross * c2;
    Matrix M(2, 2);
    M << (m1 + m2) * l1 * l1 + m2 * l2 * l2 + 2 * cross * c2, M12, M12, m2 * l2 * l2;
    const double g2 = m2 * g * l2 * std::sin(q[0] + q[1]), g1 = (m1 + m2) * g * l1 * std::sin(q[0]) + g2;
    const Vector bias = vector({-cross * s2 * (2 * v[0] * v[1] + v[1] * v[1]) + g1, cross * s2 * v[0] * v[0] + g2});
    expect_dynamics<TypeParam>(model, q, v, vector({1.5, -0.5}), M, bias);

    // the accelerations of a free fall, in the absolute angles of the textbooks
    const double t1 = q[0], t2 = q[0] + q[1], w1 = v[0], w2 = v[0] + v[1], d = t1 - t2;
    const double D = 2 * m1 + m2 - m2 * std::cos(2 * d);
    const double a1 = (-g * (2 * m1 + m2) * std::sin(t1) - m2 * g * std::sin(t1 - 2 * t2) -
                       2 * std::sin(d) * m2 * (w2 * w2 * l2 + w1 * w1 * l1 * std::cos(d))) /
                      (l1 * D);
    const double a2 = 2 * std::sin(d) *
                      (w1 * w1 * l1 * (m1 + m2) + g * (m1 + m2) * std::cos(t1) + w2 * w2 * l2 * m2 * std::cos(d)) /
                      (l2 * D);
    const Vector expected = vector({a1, a2 - a1});
    const Scales size = scales(model, q, v, expected);
    for (const Method method : methods)
      expect_near(Robot<TypeParam>(model).forward_dynamics(q, v, vector({0, 0}), method), expected,
                  tolerance<TypeParam>(16, 1, inverse(M).norm() * (size.force + size.mass * expected.norm())),
                  to_string(method));
  }
}

/// A rod on a ball joint turns about its end: I dw/dt + w x I w = moment, in the axes of the rod.
TYPED_TEST(Pendulum, OnABallJoint) {
  constexpr double m = 2, l = 0.5;
  const Model model =
      one_body({.mass = m, .com = {0, 0, -l}, .inertia = principal(0.25, 0.375, 0.125)}, {.type = JointType::spherical})
          .build();
  const Matrix3 I = Vector3(0.25 + m * l * l, 0.375 + m * l * l, 0.125).asDiagonal();
  const Vector3 w(0.5, -1.25, 2), c(0, 0, -l);
  for (const Vector& q :
       {vector({0, 0, 0, 1}), vector({0.5, 0.5, -0.5, 0.5}), as_float(vector({0.48, -0.6, 0, 0.64}))}) {
    const Matrix3 R = Eigen::Quaterniond(q[3], q[0], q[1], q[2]).normalized().toRotationMatrix();
    const Vector3 weight = c.cross(R.transpose() * Vector3(0, 0, -m * g));
    expect_dynamics<TypeParam>(model, q, w, vector({1, -0.5, 0.75}), I, w.cross(I * w) - weight);
  }
}

}  // namespace
}  // namespace tandem::test
