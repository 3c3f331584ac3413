# SPDX-License-Identifier: Apache-2.0
"""Quantities at a state that several sensors read, each computed once."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tandem import functions
from tandem._core import ContactSet
from tandem.contact import Contacts, contacts as contacts_at
from tandem.errors import Error
from tandem.functions import Array
from tandem.sensors._robot import Placed, Robot, Subtree


class Inputs(NamedTuple):
    """Rows of n states: what is known about them."""

    q: Array
    v: Array | None = None
    a: Array | None = None
    contacts: ContactSet | None = None
    f_contact: Array | None = None
    f_ext: Array | None = None
    f_loop: Array | None = None
    f_limit: Array | None = None
    ctrl: Array | None = None
    act: Array | None = None
    time: Array | None = None


class Inertias(NamedTuple):
    """Of the bodies of a subtree in the world, ``[n, k, ...]``."""

    mass: Array
    centre: Array
    rotation: Array  # of the axes that the next is along
    inertia: Array  # [k, 3, 3] or [n, k, 3, 3]

    def times(self, x: Array) -> Array:
        """The inertias times a vector of each body, ``[n, k, 3]`` in the world."""
        return turned(self.rotation, turned(self.inertia, turned_back(self.rotation, x)))


def turned(R: Array, x: Array) -> Array:
    """R x"""
    return np.einsum("...ij,...j->...i", R, x)


def turned_back(R: Array, x: Array) -> Array:
    """R^T x"""
    return np.einsum("...ji,...j->...i", R, x)


class State:
    """n states of a robot."""

    def __init__(self, robot: Robot, given: Inputs, parameters: dict[str, Array], threads: int) -> None:
        self.robot, self.given, self._parameters, self._threads = robot, given, parameters, threads
        self.n = len(given.q)
        self._poses: dict[int, tuple[Array, Array]] = {}
        self._inertias: dict[int, Inertias] = {}

    # -- motion -------------------------------------------------------------------------------------------------------

    @cached_property
    def _kinematics(self) -> tuple[Array, ...]:
        given = self.given
        status = np.empty(self.n, np.uint8)  # NaN stays in its row, without a warning
        motion = [x for x in (given.v, given.a if given.v is not None else None) if x is not None]
        found: Any = functions.forward_kinematics(self.robot.model, given.q, *motion, reference="local_world_aligned",
                                                  threads=self._threads, status=status)
        return found if motion else (found,)

    def pose(self, at: Placed) -> tuple[Array, Array]:
        """R ``[n, 3, 3]`` and p ``[n, 3]`` in the world."""
        if id(at) not in self._poses:
            pose = self._kinematics[0][:, at.frame]
            R = pose[..., :3]
            self._poses[id(at)] = R @ at.rotation, pose[..., 3] + turned(R, at.position)
        return self._poses[id(at)]

    def _lever(self, at: Placed) -> Array:
        return turned(self._kinematics[0][:, at.frame, :, :3], at.position)

    def velocity(self, at: Placed) -> tuple[Array, Array]:
        """Linear and angular, ``[n, 3]`` each, along the world's axes."""
        linear, angular = np.split(self._kinematics[1][:, at.frame], 2, axis=-1)
        return linear + np.cross(angular, self._lever(at)), angular

    def acceleration(self, at: Placed) -> tuple[Array, Array]:
        """Time derivatives of :meth:`velocity`, the linear one without gravity: 9.81 m/s^2 upwards at rest."""
        linear, angular = np.split(self._kinematics[2][:, at.frame], 2, axis=-1)
        turns, lever = self._kinematics[1][:, at.frame, 3:], self._lever(at)
        centripetal = np.cross(turns, np.cross(turns, lever))
        return linear + np.cross(angular, lever) + centripetal - self.gravity, angular

    @cached_property
    def gravity(self) -> Array:
        """``[1, 3]`` or ``[n, 3]``."""
        return self._parameters.get("gravity", np.array(self.robot.model.gravity)).reshape(-1, 3)

    # -- bodies -------------------------------------------------------------------------------------------------------

    def inertias(self, of: Subtree) -> Inertias:
        if id(of) not in self._inertias:
            self._inertias[id(of)] = self._inertias_of(of)
        return self._inertias[id(of)]

    def _inertias_of(self, of: Subtree) -> Inertias:
        numbers = {"mass": of.mass, "com": of.com, "inertia": of.inertia}
        whole = of.links >= 0
        for name, own in numbers.items():
            if name not in self._parameters:
                continue
            if not whole.all():
                part = self.robot.model.frame_names[int(of.frames[~whole][0])]
                raise Error(f'Sensors: the link that body "{part}" is a part of has {name} of its own in parameters, '
                            "which do not tell the share of the body; give the body a joint")
            given = self._parameters[name]
            numbers[name] = given[..., of.links] if name == "mass" else given[..., of.links, :]
        R, p = np.split(self._kinematics[0][:, of.frames], [3], axis=-1)
        xx, xy, xz, yy, yz, zz = np.moveaxis(numbers["inertia"], -1, 0)
        matrix = np.stack([np.stack(row, -1) for row in ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))], -2)
        mass = np.broadcast_to(numbers["mass"], (self.n, len(of.frames)))
        return Inertias(mass, p[..., 0] + turned(R, numbers["com"]), R, matrix)

    def velocities(self, of: Subtree, centre: Array) -> tuple[Array, Array]:
        """Of the centres of mass of bodies, and angular, ``[n, k, 3]``."""
        linear, angular = np.split(self._kinematics[1][:, of.frames], 2, axis=-1)
        return linear + np.cross(angular, centre - self._kinematics[0][:, of.frames][..., 3]), angular

    def accelerations(self, of: Subtree, centre: Array) -> tuple[Array, Array]:
        """Time derivatives of :meth:`velocities`."""
        linear, angular = np.split(self._kinematics[2][:, of.frames], 2, axis=-1)
        turns, lever = self._kinematics[1][:, of.frames, 3:], centre - self._kinematics[0][:, of.frames][..., 3]
        return linear + np.cross(angular, lever) + np.cross(turns, np.cross(turns, lever)), angular

    # -- contacts and other wrenches ----------------------------------------------------------------------------------

    @cached_property
    def contacts(self) -> Contacts:
        assert self.given.contacts is not None
        return contacts_at(self.given.contacts, self.given.q)

    @cached_property
    def slot_bodies(self) -> tuple[list[str], list[str]]:
        """Bodies of shapes 1 and 2 of each slot."""
        chosen = self.given.contacts
        assert chosen is not None
        body = {shape.name: shape.frame for shape in self.robot.model.shapes}
        pairs = [pair for pair in chosen.pairs for _ in range(pair.slots)]
        return [body[pair.shape_1] for pair in pairs], [body[pair.shape_2] for pair in pairs]

    def sides(self, bodies: frozenset[str]) -> Array:
        """``[slots]`` 1: the force of a slot is on one of these bodies, -1: its reaction is, 0: neither, or both."""
        one, two = (np.array([body in bodies for body in side], float) for side in self.slot_bodies)
        return two - one

    def contact_wrenches(self, slots: Any) -> tuple[Array, Array, Array]:
        """Positions, forces on shape 2 and moments, ``[n, slots, 3]`` in the world; zeros without contact."""
        assert self.given.f_contact is not None
        local = self.given.f_contact[:, slots]
        acts = (local != 0).any(axis=-1)[..., None]  # also NaN
        frame = np.where(acts[..., None], self.contacts.frame[:, slots], 0.0)
        position = np.where(acts, self.contacts.position[:, slots], 0.0)
        return position, turned_back(frame, local[..., :3]), turned_back(frame, local[..., 3:])

    def external(self, of: Subtree, about: Array) -> tuple[Array, Array]:
        """Force and moment about a point ``[n, 3]`` of all wrenches from outside on a subtree, in the world."""
        force, moment = np.zeros((self.n, 3)), np.zeros((self.n, 3))

        def add(at: Array, push: Array, turn: Array) -> None:
            force[:] += push
            moment[:] += turn + np.cross(at - about, push)

        given, model = self.given, self.robot.model
        poses = self._kinematics[0]
        if given.f_contact is not None:
            sides = self.sides(of.bodies)
            slots = np.flatnonzero(sides)
            position, push, turn = self.contact_wrenches(slots)
            for k, slot in enumerate(slots):
                add(position[:, k], sides[slot] * push[:, k], sides[slot] * turn[:, k])
        if given.f_ext is not None:
            for link, name in enumerate(model.link_names):
                if name in of.bodies:
                    R, wrench = poses[:, link, :, :3], given.f_ext[:, link]
                    add(poses[:, link, :, 3], turned(R, wrench[:, :3]), turned(R, wrench[:, 3:]))
        if given.f_loop is not None:
            for k, (loop, bodies) in enumerate(zip(model.loops, self.robot.loop_bodies)):
                side = float(bodies[1] in of.bodies) - float(bodies[0] in of.bodies)
                if side == 0:
                    continue
                one, two = (poses[:, model.frame_index(name)] for name in (loop.link_1, loop.link_2))
                R = one[..., :3] @ loop.placement_1[:, :3]  # axes of frame 1
                at = two[..., 3] + turned(two[..., :3], loop.placement_2[:, 3])
                add(at, side * turned(R, given.f_loop[:, k, :3]), side * turned(R, given.f_loop[:, k, 3:]))
        return force, moment
