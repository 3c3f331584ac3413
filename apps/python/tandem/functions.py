# SPDX-License-Identifier: Apache-2.0
# Written by tools/register.py. Some thousand lines, as editors and type checkers read a signature of every
# function, and of every combination of outputs.
"""The algorithms, over NumPy and other arrays; for configurations, see also :mod:`tandem.configuration`.

Shapes
    Every argument is one state, for instance ``q`` of shape ``(nq,)``, or a batch of them of any shape,
    ``(..., nq)``: ``(batch, nq)``, ``(robots, steps, nq)``. Leading axes broadcast as NumPy's do, so that one
    state stands for all of a batch, and ``(3, 1, nq)`` beside ``(4, nv)`` are twelve states. Results have the
    leading axes of all.
Precision
    float32 or float64: that of the first array among the arguments, float64 if there is none. All other
    inputs and parameters are converted to it; outputs must have it.
Arrays
    Those of NumPy, and of every library that hands out memory of the processor by DLPack: PyTorch, JAX. New
    results are of the kind of the first input that is an array.
Copies
    There are none as long as the numbers of each state lie equally far apart: ``(batch, n)`` in C order, with
    gaps, reversed, or transposed, as ``x.T`` of an ``(n, batch)`` array; of several leading axes if the
    states do, too, all of them in C order. Other arrays, and those that broadcast along some axes only, are
    copied first.
``out``
    An array, or a tuple of arrays where several are returned, to write the result to; it is returned. It may
    lie in the memory of an input, which is then copied first, but not in that of another output.
``threads``
    How many threads share a batch; 0 or None: all cores. A small batch stays on the calling thread. The
    results have the same bits on any number. Other Python threads run during long calls and may share models.
``status``
    An array of uint8, of the leading shape, ``(batch,)``, to write the :class:`tandem.Status` of each state
    to. Without it, what needs the inverse of the mass matrix warns of a :class:`tandem.SingularWarning` if
    there is none: it looks at some sixteen states of a batch, at all of them if ``parameters`` are given.
``parameters``
    What of the model differs from state to state, by name: ``{"mass": masses, "gravity": gravity}`` with
    arrays ``(..., n_links)`` and ``(..., 3)``, which broadcast with the arguments. :func:`tandem.parameters`
    lists them. Those of links are along the axes of the link's frame. Masses, armature, damping, friction and
    stiffness must not be negative.
``device``
    ``"cuda"`` computes on an NVIDIA GPU, ``"auto"`` where the arrays lie; if they lie on the host, there or
    on the processor, whichever ``tandem tune`` measured to be faster for so many states: the processor where
    nothing was measured. Arrays of NumPy go there and back. Those of PyTorch, CuPy and JAX that lie on a GPU
    are used as they are, on the current stream of the first one's package; results are made of its kind
    there, and the call returns before they are ready, as those packages have it (JAX, which follows no other
    stream, is waited for). Nothing is looked into there for a :class:`tandem.SingularWarning`; an array of
    uint8 on the GPU as ``status`` tells.
Plans
    What calls need besides their arrays (the method that was decided on, the numbers of a robot that is to be
    divided, its copy on a GPU) each thread keeps for the last few robots and options. :class:`tandem.Plan`
    holds it for good, and for all threads.
Errors
    :class:`tandem.Error` (a ``ValueError``) names the argument, what was expected and what was given.

Sources
    Keys in brackets are those of docs/notation.md: [RBDA] is R. Featherstone, *Rigid Body Dynamics
    Algorithms*, 2008. Those of methods stand at :data:`Method`.

Units are SI; "rad|m" is rad for a joint that turns, m for one that slides. Spatial vectors are linear first.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypedDict, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem import _core
from tandem._common.batch_options import Device, IterationsArray, Parameters, StatusArray
from tandem._core import Model, evaluate
from tandem.errors import Error

__all__ = [
    "Energy",
    "EnergyDerivatives",
    "ForwardDynamicsJvp",
    "ForwardDynamicsSecondDerivatives",
    "InverseDynamicsJvp",
    "InverseDynamicsSecondDerivatives",
    "InverseDynamicsTerms",
    "PassiveForcesDerivatives",
    "aba_derivatives",
    "bias_forces",
    "center_of_mass",
    "center_of_mass_derivatives",
    "centre_of_mass",
    "centre_of_mass_derivatives",
    "centroidal_momentum",
    "centroidal_momentum_derivatives",
    "close_loops",
    "closed_loop_dynamics",
    "constraint_wrenches",
    "coriolis_matrix",
    "difference",
    "energy",
    "energy_derivatives",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_dynamics_hvp",
    "forward_dynamics_jvp",
    "forward_dynamics_second_derivatives",
    "forward_dynamics_vjp",
    "forward_kinematics",
    "forward_kinematics_derivatives",
    "forward_kinematics_jvp",
    "forward_kinematics_vjp",
    "gravity_forces",
    "integrate",
    "integrate_rate",
    "interbody_wrenches",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_hvp",
    "inverse_dynamics_jvp",
    "inverse_dynamics_regressor",
    "inverse_dynamics_second_derivatives",
    "inverse_dynamics_terms",
    "inverse_dynamics_vjp",
    "inverse_mass_matrix",
    "inverse_mass_matrix_product",
    "jacobian",
    "jacobian_time_derivative_product",
    "mass_matrix",
    "mass_matrix_rate",
    "operational_space_mobility",
    "passive_forces",
    "passive_forces_derivatives",
    "rnea_derivatives",
    "step",
    "step_jvp",
    "step_vjp",
]

Array: TypeAlias = NDArray[np.floating[Any]]
#: Axes and point of velocities and Jacobians: "local": the frame's own axes and origin; "world": the world's
#: axes and origin; "local_world_aligned": the world's axes, the frame's origin.
Reference: TypeAlias = Literal["local", "world", "local_world_aligned"]
#: How to solve it: "automatic": the fastest for the robot, the batch and the machine;
#: "recursive_newton_euler": motions outward, forces inward, [RBDA] table 5.1; "articulated_body": articulated
#: inertias inward, accelerations outward, [RBDA] table 7.1; "composite_rigid_body": composite inertias, and
#: for accelerations a factored matrix, [RBDA] table 6.2; "scan": the passes as parallel scans, those of
#: inverse dynamics [Yang] (2); "log_composite": columns of the matrix in logarithmic depth, [Amin-Javaheri]
#: table 2; "composite_scan": composite inertias by a scan, [Amin-Javaheri] stage A; "mass_matrix_inversion":
#: the matrix filled by scans, then factored, [Yang] (6), (7); "hybrid_articulated_body": elimination by
#: blocks of joints, [Yang] (8); "constraint_force": a block-tridiagonal system of the constraint forces,
#: [Yang] (12) - (17); "divide_and_conquer": subchains joined in a binary tree, [Critchley] (12) - (42);
#: "divide_and_conquer_efficient": subchains by articulated bodies, then joined, [Critchley] (44) - (59);
#: "conjugate_gradient": constraint forces by conjugate gradients, [Pond] chapter 3; "recne": recursive
#: Newton-Euler as tasks, [Pond] table 2.2; "recneb": the same in the base's axes by recursive doubling,
#: [Pond] p. 18; "resne": resolved Newton-Euler, by partial velocities, [Pond] table 2.3; "classle": classical
#: Lagrange-Euler, by coefficients, [Pond] table 2.4; "recle": recursive Lagrange-Euler, [Pond] table 2.5;
#: "hybrid": recursive Newton-Euler and compound links, [Pond] table 2.6.
Method: TypeAlias = Literal[
    "automatic",
    "recursive_newton_euler",
    "articulated_body",
    "composite_rigid_body",
    "scan",
    "log_composite",
    "composite_scan",
    "mass_matrix_inversion",
    "hybrid_articulated_body",
    "constraint_force",
    "divide_and_conquer",
    "divide_and_conquer_efficient",
    "conjugate_gradient",
    "recne",
    "recneb",
    "resne",
    "classle",
    "recle",
    "hybrid",
]
#: How to solve the system of constraint forces: "automatic": chosen by the method; "block_lu": block after
#: block; "odd_even_elimination": all blocks at once, in logarithmic depth; "cyclic_reduction": every other
#: block, until one is left; "chunked": chunks first, then what joins them; "conjugate_gradient": by
#: iteration.
Solver: TypeAlias = Literal[
    "automatic", "block_lu", "odd_even_elimination", "cyclic_reduction", "chunked", "conjugate_gradient"
]
#: Where bias forces enter methods that solve for constraint forces: "automatic": chosen by the method;
#: "local": as forces on the links, [Pond] (3.7): keeps the digits; "bias_torque": as joint forces tau - ID(q,
#: v, 0), [Yang]: loses digits with the condition of M.
RightHandSide: TypeAlias = Literal["automatic", "local", "bias_torque"]
#: Coordinates of inverse dynamics by scans: "automatic": chosen by the method; "body": three scans in link
#: coordinates; "jet": velocity and acceleration in one scan, forces in another; "world_orientation": world
#: axes, each link's own origin.
Form: TypeAlias = Literal["automatic", "body", "jet", "world_orientation"]
#: In which order scans of inverse dynamics join what they join: "automatic": chosen by the method; "tree": up
#: a tree and down again: 2 log2 n levels, 2 n joins, [Blelloch 1990]; "hillis_steele": each element with the
#: one 1, 2, 4, ... before it: log2 n levels, n log2 n joins, [Hillis, Steele 1986].
ScanSchedule: TypeAlias = Literal["automatic", "tree", "hillis_steele"]
#: Of recne and classle, formulations of inverse dynamics: "automatic": chosen by the method; "omega": of
#: recne: points accelerate by Omega = dw~ + w~ w~, [Pond] (2.13); "blocks": of classle: 3x3 in place of 4x4,
#: [Pond] p. 26.
Matrices: TypeAlias = Literal["automatic", "omega", "blocks"]
#: How to step through time: "semi_implicit_euler": order 1; damping, friction, springs and the controller
#: implicit: stiff ones stay stable; "rk4": order 4, [Munthe-Kaas 1998] on the configuration manifold; all
#: forces explicit; "implicit_midpoint": order 2; keeps the energy over any time where nothing takes or gives
#: any; five to sixteen times the work.
Integrator: TypeAlias = Literal["semi_implicit_euler", "rk4", "implicit_midpoint"]


class MethodOptions(TypedDict, total=False):
    """What a method can be told; one that does not read an option says so."""

    #: how to solve the system of constraint forces
    solver: Solver
    #: where bias forces enter methods that solve for constraint forces
    right_hand_side: RightHandSide
    #: coordinates of inverse dynamics by scans
    form: Form
    #: links that are worked through one after the other
    chunk: int
    #: parts that the robot is divided into
    chunks: int
    #: length of the terminal chunk over that of the others
    load_ratio: float
    #: of an iteration: relative change and residual at which it ends
    tolerance: float
    #: steps after which an iteration ends short of its tolerance
    max_iterations: int
    #: in which order scans of inverse dynamics join what they join
    scan_schedule: ScanSchedule
    #: rate at which loops that are open close, 1/s
    stabilisation: float
    #: of recne and classle, formulations of inverse dynamics
    matrices: Matrices


class PlanOptions(MethodOptions, total=False):
    """Everything that a function can be told besides its arrays."""

    #: the frame that is meant, by name or index
    frame: str | int
    #: axes and point of velocities and Jacobians
    reference: Reference
    #: how to solve it
    method: Method
    #: how to step through time
    integrator: Integrator
    #: how many steps one call takes
    steps: int
    #: whether stops act at position limits
    limits: bool
    #: whether joint damping and friction act
    losses: bool
    #: whether tau is clipped to effort limits, together with what a controller adds
    effort_limits: bool


def _method(method: Method, options: MethodOptions | None) -> dict[str, Any]:
    """The options of a call where not everything is left to the library."""
    return {"method": method, **(options or {})}


@functools.lru_cache(maxsize=None)
def _kind(name: str, fields: tuple[str, ...], wanted: tuple[bool, ...]) -> Any:
    kind: Any = namedtuple(name, [field for field, is_wanted in zip(fields, wanted) if is_wanted])  # type: ignore[misc]

    def reduce(self: Any) -> tuple[Any, ...]:
        return _named, (name, fields, wanted, tuple(self))

    setattr(kind, "__reduce__", reduce)
    return kind


def _named(name: str, fields: tuple[str, ...], wanted: tuple[bool, ...], results: tuple[Any, ...]) -> Any:
    """A tuple whose fields have the names of the outputs that are wanted."""
    return _kind(name, fields, wanted)._make(results)


def _outputs(function: str, out: Array | tuple[Array, ...] | None, *wanted: bool) -> list[Any]:
    """An entry for every output: an array to write to, True for a new one, None if not wanted."""
    if out is None:
        return [True if w else None for w in wanted]
    arrays = out if isinstance(out, (tuple, list)) else (out,)
    if len(arrays) != sum(wanted):
        raise Error(f"{function}: out has {len(arrays)} arrays, expected {sum(wanted)}")
    given = iter(arrays)
    return [next(given) if w else None for w in wanted]


_forward_kinematics = _core.find_algorithm("forward_kinematics")
_forward_kinematics_derivatives = _core.find_algorithm("forward_kinematics_derivatives")
_forward_kinematics_jvp = _core.find_algorithm("forward_kinematics_jvp")
_forward_kinematics_vjp = _core.find_algorithm("forward_kinematics_vjp")
_jacobian = _core.find_algorithm("jacobian")
_jacobian_time_derivative_product = _core.find_algorithm("jacobian_time_derivative_product")
_inverse_dynamics = _core.find_algorithm("inverse_dynamics")
_bias_forces = _core.find_algorithm("bias_forces")
_gravity_forces = _core.find_algorithm("gravity_forces")
_inverse_dynamics_terms = _core.find_algorithm("inverse_dynamics_terms")
_interbody_wrenches = _core.find_algorithm("interbody_wrenches")
_inverse_dynamics_regressor = _core.find_algorithm("inverse_dynamics_regressor")
_inverse_dynamics_derivatives = _core.find_algorithm("inverse_dynamics_derivatives")
_inverse_dynamics_jvp = _core.find_algorithm("inverse_dynamics_jvp")
_inverse_dynamics_vjp = _core.find_algorithm("inverse_dynamics_vjp")
_inverse_dynamics_hvp = _core.find_algorithm("inverse_dynamics_hvp")
_inverse_dynamics_second_derivatives = _core.find_algorithm("inverse_dynamics_second_derivatives")
_mass_matrix = _core.find_algorithm("mass_matrix")
_mass_matrix_rate = _core.find_algorithm("mass_matrix_rate")
_coriolis_matrix = _core.find_algorithm("coriolis_matrix")
_forward_dynamics = _core.find_algorithm("forward_dynamics")
_forward_dynamics_derivatives = _core.find_algorithm("forward_dynamics_derivatives")
_forward_dynamics_jvp = _core.find_algorithm("forward_dynamics_jvp")
_forward_dynamics_vjp = _core.find_algorithm("forward_dynamics_vjp")
_forward_dynamics_hvp = _core.find_algorithm("forward_dynamics_hvp")
_forward_dynamics_second_derivatives = _core.find_algorithm("forward_dynamics_second_derivatives")
_constraint_wrenches = _core.find_algorithm("constraint_wrenches")
_closed_loop_dynamics = _core.find_algorithm("closed_loop_dynamics")
_inverse_mass_matrix_product = _core.find_algorithm("inverse_mass_matrix_product")
_inverse_mass_matrix = _core.find_algorithm("inverse_mass_matrix")
_operational_space_mobility = _core.find_algorithm("operational_space_mobility")
_energy = _core.find_algorithm("energy")
_energy_derivatives = _core.find_algorithm("energy_derivatives")
_centre_of_mass = _core.find_algorithm("centre_of_mass")
_centre_of_mass_derivatives = _core.find_algorithm("centre_of_mass_derivatives")
_centroidal_momentum = _core.find_algorithm("centroidal_momentum")
_centroidal_momentum_derivatives = _core.find_algorithm("centroidal_momentum_derivatives")
_passive_forces = _core.find_algorithm("passive_forces")
_passive_forces_derivatives = _core.find_algorithm("passive_forces_derivatives")
_integrate = _core.find_algorithm("integrate")
_difference = _core.find_algorithm("difference")
_integrate_rate = _core.find_algorithm("integrate_rate")
_close_loops = _core.find_algorithm("close_loops")
_step = _core.find_algorithm("step")
_step_jvp = _core.find_algorithm("step_jvp")
_step_vjp = _core.find_algorithm("step_vjp")


@overload
def forward_kinematics(
    model: Model,
    q: ArrayLike,
    *,
    reference: Reference = "local",
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array: ...
@overload
def forward_kinematics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    reference: Reference = "local",
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array]: ...
@overload
def forward_kinematics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    reference: Reference = "local",
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array, Array]: ...
def forward_kinematics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    reference: Reference = "local",
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """Pose and, if ``v`` and ``a`` are given, velocity and acceleration of every link and frame.

    The acceleration is the time derivative of the velocity's six numbers: spatial in ``"local"`` and
    ``"world"``, that of the frame's origin in ``"local_world_aligned"``. Gravity is no part of it. [RBDA]
    section 4.2.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``, optional
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    reference : Reference, default ``"local"``
        Axes and point of velocities and Jacobians.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    pose : ndarray, shape ``(..., n_frames, 3, 4)``
        Rotation and position of every frame in the world, m, rows of [R | p].
    velocity : ndarray, shape ``(..., n_frames, 6)``
        Velocity of every frame, m/s, rad/s, linear first; only with ``v``.
    acceleration : ndarray, shape ``(..., n_frames, 6)``
        Acceleration of every frame, m/s^2, rad/s^2, linear first; only with ``v`` and ``a``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> pose = tandem.forward_kinematics(arm, tandem.neutral_configuration(arm))
    >>> pose.shape == (arm.n_frames, 3, 4)
    True
    >>> pose[0].tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    """
    return evaluate(
        _forward_kinematics,
        model,
        (q, v, a, *_outputs("forward_kinematics", out, True, v is not None, a is not None)),
        {"reference": reference},
        threads,
        status,
        parameters,
        device,
    )


if TYPE_CHECKING:

    class _ForwardKinematicsDerivatives(NamedTuple):
        dvelocity_dq: Array
        dacceleration_dq: Array
        dacceleration_dv: Array

    class _ForwardKinematicsDerivativesJ(NamedTuple):
        dvelocity_dq: Array
        dacceleration_dq: Array
        dacceleration_dv: Array
        J: Array


@overload
def forward_kinematics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    frame: str | int,
    reference: Reference = "local",
    *,
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _ForwardKinematicsDerivatives: ...
@overload
def forward_kinematics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    frame: str | int,
    reference: Reference = "local",
    *,
    jacobian: Literal[True],
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _ForwardKinematicsDerivativesJ: ...
def forward_kinematics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    frame: str | int,
    reference: Reference = "local",
    *,
    jacobian: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """How a frame's velocity and acceleration change with configuration, velocity and acceleration of the
    joints.

        velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
        acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...

    Derivatives of the numbers that :func:`forward_kinematics` has for this reference [Carpentier 2018]. The
    pose itself moves by J dq. dq is an increment of :func:`integrate`.

    Several results come as a named tuple of those that are asked for.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    frame : str | int
        The frame that is meant, by name or index.
    reference : Reference, default ``"local"``
        Axes and point of velocities and Jacobians.
    jacobian : bool, default ``False``
        Whether to return the Jacobian as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    dvelocity_dq : ndarray, shape ``(..., 6, nv)``
        Derivative of the frame's velocity by configuration, m/s, rad/s per rad|m, linear first.
    dacceleration_dq : ndarray, shape ``(..., 6, nv)``
        Its acceleration by configuration, m/s^2, rad/s^2 per rad|m, linear first.
    dacceleration_dv : ndarray, shape ``(..., 6, nv)``
        By velocity, m/s^2, rad/s^2 per rad/s|m/s, linear first.
    J : ndarray, shape ``(..., 6, nv)``
        Its Jacobian, m/rad|1, rad/rad|rad/m, linear first; only with ``jacobian``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.zeros(arm.nv)
    >>> by_q, a_by_q, a_by_v, J = tandem.forward_kinematics_derivatives(arm, q, v, a, "tool0", jacobian=True)
    >>> Jdot_v = tandem.jacobian_time_derivative_product(arm, q, v, "tool0")
    >>> np.allclose(a_by_v @ v, 2 * Jdot_v)  # quadratic in the velocity
    True
    """
    wanted = (True, True, True, jacobian)
    result = evaluate(
        _forward_kinematics_derivatives,
        model,
        (q, v, a, *_outputs("forward_kinematics_derivatives", out, *wanted)),
        {"frame": frame, "reference": reference},
        threads,
        status,
        parameters,
        device,
    )
    fields = ("dvelocity_dq", "dacceleration_dq", "dacceleration_dv", "J")
    return _named("ForwardKinematicsDerivatives", fields, wanted, result)


@overload
def forward_kinematics_jvp(
    model: Model,
    q: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike | None = None,
    da: ArrayLike | None = None,
    *,
    reference: Reference = "local",
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array: ...
@overload
def forward_kinematics_jvp(
    model: Model,
    q: ArrayLike,
    dq: ArrayLike,
    v: ArrayLike,
    dv: ArrayLike | None = None,
    da: ArrayLike | None = None,
    *,
    reference: Reference = "local",
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array]: ...
@overload
def forward_kinematics_jvp(
    model: Model,
    q: ArrayLike,
    dq: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    dv: ArrayLike | None = None,
    da: ArrayLike | None = None,
    *,
    reference: Reference = "local",
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array, Array]: ...
def forward_kinematics_jvp(
    model: Model,
    q: ArrayLike,
    dq: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    dv: ArrayLike | None = None,
    da: ArrayLike | None = None,
    *,
    reference: Reference = "local",
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """How poses and, if ``v`` and ``a`` are given, velocities and accelerations of all frames change
    along increments.

    Of every number of :func:`forward_kinematics`: ``dpose`` has the changes of ``[R | p]``. ``dq`` is an
    increment of :func:`integrate`. In time and memory O(n), without Jacobians.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    dq : array_like, shape ``(..., nv)``
        Increment of the configuration, rad|m, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries, as for :func:`integrate`.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``, optional
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    dv : array_like, shape ``(..., nv)``, optional
        Increment of the velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries, or none: zeros.
    da : array_like, shape ``(..., nv)``, optional
        Increment of the acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a
        ball joint angular, along the axes of the link it carries, or none: zeros.
    reference : Reference, default ``"local"``
        Axes and point of velocities and Jacobians.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    dpose : ndarray, shape ``(..., n_frames, 3, 4)``
        Increment of the pose of every frame, of each of its numbers, m, rows of [R | p].
    dvelocity : ndarray, shape ``(..., n_frames, 6)``
        Of the velocity, m/s, rad/s, linear first; only with ``v``.
    dacceleration : ndarray, shape ``(..., n_frames, 6)``
        Of the acceleration, m/s^2, rad/s^2, linear first; only with ``v`` and ``a``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, dq = tandem.random_configuration(arm, seed=1), np.arange(7.0)
    >>> dpose = tandem.forward_kinematics_jvp(arm, q, dq)
    >>> J = tandem.jacobian(arm, q, "tool0", reference="local_world_aligned")
    >>> np.allclose(dpose[arm.frame_index("tool0"), :, 3], (J @ dq)[:3])
    True
    """
    return evaluate(
        _forward_kinematics_jvp,
        model,
        (q, dq, v, a, dv, da, *_outputs("forward_kinematics_jvp", out, True, v is not None, a is not None)),
        (
            None
            if method == "automatic" and not options and reference == "local"
            else _method(method, {"reference": reference, **(options or {})})
        ),
        threads,
        status,
        parameters,
        device,
    )


@overload
def forward_kinematics_vjp(
    model: Model,
    q: ArrayLike,
    pose_bar: ArrayLike | None = None,
    velocity_bar: ArrayLike | None = None,
    acceleration_bar: ArrayLike | None = None,
    *,
    reference: Reference = "local",
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array: ...
@overload
def forward_kinematics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    pose_bar: ArrayLike | None = None,
    velocity_bar: ArrayLike | None = None,
    acceleration_bar: ArrayLike | None = None,
    *,
    reference: Reference = "local",
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array]: ...
@overload
def forward_kinematics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    pose_bar: ArrayLike | None = None,
    velocity_bar: ArrayLike | None = None,
    acceleration_bar: ArrayLike | None = None,
    *,
    reference: Reference = "local",
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array, Array]: ...
def forward_kinematics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    pose_bar: ArrayLike | None = None,
    velocity_bar: ArrayLike | None = None,
    acceleration_bar: ArrayLike | None = None,
    *,
    reference: Reference = "local",
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """Derivatives of a weighted sum of poses and, with ``v`` and ``a``, of velocities and accelerations
    of all frames.

    Weights are of every number of :func:`forward_kinematics`, ``pose_bar`` of those of ``[R | p]``: what
    reverse differentiation hands back, in time and memory O(n). ``q_bar`` is by increments of
    :func:`integrate`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``, optional
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    pose_bar : array_like, shape ``(..., n_frames, 3, 4)``, optional
        Weights of the pose of every frame, of each of its numbers, 1/m, rows of [R | p], or none: zeros.
    velocity_bar : array_like, shape ``(..., n_frames, 6)``, optional
        Weights of its velocity, s/m, s/rad, linear first, or none: zeros.
    acceleration_bar : array_like, shape ``(..., n_frames, 6)``, optional
        Weights of its acceleration, s^2/m, s^2/rad, linear first, or none: zeros.
    reference : Reference, default ``"local"``
        Axes and point of velocities and Jacobians.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    q_bar : ndarray, shape ``(..., nv)``
        Derivative of the weighted sum by configuration, 1/rad|1/m, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries, ``nv`` of them.
    v_bar : ndarray, shape ``(..., nv)``
        By velocity, s/rad|s/m, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries; only with ``v``.
    a_bar : ndarray, shape ``(..., nv)``
        By acceleration, s^2/rad|s^2/m, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries; only with ``v`` and ``a``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, weights = tandem.random_configuration(arm, seed=1), np.zeros((arm.n_frames, 3, 4))
    >>> weights[arm.frame_index("tool0"), 2, 3] = 1  # of its height
    >>> q_bar = tandem.forward_kinematics_vjp(arm, q, pose_bar=weights)
    >>> J = tandem.jacobian(arm, q, "tool0", reference="local_world_aligned")
    >>> np.allclose(q_bar, J[2])
    True
    """
    return evaluate(
        _forward_kinematics_vjp,
        model,
        (
            q, v, a, pose_bar, velocity_bar, acceleration_bar, *_outputs("forward_kinematics_vjp", out, True,
            v is not None, a is not None),
        ),
        (
            None
            if method == "automatic" and not options and reference == "local"
            else _method(method, {"reference": reference, **(options or {})})
        ),
        threads,
        status,
        parameters,
        device,
    )


def jacobian(
    model: Model,
    q: ArrayLike,
    frame: str | int,
    reference: Reference = "local",
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Jacobian of a frame: its velocity is J v.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    frame : str | int
        The frame that is meant, by name or index.
    reference : Reference, default ``"local"``
        Axes and point of velocities and Jacobians.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    J : ndarray, shape ``(..., 6, nv)``
        Jacobian of the frame, m/rad|1, rad/rad|rad/m, linear first.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> tandem.jacobian(arm, tandem.neutral_configuration(arm), "tool0", reference="world").shape
    (6, 7)
    """
    return evaluate(
        _jacobian,
        model,
        (q, out),
        {"frame": frame, "reference": reference},
        threads,
        status,
        parameters,
        device,
    )


def jacobian_time_derivative_product(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    frame: str | int,
    reference: Reference = "local",
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Time derivative of a frame's Jacobian times the velocity: the frame's acceleration is J a + dJ/dt
    v.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    frame : str | int
        The frame that is meant, by name or index.
    reference : Reference, default ``"local"``
        Axes and point of velocities and Jacobians.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    Jdot_v : ndarray, shape ``(..., 6)``
        DJ/dt v of the frame, m/s^2, rad/s^2, linear first.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.
    """
    return evaluate(
        _jacobian_time_derivative_product,
        model,
        (q, v, out),
        {"frame": frame, "reference": reference},
        threads,
        status,
        parameters,
        device,
    )


def inverse_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Joint forces that give the acceleration ``a`` in state (``q``, ``v``).

        tau = M(q) a + c(q, v) + tau_g(q) - sum_i J_i^T f_ext,i

    Armature counts; damping, friction and springs do not, see :func:`passive_forces`. By itself recursive
    Newton-Euler, [RBDA] table 5.1.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    tau : ndarray, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q = tandem.random_configuration(arm, seed=1)
    >>> v = a = np.zeros(arm.nv)
    >>> np.array_equal(tandem.inverse_dynamics(arm, q, v, a), tandem.gravity_forces(arm, q))
    True
    """
    return evaluate(
        _inverse_dynamics,
        model,
        (q, v, a, f_ext, out),
        None if method == "automatic" and not options else _method(method, options),
        threads,
        status,
        parameters,
        device,
    )


def bias_forces(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Coriolis, centrifugal and gravity forces c(q, v) + tau_g(q): the joint forces when a = 0.

    Inverse dynamics without acceleration, [RBDA] table 5.1.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes; what they do to the joints
        is subtracted.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    tau : ndarray, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.
    """
    return evaluate(_bias_forces, model, (q, v, f_ext, out), None, threads, status, parameters, device)


def gravity_forces(
    model: Model,
    q: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Joint forces that hold the robot still.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    tau : ndarray, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.
    """
    return evaluate(_gravity_forces, model, (q, out), None, threads, status, parameters, device)


class InverseDynamicsTerms(NamedTuple):
    """Joint forces of inverse dynamics, by what they are for: arrays ``[nv]`` for one state, ``[batch,
    nv]`` for a batch."""

    inertial: Array  #: joint forces that accelerate, M a, N m|N
    coriolis: Array  #: joint forces of products of different velocities, N m|N
    centrifugal: Array  #: joint forces of squares of velocities, N m|N
    gravity: Array  #: joint forces that hold the robot still, N m|N
    external: Array  #: joint forces against f_ext, N m|N
    friction: Array  #: joint forces against friction and damping, N m|N
    springs: Array  #: joint forces against springs, N m|N


def inverse_dynamics_terms(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: tuple[Array, Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> InverseDynamicsTerms:
    """Joint forces of inverse dynamics, by what they are for.

        inertial + coriolis + centrifugal + gravity + external + friction + springs
            = inverse_dynamics(q, v, a, f_ext) - passive_forces(q, v)

    Coriolis forces are those of products of velocities of different rows, centrifugal ones those of squares.
    [Pond] (2.35) - (2.39), (2.69).

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    inertial : ndarray, shape ``(..., nv)``
        Joint forces that accelerate, M a, N m|N, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries.
    coriolis : ndarray, shape ``(..., nv)``
        Joint forces of products of different velocities, N m|N, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries.
    centrifugal : ndarray, shape ``(..., nv)``
        Joint forces of squares of velocities, N m|N, joint after joint; a free one linear then angular, a
        ball joint angular, along the axes of the link it carries.
    gravity : ndarray, shape ``(..., nv)``
        Joint forces that hold the robot still, N m|N, joint after joint; a free one linear then angular, a
        ball joint angular, along the axes of the link it carries.
    external : ndarray, shape ``(..., nv)``
        Joint forces against f_ext, N m|N, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    friction : ndarray, shape ``(..., nv)``
        Joint forces against friction and damping, N m|N, joint after joint; a free one linear then angular, a
        ball joint angular, along the axes of the link it carries.
    springs : ndarray, shape ``(..., nv)``
        Joint forces against springs, N m|N, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.zeros(arm.nv)
    >>> terms = tandem.inverse_dynamics_terms(arm, q, v, a)
    >>> np.allclose(sum(terms), tandem.inverse_dynamics(arm, q, v, a) - tandem.passive_forces(arm, q, v))
    True
    """
    result = evaluate(
        _inverse_dynamics_terms,
        model,
        (q, v, a, f_ext, *_outputs("inverse_dynamics_terms", out, True, True, True, True, True, True, True)),
        None,
        threads,
        status,
        parameters,
        device,
    )
    return InverseDynamicsTerms(*(result if out is not None else (x[()] for x in result)))


def interbody_wrenches(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Wrenches that the joints transmit from link to link while the robot accelerates by ``a``.

    Row i is the wrench onto link i from its parent, constraint and joint force together. Row 0 is the wrench
    from the world that holds the base in its place; the base's own weight is no part of it. After forward
    dynamics, pass the acceleration that it gave. [RBDA] table 5.1.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    f : ndarray, shape ``(..., n_links, 6)``
        Wrench onto every link from its parent, N, N m, linear first, at the link's origin, its axes.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, zero = tandem.neutral_configuration(arm), np.zeros(arm.nv)
    >>> f = tandem.interbody_wrenches(arm, q, zero, zero)
    >>> f.shape == (arm.n_links, 6), bool(f[0, 2] > 0)  # the base carries the arm
    (True, True)
    """
    return evaluate(
        _interbody_wrenches, model, (q, v, a, f_ext, out), None, threads, status, parameters, device
    )


def inverse_dynamics_regressor(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """What the inertial parameters of the links are multiplied by in :func:`inverse_dynamics`.

        tau = Y(q, v, a) pi + armature a

    ``pi`` has ten parameters for each moving link, in Pinocchio's order: m, m cx, m cy, m cz, Ixx, Ixy, Iyy,
    Ixz, Iyz, Izz, along the axes of the link's frame, moments about its origin; link i has the columns 10 (i
    - 1) to 10 i - 1. :attr:`Model.inertial_parameters` are those of the robot itself. The base has none: it
    does not move. Armature, damping and friction are no part of it; their columns are ``a``, ``v`` and
    ``sign(v)`` on the diagonal.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    Y : ndarray, shape ``(..., nv, 10 n_joints)``
        Tau = Y pi + armature a, N m|N per kg, kg m, kg m^2, of every link m, m cx, m cy, m cz, Ixx, Ixy, Iyy,
        Ixz, Iyz, Izz.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
    >>> Y = tandem.inverse_dynamics_regressor(arm, q, v, a)
    >>> Y.shape
    (7, 70)
    >>> np.allclose(Y @ arm.inertial_parameters + arm.armature * a, tandem.inverse_dynamics(arm, q, v, a))
    True
    """
    return evaluate(
        _inverse_dynamics_regressor, model, (q, v, a, out), None, threads, status, parameters, device
    )


if TYPE_CHECKING:

    class _InverseDynamicsDerivatives(NamedTuple):
        dtau_dq: Array
        dtau_dv: Array

    class _InverseDynamicsDerivativesDtauDa(NamedTuple):
        dtau_dq: Array
        dtau_dv: Array
        dtau_da: Array


@overload
def inverse_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    *,
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _InverseDynamicsDerivatives: ...
@overload
def inverse_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    *,
    mass_matrix: Literal[True],
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _InverseDynamicsDerivativesDtauDa: ...
def inverse_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    *,
    mass_matrix: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """How the joint forces of :func:`inverse_dynamics` change with configuration, velocity and
    acceleration.

        tau(q (+) dq, v + dv, a + da) = tau + dtau_dq dq + dtau_dv dv + dtau_da da + ...

    After [Singh 2022], [Carpentier 2018]. Increments of the configuration are those of :func:`integrate`, as
    they are Pinocchio's: ``nv`` of them, of spherical, planar and free joints along the child's axes. Without
    ``a`` these are the derivatives of :func:`bias_forces`, without ``v`` and ``a`` those of
    :func:`gravity_forces`. Damping, friction and springs are no part of them. Joints that follow another one
    move along with it.

    Several results come as a named tuple of those that are asked for.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries, or none: zeros.
    a : array_like, shape ``(..., nv)``, optional
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries, or none: zeros.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes, which keep their numbers as
        the links move.
    mass_matrix : bool, default ``False``
        Whether to return dtau_da, the mass matrix, as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    dtau_dq : ndarray, shape ``(..., nv, nv)``
        Derivative of the joint forces by configuration, N m|N per rad|m, row after row.
    dtau_dv : ndarray, shape ``(..., nv, nv)``
        By velocity, N m|N per rad/s|m/s, row after row, likewise.
    dtau_da : ndarray, shape ``(..., nv, nv)``
        By acceleration: the mass matrix, kg m^2|kg, row after row, armature included; only with
        ``mass_matrix``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
    >>> dtau_dq, dtau_dv = tandem.inverse_dynamics_derivatives(arm, q, v, a)
    >>> dtau_dq.shape
    (7, 7)
    >>> dq = 1e-6 * np.arange(arm.nv)
    >>> ahead = tandem.inverse_dynamics(arm, tandem.integrate(arm, q, dq), v, a)
    >>> back = tandem.inverse_dynamics(arm, tandem.integrate(arm, q, -dq), v, a)
    >>> np.allclose((ahead - back) / 2, dtau_dq @ dq)
    True
    """
    wanted = (True, True, mass_matrix)
    result = evaluate(
        _inverse_dynamics_derivatives,
        model,
        (q, v, a, f_ext, *_outputs("inverse_dynamics_derivatives", out, *wanted)),
        None,
        threads,
        status,
        parameters,
        device,
    )
    fields = ("dtau_dq", "dtau_dv", "dtau_da")
    return _named("InverseDynamicsDerivatives", fields, wanted, result)


class InverseDynamicsJvp(NamedTuple):
    """How the joint forces of :func:`inverse_dynamics` change along increments, without a matrix: arrays
    ``[nv]`` for one state, ``[batch, nv]`` for a batch."""

    tau: Array  #: joint forces, N m|N
    dtau: Array  #: their increment, N m|N


def inverse_dynamics_jvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    da: ArrayLike,
    f_ext: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    dpi: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> InverseDynamicsJvp:
    """How the joint forces of :func:`inverse_dynamics` change along increments, without a matrix.

        dtau = dtau_dq dq + dtau_dv dv + M da - sum_i J_i^T df_ext,i + Y dpi

    with the matrices of :func:`inverse_dynamics_derivatives`, :func:`jacobian` and
    :func:`inverse_dynamics_regressor`, in time and memory O(n). ``dq`` is an increment of :func:`integrate`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    dq : array_like, shape ``(..., nv)``
        Increment of the configuration, rad|m, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries, as for :func:`integrate`.
    dv : array_like, shape ``(..., nv)``
        Increment of the velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    da : array_like, shape ``(..., nv)``
        Increment of the acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a
        ball joint angular, along the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    df_ext : array_like, shape ``(..., n_links, 6)``, optional
        Increment of the forces on the links, N, N m, linear first, at the link's origin, its axes, or none:
        zeros.
    dpi : array_like, shape ``(..., 10 n_joints)``, optional
        Increment of the inertial parameters, kg, kg m, kg m^2, of every link m, m cx, m cy, m cz, Ixx, Ixy,
        Iyy, Ixz, Iyz, Izz, or none: zeros.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    tau : ndarray, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    dtau : ndarray, shape ``(..., nv)``
        Their increment, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
    >>> dq, dv, da = np.arange(7.0), np.ones(arm.nv), np.zeros(arm.nv)
    >>> tau, dtau = tandem.inverse_dynamics_jvp(arm, q, v, a, dq, dv, da)
    >>> dtau_dq, dtau_dv = tandem.inverse_dynamics_derivatives(arm, q, v, a)
    >>> np.allclose(dtau, dtau_dq @ dq + dtau_dv @ dv)
    True
    """
    result = evaluate(
        _inverse_dynamics_jvp,
        model,
        (q, v, a, dq, dv, da, f_ext, df_ext, dpi, *_outputs("inverse_dynamics_jvp", out, True, True)),
        None if method == "automatic" and not options else _method(method, options),
        threads,
        status,
        parameters,
        device,
    )
    return InverseDynamicsJvp(*(result if out is not None else (x[()] for x in result)))


if TYPE_CHECKING:

    class _InverseDynamicsVjp(NamedTuple):
        tau: Array
        q_bar: Array
        v_bar: Array
        a_bar: Array

    class _InverseDynamicsVjpPiBar(NamedTuple):
        tau: Array
        q_bar: Array
        v_bar: Array
        a_bar: Array
        pi_bar: Array

    class _InverseDynamicsVjpFExtBar(NamedTuple):
        tau: Array
        q_bar: Array
        v_bar: Array
        a_bar: Array
        f_ext_bar: Array

    class _InverseDynamicsVjpFExtBarPiBar(NamedTuple):
        tau: Array
        q_bar: Array
        v_bar: Array
        a_bar: Array
        f_ext_bar: Array
        pi_bar: Array


@overload
def inverse_dynamics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _InverseDynamicsVjp: ...
@overload
def inverse_dynamics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    by_parameters: Literal[True],
    out: tuple[Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _InverseDynamicsVjpPiBar: ...
@overload
def inverse_dynamics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    by_forces: Literal[True],
    out: tuple[Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _InverseDynamicsVjpFExtBar: ...
@overload
def inverse_dynamics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    by_forces: Literal[True],
    by_parameters: Literal[True],
    out: tuple[Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _InverseDynamicsVjpFExtBarPiBar: ...
def inverse_dynamics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    by_forces: bool = False,
    by_parameters: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """Derivatives of a weighted sum of the joint forces of :func:`inverse_dynamics`, without a matrix.

        q_bar = dtau_dq^T tau_bar, v_bar = dtau_dv^T tau_bar, a_bar = M tau_bar
        f_ext_bar = -J tau_bar, pi_bar = Y^T tau_bar

    are the derivatives of ``tau_bar @ tau``: what reverse differentiation hands back, in time and memory
    O(n). ``q_bar`` is by increments of :func:`integrate`.

    Several results come as a named tuple of those that are asked for.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    tau_bar : array_like, shape ``(..., nv)``
        Weights of the joint forces, 1/(N m)|1/N, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    by_forces : bool, default ``False``
        Whether to return f_ext_bar as well.
    by_parameters : bool, default ``False``
        Whether to return pi_bar as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    tau : ndarray, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    q_bar : ndarray, shape ``(..., nv)``
        Derivative of the weighted sum by configuration, 1/rad|1/m, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries, ``nv`` of them.
    v_bar : ndarray, shape ``(..., nv)``
        By velocity, s/rad|s/m, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a_bar : ndarray, shape ``(..., nv)``
        By acceleration, s^2/rad|s^2/m, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    f_ext_bar : ndarray, shape ``(..., n_links, 6)``
        By the forces on the links, 1/N, 1/(N m), linear first, at the link's origin, its axes; only with
        ``by_forces``.
    pi_bar : ndarray, shape ``(..., 10 n_joints)``
        By the inertial parameters, 1/kg, 1/(kg m), 1/(kg m^2), of every link m, m cx, m cy, m cz, Ixx, Ixy,
        Iyy, Ixz, Iyz, Izz, of :attr:`Model.inertial_parameters`; only with ``by_parameters``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
    >>> tau, q_bar, v_bar, a_bar = tandem.inverse_dynamics_vjp(arm, q, v, a, np.arange(7.0))
    >>> dtau_dq, dtau_dv = tandem.inverse_dynamics_derivatives(arm, q, v, a)
    >>> np.allclose(q_bar, dtau_dq.T @ np.arange(7.0))
    True
    """
    wanted = (True, True, True, True, by_forces, by_parameters)
    result = evaluate(
        _inverse_dynamics_vjp,
        model,
        (q, v, a, tau_bar, f_ext, *_outputs("inverse_dynamics_vjp", out, *wanted)),
        None if method == "automatic" and not options else _method(method, options),
        threads,
        status,
        parameters,
        device,
    )
    fields = ("tau", "q_bar", "v_bar", "a_bar", "f_ext_bar", "pi_bar")
    return _named("InverseDynamicsVjp", fields, wanted, result)


if TYPE_CHECKING:

    class _InverseDynamicsHvp(NamedTuple):
        dtau: Array
        dq_bar: Array
        dv_bar: Array
        da_bar: Array

    class _InverseDynamicsHvpDpiBar(NamedTuple):
        dtau: Array
        dq_bar: Array
        dv_bar: Array
        da_bar: Array
        dpi_bar: Array

    class _InverseDynamicsHvpDfExtBar(NamedTuple):
        dtau: Array
        dq_bar: Array
        dv_bar: Array
        da_bar: Array
        df_ext_bar: Array

    class _InverseDynamicsHvpDfExtBarDpiBar(NamedTuple):
        dtau: Array
        dq_bar: Array
        dv_bar: Array
        da_bar: Array
        df_ext_bar: Array
        dpi_bar: Array


@overload
def inverse_dynamics_hvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau_bar: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    da: ArrayLike,
    dtau_bar: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    *,
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _InverseDynamicsHvp: ...
@overload
def inverse_dynamics_hvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau_bar: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    da: ArrayLike,
    dtau_bar: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    *,
    by_parameters: Literal[True],
    out: tuple[Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _InverseDynamicsHvpDpiBar: ...
@overload
def inverse_dynamics_hvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau_bar: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    da: ArrayLike,
    dtau_bar: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    *,
    by_forces: Literal[True],
    out: tuple[Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _InverseDynamicsHvpDfExtBar: ...
@overload
def inverse_dynamics_hvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau_bar: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    da: ArrayLike,
    dtau_bar: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    *,
    by_forces: Literal[True],
    by_parameters: Literal[True],
    out: tuple[Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _InverseDynamicsHvpDfExtBarDpiBar: ...
def inverse_dynamics_hvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau_bar: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    da: ArrayLike,
    dtau_bar: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    *,
    by_forces: bool = False,
    by_parameters: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """How what :func:`inverse_dynamics_vjp` gives changes along increments: second derivatives without a
    matrix.

        dq_bar = d/ds q_bar(q (+) s dq, v + s dv, a + s da, tau_bar + s dtau_bar, f_ext + s df_ext)

    and ``dv_bar``, ``da_bar``, ... alike; ``dtau`` as :func:`inverse_dynamics_jvp` gives it. In time and
    memory O(n), about three times that of the products themselves. ``dq`` is an increment of
    :func:`integrate`. Axes are displaced with the links, so that for spherical, planar and free joints
    ``dq_bar`` is no symmetric function of ``dq``: the page on second derivatives says by how much.

    Several results come as a named tuple of those that are asked for.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    tau_bar : array_like, shape ``(..., nv)``
        Weights of the joint forces, 1/(N m)|1/N, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries.
    dq : array_like, shape ``(..., nv)``
        Increment of the configuration, rad|m, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries, as for :func:`integrate`.
    dv : array_like, shape ``(..., nv)``
        Increment of the velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    da : array_like, shape ``(..., nv)``
        Increment of the acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a
        ball joint angular, along the axes of the link it carries.
    dtau_bar : array_like, shape ``(..., nv)``, optional
        Increment of the weights, 1/(N m)|1/N, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    df_ext : array_like, shape ``(..., n_links, 6)``, optional
        Increment of the forces on the links, N, N m, linear first, at the link's origin, its axes.
    by_forces : bool, default ``False``
        Whether to return df_ext_bar as well.
    by_parameters : bool, default ``False``
        Whether to return dpi_bar as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    dtau : ndarray, shape ``(..., nv)``
        Increment of the joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    dq_bar : ndarray, shape ``(..., nv)``
        Increment of the weighted sum's derivative by configuration, 1/rad|1/m, joint after joint; a free one
        linear then angular, a ball joint angular, along the axes of the link it carries.
    dv_bar : ndarray, shape ``(..., nv)``
        Of that by velocity, s/rad|s/m, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    da_bar : ndarray, shape ``(..., nv)``
        Of that by acceleration, s^2/rad|s^2/m, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries.
    df_ext_bar : ndarray, shape ``(..., n_links, 6)``
        Of that by the forces on the links, 1/N, 1/(N m), linear first, at the link's origin, its axes; only
        with ``by_forces``.
    dpi_bar : ndarray, shape ``(..., 10 n_joints)``
        Of that by the inertial parameters, 1/kg, 1/(kg m), 1/(kg m^2), of every link m, m cx, m cy, m cz,
        Ixx, Ixy, Iyy, Ixz, Iyz, Izz, of :attr:`Model.inertial_parameters`; only with ``by_parameters``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
    >>> weights, dq, zero = np.arange(7.0), np.ones(7), np.zeros(7)
    >>> dtau, dq_bar, dv_bar, da_bar = tandem.inverse_dynamics_hvp(arm, q, v, a, weights, dq, zero, zero)
    >>> step = 1e-6
    >>> after, before = (tandem.inverse_dynamics_vjp(arm, q + s * dq, v, a, weights)[1] for s in (step, -step))
    >>> np.allclose(dq_bar, (after - before) / (2 * step), rtol=1e-5, atol=1e-6)
    True
    """
    wanted = (True, True, True, True, by_forces, by_parameters)
    result = evaluate(
        _inverse_dynamics_hvp,
        model,
        (
            q, v, a, tau_bar, dq, dv, da, dtau_bar, f_ext, df_ext, *_outputs("inverse_dynamics_hvp", out,
            *wanted),
        ),
        None,
        threads,
        status,
        parameters,
        device,
    )
    fields = ("dtau", "dq_bar", "dv_bar", "da_bar", "df_ext_bar", "dpi_bar")
    return _named("InverseDynamicsHvp", fields, wanted, result)


class InverseDynamicsSecondDerivatives(NamedTuple):
    """Second derivatives of a weighted sum of the joint forces of :func:`inverse_dynamics`, as matrices:
    arrays ``[nv, nv]`` for one state, ``[batch, nv, nv]`` for a batch."""

    d2tau_dqdq: Array  #: how the derivative by configuration changes with that, 
    d2tau_dvdq: Array  #: how that by velocity changes with configuration, 
    d2tau_dadq: Array  #: how that by acceleration changes with configuration, 
    d2tau_dvdv: Array  #: how that by velocity changes with velocity, 


def inverse_dynamics_second_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> InverseDynamicsSecondDerivatives:
    """Second derivatives of a weighted sum of the joint forces of :func:`inverse_dynamics`, as matrices.

        d2tau_dqdq[j, k] = d/ds q_bar[j](q (+) s e_k), d2tau_dvdq[j, k] = d/ds v_bar[j](q (+) s e_k)
        d2tau_dadq[j, k] = d/ds a_bar[j](q (+) s e_k), d2tau_dvdv[j, k] = d v_bar[j] / d v[k]

    with ``q_bar``, ``v_bar``, ``a_bar`` of :func:`inverse_dynamics_vjp`. The other blocks are transposes, or
    zero: joint forces are linear in accelerations. A batch of unit weights, ``np.eye(nv)``, gives the whole
    tensor: of each of them the second derivatives. ``d2tau_dqdq`` is symmetric for coordinates that add up.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    tau_bar : array_like, shape ``(..., nv)``
        Weights of the joint forces, 1/(N m)|1/N, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    d2tau_dqdq : ndarray, shape ``(..., nv, nv)``
        How the derivative by configuration changes with that, , row after row.
    d2tau_dvdq : ndarray, shape ``(..., nv, nv)``
        How that by velocity changes with configuration, , row after row.
    d2tau_dadq : ndarray, shape ``(..., nv, nv)``
        How that by acceleration changes with configuration, , row after row.
    d2tau_dvdv : ndarray, shape ``(..., nv, nv)``
        How that by velocity changes with velocity, , row after row.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
    >>> by_qq, by_vq, by_aq, by_vv = tandem.inverse_dynamics_second_derivatives(arm, q, v, a, np.eye(7))
    >>> by_qq.shape  # of tau[i] by q[j] and q[k]
    (7, 7, 7)
    >>> np.allclose(by_qq, by_qq.swapaxes(1, 2))
    True
    """
    result = evaluate(
        _inverse_dynamics_second_derivatives,
        model,
        (
            q, v, a, tau_bar, f_ext, *_outputs("inverse_dynamics_second_derivatives", out, True, True, True,
            True),
        ),
        None,
        threads,
        status,
        parameters,
        device,
    )
    return InverseDynamicsSecondDerivatives(*(result if out is not None else (x[()] for x in result)))


def mass_matrix(
    model: Model,
    q: ArrayLike,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Joint-space inertia: tau = M(q) a for a robot at rest without gravity.

    By itself composite rigid bodies, [RBDA] table 6.2.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    M : ndarray, shape ``(..., nv, nv)``
        Mass matrix, kg m^2|kg, rows and columns as in v, symmetric; armature is on its diagonal.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> M = tandem.mass_matrix(arm, tandem.random_configuration(arm, seed=1))
    >>> np.array_equal(M, M.T), bool((np.linalg.eigvalsh(M) > 0).all())
    (True, True)
    """
    return evaluate(
        _mass_matrix,
        model,
        (q, out),
        None if method == "automatic" and not options else _method(method, options),
        threads,
        status,
        parameters,
        device,
    )


def mass_matrix_rate(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Time derivative of the mass matrix, dM/dt, as the robot moves with velocity v.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    Mdot : ndarray, shape ``(..., nv, nv)``
        Time derivative of the mass matrix, kg m^2/s|kg/s, rows and columns as in v, symmetric.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.
    """
    return evaluate(_mass_matrix_rate, model, (q, v, out), None, threads, status, parameters, device)


def coriolis_matrix(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Coriolis matrix: C v are the Coriolis and centrifugal forces, and dM/dt - 2 C is skew-symmetric.

        C(q, v) v = bias_forces(q, v) - gravity_forces(q), C + C^T = dM/dt

    After [Echeandia, Wensing 2021]. For coordinates that add up it is the one of Christoffel symbols.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    C : ndarray, shape ``(..., nv, nv)``
        Coriolis matrix, dM/dt - 2 C is skew-symmetric, N m|N per rad/s|m/s, row after row.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v = tandem.random_configuration(arm, seed=1), np.ones(arm.nv)
    >>> C = tandem.coriolis_matrix(arm, q, v)
    >>> np.allclose(C @ v, tandem.bias_forces(arm, q, v) - tandem.gravity_forces(arm, q))
    True
    >>> np.allclose(C + C.T, tandem.mass_matrix_rate(arm, q, v))
    True
    """
    return evaluate(_coriolis_matrix, model, (q, v, out), None, threads, status, parameters, device)


def forward_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Acceleration that the joint forces ``tau`` cause in state (``q``, ``v``).

        a = (M(q) + diag(diagonal))^-1 (tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i)

    Armature counts; damping, friction and springs do not, see :func:`passive_forces`. A singular robot gives
    infinities or NaN in its own state. By itself articulated bodies, [RBDA] table 7.1.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tau : array_like, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries; time step times damping makes
        damping implicit.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    iterations : array of int32, shape ``(batch,)``, optional
        Receives the number of steps of a method that iterates; 0 of others.
    guess : array, shape ``(batch, n_links, 6)``, optional
        Where conjugate gradients begin: zeros, or what an earlier call left there; receives what they found.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    a : ndarray, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v = tandem.random_configuration(arm, seed=1), np.ones(arm.nv)
    >>> a = tandem.forward_dynamics(arm, q, v, np.zeros(arm.nv))
    >>> np.allclose(tandem.inverse_dynamics(arm, q, v, a), 0, atol=1e-9)
    True
    """
    return evaluate(
        _forward_dynamics,
        model,
        (q, v, tau, f_ext, diagonal, out),
        None if method == "automatic" and not options else _method(method, options),
        threads,
        status if iterations is None and guess is None else (status, iterations, guess),
        parameters,
        device,
    )


if TYPE_CHECKING:

    class _ForwardDynamicsDerivatives(NamedTuple):
        da_dq: Array
        da_dv: Array

    class _ForwardDynamicsDerivativesDaDtau(NamedTuple):
        da_dq: Array
        da_dv: Array
        da_dtau: Array


@overload
def forward_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _ForwardDynamicsDerivatives: ...
@overload
def forward_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    inverse_mass_matrix: Literal[True],
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _ForwardDynamicsDerivativesDaDtau: ...
def forward_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    inverse_mass_matrix: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """How the accelerations of :func:`forward_dynamics` change with configuration, velocity and joint
    forces.

        a(q (+) dq, v + dv, tau + dtau) = a + da_dq dq + da_dv dv + da_dtau dtau + ...
        da_dq = -M^-1 dtau_dq, da_dv = -M^-1 dtau_dv, da_dtau = M^-1

    After [Carpentier 2018], with the derivatives of :func:`inverse_dynamics_derivatives` at the acceleration
    that ``tau`` causes, and by its convention. Damping, friction and springs are no part of them. With closed
    loops they are those of the acceleration that keeps the loops closed, and the third matrix is not the
    inverse of the mass matrix.

    Several results come as a named tuple of those that are asked for.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tau : array_like, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries.
    inverse_mass_matrix : bool, default ``False``
        Whether to return da_dtau, the inverse of the mass matrix, as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    da_dq : ndarray, shape ``(..., nv, nv)``
        Derivative of the accelerations by configuration, rad/s^2|m/s^2 per rad|m, row after row.
    da_dv : ndarray, shape ``(..., nv, nv)``
        By velocity, rad/s^2|m/s^2 per rad/s|m/s, row after row, likewise.
    da_dtau : ndarray, shape ``(..., nv, nv)``
        By joint forces: the inverse of the mass matrix, 1/(kg m^2)|1/kg, rows and columns as in v, symmetric;
        only with ``inverse_mass_matrix``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
    >>> da_dq, da_dv, Minv = tandem.forward_dynamics_derivatives(arm, q, v, tau, inverse_mass_matrix=True)
    >>> a = tandem.forward_dynamics(arm, q, v, tau)
    >>> dtau_dq, dtau_dv = tandem.inverse_dynamics_derivatives(arm, q, v, a)
    >>> np.allclose(da_dv, -Minv @ dtau_dv)
    True
    """
    wanted = (True, True, inverse_mass_matrix)
    result = evaluate(
        _forward_dynamics_derivatives,
        model,
        (q, v, tau, f_ext, diagonal, *_outputs("forward_dynamics_derivatives", out, *wanted)),
        None,
        threads,
        status,
        parameters,
        device,
    )
    fields = ("da_dq", "da_dv", "da_dtau")
    return _named("ForwardDynamicsDerivatives", fields, wanted, result)


class ForwardDynamicsJvp(NamedTuple):
    """How the accelerations of :func:`forward_dynamics` change along increments, without a matrix: arrays
    ``[nv]`` for one state, ``[batch, nv]`` for a batch."""

    a: Array  #: acceleration, rad/s^2|m/s^2
    da: Array  #: its increment, rad/s^2|m/s^2


def forward_dynamics_jvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    dtau: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    dpi: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> ForwardDynamicsJvp:
    """How the accelerations of :func:`forward_dynamics` change along increments, without a matrix.

        da = M^-1 (dtau - dtau_dq dq - dtau_dv dv + sum_i J_i^T df_ext,i - Y dpi)

    with the matrices of :func:`inverse_dynamics_derivatives` at the acceleration that ``tau`` causes, in time
    and memory O(n). With closed loops it is that of the acceleration that keeps the loops closed.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tau : array_like, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    dq : array_like, shape ``(..., nv)``
        Increment of the configuration, rad|m, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries, as for :func:`integrate`.
    dv : array_like, shape ``(..., nv)``
        Increment of the velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    dtau : array_like, shape ``(..., nv)``
        Increment of the joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries.
    df_ext : array_like, shape ``(..., n_links, 6)``, optional
        Increment of the forces on the links, N, N m, linear first, at the link's origin, its axes, or none:
        zeros.
    dpi : array_like, shape ``(..., 10 n_joints)``, optional
        Increment of the inertial parameters, kg, kg m, kg m^2, of every link m, m cx, m cy, m cz, Ixx, Ixy,
        Iyy, Ixz, Iyz, Izz, or none: zeros.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    a : ndarray, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    da : ndarray, shape ``(..., nv)``
        Its increment, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
    >>> dq, dv, dtau = np.arange(7.0), np.ones(arm.nv), np.ones(arm.nv)
    >>> a, da = tandem.forward_dynamics_jvp(arm, q, v, tau, dq, dv, dtau)
    >>> da_dq, da_dv, Minv = tandem.forward_dynamics_derivatives(arm, q, v, tau, inverse_mass_matrix=True)
    >>> np.allclose(da, da_dq @ dq + da_dv @ dv + Minv @ dtau)
    True
    """
    result = evaluate(
        _forward_dynamics_jvp,
        model,
        (
            q, v, tau, dq, dv, dtau, f_ext, diagonal, df_ext, dpi, *_outputs("forward_dynamics_jvp", out,
            True, True),
        ),
        None if method == "automatic" and not options else _method(method, options),
        threads,
        status,
        parameters,
        device,
    )
    return ForwardDynamicsJvp(*(result if out is not None else (x[()] for x in result)))


if TYPE_CHECKING:

    class _ForwardDynamicsVjp(NamedTuple):
        a: Array
        q_bar: Array
        v_bar: Array
        tau_bar: Array

    class _ForwardDynamicsVjpPiBar(NamedTuple):
        a: Array
        q_bar: Array
        v_bar: Array
        tau_bar: Array
        pi_bar: Array

    class _ForwardDynamicsVjpFExtBar(NamedTuple):
        a: Array
        q_bar: Array
        v_bar: Array
        tau_bar: Array
        f_ext_bar: Array

    class _ForwardDynamicsVjpFExtBarPiBar(NamedTuple):
        a: Array
        q_bar: Array
        v_bar: Array
        tau_bar: Array
        f_ext_bar: Array
        pi_bar: Array


@overload
def forward_dynamics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _ForwardDynamicsVjp: ...
@overload
def forward_dynamics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    by_parameters: Literal[True],
    out: tuple[Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _ForwardDynamicsVjpPiBar: ...
@overload
def forward_dynamics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    by_forces: Literal[True],
    out: tuple[Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _ForwardDynamicsVjpFExtBar: ...
@overload
def forward_dynamics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    by_forces: Literal[True],
    by_parameters: Literal[True],
    out: tuple[Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _ForwardDynamicsVjpFExtBarPiBar: ...
def forward_dynamics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    by_forces: bool = False,
    by_parameters: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """Derivatives of a weighted sum of the accelerations of :func:`forward_dynamics`, without a matrix.

        tau_bar = M^-1 a_bar, q_bar = -dtau_dq^T tau_bar, v_bar = -dtau_dv^T tau_bar
        f_ext_bar = J tau_bar, pi_bar = -Y^T tau_bar

    are the derivatives of ``a_bar @ a``: what reverse differentiation hands back, in time and memory O(n).
    ``q_bar`` is by increments of :func:`integrate`. With closed loops they are those of the acceleration that
    keeps the loops closed.

    Several results come as a named tuple of those that are asked for.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tau : array_like, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a_bar : array_like, shape ``(..., nv)``
        Weights of the accelerations, s^2/rad|s^2/m, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    by_forces : bool, default ``False``
        Whether to return f_ext_bar as well.
    by_parameters : bool, default ``False``
        Whether to return pi_bar as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    a : ndarray, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    q_bar : ndarray, shape ``(..., nv)``
        Derivative of the weighted sum by configuration, 1/rad|1/m, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries, ``nv`` of them.
    v_bar : ndarray, shape ``(..., nv)``
        By velocity, s/rad|s/m, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tau_bar : ndarray, shape ``(..., nv)``
        By joint forces, 1/(N m)|1/N, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    f_ext_bar : ndarray, shape ``(..., n_links, 6)``
        By the forces on the links, 1/N, 1/(N m), linear first, at the link's origin, its axes; only with
        ``by_forces``.
    pi_bar : ndarray, shape ``(..., 10 n_joints)``
        By the inertial parameters, 1/kg, 1/(kg m), 1/(kg m^2), of every link m, m cx, m cy, m cz, Ixx, Ixy,
        Iyy, Ixz, Iyz, Izz, of :attr:`Model.inertial_parameters`; only with ``by_parameters``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
    >>> a, q_bar, v_bar, tau_bar = tandem.forward_dynamics_vjp(arm, q, v, tau, np.arange(7.0))
    >>> da_dq, da_dv, Minv = tandem.forward_dynamics_derivatives(arm, q, v, tau, inverse_mass_matrix=True)
    >>> np.allclose(q_bar, da_dq.T @ np.arange(7.0)), np.allclose(tau_bar, Minv @ np.arange(7.0))
    (True, True)
    """
    wanted = (True, True, True, True, by_forces, by_parameters)
    result = evaluate(
        _forward_dynamics_vjp,
        model,
        (q, v, tau, a_bar, f_ext, diagonal, *_outputs("forward_dynamics_vjp", out, *wanted)),
        None if method == "automatic" and not options else _method(method, options),
        threads,
        status,
        parameters,
        device,
    )
    fields = ("a", "q_bar", "v_bar", "tau_bar", "f_ext_bar", "pi_bar")
    return _named("ForwardDynamicsVjp", fields, wanted, result)


if TYPE_CHECKING:

    class _ForwardDynamicsHvp(NamedTuple):
        da: Array
        dq_bar: Array
        dv_bar: Array
        dtau_bar: Array

    class _ForwardDynamicsHvpDpiBar(NamedTuple):
        da: Array
        dq_bar: Array
        dv_bar: Array
        dtau_bar: Array
        dpi_bar: Array

    class _ForwardDynamicsHvpDfExtBar(NamedTuple):
        da: Array
        dq_bar: Array
        dv_bar: Array
        dtau_bar: Array
        df_ext_bar: Array

    class _ForwardDynamicsHvpDfExtBarDpiBar(NamedTuple):
        da: Array
        dq_bar: Array
        dv_bar: Array
        dtau_bar: Array
        df_ext_bar: Array
        dpi_bar: Array


@overload
def forward_dynamics_hvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a_bar: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    dtau: ArrayLike,
    da_bar: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _ForwardDynamicsHvp: ...
@overload
def forward_dynamics_hvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a_bar: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    dtau: ArrayLike,
    da_bar: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    by_parameters: Literal[True],
    out: tuple[Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _ForwardDynamicsHvpDpiBar: ...
@overload
def forward_dynamics_hvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a_bar: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    dtau: ArrayLike,
    da_bar: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    by_forces: Literal[True],
    out: tuple[Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _ForwardDynamicsHvpDfExtBar: ...
@overload
def forward_dynamics_hvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a_bar: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    dtau: ArrayLike,
    da_bar: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    by_forces: Literal[True],
    by_parameters: Literal[True],
    out: tuple[Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _ForwardDynamicsHvpDfExtBarDpiBar: ...
def forward_dynamics_hvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a_bar: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    dtau: ArrayLike,
    da_bar: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    by_forces: bool = False,
    by_parameters: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """How what :func:`forward_dynamics_vjp` gives changes along increments: second derivatives without a
    matrix.

        dq_bar = d/ds q_bar(q (+) s dq, v + s dv, tau + s dtau, a_bar + s da_bar, f_ext + s df_ext)

    and ``dv_bar``, ``dtau_bar``, ... alike; ``da`` as :func:`forward_dynamics_jvp` gives it. In time and
    memory O(n), about three times that of the products themselves. ``dq`` is an increment of
    :func:`integrate`. Axes are displaced with the links, so that for spherical, planar and free joints
    ``dq_bar`` is no symmetric function of ``dq``: the page on second derivatives says by how much.

    Several results come as a named tuple of those that are asked for.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tau : array_like, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a_bar : array_like, shape ``(..., nv)``
        Weights of the accelerations, s^2/rad|s^2/m, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries.
    dq : array_like, shape ``(..., nv)``
        Increment of the configuration, rad|m, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries, as for :func:`integrate`.
    dv : array_like, shape ``(..., nv)``
        Increment of the velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    dtau : array_like, shape ``(..., nv)``
        Increment of the joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    da_bar : array_like, shape ``(..., nv)``, optional
        Increment of the weights, s^2/rad|s^2/m, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    df_ext : array_like, shape ``(..., n_links, 6)``, optional
        Increment of the forces on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries.
    by_forces : bool, default ``False``
        Whether to return df_ext_bar as well.
    by_parameters : bool, default ``False``
        Whether to return dpi_bar as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    da : ndarray, shape ``(..., nv)``
        Increment of the acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a
        ball joint angular, along the axes of the link it carries.
    dq_bar : ndarray, shape ``(..., nv)``
        Increment of the weighted sum's derivative by configuration, 1/rad|1/m, joint after joint; a free one
        linear then angular, a ball joint angular, along the axes of the link it carries.
    dv_bar : ndarray, shape ``(..., nv)``
        Of that by velocity, s/rad|s/m, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    dtau_bar : ndarray, shape ``(..., nv)``
        Of that by joint forces, 1/(N m)|1/N, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    df_ext_bar : ndarray, shape ``(..., n_links, 6)``
        Of that by the forces on the links, 1/N, 1/(N m), linear first, at the link's origin, its axes; only
        with ``by_forces``.
    dpi_bar : ndarray, shape ``(..., 10 n_joints)``
        Of that by the inertial parameters, 1/kg, 1/(kg m), 1/(kg m^2), of every link m, m cx, m cy, m cz,
        Ixx, Ixy, Iyy, Ixz, Iyz, Izz, of :attr:`Model.inertial_parameters`; only with ``by_parameters``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
    >>> weights, dq, zero = np.arange(7.0), np.ones(7), np.zeros(7)
    >>> da, dq_bar, dv_bar, dtau_bar = tandem.forward_dynamics_hvp(arm, q, v, tau, weights, dq, zero, zero)
    >>> step = 1e-6
    >>> after, before = (tandem.forward_dynamics_vjp(arm, q + s * dq, v, tau, weights)[1] for s in (step, -step))
    >>> np.allclose(dq_bar, (after - before) / (2 * step), rtol=1e-5, atol=1e-6)
    True
    """
    wanted = (True, True, True, True, by_forces, by_parameters)
    result = evaluate(
        _forward_dynamics_hvp,
        model,
        (
            q, v, tau, a_bar, dq, dv, dtau, da_bar, f_ext, df_ext, diagonal, *_outputs("forward_dynamics_hvp",
            out, *wanted),
        ),
        None,
        threads,
        status,
        parameters,
        device,
    )
    fields = ("da", "dq_bar", "dv_bar", "dtau_bar", "df_ext_bar", "dpi_bar")
    return _named("ForwardDynamicsHvp", fields, wanted, result)


class ForwardDynamicsSecondDerivatives(NamedTuple):
    """Second derivatives of a weighted sum of the accelerations of :func:`forward_dynamics`, as matrices:
    arrays ``[nv, nv]`` for one state, ``[batch, nv, nv]`` for a batch."""

    d2a_dqdq: Array  #: how the derivative by configuration changes with that, 
    d2a_dvdq: Array  #: how that by velocity changes with configuration, 
    d2a_dtaudq: Array  #: how that by joint forces changes with configuration, 
    d2a_dvdv: Array  #: how that by velocity changes with velocity, 


def forward_dynamics_second_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> ForwardDynamicsSecondDerivatives:
    """Second derivatives of a weighted sum of the accelerations of :func:`forward_dynamics`, as matrices.

        d2a_dqdq[j, k] = d/ds q_bar[j](q (+) s e_k), d2a_dvdq[j, k] = d/ds v_bar[j](q (+) s e_k)
        d2a_dtaudq[j, k] = d/ds tau_bar[j](q (+) s e_k), d2a_dvdv[j, k] = d v_bar[j] / d v[k]

    with ``q_bar``, ``v_bar``, ``tau_bar`` of :func:`forward_dynamics_vjp`. The other blocks are transposes,
    or zero: accelerations are linear in joint forces. A batch of unit weights, ``np.eye(nv)``, gives the
    whole tensor: of each of them the second derivatives. ``d2a_dqdq`` is symmetric for coordinates that add
    up.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tau : array_like, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a_bar : array_like, shape ``(..., nv)``
        Weights of the accelerations, s^2/rad|s^2/m, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    d2a_dqdq : ndarray, shape ``(..., nv, nv)``
        How the derivative by configuration changes with that, , row after row.
    d2a_dvdq : ndarray, shape ``(..., nv, nv)``
        How that by velocity changes with configuration, , row after row.
    d2a_dtaudq : ndarray, shape ``(..., nv, nv)``
        How that by joint forces changes with configuration, , row after row.
    d2a_dvdv : ndarray, shape ``(..., nv, nv)``
        How that by velocity changes with velocity, , row after row.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
    >>> by_qq, by_vq, by_tauq, by_vv = tandem.forward_dynamics_second_derivatives(arm, q, v, tau, np.eye(7))
    >>> by_qq.shape  # of a[i] by q[j] and q[k]
    (7, 7, 7)
    >>> np.allclose(by_qq, by_qq.swapaxes(1, 2))
    True
    """
    result = evaluate(
        _forward_dynamics_second_derivatives,
        model,
        (
            q, v, tau, a_bar, f_ext, diagonal, *_outputs("forward_dynamics_second_derivatives", out, True,
            True, True, True),
        ),
        None,
        threads,
        status,
        parameters,
        device,
    )
    return ForwardDynamicsSecondDerivatives(*(result if out is not None else (x[()] for x in result)))


def constraint_wrenches(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Wrenches that hold the joints together while the joint forces ``tau`` drive the robot.

    Row i is the wrench onto link i from its parent without its part along the axes of joint i: what
    :func:`interbody_wrenches` gives for the acceleration of :func:`forward_dynamics`, less the joint forces.
    Row 0 is all that holds the base in its place. Method ``"constraint_force"`` solves for these wrenches.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tau : array_like, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    iterations : array of int32, shape ``(batch,)``, optional
        Receives the number of steps of a method that iterates; 0 of others.
    guess : array, shape ``(batch, n_links, 6)``, optional
        Where conjugate gradients begin: zeros, or what an earlier call left there; receives what they found.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    f_c : ndarray, shape ``(..., n_links, 6)``
        Wrench onto every link from its parent, none along the joint, N, N m, linear first, at the link's
        origin, its axes.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, zero = tandem.neutral_configuration(arm), np.zeros(arm.nv)
    >>> tandem.constraint_wrenches(arm, q, zero, zero).shape == (arm.n_links, 6)
    True
    """
    return evaluate(
        _constraint_wrenches,
        model,
        (q, v, tau, f_ext, diagonal, out),
        None if method == "automatic" and not options else _method(method, options),
        threads,
        status if iterations is None and guess is None else (status, iterations, guess),
        parameters,
        device,
    )


@overload
def closed_loop_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    stabilisation: float = 0,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array: ...
@overload
def closed_loop_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    stabilisation: float = 0,
    forces: Literal[True],
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array]: ...
def closed_loop_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    stabilisation: float = 0,
    forces: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """Acceleration that the joint forces ``tau`` cause, and the forces that keep loops closed.

        (M(q) + diag(diagonal)) a = tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i + J^T x,  J a + dJ/dt v = 0

    :func:`forward_dynamics` of a robot with loops gives the same acceleration. Forward dynamics of the tree
    by articulated bodies, then the forces of the directions that the loop joints hold; those that others hold
    already carry none. Loops that are open stay so without ``stabilisation``: see :func:`close_loops`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tau : array_like, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries; time step times damping makes
        damping implicit.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    stabilisation : float, default ``0``
        Rate at which loops that are open close, 1/s; 0: they stay as they are.
    forces : bool, default ``False``
        Whether to return the forces of the loop joints.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    a : ndarray, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    f_loop : ndarray, shape ``(..., n_loops, 6)``
        Forces of the loop joints on their links 2, N, N m, linear first, at the origin of frame 2, the axes
        of frame 1; with what each loop joint pushes its link 2, and link 1 back; only with ``forces``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> bars = tandem.load("four_bar")
    >>> q, v = tandem.neutral_configuration(bars), np.zeros(bars.nv)
    >>> a, f_loop = tandem.closed_loop_dynamics(bars, q, v, v, forces=True)
    >>> f_loop.shape
    (1, 6)
    """
    return evaluate(
        _closed_loop_dynamics,
        model,
        (q, v, tau, f_ext, diagonal, *_outputs("closed_loop_dynamics", out, True, forces)),
        (
            None
            if method == "automatic" and not options and stabilisation == 0
            else _method(method, {"stabilisation": stabilisation, **(options or {})})
        ),
        threads,
        status,
        parameters,
        device,
    )


def inverse_mass_matrix_product(
    model: Model,
    q: ArrayLike,
    x: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """M(q)^-1 x without forming M.

    Where one ``q`` stands beside a batch of ``x``, what depends on ``q`` alone is computed once: many vectors
    cost a fraction of as many calls. [RBDA] section 7.3.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    x : array_like, shape ``(..., nv)``
        Vector to multiply, a joint force, N m|N, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    y : ndarray, shape ``(..., nv)``
        M^-1 x, a joint acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.
    """
    return evaluate(
        _inverse_mass_matrix_product, model, (q, x, out), None, threads, status, parameters, device
    )


def inverse_mass_matrix(
    model: Model,
    q: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Inverse of the mass matrix: the accelerations that unit joint forces cause.

    By the factors that articulated bodies give [Rodriguez, Jain, Kreutz-Delgado 1992], without the mass
    matrix. For products with a few vectors :func:`inverse_mass_matrix_product` is quicker.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    Minv : ndarray, shape ``(..., nv, nv)``
        Inverse of the mass matrix, 1/(kg m^2)|1/kg, rows and columns as in v, symmetric.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q = tandem.random_configuration(arm, seed=1)
    >>> np.allclose(tandem.inverse_mass_matrix(arm, q) @ tandem.mass_matrix(arm, q), np.eye(7))
    True
    """
    return evaluate(_inverse_mass_matrix, model, (q, out), None, threads, status, parameters, device)


def operational_space_mobility(
    model: Model,
    q: ArrayLike,
    frame: str | int,
    reference: Reference = "local",
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """How a frame accelerates under forces on itself, J M^-1 J^T: the inverse operational-space inertia.

    In time proportional to the number of links, without J and M. [Rodriguez, Jain, Kreutz-Delgado 1992].

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    frame : str | int
        The frame that is meant, by name or index.
    reference : Reference, default ``"local"``
        Axes and point of velocities and Jacobians.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    mobility : ndarray, shape ``(..., 6, 6)``
        J M^-1 J^T of the frame, 1/kg, 1/(kg m), 1/(kg m^2), linear first; symmetric, singular where the frame
        cannot move in some direction.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q = tandem.random_configuration(arm, seed=1)
    >>> mobility = tandem.operational_space_mobility(arm, q, "tool0")
    >>> J = tandem.jacobian(arm, q, "tool0")
    >>> np.allclose(mobility, J @ np.linalg.solve(tandem.mass_matrix(arm, q), J.T))
    True
    """
    return evaluate(
        _operational_space_mobility,
        model,
        (q, out),
        {"frame": frame, "reference": reference},
        threads,
        status,
        parameters,
        device,
    )


class Energy(NamedTuple):
    """Kinetic and potential energy: numbers for one state, arrays ``[batch]`` for a batch."""

    kinetic: Any  #: kinetic energy, J
    potential: Any  #: potential energy of weight and springs, J


def energy(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Energy:
    """Kinetic and potential energy.

    Of the moving links and their rotors; potential is that of weight, zero at the world's origin, and of
    joint springs.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    kinetic : ndarray, shape ``(...)``
        Kinetic energy, J.
    potential : ndarray, shape ``(...)``
        Potential energy of weight and springs, J.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> kinetic, potential = tandem.energy(arm, tandem.neutral_configuration(arm), np.zeros(arm.nv))
    >>> float(kinetic)
    0.0
    """
    result = evaluate(
        _energy,
        model,
        (q, v, *_outputs("energy", out, True, True)),
        None,
        threads,
        status,
        parameters,
        device,
    )
    return Energy(*(result if out is not None else (x[()] for x in result)))


class EnergyDerivatives(NamedTuple):
    """How kinetic and potential energy change with configuration and velocity: arrays ``[nv]`` for one
    state, ``[batch, nv]`` for a batch."""

    dkinetic_dq: Array  #: derivative of the kinetic energy by configuration, J per rad|m
    dkinetic_dv: Array  #: by velocity: the momentum of every joint, M v, J per rad/s|m/s
    dpotential_dq: Array  #: derivative of the potential energy by configuration, J per rad|m


def energy_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> EnergyDerivatives:
    """How kinetic and potential energy change with configuration and velocity.

        kinetic(q (+) dq, v + dv) = kinetic + dkinetic_dq . dq + dkinetic_dv . dv + ..., dkinetic_dv = M(q) v
        potential(q (+) dq) = potential + dpotential_dq . dq + ...

    Without springs dpotential_dq is :func:`gravity_forces`. dq is an increment of :func:`integrate`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    dkinetic_dq : ndarray, shape ``(..., nv)``
        Derivative of the kinetic energy by configuration, J per rad|m, joint after joint; a free one linear
        then angular, a ball joint angular, along the axes of the link it carries.
    dkinetic_dv : ndarray, shape ``(..., nv)``
        By velocity: the momentum of every joint, M v, J per rad/s|m/s, joint after joint; a free one linear
        then angular, a ball joint angular, along the axes of the link it carries.
    dpotential_dq : ndarray, shape ``(..., nv)``
        Derivative of the potential energy by configuration, J per rad|m, joint after joint; a free one linear
        then angular, a ball joint angular, along the axes of the link it carries.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v = tandem.random_configuration(arm, seed=1), np.ones(arm.nv)
    >>> by = tandem.energy_derivatives(arm, q, v)
    >>> np.allclose(by.dkinetic_dv, tandem.mass_matrix(arm, q) @ v)
    True
    >>> np.allclose(by.dpotential_dq, tandem.gravity_forces(arm, q))
    True
    """
    result = evaluate(
        _energy_derivatives,
        model,
        (q, v, *_outputs("energy_derivatives", out, True, True, True)),
        None,
        threads,
        status,
        parameters,
        device,
    )
    return EnergyDerivatives(*(result if out is not None else (x[()] for x in result)))


@overload
def centre_of_mass(
    model: Model,
    q: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array: ...
@overload
def centre_of_mass(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array]: ...
@overload
def centre_of_mass(
    model: Model,
    q: ArrayLike,
    v: None = None,
    *,
    jacobian: Literal[True],
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array]: ...
@overload
def centre_of_mass(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    jacobian: Literal[True],
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array, Array]: ...
def centre_of_mass(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    jacobian: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """Centre of mass of the moving links in the world, its velocity and its Jacobian.

    NaN for a robot whose moving links have no mass.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    jacobian : bool, default ``False``
        Whether to return the Jacobian.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    com : ndarray, shape ``(..., 3)``
        Centre of mass of the moving links in the world, m.
    velocity : ndarray, shape ``(..., 3)``
        Its velocity, m/s; only with ``v``.
    J : ndarray, shape ``(..., 3, nv)``
        Its Jacobian, m/rad|1, columns as in v, velocity = J v; world axes; only with ``jacobian``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.
    """
    return evaluate(
        _centre_of_mass,
        model,
        (q, v, *_outputs("centre_of_mass", out, True, v is not None, jacobian)),
        None,
        threads,
        status,
        parameters,
        device,
    )


if TYPE_CHECKING:

    class _CentreOfMassDerivatives(NamedTuple):
        dvelocity_dq: Array
        dacceleration_dq: Array
        dacceleration_dv: Array

    class _CentreOfMassDerivativesAcceleration(NamedTuple):
        dvelocity_dq: Array
        dacceleration_dq: Array
        dacceleration_dv: Array
        acceleration: Array

    class _CentreOfMassDerivativesJ(NamedTuple):
        dvelocity_dq: Array
        dacceleration_dq: Array
        dacceleration_dv: Array
        J: Array

    class _CentreOfMassDerivativesJAcceleration(NamedTuple):
        dvelocity_dq: Array
        dacceleration_dq: Array
        dacceleration_dv: Array
        J: Array
        acceleration: Array


@overload
def centre_of_mass_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _CentreOfMassDerivatives: ...
@overload
def centre_of_mass_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    acceleration: Literal[True],
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _CentreOfMassDerivativesAcceleration: ...
@overload
def centre_of_mass_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    jacobian: Literal[True],
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _CentreOfMassDerivativesJ: ...
@overload
def centre_of_mass_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    jacobian: Literal[True],
    acceleration: Literal[True],
    out: tuple[Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _CentreOfMassDerivativesJAcceleration: ...
def centre_of_mass_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    jacobian: bool = False,
    acceleration: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """How velocity and acceleration of the centre of mass change with those of the joints and the
    configuration.

        velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
        acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...

    NaN without moving mass. World axes; gravity is no part of the acceleration. The centre of mass itself
    moves by J dq, dq an increment of :func:`integrate`.

    Several results come as a named tuple of those that are asked for.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``, optional
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    jacobian : bool, default ``False``
        Whether to return the Jacobian as well.
    acceleration : bool, default ``False``
        Whether to return the acceleration as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    dvelocity_dq : ndarray, shape ``(..., 3, nv)``
        Derivative of its velocity by configuration, m/s per rad|m, columns as in v.
    dacceleration_dq : ndarray, shape ``(..., 3, nv)``
        Its acceleration by configuration, m/s^2 per rad|m, columns as in v.
    dacceleration_dv : ndarray, shape ``(..., 3, nv)``
        By velocity, m/s^2 per rad/s|m/s, columns as in v.
    J : ndarray, shape ``(..., 3, nv)``
        Its Jacobian: velocity by velocity, acceleration by acceleration, m/rad|1, columns as in v; only with
        ``jacobian``.
    acceleration : ndarray, shape ``(..., 3)``
        Acceleration of the centre of mass, m/s^2; only with ``acceleration``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.
    """
    wanted = (True, True, True, jacobian, acceleration)
    result = evaluate(
        _centre_of_mass_derivatives,
        model,
        (q, v, a, *_outputs("centre_of_mass_derivatives", out, *wanted)),
        None,
        threads,
        status,
        parameters,
        device,
    )
    fields = ("dvelocity_dq", "dacceleration_dq", "dacceleration_dv", "J", "acceleration")
    return _named("CentreOfMassDerivatives", fields, wanted, result)


@overload
def centroidal_momentum(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array: ...
@overload
def centroidal_momentum(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    matrix: Literal[True],
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array]: ...
def centroidal_momentum(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    matrix: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """Linear and angular momentum of the moving links about their centre of mass, world axes: h = A(q) v.

    [Orin 2013] eq. 27.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    matrix : bool, default ``False``
        Whether to return A as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    h : ndarray, shape ``(..., 6)``
        Momentum about the centre of mass, kg m/s, kg m^2/s, linear first.
    A : ndarray, shape ``(..., 6, nv)``
        Centroidal momentum matrix, kg m|kg, kg m^2|kg m, linear first; only with ``matrix``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.
    """
    return evaluate(
        _centroidal_momentum,
        model,
        (q, v, *_outputs("centroidal_momentum", out, True, matrix)),
        None,
        threads,
        status,
        parameters,
        device,
    )


if TYPE_CHECKING:

    class _CentroidalMomentumDerivatives(NamedTuple):
        dh_dq: Array
        dhdot_dq: Array
        dhdot_dv: Array

    class _CentroidalMomentumDerivativesHdot(NamedTuple):
        dh_dq: Array
        dhdot_dq: Array
        dhdot_dv: Array
        hdot: Array

    class _CentroidalMomentumDerivativesA(NamedTuple):
        dh_dq: Array
        dhdot_dq: Array
        dhdot_dv: Array
        A: Array

    class _CentroidalMomentumDerivativesAHdot(NamedTuple):
        dh_dq: Array
        dhdot_dq: Array
        dhdot_dv: Array
        A: Array
        hdot: Array


@overload
def centroidal_momentum_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _CentroidalMomentumDerivatives: ...
@overload
def centroidal_momentum_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    rate: Literal[True],
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _CentroidalMomentumDerivativesHdot: ...
@overload
def centroidal_momentum_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    matrix: Literal[True],
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _CentroidalMomentumDerivativesA: ...
@overload
def centroidal_momentum_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    matrix: Literal[True],
    rate: Literal[True],
    out: tuple[Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _CentroidalMomentumDerivativesAHdot: ...
def centroidal_momentum_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    matrix: bool = False,
    rate: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """How the momentum about the centre of mass and its rate change with configuration, velocity and
    acceleration.

        h(q (+) dq, v + dv) = h + dh_dq dq + A dv + ...
        hdot(q (+) dq, v + dv, a + da) = hdot + dhdot_dq dq + dhdot_dv dv + A da + ...

    World axes, about the centre of mass, which moves, too. Gravity is no part of the rate. dq is an increment
    of :func:`integrate`.

    Several results come as a named tuple of those that are asked for.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    a : array_like, shape ``(..., nv)``, optional
        Acceleration, rad/s^2|m/s^2, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    matrix : bool, default ``False``
        Whether to return the centroidal momentum matrix A as well.
    rate : bool, default ``False``
        Whether to return the rate of the momentum as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    dh_dq : ndarray, shape ``(..., 6, nv)``
        Derivative of the momentum by configuration, kg m/s, kg m^2/s per rad|m, linear first.
    dhdot_dq : ndarray, shape ``(..., 6, nv)``
        Its rate by configuration, N, N m per rad|m, linear first.
    dhdot_dv : ndarray, shape ``(..., 6, nv)``
        By velocity, N, N m per rad/s|m/s, linear first.
    A : ndarray, shape ``(..., 6, nv)``
        Centroidal momentum matrix, kg m|kg, kg m^2|kg m, linear first; only with ``matrix``.
    hdot : ndarray, shape ``(..., 6)``
        Rate of the momentum, N, N m, linear first; only with ``rate``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> dog = tandem.load("quadruped", floating=True)
    >>> q, v, a = tandem.random_configuration(dog, seed=1), np.ones(dog.nv), np.ones(dog.nv)
    >>> found = tandem.centroidal_momentum_derivatives(dog, q, v, a, matrix=True, rate=True)
    >>> np.allclose(found.A @ v, tandem.centroidal_momentum(dog, q, v))
    True
    """
    wanted = (True, True, True, matrix, rate)
    result = evaluate(
        _centroidal_momentum_derivatives,
        model,
        (q, v, a, *_outputs("centroidal_momentum_derivatives", out, *wanted)),
        None,
        threads,
        status,
        parameters,
        device,
    )
    fields = ("dh_dq", "dhdot_dq", "dhdot_dv", "A", "hdot")
    return _named("CentroidalMomentumDerivatives", fields, wanted, result)


def passive_forces(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Joint forces of springs, damping and friction, to be added to tau.

        tau = -stiffness (q - q_rest) - damping v - friction sign(v)

    Friction ramps up linearly below a slip speed of 1e-3 rad/s or m/s.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    tau : ndarray, shape ``(..., nv)``
        Joint forces of springs, damping and friction, N m|N, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.
    """
    return evaluate(_passive_forces, model, (q, v, out), None, threads, status, parameters, device)


class PassiveForcesDerivatives(NamedTuple):
    """How springs, damping and friction change with configuration and velocity: arrays ``[nv, nv]`` for
    one state, ``[batch, nv, nv]`` for a batch."""

    dtau_dq: Array  #: derivative of the joint forces by configuration, N m|N per rad|m
    dtau_dv: Array  #: by velocity, N m|N per rad/s|m/s


def passive_forces_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> PassiveForcesDerivatives:
    """How springs, damping and friction change with configuration and velocity.

        tau(q (+) dq, v + dv) = tau + dtau_dq dq + dtau_dv dv + ...

    Of :func:`passive_forces`, to be added to the derivatives of the forces that drive the joints. dtau_dv is
    diagonal; at the slip speed, where friction has a bend, it is that of faster motion. dq is an increment of
    :func:`integrate`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    dtau_dq : ndarray, shape ``(..., nv, nv)``
        Derivative of the joint forces by configuration, N m|N per rad|m, row after row.
    dtau_dv : ndarray, shape ``(..., nv, nv)``
        By velocity, N m|N per rad/s|m/s, row after row.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.
    """
    result = evaluate(
        _passive_forces_derivatives,
        model,
        (q, v, *_outputs("passive_forces_derivatives", out, True, True)),
        None,
        threads,
        status,
        parameters,
        device,
    )
    return PassiveForcesDerivatives(*(result if out is not None else (x[()] for x in result)))


def integrate(
    model: Model,
    q: ArrayLike,
    u: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Configuration reached from ``q`` with a constant velocity in unit time, on the configuration
    manifold.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    u : array_like, shape ``(..., nv)``
        Velocity times time, rad|m, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    q_next : ndarray, shape ``(..., nq)``
        Configuration reached, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball
        joint the quaternion; quaternions are normalised. ``out`` may be ``q`` itself.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> humanoid = tandem.load("humanoid", floating=True)
    >>> q = tandem.neutral_configuration(humanoid)
    >>> q = tandem.integrate(humanoid, q, 1e-3 * np.ones(humanoid.nv))
    """
    return evaluate(_integrate, model, (q, u, out), None, threads, status, parameters, device)


def difference(
    model: Model,
    q0: ArrayLike,
    q1: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Constant velocity that leads from ``q0`` to ``q1`` in unit time, the shortest way.

    Undoes :func:`integrate`. Angles of revolute joints are subtracted as they are, turns included.

    Parameters
    ----------
    model : Model
    q0 : array_like, shape ``(..., nq)``
        Configuration to start from, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a
        ball joint the quaternion.
    q1 : array_like, shape ``(..., nq)``
        Configuration to reach, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball
        joint the quaternion.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    u : ndarray, shape ``(..., nv)``
        Velocity times time, rad|m, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.
    """
    return evaluate(_difference, model, (q0, q1, out), None, threads, status, parameters, device)


def integrate_rate(
    model: Model,
    u: ArrayLike,
    v: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Rate of a displacement: du/dt while integrate(q, u) moves with velocity ``v``.

    Runge-Kutta methods on manifolds need it, [Munthe-Kaas 1998]. Exact to third order in ``u``.

    Parameters
    ----------
    model : Model
    u : array_like, shape ``(..., nv)``
        Displacement so far, rad|m, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    rate : ndarray, shape ``(..., nv)``
        Rate of the displacement, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.
    """
    return evaluate(_integrate_rate, model, (u, v, out), None, threads, status, parameters, device)


@overload
def close_loops(
    model: Model,
    q: ArrayLike,
    *,
    tolerance: float = 0,
    max_iterations: int = 0,
    out: Array | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array: ...
@overload
def close_loops(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    tolerance: float = 0,
    max_iterations: int = 0,
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array]: ...
@overload
def close_loops(
    model: Model,
    q: ArrayLike,
    v: None = None,
    *,
    tolerance: float = 0,
    max_iterations: int = 0,
    error: Literal[True],
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array]: ...
@overload
def close_loops(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    tolerance: float = 0,
    max_iterations: int = 0,
    error: Literal[True],
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> tuple[Array, Array, Array]: ...
def close_loops(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    tolerance: float = 0,
    max_iterations: int = 0,
    error: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """A configuration near by whose loops are closed, and the part of ``v`` that keeps them closed.

    Newton's method along the robot's inertia: each step is the shortest that closes the loops to first order,
    as the mass matrix there measures lengths. Where loops are far open, the sum of the steps is not the
    shortest way, and another choice of the loop joint leads elsewhere. Of ``v`` the nearest is found, in that
    measure. A start from which no step leads nearer does not converge, which ``status`` says and ``error``
    shows. Limits are not kept.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tolerance : float, default ``0``
        Of an iteration: relative change and residual at which it ends; 0: 1e-12 in double, 1e-5 in float.
    max_iterations : int, default ``0``
        Steps after which an iteration ends short of its tolerance; 0: 50.
    iterations : array of int32, shape ``(batch,)``, optional
        Receives the number of steps of a method that iterates; 0 of others.
    guess : array, shape ``(batch, n_links, 6)``, optional
        Where conjugate gradients begin: zeros, or what an earlier call left there; receives what they found.
    error : bool, default ``False``
        Whether to return how far the frames of the loop joints are apart.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    q_closed : ndarray, shape ``(..., nq)``
        Configuration with closed loops, rad|m, joint after joint; a free one x y z and a quaternion x y z w,
        a ball joint the quaternion.
    v_closed : ndarray, shape ``(..., nv)``
        Velocity that keeps them closed, rad/s|m/s, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries; only with ``v``.
    error : ndarray, shape ``(...)``
        How far the frames of loop joints are apart, m, rad; only with ``error``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> bars = tandem.load("four_bar")
    >>> q, error = tandem.close_loops(bars, [0.3, 0.0, 0.0], error=True)
    >>> bool(error < 1e-12)
    True
    """
    return evaluate(
        _close_loops,
        model,
        (q, v, *_outputs("close_loops", out, True, v is not None, error)),
        {"tolerance": tolerance, "max_iterations": max_iterations},
        threads,
        status if iterations is None and guess is None else (status, iterations, guess),
        parameters,
        device,
    )


if TYPE_CHECKING:

    class _Step(NamedTuple):
        q_next: Array
        v_next: Array

    class _StepStepEnergies(NamedTuple):
        q_next: Array
        v_next: Array
        step_energies: Array

    class _StepStopsNext(NamedTuple):
        q_next: Array
        v_next: Array
        stops_next: Array

    class _StepStopsNextStepEnergies(NamedTuple):
        q_next: Array
        v_next: Array
        stops_next: Array
        step_energies: Array


@overload
def step(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    steps: int = 1,
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _Step: ...
@overload
def step(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    steps: int = 1,
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    energies: Literal[True],
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _StepStepEnergies: ...
@overload
def step(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    steps: int = 1,
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    next_stops: Literal[True],
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _StepStopsNext: ...
@overload
def step(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    steps: int = 1,
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    next_stops: Literal[True],
    energies: Literal[True],
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _StepStopsNextStepEnergies: ...
def step(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    steps: int = 1,
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    next_stops: bool = False,
    energies: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """The state after one or more steps of ``dt`` through time.

        (M + h D + h^2 K) a = tau - bias - D v - K (q - q_rest) - h K v,  v += h a,  q = q (+) h v

    with h = ``dt``, or in the same way by rk4 or implicit_midpoint, which keeps the energy. The linear
    velocity of free and planar joints is stepped along axes that do not turn: a body that spins flies
    straight on. D has joint damping, ``kd`` and friction, K has stiffness and ``kp``: a controller kp
    (q_target - q) - kd v, clipped to effort limits. Position limits act as stops. The forces are the same in
    all ``steps``, which the state goes through without leaving the cache. :class:`Simulation` steps the same
    way, remembers stops, closes loops, and watches what diverges. ``stops`` has of every joint the stop's
    impedance, its push and its side: 1 at the upper limit, -1 at the lower, 0 none.

    Several results come as a named tuple of those that are asked for.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tau : array_like, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    dt : array_like, shape ``(...)``
        Length of a step, s.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    q_target : array_like, shape ``(..., nq)``, optional
        Where a controller leads, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball
        joint the quaternion.
    kp : array_like, shape ``(..., nv)``, optional
        Its gain for what is missing to the target, N m/rad|N/m, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries; 0 if left out.
    kd : array_like, shape ``(..., nv)``, optional
        Its gain for the velocity, N m s/rad|N s/m, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries; 0 if left out.
    stops : array_like, shape ``(..., nv, 3)``, optional
        What stops did before, N m s/rad|N s/m, N m|N, of every joint the stop's impedance, its push, and its
        side: 1 upper, -1 lower, 0 none; ``stops_next`` of the call before.
    integrator : Integrator, default ``"semi_implicit_euler"``
        How to step through time.
    steps : int, default ``1``
        How many steps one call takes.
    limits : bool, default ``True``
        Whether stops act at position limits.
    losses : bool, default ``True``
        Whether joint damping and friction act.
    effort_limits : bool, default ``False``
        Whether tau is clipped to effort limits, together with what a controller adds.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    tolerance : float, default ``0``
        Of an iteration: relative change and residual at which it ends.
    max_iterations : int, default ``0``
        Steps after which an iteration ends short of its tolerance.
    iterations : array of int32, shape ``(batch,)``, optional
        Receives the number of steps of a method that iterates; 0 of others.
    guess : array, shape ``(batch, n_links, 6)``, optional
        Where conjugate gradients begin: zeros, or what an earlier call left there; receives what they found.
    next_stops : bool, default ``False``
        Whether to return what stops then do.
    energies : bool, default ``False``
        Whether to return what was taken and given.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    q_next : ndarray, shape ``(..., nq)``
        Configuration afterwards, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball
        joint the quaternion.
    v_next : ndarray, shape ``(..., nv)``
        Velocity afterwards, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    stops_next : ndarray, shape ``(..., nv, 3)``
        What stops then do, N m s/rad|N s/m, N m|N, of every joint the stop's impedance, its push, and its
        side: 1 upper, -1 lower, 0 none; only with ``next_stops``.
    step_energies : ndarray, shape ``(..., 4)``
        Taken and given within the steps, J, dissipated, the part of it that stops took, work of tau and
        f_ext, work of the controller: dissipated, of it by stops, work of ``tau`` and ``f_ext``, work of the
        controller; only with ``energies``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v = tandem.step(arm, np.full(7, 0.1), np.zeros(7), np.zeros(7), 1e-3, steps=100)
    >>> q.shape, bool(abs(v).max() > 0)
    ((7,), True)
    """
    wanted = (True, True, next_stops, energies)
    result = evaluate(
        _step,
        model,
        (q, v, tau, dt, f_ext, q_target, kp, kd, stops, *_outputs("step", out, *wanted)),
        (
            None
            if method == "automatic" and not options and tolerance == 0 and max_iterations == 0 and integrator
            == "semi_implicit_euler" and steps == 1 and limits is True and losses is True and effort_limits is
            False
            else _method(method, {"integrator": integrator, "steps": steps, "limits": limits, "losses":
                losses, "effort_limits": effort_limits, "tolerance": tolerance, "max_iterations":
                max_iterations, **(options or {})})
        ),
        threads,
        status if iterations is None and guess is None else (status, iterations, guess),
        parameters,
        device,
    )
    fields = ("q_next", "v_next", "stops_next", "step_energies")
    return _named("Step", fields, wanted, result)


if TYPE_CHECKING:

    class _StepJvp(NamedTuple):
        q_next: Array
        v_next: Array
        dq_next: Array
        dv_next: Array

    class _StepJvpStopsNextDimpedanceNext(NamedTuple):
        q_next: Array
        v_next: Array
        dq_next: Array
        dv_next: Array
        stops_next: Array
        dimpedance_next: Array


@overload
def step_jvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    dtau: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    dq_target: ArrayLike | None = None,
    dkp: ArrayLike | None = None,
    dkd: ArrayLike | None = None,
    dimpedance: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _StepJvp: ...
@overload
def step_jvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    dtau: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    dq_target: ArrayLike | None = None,
    dkp: ArrayLike | None = None,
    dkd: ArrayLike | None = None,
    dimpedance: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    next_stops: Literal[True],
    out: tuple[Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _StepJvpStopsNextDimpedanceNext: ...
def step_jvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    dtau: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    df_ext: ArrayLike | None = None,
    dq_target: ArrayLike | None = None,
    dkp: ArrayLike | None = None,
    dkd: ArrayLike | None = None,
    dimpedance: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    next_stops: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """How the state after a :func:`step` changes along increments of all that it depends on, without a
    matrix.

        dq_next = d/ds q_next(q (+) s dq, v + s dv, tau + s dtau, ...), and dv_next alike

    in time and memory O(n), for every integrator; increments of configurations are those of
    :func:`integrate`. They are the derivatives of what was computed, to rounding. Which rows are at an effort
    limit, whether friction slips and which stops act is taken as it was found: where that changes the
    derivative jumps. ``dimpedance`` is of the impedances in ``stops``, ``dimpedance_next`` of those with
    which a later step begins. The adjoint is :func:`step_vjp`.

    Several results come as a named tuple of those that are asked for.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tau : array_like, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    dt : array_like, shape ``(...)``
        Length of the step, s.
    dq : array_like, shape ``(..., nv)``
        Increment of the configuration, rad|m, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries, ``nv`` of them.
    dv : array_like, shape ``(..., nv)``
        Increment of the velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    dtau : array_like, shape ``(..., nv)``
        Increment of the joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    q_target : array_like, shape ``(..., nq)``, optional
        Where a controller leads, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball
        joint the quaternion.
    kp : array_like, shape ``(..., nv)``, optional
        Its gain for what is missing to the target, N m/rad|N/m, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries; 0 if left out.
    kd : array_like, shape ``(..., nv)``, optional
        Its gain for the velocity, N m s/rad|N s/m, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries; 0 if left out.
    stops : array_like, shape ``(..., nv, 3)``, optional
        What stops did before, N m s/rad|N s/m, N m|N, of every joint the stop's impedance, its push, and its
        side: 1 upper, -1 lower, 0 none; ``stops_next`` of the call before.
    df_ext : array_like, shape ``(..., n_links, 6)``, optional
        Increment of the forces on the links, N, N m, linear first, at the link's origin, its axes.
    dq_target : array_like, shape ``(..., nv)``, optional
        Increment of the controller's target, rad|m, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries, ``nv`` of them.
    dkp : array_like, shape ``(..., nv)``, optional
        Increment of its gain for what is missing, N m/rad|N/m, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries.
    dkd : array_like, shape ``(..., nv)``, optional
        Increment of its gain for the velocity, N m s/rad|N s/m, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries.
    dimpedance : array_like, shape ``(..., nv)``, optional
        Increment of the impedances of stops before, N m s/rad|N s/m, joint after joint; a free one linear
        then angular, a ball joint angular, along the axes of the link it carries.
    integrator : Integrator, default ``"semi_implicit_euler"``
        How to step through time.
    limits : bool, default ``True``
        Whether stops act at position limits.
    losses : bool, default ``True``
        Whether joint damping and friction act.
    effort_limits : bool, default ``False``
        Whether tau is clipped to effort limits, together with what a controller adds.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    tolerance : float, default ``0``
        Of an iteration: relative change and residual at which it ends.
    max_iterations : int, default ``0``
        Steps after which an iteration ends short of its tolerance.
    iterations : array of int32, shape ``(batch,)``, optional
        Receives the number of steps of a method that iterates; 0 of others.
    guess : array, shape ``(batch, n_links, 6)``, optional
        Where conjugate gradients begin: zeros, or what an earlier call left there; receives what they found.
    next_stops : bool, default ``False``
        Whether to return what stops then do, and dimpedance_next.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    q_next : ndarray, shape ``(..., nq)``
        Configuration afterwards, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball
        joint the quaternion.
    v_next : ndarray, shape ``(..., nv)``
        Velocity afterwards, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    dq_next : ndarray, shape ``(..., nv)``
        Increment of the configuration afterwards, rad|m, joint after joint; a free one linear then angular, a
        ball joint angular, along the axes of the link it carries, ``nv`` of them.
    dv_next : ndarray, shape ``(..., nv)``
        Increment of the velocity afterwards, rad/s|m/s, joint after joint; a free one linear then angular, a
        ball joint angular, along the axes of the link it carries.
    stops_next : ndarray, shape ``(..., nv, 3)``
        What stops then do, N m s/rad|N s/m, N m|N, of every joint the stop's impedance, its push, and its
        side: 1 upper, -1 lower, 0 none; only with ``next_stops``.
    dimpedance_next : ndarray, shape ``(..., nv)``
        Increment of their impedances, N m s/rad|N s/m, joint after joint; a free one linear then angular, a
        ball joint angular, along the axes of the link it carries; only with ``next_stops``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, tau = np.full(7, 0.1), np.zeros(7), np.ones(7)
    >>> dtau = np.ones(7)
    >>> q_next, v_next, dq_next, dv_next = tandem.step_jvp(arm, q, v, tau, 1e-3, np.zeros(7), np.zeros(7), dtau)
    >>> after, before = (tandem.step(arm, q, v, tau + e * dtau, 1e-3)[1] for e in (1e-3, -1e-3))
    >>> np.allclose(dv_next, (after - before) / 2e-3)
    True
    """
    wanted = (True, True, True, True, next_stops, next_stops)
    result = evaluate(
        _step_jvp,
        model,
        (
            q, v, tau, dt, dq, dv, dtau, f_ext, q_target, kp, kd, stops, df_ext, dq_target, dkp, dkd,
            dimpedance, *_outputs("step_jvp", out, *wanted),
        ),
        (
            None
            if method == "automatic" and not options and tolerance == 0 and max_iterations == 0 and integrator
            == "semi_implicit_euler" and limits is True and losses is True and effort_limits is False
            else _method(method, {"integrator": integrator, "limits": limits, "losses": losses,
                "effort_limits": effort_limits, "tolerance": tolerance, "max_iterations": max_iterations,
                **(options or {})})
        ),
        threads,
        status if iterations is None and guess is None else (status, iterations, guess),
        parameters,
        device,
    )
    fields = ("q_next", "v_next", "dq_next", "dv_next", "stops_next", "dimpedance_next")
    return _named("StepJvp", fields, wanted, result)


if TYPE_CHECKING:

    class _StepVjp(NamedTuple):
        q_next: Array
        v_next: Array
        q_bar: Array
        v_bar: Array
        tau_bar: Array

    class _StepVjpStopsNextImpedanceBar(NamedTuple):
        q_next: Array
        v_next: Array
        q_bar: Array
        v_bar: Array
        tau_bar: Array
        stops_next: Array
        impedance_bar: Array

    class _StepVjpQTargetBarKpBarKdBar(NamedTuple):
        q_next: Array
        v_next: Array
        q_bar: Array
        v_bar: Array
        tau_bar: Array
        q_target_bar: Array
        kp_bar: Array
        kd_bar: Array

    class _StepVjpQTargetBarKpBarKdBarStopsNextImpedanceBar(NamedTuple):
        q_next: Array
        v_next: Array
        q_bar: Array
        v_bar: Array
        tau_bar: Array
        q_target_bar: Array
        kp_bar: Array
        kd_bar: Array
        stops_next: Array
        impedance_bar: Array

    class _StepVjpFExtBar(NamedTuple):
        q_next: Array
        v_next: Array
        q_bar: Array
        v_bar: Array
        tau_bar: Array
        f_ext_bar: Array

    class _StepVjpFExtBarStopsNextImpedanceBar(NamedTuple):
        q_next: Array
        v_next: Array
        q_bar: Array
        v_bar: Array
        tau_bar: Array
        f_ext_bar: Array
        stops_next: Array
        impedance_bar: Array

    class _StepVjpFExtBarQTargetBarKpBarKdBar(NamedTuple):
        q_next: Array
        v_next: Array
        q_bar: Array
        v_bar: Array
        tau_bar: Array
        f_ext_bar: Array
        q_target_bar: Array
        kp_bar: Array
        kd_bar: Array

    class _StepVjpFExtBarQTargetBarKpBarKdBarStopsNextImpedanceBar(NamedTuple):
        q_next: Array
        v_next: Array
        q_bar: Array
        v_bar: Array
        tau_bar: Array
        f_ext_bar: Array
        q_target_bar: Array
        kp_bar: Array
        kd_bar: Array
        stops_next: Array
        impedance_bar: Array


@overload
def step_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    q_next_bar: ArrayLike,
    v_next_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    impedance_next_bar: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    out: tuple[Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _StepVjp: ...
@overload
def step_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    q_next_bar: ArrayLike,
    v_next_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    impedance_next_bar: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    next_stops: Literal[True],
    out: tuple[Array, Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _StepVjpStopsNextImpedanceBar: ...
@overload
def step_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    q_next_bar: ArrayLike,
    v_next_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    impedance_next_bar: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    by_controller: Literal[True],
    out: tuple[Array, Array, Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _StepVjpQTargetBarKpBarKdBar: ...
@overload
def step_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    q_next_bar: ArrayLike,
    v_next_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    impedance_next_bar: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    by_controller: Literal[True],
    next_stops: Literal[True],
    out: tuple[Array, Array, Array, Array, Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _StepVjpQTargetBarKpBarKdBarStopsNextImpedanceBar: ...
@overload
def step_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    q_next_bar: ArrayLike,
    v_next_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    impedance_next_bar: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    by_forces: Literal[True],
    out: tuple[Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _StepVjpFExtBar: ...
@overload
def step_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    q_next_bar: ArrayLike,
    v_next_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    impedance_next_bar: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    by_forces: Literal[True],
    next_stops: Literal[True],
    out: tuple[Array, Array, Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _StepVjpFExtBarStopsNextImpedanceBar: ...
@overload
def step_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    q_next_bar: ArrayLike,
    v_next_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    impedance_next_bar: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    by_forces: Literal[True],
    by_controller: Literal[True],
    out: tuple[Array, Array, Array, Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _StepVjpFExtBarQTargetBarKpBarKdBar: ...
@overload
def step_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    q_next_bar: ArrayLike,
    v_next_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    impedance_next_bar: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    by_forces: Literal[True],
    by_controller: Literal[True],
    next_stops: Literal[True],
    out: tuple[Array, Array, Array, Array, Array, Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> _StepVjpFExtBarQTargetBarKpBarKdBarStopsNextImpedanceBar: ...
def step_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: ArrayLike,
    q_next_bar: ArrayLike,
    v_next_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    q_target: ArrayLike | None = None,
    kp: ArrayLike | None = None,
    kd: ArrayLike | None = None,
    stops: ArrayLike | None = None,
    impedance_next_bar: ArrayLike | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    limits: bool = True,
    losses: bool = True,
    effort_limits: bool = False,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    tolerance: float = 0,
    max_iterations: int = 0,
    by_forces: bool = False,
    by_controller: bool = False,
    next_stops: bool = False,
    out: Any = None,
    threads: int | None = 0,
    status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Any:
    """Derivatives of a weighted sum of the state after a :func:`step`, without a matrix.

        q_bar = (dq_next/dq)^T q_next_bar + (dv_next/dq)^T v_next_bar, and v_bar, tau_bar, ... alike

    are what reverse differentiation hands back, in time and memory O(n), for every integrator; derivatives by
    configurations are by increments of :func:`integrate`. They are those of what was computed, to rounding.
    Which rows are at an effort limit, whether friction slips and which stops act is taken as it was found:
    where that changes the derivative jumps. A stop that is met in one step is held in others by the impedance
    in ``stops``: ``impedance_bar`` says how the sum depends on it, ``impedance_next_bar`` takes what a later
    step made of it. Through many steps: :func:`rollout_gradient`.

    Several results come as a named tuple of those that are asked for.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball joint the
        quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tau : array_like, shape ``(..., nv)``
        Joint forces, N m|N, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    dt : array_like, shape ``(...)``
        Length of the step, s.
    q_next_bar : array_like, shape ``(..., nv)``
        Weights of the configuration afterwards, 1/rad|1/m, joint after joint; a free one linear then angular,
        a ball joint angular, along the axes of the link it carries, ``nv`` of them.
    v_next_bar : array_like, shape ``(..., nv)``
        Weights of the velocity afterwards, s/rad|s/m, joint after joint; a free one linear then angular, a
        ball joint angular, along the axes of the link it carries.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        Forces on the links, N, N m, linear first, at the link's origin, its axes.
    q_target : array_like, shape ``(..., nq)``, optional
        Where a controller leads, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball
        joint the quaternion.
    kp : array_like, shape ``(..., nv)``, optional
        Its gain for what is missing to the target, N m/rad|N/m, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries; 0 if left out.
    kd : array_like, shape ``(..., nv)``, optional
        Its gain for the velocity, N m s/rad|N s/m, joint after joint; a free one linear then angular, a ball
        joint angular, along the axes of the link it carries; 0 if left out.
    stops : array_like, shape ``(..., nv, 3)``, optional
        What stops did before, N m s/rad|N s/m, N m|N, of every joint the stop's impedance, its push, and its
        side: 1 upper, -1 lower, 0 none; ``stops_next`` of the call before.
    impedance_next_bar : array_like, shape ``(..., nv)``, optional
        Weights of the impedances of stops afterwards, rad/(N m s)|m/(N s), joint after joint; a free one
        linear then angular, a ball joint angular, along the axes of the link it carries.
    integrator : Integrator, default ``"semi_implicit_euler"``
        How to step through time.
    limits : bool, default ``True``
        Whether stops act at position limits.
    losses : bool, default ``True``
        Whether joint damping and friction act.
    effort_limits : bool, default ``False``
        Whether tau is clipped to effort limits, together with what a controller adds.
    method : Method, default ``"automatic"``
        How to solve it, see docs/algorithms; ``tandem list`` has the methods of all functions.
    options : MethodOptions, optional
        Options of the method, see :class:`MethodOptions`.
    tolerance : float, default ``0``
        Of an iteration: relative change and residual at which it ends.
    max_iterations : int, default ``0``
        Steps after which an iteration ends short of its tolerance.
    iterations : array of int32, shape ``(batch,)``, optional
        Receives the number of steps of a method that iterates; 0 of others.
    guess : array, shape ``(batch, n_links, 6)``, optional
        Where conjugate gradients begin: zeros, or what an earlier call left there; receives what they found.
    by_forces : bool, default ``False``
        Whether to return f_ext_bar as well.
    by_controller : bool, default ``False``
        Whether to return q_target_bar, kp_bar and kd_bar as well.
    next_stops : bool, default ``False``
        Whether to return what stops then do, and impedance_bar.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`.

    Returns
    -------
    q_next : ndarray, shape ``(..., nq)``
        Configuration afterwards, rad|m, joint after joint; a free one x y z and a quaternion x y z w, a ball
        joint the quaternion.
    v_next : ndarray, shape ``(..., nv)``
        Velocity afterwards, rad/s|m/s, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries.
    q_bar : ndarray, shape ``(..., nv)``
        Derivative of the weighted sum by configuration, 1/rad|1/m, joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries, ``nv`` of them.
    v_bar : ndarray, shape ``(..., nv)``
        By velocity, s/rad|s/m, joint after joint; a free one linear then angular, a ball joint angular, along
        the axes of the link it carries.
    tau_bar : ndarray, shape ``(..., nv)``
        By joint forces, 1/(N m)|1/N, joint after joint; a free one linear then angular, a ball joint angular,
        along the axes of the link it carries.
    f_ext_bar : ndarray, shape ``(..., n_links, 6)``
        By the forces on the links, 1/N, 1/(N m), linear first, at the link's origin, its axes; only with
        ``by_forces``.
    q_target_bar : ndarray, shape ``(..., nv)``
        By the controller's target, 1/rad|1/m, joint after joint; a free one linear then angular, a ball joint
        angular, along the axes of the link it carries, ``nv`` of them; only with ``by_controller``.
    kp_bar : ndarray, shape ``(..., nv)``
        By its gain for what is missing, rad/(N m)|m/N, joint after joint; a free one linear then angular, a
        ball joint angular, along the axes of the link it carries; only with ``by_controller``.
    kd_bar : ndarray, shape ``(..., nv)``
        By its gain for the velocity, rad/(N m s)|m/(N s), joint after joint; a free one linear then angular,
        a ball joint angular, along the axes of the link it carries; only with ``by_controller``.
    stops_next : ndarray, shape ``(..., nv, 3)``
        What stops then do, N m s/rad|N s/m, N m|N, of every joint the stop's impedance, its push, and its
        side: 1 upper, -1 lower, 0 none; only with ``next_stops``.
    impedance_bar : ndarray, shape ``(..., nv)``
        By the impedances of stops before, rad/(N m s)|m/(N s), joint after joint; a free one linear then
        angular, a ball joint angular, along the axes of the link it carries; only with ``next_stops``.

    Raises
    ------
    Error
        If an argument does not fit, see :mod:`tandem.functions`.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, tau = np.full(7, 0.1), np.zeros(7), np.ones(7)
    >>> of_q, of_v = np.zeros(7), np.arange(7.0)  # of_v @ v_next
    >>> q_next, v_next, q_bar, v_bar, tau_bar = tandem.step_vjp(arm, q, v, tau, 1e-3, of_q, of_v)
    >>> after, before = (tandem.step(arm, q, v, tau + e * np.ones(7), 1e-3)[1] for e in (1e-3, -1e-3))
    >>> np.allclose(tau_bar.sum(), of_v @ (after - before) / 2e-3)
    True
    """
    wanted = (
        True, True, True, True, True, by_forces, by_controller, by_controller, by_controller, next_stops,
        next_stops,
    )
    result = evaluate(
        _step_vjp,
        model,
        (
            q, v, tau, dt, q_next_bar, v_next_bar, f_ext, q_target, kp, kd, stops, impedance_next_bar,
            *_outputs("step_vjp", out, *wanted),
        ),
        (
            None
            if method == "automatic" and not options and tolerance == 0 and max_iterations == 0 and integrator
            == "semi_implicit_euler" and limits is True and losses is True and effort_limits is False
            else _method(method, {"integrator": integrator, "limits": limits, "losses": losses,
                "effort_limits": effort_limits, "tolerance": tolerance, "max_iterations": max_iterations,
                **(options or {})})
        ),
        threads,
        status if iterations is None and guess is None else (status, iterations, guess),
        parameters,
        device,
    )
    fields = (
        "q_next",
        "v_next",
        "q_bar",
        "v_bar",
        "tau_bar",
        "f_ext_bar",
        "q_target_bar",
        "kp_bar",
        "kd_bar",
        "stops_next",
        "impedance_bar",
    )
    return _named("StepVjp", fields, wanted, result)


rnea_derivatives = inverse_dynamics_derivatives


aba_derivatives = forward_dynamics_derivatives


center_of_mass = centre_of_mass


center_of_mass_derivatives = centre_of_mass_derivatives
