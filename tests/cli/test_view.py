# SPDX-License-Identifier: Apache-2.0
"""tandem view: what it serves, and what it refuses."""
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

import pytest
from cli_support import program

HAS_VIEWER = subprocess.run([sys.executable, "-m", "tandem._view.command", "--check"],
                            capture_output=True).returncode == 0
shown = pytest.mark.skipif(not HAS_VIEWER, reason="this interpreter has no tandem with viser: nothing is served")
HERE = {"TANDEM_PYTHON": sys.executable}


def served(folder, *words):
    """Runs it until it has printed an address, fetches the page, ends it by Ctrl-C; what it said, and its exit code."""
    process = subprocess.Popen([program(), "view", *words, "--no-open"], cwd=folder, stderr=subprocess.PIPE,
                               env=dict(os.environ, **HERE))
    said, end = "", time.monotonic() + 60
    while "Ctrl-C" not in said and time.monotonic() < end and process.poll() is None:
        if select.select([process.stderr], [], [], 0.2)[0]:
            said += os.read(process.stderr.fileno(), 4096).decode()
    address = re.search(r"http://\S+", said)
    page = urllib.request.urlopen(address[0], timeout=20).read() if address else b""
    process.send_signal(signal.SIGINT)
    said += process.communicate(timeout=30)[1].decode()
    assert b"<html" in page.lower(), said
    return said, process.returncode


@shown
@pytest.mark.parametrize("words",
                         [["arm7"], ["humanoid", "--floating"], ["tree:20", "--seed", "3", "--gravity", "0,0,0"]])
def test_a_robot_is_served_until_ctrl_c(tandem, words):
    said, code = served(tandem.folder, *words)
    assert code == 0 and "Traceback" not in said


@shown
def test_a_recording_knows_its_robot(tandem):
    pytest.importorskip("h5py")
    tandem.good("simulate", "tree:5", "--seed", 4, "--gravity", "0,0,1", "--time", 0.05, "--out", "run.h5")
    said, code = served(tandem.folder, "run.h5")
    assert code == 0 and "tree" in said
    tandem.good("simulate", "arm7", "--time", 0.05, "--out", "run.csv")
    assert served(tandem.folder, "arm7", "run.csv")[1] == 0


@shown
@pytest.mark.parametrize("kept", [["--every", 10], ["--final"]])
def test_an_ensemble_is_shown(tandem, kept):
    pytest.importorskip("h5py")
    tandem.good("rollout", "arm7", "--instances", 30, "--steps", 40, "--dt", "1e-3", "--randomize", "q=uniform", *kept,
                "--gravity", "0,0,0", "--out", "run.h5")
    assert served(tandem.folder, "run.h5", "--instances", "0,29")[1] == 0
    assert "instance is 30, expected 0 to 29" in tandem.refused("view", "run.h5", "--instances", "30,", **HERE)


@shown
@pytest.mark.parametrize("words, told", [
    (["arm7", "six.csv"], "six.csv: q has 6 numbers per state, arm7 has 7"),
    (["six.csv"], "a CSV file does not name its robot; name the robot, too: tandem view ROBOT six.csv"),
    (["gone.h5"], "gone.h5: no such file"),
    (["arm7", "six.csv", "--instances", "x"], "--instances is 'x', expected a number of first instances"),
    (["arm7", "--packages", "nowhere"], "--packages nowhere: no such folder"),
    (["arm7", "--gravity", "1,2"], "expected three numbers"),
    (["arm9"], 'did you mean "arm6" or "arm7"'),
    (["arm7", "--host", "203.0.113.7"], "cannot serve at 203.0.113.7"),
])
def test_what_cannot_be_shown_is_refused(tandem, words, told):
    tandem.good("simulate", "arm6", "--time", 0.05, "--out", "six.csv")
    assert told in tandem.refused("view", *words, **HERE)


def test_without_the_package_it_says_what_to_install(tandem):
    told = tandem.refused("view", "arm7", TANDEM_PYTHON="no-such-python")
    assert "tandem view: robots are shown by the Python package tandem, which no-such-python was to import" in told
    assert "pip install '.[view]'" in told


def test_a_program_in_an_environment_takes_the_interpreter_there(tandem):
    folder = tandem.folder / "env"
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("")
    own = folder / "bin/python3"
    own.write_text('#!/bin/sh\necho "error: it is I" >&2\nexit 2\n')
    own.chmod(0o755)
    there = shutil.copy(program(), folder / "bin/tandem")
    environment = {name: value for name, value in os.environ.items() if name != "TANDEM_PYTHON"}
    done = subprocess.run([there, "view", "arm7"], capture_output=True, text=True, env=environment)
    assert done.returncode == 2 and "it is I" in done.stderr


@shown
def test_without_viser_it_says_what_to_install(tandem):
    # the interpreter runs this at its start: it then finds no viser, installed or not
    tandem.file("sitecustomize.py", "import importlib.util as u; find = u.find_spec; "
                                    "u.find_spec = lambda name, *more: None if name == 'viser' else find(name, *more)")
    path = os.pathsep.join([str(tandem.folder), os.environ.get("PYTHONPATH", "")])
    assert "tandem view: the viewer needs viser: pip install viser" in tandem.refused("view", "arm7", PYTHONPATH=path,
                                                                                      **HERE)
