# SPDX-License-Identifier: Apache-2.0
"""Stepping one robot through time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from tandem import _core, singular
from tandem._core import Model
from tandem.arguments import finite_numbers, new_array, whole_number
from tandem.errors import Error
from tandem.functions import Array, Integrator, Method, MethodOptions


class Trajectory(NamedTuple):
    """States of one robot over time."""

    time: Array  #: ``[samples]`` s
    q: Array  #: ``[samples, nq]`` rad|m
    v: Array  #: ``[samples, nv]`` rad/s|m/s
    dissipated: Array | None = None  #: ``[samples]`` J that damping and friction have taken so far
    work: Array | None = None  #: ``[samples]`` J that joint forces and the controller have given so far


class PdController(NamedTuple):
    """tau = kp (q_target - q) - kd v, the difference on the manifold, clipped to the effort limits."""

    q_target: ArrayLike  #: ``[nq]`` rad|m
    kp: ArrayLike  #: ``[nv]``, or one number for all, N m/rad|N/m
    kd: ArrayLike  #: ``[nv]``, or one number for all, N m s/rad|N s/m


class Simulation:
    """One robot in time. It starts at rest in the neutral configuration, or where ``q`` and ``v`` are set.

    Args:
        model: the robot
        dt: time step, s
        integrator: ``"semi_implicit_euler"`` (order 1; damping, friction and springs implicit, so that stiff
            ones stay stable) or ``"rk4"`` (order 4, on the configuration manifold; all forces explicit)
        controller: what drives the joints besides the forces given to :meth:`step` or :meth:`run`
        dtype: precision, float64 or float32
        method, options: of forward dynamics, as in :func:`tandem.forward_dynamics`

    >>> simulation = tandem.Simulation(tandem.load("arm7"), dt=1e-3, integrator="rk4")
    >>> simulation.q = [0, 0.5, 0, -1, 0, 1, 0]
    >>> trajectory = simulation.run(0.5, every=10)
    >>> trajectory.q.shape, round(simulation.time, 9)
    ((51, 7), 0.5)

    Energy is accounted for: ``kinetic + potential + dissipated - work`` stays what it was, but for the error of
    the integrator.

    >>> kinetic, potential = tandem.energy(simulation.model, trajectory.q, trajectory.v)
    >>> bool(np.ptp(kinetic + potential + trajectory.dissipated - trajectory.work) < 1e-6)
    True

    ``copy.copy``, ``copy.deepcopy`` and ``pickle`` make a simulation of its own, which goes on from the same state.
    """

    def __init__(
        self,
        model: Model,
        *,
        dt: float = 1e-3,
        integrator: Integrator = "semi_implicit_euler",
        controller: PdController | None = None,
        dtype: DTypeLike = np.float64,
        method: Method = "automatic",
        options: MethodOptions | None = None,
    ) -> None:
        self._model = model
        self._dt = float(dt)
        self._dtype = np.dtype(dtype)
        if self._dtype not in (np.float64, np.float32):
            raise Error(f"Simulation: dtype is {self._dtype}, expected float64 or float32")
        q_target, kp, kd = [], [], []
        if controller is not None:
            q_target = np.asarray(controller.q_target, dtype=np.float64).ravel().tolist()
            kp, kd = (np.broadcast_to(np.asarray(k, np.float64), model.nv).tolist() for k in controller[1:])
        dynamics = {"method": method, **(options or {})}
        self._settings = (integrator, q_target, kp, kd, dynamics)
        self._before: tuple[int, float, float] = (0, 0.0, 0.0)  # steps, dissipated, work of what this is a copy of
        self._core = self._new_core()

    def _new_core(self) -> Any:
        kind = _core.Simulation64 if self._dtype == np.float64 else _core.Simulation32
        return kind(self._model, self._dt, *self._settings)

    def __getstate__(self) -> dict[str, Any]:
        """Everything, for pickle and copies, which go on from here by themselves."""
        then = (self.q.copy(), self.v.copy(), (self._steps, self.dissipated, self.work))
        return self.__dict__ | {"_core": then}

    def __setstate__(self, state: dict[str, Any]) -> None:
        q, v, before = state["_core"]
        self.__dict__.update(state | {"_before": before})
        self._core = self._new_core()
        self._core.q[:], self._core.v[:] = q, v

    @property
    def model(self) -> Model:
        """The robot."""
        return self._model

    @property
    def dt(self) -> float:
        """Time step, s."""
        return self._dt

    @property
    def time(self) -> float:
        """Time since the start, s."""
        return self._steps * self._dt

    @property
    def _steps(self) -> int:
        return self._before[0] + int(self._core.steps)

    @property
    def q(self) -> Array:
        """Configuration ``[nq]`` rad|m: a view of the state, to read and to write."""
        return self._core.q

    @q.setter
    def q(self, value: ArrayLike) -> None:
        finite_numbers("Simulation: q", np.asarray(value, self._dtype))
        self._core.q[:] = value

    @property
    def v(self) -> Array:
        """Velocity ``[nv]`` rad/s|m/s: a view of the state, to read and to write."""
        return self._core.v

    @v.setter
    def v(self, value: ArrayLike) -> None:
        finite_numbers("Simulation: v", np.asarray(value, self._dtype))
        self._core.v[:] = value

    @property
    def dissipated(self) -> float:
        """Energy that joint damping and friction have taken since the start, J."""
        return self._before[1] + float(self._core.dissipated)

    @property
    def work(self) -> float:
        """Energy that joint forces and the controller have given since the start, J."""
        return self._before[2] + float(self._core.work)

    def step(self, tau: ArrayLike | None = None) -> None:
        """One step of ``dt`` under joint forces ``tau [nv]`` N m|N, none if left out.

        They add to those of the controller, springs, damping and friction.

        Raises:
            Error: if a force is not finite, or the state no longer is
        """
        before = self._core.step(None if tau is None else self._forces(tau))
        if before is not None:
            raise self._not_finite("step", 1, np.array(before))

    def run(
        self,
        duration: float,
        *,
        tau: ArrayLike | Callable[[Simulation], ArrayLike] | None = None,
        every: int = 1,
    ) -> Trajectory:
        """Steps on for ``duration`` seconds, rounded to whole steps, and returns the states on the way.

        Args:
            duration: s
            tau: joint forces ``[nv]`` N m|N, constant, or a function that gives them for the simulation's
                state
            every: record the start and every so many steps
        Raises:
            Error: if a force is not finite, or the state no longer is, which a smaller ``dt`` may cure
        """
        if not (np.isfinite(duration) and duration >= 0):
            raise Error(f"Simulation.run: duration is {duration} s, expected 0 or more and finite")
        every = whole_number("Simulation.run: every", every, 1)
        steps = round(duration / self._dt)
        samples = steps // every + 1
        start = self.time
        q = new_array("Simulation.run", (samples, self._model.nq), self._dtype)
        v = new_array("Simulation.run", (samples, self._model.nv), self._dtype)
        dissipated, work = np.empty(samples), np.empty(samples)
        states = Trajectory(start + self._dt * every * np.arange(samples), q, v, dissipated, work)
        if callable(tau):
            done = self._run_with(tau, steps, every, states)
        else:
            forces = None if tau is None else self._forces(tau)
            done = self._core.run(steps, every, q, v, dissipated, work, forces)
            dissipated += self._before[1]
            work += self._before[2]
        if not self._core.finite:
            raise self._not_finite("run", done, q[(done - 1) // every])
        return states

    def _not_finite(self, call: str, steps: int, q: Array) -> Error:
        """The Error of a state that is not finite any more, with what may help. It went through the configuration q."""
        what = f"Simulation.{call}: the state is no longer finite after {steps} steps, at {self.time:.6g} s"
        why = singular.cause(self._model, q.astype(np.float64))
        if why:
            return Error(f"{what}; the mass matrix has no inverse: {why}")
        return Error(f"{what}; dt = {self._dt:g} s may be too long")

    def _run_with(
        self, tau: Callable[[Simulation], ArrayLike], steps: int, every: int, states: Trajectory
    ) -> int:
        def record(row: int) -> None:
            states.q[row], states.v[row] = self.q, self.v
            assert states.dissipated is not None and states.work is not None
            states.dissipated[row], states.work[row] = self.dissipated, self.work

        record(0)
        for k in range(1, steps + 1):
            if self._core.step(self._forces(tau(self))) is not None:
                return k
            if k % every == 0:
                record(k // every)
        return steps

    def _forces(self, tau: ArrayLike) -> Array:
        forces = np.ascontiguousarray(tau, dtype=self._dtype)
        if forces.shape != (self._model.nv,):
            raise Error(f"Simulation: tau has shape {forces.shape}, expected ({self._model.nv},)")
        finite_numbers("Simulation: tau", forces)
        return forces
