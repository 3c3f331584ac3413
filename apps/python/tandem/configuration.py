# SPDX-License-Identifier: Apache-2.0
"""Configurations, their manifold, and conversions of poses.

Arrays are as in :mod:`tandem.functions`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from tandem import _core
from tandem._common.arguments import new_array, whole_number
from tandem._core import Model
from tandem.functions import Array, difference, integrate, integrate_rate
from tandem.spatial import quaternion_from_matrix

__all__ = [
    "difference",
    "integrate",
    "integrate_rate",
    "neutral_configuration",
    "pose_to_matrix",
    "pose_to_quaternion",
    "random_configuration",
    "start_configuration",
]


def neutral_configuration(model: Model, *, dtype: DTypeLike = np.float64) -> Array:
    """The neutral configuration ``[nq]``: positions are zero, rotations the identity.

    >>> tandem.neutral_configuration(tandem.load("arm6")).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    return np.array(_core.neutral_configuration(model), dtype=dtype)


def start_configuration(model: Model, *, dtype: DTypeLike = np.float64) -> Array:
    """The configuration ``[nq]`` in which simulations start.

    This is the named configuration "home" of the model, else "neutral", else the neutral configuration with joints
    outside their position limits moved to the limit. Robots with closed loops start in the neutral configuration.

    >>> tandem.start_configuration(tandem.load("arm6")).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    return np.array(_core.start_configuration(model)[0], dtype=dtype)


def random_configuration(
    model: Model, seed: int = 0, *, batch: int | None = None, dtype: DTypeLike = np.float64
) -> Array:
    """A random configuration, ``[nq]`` rad|m, or a batch ``[batch, nq]``.

    Coordinates are uniform within their limits. Without limits the range is [-pi, pi] rad or [-1, 1] m; with a single
    limit, this range is shifted to satisfy it, such as [2, 2 + 2 pi] for a lower limit of 2 rad. The same seed gives
    the same numbers on every machine. Row k of a batch is the configuration of the seed ``seed + k 2**32``, so that
    batches of different seeds, which are below ``2**32``, have no row in common.

    >>> arm = tandem.load("arm7")
    >>> q = tandem.random_configuration(arm, seed=1, batch=100)
    >>> q.shape, bool((arm.q_lower <= q).all()), bool((q <= arm.q_upper).all())
    ((100, 7), True, True)
    >>> bool((q == tandem.random_configuration(arm, seed=2, batch=100)).any())
    False
    """
    most = 2**64 if batch is None else 2**32
    seed = whole_number("random_configuration: seed", seed, 0, most - 1)
    if batch is None:
        return np.array(_core.random_configuration(model, seed), dtype=dtype)
    rows = new_array("random_configuration", (whole_number("random_configuration: batch", batch, 0), model.nq))
    _core.random_configurations(model, seed, rows)
    return rows.astype(dtype, copy=False)


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
    return pose[..., 3].copy(), quaternion_from_matrix(pose[..., :3])


def _poses(pose: ArrayLike) -> Array:
    array = np.asarray(pose)
    return array if np.issubdtype(array.dtype, np.floating) else array.astype(np.float64)
