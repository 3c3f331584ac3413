# SPDX-License-Identifier: Apache-2.0
"""Robots as lines in space, for pictures and films."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tandem._core import Model
from tandem.configuration import neutral_configuration
from tandem.functions import Array, forward_kinematics

#: Indices of links, frames or points.
Indices: TypeAlias = NDArray[np.integer[Any]]

#: More points than this say nothing on a screen: chains are then drawn through every so many links.
MOST_POINTS = 20_000
_MEMORY = 4e7  # numbers of poses held at a time


class Skeleton:
    """Paths through the origins of the links, from each link's parent to the link.

    A link at the end goes on to the frames fixed to it, or else to the far end of the uniform rod that has its mass,
    centre of mass and inertia. Nothing is drawn between the world and what floats in it, by a free or planar joint or
    by slides without mass.
    """

    frames: Indices  #: ``[points]`` the frame that a point rides on
    offsets: Array  #: ``[points, 3]`` where on it, m
    paths: list[Indices]  #: points one after the other
    tips: Indices  #: the last points of paths that end at a leaf

    def __init__(self, model: Model) -> None:
        parents = np.asarray(model.parents)
        leaf = np.ones(model.n_links, bool)
        leaf[parents[1:]] = False
        floats, masses = np.zeros(model.n_links, bool), model.parameter("mass")
        for joint in model.joints:
            beneath, slides = parents[joint.index], joint.type == "prismatic" and masses[joint.index] == 0
            floats[joint.index] = joint.type in ("free", "planar") or slides and (beneath == 0 or floats[beneath])
        ends, offsets = _ends(model, leaf)
        # points are the origins of links, then the ends
        self.frames = np.concatenate([np.arange(model.n_links), ends[:, 1]])
        self.offsets = np.concatenate([np.zeros((model.n_links, 3)), offsets])
        self.paths = _paths(parents, floats)
        tips = []
        for k, link in enumerate(ends[:, 0]):
            tips.append(model.n_links + k)
            self.paths.append(np.array([link, tips[-1]]))
        has_end = np.zeros(model.n_links, bool)
        has_end[ends[:, 0]] = True
        self.tips = np.concatenate([np.flatnonzero(leaf[1:] & ~has_end[1:]) + 1, tips]).astype(int)
        self._thin()

    def _thin(self) -> None:
        """Keeps the points that paths go through, and every so many of long paths."""
        total = sum(len(path) for path in self.paths)
        every = -(-total // MOST_POINTS)
        self.paths = [
            np.concatenate([path[:-1:every], path[-1:]]) if len(path) > 2 else path for path in self.paths
        ]
        kept = np.unique(np.concatenate([*self.paths, self.tips])) if self.paths else np.zeros(1, int)
        place = np.zeros(len(self.frames), int)
        place[kept] = np.arange(len(kept))
        self.paths = [place[path] for path in self.paths]
        self.tips = place[self.tips]
        self.frames, self.offsets = self.frames[kept], self.offsets[kept]

    def positions(self, model: Model, q: Array) -> Array:
        """Where the points are in states ``q [states, nq]``: ``[states, points, 3]`` m in the world."""
        x = np.empty((len(q), len(self.frames), 3), np.float32)
        rows = max(1, int(_MEMORY / (12 * model.n_frames)))
        for begin in range(0, len(q), rows):
            pose = forward_kinematics(model, q[begin : begin + rows])[:, self.frames]
            x[begin : begin + rows] = pose[..., 3] + np.einsum("spij,pj->spi", pose[..., :3], self.offsets)
        return x


def _paths(parents: Indices, floats: NDArray[np.bool_]) -> list[Indices]:
    """Links are numbered depth first: a path continues while each link is a child of the previous one."""
    links = np.arange(1, len(parents))
    breaks = links[(parents[1:] != links - 1) | floats[1:]]
    starts: Indices = np.unique(np.concatenate([[1], breaks])) if len(links) else links
    paths = []
    for begin, end in zip(starts, [*starts[1:], len(parents)]):
        path = np.arange(begin, end)
        if not floats[begin]:
            path = np.concatenate([[parents[begin]], path])
        if len(path) > 1:
            paths.append(path)
    return paths


def _ends(model: Model, leaf: NDArray[np.bool_]) -> tuple[Indices, Array]:
    """What leaves end with: (link, frame) ``[ends, 2]`` and the offset ``[ends, 3]`` from the frame's origin."""
    pose = forward_kinematics(model, neutral_configuration(model))
    links = np.asarray(model.frame_links)
    ends = [
        (int(links[f]), f)
        for f in range(model.n_links, model.n_frames)
        if leaf[links[f]] and np.linalg.norm(pose[f, :, 3] - pose[links[f], :, 3]) > 1e-6
    ]
    offsets = [np.zeros(3)] * len(ends)
    done = {link for link, _ in ends}
    mass, com, inertia = (model.parameter(name) for name in ("mass", "com", "inertia"))
    for link in np.flatnonzero(leaf):
        far = np.linalg.norm(com[link])
        if link in done or link == 0 or far < 1e-6 or mass[link] <= 0:
            continue
        along = com[link] / far
        xx, xy, xz, yy, yz, zz = inertia[link]
        about = along @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ along
        across = (xx + yy + zz - about) / 2
        half = np.sqrt(max(0.0, 3 * (across - about / 2) / mass[link]))  # of a rod: m (2 half)^2 / 12
        ends.append((int(link), int(link)))
        offsets.append(com[link] + min(half, far) * along)
    return np.array(ends, int).reshape(-1, 2), np.array(offsets).reshape(-1, 3)
