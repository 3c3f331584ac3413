# SPDX-License-Identifier: Apache-2.0
"""PyTorch, in a process of its own: what is checked is in torch_checks.py."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import torch_support


def test_tensors_go_in_and_out(tmp_path):
    found = torch_support.command()
    if found is None:
        pytest.skip(torch_support.MISSING)
    python, environment = found
    checks = Path(__file__).with_name("torch_checks.py")
    done = subprocess.run(
        [python, "-W", "error", checks],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
