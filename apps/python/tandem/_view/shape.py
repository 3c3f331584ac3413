# SPDX-License-Identifier: Apache-2.0
"""A shape that is drawn on a link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tandem.functions import Array

#: Bytes of red, green and blue.
Colour = tuple[int, int, int]
PLAIN: Colour = (204, 207, 212)


@dataclass
class Shape:
    """A shape attached to a frame."""

    frame: int
    pose: Array  #: ``[3, 4]`` in that frame, m
    kind: str  #: ``"box"``, ``"cylinder"``, ``"sphere"``, ``"capsule"``, ``"mesh"``
    size: Array  #: ``[3]``: half lengths; of a capsule radius, radius and half of the length without its ends
    colour: Colour
    mesh: Any = None  #: trimesh.Trimesh, scaled


def bytes_of(rgba: Array) -> Colour:
    """Of colours from 0 to 1."""
    red, green, blue = (int(round(255 * min(max(float(x), 0), 1))) for x in rgba[:3])
    return red, green, blue
