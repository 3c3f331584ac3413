// SPDX-License-Identifier: Apache-2.0
/// Every function of a robot with closed loops: it closes them, is one of its tree by what it is, or refuses the robot.
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "closed_loops/ignore_loops.hpp"
#include "closed_loops/loop_cases.hpp"
#include "support/errors.hpp"
#include "tandem/detail/all_algorithms.hpp"

namespace tandem::test {
namespace {

using Names = std::set<std::string>;
using Results = std::vector<std::vector<double>>;

/// Whether some output of the algorithm cannot be had without this input.
bool is_needed(const Algorithm& algorithm, const Argument& input) {
  return std::ranges::any_of(algorithm.arguments, [&](const Argument& output) {
    return std::string_view(output.needs).find(input.name) != std::string_view::npos;
  });
}

/// All outputs of a function in a state, whatever else it takes drawn at random, the same for every model; optional
/// inputs are left out but for those that an output needs.
Results results(const Algorithm& algorithm, const Model& model, const Vector& q, const Vector& v) {
  Random random(7);
  const auto& m = model.view<double>();
  Results columns;
  std::vector<Array<double>> arrays;
  for (const Argument& argument : algorithm.arguments) {
    const auto n = static_cast<std::size_t>(shape(argument.rows, m).count());
    std::vector<double>& x = columns.emplace_back(n);
    for (double& number : x) number = argument.rows == Rows::scalar ? 1e-3 : random.uniform(-1, 1);
    if (argument.rows == Rows::q) x = in<double>(q);
    if (argument.name == std::string_view("v")) x = in<double>(v);
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Argument& argument = algorithm.arguments[k];
    if (is_input(argument) && is_optional(argument) && !is_needed(algorithm, argument))
      arrays.emplace_back();
    else
      arrays.push_back(is_input(argument) ? Array<double>::input(columns[k].data(), 0)
                                          : Array<double>::output(columns[k].data(), 0));
  }
  Workspace<double> work;
  evaluate<double>(algorithm, model, arrays, 1, work);
  Results found;
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (!is_input(algorithm.arguments[k]) && algorithm.arguments[k].rows != Rows::loop_force)
      found.push_back(columns[k]);
  return found;
}

TEST(Loops, AreKnownToEveryFunction) {
  const Model bars = load("four_bar"), tree = bars.without_loops();
  Vector at(3), moving(3);  // loops that are a little open, which close_loops closes
  at << 0.7, 0.1, 0.2;
  moving << 1, 0, 0;

  Names closing, of_tree, refused;
  for (const Algorithm& algorithm : algorithms()) {
    const std::string error = error_of([&] { results(algorithm, bars, at, moving); });
    if (error != "no error") {
      EXPECT_THAT(error,
                  testing::HasSubstr(std::string(algorithm.name) + ": does not support four_bar: it has closed loops"));
      refused.insert(algorithm.name);
    } else if (results(algorithm, bars, at, moving) == results(algorithm, tree, at, moving)) {
      of_tree.insert(algorithm.name);
    } else {
      closing.insert(algorithm.name);
    }
  }
  EXPECT_EQ(closing, (Names{"close_loops", "closed_loop_dynamics", "forward_dynamics", "forward_dynamics_derivatives",
                            "forward_dynamics_jvp", "forward_dynamics_vjp"}));
  // what forces do to the robot; a new function of that kind is refused until it closes loops
  EXPECT_EQ(refused, (Names{"constraint_wrenches", "forward_dynamics_hvp", "forward_dynamics_second_derivatives",
                            "operational_space_mobility", "step", "step_jvp", "step_vjp"}));
  // docs/closed_loops.md lists those of the tree; `ignores_loops` in their headers
  EXPECT_EQ(of_tree, Names(std::begin(ignore_loops), std::end(ignore_loops)));
}

}  // namespace
}  // namespace tandem::test
