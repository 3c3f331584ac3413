# SPDX-License-Identifier: Apache-2.0
"""What drives simulated robots."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tandem._core import Model
from tandem.errors import Error


class PdController(NamedTuple):
    """tau = kp (q_target - q) - kd v, the difference on the manifold, clipped to the effort limits."""

    q_target: ArrayLike  #: ``[nq]`` rad|m, or ``[batch, nq]``
    kp: ArrayLike  #: ``[nv]``, or one number for all, N m/rad|N/m, or ``[batch, nv]``
    kd: ArrayLike  #: ``[nv]``, or one number for all, N m s/rad|N s/m, or ``[batch, nv]``


def controller_numbers(
    model: Model, batch: tuple[int, ...], given: PdController | None
) -> tuple[list[float], list[float], list[float]]:
    """Target and gains, of one robot or of every one of a batch, row after row; empty without a controller."""
    if given is None:
        return [], [], []
    sizes = {"q_target": model.nq, "kp": model.nv, "kd": model.nv}
    flat = []
    for (name, size), numbers in zip(sizes.items(), given):
        array = np.asarray(numbers, np.float64)
        if array.ndim == 0 and name != "q_target":
            array = np.full(size, array)
        if array.shape not in ((size,), (*batch, size)):
            expected = f"({size},) or {(*batch, size)}" if batch else f"({size},)"
            raise Error(f"Simulation: {name} of the controller has shape {array.shape}, expected {expected}")
        flat.append(array.ravel().tolist())
    return flat[0], flat[1], flat[2]
