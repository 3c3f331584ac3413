# SPDX-License-Identifier: Apache-2.0
"""Draws capsules and rounded solids on a ground: for every pixel the nearest surface, its light and its shadow."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tandem._view.bodies import Capsules, Solids
from tandem._view.skeleton import Indices
from tandem.functions import Array

_STEPS = 24  # towards a rounded solid, each as far as its distance
_PAIRS = 2_000_000  # pixels times shapes that are looked at together


@dataclass
class Camera:
    """Looks from ``eye`` along ``forward``; parallel light if ``distance`` is infinite."""

    eye: Array  #: ``[3]`` m
    right: Array  #: ``[3]`` unit vectors
    up: Array
    forward: Array
    scale: float  #: pixels per tangent of an angle, or per metre in parallel light
    size: tuple[int, int]  #: pixels
    parallel: bool = False

    def project(self, x: Array) -> tuple[Array, Array]:
        """Where points ``[..., 3]`` are in the picture, pixels ``[..., 2]``, and how many pixels a metre is there."""
        there = x - self.eye
        scale = np.full(there.shape[:-1], self.scale)
        if not self.parallel:
            scale = self.scale / np.maximum(there @ self.forward, 1e-6)
        across = np.stack([there @ self.right, -(there @ self.up)], axis=-1)
        return across * scale[..., None] + np.array(self.size) / 2, scale

    def rays(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Origins and directions ``[n, 3]`` of the rays through pixels."""
        across = (x + 0.5 - self.size[0] / 2)[:, None] * self.right
        down = (y + 0.5 - self.size[1] / 2)[:, None] * self.up
        offset = (across - down) / self.scale
        if self.parallel:
            return self.eye + offset, np.broadcast_to(self.forward, offset.shape)
        way = self.forward + offset
        return np.broadcast_to(self.eye, way.shape), way / np.linalg.norm(way, axis=-1, keepdims=True)


@dataclass
class Hits:
    """What the pixels see: the nearest surface of each one that sees any."""

    pixel: Indices  #: ``[n]`` row * width + column
    along: Array  #: ``[n]`` m from the ray's origin
    point: Array  #: ``[n, 3]`` m
    normal: Array  #: ``[n, 3]``
    shape: Indices  #: ``[n]`` capsules first, then solids

    def where(self, chosen: Any) -> Hits:
        """The chosen of them."""
        return Hits(*(getattr(self, field.name)[chosen] for field in fields(self)))


def _dot(a: Array, b: Array) -> Any:
    return np.einsum("...i,...i->...", a, b)


def _boxes(camera: Camera, points: Array, reach: Array) -> tuple[Indices, Indices]:
    """Pixels ``[n, 2]`` from and to that hold balls of radius ``reach [n]`` about points ``[n, k, 3]``."""
    where, scale = camera.project(points)
    margin = 1.15 * reach[:, None] * scale + 1
    limit = np.array(camera.size)
    low = np.clip(np.floor((where - margin[..., None]).min(axis=1)), 0, limit).astype(int)
    high = np.clip(np.ceil((where + margin[..., None]).max(axis=1)), 0, limit).astype(int)
    return low, high


def _pairs(low: Indices, high: Indices) -> Any:
    """Chunks of (shape, x, y) over all pixels in boxes."""
    width = high - low
    count = width.prod(axis=1)
    ends = np.cumsum(count)
    begin = 0
    while begin < len(count):
        done = ends[begin - 1] if begin else 0
        stop = max(begin + 1, int(np.searchsorted(ends, done + _PAIRS)))
        shape = np.repeat(np.arange(begin, stop), count[begin:stop])
        if len(shape):
            k = np.arange(len(shape)) - (ends[shape] - count[shape] - done)
            yield shape, low[shape, 0] + k % width[shape, 0], low[shape, 1] + k // width[shape, 0]
        begin = stop


def _meet_capsules(capsules: Capsules, k: Indices, origin: Array, way: Array) -> tuple[Array, Array]:
    """Where rays first meet capsules, and which way their surface looks there; infinite where they miss."""
    begin, end, radius = capsules.begin[k], capsules.end[k], capsules.radius[k]
    axis = end - begin
    length = np.linalg.norm(axis, axis=-1)
    axis = axis / np.maximum(length, 1e-12)[:, None]
    away = origin - begin
    best = np.full(len(k), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        # the cylinder: across the axis the ray is a ray in a plane
        flat_away = away - _dot(away, axis)[:, None] * axis
        flat_way = way - _dot(way, axis)[:, None] * axis
        a, b, c = _dot(flat_way, flat_way), _dot(flat_way, flat_away), _dot(flat_away, flat_away) - radius**2
        along = (-b - np.sqrt(b * b - a * c)) / a
        height = _dot(away, axis) + along * _dot(way, axis)
        good = (height >= 0) & (height <= length) & (along > 0)
        best[good] = along[good]
        for tip in (begin, end):
            b = _dot(way, origin - tip)
            c = _dot(origin - tip, origin - tip) - radius**2
            along = -b - np.sqrt(b * b - c)
            best = np.where((along > 0) & (along < best), along, best)
    seen = np.isfinite(best)
    point = origin + np.where(seen, best, 0)[:, None] * way
    height = np.clip(_dot(point - begin, axis), 0, length)
    normal = point - begin - height[:, None] * axis
    return best, normal / np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-12)


def _distance(p: Array, round_: Any, core: Array, edge: Array) -> tuple[Array, Array]:
    """From points in bodies' axes to their surface, m, and the way out; ``core``: half lengths without the edge."""
    out = np.abs(p) - core
    radial = np.hypot(p[:, 0], p[:, 1])
    out[:, 0] = np.where(round_, radial - core[:, 0], out[:, 0])
    out[:, 1] = np.where(round_, -np.inf, out[:, 1])
    outside = np.maximum(out, 0)
    deep = np.minimum(out.max(axis=1), 0)
    distance = np.linalg.norm(outside, axis=1) + deep - edge
    sign = np.sign(p)
    normal = outside * sign
    turn = p[:, :2] / np.maximum(radial, 1e-12)[:, None]
    normal[:, :2] = np.where(round_[:, None], outside[:, :1] * turn, normal[:, :2])
    return distance, normal


def _meet_solids(solids: Solids, k: Indices, origin: Array, way: Array) -> tuple[Array, Array]:
    """As _meet_capsules: rays advance by the distance to the surface until there is none left."""
    axes = solids.axes[k]
    start = np.einsum("nij,ni->nj", axes, origin - solids.centre[k])
    along_way = np.einsum("nij,ni->nj", axes, way)
    reach = np.linalg.norm(solids.half, axis=1)
    core = solids.half - solids.edge[:, None]
    b = _dot(start, along_way)
    inside = b * b - _dot(start, start) + reach[k] ** 2
    best, normal = np.full(len(k), np.inf), np.zeros((len(k), 3))
    live = np.flatnonzero((inside > 0) & (b < 0))
    along = -b[live] - np.sqrt(inside[live])
    fine = 2e-3 * solids.half.min(axis=1)
    for _ in range(_STEPS):
        which = k[live]
        p = start[live] + along[:, None] * along_way[live]
        distance, out = _distance(p, solids.round[which], core[which], solids.edge[which])
        hit = distance < fine[which]
        best[live[hit]] = along[hit]
        normal[live[hit]] = out[hit]
        going = ~hit & (along < -b[live] + reach[which])
        live, along = live[going], (along + distance)[going]
        if not len(live):
            break
    normal = np.einsum("nij,nj->ni", axes, normal)
    return best, normal / np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-12)


def _corners(solids: Solids) -> Array:
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8)
    return np.asarray(solids.centre[:, None] + np.einsum("nij,nj,jk->nki", solids.axes, solids.half, signs))


def look(camera: Camera, capsules: Capsules, solids: Solids) -> Hits:
    """What a camera sees of shapes in one pose: ``begin``, ``end`` and ``centre`` are ``[n, 3]``."""
    ends = np.stack([capsules.begin, capsules.end], axis=1)
    none, nowhere = np.zeros(0, int), np.zeros((0, 3))
    found: list[tuple[Any, ...]] = [(none, np.zeros(0), nowhere, nowhere, none)]
    for boxes, meet, shapes, first in (
        (_boxes(camera, ends, capsules.radius), _meet_capsules, capsules, 0),
        (_boxes(camera, _corners(solids), np.zeros(len(solids.half))), _meet_solids, solids, len(capsules.radius)),
    ):
        for k, x, y in _pairs(*boxes):
            origin, way = camera.rays(x, y)
            along, normal = meet(shapes, k, origin, way)  # type: ignore[arg-type]
            seen = np.isfinite(along)
            point = origin[seen] + along[seen, None] * way[seen]
            found.append((y[seen] * camera.size[0] + x[seen], along[seen], point, normal[seen], k[seen] + first))
    pixel, along, point, normal, shape = (np.concatenate(parts) for parts in zip(*found))
    order = np.lexsort((along, pixel))
    nearest = np.ones(len(order), bool)
    nearest[1:] = np.diff(pixel[order]) != 0
    return Hits(pixel, along, point, normal, shape).where(order[nearest])
