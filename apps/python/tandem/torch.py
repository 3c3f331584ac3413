# SPDX-License-Identifier: Apache-2.0
"""Dynamics and kinematics in PyTorch's autograd.

The functions have the names of those of :mod:`tandem`, and take tensors on the CPU or a GPU, with analytic derivatives.
Two are finite differences of fourth order: JVPs of rollouts, and gradients by the robot's parameters of steps with
external wrenches. ``rollout`` of tensors on a GPU, its gradients, and gradients of several steps copy to the CPU and
back.

Second derivatives (``create_graph``, ``torch.func.hessian``) of dynamics and mass matrices are exact. Others, and those
by the robot's parameters, are finite differences of exact first ones, with about ten digits; eight with
``implicit_midpoint``, which iterates to a tolerance; five for JVPs of JVPs of ``rollout`` (forward mode twice). Third
derivatives raise NotImplementedError. Derivatives by configurations are with respect to the elements of ``q``,
quaternions included.

All modes work: ``torch.autograd``, ``forward_ad``, ``torch.autograd.functional`` with ``vectorize=True``, and from
PyTorch 2.0 on :mod:`torch.func` (``vmap``, ``grad``, ``jacrev``, ``jacfwd``, ``hessian``); ``vmap`` becomes a batch of
a single call. ``torch.compile`` breaks its graph at a call; with ``fullgraph=True`` it raises an error.

``parameters=`` are parameters of robots by name, as in :mod:`tandem.functions`; they are differentiable.

>>> import torch
>>> import tandem.torch
>>> arm = tandem.load("arm7")
>>> q = torch.ones(5, arm.nq, dtype=torch.float64, requires_grad=True)
>>> tandem.torch.gravity_forces(arm, q).square().sum().backward()
>>> q.grad.shape
torch.Size([5, 7])
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import numpy as np

from tandem._autodiff import operations
from tandem._autodiff.derivatives import Call, Function, parameter_inputs
from tandem._autodiff.differentiable import FUNCTIONS, kinematics
from tandem._autodiff.operations import Operation
from tandem._autodiff.steps import switches
from tandem._common.frameworks import framework
from tandem._core import Model
from tandem.functions import Energy

_torch = framework("torch", "PyTorch")

__all__ = [*FUNCTIONS]

_F = TypeVar("_F", bound=Callable[..., Any])
Tensor = Any  #: of PyTorch
Parameters = Mapping[str, Any]  #: by the names of :func:`tandem.parameters`


#: of PyTorch 2 on: ``setup_context`` and ``vmap``, which :mod:`torch.func` needs
_HAS_TRANSFORMS = hasattr(_torch.autograd.Function, "setup_context")


class _Applied(_torch.autograd.Function):  # type: ignore[name-defined, misc]
    """An operation, with derivatives that are operations, too."""

    @staticmethod
    def forward(*given: Any) -> Any:
        if _HAS_TRANSFORMS:
            return _computed(*given)
        ctx, *inputs = given
        results = _computed(*inputs)
        _Applied.setup_context(ctx, inputs, results)
        return results

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.operation, *operands = inputs
        ctx.save_for_backward(*operands)
        ctx.save_for_forward(*operands)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *g: Any) -> Any:
        of, operands = ctx.operation, ctx.saved_tensors
        if of.mode not in ("pull", "fold"):
            shapes = of.shapes(operands)
            g = tuple(operands[0].new_zeros(shape) if y is None else y for y, shape in zip(g, shapes))
        return (None, *operations.vjp(of, operands, g, ctx.needs_input_grad[1:], _bind))

    @staticmethod
    def jvp(ctx: Any, _: Any, *t: Any) -> Any:
        changes = operations.jvp(ctx.operation, ctx.saved_tensors, t, _bind, _torch.zeros_like)
        return tuple(changes) if len(changes) > 1 else changes[0]

    @staticmethod
    def vmap(info: Any, in_dims: Any, of: Operation, *operands: Any) -> Any:
        """All states as one batch: its axis comes first."""
        moved = [
            x.expand(info.batch_size, *x.shape) if axis is None else x.movedim(axis, 0)
            for x, axis in zip(operands, in_dims[1:])
        ]
        results = _Applied.apply(of, *moved)
        return results, tuple(0 for _ in results) if isinstance(results, tuple) else 0


def _computed(of: Operation, *operands: Any) -> Any:
    results = _of_batches(of, list(operands), _levels())
    return tuple(results) if len(results) > 1 else results[0]


def _levels() -> int:
    """How many of PyTorch's first kind of vmap are around this, which ``vectorize=True`` uses."""
    count: int = _torch._C._vmapmode_increment_nesting() - 1
    _torch._C._vmapmode_decrement_nesting()
    return count


def _of_batches(of: Operation, operands: list[Any], level: int) -> list[Any]:
    """On plain tensors: of each level the states become one batch."""
    if level == 0:
        return of.evaluated([x.data for x in operands])  # detach() would go through tangents, too
    if not any(_is_batched(x) for x in operands):
        return _of_batches(of, operands, level - 1)
    inner = [_torch._remove_batch_dim(x, level, 1, 0) if _is_batched(x) else x[None] for x in operands]
    size = max(x.shape[0] for x in inner)
    results = _of_batches(of, [x.expand(size, *x.shape[1:]) for x in inner], level - 1)
    return [_torch._add_batch_dim(r, 0, level) for r in results]


def _is_batched(x: Any) -> bool:
    return "Batched" in re.findall(r"\w+", str(_torch._C._dispatch_keys(x)))


def _bind(of: Operation, operands: Any) -> list[Any]:
    found = _Applied.apply(of, *operands)
    return list(found) if isinstance(found, tuple) else [found]


def _outside_of_graphs(function: _F) -> _F:
    """A function at which ``torch.compile`` breaks its graphs: it is called as it is."""
    disabled: list[Any] = []

    @functools.wraps(function)
    def called(*given: Any, **options: Any) -> Any:
        if "torch._dynamo" not in sys.modules:  # importing it takes a second
            return function(*given, **options)
        if not disabled:
            disabled.append(_torch.compiler.disable(function))
        return disabled[0](*given, **options)

    called._torchdynamo_disable = True  # type: ignore[attr-defined]
    return cast("_F", called)


def _apply(of: str | Function, model: Model, *own: Any, parameters: Parameters | None = None, **options: Any) -> Any:
    function = FUNCTIONS[of] if isinstance(of, str) else of
    inputs = (*own, *parameter_inputs(function, model, parameters))
    tensors = [x if x is None or isinstance(x, _torch.Tensor) else _torch.as_tensor(np.asarray(x)) for x in inputs]
    fronts = [tuple(x.shape[: x.dim() - rank]) for x, rank in zip(tensors, function.ranks) if x is not None]
    device = "auto" if any(x is not None and x.is_cuda for x in tensors) else "cpu"
    call = Call(function, model, tuple(options.items()), device)
    try:
        front = np.broadcast_shapes(*fronts)
    except ValueError:
        front = None  # the function will say so
    if front is not None:  # they stand still where they are stretched; autograd sums there
        tensors = [
            x if x is None or x.dim() < rank or x.shape[: x.dim() - rank] == front else _stretched(x, front, rank)
            for x, rank in zip(tensors, function.ranks)
        ]
    there = operations.present(tensors)
    return _Applied.apply(Operation(call, "value", there), *(tensors[k] for k in there))


def _stretched(x: Tensor, front: tuple[int, ...], rank: int) -> Tensor:
    return x.expand(*front, *x.shape[x.dim() - rank :])


@_outside_of_graphs
def inverse_dynamics(
    model: Model, q: Tensor, v: Tensor, a: Tensor, f_ext: Tensor | None = None, *, parameters: Parameters | None = None
) -> Tensor:
    """As :func:`tandem.inverse_dynamics`."""
    return _apply("inverse_dynamics", model, q, v, a, f_ext, parameters=parameters)


@_outside_of_graphs
def bias_forces(
    model: Model, q: Tensor, v: Tensor, f_ext: Tensor | None = None, *, parameters: Parameters | None = None
) -> Tensor:
    """As :func:`tandem.bias_forces`."""
    return _apply("bias_forces", model, q, v, f_ext, parameters=parameters)


@_outside_of_graphs
def gravity_forces(model: Model, q: Tensor, *, parameters: Parameters | None = None) -> Tensor:
    """As :func:`tandem.gravity_forces`."""
    return _apply("gravity_forces", model, q, parameters=parameters)


@_outside_of_graphs
def forward_dynamics(
    model: Model,
    q: Tensor,
    v: Tensor,
    tau: Tensor,
    f_ext: Tensor | None = None,
    diagonal: Tensor | None = None,
    *,
    parameters: Parameters | None = None,
) -> Tensor:
    """As :func:`tandem.forward_dynamics`."""
    return _apply("forward_dynamics", model, q, v, tau, f_ext, diagonal, parameters=parameters)


@_outside_of_graphs
def mass_matrix(model: Model, q: Tensor, *, parameters: Parameters | None = None) -> Tensor:
    """As :func:`tandem.mass_matrix`."""
    return _apply("mass_matrix", model, q, parameters=parameters)


@_outside_of_graphs
def inverse_mass_matrix_product(model: Model, q: Tensor, x: Tensor, *, parameters: Parameters | None = None) -> Tensor:
    """As :func:`tandem.inverse_mass_matrix_product`."""
    return _apply("inverse_mass_matrix_product", model, q, x, parameters=parameters)


@_outside_of_graphs
def forward_kinematics(
    model: Model, q: Tensor, v: Tensor | None = None, a: Tensor | None = None, reference: str = "local"
) -> Any:
    """As :func:`tandem.forward_kinematics`: poses; with ``v`` and ``a`` velocities and accelerations, too, in a
    tuple."""
    function, given, options = kinematics((q, v, a), reference)
    return _apply(function, model, *given, **options)


@_outside_of_graphs
def jacobian(model: Model, q: Tensor, frame: str | int, reference: str = "local") -> Tensor:
    """As :func:`tandem.jacobian`."""
    return _apply("jacobian", model, q, frame=frame, reference=reference)


@_outside_of_graphs
def energy(model: Model, q: Tensor, v: Tensor, *, parameters: Parameters | None = None) -> Energy:
    """As :func:`tandem.energy`: kinetic and potential."""
    return Energy(*_apply("energy", model, q, v, parameters=parameters))


@_outside_of_graphs
def integrate(model: Model, q: Tensor, u: Tensor) -> Tensor:
    """As :func:`tandem.integrate`."""
    return _apply("integrate", model, q, u)


@_outside_of_graphs
def difference(model: Model, q0: Tensor, q1: Tensor) -> Tensor:
    """As :func:`tandem.difference`."""
    return _apply("difference", model, q0, q1)


@_outside_of_graphs
def step(
    model: Model,
    q: Tensor,
    v: Tensor,
    tau: Tensor,
    dt: float,
    f_ext: Tensor | None = None,
    q_target: Tensor | None = None,
    kp: Tensor | None = None,
    kd: Tensor | None = None,
    *,
    steps: int = 1,
    integrator: str = "semi_implicit_euler",
    limits: bool = True,
    effort_limits: bool = False,
    parameters: Parameters | None = None,
) -> tuple[Tensor, Tensor]:
    """The q and v of :func:`tandem.step`.

    Where a joint limit becomes active or inactive, friction slips or a force is clipped, derivatives are one-sided.
    """
    options = {"dt": dt, "steps": steps, "integrator": integrator, **switches("step", limits, effort_limits)}
    results = _apply("step", model, q, v, tau, f_ext, q_target, kp, kd, **options, parameters=parameters)
    return results  # type: ignore[no-any-return]


@_outside_of_graphs
def rollout(
    model: Model,
    q0: Tensor,
    v0: Tensor,
    controls: Tensor,
    dt: float,
    *,
    q_target: Tensor | None = None,
    kp: Tensor | None = None,
    kd: Tensor | None = None,
    every: int = 1,
    integrator: str = "semi_implicit_euler",
    limits: bool = True,
    effort_limits: bool = False,
    parameters: Parameters | None = None,
) -> tuple[Tensor, Tensor]:
    """States of a :func:`tandem.rollout` before every ``every``-th step and after the last.

    They are ``[..., samples, nq]`` and ``[..., samples, nv]``. ``controls`` are ``[..., steps, nv]``, ``q_target`` is
    ``[..., steps, nq]``. Gradients are those of :func:`tandem.rollout_gradient`.
    """
    options = {"dt": float(dt), "steps": int(controls.shape[-2]), "every": every, "integrator": integrator}
    options |= switches("rollout", limits, effort_limits)
    results = _apply("rollout", model, q0, v0, controls, q_target, kp, kd, **options, parameters=parameters)
    return results  # type: ignore[no-any-return]
