# SPDX-License-Identifier: Apache-2.0
"""Where calls are computed, as far as that can be told without a GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch_support
from support import robot

import tandem


def test_automatic_device_is_where_the_arrays_lie():
    arm = robot("arm7")
    q = np.full((5, arm.nq), 0.3)
    expected = tandem.gravity_forces(arm, q)
    np.testing.assert_array_equal(tandem.gravity_forces(arm, q, device="auto"), expected)
    with pytest.raises(tandem.Error, match='a plan needs device "cpu" or "cuda"'):
        tandem.Plan(arm, "gravity_forces", device="auto")

    class OnGpu:
        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, stream=None):
            assert stream == 1  # the default one, for packages whose streams are not known
            raise BufferError("not really there")

    with pytest.raises(tandem.Error, match='use device="cuda"'):
        tandem.gravity_forces(arm, OnGpu())
    with pytest.raises(tandem.Error, match="q cannot be read: not really there"):
        tandem.gravity_forces(arm, OnGpu(), device="auto")


def test_program_for_arrays_on_a_gpu():
    """Comparisons of `scripts/gpu_check --only python`, with arrays on the CPU."""
    program = Path(__file__).parents[1] / "gpu_check" / "python_arrays.py"
    python, environment = torch_support.command() or (sys.executable, dict(os.environ))
    done = subprocess.run([python, program, "--host", "--states", "20"], env=environment, capture_output=True,
                          text=True)
    if done.stdout.splitlines()[-1].startswith("0 "):
        pytest.skip("neither PyTorch nor JAX is installed")
    assert done.returncode == 0, done.stdout + done.stderr
