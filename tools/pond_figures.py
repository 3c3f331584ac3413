# SPDX-License-Identifier: Apache-2.0
"""[Pond] figures 2.2, 2.8 to 2.16, and schedules that were run, drawn again by tools/paper_figures.py."""
import figure_data as data

GREEN, ORANGE, BLUE, GRAY = "tab:green", "tab:orange", "tab:blue", "0.6"
COLOURS = {"resne": GREEN, "recne": "black", "recneb": BLUE, "hybrid": "0.45", "recle": "0.6", "classle": "0.75"}
STYLES = {"hybrid": "--", "recle": "-.", "classle": ":"}
NAMES = {name: name.upper().replace("NEB", "NEb") for name in COLOURS}
THEN, NOW = "earliest_first_append", "earliest_first"


def curve(machine, formulation, case, scheduler=None, value="us"):
    return sorted((line["links"], line[value]) for line in data.points("schedules")
                  if (line["machine"], line["formulation"], line["case"]) == (machine, formulation, case)
                  and scheduler in (None, line.get("scheduler")))


def best(machine, formulation):
    """Of both orders of messages."""
    return data.fastest(curve(machine, formulation, "best", THEN), curve(machine, formulation, "best", NOW))


def logarithmic(axes, label="links"):
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks([1, 2, 4, 6, 10, 32, 64], ["1", "2", "4", "6", "10", "32", "64"])
    axes.minorticks_off()
    axes.set_xlabel(label)
    axes.grid(alpha=0.25)


def doubling(plt, save):
    """Figure 2.2"""
    figure, axes = plt.subplots(figsize=(5.6, 3))
    links = 8
    for link in range(links):
        for level in range(4):
            axes.plot(link + 1, level, "o", color="black", markersize=4)
            if 0 < level and link >= 2 ** (level - 1):
                axes.plot([link + 1 - 2 ** (level - 1), link + 1], [level - 1, level], color=BLUE, linewidth=1)
            if 0 < level:
                axes.plot([link + 1, link + 1], [level - 1, level], color="0.7", linewidth=1)
    axes.set_xlabel("link")
    axes.set_yticks(range(4), ["leaves", "1", "2", "3"])
    save(figure, "pond_2_2.png", "[Pond] figure 2.2: recursive doubling, all sums of 8 links in 3 steps")


def critical_paths(plt, save):
    """Figure 2.8"""
    figure, axes = plt.subplots(figsize=(7.4, 4.2))
    for name, colour in COLOURS.items():
        axes.plot(*zip(*curve("transputer", name, "path without assignments")), STYLES.get(name, "-"), color=colour,
                  label=NAMES[name])
    if row := curve("transputer", "resne", "Hashimoto"):  # since these are computed, too
        axes.plot(*zip(*row), ":", color=GREEN, label="RESNE, Hashimoto and Kimura")
    logarithmic(axes)
    axes.set_ylabel("µs on a transputer, without assignments")
    axes.legend(fontsize=8)
    paths = [curve("transputer", name, "path without assignments") for name in ("recneb", "resne")]
    save(figure, "pond_2_8.png",
         "[Pond] figure 2.8: without messages and assignments RECNEb has the shortest critical path "
         f"{data.faster_in_words(*paths, ' links').replace('from 1 links', 'from one link on')}")


def best_schedules(plt, save):
    """Figure 2.9"""
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.4))
    titles = ("a network of transputers, messages behind all else as in the thesis",
              "threads of this machine, the better of both orders")
    then = {name: dict(curve("transputer", name, "best", THEN)) for name in COLOURS}
    for axes, machine, title in zip(panels, ("transputer", "this"), titles):
        for name, colour in COLOURS.items():
            axes.plot(*zip(*(sorted(then[name].items()) if machine == "transputer" else best(machine, name))),
                      STYLES.get(name, "-"), color=colour, label=NAMES[name])
        logarithmic(axes)
        axes.set_title(title, fontsize=9)
    panels[0].set_ylabel("µs, best number of processors")
    panels[0].legend(fontsize=8)
    now = dict(best("this", "recne"))
    slower = [str(n) for n in then["resne"] if 1 < n <= 10
              and then["resne"][n] > min(then[name].get(n, 1e9) for name in COLOURS)]
    but = f" (but for {' and '.join(slower)})" if slower else ""
    at = dict(curve("this", "recne", "best", NOW, "processors"))
    alone = max(n for n, processors in at.items() if processors == 1)
    save(figure, "pond_2_9.png",
         f"[Pond] figure 2.9: RESNE was fastest from 2 to 10 links{but}; now RECNE is, {now[6]:.2g} µs for six links "
         "on one core,\n"
         f"and a second one does not pay for it up to {alone} links\n{data.where('schedules')}")


def processors(plt, save):
    """Figure 2.10"""
    figure, panels = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    for axes, scheduler, title in zip(panels, (THEN, NOW), ("messages behind all else", "messages in gaps")):
        for name in ("resne", "recne", "recneb", "hybrid", "recle"):
            points = [(n, p) for n, p in curve("transputer", name, "best", scheduler, "processors") if n <= 10]
            axes.plot(*zip(*points), "o" + STYLES.get(name, "-"), color=COLOURS[name], markersize=3, label=NAMES[name])
        axes.plot([1, 10], [1, 10], color="tab:red", linewidth=1)
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("links")
        axes.grid(alpha=0.25)
    panels[0].set_ylabel("best number of processors")
    panels[0].set_yticks(range(0, 41, 8))
    panels[0].annotate("one a link", (8.4, 3.6), fontsize=8, color="tab:red")
    panels[0].legend(fontsize=8)
    off = [max(abs(n - p) for n, p in curve("transputer", "recne", "best", scheduler, "processors") if n <= 10)
           for scheduler in (THEN, NOW)]
    save(figure, "pond_2_10.png",
         f"[Pond] figure 2.10: one processor a link serves RECNE best, within {off[0]} with messages behind all else "
         "and "
         f"within {off[1]} in gaps;\nformulations with more tasks find work for more")


def cases(plt, save, machine, title, name):
    """Figures 2.11 to 2.16"""
    figure, panels = plt.subplots(2, 3, figsize=(12, 7))
    for axes, formulation in zip(panels.flat, ("recne", "recneb", "resne", "classle", "recle", "hybrid")):
        for case, colour, label in (("best", "black", "Best"), ("macro", ORANGE, "Macro"), ("maxpar", BLUE, "Maxpar")):
            for scheduler, style in ((THEN, "-"), (NOW, "--")) if case != "maxpar" else ((None, "-"),):
                points = curve(machine, formulation, case, scheduler)
                axes.plot(*zip(*points), style, color=colour, label=label if style == "-"
                          else f"{label}, messages in gaps")
        axes.plot(*zip(*curve(machine, formulation, "critical path")), color=GRAY, label="critical path")
        logarithmic(axes)
        axes.set_title(NAMES[formulation], fontsize=9)
    for axes in panels[:, 0]:
        axes.set_ylabel("µs")
    panels[0][0].legend(fontsize=7)
    save(figure, name, f"{title}\n{data.where('schedules')}")


def then(plt, save):
    def below(scheduler):
        lower = total = 0
        for name in COLOURS:
            maxpar = dict(curve("transputer", name, "maxpar"))
            for n, us in curve("transputer", name, "best", scheduler):
                if 3 <= n <= 10:
                    total += 1
                    lower += us < maxpar[n]
        return f"{lower} of {total}"
    cases(plt, save, "transputer", "[Pond] figures 2.11 to 2.16, transputers, 3 to 10 links: Best is below Maxpar "
          f"in {below(THEN)} cases with messages behind all else,\nnever in the thesis, and in {below(NOW)} with "
          "messages in gaps", "pond_2_11.png")


def now(plt, save):
    best_one, each = dict(best("this", "recne")), dict(curve("this", "recne", "maxpar"))
    cases(plt, save, "this",
          "[Pond] figures 2.11 to 2.16 on this machine: a thread for every task takes RECNE of six links "
          f"{each[6] / best_one[6]:.0f} times as long as one thread", "pond_2_11_now.png")


def paid(lines):
    """What a second thread brought, in words."""
    time = {(line["formulation"], line["links"], line["processors"]): line["us"] for line in lines}
    gains = {case[:2]: one / time[*case[:2], 2] for case, one in time.items() if case[2] == 1}
    faster = [f"{NAMES[name]} of {links} links ({gain:.2f} times as fast)" for (name, links),
              gain in sorted(gains.items()) if gain > 1]
    return "a second thread pays for " + ", ".join(faster) if faster else "a second thread never pays up to 32 links"


def runs(plt, save):
    lines = data.points("schedule_runs")
    figure, panels = plt.subplots(2, 3, figsize=(12, 7.5), sharex=True, sharey=True)
    off = []
    for axes, formulation in zip(panels.flat, ("recne", "resne", "recneb", "recle", "hybrid", "classle")):
        for processors_, colour in ((1, "black"), (2, ORANGE)):
            points = sorted((line["links"], line["predicted"], line["us"]) for line in lines
                            if (line["formulation"], line["processors"]) == (formulation, processors_))
            links, predicted, measured = zip(*points)
            axes.plot(links, predicted, "--", color=colour,
                      label=f"{processors_} thread{'s' * (processors_ > 1)}, predicted")
            axes.plot(links, measured, "o", color=colour, markersize=4, label="measured")
            off += [b / a for n, a, b in points if formulation in ("recne", "resne")]
        logarithmic(axes)
        axes.set_title(NAMES[formulation], fontsize=9)
    for first in panels[:, 0]:
        first.set_ylabel("µs")
    panels[0, 0].legend(fontsize=8)
    save(figure, "pond_runs.png",
         f"[Pond] p. 46 on this machine: RECNE and RESNE take {min(off):.2f} to {max(off):.2f} times what is "
         "predicted; "
         f"{paid(lines)}\n{data.where('schedule_runs')}")


NEEDS = {doubling: (), critical_paths: ("schedules",), best_schedules: ("schedules",), processors: ("schedules",),
         then: ("schedules",),
         now: ("schedules",), runs: ("schedule_runs",)}
