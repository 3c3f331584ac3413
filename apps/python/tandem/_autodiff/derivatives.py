# SPDX-License-Identifier: Apache-2.0
"""How the functions of the package change with what they are given, for frameworks that differentiate.

Of each function: its value, what changes of its inputs do to its outputs (``push``: Jacobian times vectors), and what
gradients by its outputs are by its inputs (``pull``: transposed). Both again along a direction of the inputs (``bend``,
``fold``: second order). Inputs are arrays of NumPy or tensors of PyTorch, on a GPU where the library has one, all of
one leading shape; those of ``value`` broadcast. What is not given or does not move is None. Configurations are the
numbers of ``q`` as they stand. Behind what a function takes itself stand, where it depends on them, the parameters of
the robot (:func:`tandem.parameters`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from tandem import _core, functions
from tandem._autodiff.parameters import PARAMETERS, PARAMETER_RANKS, Inputs, of_moving_links
from tandem._autodiff.tangents import NUMPY, stack, tangents, zeros
from tandem._core import Model
from tandem.errors import Error

_STEP = 5e-5
# of differences of differences: roundings over its square are what is left out, 1e-10 in double precision
_TWICE = 2e-3
_ENDS = ((1.0, 8.0 / 12), (-1.0, -8.0 / 12), (2.0, -1.0 / 12), (-2.0, 1.0 / 12))


#: how functions are called where JAX compiles, by the device
COMPILED: dict[str, Callable[[Call, str, tuple[Any, ...], dict[str, Any]], Any]] = {}


class Function:
    """One of the functions; ``Function.ranks``: axes of one state of each input, ``names``: what they are called.

    Names of parameters of the robot stand last, all of them or none.
    """

    name: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    ranks: ClassVar[tuple[int, ...]]
    out_ranks: ClassVar[tuple[int, ...]] = (1,)

    def sizes(self, model: Model, options: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
        """Of the outputs of one state."""
        return ((model.nv,),)

    def _felt(self, u: Inputs) -> Inputs:
        return of_moving_links(self.names, u)

    def compiled(self, call: Call) -> tuple[str, ...]:
        """What of it can stand in code that JAX compiles."""
        return ("value", "push", "pull") if call.serves(self.name) else ()

    @property
    def own(self) -> int:
        """How many inputs are no parameters of the robot."""
        return len(self.names) - len(PARAMETERS) if self.names[-1:] == PARAMETERS[-1:] else len(self.names)

    def value(self, call: Call, x: Inputs) -> tuple[Any, ...]:
        result = call.of(self.name, *x[: self.own], **dict(call.options))
        return tuple(result) if isinstance(result, tuple) else (result,)

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        raise NotImplementedError

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        raise NotImplementedError

    def bend(self, call: Call, x: Inputs, t: Inputs, u: Inputs) -> tuple[Any, ...]:
        return tuple(along(lambda moved: list(call.push(moved, wide(t))), x, self._felt(u), self.ranks, self.out_ranks))

    def fold(self, call: Call, x: Inputs, g: Inputs, u: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        return along(lambda moved: call.pull(moved, wide(g), wanted), x, self._felt(u), self.ranks, self.ranks)


@dataclass(frozen=True)
class Call:
    """A function of a robot with its options."""

    function: Function
    model: Model
    options: tuple[tuple[str, Any], ...] = ()
    device: str = "cpu"
    parameters: tuple[tuple[str, Any], ...] = field(default=(), compare=False)  #: of the robot, while it is evaluated

    def of(self, name: str, *inputs: Any, **options: Any) -> Any:
        """A function of the package, where the arrays lie; a call of compiled code where JAX is compiling."""
        if self.device in COMPILED:
            return COMPILED[self.device](self, name, inputs, options)
        varied = {"parameters": dict(self.parameters)} if self.parameters else {}
        return getattr(functions, name)(self.model, *inputs, device=self.device, **options, **varied)

    def serves(self, name: str) -> bool:
        """Whether a function of the package runs where the arrays lie."""
        return self.device in ("cpu", "xla_cpu") or _has_kernels(self.model, name)

    def varied(self, x: Inputs) -> Call:
        """Of the robot with the parameters that stand behind a function's own inputs."""
        given = zip(PARAMETERS, x[self.function.own :])
        return replace(self, parameters=tuple((name, values) for name, values in given if values is not None))

    def beside(self) -> Call:
        """Of states with one axis more, along which the robot is the same."""
        ranks = dict(zip(PARAMETERS, PARAMETER_RANKS))
        beside = ((name, values[(..., None, *[slice(None)] * ranks[name])]) for name, values in self.parameters)
        return replace(self, parameters=tuple(beside))

    def resting(self, turning_alone: bool = False) -> Call:
        """Of the robot on a base that does not accelerate; or does not turn faster, where that alone is asked for."""
        return replace(self, model=_resting(self.model, turning_alone))

    def under_gravity(self, gravity: Any) -> Call:
        """Of the robot under another gravity, on a base that does not accelerate."""
        return self.resting().with_parameters(gravity=gravity)

    def weightless(self) -> Call:
        """Of the robot without gravity, on a base that does not accelerate."""
        rest = tuple(of for of in self.parameters if of[0] != "gravity")
        return replace(self, model=_weightless(self.model), parameters=rest)

    def of_tree(self) -> Call:
        """Of the robot with its loops open."""
        return replace(self, model=_tree(self.model)) if self.model.n_loops else self

    def with_parameters(self, **given: Any) -> Call:
        """Of the robot with some parameters in place of its own."""
        rest = tuple(of for of in self.parameters if of[0] not in given)
        return replace(self, parameters=(*rest, *given.items()))

    def sizes(self) -> tuple[tuple[int, ...], ...]:
        return self.function.sizes(self.model, dict(self.options))

    def value(self, x: Inputs) -> tuple[Any, ...]:
        return self.function.value(self.varied(x), x)

    def push(self, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        """Changes of the outputs."""
        return self.function.push(self.varied(x), x, t)

    def pull(self, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        """Gradients by the inputs that are wanted, None for the others."""
        return self.function.pull(self.varied(x), x, g, wanted)

    def bend(self, x: Inputs, t: Inputs, u: Inputs) -> tuple[Any, ...]:
        """JVP of push for the tangent u."""
        return self.function.bend(self.varied(x), x, t, u)

    def fold(self, x: Inputs, g: Inputs, u: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        """JVP of pull for the tangent u: a Hessian-vector product of g . outputs."""
        return self.function.fold(self.varied(x), x, g, u, wanted)


@functools.lru_cache(64)
def _has_kernels(model: Model, name: str) -> bool:
    try:
        _core.Plan(model, name, {}, "cuda", False)
    except Error:
        return False
    return True


@functools.lru_cache(64)
def _weightless(model: Model) -> Model:
    return model.with_gravity((0.0, 0.0, 0.0)).with_base_acceleration((0.0,) * 6)


@functools.lru_cache(64)
def _tree(model: Model) -> Model:
    return model.without_loops()


@functools.lru_cache(64)
def _resting(model: Model, turning_alone: bool) -> Model:
    a = model.base_acceleration
    return model.with_base_acceleration((*a[:3], 0.0, 0.0, 0.0) if turning_alone else (0.0,) * 6)


def wide(values: Inputs) -> Inputs:
    return [None if v is None else _double(v) for v in values]


def _double(x: Any) -> Any:
    return x.astype(np.float64, copy=False) if isinstance(x, NUMPY) else x.double()


def _like(x: Any, kind: Any) -> Any:
    return x.astype(kind.dtype, copy=False) if isinstance(x, NUMPY) else x.to(kind.dtype)


def along(
    of: Callable[[Inputs], Inputs],
    x: Inputs,
    u: Inputs,
    ranks: tuple[int, ...],
    out_ranks: tuple[int, ...],
    length: float = _STEP,
) -> Inputs:
    """The derivative of a function along u by four evaluations in double precision, one batch: good to twelve digits.

    ``length`` is that of the differences, in parts of the numbers or of one: longer for functions that are less exact.
    """
    kind = next(v for v in x if v is not None)
    double, ways = wide(x), wide(u)
    longest: Any = None  # of the way, in parts of the numbers or of one, per state
    for value, way, rank in zip(double, ways, ranks):
        if way is None:
            continue
        size = abs(value)
        part = abs(way) / (size + 1.0)
        for _ in range(rank):
            part = part.max(-1) if isinstance(part, NUMPY) else part.max(-1).values
        longest = part if longest is None else _larger(longest, part)
    if longest is None:
        raise Error("jvp: expected at least one tangent")
    h = length / (longest + (longest == 0))
    moved = []
    for value, way, rank in zip(double, ways, ranks):
        if value is None or way is None:
            moved.append(value)
        else:
            step = h.reshape(*h.shape, *(1,) * rank) * way
            moved.append(stack([value + factor * step for factor, _ in _ENDS], 0))
    ends = of(moved)
    results: Inputs = []
    for end, rank in zip(ends, out_ranks):
        if end is None:
            results.append(None)
        elif len(end.shape) <= len(h.shape) + rank:  # it does not depend on what moves
            results.append(_like(0.0 * end, kind))
        else:
            slope = sum(weight * end[k] for k, (_, weight) in enumerate(_ENDS))
            results.append(_like(slope / h.reshape(*h.shape, *(1,) * rank), kind))
    return results


def _larger(a: Any, b: Any) -> Any:
    return np.maximum(a, b) if isinstance(a, NUMPY) else a.maximum(b)


def total(parts: list[Any]) -> Any:
    """The sum of those that are there, None where there are none."""
    found = [part for part in parts if part is not None]
    return sum(found[1:], found[0]) if found else None


class Twice(Function):
    """A function with analytic second derivatives by its inputs, and differences by parameters of the robot."""

    second: ClassVar[str]  #: the product

    def compiled(self, call: Call) -> tuple[str, ...]:
        return (*super().compiled(call), "fold") if call.serves(self.second) else super().compiled(call)

    def folded(self, call: Call, x: Inputs, g: Inputs, u: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        """``fold`` along its own inputs."""
        raise NotImplementedError

    def fold(self, call: Call, x: Inputs, g: Inputs, u: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        own, robot = u[: self.own], u[self.own :]
        if not call.serves(self.second) or all(way is None for way in own):
            return super().fold(call, x, g, u, wanted)
        exact = self.folded(call, x, g, own, wanted)
        if all(way is None for way in robot):
            return exact
        return [total(list(parts))
                for parts in zip(exact, super().fold(call, x, g, [*[None] * self.own, *robot], wanted))]


class ByDifferences(Function):
    """A function whose first derivatives are differences of fourth order, good to twelve digits, of one batch."""

    def compiled(self, call: Call) -> tuple[str, ...]:
        return super().compiled(call)[:1]

    def push(self, call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
        return self.changes(call, x, t)

    def changes(self, call: Call, x: Inputs, t: Inputs, length: float = _STEP) -> tuple[Any, ...]:
        """Along t, by differences of ``length``."""
        ends = along(lambda moved: list(call.value(moved)), x, self._felt(t), self.ranks, self.out_ranks, length)
        return tuple(ends)

    def bend(self, call: Call, x: Inputs, t: Inputs, u: Inputs) -> tuple[Any, ...]:
        if type(self).push is not ByDifferences.push:
            return super().bend(call, x, t, u)
        return self.changes_twice(call, x, t, u)

    def changes_twice(self, call: Call, x: Inputs, t: Inputs, u: Inputs) -> tuple[Any, ...]:
        """Along t and along u, by differences of differences of values."""

        def changed(moved: Inputs) -> Inputs:
            return list(self.changes(call.varied(moved), moved, wide(t), _TWICE))

        return tuple(along(changed, x, self._felt(u), self.ranks, self.out_ranks, _TWICE))

    def fold(self, call: Call, x: Inputs, g: Inputs, u: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        if type(self).pull is not ByDifferences.pull or type(self).push is not ByDifferences.push:
            return super().fold(call, x, g, u, wanted)

        def changes(call: Call, x: Inputs, t: Inputs) -> tuple[Any, ...]:
            return self.changes(call, x, t, _TWICE)

        def pulled(moved: Inputs) -> Inputs:
            return self._by_unit_ways(call.varied(moved), moved, wide(g), wanted, changes)

        return along(pulled, x, self._felt(u), self.ranks, self.ranks, _TWICE)

    def pull(self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...]) -> Inputs:
        return self._by_unit_ways(call, x, g, wanted, self.push)

    def _by_unit_ways(
        self, call: Call, x: Inputs, g: Inputs, wanted: tuple[bool, ...],
        push: Callable[[Call, Inputs, Inputs], tuple[Any, ...]]
    ) -> Inputs:
        """Gradients from JVPs along every element of the inputs."""
        fronts = [tuple(v.shape)[: len(v.shape) - rank] for v, rank in zip(x, self.ranks) if v is not None]
        front = np.broadcast_shapes(*fronts)  # wider than that of an input where others move along a direction
        results: Inputs = []
        for k, (value, rank, is_wanted) in enumerate(zip(x, self.ranks, wanted)):
            if not is_wanted:
                results.append(None)
                continue
            own = tuple(value.shape)[len(value.shape) - rank :]
            n = int(np.prod(own))
            unit = np.eye(n).reshape(n, *(1,) * len(front), *own)
            unit = _like(unit, value) if isinstance(value, NUMPY) else value.new_tensor(unit.tolist())
            ways: Inputs = [None] * len(x)
            ways[k] = unit + 0.0 * value
            many = list(x)
            many[k] = value + 0.0 * ways[k]
            parts = []
            for slope, of, of_rank in zip(push(call, many, ways), g, self.out_ranks):
                # several gradients of the same states
                more = tuple(of.shape[: max(0, len(of.shape) - of_rank - len(front))])
                spread = slope.reshape(n, *(1,) * len(more), *slope.shape[1:])
                parts.append(_summed(spread * of, 1 + len(more) + len(front)))
            gradient = first_last(total(parts))
            results.append(gradient.reshape(*gradient.shape[:-1], *own))
        return results


def first_last(x: Any) -> Any:
    return np.moveaxis(np.asarray(x), 0, -1) if isinstance(x, NUMPY) else x.movedim(0, -1)


def _summed(x: Any, axes: int) -> Any:
    """The sum over all axes behind the first few."""
    while len(x.shape) > axes:
        x = x.sum(-1)
    return x


def parameter_inputs(function: Function, model: Model, given: Any) -> Inputs:
    """The inputs of a function that stand behind its own, of parameters by name; Error where it has no such ones."""
    for name in given or {}:
        model.parameter(name)
    return [(given or {}).get(name) for name in function.names[function.own :]]


def gradients(function: Function, x: Inputs, by: dict[str, Any], wanted: tuple[bool, ...]) -> Inputs:
    """Those of a function's inputs that are wanted, by their names; zeros where it does not depend on one."""
    found: Inputs = []
    for name, value, is_wanted in zip(function.names, x, wanted):
        gradient = by.get(name)
        found.append((zeros(value, tuple(value.shape)) if gradient is None else gradient) if is_wanted else None)
    return found


def lower(call: Call, q: Any, dq: Any) -> Any:
    """The motion that a change of q is, or None."""
    return None if dq is None else tangents(call.model).down(q, dq)


def raised(call: Call, q: Any, g: Any) -> Any:
    """A gradient by motions as one by the numbers of q."""
    return tangents(call.model).down_transposed(q, g)


def raised_rate(call: Call, q: Any, dq: Any, g: Callable[[], Any], dg: Any) -> Any:
    """JVP of ``raised`` for tangents dq of q and dg of the gradient g by motions."""
    of, rate = tangents(call.model), raised(call, q, dg)
    return rate if of.same or dq is None else rate + of.down_transposed_rate(q, dq, g())
