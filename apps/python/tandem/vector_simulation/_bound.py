# SPDX-License-Identifier: Apache-2.0
"""Arrays of a vector simulation that every step and reset brings up to date."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem import functions
from tandem.errors import Error
from tandem.functions import Array
from tandem.vector_simulation._arrays import RobotArrays

Bound: TypeAlias = Literal["poses", "velocities", "centre_of_mass", "kinetic", "potential"]


class BoundArrays:
    """The bound arrays by name, which only this class writes."""

    def __init__(self, robots: RobotArrays) -> None:
        self._robots = robots
        self.arrays: dict[str, Array] = {}

    def add(self, name: str) -> None:
        """One more, of the present states."""
        frames = self._robots.model.n_frames
        shapes: dict[str, tuple[int, ...]] = {
            "poses": (frames, 3, 4),
            "velocities": (frames, 6),
            "centre_of_mass": (3,),
            "kinetic": (),
            "potential": (),
        }
        if name not in shapes:
            raise Error(f"VectorSimulation.bind: unknown array {name}; expected one of {', '.join(shapes)}")
        array = np.empty((self._robots.size, *shapes[name]), self._robots.dtype)
        array.flags.writeable = False
        self.arrays[name] = array
        self.refresh(None)

    def refresh(self, some: NDArray[np.int64] | None) -> None:
        """Computes all of them, of some robots or of all."""
        if not self.arrays or (some is not None and not some.size):
            return
        rows: Any = slice(None) if some is None else some
        for name, values in self._computed(rows).items():
            if name in self.arrays:
                array = self.arrays[name]
                array.flags.writeable = True
                array[rows] = values
                array.flags.writeable = False

    def _computed(self, rows: Any) -> dict[str, Array]:
        robots, asked = self._robots, self.arrays.keys()
        model, q, v, threads = robots.model, robots.q[rows], robots.v[rows], robots._threads
        found: dict[str, Array] = {}
        if "velocities" in asked:
            found["poses"], found["velocities"] = functions.forward_kinematics(
                model, q, v, reference="local_world_aligned", threads=threads
            )
        elif "poses" in asked:
            found["poses"] = functions.forward_kinematics(model, q, threads=threads)
        varied: dict[str, ArrayLike] = {}
        for name, values in {**robots._simulation.parameters, **robots._expanded}.items():
            of_each = values.ndim > model.parameter(name).ndim
            varied[name] = values[rows] if of_each else values
        if "centre_of_mass" in asked:
            found["centre_of_mass"] = functions.centre_of_mass(model, q, threads=threads, parameters=varied)
        if asked & {"kinetic", "potential"}:
            found["kinetic"], found["potential"] = functions.energy(model, q, v, threads=threads, parameters=varied)
        return found
