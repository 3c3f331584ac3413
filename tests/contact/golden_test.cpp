// SPDX-License-Identifier: Apache-2.0
/// Accelerations and forces of robots on a floor against MuJoCo's, from tests/golden/contact
/// (tools/make_contact_golden.py).
#include <gtest/gtest.h>

#include "contact/golden.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"

namespace tandem::test {
namespace {

class ContactGolden : public ::testing::TestWithParam<const char*> {
 protected:
  ContactRobot robot{golden_model(GetParam())};
  Golden golden{GetParam(), robot.model};

  void SetUp() override {
    if (!reads_mjcf()) GTEST_SKIP() << "no MuJoCo";
    robot.limit = softness(golden.of_model["limit_softness"]);
    robot.friction = softness(golden.of_model["friction_softness"]);
    robot.options.law.h = golden.of_model["timestep"][0];
    ASSERT_GE(golden.states.size(), 16u);
  }
  void take(const GoldenState& state) {
    robot.options.coupling = state.elliptic ? Coupling::cone : Coupling::pyramid;
    robot.options.impratio = state.impratio;
  }
  template <class T = double>
  SolvedContacts solve(GoldenState& state, const Numbers& begin) {
    take(state);
    return robot.solve<T>(state.columns["q"], state.columns["v"], state.columns["tau"], state.contacts, begin);
  }
};

TEST_P(ContactGolden, AccelerationsAndForcesAreMujocos) {
  robot.options.tolerance = 1e-12;
  robot.options.search_tolerance = 1e-9;
  robot.options.most_steps = 60;
  double limits = 0, frictions = 0;
  for (GoldenState& state : golden.states) {
    limits += eigen(state.columns["f_limit"]).norm();
    frictions += eigen(state.columns["f_friction"]).norm();
    const auto found = solve(state, Numbers(state.columns["v"].size()));
    EXPECT_TRUE(found.converged);
    EXPECT_LT(relative(found.a, state.columns["a"]), 1e-9);
    EXPECT_LT(relative(found.f_contact, state.forces), 1e-9);
    EXPECT_LT(relative(found.f_limit, state.columns["f_limit"]), 1e-9);
    EXPECT_LT(relative(found.f_friction, state.columns["f_friction"]), 1e-9);
  }
  EXPECT_GT(limits, 1);
  EXPECT_GT(frictions, 1);
}

TEST_P(ContactGolden, MobilitiesAreMujocos) {
  EXPECT_LT(relative(robot.mobility, golden.of_model["dof_mobility"]), 1e-9);
  for (const auto& [name, x] : golden.bodies) {
    const double found = robot.point_mobility(robot.model.link_index(name), {x[0], x[1], x[2]}, robot.at_zero());
    EXPECT_NEAR(found, x[3], 1e-9 * x[3]) << name;
  }
}

TEST_P(ContactGolden, WarmAndColdStartsEndAlike) {
  robot.options.tolerance = 1e-12;
  robot.options.search_tolerance = 1e-9;
  robot.options.most_steps = 60;
  int cold_steps = 0, warm_steps = 0;
  for (GoldenState& state : golden.states) {
    const auto cold = solve(state, Numbers(state.columns["v"].size()));
    const auto warm = solve(state, cold.a);
    EXPECT_LT(relative(warm.a, cold.a), 1e-10);
    Numbers away = cold.a;
    for (std::size_t k = 0; k < away.size(); ++k) away[k] = 100 * std::sin(double(k)) - away[k];
    EXPECT_LT(relative(solve(state, away).a, cold.a), 1e-10);
    const Numbers lost(away.size(), std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(solve(state, lost).a, cold.a);  // begins at rest
    cold_steps += cold.steps;
    warm_steps += warm.steps;
  }
  EXPECT_LT(warm_steps, cold_steps);
}

/// |a - b|_M over |b|_M
double relative_in_mass(const ContactRobot& robot, GoldenState& state, const Numbers& a, const Numbers& b) {
  const auto& m = robot.model.view<double>();
  const MassMatrix mass_matrix;
  Eigen::MatrixXd M(m.nv, m.nv);
  Numbers w(static_cast<std::size_t>(mass_matrix.work_rows(m)));
  mass_matrix.body<double>(m, state.columns["q"].data(), M.data(), w.data());
  const Eigen::VectorXd error = eigen(a) - eigen(b);
  return std::sqrt(error.dot(M * error) / eigen(b).dot(M * eigen(b)));
}

TEST_P(ContactGolden, DefaultToleranceIsKept) {
  for (GoldenState& state : golden.states) {
    const auto found = solve(state, Numbers(state.columns["v"].size()));
    EXPECT_TRUE(found.converged);
    EXPECT_LE(found.steps, 20);
    EXPECT_LT(relative_in_mass(robot, state, found.a, state.columns["a"]), 1e-3);
  }
}

TEST_P(ContactGolden, FloatIsNear) {
  double worst = 0;
  for (GoldenState& state : golden.states) {
    const auto found = solve<float>(state, Numbers(state.columns["v"].size()));
    EXPECT_TRUE(found.converged);
    worst = std::max(worst, relative_in_mass(robot, state, found.a, state.columns["a"]));
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LT(worst, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(, ContactGolden, ::testing::Values("tripod", "humanoid"),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace tandem::test
