#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of errors over the number of links, from the results of tandem_bench --suite accuracy (scripts/figures runs
both).

    tools/accuracy_figures.py RESULTS.jsonl FOLDER     writes FOLDER/accuracy-PROBLEM.png

A panel for each family of chains and precision; the largest error of the chains of a length.
"""
import argparse
import json
import math
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)

FAMILIES = ["normal", "rope", "mass", "hard"]
LARGEST = 10  # an error beyond which there is no result


def worst(errors):
    return math.inf if None in errors else max(errors)


def draw(lines, path, title):
    methods = list(dict.fromkeys(method for line in lines for method in line["errors"]))
    figure, axes = plt.subplots(2, len(FAMILIES), figsize=(17, 8.4), layout="constrained", sharex=True, sharey="row")
    handles = {}
    for row, precision in zip(axes, ("double", "float")):
        broken = any(worst(errors) >= LARGEST for line in lines if line["precision"] == precision
                     for errors in line["errors"].values())
        for panel, family in zip(row, FAMILIES):
            here = sorted((line for line in lines if line["family"] == family and line["precision"] == precision),
                          key=lambda line: line["links"])
            for k, method in enumerate(methods):
                points = [(line["links"], min(max(worst(line["errors"][method]), 1e-17), LARGEST))
                          for line in here if method in line["errors"]]
                if not points:
                    continue
                first = method in ("articulated_body", "scan")
                handle, = panel.loglog(*zip(*points), marker="osv^D"[k // 10 % 5], markersize=4 if first else 3,
                                       color=f"C{k % 10}",
                                       linestyle=("-", "--", ":")[k // 10 % 3], linewidth=2.4 if first else 1, zorder=3
                                       if first else 2)
                handles.setdefault(method.replace("_", " "), handle)
            if broken:
                panel.axhline(LARGEST, color="black", linewidth=0.5)
            panel.grid(alpha=0.3)
            panel.set_title(f"{family}, {precision}", fontsize=10)
    for panel in axes[-1]:
        panel.set_xlabel("links")
    for row in axes:
        row[0].set_ylabel("largest relative error")
    figure.legend(handles.values(), handles.keys(), loc="outside right upper", fontsize=8)
    figure.suptitle(title, fontsize=10)
    figure.savefig(path, dpi=90)
    plt.close(figure)
    print(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    with open(arguments.results, encoding="utf-8") as file:
        lines = [line for line in map(json.loads, file) if line["kind"] == "chain_accuracy"
                 and line["family"] in FAMILIES]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for problem in dict.fromkeys(line["algorithm"] for line in lines):
        name = problem.replace("_", " ")
        draw([line for line in lines if line["algorithm"] == problem], arguments.folder / f"accuracy-{problem}.png",
             f"Error of {name} against long double; a line at {LARGEST}: broken down ({lines[0].get('commit', '?')})")
    return 0 if lines else 1


if __name__ == "__main__":
    sys.exit(main())
