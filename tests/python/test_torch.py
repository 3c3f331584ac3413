# SPDX-License-Identifier: Apache-2.0
"""PyTorch, in processes of their own: what is checked is in torch_*.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch_support

import tandem


@pytest.mark.parametrize("checks", ["torch_checks.py", "torch_gradients.py", "torch_transforms.py"])
def test_tensors(tmp_path, checks):
    found = torch_support.command()
    if found is None:
        pytest.skip(torch_support.MISSING)
    python, environment = found
    done = subprocess.run(
        [python, "-W", "error", "-W", "ignore::FutureWarning", Path(__file__).with_name(checks)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr


def test_without_pytorch_the_module_says_what_is_missing():
    code = "import sys; sys.modules['torch'] = None; import tandem.torch"
    environment = {"PYTHONPATH": str(Path(tandem.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "tandem.torch needs PyTorch, which is not installed: pip install torch" in done.stderr
