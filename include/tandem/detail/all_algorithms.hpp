// SPDX-License-Identifier: Apache-2.0
/// Every algorithm, and one list of them. Written by tools/register.py.
#pragma once
#include "tandem/detail/derivatives/centroidal_momentum_derivatives.hpp"
#include "tandem/detail/derivatives/coriolis_matrix.hpp"
#include "tandem/detail/derivatives/energy_derivatives.hpp"
#include "tandem/detail/derivatives/forward_dynamics_derivatives.hpp"
#include "tandem/detail/derivatives/forward_dynamics_hvp.hpp"
#include "tandem/detail/derivatives/forward_dynamics_jvp.hpp"
#include "tandem/detail/derivatives/forward_dynamics_second_derivatives.hpp"
#include "tandem/detail/derivatives/forward_dynamics_vjp.hpp"
#include "tandem/detail/derivatives/forward_kinematics_derivatives.hpp"
#include "tandem/detail/derivatives/forward_kinematics_jvp.hpp"
#include "tandem/detail/derivatives/forward_kinematics_vjp.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_derivatives.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_hvp.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_jvp.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_second_derivatives.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_vjp.hpp"
#include "tandem/detail/derivatives/passive_forces_derivatives.hpp"
#include "tandem/detail/derivatives/step_jvp.hpp"
#include "tandem/detail/derivatives/step_vjp.hpp"
#include "tandem/detail/problems/bias_forces.hpp"
#include "tandem/detail/problems/centre_of_mass.hpp"
#include "tandem/detail/problems/close_loops.hpp"
#include "tandem/detail/problems/closed_loop_dynamics.hpp"
#include "tandem/detail/problems/constraint_wrenches.hpp"
#include "tandem/detail/problems/energy.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/forward_kinematics.hpp"
#include "tandem/detail/problems/integrate.hpp"
#include "tandem/detail/problems/interbody_wrenches.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/inverse_dynamics_regressor.hpp"
#include "tandem/detail/problems/inverse_dynamics_terms.hpp"
#include "tandem/detail/problems/inverse_mass_matrix.hpp"
#include "tandem/detail/problems/jacobian.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"
#include "tandem/detail/problems/operational_space_mobility.hpp"
#include "tandem/detail/problems/passive_forces.hpp"
#include "tandem/detail/problems/step.hpp"

namespace tandem::inline TANDEM_ISA {

template <class... T>
struct TypeList {};

/// What tables, bindings, the command line and the tests run over.
using Algorithms =
    TypeList<ForwardKinematics, ForwardKinematicsDerivatives, ForwardKinematicsJvp, ForwardKinematicsVjp, Jacobian,
             JacobianTimeDerivativeProduct, InverseDynamics, BiasForces, GravityForces, InverseDynamicsTerms,
             InterbodyWrenches, InverseDynamicsRegressor, InverseDynamicsDerivatives, InverseDynamicsJvp,
             InverseDynamicsVjp, InverseDynamicsHvp, InverseDynamicsSecondDerivatives, MassMatrix, MassMatrixRate,
             CoriolisMatrix, ForwardDynamics, ForwardDynamicsDerivatives, ForwardDynamicsJvp, ForwardDynamicsVjp,
             ForwardDynamicsHvp, ForwardDynamicsSecondDerivatives, ConstraintWrenches, ClosedLoopDynamics,
             InverseMassMatrixProduct, InverseMassMatrix, OperationalSpaceMobility, Energy, EnergyDerivatives,
             CentreOfMass, CentreOfMassDerivatives, CentroidalMomentum, CentroidalMomentumDerivatives, PassiveForces,
             PassiveForcesDerivatives, Integrate, Difference, IntegrateRate, CloseLoops, Step, StepJvp,
             StepVjp>;

}  // namespace tandem::inline TANDEM_ISA
