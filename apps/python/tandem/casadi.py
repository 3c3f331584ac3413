# SPDX-License-Identifier: Apache-2.0
"""Dynamics and kinematics in CasADi expressions, with exact Jacobians and Hessians for its solvers.

The functions have the names of those of :mod:`tandem`, and take ``MX`` and ``DM``. A state is a column. Matrices with
several columns are batches of states, which take a single call and have block-diagonal derivatives. Jacobians, JVPs,
VJPs and Jacobians of gradients are defined by the analytic derivatives of the library, including second derivatives of
dynamics and mass matrices. Second derivatives of steps, kinematics and energies are finite differences of fourth order.
Derivatives by configurations are with respect to the elements of ``q``. Expressions of type ``SX`` are not supported.

``parameters=`` are parameters of robots by name, as in :mod:`tandem.functions`: expressions of the shape of
:meth:`tandem.Model.parameter`, one for all states, or those of all states side by side, as for wrenches ``f_ext``.
First derivatives with respect to them are exact; second ones are finite differences.

>>> import casadi
>>> import tandem.casadi
>>> arm = tandem.load("arm7")
>>> q, v, tau = (casadi.MX.sym(name, 7) for name in ("q", "v", "tau"))
>>> a = tandem.casadi.forward_dynamics(arm, q, v, tau)
>>> A = casadi.Function("A", [q, v, tau], [casadi.jacobian(a, casadi.vertcat(q, v))])
>>> A(0, 0, 0).shape
(7, 14)
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from tandem._autodiff.casadi_callbacks import Value, input_sizes
from tandem._autodiff.derivatives import Call, Function, parameter_inputs
from tandem._autodiff.differentiable import FUNCTIONS
from tandem._autodiff.kinematics import FramePose, FramePosition
from tandem._autodiff.steps import switches
from tandem._common.frameworks import framework
from tandem._core import Model
from tandem.errors import Error

_casadi = framework("casadi", "CasADi")

__all__ = [
    "bias_forces",
    "difference",
    "energy",
    "forward_dynamics",
    "forward_kinematics",
    "frame_position",
    "gravity_forces",
    "integrate",
    "inverse_dynamics",
    "inverse_mass_matrix_product",
    "jacobian",
    "mass_matrix",
    "step",
]

_pose, _position = FramePose(), FramePosition()

Matrix = Any  #: ``casadi.MX``, ``casadi.DM``, or what becomes one
Parameters = Mapping[str, Any]  #: matrices by the names of :func:`tandem.parameters`


@functools.lru_cache(None)
def _callback(call: Call, there: tuple[int, ...], columns: int) -> Value:
    """A callback, which is cached forever, because CasADi expressions do not own callbacks."""
    return Value(f"tandem_{call.function.name}", call, there, columns)


def _apply(function: Function, model: Model, *own: Any, parameters: Parameters | None = None, **options: Any) -> Any:
    call = Call(function, model, tuple(options.items()))
    inputs = (*own, *parameter_inputs(function, model, parameters))
    there = tuple(k for k, x in enumerate(inputs) if x is not None)
    given, counts = [], {}
    for k in there:
        name, x, sizes = function.names[k], inputs[k], input_sizes(call, k)
        if isinstance(x, _casadi.SX):
            raise Error(f"tandem.casadi.{function.name}: {name} is an SX, expected an MX: calls cannot be part of an "
                        "SX")
        matrix = x if isinstance(x, (_casadi.MX, _casadi.DM)) else _casadi.DM(np.asarray(x, np.float64))
        rows, width = (*sizes, 1)[:2]
        if matrix.shape[0] != rows or matrix.shape[1] % width or matrix.shape[1] == 0:
            many = "states" if width == 1 else f"{width} states"
            raise Error(f"tandem.casadi.{function.name}: {name} has shape {matrix.shape}, expected ({rows}, {width}) "
                        f"or ({rows}, {many})")
        given.append(_casadi.reshape(matrix, rows * width, matrix.shape[1] // width))
        counts[name] = given[-1].shape[1]
    several = set(counts.values()) - {1}
    if len(several) > 1:
        said = ", ".join(f"{count} of {name}" for name, count in counts.items())
        raise Error(f"tandem.casadi.{function.name}: numbers of states differ: {said}")
    columns = several.pop() if several else 1
    if columns > 1 and 2 in function.out_ranks:
        raise Error(f"tandem.casadi.{function.name}: {columns} states, expected one: functions with matrices take one "
                    "state per call")
    stretched = [m if m.shape[1] == columns else _casadi.repmat(m, 1, columns) for m in given]
    found = _callback(call, there, columns)(*stretched)
    results = found if isinstance(found, tuple) else (found,)
    shaped = [_casadi.reshape(y, *of) if len(of) == 2 else y for y, of in zip(results, call.sizes())]
    return shaped if len(shaped) > 1 else shaped[0]


def inverse_dynamics(
    model: Model, q: Matrix, v: Matrix, a: Matrix, f_ext: Matrix | None = None, *, parameters: Parameters | None = None
) -> Matrix:
    """As :func:`tandem.inverse_dynamics`."""
    return _apply(FUNCTIONS["inverse_dynamics"], model, q, v, a, f_ext, parameters=parameters)


def bias_forces(
    model: Model, q: Matrix, v: Matrix, f_ext: Matrix | None = None, *, parameters: Parameters | None = None
) -> Matrix:
    """As :func:`tandem.bias_forces`."""
    return _apply(FUNCTIONS["bias_forces"], model, q, v, f_ext, parameters=parameters)


def gravity_forces(model: Model, q: Matrix, *, parameters: Parameters | None = None) -> Matrix:
    """As :func:`tandem.gravity_forces`."""
    return _apply(FUNCTIONS["gravity_forces"], model, q, parameters=parameters)


def forward_dynamics(
    model: Model,
    q: Matrix,
    v: Matrix,
    tau: Matrix,
    f_ext: Matrix | None = None,
    diagonal: Matrix | None = None,
    *,
    parameters: Parameters | None = None,
) -> Matrix:
    """As :func:`tandem.forward_dynamics`."""
    return _apply(FUNCTIONS["forward_dynamics"], model, q, v, tau, f_ext, diagonal, parameters=parameters)


def mass_matrix(model: Model, q: Matrix, *, parameters: Parameters | None = None) -> Matrix:
    """As :func:`tandem.mass_matrix`, of one state."""
    return _apply(FUNCTIONS["mass_matrix"], model, q, parameters=parameters)


def inverse_mass_matrix_product(model: Model, q: Matrix, x: Matrix, *, parameters: Parameters | None = None) -> Matrix:
    """As :func:`tandem.inverse_mass_matrix_product`."""
    return _apply(FUNCTIONS["inverse_mass_matrix_product"], model, q, x, parameters=parameters)


def forward_kinematics(model: Model, q: Matrix, frame: str | int) -> Matrix:
    """The pose ``[3, 4]`` of a frame, by :func:`tandem.forward_kinematics`, of one state."""
    return _apply(_pose, model, q, frame=_index(model, frame))


def frame_position(model: Model, q: Matrix, frame: str | int) -> Matrix:
    """Position of the origin of a frame in the world, ``[3, states]`` m."""
    return _apply(_position, model, q, frame=_index(model, frame))


def jacobian(model: Model, q: Matrix, frame: str | int, reference: str = "local") -> Matrix:
    """As :func:`tandem.jacobian`, of one state."""
    return _apply(FUNCTIONS["jacobian"], model, q, frame=_index(model, frame), reference=reference)


def energy(model: Model, q: Matrix, v: Matrix, *, parameters: Parameters | None = None) -> tuple[Matrix, Matrix]:
    """As :func:`tandem.energy`: kinetic and potential, ``[1, states]`` each."""
    kinetic, potential = _apply(FUNCTIONS["energy"], model, q, v, parameters=parameters)
    return kinetic, potential


def integrate(model: Model, q: Matrix, u: Matrix) -> Matrix:
    """As :func:`tandem.integrate`."""
    return _apply(FUNCTIONS["integrate"], model, q, u)


def difference(model: Model, q0: Matrix, q1: Matrix) -> Matrix:
    """As :func:`tandem.difference`."""
    return _apply(FUNCTIONS["difference"], model, q0, q1)


def step(
    model: Model,
    q: Matrix,
    v: Matrix,
    tau: Matrix,
    dt: float,
    *,
    steps: int = 1,
    integrator: str = "semi_implicit_euler",
    limits: bool = True,
    effort_limits: bool = False,
    parameters: Parameters | None = None,
) -> tuple[Matrix, Matrix]:
    """The q and v of :func:`tandem.step`.

    Where a stop begins or lets go, friction slips or a force is clipped, derivatives are those of one side; solvers
    that need smooth functions are better off with ``limits=False`` and bounds on q.
    """
    options = {"dt": float(dt), "steps": steps, "integrator": integrator, **switches("step", limits, effort_limits)}
    q_next, v_next = _apply(FUNCTIONS["step"], model, q, v, tau, None, None, None, None, **options,
                            parameters=parameters)
    return q_next, v_next


def _index(model: Model, frame: str | int) -> int:
    return model.frame_index(frame) if isinstance(frame, str) else int(frame)
