# SPDX-License-Identifier: Apache-2.0
"""tandem rollout --cost --gradient: what is derived is how the costs of other rollouts differ, whatever chunks and
parts it is done in."""
import os
from pathlib import Path

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")

START, GOAL = [0, 0.5, 0, 1, 0, 0.5, 0], [0.3, 0.2, -0.4, 0.9, 0.5, 0, 0.1]
RANDOM = "v=normal:0.1,mass=uniform:0.9:1.1"
COST = "q=1,v=0.1,effort=1e-3,final_q=10,final_v=0.5,final_q@joint2=3"


def listed(x) -> str:
    return ",".join(repr(float(each)) for each in x)


BARE = ["rollout", "arm7", "--dt", "2e-3", "--steps", 30, "--no-limits", "--lossless"]  # friction has kinks
WORDS = [*BARE, "--q0", listed(START)]
PD = ["--controls", "pd", "--kp", "40", "--kd", "5", "--target", listed(GOAL)]


def read(path: Path) -> dict:
    with h5py.File(path) as file:
        return {name: file[name][()] for name in file}


def rolled(tandem, *words, name="r.h5") -> dict:
    tandem.good(*WORDS, *words, "--out", name)
    return read(tandem.folder / name)


def slope(cost, way=1e-3) -> float:
    """Central difference of fourth order."""
    return (8 * (cost(way) - cost(-way)) - (cost(2 * way) - cost(-2 * way))) / (12 * way)


def moved(x, row, by):
    return [each + by * (k == row) for k, each in enumerate(x)]


@pytest.mark.parametrize("integrator", ["semi-implicit-euler", "rk4", "implicit-midpoint"])
def test_gradients_are_slopes_of_the_cost(tandem, integrator):
    words = ["--instances", 1, "--cost", COST, "--goal", listed(GOAL), "--final", "--integrator", integrator]
    found = rolled(tandem, *words, *PD, "--gradient", "q0,v0,tau,q_target,kp,kd")
    assert found["cost"].shape == (1,) and found["cost_by_q0"].shape == (1,
                                                                         7) and found["cost_by_tau"].shape == (1, 30, 7)

    def cost(q0=START, v0=(0,) * 7, target=GOAL, kp=(40,) * 7, kd=(5,) * 7):
        tandem.good(*BARE, *words, "--q0", listed(q0), "--v0", listed(v0), "--controls", "pd",
                    "--target", listed(target), "--kp", listed(kp), "--kd", listed(kd), "--out", "c.h5")
        return read(tandem.folder / "c.h5")["cost"][0]

    assert found["cost"][0] == cost(), "with the same bits"
    # costs of about 10 are told apart to 1e-15, and the way is 1e-3: 1e-11, besides the error of the formula, way^4
    given = {"q0": START, "v0": [0] * 7, "q_target": GOAL, "kp": [40] * 7, "kd": [5] * 7}
    for name, values in given.items():
        argument = "target" if name == "q_target" else name
        for row in (0, 1, 3):
            by = slope(lambda x: cost(**{argument: moved(values, row, x)}))
            assert found[f"cost_by_{name}"][0, row] == pytest.approx(by, rel=1e-7, abs=1e-7), name


def test_gradients_by_forces_of_a_file(tandem):
    tau = np.random.default_rng(1).normal(size=(2, 30, 7))

    def costs(forces, *more, name="c.h5"):
        with h5py.File(tandem.folder / "tau.h5", "w") as file:
            file["tau"] = forces
        return rolled(tandem, "--instances", 2, "--cost", "final_q=10,effort=1e-2", "--goal", listed(GOAL), "--final",
                      "--controls", "tau.h5", *more, name=name)
    found = costs(tau, "--gradient", "tau", name="r.h5")
    for instance, step, row in [(0, 0, 1), (1, 7, 3), (1, 29, 0)]:
        def cost(by):
            forces = tau.copy()
            forces[instance, step, row] += by
            return costs(forces)["cost"][instance]
        assert found["cost_by_tau"][instance, step, row] == pytest.approx(slope(cost), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("integrator", ["semi-implicit-euler", "rk4", "implicit-midpoint"])
def test_gradients_by_parameters(tandem, integrator):
    words = ["--integrator", integrator, "--instances", 3, "--cost", "final_q=10", "--goal", listed(GOAL), "--final",
             "--randomize", RANDOM]
    found = rolled(tandem, *words, "--gradient", "mass,gravity,com,inertia,damping")
    assert found["mass"].shape == found["cost_by_mass"].shape == (3, 8)
    assert found["cost_by_com"].shape == (3, 8, 3) and found["cost_by_inertia"].shape == (3, 8, 6)

    def cost(by):
        return rolled(tandem, *words, "--gravity", f"0,0,{-9.81 + by}", name="c.h5")["cost"]
    assert found["cost_by_gravity"][:, 2] == pytest.approx(slope(cost), rel=1e-6)
    assert np.ptp(found["cost_by_mass"], axis=0).max() > 0, "instances differ"


def test_the_same_bytes_in_any_chunks_parts_and_threads(tandem):
    words = [*WORDS, "--instances", 60, "--randomize", RANDOM, "--cost", COST, "--gradient", "q0,q_target,kp,friction",
             "--final", *PD]
    tandem.good(*words, "--at-once", 60, "--threads", 1, "--out", "r.h5")
    whole = (tandem.folder / "r.h5").read_bytes()
    for more in (["--at-once", 7], ["--at-once", 32, "--threads", 2]):
        tandem.good(*words, *more, "--out", "o.h5")
        assert (tandem.folder / "o.h5").read_bytes() == whole
    for part in ("1/2", "2/2"):
        tandem.good(*words, "--shard", part, "--out", "p.h5")
    assert (tandem.folder / "p.h5").read_bytes() == whole


def test_states_are_those_without_a_cost(tandem):
    plain = rolled(tandem, "--instances", 5, "--randomize", RANDOM, "--every", 10)
    text = tandem.good(*WORDS, "--instances", 5, "--randomize", RANDOM, "--every", 10, "--cost", "effort=1,final_v=2",
                       "--gradient", "v0", "--out", "g.h5")
    assert "  cost       effort=1,final_v=2\n" in text and "  gradient   by v0\n" in text
    found = read(tandem.folder / "g.h5")
    assert set(found) == {*plain, "cost", "cost_by_v0"}
    assert all(np.array_equal(found[name], plain[name]) for name in plain)
    v = found["v"][:, -1]
    assert found["cost"] == pytest.approx(2 * (v**2).sum(axis=1), rel=1e-14), "no controls, no effort"
    with h5py.File(tandem.folder / "g.h5") as file:
        assert file.attrs["cost"] == "effort=1,final_v=2" and file.attrs["gradient"] == "v0"
        assert file["cost_by_v0"].attrs["units"] == "s/rad|s/m"


def test_who_diverged_costs_infinity_and_has_no_gradient(tandem):
    tandem.good("rollout", "arm7", "--dt", "0.2", "--steps", "40", "--integrator", "rk4", "--instances", "60",
                "--randomize",
                "q=uniform,v=normal:3", "--no-limits", "--cost", "final_v=1", "--gradient", "q0", "--final",
                "--out", "r.h5")
    found = read(tandem.folder / "r.h5")
    diverged = found["status"] > 0
    assert diverged.any() and np.isinf(found["cost"][diverged]).all() and np.isnan(found["cost_by_q0"][diverged]).all()
    assert np.isfinite(found["cost"][~diverged]).all() and np.isfinite(found["cost_by_q0"][~diverged]).all()


def test_float(tandem):
    words = ["--instances", 4, "--randomize", RANDOM, "--cost", COST, "--gradient", "q0,kp", "--final", *PD]
    exact, short = rolled(tandem, *words), rolled(tandem, *words, "--precision", "float", name="f.h5")
    assert short["cost_by_q0"].dtype == np.float32
    np.testing.assert_allclose(short["cost_by_q0"], exact["cost_by_q0"], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("words, error", [
    (["--gradient", "q0"], "--gradient requires --cost, such as"),
    (["--cost", "final_q"], "expected TERM=WEIGHT or TERM@JOINT=WEIGHT"),
    (["--cost", "finalq=1"], 'did you mean "final_q"'),
    (["--cost", "q=x"], '"x" is not a finite number'),
    (["--cost", "q=1,q=2"], "--cost: q is given twice"),
    (["--cost", "q@joint9=1"], "joint9"),
    (["--cost", "v=1", "--goal", "neutral"], "--goal requires the term q or final_q in --cost"),
    (["--cost", "q=1", "--goal", "1,2"], "--goal"),
    (["--cost", "v=1", "--gradient", "q1"], "expected some of q0, v0, tau, q_target, kp, kd, mass"),
    (["--cost", "v=1", "--gradient", "q0,q0"], "--gradient: q0 is given twice"),
    (["--cost", "v=1", "--gradient", "kp"], "kp requires --controls pd or pd+gravity"),
    (["--cost", "v=1", "--statistics"], "--cost and --statistics are mutually exclusive"),
    (["--cost", "v=1", "--gradient", "q0", "--device", "cuda"], "--gradient requires --device cpu"),
    (["--cost", "v=1", "--method", "scan"], "method scan is not supported with costs; expected articulated-body")])
def test_bad_costs_teach(tandem, words, error):
    assert error in tandem.refused(*WORDS, "--instances", 3, *words, "--out", "r.h5")
    assert os.listdir(tandem.folder) == []


def test_closed_loops_have_costs_and_no_gradients(tandem):
    words = ["rollout", "four_bar", "--dt", 1e-3, "--steps", 20, "--instances", 3, "--v0", "1,0,0", "--cost", "v=1",
             "--out", "r.h5"]
    tandem.good(*words)
    run = read(tandem.folder / "r.h5")
    assert run["cost"] == pytest.approx(1e-3 * (run["v"][:, :-1] ** 2).sum((1, 2)))
    assert "four_bar has closed loops, through which no gradients go" in tandem.refused(*words, "--gradient", "q0")


def test_resume_refuses_another_cost(tandem):
    words = ["--instances", 30, "--randomize", "q=uniform", "--final", "--cost", "final_v=1", "--gradient", "q0"]
    tandem.good(*WORDS, *words, "--out", "r.h5")
    assert tandem.good(*WORDS, *words, "--out", "r.h5", "--resume") == "r.h5 is finished: 30 instances\n"
    for more, difference in {("--cost", "final_v=2", "--gradient", "q0"): "cost: final_v=1 in the file, final_v=2 now",
                             ("--cost", "final_v=1", "--gradient", "v0"): "gradient: q0 in the file, v0 now",
                             (): "cost: final_v=1 in the file, none now"}.items():
        error = tandem.refused(*WORDS, *words[:5], *more, "--out", "r.h5", "--resume")
        assert "r.h5 is the file of another rollout" in error and difference in error
