// SPDX-License-Identifier: Apache-2.0
#include "check_function.hpp"

namespace tandem::gpu_check {

void check_wrenches(const Robot& robot, std::vector<FunctionCheck>& results) {
  check_function<ConstraintWrenches>(robot, results);
}

}  // namespace tandem::gpu_check
