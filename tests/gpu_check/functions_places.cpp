// SPDX-License-Identifier: Apache-2.0
#include "check_function.hpp"

namespace tandem::gpu_check {

void check_places(const Robot& robot, std::vector<FunctionCheck>& results) {
  check_function<ForwardKinematics>(robot, results);
  check_function<ForwardKinematicsDerivatives>(robot, results);
  check_function<ForwardKinematicsJvp>(robot, results);
  check_function<ForwardKinematicsVjp>(robot, results);
  check_function<Jacobian>(robot, results);
  check_function<JacobianTimeDerivativeProduct>(robot, results);
  check_function<Integrate>(robot, results);
  check_function<Difference>(robot, results);
  check_function<IntegrateRate>(robot, results);
}

}  // namespace tandem::gpu_check
