# SPDX-License-Identifier: Apache-2.0
"""[Critchley] figures 3 to 8, and errors over subsystems, drawn again by tools/paper_figures.py."""
import collections
import statistics

import figure_data as data
import page_tables

BLACK, BLUE, GREEN, GRAY = "black", "tab:blue", "tab:green", "0.4"
COLOURS = {"articulated_body": GRAY, "divide_and_conquer": BLUE, "divide_and_conquer_efficient": GREEN}
SHADES = ["#74c476", "#238b45", "#00441b"]  # of green, for DCAe at several lengths or on several processors


def load_balancing(plt, save):
    """Figure 7"""
    name = "load_balancing"
    figure, (timed, counted) = plt.subplots(1, 2, figsize=(10, 4))

    def draw(axes, points, colour, label):
        x, y = zip(*points)
        axes.plot(x, [value / min(y) for value in y], "o-", color=colour, markersize=3, label=label)
        axes.plot(x[y.index(min(y))], 1, "s", color=colour, markersize=9, fillstyle="none")
        return x[y.index(min(y))]

    groups = sorted({(line["links"], line["chunks"]) for line in data.points(name)})
    timed_best = [draw(timed, data.curve(name, "ratio", links=links, chunks=chunks), SHADES[k % 3],
                       f"{links} links, {chunks} subsystems")
                  for k, (links, chunks) in enumerate(groups)]
    counted_best = [draw(counted, sorted((line["ratio"], line["depth"]) for line in page_tables.lines("counts.jsonl")
                                         if line["method"] == "divide_and_conquer_efficient"
                                         and line["processors"] == p == line["chunks"]),
                         SHADES[k], f"1024 links, {p} subsystems") for k, p in enumerate((2, 4, 8))]
    printed_best = draw(counted, sorted((line["ratio"], line["depth"]) for line in page_tables.lines("counts.jsonl")
                                        if line["method"] == "divide_and_conquer"
                                        and line["processors"] == 2 == line["chunks"]),
                        BLUE, "as printed, 2 subsystems")
    for axes, title in ((timed, f"timed, {data.most_threads(name)} cores"), (counted, "counted")):
        axes.set_title(title, fontsize=9)
        axes.axvline(3, color="tab:red", linewidth=1, linestyle="--")
        axes.set_xscale("log")
        axes.set_xticks([0.5, 0.7, 1, 1.4, 2, 3, 4], ["0.5", "0.7", "1", "1.4", "2", "3", "4"])
        axes.minorticks_off()
        axes.set_xlabel("load ratio: length of the tip subsystem over that of the others")
        axes.set_xlim(0.45, 4.4)
        axes.set_ylim(0.95, 1.6 if axes is timed else 2.6)
        axes.grid(alpha=0.25)
        axes.legend(fontsize=8, loc="upper right")
    counted.annotate("the paper's best", (2.9, 1.75), fontsize=8, color="tab:red", ha="right")
    timed.set_ylabel("time over the best")
    save(figure, "critchley_load_balancing.png",
         f"[Critchley] figure 7: the best load ratio is {min(timed_best):.3g} to {max(timed_best):.3g} "
         f"timed and {min(counted_best):.2g} to {max(counted_best):.2g} counted;\nas printed {printed_best:.2g} "
         "counted, which is what the paper measured, "
         f"where it had counted 2\n{data.where(name)}")


def timing(plt, save):
    """Figure 8"""
    lines = data.points("timing")
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
            axes.plot(x, k, "o", color=COLOURS[method])
            axes.annotate(f"{x:.3g}", (x, k), xytext=(6, 0), textcoords="offset points", va="center", fontsize=8)
        axes.set_xscale("log")
        axes.set_xlim(serial / 2.5, serial * 20)
        axes.set_xticks([serial * f for f in (0.5, 1, 2, 5, 10)], ["1/2", "1", "2", "5", "10"])
        axes.minorticks_off()
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)),
                        [f"{names[method]}, {threads} core{'s' * (threads > 1)}" for method, threads in rows])
        axes.set_title(f"{links} links: µs per call", fontsize=9)
        axes.set_xlabel("time over that of articulated_body, O(n)", fontsize=8)
        axes.grid(alpha=0.25)
    most, long = max(threads for _, threads in rows), lengths[-1]
    gain = times[long, "articulated_body", 1] / times[long, "divide_and_conquer_efficient", most]
    loss = times[long, "divide_and_conquer", most] / times[long, "articulated_body", 1]
    save(figure, "critchley_timing.png",
         f"[Critchley] figure 8, on {most} cores at {long} links: DCAe is {gain:.2g} times as fast "
         f"as the serial method, DCA {loss:.2g} times as slow\n{data.where('timing')}")


def operations(plt, save):
    """Figures 3 to 6: what the busiest processor has to do."""
    n = 1024
    counts = [line for line in page_tables.lines("counts.jsonl") if line["links"] == n and line["processors"] > 0]
    serial = page_tables.flops(page_tables.count("articulated_body", n))
    dca = sorted((line["processors"], line["depth"]) for line in counts if line["method"] == "divide_and_conquer"
                 and line["ratio"] == 0)
    of_dcae = sorted({line["processors"] for line in counts if line["method"] == "divide_and_conquer_efficient"})
    dcae = [(p, page_tables.best_balance(p)[0]) for p in of_dcae]
    printed = [(p, page_tables.best_balance(p, method="divide_and_conquer")[0]) for p in of_dcae]
    at_tip = [(p, page_tables.best_tip(p)[0]) for p in of_dcae if p > 1]
    figure, panels = plt.subplots(1, 2, figsize=(13, 4.6), gridspec_kw={"width_ratios": [3, 2]})
    for axes, most in zip(panels, (n, 8)):
        processors = [2**k for k in range(11) if 2**k <= most]
        several = processors[1:]
        for points, style, colour, label in (
                ([(p, serial) for p in processors], "-", "articulated_body", "O(n), articulated_body"),
                ([(p, 579 * n) for p in processors], "--", "articulated_body", "O(n), the paper's"),
                (dca, "o-", "divide_and_conquer", "DCA"),
                ([(p, page_tables.dca_formula(n, p)) for p in several], "--", "divide_and_conquer",
                 "DCA, the paper's (43)"),
                (at_tip, "s:", "divide_and_conquer", "DCA+, best length at the tip"),
                (dcae, "o-", "divide_and_conquer_efficient", "DCAe, best ratio"),
                (printed, "s:", "divide_and_conquer_efficient", "DCAe as printed, best ratio"),
                ([(p, page_tables.dcae_formula(n, p)) for p in several], "--", "divide_and_conquer_efficient",
                 "DCAe, the paper's (72), balanced")):
            axes.plot(*zip(*[point for point in points if point[0] <= most]), style, color=COLOURS[colour],
                      markersize=3, label=label)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(processors, processors)
        axes.minorticks_off()
        axes.set_xlabel("processors")
        axes.grid(alpha=0.25)
    panels[0].set_ylabel("depth: dependent flops")
    panels[0].set_title("figures 3 and 5", fontsize=9)
    panels[1].set_title("figures 4 and 6: a few processors", fontsize=9)
    panels[1].set_yticks([1e5, 2e5, 5e5, 1e6, 2e6], ["100 000", "200 000", "500 000", "10⁶", "2 · 10⁶"])
    panels[1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.02, 0.5))
    gain, needed = serial / dict(dcae)[2], min(p for p, depth in dca if depth < serial)
    save(figure, "critchley_operations.png",
         f"[Critchley] figures 3 to 6, a chain of {n} links: two processors are enough for DCAe to win ({gain:.2g} "
         "times fewer operations in a row than "
         f"O(n)),\nDCA needs {needed}; with a processor for each link DCA has {serial / dca[-1][1]:.0f} times fewer. "
         "Solid: counted here")


def errors_by_chunks(precision, family):
    """Median error by method and number of subsystems, over that of the serial method on the same chain."""
    lines = [line for line in data.points("subsystems") if (line["precision"], line["family"]) == (precision, family)]
    serial = {line["seed"]: line["error"] for line in lines if line["method"] == "articulated_body"}
    ratios = collections.defaultdict(list)
    for line in lines:
        ratios[line["method"], line["chunks"]].append(line["error"] / serial[line["seed"]])
    return {key: statistics.median(values) for key, values in ratios.items()}


def subsystems(plt, save):
    """What the paper says of accuracy, without a figure."""
    families = list(dict.fromkeys(line["family"] for line in data.points("subsystems")))
    figure, panels = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    worst = collections.defaultdict(list)
    for axes, precision in zip(panels, ("double", "float")):
        labels = []
        for k, family in enumerate(families):
            ratios = errors_by_chunks(precision, family)
            points = sorted((chunks, ratio) for (method, chunks), ratio in ratios.items()
                            if method == "divide_and_conquer_efficient")
            shade = ["#a1d99b", "#74c476", "#238b45", "#00441b"][k]
            axes.plot(*zip(*points), "o-", color=shade, markersize=3, label=f"DCAe, {family}")
            dca = ratios["divide_and_conquer", 0]
            if dca < 1e6:
                axes.plot(1024, dca, "s", color=BLUE, markersize=5, fillstyle="none")
            labels.append((min(dca, 600), family if dca < 1e6 else f"{family}: broken down"))
            worst["dcae"].append(max(ratio for _, ratio in points))
            worst["dca"].append(dca)
        height = 0
        for value, text in sorted(labels):  # beside their squares, none on another
            height = max(value, 2.2 * height)
            axes.annotate(text, (1024, height), xytext=(-6, -2), textcoords="offset points", fontsize=7, ha="right",
                          color=BLUE)
        axes.axhline(1, color=GRAY, linewidth=1)
        axes.set_ylim(0.005, 2000)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("subsystems; squares: DCA, one per link, 1024 links")
        axes.set_title(precision, fontsize=9)
        axes.grid(alpha=0.25)
    panels[0].set_ylabel("median error over that of O(n)")
    panels[0].legend(fontsize=8)
    save(figure, "critchley_accuracy.png",
         f"[Critchley]: errors of DCAe stay within {max(worst['dcae']):.2g} times those of O(n), whatever the number "
         "of "
         f"subsystems;\nthose of DCA are up to {max(x for x in worst['dca'] if x < 1e6):.0f} times as large where "
         "masses differ, or it breaks down")


NEEDS = {load_balancing: ("load_balancing",), timing: ("timing",), operations: (), subsystems: ("subsystems",)}
