# SPDX-License-Identifier: Apache-2.0
"""Films of robots as solid bodies, with light and shadow.

>>> arm = tandem.load("arm7")
>>> q = np.linspace(0, 1, 20)[:, None] * np.ones(arm.nq)
>>> scene = tandem.scene.Scene(size=(320, 240))
>>> scene.add(arm, q, trace="tool0")
>>> scene.save("arm.webp", fps=20)  # doctest: +SKIP
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tandem._common.arguments import finite_numbers, whole_number
from tandem._common.files import replacing
from tandem._core import Model
from tandem._view.axes import up_of
from tandem._view.bodies import Capsules, Figure, Solids
from tandem._view.raycast import Camera, look
from tandem._view.shading import Ground, Sun, frame_of, linear, lit, screen
from tandem._view.skeleton import Indices
from tandem.errors import Error
from tandem.functions import Array, forward_kinematics

FILMS, PICTURES = (".webp", ".gif"), (".png", ".jpg")
_FINE = 2  # rays across a pixel in each direction
_FIELD = np.deg2rad(26)  # of view, the shorter side
_WEBP = {"quality": 80, "method": 4}
_TRACE = 0.005  # thickness of a trace, in its extents

Progress = Callable[[int, int], None]


_Shapes = TypeVar("_Shapes", Capsules, Solids)


class Scene:
    """Films of robots in motion on a ground plane.

    They are drawn with NumPy and written by Pillow. The vertical is opposite to the gravity of the last added robot.

    Args:
        size: width and height, pixels
        azimuth: direction of view, degrees about the vertical; 0: along x
        elevation: degrees above the horizon
        zoom: 1 shows the whole motion; larger values are closer
        ground: height of the ground, m; None: no ground
        cell: distance of lines on the ground, m
        background: its colour, as ``"#f4f5f7"`` or a name
    """

    def __init__(
        self,
        *,
        size: tuple[int, int] = (640, 400),
        azimuth: float = 55,
        elevation: float = 18,
        zoom: float = 1.0,
        ground: float | None = 0.0,
        cell: float = 0.25,
        background: str = "#f6f7f9",
    ) -> None:
        if importlib.util.find_spec("PIL") is None:
            raise Error("scenes need Pillow: pip install pillow")
        if min(size) < 16 or max(size) > 8192:
            raise Error(f"Scene: size is {size[0]}x{size[1]}, expected 16 to 8192 pixels in each direction")
        if not (zoom > 0 and cell > 0):
            raise Error(f"Scene: zoom is {zoom} and cell is {cell}, expected positive numbers")
        self._size, self._azimuth, self._elevation, self._zoom = size, azimuth, elevation, zoom
        self._ground, self._cell, self._background = ground, cell, background
        self._solids: list[Solids] = []
        self._capsules: list[Capsules] = []
        self._traces: list[tuple[Array, float, Array, int]] = []
        self._solid_colours: list[Array] = []
        self._capsule_colours: list[Array] = []
        self._pictures = 0
        self._up = np.array([0.0, 0.0, 1.0])

    def add(
        self,
        model: Model,
        q: Array,
        *,
        at: Sequence[float] = (0, 0, 0),
        radius: float | None = None,
        colour: str | Sequence[str] = "#e8e4de",
        bones: str = "#4b5563",
        trace: str | None = None,
        trace_colour: str = "#e4572e",
        tail: int | None = None,
    ) -> None:
        """Add a robot with one configuration per picture.

        Each link is drawn as the uniform ball, cylinder or box of its mass and inertia, with bones between the joints.
        With ``radius``, only bones of this radius are drawn.

        Args:
            model: the robot
            q: configurations ``[pictures, nq]``
            at: position of its base, m
            radius: radius of the bones, m; links are not drawn
            colour: colour of the links, or several from the base to the last link
            bones: colour of the bones between bodies
            trace: name of a frame whose path is drawn
            trace_colour: colour of the path
            tail: length of the path in pictures, for a film that is a loop; None: the whole path
        """
        q = np.asarray(q, np.float64)
        if q.ndim != 2 or q.shape[1] != model.nq or len(q) == 0:
            raise Error(f"add: q has the shape {q.shape}, expected (pictures, {model.nq})")
        if self._pictures not in (0, len(q)):
            raise Error(f"add: q has {len(q)} frames, earlier robots have {self._pictures}")
        finite_numbers("add: q", q)
        if radius is not None and not radius > 0:
            raise Error(f"add: radius is {radius}, expected a positive number")
        figure, shift = Figure(model, radius), np.asarray(at, np.float64)
        if figure.is_empty:
            raise Error(f"add: {model.name} has no moving link with an extent to draw")
        shades = np.array([_colour(name) for name in ([colour] if isinstance(colour, str) else colour)])
        capsules, solids = figure.bones(q), figure.solids(q)
        capsules.begin += shift
        capsules.end += shift
        solids.centre += shift
        along_bones, along_bodies = figure.depths
        self._capsules.append(capsules)
        self._capsule_colours.append(_ramp(_colour(bones)[None] if radius is None else shades, along_bones))
        self._solids.append(solids)
        self._solid_colours.append(_ramp(shades, along_bodies))
        if trace is not None:
            way = forward_kinematics(model, q)[:, model.frame_index(trace), :, 3] + shift
            thick = _TRACE * float(np.linalg.norm(np.ptp(way, axis=0)))
            back = len(q) if tail is None else whole_number("add: tail", tail, 1)
            self._traces.append((way, thick, _colour(trace_colour), min(back, len(q))))
        axis, sign = up_of(model)
        self._up, self._pictures = sign * np.eye(3)[axis], len(q)

    def save(self, path: str | os.PathLike[str], *, fps: float = 25, progress: Progress | None = None) -> None:
        """Write a film that repeats, ``.webp`` or ``.gif``, or a picture of the first configuration.

        Args:
            path: file to write, ``.webp``, ``.gif``, ``.png`` or ``.jpg``
            fps: pictures per second
            progress: called with the number of finished pictures and of all pictures
        """
        ending = Path(path).suffix.lower()
        if ending not in PICTURES + FILMS:
            raise Error(f"{path}: expected a video ({', '.join(FILMS)}) or a picture ({', '.join(PICTURES)})")
        if not Path(path).absolute().parent.is_dir():
            raise Error(f"{path}: no such folder: {Path(path).parent}")
        if not 0 < fps <= 1000:
            raise Error(f"{path}: fps is {fps}, expected a positive number up to 1000")
        from PIL import Image

        pictures = (Image.fromarray(picture) for picture in self.pictures(progress))
        first = next(pictures)
        with replacing(path) as beside:
            if ending in PICTURES:
                first.save(beside)
                return
            more: dict[str, Any] = _WEBP if ending == ".webp" else {}
            first.save(beside, save_all=True, append_images=pictures, duration=round(1000 / fps), loop=0, **more)

    def pictures(self, progress: Progress | None = None) -> Iterator[Array]:
        """Yield the pictures, bytes ``[height, width, 3]``."""
        if not self._pictures:
            raise Error("pictures: the scene has no robots")
        width, height = self._size
        camera, middle, radius = self._camera()
        sun = Sun(self._sunward(), self._up, middle, radius)
        sky = _colour(self._background)
        ground = None
        if self._ground is not None:
            ground = Ground(camera, sun, self._up, self._ground, self._cell, radius, sky)
        colours = np.concatenate([*self._capsule_colours, *self._solid_colours])
        for k in range(self._pictures):
            capsules, solids = self._pose(k)
            sun.shine(capsules, solids)
            traces, trace_colours = self._ways(k)
            shown = _join([traces, capsules])
            hits = look(camera, shown, solids)
            light = np.broadcast_to(sky, (camera.size[0] * camera.size[1], 3)).copy()
            if ground is not None:
                light = ground.with_shadows(sun)
                hits = hits.where(hits.along < ground.along[hits.pixel])
            paint = np.concatenate([trace_colours, colours])[hits.shape]
            light[hits.pixel] = lit(hits, paint, camera, sun, self._up)
            fine = np.clip(light, 0, 1).reshape(height, _FINE, width, _FINE, 3)
            yield screen(fine.mean(axis=(1, 3)))
            if progress is not None:
                progress(k + 1, self._pictures)

    def _pose(self, k: int) -> tuple[Capsules, Solids]:
        capsules = [Capsules(c.radius, c.begin[k], c.end[k]) for c in self._capsules]
        solids = [Solids(s.round, s.half, s.edge, s.centre[k], s.axes[k]) for s in self._solids]
        return _join(capsules), _join(solids)

    def _ways(self, k: int) -> tuple[Capsules, Array]:
        """The traces as they are at a picture, thinner the longer ago where they do not go all the way round."""
        ways = [Capsules(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3)))]
        colours = [np.zeros((0, 3))]
        for way, thick, colour, tail in self._traces:
            steps: Indices = np.arange(k - tail, k)
            thin = np.linspace(0.25, 1, tail) if tail < len(way) else np.ones(tail)
            ways.append(Capsules(thick * thin, way[steps % len(way)], way[(steps + 1) % len(way)]))
            colours.append(np.broadcast_to(colour, (tail, 3)))
        return _join(ways), np.concatenate(colours)

    def _camera(self) -> tuple[Camera, Array, float]:
        """A camera that holds the whole motion, and the ball that does."""
        balls = [(c.begin, c.radius) for c in self._capsules] + [(c.end, c.radius) for c in self._capsules]
        balls += [(s.centre, np.linalg.norm(s.half, axis=1)) for s in self._solids]
        points = np.concatenate([x.reshape(-1, 3) for x, _ in balls])
        reach = np.concatenate([np.broadcast_to(radius, x.shape[:2]).ravel() for x, radius in balls])
        low, high = (points - reach[:, None]).min(axis=0), (points + reach[:, None]).max(axis=0)
        middle = centre = (low + high) / 2
        radius = float((np.linalg.norm(points - middle, axis=1) + reach).max())
        rise = np.deg2rad(self._elevation)
        right, up, forward = frame_of(np.cos(rise) * self._ahead() - np.sin(rise) * self._up, self._up)
        size = (_FINE * self._size[0], _FINE * self._size[1])
        scale = min(size) / 2 / np.tan(_FIELD / 2)
        # moved back until all points are in the picture, in its middle
        distance = radius / np.sin(_FIELD / 2) * 3
        for _ in range(12):
            camera = Camera(middle - distance * forward, right, up, forward, scale, size)
            where, pixels = camera.project(points)
            margin = (reach * pixels)[:, None]
            least, most = (where - margin).min(axis=0), (where + margin).max(axis=0)
            off = ((least + most) / 2 - np.array(size) / 2) / (scale / distance)
            middle = middle + off[0] * right - off[1] * up
            distance *= max(0.3, float(((most - least) / (0.94 * np.array(size))).max()))
        distance /= self._zoom
        return Camera(middle - distance * forward, right, up, forward, scale, size), centre, radius * 1.05

    def _ahead(self) -> Array:
        """Along the ground, the way that the camera looks."""
        turn, way = np.deg2rad(self._azimuth), np.zeros(3)
        way[np.flatnonzero(self._up == 0)] = np.cos(turn), np.sin(turn)
        return way

    def _sunward(self) -> Array:
        """From behind the viewer's left shoulder, high."""
        ahead = self._ahead()
        return np.asarray(1.5 * self._up - 0.75 * ahead - 0.8 * np.cross(ahead, self._up))


def _join(parts: Sequence[_Shapes]) -> _Shapes:
    """All shapes of one kind."""
    rows = zip(*([getattr(part, field.name) for field in fields(part)] for part in parts))
    return type(parts[0])(*map(np.concatenate, rows))


def _colour(name: str) -> Array:
    """The light of a colour."""
    from PIL import ImageColor

    try:
        return linear(np.array(ImageColor.getrgb(name)[:3]) / 255)
    except ValueError:
        raise Error(f"colour is {name!r}, expected one like '#e76f51' or a name of CSS") from None


def _ramp(shades: Array, along: Array) -> Array:
    """Colours ``[n, 3]`` at places from 0 to 1 along the shades."""
    places = np.linspace(0, 1, len(shades))
    return np.stack([np.interp(along, places, shades[:, c]) for c in range(3)], axis=1)
