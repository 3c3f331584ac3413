# SPDX-License-Identifier: Apache-2.0
"""Draws a recorded motion: ``python3 -m tandem.render FILE ROBOT --states STATES``.

What ``tandem simulate --render FILE`` runs; STATES is a file of ``tandem simulate --out``, CSV or HDF5.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tandem import _core
from tandem._core import Model
from tandem.errors import Error
from tandem.film import Look, check, draw
from tandem.functions import Array, energy

#: Times ``[samples]``, configurations ``[samples, nq]``, energies by name ``[samples]``.
Frames: TypeAlias = tuple[Array, Array, dict[str, Array]]

_ENERGIES = ("kinetic", "potential", "dissipated", "work")


def read_recording(model: Model, path: Path) -> Frames:
    """States that ``tandem simulate --out`` wrote. HDF5 needs h5py."""
    if path.suffix.lower() in (".h5", ".hdf5"):
        columns = _read_hdf5(path)
    else:
        columns = _read_csv(path)
    for name, count in (("q", model.nq), ("v", model.nv)):
        if name not in columns or columns[name].shape[1:] != (count,):
            raise Error(f"{path}: missing {name} with {count} numbers, as {model.name} needs")
    if "t" not in columns:
        raise Error(f"{path}: missing column t")
    energies = {name: columns[name] for name in _ENERGIES if name in columns}
    if not {"kinetic", "potential"} <= energies.keys():
        energies = energy(model, columns["q"], columns["v"])._asdict() | energies
    return columns["t"], columns["q"], energies


def _read_hdf5(path: Path) -> dict[str, Any]:
    if importlib.util.find_spec("h5py") is None:
        raise Error(f"{path}: HDF5 needs h5py: pip install h5py")
    import h5py  # type: ignore[import-untyped, unused-ignore]

    with h5py.File(path) as file:
        return {name: np.asarray(file[name], np.float64) for name in file}


def _read_csv(path: Path) -> dict[str, Any]:
    with path.open() as file:
        names = file.readline().strip().split(",")
        table = np.loadtxt(file, delimiter=",", ndmin=2)
    columns = {name: table[:, k] for k, name in enumerate(names)}
    for letter in "qv":
        # q0, q1, ... stand side by side
        rows = [k for k, name in enumerate(names) if name[:1] == letter and name[1:].isdigit()]
        columns[letter] = table[:, rows]
    return columns


def read_frames(model: Model) -> Frames:
    """Frames from standard input, as ``tandem simulate --render`` passes them on: rows of t, energies, q."""
    rows: Array = np.fromfile(sys.stdin.buffer, np.float64)
    width = 1 + len(_ENERGIES) + model.nq
    if len(rows) == 0 or len(rows) % width:
        raise Error(f"standard input has no rows of {width} numbers, as {model.name} needs")
    rows = rows.reshape(-1, width)
    energies: dict[str, Array] = {name: rows[:, 1 + k] for k, name in enumerate(_ENERGIES)}
    return rows[:, 0], rows[:, 1 + len(_ENERGIES) :], energies


class Bar:
    """How far a film has come, on a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._start = self._last = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._shown or (done < total and now - self._last < 0.1):
            return
        self._last = now
        filled = 40 * done // total
        left = (now - self._start) * (total - done) / done
        bar = "#" * filled + "." * (40 - filled)
        print(f"\r[{bar}] {100 * done // total:3d} %  {done} of {total} frames  {left:.0f} s left \033[K",
              end="\n" if done == total else "", file=sys.stderr, flush=True)  # fmt: skip


def _pixels(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise Error(f"size is {text!r}, expected WIDTHxHEIGHT in pixels, such as 1280x720")
    return int(width), int(height)


def _robot(arguments: argparse.Namespace) -> Model:
    model = _core.load(arguments.robot, floating=arguments.floating, seed=arguments.seed)
    if arguments.gravity:
        x, y, z = (float(number) for number in arguments.gravity.split(","))
        model = model.with_gravity((x, y, z))
    return model


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python3 -m tandem.render", description=__doc__.splitlines()[0])
    parser.add_argument("file", help="picture (.png, .pdf, .svg) or video (.mp4, .gif) to write")
    parser.add_argument("robot", nargs="?", help="robot, as for tandem simulate")
    parser.add_argument("--states", help="file of states, CSV or HDF5; - is the output of tandem simulate")
    parser.add_argument("--floating", action="store_true")
    parser.add_argument("--gravity", metavar="X,Y,Z")
    parser.add_argument("--seed", type=int, default=1, help="seed of generated robots (1)")
    parser.add_argument("--fps", type=float, default=25, help="frames per second of a video (25)")
    parser.add_argument("--duration", type=float, help="duration of a video, s (that of the motion, within 4 and 30)")
    parser.add_argument("--size", default="1280x720", help="size in pixels (1280x720)")
    parser.add_argument("--view", default="auto", help="auto, xy, xz, yz or 3d")
    parser.add_argument("--check", action="store_true", help="only check whether such a file can be drawn")
    arguments = parser.parse_args(words)
    try:
        size = _pixels(arguments.size)
        check(arguments.file, size, arguments.view)
        if arguments.check:
            return 0
        if arguments.robot is None or arguments.states is None:
            raise Error("expected a robot and --states")
        model = _robot(arguments)
        if arguments.states == "-":
            time, q, energies = read_frames(model)
        else:
            time, q, energies = read_recording(model, Path(arguments.states))
        draw(model, time, q, energies, arguments.file,
             Look(arguments.fps, arguments.duration, size, arguments.view, None, Bar()))
    except (Error, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
