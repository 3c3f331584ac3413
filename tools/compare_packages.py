#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Python packages of Tandem that are installed in several environments, run in turn on one machine.

    tools/compare_packages.py NAME=PYTHON NAME=PYTHON ... [--rounds N] [--out FILE.jsonl]

Nanoseconds a state of batches of 4096 on one thread, as Python sees them: medians over rounds, each of which has the
least of its blocks. `compiled` is the code of the package, by models so young that no function has been assembled for
them; `assembled` is what models have that have been asked for more.
"""
import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

BATCH = 4096
FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
ROBOTS = ("arm7", "humanoid")


def least(call, model, arrays, out, blocks, warm, calls, young):
    """ns a state: of a few calls each, by models that are loaded anew if young"""
    import time

    import tandem

    best = float("inf")
    for _ in range(blocks):
        if young:
            model = tandem.load(model.name)
        for _ in range(warm):
            call(model, *arrays, out=out, threads=1)
        start = time.perf_counter()
        for _ in range(calls):
            call(model, *arrays, out=out, threads=1)
        best = min(best, (time.perf_counter() - start) / calls / BATCH * 1e9)
    return best


def measure():
    """In the environment that is measured: JSON of its rows to standard output."""
    import numpy as np
    import tandem

    rows = []
    for robot in ROBOTS:
        for real in (np.float64, np.float32):
            model = tandem.load(robot)
            q = tandem.random_configuration(model, seed=0, batch=BATCH, dtype=real)
            u = np.random.default_rng(0).normal(size=(2, BATCH, model.nv)).astype(real)
            for function in FUNCTIONS:
                call = getattr(tandem, function)
                arrays = (q,) if function == "mass_matrix" else (q, *u)
                out = np.empty_like(call(model, *arrays, threads=1))
                # 3 calls of a model stay below the states from which on functions are assembled, 16 pass them
                compiled = least(call, model, arrays, out, 15, 1, 2, True)
                assembled = least(call, model, arrays, out, 5, 16, 4, False)
                for code, ns in (("compiled", compiled), ("assembled", assembled)):
                    rows.append({"function": function, "robot": robot, "precision": np.dtype(real).name, "code": code,
                                 "ns": ns})
    set_in_use = getattr(tandem, "machine", tandem).instruction_set()  # older versions have it in tandem
    print(json.dumps({"version": tandem.__version__, "instruction_set": set_in_use, "rows": rows}))


def processor():
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", metavar="NAME=PYTHON",
                        help="the interpreter of an environment, and what to call it")
    parser.add_argument("--rounds", type=int, default=5, help="how often each runs (5)")
    parser.add_argument("--out", type=Path, help="file that gets a JSON object a row")
    parser.add_argument("--measure", action="store_true", help="what the interpreters are told")
    arguments = parser.parse_args()
    if arguments.measure:
        measure()
        return 0
    packages = dict(package.split("=", 1) for package in arguments.packages)
    if not packages:
        parser.error("no package: expected NAME=PYTHON")

    times, about = {}, {}
    for k in range(arguments.rounds):
        for name in list(packages) if k % 2 == 0 else list(packages)[::-1]:
            print(f"\rround {k + 1} of {arguments.rounds}: {name}", end="", file=sys.stderr, flush=True)
            done = subprocess.run([packages[name], __file__, "--measure"], check=True, stdout=subprocess.PIPE,
                                  text=True)
            about[name] = json.loads(done.stdout)
            for row in about[name].pop("rows"):
                key = tuple(row[k] for k in ("function", "robot", "precision", "code"))
                times.setdefault(key, {}).setdefault(name, []).append(row["ns"])
    print("\r" + " " * 60 + "\r", end="", file=sys.stderr)

    lines = [{"kind": "machine", "processor": processor(), "rounds": arguments.rounds, "batch": BATCH,
              "packages": about}]
    for (function, robot, precision, code), found in times.items():
        medians = {name: round(statistics.median(ns), 2) for name, ns in found.items()}
        lines.append({"kind": "time", "function": function, "robot": robot, "precision": precision, "code": code,
                      "ns": medians})
        print(f"{function:18}{robot:10}{precision:9}{code:11}", *(f"{name} {ns:8.1f}" for name, ns in medians.items()))
    if arguments.out:
        arguments.out.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
