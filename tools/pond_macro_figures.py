# SPDX-License-Identifier: Apache-2.0
"""[Pond] figures 3.1 to 3.3 and iterations over the length, drawn by tools/paper_figures.py; and the tables of that
page."""
import statistics

import figure_data as data
import processor_row
from results import amount, table

BLACK, BLUE, GREEN, GRAY, RED = "black", "tab:blue", "tab:green", "0.4", "tab:red"
TIMES, ITERATIONS, GUESSES, FREEZING = "macroparallel", "macroparallel_iterations", "first_guesses", "freezing"
SHORT = range(1, 11)  # the lengths of the thesis


def us(part, links, processors, iterations):
    return next(line["us"] for line in data.points(TIMES)
                if (line["part"], line["links"], line["processors"], line["iterations"]) ==
                (part, links, processors, iterations))


def steps():
    return max(line["iterations"] for line in data.points(TIMES))


def cores():
    return max(line["processors"] for line in data.points(TIMES))


def row_of(links):
    """Processors that there are for a chain: one a body, as far as there are cores."""
    return min(links, cores())


def lengths():
    return sorted({line["links"] for line in data.points(TIMES)})


class Times:
    """of a chain on a number of processors: all, T_v and T_ab, by what is gained where they are left out"""

    def __init__(self, links, processors):
        self.all = us("all", links, processors, steps())
        self.velocities = max(0, self.all - us("without velocities", links, processors, steps()))
        self.sums = max(0, self.all - us("without sums", links, processors, steps()))
        self.serial = self.velocities + self.sums


def this_machine():
    """What a body and a message take here: from one processor with ten bodies, and the sums of two processors."""
    if cores() < 2:
        raise SystemExit("bench/results/figures/macroparallel.jsonl is of one core; measure it again where there are "
                         "two or more")
    n, k = 10, steps()

    def stage(name):
        return us(name, n, 1, k) / n
    step = (us("III", n, 1, k) - us("III", n, 1, 5)) / (k - 5) / n
    message = max(0.02, statistics.median(Times(links, 2).sums for links in (2, 4, 6, 8, 10)) / (2 * (2 * k + 1)))
    return processor_row.Machine(data.where(TIMES).split(",")[0], stage("I"), stage("II"),
                                 max(0.01, stage("III") - step * (k + 0.6)), step,
                                 stage("IV"), stage("V"), message, 0, False)


def replayed(machine, n):
    """T_1, its serial part, T_N, T_v and T_ab of a row with a processor a body"""
    k = steps()
    one, many = processor_row.serial_time(machine, n, k), processor_row.time_of(machine, n, k)
    one_serial = sum(one - processor_row.serial_time(machine, n, k, part) for part in ("velocities", "sums"))
    velocities, sums = (many - processor_row.time_of(machine, n, k, part) for part in ("velocities", "sums"))
    return one, one_serial, many, velocities, sums


def finish(axes, x, y, title=""):
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title, fontsize=9)
    axes.grid(alpha=0.25)


def stages(plt, save):
    """Figure 3.1"""
    figure, panels = plt.subplots(1, 3, figsize=(13, 4))
    for axes, processors, title in ((panels[0], lambda n: 1, "one core"),
                                    (panels[1], row_of, f"{cores()} cores, a run of bodies each")):
        found = {n: Times(n, processors(n)) for n in SHORT}
        for name, colour, value in (("all", BLACK, "all"), ("velocity recursion", GREEN, "velocities"),
                                    ("sums for α and β", BLUE, "sums")):
            axes.plot(list(found), [getattr(t, value) for t in found.values()], "o-", color=colour, markersize=3,
                      label=name)
        finish(axes, "bodies", "µs", title)
        axes.set_ylim(0)
    rows = {n: replayed(processor_row.transputer(), n) for n in SHORT}
    for index, colour, label in ((2, BLACK, "all"), (3, GREEN, "velocity recursion"), (4, BLUE, "sums for α and β")):
        panels[2].plot(list(rows), [row[index] / 1000 for row in rows.values()], "o-", color=colour, markersize=3,
                       label=label)
    finish(panels[2], "bodies", "ms", "transputers, one a body: replayed")
    panels[2].set_ylim(0)
    panels[0].legend(fontsize=8)
    at, many = max(SHORT), Times(max(SHORT), row_of(max(SHORT)))
    row = rows[at]
    save(figure, "pond_macro_stages.png",
         f"[Pond] figure 3.1, {steps()} iterations, {at} bodies: what is serial takes {(row[3] + row[4]) / row[2]:.0%} "
         f"of the time on a row of {at} "
         f"transputers\nand {many.serial / many.all:.0%} on {cores()} cores; on one processor it is "
         f"{statistics.mean(Times(n, 1).serial / Times(n, 1).all for n in SHORT):.1%}. {data.where(TIMES)}")


def draw_models(axes, ns, found, few):
    lines = (("Amdahl (3.15)", "amdahl", GRAY, ":"), ("Sharf (3.19)", "sharf", GRAY, "-."),
             ("Gustafson (3.17)", "gustafson", BLUE, "--"),
             ("combined", "combined", BLUE, "-"))
    for label, field, colour, style in lines:
        axes.plot(ns, [getattr(m, field) for m in found], style, color=colour, label=label)
    axes.plot(ns, [m.measured for m in found], "o-", color=BLACK, markersize=4, label="measured" if few else "replayed")


def speed_ups(plt, save):
    """Figure 3.2"""
    figure, panels = plt.subplots(1, 3, figsize=(13, 4))
    machine = this_machine()
    many = [n for n in lengths() if n > 1]
    found = []
    for n in many:
        one, row = Times(n, 1), Times(n, row_of(n))
        found.append(processor_row.models(row_of(n), one.all, one.serial, row.all, row.serial))
    draw_models(panels[0], many, found, True)
    panels[0].set_xscale("log", base=2)
    panels[0].set_xticks([2, 4, 8, 16, 32, 64, 128, 256], [2, 4, 8, 16, 32, 64, 128, 256])
    finish(panels[0], "bodies", "times one processor", f"measured, {cores()} cores, a run of bodies each")
    last = {}
    for axes, kind, title in ((panels[1], processor_row.transputer(), "transputers, one a body: replayed"),
                              (panels[2], machine, "cores like these, one a body: replayed")):
        rows = [replayed(kind, n) for n in SHORT]
        last[kind.name] = [processor_row.models(n, *row[:3], row[3] + row[4]) for n, row in zip(SHORT, rows)]
        draw_models(axes, list(SHORT), last[kind.name], False)
        finish(axes, "bodies and processors", "", title)
    panels[1].legend(fontsize=8)
    far = last["transputers"][-1]
    save(figure, "pond_macro_speedups.png",
         "[Pond] figure 3.2: models that take the serial part from the parallel run bend as the speed-up does; "
         f"{max(SHORT)} transputers gain "
         f"{far.measured:.1f},\nthe combined model says {far.combined:.1f}, Amdahl {far.amdahl:.1f}; {cores()} cores "
         "gain "
         f"{found[-1].measured:.2f} with {many[-1]} bodies. {data.where(TIMES)}")


def absolute(plt, save):
    """Figure 3.3"""
    figure, (axes, long) = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    machine = this_machine()
    recursive = dict(data.curve(TIMES, "links", part="recursive"))
    for panel, ns in ((axes, [n for n in SHORT]), (long, lengths())):
        for most, colour in ((1, GRAY), (cores(), BLUE)):
            panel.plot(ns, [recursive[n] / us("all", n, min(n, most), steps()) for n in ns], "o-", color=colour,
                       markersize=3,
                       label=f"{most} core{'s' * (most > 1)}, measured")
        panel.plot(ns, [recursive[n] / processor_row.time_of(machine, n, steps()) for n in ns], "--", color=BLACK,
                   label="one core per body, replayed")
        panel.axhline(1, color=RED, linewidth=1)
        finish(panel, "bodies", "")
        panel.set_yscale("log")
    long.set_xscale("log", base=2)
    long.set_xticks([1, 4, 16, 64, 256], [1, 4, 16, 64, 256])
    axes.set_ylabel("speed-up over articulated_body")
    axes.legend(fontsize=8)
    best = max((recursive[n] / us("all", n, row_of(n), steps()), n) for n in lengths() if n > 1)
    won = [n for n in lengths() if recursive[n] > processor_row.time_of(machine, n, steps())]
    save(figure, "pond_macro_absolute.png",
         f"[Pond] figure 3.3, {steps()} iterations: on {cores()} cores the recursion stays {1 / best[0]:.0f} times as "
         "fast or more; a core a body would "
         f"{'win from ' + str(min(won)) + ' bodies on' if won else 'not win either'},\nwere {steps()} iterations "
         f"enough there. {data.where(TIMES)}")


def iterations_of(robot, tolerance):
    return sorted((line["links"], line["iterations"]) for line in data.points(ITERATIONS)
                  if (line["robot"], line["tolerance"]) == (robot, tolerance))


def iterations(plt, save):
    """Iterations over N, which section 3.1.3 calls linear."""
    figure, axes = plt.subplots(figsize=(7, 4.4))
    colours = {"chain": BLUE, "snake": GREEN, "rope": GRAY, "rope, straight": BLACK}
    ends = {}
    for robot, colour in colours.items():
        for tolerance, style in ((1e-3, ":"), (1e-6, "-"), (1e-9, "--")):
            points = iterations_of(robot, tolerance)
            axes.plot(*zip(*points), style, color=colour, linewidth=1.2, label=robot if style == "-" else None)
            ends[robot, tolerance] = points[-1]
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xticks([1, 4, 16, 64, 256], [1, 4, 16, 64, 256])
    axes.set_yticks([2, 8, 32, 128, 512], [2, 8, 32, 128, 512])
    finish(axes, "bodies", "steps of J-PPCG(2)", "tolerance 1e-3 dotted, 1e-6 solid, 1e-9 dashed")
    axes.legend(fontsize=8)
    n, chain = ends["chain", 1e-6]
    save(figure, "pond_macro_iterations.png",
         "[Pond] 3.1.3 says that iterations grow with the length: they do for straight ropes "
         f"({ends['rope, straight', 1e-6][1]:.0f} at {n} bodies)\n"
         f"and for short chains, about 2.5 a body; chains of like links need {chain:.0f} at {n}")


def macroparallel_times():
    """Stages on one core and on all of them."""
    def rows():
        for n in (4, 10, 64, 256):
            for processors in (1, row_of(n)):
                t = Times(n, processors)
                yield [n, processors,
                       *(amount(us(part, n, processors, steps())) for part in ("I", "II", "III", "IV", "V", "all")),
                       amount(t.velocities), amount(t.sums)]
    return table(["bodies", "cores", "I", "II", "III", "IV", "V", "all, µs", "T_v", "T_αβ"], rows())


def macroparallel_models():
    """Speed-ups, and what the models say of them."""
    def cells(name, n, m, overhead):
        return [name, n, f"{m.measured:.2f}",
                *(f"{getattr(m, field):.2f}" for field in ("amdahl", "gustafson", "sharf", "combined")),
                f"{overhead:.2f}"]

    def rows():
        for n in (4, 10, 64, 256):
            p, one, row = row_of(n), Times(n, 1), Times(n, row_of(n))
            fitted = (row.all - row.serial) * p / (one.all - one.serial)
            yield cells(f"{n} bodies on {p} cores, measured", p,
                        processor_row.models(p, one.all, one.serial, row.all, row.serial), fitted)
        for machine, name in ((processor_row.transputer(), "transputers, replayed"),
                              (this_machine(), "cores like these, replayed")):
            for n in (2, 5, 10):
                one, one_serial, many, velocities, sums = replayed(machine, n)
                fitted = (many - velocities - sums) * n / (one - one_serial)
                yield cells(f"{n} {name}", n, processor_row.models(n, one, one_serial, many, velocities + sums), fitted)
    return table(["row", "processors", "speed-up (3.13)", "Amdahl (3.15)", "Gustafson (3.17)", "Sharf (3.19)",
                  "combined", "overhead, fitted"], rows())


def first_guesses():
    """Steps a solution, by where it begins."""
    lines = data.points(GUESSES)

    def rows():
        for robot in dict.fromkeys(line["robot"] for line in lines):
            for dt in sorted({line["dt"] for line in lines}, reverse=True):
                yield [robot, f"{1000 * dt:g} ms",
                       *(f"{line['iterations']:.1f}" for tolerance in (1e-3, 1e-6)
                         for guess in ("zero", "last", "linear")
                                                     for line in lines
                                                     if (line["robot"], line["dt"], line["tolerance"], line["guess"]) ==
                                                     (robot, dt, tolerance, guess))]
    return table(["robot", "time step", "1e-3: zero", "last", "linear", "1e-6: zero", "last", "linear"], rows())


def freezing():
    """Errors and steps of processors that stop."""
    lines = data.points(FREEZING)

    def rows():
        for n in sorted({line["links"] for line in lines}):
            for how in ("none", "values", "forces"):
                some = [line for line in lines if (line["links"], line["freezing"]) == (n, how)]
                worst = max(line["error"] for line in some)
                yield [n, f"`{how}`", f"{statistics.median(line['error'] for line in some):.1e}", f"{worst:.1e}"
                       if worst < 1e9 else "diverged", f"{sum(not line['converged'] for line in some)} of {len(some)}",
                       f"{statistics.mean(line['iterations'] for line in some):.0f}",
                       f"{statistics.mean(line['early'] for line in some):.1f}"]
    return table(["bodies and processors", "freezing", "median error", "worst", "not converged", "iterations",
                  "stopped early"], rows())


NEEDS = {stages: (TIMES,), speed_ups: (TIMES,), absolute: (TIMES,), iterations: (ITERATIONS,)}
TABLES = (macroparallel_times, macroparallel_models, first_guesses, freezing)
