# SPDX-License-Identifier: Apache-2.0
"""tandem rollout: what is in its files, that it is the same however it was computed, and what it refuses."""
import json
import os
import pty
import signal
import statistics
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")

WORDS = ["rollout", "arm7", "--dt", "1e-3", "--steps", "25"]
RANDOM = "q=uniform,v=normal:0.1,inertial=uniform:0.8:1.2,damping=lognormal:0.2,gravity=normal:0.01"


def read(path: Path) -> dict:
    with h5py.File(path) as file:
        return {name: file[name][()] for name in file}


def rolled(tandem, *words, name="r.h5") -> dict:
    tandem.good(*WORDS, *words, "--out", name)
    return read(tandem.folder / name)


def same(one: dict, other: dict) -> bool:
    return one.keys() == other.keys() and all(one[name].tobytes() == other[name].tobytes() for name in one)


def test_one_instance_moves_as_simulate_does(tandem):
    many = rolled(tandem, "--instances", 3, "--q0", "0,0.5,0,1,0,0.5,0", "--every", 10)
    assert many["q"].shape == (3, 4, 7) and np.array_equal(many["t"], np.array([0, 10, 20, 25]) * 1e-3)
    tandem.good("simulate", "arm7", "--time", 0.025, "--q0", "0,0.5,0,1,0,0.5,0", "--specialise", "wait",
                "--out", "s.h5")
    one = read(tandem.folder / "s.h5")
    for name in "qv":
        assert (many[name] == one[name][[0, 10, 20, 25]]).all()
    assert (many["status"] == 0).all() and (many["diverged_at_step"] == 0).all()


@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("kept", [["--every", 5], ["--final"], ["--statistics"]])
def test_the_same_bytes_in_any_chunks_on_any_threads(tandem, precision, kept):
    words = ["--instances", 150, "--randomize", RANDOM, "--precision", precision, *kept]
    first = rolled(tandem, *words, "--at-once", 64, "--threads", 1)
    for name, more in {"a.h5": ["--threads", 2], "b.h5": ["--at-once", 7], "c.h5": ["--at-once", 150]}.items():
        assert same(rolled(tandem, *words, *more, name=name), first)
        if kept != ["--statistics"]:
            assert (tandem.folder / name).read_bytes() == (tandem.folder / "r.h5").read_bytes()


@pytest.mark.parametrize("robot", [["four_bar", "--randomize", "v=normal:0.3,mass=uniform:0.9:1.1"],
                                   ["chain:6", "--method", "scan", "--randomize", "q=uniform"],
                                   ["humanoid", "--controls", "pd", "--kp", "20", "--kd", "2",
                                    "--randomize", "q=normal:0.1"]])
def test_robots_and_methods_that_are_stepped_one_by_one(tandem, robot):
    """By Simulation, where rollout() does not serve; with the same independence of chunks."""
    files = []
    for at_once in (5, 12):
        tandem.good("rollout", *robot, "--dt", 1e-3, "--steps", 20, "--every", 7, "--instances", 12,
                    "--at-once", at_once, "--out", f"{at_once}.h5")
        files.append((tandem.folder / f"{at_once}.h5").read_bytes())
    assert files[0] == files[1]
    states = read(tandem.folder / "5.h5")
    assert (states["status"] == 0).all() and np.ptp(states["q"], axis=(0, 1)).max() > 0


def test_an_instance_is_the_same_in_any_ensemble(tandem):
    few = rolled(tandem, "--instances", 10, "--randomize", RANDOM, "--final")
    more = rolled(tandem, "--instances", 40, "--randomize", RANDOM, "--final", name="m.h5")
    assert all(np.array_equal(few[name], more[name][:10]) for name in few if name != "t")
    # what else is random changes nothing
    one = rolled(tandem, "--instances", 10, "--randomize", "q=uniform", "--final", name="o.h5")
    assert np.array_equal(one["q0"], few["q0"]) and not np.array_equal(one["q"], few["q"])
    other = rolled(tandem, "--instances", 10, "--randomize", RANDOM, "--final", "--seed", 2, name="s.h5")
    assert not (other["q0"] == few["q0"]).any() and not (other["damping"] == few["damping"]).any()


def philox(seed: int, instance: int, stream: int, row: int) -> float:
    """Philox4x32-10, as its authors describe it; the first two words as a number within 0 and 1."""
    low = 2**32 - 1
    x, k = [instance & low, instance >> 32, stream, row], [seed & low, seed >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [(b >> 32) ^ x[1] ^ k[0], b & low, (a >> 32) ^ x[3] ^ k[1], a & low]
        k = [(k[0] + 0x9E3779B9) & low, (k[1] + 0xBB67AE85) & low]
    return ((x[0] << 32 | x[1]) >> 12) / 2**52 + 2.0**-53


def stream_of(name: str) -> int:
    value = 2166136261
    for c in name.encode():
        value = ((value ^ c) * 16777619) & (2**32 - 1)
    return value


def test_random_numbers_are_those_of_philox_and_wichura(tandem):
    run = rolled(tandem, "--instances", 50, "--final", "--seed", 2**40 + 7,
                 "--randomize",
                 "v=normal:0.5,q@joint2=uniform:0.1:0.2,mass@link3=uniform:0.5:1.5,damping=lognormal:0.3")
    inverse = statistics.NormalDist().inv_cdf  # algorithm AS 241, too
    for b in range(50):
        def unit(name, row, instance=b):
            return philox(2**40 + 7, instance, stream_of(name), row)
        for row in range(7):
            assert run["v0"][b, row] == pytest.approx(0.5 * inverse(unit("v", row)), rel=1e-14, abs=1e-16)
        assert run["q0"][b, 1] == pytest.approx(0.1 + 0.1 * unit("q@joint2", 1), rel=1e-14)
        assert (run["q0"][b, [0, 2, 3, 4, 5, 6]] == 0).all()
        nominal = run["mass"][0] if b else None
        if b:
            assert np.array_equal(np.delete(run["mass"][b], 3), np.delete(nominal, 3))
            ratio = (0.5 + unit("mass@link3", 3)) / (0.5 + unit("mass@link3", 3, 0))
            assert run["mass"][b, 3] / nominal[3] == pytest.approx(ratio, rel=1e-13)


def test_draws_are_spread_as_they_say(tandem):
    tandem.good("rollout", "arm7", "--dt", "1e-6", "--steps", 1, "--final", "--instances", 5000, "--randomize",
                "v=uniform:0.5,mass=uniform:0.8:1.2,com=normal:0.02,friction=lognormal:0.5", "--out", "r.h5")
    run = read(tandem.folder / "r.h5")
    assert run["v0"].std() == pytest.approx(0.5 / 3**0.5, rel=0.02) and abs(run["v0"].mean()) < 0.01
    factor = run["mass"][:, 1:] / run["mass"][:, 1:].mean(axis=0)
    assert factor.std() == pytest.approx(0.4 / 12**0.5, rel=0.02)
    assert (run["com"][:, 1:].std(axis=0) == pytest.approx(0.02, rel=0.05))
    rows = np.cov(np.concatenate([run["v0"], factor], axis=1).T)
    off = rows - np.diag(np.diag(rows))
    assert np.abs(off).max() < 0.05 * np.diag(rows).max(), "of each other they know nothing"


def test_positions_stay_within_limits(tandem):
    run = rolled(tandem, "--instances", 200, "--randomize", "q=normal:3")
    joints = json.loads(tandem.good("info", "arm7", "--json"))["joints"]
    start = run["q"][:, 0]
    for k, joint in enumerate(joints):
        assert start[:, k].min() == joint["lower"] and start[:, k].max() == joint["upper"]
    free = rolled(tandem, "--instances", 200, "--randomize", "q=normal:3", "--no-limits", name="f.h5")
    assert np.abs(free["q"][:, 0]).max() > 6


@pytest.mark.parametrize("robot", ["humanoid", "rope:3"])
def test_rotations_stay_rotations(tandem, robot):
    tandem.good("rollout", robot, "--dt", 1e-3, "--steps", 3, "--instances", 20, "--randomize", "q=uniform",
                "--out", "r.h5")
    q = read(tandem.folder / "r.h5")["q"]
    quaternions = q[..., 3:7] if robot == "humanoid" else q.reshape(20, 4, 3, 4)
    assert np.allclose(np.linalg.norm(quaternions, axis=-1), 1, atol=1e-12)
    assert np.ptp(quaternions[:, 0], axis=0).min() > 1


@pytest.mark.parametrize("precision, tolerance", [("double", 1e-11), ("float", 1e-11)])
def test_statistics_are_those_of_the_states(tandem, precision, tolerance):
    words = ["--instances", 333, "--randomize", "q=normal:0.2,v=normal:0.5", "--q0", "0,0.5,0,1,0,0.5,0", "--every", 10,
             "--precision", precision]
    states, found = rolled(tandem, *words), rolled(tandem, *words, "--statistics", name="m.h5")
    assert found["covariance"].shape == (4, 14, 14) and (found["count"] == 333).all()
    x = np.concatenate([states["q"].astype(np.float64), states["v"]], axis=2)
    if precision == "float":  # displacements are rounded once
        tolerance = 1e-5
    for k in range(4):
        assert np.allclose(found["mean_q"][k], x[:, k, :7].mean(axis=0), rtol=0, atol=tolerance)
        assert np.allclose(found["mean_v"][k], x[:, k, 7:].mean(axis=0), rtol=0, atol=tolerance)
        expected = np.cov(x[:, k].T)
        assert np.allclose(found["covariance"][k], expected, rtol=0, atol=tolerance * np.abs(expected).max())
        assert np.array_equal(found["covariance"][k], found["covariance"][k].T)


def test_statistics_leave_out_who_diverged(tandem):
    words = ["rollout", "arm7", "--dt", "0.2", "--steps", "40", "--integrator", "rk4", "--instances", "130",
             "--randomize", "q=uniform,v=normal:3", "--no-limits"]
    text = tandem.good(*words, "--out", "r.h5")
    tandem.good(*words, "--statistics", "--out", "m.h5")
    states, found = read(tandem.folder / "r.h5"), read(tandem.folder / "m.h5")
    diverged = states["status"] > 0
    assert 0 < diverged.sum() and "diverged   " in text and "at step " in text
    assert np.array_equal(states["status"], found["status"]) and (states["diverged_at_step"][diverged] > 0).all()
    for b in np.flatnonzero(diverged):
        step = states["diverged_at_step"][b]
        assert (states["q"][b, step - 1:] == states["q"][b, step - 1]).all(), "it stays where it was"
    steps = np.where(diverged, states["diverged_at_step"], 1000)
    assert np.array_equal(found["count"], [(steps > k).sum() for k in range(41)])
    # and touches no other
    sound = np.flatnonzero(~diverged)
    if len(sound):
        assert np.isfinite(states["q"]).all()


def test_weight_is_held(tandem):
    run = rolled(tandem, "--instances", 20, "--randomize", "q=uniform", "--controls", "gravity")
    assert np.allclose(run["q"], run["q"][:, :1], atol=1e-10)


def test_a_controller_leads_to_its_target(tandem):
    tandem.good("rollout", "arm7", "--dt", 1e-3, "--steps", 3000, "--instances", 4, "--randomize", "q=normal:0.1",
                "--final", "--controls", "pd+gravity", "--kp", 50, "--kd", 20, "--out", "t.h5")
    assert np.abs(read(tandem.folder / "t.h5")["q"]).max() < 2e-2


def test_forces_out_of_a_file(tandem):
    tau = np.random.default_rng(1).normal(size=(25, 7))
    with h5py.File(tandem.folder / "tau.h5", "w") as file:
        file["tau"] = tau
    lines = [",".join(f"tau{k}" for k in range(7)), *(",".join(map(repr, map(float, row))) for row in tau)]
    tandem.file("tau.csv", "\n".join(lines) + "\n")
    with h5py.File(tandem.folder / "each.h5", "w") as file:
        file["tau"] = np.stack([tau, -tau, 0 * tau])
    shared = rolled(tandem, "--instances", 3, "--controls", "tau.h5")
    assert same(rolled(tandem, "--instances", 3, "--controls", "tau.csv", name="c.h5"), shared)
    each = rolled(tandem, "--instances", 3, "--controls", "each.h5", "--at-once", 2, name="e.h5")
    assert np.array_equal(each["q"][0], shared["q"][0]) and not np.array_equal(each["q"][1], shared["q"][0])
    assert np.array_equal(each["q"][2], rolled(tandem, "--instances", 1, name="n.h5")["q"][0])
    with h5py.File(tandem.folder / "bad.h5", "w") as file:
        file["tau"] = tau[:5]
    error = tandem.refused(*WORDS, "--instances", 3, "--controls", "bad.h5", "--out", "x.h5")
    assert "tau has the shape [5, 7]; expected [25, 7]" in error and "[3, 25, 7]" in error
    tandem.file("short.csv", "\n".join(lines[:3]) + "\n")
    error = tandem.refused(*WORDS, "--instances", 3, "--controls", "short.csv", "--out", "x.h5")
    assert "2 lines of joint torques, expected one for each of 25 steps" in error


@pytest.mark.parametrize("spec, words", [
    ("q", "expected NAME=LAW"), ("mas=uniform:1:2", 'did you mean "mass"'),
    ("mass=uniform", "expected uniform:A:B, factors"),
    ("mass=normal:0.1", "use mass=lognormal:0.1"), ("q=lognormal:0.1", "lognormal is for factors"),
    ("q=uniform:2:1", "2 is above 1"), ("mass=uniform:-1:1", "must not be negative"),
    ("q=gauss:1", "not a distribution; expected uniform, normal"),
    ("v=normal:x", '"x" is not a finite number'), ("v=normal:-1", "a standard deviation must not be negative"),
    ("v@joint9=normal:1", "joint9"),
    ("gravity@link1=normal:1", "the same for all links"), ("q=uniform,q=uniform", "given twice"),
    ("mass@=uniform:1:2", "NAME@ELEMENT"),
    ("damping@joint1=uniform:0:1,", "expected NAME=LAW"), ("com=uniform", "expected uniform:A:B")])
def test_bad_specs_teach(tandem, spec, words):
    error = tandem.refused(*WORDS, "--instances", 3, "--randomize", spec, "--out", "r.h5")
    assert "--randomize" in error and words in error
    assert os.listdir(tandem.folder) == []


@pytest.mark.parametrize("words, error", [
    (["--controls", "pd"], "expected --kp, --kd or both"), (["--kp", "3"], "require --controls pd"),
    (["--controls", "held"], "expected none, gravity, pd"),
    (["--final", "--every", "2"], "--final and --every are mutually exclusive"), (["--shard", "3/2"], "expected I/N"),
    (["--integrator", "euler"], "euler"),
    (["--out", "r.csv"], "ends in .h5"), (["--dt", "0"], "--dt"), (["--instances", "0"], "--instances")])
def test_bad_usage(tandem, words, error):
    given = {"--instances": "3", "--out": "r.h5", "--dt": "1e-3", "--steps": "5"}
    for name in list(given):
        if name in words:
            del given[name]
    assert error in tandem.refused("rollout", "arm7", *(x for pair in given.items() for x in pair), *words)


def test_device_cuda_moves_them_or_says_what_is_missing(tandem):
    words = [*WORDS, "--instances", 5, "--randomize", "q=normal:0.1", "--device", "cuda"]
    assert "--threads requires --device cpu" in tandem.refused(*words, "--threads", 2, "--out", "r.h5")
    assert "method scan is not supported on a GPU" in tandem.refused(*words, "--method", "scan", "--out", "r.h5")
    loops = ["rollout", "four_bar", "--instances", 1, "--steps", 1, "--dt", 1e-3, "--device", "cuda", "--out", "r.h5"]
    assert "closed loops are not supported on a GPU" in tandem.refused(*loops)
    assert "cpu or cuda" in tandem.refused(*words[:-1], "auto", "--out", "r.h5")
    run = tandem(*words, "--out", "r.h5")
    if run.returncode == 0:
        there, here = read(tandem.folder / "r.h5"), rolled(tandem, *words[len(WORDS):-2], name="c.h5")
        np.testing.assert_allclose(there["q"], here["q"], rtol=1e-9, atol=1e-12)
        assert "device" in tandem.refused(*words[:-2], "--out", "r.h5", "--resume")
    else:
        assert any(words in run.stderr for words in ("without CUDA", "no driver", "no device", "driver supports CUDA"))
        assert not (tandem.folder / "r.h5").exists()


def test_resume_of_what_is_finished_and_of_nothing(tandem):
    words = [*WORDS, "--instances", 30, "--randomize", "q=uniform", "--out", "r.h5", "--resume"]
    assert "written    r.h5" in tandem.good(*words)
    before = (tandem.folder / "r.h5").read_bytes()
    assert tandem.good(*words) == "r.h5 is finished: 30 instances\n"
    assert (tandem.folder / "r.h5").read_bytes() == before


def test_resume_refuses_another_run_and_says_what_differs(tandem):
    words = ["--instances", 30, "--randomize", "q=uniform", "--out", "r.h5"]
    tandem.good(*WORDS, *words)
    before = (tandem.folder / "r.h5").read_bytes()
    for more, difference in {("--seed", "2"): "seed: 1 in the file, 2 now", ("--integrator", "rk4"): "rk4 now",
                             ("--lossless",): "losses: yes in the file, no now",
                             ("--gravity", "0,0,-1"): "robot_hash: ",
                             ("--precision", "float"): "float now", ("--every", "2"): "every 2 steps now",
                             ("--method", "crba"): "method: automatic in the file",
                             ("--v0", "random"): "v0: zero"}.items():
        error = tandem.refused(*WORDS, *words, "--resume", *more)
        assert "r.h5 is the file of another rollout" in error and difference in error
        assert error.count("\n") < 6
    tandem.file("other.h5", "no HDF5" * 1000)
    assert "not a file of tandem rollout" in tandem.refused(*WORDS, "--instances", 3, "--out", "other.h5", "--resume")
    tandem.good("simulate", "arm7", "--time", 0.01, "--out", "other.h5")
    assert "not a file of tandem rollout" in tandem.refused(*WORDS, "--instances", 3, "--out", "other.h5", "--resume")
    assert (tandem.folder / "r.h5").read_bytes() == before


def test_damaged_files_are_refused(tandem):
    words = [*WORDS, "--instances", 300, "--randomize", "q=uniform", "--at-once", 16, "--out", "r.h5"]
    tandem.good(*words)
    whole = (tandem.folder / "r.h5").read_bytes()
    run = whole.index(b"finished")
    stopped = whole[:run] + b"stopped!" + whole[run + 8:]
    for position in (160, 300, 500, 700, 64):
        (tandem.folder / "r.h5").write_bytes(stopped[:position] + bytes([stopped[position] ^ 0x55])
                                             + stopped[position + 1:])
        error = tandem.refused(*words, "--resume")
        assert "damaged" in error or "not a file of tandem rollout" in error or "another rollout" in error, position
    (tandem.folder / "r.h5").write_bytes(stopped[:len(stopped) // 2])
    assert "r.h5 is damaged" in tandem.refused(*words, "--resume")
    (tandem.folder / "r.h5").write_bytes(stopped)
    tandem.good(*words, "--resume")
    assert (tandem.folder / "r.h5").read_bytes() == whole


def test_what_the_file_says(tandem):
    tandem.good(*WORDS, "--instances", 5, "--randomize", RANDOM, "--seed", 12, "--out", "r.h5")
    with h5py.File(tandem.folder / "r.h5") as file:
        text = {name: file.attrs[name] for name in file.attrs}
        assert text["seed"] == "12" and text["randomize"] == RANDOM
        assert text["run"] == "finished" and text["dt"] == "0.001"
        assert "<robot" in text["robot_text"] and len(text["robot_hash"]) == 16 and text["instances"] == "5"
        assert file["q"].attrs["units"] == "rad|m" and "0 ok, 1 limit, 2 non_finite" in file["status"].attrs["meaning"]
        assert file["mass"].shape == (5, 8) and file["inertia"].shape == (5, 8, 6) and file["gravity"].shape == (5, 3)


@pytest.mark.parametrize("kept", [["--every", "5"], ["--final"], ["--statistics"]])
@pytest.mark.parametrize("told", ["--shard", "OMPI_COMM_WORLD", "PMI"])
def test_parts_become_one_file(tandem, kept, told):
    words = [*WORDS, "--instances", 300, "--randomize", RANDOM, *kept]
    tandem.good(*words, "--out", "whole.h5")
    for part in (2, 3, 1):
        more = {"--shard": [["--shard", f"{part}/3"], {}]}.get(told,
                                                               [[],
                                                                {f"{told}_RANK": str(part - 1), f"{told}_SIZE": "3"}])
        text = tandem.good(*words, "--out", "r.h5", *more[0], **more[1])
        assert ("not finished, or written by another rollout: "
                "part" in text) == (part != 1) and f"{part} of 3: instances " in text
        assert ("r.h5, 300 instances" in text) == (part == 1)
    assert sorted(os.listdir(tandem.folder)) == ["r.h5", "whole.h5"]
    assert same(read(tandem.folder / "r.h5"), read(tandem.folder / "whole.h5"))
    if kept != ["--statistics"]:
        assert (tandem.folder / "r.h5").read_bytes() == (tandem.folder / "whole.h5").read_bytes()
    assert tandem.good(*words, "--out", "r.h5", "--resume", "--shard", "2/3") == "r.h5 is finished: 300 instances\n"


def test_parts_can_be_kept_and_are_resumed_in_as_many(tandem):
    words = [*WORDS, "--instances", 5, "--randomize", "q=uniform", "--out", "r.h5"]
    tandem.good(*words, "--shard", "1/7")
    error = tandem.refused(*words, "--shard", "1/6", "--resume")
    assert "begun in 7 parts (r.1-of-7.h5)" in error
    for part in range(2, 8):  # two of them have nothing to do
        tandem.good(*words, "--shard", f"{part}/7", "--keep-shards")
    assert len(os.listdir(tandem.folder)) == 6 and read(tandem.folder / "r.h5")["q"].shape == (5, 26, 7)
    (tandem.folder / "r.h5").unlink()
    assert "r.h5, 5 instances" in tandem.good(*words, "--shard", "3/7", "--resume")
    assert os.listdir(tandem.folder) == ["r.h5"]


def test_files_of_an_older_rollout_are_not_in_the_way(tandem):
    words = [*WORDS, "--instances", 40, "--randomize", "q=uniform", "--out", "r.h5"]
    for part in ("1/2", "2/2"):
        tandem.good(*words, "--shard", part, "--keep-shards")
    assert "part 2 of 2" in tandem.good(*words, "--seed", 2, "--shard", "1/2")
    assert "joined     r.h5" in tandem.good(*words, "--seed", 2, "--shard", "2/2")
    with h5py.File(tandem.folder / "r.h5") as file:
        assert file.attrs["seed"] == "2" and file.attrs["run"] == "finished"


def test_a_bar_with_rate_and_time_left_on_a_terminal(tandem):
    reader, writer = pty.openpty()
    process = tandem.popen("rollout", "arm7", "--dt", "1e-3", "--steps", "1000", "--instances", "100000", "--final",
                           "--at-once", "64", "--out", "r.h5", stdout=subprocess.DEVNULL, stderr=writer)
    os.close(writer)
    text, end = "", time.monotonic() + 30
    while "left" not in text and time.monotonic() < end:
        text += os.read(reader, 4096).decode()
    process.send_signal(signal.SIGINT)
    process.wait(timeout=30)
    os.close(reader)
    assert " of 100 000 instances  " in text and "steps/s" in text and "left" in text


def test_random_starts_keep_a_limit_that_stands_alone(tandem):
    """Uniform on a full turn within it: mean and extremes in closed form."""
    from cli_support import PENDULUM

    text = PENDULUM.replace('lower="-1" upper="1"', 'lower="2" upper="1e308"')
    tandem.file("p.urdf", text)
    tandem.good("rollout", "p.urdf", "--instances", 4000, "--steps", 1, "--dt", 1e-9, "--randomize", "q=uniform",
                "--final", "--out", "r.h5")
    q = read(tandem.folder / "r.h5")["q"].ravel()
    assert q.min() >= 2 - 1e-6 and q.max() <= 2 + 2 * np.pi + 1e-6
    assert abs(q.mean() - 2 - np.pi) < 4 * 2 * np.pi / np.sqrt(12 * 4000)
    for seed in range(20):
        tandem.good("simulate", "p.urdf", "--time", 0, "--q0", "random", "--seed", seed, "--out", "s.h5")
        assert 2 <= read(tandem.folder / "s.h5")["q"][0, 0] <= 2 + 2 * np.pi
