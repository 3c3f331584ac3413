# SPDX-License-Identifier: Apache-2.0
"""Tables of kernels compiled for one robot, from the results of `scripts/bench --suite generated`."""
from results import lines, table, thousands, times_of, us

GENERATED = "specialise wait"
SHOWN = {"iiwa14": "KUKA iiwa14", "g1_29dof_rev_1_0": "Unitree G1, 35 degrees of freedom"}


def of_functions_and_robots(pattern, library="tandem", **only):
    """(function, robot, times of a library by variant, precision, instruction set, layout) in the order of a run."""
    keys = ("robot", "variant", "precision", "instruction_set", "layout")
    robots = dict.fromkeys(line["robot"] for line in lines(pattern) if line["kind"] == "time" and line["robot"])
    for algorithm in ("inverse_dynamics", "mass_matrix", "forward_dynamics"):
        times = times_of(pattern, algorithm, keys, library, threads=1, **only)
        for robot in robots:
            yield algorithm, robot, {key[1:]: x for key, x in times.items() if key[0] == robot}


def rivals_of(pattern, algorithm, robot):
    """The fastest of Pinocchio's conventions, and the code that it generates."""
    for library in ("pinocchio", "pinocchio_code_generation"):
        times = times_of(pattern, algorithm, ("robot", "variant"), library, batch=4096)
        yield min((x for key, x in times.items() if key[0] == robot), default=None)


def generated_times():
    """Kernels compiled for one robot beside generic ones, from the generated suite."""
    pattern = "generated-*.jsonl"
    def rows():
        for algorithm, robot, times in of_functions_and_robots(pattern, batch=4096):
            def pair(precision, instructions, layout="batch_row"):
                return times["", precision, instructions, layout], times[GENERATED, precision, instructions, layout]
            walked, written = rivals_of(pattern, algorithm, robot)
            any_robot, this = pair("double", "avx512")
            cells = [us(any_robot), f"**{us(this)}**", us(pair("double", "avx512", "row_batch")[1]),
                     *(" / ".join(map(us, pair(*kind)))
                       for kind in (("float", "avx512"), ("double", "avx2"), ("float", "avx2"))),
                     us(walked), "-" if written is None else us(written), f"{any_robot / this:.1f}",
                     f"{walked / this:.0f}"]
            yield [algorithm.replace("_", " "), SHOWN.get(robot, robot), *cells]
    return table(["function", "robot", "generic", "compiled", "`[row][batch]`", "float: generic / compiled",
                  "AVX2: generic / compiled", "AVX2, float", "Pinocchio", "its generated code", "times generic",
                  "times Pinocchio"], rows())


def speed_by_robot():
    """Times of plans by default, from the generated suite: kernels compiled for the robot where they are faster."""
    pattern = "generated-*.jsonl"
    def rows():
        for algorithm, robot, times in of_functions_and_robots(pattern, batch=4096):
            walked, written = rivals_of(pattern, algorithm, robot)
            best = {kind: min(times[variant, *kind, "batch_row"] for variant in ("", GENERATED))
                    for kind in (("double", "avx512"), ("float", "avx512"), ("double", "avx2"))}
            double, single, avx2 = best.values()
            yield [algorithm.replace("_", " "), SHOWN.get(robot, robot), f"**{us(double)}**", f"**{us(single)}**",
                   us(avx2),
                   us(times["", "double", "avx512", "batch_row"]), us(walked), "-" if written is None else us(written),
                   f"{walked / double:.0f}", f"{walked / single:.0f}"]
    return table(["function", "robot", "Tandem, double", "float", "AVX2, double", "generic kernels, double",
                  "Pinocchio", "its generated code", "times faster, double", "float"], rows())


def speed_summary():
    """The arm and the humanoid of speed_by_robot, beside Pinocchio alone."""
    pattern = "generated-*.jsonl"
    def rows():
        for algorithm, robot, times in of_functions_and_robots(pattern, batch=4096):
            if robot not in ("arm7", "humanoid"):
                continue
            walked, _ = rivals_of(pattern, algorithm, robot)
            double, single = (min(times[variant, precision, "avx512", "batch_row"] for variant in ("", GENERATED))
                              for precision in ("double", "float"))
            yield [algorithm.replace("_", " "), robot, us(double), us(single), us(walked), f"{walked / double:.0f}",
                   f"{walked / single:.0f}"]
    return table(["ns per state", "robot", "Tandem, double", "Tandem, float", "Pinocchio, double",
                  "times faster, double", "float"], rows())


def assembly_times():
    """Times to trace and compile, and sizes of machine code, from the generated suite."""
    def rows():
        found = [line for line in lines("generated-*.jsonl") if line["kind"] == "assembly"]
        for algorithm in ("inverse_dynamics", "mass_matrix", "forward_dynamics"):
            for robot in dict.fromkeys(line["robot"] for line in found):
                avx512, avx2 = (next(line for line in found if (line["algorithm"], line["robot"], line["precision"],
                                                                line["instruction_set"]) ==
                                     (algorithm, robot, "double", instructions)) for instructions in ("avx512", "avx2"))
                yield [algorithm.replace("_", " "), SHOWN.get(robot, robot), thousands(avx512["operations"])] + [
                    cell for line in (avx512, avx2) for cell in
                    (f"{line['milliseconds']['median']:.2g}", line["kibibytes"], "yes" if line["taken_by_itself"]
                     else "no")]
    return table(["function", "robot", "operations", "AVX-512: ms", "KiB", "used by default", "AVX2: ms", "KiB",
                  "used by default"], rows())
