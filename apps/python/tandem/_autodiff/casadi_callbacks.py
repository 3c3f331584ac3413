# SPDX-License-Identifier: Apache-2.0
"""Functions of CasADi that call Tandem, and their derivatives: Jacobians, products either way, Jacobians of products.

A state is a column; the columns of a matrix are stacked. Derivatives of several states are block-diagonal, and CasADi
gets this sparsity.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandem._autodiff.derivatives import ByDifferences, Call
from tandem._autodiff.parameters import Inputs
from tandem._common.frameworks import framework

_casadi = framework("casadi", "CasADi")

Numbers = NDArray[np.float64]
Sizes = tuple[int, ...]  # of one state


def _count(own: Sizes) -> int:
    return int(np.prod(own))


def _flat(numbers: Numbers, own: Sizes) -> Numbers:
    """Own axes as one, in the order of CasADi, which goes through columns."""
    numbers = numbers.swapaxes(-1, -2) if len(own) == 2 else numbers
    return numbers.reshape(*numbers.shape[: numbers.ndim - len(own)], _count(own))


def _unflat(numbers: Numbers, own: Sizes) -> Numbers:
    numbers = numbers.reshape(*numbers.shape[:-1], *own[::-1])
    return numbers.swapaxes(-1, -2) if len(own) == 2 else numbers


def _read(matrix: Any, own: Sizes, columns: int, ways: int = 1) -> Numbers:
    """``[ways, columns, *own]`` of a matrix of CasADi that has its ways side by side."""
    numbers = np.asarray(matrix.full(), np.float64).T
    return _unflat(numbers.reshape(ways, columns, _count(own)), own)


def _written(numbers: Numbers, own: Sizes) -> Numbers:
    """The matrix of CasADi of ``[ways, columns, *own]``."""
    return _flat(numbers, own).reshape(-1, _count(own)).T


def _units(own: Sizes, columns: int) -> Numbers:
    """``[n, columns, *own]``: each number by itself, in the order of CasADi."""
    n = _count(own)
    return np.broadcast_to(_unflat(np.eye(n), own)[:, None], (n, columns, *own))


class _Called(_casadi.Callback):  # type: ignore[name-defined, misc]
    """What all of them have: sizes in and out, and what they made, which must live as long as they do."""

    def __init__(self, name: str, call: Call, there: tuple[int, ...], columns: int) -> None:
        _casadi.Callback.__init__(self)
        self.asked, self.there, self.columns = call, there, columns
        function, model = call.function, call.model
        self.own: list[Sizes] = [input_sizes(call, k) for k in there]
        self.results: list[Sizes] = list(function.sizes(model, dict(call.options)))
        self.kept: list[Any] = []
        self.construct(name, {})

    def sparsities_in(self) -> list[Any]:
        return [_casadi.Sparsity.dense(_count(own), self.columns) for own in self.own]

    def sparsities_out(self) -> list[Any]:
        return [_casadi.Sparsity.dense(_count(own), self.columns) for own in self.results]

    def get_n_in(self) -> int:
        return len(self.sparsities_in())

    def get_n_out(self) -> int:
        return len(self.sparsities_out())

    def get_sparsity_in(self, k: int) -> Any:
        return self.sparsities_in()[k]

    def get_sparsity_out(self, k: int) -> Any:
        return self.sparsities_out()[k]

    def keep(self, made: Any) -> Any:
        self.kept.append(made)
        return made

    def inputs(self, given: Any) -> Inputs:
        """Of all states, None for what is not there."""
        x: Inputs = [None] * len(self.asked.function.ranks)
        for k, own, matrix in zip(self.there, self.own, given):
            x[k] = _read(matrix, own, self.columns)[0]
        return x

    def spread(self, values: Any) -> Inputs:
        entries: Inputs = [None] * len(self.asked.function.ranks)
        for k, value in zip(self.there, values):
            entries[k] = value
        return entries

    def for_ways(self, x: Inputs, ways: int) -> Inputs:
        """Inputs beside several ways: only differences need them once for each."""
        if not isinstance(self.asked.function, ByDifferences):
            return x
        return [None if y is None else np.broadcast_to(y, (ways, *y.shape)) for y in x]

    def block(self, rows: Sizes, columns: Sizes) -> Any:
        one = _casadi.Sparsity.dense(_count(rows), _count(columns))
        return _casadi.diagcat(*[one] * self.columns)

    def blocks(self, numbers: Numbers, rows: Sizes, columns: Sizes) -> Any:
        """A derivative of ``numbers [n, columns, *rows]``, one for each of the n that moved."""
        n = _count(columns)
        full = np.broadcast_to(numbers, (n, self.columns, *rows))
        return _casadi.DM(self.block(rows, columns), _flat(full, rows).swapaxes(0, 1).ravel())


def input_sizes(call: Call, k: int) -> Sizes:
    """Of one state."""
    name, rank = call.function.names[k], call.function.ranks[k]
    if k >= call.function.own:
        return tuple(call.model.parameter(name).shape)
    if rank == 2:
        return (call.model.n_links, 6)
    return (call.model.nq if name in ("q", "q0", "q1", "q_target") else call.model.nv,)


class Value(_Called):
    """The function itself."""

    def eval(self, given: Any) -> list[Any]:
        values = self.asked.value(self.inputs(given))
        return [_casadi.DM(_written(value[None], own)) for value, own in zip(values, self.results)]

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, _in: Any, _out: Any, _options: Any) -> Any:
        return self.keep(_Jacobian(name, self.asked, self.there, self.columns))

    def has_jac_sparsity(self, _out: int, _in: int) -> bool:
        return True

    def get_jac_sparsity(self, out: int, into: int, _symmetric: bool) -> Any:
        return self.block(self.results[out], self.own[into])

    def has_forward(self, _ways: int) -> bool:
        return True

    def get_forward(self, ways: int, name: str, _in: Any, _out: Any, _options: Any) -> Any:
        return self.keep(_Forward(name, self, ways))

    def has_reverse(self, _ways: int) -> bool:
        return True

    def get_reverse(self, ways: int, name: str, _in: Any, _out: Any, _options: Any) -> Any:
        return self.keep(_Reverse(name, self, ways))


class _Jacobian(_Called):
    """All derivatives: of inputs, then outputs, which are not needed."""

    def sparsities_in(self) -> list[Any]:
        return [*super().sparsities_in(), *super().sparsities_out()]

    def sparsities_out(self) -> list[Any]:
        return [self.block(rows, columns) for rows in self.results for columns in self.own]

    def eval(self, given: Any) -> list[Any]:
        x = self.inputs(given)
        of_inputs = []
        for k, own in zip(self.there, self.own):
            ways: Inputs = [None] * len(x)
            ways[k] = _units(own, self.columns)
            of_inputs.append(self.asked.push(self.for_ways(x, len(ways[k])), ways))
        return [
            self.blocks(changes[row], rows, columns)
            for row, rows in enumerate(self.results)
            for changes, columns in zip(of_inputs, self.own)
        ]


class _Ways(_Called):
    """Inputs, outputs, and several ways side by side."""

    def __init__(self, name: str, of: _Called, ways: int) -> None:
        self.ways = ways
        super().__init__(name, of.asked, of.there, of.columns)

    def stretched(self, sizes: list[Sizes]) -> list[Any]:
        return [_casadi.Sparsity.dense(_count(own), self.columns * self.ways) for own in sizes]

    def nominal(self) -> list[Any]:
        return [*_Called.sparsities_in(self), *_Called.sparsities_out(self)]

    def all_ways(self, given: Any, sizes: list[Sizes]) -> list[Numbers]:
        return [_read(matrix, own, self.columns, self.ways) for matrix, own in zip(given, sizes)]

    def written(self, values: Any, sizes: list[Sizes]) -> list[Any]:
        shapes = [(self.ways, self.columns, *own) for own in sizes]
        full = [np.broadcast_to(value, shape) for value, shape in zip(values, shapes)]
        return [_casadi.DM(_written(value, own)) for value, own in zip(full, sizes)]


class _Forward(_Ways):
    """Changes of the outputs."""

    def sparsities_in(self) -> list[Any]:
        return [*self.nominal(), *self.stretched(self.own)]

    def sparsities_out(self) -> list[Any]:
        return self.stretched(self.results)

    def eval(self, given: Any) -> list[Any]:
        ways = self.all_ways(given[len(self.own) + len(self.results) :], self.own)
        changes = self.asked.push(self.for_ways(self.inputs(given), self.ways), self.spread(ways))
        return self.written(changes, self.results)


class _Reverse(_Ways):
    """Gradients by the inputs."""

    def sparsities_in(self) -> list[Any]:
        return [*self.nominal(), *self.stretched(self.results)]

    def sparsities_out(self) -> list[Any]:
        return self.stretched(self.own)

    def eval(self, given: Any) -> list[Any]:
        g = self.all_ways(given[len(self.own) + len(self.results) :], self.results)
        found = self.asked.pull(self.for_ways(self.inputs(given), self.ways), g, self.wanted())
        return self.written([found[k] for k in self.there], self.own)

    def wanted(self) -> tuple[bool, ...]:
        return tuple(k in self.there for k in range(len(self.asked.function.ranks)))

    def has_jacobian(self) -> bool:
        return self.ways == 1

    def get_jacobian(self, name: str, _in: Any, _out: Any, _options: Any) -> Any:
        return self.keep(_ReverseJacobian(name, self, 1))

    def has_jac_sparsity(self, _out: int, _in: int) -> bool:
        return self.ways == 1

    def get_jac_sparsity(self, out: int, into: int, _symmetric: bool) -> Any:
        return _by_given(self, self.own[out])[into]


def _by_given(of: _Reverse, rows: Sizes) -> list[Any]:
    """Which numbers of a gradient depend on which of what it is given."""
    height = _count(rows) * of.columns
    by_x = [of.block(rows, columns) for columns in of.own]
    by_values = [_casadi.Sparsity(height, _count(columns) * of.columns) for columns in of.results]
    return [*by_x, *by_values, *(of.block(rows, columns) for columns in of.results)]


class _ReverseJacobian(_Reverse):
    """How gradients change: second derivatives."""

    def sparsities_in(self) -> list[Any]:
        return [*super().sparsities_in(), *super().sparsities_out()]

    def sparsities_out(self) -> list[Any]:
        return [sparsity for rows in self.own for sparsity in _by_given(self, rows)]

    def has_jacobian(self) -> bool:
        return False

    def has_jac_sparsity(self, _out: int, _in: int) -> bool:
        return False

    def eval(self, given: Any) -> list[Any]:
        x, n = self.inputs(given), len(self.own) + len(self.results)
        g = [way[0] for way in self.all_ways(given[n:], self.results)]
        by_x, by_g = [], []
        for k, own in zip(self.there, self.own):
            u: Inputs = [None] * len(x)
            u[k] = _units(own, self.columns)
            by_x.append(self.folded(x, g, u))
        for k, own in enumerate(self.results):
            units = _units(own, self.columns)
            each = [units if j == k else np.zeros((len(units), self.columns, *other))
                    for j, other in enumerate(self.results)]
            by_g.append(self.asked.pull(self.for_ways(x, len(units)), each, self.wanted()))
        found = []
        for k, rows in zip(self.there, self.own):
            found += [self.blocks(gradients[k], rows, own) for gradients, own in zip(by_x, self.own)]
            found += [_casadi.DM(sparsity) for sparsity in _by_given(self, rows)[len(self.own) : n]]
            found += [self.blocks(gradients[k], rows, own) for gradients, own in zip(by_g, self.results)]
        return found

    def folded(self, x: Inputs, g: Inputs, u: Inputs) -> Inputs:
        ways = next(len(way) for way in u if way is not None)
        if isinstance(self.asked.function, ByDifferences):  # whose inputs are all moved together
            g = [np.broadcast_to(y, (ways, *y.shape)) for y in g]
        return self.asked.fold(self.for_ways(x, ways), g, u, self.wanted())
