# SPDX-License-Identifier: Apache-2.0
"""Ropes on the floor: against MuJoCo, and long ones against momentum and statics."""

from __future__ import annotations

import numpy as np
import pytest
from contact_support import G, Twin, follow, simulation_of
from test_contact_dynamics import compare_states

import tandem

LENGTH, RADIUS, MASS = 0.1, 0.02, 0.05  # m, m, kg of a segment


def rope_file(n: int) -> str:
    """Capsules of MuJoCo on ball joints, the first one free, along x on the floor."""
    ends = ""
    text = ""
    for k in range(n):
        joint = "<freejoint/>" if k == 0 else '<joint type="ball" damping="0.001"/>'
        place = f"0 0 {RADIUS}" if k == 0 else f"{LENGTH} 0 0"
        text += (
            f'<body name="s{k}" pos="{place}">{joint}<geom name="s{k}" type="capsule" fromto="0 0 0 {LENGTH} 0 0" '
            f'size="{RADIUS}" mass="{MASS}"/>'
        )
        ends += "</body>"
    return f'<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>{text}{ends}</worldbody></mujoco>'


def rope(n: int, damping: float = 1e-3) -> tandem.ModelBuilder:
    """The same from a builder."""
    builder = tandem.ModelBuilder("rope").link("world").shape("floor", "plane", "world")
    about, across = MASS * RADIUS**2 / 2, MASS * (3 * RADIUS**2 + LENGTH**2) / 12
    parent = "world"
    for k in range(n):
        name, middle = f"s{k}", (LENGTH / 2, 0, 0)
        builder.link(name, MASS, com=middle, inertia=(about, 0, 0, across, 0, across))
        if k == 0:
            builder.joint("free", "free", parent, name)
        else:
            builder.joint(f"ball{k}", "spherical", parent, name, position=(LENGTH, 0, 0), damping=damping)
        builder.shape(name, "capsule", name, size=(RADIUS, LENGTH / 2), position=middle, rpy=(0, np.pi / 2, 0))
        parent = name
    return builder


def winding(model: tandem.Model, radius: float, height: float) -> np.ndarray:
    """The rope in a circle of that radius, each segment turned against the one before."""
    q = tandem.neutral_configuration(model).reshape(-1)
    q[2] = height
    turn = LENGTH / radius
    for joint in model.joints:
        if joint.type == "spherical":
            q[joint.q_index : joint.q_index + 4] = [0, 0, np.sin(turn / 2), np.cos(turn / 2)]
    return q


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_a_rope_of_twenty_links_is_mujocos(cone: str) -> None:
    assert compare_states(Twin(rope_file(20), cone), 10, 3, 0.05, turn=0.2) > 50


def test_a_rope_of_twenty_links_falls_as_mujocos() -> None:
    twin = Twin(rope_file(20))
    simulation = simulation_of(twin)
    simulation.q[:] = winding(twin.model, 0.5, 0.06)
    worst, pushed = follow(twin, simulation, 200)
    assert worst < 1e-6
    assert pushed > 1000


def test_the_force_of_the_floor_on_a_rope_of_2000_links_changes_its_momentum() -> None:
    n = 2000
    model = rope(n).build()
    contacts = tandem.ContactSet(model, self_contact=False)
    q = winding(model, 5.0, RADIUS - 5e-4)
    v = np.zeros(model.nv)
    dynamics = tandem.contact.ContactDynamics(contacts, tolerance=1e-8, most_steps=100)
    found = dynamics(q, v, v)
    assert found.converged
    pushed = float(found.f_contact[:, 0].sum())
    change = tandem.centroidal_momentum(model, q, found.a)
    assert pushed > n * MASS * G
    assert change[2] == pytest.approx(pushed - n * MASS * G, rel=1e-9)


def test_a_rope_of_2000_links_lies_on_the_floor_with_its_weight() -> None:
    n = 2000
    model = rope(n).build()
    simulation = tandem.Simulation(model, dt=2e-3, contacts=tandem.ContactSet(model, self_contact=False))
    simulation.q[:] = winding(model, 5.0, RADIUS)
    simulation.run(0.4)
    each = [float(simulation.contact_force(f"s{k}")[2]) for k in range(10, 20)]
    assert simulation.contact_forces[:, 0].sum() == pytest.approx(n * MASS * G, rel=1e-3)
    assert each == pytest.approx([MASS * G] * 10, rel=2e-2)
    assert -simulation.contact_force("world")[2] == pytest.approx(n * MASS * G, rel=1e-3)


def test_too_many_pairs_are_an_error_or_left_out() -> None:
    n = 1500
    model = rope(n).build()
    with pytest.raises(tandem.Error, match=f"{n * (n - 1) // 2} pairs of shapes on two links that move"):
        tandem.ContactSet(model, self_pairs="listed")
    of_floor = tandem.ContactSet(model, leave_out=True, self_pairs="listed")
    assert len(of_floor.pairs) == n
    assert len(of_floor.problems) == 1
    assert [pair.shape_2 for pair in tandem.ContactSet(model, self_contact=False).pairs] == [
        pair.shape_2 for pair in of_floor.pairs
    ]
    finding = tandem.ContactSet(model)
    assert finding.finds_pairs and len(finding.pairs) == n and not finding.problems
