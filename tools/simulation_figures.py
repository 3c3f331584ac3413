# SPDX-License-Identifier: Apache-2.0
"""Energies of simulations, drawn by tools/paper_figures.py, and the table of docs/simulation.md."""
import figure_data as data
from results import table, thousands

DRIFT = "energy_drift"
COLOURS = {"implicit_midpoint": "tab:green", "rk4": "tab:blue", "semi_implicit_euler": "0.6"}


def curve(integrator):
    return sorted((line["steps"], line["drift"]) for line in data.points(DRIFT) if line["integrator"] == integrator)


def drift(plt, save):
    figure, axes = plt.subplots(figsize=(7.2, 3.4))
    for integrator, colour in COLOURS.items():
        points = [(steps, part) for steps, part in curve(integrator) if steps >= 300]  # once it has been fast
        axes.plot(*zip(*points), color=colour)
        axes.annotate(integrator, points[-1], xytext=(4, 0), textcoords="offset points", color=colour, fontsize=8,
                      va="center")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(right=1.2e7)
    axes.set_xticks([10 ** k for k in range(3, 7)])
    axes.set_xlabel("steps of 1 ms")
    axes.set_ylabel("change of the energy\nover the largest kinetic energy", fontsize=8)
    axes.grid(alpha=0.25)
    ends = {integrator: curve(integrator)[-1] for integrator in COLOURS}
    steps, kept = ends["implicit_midpoint"]
    save(figure, "energy_drift.png",
         f"Over {thousands(steps)} steps implicit_midpoint keeps the energy of an undamped arm to {kept:.0e}, "
                                     f"rk4 to {ends['rk4'][1]:.0e}\n{data.where(DRIFT)}")


def energy_drift():
    """Largest changes after decades of steps."""
    curves = {integrator: dict(curve(integrator)) for integrator in COLOURS}
    return table(["steps", *COLOURS],
                 ([thousands(steps), *(f"{curves[name][steps]:.2g}" for name in COLOURS)]
                  for steps in (10**4, 10**5, 10**6)))


NEEDS = {drift: (DRIFT,)}
TABLES = (energy_drift,)
