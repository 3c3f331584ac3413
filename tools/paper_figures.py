#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of papers, drawn again from measurements of tandem_figures (scripts/figures runs both).

    tools/paper_figures.py RESULTS.jsonl FOLDER     writes the pictures whose points are in RESULTS into FOLDER

From bench/results/counts.jsonl it draws what is counted, and beside times what is counted comes from there. Of points that were measured several times the fastest counts.
"""
import argparse
import collections
import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)

import page_tables  # noqa: E402

COLOURS = ["tab:blue", "tab:red", "tab:green", "tab:orange", "tab:purple", "tab:brown", "tab:pink", "tab:cyan", "tab:olive",
           "tab:gray"]
METHOD_COLOURS = {"articulated_body": "0.4", "divide_and_conquer": "tab:blue", "divide_and_conquer_efficient": "tab:green"}


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
    figure, (timed, counted) = plt.subplots(1, 2, figsize=(10, 4), sharey=True)

    def draw(axes, points, colour, label):
        x, y = zip(*points)
        axes.plot(x, [value / min(y) for value in y], "o-", color=colour, markersize=3, label=label)
        axes.plot(x[y.index(min(y))], 1, "s", color=colour, markersize=9, fillstyle="none")
        return x[y.index(min(y))]

    best = [draw(timed, points, COLOURS[k], f"{links} links, {chunks} subsystems") for k, ((links, chunks), points) in
            enumerate(sorted(curves(lines, "ratio", "us", "links", "chunks").items()))]
    for k, p in enumerate((2, 4, 8)):
        points = sorted((line["ratio"], line["depth"]) for line in page_tables.lines("counts.jsonl")
                        if line["method"] == "divide_and_conquer_efficient" and line["processors"] == p == line["chunks"])
        best.append(draw(counted, points, COLOURS[k + 4], f"1024 links, {p} subsystems"))
    for axes, title in ((timed, f"timed: {where}"), (counted, "counted")):
        axes.set_title(title, fontsize=8)
        axes.set_xscale("log")
        axes.set_xticks([0.5, 0.7, 1, 1.4, 2, 3, 4], ["0.5", "0.7", "1", "1.4", "2", "3", "4"])
        axes.minorticks_off()
        axes.set_xlabel("length of the subsystem at the tip over that of the others")
        axes.set_xlim(0.45, 4.4)
        axes.set_ylim(0.95, 1.6)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    timed.set_ylabel("times the best")
    save(figure, folder, "critchley_load_balancing.png", "DCAe, a thread for each subsystem: "
         f"the best load ratio (squares) is {min(best):.2g} to {max(best):.2g}")


def timing(lines, folder, where):
    """[Critchley] figure 8"""
    lengths = sorted({line["links"] for line in lines})
    names = {"articulated_body": "O(n)", "divide_and_conquer_efficient": "DCAe", "divide_and_conquer": "DCA"}
    times = {(line["links"], line["method"], line["threads"]): line["us"] for line in lines}
    rows = [(method, threads) for method in names for threads in sorted({line["threads"] for line in lines})
            if any((links, method, threads) in times for links in lengths)]
    figure, panels = plt.subplots(1, len(lengths), figsize=(3.6 * len(lengths), 0.45 * len(rows) + 1.6), sharey=True)
    for axes, links in zip(panels, lengths):
        serial = times[links, "articulated_body", 1]
        axes.axvline(serial, color="0.7", linewidth=1)
        for k, (method, threads) in enumerate(rows):
            x = times[links, method, threads]
            axes.plot(x, k, "o", color=METHOD_COLOURS[method])
            axes.annotate(f"{x:.3g}", (x, k), xytext=(6, 0), textcoords="offset points", va="center", fontsize=8)
        axes.set_xscale("log")
        axes.set_xlim(serial / 2.5, serial * 20)
        axes.set_xticks([serial * f for f in (0.5, 1, 2, 5, 10)], ["1/2", "1", "2", "5", "10"])
        axes.minorticks_off()
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)), [f"{names[method]}, {threads} thread{'s' * (threads > 1)}" for method, threads in rows])
        axes.set_title(f"{links} links: µs a call", fontsize=9)
        axes.set_xlabel("times O(n), which is articulated_body", fontsize=8)
        axes.grid(alpha=0.3)
    most, long = max(threads for _, threads in rows), lengths[-1]
    gain = times[long, "articulated_body", 1] / times[long, "divide_and_conquer_efficient", most]
    loss = times[long, "divide_and_conquer", most] / times[long, "articulated_body", 1]
    save(figure, folder, "critchley_timing.png", f"One forward dynamics on {most} threads at {long} links: DCAe is {gain:.2g} times as fast "
         f"as the serial method, DCA {loss:.2g} times as slow\n{where}")


def operations(folder):
    """[Critchley] figures 3 to 6: what the busiest processor has to do."""
    n = 1024
    counts = [line for line in page_tables.lines("counts.jsonl") if line["links"] == n and line["processors"] > 0]
    serial = page_tables.flops(page_tables.count("articulated_body", n))
    dca = sorted((line["processors"], line["depth"]) for line in counts if line["method"] == "divide_and_conquer")
    of_dcae = sorted({line["processors"] for line in counts if line["method"] == "divide_and_conquer_efficient"})
    dcae = [(p, page_tables.best_balance(p)[0]) for p in of_dcae]
    equal = sorted((line["processors"], line["depth"]) for line in counts
                   if line["method"] == "divide_and_conquer_efficient" and line["ratio"] == 1)
    figure, panels = plt.subplots(1, 2, figsize=(13, 4.6), gridspec_kw={"width_ratios": [3, 2]})
    for axes, most in zip(panels, (n, 8)):
        processors = [2**k for k in range(11) if 2**k <= most]
        several = processors[1:]
        for points, style, colour, label in (
                ([(p, serial) for p in processors], "-", "articulated_body", "O(n), articulated_body"),
                ([(p, 579 * n) for p in processors], "--", "articulated_body", "O(n), the paper's"),
                (dca, "o-", "divide_and_conquer", "DCA"),
                ([(p, page_tables.dca_formula(n, p)) for p in several], "--", "divide_and_conquer", "DCA, the paper's (43)"),
                (dcae, "o-", "divide_and_conquer_efficient", "DCAe, best ratio"),
                (equal, "o:", "divide_and_conquer_efficient", "DCAe, equal parts"),
                ([(p, page_tables.dcae_formula(n, p)) for p in several], "--", "divide_and_conquer_efficient",
                 "DCAe, the paper's (72), balanced")):
            axes.plot(*zip(*[point for point in points if point[0] <= most]), style, color=METHOD_COLOURS[colour], markersize=3,
                      label=label)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(processors, processors)
        axes.minorticks_off()
        axes.set_xlabel("processors")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("flops that wait for each other")
    panels[0].set_title("all", fontsize=9)
    panels[1].set_title("a few processors", fontsize=9)
    panels[1].set_yticks([1e5, 2e5, 5e5, 1e6, 2e6], ["100 000", "200 000", "500 000", "10⁶", "2 · 10⁶"])
    panels[1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.02, 0.5))
    save(figure, folder, "critchley_operations.png",
         f"A chain of {n} links, solid lines counted here: {serial / dcae[-1][1]:.0f} times fewer operations than O(n) by DCAe on "
         f"{dcae[-1][0]} processors, {serial / dca[-1][1]:.0f} times fewer by DCA on {dca[-1][0]}")


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
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.results.name == "counts.jsonl":
        operations(arguments.folder)
        return 0
    figures, where = read(arguments.results), caption(arguments.results)
    draw = {
        "load_balancing": load_balancing, "timing": timing,
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
