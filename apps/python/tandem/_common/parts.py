# SPDX-License-Identifier: Apache-2.0
"""Long calls over many instances, some at a time, so that Python looks for signals in between: Ctrl-C ends them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

_LONG = 0.3  #: s that a part should take
_LANES = 16  #: instances that keep a core busy


def in_parts(count: int, work: float, do: Callable[[slice], None]) -> None:
    """Calls do(instances) for all of them. ``work``: s that an instance may take on one core, to begin with."""
    cores = os.cpu_count() or 1
    least = _LANES * cores
    size, begin = max(least, int(_LONG * cores / work)), 0
    while begin < count:
        end = min(begin + size, count)
        started = time.perf_counter()
        do(slice(begin, end))
        spent = time.perf_counter() - started
        if end - begin == size:
            size = max(least, int(size * min(2.0, _LONG / max(spent, 1e-6))))
        begin = end


def rows(arrays: Mapping[str, Any], some: slice, count: int) -> dict[str, Any]:
    """The rows of some instances; arrays with one row, which stands for all of them, as they are."""
    return {name: rows_of(array, some, count) for name, array in arrays.items()}


def rows_of(array: Any, some: slice, count: int) -> Any:
    return array[some] if array is not None and len(array) == count else array
