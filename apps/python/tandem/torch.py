# SPDX-License-Identifier: Apache-2.0
"""Dynamics and kinematics inside of PyTorch's autograd.

The functions are those of :mod:`tandem` of the same names, on tensors of the processor or of a GPU. Derivatives are the library's
analytic ones, but for changes along rollouts (forward mode), and gradients by the robot's parameters of steps under wrenches, which are
differences of fourth order. Of tensors on a GPU, ``rollout`` with its gradients, and gradients of several steps at once, copy to the processor and back. They may be differentiated once more (``create_graph=True``):
those of dynamics and mass matrices exactly, others, and along the robot's parameters, by differences along one
direction, to some ten digits. ``torch.autograd.forward_ad`` works
as well. Those of configurations are with respect to the numbers of ``q`` as they stand, quaternions included.

``parameters=`` are those in which robots differ, by name, as in :mod:`tandem.functions`; derivatives go through them as well.

>>> import torch
>>> import tandem.torch
>>> arm = tandem.load("arm7")
>>> q = torch.ones(5, arm.nq, dtype=torch.float64, requires_grad=True)
>>> tandem.torch.gravity_forces(arm, q).square().sum().backward()
>>> q.grad.shape
torch.Size([5, 7])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tandem._core import Model
from tandem._derivatives import Call, parameter_inputs
from tandem._differentiable import FUNCTIONS
from tandem._frameworks import framework
from tandem._steps import switches
from tandem.functions import Energy

_torch = framework("torch", "PyTorch")

__all__ = [*FUNCTIONS]

Tensor = Any  #: of PyTorch
Parameters = Mapping[str, Any]  #: by the names of :func:`tandem.parameters`


class _Present(tuple[bool, ...]):
    """Which of a function's inputs are there; those that are stand side by side."""

    def spread(self, given: Any) -> list[Any]:
        """An entry for every input, None for those that are not there; tensors as plain numbers."""
        entries = iter(given)
        return _plain([next(entries) if there else None for there in self])

    def gathered(self, entries: Any) -> list[Any]:
        """Of those that are there alone."""
        return [entry for entry, there in zip(entries, self) if there]


def _plain(entries: Any) -> list[Any]:
    return [x.detach() if isinstance(x, _torch.Tensor) else x for x in entries]


class _Value(_torch.autograd.Function):  # type: ignore[name-defined, misc]
    """A function of Tandem."""

    @staticmethod
    def forward(ctx: Any, call: Call, present: _Present, *x: Any) -> Any:
        ctx.call, ctx.present = call, present
        ctx.save_for_backward(*x)
        ctx.save_for_forward(*x)
        results = call.value(present.spread(x))
        return results if len(results) > 1 else results[0]

    @staticmethod
    def backward(ctx: Any, *g: Any) -> Any:
        wanted = tuple(ctx.needs_input_grad[2:])
        found = _Pull.apply(ctx.call, ctx.present, wanted, *ctx.saved_tensors, *g)
        gradients = iter(found if isinstance(found, tuple) else (found,))
        return (None, None, *(next(gradients) if is_wanted else None for is_wanted in wanted))

    @staticmethod
    def jvp(ctx: Any, _call: Any, _present: Any, *t: Any) -> Any:
        results = ctx.call.push(ctx.present.spread(ctx.saved_tensors), ctx.present.spread(t))
        return results if len(results) > 1 else results[0]


class _Pull(_torch.autograd.Function):  # type: ignore[name-defined, misc]
    """What gradients of its results are of its inputs: those that are wanted."""

    @staticmethod
    def forward(ctx: Any, call: Call, present: _Present, wanted: tuple[bool, ...], *tensors: Any) -> Any:
        ctx.call, ctx.present, ctx.wanted = call, present, wanted
        ctx.save_for_backward(*tensors)
        x, g = tensors[: len(wanted)], tensors[len(wanted) :]
        found = call.pull(present.spread(x), _plain(g), tuple(k is True for k in present.spread(wanted)))
        results = tuple(r for r in found if r is not None)
        return results if len(results) > 1 else results[0]

    @staticmethod
    @_torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *u: Any) -> Any:
        n = len(ctx.wanted)
        x, g = ctx.present.spread(ctx.saved_tensors[:n]), _plain(ctx.saved_tensors[n:])
        given = iter(u)
        ways = ctx.present.spread([next(given) if is_wanted else None for is_wanted in ctx.wanted])
        needed = ctx.needs_input_grad[3:]
        by_x: list[Any] = [None] * len(ctx.present)
        if any(needed[:n]):
            by_x = ctx.call.fold(x, g, ways, tuple(k is True for k in ctx.present.spread(needed[:n])))
        by_g: Any = ctx.call.push(x, ways) if any(needed[n:]) else [None] * len(g)
        return (None, None, None, *ctx.present.gathered(by_x), *by_g)


def _apply(name: str, model: Model, *own: Any, parameters: Parameters | None = None, **options: Any) -> Any:
    function = FUNCTIONS[name]
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
            x if x is None or x.dim() < rank else x.expand(*front, *x.shape[x.dim() - rank :])
            for x, rank in zip(tensors, function.ranks)
        ]
    present = _Present(x is not None for x in tensors)
    return _Value.apply(call, present, *present.gathered(tensors))


def inverse_dynamics(
    model: Model, q: Tensor, v: Tensor, a: Tensor, f_ext: Tensor | None = None, *, parameters: Parameters | None = None
) -> Tensor:
    """As :func:`tandem.inverse_dynamics`."""
    return _apply("inverse_dynamics", model, q, v, a, f_ext, parameters=parameters)


def bias_forces(
    model: Model, q: Tensor, v: Tensor, f_ext: Tensor | None = None, *, parameters: Parameters | None = None
) -> Tensor:
    """As :func:`tandem.bias_forces`."""
    return _apply("bias_forces", model, q, v, f_ext, parameters=parameters)


def gravity_forces(model: Model, q: Tensor, *, parameters: Parameters | None = None) -> Tensor:
    """As :func:`tandem.gravity_forces`."""
    return _apply("gravity_forces", model, q, parameters=parameters)


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


def mass_matrix(model: Model, q: Tensor, *, parameters: Parameters | None = None) -> Tensor:
    """As :func:`tandem.mass_matrix`."""
    return _apply("mass_matrix", model, q, parameters=parameters)


def inverse_mass_matrix_product(model: Model, q: Tensor, x: Tensor, *, parameters: Parameters | None = None) -> Tensor:
    """As :func:`tandem.inverse_mass_matrix_product`."""
    return _apply("inverse_mass_matrix_product", model, q, x, parameters=parameters)


def forward_kinematics(model: Model, q: Tensor) -> Tensor:
    """The poses of :func:`tandem.forward_kinematics`."""
    return _apply("forward_kinematics", model, q)


def jacobian(model: Model, q: Tensor, frame: str | int, reference: str = "local") -> Tensor:
    """As :func:`tandem.jacobian`."""
    return _apply("jacobian", model, q, frame=frame, reference=reference)


def energy(model: Model, q: Tensor, v: Tensor, *, parameters: Parameters | None = None) -> Energy:
    """As :func:`tandem.energy`: kinetic and potential."""
    return Energy(*_apply("energy", model, q, v, parameters=parameters))


def integrate(model: Model, q: Tensor, u: Tensor) -> Tensor:
    """As :func:`tandem.integrate`."""
    return _apply("integrate", model, q, u)


def difference(model: Model, q0: Tensor, q1: Tensor) -> Tensor:
    """As :func:`tandem.difference`."""
    return _apply("difference", model, q0, q1)


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

    Where a stop begins or lets go, friction slips or a force is clipped, derivatives are those of one side.
    """
    options = {"dt": dt, "steps": steps, "integrator": integrator, **switches("step", limits, effort_limits)}
    return _apply("step", model, q, v, tau, f_ext, q_target, kp, kd, **options, parameters=parameters)  # type: ignore[no-any-return]


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
    """The states of a :func:`tandem.rollout` on the way, ``[..., samples, nq]`` and ``[..., samples, nv]``.

    Before every ``every``-th step, and after the last. ``controls`` are ``[..., steps, nv]``, ``q_target`` is ``[..., steps, nq]``. Gradients go
    back through all steps at once, by :func:`tandem.rollout_gradient`.
    """
    options = {"dt": float(dt), "steps": int(controls.shape[-2]), "every": every, "integrator": integrator}
    options |= switches("rollout", limits, effort_limits)
    return _apply("rollout", model, q0, v0, controls, q_target, kp, kd, **options, parameters=parameters)  # type: ignore[no-any-return]
