# SPDX-License-Identifier: Apache-2.0
"""Where calls are computed, as far as that can be told without a GPU."""

from __future__ import annotations

import numpy as np
import pytest
from support import robot

import tandem


def test_automatic_device_is_where_the_arrays_lie():
    arm = robot("arm7")
    q = np.full((5, arm.nq), 0.3)
    expected = tandem.gravity_forces(arm, q)
    np.testing.assert_array_equal(tandem.gravity_forces(arm, q, device="auto"), expected)
    with pytest.raises(tandem.Error, match='a plan is for one device, "cpu" or "cuda"'):
        tandem.Plan(arm, "gravity_forces", device="auto")

    class OnGpu:
        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, stream=None):
            assert stream == 1  # the default one, for packages whose streams are not known
            raise BufferError("not really there")

    with pytest.raises(tandem.Error, match='compute there with device="cuda"'):
        tandem.gravity_forces(arm, OnGpu())
    with pytest.raises(tandem.Error, match="q cannot be read: not really there"):
        tandem.gravity_forces(arm, OnGpu(), device="auto")
