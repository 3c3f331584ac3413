# SPDX-License-Identifier: Apache-2.0
"""A chain on a row of processors that talk to their neighbours alone."""

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
    """What a row of processors took for a call."""

    a: NDArray[np.float64]  #: ``[nv]`` accelerations, rad/s^2|m/s^2
    iterations: int  #: steps of J-PPCG(2)
    converged: bool  #: whether they were enough
    seconds: float  #: from when all began to when the last was done
    stage: tuple[float, float, float, float, float]  #: s in stages I to V, waiting included: means over the processors
    messages: float  #: that a processor sent: mean
    stopped_early: int  #: processors that went on before the last had converged


class Macroparallel:
    """Forward dynamics of a chain by threads in a row, each with a body or a run of bodies, after [Pond], chapter 3.

    Accelerations are those of ``method="conjugate_gradient"``, to the tolerance; it is there to see what such a row can do.

    Args:
        model: a chain, every link of which has mass and inertia
        processors: how many threads, at most one a body; 0: as many as there are cores

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
        """How many threads there are."""
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
        """Accelerations, and what they took.

        Args:
            q, v, tau, f_ext: one state, as in :func:`tandem.forward_dynamics`
            tolerance: of the iteration; 1e-12 by itself
            max_iterations: after which it ends short of that; by itself as many as ``conjugate_gradient`` does
            fixed_iterations: so many, whatever the tolerance
            freezing: what processors do that have converged: ``"none"``, ``"values"`` as the thesis printed it, which may
                diverge, or ``"forces"``
            from_last: begin at the constraint forces of the last call, as the thesis proposes (p. 75), not at zero:
                along a motion that takes fewer iterations
            left_out: what is not done, to time it: ``"velocities"`` or ``"sums"``; accelerations are then wrong
        Raises:
            Error: if an argument does not fit
        """
        m = self._model
        shapes = {"q": (q, (m.nq,)), "v": (v, (m.nv,)), "tau": (tau, (m.nv,))}
        state = [_numbers(name, given, shape) for name, (given, shape) in shapes.items()]
        pushes = None if f_ext is None else _numbers("f_ext", f_ext, (m.n_links, 6))
        a = np.empty(m.nv)
        counts = [0 if n is None else whole_number(f"Macroparallel: {name}", n, 1)
                  for name, n in (("max_iterations", max_iterations), ("fixed_iterations", fixed_iterations))]  # fmt: skip
        told = self._core.forward_dynamics(
            *state, pushes, a, 0.0 if tolerance is None else float(tolerance), *counts, freezing, left_out,
            switch("Macroparallel: from_last", from_last),
        )  # fmt: skip
        return MacroparallelReport(a, *told)


def _numbers(name: str, given: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    numbers = np.ascontiguousarray(given, dtype=np.float64)
    if numbers.shape != shape:
        raise Error(f"Macroparallel: {name} has shape {numbers.shape}, expected {shape}")
    finite_numbers(f"Macroparallel: {name}", numbers)
    return numbers
