# SPDX-License-Identifier: Apache-2.0
"""Control by sampling: model predictive path integral control, MPPI, over :func:`tandem.rollout`.

The controller keeps torques for the next steps. Before every step, it samples them with noise in a few hundred
rollouts, averages the samples with weights that decrease exponentially with their cost, and applies the first torques
of the mean: G. Williams and others, "Information theoretic MPC for model-based reinforcement learning", ICRA 2017.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tandem._common.arguments import finite_numbers, whole_number
from tandem._common.batch_options import Parameters
from tandem._core import ContactSet, Model, Status
from tandem.contact import ContactOptions
from tandem.drive import PdController
from tandem.errors import Error
from tandem.functions import Array
from tandem.rollout import Cost, rollout

__all__ = ["Mppi"]

#: Costs ``[samples]`` of paths ``q [samples, horizon + 1, nq]``, ``v [samples, horizon + 1, nv]`` and torques
#: ``[samples, horizon, nv]``.
PathCost: TypeAlias = Callable[[Array, Array, Array], ArrayLike]


class Mppi:
    """Model predictive path integral control: samples joint torques for the next steps in rollouts of the robot.

    Args:
        model: the robot
        cost: cost of a rollout: a :class:`Cost`, a function of the paths, or both, which are added
        dt: time step of rollouts, s, during which torques are constant
        horizon: number of steps of a rollout
        samples: number of rollouts
        noise: largest standard deviation of the noise, ``[nv]`` or one number, N m|N; that of sample k is k / (samples
            - 1) times as large
        temperature: temperature of the weights, relative to the 0.1 quantile of the costs above the least cost
        hold: number of steps with the same noise; larger values give smoother torques and fewer dimensions of the
            search
        gravity_compensation: whether torques are added to gravity compensation
        damping: gains of a velocity controller, ``[nv]`` or one number, N m s/rad|N s/m
        parameters: parameters of the samples that differ from the model, ``[samples, ...]``, for robust control
        seed: seed of the noise
        threads: 0: all cores
        contacts, contact_options: contacts in the rollouts, as in :func:`tandem.rollout`; with them, a ``dt`` of 5 ms
            or less keeps contacts from sinking in

    >>> arm = tandem.load("arm7")
    >>> near = tandem.Cost(v=0.1, frames=[tandem.FrameCost("tool0", [0.4, 0.3, 0.7], 20.0, 20.0)])
    >>> controller = tandem.mppi.Mppi(arm, near, dt=0.02, horizon=15, samples=64, noise=10.0, hold=3, damping=5.0)
    >>> q, v = np.array([0, 0.5, 0, 1, 0, 0.5, 0]), np.zeros(7)
    >>> controller(q, v).shape, controller.forces.shape
    ((7,), (15, 7))
    """

    def __init__(
        self,
        model: Model,
        cost: Cost | PathCost | tuple[Cost, PathCost],
        *,
        dt: float = 0.02,
        horizon: int = 25,
        samples: int = 256,
        noise: ArrayLike = 1.0,
        temperature: float = 0.1,
        hold: int = 1,
        gravity_compensation: bool = True,
        damping: ArrayLike = 0.0,
        parameters: Parameters | None = None,
        seed: int = 0,
        threads: int = 0,
        contacts: ContactSet | None = None,
        contact_options: ContactOptions | None = None,
    ) -> None:
        self.model = model
        self._cost, self._path_cost = _costs(cost)
        self._horizon = whole_number("Mppi: horizon", horizon, 1)
        self._samples = whole_number("Mppi: samples", samples, 2)
        self._hold = whole_number("Mppi: hold", hold, 1)
        self._noise = self._of_rows("noise", noise)
        self._damping = self._of_rows("damping", damping)
        if not (np.isfinite(temperature) and temperature > 0):
            raise Error(f"Mppi: temperature is {temperature}, expected a finite positive number")
        self._temperature = float(temperature)
        self._how: dict[str, Any] = {
            "dt": float(dt),
            "gravity_compensation": bool(gravity_compensation),
            "effort_limits": True,
            "parameters": parameters,
            "threads": threads,
            "contacts": contacts,
            "contact_options": contact_options,
        }
        self._random = np.random.default_rng(seed)
        #: current torques of the next steps, ``[horizon, nv]`` N m|N
        self.forces: Array = np.zeros((self._horizon, model.nv))
        self.costs: Array = np.zeros(self._samples)  #: costs of the last samples; the first is without noise

    def _of_rows(self, name: str, given: ArrayLike) -> Array:
        numbers = np.asarray(given, np.float64)
        if numbers.shape not in ((), (self.model.nv,)):
            raise Error(f"Mppi: {name} has shape {numbers.shape}, expected ({self.model.nv},) or one number")
        finite_numbers(f"Mppi: {name}", np.atleast_1d(numbers))
        if (numbers < 0).any():
            raise Error(f"Mppi: {name} has {numbers.min()}, expected 0 or more")
        return np.broadcast_to(numbers, (self.model.nv,))

    def reset(self) -> None:
        """Set the current torques to zero."""
        self.forces[:] = 0

    def __call__(
        self, q: ArrayLike, v: ArrayLike, *, cost: Cost | PathCost | tuple[Cost, PathCost] | None = None
    ) -> Array:
        """Joint torques ``[nv]`` for the next ``dt`` from a state, without gravity compensation; advances by a step.

        ``cost`` replaces the cost of this and later calls.
        """
        if cost is not None:
            self._cost, self._path_cost = _costs(cost)
        self.improve(q, v)
        now = self.drive(v)
        self.forces[:-1] = self.forces[1:]
        self.forces[-1] = 0
        return now

    def drive(self, v: ArrayLike) -> Array:
        """The first of :attr:`forces` with the damping of the velocity controller."""
        limit = self.model.tau_limit
        now: Array = np.clip(self.forces[0] - self._damping * np.asarray(v), -limit, limit)
        return now

    def improve(self, q: ArrayLike, v: ArrayLike) -> None:
        """Sample once from a state, and replace the current torques by the weighted mean of the samples."""
        tried = self._tried()
        self.costs = self._costs_of(np.asarray(q, np.float64), np.asarray(v, np.float64), tried)
        finite = np.isfinite(self.costs)
        if not finite.any():
            raise Error("Mppi: all samples diverge or have infinite cost; use less noise or a smaller dt")
        above = self.costs - self.costs[finite].min()
        scale = self._temperature * np.quantile(above[finite], 0.1)
        weights = np.where(finite, np.exp(-np.where(finite, above, 0) / (scale if scale > 0 else 1.0)), 0.0)
        self.forces = np.tensordot(weights / weights.sum(), tried, axes=1)

    def _tried(self) -> Array:
        """Torques with noise ``[samples, horizon, nv]``; the first sample has no noise."""
        knots = -(-self._horizon // self._hold)
        noise = self._random.normal(size=(self._samples, knots, self.model.nv)) * self._noise
        noise *= np.linspace(0, 1, self._samples)[:, None, None]  # from no noise to full noise
        tried = self.forces + np.repeat(noise, self._hold, axis=1)[:, : self._horizon]
        return np.clip(tried, -self.model.tau_limit, self.model.tau_limit)

    def _costs_of(self, q: Array, v: Array, tried: Array) -> Array:
        damper = None
        if self._damping.any():
            damper = PdController(q, 0.0, self._damping)
        states = rollout(
            self.model,
            np.broadcast_to(q, (self._samples, self.model.nq)).copy(),
            np.broadcast_to(v, (self._samples, self.model.nv)).copy(),
            tried,
            controller=damper,
            cost=self._cost,
            every=None if self._path_cost is None else 1,
            **self._how,
        )
        costs = np.zeros(self._samples) if states.cost is None else np.array(states.cost)
        if self._path_cost is not None:
            assert states.q_path is not None and states.v_path is not None
            added = np.asarray(self._path_cost(states.q_path, states.v_path, tried))
            if added.shape != costs.shape:
                raise Error(f"Mppi: cost returned shape {added.shape}, expected {costs.shape}")
            costs = costs + np.where(states.status == Status.OK, added, np.inf)
        return np.where(np.isnan(costs), np.inf, costs)


def _costs(given: Any) -> tuple[Cost | None, PathCost | None]:
    if isinstance(given, Cost):
        return given, None
    if callable(given):
        return None, given
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], Cost) and callable(given[1]):
        return given
    raise Error(f"Mppi: cost is {given!r}, expected a tandem.Cost, a function, or both")
