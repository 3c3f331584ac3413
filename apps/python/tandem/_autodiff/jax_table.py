# SPDX-License-Identifier: Apache-2.0
"""Any function of the table of algorithms for JAX: its values, and derivatives by differences of fourth order."""

from __future__ import annotations

import functools
import math
from typing import Any

from tandem import _core
from tandem._autodiff.derivatives import ByDifferences, Call
from tandem._autodiff.parameters import PARAMETERS, PARAMETER_RANKS, Inputs
from tandem._core import Model

NAMES = tuple(algorithm.name for algorithm in _core.algorithms())


class Tabled(ByDifferences):
    """A function with its inputs in the order of the table; its outputs are those that are always computed."""

    def __init__(self, name: str) -> None:
        algorithm = _core.find_algorithm(name)
        rows = [(row[0], row[1], sizes) for row, sizes in zip(algorithm.arguments, algorithm.sizes)]
        inputs = [(of, sizes) for of, role, sizes in rows if role.endswith("input")]
        self._outputs = [sizes for _, role, sizes in rows if role == "output"]
        self.name = name  # type: ignore[misc]
        self.names = (*(of for of, _ in inputs), *PARAMETERS)  # type: ignore[misc]
        self.ranks = (*(_rank(sizes) for _, sizes in inputs), *PARAMETER_RANKS)  # type: ignore[misc]
        self.out_ranks = tuple(map(_rank, self._outputs))  # type: ignore[misc]

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        return tuple(shape(sizes, model) for sizes in self._outputs)

    def value(self, call: Call, x: Inputs) -> tuple[Any, ...]:
        return super().value(call, x)[: len(self._outputs)]  # those that come with optional inputs stand behind


@functools.cache
def tabled(name: str) -> Tabled:
    return Tabled(name)


def _rank(sizes: str) -> int:
    return len(sizes.split(", ")) if sizes else 0


def shape(sizes: str, model: Model) -> tuple[int, ...]:
    """Of "nv", "n_links, 6", "10 n_joints", or "" for a number."""
    def count(size: str) -> int:
        return math.prod(int(word) if word.isdigit() else int(getattr(model, word)) for word in size.split())

    return tuple(count(size) for size in sizes.split(", ") if size)
