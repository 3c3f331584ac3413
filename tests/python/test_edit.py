# SPDX-License-Identifier: Apache-2.0
"""Descriptions that are edited, models that are reduced and put together."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from oracle_support import Case, cases, load
from support import robot

import tandem


def arm() -> tandem.ModelBuilder:
    return tandem.describe("arm7")


def test_a_description_comes_from_a_name_a_file_or_a_model(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(arm().write_urdf())
    for given in ("arm7", path, str(path), tandem.load("arm7")):
        model = tandem.describe(given).build()
        assert model.joint_names == tandem.load("arm7").joint_names
    same, model = tandem.describe("chain:9", seed=4), tandem.load("chain:9", seed=4)
    assert same.build().mass == model.mass and len(same.joint_names) == 9
    q = tandem.random_configuration(model, seed=1)
    again = tandem.describe(model).build()
    np.testing.assert_allclose(tandem.mass_matrix(again, q), tandem.mass_matrix(model, q), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("case", cases())
def test_a_model_that_is_described_is_the_robot(case: Case) -> None:
    model = load(case)
    again = tandem.describe(model).build()
    for names in ("link_names", "joint_names", "frame_names"):
        assert list(getattr(again, names)) == list(getattr(model, names))
    for rows in ("q_lower", "q_upper", "v_limit", "tau_limit", "damping", "friction", "armature"):
        np.testing.assert_array_equal(getattr(again, rows), getattr(model, rows))
    q = tandem.random_configuration(model, seed=1)
    M, poses = tandem.mass_matrix(model, q), tandem.forward_kinematics(model, q)
    size = (model.depth + 1) * 32 * np.finfo(float).eps
    np.testing.assert_allclose(tandem.mass_matrix(again, q), M, rtol=0, atol=size * np.abs(M).max(initial=0))
    theirs = tandem.forward_kinematics(again, q)
    np.testing.assert_allclose(theirs, poses, rtol=0, atol=size * np.abs(poses).max(initial=1))


def test_links_joints_and_frames_change():
    b = arm().frame("camera", "link3", position=(1, 0, 0))
    mass = b.get_link("link7")["mass"]
    b.change_link("link7", mass=mass + 0.5, com=(0, 0, 0.1), rename="hand").rename("longer")
    b.change_joint("joint2", effort=50.0, axis=(0, 0, 1), rename="shoulder", rpy=(0, 0, 0.5))
    b.change_frame("camera", position=(2, 0, 0), link="hand")
    model = b.build()
    assert model.name == "longer" and model.link_mass("hand") == mass + 0.5
    assert list(model.joint("shoulder").axis) == [0, 0, 1] and model.joint("joint7").child == "hand"
    assert model.tau_limit[model.joint("shoulder").v_index] == 50
    assert b.get_frame("camera")["position"] == (2, 0, 0)
    np.testing.assert_allclose(b.get_joint("shoulder")["quaternion"], (0, 0, np.sin(0.25), np.cos(0.25)))
    for name in b.link_names:  # what is read can be written
        described = b.get_link(name)
        assert tandem.ModelBuilder("one").link(**described).get_link(name) == described
    described = b.get_joint("shoulder")
    assert tandem.ModelBuilder("one").joint(**described).get_joint("shoulder") == described


def test_parts_are_removed_locked_and_scaled():
    b = arm().remove_link("link6")
    assert b.build().nv == 5
    short = arm().remove_joint("joint7").remove_link("link7").build()
    assert short.nv == 6
    locked = arm().lock_joint("joint3", 0.5).lock_joint("joint4", [-0.5]).build()
    assert locked.nv == 5 and "link3" in locked.frame_names
    whole, q = tandem.load("arm7"), np.zeros(7)
    M = tandem.mass_matrix(whole, q)
    large = arm().scale(length=2, mass=3).build()
    np.testing.assert_allclose(tandem.mass_matrix(large, q), 12 * M, atol=1e-12)
    assert arm().scale_link("link1", mass=2).build().link_mass("link1") == 2 * whole.link_mass("link1")


def test_copies_of_a_description_are_edited_alone():
    b = arm()
    for copied in (copy.copy(b), copy.deepcopy(b), pickle.loads(pickle.dumps(b))):
        copied.change_link("link7", mass=9)
        assert copied.get_link("link7")["mass"] == 9 != b.get_link("link7")["mass"]


def test_reduced_is_the_robot_with_those_joints_held():
    model = robot("humanoid", False).with_base_acceleration([0, 0, 1, 0, 0, 0])
    q = tandem.random_configuration(model, seed=3)
    held = model.joint_names[5]
    less = model.reduced([held, model.joint_names[9]], q)
    rows = [j.v_index for j in (model.joint(held), model.joint(9))]
    left = np.delete(np.arange(model.nv), rows)
    q_left = np.delete(q, [model.joint(held).q_index, model.joint(9).q_index])
    M = tandem.mass_matrix(model, q)[np.ix_(left, left)]
    np.testing.assert_allclose(tandem.mass_matrix(less, q_left), M, rtol=1e-12, atol=1e-12)
    assert less.base_acceleration == model.base_acceleration
    again = pickle.loads(pickle.dumps(less))
    assert (tandem.mass_matrix(again, q_left) == tandem.mass_matrix(less, q_left)).all()
    assert model.reduced(held).nv == model.nv - 1


def test_append_hangs_a_tool_or_an_arm():
    model, tool = tandem.load("arm7"), tandem.load("arm6")
    both = model.append(tool, "link7", prefix="tool_", joint="mount", position=(0, 0, 0.1))
    assert both.nv == 13 and both.mass == pytest.approx(model.mass + tool.mass)
    assert both.frame_index("mount") == both.frame_index("tool_" + tool.link_names[0])
    assert arm().append(tandem.describe("arm6"), "link7", prefix="t_").build().nv == 13
    again = pickle.loads(pickle.dumps(both))
    assert again.joint_names == both.joint_names
    q = np.zeros(13)
    assert (tandem.gravity_forces(again, q) == tandem.gravity_forces(both, q)).all()


WRONG: dict[str, tuple[Any, str]] = {
    "a word misspelt": (
        lambda: arm().change_joint("joint1", efort=3),
        'joint "joint1": change_joint has no argument efort',
    ),
    "no number": (
        lambda: arm().change_joint("joint1", effort="a"),
        "joint \"joint1\": effort is 'a', expected a number",
    ),
    "nobody": (lambda: arm().remove_link("lnk7"), 'robot "arm7" has no link "lnk7"; did you mean "link7"'),
    "no robot": (lambda: tandem.describe(3), "describe: robot is 3, expected a Model, a name or a file"),
    "no place": (lambda: arm().append(arm(), "wrist"), 'append: robot "arm7" has no link or frame "wrist"'),
    "shared names": (lambda: arm().append(arm(), "link7"), "append: both robots have links named"),
    "nothing to append": (
        lambda: arm().append(3, "link7"),
        "append: the other robot is 3, expected a Model or a ModelBuilder",
    ),
    "too few numbers": (
        lambda: tandem.load("arm7").reduced(["joint1"], [0]),
        "reduced: q has 1 numbers, expected 7",
    ),
    "size": (
        lambda: arm().scale(mass=-1),
        'scale robot "arm7": mass is -1, expected a finite positive number',
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_name_the_element(case: str) -> None:
    call, message = WRONG[case]
    with pytest.raises(tandem.Error) as error:
        call()
    assert message in str(error.value)
