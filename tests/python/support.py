# SPDX-License-Identifier: Apache-2.0
"""Robots and random arguments that the Python tests share."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

import tandem
from tandem import _core
from tandem._autodiff.jax_table import shape as shape_of

#: what one would type, and whether the robot floats
ROBOTS = [("arm7", False), ("quadruped", True), ("rope:4", False), ("tree:9", False)]


@functools.cache
def robot(name: str, floating: bool = False) -> tandem.Model:
    return tandem.load(name, floating=floating, seed=1)


#: sizes of the inputs of all functions, by their names
SIZES = {
    row[0]: sizes
    for algorithm in _core.algorithms()
    for row, sizes in zip(algorithm.arguments, algorithm.sizes)
    if row[1].endswith("input")
}


def argument(model: tandem.Model, name: str, batch: int | None = None, dtype: Any = np.float64) -> np.ndarray:
    """Random values of an argument, the same each time."""
    if SIZES[name] == "nq":
        return tandem.random_configuration(model, seed=1 if name in ("q", "q0") else 3, batch=batch, dtype=dtype)
    shape = shape_of(SIZES[name], model) if batch is None else (batch, *shape_of(SIZES[name], model))
    values = np.random.default_rng(sum(name.encode())).normal(size=shape)
    if name == "dt":
        return (np.abs(values) * 1e-3).astype(dtype)
    return (np.abs(values) if name in ("diagonal", "kp", "kd") else values).astype(dtype)


#: what calls here give besides what is needed, where it is not all that there is: a reference, fewer optional arguments
_STATE, _CONTROLLER = ("q", "v", "tau", "dt"), ("f_ext", "q_target", "kp", "kd")
_CHOSEN: dict[str, dict[str, Any]] = {
    "forward_kinematics": {"reference": "world"},
    "forward_kinematics_derivatives": {"reference": "local_world_aligned"},
    "forward_kinematics_jvp": {"reference": "world"},
    "forward_kinematics_vjp": {"reference": "world"},
    "jacobian": {"reference": "local_world_aligned"},
    "operational_space_mobility": {"reference": "world"},
    "closed_loop_dynamics": {"forces": False},
    "close_loops": {"error": False},
    "step": {"effort_limits": False, "next_stops": False, "energies": False},
    "step_jvp": {"effort_limits": False, "next_stops": False},
    "step_vjp": {"effort_limits": False, "next_stops": False},
}
_GIVEN = {
    "step": (*_STATE, *_CONTROLLER),
    "step_jvp": (*_STATE, "dq", "dv", "dtau", *_CONTROLLER),
    "step_vjp": (*_STATE, "q_next_bar", "v_next_bar", *_CONTROLLER),
}


def _call_of(algorithm: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    """All inputs, a frame where one is needed, and all optional outputs, but for what is chosen above."""
    inputs = tuple(name for name, role, *_ in algorithm.arguments if role.endswith("input"))
    parameters = inspect.signature(getattr(tandem, algorithm.name)).parameters
    further = {"frame": 1} if "frame" in parameters else {}
    further |= {name: True for name, parameter in parameters.items() if parameter.default is False}
    further |= _CHOSEN.get(algorithm.name, {})
    return _GIVEN.get(algorithm.name, inputs), {name: x for name, x in further.items() if x is not False}


#: every algorithm: names of its array arguments, further arguments
CALLS = {algorithm.name: _call_of(algorithm) for algorithm in _core.algorithms()}


def call(
    function: str, model: tandem.Model, arguments: dict[str, Any], **options: Any
) -> tuple[np.ndarray, ...]:
    """Calls a function of Tandem; its results as a tuple, one or many."""
    names, further = CALLS[function]
    result = getattr(tandem, function)(
        model, **{name: arguments[name] for name in names}, **further, **options
    )
    return tuple(result) if isinstance(result, tuple) else (result,)
