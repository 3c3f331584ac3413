# SPDX-License-Identifier: Apache-2.0
"""The operations of :mod:`tandem._autodiff.operations` as one primitive of JAX, with all that JAX transforms it by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tandem._autodiff import jax_calls, operations
from tandem._autodiff.derivatives import Call
from tandem._autodiff.operations import Operation
from tandem._common.frameworks import framework

_jax = framework("jax", "JAX")
_ad = framework("jax.interpreters.ad", "JAX")
_batching = framework("jax.interpreters.batching", "JAX")
_mlir = framework("jax.interpreters.mlir", "JAX")

_primitive = framework("jax.extend.core", "JAX").Primitive("tandem")
_primitive.multiple_results = True

def apply(call: Call, inputs: list[Any]) -> list[Any]:
    """The outputs of a function for arrays of JAX of one precision, None for those that are left out."""
    there = tuple(k for k, x in enumerate(inputs) if x is not None)
    return _bind(Operation(call, "value", there), [x for x in inputs if x is not None])


def _bind(task: Operation, operands: Any) -> list[Any]:
    return list(_primitive.bind(*operands, task=task))


def _evaluate(*operands: Any, task: Operation) -> list[Any]:
    return [_jax.numpy.asarray(result) for result in task.compute(operands)]


def _abstract(*operands: Any, task: Operation) -> list[Any]:
    return [_jax.core.ShapedArray(shape, operands[0].dtype) for shape in task.shapes(operands)]


def _call_back(*operands: Any, task: Operation) -> list[Any]:
    results = [_jax.ShapeDtypeStruct(shape, operands[0].dtype) for shape in task.shapes(operands)]
    return list(_jax.pure_callback(lambda *x: task.compute(x), results, *operands))


def _lowered(device: str) -> Any:
    def lower(*operands: Any, task: Operation) -> list[Any]:
        there = replace(task, call=replace(task.call, device=device))
        if not (device in jax_calls.READY and there.compiled):
            return _call_back(*operands, task=task)
        shapes = task.shapes(operands)
        results = there.evaluated([_jax.numpy.asarray(x) for x in operands])
        return [_jax.numpy.broadcast_to(r, shape) for r, shape in zip(results, shapes)]

    return _mlir.lower_fun(lower, multiple_results=True)


def _jvp(operands: Any, tangents: Any, *, task: Operation) -> Any:
    values = _bind(task, operands)
    operands, tangents = _level(task, operands, tangents)
    ways = [None if type(d) is _ad.Zero else d for d in tangents]
    return values, operations.jvp(task, operands, ways, _bind, _jax.numpy.zeros_like)


def _level(task: Operation, operands: Any, tangents: Any) -> tuple[Any, Any]:
    """Operands of a value, which may broadcast, brought to one leading shape."""
    if task.mode != "value":
        return operands, tangents
    ranks = task.ranks()
    fronts = [x.shape[: x.ndim - rank] for x, rank in zip(operands, ranks)]
    front = np.broadcast_shapes(*fronts)

    def stretched(x: Any, rank: int) -> Any:
        return _jax.numpy.broadcast_to(x, (*front, *x.shape[x.ndim - rank :]))

    wide = [stretched(x, rank) for x, rank in zip(operands, ranks)]
    moves = [d if type(d) is _ad.Zero else stretched(d, rank) for d, rank in zip(tangents, ranks)]
    return wide, moves


def _transpose(cotangents: Any, *operands: Any, task: Operation) -> Any:
    x, t, g, u = task.groups(operands)
    if all(type(c) is _ad.Zero for c in cotangents):
        return [None] * len(operands)
    given = [_ad.instantiate_zeros(c) for c in cotangents]
    ways = [_ad.is_undefined_primal(y) for y in u]
    linear = [_ad.is_undefined_primal(y) for y in (*t, *g)]
    none: list[Any] = [None] * len(x)
    if any(linear):
        if any(ways) or not all(linear):
            raise NotImplementedError(f"tandem.jax.{task.call.function.name}: a transpose with respect to some "
                                      "operands is not supported")
        mode = {"push": "pull", "pull": "push", "bend": "fold", "fold": "bend"}[task.mode]
        turned = replace(task, mode=mode, moving=task.wanted, wanted=task.moving)
        return [*none, *_bind(turned, [*x, *given, *u]), *([None] * len(u))]
    if task.mode == "bend":  # along u, of the sum of the outputs times what is given, times t
        turned = replace(task, mode="fold", moving=(), turning=task.moving, wanted=task.turning)
        return [*none, *([None] * len(t)), *_bind(turned, [*x, *given, *t])]
    turned = replace(task, turning=task.wanted, wanted=task.turning)
    return [*none, *([None] * len(g)), *_bind(turned, [*x, *g, *given])]


def _batch(operands: Any, axes: Any, *, task: Operation) -> Any:
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
for _platform, _device in jax_calls.PLATFORMS.items():
    _mlir.register_lowering(_primitive, _lowered(_device), platform=_platform)
_ad.primitive_jvps.update({_primitive: _jvp})
_ad.primitive_transposes.update({_primitive: _transpose})
_batching.primitive_batchers.__setitem__(_primitive, _batch)  # a table that has no update
