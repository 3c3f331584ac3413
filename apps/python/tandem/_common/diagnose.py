# SPDX-License-Identifier: Apache-2.0
"""Why a robot has no acceleration, or makes no step."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandem import _core
from tandem._core import Model
from tandem.errors import NotConvergedWarning, SingularWarning

_mass_matrix = _core.find_algorithm("mass_matrix")
_forward_dynamics = _core.find_algorithm("forward_dynamics")
_largest = 500  # degrees of freedom of a mass matrix that is looked into
_too_much = 0.01  # of the numbers that a combination of joints would need to move nothing: smaller ones do not count
_causes = {
    int(_core.Status.OVERFLOW): "its numbers are too large",
    int(_core.Status.UNDERFLOW): "its numbers are too small to compute with",
    int(_core.Status.ZERO_QUATERNION): "a quaternion of the configuration is zero, which is no rotation",
}
_relative = 1e-12  # smallest eigenvalue, of a matrix with a unit diagonal, that is not taken for zero


def cause(model: Model, q: NDArray[Any], parameters: dict[str, NDArray[Any]] | None = None) -> str:
    """What a mass matrix in the configuration q lacks, and what helps; empty if it has an inverse."""
    if model.nv == 0:
        return ""
    zero, status = np.zeros(model.nv, q.dtype), np.zeros((), np.uint8)
    _core.evaluate(_forward_dynamics, model, (q, zero, zero, None, None, True), None, 1, status, parameters or None)
    if int(status) in _causes:
        return _causes[int(status)]
    if model.nv > _largest:
        if status != _core.Status.SINGULAR:
            return ""
        return "a joint moves no inertia; give its links inertia or the joint armature"
    M = np.asarray(_core.evaluate(_mass_matrix, model, (q, True), None, 1, None, parameters or None))
    if not np.isfinite(M).all():
        return "its numbers are too large"
    diagonal = M.diagonal()
    if (diagonal <= 0).any():
        joint = _joint_of(model, int(np.flatnonzero(diagonal <= 0)[0]))
        return (
            f'joint "{joint.name}" moves no inertia: link "{joint.child}" and its descendants '
            "have none in its direction; give them inertia, give the joint armature, or make it fixed"
        )
    size = np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(M / size[:, None] / size)
    if values[0] > _relative:
        return ""
    share = np.abs(vectors[:, 0]) / size
    rows = np.flatnonzero(share > _too_much * share.max())
    names = list(dict.fromkeys(f'"{_joint_of(model, int(row)).name}"' for row in rows))
    many = f"joints {', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else f"joint {names[0]}"
    return (
        f"{many} can move without inertia; give the links between them inertia, or one of these joints "
        "armature"
    )


def warn(
    function: str,
    model: Model,
    q: NDArray[Any],
    state: int | tuple[int, ...] | None,
    dtype: str,
    parameters: dict[str, NDArray[Any]],
) -> None:
    """Warns the caller of a function, two frames up, of a result that is not finite."""
    why = cause(model, q, parameters)
    where = "" if state is None else f" in state {state} of the batch"
    what = f"{function}: the result for {model.name} is not finite{where}: "
    if why:
        what += f"the mass matrix is singular; {why}"
    elif function.startswith("step"):
        what += (
            "integrator='implicit_midpoint' did not converge (use a smaller dt), "
            f"or velocities or forces are too large for {dtype}"
        )
    else:
        what += f"velocities or forces, or the inverse of the mass matrix, are too large for {dtype}"
    warnings.warn(f"{what} (status= returns the status of every state)", SingularWarning, stacklevel=3)


def warn_of_step(function: str, model: Model, state: int | tuple[int, ...] | None) -> None:
    """Warns the caller of a function of a robot whose step by implicit_midpoint did not come to its tolerance."""
    where = "" if state is None else f" in state {state} of the batch"
    warnings.warn(
        f"{function}: the iteration of implicit_midpoint did not converge for {model.name}{where}: it stays in the "
        "state "
        "before that step, and derivatives there are NaN; a shorter dt helps (status= tells of every state)",
        NotConvergedWarning,
        stacklevel=3,
    )


def _joint_of(model: Model, row: int) -> _core.Joint:
    return next(j for j in model.joints if j.nv and j.v_index <= row < j.v_index + j.nv)
