# SPDX-License-Identifier: Apache-2.0
"""What scripts/figures has measured, for pictures and for tables of pages: bench/results/figures/NAME.jsonl, beside it what
scripts/gpu_check measured on a GPU."""
import functools
import json

from results import RESULTS, lines, thousands


def is_measured(name):
    return (RESULTS / "figures" / f"{name}.jsonl").exists()


@functools.cache
def points(name):
    """The points of a figure, the fastest of each."""
    best = {}
    for line in lines(f"figures/{name}.jsonl"):
        if "figure" in line:
            key = tuple((field, value) for field, value in line.items() if field not in ("us", "error"))
            if key not in best or line.get("us", 0) < best[key].get("us", 0):
                best[key] = line
    return list(best.values())


def where(name):
    first = lines(f"figures/{name}.jsonl")[0]
    return ", ".join(str(first[field]) for field in ("processor", "compiler", "commit") if field in first)


def curve(name, x, **fields):
    """(x, microseconds) of the points that have these fields, by x."""
    return sorted((line[x], line["us"]) for line in points(name) if all(line[key] == value for key, value in fields.items()))


def most_threads(name):
    return max(line["threads"] for line in points(name))


def fastest(*curves):
    """At every x of any of these the least time."""
    best = {}
    for points_of in curves:
        for x, us in points_of:
            best[x] = min(us, best.get(x, us))
    return sorted(best.items())


def faster_in_words(curve_of, other, what=""):
    """For which x `curve_of` is faster than `other`, of those where both were measured: the longest run of them."""
    theirs = dict(other)
    both = [(x, us < theirs[x]) for x, us in curve_of if x in theirs]
    runs, run = [], []
    for x, faster in [*both, (None, False)]:
        if faster:
            run.append(x)
        elif run:
            runs.append(run)
            run = []
    if not runs:
        return "never"
    best = max(runs, key=len)
    if len(best) == 1 and best[-1] != both[-1][0]:
        return f"at {thousands(best[0])}{what}"
    if best[-1] == both[-1][0]:
        return f"from {thousands(best[0])}{what}"
    return f"from {thousands(best[0])} to {thousands(best[-1])}{what}"


@functools.cache
def gpu():
    """What scripts/gpu_check wrote last on an H100, or None."""
    found = sorted(RESULTS.glob("gpu-NVIDIA-*.json"))
    return json.loads(found[-1].read_text(encoding="utf-8")) if found else None


def gpu_name():
    return gpu()["context"]["device"].removeprefix("NVIDIA ").split(" ")[0] if gpu() else "GPU"


def gpu_links(algorithm, precision="double"):
    """(links, microseconds) of one chain on the GPU by scan."""
    return sorted((line["links"], 1e6 * line["seconds"]) for line in (gpu() or {}).get("divided_rates", [])
                  if line["robot"].startswith("chain:") and line["batch"] == 1 and
                  (line["algorithm"], line["precision"]) == (algorithm, precision))


def gpu_robots(algorithm, links, precision="double"):
    """(robots, microseconds) of chains on the GPU, a thread each; empty where none was measured."""
    return sorted((line["batch"], 1e6 * line["batch"] / line["states_per_second"]) for line in (gpu() or {}).get("rates", [])
                  if (line["robot"], line["algorithm"], line["precision"]) == (f"chain:{links}", algorithm, precision))
