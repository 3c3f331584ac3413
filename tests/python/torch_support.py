# SPDX-License-Identifier: Apache-2.0
"""An interpreter that has PyTorch: this one, TANDEM_TORCH_PYTHON, or the system's, whose packages may clash with those
here."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import tandem

MISSING = (
    "PYTORCH WAS NOT TESTED: neither this Python nor /usr/bin/python3 of the same version has it; "
    "apt-get install python3-torch"
)

MISSING_BASELINES = (
    "STABLE-BASELINES3 WAS NOT TESTED: no Python of this version has it with PyTorch, MuJoCo, Pillow and Matplotlib; "
    "set TANDEM_TORCH_PYTHON to one that has"
)


@functools.cache
def command(others: str = "") -> tuple[str, dict[str, str]] | None:
    """The interpreter and its environment, in which it finds this very package, and others; none if there is none."""
    folder = Path(tempfile.mkdtemp(prefix="tandem-"))
    (folder / "tandem").symlink_to(Path(tandem.__file__).parent)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    question = f"import sys, {others or 'torch'}, torch; assert '%d.%d' % sys.version_info[:2] == '{version}'"
    for python in (sys.executable, os.environ.get("TANDEM_TORCH_PYTHON", sys.executable), "/usr/bin/python3"):
        environment = os.environ | {"PYTHONPATH": str(folder)}
        try:
            done = subprocess.run([python, "-c", question], env=environment, capture_output=True, timeout=120)
        except OSError:
            continue
        if done.returncode == 0:
            return python, environment
    return None
