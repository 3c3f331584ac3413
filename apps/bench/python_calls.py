#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one call from Python takes, beside Pinocchio in the same process where that is installed, in turn.

    apps/bench/python_calls.py [ROBOT.urdf] [--rounds 60]

One state a call: inverse dynamics, forward dynamics, mass matrix, gravity; the fastest of many short repeats, as the machine
may be shared. Then inverse kinematics: targets a second, on one thread and on all, of poses that can be reached, from
random starts.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tandem

ROOT = Path(__file__).resolve().parents[2]
CALLS = 400  # of a repeat


def fastest(functions: dict[str, Callable[[], Any]], rounds: int, calls: int = CALLS) -> dict[str, float]:
    """Seconds a call, all functions in turn."""
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            for _ in range(calls):
                function()
            best[name] = min(best[name], (time.perf_counter() - start) / calls)
    return best


def one_state(file: Path, rounds: int) -> None:
    model = tandem.load(file)
    q, v, a = tandem.random_configuration(model, seed=1), np.ones(model.nv), np.ones(model.nv)
    calls: dict[str, Callable[[], Any]] = {
        "inverse_dynamics": lambda: tandem.inverse_dynamics(model, q, v, a),
        "forward_dynamics": lambda: tandem.forward_dynamics(model, q, v, a),
        "mass_matrix": lambda: tandem.mass_matrix(model, q),
        "gravity_forces": lambda: tandem.gravity_forces(model, q),
    }
    try:
        import pinocchio as pin
    except ImportError:
        print("Pinocchio is not installed (pip install pin): Tandem alone")
    else:
        text = re.sub(r"<\?xml.*?\?>", "", file.read_text(encoding="utf-8"))
        theirs = pin.buildModelFromXML(text)
        data, q_theirs = theirs.createData(), tandem.bridges.to_pinocchio(model, theirs).q_to(q)
        v_theirs = np.ones(theirs.nv)
        calls |= {
            "inverse_dynamics, Pinocchio": lambda: pin.rnea(theirs, data, q_theirs, v_theirs, v_theirs),
            "forward_dynamics, Pinocchio": lambda: pin.aba(theirs, data, q_theirs, v_theirs, v_theirs),
            "mass_matrix, Pinocchio": lambda: pin.crba(theirs, data, q_theirs),
            "gravity_forces, Pinocchio": lambda: pin.computeGeneralizedGravity(theirs, data, q_theirs),
        }
    print(f"{model.name}, one state a call:")
    for name, seconds in sorted(fastest(calls, rounds).items()):
        print(f"  {name:30} {seconds * 1e6:7.2f} us")


def searches(file: Path, rounds: int, batch: int = 4096) -> None:
    model = tandem.load(file)
    frame = model.n_frames - 1
    target = tandem.forward_kinematics(model, tandem.random_configuration(model, seed=1, batch=batch))[:, frame]
    start = tandem.random_configuration(model, seed=2, batch=batch)
    print(f"inverse kinematics of {model.frame_names[frame]}, {batch} random targets from random starts:")
    for restarts in (0, 10):
        found = tandem.inverse_kinematics(model, frame, target, start, restarts=restarts)
        for threads in (1, 0):
            call = {
                "": lambda: tandem.inverse_kinematics(
                    model, frame, target, start, restarts=restarts, threads=threads  # noqa: B023
                )
            }
            seconds = fastest(call, max(rounds // 20, 3), 1)[""]
            print(
                f"  {restarts:2} restarts, {'one thread ' if threads else 'all threads'} "
                f"{found.converged.sum() / seconds:9.0f} solutions/s, {100 * found.converged.mean():5.1f} % found, "
                f"{found.iterations.mean():5.1f} steps each"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", nargs="?", type=Path, default=ROOT / "robots" / "arm7.urdf")
    parser.add_argument("--rounds", type=int, default=60)
    arguments = parser.parse_args()
    one_state(arguments.robot, arguments.rounds)
    searches(arguments.robot, arguments.rounds)


if __name__ == "__main__":
    main()
