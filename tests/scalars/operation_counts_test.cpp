// SPDX-License-Identifier: Apache-2.0
/// How much arithmetic each algorithm does: the tables of docs/operation_counts.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "scalars/bodies.hpp"

namespace tandem::test {
namespace {

/// Operations of one call with everything optional left out.
Operations operations(const Body<Counting>& body, const Model& model, Method method) {
  const Columns<double> numbers = random_arguments(body.arguments, model, 5, Optional::left_out);
  Columns<Counting> columns;
  for (const auto& column : numbers) columns.emplace_back(column.begin(), column.end());
  Counting::count = {};
  body.run(model.view<double>(), {model.n_links() - 1, Reference::local, method}, columns);
  return Counting::count;
}
Operations operations(const std::string& algorithm, const Model& model, Method method = Method::automatic) {
  return operations(body_named(counting_bodies(), algorithm), model, method);
}

double per_link(const Operations& o, const Model& model) { return static_cast<double>(o.flops()) / model.n_joints(); }

std::string row(const std::string& name, const Operations& o, const Model& model) {
  return fmt::format("| {:54} | {:>7} | {:>7} | {:>5} | {:>5} | {:>6} | {:>8} | {:>8.1f} |\n", name, o.additions,
                     o.multiplications, o.divisions, o.square_roots, o.angles, o.flops(), per_link(o, model));
}

/// One robot's table in Markdown.
std::string table(const std::string& robot, const Model& model) {
  std::string text =
      fmt::format("## {}: {} moving links, {} degrees of freedom\n\n", robot, model.n_joints(), model.nv());
  text += fmt::format("| {:54} | {:>7} | {:>7} | {:>5} | {:>5} | {:>6} | {:>8} | {:>8} |\n", "algorithm", "+ -", "*",
                      "/", "sqrt", "angles", "flops", "per link");
  text += fmt::format("|:{:-<54}-|{:->8}:|{:->8}:|{:->6}:|{:->6}:|{:->7}:|{:->9}:|{:->9}:|\n", "", "", "", "", "", "",
                      "", "");
  for (const Body<Counting>& body : counting_bodies()) {
    if (find_algorithm(body.name).methods.size() <= 2) {  // automatic and the one there is
      text += row(fmt::format("`{}`", body.name), operations(body, model, Method::automatic), model);
      continue;
    }
    for (const Method method : {Method::articulated_body, Method::composite_rigid_body})
      text += row(fmt::format("`{}`, `{}`", body.name, to_string(method)), operations(body, model, method), model);
  }
  return text;
}

TEST(OperationCounts, DocumentedTablesAreTrue) {
  std::ifstream file(TANDEM_SOURCE_DIR "/docs/operation_counts.md");
  ASSERT_TRUE(file) << "docs/operation_counts.md cannot be read";
  std::stringstream document;
  document << file.rdbuf();
  for (const char* robot : {"arm7", "humanoid", "chain:100"}) {
    const std::string counted = table(robot, load(robot));
    std::cout << counted << '\n';
    EXPECT_TRUE(document.str().find(counted) != std::string::npos)
        << "docs/operation_counts.md is out of date: replace its table of " << robot << " by the one printed above";
  }
}

/// Bounds well above what is needed, far below what a lost structure (full 6x6 matrices, a pass too many) would cost.
TEST(OperationCounts, LinksOnRevoluteJointsCostNoMoreThanTheyShould) {
  const Model model = load("arm7");
  EXPECT_LT(per_link(operations("inverse_dynamics", model), model), 400);
  EXPECT_LT(per_link(operations("gravity_forces", model), model), 400);
  EXPECT_LT(per_link(operations("forward_dynamics", model, Method::articulated_body), model), 900);
  EXPECT_LT(per_link(operations("inverse_mass_matrix_product", model), model), 900);
  EXPECT_LT(per_link(operations("forward_kinematics", model), model), 200);
  EXPECT_LT(per_link(operations("mass_matrix", model), model), 400);
}

/// Every algorithm but those that deal with a matrix takes twice as long for a chain twice as long.
TEST(OperationCounts, GrowLinearlyWithTheNumberOfLinks) {
  const Model half = load("rope:50"), whole = load("rope:100");
  const std::set<std::string> of_pairs = {"mass_matrix", "mass_matrix_rate", "coriolis_matrix",
                                          "inverse_dynamics_regressor", "inverse_dynamics_derivatives"};
  const auto growth_of = [](const std::string& name, const Model& from, const Model& to) {
    return static_cast<double>(operations(name, to, Method::articulated_body).flops()) /
           static_cast<double>(operations(name, from, Method::articulated_body).flops());
  };
  const std::set<std::string> along_all = {"inverse_dynamics_second_derivatives",
                                           "forward_dynamics_second_derivatives"};
  for (const Body<Counting>& body : counting_bodies()) {
    const std::string name = body.name;
    if (along_all.contains(name)) {
      EXPECT_NEAR(growth_of(name, load("rope:8"), load("rope:16")), 4, 0.3) << name;
      continue;
    }
    const double growth = growth_of(name, half, whole);
    if (name == "forward_dynamics_derivatives" || name == "inverse_mass_matrix")
      EXPECT_LT(growth, 8) << body.name;
    else if (of_pairs.contains(name))
      EXPECT_LT(growth, 4) << body.name;
    else
      EXPECT_NEAR(growth, 2, 0.05) << body.name;
  }
  const auto flops = [](const Model& m) {
    return static_cast<double>(operations("forward_dynamics", m, Method::composite_rigid_body).flops());
  };
  EXPECT_LT(flops(whole) / flops(half), 8);
}

TEST(OperationCounts, SinesOfAnAngleAreComputedOnce) {
  const Model model = load("arm7");
  for (const char* algorithm : {"forward_kinematics", "jacobian", "inverse_dynamics", "mass_matrix"})
    EXPECT_EQ(operations(algorithm, model).angles, model.n_joints()) << algorithm;
  EXPECT_EQ(operations("forward_dynamics", model, Method::articulated_body).angles, model.n_joints());
}

}  // namespace
}  // namespace tandem::test
