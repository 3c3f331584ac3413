# SPDX-License-Identifier: Apache-2.0
"""What of a robot may differ from state to state, as inputs of functions that are differentiated."""

from __future__ import annotations

from typing import Any

from tandem._autodiff.tangents import joined, zeros
from tandem._common.batch_options import parameters

Inputs = list[Any]  # an array or None for every input

#: names of the parameters, and how many axes those of one state have
PARAMETERS = tuple(parameter.name for parameter in parameters())
PARAMETER_RANKS = tuple(len(parameter.shape) for parameter in parameters())

INERTIAL = ("mass", "com", "inertia")


def by_name(x: Inputs) -> dict[str, Any]:
    """The parameters that stand behind a function's own inputs, None for those that are left out."""
    return dict(zip(PARAMETERS, x[len(x) - len(PARAMETERS) :]))


def of_moving_links(names: tuple[str, ...], ways: Inputs) -> Inputs:
    """Changes without those of the base, which nothing depends on, and whose mass of 0 differences would go below."""
    found = list(ways)
    for k, (name, way) in enumerate(zip(names, ways)):
        if name in INERTIAL and way is not None:
            found[k] = beside_base(way[..., 1:] if name == "mass" else way[..., 1:, :], -1 if name == "mass" else -2)
    return found


def beside_base(gradient: Any, axis: int) -> Any:
    """With zeros for the base, which does not move."""
    shape = list(gradient.shape)
    shape[axis] = 1
    return joined([zeros(gradient, tuple(shape)), gradient], axis)
