#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the trajectories of scripts/demo, joint angles above and energy below, and prints a table of them.

    demo_plot.py --out demo.png --title TITLE ... ROBOT.json ... ROBOT.csv ...

The JSON is what `tandem info --json` prints, the CSV what `tandem simulate` writes; as many of one as of the other.
"""
import argparse
import json
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402 (the backend comes first)


def read_csv(path: Path) -> dict[str, np.ndarray]:
    with path.open() as file:
        names = file.readline().strip().split(",")
        columns = np.loadtxt(file, delimiter=",", unpack=True, ndmin=2)
    return dict(zip(names, columns))


def angles(info: dict, columns: dict) -> dict[str, np.ndarray]:
    """Positions of the joints of one degree of freedom, in degrees."""
    return {joint["name"]: np.degrees(columns[f"q{joint['q_index']}"])
            for joint in info["joints"] if joint["type"] in ("revolute", "continuous")}


def legend_below(axis, columns: int):
    """A legend in one line at the bottom, with room made for it."""
    low, high = axis.get_ylim()
    axis.set_ylim(low - 0.12 * (high - low), high)
    axis.legend(fontsize="x-small", ncols=columns, loc="lower center", columnspacing=1, handlelength=1.5)


def draw(axes, title: str, info: dict, columns: dict):
    above, below = axes
    time = columns["t"]
    joints = angles(info, columns)
    few = len(joints) <= 10
    colours = plt.get_cmap("turbo")(np.linspace(0.05, 0.95, len(joints)))
    for colour, (name, angle) in zip(colours, joints.items()):
        above.plot(time, angle, color=colour, linewidth=1.1 if few else 0.8, label=name if few else None)
    facts = f"{len(joints)} joints, {info['nv']} degrees of freedom, {info['mass']:.4g} kg"
    above.set_title(f"{title}\n{facts}", fontsize="medium")
    above.set_ylabel("joint angle [deg]")
    if few:
        legend_below(above, len(joints))
    potential, energy = columns["potential"], columns["energy"]
    below.plot(time, columns["kinetic"], label="kinetic")
    if np.ptp(potential) > 0:
        below.plot(time, potential - potential[0], label="potential, from its start")
        below.plot(time, energy - energy[0], "k--", linewidth=1, label="sum, from its start")
    below.set_xlabel("time [s]")
    below.set_ylabel("energy [J]")
    below.set_xlim(time[0], time[-1])
    legend_below(below, 3)
    for axis in axes:
        axis.grid(alpha=0.25)


def row(info: dict, columns: dict) -> list[str]:
    energy, kinetic = columns["energy"], columns["kinetic"]
    change = (energy[-1] - energy[0]) / kinetic.max()
    return [info["name"], str(len(info["links"])), str(info["nv"]), f"{info['mass']:.4g}", f"{columns['t'][-1]:.4g}",
            f"{energy[0]:.6g}", f"{energy[-1]:.6g}", f"{kinetic.max():.4g}", f"{change:.2g}"]


def print_table(rows: list[list[str]]):
    head = ["robot", "links", "dof", "mass kg", "time s", "energy at the start J", "at the end J", "largest kinetic J",
            "change / largest kinetic"]
    widths = [max(len(line[k]) for line in [head, *rows]) for k in range(len(head))]
    for line in [head, ["-" * width for width in widths], *rows]:
        print("| " + " | ".join(cell.rjust(width) for cell, width in zip(line, widths)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the picture to write")
    parser.add_argument("--title", action="append", required=True, help="what a robot does; once per robot")
    parser.add_argument("files", type=Path, nargs="+", help="first the .json of each robot, then the .csv")
    arguments = parser.parse_args()
    half = len(arguments.files) // 2
    robots = [(json.loads(info.read_text()), read_csv(csv))
              for info, csv in zip(arguments.files[:half], arguments.files[half:], strict=True)]

    figure, axes = plt.subplots(2, len(robots), figsize=(6.5 * len(robots), 7), squeeze=False, sharex="col",
                                layout="constrained")
    for column, (title, (info, columns)) in enumerate(zip(arguments.title, robots, strict=True)):
        draw(axes[:, column], title, info, columns)
    figure.savefig(arguments.out, dpi=120)

    print_table([row(*robot) for robot in robots])
    print(f"\nPicture: {arguments.out}")


if __name__ == "__main__":
    main()
