#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of papers, drawn again from measurements of tandem_figures (scripts/figures runs both).

    tools/paper_figures.py RESULTS.jsonl FOLDER     writes the pictures whose points are in RESULTS into FOLDER

Of points that were measured several times the fastest counts.
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

COLOURS = ["tab:blue", "tab:red", "tab:green", "tab:orange", "tab:purple", "tab:brown", "tab:pink", "tab:cyan", "tab:olive",
           "tab:gray"]


def read(path):
    """figure -> key of the point -> its line, the fastest"""
    figures = collections.defaultdict(dict)
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            if "figure" not in line:
                continue
            key = tuple((name, value) for name, value in line.items() if name != "us")
            points = figures[line["figure"]]
            if key not in points or line.get("us", 0) < points[key].get("us", 0):
                points[key] = line
    return {name: list(points.values()) for name, points in figures.items()}


def caption(path):
    with open(path, encoding="utf-8") as file:
        first = json.loads(file.readline())
    return ", ".join(str(first[name]) for name in ("processor", "compiler", "commit") if name in first)


def curves(lines, x, y, *names):
    result = collections.defaultdict(dict)
    for line in lines:
        result[tuple(line[name] for name in names)][line[x]] = line[y] if isinstance(y, str) else y(line)
    return {name: sorted(points.items()) for name, points in result.items()}


def save(figure, folder, name, title):
    figure.suptitle(title, fontsize=9)
    figure.tight_layout()
    path = folder / name
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(path)


def load_balancing(lines, folder, where):
    """[Critchley] figure 7"""
    figure, axes = plt.subplots(figsize=(6, 4))
    for (links, chunks), points in curves(lines, "ratio", "us", "links", "chunks").items():
        x, y = zip(*points)
        (curve,) = axes.plot(x, [t / links * 1000 for t in y], "o-", markersize=3, label=f"{links} links, {chunks} subsystems")
        least = min(range(len(y)), key=y.__getitem__)
        axes.plot(x[least], y[least] / links * 1000, "s", color=curve.get_color(), markersize=8, fillstyle="none")
    axes.set_xscale("log")
    axes.set_xticks([0.25, 0.5, 1, 2, 4], ["1/4", "1/2", "1", "2", "4"])
    axes.minorticks_off()
    axes.set_xlabel("length of the terminal subsystem over that of the others")
    axes.set_ylabel("ns per link")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    save(figure, folder, "critchley_load_balancing.png", f"DCAe, one thread a subsystem; squares: the best\n{where}")


def timing(lines, folder, where):
    """[Critchley] figure 8"""
    lengths = sorted({line["links"] for line in lines})
    figure, panels = plt.subplots(1, len(lengths), figsize=(3 * len(lengths), 3.6), sharey=True)
    names = {"divide_and_conquer": "DCA", "articulated_body": "O(n)", "divide_and_conquer_efficient": "DCAe"}
    for axes, links in zip(panels, lengths):
        bars = [(f"{names[line['method']]}\n{line['threads']} thr.", line["us"], line["method"])
                for name in names for line in sorted(lines, key=lambda line: line["threads"])
                if line["method"] == name and line["links"] == links]
        for k, (_, us, method) in enumerate(bars):
            axes.bar(k, us, color=COLOURS[list(names).index(method)])
            axes.text(k, us, f"{us:.3g}", ha="center", va="bottom", fontsize=8)
        axes.set_xticks(range(len(bars)), [label for label, _, _ in bars], fontsize=7)
        axes.set_title(f"{links} links", fontsize=9)
        axes.set_yscale("log")
        axes.set_ylim(5, 1500)
    panels[0].set_ylabel("µs a solve")
    save(figure, folder, "critchley_timing.png", f"Time of one forward dynamics, double\n{where}")


def operations(lines, folder, where):
    """[Critchley] figures 3 to 6: what the slowest processor has to do."""
    n = lines[0]["links"]
    flops = curves(lines, "processors", lambda line: line["multiplications"] + line["additions"] + line["other"], "method", "ratio")
    serial = flops.pop(("articulated_body", 0))[0][1]
    best = collections.defaultdict(lambda: math.inf)
    for (method, _), points in flops.items():
        for p, count in points:
            best[method, p] = min(best[method, p], count)
    ours = {method: sorted((p, c) for (m, p), c in best.items() if m == method) for method in {m for m, _ in best}}

    def dca(p):  # (43)
        return (928 + 812) * math.log2(p / 2) + (1150 + 937) * n / p - 1041 - 845

    def dcae(p):  # (72), with the terminal subsystem twice as long as the others
        return (928 + 812) * math.log2(p / 2) + (637 + 548) * n / (p + 1) - 495 - 446

    figure, panels = plt.subplots(1, 2, figsize=(12, 4))
    for axes, most in zip(panels, (1024, 8)):
        processors = [p for p in (2**k for k in range(11)) if p <= most]
        axes.plot(processors, [579 * n] * len(processors), "--", color="tab:gray", label="O(n), the paper's")
        axes.plot(processors[1:], [dca(p) for p in processors[1:]], "--", color=COLOURS[0], label="DCA, the paper's (43)")
        axes.plot(processors[1:], [dcae(p) for p in processors[1:]], "--", color=COLOURS[2],
                  label="DCAe, the paper's (72), ratio 2")
        axes.plot(processors, [serial] * len(processors), "-", color="tab:gray", label="O(n), articulated_body, counted")
        shown = {"divide_and_conquer": ("DCA, counted", COLOURS[0]),
                 "divide_and_conquer_efficient": ("DCAe, counted, best ratio", COLOURS[2]),
                 "divide_and_conquer_efficient, equal parts": ("DCAe, counted, equal parts", COLOURS[3])}
        for method, (label, colour) in shown.items():
            points = [(p, c) for p, c in ours.get(method, []) if p <= most]
            axes.plot(*zip(*points), "o-", color=colour, markersize=3, label=label)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("processors")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("operations that wait for each other")
    panels[1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1.02, 0.5))
    panels[1].minorticks_off()
    save(figure, folder, "critchley_operations.png", f"A chain of {n} links: multiplications, additions, divisions, roots of the "
         "processor that has most to do")


def by_method(lines, folder, where, name, x, label, title):
    panels_of = sorted({line["links"] for line in lines}) if x == "robots" else sorted({line["threads"] for line in lines})
    key = "links" if x == "robots" else "threads"
    methods = list(dict.fromkeys(line["method"] for line in lines))
    figure, panels = plt.subplots(1, len(panels_of), figsize=(5.5 * len(panels_of), 4.2), squeeze=False)
    for axes, value in zip(panels[0], panels_of):
        for k, method in enumerate(methods):
            points = sorted((line[x], line["us"]) for line in lines if line["method"] == method and line[key] == value)
            if points:
                axes.plot(*zip(*points), marker="o" if k < 10 else "s", markersize=3, color=COLOURS[k % 10],
                          label=method.replace("_", " "))
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel(label)
        axes.set_title(f"{value} {key}" if value != 1 else f"1 {key[:-1]}", fontsize=9)
        axes.grid(alpha=0.3)
    panels[0][0].set_ylabel("µs")
    panels[0][-1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1.02, 0.5))
    save(figure, folder, name, f"{title}\n{where}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    figures, where = read(arguments.results), caption(arguments.results)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    draw = {
        "load_balancing": load_balancing, "timing": timing, "operations": operations,
        # [Yang] figures 2 and 3
        "links": lambda lines, folder, where: by_method(lines, folder, where, "yang_links.png", "links", "links",
                                                        "One forward dynamics of a chain, by every method, double"),
        "robots": lambda lines, folder, where: by_method(lines, folder, where, "yang_robots.png", "robots", "independent robots",
                                                         "Forward dynamics of many chains, by every method, double, all threads"),
    }
    for name, lines in figures.items():
        draw[name](lines, arguments.folder, where)
    return 0 if figures else 1


if __name__ == "__main__":
    sys.exit(main())
