# SPDX-License-Identifier: Apache-2.0
"""Committed results as the tables of the documentation read them, and how these show numbers."""
import functools
import json

from files import ROOT

RESULTS = ROOT / "bench" / "results"


@functools.cache
def lines(pattern):
    path = next(iter(sorted(RESULTS.glob(pattern))))
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"


def thousands(x):
    return f"{x:,.0f}".replace(",", " ")


def us(x):
    return f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def amount(x):
    return us(x) if x < 10000 else thousands(x)


def times_of(pattern, algorithm, keys, library="tandem", time="median", **only):
    """Nanoseconds a state of the rows of a suite, by some of their fields."""
    return {tuple(line[key] for key in keys): line["ns_per_state"][time] for line in lines(pattern)
            if (line["kind"], line["algorithm"], line.get("library")) == ("time", algorithm, library) and
            all(line[key] == value for key, value in only.items())}
