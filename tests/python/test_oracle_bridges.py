# SPDX-License-Identifier: Apache-2.0
"""tandem.bridges on every robot: Pinocchio and MuJoCo are called with what a bridge makes, and agree."""

from __future__ import annotations

import functools
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from oracle_support import Case, Comparison, cases, load, mimics, states, stripped_urdf

import tandem
from tandem import bridges

CASES = pytest.mark.parametrize("case", cases())
MIMICS = pytest.mark.parametrize(
    "case",
    [
        parameter
        for parameter in cases()
        for case in parameter.values
        if case is not None and not case.floating and mimics(stripped_urdf(case.file))
    ],
)


@functools.cache
def pinocchio_of(case: Case):
    return pytest.importorskip("pinocchio_support").Pinocchio(case, load(case))


@functools.cache
def mujoco_of(case: Case):
    return pytest.importorskip("mujoco_support").Mujoco(case, load(case))


def same_turns(model: tandem.Model, bridge: bridges.Bridge, back: np.ndarray, q: np.ndarray) -> np.ndarray:
    """`back` with the whole turns that angles lose when they are written as cosine and sine."""
    result = back.copy()
    for joint in model.joints:
        if joint.type in ("revolute", "continuous", "planar") and not joint.mimics:
            row = joint.q_index + joint.nq - 1
            result[..., row] += 2 * np.pi * np.round((q[..., row] - back[..., row]) / (2 * np.pi))
    return result


def check_there_and_back(model: tandem.Model, bridge: bridges.Bridge) -> None:
    """On three states in one array: what goes comes back, and an array is its rows."""
    q, v, a, tau, _ = map(np.array, zip(*states(model), strict=True))
    theirs = bridge.q_to(q)
    assert theirs.shape == (3, bridge.nq)
    size = 1 + np.abs(q).max(initial=0)
    assert np.allclose(same_turns(model, bridge, bridge.q_from(theirs), q), q, rtol=0, atol=1e-14 * size)
    assert np.allclose(bridge.v_from(bridge.v_to(v, q), q), v, rtol=0, atol=1e-14)
    assert np.allclose(bridge.a_from(bridge.a_to(a, q, v), q, v), a, rtol=0, atol=1e-13)
    forces = bridge.tau_to(tau, q)
    assert np.allclose(bridge.tau_from(forces, q), tau, rtol=1e-14, atol=1e-14 * np.abs(tau).max(initial=0))
    G = bridge.velocity_matrix(q)
    assert np.allclose((G @ v[..., None])[..., 0], bridge.v_to(v, q), rtol=0, atol=1e-13)
    power = (np.swapaxes(G, -1, -2) @ forces[..., None])[..., 0]
    assert np.allclose(power, tau, rtol=1e-13, atol=1e-13 * np.abs(tau).max(initial=0))
    for k in range(3):
        assert np.array_equal(bridge.q_to(q[k]), theirs[k])
        assert np.array_equal(bridge.v_to(v[k], q[k]), bridge.v_to(v, q)[k])
    assert np.array_equal(bridge.q_to(q[:, None].repeat(2, axis=1)), theirs[:, None].repeat(2, axis=1))
    single = bridge.q_to(q.astype(np.float32))
    assert single.dtype == np.float32 and np.allclose(single, theirs, rtol=0, atol=1e-6 * size)


@CASES
def test_pinocchio(case: Case) -> None:
    model, oracle = load(case), pinocchio_of(case)
    pin, theirs, data = pytest.importorskip("pinocchio"), oracle.model, oracle.data
    bridge = bridges.to_pinocchio(model, theirs)
    assert [ours for ours, _ in bridge.joints] == [joint.name for joint in model.joints]
    check_there_and_back(model, bridge)
    compare = Comparison("Pinocchio through bridges", case, model.depth, "kinematics")
    for q, v, a, *_ in states(model):
        full = bridge.q_to(q), bridge.v_to(v), bridge.a_to(a)
        compare.column = "kinematics"
        pin.forwardKinematics(theirs, data, *full)
        pin.updateFramePlacements(theirs, data)
        poses = np.array([data.oMf[i].homogeneous[:3] for i in oracle.frames])
        compare("poses", tandem.forward_kinematics(model, q), poses)
        if not oracle.moving_mass:
            continue
        compare.column = "inverse dynamics"
        tau = bridge.tau_from(pin.rnea(theirs, data, *full))
        compare("inverse dynamics", tandem.inverse_dynamics(model, q, v, a), tau, oracle.force_terms(q, v, a))
        compare.column = "mass matrix"
        M, G = pin.crba(theirs, data, full[0]), bridge.velocity_matrix()
        M = np.triu(M) + np.triu(M, 1).T
        compare("mass matrix", tandem.mass_matrix(model, q), G.T @ M @ G)


@CASES
def test_models_made_for_pinocchio(case: Case) -> None:
    pin, model = pytest.importorskip("pinocchio"), load(case)
    try:
        theirs = bridges.pinocchio_model(model)
    except tandem.Error as error:
        assert "planar joint" in str(error)
        pytest.skip(str(error))
    bridge, data = bridges.to_pinocchio(model, theirs), theirs.createData()
    check_there_and_back(model, bridge)
    compare = Comparison("Pinocchio's models from here", case, model.depth, "kinematics")
    compare("mass", model.mass, pin.computeTotalMass(theirs) + theirs.inertias[0].mass)
    for q, v, a, *_ in states(model):
        full = bridge.q_to(q), bridge.v_to(v), bridge.a_to(a)
        compare.column = "kinematics"
        pin.framesForwardKinematics(theirs, data, full[0])
        poses = np.array([data.oMf[theirs.getFrameId(name, kind(pin, k, model))].homogeneous[:3] for k,
                          name in frames(model)])
        compare("poses", tandem.forward_kinematics(model, q), poses)
        if model.nv == 0:
            continue
        compare.column = "mass matrix"
        M, G = pin.crba(theirs, data, full[0]), bridge.velocity_matrix()
        M = np.triu(M) + np.triu(M, 1).T
        compare("mass matrix", tandem.mass_matrix(model, q), G.T @ M @ G)
        compare.column = "inverse dynamics"
        tau = bridge.tau_from(pin.rnea(theirs, data, *full))
        weight = model.mass * 9.81 * (1 + np.abs(q).max())
        terms = np.abs(M).max() * (np.abs(v).max() ** 2 + np.abs(a).max()) + weight
        compare("inverse dynamics", tandem.inverse_dynamics(model, q, v, a), tau, float(terms))


def frames(model: tandem.Model) -> list[tuple[int, str]]:
    return list(enumerate(model.frame_names))


def kind(pin, k: int, model: tandem.Model):
    return pin.FrameType.BODY if k < model.n_links else pin.FrameType.OP_FRAME


@MIMICS
def test_pinocchio_where_mimic_joints_have_no_rows(case: Case) -> None:
    pin = pytest.importorskip("pinocchio")
    robot = stripped_urdf(case.file)
    if any(joint.get("type") in ("screw", "universal") for joint in robot.findall("joint")):
        pytest.skip(f"{case.name}: Pinocchio does not read its joints")
    model = load(case)
    try:
        theirs = pin.buildModelFromXML(ET.tostring(robot, encoding="unicode"), mimic=True)
    except ValueError as error:
        pytest.skip(f"refused by Pinocchio: {error}")
    data, bridge = theirs.createData(), bridges.to_pinocchio(model, theirs)
    assert theirs.nv == model.nv
    check_there_and_back(model, bridge)
    names = [name for name in model.link_names[1:] if theirs.existFrame(name, pin.FrameType.BODY)]
    frames = [theirs.getFrameId(name, pin.FrameType.BODY) for name in names]
    compare = Comparison("Pinocchio through bridges", case, model.depth, "kinematics")
    for q, *_ in states(model):
        pin.framesForwardKinematics(theirs, data, bridge.q_to(q))
        poses = np.array([data.oMf[i].homogeneous[:3] for i in frames])
        ours = tandem.forward_kinematics(model, q)[[model.link_index(name) for name in names]]
        compare("poses", ours, poses)


@CASES
def test_mujoco(case: Case) -> None:
    model, oracle = load(case), mujoco_of(case)
    mujoco, theirs, data = pytest.importorskip("mujoco"), oracle.model, oracle.data
    if model.nv == 0:
        pytest.skip(f"{case.name} has no joints")
    bridge = bridges.to_mujoco(model, theirs)
    check_there_and_back(model, bridge)
    compare = Comparison("MuJoCo through bridges", case, model.depth, "kinematics")
    for q, v, a, *_ in states(model):
        data.qpos[:], data.qvel[:], data.qacc[:] = bridge.q_to(q), bridge.v_to(v, q), bridge.a_to(a, q, v)
        mujoco.mj_inverse(theirs, data)
        poses = np.concatenate(
            [data.xmat[oracle.bodies].reshape(-1, 3, 3), data.xpos[oracle.bodies][:, :, None]], axis=2
        )
        compare.column = "kinematics"
        compare("poses", tandem.forward_kinematics(model, q), poses)
        M, G = np.zeros((theirs.nv, theirs.nv)), bridge.velocity_matrix(q)
        mujoco.mj_fullM(theirs, data, M)
        M = G.T @ M @ G
        compare.column = "mass matrix"
        compare("mass matrix", tandem.mass_matrix(model, q), M)
        weight = theirs.body_subtreemass[0] * 9.81 * (1 + np.abs(q).max())
        terms = np.abs(M).max() * (np.abs(v).max() ** 2 + np.abs(a).max()) + weight
        compare.column = "inverse dynamics"
        tau = bridge.tau_from(data.qfrc_inverse, q)
        compare("inverse dynamics", tandem.inverse_dynamics(model, q, v, a), tau, float(terms))
        theirs_at_rest = bridge.tau_from(data.qfrc_bias, q)  # with mimic joints' parts where they follow to
        compare("bias forces", bridge.tau_from(bridge.bias_to(q, v), q), theirs_at_rest, float(terms))


def test_bias_forces_of_a_free_body_are_not_those_of_mujoco() -> None:
    """A body that turns: its linear acceleration is a derivative along axes that turn here, along the world's there."""
    mujoco = pytest.importorskip("mujoco")
    model = tandem.load("quadruped", floating=True)
    theirs = bridges.mujoco_model(model)
    bridge, data = bridges.to_mujoco(model, theirs), mujoco.MjData(theirs)
    q, v = tandem.random_configuration(model, seed=3, batch=4), np.random.default_rng(3).uniform(-1, 1, (4, model.nv))
    there = []
    for k in range(4):
        data.qpos[:], data.qvel[:] = bridge.q_to(q[k]), bridge.v_to(v[k], q[k])
        mujoco.mj_forward(theirs, data)
        there.append(data.qfrc_bias.copy())
    np.testing.assert_allclose(bridge.bias_to(q, v), there, rtol=0, atol=1e-12 * np.abs(there).max())
    assert np.abs(bridge.tau_to(tandem.bias_forces(model, q, v), q) - there).max() > 0.1
    assert bridge.bias_to(q[0].astype(np.float32), v[0].astype(np.float32)).dtype == np.float32
    with pytest.raises(tandem.Error, match=r"bias_to: v has shape \(3,\)"):
        bridge.bias_to(q[0], np.zeros(3))


def test_models_have_limits_and_configurations() -> None:
    pin = pytest.importorskip("pinocchio")
    builder = tandem.describe("arm7").configuration("home", {"joint1": 0.25})
    model = builder.build()
    theirs = bridges.pinocchio_model(model)
    assert np.array_equal(theirs.lowerPositionLimit, model.q_lower)
    assert np.array_equal(theirs.upperPositionLimit, model.q_upper)
    assert np.array_equal(theirs.damping, model.damping) and np.array_equal(theirs.armature, model.armature)
    assert np.array_equal(theirs.referenceConfigurations["home"], model.configuration("home"))
    assert theirs.gravity.linear.tolist() == list(model.gravity)
    assert pin.neutral(theirs).tolist() == [0] * 7
    with pytest.raises(tandem.Error, match=r'has loop joints \("pin"\), which pinocchio.Model does not support'):
        bridges.pinocchio_model(tandem.load("four_bar"))


@pytest.mark.parametrize("make, library", [(bridges.pinocchio_model, "pinocchio"), (bridges.mujoco_model, "mujoco")])
def test_a_base_that_accelerates_is_refused(make, library) -> None:
    pytest.importorskip(library)
    model = tandem.load("arm7").with_base_acceleration([0, 0, 0, 0.1, 0, 0])
    with pytest.raises(tandem.Error,
                       match=f"{library}_model: the base of arm7 accelerates; use model.with_base_acceleration"):
        make(model)
    make(model.with_base_acceleration([0] * 6))


def test_models_made_for_mujoco_are_the_same_robot() -> None:
    mujoco = pytest.importorskip("mujoco")
    model = tandem.load("humanoid", floating=True)
    theirs = bridges.mujoco_model(model)
    bridge, data = bridges.to_mujoco(model, theirs), mujoco.MjData(theirs)
    q = tandem.random_configuration(model, seed=2)
    data.qpos[:] = bridge.q_to(q)
    mujoco.mj_forward(theirs, data)
    assert np.allclose(bridge.tau_from(data.qfrc_bias, q), tandem.gravity_forces(model, q), atol=1e-10)
