# SPDX-License-Identifier: Apache-2.0
"""The laws that the dynamics of a robot obey, tried on random states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from tandem import _core
from tandem._common.arguments import whole_number
from tandem._core import Model
from tandem.errors import Error


class PropertyResult(NamedTuple):
    """One law, tried on every state; the numbers are those that came nearest to the tolerance."""

    name: str
    outcome: str  #: "passed", "failed" or "not applicable"
    error: float  #: relative to the largest number of the quantity compared
    tolerance: float  #: the largest error that is allowed, relative too
    note: str  #: why it does not apply, or what a reader should know


def check_model(
    model: Model, *, states: int = 10, seed: int = 1, dtype: DTypeLike = np.float64
) -> list[PropertyResult]:
    """Tries all laws, for instance that forward and inverse dynamics undo each other.

    Args:
        states: number of random states
        seed: the same seed tries the same states on every machine
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
