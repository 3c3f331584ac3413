// SPDX-License-Identifier: Apache-2.0
/// Products of the derivatives of inverse dynamics: along increments against inverse dynamics on dual numbers, with
/// weights against these, one the transpose of the other.
#include "scalars/bodies.hpp"
#include "scalars/products.hpp"

namespace tandem::test {
namespace {

std::vector<Dual> with_rates(const Vector& values, const Vector& rates) {
  std::vector<Dual> result;
  for (Index k = 0; k < values.size(); ++k) result.emplace_back(values[k], rates[k]);
  return result;
}
Vector rates_by_dual_numbers(const Model& m, const State& s, const Increments& d) {
  const auto n = static_cast<std::size_t>(m.nv());
  Columns<Dual> moved = {with_rates(s.q, Vector::Zero(m.nq())), with_rates(Vector::Zero(m.nv()), d.dq),
                         std::vector<Dual>(static_cast<std::size_t>(m.nq()))};
  body_named(dual_bodies(), "integrate").run(m.view<double>(), {}, moved);
  Columns<Dual> columns = {moved[2], with_rates(s.v, d.dv), with_rates(s.a, d.dx), with_rates(s.f_ext, d.df_ext),
                           std::vector<Dual>(n)};
  body_named(dual_bodies(), "inverse_dynamics").run(m.view<double>(), {}, columns);
  Vector result(m.nv());
  for (std::size_t k = 0; k < n; ++k) result[static_cast<Index>(k)] = columns.back()[k].rate;
  return result;
}

template <class T>
class InverseDynamicsProducts : public ::testing::Test {};
TYPED_TEST_SUITE(InverseDynamicsProducts, Reals);

TYPED_TEST(InverseDynamicsProducts, AlongIncrementsDualNumbersAreTheSame) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const double size = size_of_rates(c.model, s, s.a);
    auto d = some_increments(c.model, s);
    const Vector dpi = d.dpi;
    d.dpi = {};
    const auto ours = robot.inverse_dynamics_jvp(s.q, s.v, s.a, d, s.f_ext);
    expect_near(ours.value, robot.inverse_dynamics(s.q, s.v, s.a, s.f_ext), tolerance<TypeParam>(8, 1, size), "tau");
    const double largest = std::max(1.0, d.dq.size() ? d.dq.cwiseAbs().sum() : 0);
    expect_near(ours.increment, rates_by_dual_numbers(c.model, s, d), tolerance<TypeParam>(16, largest, size), "dtau");

    Increments only = {0 * d.dq, 0 * d.dv, 0 * d.dx, {}, dpi};
    expect_near(robot.inverse_dynamics_jvp(s.q, s.v, s.a, only).increment,
                Robot<double>(c.model).inverse_dynamics_regressor(s.q, s.v, s.a) * dpi,
                tolerance<TypeParam>(16, 1, size), "by inertial parameters");
  });
}

TYPED_TEST(InverseDynamicsProducts, WithWeightsAreTheTranspose) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Index n = c.model.nv();
    const double size = size_of_rates(c.model, s, s.a);
    const auto d = some_increments(c.model, s);
    const Vector weights = d.dx;
    const auto along = robot.inverse_dynamics_jvp(s.q, s.v, s.a, d, s.f_ext);
    const auto by = robot.inverse_dynamics_vjp(s.q, s.v, s.a, weights, s.f_ext);
    expect_near(by.value, along.value, tolerance<TypeParam>(8, 1, size), "tau");
    EXPECT_NEAR(power(by, d), weights.dot(along.increment), tolerance<TypeParam>(16, static_cast<double>(n * n), size))
        << c.name;
    if (n > 60) return;
    const auto dense = Robot<double>(c.model).inverse_dynamics_derivatives(s.q, s.v, s.a, s.f_ext);
    const double largest = std::max(1.0, weights.size() ? weights.cwiseAbs().sum() : 0);
    const double allowed = tolerance<TypeParam>(16, largest, size);
    expect_near(by.q_bar, dense.dtau_dq.transpose() * weights, allowed, "by configuration");
    expect_near(by.v_bar, dense.dtau_dv.transpose() * weights, allowed, "by velocity");
    expect_near(by.x_bar, dense.dtau_da.transpose() * weights, allowed, "by acceleration");
    const Matrix Y = Robot<double>(c.model).inverse_dynamics_regressor(s.q, s.v, s.a);
    const double largest_Y = Y.size() ? Y.cwiseAbs().maxCoeff() : 0;
    expect_near(by.pi_bar, Y.transpose() * weights, tolerance<TypeParam>(16, largest, largest_Y), "by parameters");
    for (int i = 0; i < c.model.n_links(); ++i) {
      const Matrix J = Robot<double>(c.model).jacobian(s.q, i, Reference::local);
      const double largest_J = J.size() ? J.cwiseAbs().maxCoeff() : 0;
      expect_near(by.f_ext_bar.segment(6 * i, 6), -J * weights, tolerance<TypeParam>(16, largest, largest_J),
                  "by the force on a link");
    }
  });
}

TYPED_TEST(InverseDynamicsProducts, WhatIsLeftOutChangesNothing) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Index n = c.model.nv();
    auto d = some_increments(c.model, s);
    d.df_ext = Vector::Zero(s.f_ext.size());
    d.dpi.setZero();
    const auto with = robot.inverse_dynamics_jvp(s.q, s.v, s.a, d, d.df_ext);
    d.df_ext = d.dpi = {};
    const auto without = robot.inverse_dynamics_jvp(s.q, s.v, s.a, d);
    EXPECT_TRUE(with.increment == without.increment && with.value == without.value) << c.name;
    const auto weighed = robot.inverse_dynamics_vjp(s.q, s.v, s.a, Vector::Zero(n), s.f_ext);
    EXPECT_TRUE(weighed.q_bar == Vector::Zero(n) && weighed.v_bar == Vector::Zero(n)) << c.name;
  });
}

}  // namespace
}  // namespace tandem::test
