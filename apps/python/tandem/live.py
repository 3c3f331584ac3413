# SPDX-License-Identifier: Apache-2.0
"""Many robots of one model, for reinforcement learning: persistent array views."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tandem._attributes import KnownAttributes
from tandem._core import Model
from tandem._live_bound import Bound, BoundArrays
from tandem._live_states import Instances, States, numbers_of
from tandem._live_views import FrameView, JointView, LinkView
from tandem.arguments import finite_numbers, whole_number
from tandem.batch import Parameters
from tandem.batch import parameters as all_parameters
from tandem.drive import PdController
from tandem.errors import Error
from tandem.functions import Array, Integrator, Method, MethodOptions
from tandem.plan import Specialise
from tandem.simulation import Divergence, Simulation


class Batch(KnownAttributes):
    """Robots of one model, stepped together, each from a state, under forces and with masses of its own.

    ``q``, ``v``, ``tau``, ``f_ext``, ``q_target``, ``kp``, ``kd`` and :meth:`parameter` are arrays that stay where they are:
    what is written to them is what the next step sees, and nothing is copied. They go to other libraries as they are,
    ``torch.from_dlpack(batch.q)`` is a tensor in the same memory. Each robot moves as it would alone, to the last bit, on any number
    of threads. A diverged robot keeps its last valid state, and is reported (:attr:`diverged`,
    :meth:`divergence`), until it is reset; the others go on.

    Args:
        model: the robot
        size: how many there are
        dt: time step, s
        substeps: steps of ``dt`` in a :meth:`step`
        configurations: by name, ``q`` or ``(q, v)``, for :meth:`reset`, besides those that the model has; ``"start"`` is where
            all begin, the neutral configuration at rest where none is given
        controller: pulls to its target, which can be written to; ``kp`` and ``kd`` likewise
        gravity_compensation: whether the weight that the model has is added to the forces, as in :class:`Simulation`
        effort_limits: whether all that drives a joint is clipped to its effort limit, as in :class:`Simulation`
        parameters: in which the robots differ from the model, ``{name: array}``; see :meth:`parameter`
        threads: on how many cores; 0: all
        integrator, dtype, method, options, limits, excess, max_speed, specialise: as in :class:`Simulation`

    >>> arm = tandem.load("arm7")
    >>> batch = tandem.Batch(arm, 100, dt=2e-3, substeps=5, configurations={"bent": [0, 0.5, 0, 1, 0, 0.5, 0]})
    >>> batch.reset(to="bent", seed=1, spread=0.1)        # each near it
    >>> q, tau = batch.q, batch.tau                       # [100, 7] each, for good
    >>> for _ in range(10):
    ...     tau[:] = tandem.gravity_forces(arm, q) - 2 * batch.v
    ...     batch.step()
    >>> q.shape, round(float(batch.time[0]), 9), bool(batch.diverged.any())
    ((100, 7), 0.1, False)

    Joints, links and frames by name, with the rows of all robots:

    >>> batch.joint("joint2").q.shape, batch.frame("tool0").position.shape
    ((100, 1), (100, 3))
    >>> batch.link("link7").mass = np.linspace(1, 2, 100)

    Some of them, by number or by a mask:

    >>> batch.reset(batch.frame("tool0").position[:, 2] < 0.3, to="bent")
    >>> batch.step(ids=[3, 5])

    Calls from several threads take turns. ``copy.deepcopy`` and ``pickle`` make a batch of its own, which goes on from the
    same state.
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
    ) -> None:
        self._simulation = Simulation(
            model,
            batch=whole_number("Batch: size", size, 1, 2**40),
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
        )
        self._substeps = whole_number("Batch: substeps", substeps, 1)
        self._threads = whole_number("Batch: threads", threads, 0)
        self._states = States(model, size, configurations)
        self._expanded: dict[str, Array] = {}
        self._bound = BoundArrays(self)
        self._f_ext: Array | None = None
        self._tau = np.zeros((size, model.nv), self.dtype)
        self._lock = threading.RLock()
        self.reset()

    @property
    def model(self) -> Model:
        """The robot."""
        return self._simulation.model

    @property
    def size(self) -> int:
        """How many robots there are."""
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
        """Of all arrays, float64 or float32."""
        return self._simulation._dtype

    @property
    def q(self) -> Array:
        """Configurations ``[size, nq]`` rad|m."""
        return self._simulation.q

    @q.setter
    def q(self, values: ArrayLike) -> None:
        self._write("q", self.q, values)

    @property
    def v(self) -> Array:
        """Velocities ``[size, nv]`` rad/s|m/s."""
        return self._simulation.v

    @v.setter
    def v(self, values: ArrayLike) -> None:
        self._write("v", self.v, values)

    @property
    def tau(self) -> Array:
        """Joint torques ``[size, nv]`` N m|N, added to controllers; they act until they are changed."""
        return self._tau

    @tau.setter
    def tau(self, values: ArrayLike) -> None:
        self._write("tau", self._tau, values)

    @property
    def f_ext(self) -> Array:
        """Wrenches on the links ``[size, n_links, 6]`` N, N m, linear first, at their origins along their axes."""
        if self._f_ext is None:
            self._f_ext = np.zeros((self.size, self.model.n_links, 6), self.dtype)
        return self._f_ext

    @f_ext.setter
    def f_ext(self, values: ArrayLike) -> None:
        self._write("f_ext", self.f_ext, values)

    @property
    def q_target(self) -> Array:
        """What the controller pulls to, ``[size, nq]`` rad|m. An Error without a controller."""
        return self._of_controller("q_target", self.model.nq)

    @q_target.setter
    def q_target(self, values: ArrayLike) -> None:
        self._write("q_target", self.q_target, values)

    @property
    def kp(self) -> Array:
        """Gains of the controller, ``[size, nv]`` N m/rad|N/m."""
        return self._of_controller("kp", self.model.nv)

    @kp.setter
    def kp(self, values: ArrayLike) -> None:
        self._write("kp", self.kp, values)

    @property
    def kd(self) -> Array:
        """Gains of the controller, ``[size, nv]`` N m s/rad|N s/m."""
        return self._of_controller("kd", self.model.nv)

    @kd.setter
    def kd(self, values: ArrayLike) -> None:
        self._write("kd", self.kd, values)

    def _of_controller(self, name: str, rows: int) -> Array:
        numbers: Array = getattr(self._simulation._core, name)
        if numbers.size == 0 and rows > 0:
            raise Error(f"Batch: {name} needs a controller: make the batch with a tandem.PdController")
        return numbers.reshape(self.size, rows)

    def _write(self, name: str, array: Array, values: ArrayLike, ids: NDArray[np.int64] | None = None) -> None:
        numbers = numbers_of(values, self.dtype)
        rows = array.shape if ids is None else (len(ids), *array.shape[1:])
        if numbers.ndim > len(rows) or any(n not in (1, r) for n, r in zip(numbers.shape[::-1], rows[::-1])):
            raise Error(f"Batch: {name} has shape {numbers.shape}, expected {rows}, or a shape that broadcasts to it")
        if name not in ("tau", "f_ext"):  # of which one that is not finite makes its robot diverge
            finite_numbers(f"Batch: {name}", numbers)
        array[slice(None) if ids is None else ids] = numbers

    def parameter(self, name: str) -> Array:
        """A parameter of every robot, ``[size, ...]``, by its name in :func:`tandem.parameters`.

        To read and to write, at any time: the next step checks and takes what was written, and looks at the energy of
        those robots anew. From the first time that it is asked for, every step looks at it.
        """
        if name not in self._expanded:
            names = [p.name for p in all_parameters()]
            if name not in names:
                raise Error(f"Batch.parameter: unknown parameter {name}; expected one of {', '.join(names)}")
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
        """Steps of :attr:`dt` that each has made since it was reset, ``[size]``, a new array."""
        steps: NDArray[np.int64] = self._simulation._core.steps_of_all()
        return steps

    @property
    def time(self) -> NDArray[np.float64]:
        """Time of each since it was reset, ``[size]`` s, a new array."""
        return np.multiply(self.steps, self.dt, dtype=np.float64)

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Which have left reason and are frozen until they are reset, ``[size]``, a new array."""
        found: NDArray[np.bool_] = self._simulation._core.diverged()
        return found

    def divergence(self, instance: int) -> Divergence | None:
        """How a robot left reason, at which of its own steps and when; None if it did not."""
        found = self._simulation.divergence(instance)
        if found is None:
            return None
        step = int(self.steps[instance]) + 1
        return found._replace(step=step, time=step * self.dt)

    @property
    def dissipated(self) -> NDArray[np.float64]:
        """Energy that damping, friction and stops have taken of each since it was reset, ``[size]`` J, a new array."""
        energies: NDArray[np.float64] = self._simulation._core.energy_of_all(True)
        return energies

    @property
    def work(self) -> NDArray[np.float64]:
        """Energy that forces and the controller have given each since it was reset, ``[size]`` J, a new array."""
        energies: NDArray[np.float64] = self._simulation._core.energy_of_all(False)
        return energies

    def step(self, tau: ArrayLike | None = None, *, ids: Instances = None, steps: int = 1) -> None:
        """Steps on by ``steps`` times :attr:`substeps` of :attr:`dt`, forces and targets being held.

        Args:
            tau: joint torques, written to :attr:`tau` first: ``[size, nv]``, or those of ``ids``, or ``[nv]`` for all
            ids: which robots, numbers, each once, or a mask ``[size]``; None: all
            steps: how often
        Raises:
            Error: if a number of a state, target or parameter cannot be, with the robot; nothing has moved then. A robot whose force is
                not finite diverges, and the others go on
        """
        some = self._states.instances("step", ids)
        n = whole_number("Batch.step: steps", steps, 0)
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
            seed: what random states are drawn with: the same seed and the same number of a robot give the same state, whichever
                others are reset
            spread: how far, rad|m, each coordinate may lie from ``to`` or ``q``, within position limits; None with a ``seed``:
                anywhere, as by :func:`tandem.random_configuration`
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

    def bind(self, name: Bound) -> Array:
        """An array that every :meth:`step` and :meth:`reset` brings up to date, of the robots that it is for.

        ``"poses"`` ``[size, n_frames, 3, 4]`` and ``"velocities"`` ``[size, n_frames, 6]``, along the world's axes, of all frames
        (:func:`tandem.forward_kinematics`), ``"centre_of_mass"`` ``[size, 3]`` m, ``"kinetic"`` and ``"potential"``
        energies ``[size]`` J.
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
