# SPDX-License-Identifier: Apache-2.0
"""Gradients of the cost of rollouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tandem._common.arguments import new_array, whole_number
from tandem._common.batch_options import IterationsArray, Parameters, StatusArray
from tandem._core import Model
from tandem.drive import ComputedTorque, PdController
from tandem.errors import Error
from tandem.functions import Array, Integrator, Method, MethodOptions
from tandem.plan import Specialise
from tandem.rollout import Cost, Push, prepared


class RolloutGradient(NamedTuple):
    """Result of :func:`rollout_gradient`; for a single robot without the leading axis. NaN for robots that diverged."""

    q: Array  #: ``[batch, nq]`` rad|m, the last configurations
    v: Array  #: ``[batch, nv]`` rad/s|m/s, the last velocities
    status: StatusArray  #: ``[batch]`` of :class:`Status`, as in :class:`Rollout`
    steps: IterationsArray  #: ``[batch]`` completed steps
    by_q0: Array  #: ``[batch, nv]`` gradient by the initial configuration, in the cotangent space of :func:`integrate`
    by_v0: Array  #: ``[batch, nv]`` by the initial velocity
    cost: Array | None = None  #: ``[batch]`` cost, if there is one
    #: ``[batch, steps, nv]`` by the joint torques of every step, if there are controls
    by_controls: Array | None = None
    by_q_target: Array | None = None  #: ``[batch, steps, nv]`` by the target of the controller, if there is one
    by_kp: Array | None = None  #: ``[batch, nv]`` by the position gains
    by_kd: Array | None = None  #: ``[batch, nv]`` by the velocity gains
    #: by the parameters of ``by_parameters``, each ``[batch, ...]`` with the shape of the model's parameter
    by_parameters: dict[str, Array] | None = None


def rollout_gradient(
    model: Model,
    q0: ArrayLike,
    v0: ArrayLike | None = None,
    controls: ArrayLike | None = None,
    dt: float = 1e-3,
    steps: int | None = None,
    *,
    controller: PdController | ComputedTorque | None = None,
    gravity_compensation: bool = False,
    effort_limits: bool = False,
    pushes: Sequence[Push] = (),
    cost: Cost | None = None,
    of_cost: ArrayLike | None = None,
    of_q: ArrayLike | None = None,
    of_v: ArrayLike | None = None,
    of_q_path: ArrayLike | None = None,
    of_v_path: ArrayLike | None = None,
    every: int = 1,
    by_parameters: Sequence[str] = (),
    checkpoints: int | None = None,
    integrator: Integrator = "semi_implicit_euler",
    method: Method = "automatic",
    options: MethodOptions | None = None,
    limits: bool = True,
    max_speed: float | None = None,
    parameters: Parameters | None = None,
    threads: int | None = 0,
    specialise: Specialise = "auto",
) -> RolloutGradient:
    """Compute the gradient of the cost of a :func:`rollout`, or of another function of its states.

    The function is ``of_cost * cost`` plus a function of the states with the cotangents ``of_q``, ``of_v``,
    ``of_q_path`` and ``of_v_path``; by default it is the cost. The gradient is computed by the adjoint of every step in
    reverse order. It is exact for the computed steps up to rounding, and takes a few times as long as the rollout for
    any number of inputs. Gradients by configurations have ``nv`` elements, in the cotangent space of :func:`integrate`.
    The results of a robot are bit-identical in any batch, on any number of threads, with any number of checkpoints.

    Args:
        model, q0, v0, controls, dt, steps, controller, gravity_compensation, effort_limits, pushes, cost: as in
            :func:`rollout`; controls must be arrays
        of_cost: ``[batch]`` or one number, cotangent of the cost; None: 1
        of_q, of_v: ``[nv]`` or ``[batch, nv]``, cotangents of the last configuration and velocity
        of_q_path, of_v_path: ``[samples, nv]`` or ``[batch, samples, nv]``, cotangents of the states before every
            ``every``-th step and after the last
        every: interval of these states in steps
        by_parameters: names of :meth:`Model.parameter` to differentiate by
        checkpoints: number of stored states of each robot; others are recomputed in the reverse pass. With s of them
            (s + r)!/(s! r!) steps need r rollouts plus the reverse pass. None: all, up to 8 MiB per thread
        integrator, limits: as in :func:`rollout`; active joint limits are those of the rollout: the derivative jumps
            where they change
        method, options, max_speed, parameters, threads, specialise: as in :func:`rollout`

    Returns:
        the last states, the cost, and the gradients by all given inputs, for every robot and every step

    Raises:
        Error: for a wrong shape, and for an option without a derivative

    >>> arm, start = tandem.load("arm7"), np.array([0, 0.3, 0, 0.5, 0, 0.3, 0])
    >>> there = tandem.Cost(final_v=0.1, frames=[tandem.FrameCost("tool0", [0.5, 0.2, 0.6], final_weight=100)])
    >>> target = start.copy()
    >>> for _ in range(20):
    ...     lead = tandem.PdController(target, kp=100, kd=20)
    ...     found = tandem.rollout_gradient(arm, start, dt=5e-3, steps=300, controller=lead, cost=there, limits=False)
    ...     target -= 0.01 * found.by_q_target.sum(axis=0)
    >>> bool(found.cost < 2), found.by_q_target.shape
    (True, (300, 7))
    """
    if callable(controls):
        raise Error("rollout_gradient: controls is a function, expected joint torques")
    every = whole_number("rollout_gradient: every", every, 1)
    call, how = prepared(
        model, q0, v0, controls, steps, controller, pushes, cost, every, parameters, dt=dt, integrator=integrator,
        gravity_compensation=gravity_compensation, effort_limits=effort_limits, limits=limits, max_speed=max_speed,
        method=method, options=options, specialise=specialise
    )  # fmt: skip
    n, nv = call.count, model.nv
    assert call.steps is not None
    for name, given in (("of_q", of_q), ("of_v", of_v)):
        call.weight(name, given, nv)
    if of_cost is not None:
        factor = call.numbers("of_cost", of_cost)
        if factor.shape not in ((), (n,)):
            raise Error(f"rollout_gradient: of_cost has shape {factor.shape}, expected ({n},) or one number")
        call.arrays["of_cost"] = factor.reshape(-1, 1)
    for name, given in (("of_q_path", of_q_path), ("of_v_path", of_v_path)):
        if given is not None:
            array = call.numbers(name, given)
            if array.ndim not in (2, 3) or array.shape[-1] != nv:
                raise Error(f"rollout_gradient: {name} has shape {array.shape}, expected (samples, {nv}) or (batch, "
                            f"samples, {nv})")
            call.arrays[name] = call.in_time(array, (nv,), call.steps // every + 1, name)

    def room(*shape: int) -> Array:
        return new_array("rollout_gradient", (n, *shape), call.dtype)

    out: dict[str, Any] = {"q": room(model.nq), "v": room(nv), "by_q0": room(nv), "by_v0": room(nv)}
    if call.costly():
        out["cost"] = room()
    if controls is not None:
        out["by_tau"] = room(call.steps, nv)
    if controller is not None:
        out |= {"by_q_target": room(call.steps, nv), "by_kp": room(nv), "by_kd": room(nv)}
    shapes = {name: model.parameter(name).shape for name in by_parameters}
    by = {name: room(int(np.prod(shape))) for name, shape in shapes.items()}
    kept = 0 if checkpoints is None else whole_number("rollout_gradient: checkpoints", checkpoints, 1)
    status, done = np.empty(n, np.uint8), np.empty(n, np.int32)
    threads = 0 if threads is None else whole_number("rollout_gradient: threads", threads, 0)
    how |= {"steps": call.steps, "checkpoints": kept, "by_parameters": by}
    call.call(how, call.arrays | out, threads, status, done)
    found = call.result(out, how, status, done)
    if by:
        one = call.batch is None
        found["by_parameters"] = {k: x.reshape((() if one else (n,)) + shapes[k]) for k, x in by.items()}
    if "by_tau" in found:
        found["by_controls"] = found.pop("by_tau")
    return RolloutGradient(**found)
