# SPDX-License-Identifier: Apache-2.0
# Which algorithms are compiled together (`compiled_with` in their headers): headers, each followed by its algorithms.
# Written by tools/register.py.
set(problems
    "problems/forward_kinematics ForwardKinematics problems/jacobian Jacobian JacobianTimeDerivativeProduct \
problems/energy Energy problems/centre_of_mass CentreOfMass CentroidalMomentum problems/passive_forces PassiveForces \
problems/inverse_dynamics_regressor InverseDynamicsRegressor problems/integrate Integrate Difference IntegrateRate"
    "derivatives/forward_kinematics_derivatives ForwardKinematicsDerivatives derivatives/energy_derivatives \
EnergyDerivatives derivatives/passive_forces_derivatives PassiveForcesDerivatives \
derivatives/centroidal_momentum_derivatives CentroidalMomentumDerivatives CentreOfMassDerivatives"
    "derivatives/forward_kinematics_jvp ForwardKinematicsJvp derivatives/forward_kinematics_vjp ForwardKinematicsVjp"
    "problems/inverse_dynamics InverseDynamics problems/bias_forces BiasForces GravityForces \
problems/inverse_dynamics_terms InverseDynamicsTerms problems/interbody_wrenches InterbodyWrenches \
problems/forward_dynamics ForwardDynamics problems/constraint_wrenches ConstraintWrenches \
problems/closed_loop_dynamics ClosedLoopDynamics problems/close_loops CloseLoops problems/step Step"
    "derivatives/inverse_dynamics_derivatives InverseDynamicsDerivatives derivatives/forward_dynamics_derivatives \
ForwardDynamicsDerivatives problems/inverse_mass_matrix InverseMassMatrix derivatives/coriolis_matrix CoriolisMatrix \
MassMatrixRate"
    "derivatives/inverse_dynamics_jvp InverseDynamicsJvp derivatives/inverse_dynamics_vjp InverseDynamicsVjp \
derivatives/forward_dynamics_jvp ForwardDynamicsJvp derivatives/forward_dynamics_vjp ForwardDynamicsVjp \
derivatives/step_vjp StepVjp"
    "derivatives/inverse_dynamics_hvp InverseDynamicsHvp derivatives/inverse_dynamics_second_derivatives \
InverseDynamicsSecondDerivatives derivatives/forward_dynamics_hvp ForwardDynamicsHvp \
derivatives/forward_dynamics_second_derivatives ForwardDynamicsSecondDerivatives"
    "problems/forward_dynamics InverseMassMatrixProduct problems/operational_space_mobility OperationalSpaceMobility \
problems/mass_matrix MassMatrix"
    "derivatives/step_jvp StepJvp"
    "problems/inverse_kinematics InverseKinematics")
