# SPDX-License-Identifier: Apache-2.0
"""Checks of invariants of mechanics on random states of a robot."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from tandem import _core
from tandem._common.arguments import whole_number
from tandem._core import Model
from tandem.errors import Error


class PropertyResult(NamedTuple):
    """Result of one check over all states. Numbers are those of the state closest to the tolerance."""

    name: str
    outcome: str  #: "passed", "failed" or "not applicable"
    error: float  #: relative to the largest number of the quantity compared
    tolerance: float  #: allowed error, relative as well
    note: str  #: why it does not apply, or a remark


def check_model(
    model: Model, *, states: int = 10, seed: int = 1, dtype: DTypeLike = np.float64
) -> list[PropertyResult]:
    """Check all invariants, for instance that forward dynamics is the inverse of inverse dynamics.

    Args:
        states: number of random states
        seed: seed of the states, which are the same on every machine
        dtype: precision to compute in, float64 or float32

    >>> {result.outcome for result in tandem.check_model(tandem.load("arm7"))} <= {"passed", "not applicable"}
    True
    """
    if np.dtype(dtype) not in (np.float64, np.float32):
        raise Error(f"check_model: dtype is {np.dtype(dtype)}, expected float64 or float32")
    states = whole_number("check_model: states", states, 1, 2**31 - 1)
    seed = whole_number("check_model: seed", seed, 0, 2**64 - 1)
    rows = _core.check_model(model, states, seed, np.dtype(dtype) == np.float32)
    return [PropertyResult(*row) for row in rows]
