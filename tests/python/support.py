# SPDX-License-Identifier: Apache-2.0
"""Robots and random arguments that the Python tests share."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import tandem

#: what one would type, and whether the robot floats
ROBOTS = [("arm7", False), ("quadruped", True), ("rope:4", False), ("tree:9", False)]


@functools.cache
def robot(name: str, floating: bool = False) -> tandem.Model:
    return tandem.load(name, floating=floating, seed=1)


def shapes(model: tandem.Model) -> dict[str, tuple[int, ...]]:
    """Shape of every argument of one state, by its name in the table of algorithms."""
    v = {name: (model.nv,) for name in ("v", "a", "u", "x", "diagonal", "tau", "y", "rate")}
    v |= {name: (model.nv,) for name in ("dq", "dv", "da", "dtau", "a_bar", "tau_bar", "da_bar", "dtau_bar")}
    q = {name: (model.nq,) for name in ("q", "q0", "q1", "q_next", "q_target")}
    v |= {name: (model.nv,) for name in ("v_next", "kp", "kd", "q_next_bar", "v_next_bar", "impedance_next_bar")}
    frames = {"pose_bar": (model.n_frames, 3, 4)}
    frames |= {name: (model.n_frames, 6) for name in ("velocity_bar", "acceleration_bar")}
    links = {"f_ext": (model.n_links, 6), "df_ext": (model.n_links, 6), "dpi": (10 * model.n_joints,)}
    return q | v | frames | links | {"dt": ()}


def argument(model: tandem.Model, name: str, batch: int | None = None, dtype: Any = np.float64) -> np.ndarray:
    """Random values of an argument, the same each time."""
    if name in ("q", "q0", "q1", "q_target"):
        return tandem.random_configuration(model, seed=1 if name in ("q", "q0") else 3, batch=batch, dtype=dtype)
    shape = shapes(model)[name] if batch is None else (batch, *shapes(model)[name])
    values = np.random.default_rng(sum(name.encode())).normal(size=shape)
    if name == "dt":
        return (np.abs(values) * 1e-3).astype(dtype)
    return (np.abs(values) if name in ("diagonal", "kp", "kd") else values).astype(dtype)


#: every algorithm: names of its array arguments, further arguments
CALLS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "forward_kinematics": (("q", "v", "a"), {"reference": "world"}),
    "forward_kinematics_derivatives": (
        ("q", "v", "a"),
        {"frame": 1, "reference": "local_world_aligned", "jacobian": True},
    ),
    "forward_kinematics_jvp": (("q", "dq", "v", "a", "dv", "da"), {"reference": "world"}),
    "forward_kinematics_vjp": (
        ("q", "v", "a", "pose_bar", "velocity_bar", "acceleration_bar"),
        {"reference": "world"},
    ),
    "jacobian": (("q",), {"frame": 1, "reference": "local_world_aligned"}),
    "jacobian_time_derivative_product": (("q", "v"), {"frame": 1}),
    "inverse_dynamics": (("q", "v", "a", "f_ext"), {}),
    "bias_forces": (("q", "v", "f_ext"), {}),
    "gravity_forces": (("q",), {}),
    "inverse_dynamics_terms": (("q", "v", "a", "f_ext"), {}),
    "interbody_wrenches": (("q", "v", "a", "f_ext"), {}),
    "inverse_dynamics_regressor": (("q", "v", "a"), {}),
    "inverse_dynamics_derivatives": (("q", "v", "a", "f_ext"), {"mass_matrix": True}),
    "inverse_dynamics_jvp": (("q", "v", "a", "dq", "dv", "da", "f_ext", "df_ext", "dpi"), {}),
    "inverse_dynamics_vjp": (("q", "v", "a", "tau_bar", "f_ext"), {"by_forces": True, "by_parameters": True}),
    "inverse_dynamics_hvp": (
        ("q", "v", "a", "tau_bar", "dq", "dv", "da", "dtau_bar", "f_ext", "df_ext"),
        {"by_forces": True, "by_parameters": True},
    ),
    "inverse_dynamics_second_derivatives": (("q", "v", "a", "tau_bar", "f_ext"), {}),
    "mass_matrix": (("q",), {}),
    "mass_matrix_rate": (("q", "v"), {}),
    "coriolis_matrix": (("q", "v"), {}),
    "forward_dynamics": (("q", "v", "tau", "f_ext", "diagonal"), {}),
    "forward_dynamics_derivatives": (("q", "v", "tau", "f_ext", "diagonal"), {"inverse_mass_matrix": True}),
    "forward_dynamics_jvp": (
        ("q", "v", "tau", "dq", "dv", "dtau", "f_ext", "diagonal", "df_ext", "dpi"),
        {},
    ),
    "forward_dynamics_vjp": (
        ("q", "v", "tau", "a_bar", "f_ext", "diagonal"),
        {"by_forces": True, "by_parameters": True},
    ),
    "forward_dynamics_hvp": (
        ("q", "v", "tau", "a_bar", "dq", "dv", "dtau", "da_bar", "f_ext", "df_ext", "diagonal"),
        {"by_forces": True, "by_parameters": True},
    ),
    "forward_dynamics_second_derivatives": (("q", "v", "tau", "a_bar", "f_ext", "diagonal"), {}),
    "constraint_wrenches": (("q", "v", "tau", "f_ext", "diagonal"), {}),
    "closed_loop_dynamics": (("q", "v", "tau", "f_ext", "diagonal"), {}),
    "inverse_mass_matrix": (("q",), {}),
    "inverse_mass_matrix_product": (("q", "x"), {}),
    "operational_space_mobility": (("q",), {"frame": 1, "reference": "world"}),
    "energy": (("q", "v"), {}),
    "energy_derivatives": (("q", "v"), {}),
    "centre_of_mass_derivatives": (("q", "v", "a"), {"jacobian": True, "acceleration": True}),
    "centre_of_mass": (("q", "v"), {"jacobian": True}),
    "centroidal_momentum": (("q", "v"), {"matrix": True}),
    "centroidal_momentum_derivatives": (("q", "v", "a"), {"matrix": True, "rate": True}),
    "passive_forces_derivatives": (("q", "v"), {}),
    "passive_forces": (("q", "v"), {}),
    "integrate": (("q", "u"), {}),
    "difference": (("q0", "q1"), {}),
    "integrate_rate": (("u", "v"), {}),
    "close_loops": (("q", "v"), {}),
    "step": (("q", "v", "tau", "dt", "f_ext", "q_target", "kp", "kd"), {}),
    "step_jvp": (("q", "v", "tau", "dt", "dq", "dv", "dtau", "f_ext", "q_target", "kp", "kd"), {}),
    "step_vjp": (
        ("q", "v", "tau", "dt", "q_next_bar", "v_next_bar", "f_ext", "q_target", "kp", "kd"),
        {"by_forces": True, "by_controller": True},
    ),
}


def call(
    function: str, model: tandem.Model, arguments: dict[str, Any], **options: Any
) -> tuple[np.ndarray, ...]:
    """Calls a function of Tandem; its results as a tuple, one or many."""
    names, further = CALLS[function]
    result = getattr(tandem, function)(
        model, **{name: arguments[name] for name in names}, **further, **options
    )
    return tuple(result) if isinstance(result, tuple) else (result,)
