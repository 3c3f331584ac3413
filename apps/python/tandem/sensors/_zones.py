# SPDX-License-Identifier: Apache-2.0
"""Zones of touch sensors: solids, and whether half-lines meet them."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tandem.errors import Error
from tandem.functions import Array

ZoneType: TypeAlias = Literal["sphere", "capsule", "ellipsoid", "cylinder", "box"]

#: how many numbers the size of a zone has
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}

_Interval: TypeAlias = tuple[Array, Array]


def checked(what: str, kind: str, size: tuple[float, ...]) -> None:
    """Raises Error for a type that there is not, or a size with too few numbers."""
    if kind not in SIZES:
        raise Error(f'{what}: type is "{kind}", expected one of {", ".join(SIZES)}')
    if len(size) != SIZES[kind] or not all(np.isfinite(x) and x > 0 for x in size):
        many = f"{SIZES[kind]} positive numbers" if SIZES[kind] > 1 else "one positive number"
        raise Error(f"{what}: size is {size}, expected {many} for a {kind}")


def hit(kind: str, size: tuple[float, ...], point: Array, along: Array) -> NDArray[np.bool_]:
    """Whether half-lines ``point + t along``, t >= 0, meet a solid at the origin; ``[..., 3]`` each, in its axes."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if kind != "capsule":
            return _ahead(_convex(kind, size, point, along))
        radius, half = size
        caps = [_ellipsoid(np.full(3, radius), point - [0, 0, end], along) for end in (-half, half)]
        return _ahead(_convex("cylinder", size, point, along)) | _ahead(caps[0]) | _ahead(caps[1])


def _ahead(inside: _Interval) -> NDArray[np.bool_]:
    begin, end = inside
    found: NDArray[np.bool_] = (begin <= end) & (end >= 0)
    return found


def _convex(kind: str, size: tuple[float, ...], point: Array, along: Array) -> _Interval:
    """Where the whole line is inside: from the first t to the second, which is the smaller one if it is nowhere."""
    if kind == "sphere":
        return _ellipsoid(np.full(3, size[0]), point, along)
    if kind == "ellipsoid":
        return _ellipsoid(np.array(size), point, along)
    if kind == "box":
        slabs = [_slab(half, point[..., k], along[..., k]) for k, half in enumerate(size)]
        return np.maximum.reduce([s[0] for s in slabs]), np.minimum.reduce([s[1] for s in slabs])
    round_, ends = (_ellipsoid(np.full(2, size[0]), point[..., :2], along[..., :2]),
                    _slab(size[1], point[..., 2], along[..., 2]))
    return np.maximum(round_[0], ends[0]), np.minimum(round_[1], ends[1])


def _ellipsoid(axes: Array, point: Array, along: Array) -> _Interval:
    """Of |(point + t along) / axes| <= 1, in as many dimensions as there are axes."""
    p, d = point / axes, along / axes
    a, b, c = (d * d).sum(axis=-1), (p * d).sum(axis=-1), (p * p).sum(axis=-1) - 1
    root = np.sqrt(b * b - a * c)  # NaN, which no interval contains, if the line passes by
    across = a > 0
    everywhere = np.where(c <= 0, np.inf, np.nan)
    return np.where(across, (-b - root) / a, -everywhere), np.where(across, (-b + root) / a, everywhere)


def _slab(half: float, point: Array, along: Array) -> _Interval:
    one, two = (-half - point) / along, (half - point) / along
    everywhere = np.where(np.abs(point) <= half, np.inf, np.nan)
    across = along != 0
    return np.where(across, np.minimum(one, two), -everywhere), np.where(across, np.maximum(one, two), everywhere)
