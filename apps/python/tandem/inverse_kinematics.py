# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics: configurations in which a frame has given poses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem import _core
from tandem._common.arguments import new_array, whole_number
from tandem._common.parts import in_parts
from tandem._core import Model
from tandem.errors import Error


class PoseSearch(NamedTuple):
    """Result of :func:`inverse_kinematics`: numbers for one target, arrays of its shape for a batch."""

    q: Any  #: ``[nq]`` rad|m, solution within the limits, or the closest configuration found
    error: Any  #: remaining weighted distance from the target
    iterations: Any  #: iterations of all restarts
    converged: Any  #: whether the error is below the tolerance


def inverse_kinematics(
    model: Model,
    frame: str | int,
    target: ArrayLike,
    q0: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    tolerance: float | None = None,
    max_iterations: int | None = None,
    restarts: int = 10,
    threads: int | None = 0,
) -> PoseSearch:
    """Compute configurations within the joint limits in which a frame has given poses or positions.

    Damped Gauss-Newton iterations (Levenberg-Marquardt) minimise the norm of W e, where W are the weights and e = [R^T
    (p_target - p), log(R^T R_target)] is the error along the axes of the frame. Targets of a batch are computed in SIMD
    lanes and on all cores; results are bit-identical in any batch. A search that does not converge restarts, the k-th
    time from ``random_configuration(model, k)``.

    Args:
        model: the robot
        frame: name or index of the frame
        target: poses ``[..., 3, 4]`` of the frame in the world, rows of [R | p], or positions ``[..., 3]`` m
        q0: initial guess ``[..., nq]`` rad|m, clipped to the limits; default: the neutral configuration. Leading axes
            broadcast with those of the target
        weights: ``[..., 6]`` weights of the linear error, 1/m, and of the angular error, 1/rad; default: 1. A weight of
            0 frees a direction: with (1, 1, 1, 1, 1, 0) a tool may rotate about its z
        tolerance: tolerance of the error; default: 1e-8, in float32 1e-4
        max_iterations: limit of iterations of each search; default: 100
        restarts: number of restarts
        threads: as in :mod:`tandem.functions`

    Returns:
        configurations, remaining errors, iterations, and whether each search converged

    Raises:
        Error: for a wrong shape, an unknown frame, or a target that is not a pose

    >>> arm = tandem.load("arm7")
    >>> there = tandem.forward_kinematics(arm, tandem.random_configuration(arm, seed=1, batch=100))
    >>> tool = arm.frame_index("tool0")
    >>> found = tandem.inverse_kinematics(arm, "tool0", there[:, tool])
    >>> found.q.shape, bool(found.converged.all())
    ((100, 7), True)
    >>> np.allclose(tandem.forward_kinematics(arm, found.q)[:, tool], there[:, tool])
    True
    """
    position_alone = _shape(target)[-2:] != (3, 4)
    if position_alone:
        target = _poses_at(target)
        weights = [1, 1, 1, 0, 0, 0] if weights is None else weights
    if q0 is None:  # a list takes the precision of the target
        q0 = np.clip(_core.neutral_configuration(model), model.q_lower, model.q_upper).tolist()
    batches = [_shape(target)[:-2], _shape(q0)[:-1], () if weights is None else _shape(weights)[:-1]]
    try:
        shape = np.broadcast_shapes(*batches)
    except ValueError:
        shape = ()  # the call below raises the error
    status, iterations = np.empty(shape, np.uint8), np.empty(shape, np.int32)
    limits = (
        0.0 if tolerance is None else tolerance,
        0 if max_iterations is None else whole_number("inverse_kinematics: max_iterations", max_iterations, 1),
        whole_number("inverse_kinematics: restarts", restarts, 0),
    )

    def search(q0: Any, target: Any, weights: Any, q: Any, error: Any, status: Any, iterations: Any) -> Any:
        given = (q0, target, weights, q, error)
        return _core.inverse_kinematics(model, frame, given, *limits, threads, (status, iterations))

    given: list[tuple[Any, int]] = [(q0, 1), (target, 2), (weights, 1)]
    if len(shape) == 1 and all(x is None or isinstance(x, (np.ndarray, list)) for x, _ in given):
        # in the precision that the call would have: that of the first array
        kinds = [x.dtype for x, _ in given if isinstance(x, np.ndarray) and x.dtype in (np.float32, np.float64)]
        dtype = kinds[0] if kinds else np.dtype(np.float64)
        q, error = new_array("inverse_kinematics", (*shape, model.nq), dtype), new_array("inverse_kinematics", shape,
                                                                                         dtype)
        arrays: list[Any] = [np.asarray(x, dtype) if isinstance(x, list) else x for x, _ in given]

        def some(which: slice) -> None:
            parts = [x[which] if x is not None and x.ndim > rank and len(x) > 1 else x for x,
                     (_, rank) in zip(arrays, given)]
            search(parts[0], parts[1], parts[2], q[which], error[which], status[which], iterations[which])

        try:
            in_parts(shape[0], _SEARCH * (1 + model.nv), some)
        except Error:  # names a state by its number, which is that in the whole batch
            search(q0, target, weights, True, True, status, iterations)
            raise
    else:
        q, error = search(q0, target, weights, True, True, status, iterations)
    error = error[()] if isinstance(error, np.ndarray) else error
    return PoseSearch(q, error, iterations[()], (status == _core.Status.OK)[()])


_SEARCH = 1e-5  #: approximate time of a search on one core per degree of freedom, s


def _shape(array: Any) -> tuple[int, ...]:
    if not hasattr(array, "shape") and hasattr(array, "__dlpack__"):
        array = np.from_dlpack(array)
    return tuple(array.shape) if hasattr(array, "shape") else np.shape(array)


def _poses_at(positions: ArrayLike) -> NDArray[Any]:
    points = np.asarray(positions)
    if points.shape[-1:] != (3,):
        raise Error(f"inverse_kinematics: target has shape {points.shape}, expected (..., 3, 4) or (..., 3)")
    dtype = points.dtype if points.dtype in (np.float32, np.float64) else np.float64
    poses = np.zeros((*points.shape, 4), dtype)
    poses[..., :3] = np.eye(3)
    poses[..., 3] = points
    return poses
