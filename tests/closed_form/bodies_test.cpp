// SPDX-License-Identifier: Apache-2.0
/// Single bodies: free, sliding down an incline, moving in a plane.
#include "closed_form/robots.hpp"

namespace tandem::test {
namespace {

template <class T>
class Body : public ::testing::Test {};
TYPED_TEST_SUITE(Body, Reals);

const Vector attitudes[] = {vector({0, 0, 0, 1}), vector({0.5, 0.5, -0.5, 0.5}),
                            as_float(vector({0.48, -0.6, 0, 0.64}))};

Matrix3 rotation_of(const Vector& quaternion) {
  const Eigen::Quaterniond a(quaternion[3], quaternion[0], quaternion[1], quaternion[2]);
  return a.normalized().toRotationMatrix();
}

/// Newton and Euler, along the body's axes: m (dv/dt + w x v) = f, I dw/dt + w x I w = n.
TYPED_TEST(Body, FreeOneObeysEulersEquations) {
  constexpr double m = 3;
  const Model model = one_body({.mass = m, .inertia = principal(0.25, 0.5, 0.625)}, {.type = JointType::free}).build();
  const Matrix3 I = Vector3(0.25, 0.5, 0.625).asDiagonal();
  const Vector3 u(0.5, -1, 0.25), w(1.5, 0.75, -2);
  Matrix M = Matrix::Zero(6, 6);
  M.topLeftCorner<3, 3>() = m * Matrix3::Identity();
  M.bottomRightCorner<3, 3>() = I;
  for (const Vector& attitude : attitudes) {
    Vector q(7), v(6), bias(6);
    q << 0.5, -2, 1, attitude;
    v << u, w;
    bias << m * w.cross(u) + rotation_of(attitude).transpose() * Vector3(0, 0, m * g), w.cross(I * w);
    expect_dynamics<TypeParam>(model, q, v, vector({1, 2, -0.5, 0.25, -1, 0.5}), M, bias);
  }
}

/// The same about an origin that is not the centre of mass: h = m c couples forces and moments.
TYPED_TEST(Body, FreeOneWithItsOriginOffTheCentreOfMass) {
  constexpr double m = 2;
  const Vector3 c(0.25, -0.5, 0.125), u(0.5, -1, 0.25), w(1.5, 0.75, -2);
  const Model model = one_body({.mass = m, .com = {c.x(), c.y(), c.z()}, .inertia = principal(0.25, 0.5, 0.625)},
                               {.type = JointType::free})
                          .build();
  const Matrix3 I_com = Vector3(0.25, 0.5, 0.625).asDiagonal(), c_cross = skew_matrix(c);
  Matrix M(6, 6);
  M << m * Matrix3::Identity(), -m * c_cross, m * c_cross, I_com - m * c_cross * c_cross;
  for (const Vector& attitude : attitudes) {
    // the centre of mass accelerates by w x u + w x (w x c) when u and w stand still in the body
    const Vector3 force =
        m * (w.cross(u) + w.cross(w.cross(c))) + rotation_of(attitude).transpose() * Vector3(0, 0, m * g);
    Vector q(7), v(6), bias(6);
    q << 0, 0, 0, attitude;
    v << u, w;
    bias << force, w.cross(I_com * w) + c.cross(force);
    expect_dynamics<TypeParam>(model, q, v, vector({1, 2, -0.5, 0.25, -1, 0.5}), M, bias);
  }
}

/// A slider on an incline: m a = tau - m g sin(slope) upwards along it, wherever its centre of mass is.
TYPED_TEST(Body, SliderOnAnIncline) {
  constexpr double m = 2.5;
  for (const double slope : {0.0, 0.5, 1.25}) {
    const Pose tilted = {.position = {1, 2, 3}, .rotation = rotation_from_rpy(0, -slope, 0)};
    const Model model = one_body({.mass = m, .com = {0.25, 1, -0.5}, .inertia = principal(0.25, 0.5, 0.625)},
                                 {.type = JointType::prismatic, .placement = tilted, .axis = {1, 0, 0}})
                            .build();
    expect_dynamics<TypeParam>(model, vector({0.75}), vector({2}), vector({1.5}), Matrix::Constant(1, 1, m),
                               vector({m * g * std::sin(slope)}));
  }
}

/// A body in a vertical plane: velocities along its own axes, so that m (dv/dt + w x v) = f. With the normal y the
/// plane's axes are those that the shortest rotation of z onto y leaves: x stays, y becomes -z.
TYPED_TEST(Body, PlanarOneMovesAlongItsOwnAxes) {
  constexpr double m = 2, I = 0.375;
  const Model model =
      one_body({.mass = m, .inertia = principal(0.25, I, 0.5)}, {.type = JointType::planar, .axis = {0, 1, 0}}).build();
  const Matrix M = vector({m, m, I}).asDiagonal();
  for (const double angle : {0.0, 0.5, -2.0}) {
    const Vector v = vector({0.5, -1, 1.5});
    const double up = -m * g;  // what holds the body up has this component along the plane's second axis
    const Vector bias = vector({-m * v[2] * v[1] + up * std::sin(angle), m * v[2] * v[0] + up * std::cos(angle), 0});
    expect_dynamics<TypeParam>(model, vector({3, -2, angle}), v, vector({1, 0.5, -0.75}), M, bias);
  }
}

}  // namespace
}  // namespace tandem::test
