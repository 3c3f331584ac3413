# SPDX-License-Identifier: Apache-2.0
"""tandem simulate with the contacts of a file."""
import pytest
from cli_support import table

BALL = """<mujoco model="ball"><option timestep="0.001"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/>
  <body name="ball" pos="0 0 0.3"><freejoint/><geom name="ball" size="0.1" mass="2"/></body>
</worldbody></mujoco>"""

#: Two bodies that can touch each other, and a cylinder beside a box that does not move.
MANY = """<mujoco model="many"><asset><hfield name="hill" nrow="2" ncol="2" size="1 1 0.1 0.1" elevation="0 1 0 1"/></asset>
<worldbody><geom name="hill" type="hfield" hfield="hill" pos="5 0 0" conaffinity="2" contype="2"/>
  <geom name="floor" type="plane" size="0 0 1"/><geom name="crate" type="box" size="0.1 0.1 0.1" pos="1 0 0.1"/>
  <body name="one" pos="0 0 0.3"><freejoint/><geom name="one" size="0.1"/></body>
  <body name="two" pos="0.5 0 0.3"><freejoint/><geom name="two" type="cylinder" size="0.1 0.1" contype="3"/></body>
</worldbody></mujoco>"""

ARM = """<mujoco model="arm"><worldbody><body name="arm"><joint axis="0 1 0"/><geom size="0.1" mass="1" contype="0" conaffinity="0"/>
</body></worldbody></mujoco>"""


def run_of(tandem, *arguments):
    text = tandem.good("simulate", *arguments, "--out", "out.csv")
    header, rows = table((tandem.folder / "out.csv").read_text())
    return text, {name: [row[k] for row in rows] for k, name in enumerate(header)}


def test_a_ball_comes_to_rest_on_the_floor(tandem):
    tandem.file("ball.xml", BALL)
    text, run = run_of(tandem, "ball.xml", "--time", 2, "--every", 100)
    assert "start      configuration qpos0 of the file" in text
    assert "contacts   1 pair of a link with the base, 0 pairs of two links\n" in text
    assert "J, by contacts;" in text and "Newton steps in a step" in text
    assert run["q2"][0] == 0.3 and run["q2"][-1] == pytest.approx(0.1, abs=1e-3)
    assert run["contact_force_ball_z"][0] == 0
    assert run["contact_force_ball_z"][-1] == pytest.approx(2 * 9.81, rel=1e-4)
    budget = [e + d - w for e, d, w in zip(run["energy"], run["dissipated"], run["work"])]
    assert max(budget) - min(budget) < 0.05 * max(run["kinetic"]) + 0.05


def test_without_contacts_it_falls_through(tandem):
    tandem.file("ball.xml", BALL)
    text, run = run_of(tandem, "ball.xml", "--time", 1, "--contacts", "off", "--q0", "qpos0")
    assert "contacts   off" in text
    assert run["q2"][-1] == pytest.approx(0.3 - 9.81 / 2, rel=1e-2)
    assert not any(name.startswith("contact_force") for name in run)


def test_float_states(tandem):
    tandem.file("ball.xml", BALL)
    _, run = run_of(tandem, "ball.xml", "--time", 1, "--precision", "float")
    assert run["q2"][-1] == pytest.approx(0.1, abs=1e-3)


#: A bar that hangs from the world by a constraint, beside two joints of which one follows the other.
HELD = """<mujoco model="held"><option timestep="0.001"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/>
  <body name="bar" pos="0 0 1"><freejoint/><geom type="capsule" size="0.02" fromto="0 0 0 0.2 0 0" mass="1"/></body>
  <body name="one" pos="1 0 1"><joint name="one" axis="0 1 0"/><geom size="0.05" pos="0.1 0 0" mass="1"/></body>
  <body name="two" pos="2 0 1"><joint name="two" axis="0 1 0"/><geom size="0.05" pos="0 0 -0.1" mass="1"/></body>
</worldbody><equality><connect body1="bar" body2="world" anchor="0 0 0"/>
  <joint joint1="two" joint2="one" polycoef="0 0.5 0 0 0"/></equality></mujoco>"""


def test_constraints_of_a_file_are_soft_with_contacts_and_exact_without(tandem):
    tandem.file("held.xml", HELD)
    text, run = run_of(tandem, "held.xml", "--time", 0.5, "--dt", 1e-3)
    assert "             1 loop joint, held by springs and dampers\n             1 coupler\n" in text
    positions = [[run[f"q{k}"][-1] for k in range(3)], [run["q7"][-1], run["q8"][-1]]]
    assert positions[0] == pytest.approx([0, 0, 1], abs=1e-3) and positions[0] != [0, 0, 1]
    assert 0 < abs(positions[1][1] - 0.5 * positions[1][0]) < 1e-2
    text, run = run_of(tandem, "held.xml", "--time", 0.5, "--dt", 1e-3, "--contacts", "off", "--q0", "qpos0")
    assert "contacts   off" in text and "q8" not in run
    assert [run[f"q{k}"][-1] for k in range(3)] == pytest.approx([0, 0, 1], abs=1e-9)


def test_what_is_not_simulated_is_told(tandem):
    tandem.file("many.xml", MANY)
    text = tandem.good("simulate", "many.xml", "--time", 0.1)
    assert "contacts   4 pairs of a link with the base, 1 pair of two links" in text
    assert 'NOT simulated: shapes whose form is not known: 1 ("hill": the height field "hill" is not read)' in text


@pytest.mark.parametrize("more, why", [
    (("--integrator", "implicit-midpoint"),
     "contacts are simulated by semi_implicit_euler and rk4, and the integrator is implicit_midpoint"),
    (("--method", "crba"), "contacts are solved by articulated_body, and the method is composite_rigid_body"),
    (("--specialise", "on"), "contacts are not compiled for a robot, and specialise is on"),
])  # fmt: skip
def test_what_does_not_serve_contacts_is_refused(tandem, more, why):
    tandem.file("ball.xml", BALL)
    assert f"{why}; --contacts off simulates without contacts" in tandem.refused("simulate", "ball.xml", "--time", 1,
                                                                                 *more)
    tandem.good("simulate", "ball.xml", "--time", 0.1, *more, "--contacts", "off")


def test_a_robot_that_touches_nothing(tandem):
    tandem.file("arm.xml", ARM)
    assert "contacts" not in tandem.good("simulate", "arm.xml", "--time", 0.1,
                                         "--integrator",
                                         "rk4").replace("contacts   0 pairs of a link with the base, 0 pairs of two "
                                                        "links", "")
    assert "no two shapes of arm can touch" in tandem.refused("simulate", "arm.xml", "--time", 1, "--contacts", "on")


def test_hdf5_has_the_forces(tandem):
    h5py = pytest.importorskip("h5py")
    tandem.file("ball.xml", BALL)
    tandem.good("simulate", "ball.xml", "--time", 1, "--every", 500, "--out", "out.h5")
    with h5py.File(tandem.folder / "out.h5") as file:
        assert file["contact_force"].shape == (3, 1, 3)
        assert file["contact_force"][-1, 0, 2] == pytest.approx(2 * 9.81, rel=1e-2)


def test_a_recording_is_a_file_of_states(tandem):
    tandem.file("ball.xml", BALL)
    run_of(tandem, "ball.xml", "--time", 0.5, "--every", 50)
    tandem.good("simulate", "ball.xml", "--time", 0.1, "--q0", "out.csv")
    assert "contact_force" not in tandem("eval", "ball.xml", "energy", "--in", "out.csv").stderr
