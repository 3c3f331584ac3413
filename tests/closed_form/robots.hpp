// SPDX-License-Identifier: Apache-2.0
/// What the tests against textbook formulas share.
#pragma once
#include <numbers>

#include "support/property.hpp"

namespace tandem::test {

inline constexpr double g = 9.81;
inline constexpr Method methods[] = {Method::articulated_body, Method::composite_rigid_body};

/// Inertia about the centre of mass of a body whose principal axes are those of its link.
inline std::array<double, 6> principal(double xx, double yy, double zz) { return {xx, 0, 0, yy, 0, zz}; }

/// A robot of one joint, "joint", on the base, "base".
inline ModelBuilder one_body(LinkDescription body, JointDescription joint) {
  ModelBuilder builder("one_body");
  body.name = "body";
  joint.name = "joint";
  joint.parent = "base";
  joint.child = "body";
  builder.link({.name = "base"}).link(body).joint(joint);
  return builder;
}

inline Vector vector(std::initializer_list<double> numbers) {
  return Eigen::Map<const Vector>(std::data(numbers), static_cast<Index>(numbers.size()));
}

/// Inputs as both precisions hold them.
inline Vector as_float(const Vector& x) { return x.cast<float>().cast<double>(); }

/// tau = M a + bias with these, in state (q, v) at acceleration a: by inverse dynamics, mass matrix, bias forces and
/// both forward dynamics methods. The numbers of the model are rounded to T as well.
template <class T>
void expect_dynamics(const Model& model, const Vector& q, const Vector& v, const Vector& a, const Matrix& M,
                     const Vector& bias) {
  Robot<T> robot(model);
  const Scales size = scales(model, q, v, a);
  const Vector tau = M * a + bias;
  const double force = tolerance<T>(16, 1, size.force + tau.norm());
  expect_near(robot.mass_matrix(q), M, tolerance<T>(16, 1, size.mass), "mass matrix");
  expect_near(robot.bias_forces(q, v), bias, force, "bias forces");
  expect_near(robot.inverse_dynamics(q, v, a), tau, force, "inverse dynamics");
  const double yields = inverse(M).norm();
  for (const Method method : methods)
    expect_near(robot.forward_dynamics(q, v, tau, method), a,
                tolerance<T>(16, 1, yields * (size.force + size.mass * a.norm() + tau.norm())), to_string(method));
}

}  // namespace tandem::test
