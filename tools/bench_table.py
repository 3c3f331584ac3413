#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of a benchmark run, as Markdown: every row with our time, the fastest rival's, and the ratio.

    tools/bench_table.py bench/results/RESULTS.json

A time is the fastest repetition in microseconds, with the median in parentheses; other work on the machine only ever adds
time. Ratios are ours over the rival's fastest convention: below 1 is faster.
"""
import collections
import json
import statistics
import sys

ROBOTS = ["arm6", "arm7", "quadruped", "humanoid"]
ROWS = ["inverse_dynamics", "mass_matrix", "forward_dynamics", "forward_kinematics"]


def read(path):
    """(row, robot) -> library -> times of the repetitions in nanoseconds; and the context of the run."""
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    for entry in results["benchmarks"]:
        if entry.get("run_type") == "iteration":
            row, robot, library = entry["run_name"].removesuffix("/real_time").rsplit("/", 2)
            times[row, robot][library].append(entry["real_time"])
    return times, results["context"]


def order(robot):
    """Shipped robots first, then generated ones by size, then files."""
    if robot in ROBOTS:
        return (0, ROBOTS.index(robot), robot)
    kind, _, size = robot.partition(":")
    return (1, int(size), kind) if size.isdigit() else (2, 0, robot)


def fastest(libraries, prefix):
    """Best and median of the library or convention with the smallest best; None if there is none."""
    candidates = [(min(t), statistics.median(t), name) for name, t in libraries.items() if name.startswith(prefix)]
    return min(candidates) if candidates else None


def cell(result):
    if result is None:
        return "-"
    return f"{result[0] / 1e3:.3g} ({result[1] / 1e3:.3g})"


def ratio(ours, rival):
    return "-" if rival is None else f"{ours[0] / rival[0]:.2g}"


def main(path):
    times, context = read(path)
    print(f"{context.get('processor', '?')}, {context.get('compiler', '?')}, Pinocchio {context.get('pinocchio') or '-'}, "
          f"MuJoCo {context.get('mujoco') or '-'}, commit {context.get('commit', '?')}, {context['date'][:10]}; "
          "microseconds a call, best (median)\n")
    print("| function | robot | Tandem | Pinocchio | its fastest convention | ratio | MuJoCo | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for wanted in ROWS:
        for row, robot in sorted(times, key=lambda key: order(key[1])):
            if row != wanted:
                continue
            libraries = times[row, robot]
            ours, pinocchio, mujoco = (fastest(libraries, p) for p in ("tandem", "pinocchio", "mujoco"))
            convention = pinocchio[2].removeprefix("pinocchio_") if pinocchio else "-"
            print(f"| {row.replace('_', ' ')} | {robot} | {cell(ours)} | {cell(pinocchio)} | {convention} | "
                  f"{ratio(ours, pinocchio)} | {cell(mujoco)} | {ratio(ours, mujoco)} |")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if len(sys.argv) == 2 else 2)
    main(sys.argv[1])
