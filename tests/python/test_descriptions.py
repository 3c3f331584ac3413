# SPDX-License-Identifier: Apache-2.0
"""URDF as people have it: encodings, numbers that a joint does not use, limits that are none."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tandem


@pytest.mark.parametrize("declared", ["ISO-8859-1", "latin1", "UTF-8", "windows-1252", None])
def test_text_has_characters_whatever_encoding_it_declares(declared):
    """As of ElementTree: a str is decoded already."""
    from xml.etree import ElementTree

    declaration = f'<?xml version="1.0" encoding="{declared}"?>\n' if declared else ""
    text = declaration + '<robot name="r"><link name="Gelenk für größte Öffnung"/><link name="日本"/>\n' \
        '<joint name="ß" type="fixed"><parent link="Gelenk für größte Öffnung"/><child link="日本"/></joint></robot>'
    expected = [link.get("name") for link in ElementTree.fromstring(text).iter("link")]
    model = tandem.Model.from_urdf_string(text)
    assert [name for name in model.frame_names if name in expected] == expected
    assert tandem.read_urdf(text).build().frame_names == model.frame_names
    assert pickle.loads(pickle.dumps(model)).frame_names == model.frame_names
    with pytest.raises(tandem.ModelError, match=r"t\.urdf:" + ("3" if declared else "2")):
        tandem.Model.from_urdf_string(text.replace('"fixed"', '"fxed"'), name="t.urdf")


JOINT = """<robot name="r"><link name="base"/><link name="body"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="{type}"><parent link="base"/><child link="body"/>{more}</joint></robot>"""
UNUSED = {
    '<axis xyz="0 0 0"/>': "",
    "<axis/>": "",
    '<axis xyz="0 nan 1"/>': "",
    '<axis xyz="1 0"/>': "",
    '<limit effort="-1" velocity="1"/>': "effort -1 is ignored: a {type} joint has none",
    '<limit effort="1" velocity="-1"/>': "velocity -1 is ignored: a {type} joint has none",
    '<dynamics damping="-0.5"/>': "damping -0.5 is ignored: a {type} joint has none",
    '<dynamics friction="-2"/>': "friction -2 is ignored: a {type} joint has none",
}


@pytest.mark.parametrize("more", UNUSED)
def test_joints_are_not_refused_for_what_they_do_not_use(more):
    for type in ("fixed", "floating"):
        model = tandem.Model.from_urdf_string(JOINT.format(type=type, more=more))
        expected = UNUSED[more].format(type=type)
        assert [expected in warning for warning in model.warnings if "is ignored" in warning] == [True] * bool(expected)
        assert model.mass == 1
        if type == "floating":
            assert (model.damping == 0).all() and (model.friction == 0).all() and (model.tau_limit >= 1).all()
    with pytest.raises(tandem.ModelError, match='joint "j"'):
        tandem.Model.from_urdf_string(JOINT.format(type="revolute", more=more))


def test_a_long_rail_is_no_fault_of_the_functions():
    """Drawn anywhere in +-1e6 m, a robot has six digits fewer; check_model draws near the middle."""
    rail = """<robot name="r"><link name="base"/><link name="cart"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="rail" type="prismatic"><parent link="base"/><child link="cart"/><axis xyz="1 0 0"/>
      <limit lower="-1e6" upper="1e6" effort="1" velocity="1"/></joint></robot>"""
    builder = tandem.read_urdf(rail).append(tandem.describe("arm7"), to="cart", prefix="arm_")
    for result in tandem.check_model(builder.build()):
        assert result.outcome != "failed", result
