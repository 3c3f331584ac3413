# SPDX-License-Identifier: Apache-2.0
"""A set of sensors of a model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tandem._common.arguments import whole_number
from tandem._common.batch_options import Parameters
from tandem._core import ContactSet, Model
from tandem.contact import ContactDynamics
from tandem.errors import Error
from tandem.functions import Array
from tandem.sensors._now import Forces, contact_dynamics_of, forces_now
from tandem.sensors._robot import Robot
from tandem.sensors._sensor import Reading, Sensor
from tandem.sensors._state import Inputs, State
from tandem.simulation import Simulation
from tandem.vector_simulation import VectorSimulation

#: what a missing input is called in an error
_INPUTS = {
    "v": "the velocity v",
    "a": "the acceleration a",
    "f_contact": "contact forces f_contact, and contacts, their ContactSet",
    "f_limit": "limit forces f_limit, of tandem.contact_dynamics",
    "ctrl": "the controls ctrl",
    "time": "the time",
}


class Sensors:
    """Sensors of a robot, read together into one array.

    Args:
        model: the robot
        sensors: what they are, such as ``[Gyro("imu"), Touch("foot")]``; their values are in this order

    Raises:
        Error: for a frame, joint, tendon or actuator that there is not, and for two sensors of one name

    >>> from tandem.sensors import FrameHeight, Gyro, ProjectedGravity, Sensors
    >>> robot = tandem.load("quadruped")
    >>> sensors = Sensors(robot, [Gyro("trunk"), ProjectedGravity("trunk"), FrameHeight("FL_foot", name="foot")])
    >>> sensors.names, sensors.size
    (['trunk_gyro', 'trunk_projected_gravity', 'foot'], 7)
    >>> robots = tandem.VectorSimulation(robot, 100)
    >>> values = sensors.read(robots)
    >>> values.shape, values[0, sensors.slices["foot"]].round(3).tolist()
    ((100, 7), [-0.404])
    """

    def __init__(self, model: Model, sensors: Iterable[Sensor]) -> None:
        self._model, self._sensors = model, list(sensors)
        self._robot, self._problems = Robot(model), list[str]()
        self._readings: list[Reading] = []
        self._cutoffs: list[float] = []
        self._slices: dict[str, slice] = {}
        begin = 0
        for sensor in self._sensors:
            if not isinstance(sensor, Sensor):
                raise Error(f"Sensors: sensors has a {type(sensor).__name__}, expected sensors such as Gyro(frame)")
            found = sensor._bind(self._robot)
            if sensor.label in self._slices:
                raise Error(f'Sensors: two sensors are called "{sensor.label}"; give one of them a name=')
            self._readings.append(found)
            self._cutoffs.append(sensor._checked_cutoff())
            self._slices[sensor.label] = slice(begin, begin + found.size)
            begin += found.size
        self._size = begin
        self._needs: frozenset[str] = frozenset().union(*(found.needs for found in self._readings))
        self._dynamics: tuple[Any, ContactDynamics | None] = (None, None)

    @staticmethod
    def from_mjcf(source: Any, model: Model, *, leave_out: bool = False) -> Sensors:
        """The sensors of a description of MuJoCo, in their order, with their names and cutoffs.

        ``values(q, v, a, ...)`` is then ``mjData.sensordata`` after ``mj_forward``, including the order w x y z of
        quaternions. Unnamed sensors are named by kind and number, such as ``"sensor3"``. The attribute ``noise`` is not
        applied, as in MuJoCo. Sensors of the types ``camprojection``, ``rangefinder``, ``jointlimitpos``,
        ``jointlimitvel``, ``tendonlimit...``, ``tendonactuatorfrc``, ``distance``, ``normal``, ``fromto``, ``contact``,
        ``tactile``, ``insidesite``, ``e_potential``, ``e_kinetic``, ``user`` and ``plugin``, and those with a delay or
        an interval, are not supported.

        Args:
            source: a file, MJCF text, a ``mujoco.MjModel`` or a ``mujoco.MjSpec``
            model: the robot, from the same source: ``tandem.load(file)``, ``tandem.read_mjcf(text).build()`` or
                ``tandem.from_mujoco(source)``. Bodies, joints and tendons are found by their names, so that it may have
                been edited
            leave_out: whether sensors that are not supported are left out, and listed in :attr:`problems`; otherwise
                they are an Error

        Raises:
            Error: lists the sensors that are not supported
            ModelError: if MuJoCo does not compile the source
        """
        from tandem.sensors._mujoco import sensors_of

        found, problems = sensors_of(source, model)
        if problems and not leave_out:
            more = "; leave_out=True leaves them out"
            raise Error("Sensors.from_mjcf: not supported: " + "; ".join(problems) + more)
        sensors = Sensors(model, found)
        sensors._problems = problems
        return sensors

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copies."""
        return _remade, (self._model, self._sensors, self._problems)

    def __repr__(self) -> str:
        return f'<tandem.sensors.Sensors of "{self._model.name}": {len(self._sensors)} sensors, {self._size} numbers>'

    def __len__(self) -> int:
        return len(self._sensors)

    @property
    def model(self) -> Model:
        """The robot."""
        return self._model

    @property
    def sensors(self) -> list[Sensor]:
        """What was given, a new list."""
        return list(self._sensors)

    @property
    def names(self) -> list[str]:
        """Names of the sensors."""
        return list(self._slices)

    @property
    def slices(self) -> dict[str, slice]:
        """Where the values of each sensor are in the last axis of a result, by its name."""
        return dict(self._slices)

    @property
    def size(self) -> int:
        """Length of the last axis of a result."""
        return self._size

    @property
    def problems(self) -> list[str]:
        """Sensors that :meth:`from_mjcf` left out, a sentence for each reason; empty if there are none."""
        return list(self._problems)

    def split(self, values: Array) -> dict[str, Array]:
        """Views of the values of each sensor, ``[..., size of the sensor]``, by its name.

        Args:
            values: ``[..., size]``, a result of :meth:`read` or :meth:`values`
        """
        if np.ndim(values) == 0 or values.shape[-1] != self._size:
            raise Error(f"Sensors.split: values has shape {np.shape(values)}, expected (..., {self._size})")
        return {name: values[..., part] for name, part in self._slices.items()}

    def read(
        self,
        simulation: Simulation | VectorSimulation,
        tau: ArrayLike | None = None,
        *,
        a: ArrayLike | None = None,
        f_ext: ArrayLike | None = None,
        ctrl: ArrayLike | None = None,
        act: ArrayLike | None = None,
        forces: Literal["now", "last"] = "now",
    ) -> Array:
        """Read all sensors in the present state of a simulation.

        Accelerations and contact forces are those of the present state under ``tau``, :attr:`Simulation.ctrl` if it is
        used, the controller, springs and damping, as after ``mj_forward``. They are computed only if a sensor needs
        them, by :func:`tandem.contact_dynamics` with the options of the simulation, or without contacts by
        :func:`tandem.forward_dynamics`, which has no limit forces. In MuJoCo, ``sensordata`` after ``mj_step`` is of
        the state before the step.

        Args:
            simulation: a simulation of the same model
            tau: joint torques, ``[nv]`` or ``[batch, nv]`` N m|N; None: ``VectorSimulation.tau``, or zeros
            a: acceleration ``[nv]`` or ``[batch, nv]``, rad/s^2|m/s^2, with ``forces="last"``
            f_ext: external wrenches ``[n_links, 6]`` or ``[batch, n_links, 6]``, N, N m; None:
                ``VectorSimulation.f_ext``, or none
            ctrl: controls ``[nu]`` or ``[batch, nu]`` for sensors of actuator forces, if ``tau`` contains these forces;
                None: :attr:`Simulation.ctrl`, if it is used
            act: activations ``[na]`` or ``[batch, na]``, likewise
            forces: ``"now"``; or ``"last"``: contact forces are those of the last step, at the points where the
                contacts are now, and no dynamics is computed; sensors of accelerations then need ``a``, for example
                the change of v over the last step, divided by its duration

        Returns:
            ``[size]``, or ``[batch, size]``, in the precision of the simulation

        Raises:
            Error: if the simulation is of another model or lacks contacts that a sensor needs, or an input of a sensor
                is missing
        """
        if isinstance(simulation, VectorSimulation):
            with simulation._lock:
                own: dict[str, Any] = {"tau": simulation.tau, "f_ext": simulation._f_ext, "time": simulation.time}
                return self._read(simulation._simulation, own, simulation._expanded, tau, a, f_ext, ctrl, act, forces)
        if not isinstance(simulation, Simulation):
            raise Error(f"Sensors.read: simulation is a {type(simulation).__name__}, expected a tandem.Simulation or "
                        "tandem.VectorSimulation; values(q, v, a) takes arrays")
        own = {"tau": None, "f_ext": None, "time": simulation.time}
        return self._read(simulation, own, {}, tau, a, f_ext, ctrl, act, forces)

    def _read(
        self,
        simulation: Simulation,
        own: dict[str, Any],
        expanded: Mapping[str, Array],
        tau: ArrayLike | None,
        a: ArrayLike | None,
        f_ext: ArrayLike | None,
        ctrl: ArrayLike | None,
        act: ArrayLike | None,
        forces: str,
    ) -> Array:
        model, batch = simulation.model, simulation._batch
        if model is not self._model and _identity(model) != _identity(self._model):
            raise Error(f'Sensors.read: the simulation is of "{model.name}", expected the model of the sensors, '
                        f'"{self._model.name}"')
        if forces not in ("now", "last"):
            raise Error(f'Sensors.read: forces is "{forces}", expected "now" or "last"')
        if "f_contact" in self._needs and simulation._contacts is None:
            raise Error(f"Sensors.read: {self._first('f_contact')} needs contacts; make the simulation with "
                        "contacts=tandem.ContactSet(model)")
        if "f_limit" in self._needs and (simulation._contacts is None or forces == "last"):
            raise Error(f'Sensors.read: {self._first("f_limit")} needs a simulation with contacts, and forces="now"')
        if forces == "now" and a is not None:
            raise Error('Sensors.read: a is given, which requires forces="last"; with "now" it is computed')
        if forces == "last" and a is None and "a" in self._needs:
            raise Error(f'Sensors.read: {self._first("a")} needs a, the acceleration, with forces="last"')
        n, threads = simulation.batch or 1, simulation._threads
        q, v = (np.array(x, float).reshape(n, -1) for x in (simulation.q, simulation.v))
        f_ext = own["f_ext"] if f_ext is None else f_ext
        wrenches = None if f_ext is None else _rows("Sensors.read: f_ext", f_ext, batch, (model.n_links, 6))
        parameters = {name: np.asarray(x, float) for name, x in {**simulation._parameters, **expanded}.items()}
        found = Forces()
        if forces == "last":
            last = None if simulation._contacts is None else simulation.contact_forces.astype(float).reshape(n, -1, 6)
            found = Forces(None if a is None else _rows("Sensors.read: a", a, batch, (model.nv,)), last)
        elif self._needs & {"a", "f_contact", "f_limit"}:
            given = own["tau"] if tau is None else tau
            torque = _rows("Sensors.read: tau", np.zeros(model.nv) if given is None else given, batch, (model.nv,))
            found = forces_now(simulation, self._dynamics_of(simulation), q, v, torque, wrenches, parameters, threads)
        time = np.broadcast_to(np.asarray(own["time"], float), (n,))
        if simulation._driven:
            if ctrl is not None or act is not None:
                raise Error("Sensors.read: ctrl and act are given, but Simulation.ctrl is in use, which has them")
            ctrl, act = simulation.ctrl, simulation.act
        inputs: dict[str, Any] = {"ctrl": (ctrl, (model.nu,)), "act": (act, (model.na,))}
        rows = {name: _rows(f"Sensors.read: {name}", x, batch, shape) for name, (x, shape) in inputs.items()
                if x is not None}
        known = Inputs(
            q, v, found.a, simulation.contacts, found.f_contact, wrenches, found.f_loop, found.f_limit, time=time,
            **rows
        )
        values = self._evaluated("Sensors.read", known, parameters, threads, simulation._dtype)
        return values.reshape(*batch, self._size)

    def _dynamics_of(self, simulation: Simulation) -> ContactDynamics | None:
        key = (simulation._contacts, simulation.dt, simulation._how["limits"])
        if self._dynamics[0] != key:
            self._dynamics = key, contact_dynamics_of(simulation)
        return self._dynamics[1]

    def values(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        contacts: ContactSet | None = None,
        f_contact: ArrayLike | None = None,
        f_ext: ArrayLike | None = None,
        f_loop: ArrayLike | None = None,
        f_limit: ArrayLike | None = None,
        ctrl: ArrayLike | None = None,
        act: ArrayLike | None = None,
        time: ArrayLike | None = None,
        parameters: Parameters | None = None,
        threads: int = 0,
    ) -> Array:
        """Read all sensors at states whose leading axes broadcast.

        Only inputs that a sensor needs are required; wrenches that are not given are zero. NaN stays in its state.

        Args:
            q: ``[..., nq]`` configuration, rad|m
            v: ``[..., nv]`` velocity, rad/s|m/s
            a: ``[..., nv]`` acceleration, rad/s^2|m/s^2, for example of :func:`tandem.contact_dynamics`
            contacts: contact set of ``f_contact``
            f_contact: ``[..., n_slots, 6]`` contact forces, N, N m
            f_ext: ``[..., n_links, 6]`` external wrenches on the links, N, N m
            f_loop: ``[..., n_loops, 6]`` wrenches of loop joints, N, N m; see :func:`tandem.closed_loop_dynamics`
            f_limit: ``[..., nv]`` limit forces, N m|N, of :func:`tandem.contact_dynamics`
            ctrl: ``[..., nu]`` controls
            act: ``[..., na]`` activations
            time: ``[...]`` s
            parameters: parameters of the robots that differ from the model, as in :mod:`tandem.functions`
            threads: number of threads; 0: all cores

        Returns:
            ``[..., size]``, float32 if q is, else float64

        Raises:
            Error: if an input of a sensor is missing, or has a wrong shape
        """
        model = self._model
        if (f_contact is None) != (contacts is None):
            raise Error("Sensors.values: f_contact and contacts, its ContactSet, are given together")
        slots = contacts.n_slots if contacts is not None else 0
        if contacts is not None and contacts.finds_pairs and "f_contact" in self._needs:
            raise Error("Sensors.values: contacts finds pairs of two moving links in every state, which have no slots; "
                        'use ContactSet(model, self_pairs="listed") or self_contact=False')
        sizes: dict[str, tuple[ArrayLike | None, tuple[int, ...]]] = {
            "q": (q, (model.nq,)),
            "v": (v, (model.nv,)),
            "a": (a, (model.nv,)),
            "f_contact": (f_contact, (slots, 6)),
            "f_ext": (f_ext, (model.n_links, 6)),
            "f_loop": (f_loop, (model.n_loops, 6)),
            "f_limit": (f_limit, (model.nv,)),
            "ctrl": (ctrl, (model.nu,)),
            "act": (act, (model.na,)),
            "time": (time, ()),
        }
        dtype = np.float32 if getattr(q, "dtype", None) == np.float32 else np.float64
        arrays = {name: _shaped(f"Sensors.values: {name}", x, shape) for name, (x, shape) in sizes.items()
                  if x is not None}
        fronts = {name: x.shape[: x.ndim - len(sizes[name][1])] for name, x in arrays.items()}
        try:
            front = np.broadcast_shapes(*fronts.values())
        except ValueError:
            named = ", ".join(f"{name} {shape}" for name, shape in fronts.items())
            raise Error(f"Sensors.values: leading axes do not broadcast: {named}") from None
        rows = {name: np.broadcast_to(x, front + sizes[name][1]).reshape(math.prod(front), *sizes[name][1])
                for name, x in arrays.items()}
        varied: dict[str, Array] = {}
        for name, given in (parameters or {}).items():
            shape = model.parameter(name).shape
            x = _shaped(f"Sensors.values: parameter {name}", given, shape)
            varied[name] = x if x.shape == shape else np.broadcast_to(x, front + shape).reshape(-1, *shape)
        threads = whole_number("Sensors.values: threads", threads, 0)
        known = Inputs(contacts=contacts, **rows)
        return self._evaluated("Sensors.values", known, varied, threads, dtype).reshape(*front, self._size)

    def _first(self, need: str) -> str:
        """The first sensor that needs an input."""
        k = next(k for k, found in enumerate(self._readings) if need in found.needs)
        return f'{type(self._sensors[k]).__name__} "{self._sensors[k].label}"'

    def _evaluated(self, call: str, known: Inputs, parameters: dict[str, Array], threads: int, dtype: Any) -> Array:
        for need in sorted(self._needs - {"wrenches"}):
            if getattr(known, need) is None:
                raise Error(f"{call}: {self._first(need)} needs {_INPUTS[need]}")
        if "wrenches" in self._needs and self._model.n_loops and known.f_loop is None:
            raise Error(f"{call}: {self._first('wrenches')} needs f_loop: this robot has loop joints")
        state = State(self._robot, known, parameters, threads)
        values = np.empty((state.n, self._size), dtype)
        for found, cutoff, where in zip(self._readings, self._cutoffs, self._slices.values()):
            numbers = found.read(state)
            values[:, where] = np.clip(numbers, -cutoff, cutoff) if cutoff > 0 else numbers
        return values


def _identity(model: Model) -> tuple[Any, ...]:
    return model.name, model.nq, model.nv, tuple(model.frame_names), tuple(model.gravity)


def _shaped(what: str, given: ArrayLike, shape: tuple[int, ...]) -> Array:
    array = np.asarray(given, float)
    if array.ndim < len(shape) or array.shape[array.ndim - len(shape) :] != shape:
        expected = ", ".join(["..."] + [str(size) for size in shape])
        raise Error(f"{what} has shape {array.shape}, expected ({expected})")
    return array


def _rows(what: str, given: ArrayLike, batch: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    """``[n, ...]`` of one robot or of each of a batch."""
    array = np.asarray(given, float)
    if array.shape not in (shape, batch + shape):
        expected = f"{shape} or {batch + shape}" if batch else f"{shape}"
        raise Error(f"{what} has shape {array.shape}, expected {expected}")
    return np.broadcast_to(array, batch + shape).reshape(-1 if batch else 1, *shape)


def _remade(model: Model, sensors: list[Sensor], problems: list[str]) -> Sensors:
    found = Sensors(model, sensors)
    found._problems = problems
    return found


__all__ = ["Sensors"]
