# SPDX-License-Identifier: Apache-2.0
"""Any function of Tandem, or a derivative of one, as one operation, with the rules by which PyTorch and JAX transform
it.

The operands of an operation stand side by side: inputs ``x`` of the function that are present, then, by the mode

value   nothing                                  the outputs
push    changes t of some inputs                 changes of the outputs
pull    gradients g by the outputs               gradients by some inputs
bend    changes t, changes u of some inputs      JVP of push
fold    gradients g, changes u of some inputs    JVP of pull

push and bend are linear in t, pull and fold in g, bend and fold in u; each is the transpose of its neighbour. So these
five modes are closed under JVP, VJP and batching, except for third derivatives, which are not defined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tandem._autodiff.derivatives import Call
from tandem.errors import Error

Which = tuple[int, ...]  # inputs, by their number


@dataclass(frozen=True)
class Operation:
    """A mode of a call: which inputs are given, which have tangents t and u, and which gradients are wanted."""

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
        of_outputs = self.outputs if self.mode in ("pull", "fold") else 0
        ends = np.cumsum([len(self.there), len(self.moving), of_outputs]).tolist()
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


Bind = Callable[[Operation, list[Any]], list[Any]]  #: applies an operation to arrays of a framework


def present(entries: Any) -> tuple[int, ...]:
    """The numbers of the entries that are not None."""
    return tuple(k for k, entry in enumerate(entries) if entry is not None)


def _refuse_third(of: Operation) -> None:
    raise NotImplementedError(f"{of.call.function.name}: third derivatives are not defined")


def jvp(of: Operation, operands: Any, tangents: Any, bind: Bind, zeros_like: Callable[[Any], Any]) -> list[Any]:
    """Changes of the results along tangents of the operands, of which None is zero; not all are None."""
    x, t, g, u = of.groups(operands)
    dx, dt, dg, du = of.groups(tangents)
    moved, ways = tuple(of.there[k] for k in present(dx)), [d for d in dx if d is not None]
    parts = []
    if moved and of.mode == "value":
        parts.append(bind(replace(of, mode="push", moving=moved), [*x, *ways]))
    elif moved and of.mode == "push":
        parts.append(bind(replace(of, mode="bend", turning=moved), [*x, *t, *ways]))
    elif moved and of.mode == "pull":
        parts.append(bind(replace(of, mode="fold", turning=moved), [*x, *g, *ways]))
    elif moved:
        _refuse_third(of)

    def filled(given: Any, changes: Any) -> list[Any]:
        return [zeros_like(y) if d is None else d for y, d in zip(given, changes)]

    if present((*dt, *dg)):
        parts.append(bind(of, [*x, *filled((*t, *g), (*dt, *dg)), *u]))
    if present(du):
        parts.append(bind(of, [*x, *t, *g, *filled(u, du)]))
    return [sum(some[1:], some[0]) for some in zip(*parts)]


def vjp(of: Operation, operands: Any, cotangents: Any, needed: Any, bind: Bind) -> list[Any]:
    """Gradients by the operands that are needed, None for the others; None is zero, too.

    Cotangents may be None where the results are gradients by inputs, or all of them.
    """
    if not present(cotangents):
        return [None] * len(operands)
    x, t, g, u = of.groups(operands)
    need_x, need_t, need_g, need_u = (list(group) for group in of.groups(needed))
    c = [y for y in cotangents if y is not None]

    def chosen(numbers: Which, need: list[bool]) -> Which:
        return tuple(k for k, is_needed in zip(numbers, need) if is_needed)

    def spread(need: list[bool], found: list[Any]) -> list[Any]:
        entries = iter(found)
        return [next(entries) if is_needed else None for is_needed in need]

    by_x, by_t, by_g, by_u = ([None] * len(group) for group in (x, t, g, u))
    plain = replace(of, moving=(), turning=(), wanted=())
    by_inputs = tuple(of.wanted[k] for k in present(cotangents)) if of.mode in ("pull", "fold") else ()
    if any(need_x):
        if of.mode in ("bend", "fold"):
            _refuse_third(of)
        given = {
            "value": ("pull", (), [*x, *c]),
            "push": ("fold", of.moving, [*x, *c, *t]),
            "pull": ("fold", by_inputs, [*x, *g, *c]),
        }
        mode, turning, entries = given[of.mode]
        asked = replace(plain, mode=mode, turning=turning, wanted=chosen(of.there, need_x))
        by_x = spread(need_x, bind(asked, entries))
    if any(need_t):
        wanted = chosen(of.moving, need_t)
        if of.mode == "push":
            by_t = spread(need_t, bind(replace(plain, mode="pull", wanted=wanted), [*x, *c]))
        else:
            by_t = spread(need_t, bind(replace(plain, mode="fold", turning=of.turning, wanted=wanted), [*x, *c, *u]))
    if any(need_g):
        mode = "push" if of.mode == "pull" else "bend"
        by_g = bind(replace(plain, mode=mode, moving=by_inputs, turning=of.turning), [*x, *c, *u])
    if any(need_u):
        wanted = chosen(of.turning, need_u)
        if of.mode == "bend":
            found = bind(replace(plain, mode="fold", turning=of.moving, wanted=wanted), [*x, *c, *t])
        else:
            found = bind(replace(plain, mode="fold", turning=by_inputs, wanted=wanted), [*x, *g, *c])
        by_u = spread(need_u, found)
    return [*by_x, *by_t, *by_g, *by_u]
