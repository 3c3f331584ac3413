# SPDX-License-Identifier: Apache-2.0
"""Light, shadow and the ground of a scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from tandem._view.bodies import Capsules, Solids
from tandem._view.raycast import Camera, Hits, look
from tandem.functions import Array

_MAP = 512  # pixels of the shadow's picture in each direction
_AMBIENT, _SUN, _GLOSS = 0.46, 0.68, 0.16
_SHADE = 0.42  # of the ground's light that a shadow takes
_LINE, _INK = 0.012, 0.24  # half width of the ground's lines, in cells; light that they take
_SIGHT = 2.4  # radii of what is shown: the ground's lines fade over that distance


def linear(colour: Any) -> Array:
    """Light of colours ``[..., 3]`` that are as screens have them, 0 to 1."""
    return np.asarray(colour, np.float64) ** 2.2


def screen(light: Array) -> Array:
    """Bytes of light ``[..., 3]``."""
    return np.asarray(np.round(255 * np.clip(light, 0, 1) ** (1 / 2.2)), np.uint8)


def frame_of(forward: Array, up: Array) -> tuple[Array, Array, Array]:
    """Right, up and forward of who looks along ``forward``."""
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, up)
    if np.linalg.norm(right) < 1e-9:
        right = np.cross(forward, np.roll(up, 1))
    right /= np.linalg.norm(right)
    return right, np.cross(right, forward), forward


class Sun:
    """Parallel light onto a ball that holds all shapes, and the shadows in it."""

    def __init__(self, toward: Array, up: Array, middle: Array, radius: float) -> None:
        self.middle = middle
        self.toward = toward / np.linalg.norm(toward)
        eye = middle + 4 * radius * self.toward
        scale = 0.47 * _MAP / radius
        self._camera = Camera(eye, *frame_of(-self.toward, up), scale=scale, size=(_MAP, _MAP), parallel=True)
        self._texel = 1 / scale

    def shine(self, capsules: Capsules, solids: Solids) -> None:
        """Finds the shadows of a pose."""
        from PIL import Image, ImageFilter

        hits = look(self._camera, capsules, solids)
        depth = np.full(_MAP * _MAP, np.inf)
        depth[hits.pixel] = hits.along
        self._depth = depth.reshape(_MAP, _MAP)
        mask = Image.fromarray((255 * np.isfinite(self._depth)).astype(np.uint8))
        self._soft = np.asarray(mask.filter(ImageFilter.GaussianBlur(2.2)), np.float64) / 255

    def where(self, x: Array) -> Array:
        """Places ``[n, 2]`` of points in the picture of shadows, pixels."""
        return np.asarray(np.clip(self._camera.project(x)[0] - 0.5, 0, _MAP - 1.001))

    def bounds(self) -> tuple[Array, Array]:
        """The box of :meth:`where` outside of which there is no shadow."""
        i, j = np.nonzero(self._soft)
        if not len(i):
            return np.zeros(2), np.full(2, -1.0)
        return np.array([j.min(), i.min()]) - 1, np.array([j.max(), i.max()]) + 1

    def on_ground(self, where: Array) -> Array:
        """How much of the light is taken, 0 to 1, at places of :meth:`where`, all shapes being above them."""
        low = where.astype(int)
        x, y = (where - low).T
        i, j = low[:, 1], low[:, 0]
        soft = self._soft
        above, below = (soft[i + k, j] * (1 - x) + soft[i + k, j + 1] * x for k in (0, 1))
        return np.asarray(above * (1 - y) + below * y)

    def on_shapes(self, x: Array, normal: Array) -> Array:
        """How much of the light is taken at points of shapes; looked at a little above them, where they are not."""
        x = x + 2.5 * self._texel * normal
        where = self.where(x)
        depth = (x - self._camera.eye) @ self._camera.forward - self._texel
        taken = np.zeros(len(x))
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                j = np.clip(np.round(where[:, 0] + dx).astype(int), 0, _MAP - 1)
                i = np.clip(np.round(where[:, 1] + dy).astype(int), 0, _MAP - 1)
                taken += depth > self._depth[i, j]
        return np.asarray(taken / 9)


class Ground:
    """A plane across ``up``, ``height`` along it, with lines ``cell`` apart that fade into the distance.

    Attributes:
        along: how far the ray of every pixel goes to it, infinite where it does not meet it
    """

    along: Array

    def __init__(
        self, camera: Camera, sun: Sun, up: Array, height: float, cell: float, radius: float, sky: Array
    ) -> None:
        y, x = np.divmod(np.arange(camera.size[0] * camera.size[1]), camera.size[0])
        origin, way = camera.rays(x, y)
        fall = way @ up
        with np.errstate(divide="ignore"):
            along = (height - origin @ up) / fall
        self._seen = np.isfinite(along) & (along > 0)
        self.along = np.where(self._seen, along, np.inf)
        point = origin + np.where(self._seen, along, 0)[:, None] * way
        self._place = sun.where(point)
        across, ahead, _ = frame_of(-up, np.roll(up, 1))
        pixel = np.where(self._seen, along, 1) / camera.scale / np.maximum(np.abs(fall), 0.05)  # m on the ground
        line = np.zeros(len(x))
        for axis in (across, ahead):
            places = point @ axis / cell
            off = np.abs(places - np.round(places)) * cell
            line = np.maximum(line, np.clip((_LINE * cell - off) / pixel + 0.5, 0, 1))
        middle = sun.middle - (sun.middle @ up - height) * up
        far = np.linalg.norm(point - middle, axis=1) / radius
        fade = np.where(self._seen, np.exp(-((far / _SIGHT) ** 2)), 0)
        self.colour = sky * (1 - _INK * line * fade)[:, None]

    def with_shadows(self, sun: Sun) -> Array:
        """Its light ``[pixels, 3]`` under what casts shadows."""
        light = self.colour.copy()
        low, high = sun.bounds()
        dark = np.flatnonzero(((self._place >= low) & (self._place <= high)).all(axis=1) & self._seen)
        light[dark] *= 1 - _SHADE * sun.on_ground(self._place[dark])[:, None]
        return light


def lit(hits: Hits, colour: Array, camera: Camera, sun: Sun, up: Array) -> Array:
    """Light ``[n, 3]`` of surfaces of colours ``[n, 3]``."""
    way = hits.point - camera.eye
    way = way / np.linalg.norm(way, axis=1, keepdims=True)
    facing = hits.normal @ sun.toward
    sun_light = np.clip(facing, 0, 1) * (1 - sun.on_shapes(hits.point, hits.normal))
    sky = 0.5 + 0.5 * (hits.normal @ up)
    half = sun.toward - way
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    gloss = np.clip(np.einsum("ij,ij->i", hits.normal, half), 0, 1) ** 40 * (sun_light > 0)
    rim = np.clip(1 + np.einsum("ij,ij->i", hits.normal, way), 0, 1) ** 3
    light = _AMBIENT * (0.55 + 0.45 * sky) + _SUN * sun_light
    return np.asarray(colour * light[:, None] + (_GLOSS * gloss + 0.06 * rim)[:, None])
