// SPDX-License-Identifier: Apache-2.0
#include "check_function.hpp"

namespace tandem::gpu_check {

void check_responses(const Robot& robot, std::vector<FunctionCheck>& results) {
  check_function<ForwardDynamicsDerivatives>(robot, results);
  check_function<ForwardDynamicsJvp>(robot, results);
  check_function<ForwardDynamicsVjp>(robot, results);
  check_function<ForwardDynamicsHvp>(robot, results);
  if (has_short_matrices(robot)) check_function<ForwardDynamicsSecondDerivatives>(robot, results);
  check_function<InverseMassMatrix>(robot, results);
  check_function<InverseMassMatrixProduct>(robot, results);
  check_function<cuda::ByArticulatedBodies>(robot, results, Method::articulated_body);
  check_function<cuda::ByMassMatrix>(robot, results, Method::composite_rigid_body);
  check_function<OperationalSpaceMobility>(robot, results);
  check_function<Step>(robot, results);
  check_function<StepVjp>(robot, results);
  check_function<StepJvp>(robot, results);
}

}  // namespace tandem::gpu_check
