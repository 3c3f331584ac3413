# SPDX-License-Identifier: Apache-2.0
"""What went wrong in contacts of other simulators, by the issues of their trackers.

Traps with a test elsewhere: numbers of lanes that do not touch (ContactLanes.*, Contacts.HaveTheSameBitsInEveryLane),
Hessians and apexes (Zones.*), impratio and Jdot v (ContactGolden.*, test_equalities.py), links that hardly move
(test_a_wheel_on_a_fixed_axle_is_held), warm starts (test_snapshots_copies_and_pickles_go_on_as_the_original), damping
(test_damping_acts_after_limits_as_in_mujoco), parent filters (test_contact_pairs.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contact_support import WALKER, G, Twin, simulation_of
from mujoco_support import mujoco

import tandem


def test_no_contact_is_dropped() -> None:
    """MuJoCo Warp and Newton drop those beyond a capacity (Newton #3702)."""
    builder = tandem.ModelBuilder("balls").link("world").shape("floor", "plane", "world")
    for k in range(60):
        builder = builder.link(f"ball{k}", mass=1, inertia=(1, 0, 0, 1, 0, 1))
        builder = builder.joint(f"up{k}", "prismatic", "world", f"ball{k}", axis=(0, 0, 1), position=(k, 0, 0))
        builder = builder.shape(f"ball{k}", "sphere", f"ball{k}", size=0.1)
    model = builder.build()
    simulation = tandem.Simulation(model, dt=2e-3, contacts=tandem.ContactSet(model, self_contact=False))
    simulation.q[:] = 0.1
    simulation.run(1.0, every=500)
    np.testing.assert_allclose(simulation.contact_forces[:, 0], G, rtol=1e-6)


def test_a_tolerance_below_the_rounding_of_float_ends() -> None:
    """Line searches by costs, and gradients below their rounding, never end (MuJoCo Warp #1162, #1374, #1512)."""
    twin = Twin(WALKER)
    ends = {}
    for dtype, tolerance in ((np.float64, 1e-10), (np.float32, 1e-14)):
        robots = tandem.VectorSimulation(twin.model, 3, dt=0.002, contacts=twin.contacts, dtype=dtype,
                                         contact_options={"tolerance": tolerance, "most_steps": 50})
        robots.q[:] = twin.bridge.q_from(twin.theirs.qpos0)
        robots.q[:, 2] -= 0.02
        robots.step(steps=20)
        ends[dtype] = np.array(robots.q, float)
    assert np.isfinite(ends[np.float32]).all()
    np.testing.assert_allclose(ends[np.float32], ends[np.float64], atol=2e-4)


@pytest.mark.parametrize("solref", ["0.001 1", "0.02 1", "-500 -3"])
def test_short_time_constants_are_those_of_mujoco(solref: str) -> None:
    """A time constant below two steps counts as two (refsafe); a negative solref is not changed."""
    twin = Twin(f"""<mujoco><option timestep="0.005"/><worldbody><geom name="floor" type="plane" size="0 0 1"/>
      <body pos="0 0 0.098"><freejoint/><geom name="ball" size="0.1" mass="1" solref="{solref}"/></body></worldbody>
      </mujoco>""")
    q, v = twin.bridge.q_from(twin.theirs.qpos0), np.array([0.2, 0, -0.3, 0, 0, 0])
    twin.forward(q, v, np.zeros(6))
    found = tandem.contact_dynamics(twin.contacts, q, v, np.zeros(6), tolerance=1e-10)
    np.testing.assert_allclose(found.a, twin.accelerations(q, v), rtol=1e-9, atol=1e-9)


CUBE = " ".join(f"{x} {y} {z}" for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1))
STANDING = {
    "cylinder": ('type="cylinder" size="0.1 0.1"', 0.1),
    "lying cylinder": ('type="cylinder" size="0.1 0.15" euler="90 0 0"', 0.1),
    "box": ('type="box" size="0.1 0.12 0.1"', 0.1),
    "mesh": ('type="mesh" mesh="cube"', 0.1),
    "lying capsule": ('type="capsule" size="0.1 0.15" euler="90 0 0"', 0.1),
}


@pytest.mark.parametrize("below", ["box", "cylinder", "mesh"])
@pytest.mark.parametrize("above", STANDING)
def test_what_stands_on_a_flat_face_does_not_jitter(above: str, below: str) -> None:
    """One contact of a flat face tips its shape to and fro (MuJoCo Warp #1555, MuJoCo #1665, #2110)."""
    table = {"box": 'type="box" size="0.3 0.3 0.1"', "cylinder": 'type="cylinder" size="0.4 0.1"',
             "mesh": 'type="mesh" mesh="table"'}[below]
    shape, height = STANDING[above]
    text = f"""<mujoco><asset><mesh name="cube" vertex="{CUBE}"/>
      <mesh name="table" vertex="{CUBE}" scale="3 3 1"/></asset>
      <worldbody><geom name="below" {table} pos="0 0 -0.1"/>
      <body pos="0 0 {height}"><freejoint/><geom name="above" {shape} mass="1"/></body></worldbody></mujoco>"""
    model = tandem.read_mjcf(text).build()
    simulation = tandem.Simulation(model, dt=2e-3, contacts=tandem.ContactSet(model))
    simulation.q[:] = model.configuration("qpos0")
    simulation.q[2] -= 1e-4  # so that all contacts push at first, not those that rounding chooses
    simulation.run(1.0, every=500)
    fastest, most = 0.0, 0.0
    begin = simulation.q.copy()
    for _ in range(200):
        simulation.step()
        fastest = max(fastest, float(np.abs(simulation.v).max()))
        most = max(most, float(np.abs(simulation.q - begin).max()))
    assert fastest < 1e-4 and most < 1e-5
    np.testing.assert_allclose(simulation.contact_force(model.links[1].name), [0, 0, G], atol=1e-3)


def test_boxes_that_touch_are_never_missed() -> None:
    """Boxes that are not aligned, at the edge of a margin and deep in each other (MuJoCo #2471, #1800): a contact is no
    farther away than the boxes are, which meshes of their corners tell."""
    sizes = {"one": (0.1, 0.14, 0.19), "two": (0.12, 0.05, 0.2)}

    def model_of(kind: str) -> tandem.Model:
        builder = tandem.ModelBuilder("boxes").link("world")
        for name, size in sizes.items():
            builder = builder.link(name, mass=1, inertia=(1, 0, 0, 1, 0, 1)).joint(f"root_{name}", "free", "world",
                                                                                   name)
            corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)] * np.array(size)
            more = {"size": size} if kind == "box" else {"vertices": corners.tolist()}
            builder = builder.shape(name, kind, name, **more)
        return builder.build()

    boxes, meshes = (tandem.ContactSet(model_of(kind)) for kind in ("box", "mesh"))
    rng, n, seen = np.random.default_rng(5), 300, 0
    q = np.tile(tandem.neutral_configuration(boxes.model), (n, 1))
    for k in (0, 7):
        turns = rng.normal(size=(n, 4))
        q[:, k + 3 : k + 7] = turns / np.linalg.norm(turns, axis=1)[:, None]
    way = rng.normal(size=(n, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    for far in np.linspace(0, 0.6, 31):  # from one centre on the other to apart
        q[:, 7:10] = far * way
        ours, apart = (tandem.contacts(pairs, q).distance.min(axis=1) for pairs in (boxes, meshes))
        assert (ours[apart > 0] <= apart[apart > 0] + 1e-6).all()
        assert (ours[apart < -1e-9] < 0).all() and (ours[apart > 1e-9] > 0).all()
        seen += int((apart < 0).sum())
    assert 0.2 * 31 * n < seen < 0.8 * 31 * n


@pytest.mark.parametrize("distance", [0.0251, 0.0249, 0.0201, 0.0199, 0.0151, 0.0149, 0.001, -0.001])
def test_margins_and_gaps_are_those_of_mujoco(distance: float) -> None:
    """A margin is a rest offset in some engines. In MuJoCo contacts push within it, and a gap lies around it."""
    twin = Twin(f"""<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1" margin="0.015" gap="0.004"/>
      <body pos="0 0 {0.1 + distance}"><freejoint/><geom name="ball" size="0.1" mass="1" margin="0.005" gap="0.001"/>
      </body></worldbody></mujoco>""")
    q, v = twin.bridge.q_from(twin.theirs.qpos0), np.array([0, 0, -1.0, 0, 0, 0])
    twin.forward(q, v, np.zeros(6))
    found = tandem.contact_dynamics(twin.contacts, q, v, np.zeros(6), tolerance=1e-10)
    assert tandem.contacts(twin.contacts, q).distance[0] == pytest.approx(distance, abs=1e-12)
    np.testing.assert_allclose(found.a, twin.accelerations(q, v), rtol=1e-9, atol=1e-9)
    assert (found.f_contact[0, 0] > 0) == (distance < 0.02)


COUPLED = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1" contype="0" conaffinity="0"/>
  <body pos="0 0 1"><joint name="one" axis="0 1 0" frictionloss="{friction}"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1" contype="0" conaffinity="0"/></body>
  <body pos="0 1 1"><joint name="two" axis="0 1 0" frictionloss="{friction}"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1" contype="0" conaffinity="0"/></body></worldbody>
  <equality><joint joint1="one" joint2="two" polycoef="0 2 0 0 0"/></equality></mujoco>"""


def test_dry_friction_does_not_part_joints_that_mimic() -> None:
    """Soft rows of friction and of equalities share a joint by their stiffness (MuJoCo #2430): coupled joints do as
    those of MuJoCo, mimic joints follow exactly."""
    theirs = mujoco.MjModel.from_xml_string(COUPLED.format(friction=2.0))
    theirs.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    theirs.opt.tolerance, theirs.opt.iterations = 0, 200
    coupled = tandem.from_mujoco(theirs, couple_mimic_joints=True)
    data = mujoco.MjData(theirs)
    data.qpos[:], data.qvel[:] = [0.21, 0.1], [0.4, 0.1]
    mujoco.mj_forward(theirs, data)
    found = tandem.contact_dynamics(coupled, data.qpos, data.qvel, np.zeros(2), tolerance=1e-10)
    np.testing.assert_allclose(found.a, data.qacc, rtol=1e-8)
    mimic = tandem.from_mujoco(theirs)
    assert mimic.nv == 1
    simulation = tandem.Simulation(mimic, dt=2e-3, contacts=tandem.ContactSet(mimic))
    simulation.q[:] = 0.1
    simulation.run(0.2)
    poses = tandem.forward_kinematics(mimic, simulation.q)[1:]
    angles = [np.arctan2(pose[0, 2], pose[0, 0]) for pose in poses]
    assert angles[0] == pytest.approx(2 * angles[1], abs=1e-12)


def test_friction_of_cones_is_the_same_in_all_directions() -> None:
    """That of pyramids is not (Genesis #907)."""
    builder = tandem.ModelBuilder("block").link("world").link("block", mass=1, inertia=(0.01, 0, 0, 0.01, 0, 0.01))
    friction = (0.5, 0.005, 0.0001)
    builder = builder.joint("root", "free", "world", "block").shape("floor", "plane", "world", friction=friction)
    model = builder.shape("block", "sphere", "block", size=0.1, friction=friction).build()
    pairs, q = tandem.ContactSet(model), np.array([0, 0, 0.0995, 0, 0, 0, 1])
    forces: dict[Any, list[float]] = {"elliptic": [], "pyramidal": []}
    for angle in np.linspace(0, 2 * np.pi, 17):
        v = np.array([np.cos(angle), np.sin(angle), 0, 0, 0, 0])
        for cone, found in forces.items():
            f = tandem.contact_dynamics(pairs, q, v, np.zeros(6), cone=cone, tolerance=1e-10).f_contact[0]
            found.append(float(np.hypot(f[1], f[2]) / f[0]))
    np.testing.assert_allclose(forces["elliptic"], 0.5, rtol=1e-6)
    assert np.ptp(forces["pyramidal"]) > 0.05


def test_children_of_bodies_that_stand_still_touch_the_floor() -> None:
    """Bodies without joints belong to the world, and the filter of parents does not part their children from it."""
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
      <body name="base" pos="0 0 0.5"><geom name="base" type="box" size="0.1 0.1 0.1"/>
        <body name="arm" pos="0.2 0 -0.3"><joint axis="0 1 0"/><geom name="arm" size="0.3" mass="1"/></body></body>
      </worldbody></mujoco>"""
    twin = Twin(text, self_contact=True)
    q = twin.bridge.q_from(twin.theirs.qpos0)
    twin.forward(q, np.zeros(1), np.zeros(1))
    touching = {frozenset((c.geom1, c.geom2)) for c in twin.data.contact[: twin.data.ncon] if c.dist < 0}
    assert touching == {frozenset((0, 2)), frozenset((1, 2))}
    found = tandem.contacts(twin.contacts, q)
    assert (found.distance < 0).sum() == len(touching)
    simulation = simulation_of(twin)
    simulation.step()
    assert (simulation.contact_forces[:, 0] > 0).sum() >= 1
