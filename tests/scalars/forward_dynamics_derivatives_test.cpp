// SPDX-License-Identifier: Apache-2.0
/// Derivatives of forward dynamics and the inverse of the mass matrix, against the matrices that they are made of and
/// against forward dynamics on dual numbers.
#include "scalars/bodies.hpp"
#include "support/property.hpp"
#include "support/robots.hpp"

namespace tandem::test {
namespace {

template <class T>
class ForwardDynamicsDerivativesOf : public ::testing::Test {};
TYPED_TEST_SUITE(ForwardDynamicsDerivativesOf, Reals);

double largest_of(const Matrix& A) { return A.size() ? A.cwiseAbs().maxCoeff() : 0; }

/// M X = B, to what a solution that is stable in rows and columns leaves over.
template <class T>
void expect_solves(const Matrix& M, const Matrix& X, const Matrix& B, double size_of_B, const std::string& what) {
  const double size = largest_of(M.cwiseAbs() * X.cwiseAbs());
  expect_near(M * X, B, tolerance<T>(32, condition(M), std::max(size, size_of_B)), what);
}

TYPED_TEST(ForwardDynamicsDerivativesOf, SolveWithTheMassMatrix) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Index n = c.model.nv();
    if (n > 60) return;
    Robot<double> exact(c.model);
    const Vector diagonal = s.a.cwiseAbs();
    const Matrix M = exact.mass_matrix(s.q) + Matrix(diagonal.asDiagonal());
    const Vector a = exact.forward_dynamics(s.q, s.v, s.tau, Method::automatic, s.f_ext, diagonal);
    if (!a.allFinite()) return;
    const auto by = exact.inverse_dynamics_derivatives(s.q, s.v, a, s.f_ext);
    const auto ours = robot.forward_dynamics_derivatives(s.q, s.v, s.tau, s.f_ext, diagonal);
    const double force = scales(c.model, s.q, s.v, a, s.f_ext).force + s.tau.cwiseAbs().sum(),
                 by_v = scales(c.model, s.q, s.v.cwiseAbs() + Vector::Ones(n), Vector::Zero(n)).force;
    expect_solves<TypeParam>(M, ours.da_dq, -by.dtau_dq, force, "by configuration");
    expect_solves<TypeParam>(M, ours.da_dv, -by.dtau_dv, by_v, "by velocity");
    expect_solves<TypeParam>(M, ours.da_dtau, Matrix::Identity(n, n), 1, "by joint forces");
  });
}

TYPED_TEST(ForwardDynamicsDerivativesOf, TheInverseOfTheMassMatrixIsSymmetric) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Matrix M = Robot<double>(c.model).mass_matrix(s.q), inverse = robot.inverse_mass_matrix(s.q);
    if (!inverse.allFinite()) return;
    EXPECT_TRUE(inverse == inverse.transpose());
    const Index n = M.rows();
    if (n <= 60) expect_solves<TypeParam>(M, inverse, Matrix::Identity(n, n), 1, "M^-1");
  });
}

/// Robots so deep that the articulated bodies answer column by column; some of them branch.
TYPED_TEST(ForwardDynamicsDerivativesOf, DeepRobotsSolveWithTheMassMatrix) {
  for (const Model& model : {with_legs(60, 6, JointType::revolute), with_legs(30, 3, JointType::spherical),
                             chain_of({JointType::revolute, JointType::prismatic}, 50, 3).build()}) {
    const Index n = model.nv();
    SCOPED_TRACE(model.name() + std::string(", ") + std::to_string(n));
    Robot<TypeParam> robot(model);
    Robot<double> exact(model);
    const State s = random_state(model, 11);
    const Matrix M = exact.mass_matrix(s.q);
    const Vector a = exact.forward_dynamics(s.q, s.v, s.tau, Method::automatic, s.f_ext);
    const auto by = exact.inverse_dynamics_derivatives(s.q, s.v, a, s.f_ext);
    const auto ours = robot.forward_dynamics_derivatives(s.q, s.v, s.tau, s.f_ext, Vector());
    const double force = scales(model, s.q, s.v, a, s.f_ext).force + s.tau.cwiseAbs().sum(),
                 by_v = scales(model, s.q, s.v.cwiseAbs() + Vector::Ones(n), Vector::Zero(n)).force;
    expect_solves<TypeParam>(M, ours.da_dq, -by.dtau_dq, force, "by configuration");
    expect_solves<TypeParam>(M, ours.da_dv, -by.dtau_dv, by_v, "by velocity");
    expect_solves<TypeParam>(M, ours.da_dtau, Matrix::Identity(n, n), 1, "by joint forces");
    const Matrix inverse = robot.inverse_mass_matrix(s.q);
    EXPECT_TRUE(inverse == inverse.transpose());
    expect_solves<TypeParam>(M, inverse, Matrix::Identity(n, n), 1, "M^-1");
  }
}

TEST(ForwardDynamicsDerivativesOfDuals, AreRatesOfAccelerations) {
  const auto dual = [](const Vector& values, const Vector& rates) {
    std::vector<Dual> result;
    for (Index k = 0; k < values.size(); ++k) result.emplace_back(values[k], rates[k]);
    return result;
  };
  for (const std::string& name : robots_for_scalars()) {
    SCOPED_TRACE(name);
    const Model& model = case_named(name).model;
    Robot<double> robot(model);
    const State s = random_state(model, 12);
    const Index n = model.nv();
    const auto ours = robot.forward_dynamics_derivatives(s.q, s.v, s.tau, s.f_ext);
    Matrix by_q(n, n), by_v(n, n);
    for (Index k = 0; k < n; ++k) {
      const Vector none = Vector::Zero(n), unit = Vector::Unit(n, k);
      Columns<Dual> step = {dual(s.q, Vector::Zero(model.nq())), dual(none, unit),
                            std::vector<Dual>(static_cast<std::size_t>(model.nq()))};
      body_named(dual_bodies(), "integrate").run(model.view<double>(), {}, step);
      const auto column = [&](Matrix& to, const std::vector<Dual>& q, const Vector& v_rate) {
        Columns<Dual> columns = {q,
                                 dual(s.v, v_rate),
                                 dual(s.tau, none),
                                 dual(s.f_ext, Vector::Zero(s.f_ext.size())),
                                 {},
                                 std::vector<Dual>(static_cast<std::size_t>(n))};
        body_named(dual_bodies(), "forward_dynamics").run(model.view<double>(), {}, columns);
        for (Index row = 0; row < n; ++row) to(row, k) = columns.back()[static_cast<std::size_t>(row)].rate;
      };
      column(by_q, step[2], none);
      column(by_v, dual(s.q, Vector::Zero(model.nq())), unit);
    }
    const double kappa = condition(robot.mass_matrix(s.q));
    expect_near(ours.da_dq, by_q, tolerance<double>(32, kappa, largest_of(by_q)), "by configuration");
    expect_near(ours.da_dv, by_v, tolerance<double>(32, kappa, largest_of(by_v)), "by velocity");
  }
}

}  // namespace
}  // namespace tandem::test
