# SPDX-License-Identifier: Apache-2.0
"""Dynamics and kinematics inside of PyTorch's autograd.

The functions are those of :mod:`tandem` of the same names, on tensors of the processor. Derivatives are central differences
in double precision, good to some ten digits: for an input of n numbers a state, 2 n calls of the function go
through the library as one batch. Those of configurations are with respect to the numbers of ``q`` as they stand, quaternions
included. Second derivatives are not defined.

>>> import torch
>>> import tandem.torch
>>> arm = tandem.load("arm7")
>>> q = torch.ones(5, arm.nq, dtype=torch.float64, requires_grad=True)
>>> tandem.torch.gravity_forces(arm, q).square().sum().backward()
>>> q.grad.shape
torch.Size([5, 7])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import tandem
from tandem._core import Model
from tandem._frameworks import RANKS, framework

_torch = framework("torch", "PyTorch")

__all__ = [*RANKS]

Tensor = Any  #: of PyTorch
Numbers = NDArray[Any]

_step = float(np.finfo(np.float64).eps) ** (1 / 3)  # at which rounding and truncation are alike


class _Function(_torch.autograd.Function):  # type: ignore[name-defined, misc]
    """A function of Tandem with one output, of inputs some of which may be None; ``ranks``: axes of one state of each."""

    @staticmethod
    def forward(ctx: Any, call: Any, ranks: tuple[int, ...], *inputs: Any) -> Any:
        ctx.call, ctx.ranks = call, ranks
        ctx.present = [x is not None for x in inputs]
        ctx.save_for_backward(*(x for x in inputs if x is not None))
        return call(*(None if x is None else x.detach() for x in inputs))

    @staticmethod
    @_torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, gradient: Any) -> Any:
        saved = iter(ctx.saved_tensors)
        tensors = [next(saved) if there else None for there in ctx.present]
        inputs = [None if x is None else x.detach().to(_torch.float64).numpy() for x in tensors]
        g = gradient.detach().to(_torch.float64).numpy()
        results: list[Any] = [None, None]
        for k, x in enumerate(tensors):
            if x is None or not ctx.needs_input_grad[2 + k]:
                results.append(None)
            else:
                found = _through(ctx.call, inputs, ctx.ranks, k, g)
                results.append(_torch.from_numpy(found).to(x.dtype))
        return tuple(results)


def _through(call: Any, inputs: list[Any], ranks: tuple[int, ...], which: int, gradient: Numbers) -> Numbers:
    """What a gradient of the result is of one of the inputs."""
    x = inputs[which]
    front, own = x.shape[: x.ndim - ranks[which]], x.shape[x.ndim - ranks[which] :]
    batch = np.broadcast_shapes(*(y.shape[: y.ndim - rank] for y, rank in zip(inputs, ranks) if y is not None))
    flat = x.reshape(*(1,) * (len(batch) - len(front)), *front, -1)
    step = _step * np.maximum(1, np.abs(flat))
    moves = np.moveaxis(step[..., None] * np.eye(flat.shape[-1]), -2, 0)  # entry k moves number k
    ends = np.stack([flat + moves, flat - moves])
    values = np.asarray(call(*inputs[:which], ends.reshape(*ends.shape[:-1], *own), *inputs[which + 1 :]))
    slopes = (values[0] - values[1]) * gradient
    slopes = slopes.sum(axis=tuple(range(1 + len(batch), slopes.ndim))) / np.moveaxis(2 * step, -1, 0)
    slopes = np.moveaxis(slopes, 0, -1)
    stretched = tuple(k for k, size in enumerate(flat.shape[:-1]) if size == 1 and batch[k] != 1)
    return np.ascontiguousarray(slopes.sum(axis=stretched, keepdims=True).reshape(x.shape))


def _apply(function: str, model: Model, *inputs: Any, **options: Any) -> Any:
    theirs = getattr(tandem, function)
    return _Function.apply(lambda *x: theirs(model, *x, **options), RANKS[function], *inputs)


def inverse_dynamics(model: Model, q: Tensor, v: Tensor, a: Tensor, f_ext: Tensor | None = None) -> Tensor:
    """As :func:`tandem.inverse_dynamics`."""
    return _apply("inverse_dynamics", model, q, v, a, f_ext)


def bias_forces(model: Model, q: Tensor, v: Tensor, f_ext: Tensor | None = None) -> Tensor:
    """As :func:`tandem.bias_forces`."""
    return _apply("bias_forces", model, q, v, f_ext)


def gravity_forces(model: Model, q: Tensor) -> Tensor:
    """As :func:`tandem.gravity_forces`."""
    return _apply("gravity_forces", model, q)


def forward_dynamics(
    model: Model, q: Tensor, v: Tensor, tau: Tensor, f_ext: Tensor | None = None, diagonal: Tensor | None = None
) -> Tensor:
    """As :func:`tandem.forward_dynamics`."""
    return _apply("forward_dynamics", model, q, v, tau, f_ext, diagonal)


def mass_matrix(model: Model, q: Tensor) -> Tensor:
    """As :func:`tandem.mass_matrix`."""
    return _apply("mass_matrix", model, q)


def inverse_mass_matrix_product(model: Model, q: Tensor, x: Tensor) -> Tensor:
    """As :func:`tandem.inverse_mass_matrix_product`."""
    return _apply("inverse_mass_matrix_product", model, q, x)


def forward_kinematics(model: Model, q: Tensor) -> Tensor:
    """The poses of :func:`tandem.forward_kinematics`."""
    return _apply("forward_kinematics", model, q)


def jacobian(model: Model, q: Tensor, frame: str | int, reference: str = "local") -> Tensor:
    """As :func:`tandem.jacobian`."""
    return _apply("jacobian", model, q, frame=frame, reference=reference)
