#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a step of VectorSimulation takes beside one of rollout: the same robots from the same states, in turn in one
process.

    apps/bench/vector_steps.py [ROBOT ...] [--sizes 64 256 1024 4096] [--steps 100 10 1] [--threads 0] [--json FILE]

FILE.urdf+floating adds a free root. Default options: joint limits act, and VectorSimulation watches for divergence and
sums up energies, which rollout does not. The robots go on from call to call; a rollout begins where they are. Columns:
ns a step of a robot in the fastest of many repetitions, as other processes may use a core; the median of the ratios of
all repetitions.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tandem

DT = 1e-3


def seconds(function: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def measure(model: tandem.Model, size: int, steps: int, threads: int, rounds: int) -> tuple[float, float, float]:
    """Least seconds a call of a VectorSimulation and of rollout, median of their ratio. Bits are compared."""
    robots = tandem.VectorSimulation(model, size, dt=DT, threads=threads)
    start = tandem.random_configuration(model, seed=1, batch=size)
    speeds = np.random.default_rng(1).uniform(-0.1, 0.1, (size, model.nv))

    def rolled_out(q: Any, v: Any) -> Any:
        return tandem.rollout(model, q, v, dt=DT, steps=steps, threads=threads)

    robots.q, robots.v = start, speeds
    robots.step(steps=steps)
    same = rolled_out(start, speeds)
    assert np.array_equal(robots.q, same.q) and np.array_equal(robots.v, same.v), "other bits"
    times: list[tuple[float, float]] = []
    for _ in range(rounds):
        q, v = robots.q.copy(), robots.v.copy()
        times.append((seconds(lambda: robots.step(steps=steps)), seconds(lambda: rolled_out(q, v))))
    assert not robots.diverged.any()
    by_simulation, by_rollout = zip(*times, strict=True)
    ratio = statistics.median(a / b for a, b in times)
    return min(by_simulation), min(by_rollout), ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=["arm7", "humanoid", "quadruped"])
    parser.add_argument("--sizes", nargs="*", type=int, default=[64, 256, 1024, 4096])
    parser.add_argument("--steps", nargs="*", type=int, default=[100, 10, 1])
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json")
    given = parser.parse_args()
    rows = []
    print(f"{'robot':24} {'robots':>6} {'steps':>5} {'VectorSimulation':>16} {'rollout':>8} {'ratio':>6}")
    for robot in given.robots:
        model = tandem.load(robot.removesuffix("+floating"), floating=robot.endswith("+floating"))
        for steps in given.steps:
            for size in given.sizes:
                rounds = max(given.rounds, min(200, 100000 // (steps * size)))
                *times, ratio = measure(model, size, steps, given.threads, rounds)
                ours, theirs = (1e9 * t / (size * steps) for t in times)
                row = {"robot": model.name, "robots": size, "steps": steps, "threads": given.threads}
                rows.append(row | {"vector_ns": ours, "rollout_ns": theirs, "ratio": ratio})
                print(f"{model.name:24} {size:6} {steps:5} {ours:16.0f} {theirs:8.0f} {ratio:6.2f}", flush=True)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
