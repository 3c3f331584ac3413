# SPDX-License-Identifier: Apache-2.0
"""The functions that :mod:`tandem.torch`, :mod:`tandem.jax` and :mod:`tandem.casadi` differentiate, by their names."""

from __future__ import annotations

from tandem._derivatives import Function
from tandem._dynamics_derivatives import (
    BiasForces,
    Energy,
    ForwardDynamics,
    GravityForces,
    InverseDynamics,
    InverseMassMatrixProduct,
    MassMatrix,
)
from tandem._kinematics_derivatives import Difference, ForwardKinematics, Integrate, Jacobian
from tandem._steps import Rollout, Step

FUNCTIONS: dict[str, Function] = {
    function.name: function
    for function in (
        InverseDynamics(),
        BiasForces(),
        GravityForces(),
        ForwardDynamics(),
        MassMatrix(),
        InverseMassMatrixProduct(),
        ForwardKinematics(),
        Jacobian(),
        Energy(),
        Integrate(),
        Difference(),
        Step(),
        Rollout(),
    )
}
