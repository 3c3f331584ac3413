// SPDX-License-Identifier: Apache-2.0
/// Accelerations and forces of robots on a floor against MuJoCo's, from tests/golden/contact
/// (tools/make_contact_golden.py).
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "contact/solved.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"
#include "tandem/io/mjcf.hpp"

namespace tandem::test {
namespace {

using Numbers = std::vector<double>;
using Vector = Eigen::VectorXd;

struct GoldenState {
  bool elliptic = false;
  double impratio = 1;
  std::map<std::string, Numbers> columns;
  std::vector<WorldContact> contacts;
  std::vector<double> forces;  ///< [contacts][6]
};

struct Golden {
  std::map<std::string, Numbers> of_model, bodies;
  std::vector<GoldenState> states;

  Golden(const std::string& name, const Model& model) {
    std::ifstream file(std::string(TANDEM_SOURCE_DIR) + "/tests/golden/contact/" + name + ".txt");
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string key, link;
      words >> key;
      if (key == "body" || key == "contact") words >> link;
      Numbers x;
      for (std::string word; words >> word;) x.push_back(std::stod(word));
      if (key == "body")
        bodies[link] = x;
      else if (key == "state")
        states.push_back({x[0] == 1, x[1], {}, {}, {}});
      else if (key == "contact")
        add_contact(model, link, x);
      else
        (states.empty() ? of_model : states.back().columns)[key] = x;
    }
    for (GoldenState& state : states) sort(state);
  }

 private:
  void add_contact(const Model& model, const std::string& link, const Numbers& x) {
    WorldContact c{};
    c.kind.link = model.link_index(link);
    c.kind.dim = static_cast<int>(x[0]);
    std::size_t at = 1;
    const auto take = [&](double* to, std::size_t n) {
      for (std::size_t k = 0; k < n; ++k) to[k] = x[at++];
    };
    take(c.kind.friction, 5);
    take(c.kind.softness.solref, 2);
    take(c.kind.softness.solimp, 5);
    take(c.kind.solreffriction, 2);
    take(&c.kind.margin, 1);
    take(&c.kind.mobility, 1);
    take(c.place, ContactPlace::rows);
    states.back().contacts.push_back(c);
    for (std::size_t k = 0; k < 6; ++k) states.back().forces.push_back(x[at + k]);
  }
  static void sort(GoldenState& state) {
    std::vector<std::size_t> order(state.contacts.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return std::pair(state.contacts[i].kind.link, i) < std::pair(state.contacts[j].kind.link, j);
    });
    GoldenState sorted = state;
    for (std::size_t k = 0; k < order.size(); ++k) {
      sorted.contacts[k] = state.contacts[order[k]];
      std::copy_n(state.forces.begin() + static_cast<long>(6 * order[k]), 6,
                  sorted.forces.begin() + static_cast<long>(6 * k));
    }
    state = sorted;
  }
};

std::vector<Softness> softness(const Numbers& x) {
  std::vector<Softness> rows(x.size() / 7);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::copy_n(x.begin() + static_cast<long>(7 * k), 2, rows[k].solref);
    std::copy_n(x.begin() + static_cast<long>(7 * k + 2), 5, rows[k].solimp);
  }
  return rows;
}

Vector eigen(const Numbers& x) { return Eigen::Map<const Vector>(x.data(), static_cast<long>(x.size())); }
double relative(const Numbers& ours, const Numbers& theirs) {
  return (eigen(ours) - eigen(theirs)).norm() / (1 + eigen(theirs).norm());
}

class ContactGolden : public ::testing::TestWithParam<const char*> {
 protected:
  ContactRobot robot{load_mjcf(std::string(TANDEM_SOURCE_DIR) + "/tests/golden/contact/" + GetParam() + ".xml")};
  Golden golden{GetParam(), robot.model};

  void SetUp() override {
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
  const Vector error = eigen(a) - eigen(b);
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
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tandem::test
