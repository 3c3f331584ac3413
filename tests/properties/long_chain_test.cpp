// SPDX-License-Identifier: Apache-2.0
/// Chains far longer than those of the case table: nothing recurses, and rounding errors do not pile up.
#include "support/property.hpp"

namespace tandem::test {
namespace {

/// Both ways through the dynamics of a long robot, at rest and moving, with the Newton-Euler algorithm as the judge.
/// kappa: rounding errors of a link's motion are a random walk along its way to the base; methods that divide the chain
/// add in another order.
template <class T>
void check_long(const std::string& spec) {
  SCOPED_TRACE(spec);
  const Model model = generate(spec, 3).build();
  Robot<T> robot(model);
  State s = random_state(model, 4);
  s.v *= 0.01;  // links at the end add up the speeds of all joints before them
  const double kappa = std::sqrt(model.depth());
  const Vector a = robot.forward_dynamics(s.q, s.v, s.tau);
  const Vector tau = robot.inverse_dynamics(s.q, s.v, a, {}, Method::recursive_newton_euler);
  const double scale = scales(model, s.q, s.v, a).force + s.tau.norm();
  expect_near(tau, s.tau, tolerance<T>(8, kappa, scale), "inverse dynamics of forward dynamics");
  const Vector y = robot.inverse_mass_matrix_product(s.q, s.tau);
  Robot<T> weightless(model.with_gravity({0, 0, 0}));
  const Vector rest = Vector::Zero(model.nv());
  expect_near(weightless.inverse_dynamics(s.q, rest, y, {}, Method::recursive_newton_euler), s.tau,
              tolerance<T>(8, kappa, scales(model, s.q, rest, y).force), "M M^-1 x");
  EXPECT_TRUE(robot.centre_of_mass(s.q, s.v).velocity.allFinite());
  EXPECT_TRUE(robot.centroidal_momentum(s.q, s.v).h.allFinite());
  EXPECT_TRUE(std::isfinite(robot.energy(s.q, s.v).kinetic));
}

TEST(LongChains, OfAThousandLinksKeepTheirDigits) {
  for (const char* spec : {"chain:1000", "rope:1000", "rope:500:bending", "snake:1000", "tree:1000"}) {
    check_long<double>(spec);
    check_long<float>(spec);
  }
}

TEST(LongChains, OfTwentyThousandLinksKeepTheirDigits) {
  for (const char* spec : {"chain:20000", "rope:20000", "snake:20000"}) check_long<double>(spec);
}

TEST(SlowLongChains, OfAMillionLinksWork) {
  for (const char* spec : {"chain:1000000", "snake:1000000"}) check_long<double>(spec);
}

}  // namespace
}  // namespace tandem::test
