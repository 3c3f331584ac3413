// SPDX-License-Identifier: Apache-2.0
#include "check_function.hpp"

namespace tandem::gpu_check {

void check_forces(const Robot& robot, std::vector<FunctionCheck>& results) {
  check_function<InverseDynamics>(robot, results);
  check_function<BiasForces>(robot, results);
  check_function<GravityForces>(robot, results);
  check_function<InverseDynamicsTerms>(robot, results);
  check_function<InterbodyWrenches>(robot, results);
  check_function<InverseDynamicsRegressor>(robot, results);
  check_function<InverseDynamicsDerivatives>(robot, results);
  check_function<InverseDynamicsJvp>(robot, results);
  check_function<InverseDynamicsVjp>(robot, results);
  check_function<InverseDynamicsHvp>(robot, results);
  if (has_short_matrices(robot)) check_function<InverseDynamicsSecondDerivatives>(robot, results);
  check_function<MassMatrixRate>(robot, results);
  check_function<CoriolisMatrix>(robot, results);
  check_function<PassiveForces>(robot, results);
  check_function<PassiveForcesDerivatives>(robot, results);
  check_function<Energy>(robot, results);
  check_function<EnergyDerivatives>(robot, results);
  check_function<CentreOfMass>(robot, results);
  check_function<CentreOfMassDerivatives>(robot, results);
  check_function<CentroidalMomentum>(robot, results);
  check_function<CentroidalMomentumDerivatives>(robot, results);
  check_function<MassMatrix>(robot, results);
}

}  // namespace tandem::gpu_check
