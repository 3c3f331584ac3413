// SPDX-License-Identifier: Apache-2.0
/// The Coriolis matrix and the rate of the mass matrix.
#include "support/property.hpp"

namespace tandem::test {
namespace {

template <class T>
class Coriolis : public ::testing::Test {};
TYPED_TEST_SUITE(Coriolis, Reals);

TYPED_TEST(Coriolis, TimesVelocityAreTheVelocityForces) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Vector forces = robot.bias_forces(s.q, s.v) - robot.gravity_forces(s.q);
    expect_near(robot.coriolis_matrix(s.q, s.v) * s.v, forces, tolerance<TypeParam>(16, 1, scales(c.model, s).force),
                "C v");
  });
}

/// M changes by less in unit time than velocity forces are with a unit more of velocity.
double size_of_rate(const Model& m, const State& s) {
  return scales(m, s.q, s.v.cwiseAbs() + Vector::Ones(m.nv()), Vector::Zero(m.nv())).force;
}

TYPED_TEST(Coriolis, AndItsTransposeAreTheRateOfTheMassMatrix) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Matrix C = robot.coriolis_matrix(s.q, s.v), Mdot = robot.mass_matrix_rate(s.q, s.v);
    EXPECT_TRUE(Mdot == Mdot.transpose());
    expect_near(C + C.transpose(), Mdot, tolerance<TypeParam>(4, 1, size_of_rate(c.model, s)), "C + C^T");
  });
}

TEST(MassMatrixRate, IsThatOfDifferences) {
  for_each_state<double>([](const Case& c, auto& robot, const State& s) {
    const double h = difference_step<double>();
    const Matrix after = robot.mass_matrix(robot.integrate(s.q, h * s.v)),
                 before = robot.mass_matrix(robot.integrate(s.q, -h * s.v));
    const double size = std::max(size_of_rate(c.model, s), scales(c.model, s).mass);
    expect_near(robot.mass_matrix_rate(s.q, s.v), (after - before) / (2 * h),
                tolerance<double>(16, difference_kappa<double>(), size), "dM/dt");
  });
}

}  // namespace
}  // namespace tandem::test
