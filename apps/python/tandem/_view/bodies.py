# SPDX-License-Identifier: Apache-2.0
"""What a model looks like: each link as the uniform body of its mass and inertia, bones between the joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tandem._core import Model
from tandem._view.skeleton import Indices, Skeleton
from tandem.configuration import neutral_configuration
from tandem.functions import Array, forward_kinematics

#: Moments of inertia are equal if they differ by no more than this part.
_ALIKE = 0.04
#: Edges of cylinders and boxes are rounded by these parts of a body's least half width.
_ROUNDING = (0.4, 0.75)
_BONE = 0.35  # radius of bones, as a part of the bodies' usual half width
_POST = 2.2  # as wide as other bones: those at the base, where there are bodies
_DOT = 0.02  # m: where a robot has no extent either
_SLIM = 0.01  # of the robot's extent: radius of bones where there is no body


@dataclass
class Solids:
    """Bodies with rounded edges: boxes, and cylinders along their z. One row a body."""

    round: Any  #: ``[n]`` whether it is a cylinder
    half: Array  #: ``[n, 3]`` half lengths along its axes, m
    edge: Array  #: ``[n]`` radius of its edges, m
    centre: Array  #: ``[..., n, 3]`` m
    axes: Array  #: ``[..., n, 3, 3]`` its axes in the world are the columns


@dataclass
class Capsules:
    """Cylinders with a half ball at each end. One row a capsule."""

    radius: Array  #: ``[n]`` m
    begin: Array  #: ``[..., n, 3]`` m
    end: Array  #: ``[..., n, 3]`` m


def uniform_body(mass: float, inertia: Array) -> tuple[bool, Array, Array] | None:
    """The uniform ball, cylinder or box of that mass and inertia ``[3, 3]`` about its centre.

    Returns:
        whether it is round about its z axis (a ball is, of edges as wide as itself), half lengths ``[3]`` and axes
        ``[3, 3]`` as columns; None where the numbers describe no body
    """
    if not mass > 0:
        return None
    moments, axes = np.linalg.eigh(inertia)
    if not moments[2] > 1e-12 * mass:
        return None
    if moments[2] - moments[0] <= _ALIKE * moments[2]:
        radius = np.sqrt(2.5 * moments.mean() / mass)
        return True, np.full(3, radius), np.eye(3)
    apart = np.diff(moments)
    if apart.min() <= _ALIKE * moments[2]:
        own = 0 if apart[1] < apart[0] else 2  # the axis of symmetry
        axes = np.roll(axes, 2 - own, axis=1)
        across = (moments.sum() - moments[own]) / 2
        radius = np.sqrt(2 * moments[own] / mass)
        length = np.sqrt(max(12 * across / mass - 3 * radius**2, 0))
        half = np.array([radius, radius, length / 2])
        return True, half, axes
    half = np.sqrt(np.maximum(1.5 * (moments.sum() - 2 * moments) / mass, 0))
    return False, half, axes


class Figure:
    """The shapes of a robot, to be put into one pose after the other.

    Attributes:
        depths: how far out bones and bodies are, from 0 to 1

    Args:
        model: the robot
        radius: of capsules along its bones, m; None gives every link the uniform body of its mass and inertia, with
            thin bones between
    """

    def __init__(self, model: Model, radius: float | None = None) -> None:
        self._model, self._skeleton = model, Skeleton(model)
        self._links: Indices = np.zeros(0, int)
        self._find_bodies(radius is None)
        if radius is None:
            thin = self._half.min(axis=1)
            radius = _BONE * float(np.median(thin)) if len(thin) else self._thickness()
        ends = [np.stack([path[:-1], path[1:]], axis=1) for path in self._strides(0.7 * radius)]
        self._bones: Indices = np.concatenate(ends) if ends else np.zeros((0, 2), int)
        self.depths = self._depths()
        self._radius = np.full(len(self._bones), radius)
        self._radius[(self._bones == 0).any(axis=1)] *= _POST if len(self._links) else 1

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to see."""
        return len(self._links) + len(self._bones) == 0

    def _find_bodies(self, wanted: bool) -> None:
        masses, inertias, centres = (self._model.parameter(name) for name in ("mass", "inertia", "com"))
        links: list[int] = []
        bodies: list[tuple[bool, Array, Array]] = []
        for link in range(1, self._model.n_links) if wanted else ():
            xx, xy, xz, yy, yz, zz = inertias[link]
            body = uniform_body(masses[link], np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
            if body is not None and body[1].min() > _SLIM * body[1].max():  # else its bone shows it
                links.append(link)
                bodies.append(body)
        self._links = np.array(links, int)
        self._round = np.array([round_ for round_, _, _ in bodies], np.bool_)
        self._half: Array = np.array([half for _, half, _ in bodies], np.float64).reshape(-1, 3)
        self._frames: Array = np.array([axes for _, _, axes in bodies], np.float64).reshape(-1, 3, 3)
        self._middles: Array = np.asarray(centres)[self._links]

    def _depths(self) -> tuple[Array, Array]:
        """How far out bones and bodies are, 0 at the base to 1."""
        out = np.zeros(self._model.n_links)
        for link, parent in enumerate(self._model.parents[1:], 1):
            out[link] = out[parent] + 1
        links = np.asarray(self._model.frame_links)[self._skeleton.frames[self._bones[:, 1]]]
        least, most = out[1:].min(initial=1), max(out.max(), 2)
        return (out[links] - least) / (most - least), (out[self._links] - least) / (most - least)

    def _strides(self, shortest: float) -> Iterator[Indices]:
        """The skeleton's paths, without points that are nearer together than that."""
        x = self._skeleton.positions(self._model, neutral_configuration(self._model)[None])[0]
        for path in self._skeleton.paths:
            kept = [path[0]]
            for point in path[1:-1]:
                if np.linalg.norm(x[point] - x[kept[-1]]) >= shortest:
                    kept.append(point)
            yield np.array([*kept, path[-1]])

    def _thickness(self) -> float:
        """Of bones where no body tells it."""
        x = self._skeleton.positions(self._model, neutral_configuration(self._model)[None])
        return _SLIM * float(np.ptp(x[0], axis=0).max()) or _DOT

    def solids(self, q: Array) -> Solids:
        """The bodies in states ``[states, nq]``."""
        pose = forward_kinematics(self._model, q)[:, self._links]
        turn = pose[..., :3]
        ball = np.ptp(self._half, axis=1) < 1e-9
        rounding = np.where(ball, 1.0, np.where(self._round, *_ROUNDING)) * self._half.min(axis=1)
        centre = pose[..., 3] + np.einsum("snij,nj->sni", turn, self._middles)
        return Solids(self._round, self._half, rounding, centre, turn @ self._frames)

    def bones(self, q: Array) -> Capsules:
        """The bones in states ``[states, nq]``."""
        x = self._skeleton.positions(self._model, q).astype(np.float64)
        return Capsules(self._radius, x[:, self._bones[:, 0]], x[:, self._bones[:, 1]])
