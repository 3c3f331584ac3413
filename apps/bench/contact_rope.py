# SPDX-License-Identifier: Apache-2.0
"""A rope on the floor: the time of a step beside that of its own step in the air, of one robot on one thread.

The rope lies in a wave along x, capsules of 0.1 m, 20 mm and 50 g on ball joints, the first of which floats, and
settles for 0.2 s, in double. Steps from there are measured in turn: on the floor; in the air, 100 m higher, with
contacts that are looked for and not found; and without contacts.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

import tandem

LINKS = 10_000
LENGTH, RADIUS, MASS = 0.1, 0.02, 0.05  # m, m, kg
STEP, SETTLE = 2e-3, 0.2  # s
HEIGHTS = {"floor": 0.0, "air": 100.0, "without contacts": 100.0}  # m


def rope(n: int) -> tandem.Model:
    builder = tandem.ModelBuilder("rope").link("world").shape("floor", "plane", "world")
    about, across = MASS * RADIUS**2 / 2, MASS * (3 * RADIUS**2 + LENGTH**2) / 12
    parent = "world"
    for k in range(n):
        name, middle = f"segment{k}", (LENGTH / 2, 0, 0)
        builder.link(name, MASS, com=middle, inertia=(about, 0, 0, across, 0, across))
        if k == 0:
            builder.joint("free", "free", parent, name)
        else:
            builder.joint(f"ball{k}", "spherical", parent, name, position=(LENGTH, 0, 0), damping=1e-3)
        builder.shape(name, "capsule", name, size=(RADIUS, LENGTH / 2), position=middle, rpy=(0, np.pi / 2, 0))
        parent = name
    return builder.build()


def wave(model: tandem.Model) -> np.ndarray:
    """Joints turn to and fro about z by up to 0.3 rad, 40 links a wave."""
    q = tandem.neutral_configuration(model)
    turns = 0.15 * np.sin(2 * np.pi * np.arange(1, (len(q) - 7) // 4 + 1) / 40)
    q[9::4], q[10::4] = np.sin(turns), np.cos(turns)
    q[2] = RADIUS
    return q


def rows(repetitions: int, steps: int, n: int = LINKS) -> list[dict[str, Any]]:
    begin = time.process_time()
    model = rope(n)
    contacts = tandem.ContactSet(model, self_contact=False)
    first = tandem.Simulation(model, dt=STEP, contacts=contacts, threads=1)
    made = time.process_time() - begin
    first.q[:] = wave(model)
    first.run(SETTLE)
    q, v = np.array(first.q), np.array(first.v)
    del first
    repetitions, steps = min(repetitions, 5), min(steps, 5)
    found = []
    for precision, dtype in (("double", np.float64), ("float", np.float32)):
        times: dict[str, list[float]] = {where: [] for where in HEIGHTS}
        robots = {
            where: tandem.Simulation(
                model,
                dt=STEP,
                threads=1,
                dtype=dtype,
                excess=np.inf,
                **({"method": "articulated_body"} if where == "without contacts" else {"contacts": contacts}),
            )
            for where in HEIGHTS
        }
        for round_ in range(repetitions + 1):
            for where, simulation in robots.items():
                simulation.reset(q=q + HEIGHTS[where] * (np.arange(model.nq) == 2), v=v)
                begin = time.process_time()
                simulation.run(steps * STEP, every=steps)
                if round_:
                    times[where].append(1e9 * (time.process_time() - begin) / steps)
        tally = robots["floor"].contact_tally()
        touching = float((robots["floor"].contact_forces[:, 0] > 0).sum())
        found.append(
            {
                "robot": f"rope of {n} links",
                "library": "tandem",
                "precision": precision,
                "nv": model.nv,
                "made_s": made,
                "contacts": touching,
                "newton_mean": tally.steps / tally.solutions,
                "ns_per_step": {"fastest": min(times["floor"]), "median": statistics.median(times["floor"])},
                "ns_in_air": statistics.median(times["air"]),
                "ns_without_contacts": statistics.median(times["without contacts"]),
            }
        )
    return found


def table(lines: list[dict[str, Any]]) -> list[str]:
    """Markdown: a row a precision."""
    text = [
        "| robot (dof), one robot | precision | made, s | contacts | Newton steps | on the floor, ms "
        "| in the air, ms | times | without contacts, ms | times |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for line in lines:
        floor, air, none = (
            x / 1e6 for x in (line["ns_per_step"]["median"], line["ns_in_air"], line["ns_without_contacts"])
        )
        text.append(
            f"| {line['robot']} ({line['nv']}) | {line['precision']} | {line['made_s']:.1f} | {line['contacts']:.0f} "
            f"| {line['newton_mean']:.1f} | {floor:.1f} | {air:.1f} | {floor / air:.1f} | {none:.1f} "
            f"| {floor / none:.1f} |"
        )
    return text
