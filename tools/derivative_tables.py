# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the derivatives suite as tables of the documentation."""
import figure_data
from results import lines, table, times_of, us

RESULTS = "derivatives-*.jsonl"
FUNCTIONS = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives", "inverse_mass_matrix")


def robots():
    return list(dict.fromkeys(line["robot"] for line in lines(RESULTS) if line.get("library") == "tandem"))


def best(algorithm, robot, library, batch, precision="double"):
    """nanoseconds a state, by the fastest repetition of the fastest row"""
    return min(times_of(RESULTS, algorithm, ("variant",), library, "fastest", robot=robot, batch=batch,
                        precision=precision).values(),
               default=None)


def derivative_times():
    """One state and batches beside Pinocchio."""
    def rows():
        for algorithm in FUNCTIONS:
            for robot in robots():
                one, double = (best(algorithm, robot, "tandem", batch) for batch in (1, 4096))
                single = best(algorithm, robot, "tandem", 4096, "float")
                theirs, theirs_of_many = (best(algorithm, robot, "pinocchio", batch) for batch in (1, 4096))
                yield [f"`{algorithm}`", robot, us(one / 1e3), us(theirs / 1e3), f"{one / theirs:.2f}",
                       us(double / 1e3), us(single / 1e3),
                       us(theirs_of_many / 1e3), f"{theirs_of_many / double:.1f}", f"{theirs_of_many / single:.1f}"]
    return table(["", "robot", "one state", "Pinocchio", "ratio", "of 4096, double", "float", "Pinocchio",
                  "times faster, double", "float"],
                 rows())


def gradient_times():
    """Derivatives of forward dynamics beside jax.jacfwd."""
    def rows():
        for library, name in (("mjx", "MJX"), ("frax", "frax")):
            for robot in robots():
                cells = []
                for precision in ("double", "float"):
                    theirs = best("forward_dynamics_derivatives", robot, library, 256, precision)
                    if theirs is None:
                        break
                    ours = best("forward_dynamics_derivatives", robot, "tandem", 4096, precision)
                    cells += [us(ours / 1e3), us(theirs / 1e3), f"{theirs / ours:.0f}"]
                if len(cells) == 6:
                    yield [name, robot, *cells]
    return table(["library", "robot", "Tandem, double", "library", "times faster", "Tandem, float",
                  "library", "times faster"], rows())


def derivative_accuracy():
    """What float leaves of each output."""
    points = figure_data.points("derivative_accuracy")
    of_robot = {(point["algorithm"], point["output"], point["robot"]): point for point in points}
    outputs = dict.fromkeys((point["algorithm"], point["output"], point["times_condition"]) for point in points)
    names = list(dict.fromkeys(point["robot"] for point in points))
    def rows():
        for algorithm, output, times_condition in outputs:
            if output in ("tau", "a") and algorithm.count("_") > 1:
                continue  # the function's value, which has a row of its own
            cells = (of_robot[algorithm, output, robot] for robot in names)
            yield [f"`{algorithm}`", f"`{output}`", "eps kappa" if times_condition else "eps",
                   *(f"{x['median']:.2g} ({x['largest']:.2g})" for x in cells)]
    return table(["", "output", "in", *names], rows())


TABLES = (derivative_times, gradient_times, derivative_accuracy)
