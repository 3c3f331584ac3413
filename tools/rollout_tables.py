# SPDX-License-Identifier: Apache-2.0
"""Rollouts of the rollouts suite as a table of the documentation."""
from results import table, times_of, us

VARIANTS = (("", "plain"), ("stops and losses", "with limits and losses"), ("rk4", "rk4, plain"))


def rollout_times():
    """Nanoseconds a step, by the fastest repetition, beside MuJoCo's batches, and beside forward dynamics of as many
    states."""
    def rows():
        for robot in ("arm7", "humanoid"):
            for threads in (1, 2):
                ours = times_of("rollouts-*.jsonl", "rollout", ("variant", "precision"), time="fastest", robot=robot,
                                threads=threads)
                theirs = min(times_of("rollouts-*.jsonl", "rollout", ("variant",), "mujoco_batch", "fastest",
                                      robot=robot,
                                      threads=threads).values(), default=None)
                dynamics = times_of("rollouts-*.jsonl", "forward_dynamics", ("precision",), time="fastest", robot=robot,
                                    threads=threads)
                for variant, name in VARIANTS:
                    double, single = ours[variant, "double"], ours[variant, "float"]
                    plain = variant == ""
                    beside = plain and theirs
                    yield [robot, threads, name, us(double), us(single), us(theirs) if beside else "",
                           f"{theirs / double:.0f}" if beside else "", f"{theirs / single:.0f}" if beside else "",
                           f"{double / dynamics['double',]:.2f}" if plain else "",
                           f"{single / dynamics['float',]:.2f}" if plain else ""]
    return table(["robot", "threads", "steps", "double", "float", "MuJoCo's batch", "times faster, double", "float",
                  "over forward dynamics, double", "float"], rows())


TABLES = (rollout_times,)
