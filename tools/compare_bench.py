#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two builds of tandem_bench, run in turn on one machine: which rows became slower, which faster.

    tools/compare_bench.py OLD NEW --suite links [--rounds N] [--out FILE.jsonl] [ROBOT ...]

OLD and NEW are programs. Every round runs both, in changing order; a row's ratio is the median over rounds of new over
old, and its spread half the distance from the tenth to the ninetieth percentile of what the old program took, over its
median. A row is slower if the ratio exceeds 1.03 by more than that spread. Exit 1 if any row is slower.
"""
import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

NAME = ("suite", "algorithm", "robot", "variant", "precision", "instruction_set", "layout", "batch", "threads")
MACHINE = ("date", "compiler", "flags", "processor", "cores")
ALLOWED = 1.03


def measure(program: str, suite: str, repetitions: int, robots: list[str]) -> tuple[dict, dict]:
    """Times of Tandem's own rows in ns a state, by name; and what the first row says of the machine and the commit."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.jsonl"
        command = [program, "--suite", suite, "--repetitions", str(repetitions), "--out", str(out), *robots]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        rows = [json.loads(line) for line in out.read_text().splitlines()]
    times = {tuple(row[k] for k in NAME): row["ns_per_state"]["median"]
             for row in rows if row.get("kind") == "time" and row["library"] == "tandem"}
    return times, rows[0]


def quantile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[round(part * (len(ordered) - 1))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="tandem_bench of the old build")
    parser.add_argument("new", help="tandem_bench of the new build")
    parser.add_argument("--suite", default="links", help="suite to run (links)")
    parser.add_argument("--rounds", type=int, default=7, help="how often both run (7)")
    parser.add_argument("--repetitions", type=int, default=5, help="of every row in a round (5)")
    parser.add_argument("--out", type=Path, help="file that gets a JSON object a row")
    parser.add_argument("robots", nargs="*", help="robots; the suite's own if none is given")
    arguments = parser.parse_intermixed_args()

    times = {"old": {}, "new": {}}
    about = {}
    for k in range(arguments.rounds):
        for side in ("old", "new") if k % 2 == 0 else ("new", "old"):
            print(f"\rround {k + 1} of {arguments.rounds}: {side}", end="", file=sys.stderr, flush=True)
            found, about[side] = measure(getattr(arguments, side), arguments.suite, arguments.repetitions,
                                         arguments.robots)
            for name, ns in found.items():
                times[side].setdefault(name, []).append(ns)
    print("\r" + " " * 40 + "\r", end="", file=sys.stderr)

    rows = []
    for name in times["old"].keys() & times["new"].keys():
        old, new = times["old"][name], times["new"][name]
        ratio = statistics.median(b / a for a, b in zip(old, new))
        spread = (quantile(old, 0.9) - quantile(old, 0.1)) / 2 / statistics.median(old)
        rows.append({**dict(zip(NAME, name)), "ns_old": statistics.median(old), "ns_new": statistics.median(new),
                     "ratio": round(ratio, 4), "spread": round(spread, 4), "slower": ratio > ALLOWED + spread})
    rows.sort(key=lambda row: -row["ratio"])
    if arguments.out:
        machine = {k: about["new"].get(k) for k in MACHINE} | {
            "commit_old": about["old"].get("commit"), "commit_new": about["new"].get("commit"),
            "rounds": arguments.rounds}
        arguments.out.write_text("".join(json.dumps(machine | row) + "\n" for row in rows))

    slower = [row for row in rows if row["slower"]]
    print(f"{len(rows)} rows, ratio of times new/old: median {statistics.median(row['ratio'] for row in rows):.3f}, "
          f"{len(slower)} slower than {ALLOWED} beyond their spread")
    shown = slower + [row for row in rows[-5:] if not row["slower"]]
    for row in shown:
        print(f"{row['ratio']:7.3f} +- {row['spread']:.3f} {'slower' if row['slower'] else '      '} "
              f"{row['ns_old']:12.0f} -> {row['ns_new']:12.0f} ns  "
              + " ".join(str(row[k])
                         for k in ("algorithm", "robot", "variant", "precision", "layout", "batch", "threads")))
    missing = sorted(times["old"].keys() ^ times["new"].keys())
    if missing:
        print(f"{len(missing)} rows of one program only, such as {' '.join(map(str, missing[0]))}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
