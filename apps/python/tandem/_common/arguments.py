# SPDX-License-Identifier: Apache-2.0
"""What functions in Python expect of numbers that they are given."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tandem.errors import Error


def whole_number(what: str, given: Any, least: int, most: int | None = None) -> int:
    """The number given, if it is whole and within bounds. ``what`` names it in the Error, "function: argument"."""
    expected = f"{least} or more" if most is None else f"{least} to {most}"
    try:
        number = operator.index(given)
    except TypeError:
        raise Error(f"{what} is {given!r}, expected an integer, {expected}") from None
    if number < least or (most is not None and number > most):
        raise Error(f"{what} is {number}, expected {expected}")
    return number


def real_numbers(what: str, given: ArrayLike, dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """The numbers given, in a precision, or an Error if they are complex, dates or text. ``what`` names them in the
    Error."""
    array = np.asarray(given)
    if array.dtype.kind in "cmMSU":
        raise Error(f"{what} has dtype {array.dtype}, expected real numbers")
    try:
        return array.astype(dtype, copy=False)
    except (TypeError, ValueError):
        raise Error(f"{what} is {given!r}, expected numbers") from None


def switch(what: str, given: Any) -> bool:
    """Whether something is wanted: True or False, for which ``"on"`` and ``"off"`` stand, too. ``what`` names it in the
    Error."""
    if isinstance(given, (bool, np.bool_)):
        return bool(given)
    if isinstance(given, str) and given in ("on", "off"):
        return given == "on"
    raise Error(f"{what} is {given!r}, expected True or False (or 'on' or 'off')")


def finite_numbers(what: str, values: NDArray[Any]) -> None:
    """Nothing if all numbers are finite, else an Error that names the first that is not."""
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        where = bad[0] if values.ndim < 2 else tuple(int(k) for k in np.unravel_index(bad[0], values.shape))
        raise Error(f"{what} has {values.flat[bad[0]]} at {where}, expected finite numbers")


def new_array(what: str, shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """An array to be filled, or an Error that says how much memory it would have taken."""
    try:
        return np.empty(shape, dtype)
    except (MemoryError, ValueError, OverflowError):
        size = math.prod(shape) * np.dtype(dtype).itemsize
        raise Error(f"{what}: out of memory: an array of shape {shape} needs {size:.3g} bytes") from None
