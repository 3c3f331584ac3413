# SPDX-License-Identifier: Apache-2.0
"""Stable-Baselines3, in a process of its own: what is checked is in stable_baselines_checks.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch_support

import tandem


def test_environments_and_algorithms(tmp_path: Path) -> None:
    found = torch_support.command("stable_baselines3, mujoco, PIL, matplotlib")
    if found is None:
        pytest.skip(torch_support.MISSING_BASELINES)
    python, environment = found
    checks = Path(__file__).with_name("stable_baselines_checks.py")
    done = subprocess.run(
        [python, checks], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_it_the_module_says_what_is_missing() -> None:
    pytest.importorskip("gymnasium")
    code = "import sys; sys.modules['stable_baselines3'] = None; import tandem.gymnasium.stable_baselines"
    environment = {"PYTHONPATH": str(Path(tandem.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (
        done.returncode == 1
        and "Stable-Baselines3, which is not installed: pip install stable_baselines3" in done.stderr
    )
