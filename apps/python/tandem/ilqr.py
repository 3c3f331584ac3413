# SPDX-License-Identifier: Apache-2.0
"""Trajectory optimization by the iterative linear quadratic regulator, iLQR, for a batch of initial states.

Every iteration computes the derivatives of all steps of all starts in one call of
:func:`tandem.forward_dynamics_derivatives`, solves the linear-quadratic problem in a backward pass, and searches along
the result with several step lengths in one :func:`tandem.rollout`. The method is that of Y. Tassa, T. Erez, E. Todorov,
"Synthesis and stabilization of complex behaviors through online trajectory optimization", IROS 2012, with the
Gauss-Newton approximation of the Hessian of the cost, and with torques at active limits fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tandem import functions
from tandem._common.arguments import finite_numbers, whole_number
from tandem._control.ilqr_terms import QuadraticCost, linear_steps
from tandem._core import Model, Status
from tandem.errors import Error
from tandem.functions import Array
from tandem.rollout import Cost, rollout

__all__ = ["Motion", "optimise"]

_lengths = np.array([1, 0.5, 0.25, 0.1, 0.03, 0.01])  # step lengths of the line search
_least, _most = 1e-9, 1e6  # limits of the damping, relative to the diagonal


class Motion(NamedTuple):
    """Result of :func:`optimise`; for a single start without the leading axis."""

    q: Array  #: ``[batch, steps + 1, nq]`` rad|m
    v: Array  #: ``[batch, steps + 1, nv]`` rad/s|m/s
    forces: Array  #: ``[batch, steps, nv]`` N m|N
    cost: Array  #: ``[batch]``, cost as in :func:`tandem.rollout`
    costs: Array  #: ``[iterations + 1, batch]``, cost of the initial guess and after every iteration
    gains: Array  #: ``[batch, steps, nv, 2 nv]``, feedback: forces + gains [q' (-) q, v' - v] in a nearby state q', v'
    converged: Array  #: ``[batch]``, whether the predicted reduction of the cost is below the tolerance


def optimise(
    model: Model,
    cost: Cost,
    q0: ArrayLike,
    v0: ArrayLike | None = None,
    forces: ArrayLike | None = None,
    dt: float = 0.02,
    steps: int | None = None,
    *,
    driven: Sequence[int] | None = None,
    max_iterations: int = 100,
    tolerance: float = 1e-4,
    threads: int = 0,
) -> Motion:
    """Compute joint torques that minimise the cost from each initial state, with semi-implicit Euler steps.

    The result is a local minimum, which depends on the initial guess; many guesses or starts are computed as a batch.
    Torques are within the effort limits. Joint limits and dry friction act in the rollouts, but are not included in the
    derivatives.

    Args:
        model: the robot, without closed loops
        cost: as in :func:`tandem.rollout`; ``effort`` must be above 0 for all driven joints
        q0: initial configuration, ``[batch, nq]`` or ``[nq]`` rad|m
        v0: initial velocity, ``[batch, nv]`` or ``[nv]`` rad/s|m/s; None: zeros
        forces: initial guess of the torques, ``[batch, steps, nv]``, ``[steps, nv]`` or ``[nv]`` N m|N; None: gravity
            compensation of the initial configuration
        dt: time step, s
        steps: number of steps; None: that of ``forces``
        driven: rows of the torques that are optimised; None: all except those of free joints
        max_iterations: limit of iterations
        tolerance: relative reduction of the cost below which a start has converged
        threads: 0: all cores

    Raises:
        Error: for a wrong shape or range, and if the initial guess of a start diverges

    >>> arm = tandem.load("arm7")
    >>> there = tandem.FrameCost("tool0", [0.4, 0.3, 0.7], final_weight=1e4)
    >>> starts = np.array([[0, 0.5, 0, 1, 0, 0.5, 0], [0.5, 0.3, 0, 1, 0, 0.5, 0]])
    >>> cost = tandem.Cost(effort=1e-3, final_v=10, frames=[there])
    >>> motion = tandem.ilqr.optimise(arm, cost, starts, dt=0.02, steps=25)
    >>> tool = tandem.forward_kinematics(arm, motion.q[:, -1])[:, arm.frame_index("tool0"), :, 3]
    >>> motion.forces.shape, bool(np.abs(tool - [0.4, 0.3, 0.7]).max() < 5e-3)
    ((2, 25, 7), True)
    """
    problem = _Problem(model, cost, q0, v0, forces, dt, steps, driven, threads)
    max_iterations = whole_number("ilqr: max_iterations", max_iterations, 0)
    if not tolerance > 0:
        raise Error(f"ilqr: tolerance is {tolerance}, expected a positive number")
    costs, converged = problem.improve(max_iterations, float(tolerance))
    found = Motion(problem.q, problem.v, problem.u, problem.cost, np.array(costs), problem.gains, converged)
    if problem.alone:
        found = Motion(*(x[:, 0] if x is found.costs else x[0] for x in found))
    return found


class _Problem:
    """The problem for all starts, with their current trajectories."""

    def __init__(
        self, model: Model, cost: Cost, q0: Any, v0: Any, forces: Any, dt: float, steps: Any, driven: Any, threads: int
    ) -> None:
        self.model, self.dt = model, float(dt)
        if not (np.isfinite(self.dt) and self.dt > 0):
            raise Error(f"ilqr: dt is {dt}, expected a finite positive number")
        if model.n_loops:
            raise Error(f"ilqr: {model.name} has closed loops, expected a tree; tandem.mppi.Mppi serves such robots")
        for joint in model.joints:
            if joint.type in ("free", "spherical", "planar") and model.stiffness[joint.v_index :][: joint.nv].any():
                raise Error(f"ilqr: joint {joint.name} is {joint.type} and has springs, expected none on such joints")
        self.how: dict[str, Any] = {"dt": self.dt, "every": 1, "threads": threads}
        q0, v0 = _state("q0", q0, model.nq), _state("v0", np.zeros(model.nv) if v0 is None else v0, model.nv)
        self.alone = q0.ndim == 1 and v0.ndim == 1 and np.ndim(forces) < 3
        if forces is None:
            forces = functions.gravity_forces(model, q0)[..., None, :]
        u = _state("forces", forces, model.nv)
        lengths = [u.shape[-2]] if u.ndim > 1 and u.shape[-2] > 1 else []
        if steps is None and not lengths:
            raise Error("ilqr: steps is required if forces have no values for every step")
        self.steps = whole_number("ilqr: steps", lengths[0] if steps is None else steps, 1)
        batches = {x.shape[0] for x, rank in ((q0, 1), (v0, 1), (u, 2)) if x.ndim > rank and x.shape[0] > 1}
        if len(batches) > 1 or (lengths and lengths[0] != self.steps):
            shapes = f"q0 {q0.shape}, v0 {v0.shape} and forces {u.shape}"
            raise Error(f"ilqr: {shapes} do not fit {self.steps} steps of one batch")
        n = batches.pop() if batches else 1
        self.q0, self.v0 = (np.broadcast_to(x, (n, x.shape[-1])) for x in (q0, v0))
        self.driven = _rows(model, driven)
        self.terms = QuadraticCost(model, cost, self.driven, n, self.steps, self.dt)
        limit = model.tau_limit[self.driven]
        self.u = np.zeros((n, self.steps, model.nv))
        self.u[..., self.driven] = np.clip(np.broadcast_to(u, self.u.shape)[..., self.driven], -limit, limit)
        self.gains = np.zeros((n, self.steps, model.nv, 2 * model.nv))
        first: Any = rollout(model, self.q0, self.v0, self.u, cost=self.terms.of(np.arange(n)), **self.how)
        bad = np.flatnonzero(first.status != Status.OK)
        if bad.size:
            raise Error(
                f"ilqr: the initial guess of start {bad[0]} diverges after {first.steps[bad[0]]} steps; "
                "use smaller forces or a smaller dt"
            )
        self.q, self.v, self.cost = first.q_path, first.v_path, first.cost

    def improve(self, max_iterations: int, tolerance: float) -> tuple[list[Array], Array]:
        """Iterates. Returns the costs after each iteration, and which starts have converged."""
        n = len(self.cost)
        damping, converged, costs = np.full(n, 1e-3), np.zeros(n, bool), [self.cost.copy()]
        for _ in range(max_iterations):
            rows: Any = np.flatnonzero(~converged & (damping < _most))
            if not rows.size:
                break
            change, gains, promise = self.change(rows, damping[rows])
            self.gains[rows[:, None, None], np.arange(self.steps)[:, None], self.driven] = gains
            little = promise <= tolerance * np.abs(self.cost[rows])
            converged[rows] = little & (damping[rows] < 1)
            better = self.try_lengths(rows, change, gains)
            damping[rows] = np.where(better, np.maximum(damping[rows] / 5, _least), damping[rows] * 10)
            costs.append(self.cost.copy())
        return costs, converged

    def change(self, rows: Any, damping: Array) -> tuple[Array, Array, Array]:
        """Backward pass for some starts: changes of the torques, gains, and predicted reductions of the cost."""
        model, dt, driven = self.model, self.dt, self.driven
        q, v, u = self.q[rows], self.v[rows], self.u[rows]
        A, B = linear_steps(model, q[:, :-1], v[:, :-1], u, dt, self.how["threads"])
        B = B[..., driven]
        lx, lxx, lu, luu = self.terms.derivatives(rows, q, v, u)
        limit, u = model.tau_limit[driven], u[..., driven]
        k, K = np.zeros(u.shape), np.zeros((*u.shape, 2 * model.nv))
        promise, eye = np.zeros(len(rows)), np.eye(len(driven))
        Vx, Vxx = lx[:, -1], lxx[:, -1]
        for t in range(self.steps - 1, -1, -1):
            At, Bt = A[:, t].swapaxes(1, 2), B[:, t].swapaxes(1, 2)
            Qx, Qu = lx[:, t] + _times(At, Vx), lu[:, t] + _times(Bt, Vx)
            VA = Vxx @ A[:, t]
            Qxx, Qux, Quu = lxx[:, t] + At @ VA, Bt @ VA, Bt @ Vxx @ B[:, t] + luu[:, t, :, None] * eye
            held = ((u[:, t] >= limit) & (Qu < 0)) | ((u[:, t] <= -limit) & (Qu > 0))
            free = (~held).astype(float)
            size = np.einsum("bii->bi", Quu) * (1 + damping[:, None])
            H = np.where(eye == 1, (size * free + held)[:, :, None], Quu * free[:, :, None] * free[:, None, :])
            both = np.concatenate([Qu[:, :, None], Qux], axis=2) * free[:, :, None]
            both = -np.linalg.solve(H, both)
            k[:, t], K[:, t] = both[:, :, 0], both[:, :, 1:]
            Kt = K[:, t].swapaxes(1, 2)
            promise -= (k[:, t] * Qu).sum(axis=1) / 2
            Vx = Qx + _times(Kt, _times(Quu, k[:, t]) + Qu) + _times(Qux.swapaxes(1, 2), k[:, t])
            mixed = Kt @ Qux
            Vxx = Qxx + Kt @ Quu @ K[:, t] + mixed + mixed.swapaxes(1, 2)
            Vxx = (Vxx + Vxx.swapaxes(1, 2)) / 2
        return k, K, promise

    def try_lengths(self, rows: Any, change: Array, gains: Array) -> Array:
        """Line search: takes the step length of least cost if it improves the cost. Returns where it does."""
        model, driven, limit = self.model, self.driven, self.model.tau_limit[self.driven]
        lanes = np.repeat(rows, len(_lengths))
        length = np.tile(_lengths, len(rows))[:, None]
        of_lane = np.repeat(np.arange(len(rows)), len(_lengths))
        tried = np.zeros((len(lanes), self.steps, model.nv))

        def follow(t: int, q: Array, v: Array) -> Array:
            away = np.hstack([functions.difference(model, self.q[lanes, t], q), v - self.v[lanes, t]])
            u = self.u[lanes, t][:, driven] + length * change[of_lane, t] + _times(gains[of_lane, t], away)
            tried[:, t, driven] = np.clip(np.nan_to_num(u), -limit, limit)
            return tried[:, t]

        done: Any = rollout(
            model, self.q0[lanes], self.v0[lanes], follow, steps=self.steps, cost=self.terms.of(lanes), **self.how
        )
        costs = np.where(done.status == Status.OK, done.cost, np.inf).reshape(len(rows), -1)
        best = np.nanargmin(np.where(np.isnan(costs), np.inf, costs), axis=1)
        better: Array = costs[np.arange(len(rows)), best] < self.cost[rows]
        pick = (np.arange(len(rows)) * len(_lengths) + best)[better]
        to = rows[better]
        self.q[to], self.v[to], self.u[to] = done.q_path[pick], done.v_path[pick], tried[pick]
        self.cost[to] = done.cost[pick]
        return better


def _times(matrix: Array, x: Array) -> Array:
    product: Array = (matrix @ x[..., None])[..., 0]
    return product


def _state(name: str, given: ArrayLike, rows: int) -> Array:
    array = np.asarray(given, np.float64)
    most = 3 if name == "forces" else 2
    if array.ndim not in range(1, most + 1) or array.shape[-1] != rows:
        leading = "(steps, {0}) or (batch, steps, {0})" if most == 3 else "(batch, {0})"
        raise Error(f"ilqr: {name} has shape {array.shape}, expected ({rows},), {leading.format(rows)}")
    finite_numbers(f"ilqr: {name}", array)
    return array


def _rows(model: Model, driven: Sequence[int] | None) -> Any:
    if driven is None:
        free = [range(j.v_index, j.v_index + 6) for j in model.joints if j.type == "free"]
        rest: Array = np.setdiff1d(np.arange(model.nv), np.concatenate([[], *free]).astype(int))
        return rest
    rows: Any = np.unique([whole_number("ilqr: a row of driven", row, 0, model.nv - 1) for row in driven])
    if not rows.size:
        raise Error("ilqr: driven is empty, expected indices of joint torques")
    return rows
