#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of benchmark results: states a second over the batch's size, time over the number of links, and code for one
robot beside code for any.

    tools/bench_plot.py bench/results/RESULTS.jsonl      writes RESULTS-batches.png, RESULTS-links.png beside it
    tools/bench_plot.py bench/results/generated-RESULTS.jsonl --out docs/figures/generated.png

Which are drawn depends on what was measured: batches of more than one size, robots of more than one length, the suite.
"""
import argparse
import collections
import json
import math
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)
from matplotlib.lines import Line2D  # noqa: E402

ALGORITHMS = ["inverse_dynamics", "mass_matrix", "forward_dynamics", "forward_kinematics"]
COLOURS = {"tandem": "tab:blue", "tandem_python": "tab:cyan", "pinocchio": "tab:red", "pinocchio_pool": "tab:orange",
           "pinocchio_code_generation": "tab:brown", "mujoco": "tab:green", "mujoco_batch": "tab:olive",
           "mjx": "tab:purple", "frax": "tab:pink"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return [line for line in map(json.loads, file) if line["kind"] == "time" and line["library"] != "limit"]


def caption(lines):
    first = lines[0]
    return f"{first.get('processor', '?')}, {first.get('compiler', '?')}, {first.get('commit', '?')}, one core"


def ordered(values, preference=()):
    """Each once: the preferred ones first, the others as they come."""
    seen = list(dict.fromkeys(values))
    return [x for x in preference if x in seen] + [x for x in seen if x not in preference]


def curves(lines, key, value):
    """(library, precision) -> x -> the best median among conventions."""
    result = collections.defaultdict(dict)
    for line in lines:
        curve, x, y = result[line["library"], line["precision"]], key(line), value(line)
        curve[x] = min(curve.get(x, y), y)
    return result


def save(figure, path, title):
    figure.suptitle(title, fontsize=9)
    figure.savefig(path, dpi=130)
    plt.close(figure)
    print(path)


def plot_batches(lines, path):
    """A panel for each algorithm and robot; our curves, a point for each rival."""
    lines = [line for line in lines if line["threads"] == 1 and line["layout"] == "batch_row"]
    own = {line["instruction_set"] for line in lines if line["library"] == "tandem" and line["batch"] == 16}
    lines = [line for line in lines if line["library"] != "tandem" or line["instruction_set"] in own]
    robots = ordered((line["robot"] for line in lines), ["arm6", "arm7", "quadruped", "humanoid"])
    algorithms = ordered((line["algorithm"] for line in lines), ALGORITHMS)
    figure, axes = plt.subplots(len(algorithms), len(robots), squeeze=False, sharex=True, layout="constrained",
                                figsize=(1 + 3.2 * len(robots), 0.8 + 2.6 * len(algorithms)))
    handles = {}
    for row, algorithm in zip(axes, algorithms):
        for panel, robot in zip(row, robots):
            here = [line for line in lines if line["algorithm"] == algorithm and line["robot"] == robot]
            for (library, precision), curve in curves(here, lambda l: l["batch"],
                                                      lambda l: l["ns_per_state"]["median"]).items():
                sizes = sorted(curve)
                handle, = panel.loglog(sizes, [1e9 / curve[size] for size in sizes],
                                       "-" if precision == "double" else "--", marker="o" if len(sizes) == 1 else ".",
                                       markerfacecolor=None if precision == "double" else "none",
                                       color=COLOURS.get(library, "grey"))
                handles.setdefault(f"{library.replace('_', ' ')}, {precision}", handle)
            panel.grid(alpha=0.3)
            panel.set_title(f"{algorithm.replace('_', ' ')}, {robot}", fontsize=9)
        row[0].set_ylabel("states per second")
    for panel in axes[-1]:
        panel.set_xlabel("states in a batch")
    figure.legend(handles.values(), handles.keys(), loc="outside right upper", fontsize=8)
    save(figure, path, caption(lines))


def plot_links(lines, path):
    """A panel for each algorithm: microseconds a state over the links of chains, every library's best."""
    algorithms = ordered((line["algorithm"] for line in lines), ALGORITHMS)
    figure, axes = plt.subplots(1, len(algorithms), squeeze=False, layout="constrained",
                                figsize=(1 + 3.4 * len(algorithms), 3.4))
    handles = {}
    for panel, algorithm in zip(axes[0], algorithms):
        here = [line for line in lines if line["algorithm"] == algorithm and line["batch"] == 1]
        for (library, _), curve in curves(here, links, lambda l: l["ns_per_state"]["median"]).items():
            sizes = sorted(curve)
            handle, = panel.loglog(sizes, [curve[size] / 1e3 for size in sizes], marker=".",
                                   color=COLOURS.get(library, "grey"))
            handles.setdefault(library, handle)
        panel.grid(alpha=0.3)
        panel.set_title(algorithm.replace("_", " "), fontsize=9)
        panel.set_xlabel("links")
    axes[0][0].set_ylabel("µs per state")
    figure.legend(handles.values(), handles.keys(), loc="outside right upper", fontsize=8)
    save(figure, path, caption(lines))


def plot_methods(lines, path):
    """A panel for each algorithm: nanoseconds a link over the links of chains, every method, precision and number of
    threads."""
    algorithms = ordered((line["algorithm"] for line in lines), ALGORITHMS)
    figure, axes = plt.subplots(1, len(algorithms), squeeze=False, layout="constrained",
                                figsize=(2.6 + 4.2 * len(algorithms), 4.4))
    names = ordered(line["variant"] for line in lines if line["library"] == "tandem")
    colours = {name: f"C{k}" for k, name in enumerate(names)} | {"pinocchio": "black", "mujoco": "grey"}
    shown = {}
    for panel, algorithm in zip(axes[0], algorithms):
        times = collections.defaultdict(dict)
        for line in lines:
            if line["algorithm"] != algorithm or links(line) == 1000 and line["library"] == "tandem":
                continue
            name = line["variant"] if line["library"] == "tandem" else line["library"]
            curve, n = times[name, line["precision"], line["threads"]], links(line)
            curve[n] = min(curve.get(n, float("inf")), line["ns_per_state"]["median"] / n)
        for (name, precision, threads), curve in times.items():
            sizes = sorted(curve)
            rival = name not in names
            panel.loglog(sizes, [curve[n] for n in sizes], "-" if precision == "double" else "--",
                         marker="s" if rival else "o" if threads == 1 else "^", markersize=4,
                         markerfacecolor=None if threads == 1 else "none", color=colours[name])
            shown.setdefault(name, Line2D([], [], color=colours[name], marker="s" if rival else None, markersize=4))
        panel.grid(alpha=0.3)
        panel.set_title(algorithm.replace("_", " "), fontsize=9)
        panel.set_xlabel("links")
    axes[0][0].set_ylabel("ns per link")
    plain = {"color": "black", "markersize": 4}
    styles = {"double": Line2D([], [], **plain), "float": Line2D([], [], linestyle="--", **plain),
              "one thread": Line2D([], [], linestyle="", marker="o", **plain),
              "two threads": Line2D([], [], linestyle="", marker="^", markerfacecolor="none", **plain)}
    legend = {name.replace("_", " "): line for name, line in shown.items()} | styles
    figure.legend(legend.values(), legend.keys(), loc="outside right upper", fontsize=8)
    save(figure, path, caption(lines).removesuffix(", one core"))


BARS = [("Pinocchio", "pinocchio", None, "double", "0.75"),
        ("its generated code", "pinocchio_code_generation", None, "double", "0.6"),
        ("Tandem, for any robot", "tandem", "", "double", "tab:blue"),
        ("Tandem, for this robot", "tandem", "specialise wait", "double", "tab:orange"),
        ("the same in float", "tandem", "specialise wait", "float", "tab:orange")]


def plot_generated(lines, path):
    """A panel for each function: nanoseconds a state of every robot by Pinocchio, by code for any robot and for this
    one."""
    widest = "avx512" if any(line["instruction_set"] == "avx512" for line in lines) else "avx2"
    lines = [line for line in lines if line["batch"] > 1 and line["layout"] == "batch_row" and line["threads"] == 1 and
             (line["library"] != "tandem" or line["instruction_set"] == widest)]
    def time(algorithm, robot, library, variant, precision):
        return min((line["ns_per_state"]["median"] for line in lines
                    if (line["algorithm"], line["robot"], line["library"], line["precision"]) ==
                    (algorithm, robot, library, precision) and variant in (None, line["variant"])), default=None)
    robots = ordered(line["robot"] for line in lines)
    algorithms = ordered((line["algorithm"] for line in lines), ALGORITHMS)
    figure, axes = plt.subplots(1, len(algorithms), squeeze=False, sharey=True, layout="constrained",
                                figsize=(1.6 + 3.2 * len(algorithms), 1.2 + 0.75 * len(robots)))
    ratios = collections.defaultdict(list)
    for panel, algorithm in zip(axes[0], algorithms):
        for place, robot in enumerate(robots):
            for k, (label, library, variant, precision, colour) in enumerate(BARS):
                ns = time(algorithm, robot, library, variant, precision)
                if ns is None:
                    continue
                panel.barh(-place - 0.16 * (k - 2), ns, 0.15, color=colour, alpha=0.5 if precision == "float" else 1,
                           label=label)
                panel.text(ns * 1.06, -place - 0.16 * (k - 2), us(ns), va="center", fontsize=6.5)
                if variant == "specialise wait" and precision == "double":
                    for rival in (("tandem", "", "double"), ("pinocchio", None, "double")):
                        other = time(algorithm, robot, *rival)
                        if other:
                            ratios[rival[0]].append(other / ns)
        panel.set_xscale("log")
        panel.margins(x=0.15)
        panel.grid(axis="x", alpha=0.3)
        panel.set_title(algorithm.replace("_", " "), fontsize=9)
        panel.set_xlabel("ns per state")
    axes[0][0].set_yticks([-place for place in range(len(robots))], [robot.partition("_")[0] for robot in robots])
    handles = {}
    for panel in axes[0]:
        for handle, label in zip(*panel.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    figure.legend([handles[label] for label, *_ in BARS if label in handles],
                  [label for label, *_ in BARS if label in handles],
                  loc="outside right upper", fontsize=8)
    span = {library: f"{min(values):.2g} to {max(values):.2g}" for library, values in ratios.items()}
    message = f"Code for one robot is {span['tandem']} times as fast as code for any"
    if "pinocchio" in span:
        message += f", {span['pinocchio']} times as fast as Pinocchio"
    figure.suptitle(f"{message}\nbatches of 4096 states, {widest.upper().replace('X5', 'X-5')}, {caption(lines)}",
                    fontsize=9)
    figure.savefig(path, dpi=130)
    plt.close(figure)
    print(path)


def plot_rollouts(lines, path):
    """Million steps a second of every robot, ours in both precisions beside MuJoCo's batches."""
    lines = [line for line in lines if line["algorithm"] == "rollout" and line["variant"] in ("", "mjb_rollout")]
    robots, threads = ordered(line["robot"] for line in lines), sorted({line["threads"] for line in lines})
    bars = [("MuJoCo, double", "mujoco_batch", "double", "0.6"), ("Tandem, double", "tandem", "double", "tab:blue"),
            ("Tandem, float", "tandem", "float", "tab:orange")]
    figure, axes = plt.subplots(1, len(robots), squeeze=False, layout="constrained",
                                figsize=(1.5 + 3.6 * len(robots), 2.8))
    for panel, robot in zip(axes[0], robots):
        for k, (label, library, precision, colour) in enumerate(bars):
            for place, n in enumerate(threads):
                ns = min((line["ns_per_state"]["fastest"] for line in lines
                          if (line["robot"], line["library"], line["precision"],
                         line["threads"]) == (robot, library, precision, n)), default=None)
                if ns is None:
                    continue
                panel.bar(place + 0.27 * (k - 1), 1000 / ns, 0.25, color=colour)
                panel.text(place + 0.27 * (k - 1), 1000 / ns, us(1000 / ns), ha="center", va="bottom", fontsize=7)
        panel.set_xticks(range(len(threads)), [f"{n} thread{'s' * (n > 1)}" for n in threads])
        panel.set_yscale("log")
        panel.margins(y=0.15)
        panel.grid(axis="y", alpha=0.3)
        panel.set_title(robot, fontsize=9)
    axes[0][0].set_ylabel("million steps per second")
    handles = [Line2D([], [], color=colour, linewidth=6) for *_, colour in bars]
    figure.legend(handles, [label for label, *_ in bars], loc="outside right upper", fontsize=7)
    where = caption(lines).removesuffix(", one core")
    figure.suptitle(f"{rollout_message(lines, max(threads))}semi-implicit steps, a hundred a call, {where}", fontsize=9)
    figure.savefig(path, dpi=130)
    plt.close(figure)
    print(path)


def rollout_message(lines, threads):
    """How much faster than MuJoCo's batches, of every robot in both precisions; nothing where these were not
    measured."""
    best = {}
    for line in lines:
        if line["threads"] == threads:
            key = line["library"], line["precision"], line["robot"]
            best[key] = min(best.get(key, math.inf), line["ns_per_state"]["fastest"])
    parts = []
    for (library, precision, robot), theirs in best.items():
        if (library, precision) == ("mujoco_batch", "double"):
            double, single = (theirs / best["tandem", real, robot] for real in ("double", "float"))
            parts.append(f"{double:.0f} times (in float {single:.0f}) with {robot}")
    return f"Faster than MuJoCo's batches: {', '.join(parts)}\n" if parts else ""


def us(x):
    return f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def links(line):
    """N of chain:N and the like, or None."""
    number = line["robot"].partition(":")[2].partition(":")[0]
    return int(number) if number.isdigit() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--out", type=Path, help="of the suites generated and rollouts: where the picture goes")
    arguments = parser.parse_args()
    path = arguments.results
    lines = read(path)
    if lines and lines[0]["suite"] == "generated":
        plot_generated(lines, arguments.out or path.with_name(f"{path.stem}-generated.png"))
        return 0
    if lines and lines[0]["suite"] == "rollouts":
        plot_rollouts(lines, arguments.out or path.with_name(f"{path.stem}-rollouts.png"))
        return 0
    if len({line["batch"] for line in lines}) > 1:
        plot_batches(lines, path.with_name(f"{path.stem}-batches.png"))
    chains = [line for line in lines if links(line)]
    if lines and lines[0]["suite"] == "links":
        plot_methods(chains, path.with_name(f"{path.stem}-links.png"))
    elif len({links(line) for line in chains}) > 1:
        plot_links(chains, path.with_name(f"{path.stem}-links.png"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
