# SPDX-License-Identifier: Apache-2.0
"""MJCF on the command line, and beside what Python reads through the package mujoco."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from cli_support import ROOT, Cli

FILES = sorted((ROOT.parent / "shared" / "models" / "mjcf").rglob("*.xml"))
LEG = """<mujoco model="leg"><compiler angle="degree"/><worldbody>
  <body name="thigh"><joint name="hip" axis="0 1 0" range="-90 90"/><geom size="0.1" contype="0" conaffinity="0"/>
    <body name="shin" pos="0 0 -0.4"><joint name="knee" axis="0 1 0"/><geom size="0.1" contype="0" conaffinity="0"/></body></body>
  </worldbody><keyframe><key name="bent" qpos="0.5 -1"/></keyframe></mujoco>"""


@pytest.fixture
def leg(tandem: Cli) -> str:
    file = tandem.file("leg.xml", LEG)
    result = tandem("info", str(file))
    if result.returncode != 0 and "this build of Tandem has no MuJoCo" in result.stderr:
        pytest.skip("MJCF IS NOT TRIED ON THE COMMAND LINE: it was built without MuJoCo (pip install mujoco)")
    assert result.returncode == 0, result.stderr
    return str(file)


def test_info_lists_configurations(tandem: Cli, leg: str) -> None:
    shown = tandem("info", leg).stdout
    assert "Named configurations" in shown and "bent" in shown
    found = json.loads(tandem("info", leg, "--json").stdout)
    assert found["configurations"] == [{"name": "bent", "q": [0.5, -1]}]
    assert [joint["name"] for joint in found["joints"]] == ["hip", "knee"]


def test_simulations_start_from_a_configuration_by_its_name(tandem: Cli, leg: str) -> None:
    run = tandem("simulate", leg, "--time", "0.01", "--dt", "0.01", "--q0", "bent", "--out", "-")
    assert run.returncode == 0, run.stderr
    header, first = run.stdout.splitlines()[:2]
    row = dict(zip(header.split(","), first.split(","), strict=True))
    assert (float(row["q0"]), float(row["q1"])) == (0.5, -1)
    refused = tandem("simulate", leg, "--time", "0.01", "--q0", "bnet")
    assert refused.returncode != 0
    expected = "--q0 bnet: expected leaning, neutral, random, bent, numbers separated by commas, or a file"
    assert expected in refused.stderr


SERVO = """<mujoco model="servo"><option gravity="0 0 0"/><worldbody>
  <body name="link"><joint name="hinge" axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
  </worldbody>
  <actuator><adhesion name="pull" body="link" ctrlrange="0 9"/><position name="servo" joint="hinge" kp="100" kv="20" forcerange="-50 50"/></actuator>
  <keyframe><key name="away" qpos="0" ctrl="0 0.25"/></keyframe></mujoco>"""


def test_actuators_drive_a_simulation(tandem: Cli, leg: str) -> None:
    """A servo with kp 100 and kv 20 of an inertia of 1 is critically damped: x = 0.25 (1 - (1 + 10 t) exp(-10 t))."""
    file = str(tandem.file("servo.xml", SERVO))
    shown = tandem("info", file).stdout
    assert "Actuators" in shown and "ignored" in shown and "-50 50" in shown
    found = json.loads(tandem("info", file, "--json").stdout)
    assert [actuator["joint"] for actuator in found["actuators"]] == [None, "hinge"]
    assert found["configurations"][0]["ctrl"] == [0, 0.25] and found["joints"][0]["effort"] == 50
    for ctrl, integrator, error in (
        ("away", "rk4", 1e-8),
        ("7,0.25", "rk4", 1e-8),
        ("away", "semi-implicit-euler", 1e-4),
    ):
        run = tandem("simulate", file, "--time", "0.3", "--dt", "1e-4", "--integrator", integrator, "--ctrl", ctrl,
                     "--out", "-")
        assert run.returncode == 0, run.stderr
        header, *_, last = run.stdout.splitlines()
        row = dict(zip(header.split(","), last.split(","), strict=True))
        assert float(row["q0"]) == pytest.approx(0.25 * (1 - (1 + 3) * math.exp(-3)), abs=error)
    for words, told in (
        ((file, "--ctrl", "0.1"), "--ctrl has 1 numbers, expected the number of actuators = 2"),
        ((file, "--ctrl", "away", "--kp", "3"), "--ctrl excludes --target, --kp and --kd"),
        ((leg, "--ctrl", "1"), '--ctrl: the robot "leg" has no actuators'),
    ):
        refused = tandem("simulate", words[0], "--time", "0.01", *words[1:])
        assert refused.returncode == 2 and told in refused.stderr, refused.stderr


def test_formats_become_one_another(tandem: Cli, leg: str, tmp_path: Path) -> None:
    urdf = tandem("generate", leg)
    assert urdf.returncode == 0 and urdf.stdout.startswith("<?xml") and 'joint name="knee"' in urdf.stdout
    again = tmp_path / "again.xml"
    assert tandem("generate", leg, "--format", "mjcf", "--out", str(again)).returncode == 0
    facts = [json.loads(tandem("info", file, "--json").stdout) for file in (leg, str(again))]
    assert facts[0] == facts[1]
    assert tandem("generate", "arm7", "--format", "mjcf").stdout.startswith("<mujoco model=")
    refused = tandem("generate", "tree:20", "--format", "mjcf")
    assert refused.returncode == 0 or "cannot be written as MJCF" in refused.stderr
    wrong = tandem("generate", "arm7", "--format", "sdf")
    assert wrong.returncode != 0 and "--format" in wrong.stderr


def test_errors_name_file_line_and_element(tandem: Cli, leg: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.xml"
    file.write_text("<mujoco>\n<worldbody>\n<bodi/></worldbody></mujoco>")
    result = tandem("info", str(file))
    assert result.returncode != 0 and f'{file}:3: element "bodi": MuJoCo: ' in result.stderr
    file.write_text('<mujoco><asset><mesh name="m" file="m.stl"/></asset><worldbody><body name="a"><joint/>'
                    '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>')
    result = tandem("info", str(file))
    assert f'{file}: mesh "m": the file' in result.stderr
    assert 'the inertia of body "a" is computed from it' in result.stderr


@pytest.mark.parametrize("file", FILES[::4], ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_what_the_command_line_reads_is_what_python_reads(tandem: Cli, file: Path, leg: str) -> None:
    python = pytest.importorskip("tandem")
    pytest.importorskip("mujoco")
    result = tandem("info", str(file), "--json")
    try:
        model = python.load(file)
    except python.Error as error:
        assert result.returncode != 0 and result.stderr == f"error: {error}\n".replace("\n" + str(file), "\nerror: "
                                                                                       + str(file)) or (
            str(error).splitlines()[0] in result.stderr
        )
        return
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert [link["name"] for link in found["links"]] == model.link_names
    assert [joint["name"] for joint in found["joints"]] == list(model.joint_names)
    assert [link["mass"] for link in found["links"]] == [model.link_mass(name) for name in model.link_names]
    assert [(each["name"], each["q"]) for each in found["configurations"]] == [
        (name, model.configuration(name).tolist()) for name in model.configuration_names
    ]
    assert [joint["lower"] for joint in found["joints"] if joint["nq"] == 1 and joint["lower"] is not None] == [
        model.q_lower[joint.q_index] for joint in model.joints if joint.nq == 1
        and model.q_lower[joint.q_index] > -1e308
    ]
    assert [(s["name"], s["type"], s["link"], s["frame"], s["size"], tuple(s["friction"]), "unread" in s)
            for s in found["shapes"]] == [
        (s.name, s.type, s.link, s.frame, s.size.tolist(), s.friction, bool(s.unread)) for s in model.shapes
    ]
    assert len(found["contact_problems"]) == len(model.contact_problems())
    assert found["warnings"] == model.warnings
