# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the derivatives suite as tables of the documentation."""
from results import lines, table, times_of, us

RESULTS = "derivatives-*.jsonl"
FUNCTIONS = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives", "inverse_mass_matrix")


def robots():
    return list(dict.fromkeys(line["robot"] for line in lines(RESULTS) if line.get("library") == "tandem"))


def best(algorithm, robot, library, batch, precision="double"):
    """nanoseconds a state, by the fastest repetition of the fastest row"""
    return min(times_of(RESULTS, algorithm, ("variant",), library, "fastest", robot=robot, batch=batch, precision=precision).values(),
               default=None)


def derivative_times():
    """One state and batches beside Pinocchio."""
    def rows():
        for algorithm in FUNCTIONS:
            for robot in robots():
                one, double = (best(algorithm, robot, "tandem", batch) for batch in (1, 4096))
                single = best(algorithm, robot, "tandem", 4096, "float")
                theirs, theirs_of_many = (best(algorithm, robot, "pinocchio", batch) for batch in (1, 4096))
                yield [f"`{algorithm}`", robot, us(one / 1e3), us(theirs / 1e3), f"{one / theirs:.2f}", us(double / 1e3), us(single / 1e3),
                       us(theirs_of_many / 1e3), f"{theirs_of_many / double:.1f}", f"{theirs_of_many / single:.1f}"]
    return table(["", "robot", "one state", "Pinocchio", "ratio", "of 4096, double", "float", "Pinocchio", "times faster, double", "float"],
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
    return table(["library", "robot", "ours, double", "theirs", "times faster", "ours, float", "theirs", "times faster"], rows())


TABLES = (derivative_times, gradient_times)
