# SPDX-License-Identifier: Apache-2.0
"""Rollouts that are killed, interrupted, or meet a full disk: what they leave is whole, and --resume completes it with
the bytes of a run that nothing stopped. TANDEM_KILLS says how many are killed."""
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from cli_support import program
from test_trials import limited, small_disk, wait_for  # noqa: F401

h5py = pytest.importorskip("h5py")

KILLS = max(4, int(os.environ.get("TANDEM_KILLS", "24")) // 6)
ARMS = ["arm7", "--dt", "1e-3", "--randomize", "q=uniform,v=normal:0.1,mass=uniform:0.9:1.1"]
STATES = [*ARMS, "--instances", "600", "--steps", "200", "--every", "20", "--at-once", "16"]
ALL_STATES = [*ARMS, "--instances", "600", "--steps", "60", "--at-once", "16"]
GRADIENTS = [*ARMS, "--instances", "600", "--steps", "60", "--final", "--at-once", "16", "--controls", "pd",
             "--kp", "40", "--kd", "5", "--cost", "final_q=10,effort=1e-3", "--gradient", "q0,tau,q_target,kp,mass"]
ENSEMBLE = [*ARMS, "--instances", "700", "--steps", "150", "--every", "10", "--statistics", "--at-once", "64"]


def datasets(path: Path) -> dict:
    with h5py.File(path) as file:
        return {name: file[name][()] for name in file}


def same(one: dict, other: dict) -> bool:
    """Bit for bit."""
    return one.keys() == other.keys() and all(
        one[name].dtype == other[name].dtype and one[name].shape == other[name].shape
        and one[name].tobytes() == other[name].tobytes() for name in one)


def run_of(path: Path) -> str:
    with h5py.File(path) as file:
        return file.attrs["run"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What runs come to that nothing stops, by their words, and how long they take."""
    made = {}

    def file(words):
        if tuple(words) not in made:
            path = tmp_path_factory.mktemp("undisturbed") / "r.h5"
            began = time.monotonic()
            subprocess.run([program(), "rollout", *words, "--out", path], check=True, capture_output=True)
            made[tuple(words)] = path, time.monotonic() - began
        return made[tuple(words)]
    return file


@pytest.mark.parametrize("words", [STATES, GRADIENTS, ENSEMBLE], ids=["states", "gradients", "statistics"])
def test_killed_at_any_moment_and_resumed(tandem, undisturbed, words):
    whole, seconds = undisturbed(words)
    expected, draw, left = datasets(whole), random.Random(11), 0
    path = tandem.folder / "r.h5"
    for trial in range(KILLS):
        path.unlink(missing_ok=True)
        for kill in range(3):
            process = tandem.popen("rollout", *words, "--out", path.name, "--resume", stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
            if trial % 2 and kill == 0:
                wait_for(path, process)
            time.sleep(draw.uniform(0, 0.6 * seconds))
            process.kill()
            assert process.wait() in (0, -signal.SIGKILL), process.stderr.read()
            assert set(os.listdir(tandem.folder)) <= {path.name}, "a temporary file is left"
            if path.exists():
                found = datasets(path)
                rows, all_of_them = len(found["status"]), len(expected["status"])
                run = run_of(path)
                left += run == "running"
                # a kill between the last rows and the word "finished" leaves all rows of a run that is running
                assert rows == all_of_them or (rows % (64 if words is ENSEMBLE else 16) == 0 and run == "running")
                if words is not ENSEMBLE:
                    assert all(np.array_equal(found[name], expected[name][:rows]) for name in found if name != "t")
                else:
                    assert found["count"][0] == rows
        tandem.good("rollout", *words, "--out", path.name, "--resume")
        assert run_of(path) == "finished" and same(datasets(path), expected)
        assert words is ENSEMBLE or path.read_bytes() == whole.read_bytes()
    assert left > 0


def test_a_longer_file_of_several_nodes_is_gone_on_with(tandem):
    """Of the tree that leads to chunks: more than 64 of these, so that it has two levels."""
    if KILLS < 16:
        pytest.skip("140 MB: scripts/test --thorough")
    words = ["rollout", "chain:200", "--dt", "1e-3", "--steps", "64", "--instances", "700",
             "--randomize", "q=normal:0.1"]
    tandem.good(*words, "--out", "whole.h5", timeout=600)
    path = tandem.folder / "r.h5"
    for part in range(1, 100):
        process = tandem.popen(*words, "--at-once", "5", "--out", path.name, "--resume", stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        time.sleep(0.1 * part)
        process.kill()
        process.wait()
        if path.exists() and run_of(path) == "finished":
            break
    with h5py.File(path) as file:
        assert file["q"].chunks[0] * 64 < 700
    assert path.read_bytes() == (tandem.folder / "whole.h5").read_bytes()


@pytest.mark.parametrize("words", [STATES, GRADIENTS], ids=["states", "gradients"])
@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_keep_what_was_done(tandem, undisturbed, word, words):
    whole, _ = undisturbed(words)
    path = tandem.folder / "r.h5"
    process = tandem.popen("rollout", *words, "--out", path.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True)
    wait_for(path, process)
    process.send_signal(word)
    _, error = process.communicate(timeout=20)
    if process.returncode == 0:
        pytest.skip("it was faster than the signal")
    assert process.returncode == 1 and f"interrupted by {word.name}; r.h5 has " in error and "--resume" in error
    assert run_of(path) == f"interrupted by {word.name}"
    text = tandem.good("rollout", *words, "--out", path.name, "--resume")
    assert "resumed    after" in text and path.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("words", [ALL_STATES, ENSEMBLE], ids=["states", "statistics"])
def test_a_file_that_may_not_grow_goes_on_later(tandem, undisturbed, words):
    whole, _ = undisturbed(words)
    path, size = tandem.folder / "r.h5", whole.stat().st_size
    run = subprocess.run([program(), "rollout", *words, "--out", path.name], cwd=tandem.folder, capture_output=True,
                         preexec_fn=limited(size - (60_000 if words is ALL_STATES else 3_000)), text=True, check=False)
    assert run.returncode == 1 and "cannot write to r.h5: File too large" in run.stderr
    if path.exists():
        assert run_of(path) == "failed: cannot write to r.h5: File too large"
        assert len(datasets(path)["status"]) > 0
    assert words is ENSEMBLE or path.exists()
    tandem.good("rollout", *words, "--out", path.name, "--resume")
    assert run_of(path) == "finished" and same(datasets(path), datasets(whole))


@pytest.mark.parametrize("kilobytes", [400, 900])
def test_a_full_disk_loses_nothing(tandem, undisturbed, small_disk, kilobytes):  # noqa: F811
    whole, _ = undisturbed(ALL_STATES)
    path = small_disk(kilobytes) / "r.h5"
    run = tandem("rollout", *ALL_STATES, "--out", path)
    assert run.returncode == 1 and f"cannot write to {path}: No space left on device" in run.stderr
    assert os.listdir(path.parent) == [path.name] and run_of(path).startswith("failed: ")
    rows = len(datasets(path)["status"])
    assert rows >= 16 and np.array_equal(datasets(path)["q"], datasets(whole)["q"][:rows])
    again = tandem("rollout", *ALL_STATES, "--out", path, "--resume")
    assert again.returncode == 1 and "No space left" in again.stderr
    assert len(datasets(path)["status"]) >= rows
    larger = tandem.folder / "r.h5"
    larger.write_bytes(path.read_bytes())
    tandem.good("rollout", *ALL_STATES, "--out", larger.name, "--resume")
    assert larger.read_bytes() == whole.read_bytes()


def test_parts_stay_where_there_is_no_room_to_join_them(tandem, undisturbed, small_disk):  # noqa: F811
    whole, _ = undisturbed(ALL_STATES)
    folder = small_disk(whole.stat().st_size * 3 // 2 // 1024)
    words = ["rollout", *ALL_STATES, "--out", folder / "r.h5", "--shard"]
    assert "not finished, or written by another rollout: part 2 of 2" in tandem.good(*words, "1/2")
    run = tandem(*words, "2/2")
    assert run.returncode == 1 and f"cannot write to {folder / 'r.h5'}: No space left on device" in run.stderr
    assert sorted(os.listdir(folder)) == ["r.1-of-2.h5", "r.2-of-2.h5"]
    assert {run_of(folder / name) for name in os.listdir(folder)} == {"finished"}
    for name in os.listdir(folder):
        (tandem.folder / name).write_bytes((folder / name).read_bytes())
    text = tandem.good("rollout", *ALL_STATES, "--out", "r.h5", "--shard", "1/2", "--resume")
    assert "joined     r.h5" in text and (tandem.folder / "r.h5").read_bytes() == whole.read_bytes()


def test_two_processes_do_not_write_to_one_file(tandem):
    words = ["rollout", "arm7", "--dt", "1e-3", "--instances", "100000", "--steps", "1000", "--final",
             "--at-once", "16", "--out", "r.h5"]
    process = tandem.popen(*words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(tandem.folder / "r.h5", process)
    error = tandem.refused(*words, "--resume", code=1)
    assert "r.h5: another process is writing to it" in error
    assert run_of(tandem.folder / "r.h5") == "running", "readers are not in the way"
    process.kill()
    process.wait()
