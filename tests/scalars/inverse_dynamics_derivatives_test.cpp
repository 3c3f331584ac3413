// SPDX-License-Identifier: Apache-2.0
/// Derivatives of inverse dynamics against inverse dynamics on dual numbers, a column at a time.
#include "scalars/bodies.hpp"
#include "support/property.hpp"

namespace tandem::test {
namespace {

/// Sizes of the terms that derivatives by configuration, velocity and acceleration sum up. A unit more of velocity
/// changes the forces by less than they are with it.
struct Sizes {
  double by_q, by_v, by_a;
  Sizes(const Model& m, const State& s) {
    const Scales now = scales(m, s);
    by_q = now.force;
    by_v = scales(m, s.q, s.v.cwiseAbs() + Vector::Ones(m.nv()), Vector::Zero(m.nv())).force;
    by_a = now.mass;
  }
};

using Numbers = std::vector<Dual>;

Numbers in_dual(const Vector& values, const Vector& rates = {}) {
  Numbers result;
  for (Index k = 0; k < values.size(); ++k) result.emplace_back(values[k], rates.size() ? rates[k] : 0.0);
  return result;
}
Numbers run_in_dual(const char* algorithm, const Model& model, Columns<Dual> inputs, Index rows) {
  inputs.emplace_back(static_cast<std::size_t>(rows));
  body_named(dual_bodies(), algorithm).run(model.view<double>(), {}, inputs);
  return inputs.back();
}

ForceDerivatives by_dual_numbers(const Model& m, const State& s) {
  const Index n = m.nv();
  ForceDerivatives result = {Matrix(n, n), Matrix(n, n), Matrix(n, n)};
  for (Index k = 0; k < n; ++k) {
    const Vector u = Vector::Unit(n, k);
    const auto column = [&](Matrix& to, const Numbers& q, const Numbers& v, const Numbers& a) {
      const auto tau = run_in_dual("inverse_dynamics", m, {q, v, a, in_dual(s.f_ext)}, n);
      for (Index row = 0; row < n; ++row) to(row, k) = tau[static_cast<std::size_t>(row)].rate;
    };
    column(result.dtau_dq, run_in_dual("integrate", m, {in_dual(s.q), in_dual(Vector::Zero(n), u)}, m.nq()),
           in_dual(s.v), in_dual(s.a));
    column(result.dtau_dv, in_dual(s.q), in_dual(s.v, u), in_dual(s.a));
    column(result.dtau_da, in_dual(s.q), in_dual(s.v), in_dual(s.a, u));
  }
  return result;
}

template <class T>
class InverseDynamicsDerivativesOf : public ::testing::Test {};
TYPED_TEST_SUITE(InverseDynamicsDerivativesOf, Reals);

TYPED_TEST(InverseDynamicsDerivativesOf, DualNumbersAreTheSame) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    if (c.model.nv() > 60) return;
    const Sizes size(c.model, s);
    const auto ours = robot.inverse_dynamics_derivatives(s.q, s.v, s.a, s.f_ext);
    const auto theirs = by_dual_numbers(c.model, s);
    expect_near(ours.dtau_dq, theirs.dtau_dq, tolerance<TypeParam>(8, 1, size.by_q), "by configuration");
    expect_near(ours.dtau_dv, theirs.dtau_dv, tolerance<TypeParam>(8, 1, size.by_v), "by velocity");
    expect_near(ours.dtau_da, theirs.dtau_da, tolerance<TypeParam>(8, 1, size.by_a), "by acceleration");
  });
}

TYPED_TEST(InverseDynamicsDerivativesOf, WhatIsLeftOutIsZero) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Vector zero = Vector::Zero(c.model.nv());
    const auto bias = robot.inverse_dynamics_derivatives(s.q, s.v, {}, s.f_ext);
    const auto gravity = robot.inverse_dynamics_derivatives(s.q, {}, {});
    EXPECT_TRUE(bias.dtau_dq == robot.inverse_dynamics_derivatives(s.q, s.v, zero, s.f_ext).dtau_dq);
    EXPECT_TRUE(gravity.dtau_dq == robot.inverse_dynamics_derivatives(s.q, zero, zero).dtau_dq);
    EXPECT_TRUE(gravity.dtau_dv == Matrix::Zero(c.model.nv(), c.model.nv()));
  });
}

/// Velocity forces are quadratic in the velocity.
TYPED_TEST(InverseDynamicsDerivativesOf, ByVelocityTimesVelocityIsTwiceTheVelocityForces) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Vector forces = robot.bias_forces(s.q, s.v) - robot.gravity_forces(s.q);
    const auto ours = robot.inverse_dynamics_derivatives(s.q, s.v, s.a);
    expect_near(ours.dtau_dv * s.v, 2 * forces, tolerance<TypeParam>(16, 1, scales(c.model, s).force), "dtau_dv v");
  });
}

}  // namespace
}  // namespace tandem::test
