# SPDX-License-Identifier: Apache-2.0
"""States and quantities of bodies as MuJoCo's ``mjData`` has them, computed by Tandem: what environments of MuJoCo
observe."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tandem import functions
from tandem._core import ContactSet, Model, describe
from tandem.contact import contacts
from tandem.errors import Error
from tandem.gymnasium._framework import Numbers


class Coordinates:
    """qpos and qvel of MuJoCo from q and v, and back: quaternions begin with w, linear velocities of free joints are
    along the world's axes."""

    def __init__(self, model: Model) -> None:
        self._to = np.arange(model.nq)
        self._free: list[tuple[int, int]] = []
        self._quaternions: list[int] = []
        for joint in model.joints:
            if joint.type not in ("free", "ball", "spherical"):
                continue
            at = joint.q_index + (3 if joint.type == "free" else 0)
            self._to[at : at + 4] = at + 3, at, at + 1, at + 2
            self._quaternions.append(at)
            if joint.type == "free":
                self._free.append((joint.q_index, joint.v_index))
        self._back = np.argsort(self._to)

    def qpos(self, q: Numbers) -> Numbers:
        """``[..., nq]``"""
        return q[..., self._to]

    def q(self, qpos: Numbers) -> Numbers:
        """``[..., nq]``, quaternions normalised."""
        q = qpos[..., self._back]
        for at in self._quaternions:
            q[..., at : at + 4] /= np.linalg.norm(q[..., at : at + 4], axis=-1, keepdims=True)
        return q

    def qvel(self, q: Numbers, v: Numbers) -> Numbers:
        """``[..., nv]``"""
        return self._turned(q, v, False)

    def v(self, q: Numbers, qvel: Numbers) -> Numbers:
        """``[..., nv]``"""
        return self._turned(q, qvel, True)

    def _turned(self, q: Numbers, v: Numbers, to_body: bool) -> Numbers:
        turned = v.copy()
        for iq, iv in self._free:
            R = rotations(q[..., iq + 3 : iq + 7])
            turned[..., iv : iv + 3] = np.einsum(
                "...ji,...j->...i" if to_body else "...ij,...j->...i", R, v[..., iv : iv + 3]
            )
        return turned


def rotations(quaternion: Numbers) -> Numbers:
    """``[..., 3, 3]`` of quaternions x, y, z, w."""
    x, y, z, w = np.moveaxis(quaternion, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


class BodyState(NamedTuple):
    """Of the bodies of a file in its order, the world first, of states ``[n]``."""

    position: Numbers  #: ``[n, bodies, 3]`` xpos, m
    centre: Numbers  #: ``[n, bodies, 3]`` xipos: centres of mass, m
    cinert: Numbers  #: ``[n, bodies, 10]``
    cvel: Numbers  #: ``[n, bodies, 6]``
    cfrc_ext: Numbers  #: ``[n, bodies, 6]``
    centre_of_mass: Numbers  #: ``[n, 3]`` of all bodies, m


class Bodies:
    """The bodies of an MJCF file, which are links, or parts of links where joints are missing.

    ``cinert``, ``cvel`` and ``cfrc_ext`` are along the world's axes, at the centre of mass of all, rotation first; as
    ``mj_comPos``, ``mj_comVel`` and ``mj_rnePostConstraint`` define them, for files of one tree of bodies.
    """

    def __init__(self, path: Path, model: Model, pairs: ContactSet) -> None:
        if pairs.finds_pairs:
            raise Error("Bodies: pairs finds pairs of two moving links in every state, which have no slots")
        self._model, self._pairs = model, pairs
        self.names = body_names(path)
        builder = describe(str(path))
        count = len(self.names)
        self._frames: NDArray[np.int64] = np.zeros(count, np.int64)
        self.mass, self._com, self._inertia = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
        for k, name in enumerate(self.names[1:], 1):
            link = builder.get_link(name)
            self._frames[k] = model.frame_index(name)
            self.mass[k], self._com[k] = link["mass"], link["com"]
            xx, xy, xz, yy, yz, zz = link["inertia"]
            self._inertia[k] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        owner = {name: k for k, name in enumerate(self.names)}
        shapes = {shape.name: owner[shape.frame] for shape in model.shapes}
        # bodies of the two shapes of a slot: its force is that of shape 1 on shape 2
        self._ends = [(shapes[pair.shape_1], shapes[pair.shape_2]) for pair in pairs.pairs for _ in range(pair.slots)]

    def state(self, q: Numbers, v: Numbers, forces: Numbers | None) -> BodyState:
        """Of states ``q`` ``[n, nq]`` and ``v``, with contact forces ``[n, n_slots, 6]``; None: there are none."""
        poses, velocities = functions.forward_kinematics(self._model, q, v, reference="local_world_aligned")
        placed, moving = poses[:, self._frames], velocities[:, self._frames]
        R, origin, linear, angular = placed[..., :3], placed[..., 3], moving[..., :3], moving[..., 3:]
        centre = origin + np.einsum("nbij,bj->nbi", R, self._com)
        total = (self.mass[:, None] * centre).sum(axis=1) / self.mass.sum()
        away = centre - total[:, None]
        inertia = R @ self._inertia @ np.swapaxes(R, -1, -2)
        squared = (away**2).sum(axis=-1)[..., None, None] * np.eye(3)
        inertia += self.mass[:, None, None] * (squared - away[..., :, None] * away[..., None, :])
        cinert = np.empty((*away.shape[:2], 10))
        cinert[..., :3] = np.diagonal(inertia, axis1=-2, axis2=-1)
        cinert[..., 3], cinert[..., 4], cinert[..., 5] = inertia[..., 0, 1], inertia[..., 0, 2], inertia[..., 1, 2]
        cinert[..., 6:9] = self.mass[:, None] * away
        cinert[..., 9] = self.mass
        cvel = np.concatenate([angular, linear + np.cross(angular, total[:, None] - origin)], axis=-1)
        cinert[:, 0], cvel[:, 0] = 0, 0
        return BodyState(origin, centre, cinert, cvel, self._external(q, total, forces), total)

    def _external(self, q: Numbers, about: Numbers, forces: Numbers | None) -> Numbers:
        """Wrenches of contacts on the bodies about a point."""
        slots = np.zeros(0, np.int64) if forces is None else np.flatnonzero((forces[..., 0] != 0).any(axis=0))
        if forces is None or not len(slots):
            return np.zeros((len(q), len(self.names), 6))
        found, local = contacts(self._pairs, q), forces[:, slots]
        acts = local[..., 0] != 0
        frame = np.where(acts[..., None, None], found.frame[:, slots], 0.0)
        arm = np.where(acts[..., None], found.position[:, slots] - about[:, None], 0.0)
        push = np.einsum("nsk,nski->nsi", local[..., :3], frame)
        moment = np.einsum("nsk,nski->nsi", local[..., 3:], frame) + np.cross(arm, push)
        wrench = np.concatenate([moment, push], axis=-1)
        wrenches = np.zeros((len(q), len(self.names), 6))
        for k, slot in enumerate(slots):  # one after the other: the same bits whichever robots there are
            one, two = self._ends[slot]
            wrenches[:, two] += wrench[:, k]
            wrenches[:, one] -= wrench[:, k]
        wrenches[:, 0] = 0  # as in MuJoCo, nothing is added up for the world
        return wrenches


def body_names(path: Path) -> list[str]:
    """Names of the bodies of an MJCF file in MuJoCo's order, those without a name by their number, as Tandem has
    them."""
    world = ET.parse(path).getroot().find("worldbody")
    if world is None:
        raise Error(f"{path}: there is no worldbody")
    names = ["world"]

    def walk(parent: ET.Element) -> None:
        for child in parent:
            if child.tag in ("include", "replicate", "attach", "frame", "composite", "flexcomp"):
                raise Error(
                    f"{path}: <{child.tag}> in bodies; observations of bodies need a file that has all bodies itself"
                )
            if child.tag == "body":
                names.append(child.get("name", f"body{len(names)}"))
                walk(child)

    walk(world)
    return names
