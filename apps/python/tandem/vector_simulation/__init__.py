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
from tandem.drive import PdController
from tandem.functions import Array, Integrator, Method, MethodOptions
from tandem.plan import Specialise
from tandem.simulation import ContactOptions, Simulation
from tandem.vector_simulation._arrays import RobotArrays
from tandem.vector_simulation._bound import Bound, BoundArrays
from tandem.vector_simulation._states import Instances, States, numbers_of
from tandem.vector_simulation._views import FrameView, JointView, LinkView

__all__ = ["FrameView", "JointView", "LinkView", "VectorSimulation"]


class VectorSimulation(RobotArrays):
    """Robots of one model, stepped together, each from a state, under forces and with masses of its own.

    ``q``, ``v``, ``tau``, ``f_ext``, ``q_target``, ``kp``, ``kd`` and :meth:`parameter` are arrays that stay where they
    are: what is written to them is what the next step sees, and nothing is copied. They go to other libraries as they
    are, ``torch.from_dlpack(robots.q)`` is a tensor in the same memory. Each robot moves as it would alone, to the last
    bit, on any number of threads. A diverged robot keeps its last valid state, and is reported (:attr:`diverged`,
    :meth:`divergence`), until it is reset; the others go on.

    Args:
        model: the robot
        size: how many there are
        dt: time step, s
        substeps: steps of ``dt`` in a :meth:`step`
        configurations: by name, ``q`` or ``(q, v)``, for :meth:`reset`, besides those that the model has; ``"start"``
            is where all begin, the neutral configuration at rest where none is given
        controller: pulls to its target, which can be written to; ``kp`` and ``kd`` likewise
        gravity_compensation: whether the weight that the model has is added to the forces, as in :class:`Simulation`
        effort_limits: whether all that drives a joint is clipped to its effort limit, as in :class:`Simulation`
        parameters: in which the robots differ from the model, ``{name: array}``; see :meth:`parameter`
        threads: on how many cores; 0: all
        integrator, dtype, method, options, limits, excess, max_speed, specialise: as in :class:`Simulation`
        contacts, contact_options: what can touch, as in :class:`Simulation`; forces by :attr:`contact_forces` and by
            links

    >>> arm = tandem.load("arm7")
    >>> bent = {"bent": [0, 0.5, 0, 1, 0, 0.5, 0]}
    >>> robots = tandem.VectorSimulation(arm, 100, dt=2e-3, substeps=5, configurations=bent)
    >>> robots.reset(to="bent", seed=1, spread=0.1)        # each near it
    >>> q, tau = robots.q, robots.tau                       # [100, 7] each, for good
    >>> for _ in range(10):
    ...     tau[:] = tandem.gravity_forces(arm, q) - 2 * robots.v
    ...     robots.step()
    >>> q.shape, round(float(robots.time[0]), 9), bool(robots.diverged.any())
    ((100, 7), 0.1, False)

    Joints, links and frames by name, with the rows of all robots:

    >>> robots.joint("joint2").q.shape, robots.frame("tool0").position.shape
    ((100, 1), (100, 3))
    >>> robots.link("link7").mass = np.linspace(1, 2, 100)

    Some of them, by number or by a mask:

    >>> robots.reset(robots.frame("tool0").position[:, 2] < 0.3, to="bent")
    >>> robots.step(ids=[3, 5])

    Calls from several threads take turns. ``copy.deepcopy`` and ``pickle`` make robots of their own, which go on from
    the same state.
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
        """Steps on by ``steps`` times :attr:`substeps` of :attr:`dt`, forces and targets being held.

        Args:
            tau: joint torques, written to :attr:`tau` first: ``[size, nv]``, or those of ``ids``, or ``[nv]`` for all
            ids: which robots, numbers, each once, or a mask ``[size]``; None: all
            steps: how often
        Raises:
            Error: if a number of a state, target or parameter cannot be, with the robot; nothing has moved then. A
                robot whose force is not finite diverges, and the others go on
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
        """Lets robots begin anew: their time and energies at zero, and those that had diverged go on.

        Args:
            ids: which, numbers, each once, or a mask ``[size]``; None: all
            to: name of a configuration, or one for each of ``ids``
            q, v: instead of that, a row for each of ``ids`` or one for all; at rest without ``v``
            seed: what random states are drawn with: the same seed and the same number of a robot give the same state,
                whichever others are reset
            spread: how far, rad|m, each coordinate may lie from ``to`` or ``q``, within position limits; None with a
                ``seed``: anywhere, as by :func:`tandem.random_configuration`
            speed: largest speed, rad/s|m/s, of what is drawn for each row of ``v``, which is added
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
        """What :meth:`reset` leads to by name, ``(q, v)`` of each."""
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

    @property
    def contact_state(self) -> tuple[Array, Array]:
        """Configurations and velocities at which contact forces act, see :attr:`Simulation.contact_state`."""
        with self._lock:
            return self._simulation.contact_state

    def bind(self, name: Bound) -> Array:
        """An array that every :meth:`step` and :meth:`reset` brings up to date, of the robots that it is for.

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
