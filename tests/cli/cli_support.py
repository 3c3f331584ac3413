# SPDX-License-Identifier: Apache-2.0
"""Runs the built command line: the program that TANDEM_CLI names, else the release build's."""
import contextlib
import os
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def has_opened_a_file_in(process, folder):
    """Whether a program has a file of a folder open, one without a name among them."""
    for link in Path(f"/proc/{process.pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            if os.readlink(link).startswith(f"{folder}/"):
                return True
    return False


def program() -> Path:
    path = Path(os.environ.get("TANDEM_CLI", ROOT / "build/release/bin/tandem"))
    if not path.is_file():
        pytest.fail(f"{path} is not there: build the command line, or set TANDEM_CLI")
    return path


class Cli:
    """tandem(*arguments) runs the program in a folder of its own and gives the finished process."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __call__(self, *arguments, stdin="", timeout=60, **environment):
        return subprocess.run([program(), *map(str, arguments)], input=stdin, capture_output=True, text=True,
                              cwd=self.folder, timeout=timeout, env={**os.environ, **environment})

    def good(self, *arguments, **options) -> str:
        """The output of a run that must succeed without a word on standard error."""
        run = self(*arguments, **options)
        assert run.returncode == 0, run.stderr
        assert run.stderr == ""
        return run.stdout

    def refused(self, *arguments, code=2, **options) -> str:
        """The one error of a run that must fail, and must write nothing else."""
        run = self(*arguments, **options)
        assert run.returncode == code, (run.returncode, run.stderr)
        assert run.stdout == ""
        assert run.stderr.startswith("error: ")
        return run.stderr

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, newline="")
        return path

    def popen(self, *arguments, **options):
        """A process that heeds signals, also where whoever runs the tests ignores some of them, as nohup does."""
        return subprocess.Popen([program(), *map(str, arguments)], cwd=self.folder, preexec_fn=heed_signals, **options)


def heed_signals():
    for word in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(word, signal.SIG_DFL)


def table(text: str) -> tuple[list[str], list[list[float]]]:
    """Header and numbers of a CSV text."""
    header, *lines = text.splitlines()
    return header.split(","), [[float(field) for field in line.split(",")] for line in lines]


PENDULUM = """<robot name="pendulum">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="3" effort="5"/></joint>
  <link name="tip"/>
  <joint name="end" type="fixed"><parent link="bob"/><child link="tip"/>
    <origin xyz="0 0 -1" rpy="0 0 1.5707963267948966"/></joint>
</robot>"""
