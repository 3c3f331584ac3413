# SPDX-License-Identifier: Apache-2.0
"""Dynamics and kinematics inside of JAX: under ``jit``, ``vmap`` and ``scan``.

The functions are those of :mod:`tandem` of the same names, on arrays of JAX. Compiled code calls back to the processor,
where the library computes; ``vmap`` becomes a batch of one call. Derivatives are not defined: ``grad`` says so.
A whole batch a call is what makes them fast: each call back costs some ten microseconds.

>>> import jax
>>> import tandem.jax
>>> arm = tandem.load("arm7")
>>> q = jax.numpy.ones(arm.nq)
>>> tau = jax.jit(lambda q: tandem.jax.inverse_dynamics(arm, q, 0 * q, 0 * q))(q)
>>> tau.shape, jax.vmap(lambda q: tandem.jax.mass_matrix(arm, q))(jax.numpy.ones((5, 7))).shape
((7,), (5, 7, 7))
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tandem
from tandem._core import Model
from tandem._frameworks import RANKS, framework

_jax = framework("jax", "JAX")

__all__ = [*RANKS]

Array = Any  #: of JAX


def _call(function: str, sizes: tuple[int, ...], model: Model, *inputs: Any, **options: Any) -> Any:
    """A function of Tandem whose result of one state has these sizes."""
    given = [x for x in inputs if x is not None]
    kinds = {_jax.numpy.result_type(x) for x in given}
    dtype = _jax.numpy.result_type(*given, np.float32)
    if any(kind == np.float64 for kind in kinds):
        dtype = np.dtype(np.float64)
    arrays = [None if x is None else _jax.numpy.asarray(x, dtype) for x in inputs]
    fronts = [x.shape[: x.ndim - rank] for x, rank in zip(arrays, RANKS[function]) if x is not None]
    result = _jax.ShapeDtypeStruct((*np.broadcast_shapes(*fronts), *sizes), dtype)
    present = [x for x in arrays if x is not None]

    def compute(*values: Any) -> np.ndarray[Any, Any]:
        numbers = iter(values)
        # their strides may be any: those that vmap has stretched stand still
        full = [None if x is None else np.asarray(next(numbers)) for x in arrays]
        return np.asarray(getattr(tandem, function)(model, *full, **options), dtype)

    return _jax.pure_callback(compute, result, *present, vmap_method="expand_dims")


def inverse_dynamics(model: Model, q: Array, v: Array, a: Array, f_ext: Array | None = None) -> Array:
    """As :func:`tandem.inverse_dynamics`."""
    return _call("inverse_dynamics", (model.nv,), model, q, v, a, f_ext)


def bias_forces(model: Model, q: Array, v: Array, f_ext: Array | None = None) -> Array:
    """As :func:`tandem.bias_forces`."""
    return _call("bias_forces", (model.nv,), model, q, v, f_ext)


def gravity_forces(model: Model, q: Array) -> Array:
    """As :func:`tandem.gravity_forces`."""
    return _call("gravity_forces", (model.nv,), model, q)


def forward_dynamics(
    model: Model, q: Array, v: Array, tau: Array, f_ext: Array | None = None, diagonal: Array | None = None
) -> Array:
    """As :func:`tandem.forward_dynamics`."""
    return _call("forward_dynamics", (model.nv,), model, q, v, tau, f_ext, diagonal)


def mass_matrix(model: Model, q: Array) -> Array:
    """As :func:`tandem.mass_matrix`."""
    return _call("mass_matrix", (model.nv, model.nv), model, q)


def inverse_mass_matrix_product(model: Model, q: Array, x: Array) -> Array:
    """As :func:`tandem.inverse_mass_matrix_product`."""
    return _call("inverse_mass_matrix_product", (model.nv,), model, q, x)


def forward_kinematics(model: Model, q: Array) -> Array:
    """The poses of :func:`tandem.forward_kinematics`."""
    return _call("forward_kinematics", (model.n_frames, 3, 4), model, q)


def jacobian(model: Model, q: Array, frame: str | int, reference: str = "local") -> Array:
    """As :func:`tandem.jacobian`."""
    index = model.frame_index(frame) if isinstance(frame, str) else frame
    return _call("jacobian", (6, model.nv), model, q, frame=index, reference=reference)
