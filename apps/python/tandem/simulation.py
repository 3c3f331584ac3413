# SPDX-License-Identifier: Apache-2.0
# Over 400 lines, as the class has the examples that its page shows.
"""Simulation of one robot, or of many robots of one model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tandem._common import diagnose
from tandem._common.arguments import finite_numbers, new_array, real_numbers, whole_number
from tandem._common.attributes import KnownAttributes, written
from tandem._common.batch_options import Parameters
from tandem._common.found_contacts import FoundContacts
from tandem._core import ContactSet, Model, Simulation32, Simulation64
from tandem._rollout_call import stepper_options
from tandem.contact import ContactOptions, ContactTally
from tandem.drive import PdController, controller_numbers
from tandem.errors import Error
from tandem.functions import Array, Integrator, Method, MethodOptions
from tandem.plan import Specialise

FirstGuess: TypeAlias = Literal["zero", "last", "linear"]
Forces: TypeAlias = "ArrayLike | Callable[[Simulation], ArrayLike] | None"


class Trajectory(NamedTuple):
    """States of one robot over time; of a batch, ``[samples, batch, ...]``."""

    time: Array  #: ``[samples]`` s
    q: Array  #: ``[samples, nq]`` rad|m
    v: Array  #: ``[samples, nv]`` rad/s|m/s
    #: ``[samples]`` J, dissipated by damping, friction, limits and contacts since the start
    dissipated: Array | None = None
    #: ``[samples]`` J, work of forces on joints and links and of the controller since the start
    work: Array | None = None


class Divergence(NamedTuple):
    """Divergence of a simulation."""

    kind: str  #: ``"not_finite"``, ``"too_fast"``, ``"too_much_energy"``, ``"loops_open"`` or ``"not_converged"``
    joint: str | None  #: name of the fastest joint
    step: int  #: step that diverged, counted from 1
    time: float  #: s, at the end of this step
    what: str  #: description of the cause
    advice: str  #: possible remedies


class Iterated(NamedTuple):
    """Statistics of an iterative method of forward dynamics for a robot; zeros for other methods."""

    solutions: int  #: solutions of forward dynamics, one or more per step
    steps: int  #: iterations of all solutions
    not_converged: int  #: solutions that did not converge
    saved: float  #: iterations saved by initial guesses, estimated from one solution in sixteen also computed from zero


class Simulation(KnownAttributes):
    """Simulation of robots of one model. The initial state is :func:`start_configuration` at rest; set ``q`` and ``v``
    to change it.

    Args:
        model: the robot
        dt: time step, s
        integrator: ``"semi_implicit_euler"`` (order 1; damping, friction and springs implicit, so that stiff
            ones stay stable), ``"rk4"`` (order 4, on the configuration manifold; all forces explicit)
            or ``"implicit_midpoint"`` (order 2; conserves energy over any time)
        controller: controller, whose torques are added to those of :meth:`step` or :meth:`run`
        dtype: precision, float64 or float32
        method, options: method of forward dynamics, as in :func:`tandem.forward_dynamics`
        limits: whether joint limits act
        batch: number of robots; states, forces and energies then have a leading dimension
        parameters: parameters of the robots that differ from the model, as in :mod:`tandem.functions`
        threads: number of threads for a batch; 0: all cores
        excess: a robot has diverged if its kinetic energy exceeds (1 + excess) times the energy of its initial state,
            gravity, springs and driving torques; infinity: energy is not checked
        max_speed: a robot has diverged if a joint is faster than this, rad/s|m/s; None: a full turn per step; infinity:
            speeds are not checked
        first_guess: initial guess of iterative methods such as ``"conjugate_gradient"``: ``"zero"``, ``"last"`` (the
            last solution) or ``"linear"`` (linear extrapolation of the last two); see :meth:`iterated`
        specialise: whether forward dynamics is compiled for this robot, as in :class:`Plan`
        gravity_compensation: whether :func:`tandem.gravity_forces` of the model, without ``parameters``, are added to
            the joint torques, evaluated at every stage of a step
        effort_limits: whether the sum of torques, compensation and controller is clipped to the effort limits; the
            controller alone always is
        contacts: a :class:`tandem.ContactSet` of the model. Contacts, joint limits and dry friction of the joints are
            then solved together, in double precision, with MuJoCo's soft contact model. Requires
            ``semi_implicit_euler`` or, without a controller, ``rk4``, and a robot without closed loops
        contact_options: options of contacts, see :class:`tandem.types.ContactOptions`

    >>> simulation = tandem.Simulation(tandem.load("arm7"), dt=1e-3, integrator="rk4")
    >>> simulation.q = [0, 0.5, 0, -1, 0, 1, 0]
    >>> trajectory = simulation.run(0.5, every=10)
    >>> trajectory.q.shape, round(simulation.time, 9)
    ((51, 7), 0.5)

    Energy balance: ``kinetic + potential + dissipated - work`` is constant up to the error of the integrator.

    >>> kinetic, potential = tandem.energy(simulation.model, trajectory.q, trajectory.v)
    >>> bool(np.ptp(kinetic + potential + trajectory.dissipated - trajectory.work) < 1e-6)
    True

    A batch of robots with different masses and damping:

    >>> arm, random = tandem.load("arm7"), np.random.default_rng(1)
    >>> many = tandem.Simulation(arm, batch=100, parameters={
    ...     "mass": arm.parameter("mass") * random.uniform(0.8, 1.2, (100, arm.n_links)),
    ...     "damping": random.uniform(0.5, 2, (100, arm.nv))})
    >>> many.q = [0, 0.5, 0, -1, 0, 1, 0]
    >>> many.run(0.1, every=50).q.shape, many.diverged.any()
    ((3, 100, 7), np.False_)

    Contacts with the floor:

    >>> robot = tandem.ModelBuilder("ball").link("world").link("ball", mass=1, inertia=(0.004, 0, 0, 0.004, 0, 0.004))
    >>> robot = robot.joint("free", "free", "world", "ball").shape("floor", "plane", "world")
    >>> ball = robot.shape("ball", "sphere", "ball", size=0.1).build()
    >>> simulation = tandem.Simulation(ball, contacts=tandem.ContactSet(ball))
    >>> simulation.q[2] = 0.3
    >>> height = simulation.run(2, every=1000).q[-1, 2]
    >>> height.round(3), simulation.touches("ball"), simulation.contact_force("ball").round(2)
    (np.float64(0.1), True, array([0.  , 0.  , 9.81]))

    A robot that diverges keeps the state before that step. For a single robot, an :class:`Error` with the time, the
    joint and possible remedies is raised; in a batch the other robots continue, see :attr:`diverged`.

    ``copy.copy``, ``copy.deepcopy`` and ``pickle`` make independent simulations that continue from the same state.
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
        limits: bool = True,
        batch: int | None = None,
        parameters: Parameters | None = None,
        threads: int = 0,
        excess: float = 1.0,
        max_speed: float | None = None,
        first_guess: FirstGuess = "zero",
        specialise: Specialise = "auto",
        gravity_compensation: bool = False,
        effort_limits: bool = False,
        contacts: ContactSet | None = None,
        contact_options: ContactOptions | None = None,
    ) -> None:
        self._model = model
        self._dt = float(dt)
        self._dtype = np.dtype(dtype)
        if self._dtype not in (np.float64, np.float32):
            raise Error(f"Simulation: dtype is {self._dtype}, expected float64 or float32")
        self._batch = () if batch is None else (whole_number("Simulation: batch", batch, 1, 2**40),)
        self._how, self._contacts = stepper_options(
            "Simulation", dt=dt, integrator=integrator, gravity_compensation=gravity_compensation,
            effort_limits=effort_limits, limits=limits, max_speed=max_speed, method=method, options=options,
            specialise=specialise, contacts=contacts, contact_options=contact_options)
        self._threads, self._driven = whole_number("Simulation: threads", threads, 0), False
        numbers = controller_numbers(model, self._batch, controller)
        self._settings = (numbers, float(excess), batch or 1, self._threads, first_guess)
        self._parameters = self._parameters_of(parameters)
        self._core = self._new_core()

    def _new_core(self) -> Any:
        kind = Simulation64 if self._dtype == np.float64 else Simulation32
        try:
            how = self._how | {"contacts": None if self._contacts is None else self._contacts.core}
            return kind(self._model, how, *self._settings, self._flat_parameters())
        except MemoryError:
            raise Error(f"Simulation: out of memory for {self.batch} robots") from None

    def _parameters_of(self, given: Parameters | None) -> dict[str, NDArray[Any]]:
        parameters = {}
        for name, values in (given or {}).items():
            shape = self._model.parameter(name).shape
            array = real_numbers(f"Simulation: parameter {name}", values).copy()
            if array.shape not in (shape, self._batch + shape):
                expected = f"{shape} or {self._batch + shape}" if self._batch else f"{shape}"
                raise Error(f"Simulation: parameter {name} has shape {array.shape}, expected {expected}")
            parameters[name] = array
        return parameters

    def _flat_parameters(self) -> list[tuple[str, list[float]]]:
        return [(name, values.ravel().tolist()) for name, values in self._parameters.items()]

    def __getstate__(self) -> dict[str, Any]:
        """The whole state, for pickle and copies."""
        return self.__dict__ | {"_core": np.array(self._core.snapshot()), "_parameters": dict(self._parameters)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._core = self._new_core()
        self._core.restore(state["_core"].tolist())

    @property
    def model(self) -> Model:
        """The robot."""
        return self._model

    @property
    def dt(self) -> float:
        """Time step, s."""
        return self._dt

    @property
    def start(self) -> str:
        """Description of the initial configuration, see :func:`start_configuration`."""
        return str(self._core.start)

    @property
    def batch(self) -> int | None:
        """Number of robots; None for a single one."""
        return self._batch[0] if self._batch else None

    @property
    def time(self) -> float:
        """Time, s: since the start, or since it was set."""
        return float(self._core.time)

    @time.setter
    def time(self, value: float) -> None:
        if not np.isfinite(value):
            raise Error(f"Simulation: time is {value}, expected a finite number of seconds")
        self._core.time = float(value)

    def _write(self, name: str, array: Array, values: ArrayLike) -> None:
        numbers = real_numbers(f"Simulation: {name}", values, array.dtype)
        finite_numbers(f"Simulation: {name}", numbers)
        array[:] = numbers

    @written
    def q(self) -> Array:
        """Configuration ``[nq]`` rad|m: a view of the state, to read and to write."""
        state: Array = self._core.q
        return state.reshape(self._batch + (self._model.nq,)) if self._batch else state

    @written
    def v(self) -> Array:
        """Velocity ``[nv]`` rad/s|m/s: a view of the state, to read and to write."""
        state: Array = self._core.v
        return state.reshape(self._batch + (self._model.nv,)) if self._batch else state

    @written
    def ctrl(self) -> Array:
        """Controls of the robot's actuators ``[nu]``, or ``[batch, nu]``: a view, to read and to write; 0 at first.

        From the first use of this on, actuators act: forces :func:`tandem.actuator_forces` at the beginning of every
        step, besides ``tau``, as in MuJoCo. Except for robots from MJCF files with the integrator ``Euler``,
        velocity gains of servos act at the end of the step, as joint damping does, which is MuJoCo's
        ``implicitfast``; they count as :attr:`dissipated`. With ``rk4`` and ``implicit_midpoint``, actuators whose
        forces depend on the state are an :class:`Error`.

        >>> robot = tandem.ModelBuilder("pendulum").link("base").link("bob", mass=1, com=(0, 0, -1))
        >>> robot = robot.joint("hinge", "revolute", "base", "bob", axis=(0, 1, 0))
        >>> servo = robot.actuator("servo", "hinge", gain=(50, 0, 0), bias=(0, -50, -5)).build()
        >>> simulation = tandem.Simulation(servo)
        >>> simulation.ctrl[:] = 0.3
        >>> motion = simulation.run(2.0)
        >>> round(float(simulation.q[0]), 2)  # the weight pulls it back a little
        0.25
        """
        if self._model.nu == 0:
            raise Error(f"Simulation.ctrl: {self._model.name} has no actuators; give joint torques, tau")
        controls: Array = self._core.ctrl
        self._driven = True
        return controls.reshape((*self._batch, self._model.nu))

    @written
    def act(self) -> Array:
        """Activations of actuators with dynamics ``[na]``, or ``[batch, na]``: a view of the state."""
        activations: Array = self._core.act
        return activations.reshape((*self._batch, self._model.na))

    @property
    def parameters(self) -> dict[str, NDArray[Any]]:
        """Parameters of the robots that differ from the model. They can be replaced as a whole at any time."""
        return {name: values.copy() for name, values in self._parameters.items()}

    @parameters.setter
    def parameters(self, given: Parameters | None) -> None:
        before = self._parameters
        self._parameters = self._parameters_of(given)
        try:
            self._core.set_parameters(self._flat_parameters())
        except Error:
            self._parameters = before
            raise

    @property
    def dissipated(self) -> Any:
        """Energy dissipated by joint damping, friction, limits and contacts since the start, J: a number, or
        ``[batch]``."""
        return self._of_all(self._core.dissipated)

    @property
    def stopped(self) -> Any:
        """The part of :attr:`dissipated` due to joint limits, J."""
        return self._of_all(self._core.stopped)

    @property
    def work(self) -> Any:
        """Work of forces on joints and links and of the controller since the start, J: a number, or ``[batch]``."""
        return self._of_all(self._core.work)

    def _of_all(self, energies: list[float]) -> Any:
        return np.array(energies) if self._batch else energies[0]

    @property
    def at_limit(self) -> NDArray[np.int8]:
        """Active joint limits, upper (1), lower (-1) or none (0): ``[nv]``, or ``[batch, nv]``."""
        sides = np.zeros((self.batch or 1, self._model.nv), np.int8)
        for joint in self._model.joints:
            if joint.nv == 1:
                for b in range(len(sides)):
                    sides[b, joint.v_index] = self._core.at_limit(joint.index, b)
        return sides if self._batch else sides[0]

    @property
    def contacts(self) -> ContactSet | None:
        """Pairs of shapes that can touch; None without contacts."""
        return None if self._contacts is None else self._contacts.contacts

    @property
    def contact_forces(self) -> Array:
        """Contact forces in the last step, ``[n_slots, 6]`` or ``[batch, n_slots, 6]``: of shape 1 on shape 2 along the
        normal and the two tangents, N, then moments about them, N m.
        """
        slots = self._set_of("contact_forces").n_slots
        forces: Array = self._core.contact_forces().reshape((*self._batch, slots, 6))
        return forces

    @property
    def found_contacts(self) -> FoundContacts:
        """Contacts of pairs that the contact set finds, and their forces, in the last step. Copies and pickles do
        not have them until their next step."""
        self._set_of("found_contacts")
        return FoundContacts(*self._core.found_contacts())

    @property
    def contact_state(self) -> tuple[Array, Array]:
        """Configuration and velocity at which :attr:`contact_forces` act: ``[nq]`` and ``[nv]``, or ``[batch, ...]``.

        These are of the last stage of the last step of ``rk4``, as results of a step in MuJoCo are.

        Raises:
            Error: the integrator is another one
        """
        self._set_of("contact_state")
        q, v = self._core.contact_state()
        return q.reshape((*self._batch, self._model.nq)), v.reshape((*self._batch, self._model.nv))

    def contact_force(self, link: str | int) -> Array:
        """Sum of the contact forces on a link in the last step along the axes of the world, N: ``[3]`` or ``[batch,
        3]``."""
        self._set_of("contact_force")
        forces: Array = np.array(self._core.contact_force(self._link(link)))
        return forces if self._batch else forces[0]

    def touches(self, link: str | int) -> Any:
        """Whether a contact force acted on a link in the last step: True or False, or an array ``[batch]``."""
        self._set_of("touches")
        found = self._core.touches(self._link(link))
        return np.array(found) if self._batch else found[0]

    def contact_tally(self, instance: int = 0) -> ContactTally:
        """Statistics of contact dynamics for a robot."""
        last = (self.batch or 1) - 1
        return ContactTally(*self._core.contact_tally(whole_number("Simulation.contact_tally: instance", instance, 0,
                                                                   last)))

    def _set_of(self, name: str) -> ContactSet:
        if self._contacts is None:
            raise Error(f"Simulation.{name}: there are no contacts; make the simulation with "
                        "contacts=tandem.ContactSet(model)")
        return self._contacts.contacts

    def _link(self, link: str | int) -> int:
        return self._model.link_index(link) if isinstance(link, str) else whole_number("Simulation: link", link, 0)

    @property
    def diverged(self) -> Any:
        """Whether the simulation has diverged: True or False, or an array ``[batch]``."""
        found = [self._core.divergence(b) is not None for b in range(self.batch or 1)]
        return np.array(found) if self._batch else found[0]

    def divergence(self, instance: int = 0) -> Divergence | None:
        """Divergence of a robot, or None."""
        found = self._core.divergence(whole_number("Simulation.divergence: instance", instance, 0,
                                                   (self.batch or 1) - 1))
        return None if found is None else Divergence(*found)

    def iterated(self, instance: int = 0) -> Iterated:
        """Statistics of ``method="conjugate_gradient"`` and ``first_guess`` for a robot."""
        return Iterated(*self._core.iterated(whole_number("Simulation.iterated: instance", instance, 0,
                                                          (self.batch or 1) - 1)))

    def reset(
        self,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        *,
        instances: Iterable[int] | None = None,
    ) -> None:
        """Reset to the state before the first step, or to ``q`` and ``v`` (default: zeros).

        Time and energies are set to zero, and a diverged robot continues. With ``instances``, only these robots of a
        batch are reset, and the time does not change; ``q`` and ``v`` then have a row for each, or one for all.
        """
        last, which = (self.batch or 1) - 1, [-1]
        if instances is not None:
            which = [whole_number("Simulation.reset: an instance", b, 0, last) for b in instances]
        if q is None:
            if v is not None:
                raise Error("Simulation.reset: v requires q; give both, or set v afterwards")
            for b in which:
                self._core.reset(b)
            return
        rows = self._batch if instances is None else (len(which),)
        q_new = self._numbers("reset: q", q, (self._model.nq,), rows)
        v_new = self._numbers("reset: v", np.zeros(self._model.nv) if v is None else v, (self._model.nv,), rows)
        for k, b in enumerate(which):
            # a row of each, or of all at once
            q_b, v_b = (x[k] if instances is not None and x.ndim > 1 else x for x in (q_new, v_new))
            self._core.reset_to(q_b, v_b, b)

    def step(self, tau: ArrayLike | None = None, f_ext: ArrayLike | None = None) -> None:
        """One step of ``dt`` with joint torques ``tau [nv]`` N m|N, default zero.

        They add to those of the controller, springs, damping and friction; ``f_ext [n_links, 6]`` are wrenches on
        the links as in :func:`tandem.forward_dynamics`. Both may have a row for each robot of a batch.

        Raises:
            Error: if a force is not finite, or a single robot diverges: see :class:`Divergence`
        """
        self._core.step(self._forces("tau", tau), self._forces("f_ext", f_ext))
        self._check("step", self._core.steps - 1)

    def run(self, duration: float, *, tau: Forces = None, f_ext: Forces = None, every: int = 1) -> Trajectory:
        """Step for ``duration`` seconds, rounded to whole steps. Returns the initial state and every ``every``-th
        state.

        Args:
            duration: s
            tau: joint torques ``[nv]`` N m|N, constant, or a function of the simulation that returns them
            f_ext: wrenches ``[n_links, 6]`` N, N m on the links, constant or a function
            every: interval of the returned states in steps

        Raises:
            Error: if a force is not finite, or a single robot diverges: see :class:`Divergence`
        """
        if not (np.isfinite(duration) and duration >= 0):
            raise Error(f"Simulation.run: duration is {duration} s, expected a finite non-negative number")
        every = whole_number("Simulation.run: every", every, 1)
        steps, before, start = round(duration / self._dt), self._core.steps, self.time
        samples = steps // every + 1
        rows = (samples,) + self._batch
        q = new_array("Simulation.run", rows + (self._model.nq,), self._dtype)
        v = new_array("Simulation.run", rows + (self._model.nv,), self._dtype)
        dissipated, work = (new_array("Simulation.run", rows) for _ in range(2))
        states = Trajectory(start + self._dt * every * np.arange(samples), q, v, dissipated, work)
        if callable(tau) or callable(f_ext):
            self._run_with(tau, f_ext, steps, every, states)
        else:
            n = self.batch or 1
            flat = [x.reshape(samples, n * x.shape[-1]) for x in (q, v)]
            energies = [x.reshape(samples, n) for x in (dissipated, work)]
            forces = self._forces("tau", tau), self._forces("f_ext", f_ext)
            self._core.run(steps, every, *flat, *energies, *forces, not self._batch)
        self._check("run", before)
        return states

    def _check(self, call: str, before: int) -> None:
        """Raises the Error of a single robot that has diverged."""
        if self._batch:
            return
        d = self.divergence()
        if d is None:
            return
        what = f"Simulation.{call}: {d.what} after {max(d.step - before, 1)} steps, at {d.time:.6g} s"
        if d.kind == "not_finite":
            why = diagnose.cause(self._model, self.q.astype(np.float64), self._parameters)
            if why:
                raise Error(f"{what}; the mass matrix is singular: {why}")
        raise Error(f"{what}; {d.advice}")

    def _run_with(self, tau: Forces, f_ext: Forces, steps: int, every: int, states: Trajectory) -> None:
        def record(row: int) -> None:
            assert states.dissipated is not None and states.work is not None
            states.q[row], states.v[row] = self.q, self.v
            states.dissipated[row], states.work[row] = self.dissipated, self.work

        record(0)
        for k in range(1, steps + 1):
            forces = tau(self) if callable(tau) else tau
            wrenches = f_ext(self) if callable(f_ext) else f_ext
            self._core.step(self._forces("tau", forces), self._forces("f_ext", wrenches))
            if not self._batch and self._core.divergence(0) is not None:
                return
            if k % every == 0:
                record(k // every)

    def _forces(self, name: str, given: ArrayLike | None) -> Array | None:
        if given is None:
            return None
        shape = (self._model.nv,) if name == "tau" else (self._model.n_links, 6)
        return self._numbers(name, given, shape, self._batch)

    def _numbers(self, name: str, given: ArrayLike, shape: tuple[int, ...], batch: tuple[int, ...]) -> Array:
        numbers = np.ascontiguousarray(real_numbers(f"Simulation: {name}", given, self._dtype))
        if numbers.shape not in (shape, batch + shape):
            expected = f"{shape} or {batch + shape}" if batch else f"{shape}"
            raise Error(f"Simulation: {name} has shape {numbers.shape}, expected {expected}")
        finite_numbers(f"Simulation: {name}", numbers)
        return numbers
