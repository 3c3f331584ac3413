# SPDX-License-Identifier: Apache-2.0
"""Sensors at a frame: inertial measurement units, positions, orientations and their derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from tandem import spatial
from tandem.errors import Error
from tandem.functions import Array
from tandem.sensors._robot import Placed, Robot, Where, name_of
from tandem.sensors._sensor import Reading, Sensor, reading
from tandem.sensors._state import State, turned_back

QuaternionOrder: TypeAlias = Literal["xyzw", "wxyz"]


@dataclass(frozen=True)
class _AtFrame(Sensor):
    frame: Where  #: name of a frame or link, or a :class:`Place`

    def _on(self) -> str:
        return name_of(self.frame)

    def _placed(self, robot: Robot) -> Placed:
        return robot.placed(self._what, self.frame)


@dataclass(frozen=True)
class Accelerometer(_AtFrame):
    """Acceleration of a frame less gravity, along its axes: ``[3]`` m/s^2.

    What an inertial measurement unit measures: 9.81 m/s^2 upwards at rest, 0 in free fall. MuJoCo's ``accelerometer``.
    """

    _kind = "accelerometer"

    def _bind(self, robot: Robot) -> Reading:
        at = self._placed(robot)
        return reading(3, lambda x: turned_back(x.pose(at)[0], x.acceleration(at)[0]), "v", "a")


@dataclass(frozen=True)
class Gyro(_AtFrame):
    """Angular velocity of a frame along its axes: ``[3]`` rad/s. MuJoCo's ``gyro``."""

    _kind = "gyro"

    def _bind(self, robot: Robot) -> Reading:
        at = self._placed(robot)
        return reading(3, lambda x: turned_back(x.pose(at)[0], x.velocity(at)[1]), "v")


@dataclass(frozen=True)
class Velocimeter(_AtFrame):
    """Velocity of a frame's origin along its axes: ``[3]`` m/s. MuJoCo's ``velocimeter``."""

    _kind = "velocimeter"

    def _bind(self, robot: Robot) -> Reading:
        at = self._placed(robot)
        return reading(3, lambda x: turned_back(x.pose(at)[0], x.velocity(at)[0]), "v")


@dataclass(frozen=True)
class Magnetometer(_AtFrame):
    """A constant magnetic field along a frame's axes: ``[3]``, in the unit of the field. MuJoCo's ``magnetometer``."""

    _kind = "magnetometer"

    field: tuple[float, float, float] = (0.0, -0.5, 0.0)  #: along the world's axes; MuJoCo's default

    def _bind(self, robot: Robot) -> Reading:
        at, field = self._placed(robot), np.asarray(self.field, float)
        if field.shape != (3,):
            raise Error(f"{self._what}: field is {self.field}, expected 3 numbers")
        return reading(3, lambda x: turned_back(x.pose(at)[0], field))


@dataclass(frozen=True)
class _Relative(_AtFrame):
    relative_to: Where | None = None  #: reference frame, in whose axes the result is; None: the world

    def _placed_both(self, robot: Robot) -> tuple[Placed, Placed | None]:
        return self._placed(robot), None if self.relative_to is None else robot.placed(self._what, self.relative_to)


@dataclass(frozen=True)
class FramePosition(_Relative):
    """Position of a frame's origin, in the world or in another frame: ``[3]`` m. MuJoCo's ``framepos``."""

    _kind = "position"

    def _bind(self, robot: Robot) -> Reading:
        at, other = self._placed_both(robot)

        def read(x: State) -> Array:
            p = x.pose(at)[1]
            if other is None:
                return p
            R, origin = x.pose(other)
            return turned_back(R, p - origin)

        return reading(3, read)


@dataclass(frozen=True)
class FrameHeight(_AtFrame):
    """Height of a frame's origin, its z in the world: ``[1]`` m."""

    _kind = "height"

    def _bind(self, robot: Robot) -> Reading:
        at = self._placed(robot)
        return reading(1, lambda x: x.pose(at)[1][:, 2:])


@dataclass(frozen=True)
class FrameQuaternion(_Relative):
    """Orientation of a frame, in the world or in another frame: ``[4]``, a unit quaternion.

    It does not jump while the robot moves: its sign follows from those of the quaternions in q and from joint angles.
    MuJoCo's ``framequat``, whose order is ``"wxyz"``.
    """

    _kind = "quaternion"
    _unlimited: ClassVar[bool] = True

    order: QuaternionOrder = "xyzw"  #: whether the real part w is last, as in q, or first

    def _sign(self) -> float:
        return 1.0

    def _bind(self, robot: Robot) -> Reading:
        at, other = self._placed_both(robot)
        rows, sign = order_rows(self._what, self.order), self._sign()

        def read(x: State) -> Array:
            found = robot.quaternion(at, x.given.q)
            if other is not None:
                back = spatial.quaternion_conjugate(robot.quaternion(other, x.given.q))
                found = spatial.quaternion_product(back, found)
            return sign * found[:, rows]

        return reading(4, read)


def order_rows(what: str, order: str) -> list[int]:
    orders = {"xyzw": [0, 1, 2, 3], "wxyz": [3, 0, 1, 2]}
    if order not in orders:
        raise Error(f'{what}: order is "{order}", expected "xyzw" or "wxyz"')
    return orders[order]


@dataclass(frozen=True)
class FrameAxis(_Relative):
    """An axis of a frame, in the world or in another frame: ``[3]``, a unit vector. MuJoCo's ``framexaxis``,
    ``frameyaxis``, ``framezaxis``."""

    _unlimited: ClassVar[bool] = True

    axis: Literal["x", "y", "z"] = "z"  #: which one

    @property
    def label(self) -> str:
        """Its name, or what stands for it."""
        return self.name or f"{self._on()}_{self.axis}_axis"

    def _bind(self, robot: Robot) -> Reading:
        at, other = self._placed_both(robot)
        if self.axis not in ("x", "y", "z"):
            raise Error(f'{self._what}: axis is "{self.axis}", expected "x", "y" or "z"')
        k = "xyz".index(self.axis)

        def read(x: State) -> Array:
            axis = x.pose(at)[0][..., k]
            return axis if other is None else turned_back(x.pose(other)[0], axis)

        return reading(3, read)


@dataclass(frozen=True)
class FrameLinearVelocity(_Relative):
    """Velocity of a frame's origin, in the world or as seen in another frame: ``[3]`` m/s. MuJoCo's ``framelinvel``."""

    _kind = "linear_velocity"

    def _bind(self, robot: Robot) -> Reading:
        at, other = self._placed_both(robot)

        def read(x: State) -> Array:
            linear = x.velocity(at)[0]
            if other is None:
                return linear
            (R, origin), (moves, turns) = x.pose(other), x.velocity(other)
            return turned_back(R, linear - moves - np.cross(turns, x.pose(at)[1] - origin))

        return reading(3, read, "v")


@dataclass(frozen=True)
class FrameAngularVelocity(_Relative):
    """Angular velocity of a frame, in the world or as seen in another frame: ``[3]`` rad/s. MuJoCo's
    ``frameangvel``."""

    _kind = "angular_velocity"

    def _bind(self, robot: Robot) -> Reading:
        at, other = self._placed_both(robot)

        def read(x: State) -> Array:
            angular = x.velocity(at)[1]
            if other is None:
                return angular
            return turned_back(x.pose(other)[0], angular - x.velocity(other)[1])

        return reading(3, read, "v")


@dataclass(frozen=True)
class FrameLinearAcceleration(_AtFrame):
    """Acceleration of a frame's origin less gravity, in the world: ``[3]`` m/s^2, upwards at rest. MuJoCo's
    ``framelinacc``."""

    _kind = "linear_acceleration"

    def _bind(self, robot: Robot) -> Reading:
        at = self._placed(robot)
        return reading(3, lambda x: x.acceleration(at)[0], "v", "a")


@dataclass(frozen=True)
class FrameAngularAcceleration(_AtFrame):
    """Angular acceleration of a frame, in the world: ``[3]`` rad/s^2. MuJoCo's ``frameangacc``."""

    _kind = "angular_acceleration"

    def _bind(self, robot: Robot) -> Reading:
        at = self._placed(robot)
        return reading(3, lambda x: x.acceleration(at)[1], "v", "a")


@dataclass(frozen=True)
class ProjectedGravity(_AtFrame):
    """Direction of gravity along a frame's axes: ``[3]``, a unit vector; (0, 0, -1) upright. 0 without gravity."""

    _kind = "projected_gravity"
    _unlimited: ClassVar[bool] = True

    def _bind(self, robot: Robot) -> Reading:
        at = self._placed(robot)

        def read(x: State) -> Array:
            size = np.linalg.norm(x.gravity, axis=-1, keepdims=True)
            return turned_back(x.pose(at)[0], x.gravity / np.where(size > 0, size, 1))

        return reading(3, read)


__all__ = [
    "Accelerometer",
    "FrameAngularAcceleration",
    "FrameAngularVelocity",
    "FrameAxis",
    "FrameHeight",
    "FrameLinearAcceleration",
    "FrameLinearVelocity",
    "FramePosition",
    "FrameQuaternion",
    "Gyro",
    "Magnetometer",
    "ProjectedGravity",
    "QuaternionOrder",
    "Velocimeter",
]
