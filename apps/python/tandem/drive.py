# SPDX-License-Identifier: Apache-2.0
"""Actuators and controllers of simulated robots."""

from __future__ import annotations

import math

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tandem import _core
from tandem._common.arguments import real_numbers
from tandem._core import Model
from tandem.errors import Error
from tandem.functions import Array


class PdController(NamedTuple):
    """tau = kp (q_target - q) - kd v, the difference on the manifold, clipped to the effort limits."""

    q_target: ArrayLike  #: ``[nq]`` rad|m, or ``[batch, nq]``
    kp: ArrayLike  #: ``[nv]``, or one number for all, N m/rad|N/m, or ``[batch, nv]``
    kd: ArrayLike  #: ``[nv]``, or one number for all, N m s/rad|N s/m, or ``[batch, nv]``


class ComputedTorque(NamedTuple):
    """Computed-torque control: inverse dynamics of a_target + kp (q_target - q) + kd (v_target - v).

    It uses the model, without ``parameters`` of robots.
    """

    q_target: ArrayLike  #: ``[nq]``, ``[steps, nq]`` or ``[batch, steps, nq]`` rad|m
    kp: ArrayLike  #: ``[nv]``, ``[batch, nv]`` or one number for all, 1/s^2
    kd: ArrayLike  #: ``[nv]``, ``[batch, nv]`` or one number for all, 1/s
    v_target: ArrayLike | None = None  #: ``[nv]``, ``[steps, nv]`` or ``[batch, steps, nv]`` rad/s|m/s; None: zeros
    a_target: ArrayLike | None = None  #: ``[nv]``, ``[steps, nv]`` or ``[batch, steps, nv]`` rad/s^2|m/s^2; None: zeros


class Drive(NamedTuple):
    """Joint torques and controller that are equivalent to actuators with constant controls."""

    tau: Array  #: ``[..., nv]`` N m|N, torques of every step
    controller: PdController  #: controller of the servos, ``[..., nq]`` and ``[..., nv]``


def actuator_forces(
    model: Model, q: ArrayLike, v: ArrayLike, ctrl: ArrayLike, act: ArrayLike | None = None
) -> Array:
    """Joint torques ``[..., nv]`` N m|N of the robot's actuators, :attr:`Model.actuators`.

    They are the sum of gear f over the actuators, see :class:`tandem.Actuator`, clipped to the effort limits. For a
    robot read from MJCF this is MuJoCo's ``qfrc_actuator`` of the supported actuators; ``Model.warnings`` names the
    others.

    Args:
        model: the robot
        q: ``[..., nq]`` configuration, rad|m
        v: ``[..., nv]`` velocity, rad/s|m/s
        ctrl: ``[..., nu]`` controls, in the order of the actuators, which is that of the file; clipped to their ranges
        act: ``[..., na]`` activations of actuators with dynamics, see :func:`advance_activations`; None: there are none

    Raises:
        Error: for a wrong shape or a control that is not finite, and without ``act`` for actuators with dynamics

    >>> robot = tandem.ModelBuilder("pendulum").link("base").link("bob", mass=1, com=(0, 0, -1))
    >>> robot = robot.joint("hinge", "revolute", "base", "bob", axis=(0, 1, 0))
    >>> servo = robot.actuator("servo", "hinge", gain=(50, 0, 0), bias=(0, -50, -5), force_range=(-20, 20)).build()
    >>> tandem.actuator_forces(servo, [0.1], [0.0], [[0.3], [9.0]]).tolist()
    [[10.0], [20.0]]
    """
    given = np.empty(0) if act is None else act
    sizes = {"q": (q, model.nq), "v": (v, model.nv), "ctrl": (ctrl, model.nu)}
    if act is None and model.na > 0:
        first = next(actuator.name for actuator in model.actuators if actuator.dynamics != "none")
        raise Error(f'actuator_forces: actuator "{first}" has an activation; give act, {model.na} numbers')
    arrays = _rows("actuator_forces", {**sizes, "act": (given, model.na)})
    front = arrays[0].shape[:-1]
    tau = np.empty((*front, model.nv))
    _core.actuator_forces(model, *(_flat(x) for x in arrays), _flat(tau))
    return tau


def advance_activations(model: Model, ctrl: ArrayLike, act: ArrayLike, dt: float) -> Array:
    """Activations ``[..., na]`` of the robot's actuators after a step, as with MuJoCo's Euler integrator.

    An actuator with dynamics has an activation, which acts in place of its control. Its rate is the control
    (``integrator``), or (ctrl - act) / time_constant (``filter`` by an Euler step, ``filter_exact`` exactly). The
    activation is clipped to its range. The forces of a step are those of the activations before it.

    Args:
        model: the robot
        ctrl: ``[..., nu]`` controls; clipped to their ranges
        act: ``[..., na]`` activations before the step, in the order of the actuators that have dynamics
        dt: time step, s

    Raises:
        Error: for a wrong shape, a control that is not finite, or a dt that is not positive

    >>> robot = tandem.ModelBuilder("pendulum").link("base").link("bob", mass=1, com=(0, 0, -1))
    >>> robot = robot.joint("hinge", "revolute", "base", "bob", axis=(0, 1, 0))
    >>> lag = robot.actuator("lag", "hinge", dynamics="filter_exact", time_constant=0.1).build()
    >>> act = tandem.advance_activations(lag, [2.0], [0.0], 0.1)
    >>> act.round(4).tolist(), tandem.actuator_forces(lag, [0.0], [0.0], [2.0], act).round(4).tolist()
    ([1.2642], [1.2642])
    """
    rows = _rows("advance_activations", {"ctrl": (ctrl, model.nu), "act": (act, model.na)})
    after = np.array(rows[1], order="C")
    _core.advance_activations(model, _flat(rows[0]), float(dt), after.reshape(math.prod(after.shape[:-1]), model.na))
    return after


def actuator_drive(model: Model, ctrl: ArrayLike) -> Drive:
    """Constant controls of the robot's actuators as joint torques and a controller.

    tau + kp (q_target - q) - kd v equals :func:`actuator_forces` while the force of every actuator is within its range.
    Beyond it, the sum for a joint is clipped to its effort limit; for a joint with one actuator and a range of -f to f
    this is the same. Integrators treat the gains of a controller implicitly, so that stiff servos are stable.

    Args:
        model: the robot
        ctrl: ``[..., nu]`` controls, such as ``model.controls("home")``

    Raises:
        Error: for a wrong shape, a control that is not finite, or a force that increases with position or velocity

    >>> robot = tandem.ModelBuilder("pendulum").link("base").link("bob", mass=1, com=(0, 0, -1))
    >>> robot = robot.joint("hinge", "revolute", "base", "bob", axis=(0, 1, 0))
    >>> servo = robot.actuator("servo", "hinge", gain=(50, 0, 0), bias=(0, -50, -5)).build()
    >>> drive = tandem.actuator_drive(servo, [0.3])
    >>> simulation = tandem.Simulation(servo, controller=drive.controller)
    >>> motion = simulation.run(2.0, tau=drive.tau)
    >>> round(float(simulation.q[0]), 2)  # the weight pulls it back a little
    0.25
    """
    (rows,) = _rows("actuator_drive", {"ctrl": (ctrl, model.nu)})
    tau, *controller = (np.empty((*rows.shape[:-1], size)) for size in (model.nv, *_sizes(model)))
    _core.actuator_drive(model, _flat(rows), _flat(tau), [_flat(x) for x in controller])
    return Drive(tau, PdController(*controller))


def _rows(function: str, given: dict[str, tuple[ArrayLike, int]]) -> list[Array]:
    """Arrays of one leading shape."""
    arrays = {name: real_numbers(f"{function}: {name}", x) for name, (x, _) in given.items()}
    for name, (_, size) in given.items():
        shape = arrays[name].shape
        if shape[-1:] != (size,):
            raise Error(f"{function}: {name} has shape {shape}, expected ({size},) or (..., {size})")
    fronts = {name: x.shape[:-1] for name, x in arrays.items()}
    try:
        front = np.broadcast_shapes(*fronts.values())
    except ValueError:
        shapes = ", ".join(f"{shape} of {name}" for name, shape in fronts.items())
        raise Error(f"{function}: leading shapes do not broadcast: {shapes}") from None
    return [np.broadcast_to(x, (*front, x.shape[-1])) for x in arrays.values()]


def _flat(x: Array) -> Array:
    return np.ascontiguousarray(x).reshape(math.prod(x.shape[:-1]), x.shape[-1])


def _sizes(model: Model) -> tuple[int, int, int]:
    """Those of the inputs of a controller."""
    return model.nq, model.nv, model.nv


def controller_numbers(model: Model, batch: tuple[int, ...], given: PdController | None) -> list[list[float]]:
    """Target and gains, of one robot or of every one of a batch, row after row; empty without a controller."""
    if given is None:
        return [[], [], []]
    flat = []
    for name, size, numbers in zip(given._fields, _sizes(model), given):
        array = np.asarray(numbers, np.float64)
        if array.ndim == 0 and flat:  # a gain
            array = np.full(size, array)
        if array.shape not in ((size,), (*batch, size)):
            expected = f"({size},) or {(*batch, size)}" if batch else f"({size},)"
            raise Error(f"Simulation: {name} of the controller has shape {array.shape}, expected {expected}")
        flat.append(array.ravel().tolist())
    return flat
