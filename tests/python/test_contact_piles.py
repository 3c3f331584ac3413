# SPDX-License-Identifier: Apache-2.0
"""Many bodies that touch each other, against MuJoCo, and beside each other in a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contact_support import PILE, Twin, simulation_of
from mujoco_support import mujoco
from test_contact_dynamics import compare_states, relative

import tandem


def heap(n: int, seed: int = 1) -> str:
    """Balls, rods and boxes in a grid, each of which overlaps its neighbours; boxes touch balls and the floor alone."""
    random = np.random.default_rng(seed)
    kinds = [("sphere", "0.1", 1, 7), ("capsule", "0.06 0.08", 2, 3), ("box", "0.08 0.06 0.05", 4, 0)]
    side = int(np.ceil(n ** (1 / 3)))
    bodies = ""
    for k in random.permutation(n):
        place = 0.17 * np.array([k % side, k // side % side, k // side**2]) + 0.01 * random.normal(size=3)
        kind, size, contype, conaffinity = kinds[k % 3]
        x, y, z = place + np.array([0, 0, 0.09])
        bodies += (
            f'<body name="b{k}" pos="{x:.4f} {y:.4f} {z:.4f}" euler="{90 * random.uniform():.1f} 0 0"><freejoint/>'
            f'<geom name="b{k}" type="{kind}" size="{size}" mass="{random.uniform(0.2, 1):.2f}" contype="{contype}"'
            f' conaffinity="{conaffinity}" condim="{[3, 4, 6, 1][k % 4]}"/></body>'
        )
    floor = '<geom name="floor" type="plane" size="0 0 1" contype="0" conaffinity="7"/>'
    return f'<mujoco model="heap"><worldbody>{floor}{bodies}</worldbody></mujoco>'


def stack(n: int) -> str:
    """Boxes on each other, each a little turned and shifted."""
    bodies = "".join(
        f'<body name="b{k}" pos="{0.004 * (k % 3)} {0.003 * (k % 2)} {0.0999 + 0.1998 * k}"><freejoint/>'
        f'<geom name="b{k}" type="box" size="0.1 0.1 0.1" mass="{1 + k % 3}"/></body>'
        for k in range(n)
    )
    floor = '<geom name="floor" type="plane" size="0 0 1"/>'
    return f'<mujoco model="stack"><worldbody>{floor}{bodies}</worldbody></mujoco>'


def between(twin: Twin) -> int:
    return sum(pair.link_1 != "world" and pair.link_2 != "world" for pair in twin.contacts.pairs)


@pytest.mark.parametrize("cone, impratio", [("elliptic", 1.0), ("elliptic", 10.0), ("pyramidal", 1.0)])
@pytest.mark.parametrize("n", [20, 45])
def test_a_heap_of_bodies_is_mujocos(n: int, cone: str, impratio: float) -> None:
    twin = Twin(heap(n), cone, impratio, self_contact=True)
    assert between(twin) > n * (n - 1) / 4
    assert compare_states(twin, 4, n, 0.02, turn=0.1) > 4 * n


def test_tendons_and_bodies_that_touch_each_other_are_mujocos() -> None:
    tendon = """<tendon><fixed limited="true" range="-0.01 0.01" frictionloss="0.3" stiffness="3" damping="0.1">
      <joint joint="elbow" coef="1"/><joint joint="wrist" coef="-0.7"/></fixed></tendon></mujoco>"""
    joined = PILE.replace("</mujoco>", tendon)
    twin = Twin(joined, self_contact=True)
    dynamics = tandem.contact.ContactDynamics(twin.contacts, tolerance=1e-12, most_steps=100)
    q, v, tau = twin.random_states(40, 5, 0.05)
    smooth = {"friction": np.zeros(twin.model.nv)}
    found = dynamics(q, v, tau + tandem.passive_forces(twin.model, q, v, parameters=smooth))
    kinds = set()
    for k in range(len(q)):
        twin.forward(q[k], v[k], tau[k])
        kinds |= set(twin.data.efc_type.tolist())
        assert relative(found.a[k], twin.accelerations(q[k], v[k])) < 1e-8
        assert relative(found.f_contact[k], twin.forces(q[k])) < 1e-8
    assert {mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON, mujoco.mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC} <= kinds


def test_a_stack_of_boxes_is_mujocos_and_stands() -> None:
    twin = Twin(stack(10), self_contact=True)
    simulation = simulation_of(twin)
    simulation.q[:] = twin.bridge.q_from(twin.theirs.qpos0)
    dynamics = tandem.contact.ContactDynamics(twin.contacts, tolerance=1e-12, most_steps=100)
    zero = np.zeros(twin.model.nv)
    for _ in range(10):
        twin.forward(simulation.q, simulation.v, zero)
        found = dynamics(simulation.q, simulation.v, zero)
        assert relative(found.a, twin.accelerations(simulation.q, simulation.v)) < 1e-7
        simulation.run(0.02)
    start = np.array(simulation.q)
    simulation.run(2.0)
    assert np.abs(simulation.q - start).max() < 5e-3  # friction creeps, as in MuJoCo
    weight = 9.81 * sum(1 + k % 3 for k in range(10))
    assert simulation.contact_force("b0")[2] == pytest.approx(9.81, rel=1e-2)  # what it stands on less what it carries
    assert -simulation.contact_force("world")[2] == pytest.approx(weight, rel=1e-2)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_heap_has_the_same_bits_at_any_place_of_any_batch(dtype: Any) -> None:
    twin = Twin(heap(15), self_contact=True)
    q, v, _ = twin.random_states(300, 3, 0.02)

    def moved(rows: slice) -> tuple[bytes, bytes]:
        n = len(q[rows])
        many = simulation_of(twin, batch=n, dtype=dtype, threads=2, contact_options={"tolerance": 1e-4})
        many.q[:], many.v[:] = q[rows], v[rows]
        many.run(0.01, every=1000)
        return np.asarray(many.q), np.asarray(many.contact_forces)

    whole = moved(slice(0, 300))
    for rows in (slice(0, 1), slice(5, 7), slice(3, 10), slice(100, 164)):
        for one, other in zip(moved(rows), whole, strict=True):
            assert one.tobytes() == other[rows].tobytes()
