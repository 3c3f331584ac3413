// SPDX-License-Identifier: Apache-2.0
#include "functions.hpp"

#include <cmath>
#include <cstdio>

#include "results.hpp"

namespace tandem::gpu_check {
namespace {

void write(const FunctionCheck& c) {
  Row row;
  row.add("robot", c.robot).add("algorithm", c.algorithm).add("precision", c.precision);
  if (!c.method.empty()) row.add("method", c.method);
  row.add("varied", c.varied).add("worst_share_of_tolerance", c.worst).add("same_bits_as_processor", c.same_bits);
  row.add("wrong_status", static_cast<double>(c.wrong_status));
  write_row("functions", row.add("passed", c.passed()));
}

void check(const Robot& robot, const char* group, void (*functions)(const Robot&, std::vector<FunctionCheck>&)) {
  std::vector<FunctionCheck> results;
  functions(robot, results);
  double worst = 0, same = 1;
  for (const FunctionCheck& c : results) {
    write(c);
    if (!(c.worst <= worst)) worst = c.worst;
    same = std::fmin(same, c.same_bits);
    if (c.passed()) continue;
    count_failure();
    std::printf("FAILED: %s %s %s %s%s: %g of the tolerance, %.1f %% the same bits, %lld reports differ\n",
                c.robot.c_str(), c.algorithm.c_str(), c.method.c_str(), c.precision.c_str(),
                c.varied ? ", models that differ" : "", c.worst, 100 * c.same_bits,
                static_cast<long long>(c.wrong_status));
  }
  std::printf("%-12s %-10s %4zu functions, worst share of the tolerance %.3g, least share of same bits %.3f\n",
              robot.name.c_str(), group, results.size(), worst, same);
}

}  // namespace

void add_functions(const std::vector<Robot>& robots, std::vector<Unit>& units) {
  const auto add = [&](const Robot& robot, const char* group, auto functions) {
    units.push_back(
        {std::string(group) + " of " + robot.name, [&robot, group, functions] { check(robot, group, functions); }});
  };
  for (const Robot& robot : robots) {
    add(robot, "responses", check_responses);
    add(robot, "forces", check_forces);
    add(robot, "places", check_places);
    add(robot, "wrenches", check_wrenches);
  }
}

}  // namespace tandem::gpu_check
