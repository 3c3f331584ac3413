# SPDX-License-Identifier: Apache-2.0
"""One robot alone in contact: a step of `Simulation` beside MuJoCo's mj_step, in turn in one process, a thread each.

Both begin at the same settled states, one after the other, and go on for as many steps from each, without controls and
without a solution of the step before. A call makes all steps of a state. A repetition goes through all states.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import mujoco
import numpy as np

import tandem

ROBOTS = ("humanoid", "go2", "g1")
STATES = 16


def rows(case: Any, steps: int, repetitions: int) -> list[dict[str, Any]]:
    """Rows of a robot, a `contact_rows.Case`."""
    dt = float(case.theirs.opt.timestep)
    subjects: dict[tuple[str, str], tandem.Simulation | None] = {
        ("tandem", precision): tandem.Simulation(
            case.model,
            dt=dt,
            integrator=case.integrator,
            contacts=case.contacts,
            dtype=dtype,
            threads=1,
            excess=np.inf,
        )
        for precision, dtype in (("double", np.float64), ("float", np.float32))
    }
    subjects["mujoco", "double"] = None
    data = mujoco.MjData(case.theirs)
    times: dict[tuple[str, str], list[float]] = {key: [] for key in subjects}
    for round_ in range(repetitions + 1):
        spent = dict.fromkeys(subjects, 0.0)
        for i in range(min(STATES, case.size)):
            for key, simulation in subjects.items():
                if simulation is None:
                    mujoco.mj_resetData(case.theirs, data)
                    data.qpos[:], data.qvel[:] = case.q0[i], case.v0[i]
                    begin = time.process_time()
                    mujoco.mj_step(case.theirs, data, nstep=steps)
                else:
                    simulation.reset(q=case.q[i], v=case.v[i])
                    begin = time.process_time()
                    simulation.run(steps * dt, every=steps)
                spent[key] += time.process_time() - begin
        if round_:  # the first warms up
            for key, seconds in spent.items():
                times[key].append(1e9 * seconds / (steps * min(STATES, case.size)))
    return [
        {
            "robot": case.robot,
            "library": library,
            "precision": precision,
            "nv": case.model.nv,
            "integrator": case.integrator,
            "cone": ["pyramidal", "elliptic"][int(case.theirs.opt.cone)],
            "ns_per_step": {"fastest": min(values), "median": statistics.median(values)},
        }
        for (library, precision), values in times.items()
    ]


def table(lines: list[dict[str, Any]]) -> list[str]:
    """Markdown: a row a robot."""
    text = [
        "| robot (dof), one robot | integrator, cone | mj_step, us | double, us | times MuJoCo | float, us "
        "| times MuJoCo |",
        "|---|---|---|---|---|---|---|",
    ]
    for robot in dict.fromkeys(line["robot"] for line in lines):
        own = {(line["library"], line["precision"]): line for line in lines if line["robot"] == robot}
        if "refused" in own.get(("tandem", ""), {}):
            text.append(f"| {robot} | refused: {own['tandem', '']['refused']} |" + " |" * 5)
            continue
        double = own["tandem", "double"]
        theirs, ours, single = (
            own[key]["ns_per_step"]["median"] / 1000
            for key in (("mujoco", "double"), ("tandem", "double"), ("tandem", "float"))
        )
        text.append(
            f"| {robot} ({double['nv']}) | {double['integrator']}, {double['cone']} | {theirs:.1f} | {ours:.2f} "
            f"| {theirs / ours:.1f} | {single:.2f} | {theirs / single:.1f} |"
        )
    return text
