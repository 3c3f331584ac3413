// SPDX-License-Identifier: Apache-2.0
/// What must hold between joint forces, accelerations and the mass matrix, whatever the robot.
#include "support/property.hpp"

namespace tandem::test {
namespace {

template <class T>
class Dynamics : public ::testing::Test {};
TYPED_TEST_SUITE(Dynamics, Reals);

constexpr Method methods[] = {Method::articulated_body, Method::composite_rigid_body};

/// Size of the terms whose sum a forward dynamics method makes equal to tau: the articulated-body algorithm balances
/// forces link by link, the other one M a as a whole, entries of which may be far larger than their sum.
double balance(const Model& model, const Vector& q, const Vector& v, const Vector& a, const Vector& f_ext,
               Method method) {
  const Scales s = scales(model, q, v, a, f_ext);
  return method == Method::articulated_body ? s.force : s.force + s.mass * a.cwiseAbs().sum();
}

TYPED_TEST(Dynamics, InverseDynamicsUndoesForwardDynamics) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    for (const Method method : methods) {
      const Vector a = robot.forward_dynamics(s.q, s.v, s.tau, method, s.f_ext);
      const Vector tau = robot.inverse_dynamics(s.q, s.v, a, s.f_ext);
      const double scale = balance(c.model, s.q, s.v, a, s.f_ext, method) + s.tau.norm();
      expect_near(tau, s.tau, tolerance<TypeParam>(8, 1, scale), to_string(method));
    }
  });
}

TYPED_TEST(Dynamics, TheDiagonalCountsAsInertiaOfTheJoints) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Vector diagonal = s.tau.cwiseAbs() + Vector::Constant(c.model.nv(), 0.1);
    for (const Method method : methods) {
      const Vector a = robot.forward_dynamics(s.q, s.v, s.tau, method, {}, diagonal);
      const Vector tau = robot.inverse_dynamics(s.q, s.v, a) + diagonal.cwiseProduct(a);
      const double scale = balance(c.model, s.q, s.v, a, {}, method) + s.tau.norm() + diagonal.cwiseProduct(a).norm();
      expect_near(tau, s.tau, tolerance<TypeParam>(8, 1, scale), to_string(method));
    }
  });
}

TYPED_TEST(Dynamics, ColumnsOfTheMassMatrixAreForcesOfUnitAccelerations) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Matrix M = robot.mass_matrix(s.q);
    Robot<TypeParam> weightless(c.model.with_gravity({0, 0, 0}));
    const Vector rest = Vector::Zero(c.model.nv());
    Matrix columns = M;
    for (int k = 0; k < c.model.nv(); ++k)
      columns.col(k) = weightless.inverse_dynamics(s.q, rest, Vector::Unit(c.model.nv(), k));
    expect_near(M, columns, tolerance<TypeParam>(8, 1, scales(c.model, s).mass), "mass matrix");
  });
}

TYPED_TEST(Dynamics, TheMassMatrixIsSymmetricAndPositiveDefinite) {
  for_each_state<TypeParam>([](const Case&, auto& robot, const State& s) {
    const Matrix M = robot.mass_matrix(s.q);
    EXPECT_TRUE(M == M.transpose());
    EXPECT_TRUE(is_positive_definite(M));
  });
}

TYPED_TEST(Dynamics, KineticEnergyIsThatOfTheMassMatrixAndOfTheDescribedLinks) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const auto& m = c.model.view<double>();
    const double kinetic = robot.energy(s.q, s.v).kinetic;
    const double scale = scales(c.model, s).energy;
    const Matrix M = Robot<double>(c.model).mass_matrix(s.q);
    EXPECT_NEAR(kinetic, 0.5 * s.v.dot(M * s.v), tolerance<TypeParam>(16, 1, scale));

    // link by link, folded ones too, with the numbers of the description
    const Frames frames = Robot<double>(c.model).forward_kinematics(s.q, s.v, Reference::local);
    double sum = 0;
    for (const LinkDescription& link : c.description.links()) {
      const Vector6 u = frames.velocity.row(c.model.frame_index(link.name));
      const Vector3 w = u.tail<3>(), v_com = u.head<3>() + w.cross(Vector3(link.com.data()));
      const auto& [xx, xy, xz, yy, yz, zz] = link.inertia;
      Matrix3 I;
      I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
      sum += 0.5 * link.mass * v_com.squaredNorm() + 0.5 * w.dot(I * w);
    }
    for (int k = 0; k < m.nv; ++k) sum += 0.5 * m.armature[k] * s.v[k] * s.v[k];
    EXPECT_NEAR(kinetic, sum, tolerance<TypeParam>(16, 1, scale));
  });
}

TYPED_TEST(Dynamics, BiasIsTheForceOfAnUnacceleratedMotionAndGravityThatAtRest) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Vector zero = Vector::Zero(c.model.nv());
    const auto serial = Method::recursive_newton_euler;  // scans sum in another order
    const double allowed = tolerance<TypeParam>(1, 1, scales(c.model, s.q, s.v, zero, s.f_ext).force);
    expect_near(robot.bias_forces(s.q, s.v, s.f_ext), robot.inverse_dynamics(s.q, s.v, zero, s.f_ext, serial), allowed,
                "bias");
    expect_near(robot.gravity_forces(s.q), robot.inverse_dynamics(s.q, zero, zero, {}, serial), allowed, "gravity");
  });
}

TYPED_TEST(Dynamics, InverseMassMatrixProductTimesTheMassMatrixIsTheVector) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Vector y = robot.inverse_mass_matrix_product(s.q, s.tau);
    const Matrix M = Robot<double>(c.model).mass_matrix(s.q);
    const double scale = scales(c.model, s).mass * y.cwiseAbs().sum() + s.tau.norm();
    expect_near(M * y, s.tau, tolerance<TypeParam>(8, 1, scale), "M M^-1 x");
  });
}

/// Forces on the links act on the joints through the Jacobians of the links' frames.
TYPED_TEST(Dynamics, ExternalForcesActThroughTheJacobians) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    Vector through = Vector::Zero(c.model.nv());
    for (int i = 0; i < c.model.n_links(); ++i)
      through += robot.jacobian(s.q, i, Reference::local).transpose() * s.f_ext.segment<6>(6 * i);
    const double allowed = tolerance<TypeParam>(16, 1, scales(c.model, s).force);
    const Vector without = robot.inverse_dynamics(s.q, s.v, s.a);
    expect_near(robot.inverse_dynamics(s.q, s.v, s.a, s.f_ext), without - through, allowed, "inverse dynamics");
    expect_near(robot.bias_forces(s.q, s.v, s.f_ext), robot.bias_forces(s.q, s.v) - through, allowed, "bias forces");
  });
}

/// The acceleration is that of M a = tau - bias, solved by Eigen in double.
TYPED_TEST(Dynamics, ForwardDynamicsSolvesTheEquationsOfMotion) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    Robot<double> reference(c.model);
    const Matrix M = reference.mass_matrix(s.q);
    const Vector bias = reference.bias_forces(s.q, s.v, s.f_ext);
    const Vector d = M.diagonal().cwiseSqrt().cwiseInverse();
    const Matrix scaled = d.asDiagonal() * M * d.asDiagonal();
    const Vector a = d.cwiseProduct(Vector(solve_positive_definite(scaled, d.cwiseProduct(s.tau - bias))));
    const double scale = scales(c.model, s.q, s.v, a, s.f_ext).force + s.tau.norm();
    const double kappa = condition(M);
    for (const Method method : methods) {
      const Vector ours = robot.forward_dynamics(s.q, s.v, s.tau, method, s.f_ext);
      // in units of force on each joint, as the accelerations differ in kind and size
      expect_near((ours - a).cwiseQuotient(d), Vector::Zero(a.size()), tolerance<TypeParam>(4, kappa, scale * d.norm()),
                  to_string(method));
    }
  });
}

}  // namespace
}  // namespace tandem::test
