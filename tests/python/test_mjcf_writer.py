# SPDX-License-Identifier: Apache-2.0
"""MJCF that Tandem writes: MuJoCo reads it, and what comes back is the robot that it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle_support import MODELS, SHIPPED

import tandem
from tandem import bridges

mujoco = pytest.importorskip("mujoco",
                             reason="WRITTEN MJCF IS NOT READ BACK: MuJoCo is not installed (pip install mujoco)")

FILES = sorted((MODELS / "mjcf").rglob("*.xml")) + sorted((MODELS / "urdf").rglob("*.urdf"))
#: Roundings for each link between the base and the last one, as elsewhere beside oracles.
ERRORS_PER_LINK = 64


def described(robot: Any) -> tandem.ModelBuilder:
    try:
        builder = tandem.describe(robot)
        builder.build()
    except tandem.ModelError as error:
        pytest.skip(f"refused: {str(error).splitlines()[0]}")
    return builder


def same(a: Any, b: Any, model: tandem.Model, scale: float = 0.0) -> None:
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    if a.size:
        size = max(scale, np.abs(a).max(), np.abs(b).max())
        assert np.abs(a - b).max() <= ERRORS_PER_LINK * (model.depth + 1) * np.finfo(float).eps * size


def check_same_robot(model: tandem.Model, again: tandem.Model, lost: frozenset[str] = frozenset()) -> None:
    assert (again.nq, again.nv, again.loop_names) == (model.nq, model.nv, model.loop_names)
    assert list(again.joint_names) == list(model.joint_names)
    assert set(model.frame_names) <= set(again.frame_names) | lost
    for field in ("q_lower", "q_upper", "v_limit", "tau_limit", "damping", "friction", "armature", "stiffness",
                  "q_rest"):
        assert np.array_equal(getattr(again, field), getattr(model, field)), field
    assert again.gravity == model.gravity
    same(again.mass, model.mass, model)
    for name in model.configuration_names:
        same(again.configuration(name), model.configuration(name), model)
    frames = [name for name in model.frame_names if name in again.frame_names]
    for seed in range(2):
        q = tandem.random_configuration(model, seed=seed)
        v = np.random.default_rng(seed).normal(size=model.nv)
        rows = [[m.frame_index(name) for name in frames] for m in (again, model)]
        same(tandem.forward_kinematics(again, q)[rows[0]], tandem.forward_kinematics(model, q)[rows[1]], model)
        if model.nv == 0:
            continue
        M = tandem.mass_matrix(model, q)
        same(tandem.mass_matrix(again, q), M, model)
        weight = model.mass * 10 * (1 + np.abs(q).max())
        size = np.abs(M).max() * np.abs(v).max() ** 2 + weight
        same(tandem.bias_forces(again, q, v), tandem.bias_forces(model, q, v), model, float(size))


def without_mass(builder: tandem.ModelBuilder) -> frozenset[str]:
    """Links whose names are lost where they stand between joints of what becomes one body."""
    return frozenset(name for name in builder.link_names if builder.get_link(name)["mass"] == 0)


def there_and_back(builder: tandem.ModelBuilder) -> tandem.Model:
    return tandem.read_mjcf(builder.write_mjcf()).build()


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_shipped_robots_come_back(file: Path, floating: bool) -> None:
    model = tandem.load(file.stem, floating=floating)
    try:
        again = there_and_back(tandem.describe(model))
    except tandem.ModelError as error:
        assert all("cannot be written as MJCF" in str(problem.message) for problem in error.problems), str(error)
        pytest.skip(str(error).splitlines()[0])
    check_same_robot(model, again)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}{file.suffix}")
def test_files_come_back(file: Path) -> None:
    model = described(file).build()
    if model.nv > 130:
        pytest.skip("large")
    try:
        builder = tandem.describe(model)
        text = builder.write_mjcf()
    except tandem.ModelError as error:
        assert all("cannot be written as MJCF" in str(problem.message) for problem in error.problems), str(error)
        pytest.skip(str(error).splitlines()[0])
    check_same_robot(model, tandem.read_mjcf(text).build(), without_mass(builder))


@pytest.mark.parametrize("file", FILES[:: max(1, len(FILES) // 40)],
                         ids=lambda file: f"{file.parent.name}/{file.stem}{file.suffix}")
def test_descriptions_come_back_as_models_do(file: Path) -> None:
    """Links that files have between joints become joints of one body; their names are lost."""
    builder = described(file)
    model = builder.build()
    if model.nv > 130:
        pytest.skip("large")
    try:
        again = there_and_back(builder)
    except tandem.ModelError as error:
        assert all("cannot be written as MJCF" in str(problem.message) for problem in error.problems), str(error)
        pytest.skip(str(error).splitlines()[0])
    check_same_robot(model, again, without_mass(builder))


def test_mujoco_moves_what_is_written_as_tandem_does() -> None:
    robot = tandem.load("humanoid", floating=True)
    theirs = mujoco.MjModel.from_xml_string(tandem.describe(robot).write_mjcf())
    bridge, data = bridges.to_mujoco(robot, theirs), mujoco.MjData(theirs)
    q, v = tandem.random_configuration(robot, seed=1), np.ones(robot.nv)
    data.qpos[:], data.qvel[:] = bridge.q_to(q), bridge.v_to(v, q)
    theirs.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    mujoco.mj_forward(theirs, data)
    passive = bridge.tau_from(data.qfrc_passive, q)
    a = tandem.forward_dynamics(robot, q, v, passive)
    assert np.allclose(bridge.a_from(data.qacc, q, v), a, rtol=1e-9, atol=1e-9)


def test_urdf_of_mjcf_and_back() -> None:
    text = """<mujoco model="arm"><worldbody>
      <body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" range="-90 90" damping="0.5"/>
        <inertial pos="0 0 0.1" mass="2" diaginertia="0.1 0.2 0.15"/>
        <body name="b" pos="0 0 0.4"><joint name="k" type="slide" axis="1 0 0"/>
          <inertial pos="0 0 0.1" mass="1" diaginertia="0.1 0.2 0.15"/></body></body>
    </worldbody><keyframe><key name="home" qpos="1 0"/></keyframe></mujoco>"""
    builder = tandem.read_mjcf(text)
    urdf = builder.write_urdf()
    assert "not written: 1 named configurations" in urdf
    model, again = builder.build(), tandem.read_urdf(urdf).build()
    q = np.array([0.3, 0.2])
    same(tandem.mass_matrix(model, q), tandem.mass_matrix(again, q), model)


def test_what_mujoco_has_no_word_for_is_refused_with_all_of_it() -> None:
    builder = tandem.ModelBuilder("r").link("base")
    heavy = {"mass": 1.0, "inertia": (1, 0, 0, 1, 0, 1)}
    for kind in ("helical", "universal", "planar", "free"):
        builder.link(kind, **heavy)
        more = {"pitch": 0.1} if kind == "helical" else {}
        builder.joint(f"{kind} joint", kind, "helical" if kind == "free" else "base", kind, **more)
    builder.link("ball", 1.0).joint("to ball", "revolute", "base", "ball")
    builder.link("thin", 1.0, inertia=(1, 0, 0, 1, 0, 5)).joint("to thin", "revolute", "base", "thin")
    builder.loop("pin", "prismatic", "thin", "planar")
    with pytest.raises(tandem.ModelError) as error:
        builder.write_mjcf()
    found = {(problem.element, problem.message.partition("MJCF: ")[2][:40]) for problem in error.value.problems}
    assert {element for element, _ in found} == {
        'joint "helical joint"',
        'joint "universal joint"',
        'joint "planar joint"',
        'joint "free joint"',
        'link "ball"',
        'link "thin"',
        'loop joint "pin"',
    }, found


def test_names_and_limits_that_mjcf_has_no_place_for() -> None:
    builder = tandem.ModelBuilder('<"&>').link("torso", 3.0, inertia=(1, 0, 0, 1, 0, 1))
    builder.link("arm", 1.0, com=(0, 0, 0.5), inertia=(0.1, 0.01, 0, 0.2, 0, 0.15))
    builder.joint("j", "revolute", "torso", "arm", lower=-1.0, velocity=3.0, effort=4.0, axis=(0, 0.6, 0.8))
    builder.frame("tool", "arm", position=(0, 0, 1), rpy=(0.1, 0.2, 0.3)).gravity((0, 0, -1.6))
    model, again = builder.build(), there_and_back(builder)
    assert again.name == model.name and again.link_names == ["torso", "arm"]
    assert (again.q_lower[0], again.q_upper[0], again.v_limit[0], again.tau_limit[0]) == (-1, np.inf, 3, 4)
    check_same_robot(model, again)


def test_a_revolute_loop_holds_two_points_of_its_axis() -> None:
    model = tandem.load("four_bar")
    text = tandem.describe(model).write_mjcf()
    again = tandem.read_mjcf(text).build()
    check_same_robot(model, again)
    (ours,), (theirs,) = model.loops, again.loops
    assert ours.type == theirs.type == "revolute"
    q, _, error = tandem.close_loops(model, [0.7, 0.1, 0.2], np.zeros(3), error=True)
    assert error < 1e-12
    data = mujoco.MjData(compiled := mujoco.MjModel.from_xml_string(text))
    data.qpos[:] = bridges.to_mujoco(model, compiled).q_to(q)
    mujoco.mj_forward(compiled, data)
    assert compiled.neq == 2 and np.abs(data.efc_pos).max() < 1e-12
    v = np.array([1.0, -1.0, 0.5])
    a = tandem.forward_dynamics(model, q, v, np.zeros(3))
    same(tandem.forward_dynamics(again, q, v, np.zeros(3)), a, model, 10 * float(np.abs(a).max()))


def test_as_many_links_in_a_row_as_mujocos_parser_takes() -> None:
    assert mujoco.MjModel.from_xml_string(tandem.describe("chain:496").write_mjcf()).njnt == 496
    for robot in ("chain:497", "rope:600", "chain:20000"):
        with pytest.raises(tandem.ModelError, match="is the 496th nested link, which is the limit of MuJoCo's parser"):
            tandem.describe(robot).write_mjcf()
