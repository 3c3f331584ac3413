# SPDX-License-Identifier: Apache-2.0
"""Configurations, moving on their manifold, and poses in other notations.

Arrays are as in :mod:`tandem.functions`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from tandem import _core
from tandem._core import Model, evaluate
from tandem.batch import Device, Parameters, StatusArray
from tandem.functions import Array

_integrate = _core.find_algorithm("integrate")
_difference = _core.find_algorithm("difference")
_integrate_rate = _core.find_algorithm("integrate_rate")


def neutral_configuration(model: Model, *, dtype: DTypeLike = np.float64) -> Array:
    """The configuration ``[nq]`` in which every joint is at zero and rotations are the identity.

    >>> tandem.neutral_configuration(tandem.load("arm6")).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    return np.array(_core.neutral_configuration(model), dtype=dtype)


def random_configuration(
    model: Model, seed: int = 0, *, batch: int | None = None, dtype: DTypeLike = np.float64
) -> Array:
    """A configuration drawn uniformly, ``[nq]`` rad|m.

    Within the limits; where there are none, in [-pi, pi] rad or [-1, 1] m. The same seed gives the same
    numbers on every machine. ``batch`` of them are ``[batch, nq]``; row k is that of ``seed + k``.

    >>> arm = tandem.load("arm7")
    >>> q = tandem.random_configuration(arm, seed=1, batch=100)
    >>> q.shape, bool((arm.q_lower <= q).all()), bool((q <= arm.q_upper).all())
    ((100, 7), True, True)
    """
    if batch is None:
        return np.array(_core.random_configuration(model, seed), dtype=dtype)
    rows = [_core.random_configuration(model, seed + k) for k in range(batch)]
    return np.array(rows, dtype=dtype).reshape(batch, model.nq)


def integrate(
    model: Model,
    q: ArrayLike,
    u: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Configuration reached from ``q`` with a constant velocity in unit time, on the configuration manifold.

    Args:
        q: configuration, ``[nq]`` rad|m
        u: velocity times time, ``[nv]`` rad|m
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        q_next: configuration reached, ``[nq]`` rad|m; quaternions are normalised. ``out`` may be ``q`` itself

    >>> humanoid = tandem.load("humanoid", floating=True)
    >>> q = tandem.neutral_configuration(humanoid)
    >>> q = tandem.integrate(humanoid, q, 1e-3 * np.ones(humanoid.nv))
    """
    return evaluate(_integrate, model, (q, u, out), None, threads, status, parameters, device)


def difference(
    model: Model,
    q0: ArrayLike,
    q1: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Constant velocity that leads from ``q0`` to ``q1`` in unit time, the shortest way.

    Undoes :func:`integrate`. Angles of revolute joints are subtracted as they are, turns included.

    Args:
        q0: configuration to start from, ``[nq]`` rad|m
        q1: configuration to reach, ``[nq]`` rad|m
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        u: velocity times time, ``[nv]`` rad|m
    """
    return evaluate(_difference, model, (q0, q1, out), None, threads, status, parameters, device)


def integrate_rate(
    model: Model,
    u: ArrayLike,
    v: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Rate of a displacement: du/dt while integrate(q, u) moves with velocity ``v``.

    Runge-Kutta methods on manifolds need it. Exact to third order in ``u``.

    Args:
        u: displacement so far, ``[nv]`` rad|m
        v: velocity, ``[nv]`` rad/s|m/s
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        rate: rate of the displacement, ``[nv]`` rad/s|m/s
    """
    return evaluate(_integrate_rate, model, (u, v, out), None, threads, status, parameters, device)


def pose_to_matrix(pose: ArrayLike) -> Array:
    """Homogeneous matrices ``[..., 4, 4]`` of poses ``[..., 3, 4]``."""
    pose = _poses(pose)
    matrix = np.zeros((*pose.shape[:-2], 4, 4), dtype=pose.dtype)
    matrix[..., :3, :] = pose
    matrix[..., 3, 3] = 1
    return matrix


def pose_to_quaternion(pose: ArrayLike) -> tuple[Array, Array]:
    """Positions ``[..., 3]`` and quaternions ``[..., 4]`` (x, y, z, w; w >= 0) of poses ``[..., 3, 4]``.

    >>> tandem.pose_to_quaternion([[0, -1, 0, 5], [1, 0, 0, 6], [0, 0, 1, 7]])[1].round(3).tolist()
    [0.0, 0.0, 0.707, 0.707]
    """
    pose = _poses(pose)
    R = pose[..., :3]
    diagonal = np.diagonal(R, axis1=-2, axis2=-1)
    trace = diagonal.sum(axis=-1)
    # K = 4 x x^T for the unit quaternion x = (x, y, z, w); its longest row is the best one to divide by
    K = np.empty((*R.shape[:-2], 4, 4), dtype=pose.dtype)
    K[..., :3, :3] = R + np.swapaxes(R, -1, -2)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        K[..., i, i] = 1 + 2 * diagonal[..., i] - trace
        K[..., i, 3] = K[..., 3, i] = R[..., k, j] - R[..., j, k]
    K[..., 3, 3] = 1 + trace
    longest = np.argmax(np.diagonal(K, axis1=-2, axis2=-1), axis=-1)
    x = np.take_along_axis(K, longest[..., None, None], axis=-2)[..., 0, :]
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return pose[..., 3].copy(), np.where(x[..., 3:] < 0, -x, x)


def _poses(pose: ArrayLike) -> Array:
    array = np.asarray(pose)
    return array if np.issubdtype(array.dtype, np.floating) else array.astype(np.float64)
