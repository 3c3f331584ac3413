# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/papers, which tools/page_tables.py writes: what was measured beside what the papers say."""
import figure_data as data
from results import amount, table, thousands
from yang_figures import PAPER, elements_in

NOT_MEASURED = "not yet measured"
FORWARD_ON_GPU = ("JSIIA", "JSIIA here", "ABIA", "ABIA here", "CFA", "CFA here", "scan")
INVERSE_ON_GPU = ("three scans, naive", "three scans, tree", "scan")


def forward(name, x, threads=None):
    """Times of forward dynamics by method: those of the paper, as here, and the fastest of articulated bodies and their
    scan."""
    threads = threads or data.most_threads(name)
    curves = {method: dict(data.curve(name, x, method=method, threads=threads))
              for way in PAPER for method in (way, f"{way} here")}
    serial = [data.curve(name, x, method=method, threads=t) for method in ("articulated_body", "scan")
              for t in {1, threads} if (method, x) != ("scan", "robots")]
    curves["articulated bodies"] = dict(data.fastest(*serial))
    return curves


def cells(curves, at):
    return [amount(curve[at]) if at in curve else "> 0.1 s" for curve in curves.values()]


def gpu_cells(algorithm, methods, links, robots):
    """Microseconds on the GPU of every method; where it stopped, as it took too long on fewer links or robots, why."""
    for method in methods:
        found = {(int(row["links"]), int(row["robots"])): row["us"] for row in data.gpu("papers")
                 if (row["algorithm"], row["method"]) == (algorithm, method)}
        slow = any(us > 1e5 and n <= links and m <= robots for (n, m), us in found.items())
        yield amount(found[links, robots]) if (links, robots) in found else "> 0.1 s" if slow else "-"


def yang_gpu_links():
    """[Yang] figure 2 on a GPU: one robot."""
    return table(["µs, links of one robot", *FORWARD_ON_GPU],
                 ([thousands(n), *gpu_cells("forward_dynamics", FORWARD_ON_GPU, n, 1)]
                  for n in (2, 10, 100, 1000, 10000, 100000, 1000000)))


def yang_gpu_robots():
    """[Yang] figure 3 on a GPU: many robots."""
    methods = (*FORWARD_ON_GPU, "a thread a robot")
    return table(["links", "robots", *methods],
                 ([n, thousands(m), *gpu_cells("forward_dynamics", methods, n, m)]
                  for n in (10, 100, 200) for m in (1, 64, 1024, 4096)))


def slides_gpu_inverse():
    """[Yang slides] on a GPU: inverse dynamics."""
    methods = (*INVERSE_ON_GPU, "a thread a robot")
    sizes = [*((n, 1) for n in (10, 100, 1000, 10000, 100000, 1000000)),
             *((n, m) for n in (10, 100) for m in (64, 1024, 4096))]
    return table(["links", "robots", *methods],
                 ([thousands(n), thousands(m), *gpu_cells("inverse_dynamics", methods, n, m)] for n, m in sizes))


def yang_links():
    """[Yang] figure 2: one robot."""
    curves = forward("forward_links", "links")
    def rows():
        for links in (2, 10, 100, 1000, 10000, 100000, 1000000):
            yield [thousands(links), *cells(curves, links)]
    return table(["µs, links of one robot", *curves], rows())


def yang_robots():
    """[Yang] figure 3 and the slides: many robots."""
    def rows():
        for links in (10, 100, 200):
            curves = forward(f"forward_robots_{links}", "robots")
            for robots in (1, 64, 1024, 4096):
                yield [links, thousands(robots), *cells(curves, robots)]
    return table(["links", "robots", *forward("forward_robots_10", "robots")], rows())


def slides_inverse():
    """[Yang slides]: inverse dynamics."""
    names = {"three scans, naive": "three scans, naive", "three scans, tree": "three scans, tree",
             "recursive_newton_euler": "serial recursion", "scan": "`scan` as here"}
    def rows():
        for name, x, sizes in (("inverse_links", "links", (10, 100, 1000, 10000, 100000, 1000000)),
                               ("inverse_robots_10", "robots", (64, 1024, 4096)),
                               ("inverse_robots_100", "robots", (64, 1024, 4096))):
            threads = data.most_threads(name)
            curves = {method: dict(data.fastest(*(data.curve(name, x, method=method, threads=t) for t in {1, threads}))
                                   if method == "recursive_newton_euler" and x == "links"
                                   else data.curve(name, x, method=method, threads=threads))
                      for method in names}
            links = int(name.rsplit("_", 1)[1]) if x == "robots" else None
            for size in sizes:
                yield [f"one robot of {thousands(size)} links" if x == "links"
                       else f"{thousands(size)} robots of {links} links", *cells(curves, size)]
    return table(["µs", *names.values()], rows())


def from_when(curve, other, size):
    """In words, from which size on a curve is below another one."""
    return data.faster_in_words(sorted(curve.items()), sorted(other.items()), f" {size}")


def yang_conclusions():
    """What the papers conclude, and what was measured here."""
    links, ten, many = (forward(name, x) for name, x in
                        (("forward_links", "links"), ("forward_robots_10", "robots"), ("forward_robots_200", "robots")))
    at = 1024
    at_many = max(robots for robots in many["JSIIA"])
    best = links["articulated bodies"]

    def times(curves, robots):
        return ", ".join(f"{method} {amount(curves[method][robots])} µs" for method in (*PAPER, "articulated bodies"))

    gpu, one = dict(data.gpu_links("forward_dynamics")), dict(data.curve("forward_links", "links",
                                                                         method="articulated_body", threads=1))
    threads = data.most_threads("scans")
    millions = elements_in(10000, "sums", ("naive", "tree", "chunks"), threads) / 1e6
    motions = elements_in(10000, "motions", ("naive", "tree", "chunks"), threads) / 1e6
    scan_gpu = f"; on an {data.gpu_name()} {amount(gpu[1000000])} µs" if 1000000 in gpu else ""
    ratio = min(links[method][n] / best[n] for method in PAPER for n in links[method] if n in best)
    serial_ratio = min(links[method][n] / one[n] for method in PAPER for n in links[method] if n in one)
    inverse = {method: dict(data.curve("inverse_links", "links", method=method,
                                       threads=data.most_threads("inverse_links")))
               for method in ("three scans, naive", "three scans, tree")}
    both = [n for n in inverse["three scans, naive"] if n in inverse["three scans, tree"]]
    def rows():
        yield ["CFA outperforms the other two when links are many",
               f"faster than JSIIA {from_when(links['CFA'], links['JSIIA'], 'links')}, than "
               f"ABIA {from_when(links['CFA'], links['ABIA'], 'links')}"]
        yield ["JSIIA is the fastest for a moderate number of links", "of the three, " + (
            f"up to {thousands(last)} links"
            if (last := max((n for n in links["JSIIA"] if all(links["JSIIA"][n] <= links[m].get(n, 1e9)
                                                              for m in PAPER)), default=0))
                                                              else "at no number of links")]
        yield ["ABIA is always dominated by JSIIA and CFA", "it is the fastest of the three " + from_when(
            links["ABIA"], dict(data.fastest(sorted(links["JSIIA"].items()), sorted(links["CFA"].items()))), "links")]
        yield ["many robots of 10 links: JSIIA and CFA are alike, and faster than ABIA",
               f"{at} robots: {times(ten, at)}"]
        yield ["many robots of 200 links: CFA is the fastest, JSIIA the slowest",
               f"{at_many} robots: {times(many, at_many)}"]
        yield ["these are the methods to compare",
               f"at every length the serial recursion is at least {serial_ratio:.1f} times as fast as any of the "
               f"three, on one core beside {threads}; with its scan at least {ratio:.1f} times"]
        yield ["the recursion of articulated inertias cannot be made parallel",
               f"`scan` does: a million links in {amount(best[1000000])} µs on "
               f"{threads} cores, {amount(one[1000000])} µs one after the other{scan_gpu}"]
        yield ["millions of scans in 10 ms",
               f"{millions:.1f} million numbers, {motions:.2f} million motions of 18 numbers, {threads} cores"]
        yield ["the naive scan takes half the steps of Blelloch's", "it does, for log2 n times the joins: "
               f"{amount(inverse['three scans, naive'][max(both)])} µs against "
               f"{amount(inverse['three scans, tree'][max(both)])} µs at "
               f"{thousands(max(both))} links"]
    return table(["the papers", f"measured here, double, {threads} cores"], rows())


def accuracy_of_subsystems():
    """Median errors of DCAe and DCA over those of the serial method, by number of subsystems."""
    from critchley_figures import errors_by_chunks
    sizes = sorted({line["chunks"] for line in data.points("subsystems") if line["chunks"] > 0})

    def times(ratio):
        return "broken down" if ratio > 1e6 else f"{ratio:.2g}" if ratio < 100 else f"{ratio:.0f}"

    def rows():
        for precision in ("double", "float"):
            for family in dict.fromkeys(line["family"] for line in data.points("subsystems")):
                ratios = errors_by_chunks(precision, family)
                for method, name in (("divide_and_conquer_efficient", "here"), ("as printed", "as printed")):
                    if (method, sizes[0]) not in ratios:
                        continue  # measured before there was that form
                    yield [precision, family, name, *(times(ratios[method, p]) for p in sizes),
                           times(ratios["divide_and_conquer", 0]) if name == "here" else ""]
    return table(["precision", "chains", "DCAe", *(f"{p}" for p in sizes), "DCA"], rows())


def amin_javaheri_levels():
    """Ways to the mass matrix: levels, operations, processors, flops."""
    names = {"table 1": "table 1", "columns swept": "sets doubled, columns swept",
             "columns doubled": "every column doubled by itself",
             "table 2": "table 2, `log_composite`"}
    def rows():
        for way, name in names.items():
            found = {line["links"]: line for line in data.lines("levels.jsonl") if line["way"] == way}
            yield [name] + [cell for n in (8, 128) for cell in
                            (found[n]["levels"], thousands(found[n]["operations"]), thousands(found[n]["processors"]),
                             thousands(found[n]["flops"]))]
    return table(["", *(f"{n} links: {what}" if what == "levels" else what for n in (8, 128) for what in
                        ("levels", "operations", "processors", "flops"))], rows())


TABLES = (yang_links, yang_robots, yang_gpu_links, yang_gpu_robots, slides_gpu_inverse, slides_inverse,
          yang_conclusions, accuracy_of_subsystems, amin_javaheri_levels)
