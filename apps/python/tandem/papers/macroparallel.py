# SPDX-License-Identifier: Apache-2.0
"""Macroparallel forward dynamics: a chain on a row of processors that communicate with their neighbours only."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem import _core
from tandem._common.arguments import finite_numbers, switch, whole_number
from tandem._core import Model
from tandem.errors import Error

Freezing: TypeAlias = Literal["none", "values", "forces"]
LeftOut: TypeAlias = Literal["nothing", "velocities", "sums"]


class MacroparallelReport(NamedTuple):
    """Result and statistics of a call."""

    a: NDArray[np.float64]  #: ``[nv]`` accelerations, rad/s^2|m/s^2
    iterations: int  #: steps of J-PPCG(2)
    converged: bool  #: whether the tolerance was reached
    seconds: float  #: time from the common start to the end of the last processor, s
    stage: tuple[float, float, float, float, float]  #: time in stages I to V with waiting, mean over processors, s
    messages: float  #: messages sent per processor, mean
    stopped_early: int  #: processors that stopped before the last one converged


class Macroparallel:
    """Forward dynamics of a chain on a row of threads, each with consecutive bodies, after [Pond] chapter 3.

    Accelerations are those of ``method="conjugate_gradient"``, to the tolerance. This class reproduces the measurements
    of the thesis; the method is faster.

    Args:
        model: a chain, every link of which has mass and inertia
        processors: number of threads, at most one per body; 0: one per core

    >>> row = tandem.papers.Macroparallel(tandem.load("chain:10", seed=1), processors=2)
    >>> done = row.forward_dynamics(np.zeros(10), np.ones(10), np.zeros(10))
    >>> done.converged, np.allclose(done.a, tandem.forward_dynamics(row.model, np.zeros(10), np.ones(10), np.zeros(10)))
    (True, True)
    """

    def __init__(self, model: Model, processors: int = 0) -> None:
        self._model = model
        self._core = _core.Macroparallel(model, whole_number("Macroparallel: processors", processors, 0))

    @property
    def model(self) -> Model:
        """The chain."""
        return self._model

    @property
    def processors(self) -> int:
        """Number of threads."""
        return int(self._core.processors)

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        f_ext: ArrayLike | None = None,
        *,
        tolerance: float | None = None,
        max_iterations: int | None = None,
        fixed_iterations: int | None = None,
        freezing: Freezing = "none",
        left_out: LeftOut = "nothing",
        from_last: bool = False,
    ) -> MacroparallelReport:
        """Compute accelerations, with statistics of the iteration.

        Args:
            q, v, tau, f_ext: one state, as in :func:`tandem.forward_dynamics`
            tolerance: tolerance of the iteration; default 1e-12
            max_iterations: limit of iterations; the default is that of ``conjugate_gradient``
            fixed_iterations: number of iterations; the tolerance is not used
            freezing: behaviour of processors that have converged: ``"none"``, ``"values"`` as printed in the thesis,
                which may diverge, or ``"forces"``
            from_last: start from the constraint forces of the last call instead of zero, as the thesis proposes
                (p. 75); this takes fewer iterations along a motion
            left_out: omit ``"velocities"`` or ``"sums"`` to measure their time; accelerations are then wrong

        Raises:
            Error: for an argument of wrong shape or range
        """
        m = self._model
        shapes = {"q": (q, (m.nq,)), "v": (v, (m.nv,)), "tau": (tau, (m.nv,))}
        state = [_numbers(name, given, shape) for name, (given, shape) in shapes.items()]
        pushes = None if f_ext is None else _numbers("f_ext", f_ext, (m.n_links, 6))
        a = np.empty(m.nv)
        limits = {"max_iterations": max_iterations, "fixed_iterations": fixed_iterations}
        counts = [0 if n is None else whole_number(f"Macroparallel: {name}", n, 1) for name, n in limits.items()]
        report = self._core.forward_dynamics(
            *state, pushes, a, 0.0 if tolerance is None else float(tolerance), *counts, freezing, left_out,
            switch("Macroparallel: from_last", from_last),
        )  # fmt: skip
        return MacroparallelReport(a, *report)


def _numbers(name: str, given: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    numbers = np.ascontiguousarray(given, dtype=np.float64)
    if numbers.shape != shape:
        raise Error(f"Macroparallel: {name} has shape {numbers.shape}, expected {shape}")
    finite_numbers(f"Macroparallel: {name}", numbers)
    return numbers
