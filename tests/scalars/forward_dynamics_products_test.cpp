// SPDX-License-Identifier: Apache-2.0
/// Products of the derivatives of forward dynamics: along increments they undo those of inverse dynamics, with weights
/// they are the transpose.
#include "scalars/products.hpp"

namespace tandem::test {
namespace {

template <class T>
class ForwardDynamicsProducts : public ::testing::Test {};
TYPED_TEST_SUITE(ForwardDynamicsProducts, Reals);

double largest_in(const Matrix& A) { return A.size() ? A.cwiseAbs().maxCoeff() : 0; }

/// A state at the acceleration that its forces cause, in double; no forces cause a singular robot's.
struct Caused {
  Matrix M;
  Vector a;
  double size, kappa;
  Caused(const Model& m, const State& s, const Vector& diagonal) {
    Robot<double> exact(m);
    M = exact.mass_matrix(s.q) + Matrix(diagonal.asDiagonal());
    a = exact.forward_dynamics(s.q, s.v, s.tau, Method::automatic, s.f_ext, diagonal);
    size = size_of_rates(m, s, a) + s.tau.cwiseAbs().sum();
    kappa = condition(M);
  }
};

TYPED_TEST(ForwardDynamicsProducts, AlongIncrementsUndoThoseOfInverseDynamics) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    if (c.model.nv() > 60 || c.model.nv() == 0) return;
    const Vector diagonal = s.a.cwiseAbs();
    const Caused is(c.model, s, diagonal);
    if (!is.a.allFinite()) return;
    const auto d = some_increments(c.model, s);
    const auto ours = robot.forward_dynamics_jvp(s.q, s.v, s.tau, d, s.f_ext, diagonal);
    auto back = d;
    back.dx = ours.increment;
    const Vector dtau = Robot<double>(c.model).inverse_dynamics_jvp(s.q, s.v, is.a, back, s.f_ext).increment +
                        diagonal.cwiseProduct(back.dx);
    const double size = is.size * (1 + d.dq.cwiseAbs().sum()) + largest_in(is.M.cwiseAbs() * back.dx.cwiseAbs());
    expect_near(dtau, d.dx, tolerance<TypeParam>(32, is.kappa, size), "dtau");
    expect_near(ours.value, robot.forward_dynamics(s.q, s.v, s.tau, Method::articulated_body, s.f_ext, diagonal), 0,
                "a");
  });
}

TYPED_TEST(ForwardDynamicsProducts, WithWeightsAreTheTranspose) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Index n = c.model.nv();
    if (n > 60 || n == 0) return;
    const Vector diagonal = s.a.cwiseAbs();
    const Caused is(c.model, s, diagonal);
    if (!is.a.allFinite()) return;
    const auto d = some_increments(c.model, s);
    const Vector& weights = d.dv;
    const auto along = robot.forward_dynamics_jvp(s.q, s.v, s.tau, d, s.f_ext, diagonal);
    const auto by = robot.forward_dynamics_vjp(s.q, s.v, s.tau, weights, s.f_ext, diagonal);
    expect_near(by.value, along.value, 0, "a");

    // what rounding may do to M tau_bar = weights, and by it to the others
    const double mass = largest_in(is.M.cwiseAbs() * by.x_bar.cwiseAbs()) + 1;
    expect_near(is.M * by.x_bar, weights, tolerance<TypeParam>(32, is.kappa, mass), "M tau_bar");
    const auto dense = Robot<double>(c.model).forward_dynamics_derivatives(s.q, s.v, s.tau, s.f_ext, diagonal);
    const double total = by.x_bar.cwiseAbs().sum() + weights.cwiseAbs().sum() * largest_in(dense.da_dtau);
    const double allowed = tolerance<TypeParam>(32, is.kappa, is.size * total);
    expect_near(by.q_bar, dense.da_dq.transpose() * weights, allowed, "by configuration");
    expect_near(by.v_bar, dense.da_dv.transpose() * weights, allowed, "by velocity");
    EXPECT_NEAR(power(by, d), weights.dot(along.increment), allowed * (1 + d.dq.cwiseAbs().sum())) << c.name;
  });
}

}  // namespace
}  // namespace tandem::test
