# SPDX-License-Identifier: Apache-2.0
"""Many robots of one model, for reinforcement learning: persistent array views."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from tandem._common.arguments import whole_number
from tandem._common.batch_options import Parameters
from tandem._core import ContactSet, Model
from tandem.contact import ContactOptions, ContactTally
from tandem.drive import PdController
from tandem.functions import Array, Integrator, Method, MethodOptions
from tandem.plan import Specialise
from tandem.simulation import Simulation
from tandem.vector_simulation._arrays import RobotArrays
from tandem.vector_simulation._bound import Bound, BoundArrays
from tandem.vector_simulation._states import Instances, States, numbers_of
from tandem.vector_simulation._views import FrameView, JointView, LinkView

__all__ = ["FrameView", "JointView", "LinkView", "VectorSimulation"]


class VectorSimulation(RobotArrays):
    """A batch of robots of one model with their own states, forces and parameters, stepped together.

    ``q``, ``v``, ``tau``, ``f_ext``, the inputs of a controller and :meth:`parameter` are persistent views: values
    written to them apply to the next step, without copies. Other libraries can share their memory, as a tensor of
    ``torch.from_dlpack(robots.q)``. The results of a robot are bit-identical to those of a single one, on any number of
    threads. A diverged robot keeps its last valid state and is reported (:attr:`diverged`, :meth:`divergence`) until it
    is reset; the others continue.

    Args:
        model: the robot
        size: number of robots
        dt: time step, s
        substeps: number of steps of ``dt`` in a :meth:`step`
        configurations: additional named states of :meth:`reset`, ``q`` or ``(q, v)``; ``"start"`` is the initial state,
            by default the neutral configuration at rest
        controller: PD controller, whose target and gains can be written to
        gravity_compensation: whether gravity torques of the model are added, as in :class:`Simulation`
        effort_limits: whether the sum of torques is clipped to the effort limits, as in :class:`Simulation`
        parameters: parameters of the robots that differ from the model, ``{name: array}``; see :meth:`parameter`
        threads: number of threads; 0: all cores
        integrator, dtype, method, options, limits, excess, max_speed, specialise: as in :class:`Simulation`
        contacts, contact_options: as in :class:`Simulation`; for forces see :attr:`contact_forces` and :meth:`link`

    >>> arm = tandem.load("arm7")
    >>> bent = {"bent": [0, 0.5, 0, 1, 0, 0.5, 0]}
    >>> robots = tandem.VectorSimulation(arm, 100, dt=2e-3, substeps=5, configurations=bent)
    >>> robots.reset(to="bent", seed=1, spread=0.1)        # random states near it
    >>> q, tau = robots.q, robots.tau                       # [100, 7] each, persistent views
    >>> for _ in range(10):
    ...     tau[:] = tandem.gravity_forces(arm, q) - 2 * robots.v
    ...     robots.step()
    >>> q.shape, round(float(robots.time[0]), 9), bool(robots.diverged.any())
    ((100, 7), 0.1, False)

    Joints, links and frames by name, with the rows of all robots:

    >>> robots.joint("joint2").q.shape, robots.frame("tool0").position.shape
    ((100, 1), (100, 3))
    >>> robots.link("link7").mass = np.linspace(1, 2, 100)

    A part of the robots, by index or by a mask:

    >>> robots.reset(robots.frame("tool0").position[:, 2] < 0.3, to="bent")
    >>> robots.step(ids=[3, 5])

    Calls from several threads are serialised. ``copy.deepcopy`` and ``pickle`` make independent robots that continue
    from the same state.
    """

    def __init__(
        self,
        model: Model,
        size: int,
        *,
        dt: float = 1e-3,
        substeps: int = 1,
        configurations: Mapping[str, ArrayLike | tuple[ArrayLike, ArrayLike]] | None = None,
        controller: PdController | None = None,
        gravity_compensation: bool = False,
        effort_limits: bool = False,
        parameters: Parameters | None = None,
        threads: int = 0,
        integrator: Integrator = "semi_implicit_euler",
        dtype: DTypeLike = np.float64,
        method: Method = "automatic",
        options: MethodOptions | None = None,
        limits: bool = True,
        excess: float = 1.0,
        max_speed: float | None = None,
        specialise: Specialise = "auto",
        contacts: ContactSet | None = None,
        contact_options: ContactOptions | None = None,
    ) -> None:
        simulation = Simulation(
            model,
            batch=whole_number("VectorSimulation: size", size, 1, 2**40),
            dt=dt,
            controller=controller,
            gravity_compensation=gravity_compensation,
            effort_limits=effort_limits,
            parameters=parameters,
            threads=threads,
            integrator=integrator,
            dtype=dtype,
            method=method,
            options=options,
            limits=limits,
            excess=excess,
            max_speed=max_speed,
            specialise=specialise,
            contacts=contacts,
            contact_options=contact_options,
        )
        substeps = whole_number("VectorSimulation: substeps", substeps, 1)
        threads = whole_number("VectorSimulation: threads", threads, 0)
        super().__init__(simulation, size, substeps, threads)
        self._states = States(model, size, configurations)
        self._bound = BoundArrays(self)
        self.reset()

    def step(self, tau: ArrayLike | None = None, *, ids: Instances = None, steps: int = 1) -> None:
        """Make ``steps`` times :attr:`substeps` steps of :attr:`dt` with constant forces and targets.

        Args:
            tau: joint torques, written to :attr:`tau` first: ``[size, nv]``, or those of ``ids``, or ``[nv]`` for all
            ids: indices of robots, each once, or a mask ``[size]``; None: all
            steps: number of repetitions

        Raises:
            Error: for an invalid number in a state, target or parameter, with the index of the robot; no robot is
                stepped then. A robot whose force is not finite diverges, and the others continue
        """
        some = self._states.instances("step", ids)
        n = whole_number("VectorSimulation.step: steps", steps, 0)
        with self._lock:
            if tau is not None:
                numbers = numbers_of(tau, self.dtype)
                whole = some is None or (numbers.ndim == 2 and len(numbers) == self.size and len(some) != self.size)
                self._write("tau", self._tau, numbers, None if whole else some)
            self._simulation._core.step_some(self._tau, self._f_ext, some, n * self._substeps)
            self._bound.refresh(some)

    def reset(
        self,
        ids: Instances = None,
        *,
        to: str | Sequence[str] = "start",
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        seed: int | None = None,
        spread: float | None = None,
        speed: float = 0.0,
    ) -> None:
        """Reset robots: time and energies are set to zero, and diverged robots continue.

        Args:
            ids: indices of robots, each once, or a mask ``[size]``; None: all
            to: name of a configuration, or one for each of ``ids``
            q, v: states instead of ``to``, a row for each of ``ids`` or one for all; the default of ``v`` is zero
            seed: seed of random states; the state depends on the seed and the index of the robot only
            spread: largest distance of each coordinate from ``to`` or ``q``, rad|m, within position limits; None with
                a ``seed``: as :func:`tandem.random_configuration`
            speed: largest random velocity that is added to each row of ``v``, rad/s|m/s
        """
        some = self._states.instances("reset", ids)
        q_new, v_new = self._states.begin(some, to, q, v, seed, spread, speed)
        which = np.arange(self.size) if some is None else some
        with self._lock:
            new = (np.ascontiguousarray(x, self.dtype) for x in (q_new, v_new))
            self._simulation._core.reset_some(*new, which)
            self._bound.refresh(some)

    @property
    def configurations(self) -> dict[str, tuple[Array, Array]]:
        """Named states of :meth:`reset`, ``(q, v)`` of each."""
        return self._states.configurations

    def joint(self, joint: str | int) -> JointView:
        """A joint of all robots, by its name or index."""
        return JointView(self, joint)

    def link(self, link: str | int) -> LinkView:
        """A link of all robots, by its name or index."""
        return LinkView(self, link)

    def frame(self, frame: str | int) -> FrameView:
        """A frame of all robots, by its name or index: the links' own come first."""
        return FrameView(self, frame)

    @property
    def contact_forces(self) -> Array:
        """Contact forces in the last step by slots, ``[size, n_slots, 6]`` N, N m, as in
        :attr:`Simulation.contact_forces`."""
        with self._lock:
            return self._simulation.contact_forces

    def contact_tally(self) -> ContactTally:
        """Statistics of contact dynamics for every robot since its last :meth:`reset`: arrays ``[size]``."""
        with self._lock:
            self._simulation._set_of("contact_tally")
            core = self._simulation._core
            *counts, taken = core.contact_tallies()
            return ContactTally(*(np.array(count, np.int64) for count in counts), np.array(taken),
                                np.zeros(self.size, np.int64))

    @property
    def contact_state(self) -> tuple[Array, Array]:
        """Configurations and velocities at which contact forces act, see :attr:`Simulation.contact_state`."""
        with self._lock:
            return self._simulation.contact_state

    def bind(self, name: Bound) -> Array:
        """An array that every :meth:`step` and :meth:`reset` updates for its robots.

        ``"poses"`` ``[size, n_frames, 3, 4]`` and ``"velocities"`` ``[size, n_frames, 6]``, along the world's axes, of
        all frames (:func:`tandem.forward_kinematics`), ``"centre_of_mass"`` ``[size, 3]`` m, ``"kinetic"`` and
        ``"potential"`` energies ``[size]`` J.
        """
        if name not in self._bound.arrays:
            with self._lock:
                self._bound.add(name)
        return self._bound.arrays[name]

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            kept = {k: x for k, x in self.__dict__.items() if k != "_lock"}
            kept["_expanded"] = {name: np.array(values) for name, values in self._expanded.items()}
            kept["_bound"] = list(self._bound.arrays)
            return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        expanded, bound = state["_expanded"], state["_bound"]
        self.__dict__.update(state | {"_expanded": {}, "_bound": BoundArrays(self), "_lock": threading.RLock()})
        for name, values in expanded.items():
            self.parameter(name)[...] = values
        for name in bound:
            self.bind(name)
