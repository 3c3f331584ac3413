# SPDX-License-Identifier: Apache-2.0
"""Triangles of simple shapes, to be scaled: vertices ``[n, 3]`` and faces ``[m, 3]``, seen from outside."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tandem._view.skeleton import Indices
from tandem.functions import Array

Mesh: TypeAlias = tuple[Array, Indices]
_AROUND = 28  # corners of what is round


def box() -> Mesh:
    """From -1 to 1 along each axis. Every face has corners of its own, so that edges look sharp."""
    vertices: list[Array] = []
    faces: list[list[list[int]]] = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            a, b = np.eye(3)[(axis + 1) % 3], side * np.eye(3)[(axis + 2) % 3]
            middle, first = side * np.eye(3)[axis], 4 * len(faces)
            vertices += [middle - a - b, middle + a - b, middle + a + b, middle - a + b]
            faces.append([[first, first + 1, first + 2], [first, first + 2, first + 3]])
    return np.array(vertices), np.array(faces).reshape(-1, 3)


def ball() -> Mesh:
    """Of radius 1."""
    return _lathe(np.linspace(-np.pi / 2, np.pi / 2, _AROUND // 2 + 1))


def cylinder() -> Mesh:
    """About z, of radius 1, from -1 to 1."""
    ring = _ring(_AROUND)
    walls = np.concatenate([np.column_stack([ring, np.full(_AROUND, z)]) for z in (-1.0, 1.0)])
    k, after = np.arange(_AROUND), (np.arange(_AROUND) + 1) % _AROUND
    faces = [np.column_stack([k, after, _AROUND + after]), np.column_stack([k, _AROUND + after, _AROUND + k])]
    for first, middle, z in ((2 * _AROUND, 4 * _AROUND, -1.0), (3 * _AROUND, 4 * _AROUND + 1, 1.0)):
        walls = np.concatenate([walls, np.column_stack([ring, np.full(_AROUND, z)])])
        corners = [first + k, first + after] if z > 0 else [first + after, first + k]
        faces.append(np.column_stack([np.full(_AROUND, middle), *corners]))
    return np.concatenate([walls, [[0, 0, -1.0], [0, 0, 1.0]]]), np.concatenate(faces)


def capsule(radius: float, half: float) -> Mesh:
    """About z: a cylinder of half that length with a half ball at each end."""
    below = np.linspace(-np.pi / 2, 0, _AROUND // 4 + 1)
    vertices, faces = _lathe(np.concatenate([below, -below[::-1]]))
    upper = np.arange(len(vertices)) >= len(vertices) // 2
    vertices = radius * vertices
    vertices[:, 2] += np.where(upper, half, -half)
    return vertices, faces


def _ring(corners: int) -> Array:
    angle = 2 * np.pi * np.arange(corners) / corners
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _lathe(latitudes: Array) -> Mesh:
    """Rings at latitudes of a ball, from the south pole to the north pole."""
    ring = _ring(_AROUND)
    vertices = np.concatenate([np.column_stack([np.cos(t) * ring, np.full(_AROUND, np.sin(t))]) for t in latitudes])
    k, after = np.arange(_AROUND), (np.arange(_AROUND) + 1) % _AROUND
    faces = []
    for row in range(len(latitudes) - 1):
        below, above = row * _AROUND, (row + 1) * _AROUND
        faces += [np.column_stack([below + k, below + after, above + after]),
                  np.column_stack([below + k, above + after, above + k])]  # fmt: skip
    return vertices, np.concatenate(faces)
