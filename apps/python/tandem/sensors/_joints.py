# SPDX-License-Identifier: Apache-2.0
"""Sensors of joints, tendons, actuators and time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tandem._core import Actuator, Joint
from tandem.drive import actuator_forces
from tandem.errors import Error
from tandem.functions import Array
from tandem.sensors._frames import QuaternionOrder, order_rows
from tandem.sensors._robot import Robot, nearest, position_of, velocity_of
from tandem.sensors._sensor import Reading, Sensor, reading
from tandem.sensors._state import State


@dataclass(frozen=True)
class _OfJoint(Sensor):
    joint: str  #: its name

    def _on(self) -> str:
        return self.joint

    def _single(self, robot: Robot) -> Joint:
        joint = robot.joint(self._what, self.joint)
        if joint.nv > 1:
            raise Error(f'{self._what}: joint "{joint.name}" has {joint.nv} degrees of freedom, expected one')
        return joint


@dataclass(frozen=True)
class JointPosition(_OfJoint):
    """Rows of a joint in q: ``[1]`` rad|m, or as many as the joint has. MuJoCo's ``jointpos``, ``ballquat``.

    Mimic joints have the position with which they follow.
    """

    _kind = "position"

    order: QuaternionOrder = "xyzw"  #: of the quaternion of a spherical or free joint

    def _bind(self, robot: Robot) -> Reading:
        joint = robot.joint(self._what, self.joint)
        rows = order_rows(self._what, self.order)
        if joint.nq <= 1:
            return reading(1, lambda x: position_of(joint, x.given.q)[:, None])
        columns = joint.q_index + np.arange(joint.nq)
        if joint.type in ("spherical", "free"):
            columns[-4:] = columns[-4:][rows]
        return reading(joint.nq, lambda x: x.given.q[:, columns])


@dataclass(frozen=True)
class JointVelocity(_OfJoint):
    """Rows of a joint in v: ``[1]`` rad/s|m/s, or as many as the joint has. MuJoCo's ``jointvel``, ``ballangvel``."""

    _kind = "velocity"

    def _bind(self, robot: Robot) -> Reading:
        joint = robot.joint(self._what, self.joint)
        if joint.nv <= 1:
            return reading(1, lambda x: velocity_of(joint, _v(x))[:, None], "v")
        rows = slice(joint.v_index, joint.v_index + joint.nv)
        return reading(joint.nv, lambda x: _v(x)[:, rows], "v")


@dataclass(frozen=True)
class JointActuatorForce(_OfJoint):
    """Force of all actuators on a joint with one degree of freedom: ``[1]`` N m|N, see
    :func:`tandem.actuator_forces`. MuJoCo's ``jointactuatorfrc``."""

    _kind = "actuator_force"

    def _bind(self, robot: Robot) -> Reading:
        joint = self._single(robot)
        if joint.mimics:
            raise Error(f'{self._what}: joint "{joint.name}" follows "{joint.mimics}", which has the forces of both')

        def read(x: State) -> Array:
            given, row = x.given, joint.v_index
            assert given.ctrl is not None
            return actuator_forces(robot.model, given.q, _v(x), given.ctrl, given.act)[:, row : row + 1]

        return reading(1, read, "v", "ctrl")


@dataclass(frozen=True)
class JointLimitForce(_OfJoint):
    """Size of the limit force of a joint with one degree of freedom: ``[1]`` N m|N, 0 within the limits. MuJoCo's
    ``jointlimitfrc``."""

    _kind = "limit_force"

    def _bind(self, robot: Robot) -> Reading:
        joint = self._single(robot)
        limited = [tendon for tendon in robot.model.tendons
                   if joint.name in tendon.joints and np.isfinite(tendon.limits).any()]
        if limited:
            raise Error(f'{self._what}: tendon "{limited[0].name}" has limits, whose forces on joint "{joint.name}" '
                        "cannot be separated from those of the joint's own limits")

        def read(x: State) -> Array:
            assert x.given.f_limit is not None
            return np.abs(x.given.f_limit[:, joint.v_index, None])

        return reading(1, read, "f_limit")


class _Length(NamedTuple):
    """A length that is linear in positions of joints: of a tendon, or of an actuator."""

    joints: list[tuple[float, Joint]]

    def at(self, x: State) -> Array:
        """``[n]``"""
        return sum((c * position_of(joint, x.given.q) for c, joint in self.joints), np.zeros(x.n))

    def rate(self, x: State) -> Array:
        """``[n]``"""
        return sum((c * velocity_of(joint, _v(x)) for c, joint in self.joints), np.zeros(x.n))


def _tendon(robot: Robot, name: str, scale: float = 1.0) -> _Length:
    tendon = next(tendon for tendon in robot.model.tendons if tendon.name == name)
    return _Length([(scale * c, robot.model.joint(joint)) for joint, c in tendon.joints.items()])


@dataclass(frozen=True)
class _OfTendon(Sensor):
    tendon: str  #: its name

    def _on(self) -> str:
        return self.tendon

    def _length(self, robot: Robot) -> _Length:
        names = [tendon.name for tendon in robot.model.tendons]
        if self.tendon not in names:
            raise Error(f'{self._what}: robot "{robot.model.name}" has no tendon '
                        f'"{self.tendon}"{nearest(self.tendon, names)}')
        return _tendon(robot, self.tendon)


@dataclass(frozen=True)
class TendonPosition(_OfTendon):
    """Length of a fixed tendon: ``[1]`` m. MuJoCo's ``tendonpos``."""

    _kind = "length"

    def _bind(self, robot: Robot) -> Reading:
        length = self._length(robot)
        return reading(1, lambda x: length.at(x)[:, None])


@dataclass(frozen=True)
class TendonVelocity(_OfTendon):
    """Rate of the length of a fixed tendon: ``[1]`` m/s. MuJoCo's ``tendonvel``."""

    _kind = "velocity"

    def _bind(self, robot: Robot) -> Reading:
        length = self._length(robot)
        return reading(1, lambda x: length.rate(x)[:, None], "v")


@dataclass(frozen=True)
class _OfActuator(Sensor):
    actuator: str  #: its name

    def _on(self) -> str:
        return self.actuator

    def _found(self, robot: Robot) -> tuple[int, Actuator, _Length]:
        names = [actuator.name for actuator in robot.model.actuators]
        if self.actuator not in names:
            raise Error(f'{self._what}: robot "{robot.model.name}" has no actuator '
                        f'"{self.actuator}"{nearest(self.actuator, names)}')
        index = names.index(self.actuator)
        actuator = robot.model.actuators[index]
        if actuator.joint is not None:
            return index, actuator, _Length([(actuator.gear, robot.model.joint(actuator.joint))])
        if actuator.tendon is not None:
            return index, actuator, _tendon(robot, actuator.tendon, actuator.gear)
        if actuator.frame is None:
            raise Error(f'{self._what}: actuator "{self.actuator}" is ignored, see Model.warnings')
        return index, actuator, _Length([])


@dataclass(frozen=True)
class ActuatorPosition(_OfActuator):
    """Length of an actuator, gear times the position of its joint or the length of its tendon, 0 on a frame: ``[1]``.
    MuJoCo's ``actuatorpos``."""

    _kind = "position"

    def _bind(self, robot: Robot) -> Reading:
        _, _, length = self._found(robot)
        return reading(1, lambda x: length.at(x)[:, None])


@dataclass(frozen=True)
class ActuatorVelocity(_OfActuator):
    """Rate of the length of an actuator: ``[1]``. MuJoCo's ``actuatorvel``."""

    _kind = "velocity"

    def _bind(self, robot: Robot) -> Reading:
        _, _, length = self._found(robot)
        return reading(1, lambda x: length.rate(x)[:, None], "v")


@dataclass(frozen=True)
class ActuatorForce(_OfActuator):
    """Force f of an actuator, see :class:`tandem.Actuator`: ``[1]`` N m|N. MuJoCo's ``actuatorfrc``."""

    _kind = "force"

    def _bind(self, robot: Robot) -> Reading:
        index, actuator, of = self._found(robot)
        before = [other.dynamics != "none" for other in robot.model.actuators[:index]]

        def read(x: State) -> Array:
            given: Any = x.given
            length, rate = of.at(x), of.rate(x)
            if actuator.dynamics == "none":
                control = np.clip(given.ctrl[:, index], *actuator.ctrl_range)
            else:
                control = given.act[:, sum(before)]
            gain, bias = (k[0] + k[1] * length + k[2] * rate for k in (actuator.gain, actuator.bias))
            return np.clip(gain * control + bias, *actuator.force_range)[:, None]

        return reading(1, read, "v", "ctrl")


@dataclass(frozen=True)
class Clock(Sensor):
    """Time: ``[1]`` s. MuJoCo's ``clock``."""

    _kind = "clock"

    def _on(self) -> str:
        return ""

    def _bind(self, robot: Robot) -> Reading:
        def read(x: State) -> Array:
            assert x.given.time is not None
            return x.given.time[:, None]

        return reading(1, read, "time")


def _v(x: State) -> Array:
    assert x.given.v is not None
    return x.given.v


__all__ = [
    "ActuatorForce",
    "ActuatorPosition",
    "ActuatorVelocity",
    "Clock",
    "JointActuatorForce",
    "JointLimitForce",
    "JointPosition",
    "JointVelocity",
    "TendonPosition",
    "TendonVelocity",
]
