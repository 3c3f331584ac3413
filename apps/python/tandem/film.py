# SPDX-License-Identifier: Apache-2.0
"""Pictures and films of robots in motion, with Matplotlib: ``pip install tandem[film]``.

>>> rope = tandem.load("rope:30")
>>> simulation = tandem.Simulation(rope, integrator="rk4")
>>> simulation.q[:4] = [0, 0.7071, 0, 0.7071]  # held out to the side, let go
>>> states = simulation.run(2.0, every=10)
>>> tandem.film.render(rope, states, "rope.png")  # doctest: +SKIP
>>> tandem.film.render(rope, states, "rope.mp4", fps=50)  # doctest: +SKIP
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tandem._common.files import replacing
from tandem._core import Model
from tandem._view.axes import GRID, INK, PALE, VIEWS, MotionAxes, SkeletonLines, View, chain_colours, limits, put
from tandem._view.skeleton import Skeleton
from tandem.errors import Error
from tandem.functions import Array, energy
from tandem.simulation import Trajectory

PICTURES = (".png", ".pdf", ".svg", ".jpg")
FILMS = (".mp4", ".gif")
_SNAPSHOTS = 12
_TRAIL_COLOUR = "#cc6677"
_TRAIL = 0.6  # s of motion at the film's pace that the tips leave behind
_ENERGY_COLOURS = {
    "kinetic": "#4477aa",
    "potential": "#ddaa33",
    "to damping, friction, stops": "#cc6677",
    "from the drives, negative": "#117733",
    "sum": INK,
}

Progress = Callable[[int, int], None]


class Look(NamedTuple):
    """Options of :func:`render`."""

    fps: float
    duration: float | None
    size: tuple[int, int]
    view: str
    title: str | None
    progress: Progress | None


def check(path: str | os.PathLike[str], size: tuple[int, int] = (1280, 720), view: str = "auto") -> None:
    """Raises :class:`tandem.Error` that names what is missing if :func:`render` cannot write such a file."""
    ending = Path(path).suffix.lower()
    if ending not in PICTURES + FILMS:
        raise Error(f"{path}: expected a picture ({', '.join(PICTURES)}) or a video ({', '.join(FILMS)})")
    if not Path(path).absolute().parent.is_dir():
        raise Error(f"{path}: no such folder: {Path(path).parent}")
    if view not in VIEWS:
        raise Error(f"view is {view!r}, expected {', '.join(VIEWS)}")
    if min(size) < 160 or max(size) > 8192:
        raise Error(f"size is {size[0]}x{size[1]}, expected 160 to 8192 pixels in each direction")
    if importlib.util.find_spec("matplotlib") is None:
        raise Error("pictures and videos need Matplotlib: pip install matplotlib")
    if ending == ".gif" and importlib.util.find_spec("PIL") is None:
        raise Error("a .gif needs Pillow: pip install pillow")
    if ending == ".mp4":
        _ffmpeg()


def render(
    model: Model,
    states: Trajectory,
    path: str | os.PathLike[str],
    *,
    fps: float = 25,
    duration: float | None = None,
    size: tuple[int, int] = (1280, 720),
    view: str = "auto",
    title: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Draw a motion: a picture of superimposed poses coloured by time, or a film.

    Each link is drawn as a line from its parent's origin to its own, in axes in metres that contain
    the whole motion. The energies over time are below or beside it.

    Args:
        model: the robot
        states: its states, from :meth:`tandem.Simulation.run`; a film shows those nearest in time
        path: file to write; ``.png``, ``.pdf``, ``.svg``, ``.jpg``: a picture, ``.mp4``, ``.gif``: a film.
            A ``.mp4`` needs ``ffmpeg``, or the package ``imageio-ffmpeg``
        fps: pictures of a film per second; a ``.gif`` holds each a whole number of hundredths of a second
        duration: duration of a film, s; default: that of the motion, but within 4 and 30 s
        size: width and height, pixels
        view: plane to draw in, ``"xy"``, ``"xz"`` or ``"yz"``, or ``"3d"``; ``"auto"``: a plane if the
            motion stays near one, else 3-D. Gravity points down
        title: title; default: the name of the robot
        progress: called with the number of finished pictures and of all pictures
    """
    kinetic, potential = energy(model, states.q, states.v)
    parts = {"kinetic": kinetic, "potential": potential}
    if states.dissipated is not None and states.work is not None:
        parts |= {"dissipated": states.dissipated, "work": states.work}
    draw(model, states.time, states.q, parts, path, Look(fps, duration, size, view, title, progress))


def draw(model: Model, time: Array, q: Array, energies: dict[str, Array], path: str | os.PathLike[str],
         look: Look) -> None:
    """Draw as :func:`render`, with given energies.

    Args:
        time: ``[samples]`` s
        q: ``[samples, nq]`` rad|m
        energies: ``kinetic``, ``potential`` and, if known, ``dissipated`` and ``work``, ``[samples]`` J each
        model, path: as in :func:`render`
        look: its other arguments
    """
    fps, duration, size, view, title, progress = look
    check(path, size, view)
    if len(time) == 0:
        raise Error("render: no states to draw")
    if not np.isfinite(q).all():
        raise Error("render: a state has numbers that are not finite")
    name = model.name if title is None else title
    curves = _budget(energies)
    if Path(path).suffix.lower() in PICTURES:
        with replacing(path) as beside:
            _picture(model, time, q, curves, beside, size, view, name)
        return
    span = float(time[-1] - time[0])
    length = min(max(span, 4.0), 30.0) if duration is None else duration
    if not (length >= 0 and fps > 0):
        raise Error(f"render: fps is {fps} and duration is {length}, expected fps > 0 and duration >= 0")
    wanted = time[0] + np.linspace(0, span, max(1, round(length * fps) + 1))
    chosen = np.searchsorted(_between(time), wanted)
    film = _Film(model, time, q, curves, chosen, size, view, name, span / length if length > 0 else 1.0)
    write = _write_gif if Path(path).suffix.lower() == ".gif" else _write_mp4
    with replacing(path) as beside:
        write(beside, film.pictures(progress), size, fps)


def _budget(energies: dict[str, Array]) -> dict[str, Array]:
    """The parts of an energy budget as curves, J, the potential one from its start, and their sum."""
    kinetic, potential = (np.asarray(energies[name], np.float64) for name in ("kinetic", "potential"))
    curves = {"kinetic": kinetic, "potential": potential - potential[0]}
    if np.any(energies.get("dissipated", 0)):
        curves["to damping, friction, stops"] = energies["dissipated"]
    if np.any(energies.get("work", 0)):
        curves["from the drives, negative"] = -energies["work"]
    return {**curves, "sum": np.sum(list(curves.values()), axis=0)}


def _between(time: Array) -> Array:
    return (time[1:] + time[:-1]) / 2


def _figure(size: tuple[int, int], tall: bool) -> tuple[Any, Any, Any]:
    """A figure, the place of the motion and that of the energies: below it, or beside a tall one."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    dpi = 100 * min(size[0] / 1280, size[1] / 720)
    figure = Figure(figsize=(size[0] / dpi, size[1] / dpi), dpi=dpi)
    FigureCanvasAgg(figure)
    if tall:
        grid = figure.add_gridspec(2, 2, left=0.07, right=0.975, bottom=0.1, top=0.91, wspace=0.2, hspace=0.1,
                                   width_ratios=(1.7, 1), height_ratios=(1, 1.6))  # fmt: skip
        return figure, grid[:, 0], grid[1, 1]
    grid = figure.add_gridspec(2, 1, left=0.07, right=0.975, bottom=0.085, top=0.92, hspace=0.32,
                               height_ratios=(3.6, 1))  # fmt: skip
    return figure, grid[0], grid[1]


def _axes(model: Model, x: Array, size: tuple[int, int], view: str) -> tuple[Any, MotionAxes, Any]:
    low, high = limits(x)
    seen = View(model, low, high, view)
    a, b = seen.across
    extent = high - low
    figure, place, beside = _figure(size, tall=bool(not seen.flat or extent[a] < 1.7 * extent[b]))
    return figure, MotionAxes(figure, place, seen, low, high), figure.add_subplot(beside)


def _draw_energies(axes: Any, time: Array, energies: dict[str, Array]) -> None:
    columns = len(energies) if axes.get_subplotspec().get_gridspec().ncols == 1 else 2
    for name, values in energies.items():
        style = "--" if name == "sum" else "-"
        axes.plot(time, values, style, color=_ENERGY_COLOURS[name], linewidth=1.3, label=name)
    axes.set_ylabel("energy [J]", color=INK, fontsize=9)
    axes.set_xlabel("time [s]", color=INK, fontsize=9)
    if time[-1] > time[0]:
        axes.set_xlim(time[0], time[-1])
    axes.ticklabel_format(axis="y", scilimits=(-3, 5))
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors=INK, labelsize=8)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(PALE)
    axes.legend(
        loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, frameon=False, fontsize=8, labelcolor=INK,
        columnspacing=1.2, handlelength=1.4,
    )  # fmt: skip


def _write_title(figure: Any, name: str, model: Model) -> None:
    figure.text(0.02, 0.985, name, ha="left", va="top", color=INK, fontsize=13, fontweight="bold")
    facts = f"{model.n_joints:,} joint{'s' * (model.n_joints != 1)}, {model.nv:,} degrees of freedom"
    figure.text(0.02, 0.945, facts, ha="left", va="top", color=INK, fontsize=9)


def _picture(
    model: Model,
    time: Array,
    q: Array,
    energies: dict[str, Array],
    path: Path,
    size: tuple[int, int],
    view: str,
    name: str,
) -> None:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    wanted = np.linspace(time[0], time[-1], _SNAPSHOTS)
    chosen = np.unique(np.searchsorted(_between(time), wanted))
    skeleton = Skeleton(model)
    x = skeleton.positions(model, q[chosen])
    figure, axes, below = _axes(model, x, size, view)
    scale = Normalize(float(time[0]), float(time[-1]) if len(time) > 1 else float(time[0]) + 1)
    # without the pale end of the map
    colours = LinearSegmentedColormap.from_list("time", colormaps["plasma"](np.linspace(0, 0.93, 256)))
    for k, pose in zip(chosen, x):
        SkeletonLines(axes, skeleton, x[0], colours(scale(time[k]))).pose(pose)
    _draw_energies(below, time, energies)
    _write_title(figure, name, model)
    bar = figure.colorbar(
        ScalarMappable(scale, colours),
        cax=figure.add_axes((0.72, 0.955, 0.24, 0.016)),
        orientation="horizontal",
    )
    bar.outline.set_visible(False)
    bar.ax.tick_params(colors=INK, labelsize=8, length=2, pad=2)
    bar.ax.set_ylabel("time [s]", rotation=0, ha="right", va="center", color=INK, fontsize=9)
    figure.savefig(path)


class _Film:
    """One picture after the other: what stays the same is drawn once."""

    def __init__(
        self,
        model: Model,
        time: Array,
        q: Array,
        energies: dict[str, Array],
        chosen: Array,
        size: tuple[int, int],
        view: str,
        name: str,
        pace: float,
    ) -> None:
        self._time, self._chosen = time, chosen
        skeleton = Skeleton(model)
        self._used, self._row = np.unique(chosen, return_inverse=True)
        self._x = skeleton.positions(model, q[self._used])
        self._figure, self._axes, below = _axes(model, self._x, size, view)
        _draw_energies(below, time, energies)
        _write_title(self._figure, name, model)
        if not np.isclose(pace, 1):
            self._figure.text(
                0.98, 0.945, f"{pace:.3g} x real time", ha="right", va="top", color=INK, fontsize=9
            )
        self._lines = SkeletonLines(self._axes, skeleton, self._x[0])
        self._tips = skeleton.tips if len(skeleton.tips) <= 8 else skeleton.tips[:0]
        self._reach = _TRAIL * pace
        self._add_moving_parts(below)

    def _add_moving_parts(self, below: Any) -> None:
        from matplotlib.collections import LineCollection

        self._trail = LineCollection([], colors=_TRAIL_COLOUR, linewidths=1.2, alpha=0.7)
        put(self._axes, self._trail)
        self._now = below.axvline(self._time[0], color=PALE, linewidth=1.2)
        self._clock = self._figure.text(
            0.98, 0.985, "", ha="right", va="top", color=INK, fontsize=13, family="DejaVu Sans Mono"
        )
        self._moving = [self._trail, *self._lines.artists(), self._now, self._clock]
        for artist in self._moving:
            artist.set_animated(True)

    def pictures(self, progress: Progress | None) -> Iterator[Array]:
        """Yield the pictures, bytes ``[height, width, 4]``; each is overwritten by the next one."""
        canvas = self._figure.canvas
        canvas.draw()
        backdrop = canvas.copy_from_bbox(self._figure.bbox)
        tips = self._axes.on_paper(self._x[:, self._tips])  # [states, tips, 2]
        renderer = canvas.get_renderer()
        for k, row in enumerate(self._row):
            canvas.restore_region(backdrop)
            time = float(self._time[self._chosen[k]])
            began = int(np.searchsorted(self._time[self._used], time - self._reach))
            self._trail.set_segments(list(tips[began : row + 1].swapaxes(0, 1)) if row > began else [])
            self._lines.pose(self._x[row])
            self._now.set_xdata([time, time])
            self._clock.set_text(f"t = {time:.2f} s")
            for artist in self._moving:
                artist.draw(renderer)
            yield np.asarray(canvas.buffer_rgba())
            if progress is not None:
                progress(k + 1, len(self._row))


def _ffmpeg() -> str:
    """The program that writes MP4."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    if importlib.util.find_spec("imageio_ffmpeg") is not None:
        import imageio_ffmpeg  # type: ignore[import-not-found, import-untyped, unused-ignore]

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    raise Error(
        "a .mp4 needs ffmpeg: apt install ffmpeg, or pip install imageio-ffmpeg; a .gif does not"
    )


def _write_mp4(path: Path, pictures: Iterator[Array], size: tuple[int, int], fps: float) -> None:
    even = [2 * (length // 2) for length in size]  # H.264 halves the resolution of colours
    command = [
        _ffmpeg(), "-loglevel", "error", "-y",
        "-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{size[0]}x{size[1]}", "-r", f"{fps}", "-i", "-",
        "-an", "-vf", f"crop={even[0]}:{even[1]}:0:0", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18",
        "-movflags", "+faststart", str(path.absolute()),
    ]  # fmt: skip
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None and process.stderr is not None
    try:
        for picture in pictures:
            process.stdin.write(picture.tobytes())
    except BrokenPipeError:
        pass  # what went wrong is told below
    _, said = process.communicate()
    if process.returncode != 0:
        raise Error(f"{path.suffix} cannot be written: ffmpeg failed: {said.decode(errors='replace').strip()[-400:]}")


def _write_gif(path: Path, pictures: Iterator[Array], size: tuple[int, int], fps: float) -> None:
    from PIL import Image

    palette = Image.new("P", (1, 1))
    palette.putpalette(_colours_of_films().tobytes())
    frames = (
        Image.fromarray(picture[..., :3].copy()).quantize(palette=palette, dither=Image.Dither.NONE)
        for picture in pictures
    )
    hold = 10 * max(2, round(100 / fps))  # ms
    next(frames).save(path, save_all=True, append_images=frames, duration=hold, loop=0)


def _colours_of_films() -> Array:
    """At most 256 colours, bytes ``[n, 3]``: what films are drawn with, thinned towards white as edges are."""
    from matplotlib.colors import to_rgb

    lines = [*chain_colours(np.linspace(0, 1, 32))[:, :3], *map(to_rgb, _ENERGY_COLOURS.values())]
    full = np.array([*lines, *map(to_rgb, (_TRAIL_COLOUR, PALE, GRID))])
    part = np.array([1.0, 0.82, 0.62, 0.42, 0.25])[:, None, None]
    thinned = (part * full + 1 - part).reshape(-1, 3)
    return np.round(255 * np.vstack([np.ones(3), thinned])).astype(np.uint8)
