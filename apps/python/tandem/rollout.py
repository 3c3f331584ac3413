# SPDX-License-Identifier: Apache-2.0
"""Many robots of one model, many steps a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tandem._common.arguments import whole_number
from tandem._common.batch_options import IterationsArray, Parameters, StatusArray
from tandem._core import ContactSet, Model
from tandem._rollout_call import RolloutCall, stepper_options
from tandem.contact import ContactOptions, ContactTally
from tandem.drive import ComputedTorque, PdController
from tandem.errors import Error
from tandem.functions import Array, Integrator, Method, MethodOptions
from tandem.plan import Specialise

Controls: TypeAlias = "ArrayLike | Callable[[int, Array, Array], ArrayLike] | None"


class Push(NamedTuple):
    """An external wrench on a link during some steps of a rollout."""

    link: str | int  #: name or index of the link
    wrench: ArrayLike  #: ``[6]`` or ``[batch, 6]`` N, N m, linear first, at the link's origin along its axes
    first: int = 0  #: first step in which it acts, counted from 0
    end: int | None = None  #: first step in which it does not act any more; None: it acts to the end


class FrameCost(NamedTuple):
    """Cost of the distance of a frame from a pose: weights of e = [R^T (p_target - p), log(R^T R_target)], squared."""

    frame: str | int  #: name or index of the frame
    #: pose ``[3, 4]``, rows of [R | p], or position ``[3]`` m; also ``[steps + 1, ...]`` or ``[batch, steps + 1, ...]``
    target: ArrayLike
    weight: ArrayLike | None = None  #: ``[6]`` or one number for all, 1/(m^2 s), 1/(rad^2 s), in every step
    final_weight: ArrayLike | None = None  #: ``[6]`` or one number for all, 1/m^2, 1/rad^2, of the last state


class Cost(NamedTuple):
    """Cost of a rollout: the sum over the steps of dt times the weighted squares, plus final terms of the last state.

    Terms of a step are those of the state before it and of its joint torques. A weight is ``[nv]``, ``[batch, nv]`` or
    one number for all.
    """

    q: ArrayLike | None = None  #: weight of the rows of q (-) q_reference
    v: ArrayLike | None = None  #: weight of the rows of v - v_reference
    effort: ArrayLike | None = None  #: weight of the joint torques of the controls
    final_q: ArrayLike | None = None  #: weight of q (-) q_reference of the last state
    final_v: ArrayLike | None = None  #: weight of v - v_reference of the last state
    frames: Sequence[FrameCost] = ()  #: terms of frames
    q_reference: ArrayLike | None = None  #: ``[nq]``, ``[steps + 1, nq]``, ``[batch, steps + 1, nq]``; None: neutral
    v_reference: ArrayLike | None = None  #: the same, of nv numbers; None: at rest


class Rollout(NamedTuple):
    """Result of :func:`rollout`; for a single robot without the leading axis."""

    q: Array  #: ``[batch, nq]`` rad|m, the last configurations
    v: Array  #: ``[batch, nv]`` rad/s|m/s, the last velocities
    status: StatusArray  #: ``[batch]`` of :class:`Status`: ``OK``, ``DIVERGED`` or ``NON_FINITE``
    steps: IterationsArray  #: ``[batch]`` completed steps: all, or those before divergence
    cost: Array | None = None  #: ``[batch]`` cost, if there is one; infinite after divergence
    time: Array | None = None  #: ``[samples]`` s, if ``every`` is set
    q_path: Array | None = None  #: ``[batch, samples, nq]`` before every ``every``-th step, and after the last
    v_path: Array | None = None  #: ``[batch, samples, nv]`` likewise
    #: ``[batch, 3 nv]`` state of joint limits and contacts after the last step, if ``stops`` is given
    stops: Array | None = None
    #: ``[batch, n_slots, 6]`` N, N m, contact forces in the last step, as ``f_contact`` of
    #: :class:`tandem.types.ContactAcceleration`; zeros after divergence
    contact_forces: Array | None = None
    contact_tally: ContactTally | None = None  #: ``[batch]`` statistics of contact dynamics in all steps


def rollout(
    model: Model,
    q0: ArrayLike,
    v0: ArrayLike | None = None,
    controls: Controls = None,
    dt: float = 1e-3,
    steps: int | None = None,
    *,
    controller: PdController | ComputedTorque | None = None,
    gravity_compensation: bool = False,
    effort_limits: bool = False,
    pushes: Sequence[Push] = (),
    cost: Cost | None = None,
    every: int | None = None,
    integrator: Integrator = "semi_implicit_euler",
    method: Method = "automatic",
    options: MethodOptions | None = None,
    limits: bool = True,
    max_speed: float | None = None,
    parameters: Parameters | None = None,
    threads: int | None = 0,
    device: Literal["cpu", "cuda", "auto"] = "cpu",
    specialise: Specialise = "auto",
    contacts: ContactSet | None = None,
    contact_options: ContactOptions | None = None,
    stops: ArrayLike | None = None,
) -> Rollout:
    """Step a batch of robots of one model, as :class:`Simulation` does.

    A few robots at a time go through all steps, in SIMD lanes and on all cores, so that their states stay in the cache.
    Only the requested results are stored: the last states, a cost, or every ``every``-th state. The results of a robot
    are bit-identical in any batch and on any number of threads. A robot that diverges keeps the state before that step
    and does not affect the others.

    Args:
        model: the robot
        q0: initial configurations, ``[batch, nq]`` or ``[nq]`` rad|m; their precision, float64 or float32, is that of
            the rollout, to which all other arguments are converted
        v0: initial velocities, ``[batch, nv]`` or ``[nv]`` rad/s|m/s; None: zeros
        controls: joint torques N m|N: ``[batch, steps, nv]``, ``[steps, nv]`` for all robots, ``[batch, nv]`` or
            ``[nv]`` for all steps; or a function of (step, q, v), with the states of all robots, that returns those of
            the step. Python calls it before every step, which takes far longer than the step itself
        dt: time step, s
        steps: number of steps; None: that of the controls or targets
        controller: a :class:`PdController`, whose target may depend on the step, or :class:`ComputedTorque`
        gravity_compensation: whether gravity torques of the model are added to the controls
        effort_limits: whether controls are clipped to the effort limits; those of a PdController always are
        pushes: external wrenches on links, see :class:`Push`
        cost: terms of the cost
        every: also return every ``every``-th state
        integrator, limits: as in :class:`Simulation`
        method, options: method of forward dynamics, as in :func:`forward_dynamics`; methods that divide a robot or
            iterate are not supported
        max_speed: a robot has diverged if a joint is faster than this, rad/s|m/s; None: a full turn per step; infinity:
            speeds are not checked
        parameters: parameters of the robots that differ from the model, as in :mod:`tandem.functions`
        threads: 0: all cores
        device: ``"cuda"``: one GPU thread per robot. Arrays of PyTorch, CuPy or JAX on the GPU are used in place, and
            results are on the GPU, too, except ``status`` and ``steps``. ``"auto"``: the device of the arrays; for host
            arrays the GPU if the batch is larger than the crossover of :func:`forward_dynamics` (``tandem tune``)
        specialise: whether forward dynamics is compiled for this robot, as in :class:`Plan`
        contacts, contact_options: as in :class:`Simulation`. On a GPU a robot has room for ``max_contacts`` at a time,
            see :class:`tandem.contact.ContactDynamics`; pairs that are computed by support functions are an error
        stops: state of joint limits and contacts before the first step, ``[batch, 3 nv]``: :attr:`Rollout.stops` of the
            rollout that this one continues, or 0. A rollout in several parts is then bit-identical to one. None: 0, and
            the result does not have it

    Returns:
        the last states with the status of each robot, the cost, and the stored states

    Raises:
        Error: for a wrong shape, and for options that are not supported

    >>> arm, random = tandem.load("arm7"), np.random.default_rng(1)
    >>> q0 = tandem.random_configuration(arm, seed=1, batch=100)
    >>> pushed = tandem.rollout(arm, q0, controls=random.normal(size=(100, 50, arm.nv)), dt=2e-3)
    >>> pushed.q.shape, bool((pushed.status == tandem.Status.OK).all())
    ((100, 7), True)

    With a controller, and the cost of the motion:

    >>> led = tandem.rollout(arm, q0, dt=2e-3, steps=500, every=250, gravity_compensation=True,
    ...     controller=tandem.PdController(np.zeros(7), kp=100, kd=20), cost=tandem.Cost(q=1, effort=1e-4, final_v=10))
    >>> led.q_path.shape, led.cost.shape
    ((100, 3, 7), (100,))

    With contacts, balls that fall from several heights:

    >>> robot = tandem.ModelBuilder("ball").link("world").link("ball", mass=1, inertia=(0.004, 0, 0, 0.004, 0, 0.004))
    >>> robot = robot.joint("free", "free", "world", "ball").shape("floor", "plane", "world")
    >>> ball = robot.shape("ball", "sphere", "ball", size=0.1).build()
    >>> q0 = np.tile([0, 0, 0, 0, 0, 0, 1.0], (4, 1))
    >>> q0[:, 2] = [0.1, 0.2, 0.3, 0.4]
    >>> fallen = tandem.rollout(ball, q0, dt=2e-3, steps=1000, contacts=tandem.ContactSet(ball))
    >>> fallen.q[:, 2].round(3), fallen.contact_forces[:, 0, 0].round(2)
    (array([0.1, 0.1, 0.1, 0.1]), array([9.81, 9.81, 9.81, 9.81]))
    """
    if device not in ("cpu", "cuda", "auto"):
        raise Error(f"rollout: device is {device!r}, expected 'cpu', 'cuda' or 'auto'")
    call, how = prepared(
        model, q0, v0, controls, steps, controller, pushes, cost, every, parameters, device, dt=dt,
        integrator=integrator, gravity_compensation=gravity_compensation, effort_limits=effort_limits, limits=limits,
        max_speed=max_speed, method=method, options=options, specialise=specialise, contacts=contacts,
        contact_options=contact_options
    )  # fmt: skip
    if stops is not None:
        call.weight("stops", stops, 3 * model.nv)
    threads = 0 if threads is None else whole_number("rollout: threads", threads, 0)
    if callable(controls):
        return Rollout(**call.run_with(controls, how, every is not None, threads))
    return Rollout(**call.run(how, every is not None, threads))


def prepared(
    model: Model,
    q0: ArrayLike,
    v0: ArrayLike | None,
    controls: Controls,
    steps: int | None,
    controller: PdController | ComputedTorque | None,
    pushes: Sequence[Push],
    cost: Cost | None,
    every: int | None,
    parameters: Parameters | None,
    device: str = "cpu",
    **stepper: Any,
) -> tuple[RolloutCall, dict[str, Any]]:
    """The call that is asked for, and how it is done, see rollout."""
    call = RolloutCall(model, q0, device)
    call.state("v0", v0, model.nv)
    if not callable(controls):
        call.input("tau", controls, "controls")
    if controller is not None:
        if not isinstance(controller, (PdController, ComputedTorque)):
            raise Error(f"rollout: controller is {controller!r}, expected a PdController or ComputedTorque")
        for name, values in controller._asdict().items():
            call.input(name, values)
    for push in pushes:
        if not isinstance(push, tuple):
            raise Error(f"rollout: pushes has {push!r}, expected a Push")
        call.push(Push(*push))
    if cost is not None:
        if not isinstance(cost, Cost):
            raise Error(f"rollout: cost is {cost!r}, expected a Cost")
        call.costs(cost)
    for name, values in (parameters or {}).items():
        call.parameter(name, values)
    call.settle(steps, batch=call.batch)
    how, solver = stepper_options("rollout", **stepper)
    how |= {
        "every": 1 if every is None else whole_number("rollout: every", every, 1),
        "first_step": 0,
        "tracking": "computed_torque" if isinstance(controller, ComputedTorque) else "pd",
        "contacts": None if solver is None else solver.core,
    }
    return call, how
