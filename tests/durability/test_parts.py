# SPDX-License-Identifier: Apache-2.0
"""A rollout over the processes of mpirun, one of which is killed: the same line goes on, and one file comes out."""
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from cli_support import heed_signals, program
from test_rollouts import datasets, run_of, same

h5py = pytest.importorskip("h5py")
pytestmark = pytest.mark.skipif(shutil.which("mpirun") is None, reason="mpirun is not installed")

PROCESSES = 4
WORDS = ["rollout", "arm7", "--dt", "1e-3", "--randomize", "q=uniform,mass=uniform:0.9:1.1", "--at-once", "64",
         "--steps", "200", "--instances"]
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def mpirun(folder, *words, **options):
    return subprocess.Popen(["mpirun", "--oversubscribe", "-n", str(PROCESSES), str(program()), *words], cwd=folder,
                            env={**os.environ, **ROOT}, preexec_fn=heed_signals, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, **options)


def process_of(rank: int, parent: int) -> int | None:
    """Of the processes that mpirun has started, the one of a rank."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) == parent and \
                    f"OMPI_COMM_WORLD_RANK={rank}\0" in (entry / "environ").read_text():
                return int(entry.name)
        except (OSError, UnicodeDecodeError):
            continue
    return None


@pytest.mark.parametrize("kept", [["--every", "50"], ["--statistics", "--every", "50"]], ids=["states", "statistics"])
def test_one_of_four_processes_is_killed(tandem, kept):
    began = time.monotonic()
    tandem.good(*WORDS, "6400", *kept, "--out", "whole.h5", timeout=300)
    words = [*WORDS, "6400", *kept]
    if time.monotonic() - began < 2:  # so that there is time for the kill
        words = [*WORDS, "64000", *kept]
        tandem.good(*words, "--out", "whole.h5", timeout=300)
    instances = "6 400" if "6400" in words else "64 000"
    run = mpirun(tandem.folder, *words, "--out", "r.h5")
    end, victim = time.monotonic() + 60, tandem.folder / "r.3-of-4.h5"
    while not victim.exists():
        assert run.poll() is None and time.monotonic() < end, run.stdout.read()
        time.sleep(0.002)
    process = process_of(2, run.pid)
    if process is not None:
        os.kill(process, signal.SIGKILL)
    text, _ = run.communicate(timeout=60)
    left = sorted(path.name for path in tandem.folder.glob("r.*-of-4.h5"))
    if process is None or run.returncode == 0 or (victim.exists() and run_of(victim) == "finished"):
        pytest.skip("it was faster than the kill")
    assert victim.name in left and run_of(victim) == "running", text
    assert not (tandem.folder / "r.h5").exists()
    assert all(len(datasets(tandem.folder / name)["status"]) % 64 == 0 for name in left)

    again = mpirun(tandem.folder, *words, "--out", "r.h5", "--resume")
    text, _ = again.communicate(timeout=300)
    assert again.returncode == 0 and "resumed    after" in text, text
    assert f"joined     r.h5, {instances} instances" in text, text
    assert sorted(os.listdir(tandem.folder)) == ["r.h5", "whole.h5"]
    assert same(datasets(tandem.folder / "r.h5"), datasets(tandem.folder / "whole.h5"))
    if "--statistics" not in kept:
        assert (tandem.folder / "r.h5").read_bytes() == (tandem.folder / "whole.h5").read_bytes()

    once_more = mpirun(tandem.folder, *words, "--out", "r.h5", "--resume")
    text, _ = once_more.communicate(timeout=60)
    assert once_more.returncode == 0 and text.count(f"r.h5 is finished: {instances} instances") == PROCESSES
