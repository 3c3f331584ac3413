// SPDX-License-Identifier: Apache-2.0
/// Energy, power and momentum along a motion, and what passive forces take out.
#include "support/property.hpp"

namespace tandem::test {
namespace {

/// A number along q(t) = q (+) (v t + a t^2 / 2), v(t) = v + a t; its slope at t = 0 by central differences.
template <class F>
auto slope(Robot<double>& robot, const State& s, const Vector& a, F&& f) {
  const double h = difference_step<double>();
  const auto at = [&](double t) { return f(robot.integrate(s.q, t * s.v + t * t / 2 * a), Vector(s.v + t * a)); };
  using Number = std::decay_t<decltype(f(s.q, s.v))>;
  return Number((at(h) - at(-h)) / (2 * h));
}

/// Truncation of such a slope: the third derivative grows with the cube of the summed speeds.
double third_derivative(const State& s, const Vector& a) {
  return std::pow(1 + s.v.cwiseAbs().sum() + std::sqrt(a.cwiseAbs().sum()), 3);
}

TEST(Energy, ChangesByThePowerOfTheJointForces) {
  for_each_state<double>([](const Case& c, auto& robot, const State& s) {
    const auto& m = c.model.template view<double>();
    const Vector passive = robot.passive_forces(s.q, s.v);
    const Vector a = robot.forward_dynamics(s.q, s.v, s.tau + passive);
    const double change = slope(robot, s, a, [&](const Vector& q, const Vector& v) {
      const auto energy = robot.energy(q, v);
      return energy.kinetic + energy.potential;
    });
    double power = s.tau.dot(s.v);
    for (int k = 0; k < m.nv; ++k) {
      const double speed = std::abs(s.v[k]), slip = 1e-3;
      power -= m.damping[k] * speed * speed + m.friction[k] * speed * std::min(1.0, speed / slip);
    }
    const Scales scale = scales(c.model, s.q, s.v, a);
    const double size = (scale.energy + scale.force) * third_derivative(s, a) + s.tau.norm();
    EXPECT_NEAR(change, power, tolerance<double>(8, difference_kappa<double>(), size));
  });
}

TEST(Energy, GravityAndSpringsAreTheGradientOfThePotential) {
  for_each_state<double>([](const Case& c, auto& robot, const State& s) {
    const Index n = c.model.nv();
    const double h = difference_step<double>();
    const Vector rest = Vector::Zero(n);
    const Vector force = robot.gravity_forces(s.q) - robot.passive_forces(s.q, rest);
    Vector gradient(n);
    for (Index k = 0; k < n; ++k) {
      const Vector step = h * Vector::Unit(n, k);
      gradient[k] = (robot.energy(robot.integrate(s.q, step), rest).potential -
                     robot.energy(robot.integrate(s.q, -step), rest).potential) /
                    (2 * h);
    }
    const Scales scale = scales(c.model, s.q, rest, rest);
    const double allowed = tolerance<double>(8, difference_kappa<double>(), scale.force + scale.energy);
    expect_near(force, gradient, allowed, "gradient");
  });
}

TEST(Energy, WithoutGravityAFloatingRobotKeepsItsMomentum) {
  int floating = 0;
  for (const Case& c : cases()) {
    if (!is_free_floating(c.model)) continue;
    ++floating;
    Robot<double> robot(c.model.with_gravity({0, 0, 0}));
    for (const State& s : states(c)) {
      SCOPED_TRACE(c.name + ", state " + std::to_string(s.seed));
      Vector tau = s.tau;
      tau.head<6>().setZero();  // only forces inside
      const Vector a = robot.forward_dynamics(s.q, s.v, tau);
      const Vector change = slope(
          robot, s, a, [&](const Vector& q, const Vector& v) -> Vector { return robot.centroidal_momentum(q, v).h; });
      const double size = scales(c.model, s.q, s.v, a).momentum * third_derivative(s, a);
      expect_near(change, Vector::Zero(6), tolerance<double>(8, difference_kappa<double>(), size), "momentum");
    }
  }
  EXPECT_GE(floating, 8);
}

/// With gravity alone the centre of mass of a floating robot falls, whatever the joints do.
TEST(Energy, UnderGravityTheCentreOfMassFalls) {
  for (const Case& c : cases()) {
    if (!is_free_floating(c.model)) continue;
    Robot<double> robot(c.model);
    const State s = random_state(c.model, c.seed);
    Vector tau = s.tau;
    tau.head<6>().setZero();
    const Vector a = robot.forward_dynamics(s.q, s.v, tau);
    const Vector fall = slope(
        robot, s, a, [&](const Vector& q, const Vector& v) -> Vector { return robot.centre_of_mass(q, v).velocity; });
    const double size = scales(c.model, s.q, s.v, a).motion * third_derivative(s, a);
    const Vector3 g(c.model.gravity().data());
    expect_near(fall, g, tolerance<double>(8, difference_kappa<double>(), size), c.name);
  }
}

template <class T>
class PassiveForces : public ::testing::Test {};
TYPED_TEST_SUITE(PassiveForces, Reals);

/// Way and turn from the springs' rest to q: both along the child's axes, written down once more.
Vector stretches(const Model& model, const Vector& q) {
  const auto& m = model.view<double>();
  Vector rest(m.nq);
  for (int k = 0; k < m.nq; ++k) rest[k] = m.q_rest[k];
  Vector result = Robot<double>(model).difference(rest, q);
  for (int i = 1; i < m.n_links; ++i) {
    const double *x = q.data() + m.q_index[i], *x0 = m.q_rest + m.q_index[i];
    if (m.type[i] == JointType::planar) {
      const Eigen::Rotation2Dd turn(x[2]);
      result.segment<2>(m.v_index[i]) = turn.inverse() * Eigen::Vector2d(x[0] - x0[0], x[1] - x0[1]);
    } else if (m.type[i] == JointType::free) {
      const Eigen::Quaterniond turn = Eigen::Quaterniond(x[6], x[3], x[4], x[5]).normalized();
      result.segment<3>(m.v_index[i]) = turn.inverse() * Vector3(x[0] - x0[0], x[1] - x0[1], x[2] - x0[2]);
    }
  }
  return result;
}

TYPED_TEST(PassiveForces, AreWhatTheDescriptionSays) {
  const Case& c = case_named("passive");
  Robot<TypeParam> robot(c.model);
  const auto& m = c.model.view<double>();
  for (const State& s : states(c)) {
    const Vector stretch = stretches(c.model, s.q);
    Vector expected(c.model.nv());
    for (int k = 0; k < m.nv; ++k) {
      EXPECT_GT(m.stiffness[k] * m.damping[k] * m.friction[k], 0);
      const double sign = s.v[k] > 0 ? 1 : -1;
      expected[k] = -m.stiffness[k] * stretch[k] - m.damping[k] * s.v[k] - m.friction[k] * sign;
    }
    expect_near(robot.passive_forces(s.q, s.v), expected, tolerance<TypeParam>(16, 1, 1 + expected.norm()), "passive");
  }
}

TYPED_TEST(PassiveForces, FrictionIsOddAndVanishesAtRest) {
  const Case& c = case_named("passive");
  Robot<TypeParam> robot(c.model);
  const State s = random_state(c.model, 5);
  const Vector zero = Vector::Zero(c.model.nv());
  const Vector spring = robot.passive_forces(s.q, zero);
  for (const double speed : {1e-9, 1e-4, 1e-3, 1.0}) {
    const Vector forth = robot.passive_forces(s.q, speed * s.v) - spring;
    const Vector back = robot.passive_forces(s.q, -speed * s.v) - spring;
    expect_near(forth, -back, tolerance<TypeParam>(4, 1, spring.norm() + forth.norm()), "odd");
    EXPECT_LE(forth.dot(s.v), 0);
  }
  const Vector creeping = robot.passive_forces(s.q, 1e-9 * s.v) - spring;
  EXPECT_LE(creeping.norm(), 1e-5 * s.v.norm() + tolerance<TypeParam>(4, 1, spring.norm()));
}

TYPED_TEST(PassiveForces, AreZeroWithoutSpringsDampingAndFriction) {
  const Case& c = case_named("chain:7");
  Robot<TypeParam> robot(c.model);
  const State s = random_state(c.model, 6);
  EXPECT_EQ(robot.passive_forces(s.q, s.v), Vector::Zero(c.model.nv()));
}

}  // namespace
}  // namespace tandem::test
