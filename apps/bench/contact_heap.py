# SPDX-License-Identifier: Apache-2.0
"""A coil of rope that lies on itself: the time of a step with listed pairs and with pairs that are found.

    python apps/bench/contact_heap.py 100 400 1000 4000 10000

The rope of contact_rope.py lies in flat spirals of 0.3 to 0.6 m, one upon the other, overlapping by 1 mm. It moves for
0.01 s; then 5 steps are measured, of one robot on one thread. Up to 1000 links pairs are listed, too: contacts between
links are then eliminated.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from contact_rope import LENGTH, RADIUS, STEP, rope

import tandem

INNER, OUTER, GAP, SETTLE, MEASURED = 0.3, 0.6, 2 * RADIUS - 1e-3, 0.01, 5  # m, m, m, s, steps
MOST_LISTED = 1000


def wound(model: tandem.Model) -> np.ndarray:
    """Out, one layer up, in, one layer up, and so on."""
    q, radius, way, rise = tandem.neutral_configuration(model), INNER, 1, 0.0
    q[2] = RADIUS
    for first in range(7, model.nq, 4):
        bend, before = LENGTH / radius / 2, rise
        radius += way * GAP * LENGTH / (2 * np.pi * radius)
        rise = 0.0
        if not INNER <= radius <= OUTER:
            way, rise, radius = -way, np.arcsin(GAP / LENGTH), float(np.clip(radius, INNER, OUTER))
        climb, side = (before - rise) / 2, 1 if before else -1  # about y: back before the bend about z, up after it
        q[first : first + 4] = [side * np.sin(climb) * np.sin(bend), np.sin(climb) * np.cos(bend),
                                np.cos(climb) * np.sin(bend), np.cos(climb) * np.cos(bend)]
    return q


def filled(n: int, pairs: set[tuple[int, int]]) -> tuple[int, int]:
    """Blocks that elimination in the order of the links would have, and the most that one link has."""
    partners: list[set[int]] = [set() for _ in range(n)]
    for one, two in pairs:
        partners[max(one, two)].add(min(one, two))
    blocks, most, left = 0, 0, set[int]()
    for k in reversed(range(n)):
        left = {j for j in left | partners[k] | {k - 1} if 0 <= j < k}
        blocks, most = blocks + len(left), max(most, len(left))
    return blocks, most


def measure(n: int, self_pairs: str, dtype: str) -> str:
    model = rope(n)
    pairs = tandem.ContactSet(model, self_pairs=self_pairs)
    simulation = tandem.Simulation(model, dt=STEP, threads=1, dtype=dtype, contacts=pairs, excess=np.inf)
    simulation.q[:] = wound(model)
    simulation.run(SETTLE)
    before, begin = simulation.contact_tally(), time.process_time()
    simulation.run(MEASURED * STEP)
    took, after = time.process_time() - begin, simulation.contact_tally()
    newton = (after.steps - before.steps) / MEASURED
    row = f"| {n} | {self_pairs} | {dtype} | {newton:.1f} | {1e3 * took / MEASURED:.1f} |"
    if not pairs.finds_pairs:
        return row + " | | |"
    found = simulation.found_contacts  # shape 0 is the floor
    touching = {(int(one) - 1, int(two) - 1) for one, two in zip(found.shape_1, found.shape_2)}
    blocks, most = filled(n, touching)
    return row + f" {len(found.distance)} | {blocks:.2g} | {most} |"


def main() -> None:
    print("| links | pairs | precision | Newton steps | ms a step | contacts of links | blocks, eliminated | of a link "
          "|")
    print("|---|---|---|---|---|---|---|---|")
    for n in map(int, sys.argv[1:] or ["100", "400", "1000"]):
        if n <= MOST_LISTED:
            print(measure(n, "listed", "float64"), flush=True)
        for dtype in ("float64", "float32"):
            print(measure(n, "found", dtype), flush=True)


if __name__ == "__main__":
    main()
