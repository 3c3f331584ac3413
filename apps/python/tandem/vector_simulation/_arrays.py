# SPDX-License-Identifier: Apache-2.0
"""Arrays of the robots of a vector simulation: states, forces, targets and parameters."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem._common.arguments import finite_numbers
from tandem._common.attributes import KnownAttributes, written
from tandem._common.batch_options import parameters as all_parameters
from tandem._core import Model
from tandem.errors import Error
from tandem.functions import Array
from tandem.simulation import Divergence, Simulation
from tandem.vector_simulation._states import numbers_of


class RobotArrays(KnownAttributes):
    """Robots of one model with persistent views of their arrays."""

    def __init__(self, simulation: Simulation, size: int, substeps: int, threads: int) -> None:
        self._simulation = simulation
        self._substeps = substeps
        self._threads = threads
        self._expanded: dict[str, Array] = {}
        self._f_ext: Array | None = None
        self._tau = np.zeros((size, simulation.model.nv), simulation._dtype)
        self._lock = threading.RLock()

    @property
    def model(self) -> Model:
        """The robot."""
        return self._simulation.model

    @property
    def size(self) -> int:
        """Number of robots."""
        return len(self._tau)

    def __len__(self) -> int:
        return self.size

    @property
    def dt(self) -> float:
        """Time step, s; a :meth:`step` is :attr:`substeps` of them."""
        return self._simulation.dt

    @property
    def substeps(self) -> int:
        """Steps of :attr:`dt` in a :meth:`step`."""
        return self._substeps

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of all arrays, float64 or float32."""
        return self._simulation._dtype

    @written
    def q(self) -> Array:
        """Configurations ``[size, nq]`` rad|m."""
        return self._simulation.q

    @written
    def v(self) -> Array:
        """Velocities ``[size, nv]`` rad/s|m/s."""
        return self._simulation.v

    @written
    def tau(self) -> Array:
        """Joint torques ``[size, nv]`` N m|N, added to controllers; they act until they are changed."""
        return self._tau

    @written
    def f_ext(self) -> Array:
        """Wrenches on the links ``[size, n_links, 6]`` N, N m, linear first, at their origins along their axes."""
        if self._f_ext is None:
            self._f_ext = np.zeros((self.size, self.model.n_links, 6), self.dtype)
        return self._f_ext

    @written
    def ctrl(self) -> Array:
        """Controls of the actuators ``[size, nu]``, which act from the first use of this on, see
        :attr:`Simulation.ctrl`."""
        return self._simulation.ctrl

    @written
    def act(self) -> Array:
        """Activations of actuators with dynamics ``[size, na]``."""
        return self._simulation.act

    @written
    def q_target(self) -> Array:
        """Target of the controller, ``[size, nq]`` rad|m. Error without a controller."""
        return self._of_controller("q_target", self.model.nq)

    @written
    def kp(self) -> Array:
        """Gains of the controller, ``[size, nv]`` N m/rad|N/m."""
        return self._of_controller("kp", self.model.nv)

    @written
    def kd(self) -> Array:
        """Gains of the controller, ``[size, nv]`` N m s/rad|N s/m."""
        return self._of_controller("kd", self.model.nv)

    def _of_controller(self, name: str, rows: int) -> Array:
        numbers: Array = getattr(self._simulation._core, name)
        if numbers.size == 0 and rows > 0:
            raise Error(f"VectorSimulation: {name} requires a controller, tandem.PdController")
        return numbers.reshape(self.size, rows)

    def _write(self, name: str, array: Array, values: ArrayLike, ids: NDArray[np.int64] | None = None) -> None:
        numbers = numbers_of(values, array.dtype)
        rows = array.shape if ids is None else (len(ids), *array.shape[1:])
        if numbers.ndim > len(rows) or any(n not in (1, r) for n, r in zip(numbers.shape[::-1], rows[::-1])):
            raise Error(f"VectorSimulation: {name} has shape {numbers.shape}, expected {rows}, or a shape that "
                        "broadcasts to it")
        if name not in ("tau", "f_ext"):  # of which one that is not finite makes its robot diverge
            finite_numbers(f"VectorSimulation: {name}", numbers)
        array[slice(None) if ids is None else ids] = numbers

    def parameter(self, name: str) -> Array:
        """A parameter of every robot, ``[size, ...]``, by its name in :func:`tandem.parameters`.

        It can be read and written at any time. Every step after the first request checks the values; those written
        apply to the next step, and restart the energy check of their robots.
        """
        if name not in self._expanded:
            names = [p.name for p in all_parameters()]
            if name not in names:
                raise Error(f"VectorSimulation.parameter: unknown parameter {name}; expected one of {', '.join(names)}")
            with self._lock:
                flat: Array = self._simulation._core.parameter(name)
            self._expanded[name] = flat.reshape(self.size, *self.model.parameter(name).shape)
        return self._expanded[name]

    def _present(self, name: str) -> Array:
        """The same to be read, without making room for one of each."""
        if name in self._expanded:
            return self._expanded[name]
        own = self.model.parameter(name)
        given = self._simulation.parameters.get(name, own).astype(self.dtype)
        return np.broadcast_to(given, (self.size, *own.shape))

    @property
    def steps(self) -> NDArray[np.int64]:
        """Number of steps of :attr:`dt` since the last reset, ``[size]``, a new array."""
        steps: NDArray[np.int64] = self._simulation._core.steps_of_all()
        return steps

    @property
    def time(self) -> NDArray[np.float64]:
        """Time since the last reset, ``[size]`` s, a new array."""
        return np.multiply(self.steps, self.dt, dtype=np.float64)

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Robots that have diverged and are frozen until their reset, ``[size]``, a new array."""
        found: NDArray[np.bool_] = self._simulation._core.diverged()
        return found

    def divergence(self, instance: int) -> Divergence | None:
        """Divergence of a robot with its step and time, or None."""
        found = self._simulation.divergence(instance)
        if found is None:
            return None
        step = int(self.steps[instance]) + 1
        return found._replace(step=step, time=step * self.dt)

    @property
    def dissipated(self) -> NDArray[np.float64]:
        """Energy dissipated by damping, friction and joint limits since the last reset, ``[size]`` J, a new array."""
        energies: NDArray[np.float64] = self._simulation._core.energy_of_all(True)
        return energies

    @property
    def work(self) -> NDArray[np.float64]:
        """Work of forces and the controller since the last reset, ``[size]`` J, a new array."""
        energies: NDArray[np.float64] = self._simulation._core.energy_of_all(False)
        return energies
