# SPDX-License-Identifier: Apache-2.0
"""Configurations, moving on their manifold, and poses in other notations.

Arrays are as in :mod:`tandem.functions`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from tandem import _core
from tandem._core import Model
from tandem.functions import Array, difference, integrate, integrate_rate

__all__ = [
    "difference",
    "integrate",
    "integrate_rate",
    "neutral_configuration",
    "pose_to_matrix",
    "pose_to_quaternion",
    "random_configuration",
]


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
