# SPDX-License-Identifier: Apache-2.0
"""Axes of a picture or film, in metres, that hold a whole motion, and what is drawn in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tandem._core import Model
from tandem._view.skeleton import Indices, Skeleton
from tandem.errors import Error
from tandem.functions import Array

VIEWS = ("auto", "xy", "xz", "yz", "3d")
INK, GRID, PALE = "#26282b", "#d9dce0", "#9aa0a6"
#: A motion that leaves its plane by no more than this part of its size is drawn in the plane.
_NEARLY_FLAT = 0.12
_CHUNKS = 48  # colours along a chain


def up_of(model: Model) -> tuple[int, int]:
    """The axis that is drawn upwards, and its sign: against gravity as near as an axis can be."""
    gravity = np.asarray(model.parameter("gravity"))
    if not gravity.any():
        return 2, 1
    axis = int(np.abs(gravity).argmax())
    return axis, -1 if gravity[axis] > 0 else 1


class View:
    """From which side a motion is seen: across a plane of two axes, or from above at a slant."""

    flat: bool  #: whether it is a plane
    across: tuple[int, int]  #: axes to the right and upwards, if flat
    up: int
    sign: int

    def __init__(self, model: Model, low: Array, high: Array, view: str) -> None:
        if view not in VIEWS:
            raise Error(f"view is {view!r}, expected {', '.join(VIEWS)}")
        self.up, self.sign = up_of(model)
        extent = high - low
        thin = int(extent.argmin())
        self.flat = view != "3d" and (view != "auto" or extent[thin] <= _NEARLY_FLAT * extent.max())
        if view in ("xy", "xz", "yz"):
            thin = 3 - sum("xyz".index(x) for x in view)
        axes = [k for k in range(3) if k != thin]
        if thin != self.up:
            axes.sort(key=lambda k: k == self.up)  # up last
        else:
            self.sign = 1
        self.across = (axes[0], axes[1])


class MotionAxes:
    """Axes around the box of a motion, of equal scale in all directions."""

    def __init__(self, figure: Any, place: Any, view: View, low: Array, high: Array) -> None:
        self.view = view
        middle, extent = (low + high) / 2, high - low
        size = max(float(extent.max()), 1e-3)
        if view.flat:
            self._flat(figure, place, middle, extent, size)
        else:
            self._solid(figure, place, middle, extent, size)
        self.axes.tick_params(colors=INK, labelsize=9)
        self._fix(figure)

    def _flat(self, figure: Any, place: Any, middle: Array, extent: Array, size: float) -> None:
        axes = self.axes = figure.add_subplot(place)
        a, b = self.view.across
        room = axes.get_window_extent()
        half = 0.54 * np.maximum(extent[[a, b]], 0.02 * size)
        metres = max(half[0] / room.width, half[1] / room.height)  # half of them, to a pixel
        axes.set_xlim(middle[a] - metres * room.width, middle[a] + metres * room.width)
        axes.set_ylim(middle[b] - metres * room.height, middle[b] + metres * room.height)
        axes.set_xlabel(f"{'xyz'[a]} [m]", color=INK)
        axes.set_ylabel(f"{'xyz'[b]} [m]", color=INK)
        if self.view.sign < 0:
            axes.invert_yaxis()
        axes.set_aspect("equal")
        axes.grid(color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        for side, spine in axes.spines.items():
            spine.set_visible(side in ("left", "bottom"))
            spine.set_color(PALE)

    def _solid(self, figure: Any, place: Any, middle: Array, extent: Array, size: float) -> None:
        axes = self.axes = figure.add_subplot(place, projection="3d", proj_type="ortho")
        half = 0.52 * np.maximum(extent, 0.35 * size)
        for k, limits, label in zip(
            range(3),
            (axes.set_xlim, axes.set_ylim, axes.set_zlim),
            (axes.set_xlabel, axes.set_ylabel, axes.set_zlabel),
        ):
            limits(middle[k] - half[k], middle[k] + half[k])
            label(f"{'xyz'[k]} [m]", color=INK)
        if self.view.sign < 0:
            (axes.invert_xaxis, axes.invert_yaxis, axes.invert_zaxis)[self.view.up]()
        axes.view_init(elev=16, azim=-58, vertical_axis="xyz"[self.view.up])
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.set_pane_color((0.975, 0.978, 0.982, 1.0))
            axis.line.set_color(PALE)
            axis._axinfo["grid"].update(color=GRID, linewidth=0.6)
        self._thin_ticks(half)
        self._fill(figure, half)

    def _fill(self, figure: Any, half: Array) -> None:
        """Makes the box, with its labels, as large as its place on the figure allows."""
        from matplotlib.transforms import Bbox

        axes, room, zoom = self.axes, self.axes.get_window_extent(), 1.0
        for _ in range(3):
            axes.set_box_aspect(half, zoom=zoom)
            figure.draw_without_rendering()
            renderer = figure.canvas.get_renderer()
            taken = Bbox.union(
                [axis.get_tightbbox(renderer) for axis in (axes.xaxis, axes.yaxis, axes.zaxis)]
            )
            # the middle stays where it is: the side that reaches out furthest decides
            middle, half_room = (room.p0 + room.p1) / 2, (room.p1 - room.p0) / 2
            zoom *= float((half_room / np.maximum(taken.p1 - middle, middle - taken.p0)).min())

    def _thin_ticks(self, half: Array) -> None:
        """Short edges of the box have room for few ticks."""
        from matplotlib.ticker import MaxNLocator

        for axis, length in zip((self.axes.xaxis, self.axes.yaxis, self.axes.zaxis), half):
            axis.set_major_locator(MaxNLocator(max(2, round(6 * length / half.max()))))

    def _fix(self, figure: Any) -> None:
        """The map from the world to the figure, which is affine: parallel light."""
        from mpl_toolkits.mplot3d.proj3d import proj_transform  # type: ignore[import-untyped, unused-ignore]

        figure.draw_without_rendering()  # the axes find their place
        corners = np.vstack([np.zeros(3), np.eye(3)])
        if self.view.flat:
            paper = corners[:, list(self.view.across)]
        else:
            paper = np.stack(proj_transform(*corners.T, self.axes.get_proj())[:2], axis=-1)
        there = figure.transFigure.inverted().transform(self.axes.transData.transform(paper))
        self._origin, self._axes_of_world = there[0], there[1:] - there[0]

    def on_paper(self, x: Array) -> Array:
        """Points ``[..., 3]`` in the world as parts of the figure's width and height ``[..., 2]``."""
        return np.asarray(self._origin + x @ self._axes_of_world)


class SkeletonLines:
    """The lines of a skeleton in axes, to be put into one pose after the other."""

    def __init__(self, axes: MotionAxes, skeleton: Skeleton, first: Array, colour: Any = None) -> None:
        from matplotlib.collections import LineCollection
        from matplotlib.lines import Line2D

        self._axes = axes
        points = len(skeleton.frames)
        width = 4.0 if points <= 40 else 2.4 if points <= 400 else 1.6
        if colour is None:
            self._pieces, shades = _pieces(skeleton)
            colours = chain_colours(shades)
        else:
            self._pieces, colours = skeleton.paths, colour
        self.lines = LineCollection([], colors=colours, linewidths=width, capstyle="round", joinstyle="round")
        self.joints = Line2D([], [], linestyle="", marker="o", markersize=1.3 * width)
        self.joints.set_color(INK if colour is None else colour)
        self.joints.set_visible(not skeleton.paths or self._link_length(skeleton, first) > 3 * width)
        for artist in self.artists():
            put(axes, artist)

    def pose(self, x: Array) -> None:
        """Points of the skeleton ``[points, 3]``."""
        paper = self._axes.on_paper(x)
        self.lines.set_segments([paper[piece] for piece in self._pieces])
        if self.joints.get_visible():
            self.joints.set_data(paper[:, 0], paper[:, 1])

    def _link_length(self, skeleton: Skeleton, x: Array) -> float:
        """The usual length of a link on paper, in points; 0 where there are many."""
        if len(x) > 1000:
            return 0
        figure = self._axes.axes.figure
        paper = self._axes.on_paper(x) * figure.get_size_inches() * 72
        ends = np.concatenate([np.diff(paper[path], axis=0) for path in skeleton.paths])
        return float(np.median(np.linalg.norm(ends, axis=1)))

    def artists(self) -> list[Any]:
        return [self.lines, self.joints]


def chain_colours(shades: Array) -> Array:
    """Dark blue at the base, 0, through green to yellow at the tips, 1, none of it pale."""
    from matplotlib import colormaps

    return np.asarray(colormaps["viridis"](0.88 * shades))


def put(axes: MotionAxes, artist: Any) -> None:
    """Adds an artist whose points are those of :meth:`MotionAxes.on_paper`."""
    figure = axes.axes.figure
    artist.set_transform(figure.transFigure)
    figure.add_artist(artist)


def _pieces(skeleton: Skeleton) -> tuple[list[Indices], Array]:
    """Paths cut into pieces of one colour, and how far out each lies, 0 to 1."""
    pieces: list[Indices] = []
    shades: list[float] = []
    longest = max((int(path.max()) for path in skeleton.paths), default=1)
    cut = max(1, -(-sum(map(len, skeleton.paths)) // _CHUNKS))
    for path in skeleton.paths:
        for begin in range(0, max(1, len(path) - 1), cut):
            piece = path[begin : begin + cut + 1]
            pieces.append(piece)
            shades.append(float(piece.mean()) / max(1, longest))
    return pieces, np.array(shades)


def limits(positions: Sequence[Array] | Array) -> tuple[Array, Array]:
    """The box that holds all points ``[..., 3]``."""
    points = np.asarray(positions).reshape(-1, 3).astype(np.float64)
    return points.min(axis=0), points.max(axis=0)
