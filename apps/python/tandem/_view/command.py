# SPDX-License-Identifier: Apache-2.0
"""Shows a robot or a motion in a browser: ``python3 -m tandem._view.command ROBOT [TRAJECTORY]``.

What ``tandem view`` runs.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tandem import _core
from tandem._core import Model
from tandem._view.motion import ENDINGS, Instances, origin_of
from tandem._view.viewer import check, view
from tandem.configuration import integrate, neutral_configuration
from tandem.errors import Error, ModelWarning
from tandem.functions import Array


def _instances(text: str | None) -> Instances | None:
    """``4``: the first four; ``0,7,12`` or ``4,``: those."""
    if text is None:
        return None
    words = [word.strip() for word in text.split(",")]
    if len(words) > 1 and not words[-1]:
        words.pop()
    if not all(word.isdigit() for word in words):
        raise Error(f"--instances is {text!r}, expected a number of first instances, or indices such as 0,5,7")
    return [int(word) for word in words] if "," in text else int(text)


def _load(robot: str, floating: bool, gravity: str, seed: int) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # what has no forward dynamics can be looked at
        model = _core.load(robot, floating=floating, seed=seed, meshes=False)  # they are for contacts
    if gravity:
        try:
            x, y, z = (float(number) for number in gravity.split(","))
        except ValueError:
            raise Error(f"--gravity is {gravity!r}, expected three numbers, such as 0,0,-9.81") from None
        model = model.with_gravity((x, y, z))
    return model


def _what(arguments: argparse.Namespace) -> tuple[Model, Path | None]:
    """The robot, and the motion to be played."""
    robot, floating, gravity = arguments.robot, arguments.floating, arguments.gravity or ""
    seed = 1 if arguments.seed is None else arguments.seed
    if arguments.trajectory is not None:
        return _load(robot, floating, gravity, seed), Path(arguments.trajectory)
    if Path(robot).suffix.lower() not in ENDINGS:
        return _load(robot, floating, gravity, seed), None
    path = Path(robot)
    origin = origin_of(path)
    if arguments.seed is None:
        seed = origin.seed
    try:
        return _load(origin.robot, floating or origin.floating, gravity or origin.gravity, seed), path
    except (Error, OSError) as error:
        raise Error(f"{path}: its robot, {origin.robot}, cannot be loaded: {error}; "
                    f"use tandem view ROBOT {path}") from None


def opening_pose(model: Model) -> Array:
    """Where a robot is shown first: its first named configuration, else off its balance, as ``tandem simulate`` starts
    it.

    Off its balance, so that Play shows a motion: joints off neutral by 0.3 rad or 0.03 m, less in long robots and near
    limits.
    """
    if model.configuration_names:
        return model.configuration(model.configuration_names[0])
    q, u = neutral_configuration(model), np.zeros(model.nv)
    part = min(1.0, 10 / max(1, model.depth))
    for joint in model.joints:
        if joint.mimics or joint.type == "free":
            continue
        lengths = {"prismatic": 1, "planar": 2}.get(joint.type, 0)
        u[joint.v_index : joint.v_index + joint.nv] = [part * (0.03 if k < lengths else 0.3) for k in range(joint.nv)]
        if joint.nq == 1:
            q[joint.q_index] = min(max(q[joint.q_index], joint.lower), joint.upper)
            above, below = (joint.upper - q[joint.q_index]) / 2, (q[joint.q_index] - joint.lower) / 2
            u[joint.v_index] = min(u[joint.v_index], above) if above > 0 else -min(u[joint.v_index], below)
    return integrate(model, q, u)


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command; gives the exit code."""
    parser = argparse.ArgumentParser(prog="tandem view", description=__doc__.splitlines()[0])
    parser.add_argument("robot", nargs="?", metavar="ROBOT",
                        help="as for other commands; or a file of states that names its robot")
    parser.add_argument("trajectory", nargs="?", metavar="TRAJECTORY", help="file of states, .csv, .h5 or .hdf5")
    parser.add_argument("--floating", action="store_true")
    parser.add_argument("--gravity", metavar="X,Y,Z")
    parser.add_argument("--seed", type=int, help="seed of generated robots (1)")
    parser.add_argument("--instances", metavar="N|LIST",
                        help="instances to show: the number of first ones, or indices 0,5,7")
    parser.add_argument("--ghosts", action="store_true", help="show instances pale in one place, not side by side")
    parser.add_argument("--packages", action="append", default=[], metavar="DIR",
                        help="folder in which package:// paths are searched")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--no-open", action="store_true", help="open no browser")
    parser.add_argument("--check", action="store_true", help="only check whether robots can be shown")
    arguments = parser.parse_args(words)
    try:
        check()
        if arguments.check:
            return 0
        if arguments.robot is None:
            raise Error("expected a robot or a file of states")
        model, motion = _what(arguments)
        for folder in arguments.packages:
            if not Path(folder).expanduser().is_dir():
                raise Error(f"--packages {folder}: no such folder")
        viewer = view(
            model, None if motion else opening_pose(model), trajectory=motion,
            instances=_instances(arguments.instances), ghosts=arguments.ghosts,
            packages=arguments.packages, host=arguments.host, port=arguments.port,
            open_browser=not arguments.no_open, block=False,
        )  # fmt: skip
        with viewer:
            if arguments.no_open:
                print(f"{model.name} at {viewer.url}", file=sys.stderr)
            for note in viewer.notes:
                print(f"note: {note}", file=sys.stderr)
            print("Press Ctrl-C to stop", file=sys.stderr, flush=True)
            viewer.wait()
    except KeyboardInterrupt:
        return 0
    except (Error, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
