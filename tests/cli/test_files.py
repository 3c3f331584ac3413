# SPDX-License-Identifier: Apache-2.0
"""Files that are there: they stay when a command refuses its options or fails, and two runs do not write one file."""
import os
import signal
import subprocess
import time

import pytest
from cli_support import has_opened_a_file_in

OLD = b"what was here before\n"


def wait_until(condition, process):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.005)


@pytest.mark.parametrize("words", [
    ["rollout", "arm7", "--instances", 2, "--steps", 2, "--dt", 1e-3, "--randomize", "q=unform"],
    ["rollout", "arm7", "--instances", 2, "--steps", 2, "--dt", 1e-3, "--q0", "1,2"],
    ["rollout", "arm8", "--instances", 2, "--steps", 2, "--dt", 1e-3],
    ["rollout", "arm7", "--instances", 2, "--steps", 2, "--dt", -1],
    ["rollout", "arm7", "--instances", 2, "--steps", 2, "--dt", 1e-3, "--controls", "missing.h5"],
    ["rollout", "arm7", "--instances", 2, "--steps", 2, "--dt", 1e-3, "--cost", "final=1"],
    ["rollout", "arm7", "--instances", 2, "--steps", 2, "--dt", 1e-3, "--resume"],  # of a file that is no rollout
    ["rollout", "arm7", "--instances", 2, "--steps", 2, "--dt", 1e-3, "--dry-run"],
    ["simulate", "arm7", "--time", 1, "--q0", "1,2"],
    ["simulate", "arm7", "--time", 1, "--kp", "1,2"],
    ["simulate", "arm7", "--time", 1, "--move", "joint9=1"],
    ["simulate", "arm7", "--time", -1],
    ["eval", "mass-matrx", "arm7", "--random", 3],
    ["eval", "mass-matrix", "arm7", "--in", "missing.csv"],
    ["eval", "mass-matrix", "arm7", "--in", "bad.csv"],
    ["generate", "chain:x"],
    ["generate", "chain:3", "--method", "scan"],
])
def test_a_refused_command_leaves_the_file(tandem, words):
    tandem.file("bad.csv", "q0,q1,q2,q3,q4,q5,q6\n0,0,0,0,0,0,0\n0,0,0,0,0,0,what\n")
    for name in ("old.h5", "old.csv"):
        (tandem.folder / name).write_bytes(OLD)
        run = tandem(*words, "--out", name)
        assert (run.returncode == 0) == ("--dry-run" in words and name == "old.h5"), run.stderr
        assert (tandem.folder / name).read_bytes() == OLD
    assert sorted(os.listdir(tandem.folder)) == ["bad.csv", "old.csv", "old.h5"]


@pytest.mark.parametrize("name", ["s.csv", "s.h5"])
def test_two_simulations_do_not_write_to_one_file(tandem, name):
    words = ["simulate", "arm7", "--time", 1e6, "--every", 10, "--out", name]
    first = tandem.popen(*map(str, words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until((tandem.folder / name).exists, first)
    inode = (tandem.folder / name).stat().st_ino
    assert f"{name}: another process is writing to it" in tandem.refused(*words, code=1)
    assert f"{name}: another process is writing to it" in tandem.refused("simulate", "arm6", "--time", 0.01,
                                                                         "--out", name, code=1)
    first.send_signal(signal.SIGINT)
    output, _ = first.communicate(timeout=30)
    assert f"written    {name}" in output and (tandem.folder / name).stat().st_ino == inode
    tandem.good("simulate", "arm6", "--time", 0.01, "--out", name)  # now it may be replaced
    assert (tandem.folder / name).stat().st_ino != inode
    assert os.listdir(tandem.folder) == [name]


@pytest.mark.parametrize("words", [[], ["--resume"]])
def test_of_two_rollouts_begun_together_one_is_refused(tandem, words):
    """The one whose first instances are done later, whether or not there was a file before."""
    words = ["rollout", "arm7", "--instances", 200000, "--steps", 1000, "--dt", 1e-3, "--final", "--at-once", 1024,
             "--out", "r.h5", *words]
    pair = [tandem.popen(*map(str, words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    end = time.monotonic() + 50
    while all(process.poll() is None for process in pair) and time.monotonic() < end:
        time.sleep(0.02)
    ended = [process for process in pair if process.poll() is not None]
    for process in pair:
        process.kill()
    errors = [process.communicate()[1] for process in pair]
    assert [process.returncode for process in ended] == [1]
    assert any("r.h5: another process is writing to it" in error for error in errors)


def test_a_rollout_that_ends_before_its_first_instances_says_that_there_is_no_file(tandem):
    process = tandem.popen("rollout", "arm7", "--instances", "100000", "--steps", "1000000", "--dt", "1e-3", "--final",
                           "--at-once", "1024", "--out", "r.h5", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True)
    wait_until(lambda: has_opened_a_file_in(process, tandem.folder), process)
    process.send_signal(signal.SIGINT)
    output, error = process.communicate(timeout=30)
    assert process.returncode == 1 and "no instance was finished" in error
    assert "written    nothing" in output and "r.h5" not in output
    assert os.listdir(tandem.folder) == []


def test_a_dry_run_looks_at_all_options_and_writes_nothing(tandem):
    words = ["rollout", "arm7", "--instances", 10, "--steps", 10, "--dt", 1e-3, "--out", "r.h5", "--dry-run"]
    assert "10 instances, 10 steps: the options are valid; nothing was written" in tandem.good(*words, "--shard", "2/3")
    assert 'did you mean "mass"' in tandem.refused(*words, "--randomize", "mas=uniform:1:2")
    assert "expected I/N" in tandem.refused(*words, "--shard", "3/2")
    assert os.listdir(tandem.folder) == []
