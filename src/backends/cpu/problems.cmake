# SPDX-License-Identifier: Apache-2.0
# Which algorithms are compiled together (`compiled_with` in their headers): headers, each followed by its algorithms.
# Written by tools/register.py.
set(problems
    "forward_kinematics ForwardKinematics jacobian Jacobian JacobianTimeDerivativeProduct energy Energy centre_of_mass \
CentreOfMass CentroidalMomentum passive_forces PassiveForces inverse_dynamics_regressor InverseDynamicsRegressor \
integrate Integrate Difference IntegrateRate"
    "forward_kinematics_derivatives ForwardKinematicsDerivatives energy_derivatives EnergyDerivatives \
passive_forces_derivatives PassiveForcesDerivatives centroidal_momentum_derivatives CentroidalMomentumDerivatives \
CentreOfMassDerivatives"
    "forward_kinematics_jvp ForwardKinematicsJvp forward_kinematics_vjp ForwardKinematicsVjp"
    "inverse_dynamics InverseDynamics bias_forces BiasForces GravityForces inverse_dynamics_terms InverseDynamicsTerms \
interbody_wrenches InterbodyWrenches forward_dynamics ForwardDynamics constraint_wrenches ConstraintWrenches \
closed_loop_dynamics ClosedLoopDynamics close_loops CloseLoops step Step"
    "inverse_dynamics_derivatives InverseDynamicsDerivatives forward_dynamics_derivatives ForwardDynamicsDerivatives \
inverse_mass_matrix InverseMassMatrix coriolis_matrix CoriolisMatrix MassMatrixRate"
    "inverse_dynamics_jvp InverseDynamicsJvp inverse_dynamics_vjp InverseDynamicsVjp forward_dynamics_jvp \
ForwardDynamicsJvp forward_dynamics_vjp ForwardDynamicsVjp step_vjp StepVjp"
    "inverse_dynamics_hvp InverseDynamicsHvp inverse_dynamics_second_derivatives InverseDynamicsSecondDerivatives \
forward_dynamics_hvp ForwardDynamicsHvp forward_dynamics_second_derivatives ForwardDynamicsSecondDerivatives"
    "forward_dynamics InverseMassMatrixProduct operational_space_mobility OperationalSpaceMobility mass_matrix \
MassMatrix"
    "step_jvp StepJvp"
    "inverse_kinematics InverseKinematics")
