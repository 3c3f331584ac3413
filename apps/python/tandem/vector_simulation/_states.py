# SPDX-License-Identifier: Apache-2.0
"""Which robots of a vector simulation are meant, and the states that they begin from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tandem._common.arguments import finite_numbers, real_numbers, whole_number
from tandem._core import Model
from tandem.configuration import integrate, random_configuration, start_configuration
from tandem.errors import Error
from tandem.functions import Array

Instances: TypeAlias = "ArrayLike | slice | None"


def numbers_of(values: Any, dtype: DTypeLike) -> NDArray[Any]:
    """An array of them: of a list, of NumPy, or of a tensor on the processor by DLPack."""
    if isinstance(values, np.ndarray) or not hasattr(values, "__dlpack__"):
        return real_numbers("VectorSimulation: an array", values, dtype)
    if values.__dlpack_device__()[0] not in (1, 3):  # the processor's, page-locked or not
        raise Error("VectorSimulation: a tensor is in the memory of a GPU or another device; move it to host memory")
    if hasattr(values, "detach"):  # of PyTorch: gradients are not asked for
        values = values.detach()
    try:
        return np.asarray(np.from_dlpack(values), dtype)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise Error(f"VectorSimulation: a tensor cannot be read: {error}") from None


class States:
    """States by name and by chance, for robots by number."""

    def __init__(
        self, model: Model, size: int, given: Mapping[str, ArrayLike | tuple[ArrayLike, ArrayLike]] | None
    ) -> None:
        self._model, self._size = model, size
        named: dict[str, Any] = {name: model.configuration(name) for name in model.configuration_names}
        named.update(given or {})
        self.configurations: dict[str, tuple[Array, Array]] = {}
        still = np.zeros(model.nv)
        self.configurations["start"] = start_configuration(model), still
        for name, state in named.items():
            pair = state if isinstance(state, tuple) and len(state) == 2 and np.ndim(state[0]) == 1 else (state, still)
            what = f'VectorSimulation: configuration "{name}"'
            self.configurations[name] = self._row(what, pair[0], model.nq), self._row(what, pair[1], model.nv)

    def _row(self, what: str, given: ArrayLike, rows: int) -> Array:
        array = real_numbers(what, given).copy()
        if array.shape != (rows,):
            raise Error(f"{what} has shape {array.shape}, expected ({rows},)")
        finite_numbers(what, array)
        return array

    def instances(self, call: str, ids: Instances) -> NDArray[np.int64] | None:
        """Numbers of robots, each once; None: all."""
        if ids is None:
            return None
        if isinstance(ids, slice):
            return np.arange(self._size)[ids]
        array = np.atleast_1d(np.asarray(ids))
        if array.dtype == np.bool_:
            if array.shape != (self._size,):
                raise Error(f"VectorSimulation.{call}: ids is a mask of shape {array.shape}, expected ({self._size},)")
            return np.flatnonzero(array)
        if array.size == 0:
            return np.zeros(0, np.int64)
        if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
            raise Error(f"VectorSimulation.{call}: ids is {ids!r}, expected integers or a mask")
        outside = array[(array < 0) | (array >= self._size)]
        if outside.size:
            raise Error(f"VectorSimulation.{call}: ids has {outside[0]}, expected 0 to {self._size - 1}")
        if np.unique(array).size != array.size:
            raise Error(f"VectorSimulation.{call}: ids has duplicates")
        return array.astype(np.int64)

    def begin(
        self,
        some: NDArray[np.int64] | None,
        to: str | Sequence[str],
        q: ArrayLike | None,
        v: ArrayLike | None,
        seed: int | None,
        spread: float | None,
        speed: float,
    ) -> tuple[Array, Array]:
        """States of those robots, a row each."""
        model, n = self._model, self._size if some is None else len(some)
        numbers = np.arange(self._size) if some is None else some
        if q is None:
            if v is not None:
                raise Error("VectorSimulation.reset: v requires q; give both, or write to v afterwards")
            q_new, v_new = self._named(to, n)
        else:
            if to != "start":
                raise Error("VectorSimulation.reset: q and to are mutually exclusive")
            q_new = self._rows("q", q, n, model.nq)
            v_new = self._rows("v", np.zeros(model.nv) if v is None else v, n, model.nv)
        if seed is None:
            if spread is not None or speed:
                raise Error("VectorSimulation.reset: spread and speed require seed")
            return q_new, v_new
        seed = whole_number("VectorSimulation.reset: seed", seed, 0, 2**32 - 1)
        for name, x in (("spread", 0.0 if spread is None else spread), ("speed", speed)):
            if not (np.isfinite(x) and x >= 0):
                raise Error(f"VectorSimulation.reset: {name} is {x}, expected a finite non-negative number")
        if n == 0:
            return q_new, v_new
        # row i of what is drawn is of robot i, whoever else is asked for
        chance = np.random.default_rng(seed).uniform(-1, 1, (int(numbers.max()) + 1, 2 * model.nv))[numbers]
        if spread is not None:
            q_new = self._within_limits(integrate(model, q_new, spread * chance[:, : model.nv]))
        elif q is not None or to != "start":
            raise Error("VectorSimulation.reset: a seed without spread draws from the whole range; to and q require "
                        "spread")
        elif n * 8 > int(numbers.max()):
            q_new = random_configuration(model, seed, batch=int(numbers.max()) + 1)[numbers]
        else:
            q_new = np.array([random_configuration(model, seed + (int(i) << 32)) for i in numbers])
        return q_new, v_new + speed * chance[:, model.nv :]

    def _named(self, to: str | Sequence[str], n: int) -> tuple[Array, Array]:
        names = [to] if isinstance(to, str) else list(to)
        if not isinstance(to, str) and len(names) != n:
            raise Error(f"VectorSimulation.reset: to has {len(names)} names, expected one, or {n}")
        unknown = [name for name in names if name not in self.configurations]
        if unknown:
            there = ", ".join(f'"{name}"' for name in self.configurations)
            raise Error(f'VectorSimulation.reset: unknown configuration "{unknown[0]}"; expected one of {there}')
        q, v = (np.array([self.configurations[name][k] for name in names]) for k in (0, 1))
        rows = (n, 1) if len(names) == 1 else (1, 1)
        return np.tile(q, rows), np.tile(v, rows)

    def _rows(self, name: str, given: ArrayLike, n: int, rows: int) -> Array:
        array = numbers_of(given, np.float64)
        if array.shape not in ((rows,), (n, rows)):
            raise Error(f"VectorSimulation.reset: {name} has shape {array.shape}, expected ({rows},) or ({n}, {rows})")
        finite_numbers(f"VectorSimulation.reset: {name}", array)
        return np.broadcast_to(array, (n, rows))

    def _within_limits(self, q: Array) -> Array:
        return np.clip(q, self._model.q_lower, self._model.q_upper)
