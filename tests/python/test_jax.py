# SPDX-License-Identifier: Apache-2.0
"""JAX, in a process of its own: what is checked is in jax_checks.py."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import tandem

MISSING = (
    "JAX WAS NOT TESTED: neither this Python nor that of TANDEM_JAX_PYTHON or build/jax, of the same version, has it; "
    "pip install jax"
)
BENCHMARKED = Path(__file__).resolve().parents[2] / "build/jax/bin/python"  # where scripts/bench puts it


def environment() -> dict[str, str]:
    """In which an interpreter finds this very package."""
    folder = Path(tempfile.mkdtemp(prefix="tandem-"))
    (folder / "tandem").symlink_to(Path(tandem.__file__).parent)
    return os.environ | {"PYTHONPATH": str(folder), "JAX_PLATFORMS": "cpu"}


def interpreter() -> str | Path | None:
    for python in (sys.executable, os.environ.get("TANDEM_JAX_PYTHON"), BENCHMARKED):
        if not python or not Path(python).exists():
            continue
        question = f"import sys, jax; assert sys.version_info[:2] == {sys.version_info[:2]}"
        if subprocess.run([python, "-c", question], capture_output=True, check=False).returncode == 0:
            return python
    return None


def test_functions_under_jit_and_vmap():
    python = interpreter()
    if python is None:
        pytest.skip(MISSING)
    checks = Path(__file__).with_name("jax_checks.py")
    done = subprocess.run([python, checks], env=environment(), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_jax_the_module_says_what_is_missing():
    code = "import sys; sys.modules['jax'] = None; import tandem.jax"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ImportError: tandem.jax needs JAX, which is not installed: pip install jax" in done.stderr
