# SPDX-License-Identifier: Apache-2.0
"""Robots of MuJoCo: what is read of MJCF, models and specs, what is a warning, and what an error says."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tandem
from tandem import bridges

mujoco = pytest.importorskip("mujoco", reason="MJCF IS NOT TRIED: MuJoCo is not installed (pip install mujoco)")

#: A body with three joints off its origin, one with a ball, one that is fixed; sites, keyframes, a reference.
LEG = """<mujoco model="leg">
  <compiler angle="degree"/>
  <option gravity="0 1 -3"/>
  <worldbody>
    <body name="trunk" pos="0 0 1">
      <joint name="x" type="slide" axis="1 0 0" ref="0.25" pos="0 0 0.1" range="-1 1" armature="0.5"/>
      <joint name="turn" axis="0 1 0" ref="30" pos="0.2 0 0.1" springref="10" stiffness="7" damping="2" frictionloss="3"/>
      <joint name="swing" axis="0 0 1" pos="0.2 0 0.1"/>
      <geom size="0.1 0.2 0.3" type="box" contype="0" conaffinity="0"/>
      <site name="eye" pos="0 0 0.2" euler="0 90 0"/>
      <body name="mast" pos="0 0 0.3"><geom size="0.05" contype="0" conaffinity="0"/></body>
      <body name="thigh" pos="0 0 -0.3">
        <joint name="hip" type="ball" pos="0 0 0.05"/>
        <inertial pos="0 0 -0.2" mass="2" diaginertia="0.1 0.2 0.15" euler="0 20 0"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="turn" gear="10" ctrlrange="-2 2" ctrllimited="true" name="push"/>
  </actuator>
  <keyframe><key name="home" qpos="0.5 0.1 0.2 0 1 0 0"/></keyframe>
</mujoco>"""


def read(text: str) -> tandem.Model:
    return tandem.read_mjcf(text).build()


def inside(body: str, more: str = "") -> str:
    """A robot with one body."""
    inertia = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    return f'<mujoco><worldbody><body name="b">{inertia}{body}</body></worldbody>{more}</mujoco>'


class TestReading:
    def test_joints_in_their_order_with_their_numbers(self) -> None:
        leg = read(LEG)
        assert leg.name == "leg"
        assert list(leg.joint_names) == ["x", "turn", "swing", "hip"]
        assert [joint.type for joint in leg.joints] == ["prismatic", "continuous", "continuous", "spherical"]
        assert leg.link_names == ["world", "trunk:x", "trunk:turn", "trunk:swing", "thigh:hip"]
        assert {"trunk", "thigh", "mast", "eye"} <= set(leg.frame_names)
        assert leg.gravity == pytest.approx([0, 1, -3])
        assert leg.armature.tolist() == [0.5, 0, 0, 0, 0, 0]
        assert leg.damping.tolist() == [0, 2, 0, 0, 0, 0]
        assert leg.friction.tolist() == [0, 3, 0, 0, 0, 0]
        assert leg.stiffness.tolist() == [0, 7, 0, 0, 0, 0]
        assert leg.q_rest[1] == pytest.approx(np.deg2rad(10))
        assert (leg.q_lower[0], leg.q_upper[0]) == (-1, 1)
        assert leg.q_upper[1] == np.inf
        assert leg.tau_limit.tolist() == [np.inf, 20, *[np.inf] * 4]
        assert leg.warnings == []

    def test_keyframes_are_configurations(self) -> None:
        leg = read(LEG)
        assert leg.configuration_names == ["home", "qpos0"]
        assert leg.configuration("home").tolist() == [0.5, 0.1, 0.2, 1, 0, 0, 0]  # w comes last here
        assert leg.configuration("qpos0") == pytest.approx([0.25, np.pi / 6, 0, 0, 0, 0, 1])
        with pytest.raises(tandem.Error, match='has no configuration "hme"; did you mean "home"'):
            leg.configuration("hme")
        again = pickle.loads(pickle.dumps(leg))
        assert again.configuration("home").tolist() == leg.configuration("home").tolist()
        assert leg.reduced(["hip"]).configuration("home").tolist() == [0.5, 0.1, 0.2]

    def test_masses_of_shapes_are_those_of_the_compiler(self) -> None:
        leg, theirs = read(LEG), mujoco.MjModel.from_xml_string(LEG)
        assert leg.mass == pytest.approx(theirs.body_mass.sum(), rel=1e-15)

    def test_models_and_specs_are_the_same_robot(self) -> None:
        spec = mujoco.MjSpec.from_string(LEG)
        q = read(LEG).configuration("home")
        M = tandem.mass_matrix(read(LEG), q)
        for given in (spec, mujoco.MjModel.from_xml_string(LEG)):
            model = tandem.from_mujoco(given)
            assert np.array_equal(tandem.mass_matrix(model, q), M)
            assert model.configuration_names == ["home", "qpos0"]
        assert len(spec.geoms) == 2  # as it was
        with pytest.raises(tandem.Error,
                           match="model is a builtins.str, expected a mujoco.MjModel or MjSpec; for files"):
            tandem.from_mujoco("leg.xml")

    def test_files_are_loaded_described_and_pickled(self, tmp_path: Path) -> None:
        file = tmp_path / "leg.xml"
        file.write_text(LEG)
        leg = tandem.load(file)
        assert leg.nv == 6 and tandem.describe(file).joint_names == ["x", "turn", "swing", "hip", "trunk_fixed"][:3] + [
            "trunk",
            "mast",
            "hip",
            "thigh",
        ]
        file.unlink()
        assert pickle.loads(pickle.dumps(leg)).joint_names == leg.joint_names

    def test_python_writes_what_a_program_without_mujoco_reads(self, tmp_path: Path) -> None:
        (tmp_path / "leg.xml").write_text(LEG)
        (tmp_path / "bad.xml").write_text(LEG.replace("hinge", "door").replace('type="slide"', 'type="slope"'))

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            environment = os.environ | {"PYTHONPATH": str(Path(tandem.__file__).parents[1])}
            command = [sys.executable, "-m", "tandem.mjcf", *words]
            return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

        done = run("leg.xml")
        assert done.returncode == 0, done.stderr
        (tmp_path / "leg.urdf").write_text(done.stdout)
        leg, again = tandem.load(tmp_path / "leg.xml"), tandem.load(tmp_path / "leg.urdf")
        names = [[joint.name for joint in robot.joints] for robot in (leg, again)]
        assert names == [["x", "turn", "swing", "hip"], ["x", "turn", "swing", "hip_x", "hip_y", "hip_z"]]
        assert 'warning: ball joint "hip" becomes three hinges' in done.stderr
        assert "keyframes are ignored, as URDF does not support them: home" in done.stderr
        assert "RuntimeWarning" not in done.stderr
        still = [tandem.mass_matrix(robot, tandem.neutral_configuration(robot)) for robot in (leg, again)]
        np.testing.assert_allclose(still[1], still[0], rtol=1e-12, atol=1e-12)
        bad = run("bad.xml")
        assert bad.returncode == 2 and bad.stdout == "" and "error: bad.xml" in bad.stderr
        assert run().returncode == 2 and "Usage: python3 -m tandem.mjcf" in run().stderr

    def test_urdf_in_a_file_called_xml(self, tmp_path: Path) -> None:
        file = tmp_path / "robot.xml"
        file.write_text('<robot name="r"><link name="base"/></robot>')
        assert tandem.load(file).name == "r"

    def test_free_joints_and_names_that_are_missing(self) -> None:
        inertia = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        text = f"""<mujoco><worldbody>
          <body pos="1 2 3"><freejoint/>{inertia}<site/><body><joint/>{inertia}</body></body>
        </worldbody></mujoco>"""
        model = read(text)
        assert list(model.joint_names) == ["floating_base", "joint1"]
        assert model.link_names == ["world", "body1", "body2"]
        assert model.configuration("qpos0").tolist() == [1, 2, 3, 0, 0, 0, 1, 0]
        bridge = bridges.to_mujoco(model, mujoco.MjModel.from_xml_string(text))
        assert bridge.q_to(model.configuration("qpos0")).tolist() == [1, 2, 3, 1, 0, 0, 0, 0]

    def test_joints_that_follow_and_loops(self) -> None:
        inertia = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        text = f"""<mujoco><worldbody>
          <body name="a"><joint name="a" ref="0.5"/>{inertia}</body>
          <body name="b" pos="0 0 1"><joint name="b"/>{inertia}<body name="c" pos="1 0 0"><joint name="c"/>{inertia}</body></body>
        </worldbody><compiler angle="radian"/>
        <equality>
          <joint name="gear" joint1="a" joint2="b" polycoef="0.1 -2 0 0 0"/>
          <joint name="curve" joint1="c" joint2="b" polycoef="0 1 1 0 0"/>
          <joint name="hold" joint1="c"/>
          <joint name="back" joint1="b" joint2="a"/>
          <connect name="pin" body1="c" body2="a" anchor="0.1 0.2 0.3"/>
          <weld name="glue" body1="a" body2="c" active="false"/>
          <weld name="fast" body1="a" body2="c" relpose="0 0 0.5 1 1 0 0"/>
        </equality></mujoco>"""
        model = read(text)
        joint = model.joint("a")
        assert (joint.mimics, joint.multiplier, joint.offset) == ("b", -2, pytest.approx(0.6))
        assert model.nv == 2 and model.loop_names == ["pin", "fast"]
        assert [loop.type for loop in model.loops] == ["spherical", "fixed"]
        told = "\n".join(model.warnings)
        assert [(x.name, x.first, x.second, x.polynomial) for x in model.couplers] == [
            ("curve", "c", "b", (0, 1, 1, 0, 0)), ("hold", "c", None, (0, 0, 0, 0, 0)),
            ("back", "b", "a", (-0.5, 1, 0, 0, 0))]
        assert 'equality "curve": acts only in simulations with contacts and in contact dynamics' in told
        assert 'equality "glue": is ignored: it is inactive' in told

    @pytest.mark.parametrize("sites", [False, True])
    @pytest.mark.parametrize("kind", ["connect", "weld"])
    def test_loops_are_closed_where_constraints_are_kept(self, kind: str, sites: bool) -> None:
        """MuJoCo's residual of the constraint is zero where the loop is closed, and is not elsewhere."""
        inertia = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        ends = 'site1="s" site2="t"' if sites else 'body1="a" body2="c"'
        place = "" if sites else 'anchor="0.1 0.2 0.3"' + (' relpose="0.3 0.1 0.5 1 0.5 0.2 0.1"' if kind == "weld"
                                                           else "")
        text = f"""<mujoco><worldbody>
          <body name="a"><joint axis="0 1 0" pos="0.1 0 0"/>{inertia}<site name="s" pos="0 0.1 0" euler="10 0 0"/></body>
          <body name="c" pos="0 0.4 0.5"><freejoint/>{inertia}<site name="t" pos="0.2 0.1 0" euler="0 30 0"/></body>
        </worldbody><equality><{kind} name="loop" {ends} {place}/></equality></mujoco>"""
        model, theirs = read(text), mujoco.MjModel.from_xml_string(text)
        data, bridge = mujoco.MjData(theirs), bridges.to_mujoco(model, theirs)
        for seed in range(3):
            start = tandem.random_configuration(model, seed=seed)
            q, _, error = tandem.close_loops(model, start, np.zeros(model.nv), error=True)
            assert error < 1e-10
            for state, closed in ((q, True), (start, False)):
                data.qpos[:] = bridge.q_to(state)
                mujoco.mj_forward(theirs, data)
                assert (np.abs(data.efc_pos).max() < 1e-9) == closed


#: What has no equivalent, and how its warning begins.
LEFT_OUT = {
    "tendon": (
        inside('<joint name="j"/>', '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'),
        'tendon "t": acts only in simulations with contacts and in contact dynamics',
    ),
    "servo with dynamics": (
        inside('<joint name="j"/>', '<actuator><general name="servo" joint="j" dyntype="filter" actearly="true"/>'
               '</actuator>'),
        'actuator "servo": is ignored: its force is that of the activation after the step (actearly)',
    ),
    "muscle": (
        inside('<joint name="j"/>', '<actuator><muscle name="m" joint="j" lengthrange="0 1"/></actuator>'),
        'actuator "m": is ignored: it is a muscle',
    ),
    "site motor": (
        inside('<joint name="j"/><site name="s"/>', '<actuator><motor name="m" site="s" refsite="s"/></actuator>'),
        'actuator "m": is ignored: it acts between two sites',
    ),
    "contact": (inside('<joint/><geom size="1"/>'), "has 1 shape with collisions enabled"),
    "pair": (
        inside(
            '<joint/><geom name="g" size="1"/><geom name="h" size="1"/>',
            '<contact><pair geom1="g" geom2="h"/></contact>'
        ),
        'pair "pair0": acts only in calls with a ContactSet',
    ),
    "limited ball": (inside('<joint name="j" type="ball" range="0 10" limited="true"/>'),
                     'joint "j": the limit of its angle acts only'),
    "gravcomp": (inside("<joint/>").replace("<body", '<body gravcomp="1"'), 'body "b": gravity compensation acts only'),
    "mocap": (inside("").replace("<body", '<body mocap="true"'), 'body "b": is a mocap body'),
    "medium": (inside("<joint/>", '<option density="1.2"/>'), "is in a medium of density 1.2"),
    "sensor": (inside('<joint name="j"/>', '<sensor><jointpos joint="j"/></sensor>'), "has 1 sensor, not part of the"),
    "velocities of a key": (inside("<joint/>", '<keyframe><key name="k" qvel="1"/></keyframe>'),
                            'key "k": has velocities'),
    "activations of a key": (
        inside('<joint name="j"/>', '<actuator><intvelocity joint="j" actrange="-1 1"/></actuator>'
               '<keyframe><key name="k" act="0.5"/></keyframe>'),
        'key "k": has activations',
    ),
    "spring of a free joint": (inside('<joint name="j" type="free" stiffness="2"/>'),
                               'joint "j": has a spring, which is ignored'),
    "rotor of a free joint": (inside('<joint name="j" type="free" armature="2"/>'), 'joint "j": has armature'),
}


@pytest.mark.parametrize("what", LEFT_OUT)
def test_what_has_no_equivalent_is_a_warning(what: str) -> None:
    text, start = LEFT_OUT[what]
    assert any(start in warning for warning in read(text).warnings), read(text).warnings


MESH = ('<asset><mesh name="shell" file="shell.stl"/><texture name="t" type="2d" file="t.png"/>'
        '<material name="m" texture="t"/></asset>')


class TestMeshes:
    def test_those_that_are_missing_do_not_matter_where_inertias_are_explicit(self) -> None:
        assert read(inside('<joint/><geom type="mesh" mesh="shell" material="m"/>', MESH)).mass == 1

    def test_those_without_weight_do_not_matter(self) -> None:
        text = inside('<joint/><geom size="1"/><geom type="mesh" mesh="shell" mass="0"/>', MESH)
        text = text.replace('<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>', "")
        assert read(text).mass == pytest.approx(4000 / 3 * np.pi)

    def test_a_body_that_stands_still_loses_its_mass_with_a_warning(self) -> None:
        body = '<body name="base"><geom type="mesh" mesh="shell"/></body>'
        text = f"<mujoco>{MESH}<worldbody>{body}</worldbody></mujoco>"
        model = read(text)
        assert model.mass == 0
        assert any('the mesh "shell" (shell.stl) is missing: the mass of the body "base"' in w for w in model.warnings)

    def test_a_body_that_needs_one_is_named_with_it(self) -> None:
        body = '<body name="arm"><joint/><geom type="mesh" mesh="shell"/></body>'
        text = f"<mujoco>{MESH}<worldbody>{body}</worldbody></mujoco>"
        with pytest.raises(tandem.ModelError) as error:
            read(text)
        assert str(error.value) == (
            '<string>: mesh "shell": the file shell.stl cannot be opened, but the inertia of body "arm" is computed '
            'from it; '
            "expected the file or an <inertial> of the body"
        )
        (problem,) = error.value.problems
        assert (problem.file, problem.element) == ("<string>", 'mesh "shell"')


BROKEN = {
    "<mujoco": ("<string>:1", "XML"),
    "<mujoco><worldbody><bodi/></worldbody></mujoco>": ('<string>:1: element "bodi"', "unrecognized element"),
    '<mujoco><include file="nowhere.xml"/></mujoco>': ('<string>:1: element "include"', "nowhere.xml"),
    '<mujoco><worldbody><body name="a"><joint type="hing"/></body></worldbody></mujoco>': (
        '<string>:1: element "joint"',
        "hing",
    ),
    '<mujoco><worldbody><body name="a"><joint/></body></worldbody></mujoco>': (
        '<string>:1: element "a"',
        "mass and inertia of moving bodies",
    ),
    '<mujoco><worldbody><body name="a"/><body name="a"/></worldbody></mujoco>': ("<string>:1", "repeated name 'a'"),
}


@pytest.mark.parametrize("text", BROKEN)
def test_broken_files_are_refused_with_line_and_element(text: str) -> None:
    where, what = BROKEN[text]
    with pytest.raises(tandem.ModelError) as error:
        read(text)
    assert str(error.value).startswith(where) and what in str(error.value), str(error.value)


@pytest.mark.parametrize("part, words", [
    ('<tendon><fixed><joint joint="zz" coef="1"/></fixed></tendon>', "joint 'zz' not found"),
    ('<actuator><motor joint="zz"/></actuator>', "unknown transmission target 'zz'"),
    ('<contact><exclude body1="b" body2="zz"/></contact>', "body 'zz' not found"),
    ('<contact><pair geom1="g" geom2="zz"/></contact>', "geom 'zz' not found"),
    ('<equality><joint joint1="a" joint2="zz"/></equality>', "'zz'"),
])
def test_references_to_what_there_is_not_are_refused(part: str, words: str) -> None:
    """A copy of MuJoCo's specification leaves these elements out."""
    body = '<worldbody><body name="b"><joint name="a"/><geom name="g" size=".1"/></body></worldbody>'
    with pytest.raises(tandem.ModelError, match=words):
        tandem.read_mjcf(f"<mujoco>{body}{part}</mujoco>")


def test_files_that_include_themselves_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text('<mujoco><include file="b.xml"/></mujoco>')
    (tmp_path / "b.xml").write_text('<mujoco><include file="a.xml"/></mujoco>')
    with pytest.raises(tandem.ModelError, match=r'a.xml(:1)?: element "include": MuJoCo: File .* already included'):
        tandem.load(tmp_path / "a.xml")


def test_pieces_of_a_file_are_refused_or_read() -> None:
    """Nothing but Tandem's errors comes out of a file that was cut off or mixed up."""
    rng = np.random.default_rng(1)
    for end in range(9, len(LEG), 97):
        cut = list(LEG[:end])
        for k in rng.integers(len(cut), size=3):
            cut[k] = chr(rng.integers(32, 127))
        try:
            read("".join(cut))
        except tandem.Error as error:
            assert str(error)


def test_text_that_is_no_mjcf_is_refused() -> None:
    with pytest.raises(tandem.Error, match='mjcf is "leg.xml", expected MJCF text; for a file use describe'):
        tandem.read_mjcf("leg.xml")


def test_mujoco_is_imported_when_it_is_needed_and_named_when_it_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "leg.xml"
    file.write_text(LEG)
    code = f"""
import sys
import tandem
tandem.load("arm7")
assert "mujoco" not in sys.modules
sys.modules["mujoco"] = None
try:
    tandem.load({str(file)!r})
except tandem.Error as error:
    assert "is MJCF, which needs MuJoCo" in str(error) and "pip install mujoco" in str(error), error
else:
    raise AssertionError
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_nothing_is_printed_or_written(tmp_path: Path) -> None:
    text = inside("<joint/>", '<compiler settotalmass="3"/>')
    code = f"""
import os
import tandem
os.chdir({str(tmp_path)!r})
assert any('settotalmass' in warning for warning in tandem.read_mjcf({text!r}).build().warnings)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "") and not list(tmp_path.iterdir())
