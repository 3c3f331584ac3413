#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of the documentation that are made from committed results, so that no number of theirs is typed.

    tools/page_tables.py            writes them anew, between the marks of every page:

        <!-- table: NAME -->
        <!-- end of table -->

tools/check_docs.py finds those that are not what their results say. Counts come from bench/results/counts.jsonl
and levels.jsonl (`scripts/figures --only counts`), times from figures/*.jsonl (`scripts/figures`), SUITE-*.jsonl
(`scripts/bench --suite SUITE`) and packages-*.jsonl (`tools/compare_packages.py`).
"""
import math
import re
import sys

import derivative_tables
import figure_data
import gpu_tables
import paper_tables
import pond_macro_figures
import pond_tables
import rollout_tables
import simulation_figures
from files import ROOT, project_files
from generated_tables import assembly_times, generated_times, speed_by_robot, speed_summary
from results import amount, lines, table, thousands, times_of, us

MARK = re.compile(r"^<!-- table: (?P<name>\w+) -->\n(?P<body>.*?)^<!-- end of table -->$", re.MULTILINE | re.DOTALL)


def count(method, links, processors=0, algorithm="forward_dynamics", chunks=0, ratio=0.0):
    """the line of counts.jsonl, or None"""
    return next((line for line in lines("counts.jsonl")
                 if (line["algorithm"], line["method"], line["links"], line["processors"], line["chunks"]) ==
                 (algorithm, method, links, processors, chunks) and math.isclose(line["ratio"], ratio)), None)


def flops(line):
    return line["multiplications"] + line["additions"] + line["other"]


def a_link(short, long, kind=None):
    """what a link more costs, from a chain and one twice as long"""
    value = flops if kind is None else lambda line: line[kind]
    return (value(long) - value(short)) / (long["links"] - short["links"])


def products_and_sums(short, long):
    return f"{a_link(short, long, 'multiplications'):.0f} M + {a_link(short, long, 'additions'):.0f} A"


def of_method(method, algorithm="forward_dynamics", **options):
    return [count(method, links, algorithm=algorithm, **options) for links in (512, 1024)]


def best_balance(p, n=1024, method="divide_and_conquer_efficient"):
    """of the DCAe on p processors: flops of the busiest, and the load ratio of the fewest"""
    return min((line["depth"], line["ratio"]) for line in lines("counts.jsonl")
               if line["method"] == method and line["processors"] == p == line["chunks"] and line["links"] == n)


def best_tip(p, n=1024):
    """of DCA+ on p processors: flops of the busiest, and the links at the tip with the fewest"""
    return min((line["depth"], line["ratio"]) for line in lines("counts.jsonl")
               if line["method"] == "divide_and_conquer" and line["processors"] == p and line["links"] == n and
               line["chunks"] == 0 and line["ratio"] > 0)


def dca_formula(n, p):
    """[Critchley] (43)"""
    return (928 + 812) * math.log2(p / 2) + (1150 + 937) * n / p - 1041 - 845


def dcae_formula(n, p):
    """[Critchley] (72), balanced: the terminal subsystem is twice as long as the others"""
    return (928 + 812) * math.log2(p / 2) + (637 + 548) * n / (p + 1) - 495 - 446


def link_methods():
    """Work and depth of every method."""
    def rows():
        for line in lines("counts.jsonl"):
            if (line["links"], line["processors"]) != (64, 0):
                continue
            long = count(line["method"], 1024, algorithm=line["algorithm"])
            yield [f"`{line['algorithm']}`, `{line['method'].replace(', ', '`, `')}`"] + [
                cell for each in (line, long) for cell in
                ([f"{each[kind] / each['links']:.0f}" for kind in ("multiplications", "additions", "other")] +
                 [thousands(each["depth"])] if each else [""] * 4)]
    return table(["method", "64 links: `*`", "`+ -`", "`/`, sqrt", "depth", "1024 links: `*`", "`+ -`", "`/`, sqrt",
                  "depth"],
                 rows())


def inner_subsystem(method):
    """a link of a subsystem that is not the last: 64 equally long ones at two lengths, less what the last one has"""
    def cost(kind):
        return (64 * a_link(*(count(method, n, chunks=64, ratio=1) for n in (4096, 8192)), kind) -
                a_link(*(count(method, n, chunks=1, ratio=1) for n in (4096, 8192)), kind)) / 63
    return f"{cost('multiplications'):.0f} M + {cost('additions'):.0f} A"


def last_subsystem(method):
    """a link of the last one"""
    return products_and_sums(*(count(method, n, chunks=1, ratio=1) for n in (4096, 8192)))


def papers():
    """A link by ours and by the papers' counts."""
    level = count("divide_and_conquer", 1024)["depth"] - count("divide_and_conquer", 512)["depth"]
    return table(["", "counted here", "counted there", "there"], [
        ["inverse dynamics", products_and_sums(*of_method("recursive_newton_euler", "inverse_dynamics")),
         "142 M + 110 A", "[Pond] table 2.2"],
        ["forward dynamics, `articulated_body`", products_and_sums(*of_method("articulated_body")), "300 M + 279 A",
         "[Critchley] before (43)"],
        ["`divide_and_conquer`", products_and_sums(*of_method("divide_and_conquer")), "1150 M + 937 A",
         "[Critchley] (43)"],
        ["`divide_and_conquer`, a level of joins on n processors", f"{level} flops", "928 M + 812 A = 1740",
         "[Critchley] (43)"],
        *([f"`{method}`, {what}", cost(method), there, "[Critchley] (72)"]
          for method, name in (("divide_and_conquer_efficient", ""), ("divide_and_conquer", ", as printed"))
          for what, cost, there in ((f"a subsystem at the tip{name}", last_subsystem, "300 M + 279 A"),
                                    (f"any other{name}", inner_subsystem, "637 M + 548 A"))),
    ])


def dca_processors():
    """DCA beside its paper and the serial method, flops of the busiest of p processors."""
    serial = flops(count("articulated_body", 1024))
    def rows():
        for p in (1, 2, 16, 128, 1024):
            depth = count("divide_and_conquer", 1024, p)["depth"]
            yield [p, thousands(depth), thousands(dca_formula(1024, p)) if p > 1 else thousands(2087 * 1024),
                   f"{serial / depth:.2g}"]
    return table(["processors", "counted", "(43)", "times less than `articulated_body`"], rows())


def dcae_processors():
    """DCAe with its best balance beside (72)."""
    def rows():
        for p in (2, 4, 8, 16, 32, 64, 128):
            depth, ratio = best_balance(p)
            yield [p, f"{ratio:.1f}", thousands(depth), thousands(dcae_formula(1024, p)),
                   f"{100 * depth / dcae_formula(1024, p) - 100:+.0f} %",
                   f"{flops(count('articulated_body', 1024)) / depth:.2g}"]
    return table(["processors", "best ratio", "counted", "(72), balanced", "difference",
                  "times less than `articulated_body`"],
                 rows())


def critchley_forms():
    """Every form of DCA, flops of the busiest of p processors."""
    def rows():
        for p in (2, 4, 8, 16, 32, 64, 128):
            tip, links = best_tip(p)
            printed, ratio = best_balance(p, method="divide_and_conquer")
            yield [p, thousands(count("divide_and_conquer", 1024, p)["depth"]), f"{thousands(tip)} ({links:.0f} links)",
                   f"{thousands(printed)} ({ratio:.1f})", f"{thousands(best_balance(p)[0])} ({best_balance(p)[1]:.1f})"]
    return table(["processors", "DCA", "DCA+ (at the tip)", "DCAe as printed (ratio)", "DCAe here (ratio)"], rows())


def mass_matrix_depth():
    """Flops and depth of mass matrices by length."""
    def rows():
        for method in ("composite_rigid_body", "composite_scan", "log_composite"):
            found = [count(method, n, algorithm="mass_matrix") for n in (16, 64, 256, 1024)]
            yield [f"`{method}`"] + [f"{thousands(flops(line))} / {thousands(line['depth'])}" for line in found]
    return table(["flops / depth", "16 links", "64", "256", "1024"], rows())


def solvers():
    """The constraint force method by its solvers."""
    def rows():
        for method in ("constraint_force, block_lu", "constraint_force, cyclic_reduction", "constraint_force",
                       "constraint_force, odd_even_elimination", "conjugate_gradient"):
            found = [count(method, n) for n in (64, 1024)]
            yield [f"`{method.removeprefix('constraint_force, ')}`" if "," in method or method == "conjugate_gradient"
                   else
                   "`chunked`"] + [f"{thousands(flops(line))} / {thousands(line['depth'])}" if line else ""
                                   for line in found]
    return table(["flops / depth", "64 links", "1024"], rows())


def critchley_timing():
    """Times of the serial method, DCA and DCAe."""
    points = figure_data.points("timing")
    lengths = sorted({line["links"] for line in points})
    def rows():
        for method, threads in sorted({(line["method"], line["threads"]) for line in points}):
            of_length = {line["links"]: line["us"] for line in points
                         if (line["method"], line["threads"]) == (method, threads)}
            yield [f"`{method}`", threads] + [us(of_length[n]) for n in lengths]
    return table(["µs", "threads"] + [f"{n} links" for n in lengths], rows())


def load_balancing():
    """The best load ratio, timed and counted."""
    points = figure_data.points("load_balancing")
    def rows():
        for links, chunks in sorted({(line["links"], line["chunks"]) for line in points}):
            group = [line for line in points if (line["links"], line["chunks"]) == (links, chunks)]
            best = min(group, key=lambda line: line["us"])
            near = [line["ratio"] for line in group if line["us"] <= 1.02 * best["us"]]
            yield [links, chunks, best["ratio"], f"{min(near)} - {max(near)}", us(best["us"])]
        depth, ratio = best_balance(2)
        yield [1024, 2, f"{ratio:.1f}", "", f"{thousands(depth)} flops counted"]
    return table(["links", "subsystems", "best ratio", "within 2 %", "µs"], rows())


DIVIDED = ("robot", "variant", "precision", "threads")


def divided_times(algorithm, serial, robots):
    """Nanoseconds a link of a serial method and of scan, from the links suite."""
    times = times_of("links-*.jsonl", algorithm, DIVIDED)
    def rows():
        for robot in robots:
            links = int(robot.removeprefix("chain:"))
            cells = []
            for precision in ("double", "float"):
                walked, *divided = (times[robot, method, precision, threads] / links for method, threads in
                                    ((serial, 1), ("scan", 1), ("scan", 2)))
                cells += [f"{walked:.1f}", *(f"{x:.1f}" for x in divided), f"{walked / divided[0]:.2f}"]
            yield [robot, *cells]
    return table(["ns per link", *(cell for precision in ("double", "float") for cell in
                                 (f"{precision}: `{serial}`", "`scan`", "two threads", "ratio on one"))], rows())


def scan_times():
    """Forward dynamics of chains, from the links suite."""
    return divided_times("forward_dynamics", "articulated_body", [f"chain:{n}" for n in
                                                                  (32, 64, 256, 1024, 4096, 16384, 1000000)])


def inverse_dynamics_scan_times():
    """Inverse dynamics of chains, from the links suite."""
    return divided_times("inverse_dynamics", "recursive_newton_euler", [f"chain:{n}" for n in
                                                                       (32, 128, 1024, 4096, 16384, 1000000)])


def one_long_robot():
    """Microseconds of forward dynamics and mass matrices of long chains, from the links suite."""
    def rows():
        for algorithm, serial, divided in (("forward_dynamics", "articulated_body", "scan"),
                                           ("mass_matrix", "composite_rigid_body", "composite_scan")):
            times = times_of("links-*.jsonl", algorithm, DIVIDED)
            for robot in ("chain:1000", "chain:4096", "chain:1000000"):
                if (robot, serial, "double", 1) in times:
                    yield [algorithm.replace("_", " "), robot] + [
                        amount(times[robot, method, precision, threads] / 1000) for precision in ("double", "float")
                        for method, threads in ((serial, 1), (divided, 1), (divided, 2))]
    return table(["µs", "robot", "double: serial", "divided, one core", "two cores", "float: serial", "one core",
                  "two cores"],
                 rows())


def batch_times():
    """Batches of 4096 states, from the batches suite."""
    keys = ("robot", "precision", "instruction_set", "threads")
    def rows():
        for algorithm in ("inverse_dynamics", "mass_matrix", "forward_dynamics"):
            ours, theirs, generated = (
                times_of("batches-*.jsonl", algorithm, ("variant", *keys), library, batch=4096, layout="batch_row")
                for library in ("tandem", "pinocchio", "pinocchio_code_generation"))
            for robot in ("arm7", "humanoid"):
                double, single, two, avx2 = (ours["", robot, precision, instructions, threads] for
                                             precision, instructions, threads in
                                             (("double", "avx512", 1), ("float", "avx512", 1), ("double", "avx512", 2),
                                              ("double", "avx2", 1)))
                walked, written = (min((x for key, x in times.items() if key[1] == robot), default=None)
                                   for times in (theirs, generated))
                yield [algorithm.replace("_", " "), robot, *map(us, (double, single, two, avx2, walked)),
                       "-" if written is None else us(written), f"{walked / double:.1f}", f"{walked / single:.1f}"]
    return table(["function", "robot", "Tandem, double", "float", "two cores, double", "AVX2, double", "Pinocchio",
                  "its generated code", "times faster, double", "float"], rows())


def single_times():
    """One state at a time, from the serial suite."""
    def cell(fastest, median):
        return f"{fastest / 1000:.3g} ({median / 1000:.3g})"

    def rows():
        for algorithm in ("inverse_dynamics", "mass_matrix", "forward_dynamics", "forward_kinematics"):
            fastest, median = ({library: times_of("serial-*.jsonl", algorithm, ("robot", "variant"), library, time)
                                for library in ("tandem", "pinocchio", "mujoco")} for time in ("fastest", "median"))
            for robot in ("arm7", "quadruped", "humanoid", "chain:10", "chain:100", "chain:1000"):
                best = {library: min(((x, key) for key, x in times.items() if key[0] == robot), default=None)
                        for library, times in fastest.items()}
                row = [algorithm.replace("_", " "), robot]
                for library, found in best.items():
                    names = []
                    if library == "pinocchio":
                        names = [found[1][1].strip("_") or library] if found else ["-"]
                    ratio = [] if library == "tandem" else [f"{best['tandem'][0] / found[0]:.2g}" if found else "-"]
                    row += [cell(found[0], median[library][found[1]]) if found else "-", *names, *ratio]
                yield row
    return table(["function", "robot", "Tandem", "Pinocchio", "its fastest convention", "ratio", "MuJoCo", "ratio"],
                 rows())


def package_times():
    """Batches of the wheel and of a build by clang 19, from tools/compare_packages.py."""
    found = {}
    for line in lines("packages-*.jsonl"):
        if line["kind"] == "time":
            found.setdefault((line["function"], line["robot"], line["precision"]), {})[line["code"]] = line["ns"]
    return table(["function", "robot", "precision", "generic: wheel", "clang 19", "compiled for the robot: wheel",
                  "clang 19"],
                 ([function.replace("_", " "), robot, {"float64": "double", "float32": "float"}[precision],
                   *(us(ns[code][name]) for code in ("compiled", "assembled") for name in ("wheel", "clang19"))]
                  for (function, robot, precision), ns in sorted(found.items())))


def composite_scan_times():
    """Mass matrices of chains, from the links suite."""
    times = {key: x / 1000 for key, x in times_of("links-*.jsonl", "mass_matrix", DIVIDED).items()}
    def rows():
        for robot in ("chain:16", "chain:64", "chain:256", "chain:1000"):
            for precision in ("double", "float"):
                found = [times.get((robot, method, precision, threads)) for method, threads in
                         (("composite_rigid_body", 1), ("composite_scan", 1), ("composite_scan", 2))]
                yield [robot, precision] + ["" if x is None else us(x) for x in found]
    return table(["µs", "precision", "`composite_rigid_body`", "`composite_scan`", "on two threads"], rows())


TABLES = {f.__name__: f
          for f in (link_methods, papers, dca_processors, dcae_processors, critchley_forms, mass_matrix_depth,
                    critchley_timing,
                                  load_balancing, solvers, composite_scan_times, scan_times,
                                  inverse_dynamics_scan_times,
                                  one_long_robot, batch_times, generated_times, speed_by_robot, speed_summary,
                                  assembly_times, single_times,
                                  package_times, *gpu_tables.TABLES, *paper_tables.TABLES, *pond_macro_figures.TABLES,
                                  *pond_tables.TABLES, *rollout_tables.TABLES, *derivative_tables.TABLES,
                                  *simulation_figures.TABLES)}


def body_of(name):
    return "\n" + "\n".join(TABLES[name]()) + "\n\n"


def problems(page: str, text: str):
    """Tables of a page that are not what their results say."""
    for match in MARK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["name"] not in TABLES:
            yield f"{page}:{line}: no table is called {match['name']}; there are {', '.join(TABLES)}"
        elif match["body"] != body_of(match["name"]):
            yield f"{page}:{line}: the table {match['name']} is out of date: tools/page_tables.py writes it anew"


def main() -> int:
    for path in project_files():
        if path.suffix == ".md":
            old = (ROOT / path).read_text(encoding="utf-8")
            new = MARK.sub(lambda match: match.group() if match["name"] not in TABLES else
                           f"<!-- table: {match['name']} -->\n{body_of(match['name'])}<!-- end of table -->", old)
            if new != old:
                (ROOT / path).write_text(new, encoding="utf-8")
                print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
