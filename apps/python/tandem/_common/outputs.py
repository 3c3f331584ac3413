# SPDX-License-Identifier: Apache-2.0
"""Results of functions with optional outputs."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tandem.errors import Error

Array: TypeAlias = NDArray[np.floating[Any]]
R = TypeVar("R", bound="Results")


def outputs(function: str, out: Array | tuple[Array, ...] | None, *wanted: bool) -> list[Any]:
    """An entry for every output: an array to write to, True for a new one, None if not wanted."""
    if out is None:
        return [True if w else None for w in wanted]
    arrays = out if isinstance(out, (tuple, list)) else (out,)
    if len(arrays) != sum(wanted):
        raise Error(f"{function}: out has {len(arrays)} arrays, expected {sum(wanted)}")
    given = iter(arrays)
    return [next(given) if w else None for w in wanted]


class Results(tuple[Array, ...]):
    """A named tuple of the outputs of a call.

    A derived class annotates a field for every output of a function. An instance has those that were requested;
    the others are no attributes of it.
    """

    __slots__ = ()

    @classmethod
    def of(cls: type[R], wanted: Sequence[bool], results: Sequence[Array]) -> R:
        """The results of a call in which these outputs were wanted."""
        return _with_fields(cls, tuple(wanted))._make(results)


@functools.lru_cache(maxsize=None)
def _with_fields(kind: type[Results], wanted: tuple[bool, ...]) -> Any:
    """The named tuple of the wanted fields of a class."""
    fields = [field for field, is_wanted in zip(kind.__annotations__, wanted) if is_wanted]
    plain: Any = namedtuple(kind.__name__, fields)  # type: ignore[misc]

    def reduce(self: Any) -> tuple[Any, ...]:
        return kind.of, (wanted, tuple(self))

    return type(kind.__name__, (plain, kind), {"__slots__": (), "__doc__": kind.__doc__, "__reduce__": reduce})
