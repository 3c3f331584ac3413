# SPDX-License-Identifier: Apache-2.0
"""Pictures of trajectories, with Matplotlib: ``pip install tandem[plot]``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tandem._common.files import replacing
from tandem._core import Joint, Model
from tandem.configuration import difference, neutral_configuration
from tandem.functions import Array, energy
from tandem.simulation import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The curves of one panel: a name and a column of numbers each.
Curves = dict[str, Array]

_INK, _GRID = "#26282b", "#d9dce0"
#: Ten colours that colour-blind readers tell apart too (Paul Tol's muted set, and a grey).
_COLOURS = (
    "#332288",
    "#cc6677",
    "#117733",
    "#ddaa33",
    "#88ccee",
    "#aa4499",
    "#44aa99",
    "#882255",
    "#999933",
    "#777777",
)
_ENERGY_COLOURS = ("#4477aa", "#ddaa33", _INK)
_LONGEST_LEGEND = 40


def trajectory(
    model: Model,
    states: Trajectory,
    path: str | os.PathLike[str] | None = None,
    *,
    joints: Sequence[str] | None = None,
    velocities: bool = False,
    title: str | None = None,
) -> Figure:
    """Draws a trajectory over time: position of a floating base, the joints' angles and travels, energy.

    Args:
        model: the robot that moved
        states: its states, from :meth:`tandem.Simulation.run`
        path: file to save the picture in; its ending says the format
        joints: names of the joints to draw; all if left out
        velocities: whether to draw the joints' velocities as well
        title: the robot's name if left out
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    wanted = model.joints if joints is None else [model.joint(name) for name in joints]
    panels = _positions(model, states, wanted)
    if velocities:
        panels |= _velocities(states, wanted)
    panels["energy [J]"] = _energies(model, states)
    heights = [1.0 if len(curves) <= len(_COLOURS) else 1.6 for curves in panels.values()]
    figure = Figure(figsize=(10, 0.9 + 2.2 * sum(heights)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axis, (label, curves) in zip(axes, panels.items()):
        _draw(axis, label, states.time, curves, _ENERGY_COLOURS if axis is axes[-1] else _COLOURS)
    figure.align_ylabels(axes)
    axes[-1].set_xlabel("time [s]", color=_INK)
    if len(states.time) > 1:
        axes[-1].set_xlim(states.time[0], states.time[-1])
    figure.suptitle(model.name if title is None else title, color=_INK, fontweight="bold", fontsize=13)
    if path is not None:
        with replacing(path) as beside:
            figure.savefig(beside, dpi=150)
    return figure


def _positions(model: Model, states: Trajectory, joints: list[Joint]) -> dict[str, Curves]:
    """What the joints do, gathered by unit; rotations in space as rotation vectors."""
    position: Curves = {}
    rotation: Curves = {}
    angle: Curves = {}
    travel: Curves = {}
    displacement = difference(model, neutral_configuration(model, dtype=states.q.dtype), states.q)
    for joint in joints:
        q, u = states.q[:, joint.q_index :], displacement[:, joint.v_index :]
        if joint.nq == 0:
            continue
        if joint.type in ("free", "planar"):
            position |= {
                f"{joint.name} {x}": q[:, k] for k, x in enumerate("xyz"[: 3 if joint.type == "free" else 2])
            }
        if joint.type in ("free", "spherical"):
            first = 3 if joint.type == "free" else 0
            rotation |= {f"{joint.name} {x}": u[:, first + k] for k, x in enumerate("xyz")}
        elif joint.type == "planar":
            angle[joint.name] = q[:, 2]
        elif joint.type == "universal":
            angle |= {f"{joint.name} {x}": q[:, k] for k, x in enumerate("xy")}
        else:
            (travel if joint.type == "prismatic" else angle)[joint.name] = q[:, 0]
    panels = {
        "position [m]": position,
        "rotation vector [rad]": rotation,
        "joint angle [rad]": angle,
        "joint travel [m]": travel,
    }
    return {label: curves for label, curves in panels.items() if curves}


def _velocities(states: Trajectory, joints: list[Joint]) -> dict[str, Curves]:
    """Velocities of the joints with one degree of freedom, by unit."""
    turning: Curves = {}
    sliding: Curves = {}
    for joint in joints:
        if joint.nv == 1:
            (sliding if joint.type == "prismatic" else turning)[joint.name] = states.v[:, joint.v_index]
    panels = {"joint velocity [rad/s]": turning, "joint velocity [m/s]": sliding}
    return {label: curves for label, curves in panels.items() if curves}


def _energies(model: Model, states: Trajectory) -> Curves:
    """Energies; the potential one is counted from the start, so that its changes show."""
    kinetic, potential = energy(model, states.q, states.v)
    gained = potential - potential[0]
    return {"kinetic": kinetic, "potential, from start": gained, "total": kinetic + gained}


def _draw(axis: Axes, label: str, time: Array, curves: Curves, colours: Any) -> None:
    import matplotlib

    count = len(curves)
    crowded = count > len(_COLOURS)
    if crowded:
        colours = matplotlib.colormaps["turbo"](np.linspace(0.04, 0.96, count))
    every = -(-count // _LONGEST_LEGEND)
    for k, (name, values) in enumerate(curves.items()):
        shown = name if k % every == 0 else "_" + name
        axis.plot(time, values, color=colours[k], linewidth=1.0 if crowded else 1.5, label=shown)
    axis.set_ylabel(label, color=_INK)
    axis.grid(color=_GRID, linewidth=0.6)
    axis.set_axisbelow(True)
    axis.tick_params(colors=_INK, labelsize=9)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axis.spines[side].set_color("#9aa0a6")
    axis.legend(
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        ncols=2 if crowded else 1,
        columnspacing=1.0,
        handlelength=1.2,
        frameon=False,
        fontsize=7 if crowded else 9,
        labelcolor=_INK,
    )
