# SPDX-License-Identifier: Apache-2.0
"""Dynamics and kinematics in JAX, with ``jit``, ``vmap``, ``scan``, ``grad``, ``jvp`` and ``hessian``.

The functions have the names of those of :mod:`tandem`, and take arrays of JAX. Compiled code calls the library without
Python (``jax.ffi``); ``vmap`` becomes a batch of a single call. Functions that use finite differences or many steps,
such as ``rollout``, call Python back on the CPU, which takes some ten microseconds per call, so that large batches are
efficient. Code compiled for a GPU uses its kernels where they exist. Compiled code issues no
:class:`tandem.SingularWarning`; singular results are infinite or NaN.

Derivatives are the library's analytic ones. Two are finite differences of fourth order: JVPs of rollouts, and gradients
by the robot's parameters of steps with external wrenches. Second derivatives (``hessian``, ``jacrev`` of anything) of
dynamics and mass matrices are exact. Others, and those by the robot's parameters, are finite differences of exact first
ones, with about ten digits; eight with ``implicit_midpoint``, which iterates to a tolerance; five for JVPs of JVPs of
``rollout`` (``jacfwd`` of ``jacfwd``). Third derivatives raise NotImplementedError. Derivatives by configurations are
with respect to the elements of ``q``, quaternions included.

``parameters=`` are parameters of robots by name, as in :mod:`tandem.functions`; they are differentiable. Calls with
them call Python back.

All other functions of :mod:`tandem.functions` are available by their names, with the outputs that need no keyword.
Their derivatives are finite differences of fourth order.

>>> import jax
>>> import tandem.jax
>>> arm = tandem.load("arm7")
>>> q = jax.numpy.ones(arm.nq)
>>> tau = jax.jit(lambda q: tandem.jax.inverse_dynamics(arm, q, 0 * q, 0 * q))(q)
>>> tau.shape, jax.vmap(lambda q: tandem.jax.mass_matrix(arm, q))(jax.numpy.ones((5, 7))).shape
((7,), (5, 7, 7))
>>> jax.grad(lambda q: (tandem.jax.gravity_forces(arm, q) ** 2).sum())(q).shape
(7,)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tandem._autodiff import jax_primitive
from tandem._autodiff.derivatives import Call, Function, parameter_inputs
from tandem._autodiff.differentiable import FUNCTIONS, kinematics
from tandem._autodiff.jax_table import NAMES, tabled
from tandem._autodiff.steps import switches
from tandem._common.frameworks import framework
from tandem._core import Model
from tandem.functions import Energy

_jax = framework("jax", "JAX")

__all__ = [*FUNCTIONS]

Array = Any  #: of JAX
Parameters = Mapping[str, Any]  #: by the names of :func:`tandem.parameters`


def _apply(of: str | Function, model: Model, *own: Any, parameters: Parameters | None = None, **options: Any) -> Any:
    function = FUNCTIONS[of] if isinstance(of, str) else of
    inputs = (*own, *parameter_inputs(function, model, parameters))
    given = [x for x in inputs if x is not None]
    kinds = {_jax.numpy.result_type(x) for x in given}
    dtype = _jax.numpy.result_type(*given, np.float32)
    if any(kind == np.float64 for kind in kinds):
        dtype = np.dtype(np.float64)
    arrays = [None if x is None else _jax.numpy.asarray(x, dtype) for x in inputs]
    results = jax_primitive.apply(Call(function, model, tuple(options.items())), arrays)
    return tuple(results) if len(results) > 1 else results[0]


def inverse_dynamics(
    model: Model, q: Array, v: Array, a: Array, f_ext: Array | None = None, *, parameters: Parameters | None = None
) -> Array:
    """As :func:`tandem.inverse_dynamics`."""
    return _apply("inverse_dynamics", model, q, v, a, f_ext, parameters=parameters)


def bias_forces(
    model: Model, q: Array, v: Array, f_ext: Array | None = None, *, parameters: Parameters | None = None
) -> Array:
    """As :func:`tandem.bias_forces`."""
    return _apply("bias_forces", model, q, v, f_ext, parameters=parameters)


def gravity_forces(model: Model, q: Array, *, parameters: Parameters | None = None) -> Array:
    """As :func:`tandem.gravity_forces`."""
    return _apply("gravity_forces", model, q, parameters=parameters)


def forward_dynamics(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    f_ext: Array | None = None,
    diagonal: Array | None = None,
    *,
    parameters: Parameters | None = None,
) -> Array:
    """As :func:`tandem.forward_dynamics`."""
    return _apply("forward_dynamics", model, q, v, tau, f_ext, diagonal, parameters=parameters)


def mass_matrix(model: Model, q: Array, *, parameters: Parameters | None = None) -> Array:
    """As :func:`tandem.mass_matrix`."""
    return _apply("mass_matrix", model, q, parameters=parameters)


def inverse_mass_matrix_product(model: Model, q: Array, x: Array, *, parameters: Parameters | None = None) -> Array:
    """As :func:`tandem.inverse_mass_matrix_product`."""
    return _apply("inverse_mass_matrix_product", model, q, x, parameters=parameters)


def forward_kinematics(
    model: Model, q: Array, v: Array | None = None, a: Array | None = None, reference: str = "local"
) -> Any:
    """As :func:`tandem.forward_kinematics`: poses; with ``v`` and ``a`` velocities and accelerations, too, in a
    tuple."""
    function, given, options = kinematics((q, v, a), reference)
    return _apply(function, model, *given, **options)


def jacobian(model: Model, q: Array, frame: str | int, reference: str = "local") -> Array:
    """As :func:`tandem.jacobian`."""
    index = model.frame_index(frame) if isinstance(frame, str) else frame
    return _apply("jacobian", model, q, frame=index, reference=reference)


def energy(model: Model, q: Array, v: Array, *, parameters: Parameters | None = None) -> Energy:
    """As :func:`tandem.energy`: kinetic and potential."""
    return Energy(*_apply("energy", model, q, v, parameters=parameters))


def integrate(model: Model, q: Array, u: Array) -> Array:
    """As :func:`tandem.integrate`."""
    return _apply("integrate", model, q, u)


def difference(model: Model, q0: Array, q1: Array) -> Array:
    """As :func:`tandem.difference`."""
    return _apply("difference", model, q0, q1)


def step(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    dt: float,
    f_ext: Array | None = None,
    q_target: Array | None = None,
    kp: Array | None = None,
    kd: Array | None = None,
    *,
    steps: int = 1,
    integrator: str = "semi_implicit_euler",
    limits: bool = True,
    effort_limits: bool = False,
    parameters: Parameters | None = None,
) -> tuple[Array, Array]:
    """The q and v of :func:`tandem.step`.

    Where a joint limit becomes active or inactive, friction slips or a force is clipped, derivatives are one-sided.
    """
    options = {"dt": float(dt), "steps": steps, "integrator": integrator, **switches("step", limits, effort_limits)}
    results = _apply("step", model, q, v, tau, f_ext, q_target, kp, kd, **options, parameters=parameters)
    return tuple(results)  # type: ignore[return-value]


def rollout(
    model: Model,
    q0: Array,
    v0: Array,
    controls: Array,
    dt: float,
    *,
    q_target: Array | None = None,
    kp: Array | None = None,
    kd: Array | None = None,
    every: int = 1,
    integrator: str = "semi_implicit_euler",
    limits: bool = True,
    effort_limits: bool = False,
    parameters: Parameters | None = None,
) -> tuple[Array, Array]:
    """States of a :func:`tandem.rollout` before every ``every``-th step and after the last.

    They are ``[..., samples, nq]`` and ``[..., samples, nv]``. ``controls`` are ``[..., steps, nv]``, ``q_target`` is
    ``[..., steps, nq]``. Gradients are those of :func:`tandem.rollout_gradient`.
    """
    options = {"dt": float(dt), "steps": int(controls.shape[-2]), "every": every, "integrator": integrator}
    options |= switches("rollout", limits, effort_limits)
    results = _apply("rollout", model, q0, v0, controls, q_target, kp, kd, **options, parameters=parameters)
    return tuple(results)  # type: ignore[return-value]


def _of_table(name: str) -> Any:
    """A function of the table that has no derivatives of its own."""
    of = tabled(name)
    inputs = of.names[: of.own]

    def function(model: Model, *own: Array, parameters: Parameters | None = None, **named: Any) -> Any:
        given = dict(zip(inputs, own))
        if len(own) > len(inputs):
            raise TypeError(f"{name}: {len(own)} arrays, expected at most {len(inputs)}: {', '.join(inputs)}")
        for key in [key for key in named if key in inputs]:
            if key in given:
                raise TypeError(f"{name}: {key} is given twice")
            given[key] = named.pop(key)
        if isinstance(named.get("frame"), str):
            named["frame"] = model.frame_index(named["frame"])
        return _apply(of, model, *(given.get(key) for key in inputs), parameters=parameters, **named)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As :func:`tandem.{name}`: {', '.join(inputs)}; derivatives by differences of fourth order."
    return function


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = globals()[name] = _of_table(name)
    return function


def __dir__() -> list[str]:
    return sorted({*globals(), *NAMES})
