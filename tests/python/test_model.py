# SPDX-License-Identifier: Apache-2.0
"""Models: loading, reading, building."""

from __future__ import annotations

import gc
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from support import robot

import tandem

PENDULUM = """<?xml version="1.0"?>
<robot name="pendulum">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="2" velocity="7" effort="9"/><dynamics damping="0.25" friction="0.5"/></joint>
  <link name="tip"/>
  <joint name="weld" type="fixed"><origin xyz="0 0 -1"/><parent link="bob"/><child link="tip"/></joint>
</robot>"""


def pendulum() -> tandem.Model:
    return tandem.Model.from_urdf_string(PENDULUM)


def test_a_robot_comes_from_a_file_text_a_name_or_a_generator(tmp_path):
    path = tmp_path / "pendulum.urdf"
    path.write_text(PENDULUM)
    for model in (tandem.load(path), tandem.load(str(path)), pendulum(), tandem.read_urdf(PENDULUM).build()):
        assert (model.name, model.nq, model.nv) == ("pendulum", 1, 1)
    for name in tandem.shipped_robots():
        assert tandem.load(name).name == name
    chain = tandem.load("chain:20", seed=5)
    assert chain.n_joints == 20 and chain.depth == 20
    q = np.zeros(chain.nq)
    again, other = tandem.load("chain:20", seed=5), tandem.load("chain:20", seed=6)
    np.testing.assert_array_equal(tandem.mass_matrix(again, q), tandem.mass_matrix(chain, q))
    assert not np.array_equal(tandem.mass_matrix(other, q), tandem.mass_matrix(chain, q))


def test_floating_hangs_the_root_from_the_world():
    model = tandem.Model.from_urdf_string(PENDULUM, floating=True)
    assert (model.nq, model.nv, model.n_joints) == (8, 7, 2)
    assert [j.type for j in model.joints] == ["free", "revolute"]


def test_names_and_indices_map_both_ways():
    model = robot("quadruped", True)
    assert [model.link_index(n) for n in model.link_names] == list(range(model.n_links))
    assert [model.joint_index(n) for n in model.joint_names] == list(range(1, model.n_joints + 1))
    assert [model.frame_index(n) for n in model.frame_names] == list(range(model.n_frames))
    assert [j.name for j in model.joints] == model.joint_names
    assert model.joint(model.joint_names[3]).index == 3 and model.joint(4).name == model.joint_names[4]
    for name in model.joint_names:
        i = model.joint_index(name)
        assert model.joint_names[i] == model.joints[i].name == name and model.joint_names.index(name) == i
        assert model.joints[i].index == i and model.joints[i].child == model.link_names[i]
        assert model.joints[i].parent == model.link_names[model.parents[i]]


def test_joints_are_read_by_their_own_indices():
    model = robot("arm7")
    names = model.joint_names
    assert len(names) == len(model.joints) == model.n_joints and names[-1] == names[7] and names[-7] == names[1]
    for wrong in (0, 8, -8):
        for per_joint in (names, model.joints):
            with pytest.raises(tandem.Error, match=f"joint {wrong} does not exist; there are 1 to 7"):
                per_joint[wrong]
    with pytest.raises(tandem.Error, match=r"joints are numbered from 1 and cannot be sliced; slice list\(joints\)"):
        names[1:]
    with pytest.raises(TypeError):
        names["joint1"]
    assert list(reversed(names)) == list(names)[::-1] and json.loads(json.dumps(names)) == names
    assert names == list(names) and names == tuple(names) and names != list(names)[1:]
    assert not names != list(names) and names != "joint1"
    assert names == pickle.loads(pickle.dumps(names)) and hash(names) == hash(tuple(names))
    assert repr(pendulum().joint_names) == "{1: 'hinge'}"
    alone = tandem.ModelBuilder("alone").link("a").build()
    with pytest.raises(tandem.Error, match="joint 1 does not exist; there are none"):
        alone.joints[1]


def test_what_a_model_and_a_joint_tell():
    model = pendulum()
    assert (model.n_links, model.n_joints, model.n_frames, model.depth) == (2, 1, 3, 1)
    assert model.mass == 2 and model.link_mass("bob") == 2 and model.parents.tolist() == [-1, 0]
    assert list(model.gravity) == [0, 0, -9.81] and list(model.base_acceleration) == [0] * 6
    assert model.frame_index("weld") == model.frame_index("tip") == 2
    (hinge,) = model.joints
    assert (hinge.name, hinge.type, hinge.parent, hinge.child) == ("hinge", "revolute", "base", "bob")
    assert (hinge.index, hinge.q_index, hinge.v_index, hinge.nq, hinge.nv, hinge.mimics) == (
        1,
        0,
        0,
        1,
        1,
        "",
    )
    assert list(hinge.axis) == [0, 1, 0] and (hinge.multiplier, hinge.offset) == (1, 0)
    arrays = {
        "q_lower": -3, "q_upper": 2, "v_limit": 7, "tau_limit": 9,
        "damping": 0.25, "friction": 0.5, "armature": 0, "stiffness": 0, "q_rest": 0,
    }  # fmt: skip
    for name, value in arrays.items():
        array = getattr(model, name)
        assert array.tolist() == [value] and array.dtype == np.float64, name
        with pytest.raises(ValueError):
            array[0] = 1
    assert repr(model) == '<tandem.Model "pendulum": 1 joints, nq 1, nv 1, 2 kg>'
    assert repr(hinge) == '<tandem.Joint 1 "hinge": revolute>'


def test_joints_and_links_hold_arrays_and_numbers():
    builder = tandem.ModelBuilder("two").link("base", 5, com=(1, 0, 0)).link("arm", 2, com=(0, 0.1, 0.2))
    builder.link("hand", 3, com=(0.1, 0, 0), inertia=(1, 0.1, 0.2, 2, 0.3, 3)).link("ball", 1,
                                                                                    inertia=(1, 0, 0, 1, 0, 1))
    builder.joint("shoulder", "revolute", "base", "arm", axis=(0, 1, 0), position=(0, 0, 1), lower=-1, upper=2)
    builder.joint("wrist", "prismatic", "arm", "hand", position=(1, 2, 3), velocity=4, effort=5, armature=6,
                  stiffness=7)
    model = builder.joint("socket", "spherical", "hand", "ball").build()
    shoulder, wrist, socket = model.joints
    assert shoulder.axis.tolist() == [0, 1, 0] and socket.axis.tolist() == [0, 0, 0]
    assert (shoulder.lower, shoulder.upper, shoulder.velocity) == (-1, 2, np.inf)
    assert (wrist.lower, wrist.velocity, wrist.effort, wrist.armature, wrist.stiffness) == (-np.inf, 4, 5, 6, 7)
    np.testing.assert_allclose(wrist.placement, np.c_[np.eye(3), [1, 2, 3]])
    q = tandem.neutral_configuration(model)
    poses = tandem.spatial.compose(tandem.forward_kinematics(model, q)[1], wrist.placement)
    np.testing.assert_allclose(tandem.forward_kinematics(model, q)[2], poses, atol=1e-15)
    hand = model.link("hand")
    assert hand.index == model.link(2).index == 2 and hand.name == "hand" and hand.parent == "arm"
    assert (hand.mass, hand.centre_of_mass.tolist()) == (3, pytest.approx([0.1, 0, 0]))
    np.testing.assert_allclose(hand.inertia, [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]])
    assert [link.name for link in model.links] == model.link_names and model.links[0].parent == ""
    assert sum(link.mass for link in model.links) == model.mass and repr(hand) == '<tandem.Link 2 "hand": 3 kg>'
    assert pickle.loads(pickle.dumps(hand)).mass == 3
    with pytest.raises(ValueError, match="read-only"):
        hand.inertia[0] = 9
    assert hand.inertia[0, 0] == pytest.approx(1)
    with pytest.raises(tandem.Error, match="link 4 does not exist; two has the links 0 to 3"):
        model.link(4)
    with pytest.raises(tandem.Error, match='no link "hnd"; did you mean "hand"'):
        model.link("hnd")


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "universal", "planar", "spherical", "free"])
def test_the_rows_of_q_and_v_are_as_the_docstring_says(kind):
    (row,) = [line.split() for line in tandem.Model.__doc__.splitlines() if line.startswith(kind)]
    builder = tandem.ModelBuilder("one").link("base").link("tip", 1, inertia=(1, 0, 0, 1, 0, 1))
    model = builder.joint("j", kind, "base", "tip").build()
    numbers = [int(word) for word in row if word.isdigit()]
    assert numbers == [model.nq, model.nv]


def test_every_function_says_how_q_and_v_lie():
    for algorithm in tandem._core.algorithms():
        text = " ".join(getattr(tandem, algorithm.name).__doc__.split())
        for name, *_ in algorithm.arguments:
            if name in ("q", "q0", "q1", "q_next"):
                assert f"{name} : " in text and "free joints x y z and a quaternion x y z w" in text
            if name in ("v", "a", "tau", "u"):
                assert "free joints linear then angular, spherical joints angular" in text


def test_arrays_and_joints_keep_their_model_alive():
    limits, joint = pendulum().q_upper, pendulum().joint(1)
    gc.collect()
    [tandem.load("chain:50") for _ in range(20)]
    assert limits.tolist() == [2] and joint.child == "bob"


def test_gravity_and_base_acceleration():
    model = pendulum()
    hanging_sideways = np.array([np.pi / 2])
    tau = tandem.gravity_forces(model, hanging_sideways)
    np.testing.assert_allclose(tau, [2 * 9.81 * 0.5], atol=1e-12)
    moon = model.with_gravity(np.array([0, 0, -1.62]))
    np.testing.assert_allclose(tandem.gravity_forces(moon, hanging_sideways), tau * 1.62 / 9.81)
    falling = model.with_base_acceleration([0, 0, -9.81, 0, 0, 0])
    np.testing.assert_allclose(tandem.gravity_forces(falling, hanging_sideways), [0], atol=1e-12)
    assert list(model.gravity) == [0, 0, -9.81]


def test_every_kind_of_joint_can_be_built():
    builder = tandem.ModelBuilder("zoo").link("ground")
    types = {
        "free": (7, 6),
        "spherical": (4, 3),
        "planar": (3, 3),
        "prismatic": (1, 1),
        "helical": (1, 1),
        "universal": (2, 2),
        "continuous": (1, 1),
        "revolute": (1, 1),
    }
    parent = "ground"
    for kind in types:
        builder.link(kind, 1.0, com=(0, 0, 0.1), inertia=np.eye(3))
        builder.joint(
            f"to {kind}",
            kind,
            parent,
            kind,
            axis=(0, 0, 1),
            pitch=0.02 if kind == "helical" else 0,
            armature=0.5,
            position=np.array([0, 0, 1]),
        )
        parent = kind
    builder.link("mimic", 1, inertia=(1, 0, 0, 1, 0, 1))
    builder.joint(
        "to mimic",
        "revolute",
        "revolute",
        "mimic",
        axis=(0, 1, 0),
        mimic="to revolute",
        multiplier=2,
        offset=0.5,
    )
    builder.frame("eye", "mimic", position=(1, 2, 3), rpy=(0, 0, np.pi / 2))
    builder.frame("other eye", "mimic", position=(1, 2, 3), quaternion=(0, 0, 1, 1))
    model = builder.gravity((0, 0, 0)).build()
    for kind, (nq, nv) in types.items():
        joint = model.joint(f"to {kind}")
        assert (joint.type, joint.nq, joint.nv) == (kind, nq, nv)
        np.testing.assert_allclose(joint.pitch, 0.02 if kind == "helical" else 0)
    mimic = model.joint("to mimic")
    assert (mimic.nq, mimic.nv, mimic.mimics, mimic.multiplier, mimic.offset) == (0, 0, "to revolute", 2, 0.5)
    assert mimic.q_index == model.joint("to revolute").q_index
    assert model.armature.tolist() == [0.5] * model.nv
    pose = tandem.forward_kinematics(model, tandem.neutral_configuration(model))
    np.testing.assert_allclose(
        pose[model.frame_index("eye")], pose[model.frame_index("other eye")], atol=1e-15
    )
    assert builder.name == "zoo" and "10 links, 9 joints" in repr(builder)


def test_a_builder_writes_urdf_that_is_the_same_robot():
    for builder in (tandem.read_urdf(PENDULUM), tandem.generate("chain:6", seed=3)):
        model, again = builder.build(), tandem.Model.from_urdf_string(builder.write_urdf())
        q = tandem.random_configuration(model, seed=1)
        assert model.joint_names == again.joint_names
        np.testing.assert_allclose(
            tandem.mass_matrix(again, q), tandem.mass_matrix(model, q), rtol=1e-13, atol=1e-15
        )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_model_obeys_the_laws(dtype):
    results = tandem.check_model(robot("quadruped", True), states=3, dtype=dtype)
    assert len(results) > 5 and len({r.name for r in results}) == len(results)
    assert {r.outcome for r in results} <= {"passed", "not applicable"}
    assert all(r.error <= r.tolerance for r in results if r.outcome == "passed")


def test_configurations():
    model = robot("quadruped", True)
    neutral = tandem.neutral_configuration(model)
    assert neutral.tolist() == [0] * 6 + [1] + [0] * (model.nq - 7)
    assert tandem.neutral_configuration(model, dtype=np.float32).dtype == np.float32
    q = tandem.random_configuration(model, seed=7, batch=50)
    np.testing.assert_allclose(np.linalg.norm(q[:, 3:7], axis=1), 1)
    assert (q >= model.q_lower).all() and (q <= model.q_upper).all()
    np.testing.assert_array_equal(q[2], tandem.random_configuration(model, seed=7 + 2 * 2**32))
    np.testing.assert_array_equal(q[0], tandem.random_configuration(model, seed=7))
    single = tandem.random_configuration(model, seed=7, batch=50, dtype=np.float32)
    np.testing.assert_array_equal(single, q.astype(np.float32))
    assert tandem.random_configuration(model, batch=0).shape == (0, model.nq)


def test_batches_of_different_seeds_share_no_row():
    model = robot("arm7")
    rows = np.concatenate([tandem.random_configuration(model, seed=seed, batch=1000) for seed in (0, 1, 2, 999)])
    assert np.unique(rows, axis=0).shape == rows.shape and np.unique(rows[:, 0]).size == len(rows)
    # as good as independent: means and products of neighbouring rows of numbers in [-1, 1]
    x = 2 * (rows - model.q_lower) / (model.q_upper - model.q_lower) - 1
    for numbers in (x, x[1:] * x[:-1], x[1000:] * x[:-1000], x[:, 1:] * x[:, :-1]):
        assert np.abs(numbers.mean(axis=0)).max() < 5 * numbers.std() / np.sqrt(len(numbers))


def test_the_numbers_of_a_seed_are_the_same_everywhere():
    builder = tandem.ModelBuilder("slide").link("base").link("sledge", 1)
    model = builder.joint("rail", "prismatic", "base", "sledge", lower=0, upper=1).build()
    q = tandem.random_configuration(model, seed=1, batch=3)
    assert (q[:, 0] * 2.0**53).tolist() == [5103132997656651.0, 1135186513210162.0, 6914486658970259.0]


def test_poses_in_other_notations():
    model = robot("quadruped", True)
    pose = tandem.forward_kinematics(model, tandem.random_configuration(model, batch=200))
    position, x = tandem.pose_to_quaternion(pose)
    matrix = tandem.pose_to_matrix(pose)
    np.testing.assert_array_equal(matrix[..., :3, 3], position)
    np.testing.assert_array_equal(matrix[..., 3, :], np.broadcast_to([0, 0, 0, 1], matrix.shape[:-1]))
    np.testing.assert_allclose(np.linalg.norm(x, axis=-1), 1)
    v, w = x[..., :3], x[..., 3:]
    for axis in np.eye(3):  # rotating a vector by the quaternion
        t = 2 * np.cross(v, axis)
        np.testing.assert_allclose(axis + w * t + np.cross(v, t), pose[..., :3] @ axis, atol=1e-12)
    assert tandem.pose_to_quaternion(pose.astype(np.float32))[1].dtype == np.float32
    half_turn = [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0]]
    assert tandem.pose_to_quaternion(half_turn)[1].tolist() == [1, 0, 0, 0]


def test_models_are_given_back():
    def load_and_drop():
        for _ in range(200):
            model = tandem.load("chain:2000")
            tandem.gravity_forces(model, np.zeros(2000))

    load_and_drop()  # after what other tests did, the heap needs some to be of the size that it stays at
    before = resident()
    load_and_drop()
    assert resident() - before < 100e6


def resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096.0


def test_random_configurations_keep_a_limit_that_stands_alone():
    """Uniform on a full turn within it, whose mean is in closed form."""
    urdf = """<robot name="r"><link name="base"/><link name="body"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="revolute"><parent link="base"/><child link="body"/><axis xyz="0 0 1"/>
      <limit lower="2" upper="inf" effort="1" velocity="1"/></joint></robot>"""
    builder = tandem.read_urdf(urdf.replace('"inf"', '"3"')).change_joint("j", upper=float("inf"))
    q = tandem.random_configuration(builder.build(), seed=1, batch=4000)
    assert q.min() >= 2 and q.max() <= 2 + 2 * np.pi
    assert abs(q.mean() - 2 - np.pi) < 4 * 2 * np.pi / np.sqrt(12 * 4000)
