# SPDX-License-Identifier: Apache-2.0
"""The robot behind sensors: places on it, and the bodies of its description, many of which may be one link."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tandem import spatial
from tandem._core import Joint, Model, ModelBuilder, describe, read_urdf
from tandem.configuration import neutral_configuration
from tandem.errors import Error
from tandem.functions import Array, forward_kinematics


@dataclass(frozen=True)
class Place:
    """A frame, moved and turned: where a sensor is, if the robot has no frame there.

    >>> tip = tandem.sensors.Place("tool0", position=(0, 0, 0.1))
    >>> tandem.sensors.Sensors(tandem.load("arm7"), [tandem.sensors.Gyro(tip)]).names
    ['tool0_gyro']
    """

    frame: str  #: name of a frame of the model
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)  #: in the frame, m
    quaternion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)  #: x y z w, from its axes to the frame's


Where: TypeAlias = "str | Place"


def name_of(where: Where) -> str:
    return where.frame if isinstance(where, Place) else str(where)


class Placed(NamedTuple):
    """A place, looked up."""

    frame: int  # index of the frame
    position: Array  # [3] in the frame
    quaternion: Array  # [4]
    rotation: Array  # [3, 3]
    body: str  # of the description


class Subtree(NamedTuple):
    """A body and its descendants: whole links, and bodies that are parts of links."""

    bodies: frozenset[str]
    frames: NDArray[np.intp]  # [k] where the numbers below are
    links: NDArray[np.intp]  # [k] index of a whole link; -1: part of a link
    mass: Array  # [k]
    com: Array  # [k, 3]
    inertia: Array  # [k, 6] xx xy xz yy yz zz about the centre of mass


class Robot:
    """A model with the tree of the bodies of its description."""

    def __init__(self, model: Model) -> None:
        if np.any(model.base_acceleration):
            raise Error(f"Sensors: the base of {model.name} accelerates, which sensors do not support; use "
                        "model.with_base_acceleration([0] * 6)")
        self.model = model
        self._subtrees: dict[str, Subtree] = {}
        self._places: dict[tuple[Any, ...], Placed] = {}

    @cached_property
    def _description(self) -> ModelBuilder:
        return _description_of(self.model)

    @cached_property
    def _carried(self) -> dict[str, list[tuple[str, bool]]]:
        """Bodies on each body, and whether they move relative to it."""
        tree: dict[str, list[tuple[str, bool]]] = {name: [] for name in self._description.link_names}
        joints = [self._description.get_joint(name) for name in self._description.joint_names]
        for joint in joints:
            tree[joint["parent"]].append((joint["child"], joint["type"] != "fixed"))
        if self.root not in tree:  # of a robot that floats by an option
            tree[self.root] = [(name, True) for name in tree.keys() - {joint["child"] for joint in joints}]
        return tree

    @cached_property
    def root(self) -> str:
        """The body that is the base."""
        return self.model.link_names[0]

    @cached_property
    def _frame_bodies(self) -> dict[str, str]:
        added = {name: self._description.get_frame(name)["link"] for name in self._description.frame_names}
        return {**added, **{name: name for name in self._carried}}

    @cached_property
    def loop_bodies(self) -> list[tuple[str, str]]:
        """Bodies of the first and the second frame of each loop joint."""
        loops = [self._description.get_loop(name) for name in self.model.loop_names]
        return [(loop["link_1"], loop["link_2"]) for loop in loops]

    @cached_property
    def _neutral(self) -> Array:
        return forward_kinematics(self.model, neutral_configuration(self.model))

    def placed(self, what: str, where: Where) -> Placed:
        """Raises Error for a frame that there is not, with the nearest name."""
        place = where if isinstance(where, Place) else Place(where)
        key = (place.frame, *np.ravel(place.position), "", *np.ravel(place.quaternion))
        if key not in self._places:
            self._places[key] = self._placed(what, place)
        return self._places[key]

    def _placed(self, what: str, place: Place) -> Placed:
        try:
            index = self.model.frame_index(place.frame)
        except (Error, TypeError) as error:
            raise Error(f"{what}: {error}") from None
        quaternion = np.asarray(place.quaternion, float)
        position = np.asarray(place.position, float)
        if quaternion.shape != (4,) or not np.isfinite(quaternion).all() or not quaternion.any():
            raise Error(f"{what}: quaternion is {place.quaternion}, expected 4 numbers, x y z w, not all 0")
        if position.shape != (3,) or not np.isfinite(position).all():
            raise Error(f"{what}: position is {place.position}, expected 3 numbers, m")
        quaternion = quaternion / np.linalg.norm(quaternion)
        body = self._frame_bodies[self.model.frame_names[index]]
        return Placed(index, position, quaternion, spatial.quaternion_to_matrix(quaternion), body)

    def joint(self, what: str, name: str) -> Joint:
        names = list(self.model.joint_names)
        if name not in names:
            raise Error(f'{what}: robot "{self.model.name}" has no joint "{name}"{nearest(name, names)}')
        return self.model.joint(name)

    def rigid(self, body: str) -> frozenset[str]:
        """A body and those fixed to it, further out."""
        return frozenset(self._walk(body, fixed_only=True))

    def subtree(self, body: str) -> Subtree:
        """A body and its descendants."""
        if body not in self._subtrees:
            self._subtrees[body] = self._subtree(body)
        return self._subtrees[body]

    def _walk(self, body: str, fixed_only: bool = False) -> Iterable[str]:
        left = [body]
        while left:
            name = left.pop()
            yield name
            left += [child for child, moves in self._carried[name] if not (fixed_only and moves)]

    def _subtree(self, body: str) -> Subtree:
        model, inside = self.model, set(self._walk(body))
        members: dict[int, list[str]] = {}
        for name in self._carried:
            members.setdefault(int(model.frame_links[model.frame_index(name)]), []).append(name)
        mass, com, inertia = (model.parameter(name) for name in ("mass", "com", "inertia"))
        rows: list[tuple[int, int, float, Array, Array]] = []
        for link, names in members.items():
            part = [name for name in names if name in inside]
            if len(part) == len(names):
                rows.append((link, link, float(mass[link]), com[link], inertia[link]))
                continue
            for name in part:
                own = self._description.get_link(name)
                rows.append((model.frame_index(name), -1, own["mass"], own["com"], own["inertia"]))
        rows = [row for row in rows if row[1] >= 0 or row[2] > 0 or np.any(row[4])]
        frames, links = (np.array([row[k] for row in rows], np.intp) for k in (0, 1))
        numbers = [np.array([row[k] for row in rows], float).reshape(-1, *shape)
                   for k, shape in ((2, ()), (3, (3,)), (4, (6,)))]
        return Subtree(frozenset(inside), frames, links, *numbers)

    # -- quaternions without jumps ------------------------------------------------------------------------------------

    def quaternion(self, placed: Placed, q: Array) -> Array:
        """``[n, 4]``, a product over the joints of the chain, so that it does not jump where its real part is 0."""
        model = self.model
        link = int(model.frame_links[placed.frame])
        chain = []
        while link > 0:
            chain.append(model.joint(link))
            link = int(model.parents[link])
        turned: Array = np.broadcast_to(np.array([0.0, 0, 0, 1]), (len(q), 4))
        for joint in reversed(chain):
            turned = spatial.quaternion_product(turned, spatial.quaternion_from_matrix(joint.placement[:, :3]))
            own = _turn(joint, q)
            turned = turned if own is None else spatial.quaternion_product(turned, own)
        here = self._neutral[[int(model.frame_links[placed.frame]), placed.frame]][..., :3]
        fixed = spatial.quaternion_from_matrix(here[0].T @ here[1])
        return spatial.quaternion_product(turned, spatial.quaternion_product(fixed, placed.quaternion))


def _description_of(model: Model) -> ModelBuilder:
    """What a model was made from, where bodies that are fixed to others have their own masses."""
    kind, text, name, _, seed, *_ = model.__getstate__()
    if kind == 0:
        return describe(text.decode(), seed=seed)
    if kind == 1:
        return read_urdf(text.decode(), name=name.decode())
    builder = ModelBuilder.__new__(ModelBuilder)
    builder.__setstate__(text)
    return builder


def _turn(joint: Joint, q: Array) -> Array | None:
    """Rotation of a joint; None: it has none."""
    kind, first = joint.type, joint.q_index
    if kind == "prismatic":
        return None
    if kind in ("spherical", "free"):
        first += 3 if kind == "free" else 0
        own = q[:, first : first + 4]
        with np.errstate(invalid="ignore"):
            return own / np.linalg.norm(own, axis=-1, keepdims=True)
    if kind == "universal":
        one, two = (spatial.quaternion_exp(q[:, first + k, None] * np.eye(3)[k]) for k in (0, 1))
        return spatial.quaternion_product(one, two)
    angle = position_of(joint, q) if kind != "planar" else q[:, first + 2]
    return spatial.quaternion_exp(angle[:, None] * joint.axis)


def position_of(joint: Joint, q: Array) -> Array:
    """``[n]`` of a joint with one degree of freedom; of a mimic joint, that with which it follows."""
    return joint.multiplier * q[:, joint.q_index] + joint.offset if joint.mimics else q[:, joint.q_index]


def velocity_of(joint: Joint, v: Array) -> Array:
    """``[n]``, see position_of."""
    return joint.multiplier * v[:, joint.v_index] if joint.mimics else v[:, joint.v_index]


def nearest(name: Any, names: Iterable[str]) -> str:
    found = difflib.get_close_matches(str(name), list(names), 1, 0.5)
    return f'; did you mean "{found[0]}"?' if found else ""
