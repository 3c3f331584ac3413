# SPDX-License-Identifier: Apache-2.0
"""What :mod:`tandem.ilqr` needs of a step and of a cost: derivatives on the tangent space of the state.

Increments of a state are those of q, as :func:`tandem.integrate` takes them, then those of v.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tandem import functions, spatial
from tandem._core import Model
from tandem._rollout_call import RolloutCall
from tandem.errors import Error
from tandem.functions import Array
from tandem.rollout import Cost, FrameCost


def linear_steps(model: Model, q: Array, v: Array, u: Array, dt: float, threads: int) -> tuple[Array, Array]:
    """A ``[..., 2 nv, 2 nv]`` and B ``[..., 2 nv, nv]`` of steps of semi-implicit Euler under forces u, by the states
    before them.

    v' = v + dt a, q' = q (+) dt v', with damping and springs at the end of the step, as `step` in the library has them,
    and no dry friction.
    """
    # whose velocity turns with the body in the step
    if any(joint.type in ("free", "planar") for joint in model.joints):
        return _steps_along_all(model, q, v, u, dt, threads)
    n, eye = model.nv, np.eye(model.nv)
    losses = model.damping + dt * model.stiffness
    stretch = functions.difference(model, model.q_rest, q) if model.stiffness.any() else np.zeros_like(v)
    tau = u - losses * v - model.stiffness * stretch
    diagonal = np.broadcast_to(dt * losses, v.shape)
    a_q, a_v, a_u = functions.forward_dynamics_derivatives(
        model, q, v, tau, None, diagonal, inverse_mass_matrix=True, threads=threads
    )
    a = functions.forward_dynamics(model, q, v, tau, None, diagonal, threads=threads)
    carried, turned = displacement_derivatives(model, dt * (v + dt * a))
    A, B = np.zeros((*v.shape[:-1], 2 * n, 2 * n)), np.zeros((*v.shape[:-1], 2 * n, n))
    A[..., n:, :n] = dt * (a_q - a_u * model.stiffness)
    A[..., n:, n:] = eye + dt * (a_v - a_u * losses)
    B[..., n:, :] = dt * a_u
    A[..., :n, :] = dt * turned @ A[..., n:, :]
    A[..., :n, :n] += carried
    B[..., :n, :] = dt * turned @ B[..., n:, :]
    return A, B


def _steps_along_all(model: Model, q: Array, v: Array, u: Array, dt: float, threads: int) -> tuple[Array, Array]:
    """The same along every increment of q, v and u by `step_jvp`."""
    n = model.nv
    front, ways = (*v.shape[:-1], 3 * n), np.eye(3 * n)
    state = (np.broadcast_to(x[..., None, :], (*front, x.shape[-1])) for x in (q, v, u))
    along = (np.broadcast_to(way, (*front, n)) for way in (ways[:, :n], ways[:, n : 2 * n], ways[:, 2 * n :]))
    found = functions.step_jvp(
        model, *state, dt, *along, limits=False, parameters={"friction": np.zeros(n)}, threads=threads
    )
    J = np.concatenate(found[2:4], -1).swapaxes(-1, -2)
    return J[..., : 2 * n], J[..., 2 * n :]


def displacement_derivatives(model: Model, u: Array) -> tuple[Array, Array]:
    """Of q (+) u ``[..., nv]``: by q and by u, ``[..., nv, nv]``, the increments of the result along its own axes.

    The identity but for joints whose coordinates do not add up. With the matrix X of u's commutator these are exp(-X)
    and the sum of (-X)^k / (k + 1)!.
    """
    by_q = np.broadcast_to(np.eye(model.nv), (*u.shape, model.nv)).copy()
    by_u = by_q.copy()
    for joint in model.joints:
        rows = slice(joint.v_index, joint.v_index + joint.nv)
        if joint.type in _commutators:
            X = -_commutators[joint.type](u[..., rows])
            power = np.broadcast_to(np.eye(joint.nv), X.shape)
            by_q[..., rows, rows], by_u[..., rows, rows] = power, power
            for k in range(1, 40):  # angles of pi and less leave less than rounding
                power = power @ X / k
                by_q[..., rows, rows] += power
                by_u[..., rows, rows] += power / (k + 1)
                if np.abs(power).max(initial=0) < 1e-17:
                    break
    return by_q, by_u


def _free(u: Array) -> Array:
    X = np.zeros((*u.shape, 6))
    X[..., :3, :3] = X[..., 3:, 3:] = spatial.skew(u[..., 3:])
    X[..., :3, 3:] = spatial.skew(u[..., :3])
    return X


def _planar(u: Array) -> Array:
    X = np.zeros((*u.shape, 3))
    X[..., 1, 0] = u[..., 2]
    X[..., 0, 1] = -u[..., 2]
    X[..., 0, 2], X[..., 1, 2] = u[..., 1], -u[..., 0]
    return X


_commutators = {"free": _free, "spherical": spatial.skew, "planar": _planar}


class QuadraticCost:
    """A :class:`tandem.Cost` of n starts: for any of them, in a rollout, and with its derivatives on a path."""

    def __init__(self, model: Model, cost: Cost, driven: Array, n: int, steps: int, dt: float) -> None:
        if not isinstance(cost, Cost):
            raise Error(f"ilqr: cost is {cost!r}, expected a tandem.Cost")
        self.model, self.driven, self.dt = model, driven, dt
        call = RolloutCall(model, np.zeros((n, model.nq)))  # reads and checks it as a rollout does
        call.costs(cost)
        call.settle(steps, n)
        self.arrays, self.frames = call.arrays, call.frames
        effort = self.arrays.get("effort_weight", np.zeros((1, model.nv)))
        if not (effort[:, driven] > 0).all():
            raise Error("ilqr: effort of the cost is 0 for an actuated joint, expected a positive number")

    def of(self, rows: Array) -> Cost:
        """That of some starts, as a rollout takes it."""

        def some(array: Array | None) -> Any:
            return None if array is None else array if len(array) == 1 else array[rows]

        def weights(array: Array | None) -> Any:
            return None if array is None else array[0] if len(array) == 1 else array[rows]

        def frame(index: int, target: Array, weight: Array | None, final: Array | None) -> FrameCost:
            poses = some(target)
            return FrameCost(index, poses.reshape(*poses.shape[:2], 3, 4), weights(weight), weights(final))

        get = self.arrays.get
        names = ("q", "v", "effort", "final_q", "final_v")
        terms: dict[str, Any] = {name: weights(get(f"{name}_weight")) for name in names}
        terms |= {name: some(get(name)) for name in ("q_reference", "v_reference")}
        return Cost(frames=[frame(*row) for row in self.frames], **terms)

    def derivatives(self, rows: Array, q: Array, v: Array, u: Array) -> tuple[Array, Array, Array, Array]:
        """By the states ``[len(rows), steps + 1, ...]``, first and second, and by the driven forces, second ones as
        diagonals."""
        model, n = self.model, self.model.nv
        cost: Any = self.of(rows)
        lx, lxx = np.zeros((*v.shape[:-1], 2 * n)), np.zeros((*v.shape[:-1], 2 * n, 2 * n))

        def add(part: slice, e: Any, J: Any, running: Any, final: Any) -> None:
            weight = np.zeros(e.shape)
            if running is not None:
                weight[:, :-1] = 2 * self.dt * np.reshape(running, (-1, 1, e.shape[-1]))
            if final is not None:
                weight[:, -1] = 2 * final
            we = weight * e
            lx[..., part] += we if J is None else (J.swapaxes(-1, -2) @ we[..., None])[..., 0]
            lxx[..., part, part] += (
                weight[..., None] * np.eye(e.shape[-1])
                if J is None
                else J.swapaxes(-1, -2) @ (weight[..., None] * J)
            )

        if cost.q is not None or cost.final_q is not None:
            e = functions.difference(model, np.broadcast_to(cost.q_reference, q.shape), q)
            _, by_u = displacement_derivatives(model, e)
            add(slice(n), e, np.linalg.inv(by_u), cost.q, cost.final_q)
        if cost.v is not None or cost.final_v is not None:
            add(slice(n, 2 * n), v if cost.v_reference is None else v - cost.v_reference, None, cost.v, cost.final_v)
        for term in cost.frames:
            e, J = _frame_error(model, term, q)
            add(slice(n), e, J, term.weight, term.final_weight)
        weight = 2 * self.dt * np.broadcast_to(np.reshape(cost.effort, (-1, 1, n)), u.shape)[..., self.driven]
        return lx, lxx, weight * u[..., self.driven], weight


def _frame_error(model: Model, term: Any, q: Array) -> tuple[Array, Array]:
    """e = [R^T (p_target - p), log(R^T R_target)] and how it changes with q."""
    pose = functions.forward_kinematics(model, q)[..., term.frame, :, :]
    target = np.broadcast_to(term.target, pose.shape)
    back = pose[..., :3].swapaxes(-1, -2)
    away = (back @ (target[..., 3] - pose[..., 3])[..., None])[..., 0]
    turn = spatial.quaternion_log(spatial.quaternion_from_matrix(back @ target[..., :3]))
    J = functions.jacobian(model, q, term.frame)
    skew = spatial.skew
    X, by_turn = skew(turn), np.broadcast_to(np.eye(3), (*turn.shape, 3)).copy()
    power = by_turn.copy()
    for k in range(2, 40):  # the sum of X^(k - 1) / k!
        power = power @ X / k
        by_turn += power
    rows = np.concatenate([skew(away) @ J[..., 3:, :] - J[..., :3, :], -np.linalg.solve(by_turn, J[..., 3:, :])],
                          axis=-2)
    return np.concatenate([away, turn], axis=-1), rows
