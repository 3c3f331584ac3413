// SPDX-License-Identifier: Apache-2.0
/// Configurations as points of a manifold: integrate, difference and the rate between them.
#include <limits>
#include <numbers>

#include "support/errors.hpp"
#include "support/property.hpp"
#include "tandem/api/random_range.hpp"

namespace tandem::test {
namespace {

template <class T>
class Manifold : public ::testing::Test {};
TYPED_TEST_SUITE(Manifold, Reals);

/// Two configurations place every frame alike (a quaternion and its opposite are one rotation).
template <class T>
void expect_same_place(Robot<T>& robot, const Vector& q0, const Vector& q1, double allowed) {
  const Frames a = robot.forward_kinematics(q0), b = robot.forward_kinematics(q1);
  for (std::size_t k = 0; k < a.R.size(); ++k) {
    expect_near(a.R[k], b.R[k], allowed, "rotation of frame " + std::to_string(k));
    expect_near(a.p[k], b.p[k], allowed, "position of frame " + std::to_string(k));
  }
}

TYPED_TEST(Manifold, IntegratingTheDifferenceArrives) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const State other = random_state(c.model, s.seed + 77);
    const Vector u = robot.difference(s.q, other.q);
    const Vector arrived = robot.integrate(s.q, u);
    // an error of one joint's angle moves all frames behind it
    const double reach = scales(c.model, other).length * (1 + c.model.depth());
    expect_same_place(robot, arrived, other.q, tolerance<TypeParam>(16, 1, reach));
  });
}

TYPED_TEST(Manifold, TheDifferenceOfAStepIsTheStep) {
  for_each_state<TypeParam>([](const Case&, auto& robot, const State& s) {
    for (const double size : {0.0, 1e-9, 1e-4, 0.3, 1.5}) {
      const Vector u = size * s.v;
      const Vector back = robot.difference(s.q, robot.integrate(s.q, u));
      expect_near(back, u, tolerance<TypeParam>(16, 1, 1 + s.q.norm()), "step of size " + std::to_string(size));
    }
  });
}

TYPED_TEST(Manifold, NoStepChangesNothingAndHalfStepsAddUp) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const double allowed = tolerance<TypeParam>(8, 1, 1 + s.q.norm());
    const Vector still = robot.integrate(s.q, Vector::Zero(c.model.nv()));  // quaternions are normalised
    expect_same_place(robot, still, s.q, allowed * scales(c.model, s).length);
    expect_near(robot.integrate(still, Vector::Zero(c.model.nv())), still, allowed, "no step");
    const Vector halves = robot.integrate(robot.integrate(s.q, 0.5 * s.v), 0.5 * s.v);
    expect_near(halves, robot.integrate(s.q, s.v), allowed, "two half steps of one velocity");
  });
}

TYPED_TEST(Manifold, TheShortestWayIsTaken) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const State other = random_state(c.model, s.seed + 78);
    const Vector u = robot.difference(s.q, other.q);
    const auto& m = c.model.template view<double>();
    for (int i = 1; i < m.n_links; ++i) {
      const bool ball = m.type[i] == JointType::spherical, free = m.type[i] == JointType::free;
      const double turn = ball || free                     ? u.segment<3>(m.v_index[i] + (free ? 3 : 0)).norm()
                          : m.type[i] == JointType::planar ? std::abs(u[m.v_index[i] + 2])
                                                           : 0;
      EXPECT_LE(turn, 3.1415930);
    }
  });
}

TYPED_TEST(Manifold, IntegrateMayWriteOverItsInput) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    std::vector<TypeParam> q(s.q.data(), s.q.data() + s.q.size()), u(s.v.data(), s.v.data() + s.v.size());
    Workspace<TypeParam> work;
    integrate<TypeParam>(c.model, q, u, q, work);
    const Vector expected = robot.integrate(s.q, s.v);
    for (std::size_t k = 0; k < q.size(); ++k) EXPECT_EQ(q[k], expected[static_cast<Index>(k)]);
  });
}

/// integrate_rate against the slope of difference(q, q(t)) with q(t) = q (+) u (+) t v: right to fourth order in u.
TEST(ManifoldInDouble, TheRateIsExactToThirdOrder) {
  for_each_state<double>([](const Case&, auto& robot, const State& s) {
    const double h = difference_step<double>();
    const auto error = [&](double size) -> double {
      const Vector u = size * s.a;
      const Vector q = robot.integrate(s.q, u);
      const Vector slope =
          (robot.difference(s.q, robot.integrate(q, h * s.v)) - robot.difference(s.q, robot.integrate(q, -h * s.v))) /
          (2 * h);
      return (slope - robot.integrate_rate(u, s.v)).template lpNorm<Eigen::Infinity>();
    };
    // the next term of the series is u^4 v / 720; entries of a are below 2, so that |u| < 2 sqrt(6) * size
    const double noise = tolerance<double>(8, difference_kappa<double>(), 10 + s.q.norm());
    for (const double size : {0.3, 0.1}) EXPECT_LE(error(size), std::pow(4.9 * size, 4) * 2.5 / 720 * 2 + noise);
  });
}

TYPED_TEST(Manifold, NeutralAndRandomConfigurationsAreNormalisedAndWithinLimits) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const auto& m = c.model.view<double>();
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const std::vector<double> q = seed == 0 ? neutral_configuration(c.model) : random_configuration(c.model, seed);
      ASSERT_EQ(q.size(), static_cast<std::size_t>(m.nq));
      for (int i = 1; i < m.n_links; ++i) {
        if (m.type[i] != JointType::spherical && m.type[i] != JointType::free) continue;
        const double* x = q.data() + m.q_index[i] + (m.type[i] == JointType::free ? 3 : 0);
        EXPECT_NEAR(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3], 1, 1e-15);
      }
      for (int k = 0; k < m.nq && seed > 0; ++k) {
        EXPECT_GE(q[static_cast<std::size_t>(k)], m.q_lower[k]);
        EXPECT_LE(q[static_cast<std::size_t>(k)], m.q_upper[k]);
      }
      EXPECT_TRUE(seed == 0 || q == random_configuration(c.model, seed));
    }
  }
}

/// A joint with one limit: the law is a uniform one on 2 pi rad or 2 m within it, with mean and variance in closed
/// form.
TEST(RandomConfigurations, KeepALimitThatStandsAlone) {
  constexpr double inf = std::numeric_limits<double>::infinity(), pi = std::numbers::pi;
  struct Trial {
    JointType type;
    double lower, upper, from, to;
  };
  for (const Trial& t :
       {Trial{JointType::revolute, 2, inf, 2, 2 + 2 * pi}, Trial{JointType::revolute, -inf, -1, -1 - 2 * pi, -1},
        Trial{JointType::revolute, -4, inf, -pi, pi}, Trial{JointType::revolute, -inf, inf, -pi, pi},
        Trial{JointType::prismatic, 0.5, inf, 0.5, 2.5}, Trial{JointType::prismatic, -inf, -7, -9, -7},
        Trial{JointType::prismatic, -inf, 5, -1, 1}, Trial{JointType::prismatic, -3, 5, -3, 5}}) {
    ModelBuilder b("one");
    b.link({.name = "base"}).link({.name = "body", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
    b.joint({.name = "joint", .type = t.type, .parent = "base", .child = "body", .lower = t.lower, .upper = t.upper});
    const Model m = b.build();
    EXPECT_EQ(random_range(m, 1, 0).lower, t.from);
    EXPECT_EQ(random_range(m, 1, 0).upper, t.to);
    constexpr int n = 4000;
    double sum = 0;
    for (const double q : random_configurations(m, 3, n)) {
      ASSERT_GE(q, t.from);
      ASSERT_LE(q, t.to);
      sum += q;
    }
    const double deviation = (t.to - t.from) / std::sqrt(12.0 * n);  // of the mean
    EXPECT_NEAR(sum / n, (t.from + t.to) / 2, 4 * deviation);
  }
  const Model& free = case_named("humanoid").model;
  EXPECT_EQ(error_of([&] { random_range(free, 0, 0); }).substr(0, 26), "random_range: joint is 0, ");
}

TEST(RandomConfigurations, OfDifferentSeedsHaveNoRowInCommon) {
  const Model& m = case_named("humanoid").model;
  const auto n = static_cast<std::size_t>(m.nq());
  const std::vector<double> one = random_configurations(m, 1, 3), two = random_configurations(m, 2, 3);
  ASSERT_EQ(one.size(), 3 * n);
  const auto row = [&](const std::vector<double>& rows, std::size_t k) {
    return std::vector<double>(rows.begin() + static_cast<std::ptrdiff_t>(k * n),
                               rows.begin() + static_cast<std::ptrdiff_t>((k + 1) * n));
  };
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(row(one, k), random_configuration(m, 1 + (std::uint64_t{k} << 32)));
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NE(row(one, k), row(two, j));
  }
  EXPECT_TRUE(random_configurations(m, 1, 0).empty());
  EXPECT_EQ(error_of([&] { random_configurations(m, std::uint64_t{1} << 32, 3); }),
            "random_configurations: seed is 4294967296, expected less than 2^32");
  EXPECT_EQ(error_of([&] { random_configurations(m, 1, -1); }),
            "random_configurations: batch is -1, expected 0 or more");
}

}  // namespace
}  // namespace tandem::test
