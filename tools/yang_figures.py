# SPDX-License-Identifier: Apache-2.0
"""[Yang] figures 2, 3a and 3b, and the plots of [Yang slides], drawn again by tools/paper_figures.py."""
import figure_data as data

BLACK, BLUE, RED, GREEN, ORANGE = "black", "tab:blue", "tab:red", "tab:green", "tab:orange"
PAPER = {"JSIIA": BLUE, "ABIA": ORANGE, "CFA": RED}


def log_axes(axes, x, title=None):
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(x)
    axes.grid(alpha=0.25)
    if title:
        axes.set_title(title, fontsize=9)


def draw_curve(axes, points, colour, label, style="o-"):
    if points:
        axes.plot(*zip(*points), style, color=colour, markersize=3, linewidth=1.4, label=label)


def papers_and_ours(axes, name, x, threads):
    """JSIIA, ABIA and CFA, as printed and as here; the fastest, on the processor. Returns the curves by name."""
    curves = {}
    for method, colour in PAPER.items():
        curves[method] = data.curve(name, x, method=method, threads=threads)
        draw_curve(axes, curves[method], colour, f"{method}, as in the paper")
        draw_curve(axes, data.curve(name, x, method=f"{method} here", threads=threads), colour,
                   f"{method}, as it is here", "--")
    serial = [data.curve(name, x, method=method, threads=t) for method, t in
              (("articulated_body", 1), ("articulated_body", threads), ("scan", 1), ("scan", threads))]
    curves["best"] = data.fastest(*serial) if x == "links" else serial[1]
    draw_curve(axes, curves["best"], BLACK, "articulated bodies"
               + (" or their scan, the fastest" if x == "links" else ""))
    return curves


def papers_on_gpu(axes, x, **fields):
    """The same methods on the GPU, and what neither paper has: the scan of articulated inertias, or a thread a
    robot."""
    for method, colour in PAPER.items():
        draw_curve(axes, data.gpu_curve("forward_dynamics", method, x, **fields), colour, f"{method}, as in the paper")
        draw_curve(axes, data.gpu_curve("forward_dynamics", f"{method} here", x, **fields), colour,
                   f"{method}, as it is here", "--")
    ours, label = ("scan", "scan of articulated inertias") if x == "links" else ("a thread a robot",
                                                                                 "articulated bodies, a thread a robot")
    draw_curve(axes, data.gpu_curve("forward_dynamics", ours, x, **fields), GREEN, label)


def title_of_gpu(text):
    return f"{text}, NVIDIA {data.gpu_name()}" + ("" if data.gpu("papers") else ": not yet measured")


def times_slower(curves, at):
    best = dict(curves["best"])[at]
    return {method: dict(curves[method])[at] / best for method in PAPER if at in dict(curves[method])}


def in_words(ratios):
    return ", ".join(f"{method} {ratio:.0f}" for method, ratio in ratios.items())


def figure_2(plt, save):
    name = "forward_links"
    threads = data.most_threads(name)
    figure, (axes, gpu) = plt.subplots(1, 2, figsize=(12.5, 4.8), sharey=True)
    curves = papers_and_ours(axes, name, "links", threads)
    papers_on_gpu(gpu, "links", robots=1)
    log_axes(axes, "links of one robot", f"{threads} cores")
    log_axes(gpu, "links of one robot", title_of_gpu("one robot"))
    axes.set_ylabel("µs per call of forward dynamics, double")
    axes.legend(fontsize=7)
    gpu.legend(fontsize=7)
    crossing = data.faster_in_words(curves["CFA"], curves["JSIIA"], " links")
    slower = [min(us / dict(curves["best"])[x] for x, us in curves[method]) for method in PAPER]
    save(figure, "yang_2.png",
         f"[Yang] figure 2. On cores CFA beats JSIIA {crossing}; articulated bodies are at least {min(slower):.1f} "
         "times as "
         f"fast as any of the three at every length\n{data.where(name)}, {threads} threads; the GPU: scripts/gpu_check")


def figure_3(plt, save):
    figure, panels = plt.subplots(2, 2, figsize=(11.5, 8.2), sharex=True)
    messages = []
    for column, (links, letter) in enumerate(zip((10, 200), "ab")):
        axes, gpu = panels[0][column], panels[1][column]
        name = f"forward_robots_{links}"
        threads = data.most_threads(name)
        curves = papers_and_ours(axes, name, "robots", threads)
        papers_on_gpu(gpu, "robots", links=links)
        log_axes(axes, "", f"({letter}) robots of {links} links, {threads} cores")
        log_axes(gpu, "robots", title_of_gpu(f"({letter}) robots of {links} links"))
        at = max(x for x, _ in curves["best"] if len(times_slower(curves, x)) == 3)
        messages.append(f"{links} links: times slower on {at} robots: {in_words(times_slower(curves, at))}")
    for axes in panels[:, 0]:
        axes.set_ylabel("µs for all robots, double")
    for axes in panels[:, 1]:
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.02, 0.5))
    save(figure, "yang_3.png",
         "[Yang] figure 3: plain articulated bodies, a robot in each lane, beat all three on cores.\n"
         + "; ".join(messages) +
         f"\n{data.where('forward_robots_10')}, {threads} threads; the GPU: scripts/gpu_check")


def slides_links(plt, save):
    figure, panels = plt.subplots(1, 2, figsize=(12.5, 4.4))
    messages = []
    for axes, name, algorithm, serial, what in (
            (panels[0], "inverse_links", "inverse_dynamics", "recursive_newton_euler", "inverse dynamics"),
            (panels[1], "forward_links", "forward_dynamics", "articulated_body", "forward dynamics")):
        threads = data.most_threads(name)
        one = data.curve(name, "links", method=serial, threads=1)
        best = data.curve(name, "links", method="scan", threads=threads)
        gpu = data.gpu_links(algorithm)
        if what.startswith("inverse"):
            draw_curve(axes, data.curve(name, "links", method="three scans, naive", threads=threads), RED,
                       "three scans of the slides, naive", "o--")
            draw_curve(axes, data.curve(name, "links", method="three scans, tree", threads=threads), RED,
                       "the same, up and down a tree")
        else:
            draw_curve(axes, data.curve(name, "links", method="ABIA", threads=threads), RED, "ABIA of the slides")
        draw_curve(axes, one, "0.45", f"{serial.replace('_', ' ')}, one core")
        draw_curve(axes, best, BLACK, f"scan as it is here, {threads} cores")
        draw_curve(axes, gpu, GREEN, f"the same on an {data.gpu_name()}")
        log_axes(axes, "links of one robot", what)
        axes.legend(fontsize=8)
        messages.append(f"{what}: scans pay on {threads} cores {data.faster_in_words(best, one, ' links')}"
                        + (f", an {data.gpu_name()} beats them {data.faster_in_words(gpu, best)}" if gpu else ""))
    panels[0].set_ylabel("µs, double")
    save(figure, "slides_links.png", "[Yang slides] over links. " + ";\n".join(messages)
         + f"\n{data.where('inverse_links')}")


def slides_robots(plt, save):
    figure, panels = plt.subplots(2, 2, figsize=(11.5, 7.4), sharex=True)
    worst = []
    for row, algorithm, serial in zip(panels, ("inverse", "forward"), ("recursive_newton_euler", "articulated_body")):
        for axes, links in zip(row, (10, 100)):
            name = f"{algorithm}_robots_{links}"
            threads = data.most_threads(name)
            theirs = ("three scans, naive", "three scans, tree") if algorithm == "inverse" else ("JSIIA", "ABIA", "CFA")
            best = data.curve(name, "robots", method=serial)
            for method, colour, style in zip(theirs, (RED, RED) if algorithm == "inverse" else PAPER.values(),
                                             ("o--", "o-") if algorithm == "inverse" else ("o-",) * 3):
                points = data.curve(name, "robots", method=method)
                draw_curve(axes, points, colour, f"slides: {method}", style)
                worst.append(min(us / dict(best)[x] for x, us in points if x >= 256))
            draw_curve(axes, best, BLACK, serial.replace("_", " ") + ", a robot in each lane")
            gpu = data.gpu_robots(f"{algorithm}_dynamics", links)
            draw_curve(axes, gpu, GREEN, f"the same on an {data.gpu_name()}")
            log_axes(axes, "robots" if algorithm == "forward" else "",
                     f"{algorithm} dynamics, {links} links" + ("" if gpu else "; not yet measured on a GPU"))
            if links == 10 or gpu:
                axes.legend(fontsize=8, loc="upper left")
                low, high = axes.get_ylim()
                axes.set_ylim(low, high * (high / low) ** 0.45)  # room for the legend above the curves
        row[0].set_ylabel("µs for all robots, double")
    save(figure, "slides_robots.png",
         f"[Yang slides] over robots: from 256 robots on the serial recursion in lanes is at least {min(worst):.1f} "
         f"times as fast as any scan\n{data.where('inverse_robots_10')}, {threads} threads")


def elements_in(us, element, schedules, threads):
    """How many elements a scan gets through in that time, by the fastest of these schedules, between measured sizes."""
    most = 0
    for schedule in schedules:
        points = data.curve("scans", "n", element=element, schedule=schedule, threads=threads)
        for (n, time), (m, later) in zip(points, points[1:]):
            if time <= us < later:
                most = max(most, n + (m - n) * (us - time) / (later - time))
        if points and points[-1][1] <= us:
            most = max(most, points[-1][0] * us / points[-1][1])
    return most


def slides_scans(plt, save):
    threads = data.most_threads("scans")
    figure, panels = plt.subplots(1, 2, figsize=(10.5, 4.2))
    for axes, element, title in zip(panels, ("sums", "motions"),
                                    ("sums of numbers", "motions: a change of frame and a velocity, 18 numbers")):
        for schedule, colour, style, label in (("naive", RED, "o--", "naive, Hillis and Steele"),
                                               ("tree", RED, "o-", "up and down a tree, Blelloch"),
                                               ("chunks", BLACK, "o-", "in chunks, as methods here have them")):
            draw_curve(axes, data.curve("scans", "n", element=element, schedule=schedule, threads=threads), colour,
                       label, style)
        axes.axhline(10000, color="0.6", linewidth=1)
        log_axes(axes, "elements", title)
    panels[0].annotate("10 ms", (1100, 11500), fontsize=8, color="0.4")
    panels[0].set_ylabel("µs, double")
    panels[0].legend(fontsize=8)
    sums, motions = (elements_in(10000, element, ("chunks",), threads) for element in ("sums", "motions"))
    save(figure, "slides_scans.png",
         f"[Yang slides] \"millions of scans in 10 ms\": {threads} cores get through {sums / 1e6:.1f} million numbers, "
         f"or {motions / 1e6:.2f} million motions\n{data.where('scans')}")


NEEDS = {figure_2: ("forward_links",), figure_3: ("forward_robots_10", "forward_robots_200"),
         slides_links: ("inverse_links", "forward_links"),
         slides_robots: tuple(f"{algorithm}_robots_{links}" for algorithm in ("inverse", "forward")
                              for links in (10, 100)),
         slides_scans: ("scans",)}
