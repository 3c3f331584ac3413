# SPDX-License-Identifier: Apache-2.0
"""Options and outputs of batches of states; see :mod:`tandem.functions`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem import _core

Parameters: TypeAlias = Mapping[str, ArrayLike]
StatusArray: TypeAlias = NDArray[np.uint8]
IterationsArray: TypeAlias = NDArray[np.int32]
Device: TypeAlias = Literal["cpu", "cuda", "auto"]


class Parameter(NamedTuple):
    """What of a model may differ from state to state."""

    name: str
    shape: tuple[str | int, ...]  #: of one state, by the names that :class:`tandem.Model` has for sizes
    units: str
    meaning: str


def parameters() -> tuple[Parameter, ...]:
    """All that ``parameters={name: array}`` of a call may hold.

    >>> for p in tandem.parameters()[:3]:
    ...     print(p.name, p.shape, p.units)
    mass ('n_links',) kg
    com ('n_links', 3) m
    inertia ('n_links', 6) kg m^2
    """
    return tuple(
        Parameter(
            p["name"],
            tuple(int(n) if n.isdigit() else n for n in p["sizes"].split(", ")),
            p["units"],
            p["meaning"],
        )
        for p in _core.parameters()
    )
