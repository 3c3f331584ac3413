# SPDX-License-Identifier: Apache-2.0
"""What scripts/figures has measured, for pictures and for tables of pages: bench/results/figures/NAME.jsonl, beside it
what scripts/gpu_check measured on a GPU."""
import functools

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
    return sorted((line[x], line["us"]) for line in points(name)
                  if all(line[key] == value for key, value in fields.items()))


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
def gpu(kind=None):
    """Rows that scripts/gpu_check wrote last, of one kind; without a kind its context. None and no rows if there are no
    results."""
    found = sorted(RESULTS.glob("gpu-NVIDIA-*.jsonl"))
    rows = lines(found[-1].name) if found else []
    if kind is None:
        return next((row for row in rows if row["kind"] == "context"), None)
    return [row for row in rows if row["kind"] == kind]


def gpu_sections():
    """Sections of the run, each with the context that it was measured in."""
    context = None
    for row in lines(sorted(RESULTS.glob("gpu-NVIDIA-*.jsonl"))[-1].name) if gpu() else []:
        if row["kind"] == "context":
            context = row
        elif row["kind"] == "sections":
            yield row, context


def gpu_name():
    return gpu()["device"].removeprefix("NVIDIA ").split(" ")[0] if gpu() else "GPU"


def gpu_links(algorithm, precision="double"):
    """(links, microseconds) of one chain on the GPU by scan."""
    if precision == "double" and gpu("papers"):
        return gpu_curve(f"{algorithm}", "scan", "links", robots=1)
    return sorted((row["links"], 1e6 * row["seconds"]) for row in gpu("divided_rates")
                  if row["robot"].startswith("chain:") and (row["batch"], row["method"]) == (1, "scan") and
                  (row["algorithm"], row["precision"]) == (algorithm, precision))


def gpu_curve(algorithm, method, x, **fields):
    """(x, microseconds) of a method of [Yang] on the GPU, double, by links or by robots."""
    return sorted((int(row[x]), row["us"]) for row in gpu("papers")
                  if (row["algorithm"], row["method"]) == (algorithm, method) and
                  all(row[key] == value for key, value in fields.items()))


def gpu_robots(algorithm, links):
    """(robots, microseconds) of chains on the GPU, a thread each."""
    return gpu_curve(algorithm, "a thread a robot", "robots", links=links)
