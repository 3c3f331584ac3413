// SPDX-License-Identifier: Apache-2.0
/// Every algorithm, and one list of them.
#pragma once
#include "tandem/algorithms/bias_forces.hpp"
#include "tandem/algorithms/centre_of_mass.hpp"
#include "tandem/algorithms/energy.hpp"
#include "tandem/algorithms/forward_dynamics.hpp"
#include "tandem/algorithms/forward_kinematics.hpp"
#include "tandem/algorithms/integrate.hpp"
#include "tandem/algorithms/interbody_wrenches.hpp"
#include "tandem/algorithms/inverse_dynamics.hpp"
#include "tandem/algorithms/jacobian.hpp"
#include "tandem/algorithms/mass_matrix.hpp"
#include "tandem/algorithms/operational_space_mobility.hpp"
#include "tandem/algorithms/passive_forces.hpp"

namespace tandem::inline TANDEM_ISA {

template <class... T>
struct TypeList {};

/// What tables, bindings, the command line and the tests run over.
using Algorithms =
    TypeList<ForwardKinematics, Jacobian, JacobianTimeDerivativeProduct, InverseDynamics, BiasForces, GravityForces,
             InterbodyWrenches, MassMatrix, ForwardDynamics, InverseMassMatrixProduct, OperationalSpaceMobility, Energy,
             CentreOfMass, CentroidalMomentum, PassiveForces, Integrate, Difference, IntegrateRate>;

}  // namespace tandem::inline TANDEM_ISA
