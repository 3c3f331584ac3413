# SPDX-License-Identifier: Apache-2.0
"""Robots whose pairs of shapes are found in every state: against MuJoCo, against listed pairs, and by momentum."""

from __future__ import annotations

import copy
import numpy as np
import pytest
from contact_support import PILE, Twin
from mujoco_support import mujoco
from test_contact_dynamics import relative
from test_contact_piles import heap
from test_contact_rope import LENGTH, MASS, RADIUS, rope, rope_file

import tandem


def coil(model: tandem.Model, n: int, height: float = RADIUS, gap: float = 0.038, inner: float = 0.15,
         turns: int = 2) -> np.ndarray:
    """A rope that lies in flat spirals, one upon the other: out, in, out. They overlap if gap < 2 RADIUS."""
    nodes, radius, angle, z, way = [], inner, 0.0, height, 1
    for _ in range(n + 1):
        nodes.append([radius * np.cos(angle), radius * np.sin(angle), z])
        angle += LENGTH / radius
        radius += way * gap * LENGTH / radius / (2 * np.pi)
        if (radius > inner + turns * gap) if way > 0 else (radius < inner):
            way, z = -way, z + gap
    along = np.diff(nodes, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]

    def turned(u: np.ndarray, a: np.ndarray) -> np.ndarray:
        return a + 2 * np.cross(u[:3], np.cross(u[:3], a) + u[3] * a)

    def between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        u = np.array([*np.cross(a, b), 1 + a @ b])
        return u / np.linalg.norm(u)

    def product(u: np.ndarray, w: np.ndarray) -> np.ndarray:
        return np.array([*(u[3] * w[:3] + w[3] * u[:3] + np.cross(u[:3], w[:3])), u[3] * w[3] - u[:3] @ w[:3]])

    x = np.array([1.0, 0, 0])
    q, pose = tandem.neutral_configuration(model), between(x, along[0])
    balls = iter(along[1:])
    for joint in model.joints:
        if joint.type == "free":
            q[joint.q_index : joint.q_index + 7] = [*nodes[0], *pose]
        elif joint.type == "spherical":
            bend = product(between(turned(pose, x), next(balls)), pose)
            q[joint.q_index : joint.q_index + 4] = product([-1, -1, -1, 1] * pose, bend)
            pose = bend
    return q


def found_set(model: tandem.Model) -> tandem.ContactSet:
    return tandem.ContactSet(model, self_pairs="found")


def by_slots(listed: tandem.ContactSet, q: np.ndarray) -> dict[tuple[int, int, int], int]:
    """Slots of two moving links that touch, by shapes and number."""
    contacts = tandem.contacts(listed, q)
    names = {shape.name: k for k, shape in enumerate(listed.model.shapes)}
    slots = {}
    for pair in listed.pairs:
        for k in range(pair.slots):
            slot = pair.first_slot + k
            if "world" not in (pair.link_1, pair.link_2) and contacts.distance[slot] < pair.margin:
                slots[names[pair.shape_1], names[pair.shape_2], k] = slot
    return slots


def of_many_sizes(n: int, seed: int) -> tandem.ModelBuilder:
    """Spheres, capsules, boxes, cylinders and ellipsoids from 5 mm to 0.5 m, some of which do not meet some others."""
    random = np.random.default_rng(seed)
    builder = tandem.ModelBuilder("many").link("world").shape("floor", "plane", "world")
    for k in range(n):
        size = float(0.005 * 100 ** random.uniform())
        kind, sizes = [("sphere", size), ("capsule", (size, size)), ("box", (size, size, size)),
                       ("cylinder", (size, size)), ("ellipsoid", (size, size, 2 * size))][k % 5]
        builder.link(f"b{k}", mass=1, inertia=(0.01, 0, 0, 0.01, 0, 0.01))
        builder.joint(f"j{k}", "free", "world", f"b{k}")
        builder.shape(f"s{k}", kind, f"b{k}", size=sizes, margin=0.002 * (k % 3), contype=1 + k % 3, conaffinity=1)
    builder.contact_exclude("b0", "b1").contact_pair("p", "s2", "s7")
    return builder


@pytest.mark.parametrize("seed", range(4))
def test_found_contacts_are_those_of_all_pairs(seed: int) -> None:
    model = of_many_sizes(60, seed).build()
    random = np.random.default_rng(seed)
    q = tandem.random_configuration(model, seed=seed).reshape(-1)
    for joint in model.joints:
        q[joint.q_index : joint.q_index + 3] = random.uniform(-0.7, 0.7, 3) + (1000.0 if seed == 3 else 0.0)
    listed, finding = tandem.ContactSet(model), found_set(model)
    assert finding.finds_pairs and not listed.finds_pairs
    assert len(finding.pairs) == 61  # of the floor, and the explicit one
    found = tandem.contact.found_contacts(finding, q)
    slots = by_slots(listed, q)
    names = [shape.name for shape in model.shapes]
    explicit = {names.index("s2"), names.index("s7")}
    slots = {key: slot for key, slot in slots.items() if set(key[:2]) != explicit}
    keys = list(zip(found.shape_1.tolist(), found.shape_2.tolist(), found.slot.tolist()))
    assert len(keys) == len(set(keys)) > 20
    assert set(keys) == set(slots)
    contacts = tandem.contacts(listed, q)
    order = [slots[key] for key in keys]
    assert np.array_equal(found.distance, contacts.distance[order])
    assert np.array_equal(found.position, contacts.position[order])
    assert np.array_equal(found.frame, contacts.frame[order])


def compare_found(twin: Twin, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> int:
    """Accelerations and forces beside MuJoCo's; returns how many contacts of two links pushed."""
    twin.contacts = found_set(twin.model)
    dynamics = tandem.contact.ContactDynamics(twin.contacts, tolerance=1e-12, most_steps=200)
    passive = tandem.passive_forces(twin.model, q, v, parameters={"friction": np.zeros(twin.model.nv)})
    ours = dynamics(q, v, tau + passive)
    assert ours.converged
    twin.forward(q, v, tau)
    assert relative(ours.a, twin.accelerations(q, v)) < 1e-8
    found, force, most = ours.found, np.zeros(6), float(np.abs(ours.found.force).max(initial=0.0))
    free = np.ones(len(found.distance), bool)
    pushed = 0
    for k, contact in enumerate(twin.data.contact[: twin.data.ncon]):
        if 0 in twin.theirs.geom_bodyid[list(contact.geom)] or contact.dist >= contact.includemargin:
            continue
        mujoco.mj_contactForce(twin.theirs, twin.data, k, force)
        errors = np.abs(found.position - contact.pos).max(axis=1) + np.abs(found.distance - contact.dist)
        own = int(np.flatnonzero(free & (errors < 1e-9))[0])
        free[own] = False
        assert np.abs(found.force[own] - force).max() < 1e-8 * most
        pushed += int(force[0] > 0)
    assert not free.any()
    return pushed


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_a_rope_in_a_heap_is_mujocos(cone: str) -> None:
    n = 150
    twin = Twin(rope_file(n), cone)
    random = np.random.default_rng(5)
    q = tandem.functions.integrate(twin.model, coil(twin.model, n), 0.01 * random.normal(size=twin.model.nv))
    v = 0.1 * random.normal(size=twin.model.nv)
    assert compare_found(twin, q, v, np.zeros(twin.model.nv)) > 150


@pytest.mark.parametrize("text", [heap(45), PILE], ids=["heap", "pile"])
def test_bodies_of_many_kinds_are_mujocos(text: str) -> None:
    twin = Twin(text, self_contact=True)
    q, v, tau = twin.random_states(3, 7, 0.02, 0.1)
    pushed = [compare_found(twin, q[k], v[k], tau[k]) for k in range(3)]
    assert sum(pushed) > 1


def test_found_and_listed_pairs_move_a_rope_alike() -> None:
    n = 60
    model = rope(n).build()
    ends = []
    for how in ("listed", "found"):
        simulation = tandem.Simulation(model, dt=1e-3, contacts=tandem.ContactSet(model, self_pairs=how),
                                       contact_options={"tolerance": 1e-10, "most_steps": 100})
        simulation.q[:] = coil(model, n, height=0.05)
        simulation.run(0.05)
        ends.append(simulation)
    listed, finding = ends
    assert np.abs(listed.q - finding.q).max() < 1e-7
    found = finding.found_contacts
    assert (found.force[:, 0] > 0).sum() > 20
    for link in ("s3", "s20", "s41"):
        assert listed.contact_force(link) == pytest.approx(finding.contact_force(link), abs=1e-4)
        assert listed.touches(link) == finding.touches(link)


def test_forces_of_a_floating_rope_on_itself_change_no_momentum() -> None:
    n = 400
    model = rope(n).remove_shape("floor").gravity((0, 0, 0)).build()
    q, still = coil(model, n), np.zeros(model.nv)
    found = tandem.contact.ContactDynamics(found_set(model), tolerance=1e-10, most_steps=100)(q, still, still)
    assert found.converged and found.found is not None
    pushed = float(found.found.force[:, 0].sum())
    assert (found.found.force[:, 0] > 0).sum() > n
    change = tandem.centroidal_momentum(model, q, found.a)  # its rate, as nothing moves yet
    assert np.abs(change).max() < 1e-10 * pushed
    assert np.abs(found.a).max() > 100


def test_a_rope_of_1500_links_settles_in_a_heap() -> None:
    n = 1500
    model = rope(n, damping=0.05).build()
    contacts = tandem.ContactSet(model)
    assert contacts.finds_pairs  # more than 10^6 pairs
    simulation = tandem.Simulation(model, dt=2e-3, contacts=contacts)
    simulation.q[:] = coil(model, n, gap=0.046, inner=0.4, turns=8)
    simulation.run(0.24)
    found = simulation.found_contacts
    assert (found.force[:, 0] > 0).sum() > n / 2
    assert found.distance.min() > -0.2 * RADIUS  # depth
    assert -simulation.contact_force("world")[2] == pytest.approx(n * MASS * 9.81, rel=0.02)
    tally = simulation.contact_tally()
    assert tally.not_converged == 0
    assert float(np.abs(simulation.v).max()) < 1.0


def test_bits_do_not_depend_on_other_robots_and_copies_go_on_with_them() -> None:
    n = 30
    model = rope(n).build()
    contacts = found_set(model)
    starts = [coil(model, n, height=height) for height in (0.02, 0.05, 0.3)]
    batch = tandem.Simulation(model, dt=1e-3, contacts=contacts, batch=3)
    for k, q in enumerate(starts):
        batch.q[k] = q
    batch.run(0.02)
    for k, q in enumerate(starts):
        one = tandem.Simulation(model, dt=1e-3, contacts=contacts)
        one.q[:] = q
        one.run(0.01)
        other = copy.copy(one)
        one.run(0.01)
        other.run(0.01)
        assert np.array_equal(one.q, batch.q[k]) and np.array_equal(other.q, one.q)
        assert np.array_equal(one.found_contacts.force, other.found_contacts.force)
        own = batch.found_contacts
        assert np.array_equal(one.found_contacts.force, own.force[own.state == k])


def test_steps_have_the_bits_of_a_simulation() -> None:
    model = rope(30).build()
    contacts = found_set(model)
    simulation = tandem.Simulation(model, dt=1e-3, contacts=contacts)
    q, v, stops = coil(model, 30, height=0.02), np.zeros(model.nv), None
    simulation.q[:] = q
    for _ in range(10):
        q, v, stops, *_ = tandem.contact_step(contacts, q, v, dt=1e-3, stops=stops)
    simulation.run(0.01)
    assert np.array_equal(simulation.q, q) and np.array_equal(simulation.v, v)
    assert (simulation.found_contacts.force[:, 0] > 0).any()


def test_what_found_pairs_do_not_serve_is_an_error() -> None:
    model = rope(5).build()
    with pytest.raises(tandem.Error, match="the friction cone disc needs listed pairs"):
        tandem.contact.ContactDynamics(found_set(model), cone="disc")
    joined = tandem.generate("chain:3").tendon("t", {"joint1": 1}).build()
    with pytest.raises(tandem.Error, match="tendons need listed pairs"):
        tandem.contact.ContactDynamics(found_set(joined))
    q = tandem.neutral_configuration(model)
    with pytest.raises(tandem.Error, match="which a GPU does not do"):
        tandem.rollout(model, q[None], steps=1, dt=1e-3, contacts=found_set(model), device="cuda")
    with pytest.raises(tandem.Error, match="self_pairs"):
        tandem.ContactSet(model, self_pairs="some")
