# SPDX-License-Identifier: Apache-2.0
"""tandem rollout with the contacts of a file."""
import numpy as np
import pytest

h5py = pytest.importorskip("h5py")

BALL = """<mujoco model="ball"><option timestep="0.001"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/>
  <body name="ball" pos="0 0 0.3"><freejoint/><geom name="ball" size="0.1" mass="2"/></body>
</worldbody></mujoco>"""


def rolled(tandem, *words, name="r.h5"):
    tandem.file("ball.xml", BALL)
    text = tandem.good("rollout", "ball.xml", "--dt", 1e-3, *words, "--out", name)
    with h5py.File(tandem.folder / name) as file:
        return text, {key: file[key][()] for key in file}, dict(file.attrs)


def test_balls_move_as_simulate_moves_one(tandem):
    text, run, attributes = rolled(tandem, "--instances", 3, "--steps", 1000, "--every", 250)
    assert "contacts   1 pair of a link with the base, 0 pairs of two links\n" in text
    assert "J, by contacts;" in text and "Newton steps in a step" in text
    assert attributes["contacts"] == "1 pairs" and attributes["q0"] == "qpos0"
    tandem.good("simulate", "ball.xml", "--dt", 1e-3, "--time", 1, "--every", 250, "--out", "s.h5")
    with h5py.File(tandem.folder / "s.h5") as file:
        for name in "qv":
            for b in range(3):
                assert np.array_equal(run[name][b], file[name][()])
    assert run["q"][0, -1, 2] == pytest.approx(0.1, abs=2e-3)


@pytest.mark.parametrize("integrator", ["semi-implicit-euler", "rk4"])
@pytest.mark.parametrize("precision", ["double", "float"])
def test_the_same_bytes_in_any_chunks_on_any_threads(tandem, precision, integrator):
    words = ["--instances", 20, "--steps", 400, "--final", "--randomize", "v=normal:1,mass=uniform:0.5:2",
             "--precision", precision, "--integrator", integrator]
    rolled(tandem, *words, "--threads", 1)
    for name, more in {"a.h5": ["--threads", 2], "b.h5": ["--at-once", 7]}.items():
        rolled(tandem, *words, *more, name=name)
        assert (tandem.folder / name).read_bytes() == (tandem.folder / "r.h5").read_bytes()


def test_without_contacts_they_fall_through(tandem):
    text, run, attributes = rolled(tandem, "--instances", 2, "--steps", 1000, "--final", "--contacts", "off", "--q0",
                                   "qpos0")
    assert "contacts   off" in text and attributes["contacts"] == "off"
    assert run["q"][0, 2] == pytest.approx(0.3 - 9.81 / 2, rel=1e-2)


def test_costs_are_those_of_rollouts_with_contacts(tandem):
    _, run, _ = rolled(tandem, "--instances", 2, "--steps", 500, "--final", "--cost", "final_v=1,v=0.1")
    free = rolled(tandem, "--instances", 2, "--steps", 500, "--final", "--cost", "final_v=1,v=0.1", "--contacts", "off",
                  "--q0", "qpos0")[1]
    assert (run["cost"] < 0.5 * free["cost"]).all()


@pytest.mark.parametrize("more, why", [
    (("--integrator", "implicit-midpoint"), "contacts are simulated by semi_implicit_euler and rk4"),
    (("--method", "crba"), "contacts are solved by articulated_body"),
    (("--cost", "final_v=1", "--gradient", "v0"), "contacts are not differentiated"),
])  # fmt: skip
def test_what_does_not_serve_contacts_is_refused(tandem, more, why):
    tandem.file("ball.xml", BALL)
    text = tandem.refused("rollout", "ball.xml", "--dt", 1e-3, "--instances", 1, "--steps", 2, *more, "--out", "x.h5")
    assert why in text and "--contacts off simulates without contacts" in text
