# SPDX-License-Identifier: Apache-2.0
"""What flags and options of MJCF switch off, and margins of limits, against MuJoCo."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from contact_support import Twin, follow, simulation_of
from mujoco_support import mujoco

import tandem

#: A capsule on the floor with a hinge and a slide beyond their limits, coupled, with a tendon; all of it pushes.
ROBOT = """<mujoco model="robot"><option timestep="0.002" {option}><flag {flag}/></option>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="trunk" pos="0 0 0.19"><freejoint/><geom name="trunk" type="capsule" size="0.1 0.1" mass="2"/>
      <body name="arm" pos="0 0 0.3">
        <joint name="hinge" axis="0 1 0" damping="0.3" frictionloss="0.1" stiffness="1" springref="10" range="-10 5"
          margin="0.02"/>
        <joint name="slide" type="slide" axis="0 0 1" frictionloss="0.2" damping="1" range="-0.1 0.01" margin="0.003"/>
        <geom name="arm" size="0.08" pos="0.1 0 0.1" mass="0.5"/></body></body>
  </worldbody>
  <tendon><fixed name="tendon" range="-0.1 0.1" frictionloss="0.3"><joint joint="hinge" coef="0.3"/>
    <joint joint="slide" coef="1"/></fixed></tendon>
  <equality><joint joint1="hinge" joint2="slide" polycoef="0 1 0.3 0 0"/></equality>
  <actuator><motor joint="hinge" ctrlrange="-1 1"/></actuator>
</mujoco>"""


def robot(flag: str = "", option: str = "") -> Twin:
    return Twin(ROBOT.format(flag=flag, option=option), "pyramidal")


def difference(twin: Twin) -> float:
    """The largest relative difference of accelerations in ten states."""
    rng = np.random.default_rng(3)
    data, worst = twin.data, 0.0
    dynamics = tandem.contact.ContactDynamics(twin.contacts, tolerance=1e-10, most_steps=100)
    for _ in range(10):
        data.qpos[:] = twin.theirs.qpos0
        data.qpos[7:] = rng.uniform([-0.25, -0.12], [0.2, 0.03])
        data.qvel[:], data.ctrl[:] = 0.5 * rng.normal(size=8), 3 * rng.normal()
        data.qacc_warmstart[:] = 0
        mujoco.mj_forward(twin.theirs, data)
        q = twin.bridge.q_from(data.qpos)
        v = twin.bridge.v_from(data.qvel, q)
        tau = tandem.passive_forces(twin.model, q, v, parameters={"friction": np.zeros(twin.model.nv)})
        if twin.model.actuators:
            tau = tau + tandem.actuator_forces(twin.model, q, v, data.ctrl)
        a = twin.accelerations(q, v)
        worst = max(worst, np.abs(dynamics(q, v, tau).a - a).max() / np.abs(a).max())
    return worst


FLAGS = ["constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity", "clampctrl",
         "actuation", "warmstart"]  # fmt: skip


@pytest.mark.parametrize("flag", FLAGS)
def test_disabled_flags_switch_off_what_they_do_in_mujoco(flag: str) -> None:
    assert difference(robot(f'{flag}="disable"')) < 1e-8


def test_margins_of_limits_are_those_of_mujoco() -> None:
    twin = robot()
    assert difference(twin) < 1e-8
    assert "margin, which acts only in simulations with contacts" in " ".join(twin.model.warnings)


def test_motions_with_margins_follow_mujoco() -> None:
    twin = robot()
    simulation = simulation_of(twin)
    simulation.q[-2:] = 0.08, 0.0075  # within the margins of both
    worst, pushed = follow(twin, simulation, 200)
    assert worst < 1e-6 and pushed > 0


def test_margins_are_kept_by_write_mjcf_and_pickle_and_scale_with_slides() -> None:
    model = robot().model
    text = tandem.describe(model).write_mjcf()
    theirs = mujoco.MjModel.from_xml_string(text)
    assert sorted(theirs.jnt_margin) == pytest.approx([0, 0.003, 0.02])
    larger = mujoco.MjModel.from_xml_string(tandem.describe(model).scale(length=2).write_mjcf())
    assert sorted(larger.jnt_margin) == pytest.approx([0, 0.006, 0.02])
    assert tandem.describe(pickle.loads(pickle.dumps(model))).write_mjcf() == text


@pytest.mark.parametrize(
    ("flag", "option", "text"),
    [
        ('eulerdamp="disable"', "", "disables implicit damping"),
        ('refsafe="disable"', "", "two steps are the least"),
        ("", 'noslip_iterations="4"', "asks for iterations against slip"),
        ('equality="disable"', "", "is ignored: it is disabled"),
        ('diagexact="enable"', "", "asks for the exact diagonal"),
    ],
)
def test_what_is_left_out_is_a_warning(flag: str, option: str, text: str) -> None:
    assert text in " ".join(robot(flag, option).model.warnings)


def test_a_limit_of_all_actuators_of_a_tendon_is_a_warning() -> None:
    xml = ROBOT.format(flag="", option="").replace('name="tendon"', 'name="tendon" actuatorfrcrange="-1 1"')
    assert "a limit of the force of all its actuators" in " ".join(Twin(xml).model.warnings)


def test_gravity_is_not_compensated_without_springs_and_damping() -> None:
    xml = ROBOT.replace('<body name="arm"', '<body name="arm" gravcomp="0.7"')
    for flag in ('spring="disable"', 'damper="disable"', 'spring="disable" damper="disable"'):
        assert difference(Twin(xml.format(flag=flag, option=""), "pyramidal")) < 1e-8


def test_a_capsule_that_stands_upright_has_the_tangents_of_mujoco() -> None:
    xml = """<mujoco><option timestep="0.002" cone="pyramidal"/><worldbody><geom name="floor" type="plane" size="0 0 1"/>
      <body pos="0 0 0.19"><freejoint/><geom name="pin" type="capsule" size="0.1 0.1"/></body></worldbody>
      <contact><pair geom1="pin" geom2="floor" condim="4" friction="1 0.2 0.01 0.001 0.001"/></contact></mujoco>"""
    twin = Twin(xml, "pyramidal")
    q, v = twin.bridge.q_from(twin.theirs.qpos0), np.array([1.0, 0.7, 0, 0, 0, 0.3])
    twin.forward(q, v, np.zeros(6))
    found = tandem.contact_dynamics(twin.contacts, q, v, np.zeros(6), tolerance=1e-10, most_steps=100)
    np.testing.assert_allclose(found.a, twin.accelerations(q, v), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.f_contact, twin.forces(q), rtol=1e-8, atol=1e-8)
