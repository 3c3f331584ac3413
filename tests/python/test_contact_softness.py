# SPDX-License-Identifier: Apache-2.0
"""Softness of contacts, limits and friction where MuJoCo has rules of its own."""

from __future__ import annotations

import numpy as np
import pytest
from contact_support import tight
from mujoco_support import mujoco

import tandem
from tandem import bridges, contact

BALL = '<geom size="0.1" mass="2"/>'


def compare(text: str) -> None:
    """Accelerations of three states, with MuJoCo's to 1e-9."""
    theirs = mujoco.MjModel.from_xml_string(text)
    tight(theirs)
    model, data = tandem.from_mujoco(theirs, couple_mimic_joints=True), mujoco.MjData(theirs)
    bridge = bridges.to_mujoco(model, theirs)
    dynamics = contact.ContactDynamics(model, cone="elliptic", impratio=1, tolerance=1e-12, most_steps=100)
    rng = np.random.default_rng(0)
    for _ in range(3):
        data.qvel[:] = 0.1 * rng.normal(size=theirs.nv)
        mujoco.mj_forward(theirs, data)
        q = bridge.q_from(data.qpos)
        v = bridge.v_from(data.qvel, q)
        a = bridge.a_from(data.qacc, q, v)
        np.testing.assert_allclose(dynamics(q, v, np.zeros(model.nv)).a, a, rtol=0, atol=1e-9 * np.abs(a).max())


def on_a_floor(body: str, more: str = "") -> str:
    floor = '<geom name="floor" type="plane" size="1 1 1"/>'
    return f'<mujoco><worldbody>{floor}<body name="b" pos="0 0 0.095">{body}</body></worldbody>{more}</mujoco>'


UP = 'type="slide" axis="0 0 1"'


@pytest.mark.parametrize("body", [
    f"<joint {UP}/>{BALL}",
    f'<joint {UP} armature="3"/>{BALL}',
    f'<joint type="slide" axis="1 0 0" armature="1"/><joint {UP}/>{BALL}',
    f'<joint {UP} armature="3" limited="true" range="0.01 1"/>{BALL}',
    f'<joint {UP} armature="3" frictionloss="1"/>{BALL}',
    f'<joint type="slide" axis="1 0 0"/><joint {UP}/><joint type="slide" axis="0 -1 0"/>'
    '<geom type="box" size="0.1 0.08 0.1"/>',
    f'<joint {UP} armature="3"/><geom size="0.1" mass="2" pos="0.3 0 0"/>',  # no simple one from here on
    f'<joint {UP} armature="3"/>{BALL}<body pos="0 0 0.3">{BALL}</body>',
    f'<joint {UP} armature="3"/>{BALL}<body pos="0 0 0.3"><joint/>{BALL}</body>',
    f'<joint {UP} armature="3"/>{BALL}<joint axis="1 0 0"/>',
    f'<joint type="slide" axis="0 1 1" armature="1"/>{BALL}',
], ids=["plain", "armature", "two slides", "limit", "friction", "box", "off centre", "fixed child", "child", "hinge",
        "tilted"])
def test_bodies_on_slides_are_as_soft_as_those_of_mujoco(body: str) -> None:
    compare(on_a_floor(body))


@pytest.mark.parametrize("constraint", [
    '<joint joint1="j" polycoef="0.1 0 0 0 0"/>',
    '<weld body1="b" relpose="0 0 0.02 1 0 0 0"/>',
    '<connect body1="b" anchor="0.1 0 0"/>',
])
def test_constraints_of_bodies_on_slides_are_as_soft_as_those_of_mujoco(constraint: str) -> None:
    body = f'<joint name="j" {UP} armature="3"/>{BALL}'
    compare(on_a_floor(body, f"<equality>{constraint}</equality>"))


def test_a_gripper_on_a_fixed_hand_is_that_of_mujoco() -> None:
    fingers = "".join(
        f'<body name="{name}" pos="0 {y} 0.06"><joint name="{name}" type="slide" axis="0 {side} 0" armature="0.1"'
        f' range="0 0.04"/><inertial pos="0 0 0" mass="0.015" diaginertia="2.4e-6 2.4e-6 7.5e-7"/>'
        f'<geom type="box" size="0.01 0.012 0.01"/></body>'
        for name, side, y in (("left", 1, -0.011), ("right", -1, 0.011))
    )
    compare(f"""<mujoco><worldbody><body name="hand"><geom size="0.02"/>{fingers}</body></worldbody>
        <equality><joint joint1="left" joint2="right"/></equality></mujoco>""")


@pytest.mark.parametrize("solref", ["0.02 0", "-100 1", "0 1", "0.03 -1", "0 0", "-900 0"])
def test_two_formats_in_one_solref_are_the_default(solref: str) -> None:
    """As in MuJoCo, which warns."""
    pair = '<contact><pair geom1="floor" geom2="s" {}/></contact>'
    body = '<freejoint/><geom name="s" size="0.1" mass="2"/>'
    compare(on_a_floor(body, pair.format(f'solref="{solref}"')))
    compare(on_a_floor(body, pair.format(f'solref="0.03 1" solreffriction="{solref}"')))
    compare(on_a_floor(f'<joint {UP} limited="true" range="0.01 1" solreflimit="{solref}"/>{BALL}'))
    compare(on_a_floor(f'<joint {UP} frictionloss="40" solreffriction="{solref}"/>{BALL}'))
    compare(on_a_floor(body, f'<equality><weld body1="b" relpose="0 0 0.1 1 0 0 0" solref="{solref}"/></equality>'))


def test_a_gap_below_zero_is_named() -> None:
    text = on_a_floor('<freejoint/><geom name="s" size="0.1" gap="-0.01"/>')
    model = tandem.from_mujoco(mujoco.MjModel.from_xml_string(text))
    with pytest.raises(tandem.Error, match=r'contacts with a gap below 0 are not computed: 1 \("floor" with "s"\)'):
        tandem.ContactSet(model)
    assert tandem.ContactSet(model, leave_out=True).n_slots == 0
