# SPDX-License-Identifier: Apache-2.0
"""One operation of JAX that is any function of Tandem, or a derivative of one, with all that JAX transforms it by.

Its operands stand side by side: inputs ``x`` of the function that are there, then by what is asked for

value   nothing                                  the outputs
push    changes t of some inputs                 changes of the outputs
pull    gradients g by the outputs               gradients by some inputs
bend    changes t, changes u of some inputs      how push changes along u
fold    gradients g, changes u of some inputs    how pull changes along u

push and bend are linear in t, pull and fold in g, bend and fold in u; each is the transpose of its neighbour, so that these five
are closed under ``jvp``, ``transpose`` and ``vmap``, but for third derivatives, of which there are none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tandem import _jax_calls
from tandem._derivatives import Call
from tandem._frameworks import framework
from tandem.errors import Error

_jax = framework("jax", "JAX")
_ad = framework("jax.interpreters.ad", "JAX")
_batching = framework("jax.interpreters.batching", "JAX")
_mlir = framework("jax.interpreters.mlir", "JAX")

_primitive = framework("jax.extend.core", "JAX").Primitive("tandem")
_primitive.multiple_results = True

Which = tuple[int, ...]  # inputs, by their number


@dataclass(frozen=True)
class _Task:
    """What is asked for: of which inputs there are t, u, and gradients."""

    call: Call
    mode: str
    there: Which
    moving: Which = ()
    turning: Which = ()
    wanted: Which = ()

    @property
    def outputs(self) -> int:
        return len(self.call.function.out_ranks)

    def groups(self, operands: Any) -> tuple[Any, Any, Any, Any]:
        """Operands as x, t, g, u."""
        ends = np.cumsum([len(self.there), len(self.moving), self.outputs if self.mode in ("pull", "fold") else 0]).tolist()
        return operands[: ends[0]], operands[ends[0] : ends[1]], operands[ends[1] : ends[2]], operands[ends[2] :]

    def ranks(self) -> list[int]:
        """Of the operands of one state."""
        of, outputs = self.call.function.ranks, self.call.function.out_ranks
        gradients = outputs if self.mode in ("pull", "fold") else ()
        return [*(of[k] for k in (*self.there, *self.moving)), *gradients, *(of[k] for k in self.turning)]

    def compute(self, operands: Any) -> list[Any]:
        """On arrays of NumPy."""
        found = self.evaluated([np.asarray(operand) for operand in operands])
        return [np.asarray(r, operands[0].dtype) for r in found]

    def evaluated(self, operands: list[Any]) -> list[Any]:
        """On arrays of NumPy, or of JAX where that compiles."""
        x, t, g, u = self.groups(operands)
        inputs, moves, turns = self._spread(self.there, x), self._spread(self.moving, t), self._spread(self.turning, u)
        wanted = tuple(k in self.wanted for k in range(len(self.call.function.ranks)))
        if self.mode == "value":
            results: Any = self.call.value(inputs)
        elif self.mode == "push":
            results = self.call.push(inputs, moves)
        elif self.mode == "pull":
            results = self.call.pull(inputs, list(g), wanted)
        elif self.mode == "bend":
            results = self.call.bend(inputs, moves, turns)
        else:
            results = self.call.fold(inputs, list(g), turns, wanted)
        return [r for r in results if r is not None]

    @property
    def compiled(self) -> bool:
        """Whether it can be a call of compiled code, with what is around it: robots that differ call Python back."""
        own = self.call.function.own
        robot = self.there[-1] >= own or (self.mode == "fold" and self.turning[-1] >= own)
        return not robot and self.mode in self.call.function.compiled(self.call)

    def _spread(self, numbers: Which, given: Any) -> list[Any]:
        entries: list[Any] = [None] * len(self.call.function.ranks)
        for k, entry in zip(numbers, given):
            entries[k] = entry
        return entries

    def shapes(self, operands: Any) -> list[tuple[int, ...]]:
        """Of the results."""
        count, ranks = len(self.there), self.ranks()
        shapes = [tuple(x.shape) for x in operands[:count]]
        fronts = [shape[: len(shape) - rank] for shape, rank in zip(shapes, ranks)]
        try:
            front = np.broadcast_shapes(*fronts)
        except ValueError:
            function = self.call.function
            said = ", ".join(f"{front} of {function.names[k]}" for front, k in zip(fronts, self.there))
            raise Error(f"{function.name}: leading shapes do not broadcast: {said}") from None
        if self.mode in ("pull", "fold"):
            own = dict(zip(self.there, (shape[len(shape) - rank :] for shape, rank in zip(shapes, ranks))))
            return [(*front, *own[k]) for k in self.wanted]
        return [(*front, *sizes) for sizes in self.call.sizes()]


def apply(call: Call, inputs: list[Any]) -> list[Any]:
    """The outputs of a function for arrays of JAX of one precision, None for those that are left out."""
    there = tuple(k for k, x in enumerate(inputs) if x is not None)
    return _bind(_Task(call, "value", there), [x for x in inputs if x is not None])


def _bind(task: _Task, operands: Any) -> list[Any]:
    return list(_primitive.bind(*operands, task=task))


def _evaluate(*operands: Any, task: _Task) -> list[Any]:
    return [_jax.numpy.asarray(result) for result in task.compute(operands)]


def _abstract(*operands: Any, task: _Task) -> list[Any]:
    return [_jax.core.ShapedArray(shape, operands[0].dtype) for shape in task.shapes(operands)]


def _call_back(*operands: Any, task: _Task) -> list[Any]:
    results = [_jax.ShapeDtypeStruct(shape, operands[0].dtype) for shape in task.shapes(operands)]
    return list(_jax.pure_callback(lambda *x: task.compute(x), results, *operands))


def _lowered(device: str) -> Any:
    def lower(*operands: Any, task: _Task) -> list[Any]:
        there = replace(task, call=replace(task.call, device=device))
        if not (device in _jax_calls.READY and there.compiled):
            return _call_back(*operands, task=task)
        shapes = task.shapes(operands)
        results = there.evaluated([_jax.numpy.asarray(x) for x in operands])
        return [_jax.numpy.broadcast_to(r, shape) for r, shape in zip(results, shapes)]

    return _mlir.lower_fun(lower, multiple_results=True)


def _jvp(operands: Any, tangents: Any, *, task: _Task) -> Any:
    values = _bind(task, operands)
    task, operands, tangents = _level(task, operands, tangents)
    x, t, g, u = task.groups(operands)
    dx, dt, dg, du = task.groups(tangents)
    moved = tuple(k for k, d in zip(task.there, dx) if type(d) is not _ad.Zero)
    ways = [d for d in dx if type(d) is not _ad.Zero]
    parts = []
    if moved and task.mode == "value":
        parts.append(_bind(replace(task, mode="push", moving=moved), [*x, *ways]))
    elif moved and task.mode == "push":
        parts.append(_bind(replace(task, mode="bend", turning=moved), [*x, *t, *ways]))
    elif moved and task.mode == "pull":
        parts.append(_bind(replace(task, mode="fold", turning=moved), [*x, *g, *ways]))
    elif moved:
        raise NotImplementedError(f"tandem.jax.{task.call.function.name}: third derivatives are not defined")
    if any(type(d) is not _ad.Zero for d in (*dt, *dg)):
        filled = [_ad.instantiate_zeros(d) for d in (*dt, *dg)]
        parts.append(_bind(task, [*x, *filled, *u]))
    if any(type(d) is not _ad.Zero for d in du):
        parts.append(_bind(task, [*x, *t, *g, *(_ad.instantiate_zeros(d) for d in du)]))
    changes = [sum(some[1:], some[0]) for some in zip(*parts)]
    return values, changes


def _level(task: _Task, operands: Any, tangents: Any) -> tuple[_Task, Any, Any]:
    """Operands of a value, which may broadcast, brought to one leading shape."""
    if task.mode != "value":
        return task, operands, tangents
    ranks = task.ranks()
    fronts = [x.shape[: x.ndim - rank] for x, rank in zip(operands, ranks)]
    front = np.broadcast_shapes(*fronts)

    def stretched(x: Any, rank: int) -> Any:
        return _jax.numpy.broadcast_to(x, (*front, *x.shape[x.ndim - rank :]))

    wide = [stretched(x, rank) for x, rank in zip(operands, ranks)]
    moves = [d if type(d) is _ad.Zero else stretched(d, rank) for d, rank in zip(tangents, ranks)]
    return task, wide, moves


def _transpose(cotangents: Any, *operands: Any, task: _Task) -> Any:
    x, t, g, u = task.groups(operands)
    if all(type(c) is _ad.Zero for c in cotangents):
        return [None] * len(operands)
    given = [_ad.instantiate_zeros(c) for c in cotangents]
    ways = [_ad.is_undefined_primal(y) for y in u]
    linear = [_ad.is_undefined_primal(y) for y in (*t, *g)]
    none: list[Any] = [None] * len(x)
    if any(linear):
        if any(ways) or not all(linear):
            raise NotImplementedError(f"tandem.jax.{task.call.function.name}: a transpose by some of its operands alone")
        mode = {"push": "pull", "pull": "push", "bend": "fold", "fold": "bend"}[task.mode]
        turned = replace(task, mode=mode, moving=task.wanted, wanted=task.moving)
        return [*none, *_bind(turned, [*x, *given, *u]), *([None] * len(u))]
    if task.mode == "bend":  # along u, of the sum of the outputs times what is given, times t
        turned = replace(task, mode="fold", moving=(), turning=task.moving, wanted=task.turning)
        return [*none, *([None] * len(t)), *_bind(turned, [*x, *given, *t])]
    turned = replace(task, turning=task.wanted, wanted=task.turning)
    return [*none, *([None] * len(g)), *_bind(turned, [*x, *g, *given])]


def _batch(operands: Any, axes: Any, *, task: _Task) -> Any:
    ranks = task.ranks()
    (size,) = {x.shape[axis] for x, axis in zip(operands, axes) if axis is not None}
    moved = [x if axis is None else _jax.numpy.moveaxis(x, axis, 0) for x, axis in zip(operands, axes)]
    if task.mode == "value":  # what is the same for all stands still
        most = max(x.ndim - rank - (axis is not None) for x, rank, axis in zip(moved, ranks, axes))
        moved = [
            x if axis is None else x.reshape(size, *(1,) * (most - x.ndim + rank + 1), *x.shape[1:])
            for x, rank, axis in zip(moved, ranks, axes)
        ]
    else:
        moved = [
            _jax.numpy.broadcast_to(x, (size, *x.shape)) if axis is None else x for x, axis in zip(moved, axes)
        ]
    results = _bind(task, moved)
    return results, [0] * len(results)


_primitive.def_impl(_evaluate)
_primitive.def_abstract_eval(_abstract)
_mlir.register_lowering(_primitive, _mlir.lower_fun(_call_back, multiple_results=True))
for _platform, _device in _jax_calls.PLATFORMS.items():
    _mlir.register_lowering(_primitive, _lowered(_device), platform=_platform)
_ad.primitive_jvps.update({_primitive: _jvp})
_ad.primitive_transposes.update({_primitive: _transpose})
_batching.primitive_batchers.__setitem__(_primitive, _batch)  # a table that has no update
