# SPDX-License-Identifier: Apache-2.0
"""[Amin-Javaheri] figures 1 to 3 for N = 8, and the levels, operations and processors of its ways to the mass matrix,
counted by tests/links/counts_test.cpp. Drawn by tools/paper_figures.py."""
import figure_data as data

BLACK, BLUE, GRAY = "black", "tab:blue", "0.6"
WAYS = {"table 1": (GRAY, "table 1: one after the other"),
        "columns swept": ("tab:orange", "rejected: sets doubled, columns swept"),
        "columns doubled": ("tab:red", "rejected: every column doubled by itself"),
        "table 2": (BLACK, "table 2, log_composite")}


def ways():
    return {name: sorted((line for line in data.lines("levels.jsonl") if line["way"] == name),
                         key=lambda line: line["links"])
            for name in WAYS}


def groups(n, level):
    """(15): i, j, k of each group of a level: links i + 1 .. j joined with j + 1 .. k"""
    w = 2**level
    for u in range(1, -(-n // w) + 1):
        i, j, k = w * (u - 1), w * (u - 1) + w // 2, min(w * u, n)
        if j + 1 <= n:
            yield i, j, k


def flow(plt, save):
    """Figures 1 to 3"""
    n, column = 8, 6
    levels = (n - 1).bit_length()
    figure, panels = plt.subplots(1, 3, figsize=(13, 4.8))

    def box(axes, level, link, text, needed=True, colour=BLACK):
        axes.text(level, link, text, fontsize=8, ha="center", va="center", color=colour if needed else GRAY,
                  bbox={"boxstyle": "round,pad=0.25", "fc": "white", "ec": colour if needed else GRAY,
                        "ls": "-" if needed else "--", "lw": 1})

    def arrow(axes, start, end, colour=GRAY):
        axes.annotate("", end, start, zorder=0, arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.8})

    one, all_sets, stage_b = panels
    for axes, only_first in ((one, True), (all_sets, False)):
        end_of = {a: a for a in range(1, n + 1)}
        at = {a: 0 for a in range(1, n + 1)}
        for a in range(1, n + 1):
            box(axes, 0, a, f"({a})")
        for level in range(1, levels + 1):
            before, where_before = dict(end_of), dict(at)
            for i, j, k in groups(n, level):
                for a in range(i + 1, j + 1):
                    if only_first and a != i + 1:
                        continue
                    arrow(axes, (where_before[a], a), (level, a))
                    arrow(axes, (where_before[j + 1], j + 1), (level, a))
                    assert before[a] == j and before[j + 1] == k
                    box(axes, level, a, f"({a}..{k})")
                    end_of[a], at[a] = k, level
        axes.set_xticks(range(levels + 1))
        axes.set_xlabel("level")
    # stage B: entries of one column, from the diagonal out; the rest of stage A's pattern is not needed
    box(stage_b, 0, column, f"({column}, {column})", colour=BLUE)
    found = {column: 0}
    for level in range(1, levels + 1):
        for i, j, k in groups(n, level):
            needed = j + 1 <= column <= k
            start = j + 1 if needed else None
            for a in range(i + 1, j + 1):
                if needed:
                    arrow(stage_b, (found[start], start), (level, a), BLUE)
                    found[a] = level
                box(stage_b, level, a, f"({a}, {column})" if needed else f"({a}..{k})", needed, BLUE)
    assert sorted(found) == list(range(1, column + 1))
    stage_b.set_xticks(range(levels + 1))
    stage_b.set_xlabel("level")
    for axes, title in zip(panels,
                           ("figure 1: the mass of all links, M₁,₈", "figure 2, and stage A of figure 3: all sets",
                                    f"stage B of figure 3: column {column}; dashed: not needed")):
        axes.set_title(title, fontsize=9)
        axes.set_ylim(n + 0.6, 0.4)
        axes.set_xlim(-0.5, levels + 0.5)
        axes.set_yticks(range(1, n + 1))
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.tick_params(left=False)
    one.set_ylabel("link")
    counted = {line["links"]: line for line in data.lines("levels.jsonl") if line["way"] == "table 2"}[n]
    assert counted["busy"][1:levels + 1] == [n // 2] * levels
    save(figure, "amin_javaheri_flow.png",
         f"[Amin-Javaheri] figures 1 to 3, N = {n}: {levels} levels of {n // 2} sets, then {levels} levels of at most "
         f"{n * n // 4} entries of all columns;\n{counted['operations']} operations in {counted['levels']} levels on "
         f"{counted['processors']} processors "
         "if columns skip levels at which they have nothing to do")


def levels(plt, save):
    """What is said of table 1, table 2 and the two ways between them"""
    figure, panels = plt.subplots(1, 3, figsize=(14.5, 3.8))
    by_way = ways()
    for axes, what, label in zip(panels, ("levels", "flops", "processors"),
                                 ("levels, one after the other", "flops in all", "processors at most")):
        for name, (colour, title) in WAYS.items():
            axes.plot([line["links"] for line in by_way[name]], [line[what] for line in by_way[name]], "o-",
                      color=colour, markersize=3,
                      label=title)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2 if what == "levels" else 10)
        axes.set_xticks([2, 4, 8, 16, 32, 64, 128], [2, 4, 8, 16, 32, 64, 128])
        if what == "levels":
            axes.set_yticks([4, 8, 16, 32, 64, 128, 256], [4, 8, 16, 32, 64, 128, 256])
        axes.minorticks_off()
        axes.set_title(label, fontsize=9)
        axes.set_xlabel("links")
        axes.grid(alpha=0.25)
    panels[-1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.02, 0.5))
    last = {name: lines[-1] for name, lines in by_way.items()}
    doubled, table = last["columns doubled"], last["table 2"]
    save(figure, "amin_javaheri_levels.png",
         f"[Amin-Javaheri] section 3.3, {table['links']} links: columns doubled one by one need "
         f"{doubled['flops'] / table['flops']:.1f} times the operations and "
         f"{doubled['processors'] / table['processors']:.1f} times the processors of table 2\n"
         f"for {doubled['levels']} levels in place of {table['levels']}; columns swept need "
         f"{last['columns swept']['levels']}")


NEEDS = {flow: (), levels: ()}
