# SPDX-License-Identifier: Apache-2.0
"""Plans: data that calls of one function on one robot share, prepared once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from tandem import _core
from tandem._common.batch_options import Device, Parameters, StatusArray
from tandem._core import Model
from tandem.errors import Error
from tandem.functions import Array, PlanOptions

if TYPE_CHECKING:  # of Python 3.11
    from typing_extensions import Unpack

#: when a function is compiled for the robot of a plan
Specialise: TypeAlias = Literal[True, False, "wait", "auto"]
_ASKED = {True: "on", False: "off", "on": "on", "off": "off", "wait": "wait", "auto": "auto"}


def asked(what: str, specialise: Specialise) -> str:
    """The core's word for it."""
    word = _ASKED.get(specialise)
    if word is None:
        raise Error(f"{what}: specialise is {specialise!r}, expected True, False, 'wait' or 'auto'")
    return word


class Plan:
    """A function with its options, a robot and a device, checked and prepared once for many calls.

    A plan selects the method and prepares the data of the robot, for methods that divide it and for a GPU. The
    functions of :mod:`tandem.functions` cache the plans of their last few calls in each thread; a plan is explicit, and
    any number of threads may use it. The results of a state are bit-identical in any batch and on any number of
    threads.

    Args:
        model: the robot
        function: name of a function, such as ``"forward_dynamics"``
        device: ``"cpu"``, or ``"cuda"`` for the current NVIDIA GPU
        dtype: float64 or float32, the type of all arrays
        specialise: whether the function is compiled for this robot (docs/generated.md). ``"auto"``: in the background,
            if supported, after 16384 states (2048 for functions without generic SIMD kernels); ``True``: in the
            background, immediately; ``"wait"``: before the plan is used; both are an error if not supported; ``False``:
            never. On a GPU the compiler is NVRTC or nvcc, and ``"auto"`` waits for a million states. Results are
            bit-identical except for the sign of zero
        options: ``method``, ``chunk``, ``frame`` and others, see :class:`tandem.functions.PlanOptions`

    >>> rope = tandem.load("rope:200")
    >>> plan = tandem.Plan(rope, "forward_dynamics", method="scan", chunk=32)
    >>> q, zero = tandem.neutral_configuration(rope), np.zeros(rope.nv)
    >>> a = plan(q, zero, zero)
    >>> np.array_equal(a, tandem.forward_dynamics(rope, q, zero, zero, method="scan", options={"chunk": 32}))
    True
    """

    def __init__(
        self,
        model: Model,
        function: str,
        *,
        device: Device = "cpu",
        dtype: DTypeLike = np.float64,
        specialise: Specialise = "auto",
        **options: Unpack[PlanOptions],
    ) -> None:
        kind = np.dtype(dtype)
        if kind not in (np.float64, np.float32):
            raise Error(f"{function}: dtype is {kind}, expected float64 or float32")
        words = dict(options), device, kind == np.float32, asked(function, specialise)
        self._plan = _core.Plan(model, function, *words)
        self._arguments = self._plan.algorithm.arguments
        roles = [role for _, role, *_ in self._arguments]
        self._left_out = (None,) * sum(role.endswith("input") for role in roles)  # inputs stand first
        self._results = tuple(True if role == "output" else None for role in roles if not role.endswith("input"))

    @property
    def model(self) -> Model:
        return self._plan.model

    @property
    def function(self) -> str:
        return self._plan.algorithm.name

    @property
    def method(self) -> str:
        """The selected method; ``"automatic"`` if the function has no methods."""
        return self._plan.method

    @property
    def device(self) -> str:
        return self._plan.device

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self._plan.dtype)

    @property
    def specialised(self) -> bool:
        """Whether the kernel compiled for the robot is ready, for calls with the required arguments only."""
        return self._plan.specialised

    @property
    def served_by(self) -> str:
        """Description of the kernel of such calls: ``"compiled for this robot"`` and its size, or ``"generic kernels"``
        and the reason.

        >>> plan = tandem.Plan(tandem.load("arm7"), "energy", specialise=False)
        >>> plan.served_by
        'generic kernels'
        """
        return self._plan.served_by

    def __repr__(self) -> str:
        what = f"{self.function} of {self.model.name!r}, method={self.method!r}"
        return f"Plan({what}, dtype={self.dtype}, device={self.device!r})"

    def __call__(
        self,
        *inputs: ArrayLike | None,
        out: Array | tuple[Array, ...] | None = None,
        threads: int | None = 0,
        status: StatusArray | None = None,
        parameters: Parameters | None = None,
        **named: Any,
    ) -> Any:
        """Calls the function: inputs by place, in its order, or by name.

        Args:
            inputs, named: those of the function; optional outputs by name: an array to write to, or True for a new
                one
            out, threads, status, parameters: as in :mod:`tandem.functions`
        Returns:
            the output, or a tuple of all outputs

        >>> arm = tandem.load("arm7")
        >>> plan = tandem.Plan(arm, "forward_kinematics", reference="world")
        >>> q = tandem.neutral_configuration(arm)
        >>> pose, velocity = plan(q, np.zeros(arm.nv), velocity=True)
        >>> pose.shape, velocity.shape
        ((9, 3, 4), (9, 6))
        """
        if out is None and not named and len(inputs) <= len(self._left_out):  # the short way
            arguments = (*inputs, *self._left_out[len(inputs) :], *self._results)
            return self._plan.evaluate(arguments, threads, status, parameters)
        values: dict[str, Any] = {}
        names = [name for name, role, _, _ in self._arguments if role.endswith("input")]
        if len(inputs) > len(names):
            expected = f"expected at most {len(names)}: {', '.join(names)}"
            raise Error(f"{self.function}: {len(inputs)} inputs given, {expected}")
        values.update(zip(names, inputs))
        every = {name for name, *_ in self._arguments}
        for name, value in named.items():
            if name not in every:
                known = ", ".join(sorted(every))
                raise TypeError(f"{self.function}: unknown argument {name!r}; expected one of {known}")
            if name in values:
                raise TypeError(f"{self.function}: argument {name} is given twice")
            values[name] = value
        results = [name for name, role, *_ in self._arguments if role == "output" and name not in values]
        arrays = [True] * len(results) if out is None else out if isinstance(out, (tuple, list)) else [out]
        if len(arrays) != len(results):
            raise Error(f"{self.function}: out has {len(arrays)} arrays, expected {len(results)}")
        values.update(zip(results, arrays))
        arguments = tuple(values.get(name) for name, *_ in self._arguments)
        return self._plan.evaluate(arguments, threads, status, parameters)
