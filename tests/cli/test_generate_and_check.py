# SPDX-License-Identifier: Apache-2.0
"""tandem generate and tandem check."""
import json
import os
import re
from pathlib import Path

import pytest
from cli_support import PENDULUM, ROOT

GENERATORS = ["chain:12", "rope:5", "rope:5:bending", "tree:12", "snake:6"]
MODELS = Path(os.environ.get("TANDEM_MODELS", ROOT.parent / "shared/models"))
FILES = sorted(path for path in MODELS.rglob("*") if path.suffix.lower() == ".urdf")


@pytest.mark.parametrize("spec", GENERATORS)
def test_generated_text_is_the_generated_robot(tandem, spec):
    tandem.file("r.urdf", tandem.good("generate", spec, "--seed", 7))
    written, made = (json.loads(tandem.good("info", robot, "--seed", 7, "--json")) for robot in ("r.urdf", spec))
    assert written["mass"] == pytest.approx(made["mass"], rel=1e-14)
    if "rope:5" != spec and not spec.startswith("tree"):  # URDF has no spherical joints
        assert (written["nq"], written["nv"]) == (made["nq"], made["nv"])


def test_the_seed_decides(tandem):
    assert tandem.good("generate", "chain:9", "--seed", 1) == tandem.good("generate", "chain:9", "--seed", 1)
    assert tandem.good("generate", "chain:9", "--seed", 1) != tandem.good("generate", "chain:9", "--seed", 2)


def test_into_a_file(tandem):
    assert tandem.good("generate", "arm7", "--out", "a.urdf") == ""
    assert (tandem.folder / "a.urdf").read_text() == (ROOT / "robots/arm7.urdf").read_text()


@pytest.mark.parametrize("spec", ["chain", "chain:x", "chain:0", "chain:99999999999", "hen:3", "nowhere.urdf"])
def test_bad_specs(tandem, spec):
    assert "error: " in tandem.refused("generate", spec, "--out", "x.urdf")
    assert os.listdir(tandem.folder) == []


def info(tandem, robot: str) -> dict:
    return json.loads(tandem.good("info", robot, "--json"))


def test_edited_robots(tandem):
    words = ("--lock", "joint3", "--lock", "joint5=0.3", "--scale-length", 2, "--scale-mass", 3, "--remove", "link7")
    tandem.good("generate", "arm7", *words, "--out", "r.urdf")
    whole, edited = info(tandem, "arm7"), info(tandem, "r.urdf")
    assert (edited["nq"], edited["mass"] < 3 * whole["mass"]) == (4, True)
    tandem.good("generate", "r.urdf", "--append", "arm6", "--to", "link6", "--prefix", "tool_", "--out", "both.urdf")
    assert info(tandem, "both.urdf")["nq"] == 4 + 6
    assert "properties that apply hold" in tandem.good("check", "both.urdf")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--lock", "joint9"], 'robot "arm7" has no joint "joint9"; did you mean "joint1"'),
        (["--lock", "joint5=x"], '--lock joint5: "x" is not a number'),
        (["--lock", "joint5=1,2"], "its position has 2 numbers, expected 1"),
        (["--remove", "hand"], 'robot "arm7" has no link "hand"'),
        (["--scale-mass", "0"], "--scale-mass"),
        (["--append", "arm6"], "--append requires --to and the reverse"),
        (["--to", "link7"], "--append requires --to and the reverse"),
        (["--prefix", "x_"], "--prefix requires --append"),
        (["--append", "arm7", "--to", "link7"], "give a prefix"),
    ],
)
def test_bad_edits(tandem, words, message):
    assert message in tandem.refused("generate", "arm7", *words, "--out", "x.urdf")
    assert os.listdir(tandem.folder) == []


@pytest.mark.parametrize("robot", ["arm6", "arm7", "four_bar", "quadruped", "humanoid", *GENERATORS])
@pytest.mark.parametrize("words", [[], ["--floating"], ["--precision", "float"]], ids=" ".join)
def test_all_laws_hold(tandem, robot, words):
    text = tandem.good("check", robot, *words)
    assert "properties that apply hold" in text and "FAILED" not in text


def test_json_of_check(tandem):
    result = json.loads(tandem.good("check", "arm7", "--json"))
    outcomes = {p["name"]: p["outcome"] for p in result["properties"]}
    assert outcomes["forward dynamics inverts inverse dynamics"] == "ok"
    assert outcomes["only external forces change the momentum"] == "not applicable"
    assert all(p["error"] <= p["tolerance"] for p in result["properties"] if p["outcome"] == "ok")


def test_robots_without_mass_are_checked_as_far_as_it_makes_sense(tandem):
    tandem.file("p.urdf", re.sub("<inertial>.*</inertial>", "", PENDULUM, flags=re.DOTALL))
    text = tandem.good("check", "p.urdf")
    assert "not applicable: no moving mass" in text and "velocity = J v" in text


def test_negative_inertia_is_noted_by_name(tandem):
    tandem.file("p.urdf", PENDULUM.replace('iyy="0.2"', 'iyy="-0.9"'))
    text = tandem.good("check", "p.urdf")
    assert 'not positive definite: the description gives negative moments of inertia to "bob"' in text
    assert "not applicable: the mass matrix is not positive definite" in text


def test_a_massless_link_at_the_end_is_warned_of(tandem):
    tandem.file("p.urdf", PENDULUM.replace("</robot>", '<link name="hand"/><joint name="axle" type="continuous">'
                                           '<parent link="bob"/><child link="hand"/></joint></robot>'))
    run = tandem("check", "p.urdf")
    assert run.returncode == 0, run.stdout
    assert run.stderr.count("warning: ") == 1 and 'joint "axle": link "hand"' in run.stderr
    assert "it makes forward dynamics singular" in run.stderr
    given = "q0,q1,v0,v1,tau0,tau1\n0,0,0,0,0,0\n"
    run = tandem("eval", "forward-dynamics", "p.urdf", "--status", stdin=given)
    assert run.stdout.splitlines()[1].endswith(",singular") and "note: 1 of 1 states: 1 singular" in run.stderr
    run = tandem("info", "p.urdf")
    assert "it makes forward dynamics singular" in run.stdout and run.stderr == ""


@pytest.mark.skipif(not FILES, reason=f"NO ROBOT FILES UNDER {MODELS}: set TANDEM_MODELS")
@pytest.mark.parametrize("words", [[], ["--floating"]], ids=" ".join)
@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_all_laws_hold_for_real_robots(tandem, file, words):
    run = tandem("check", file, *words)
    assert run.returncode == 0, run.stdout + run.stderr
