# SPDX-License-Identifier: Apache-2.0
"""tandem info: tables and JSON."""
import json

from cli_support import PENDULUM


def info(tandem, *arguments):
    return json.loads(tandem.good("info", *arguments, "--json"))


def test_json_of_a_file(tandem):
    tandem.file("p.urdf", PENDULUM)
    robot = info(tandem, "p.urdf")
    assert {key: robot[key] for key in ("name", "nq", "nv", "mass", "depth")} == {
        "name": "pendulum", "nq": 1, "nv": 1, "mass": 2.0, "depth": 1}
    assert robot["links"] == [{"name": "base", "parent": None, "joint": None, "mass": 0.0},
                              {"name": "bob", "parent": "base", "joint": "hinge", "mass": 2.0}]
    hinge, = robot["joints"]
    expected = {"name": "hinge", "type": "revolute", "parent": "base", "child": "bob", "axis": [0, 1, 0], "q_index": 0,
                "v_index": 0, "nq": 1, "nv": 1, "lower": -1, "upper": 1, "velocity": 3, "effort": 5}
    assert {key: hinge[key] for key in expected} == expected
    assert {"name": "tip", "link": "bob"} in robot["frames"]
    assert robot["warnings"] == []


def test_json_of_a_floating_robot(tandem):
    robot = info(tandem, "arm7", "--floating")
    base = robot["joints"][0]
    assert (base["name"], base["type"], base["nq"], base["nv"]) == ("floating_base", "free", 7, 6)
    assert base["lower"] is None and base["upper"] is None
    assert robot["nq"] == 14 and robot["nv"] == 13


def test_limits_without_bounds_are_null(tandem):
    tandem.file("p.urdf", PENDULUM.replace("revolute", "continuous").replace('lower="-1" upper="1" ', ""))
    hinge, = info(tandem, "p.urdf")["joints"]
    assert hinge["type"] == "continuous" and hinge["lower"] is None and hinge["upper"] is None


def test_mimic_joints_follow(tandem):
    second = """<link name="bob2"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="follower" type="continuous"><parent link="base"/><child link="bob2"/><axis xyz="0 0 1"/>
        <mimic joint="hinge" multiplier="-2" offset="0.5"/></joint></robot>"""
    tandem.file("p.urdf", PENDULUM.replace("</robot>", second))
    robot = info(tandem, "p.urdf")
    follower = next(joint for joint in robot["joints"] if joint["name"] == "follower")
    assert robot["nv"] == 1 and follower["nq"] == 0 and follower["nv"] == 0 and follower["v_index"] == 0
    assert (follower["mimic"], follower["multiplier"], follower["offset"]) == ("hinge", -2, 0.5)
    assert "= -2 hinge + 0.5" in tandem.good("info", "p.urdf")


def test_text_shows_what_matters(tandem):
    tandem.file("p.urdf", PENDULUM)
    text = tandem.good("info", "p.urdf")
    for part in ["pendulum", "nq 1, nv 1, depth 1", "mass 2 kg", "hinge", "revolute", "0 1 0", "tip"]:
        assert part in text
    columns = [line.index("joint") for line in text.splitlines() if line.lstrip().startswith("#") and " joint" in line]
    assert columns  # headings are there


def test_warnings_are_shown(tandem):
    tandem.file("p.urdf", PENDULUM.replace('ixx="0.1"', 'ixx="9"'))
    assert len(info(tandem, "p.urdf")["warnings"]) == 1
    assert "Warnings" in tandem.good("info", "p.urdf")


def test_long_tables_are_shortened_unless_asked(tandem):
    assert "and 401 more" in tandem.good("info", "chain:500")
    assert "more" not in tandem.good("info", "chain:500", "--all")


def test_names_need_not_be_ascii(tandem):
    tandem.file("p.urdf", PENDULUM.replace("hinge", "Gelenk_ü_关节"))
    assert info(tandem, "p.urdf")["joints"][0]["name"] == "Gelenk_ü_关节"
    assert "Gelenk_ü_关节" in tandem.good("info", "p.urdf")


def test_generated_robots_depend_on_the_seed_only(tandem):
    assert info(tandem, "chain:5", "--seed", 3) == info(tandem, "chain:5", "--seed", 3)
    assert info(tandem, "chain:5", "--seed", 3) != info(tandem, "chain:5", "--seed", 4)
