# SPDX-License-Identifier: Apache-2.0
"""Contacts against those of MuJoCo, in random poses."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from mujoco_support import mujoco

import tandem
from tandem import bridges

MANY = int(os.environ.get("TANDEM_CONTACT_POSES", "300"))  # 10^5 before a release

SIZES = {
    "sphere": (0.11,),
    "capsule": (0.07, 0.16),
    "ellipsoid": (0.08, 0.13, 0.21),
    "cylinder": (0.09, 0.17),
    "box": (0.1, 0.14, 0.19),
}
WITH_PLANE = ("sphere", "capsule", "ellipsoid", "cylinder", "box")
#: Pairs of two shapes that move; MuJoCo has closed forms of all.
MOVING = (("sphere", "sphere"), ("sphere", "capsule"), ("sphere", "cylinder"), ("sphere", "box"),
          ("capsule", "capsule"))


#: Pairs for which MuJoCo iterates, as Tandem does.
CONVEX = (("sphere", "ellipsoid"), ("sphere", "mesh"), ("capsule", "ellipsoid"), ("capsule", "cylinder"),
          ("capsule", "mesh"), ("ellipsoid", "ellipsoid"), ("ellipsoid", "cylinder"), ("ellipsoid", "box"),
          ("ellipsoid", "mesh"), ("cylinder", "cylinder"), ("cylinder", "box"), ("cylinder", "mesh"), ("box", "mesh"),
          ("mesh", "mesh"))


def numbers(values: Any) -> str:
    return " ".join(repr(float(x)) for x in np.atleast_1d(values))


def geom(kind: str, name: str, more: str = "") -> str:
    return f'<geom name="{name}" type="{kind}" size="{numbers(SIZES[kind])}" {more}/>'


def pair_text(first: str, second: str, more: str = "") -> str:
    """A plane that is tilted, or a first shape that flies, and a second shape that flies."""
    tilted = 'euler="25 -40 10" pos="0.1 -0.2 0.3"'
    if first == "plane":
        one = f'<body {tilted}><geom name="first" type="plane" size="0 0 1" {more}/></body>'
    else:
        one = f"<body><freejoint/>{geom(first, 'first', more)}</body>"
    return (
        f'<mujoco><option cone="elliptic"/><worldbody>{one}<body><freejoint/>{geom(second, "second", more)}</body>'
        "</worldbody></mujoco>"
    )


def random_turn(rng: np.random.Generator) -> np.ndarray:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def posed(bridge: Any, data: Any, rng: np.random.Generator, reach: float) -> np.ndarray:
    """A configuration of bodies that fly, in which MuJoCo's are placed, too."""
    q = tandem.neutral_configuration(bridge.model)
    for joint in bridge.model.joints:
        k = joint.q_index
        q[k : k + 3], q[k + 3 : k + 7] = rng.uniform(-reach, reach, 3), random_turn(rng)
    data.qpos[:] = bridge.q_to(q)
    mujoco.mj_kinematics(data.model, data)
    return q


def compare_contacts(text: str, poses: int, reach: float, seed: int = 0) -> int:
    """Compares all contacts that either finds within a margin. Returns how many there were."""
    theirs = mujoco.MjModel.from_xml_string(text)
    model = tandem.from_mujoco(theirs)
    chosen, bridge, data = tandem.ContactSet(model), bridges.to_mujoco(model, theirs), mujoco.MjData(theirs)
    margin = sum(theirs.geom_margin)
    rng, seen = np.random.default_rng(seed), 0
    qs = np.array([tandem.neutral_configuration(model)] * poses)
    for q in qs:
        for joint in model.joints:
            k = joint.q_index
            q[k : k + 3], q[k + 3 : k + 7] = rng.uniform(-reach, reach, 3), random_turn(rng)
    found = tandem.contacts(chosen, qs)
    for q, distance, position, frame in zip(qs, found.distance, found.position, found.frame, strict=True):
        data.qpos[:] = bridge.q_to(q)
        mujoco.mj_kinematics(theirs, data)
        mujoco.mj_collision(theirs, data)
        near = np.flatnonzero(distance < margin)
        unclear = np.abs(distance - margin) < 1e-9
        if not unclear.any():
            assert len(near) == data.ncon
        for contact in data.contact[: data.ncon]:
            errors = np.abs(position[near] - contact.pos).max(axis=1) + np.abs(distance[near] - contact.dist)
            slot = near[np.argmin(errors)]
            assert errors.min() < 1e-9, (errors, contact.dist)
            np.testing.assert_allclose(frame[slot].ravel(), contact.frame, rtol=0, atol=1e-7)
            seen += 1
    return seen


@pytest.mark.parametrize("kind", WITH_PLANE)
def test_contacts_with_a_plane_are_those_of_mujoco(kind: str) -> None:
    assert compare_contacts(pair_text("plane", kind, 'margin="0.05"'), MANY, 0.4) > MANY / 5


@pytest.mark.parametrize(("first", "second"), MOVING)
def test_contacts_of_two_that_move_are_those_of_mujoco(first: str, second: str) -> None:
    assert compare_contacts(pair_text(first, second, 'margin="0.05"'), MANY, 0.25) > MANY / 10


@pytest.mark.parametrize(("first", "second"), CONVEX)
def test_convex_shapes_are_at_the_distance_of_mujoco(first: str, second: str) -> None:
    """Also where they overlap, where MuJoCo converged: in a few poses its distance is not that along its normal."""
    rng = np.random.default_rng(2)

    def convex(kind: str, name: str) -> str:
        if kind == "mesh":
            return f'<geom name="{name}" type="mesh" mesh="{name}" margin="1"/>'
        return geom(kind, name, 'margin="1"')

    meshes = "".join(
        f'<mesh name="{name}" inertia="convex" vertex="{numbers((rng.normal(size=(20, 3)) * 0.12).ravel())}"/>'
        for name in ("first", "second"))
    theirs = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option ccd_iterations="200" ccd_tolerance="1e-12"><flag multiccd="disable"/></option>
        <asset>{meshes}</asset><worldbody><body><freejoint/>{convex(first, "first")}</body>
        <body><freejoint/>{convex(second, "second")}</body></worldbody></mujoco>""")
    model, data = tandem.from_mujoco(theirs), mujoco.MjData(theirs)
    chosen, bridge = tandem.ContactSet(model), bridges.to_mujoco(model, theirs)
    errors, overlaps = [], 0
    for _ in range(MANY):
        q = posed(bridge, data, rng, 0.2)
        mujoco.mj_collision(theirs, data)
        found = tandem.contacts(chosen, q)
        deepest = np.argmin(found.distance)
        if data.ncon == 0:
            assert found.distance[deepest] > 1
            continue
        errors.append(found.distance[deepest] - data.contact[0].dist)
        overlaps += found.distance[deepest] < 0
    assert overlaps > MANY / 20
    assert np.median(np.abs(errors)) < 1e-8
    assert np.max(errors) < 1e-5  # never deeper than a direction lets them be
    assert np.quantile(np.abs(errors), 0.8) < 1e-3


def test_parallel_capsules_have_two_contacts() -> None:
    text = f"""<mujoco><worldbody><body><freejoint/>{geom("capsule", "a", 'margin="0.1"')}</body>
      <body pos="0.15 0 0.1"><freejoint/>{geom("capsule", "b", 'margin="0.1"')}</body></worldbody></mujoco>"""
    theirs = mujoco.MjModel.from_xml_string(text)
    model, data = tandem.from_mujoco(theirs), mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    found = tandem.contacts(model, model.configuration("qpos0"))
    assert data.ncon == 2
    np.testing.assert_allclose(found.distance, data.contact.dist, atol=1e-12)
    np.testing.assert_allclose(sorted(found.position[:, 2]), sorted(data.contact.pos[:, 2]), atol=1e-12)


def test_boxes_touch_as_those_of_mujoco() -> None:
    """The same axis, depth and corners; where the normal of two edges is within 8 degrees of that of a face, the
    face."""
    theirs = mujoco.MjModel.from_xml_string(pair_text("box", "box"))
    model, data = tandem.from_mujoco(theirs), mujoco.MjData(theirs)
    chosen, bridge, rng = tandem.ContactSet(model), bridges.to_mujoco(model, theirs), np.random.default_rng(1)
    compared = by_face = by_other_side = 0
    for _ in range(MANY):
        q = posed(bridge, data, rng, 0.15)
        mujoco.mj_collision(theirs, data)
        found = tandem.contacts(chosen, q)
        near = np.flatnonzero(found.distance < 0)
        assert (data.ncon == 0) == (len(near) == 0)
        if data.ncon == 0:
            continue
        compared += 1
        theirs_normal = data.contact.frame[0, :3]
        same = found.normal[near[0]] @ theirs_normal
        if same < 1 - 1e-9 or len(near) != data.ncon:
            assert abs(same) > 0.98 and 1 in (len(near), data.ncon)
            by_face += 1
            by_other_side += same < 0
            continue
        for contact in data.contact:
            errors = np.abs(found.position[near] - contact.pos).max(axis=1)
            errors += np.abs(found.distance[near] - contact.dist)
            assert errors.min() < 1e-6
    assert compared > MANY / 2 and by_face < compared / 4
    assert by_other_side <= MANY / 50_000  # boxes whose centres are level: one in 10^5; none of few


CORNERS = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.14, 0.14) for z in (-0.19, 0.19)])


def mesh_text(corners: np.ndarray, more: str = "") -> str:
    return f"""<mujoco><asset><mesh name="m" vertex="{numbers(corners.ravel())}"/></asset><worldbody>
      <geom name="floor" type="plane" size="0 0 1" {more}/>
      <body><freejoint/><geom name="m" type="mesh" mesh="m" {more}/></body></worldbody></mujoco>"""


def test_capsules_and_boxes_are_at_the_distance_of_mujoco() -> None:
    """Also where the axis of the capsule goes through the box, by MuJoCo's polytope: there the box is a mesh."""
    model = tandem.from_mujoco(mujoco.MjModel.from_xml_string(pair_text("capsule", "box")))
    text = pair_text("capsule", "box").replace(geom("box", "second"), '<geom type="mesh" mesh="box"/>')
    asset = f'<asset><mesh name="box" vertex="{numbers(CORNERS.ravel())}"/></asset><worldbody>'
    theirs = mujoco.MjModel.from_xml_string(text.replace("<worldbody>", asset))
    theirs.opt.ccd_tolerance, theirs.opt.ccd_iterations = 1e-12, 200
    data, chosen, bridge = mujoco.MjData(theirs), tandem.ContactSet(model), bridges.to_mujoco(model, theirs)
    rng, through, witness = np.random.default_rng(1), 0, np.zeros(6)
    for _ in range(MANY):
        q = posed(bridge, data, rng, 0.3)
        found = tandem.contacts(chosen, q)
        through += found.distance[0] < -SIZES["capsule"][0]
        expected = mujoco.mj_geomDistance(theirs, data, 0, 1, 10, witness)
        assert abs(found.distance[0] - expected) < 1e-7  # vertices are floats there
        assert found.distance[1] >= found.distance[0] - 1e-12
    assert through > MANY / 50


@pytest.mark.parametrize("corners", [CORNERS, np.random.default_rng(3).normal(size=(40, 3)) * 0.1],
                         ids=["box", "cloud"])
def test_meshes_touch_a_plane_with_corners_of_their_hull(corners: np.ndarray) -> None:
    theirs = mujoco.MjModel.from_xml_string(mesh_text(corners, 'margin="1"'))
    model, data = tandem.from_mujoco(theirs), mujoco.MjData(theirs)
    chosen, bridge, rng = tandem.ContactSet(model), bridges.to_mujoco(model, theirs), np.random.default_rng(2)
    shape = model.shape("m")
    assert 4 <= len(shape.vertices) <= len(corners)
    for _ in range(MANY // 3):
        q = np.r_[rng.uniform(-0.3, 0.3, 3), random_turn(rng)]
        data.qpos[:] = bridge.q_to(q)
        mujoco.mj_kinematics(theirs, data)
        mujoco.mj_collision(theirs, data)
        found = tandem.contacts(chosen, q)
        lowest = min(range(data.ncon), key=lambda k: data.contact.dist[k])
        assert found.distance[0] == pytest.approx(data.contact.dist[lowest], abs=1e-7)  # vertices are floats there
        np.testing.assert_allclose(found.position[0], data.contact.pos[lowest], atol=1e-7)
        heights = (data.geom_xpos[1] + shape.vertices @ data.geom_xmat[1].reshape(3, 3).T)[:, 2]
        used = found.distance[np.isfinite(found.distance)]
        assert len(set(used.round(12))) == len(used)  # a corner once
        assert all(np.abs(heights - d).min() < 1e-12 for d in used)


def test_a_mesh_that_lies_on_a_face_touches_with_all_its_corners() -> None:
    model = tandem.read_mjcf(mesh_text(CORNERS)).build()
    for turn in ((0, 0, 0, 1), (np.sin(0.01), 0, 0, np.cos(0.01))):
        found = tandem.contacts(model, [0, 0, 0.19, *turn])
        xy = {tuple(np.sign(p[:2])) for p in found.position}
        assert np.isfinite(found.distance).all() and len(xy) == 4


def test_a_box_on_a_floor() -> None:
    """Closed form: corners at z - h, whatever the yaw."""
    robot = tandem.ModelBuilder("box").link("world").link("box", 1, inertia=(1, 0, 0, 1, 0, 1))
    robot = robot.joint("free", "free", "world", "box").shape("floor", "plane", "world")
    model = robot.shape("box", "box", "box", size=(1, 2, 3)).build()
    found = tandem.contacts(model, [[5, 0, 2.5, 0, 0, np.sin(0.3), np.cos(0.3)]] * 2)
    assert found.distance.shape == (2, 4) and found.frame.shape == (2, 4, 3, 3)
    np.testing.assert_allclose(found.distance, -0.5, atol=1e-15)
    np.testing.assert_allclose(found.position[..., 2], -0.25, atol=1e-15)
    assert (found.normal == (0, 0, 1)).all()
