# SPDX-License-Identifier: Apache-2.0
"""Pictures of arms that reach for points, for :mod:`tandem.gymnasium`, by Matplotlib."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandem._core import Model
from tandem._view.axes import INK, MotionAxes, SkeletonLines, View, limits, put
from tandem._view.skeleton import Skeleton
from tandem.configuration import random_configuration
from tandem.errors import Error

_PIXELS = 480
_FAR, _NEAR = "#cc3311", "#117733"


class ReachPictures:
    """Axes, large enough for all poses, in which one arm after the other stands with its goal."""

    def __init__(self, model: Model) -> None:
        if importlib.util.find_spec("matplotlib") is None:
            raise Error("ReachVectorEnv: render_mode rgb_array needs Matplotlib: pip install matplotlib")
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D

        self._model, self._skeleton = model, Skeleton(model)
        poses = self._skeleton.positions(model, random_configuration(model, seed=1, batch=256))
        low, high = limits(poses)
        self._figure = Figure(figsize=(_PIXELS / 100, _PIXELS / 100), dpi=100)
        canvas: Any = FigureCanvasAgg(self._figure)
        self._canvas = canvas
        place = self._figure.add_gridspec(1, 1, left=0.08, right=0.95, bottom=0.07, top=0.92)[0]
        self._axes = MotionAxes(self._figure, place, View(model, low, high, "auto"), low, high)
        for axis in "xyz" if hasattr(self._axes.axes, "zaxis") else "xy":  # there is little room for numbers
            self._axes.axes.locator_params(axis=axis, nbins=3)
        self._lines = SkeletonLines(self._axes, self._skeleton, poses[0])
        self._goal = Line2D([], [], linestyle="", marker="o", markersize=11, markerfacecolor="none", markeredgewidth=2)
        put(self._axes, self._goal)
        self._words = self._figure.text(0.02, 0.98, "", ha="left", va="top", color=INK, fontsize=10)
        self._moving: list[Any] = [*self._lines.artists(), self._goal, self._words]
        for artist in self._moving:
            artist.set_animated(True)
        canvas.draw()
        self._backdrop = canvas.copy_from_bbox(self._figure.bbox)

    def picture(self, q: NDArray[Any], goal: NDArray[Any], distance: float, reached: bool) -> NDArray[np.uint8]:
        """``[480, 480, 3]`` of an arm in a state, its goal, and how far that is."""
        self._canvas.restore_region(self._backdrop)
        self._lines.pose(self._skeleton.positions(self._model, q[None])[0])
        self._goal.set_data(*self._axes.on_paper(goal[None]).T)
        self._goal.set_color(_NEAR if reached else _FAR)
        self._words.set_text(f"{distance:.3f} m to the goal")
        for artist in self._moving:
            artist.draw(self._canvas.get_renderer())
        return np.array(self._canvas.buffer_rgba(), np.uint8)[..., :3].copy()
