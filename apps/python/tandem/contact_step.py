# SPDX-License-Identifier: Apache-2.0
"""One time step with contacts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tandem._common.batch_options import Parameters
from tandem._core import ContactSet, Model
from tandem.contact import ContactOptions, ContactTally
from tandem.errors import Error
from tandem.functions import Array, Integrator
from tandem.rollout import Push, rollout


class ContactStep(NamedTuple):
    """Result of :func:`contact_step`, with the leading axes of the states."""

    q: Array  #: ``[..., nq]`` rad|m, the next configuration
    v: Array  #: ``[..., nv]`` rad/s|m/s, the next velocity
    #: ``[..., 3 nv]`` state of joint limits and contacts, for the next step: the last acceleration, where its solution
    #: begins, and the forces of joint limits
    stops: Array
    #: ``[..., n_slots, 6]`` N, N m, contact forces in the step, as ``f_contact`` of
    #: :class:`tandem.types.ContactAcceleration`
    contact_forces: Array
    contact_tally: ContactTally  #: ``[...]`` statistics of contact dynamics
    status: Any  #: ``[...]`` of :class:`Status`; a state that diverges keeps ``q`` and ``v``


def contact_step(
    robot: Model | ContactSet,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    dt: float = 1e-3,
    *,
    stops: ArrayLike | None = None,
    pushes: Sequence[Push] = (),
    integrator: Integrator = "semi_implicit_euler",
    effort_limits: bool = False,
    limits: bool = True,
    max_speed: float | None = None,
    parameters: Parameters | None = None,
    contact_options: ContactOptions | None = None,
    threads: int = 0,
    device: Literal["cpu", "cuda", "auto"] = "cpu",
) -> ContactStep:
    """Make a time step with contacts, joint limits and dry friction: a :func:`rollout` of one step.

    The bits are those of a step of :class:`Simulation` with the same options. ``stops`` makes consecutive calls
    bit-identical to one simulation or rollout; with the cone ``"disc"``, whose friction needs the forces of the step
    before, each call begins with free contacts, as a rollout does.

    Args:
        robot: a contact set, or a model, whose pairs are those of ``ContactSet(model)``
        q: ``[..., nq]`` configuration, rad|m; its precision, float64 or float32, is that of the step
        v: ``[..., nv]`` velocity, rad/s|m/s
        tau: ``[..., nv]`` joint torques, N m|N; None: 0. Springs, damping and dry friction of the model act besides
        dt: time step, s
        stops: ``[..., 3 nv]`` :attr:`ContactStep.stops` of the step before; None: 0
        pushes: external wrenches on links, see :class:`Push`; those of each state ``[..., 6]``
        integrator, limits, effort_limits, max_speed, parameters, threads, device: as in :func:`rollout`; parameters of
            each state need states with one leading axis
        contact_options: see :class:`tandem.types.ContactOptions`

    Raises:
        Error: for a wrong shape, if a pair is not supported, and for options that are not supported

    >>> robot = tandem.ModelBuilder("ball").link("world").link("ball", mass=1, inertia=(0.004, 0, 0, 0.004, 0, 0.004))
    >>> robot = robot.joint("free", "free", "world", "ball").shape("floor", "plane", "world")
    >>> pairs = tandem.ContactSet(robot.shape("ball", "sphere", "ball", size=0.1).build())
    >>> q, v, stops = np.array([0, 0, 0.2, 0, 0, 0, 1]), np.zeros(6), None
    >>> for _ in range(1000):
    ...     q, v, stops, forces, *_ = tandem.contact_step(pairs, q, v, dt=2e-3, stops=stops)
    >>> q[2].round(3), forces[0, 0].round(2)
    (np.float64(0.1), np.float64(9.81))
    """
    pairs = robot if isinstance(robot, ContactSet) else ContactSet(robot)
    model = pairs.model
    given = {"q": (q, model.nq), "v": (v, model.nv), "tau": (tau, model.nv), "stops": (stops, 3 * model.nv)}
    arrays = {}
    for name, (values, rows) in given.items():
        arrays[name] = array = np.zeros(rows) if values is None else np.asarray(values)
        if array.ndim == 0 or array.shape[-1] != rows:
            raise Error(f"contact_step: {name} has shape {array.shape}, expected (..., {rows}): this robot has "
                        f"nq = {model.nq}, nv = {model.nv}")
    try:
        front = np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except ValueError:
        named = ", ".join(f"{name} {array.shape[:-1]}" for name, array in arrays.items())
        raise Error(f"contact_step: leading axes do not broadcast: {named}") from None

    def rows_of(array: Array) -> Array:
        return np.broadcast_to(array, (*front, array.shape[-1])).reshape(math.prod(front), array.shape[-1])

    def push_of(push: Push) -> Push:
        if not isinstance(push, tuple):
            raise Error(f"contact_step: pushes has {push!r}, expected a Push")
        push = Push(*push)
        wrench = np.asarray(push.wrench)
        return push._replace(wrench=wrench if wrench.ndim < 2 else rows_of(wrench))

    try:
        found = rollout(
            model, rows_of(arrays["q"]), rows_of(arrays["v"]), rows_of(arrays["tau"]), dt, 1,
            pushes=[push_of(push) for push in pushes], integrator=integrator, effort_limits=effort_limits,
            limits=limits, max_speed=max_speed, parameters=parameters, threads=threads, device=device, contacts=pairs,
            contact_options=contact_options, stops=rows_of(arrays["stops"])
        )  # fmt: skip
    except Error as error:
        raise Error(str(error).replace("rollout: q0", "rollout: q").replace("rollout:", "contact_step:")) from None
    assert found.stops is not None and found.contact_forces is not None and found.contact_tally is not None
    tally = ContactTally(*(np.asarray(count).reshape(front)[()] for count in found.contact_tally))
    return ContactStep(
        found.q.reshape(*front, model.nq), found.v.reshape(*front, model.nv), found.stops.reshape(*front, 3 * model.nv),
        found.contact_forces.reshape(*front, pairs.n_slots, 6), tally, found.status.reshape(front)[()]
    )  # fmt: skip
