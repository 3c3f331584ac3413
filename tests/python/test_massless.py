# SPDX-License-Identifier: Apache-2.0
"""Robots with a massless link at the end of a branch: all but forward dynamics can be computed."""

from __future__ import annotations

import os
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import tandem

MODELS = Path(os.environ.get("TANDEM_MODELS", Path(__file__).resolve().parents[3] / "shared" / "models"))
ROBOTS = {"kinova_gen3_6dof/GEN3-LITE.urdf": "J5", "widowx/widowx.urdf": "gripper_revolute_joint"}
URDF = """<robot name="clock"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link><link name="hand"/>
<joint name="pivot" type="continuous"><parent link="base"/><child link="arm"/></joint>
<joint name="axle" type="continuous"><parent link="arm"/><child link="hand"/></joint></robot>"""
TOLD = 'link "hand" and its descendants have no inertia, but this joint moves them'


def test_one_warning_when_the_robot_is_made(tmp_path: Path) -> None:
    file = tmp_path / "clock.urdf"
    file.write_text(URDF)
    makers = [
        lambda: tandem.load(file),
        lambda: tandem.Model.from_urdf_string(URDF),
        lambda: tandem.read_urdf(URDF).build(),
    ]
    for make in makers:
        with pytest.warns(tandem.ModelWarning, match='joint "axle"') as caught:
            model = make()
        (one,) = caught
        assert TOLD in str(one.message) and one.filename == __file__
        assert any(TOLD in warning for warning in model.warnings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pickle.loads(pickle.dumps(model)).nv == 2
        q = np.zeros(2)
        assert np.isfinite(tandem.inverse_dynamics(model, q, q, q)).all()
        status = np.zeros((), np.uint8)
        tandem.forward_dynamics(model, q, q, q, status=status)
        assert status == tandem.Status.SINGULAR
    with pytest.warns(tandem.SingularWarning, match='joint "axle" moves no inertia'):
        tandem.forward_dynamics(model, q, q, q)
    with warnings.catch_warnings():
        warnings.simplefilter("error", tandem.ModelWarning)
        with pytest.raises(tandem.ModelWarning):
            tandem.load(file)


@pytest.mark.parametrize("name", ROBOTS)
def test_real_ones(name: str) -> None:
    if not (MODELS / "urdf" / name).exists():
        pytest.skip(f"NO ROBOTS UNDER {MODELS}")
    with pytest.warns(tandem.ModelWarning, match=f'joint "{ROBOTS[name]}"'):
        model = tandem.load(MODELS / "urdf" / name)
    q, zero = tandem.neutral_configuration(model), np.zeros(model.nv)
    with pytest.warns(tandem.SingularWarning, match=f'joint "{ROBOTS[name]}" moves no inertia'):
        tandem.forward_dynamics(model, q, zero, zero)
    assert np.isfinite(tandem.mass_matrix(model, q)).all()


def test_a_zero_quaternion_is_named() -> None:
    humanoid = tandem.load("humanoid", floating=True)
    q, zero = np.zeros(humanoid.nq), np.zeros(humanoid.nv)
    status = np.zeros((), np.uint8)
    tandem.forward_dynamics(humanoid, q, zero, zero, status=status)
    assert status == tandem.Status.ZERO_QUATERNION
    with pytest.warns(tandem.SingularWarning, match="a quaternion of the configuration is zero"):
        tandem.forward_dynamics(humanoid, q, zero, zero)


def test_the_centre_of_mass_of_nothing_is_nan() -> None:
    """As documented."""
    robot = tandem.ModelBuilder("nothing").link("base", mass=1).link("a").link("b")
    robot.joint("x", "prismatic", "base", "a").joint("turn", "revolute", "a", "b")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = robot.build()
    assert np.isnan(tandem.centre_of_mass(model, np.zeros(2))).all()
    assert "NaN for a robot whose moving links have no mass" in tandem.centre_of_mass.__doc__
