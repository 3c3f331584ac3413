# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/gpu.md and of pages that it links, from what scripts/gpu_check wrote last."""
from collections import Counter

import figure_data as data
from results import amount, table, thousands

THREE = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
ROBOTS = {"iiwa14": "KUKA iiwa14", "g1": "Unitree G1"}
NOT_RUN = "not run"


def words(name):
    return name.replace("_", " ")


def a_second(x):
    return f"{x:.3g}".replace("e+0", "e").replace("e+", "e") if x else "-"


def one(kind, field, **fields):
    """A number of the first row that has these fields, or None."""
    return next((row.get(field) for row in data.gpu(kind)
                 if all(row.get(key) == value for key, value in fields.items())), None)


def gpu_measured():
    """Device, commits and commands, by section."""
    context = data.gpu() or {}
    def rows():
        yield ["device", f"{context.get('device')}, {context.get('multiprocessors', 0):.0f} multiprocessors, "
               f"{context.get('memory', 0) / 1e9:.0f} GB, driver {context.get('driver')}, "
               f"{context.get('date', '')[:10]}", "", ""]
        for row, of in data.gpu_sections():
            yield [f"section `{row['section']}`", f"`{of['command']}`", of["commit"], f"{row['seconds']:.0f} s"]
    return table(["", "command", "commit", "time"], rows())


def gpu_comparisons():
    """How many comparisons there were, and how many passed."""
    kinds = {"comparisons": "inverse dynamics, mass matrix, forward dynamics by both methods: 1 to 40 000 states, with "
                            "all arguments and without, "
                            "arrays of the host, little memory",
             "functions": "every function: one model for all states and one for each, statuses, states with NaN",
             "divided": "one robot divided, by every method",
             "generated": "kernels of one robot: bits of the generic ones",
             "graphs": "calls in CUDA graphs", "rollouts": "rollouts of 256 robots, 20 steps",
             "contacts": "the same with contacts, one model for all and one for each, some beyond their room",
             "scans": "scans of sums and poses"}
    def rows():
        for kind, what in kinds.items():
            passed = Counter(bool(row["passed"]) for row in data.gpu(kind))
            if passed:
                yield [what, passed.total(), passed[True]]
    return table(["compared with the processor", "calls", "passed"], rows())


def gpu_rates():
    """Generic kernels, kernels of the robot and GRiD."""
    def grid(robot, algorithm, precision, batch):
        return max((row["states_per_second"] for row in data.gpu("rivals") if
                    (row["robot"], row["algorithm"], row["precision"], row["batch"]) == (robot, algorithm, precision,
                                                                                         batch)), default=0)
    def rows():
        for robot, name in ROBOTS.items():
            for algorithm in THREE:
                for precision in ("float", "double"):
                    cells = []
                    for batch in (1024, 131072, 1048576):
                        key = dict(robot=robot, algorithm=algorithm, precision=precision, batch=batch)
                        cells += [a_second(one("rates", "states_per_second", **key)),
                                  a_second(one("rates", "own", **key))]
                        if batch <= 131072:
                            cells.append(a_second(grid(robot, algorithm, precision, batch)))
                    yield [name, words(algorithm), precision, *cells]
    return table(["robot", "function", "precision", "1024 states: generic", "of the robot", "GRiD", "131 072: generic",
                  "of the robot", "GRiD",
                  "1 048 576: generic", "of the robot"], rows())


def gpu_layouts():
    """Layouts, arrays of the host, one core."""
    def rows():
        for row in sorted(data.gpu("rates"),
                          key=lambda r: (r["robot"] != "iiwa14", THREE.index(r["algorithm"]), r["precision"] != "float",
                                         r["batch"])):
            if row["batch"] not in (131072, 1048576) or row["precision"] != "float":
                continue
            core = one("one_core", "states_per_second", robot=row["robot"], algorithm=row["algorithm"],
                       precision=row["precision"])
            yield [ROBOTS.get(row["robot"], row["robot"]), words(row["algorithm"]), thousands(row["batch"]),
                   a_second(row.get("own") or row["states_per_second"]),
                   a_second(row.get("own_states_first") or row["states_first"]),
                   a_second(row.get("from_page_locked")), a_second(row.get("from_host")), a_second(core)]
    return table(["robot", "function", "states", "`[row][batch]`", "`[batch][row]`", "of the host, page-locked",
                  "pageable", "one core, a state at a time"], rows())


def gpu_links():
    """One chain by scan."""
    times = {(int(row["links"]), row["algorithm"], row["precision"]): 1e6 * row["seconds"]
             for row in data.gpu("divided_rates")
             if row["robot"].startswith("chain:") and row["batch"] == 1 and row["method"] in ("scan", "composite_scan")}
    lengths = sorted({key[0] for key in times})
    return table(["µs",
                  *(f"{words(algorithm)}, {precision}" for algorithm in THREE for precision in ("double", "float"))],
                 ([f"{thousands(n)} links",
                   *(amount(times[n, algorithm, precision]) if (n, algorithm, precision) in times else "-"
                                              for algorithm in THREE for precision in ("double", "float"))]
                                              for n in lengths))


def gpu_methods():
    """Every method on one chain."""
    rows_of = [row for row in data.gpu("divided_rates") if row["batch"] == 1 and row["robot"].startswith("chain")]
    keys = list(dict.fromkeys((row["algorithm"], row["method"])
                              for row in sorted(rows_of, key=lambda r: THREE.index(r["algorithm"]))))
    lengths = (100, 1000, 10000, 100000, 1000000)
    def rows():
        for algorithm, method in keys:
            cells = []
            for n in lengths:
                found = {row["precision"]: 1e6 * row["seconds"] for row in rows_of
                         if (row["algorithm"], row["method"], row["links"]) == (algorithm, method, n)}
                cells.append(" / ".join(amount(found[p]) for p in ("double", "float") if p in found) or "-")
            yield [words(algorithm), f"`{method}`", *cells]
    return table(["function", "method and options", *(f"{thousands(n)} links" for n in lengths)], rows())


def gpu_derivatives():
    """Derivatives and steps."""
    rows_of = data.gpu("derivative_rates")
    keys = list(dict.fromkeys(row["algorithm"] for row in rows_of))
    def best(algorithm, robot, precision):
        return max((row["states_per_second"] for row in rows_of if
                    (row["algorithm"], row["robot"], row["precision"]) == (algorithm, robot, precision)), default=0)
    def rows():
        for algorithm in keys:
            yield [f"`{algorithm}`",
                   *(a_second(best(algorithm, robot, precision)) for robot in ROBOTS
                     for precision in ("float", "double"))]
        yield ["`rollout`, 100 steps, steps a second",
               *(a_second(one("rollout_rates", "steps_per_second", robot=robot, precision=precision))
                 for robot in ROBOTS for precision in ("float", "double"))]
    return table(["states per second",
                  *(f"{name}, {precision}" for name in ROBOTS.values() for precision in ("float", "double"))], rows())


def gpu_bars():
    """What was aimed at, and what was reached."""
    million = dict(precision="float", batch=1048576)
    def best_rate(robot, algorithm):
        key = dict(robot=robot, algorithm=algorithm, **million)
        return max(one("rates", "own", **key) or 0, one("rates", "states_per_second", **key) or 0)
    def at_least(what, wanted, found):
        return [what, f"at least {a_second(wanted)}", a_second(found) if found else NOT_RUN, "" if not found else "yes"
                if found >= wanted else "no"]
    def at_most(what, wanted, found):
        return [what, f"at most {amount(wanted)} µs", f"{amount(found)} µs" if found else NOT_RUN, "" if not found
                else "yes" if found <= wanted else "no"]
    def chain(links):
        seconds = one("divided_rates", "seconds", algorithm="forward_dynamics", precision="float", method="scan",
                      links=links, batch=1)
        return seconds and 1e6 * seconds
    def derivatives(robot):
        return max((row["states_per_second"] for row in data.gpu("derivative_rates") if
                    (row["algorithm"], row["robot"], row["precision"]) == ("forward_dynamics_derivatives", robot,
                                                                           "float")), default=0)
    def beside_grid():
        wins = every = 0
        for row in data.gpu("rivals"):
            if row["batch"] == 1024:
                key = {name: row[name] for name in ("robot", "algorithm", "precision", "batch")}
                every += 1
                wins += max(one("rates", "own", **key) or 0, one("rates", "states_per_second", **key)
                            or 0) > row["states_per_second"]
        return ["1024 states: faster than GRiD in the same run", "12 of 12 rows", f"{wins} of {every}" if every
                else NOT_RUN, "" if not every else "yes" if wins == every == 12 else "no"]
    def rows():
        for robot, bars in (("iiwa14", (2e10, 1.5e10, 1.2e10)), ("g1", (3.4e9, 1.25e9, 5e8))):
            for algorithm, wanted in zip(THREE, bars):
                yield at_least(f"{ROBOTS[robot]}, {words(algorithm)}, float, 1 048 576 states, states a second", wanted,
                               best_rate(robot, algorithm))
        yield beside_grid()
        yield at_least("KUKA iiwa14, inverse dynamics, float, from page-locked arrays of the host, states a second",
                       3e8, max((row.get("from_page_locked", 0) for row in data.gpu("rates") if
                            (row["robot"], row["algorithm"], row["precision"]) == ("iiwa14", "inverse_dynamics",
                                                                                   "float")), default=0))
        yield at_most("one chain of 10^6 links, forward dynamics, float", 260, chain(1000000))
        yield at_most("one chain of 10^7 links, forward dynamics, float", 1600, chain(10000000))
        yield at_least("rollouts of KUKA iiwa14, float, steps a second", 1e9,
                       one("rollout_rates", "steps_per_second", robot="iiwa14", precision="float"))
        yield at_least("derivatives of forward dynamics, KUKA iiwa14, float, states a second", 2e8,
                       derivatives("iiwa14"))
        yield at_least("derivatives of forward dynamics, Unitree G1, float, states a second", 1e7, derivatives("g1"))
    return table(["", "target", "measured", "met"], rows())


def gpu_limbs():
    """Kernels of robots with limbs: a thread a state, a warp a limb."""
    def rows():
        for row in data.gpu("generated_rates"):
            if row["batch"] in (1024, 131072):
                yield [ROBOTS.get(row["robot"], row["robot"]), words(row["algorithm"]), row["precision"],
                       thousands(row["operations"]),
                       thousands(row["batch"]), a_second(row["thread_a_state"]), a_second(row.get("warp_a_limb"))]
    return table(["robot", "function", "precision", "operations per state", "states", "one thread per state",
                  "one warp per limb"], rows())


TABLES = (gpu_measured, gpu_comparisons, gpu_rates, gpu_layouts, gpu_links, gpu_methods, gpu_derivatives, gpu_bars,
          gpu_limbs)
