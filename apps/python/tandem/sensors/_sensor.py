# SPDX-License-Identifier: Apache-2.0
"""What all sensors have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, TypeAlias

from tandem.errors import Error
from tandem.functions import Array
from tandem.sensors._robot import Robot
from tandem.sensors._state import State

#: inputs of a sensor beside q: "v", "a", "f_contact", "f_limit", "ctrl", "time"
Needs: TypeAlias = frozenset[str]


class Reading(NamedTuple):
    """A sensor of one robot, with its names looked up."""

    size: int  # numbers of a state
    needs: Needs
    read: Callable[[State], Array]  # [n, size]


def reading(size: int, read: Callable[[State], Array], *needs: str) -> Reading:
    return Reading(size, frozenset(needs), read)


@dataclass(frozen=True)
class Sensor:
    """A sensor of a robot; the classes derived from it are those that there are.

    Attributes:
        name: its name, unique in a set of sensors; empty: what it is on and its kind, such as ``"imu_gyro"``
        cutoff: values are clipped to -cutoff ... cutoff, in the unit of the sensor; 0: they are not
    """

    _kind: ClassVar[str] = ""
    _unlimited: ClassVar[bool] = False  # unit vectors and quaternions have no cutoff

    name: str = field(default="", kw_only=True)
    cutoff: float = field(default=0.0, kw_only=True)

    def _on(self) -> str:
        """What the sensor is on."""
        raise NotImplementedError

    def _bind(self, robot: Robot) -> Reading:
        """Looks names up; raises Error for those that there are not."""
        raise NotImplementedError

    @property
    def label(self) -> str:
        """Its name, or what stands for it."""
        return self.name or "_".join(part for part in (self._on(), self._kind) if part)

    @property
    def _what(self) -> str:
        return f'Sensors: {type(self).__name__} "{self.label}"'

    def _checked_cutoff(self) -> float:
        cutoff = float(self.cutoff)
        if not cutoff >= 0:
            raise Error(f"{self._what}: cutoff is {self.cutoff}, expected a positive number, or 0 for none")
        if cutoff > 0 and self._unlimited:
            raise Error(f"{self._what}: cutoff is {self.cutoff}, expected 0: unit vectors and quaternions are not "
                        "clipped")
        return cutoff
