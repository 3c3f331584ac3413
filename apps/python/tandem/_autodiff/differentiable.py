# SPDX-License-Identifier: Apache-2.0
"""The functions that :mod:`tandem.torch`, :mod:`tandem.jax` and :mod:`tandem.casadi` differentiate, by their names."""

from __future__ import annotations

from typing import Any, get_args

from tandem._autodiff.derivatives import Function
from tandem._autodiff.dynamics import (
    BiasForces,
    Energy,
    ForwardDynamics,
    GravityForces,
    InverseDynamics,
    InverseMassMatrixProduct,
    MassMatrix,
)
from tandem._autodiff.kinematics import (
    Difference,
    ForwardKinematics,
    FrameAccelerations,
    FrameVelocities,
    Integrate,
    Jacobian,
)
from tandem._autodiff.steps import Rollout, Step
from tandem.errors import Error
from tandem.functions import Reference

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

#: forward kinematics by how many of q, v and a are given
KINEMATICS: dict[int, Function] = {1: FUNCTIONS["forward_kinematics"], 2: FrameVelocities(), 3: FrameAccelerations()}


def kinematics(state: tuple[Any, ...], reference: str) -> tuple[Function, tuple[Any, ...], dict[str, Any]]:
    """Forward kinematics of q, v and a, of which the last may be None: the function, its inputs and options."""
    q, v, a = state
    if v is None and a is not None:
        raise Error("forward_kinematics: accelerations need the argument v")
    if reference not in get_args(Reference):
        raise Error(f'forward_kinematics: reference is "{reference}", expected one of {", ".join(get_args(Reference))}')
    given = tuple(x for x in (q, v, a) if x is not None)
    return KINEMATICS[len(given)], given, {"reference": reference} if v is not None else {}
