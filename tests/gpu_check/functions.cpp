// SPDX-License-Identifier: Apache-2.0
#include "functions.hpp"

#include <cmath>
#include <cstdio>

namespace tandem::gpu_check {

std::vector<FunctionCheck> check_functions(const std::vector<Robot>& robots) {
  std::vector<FunctionCheck> results;
  std::printf("%-12s %9s %28s %24s\n", "robot", "functions", "worst share of the tolerance", "bits of the processor");
  for (const Robot& robot : robots) {
    const std::size_t first = results.size();
    check_places(robot, results);
    check_forces(robot, results);
    check_responses(robot, results);
    check_wrenches(robot, results);
    double worst = 0, same = 1;
    for (std::size_t k = first; k < results.size(); ++k) {
      if (!(results[k].worst <= worst)) worst = results[k].worst;
      same = std::fmin(same, results[k].same_bits);
    }
    std::printf("%-12s %9zu %28.3g %17.1f %% least\n", robot.name.c_str(), results.size() - first, worst, 100 * same);
    std::fflush(stdout);
  }
  for (const FunctionCheck& c : results)
    if (!c.passed())
      std::printf("FAILED: %s %s %s %s%s: %g of the tolerance, %.1f %% the same bits, %lld reports differ\n",
                  c.robot.c_str(), c.algorithm.c_str(), c.method.c_str(), c.precision.c_str(),
                  c.varied ? ", models that differ" : "", c.worst, 100 * c.same_bits,
                  static_cast<long long>(c.wrong_status));
  return results;
}

}  // namespace tandem::gpu_check
