# SPDX-License-Identifier: Apache-2.0
"""Sensors of bodies: contacts, wrenches from the parent body, and momentum of subtrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tandem.errors import Error
from tandem.functions import Array
from tandem.sensors._frames import _AtFrame
from tandem.sensors._robot import Placed, Robot, Subtree
from tandem.sensors._sensor import Reading, reading
from tandem.sensors._state import State, turned_back
from tandem.sensors._zones import ZoneType, checked, hit


@dataclass(frozen=True)
class Touch(_AtFrame):
    """Sum of the normal forces of contacts in a zone: ``[1]`` N, 0 without contact. MuJoCo's ``touch``.

    Contacts are those of the shapes of the body that the frame belongs to. One is in the zone if the half-line from its
    point away from the body, along the normal, meets the zone: the point is in the zone, or the zone is before it.
    Without a zone all contacts of the body count.
    """

    _kind = "touch"

    type: ZoneType | None = None  #: form of the zone, at the frame, along its axes; None for no zone
    #: as of MuJoCo's sites, radius; radius and half length along z; half axes; or half lengths of edges, m
    size: tuple[float, ...] = ()

    def _bind(self, robot: Robot) -> Reading:
        at, kind, size = self._placed(robot), self.type, tuple(float(x) for x in np.atleast_1d(self.size))
        if kind is not None:
            checked(self._what, kind, size)
        elif size:
            raise Error(f"{self._what}: size without type; expected the type of the zone")
        bodies = frozenset([at.body])

        def read(x: State) -> Array:
            assert x.given.f_contact is not None
            sides = x.sides(bodies)
            slots = np.flatnonzero(sides)
            normal = x.given.f_contact[:, slots, 0]
            pushes = normal > 0
            unknown = np.isnan(x.given.f_contact[:, slots]).any(axis=(1, 2))
            if kind is not None and len(slots):
                R, p = (part[:, None] for part in x.pose(at))
                point = np.where(pushes[..., None], x.contacts.position[:, slots] - p, 0)
                away = np.where(pushes[..., None], -sides[slots, None] * x.contacts.normal[:, slots], [0.0, 0, 1])
                unknown |= np.isnan(point).any(axis=(1, 2))
                pushes = pushes & hit(kind, size, turned_back(R, point), turned_back(R, away))
            total = np.where(pushes, normal, 0).sum(axis=-1, keepdims=True)
            total[unknown] = np.nan
            return total

        return reading(1, read, "f_contact")


@dataclass(frozen=True)
class ContactForce(_AtFrame):
    """Sum of the contact forces on a body and on those fixed to it, along the world's axes: ``[3]`` N.

    Of a link, what :meth:`tandem.Simulation.contact_force` returns.
    """

    _kind = "contact_force"

    def _bind(self, robot: Robot) -> Reading:
        bodies = robot.rigid(self._placed(robot).body)

        def read(x: State) -> Array:
            sides = x.sides(bodies)
            slots = np.flatnonzero(sides)
            _, push, _ = x.contact_wrenches(slots)
            return (sides[slots, None] * push).sum(axis=1)

        return reading(3, read, "f_contact")


def _wrench(x: State, at: Placed, of: Subtree) -> tuple[Array, Array]:
    """Force and moment about the frame's origin on a body from its parent, in the world.

    Newton's and Euler's equations of the subtree:  f = sum m (a_c - g) - f_external,
    n = sum I alpha + omega x I omega + (c - p) x m (a_c - g) - n_external.  [RBDA] section 5.3
    """
    p = x.pose(at)[1]
    body = x.inertias(of)
    mass, centre = body.mass, body.centre
    (_, omega), (a, alpha) = x.velocities(of, centre), x.accelerations(of, centre)
    force = mass[..., None] * (a - x.gravity[:, None])
    moment = body.times(alpha) + np.cross(omega, body.times(omega)) + np.cross(centre - p[:, None], force)
    f_external, n_external = x.external(of, p)
    return force.sum(axis=1) - f_external, moment.sum(axis=1) - n_external


@dataclass(frozen=True)
class _Transmitted(_AtFrame):
    def _bind_part(self, robot: Robot, part: int) -> Reading:
        at = self._placed(robot)
        of = robot.subtree(at.body)
        return reading(3, lambda x: turned_back(x.pose(at)[0], _wrench(x, at, of)[part]), "v", "a", "wrenches")


@dataclass(frozen=True)
class Force(_Transmitted):
    """Force on the body of a frame from its parent, along the frame's axes: ``[3]`` N. MuJoCo's ``force``.

    It is the reading of a force sensor between the body and its parent, at a joint or where the body is fixed: weight
    and inertia of the body and its descendants, less external forces on them, such as those of contacts. Friction,
    springs and motors of joints are included. Of the base: the force from the ground on the whole robot. In robots of
    ``Model.reduced`` and ``Model.append``, a body that is fixed to another one has no mass of its own.
    """

    _kind = "force"

    def _bind(self, robot: Robot) -> Reading:
        return self._bind_part(robot, 0)


@dataclass(frozen=True)
class Torque(_Transmitted):
    """Moment on the body of a frame from its parent, about the frame's origin, along its axes: ``[3]`` N m, see
    :class:`Force`. MuJoCo's ``torque``."""

    _kind = "torque"

    def _bind(self, robot: Robot) -> Reading:
        return self._bind_part(robot, 1)


@dataclass(frozen=True)
class _OfSubtree(_AtFrame):
    def _bind_sum(self, robot: Robot, read: Callable[[State, Subtree, Array, Array], Array], *needs: str) -> Reading:
        of = robot.subtree(self._placed(robot).body)
        if not of.mass.any():
            raise Error(f"{self._what}: the body and its descendants have no mass")

        def total(x: State) -> Array:
            bodies = x.inertias(of)
            return read(x, of, bodies.mass[..., None], bodies.centre)

        return reading(3, total, *needs)


def _mean(mass: Array, of: Array) -> Array:
    return (mass * of).sum(axis=1) / mass.sum(axis=1)


@dataclass(frozen=True)
class SubtreeCenterOfMass(_OfSubtree):
    """Centre of mass of a body and its descendants, in the world: ``[3]`` m. MuJoCo's ``subtreecom``."""

    _kind = "center_of_mass"

    def _bind(self, robot: Robot) -> Reading:
        return self._bind_sum(robot, lambda x, of, mass, centre: _mean(mass, centre))


@dataclass(frozen=True)
class SubtreeLinearVelocity(_OfSubtree):
    """Velocity of the centre of mass of a body and its descendants, in the world: ``[3]`` m/s. MuJoCo's
    ``subtreelinvel``."""

    _kind = "subtree_linear_velocity"

    def _bind(self, robot: Robot) -> Reading:
        return self._bind_sum(robot, lambda x, of, mass, centre: _mean(mass, x.velocities(of, centre)[0]), "v")


@dataclass(frozen=True)
class SubtreeAngularMomentum(_OfSubtree):
    """Angular momentum of a body and its descendants about their centre of mass, in the world: ``[3]`` kg m^2/s.
    MuJoCo's ``subtreeangmom``."""

    _kind = "angular_momentum"

    def _bind(self, robot: Robot) -> Reading:
        def read(x: State, of: Subtree, mass: Array, centre: Array) -> Array:
            linear, angular = x.velocities(of, centre)
            own = x.inertias(of).times(angular)
            about, moves = _mean(mass, centre)[:, None], _mean(mass, linear)[:, None]
            return (own + np.cross(centre - about, mass * (linear - moves))).sum(axis=1)

        return self._bind_sum(robot, read, "v")


__all__ = [
    "ContactForce",
    "Force",
    "SubtreeAngularMomentum",
    "SubtreeCenterOfMass",
    "SubtreeLinearVelocity",
    "Torque",
    "Touch",
]
