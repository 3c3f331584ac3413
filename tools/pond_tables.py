# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/papers/pond_schedules.md, which tools/page_tables.py writes."""
from pond_figures import NAMES, NOW, THEN, curve
import figure_data as data
from results import amount, lines, table, thousands


def pond_best():
    """[Pond] figures 2.9 to 2.16, six links."""
    def rows():
        for name in ("resne", "recne", "recneb", "hybrid", "recle", "classle"):
            for links in (3, 6, 10):
                cells = []
                for machine in ("transputer", "this"):
                    best = {scheduler: dict(curve(machine, name, "best", scheduler)) for scheduler in (THEN, NOW)}
                    if links not in best[NOW]:
                        break
                    processors = dict(curve(machine, name, "best", NOW, "processors"))
                    cells += [amount(best[THEN][links])] if machine == "transputer" else []
                    cells += [f"{amount(best[NOW][links])} on {processors[links]}",
                              amount(dict(curve(machine, name, "maxpar"))[links])]
                if len(cells) == 5:
                    paths = [amount(dict(curve("transputer", name, case))[links])
                             for case in ("path without assignments", "critical path")]
                    yield [NAMES[name], links, *paths, *cells]
    return table(["µs", "links", "critical path without assignments", "with assignments", "Best, appended",
                  "Best, into gaps", "Maxpar", "Best, on threads", "Maxpar, on threads"], rows())


def pond_runs():
    """Schedules that were run, p. 46."""
    points = {(line["formulation"], line["links"], line["processors"]): line for line in data.points("schedule_runs")}
    def rows():
        for name in ("recne", "resne", "recneb", "recle", "hybrid", "classle"):
            for links in (2, 4, 6, 16, 32):
                if (name, links, 2) not in points or links == 4 and name != "classle":
                    continue
                one, two = points[name, links, 1], points[name, links, 2]
                yield [NAMES[name], links, amount(one["predicted"]), amount(one["us"]), amount(two["predicted"]),
                       amount(two["us"]), two["messages"]]
    return table(["µs", "links", "one thread, predicted", "measured", "two threads, predicted", "measured", "messages"],
                 rows())


def optimal_schedules():
    """How far schedulers are from the optimum."""
    names = ("earliest_first", "critical_path", "largest_first", "level_and_messages", "fixed_links", "backtracking",
             "annealing", "duplication")
    def rows():
        for line in lines("figures/optimal_schedules.jsonl"):
            optimum = (f"{thousands(round(line['optimum']))}" if line["proven"]
                       else f"{round(line['bound'])} - {round(line['optimum'])}")
            yield [f"{NAMES[line['formulation']]}, {line['links']} links on {line['processors']}", optimum,
                   *(f"{100 * (line['lengths'][name] / line['optimum'] - 1):+.0f} %" for name in names)]
    return table(["transputers", "optimum, µs", *(f"`{name}`" for name in names)], rows())


TABLES = (pond_best, pond_runs, optimal_schedules)
