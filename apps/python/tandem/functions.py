# SPDX-License-Identifier: Apache-2.0
# Written by tools/register.py. Over 400 lines: editors and type checkers read the signature of every function.
"""The algorithms, for NumPy and other arrays; for configurations, see also :mod:`tandem.configuration`.

Shapes
    Every argument is one state, for instance ``q`` of shape ``(nq,)``, or a batch of any shape, ``(..., nq)``:
    ``(batch, nq)``, ``(robots, steps, nq)``. Leading axes broadcast as in NumPy, so that one state can be combined
    with a batch, and ``(3, 1, nq)`` with ``(4, nv)`` gives twelve states. Results have the broadcast leading axes.
Precision
    float32 or float64: that of the first array among the arguments, float64 if there is none. All other
    inputs and parameters are converted to it; outputs must have it.
Arrays
    NumPy arrays, and arrays in host memory that support DLPack, such as those of PyTorch and JAX. New results
    have the type of the first input that is an array.
Copies
    Arrays are not copied if the numbers of each state are evenly spaced: ``(batch, n)`` in C order, with gaps,
    reversed, or transposed, such as ``x.T`` of an ``(n, batch)`` array; with several leading axes if the states
    are evenly spaced in C order, too. Other arrays, and those that broadcast along some axes only, are copied.
``out``
    An array, or a tuple of arrays for several results, to which the result is written; it is returned. It may
    overlap an input, which is then copied first, but not another output.
``threads``
    Number of threads for a batch; 0 or None: all cores. A small batch is computed on the calling thread. The
    results are bit-identical for any number. The global interpreter lock is released during long calls; models
    may be shared between threads.
``status``
    An array of uint8 of the leading shape, ``(batch,)``, that receives the :class:`tandem.Status` of each state.
    Without it, functions that need the inverse of the mass matrix issue a :class:`tandem.SingularWarning` if it
    is singular; they check about sixteen states of a batch, or all if ``parameters`` are given.
``parameters``
    Parameters of the model for each state, by name: ``{"mass": masses, "gravity": gravity}`` with arrays
    ``(..., n_links)`` and ``(..., 3)``, which broadcast with the arguments. See :func:`tandem.parameters`.
    Parameters of links are along the axes of the link's frame. Masses, armature, damping, friction and
    stiffness must not be negative.
``device``
    ``"cuda"`` computes on an NVIDIA GPU. ``"auto"`` computes where the arrays are; for arrays in host memory it
    selects the faster device by the measurements of ``tandem tune``, or the CPU if there are none. NumPy arrays
    are copied to the GPU and back. Arrays of PyTorch, CuPy and JAX on a GPU are used in place, on the current
    stream of the package of the first one; results are of its type, and the call returns before they are ready
    (except for JAX, which is synchronized). There is no :class:`tandem.SingularWarning` on a GPU; use ``status``.
Plans
    Each thread caches what calls need besides their arrays (selected method, the divided robot, its copy on a
    GPU) for the last few robots and options. :class:`tandem.Plan` keeps it, and can be shared between threads.
Errors
    :class:`tandem.Error` (a ``ValueError``) names the argument, the expected and the given value.

Sources
    Keys in brackets are those of docs/notation.md: [RBDA] is R. Featherstone, *Rigid Body Dynamics
    Algorithms*, 2008. See :data:`Method` for those of methods.

Units are SI; "rad|m" is rad for a revolute joint, m for a prismatic one. Spatial vectors are linear first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, overload

from numpy.typing import ArrayLike

from tandem import _core
from tandem._common.batch_options import Device, IterationsArray, Parameters, StatusArray
from tandem._common.outputs import Array as Array, Results, outputs
from tandem._core import Model, evaluate

__all__ = [
    "CentreOfMassDerivatives", "CentroidalMomentumDerivatives", "Energy", "EnergyDerivatives",
    "ForwardDynamicsDerivatives", "ForwardDynamicsHvp", "ForwardDynamicsJvp", "ForwardDynamicsSecondDerivatives",
    "ForwardDynamicsVjp", "ForwardKinematicsDerivatives", "InverseDynamicsDerivatives", "InverseDynamicsHvp",
    "InverseDynamicsJvp", "InverseDynamicsSecondDerivatives", "InverseDynamicsTerms", "InverseDynamicsVjp",
    "PassiveForcesDerivatives", "Step", "StepJvp", "StepVjp", "aba_derivatives", "bias_forces", "center_of_mass",
    "center_of_mass_derivatives", "centre_of_mass", "centre_of_mass_derivatives", "centroidal_momentum",
    "centroidal_momentum_derivatives", "close_loops", "closed_loop_dynamics", "constraint_wrenches", "coriolis_matrix",
    "difference", "energy", "energy_derivatives", "forward_dynamics", "forward_dynamics_derivatives",
    "forward_dynamics_hvp", "forward_dynamics_jvp", "forward_dynamics_second_derivatives", "forward_dynamics_vjp",
    "forward_kinematics", "forward_kinematics_derivatives", "forward_kinematics_jvp", "forward_kinematics_vjp",
    "gravity_forces", "integrate", "integrate_rate", "interbody_wrenches", "inverse_dynamics",
    "inverse_dynamics_derivatives", "inverse_dynamics_hvp", "inverse_dynamics_jvp", "inverse_dynamics_regressor",
    "inverse_dynamics_second_derivatives", "inverse_dynamics_terms", "inverse_dynamics_vjp", "inverse_mass_matrix",
    "inverse_mass_matrix_product", "jacobian", "jacobian_time_derivative_product", "mass_matrix", "mass_matrix_rate",
    "operational_space_mobility", "passive_forces", "passive_forces_derivatives", "rnea_derivatives", "step",
    "step_jvp", "step_vjp",
]

#: Axes and reference point of velocities and Jacobians: "local": the frame's own axes and origin; "world": the world's
#: axes and origin; "local_world_aligned": the world's axes, the frame's origin.
Reference: TypeAlias = Literal["local", "world", "local_world_aligned"]
#: Method: "automatic": the fastest for the robot and the machine; "recursive_newton_euler": motions outward, forces
#: inward, [RBDA] table 5.1; "articulated_body": articulated inertias inward, accelerations outward, [RBDA] table 7.1;
#: "composite_rigid_body": composite inertias; for accelerations a matrix factorization, [RBDA] table 6.2; "scan": the
#: passes as parallel scans, those of inverse dynamics [Yang] (2); "log_composite": columns of the matrix in logarithmic
#: depth, [Amin-Javaheri] table 2; "composite_scan": composite inertias by a scan, [Amin-Javaheri] stage A;
#: "mass_matrix_inversion": the matrix filled by scans, then factored, [Yang] (6), (7); "hybrid_articulated_body":
#: elimination by blocks of joints, [Yang] (8); "constraint_force": a block-tridiagonal system of the constraint forces,
#: [Yang] (12) - (17); "divide_and_conquer": subchains joined in a binary tree, [Critchley] (12) - (42);
#: "divide_and_conquer_efficient": subchains by articulated bodies, then joined, [Critchley] (44) - (59);
#: "conjugate_gradient": constraint forces by conjugate gradients, [Pond] chapter 3; "recne": recursive Newton-Euler as
#: tasks, [Pond] table 2.2; "recneb": the same in the axes of the base by recursive doubling, [Pond] p. 18; "resne":
#: resolved Newton-Euler, by partial velocities, [Pond] table 2.3; "classle": classical Lagrange-Euler, by coefficients,
#: [Pond] table 2.4; "recle": recursive Lagrange-Euler, [Pond] table 2.5; "hybrid": recursive Newton-Euler and compound
#: links, [Pond] table 2.6.
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
#: Solver of the system of constraint forces: "automatic": chosen by the method; "block_lu": sequential block
#: elimination; "odd_even_elimination": all blocks in parallel, in logarithmic depth; "cyclic_reduction": every second
#: block, until one remains; "chunked": chunks first, then their interfaces; "conjugate_gradient": by iteration.
Solver: TypeAlias = Literal[
    "automatic", "block_lu", "odd_even_elimination", "cyclic_reduction", "chunked", "conjugate_gradient"
]
#: Form of the bias forces in methods that solve for constraint forces: "automatic": chosen by the method; "local": as
#: wrenches on the links, [Pond] (3.7): accurate; "bias_torque": as joint torques tau - ID(q, v, 0), [Yang]: error grows
#: with the condition of M.
RightHandSide: TypeAlias = Literal["automatic", "local", "bias_torque"]
#: Coordinates of inverse dynamics by scans: "automatic": chosen by the method; "body": three scans in link coordinates;
#: "jet": velocity and acceleration in one scan, forces in another; "world_orientation": world axes, each link's own
#: origin.
Form: TypeAlias = Literal["automatic", "body", "jet", "world_orientation"]
#: Order of joins in scans of inverse dynamics: "automatic": chosen by the method; "tree": up a tree and down again: 2
#: log2 n levels, 2 n joins, [Blelloch 1990]; "hillis_steele": each element with those 1, 2, 4, ... before it: log2 n
#: levels, n log2 n joins, [Hillis, Steele 1986].
ScanSchedule: TypeAlias = Literal["automatic", "tree", "hillis_steele"]
#: Form of the matrices of recne and classle: "automatic": chosen by the method; "omega": of recne: points accelerate by
#: Omega = dw~ + w~ w~, [Pond] (2.13); "blocks": of classle: 3x3 in place of 4x4, [Pond] p. 26.
Matrices: TypeAlias = Literal["automatic", "omega", "blocks"]
#: Integrator: "semi_implicit_euler": order 1; damping, friction, springs and the controller implicit: stable if stiff;
#: "rk4": order 4, [Munthe-Kaas 1998] on the configuration manifold; all forces explicit; "implicit_midpoint": order 2;
#: conserves energy over any time without losses and work; five to sixteen times the cost.
Integrator: TypeAlias = Literal["semi_implicit_euler", "rk4", "implicit_midpoint"]


class MethodOptions(TypedDict, total=False):
    """Options of methods. An option that the method does not use is an error."""

    #: solver of the system of constraint forces
    solver: Solver
    #: form of the bias forces in methods that solve for constraint forces
    right_hand_side: RightHandSide
    #: coordinates of inverse dynamics by scans
    form: Form
    #: number of links in a sequential chunk
    chunk: int
    #: number of parts of the robot
    chunks: int
    #: length of the terminal chunk over that of the others
    load_ratio: float
    #: relative change and residual at which an iteration ends
    tolerance: float
    #: limit of iterations
    max_iterations: int
    #: order of joins in scans of inverse dynamics
    scan_schedule: ScanSchedule
    #: rate at which gaps of loops decay, 1/s
    stabilisation: float
    #: form of the matrices of recne and classle
    matrices: Matrices


class PlanOptions(MethodOptions, total=False):
    """All options of a function."""

    #: frame, by name or index
    frame: str | int
    #: axes and reference point of velocities and Jacobians
    reference: Reference
    #: method
    method: Method
    #: integrator
    integrator: Integrator
    #: number of steps of a call
    steps: int
    #: whether joint limits act
    limits: bool
    #: whether joint damping and friction act
    losses: bool
    #: whether the sum of tau and the controller is clipped to effort limits
    effort_limits: bool


def _method(method: Method, options: Mapping[str, object] | None) -> dict[str, Any]:
    """The options of a call where not everything is left to the library."""
    return {"method": method, **(options or {})}


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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array: ...
@overload
def forward_kinematics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike | None = None,
    *,
    reference: Reference = "local",
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> tuple[Array, ...]: ...
def forward_kinematics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    reference: Reference = "local",
    out: Any = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Any:
    """Pose and, if ``v`` and ``a`` are given, velocity and acceleration of every link and frame.

    The acceleration is the time derivative of the velocity's six numbers: spatial in ``"local"`` and ``"world"``, that
    of the frame's origin in ``"local_world_aligned"``. Gravity is not included. [RBDA] section 4.2.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    a : array_like, shape ``(..., nv)``, optional
        Acceleration, rad/s^2|m/s^2, ordered as v.
    reference : Reference, default ``"local"``
        Axes and reference point of velocities and Jacobians.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    pose : ndarray, shape ``(..., n_frames, 3, 4)``
        Rotation and position of every frame in the world, m, rows of [R | p].
    velocity : ndarray, shape ``(..., n_frames, 6)``
        Velocity of every frame, m/s, rad/s, linear first; only with ``v``.
    acceleration : ndarray, shape ``(..., n_frames, 6)``
        Acceleration of every frame, m/s^2, rad/s^2, linear first; only with ``v`` and ``a``.

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
        _forward_kinematics, model,
        (q, v, a, *outputs("forward_kinematics", out, True, v is not None, a is not None)),
        {"reference": reference},
        threads, status, parameters, device,
    )


class ForwardKinematicsDerivatives(Results):
    """Results of :func:`forward_kinematics_derivatives`: a named tuple of those that are requested."""

    dvelocity_dq: Array  #: derivative of the frame's velocity by configuration, m/s, rad/s per rad|m
    dacceleration_dq: Array  #: its acceleration by configuration, m/s^2, rad/s^2 per rad|m
    dacceleration_dv: Array  #: by velocity, m/s^2, rad/s^2 per rad/s|m/s
    J: Array  #: its Jacobian, m/rad|1, rad/rad|rad/m; only with ``jacobian``


def forward_kinematics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    frame: str | int,
    reference: Reference = "local",
    *,
    jacobian: bool = False,
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> ForwardKinematicsDerivatives:
    """Derivatives of a frame's velocity and acceleration by configuration, velocity and acceleration.

        velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
        acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...

    Derivatives of the results of :func:`forward_kinematics` for this reference [Carpentier 2018]. The pose moves by J
    dq. dq is in the tangent space of :func:`integrate`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, ordered as v.
    frame : str | int
        Frame, by name or index.
    reference : Reference, default ``"local"``
        Axes and reference point of velocities and Jacobians.
    jacobian : bool, default ``False``
        Whether to return the Jacobian as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

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
        _forward_kinematics_derivatives, model,
        (q, v, a, *outputs("forward_kinematics_derivatives", out, *wanted)),
        {"frame": frame, "reference": reference},
        threads, status, parameters, device,
    )
    return ForwardKinematicsDerivatives.of(wanted, result)


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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array: ...
@overload
def forward_kinematics_jvp(
    model: Model,
    q: ArrayLike,
    dq: ArrayLike,
    v: ArrayLike,
    a: ArrayLike | None = None,
    dv: ArrayLike | None = None,
    da: ArrayLike | None = None,
    *,
    reference: Reference = "local",
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> tuple[Array, ...]: ...
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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Any:
    """JVP of poses and, if ``v`` and ``a`` are given, of velocities and accelerations of all frames.

    Tangents of all results of :func:`forward_kinematics`: ``dpose`` is that of ``[R | p]``. ``dq`` is in the tangent
    space of :func:`integrate`. Time and memory are O(n), without Jacobians.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    dq : array_like, shape ``(..., nv)``
        Tangent of q, rad|m, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link, as for :func:`integrate`.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, ordered as dq.
    a : array_like, shape ``(..., nv)``, optional
        Acceleration, rad/s^2|m/s^2, ordered as dq.
    dv : array_like, shape ``(..., nv)``, optional
        Tangent of v, rad/s|m/s, ordered as dq, or none: zeros.
    da : array_like, shape ``(..., nv)``, optional
        Tangent of a, rad/s^2|m/s^2, ordered as dq, or none: zeros.
    reference : Reference, default ``"local"``
        Axes and reference point of velocities and Jacobians.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    dpose : ndarray, shape ``(..., n_frames, 3, 4)``
        Tangent of pose, m, rows of [R | p].
    dvelocity : ndarray, shape ``(..., n_frames, 6)``
        Tangent of velocity, m/s, rad/s, linear first; only with ``v``.
    dacceleration : ndarray, shape ``(..., n_frames, 6)``
        Tangent of acceleration, m/s^2, rad/s^2, linear first; only with ``v`` and ``a``.

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
        _forward_kinematics_jvp, model,
        (q, dq, v, a, dv, da, *outputs("forward_kinematics_jvp", out, True, v is not None, a is not None)),
        (
            None
            if method == "automatic" and not options and reference == "local"
            else _method(method, {"reference": reference, **(options or {})})
        ),
        threads, status, parameters, device,
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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array: ...
@overload
def forward_kinematics_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike | None = None,
    pose_bar: ArrayLike | None = None,
    velocity_bar: ArrayLike | None = None,
    acceleration_bar: ArrayLike | None = None,
    *,
    reference: Reference = "local",
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> tuple[Array, ...]: ...
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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Any:
    """VJP of poses and, with ``v`` and ``a``, of velocities and accelerations of all frames.

    Cotangents belong to all results of :func:`forward_kinematics`, ``pose_bar`` to ``[R | p]``. Time and memory are
    O(n). ``q_bar`` is in the cotangent space of :func:`integrate`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    a : array_like, shape ``(..., nv)``, optional
        Acceleration, rad/s^2|m/s^2, ordered as v.
    pose_bar : array_like, shape ``(..., n_frames, 3, 4)``, optional
        Cotangent of pose, 1/m, rows of [R | p], or none: zeros.
    velocity_bar : array_like, shape ``(..., n_frames, 6)``, optional
        Cotangent of velocity, s/m, s/rad, linear first, or none: zeros.
    acceleration_bar : array_like, shape ``(..., n_frames, 6)``, optional
        Cotangent of acceleration, s^2/m, s^2/rad, linear first, or none: zeros.
    reference : Reference, default ``"local"``
        Axes and reference point of velocities and Jacobians.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    q_bar : ndarray, shape ``(..., nv)``
        Cotangent of q, 1/rad|1/m, ordered as v.
    v_bar : ndarray, shape ``(..., nv)``
        Cotangent of v, s/rad|s/m, ordered as v; only with ``v``.
    a_bar : ndarray, shape ``(..., nv)``
        Cotangent of a, s^2/rad|s^2/m, ordered as v; only with ``v`` and ``a``.

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
        _forward_kinematics_vjp, model,
        (
            q, v, a, pose_bar, velocity_bar, acceleration_bar, *outputs("forward_kinematics_vjp", out, True, v is not
            None, a is not None),
        ),
        (
            None
            if method == "automatic" and not options and reference == "local"
            else _method(method, {"reference": reference, **(options or {})})
        ),
        threads, status, parameters, device,
    )


def jacobian(
    model: Model,
    q: ArrayLike,
    frame: str | int,
    reference: Reference = "local",
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Jacobian of a frame: its velocity is J v.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    frame : str | int
        Frame, by name or index.
    reference : Reference, default ``"local"``
        Axes and reference point of velocities and Jacobians.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    J : ndarray, shape ``(..., 6, nv)``
        Jacobian of the frame, m/rad|1, rad/rad|rad/m, linear first.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> tandem.jacobian(arm, tandem.neutral_configuration(arm), "tool0", reference="world").shape
    (6, 7)
    """
    return evaluate(
        _jacobian, model, (q, out), {"frame": frame, "reference": reference}, threads, status, parameters, device
    )


def jacobian_time_derivative_product(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    frame: str | int,
    reference: Reference = "local",
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Time derivative of a frame's Jacobian times the velocity: the frame's acceleration is J a + dJ/dt v.

    That is the derivative of the six numbers J v of this reference, without J a.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    frame : str | int
        Frame, by name or index.
    reference : Reference, default ``"local"``
        Axes and reference point of velocities and Jacobians.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    Jdot_v : ndarray, shape ``(..., 6)``
        DJ/dt v of the frame, m/s^2, rad/s^2, linear first.
    """
    return evaluate(
        _jacobian_time_derivative_product, model,
        (q, v, out),
        {"frame": frame, "reference": reference},
        threads, status, parameters, device,
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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Inverse dynamics: joint torques for the acceleration ``a`` in state (``q``, ``v``).

        tau = M(q) a + c(q, v) + tau_g(q) - sum_i J_i^T f_ext,i

    Armature is included; damping, friction and springs are not, see :func:`passive_forces`. The default method is
    recursive Newton-Euler, [RBDA] table 5.1.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    tau : ndarray, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q = tandem.random_configuration(arm, seed=1)
    >>> v = a = np.zeros(arm.nv)
    >>> np.array_equal(tandem.inverse_dynamics(arm, q, v, a), tandem.gravity_forces(arm, q))
    True
    """
    return evaluate(
        _inverse_dynamics, model,
        (q, v, a, f_ext, out),
        None if method == "automatic" and not options else _method(method, options),
        threads, status, parameters, device,
    )


def bias_forces(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Coriolis, centrifugal and gravity forces c(q, v) + tau_g(q): the joint torques for a = 0.

    Inverse dynamics without acceleration, [RBDA] table 5.1.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes; J^T f_ext is subtracted.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    tau : ndarray, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    """
    return evaluate(_bias_forces, model, (q, v, f_ext, out), None, threads, status, parameters, device)


def gravity_forces(
    model: Model,
    q: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Joint torques that compensate gravity.

    [RBDA] table 5.1 with v = 0, a = 0.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    tau : ndarray, shape ``(..., nv)``
        Joint torques, N m|N, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    """
    return evaluate(_gravity_forces, model, (q, out), None, threads, status, parameters, device)


class InverseDynamicsTerms(NamedTuple):
    """Terms of inverse dynamics: arrays ``[nv]`` for one state, ``[batch, nv]`` for a batch."""

    inertial: Array  #: M a, N m|N
    coriolis: Array  #: Coriolis torques: products of different velocities, N m|N
    centrifugal: Array  #: centrifugal torques: squares of velocities, N m|N
    gravity: Array  #: gravity torques, N m|N
    external: Array  #: torques that balance f_ext, N m|N
    friction: Array  #: torques that balance friction and damping, N m|N
    springs: Array  #: torques that balance springs, N m|N


def inverse_dynamics_terms(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: tuple[Array, Array, Array, Array, Array, Array, Array] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> InverseDynamicsTerms:
    """Terms of inverse dynamics.

        inertial + coriolis + centrifugal + gravity + external + friction + springs
            = inverse_dynamics(q, v, a, f_ext) - passive_forces(q, v)

    Coriolis torques are due to products of different velocities, centrifugal torques due to squares. [Pond] (2.35) -
    (2.39), (2.69).

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    inertial : ndarray, shape ``(..., nv)``
        M a, N m|N, ordered as v.
    coriolis : ndarray, shape ``(..., nv)``
        Coriolis torques: products of different velocities, N m|N, ordered as v.
    centrifugal : ndarray, shape ``(..., nv)``
        Centrifugal torques: squares of velocities, N m|N, ordered as v.
    gravity : ndarray, shape ``(..., nv)``
        Gravity torques, N m|N, ordered as v.
    external : ndarray, shape ``(..., nv)``
        Torques that balance f_ext, N m|N, ordered as v.
    friction : ndarray, shape ``(..., nv)``
        Torques that balance friction and damping, N m|N, ordered as v.
    springs : ndarray, shape ``(..., nv)``
        Torques that balance springs, N m|N, ordered as v.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.zeros(arm.nv)
    >>> terms = tandem.inverse_dynamics_terms(arm, q, v, a)
    >>> np.allclose(sum(terms), tandem.inverse_dynamics(arm, q, v, a) - tandem.passive_forces(arm, q, v))
    True
    """
    result = evaluate(
        _inverse_dynamics_terms, model,
        (q, v, a, f_ext, *outputs("inverse_dynamics_terms", out, True, True, True, True, True, True, True)),
        None,
        threads, status, parameters, device,
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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Wrenches that joints transmit between links at the acceleration ``a``.

    Row i is the wrench on link i from its parent, including constraint and joint torque. Row 0 is the wrench from the
    world on the base, due to its children and ``f_ext``, without the weight of the base. After forward dynamics, pass
    its acceleration. [RBDA] table 5.1.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    f : ndarray, shape ``(..., n_links, 6)``
        Wrench on every link from its parent, N, N m, linear first, at the link's origin, its axes.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, zero = tandem.neutral_configuration(arm), np.zeros(arm.nv)
    >>> f = tandem.interbody_wrenches(arm, q, zero, zero)
    >>> f.shape == (arm.n_links, 6), bool(f[0, 2] > 0)  # the base carries the arm
    (True, True)
    """
    return evaluate(_interbody_wrenches, model, (q, v, a, f_ext, out), None, threads, status, parameters, device)


def inverse_dynamics_regressor(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Regressor: the matrix of the inertial parameters in :func:`inverse_dynamics`.

        tau = Y(q, v, a) pi + armature a

    ``pi`` has ten parameters for each moving link, in Pinocchio's order: m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz,
    Izz, along the axes of the link's frame, moments about its origin; link i has the columns 10 (i - 1) to 10 i - 1.
    :attr:`Model.inertial_parameters` are those of the robot. The base has none, as it does not move. Armature, damping
    and friction are not included; their columns are ``a``, ``v`` and ``sign(v)`` on the diagonal.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, ordered as v.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    Y : ndarray, shape ``(..., nv, 10 n_joints)``
        Tau = Y pi + armature a, N m|N per kg, kg m, kg m^2, for every link m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz,
        Iyz, Izz.

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
    return evaluate(_inverse_dynamics_regressor, model, (q, v, a, out), None, threads, status, parameters, device)


class InverseDynamicsDerivatives(Results):
    """Results of :func:`inverse_dynamics_derivatives`: a named tuple of those that are requested."""

    dtau_dq: Array  #: derivative of the joint torques by configuration, N m|N per rad|m
    dtau_dv: Array  #: by velocity, N m|N per rad/s|m/s
    dtau_da: Array  #: by acceleration: the mass matrix, kg m^2|kg; only with ``mass_matrix``


def inverse_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    *,
    mass_matrix: bool = False,
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> InverseDynamicsDerivatives:
    """Derivatives of :func:`inverse_dynamics` by configuration, velocity and acceleration.

        tau(q (+) dq, v + dv, a + da) = tau + dtau_dq dq + dtau_dv dv + dtau_da da + ...

    After [Singh 2022], [Carpentier 2018]. ``dq`` is in the tangent space of :func:`integrate`, as in Pinocchio: it has
    ``nv`` elements, for spherical, planar and free joints along the axes of the child. Without ``a`` these are the
    derivatives of :func:`bias_forces`, without ``v`` and ``a`` those of :func:`gravity_forces`. Damping, friction and
    springs are not included. Mimic joints follow their sources.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link, or none: zeros.
    a : array_like, shape ``(..., nv)``, optional
        Acceleration, rad/s^2|m/s^2, ordered as v, or none: zeros.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes, constant in the frames of
        the links.
    mass_matrix : bool, default ``False``
        Whether to return dtau_da, the mass matrix, as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    dtau_dq : ndarray, shape ``(..., nv, nv)``
        Derivative of the joint torques by configuration, N m|N per rad|m, row-major.
    dtau_dv : ndarray, shape ``(..., nv, nv)``
        By velocity, N m|N per rad/s|m/s, row-major.
    dtau_da : ndarray, shape ``(..., nv, nv)``
        By acceleration: the mass matrix, kg m^2|kg, row-major, armature included; only with ``mass_matrix``.

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
        _inverse_dynamics_derivatives, model,
        (q, v, a, f_ext, *outputs("inverse_dynamics_derivatives", out, *wanted)),
        None,
        threads, status, parameters, device,
    )
    return InverseDynamicsDerivatives.of(wanted, result)


class InverseDynamicsJvp(NamedTuple):
    """JVP of :func:`inverse_dynamics` without matrices: arrays ``[nv]`` for one state, ``[batch, nv]`` for a
    batch."""

    tau: Array  #: joint torques, N m|N
    dtau: Array  #: tangent of tau, N m|N


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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> InverseDynamicsJvp:
    """JVP of :func:`inverse_dynamics` without matrices.

        dtau = dtau_dq dq + dtau_dv dv + M da - sum_i J_i^T df_ext,i + Y dpi

    with the matrices of :func:`inverse_dynamics_derivatives`, :func:`jacobian` and :func:`inverse_dynamics_regressor`,
    in time and memory O(n). ``dq`` is in the tangent space of :func:`integrate`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, ordered as v.
    dq : array_like, shape ``(..., nv)``
        Tangent of q, rad|m, ordered as v, as for :func:`integrate`.
    dv : array_like, shape ``(..., nv)``
        Tangent of v, rad/s|m/s, ordered as v.
    da : array_like, shape ``(..., nv)``
        Tangent of a, rad/s^2|m/s^2, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    df_ext : array_like, shape ``(..., n_links, 6)``, optional
        Tangent of f_ext, N, N m, linear first, at the link's origin, its axes, or none: zeros.
    dpi : array_like, shape ``(..., 10 n_joints)``, optional
        Tangent of the inertial parameters, kg, kg m, kg m^2, for every link m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz,
        Iyz, Izz, or none: zeros.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    tau : ndarray, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    dtau : ndarray, shape ``(..., nv)``
        Tangent of tau, N m|N, ordered as v.

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
        _inverse_dynamics_jvp, model,
        (q, v, a, dq, dv, da, f_ext, df_ext, dpi, *outputs("inverse_dynamics_jvp", out, True, True)),
        None if method == "automatic" and not options else _method(method, options),
        threads, status, parameters, device,
    )
    return InverseDynamicsJvp(*(result if out is not None else (x[()] for x in result)))


class InverseDynamicsVjp(Results):
    """Results of :func:`inverse_dynamics_vjp`: a named tuple of those that are requested."""

    tau: Array  #: joint torques, N m|N
    q_bar: Array  #: cotangent of q, 1/rad|1/m
    v_bar: Array  #: cotangent of v, s/rad|s/m
    a_bar: Array  #: cotangent of a, s^2/rad|s^2/m
    f_ext_bar: Array  #: cotangent of f_ext, 1/N, 1/(N m); only with ``by_forces``
    pi_bar: Array  #: cotangent of the inertial parameters, 1/kg, 1/(kg m), 1/(kg m^2); only with ``by_parameters``


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
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> InverseDynamicsVjp:
    """VJP of :func:`inverse_dynamics` without matrices.

        q_bar = dtau_dq^T tau_bar, v_bar = dtau_dv^T tau_bar, a_bar = M tau_bar
        f_ext_bar = -J tau_bar, pi_bar = Y^T tau_bar

    are the gradient of tau_bar . tau, in time and memory O(n). ``q_bar`` is in the cotangent space of
    :func:`integrate`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, ordered as v.
    tau_bar : array_like, shape ``(..., nv)``
        Cotangent of tau, 1/(N m)|1/N, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    by_forces : bool, default ``False``
        Whether to return f_ext_bar as well.
    by_parameters : bool, default ``False``
        Whether to return pi_bar as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    tau : ndarray, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    q_bar : ndarray, shape ``(..., nv)``
        Cotangent of q, 1/rad|1/m, ordered as v.
    v_bar : ndarray, shape ``(..., nv)``
        Cotangent of v, s/rad|s/m, ordered as v.
    a_bar : ndarray, shape ``(..., nv)``
        Cotangent of a, s^2/rad|s^2/m, ordered as v.
    f_ext_bar : ndarray, shape ``(..., n_links, 6)``
        Cotangent of f_ext, 1/N, 1/(N m), linear first, at the link's origin, its axes; only with ``by_forces``.
    pi_bar : ndarray, shape ``(..., 10 n_joints)``
        Cotangent of the inertial parameters, 1/kg, 1/(kg m), 1/(kg m^2), for every link m, m cx, m cy, m cz, Ixx, Ixy,
        Iyy, Ixz, Iyz, Izz, of :attr:`Model.inertial_parameters`; only with ``by_parameters``.

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
        _inverse_dynamics_vjp, model,
        (q, v, a, tau_bar, f_ext, *outputs("inverse_dynamics_vjp", out, *wanted)),
        None if method == "automatic" and not options else _method(method, options),
        threads, status, parameters, device,
    )
    return InverseDynamicsVjp.of(wanted, result)


class InverseDynamicsHvp(Results):
    """Results of :func:`inverse_dynamics_hvp`: a named tuple of those that are requested."""

    dtau: Array  #: tangent of tau, N m|N
    dq_bar: Array  #: tangent of q_bar, 1/rad|1/m
    dv_bar: Array  #: tangent of v_bar, s/rad|s/m
    da_bar: Array  #: tangent of a_bar, s^2/rad|s^2/m
    df_ext_bar: Array  #: tangent of f_ext_bar, 1/N, 1/(N m); only with ``by_forces``
    dpi_bar: Array  #: tangent of pi_bar, 1/kg, 1/(kg m), 1/(kg m^2); only with ``by_parameters``


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
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> InverseDynamicsHvp:
    """JVP of :func:`inverse_dynamics_vjp`: Hessian-vector products without matrices.

        dq_bar = d/ds q_bar(q (+) s dq, v + s dv, a + s da, tau_bar + s dtau_bar, f_ext + s df_ext)

    and similarly ``dv_bar``, ``da_bar``, ...; ``dtau`` is that of :func:`inverse_dynamics_jvp`. Time and memory are
    O(n), about three times those of the VJP. ``dq`` is in the tangent space of :func:`integrate`. Axes move with the
    links, so that for spherical, planar and free joints ``dq_bar`` is not symmetric in ``dq``: see the page on second
    derivatives.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, ordered as v.
    tau_bar : array_like, shape ``(..., nv)``
        Cotangent of tau, 1/(N m)|1/N, ordered as v.
    dq : array_like, shape ``(..., nv)``
        Tangent of q, rad|m, ordered as v, as for :func:`integrate`.
    dv : array_like, shape ``(..., nv)``
        Tangent of v, rad/s|m/s, ordered as v.
    da : array_like, shape ``(..., nv)``
        Tangent of a, rad/s^2|m/s^2, ordered as v.
    dtau_bar : array_like, shape ``(..., nv)``, optional
        Tangent of tau_bar, 1/(N m)|1/N, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    df_ext : array_like, shape ``(..., n_links, 6)``, optional
        Tangent of f_ext, N, N m, linear first, at the link's origin, its axes.
    by_forces : bool, default ``False``
        Whether to return df_ext_bar as well.
    by_parameters : bool, default ``False``
        Whether to return dpi_bar as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    dtau : ndarray, shape ``(..., nv)``
        Tangent of tau, N m|N, ordered as v.
    dq_bar : ndarray, shape ``(..., nv)``
        Tangent of q_bar, 1/rad|1/m, ordered as v.
    dv_bar : ndarray, shape ``(..., nv)``
        Tangent of v_bar, s/rad|s/m, ordered as v.
    da_bar : ndarray, shape ``(..., nv)``
        Tangent of a_bar, s^2/rad|s^2/m, ordered as v.
    df_ext_bar : ndarray, shape ``(..., n_links, 6)``
        Tangent of f_ext_bar, 1/N, 1/(N m), linear first, at the link's origin, its axes; only with ``by_forces``.
    dpi_bar : ndarray, shape ``(..., 10 n_joints)``
        Tangent of pi_bar, 1/kg, 1/(kg m), 1/(kg m^2), for every link m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz,
        of :attr:`Model.inertial_parameters`; only with ``by_parameters``.

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
        _inverse_dynamics_hvp, model,
        (q, v, a, tau_bar, dq, dv, da, dtau_bar, f_ext, df_ext, *outputs("inverse_dynamics_hvp", out, *wanted)),
        None,
        threads, status, parameters, device,
    )
    return InverseDynamicsHvp.of(wanted, result)


class InverseDynamicsSecondDerivatives(NamedTuple):
    """Second derivatives of tau_bar . inverse_dynamics as matrices: arrays ``[nv, nv]`` for one state, ``[batch,
    nv, nv]`` for a batch."""

    d2tau_dqdq: Array  #: second derivative by configuration
    d2tau_dvdq: Array  #: second derivative by velocity and configuration
    d2tau_dadq: Array  #: second derivative by acceleration and configuration
    d2tau_dvdv: Array  #: second derivative by velocity


def inverse_dynamics_second_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau_bar: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: tuple[Array, Array, Array, Array] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> InverseDynamicsSecondDerivatives:
    """Second derivatives of tau_bar . inverse_dynamics as matrices.

        d2tau_dqdq[j, k] = d/ds q_bar[j](q (+) s e_k), d2tau_dvdq[j, k] = d/ds v_bar[j](q (+) s e_k)
        d2tau_dadq[j, k] = d/ds a_bar[j](q (+) s e_k), d2tau_dvdv[j, k] = d v_bar[j] / d v[k]

    with ``q_bar``, ``v_bar``, ``a_bar`` of :func:`inverse_dynamics_vjp`. The other blocks are transposes, or zero:
    joint torques are linear in accelerations. A unit cotangent tau_bar = e_i gives the second derivatives of tau_i, a
    batch of them the whole tensor of second derivatives. ``d2tau_dqdq`` is symmetric for joints with one degree of
    freedom.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    a : array_like, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, ordered as v.
    tau_bar : array_like, shape ``(..., nv)``
        Cotangent of tau, 1/(N m)|1/N, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    d2tau_dqdq : ndarray, shape ``(..., nv, nv)``
        Second derivative by configuration, row-major.
    d2tau_dvdq : ndarray, shape ``(..., nv, nv)``
        Second derivative by velocity and configuration, row-major.
    d2tau_dadq : ndarray, shape ``(..., nv, nv)``
        Second derivative by acceleration and configuration, row-major.
    d2tau_dvdv : ndarray, shape ``(..., nv, nv)``
        Second derivative by velocity, row-major.

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
        _inverse_dynamics_second_derivatives, model,
        (q, v, a, tau_bar, f_ext, *outputs("inverse_dynamics_second_derivatives", out, True, True, True, True)),
        None,
        threads, status, parameters, device,
    )
    return InverseDynamicsSecondDerivatives(*(result if out is not None else (x[()] for x in result)))


def mass_matrix(
    model: Model,
    q: ArrayLike,
    *,
    method: Method = "automatic",
    options: MethodOptions | None = None,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Joint-space inertia: tau = M(q) a for a robot at rest without gravity.

    The default method is composite rigid bodies, [RBDA] table 6.2.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    M : ndarray, shape ``(..., nv, nv)``
        Mass matrix, kg m^2|kg, rows and columns as in v, symmetric; armature is on its diagonal.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> M = tandem.mass_matrix(arm, tandem.random_configuration(arm, seed=1))
    >>> np.array_equal(M, M.T), bool((np.linalg.eigvalsh(M) > 0).all())
    (True, True)
    """
    return evaluate(
        _mass_matrix, model,
        (q, out),
        None if method == "automatic" and not options else _method(method, options),
        threads, status, parameters, device,
    )


def mass_matrix_rate(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Time derivative of the mass matrix, dM/dt, at velocity v.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    Mdot : ndarray, shape ``(..., nv, nv)``
        Time derivative of the mass matrix, kg m^2/s|kg/s, rows and columns as in v, symmetric.
    """
    return evaluate(_mass_matrix_rate, model, (q, v, out), None, threads, status, parameters, device)


def coriolis_matrix(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Coriolis matrix: C v are the Coriolis and centrifugal forces, and dM/dt - 2 C is skew-symmetric.

        C(q, v) v = bias_forces(q, v) - gravity_forces(q), C + C^T = dM/dt

    After [Echeandia, Wensing 2021]. For joints with one degree of freedom it is that of Christoffel symbols.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    C : ndarray, shape ``(..., nv, nv)``
        Coriolis matrix, dM/dt - 2 C is skew-symmetric, N m|N per rad/s|m/s, row-major.

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
    threads: int | None = 0, status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Forward dynamics: acceleration due to the joint torques ``tau`` in state (``q``, ``v``).

        a = (M(q) + diag(diagonal))^-1 (tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i)

    Armature is included; damping, friction and springs are not, see :func:`passive_forces`. A singular mass matrix
    gives infinities or NaN in this state. The default method is articulated bodies, [RBDA] table 7.1.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    tau : array_like, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, ordered as v; time step times damping makes damping
        implicit.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    iterations : array of int32, shape ``(batch,)``, optional
        Receives the number of iterations; 0 for methods that do not iterate.
    guess : array, shape ``(batch, n_links, 6)``, optional
        Initial guess of conjugate gradients: zeros, or values of an earlier call; receives the solution.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    a : ndarray, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, ordered as v.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v = tandem.random_configuration(arm, seed=1), np.ones(arm.nv)
    >>> a = tandem.forward_dynamics(arm, q, v, np.zeros(arm.nv))
    >>> np.allclose(tandem.inverse_dynamics(arm, q, v, a), 0, atol=1e-9)
    True
    """
    return evaluate(
        _forward_dynamics, model,
        (q, v, tau, f_ext, diagonal, out),
        None if method == "automatic" and not options else _method(method, options),
        threads, status if iterations is None and guess is None else (status, iterations, guess), parameters, device,
    )


class ForwardDynamicsDerivatives(Results):
    """Results of :func:`forward_dynamics_derivatives`: a named tuple of those that are requested."""

    da_dq: Array  #: derivative of the accelerations by configuration, rad/s^2|m/s^2 per rad|m
    da_dv: Array  #: by velocity, rad/s^2|m/s^2 per rad/s|m/s
    #: by joint torques: the inverse of the mass matrix, 1/(kg m^2)|1/kg; only with ``inverse_mass_matrix``
    da_dtau: Array


def forward_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    diagonal: ArrayLike | None = None,
    *,
    inverse_mass_matrix: bool = False,
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> ForwardDynamicsDerivatives:
    """Derivatives of :func:`forward_dynamics` by configuration, velocity and joint torques.

        a(q (+) dq, v + dv, tau + dtau) = a + da_dq dq + da_dv dv + da_dtau dtau + ...
        da_dq = -M^-1 dtau_dq, da_dv = -M^-1 dtau_dv, da_dtau = M^-1

    After [Carpentier 2018], with the derivatives of :func:`inverse_dynamics_derivatives` at the acceleration due to
    ``tau`` and with its conventions. Damping, friction and springs are not included. With closed loops they are those
    of the acceleration that keeps the loops closed, and the third matrix is not the inverse of the mass matrix.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    tau : array_like, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, ordered as v.
    inverse_mass_matrix : bool, default ``False``
        Whether to return da_dtau, the inverse of the mass matrix, as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    da_dq : ndarray, shape ``(..., nv, nv)``
        Derivative of the accelerations by configuration, rad/s^2|m/s^2 per rad|m, row-major.
    da_dv : ndarray, shape ``(..., nv, nv)``
        By velocity, rad/s^2|m/s^2 per rad/s|m/s, row-major.
    da_dtau : ndarray, shape ``(..., nv, nv)``
        By joint torques: the inverse of the mass matrix, 1/(kg m^2)|1/kg, rows and columns as in v, symmetric; only
        with ``inverse_mass_matrix``.

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
        _forward_dynamics_derivatives, model,
        (q, v, tau, f_ext, diagonal, *outputs("forward_dynamics_derivatives", out, *wanted)),
        None,
        threads, status, parameters, device,
    )
    return ForwardDynamicsDerivatives.of(wanted, result)


class ForwardDynamicsJvp(NamedTuple):
    """JVP of :func:`forward_dynamics` without matrices: arrays ``[nv]`` for one state, ``[batch, nv]`` for a
    batch."""

    a: Array  #: acceleration, rad/s^2|m/s^2
    da: Array  #: tangent of a, rad/s^2|m/s^2


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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> ForwardDynamicsJvp:
    """JVP of :func:`forward_dynamics` without matrices.

        da = M^-1 (dtau - dtau_dq dq - dtau_dv dv + sum_i J_i^T df_ext,i - Y dpi)

    with the matrices of :func:`inverse_dynamics_derivatives` at the acceleration due to ``tau``, in time and memory
    O(n). With closed loops it is that of the acceleration that keeps the loops closed.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    tau : array_like, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    dq : array_like, shape ``(..., nv)``
        Tangent of q, rad|m, ordered as v, as for :func:`integrate`.
    dv : array_like, shape ``(..., nv)``
        Tangent of v, rad/s|m/s, ordered as v.
    dtau : array_like, shape ``(..., nv)``
        Tangent of tau, N m|N, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, ordered as v.
    df_ext : array_like, shape ``(..., n_links, 6)``, optional
        Tangent of f_ext, N, N m, linear first, at the link's origin, its axes, or none: zeros.
    dpi : array_like, shape ``(..., 10 n_joints)``, optional
        Tangent of the inertial parameters, kg, kg m, kg m^2, for every link m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz,
        Iyz, Izz, or none: zeros.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    a : ndarray, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, ordered as v.
    da : ndarray, shape ``(..., nv)``
        Tangent of a, rad/s^2|m/s^2, ordered as v.

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
        _forward_dynamics_jvp, model,
        (q, v, tau, dq, dv, dtau, f_ext, diagonal, df_ext, dpi, *outputs("forward_dynamics_jvp", out, True, True)),
        None if method == "automatic" and not options else _method(method, options),
        threads, status, parameters, device,
    )
    return ForwardDynamicsJvp(*(result if out is not None else (x[()] for x in result)))


class ForwardDynamicsVjp(Results):
    """Results of :func:`forward_dynamics_vjp`: a named tuple of those that are requested."""

    a: Array  #: acceleration, rad/s^2|m/s^2
    q_bar: Array  #: cotangent of q, 1/rad|1/m
    v_bar: Array  #: cotangent of v, s/rad|s/m
    tau_bar: Array  #: cotangent of tau, 1/(N m)|1/N
    f_ext_bar: Array  #: cotangent of f_ext, 1/N, 1/(N m); only with ``by_forces``
    pi_bar: Array  #: cotangent of the inertial parameters, 1/kg, 1/(kg m), 1/(kg m^2); only with ``by_parameters``


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
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> ForwardDynamicsVjp:
    """VJP of :func:`forward_dynamics` without matrices.

        tau_bar = M^-1 a_bar, q_bar = -dtau_dq^T tau_bar, v_bar = -dtau_dv^T tau_bar
        f_ext_bar = J tau_bar, pi_bar = -Y^T tau_bar

    are the gradient of a_bar . a, in time and memory O(n). ``q_bar`` is in the cotangent space of :func:`integrate`.
    With closed loops they are those of the acceleration that keeps the loops closed.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    tau : array_like, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    a_bar : array_like, shape ``(..., nv)``
        Cotangent of a, s^2/rad|s^2/m, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, ordered as v.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    by_forces : bool, default ``False``
        Whether to return f_ext_bar as well.
    by_parameters : bool, default ``False``
        Whether to return pi_bar as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    a : ndarray, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, ordered as v.
    q_bar : ndarray, shape ``(..., nv)``
        Cotangent of q, 1/rad|1/m, ordered as v.
    v_bar : ndarray, shape ``(..., nv)``
        Cotangent of v, s/rad|s/m, ordered as v.
    tau_bar : ndarray, shape ``(..., nv)``
        Cotangent of tau, 1/(N m)|1/N, ordered as v.
    f_ext_bar : ndarray, shape ``(..., n_links, 6)``
        Cotangent of f_ext, 1/N, 1/(N m), linear first, at the link's origin, its axes; only with ``by_forces``.
    pi_bar : ndarray, shape ``(..., 10 n_joints)``
        Cotangent of the inertial parameters, 1/kg, 1/(kg m), 1/(kg m^2), for every link m, m cx, m cy, m cz, Ixx, Ixy,
        Iyy, Ixz, Iyz, Izz, of :attr:`Model.inertial_parameters`; only with ``by_parameters``.

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
        _forward_dynamics_vjp, model,
        (q, v, tau, a_bar, f_ext, diagonal, *outputs("forward_dynamics_vjp", out, *wanted)),
        None if method == "automatic" and not options else _method(method, options),
        threads, status, parameters, device,
    )
    return ForwardDynamicsVjp.of(wanted, result)


class ForwardDynamicsHvp(Results):
    """Results of :func:`forward_dynamics_hvp`: a named tuple of those that are requested."""

    da: Array  #: tangent of a, rad/s^2|m/s^2
    dq_bar: Array  #: tangent of q_bar, 1/rad|1/m
    dv_bar: Array  #: tangent of v_bar, s/rad|s/m
    dtau_bar: Array  #: tangent of tau_bar, 1/(N m)|1/N
    df_ext_bar: Array  #: tangent of f_ext_bar, 1/N, 1/(N m); only with ``by_forces``
    dpi_bar: Array  #: tangent of pi_bar, 1/kg, 1/(kg m), 1/(kg m^2); only with ``by_parameters``


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
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> ForwardDynamicsHvp:
    """JVP of :func:`forward_dynamics_vjp`: Hessian-vector products without matrices.

        dq_bar = d/ds q_bar(q (+) s dq, v + s dv, tau + s dtau, a_bar + s da_bar, f_ext + s df_ext)

    and similarly ``dv_bar``, ``dtau_bar``, ...; ``da`` is that of :func:`forward_dynamics_jvp`. Time and memory are
    O(n), about three times those of the VJP. ``dq`` is in the tangent space of :func:`integrate`. Axes move with the
    links, so that for spherical, planar and free joints ``dq_bar`` is not symmetric in ``dq``: see the page on second
    derivatives. Closed loops are not supported.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    tau : array_like, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    a_bar : array_like, shape ``(..., nv)``
        Cotangent of a, s^2/rad|s^2/m, ordered as v.
    dq : array_like, shape ``(..., nv)``
        Tangent of q, rad|m, ordered as v, as for :func:`integrate`.
    dv : array_like, shape ``(..., nv)``
        Tangent of v, rad/s|m/s, ordered as v.
    dtau : array_like, shape ``(..., nv)``
        Tangent of tau, N m|N, ordered as v.
    da_bar : array_like, shape ``(..., nv)``, optional
        Tangent of a_bar, s^2/rad|s^2/m, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    df_ext : array_like, shape ``(..., n_links, 6)``, optional
        Tangent of f_ext, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, ordered as v.
    by_forces : bool, default ``False``
        Whether to return df_ext_bar as well.
    by_parameters : bool, default ``False``
        Whether to return dpi_bar as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    da : ndarray, shape ``(..., nv)``
        Tangent of a, rad/s^2|m/s^2, ordered as v.
    dq_bar : ndarray, shape ``(..., nv)``
        Tangent of q_bar, 1/rad|1/m, ordered as v.
    dv_bar : ndarray, shape ``(..., nv)``
        Tangent of v_bar, s/rad|s/m, ordered as v.
    dtau_bar : ndarray, shape ``(..., nv)``
        Tangent of tau_bar, 1/(N m)|1/N, ordered as v.
    df_ext_bar : ndarray, shape ``(..., n_links, 6)``
        Tangent of f_ext_bar, 1/N, 1/(N m), linear first, at the link's origin, its axes; only with ``by_forces``.
    dpi_bar : ndarray, shape ``(..., 10 n_joints)``
        Tangent of pi_bar, 1/kg, 1/(kg m), 1/(kg m^2), for every link m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz,
        of :attr:`Model.inertial_parameters`; only with ``by_parameters``.

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
        _forward_dynamics_hvp, model,
        (
            q, v, tau, a_bar, dq, dv, dtau, da_bar, f_ext, df_ext, diagonal, *outputs("forward_dynamics_hvp", out,
            *wanted),
        ),
        None,
        threads, status, parameters, device,
    )
    return ForwardDynamicsHvp.of(wanted, result)


class ForwardDynamicsSecondDerivatives(NamedTuple):
    """Second derivatives of a_bar . forward_dynamics as matrices: arrays ``[nv, nv]`` for one state, ``[batch, nv,
    nv]`` for a batch."""

    d2a_dqdq: Array  #: second derivative by configuration
    d2a_dvdq: Array  #: second derivative by velocity and configuration
    d2a_dtaudq: Array  #: second derivative by joint torques and configuration
    d2a_dvdv: Array  #: second derivative by velocity


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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> ForwardDynamicsSecondDerivatives:
    """Second derivatives of a_bar . forward_dynamics as matrices.

        d2a_dqdq[j, k] = d/ds q_bar[j](q (+) s e_k), d2a_dvdq[j, k] = d/ds v_bar[j](q (+) s e_k)
        d2a_dtaudq[j, k] = d/ds tau_bar[j](q (+) s e_k), d2a_dvdv[j, k] = d v_bar[j] / d v[k]

    with ``q_bar``, ``v_bar``, ``tau_bar`` of :func:`forward_dynamics_vjp`. The other blocks are transposes, or zero:
    accelerations are linear in joint torques. A unit cotangent a_bar = e_i gives the second derivatives of a_i, a batch
    of them the whole tensor of second derivatives. ``d2a_dqdq`` is symmetric for joints with one degree of freedom.
    Closed loops are not supported.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    tau : array_like, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    a_bar : array_like, shape ``(..., nv)``
        Cotangent of a, s^2/rad|s^2/m, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, ordered as v.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    d2a_dqdq : ndarray, shape ``(..., nv, nv)``
        Second derivative by configuration, row-major.
    d2a_dvdq : ndarray, shape ``(..., nv, nv)``
        Second derivative by velocity and configuration, row-major.
    d2a_dtaudq : ndarray, shape ``(..., nv, nv)``
        Second derivative by joint torques and configuration, row-major.
    d2a_dvdv : ndarray, shape ``(..., nv, nv)``
        Second derivative by velocity, row-major.

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
        _forward_dynamics_second_derivatives, model,
        (
            q, v, tau, a_bar, f_ext, diagonal, *outputs("forward_dynamics_second_derivatives", out, True, True, True,
            True),
        ),
        None,
        threads, status, parameters, device,
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
    threads: int | None = 0, status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Constraint wrenches of the joints under the joint torques ``tau``.

    Row i is the wrench on link i from its parent without its components along the axes of joint i: the result of
    :func:`interbody_wrenches` for the acceleration of :func:`forward_dynamics`, minus the joint torques. Row 0 is the
    total wrench that holds the base. Method ``"constraint_force"`` solves for these wrenches.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    tau : array_like, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, ordered as v.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    iterations : array of int32, shape ``(batch,)``, optional
        Receives the number of iterations; 0 for methods that do not iterate.
    guess : array, shape ``(batch, n_links, 6)``, optional
        Initial guess of conjugate gradients: zeros, or values of an earlier call; receives the solution.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    f_c : ndarray, shape ``(..., n_links, 6)``
        Wrench on every link from its parent, without components along the joint, N, N m, linear first, at the link's
        origin, its axes.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, zero = tandem.neutral_configuration(arm), np.zeros(arm.nv)
    >>> tandem.constraint_wrenches(arm, q, zero, zero).shape == (arm.n_links, 6)
    True
    """
    return evaluate(
        _constraint_wrenches, model,
        (q, v, tau, f_ext, diagonal, out),
        None if method == "automatic" and not options else _method(method, options),
        threads, status if iterations is None and guess is None else (status, iterations, guess), parameters, device,
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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
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
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> tuple[Array, ...]: ...
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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Any:
    """Forward dynamics with closed loops: acceleration due to the joint torques ``tau``, and loop forces.

        (M(q) + diag(diagonal)) a = tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i + J^T x,  J a + dJ/dt v = 0

    :func:`forward_dynamics` of a robot with loops gives the same acceleration. Forward dynamics of the tree by
    articulated bodies, then the forces in the constrained directions of the loop joints; redundant directions carry
    none. [RBDA] chapter 8. Gaps do not decay without ``stabilisation``, after [Baumgarte 1972]: see
    :func:`close_loops`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    tau : array_like, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    diagonal : array_like, shape ``(..., nv)``, optional
        Added to the diagonal of the mass matrix, kg m^2|kg, ordered as v; time step times damping makes damping
        implicit.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    stabilisation : float, default ``0``
        Rate at which gaps of loops decay, 1/s; 0: none.
    forces : bool, default ``False``
        Whether to return the forces of the loop joints.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    a : ndarray, shape ``(..., nv)``
        Acceleration, rad/s^2|m/s^2, ordered as v.
    f_loop : ndarray, shape ``(..., n_loops, 6)``
        Wrenches of the loop joints on their second links, N, N m, linear first, at the origin of frame 2, the axes of
        frame 1; wrench of each loop joint on its second link, and the opposite on the first; only with ``forces``.

    Examples
    --------
    >>> bars = tandem.load("four_bar")
    >>> q, v = tandem.neutral_configuration(bars), np.zeros(bars.nv)
    >>> a, f_loop = tandem.closed_loop_dynamics(bars, q, v, v, forces=True)
    >>> f_loop.shape
    (1, 6)
    """
    return evaluate(
        _closed_loop_dynamics, model,
        (q, v, tau, f_ext, diagonal, *outputs("closed_loop_dynamics", out, True, forces)),
        (
            None
            if method == "automatic" and not options and stabilisation == 0
            else _method(method, {"stabilisation": stabilisation, **(options or {})})
        ),
        threads, status, parameters, device,
    )


def inverse_mass_matrix_product(
    model: Model,
    q: ArrayLike,
    x: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Product M(q)^-1 x without forming M.

    For one ``q`` and a batch of ``x``, all that depends only on ``q`` is computed once: many vectors cost a fraction of
    as many calls. A singular mass matrix gives infinities or NaN. [RBDA] section 7.3.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    x : array_like, shape ``(..., nv)``
        Vector to multiply, in joint torques, N m|N, by joint; free joints linear then angular, spherical joints
        angular, along the axes of the child link.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    y : ndarray, shape ``(..., nv)``
        M^-1 x, a joint acceleration, rad/s^2|m/s^2, ordered as x.
    """
    return evaluate(_inverse_mass_matrix_product, model, (q, x, out), None, threads, status, parameters, device)


def inverse_mass_matrix(
    model: Model,
    q: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Inverse of the mass matrix: the accelerations per unit joint torque.

    By the factors of the articulated-body method [Rodriguez, Jain, Kreutz-Delgado 1992], without the mass matrix. For
    products with a few vectors :func:`inverse_mass_matrix_product` is faster. A singular mass matrix gives infinities
    or NaN.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    Minv : ndarray, shape ``(..., nv, nv)``
        Inverse of the mass matrix, 1/(kg m^2)|1/kg, rows and columns as in v, symmetric.

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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Inverse operational-space inertia J M^-1 J^T: acceleration of a frame per wrench on it.

    In time proportional to the number of links, without J and M. [Rodriguez, Jain, Kreutz-Delgado 1992].

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    frame : str | int
        Frame, by name or index.
    reference : Reference, default ``"local"``
        Axes and reference point of velocities and Jacobians.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    mobility : ndarray, shape ``(..., 6, 6)``
        J M^-1 J^T of the frame, 1/kg, 1/(kg m), 1/(kg m^2), linear first; symmetric, singular if the frame cannot move
        in some direction.

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
        _operational_space_mobility, model,
        (q, out),
        {"frame": frame, "reference": reference},
        threads, status, parameters, device,
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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Energy:
    """Kinetic and potential energy.

        kinetic = 1/2 v^T M(q) v,   potential = -sum_i m_i g . p_com,i + 1/2 sum_k stiffness_k stretch_k^2

    Of the moving links and their rotors; potential is that of weight, zero at the world's origin, and of joint springs.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    kinetic : ndarray, shape ``(...)``
        Kinetic energy, J.
    potential : ndarray, shape ``(...)``
        Potential energy of weight and springs, J.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> kinetic, potential = tandem.energy(arm, tandem.neutral_configuration(arm), np.zeros(arm.nv))
    >>> float(kinetic)
    0.0
    """
    result = evaluate(
        _energy, model, (q, v, *outputs("energy", out, True, True)), None, threads, status, parameters, device
    )
    return Energy(*(result if out is not None else (x[()] for x in result)))


class EnergyDerivatives(NamedTuple):
    """Derivatives of kinetic and potential energy by configuration and velocity: arrays ``[nv]`` for one state,
    ``[batch, nv]`` for a batch."""

    dkinetic_dq: Array  #: derivative of the kinetic energy by configuration, J per rad|m
    dkinetic_dv: Array  #: by velocity: the momentum of every joint, M v, J per rad/s|m/s
    dpotential_dq: Array  #: derivative of the potential energy by configuration, J per rad|m


def energy_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> EnergyDerivatives:
    """Derivatives of kinetic and potential energy by configuration and velocity.

        kinetic(q (+) dq, v + dv) = kinetic + dkinetic_dq . dq + dkinetic_dv . dv + ..., dkinetic_dv = M(q) v
        potential(q (+) dq) = potential + dpotential_dq . dq + ...

    Without springs dpotential_dq is :func:`gravity_forces`. dq is in the tangent space of :func:`integrate`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    dkinetic_dq : ndarray, shape ``(..., nv)``
        Derivative of the kinetic energy by configuration, J per rad|m, ordered as v.
    dkinetic_dv : ndarray, shape ``(..., nv)``
        By velocity: the momentum of every joint, M v, J per rad/s|m/s, ordered as v.
    dpotential_dq : ndarray, shape ``(..., nv)``
        Derivative of the potential energy by configuration, J per rad|m, ordered as v.

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
        _energy_derivatives, model,
        (q, v, *outputs("energy_derivatives", out, True, True, True)),
        None,
        threads, status, parameters, device,
    )
    return EnergyDerivatives(*(result if out is not None else (x[()] for x in result)))


@overload
def centre_of_mass(
    model: Model,
    q: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array: ...
@overload
def centre_of_mass(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    jacobian: bool = False,
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> tuple[Array, ...]: ...
@overload
def centre_of_mass(
    model: Model,
    q: ArrayLike,
    *,
    jacobian: Literal[True],
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> tuple[Array, ...]: ...
def centre_of_mass(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    jacobian: bool = False,
    out: Any = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Any:
    """Center of mass of the moving links in the world, its velocity and its Jacobian.

    NaN for a robot whose moving links have no mass.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    jacobian : bool, default ``False``
        Whether to return the Jacobian.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    com : ndarray, shape ``(..., 3)``
        Centre of mass of the moving links in the world, m.
    velocity : ndarray, shape ``(..., 3)``
        Its velocity, m/s; only with ``v``.
    J : ndarray, shape ``(..., 3, nv)``
        Its Jacobian, m/rad|1, columns as in v, velocity = J v; world axes; only with ``jacobian``.
    """
    return evaluate(
        _centre_of_mass, model,
        (q, v, *outputs("centre_of_mass", out, True, v is not None, jacobian)),
        None,
        threads, status, parameters, device,
    )


class CentreOfMassDerivatives(Results):
    """Results of :func:`centre_of_mass_derivatives`: a named tuple of those that are requested."""

    dvelocity_dq: Array  #: derivative of its velocity by configuration, m/s per rad|m
    dacceleration_dq: Array  #: its acceleration by configuration, m/s^2 per rad|m
    dacceleration_dv: Array  #: by velocity, m/s^2 per rad/s|m/s
    J: Array  #: its Jacobian: velocity by velocity, acceleration by acceleration, m/rad|1; only with ``jacobian``
    acceleration: Array  #: acceleration of the centre of mass, m/s^2; only with ``acceleration``


def centre_of_mass_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    jacobian: bool = False,
    acceleration: bool = False,
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> CentreOfMassDerivatives:
    """Derivatives of velocity and acceleration of the center of mass by configuration, velocity and acceleration.

        velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
        acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...

    NaN without moving mass. World axes; the acceleration does not include gravity. The center of mass moves by J dq,
    with dq in the tangent space of :func:`integrate`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    a : array_like, shape ``(..., nv)``, optional
        Acceleration, rad/s^2|m/s^2, ordered as v.
    jacobian : bool, default ``False``
        Whether to return the Jacobian as well.
    acceleration : bool, default ``False``
        Whether to return the acceleration as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

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
    """
    wanted = (True, True, True, jacobian, acceleration)
    result = evaluate(
        _centre_of_mass_derivatives, model,
        (q, v, a, *outputs("centre_of_mass_derivatives", out, *wanted)),
        None,
        threads, status, parameters, device,
    )
    return CentreOfMassDerivatives.of(wanted, result)


@overload
def centroidal_momentum(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array: ...
@overload
def centroidal_momentum(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    matrix: Literal[True],
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> tuple[Array, ...]: ...
def centroidal_momentum(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    matrix: bool = False,
    out: Any = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Any:
    """Linear and angular momentum of the moving links about their centre of mass, world axes: h = A(q) v.

    [Orin 2013] eq. 27.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    matrix : bool, default ``False``
        Whether to return A as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    h : ndarray, shape ``(..., 6)``
        Centroidal momentum, kg m/s, kg m^2/s, linear first.
    A : ndarray, shape ``(..., 6, nv)``
        Centroidal momentum matrix, kg m|kg, kg m^2|kg m, linear first; only with ``matrix``.
    """
    return evaluate(
        _centroidal_momentum, model,
        (q, v, *outputs("centroidal_momentum", out, True, matrix)),
        None,
        threads, status, parameters, device,
    )


class CentroidalMomentumDerivatives(Results):
    """Results of :func:`centroidal_momentum_derivatives`: a named tuple of those that are requested."""

    dh_dq: Array  #: derivative of the momentum by configuration, kg m/s, kg m^2/s per rad|m
    dhdot_dq: Array  #: its rate by configuration, N, N m per rad|m
    dhdot_dv: Array  #: by velocity, N, N m per rad/s|m/s
    A: Array  #: centroidal momentum matrix, kg m|kg, kg m^2|kg m; only with ``matrix``
    hdot: Array  #: rate of the momentum, N, N m; only with ``rate``


def centroidal_momentum_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    matrix: bool = False,
    rate: bool = False,
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> CentroidalMomentumDerivatives:
    """Derivatives of the centroidal momentum and its rate by configuration, velocity and acceleration.

        h(q (+) dq, v + dv) = h + dh_dq dq + A dv + ...
        hdot(q (+) dq, v + dv, a + da) = hdot + dhdot_dq dq + dhdot_dv dv + A da + ...

    World axes, about the moving center of mass; without moving mass about the world's origin. The rate does not include
    gravity. dq is in the tangent space of :func:`integrate`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    a : array_like, shape ``(..., nv)``, optional
        Acceleration, rad/s^2|m/s^2, ordered as v.
    matrix : bool, default ``False``
        Whether to return the centroidal momentum matrix A as well.
    rate : bool, default ``False``
        Whether to return the rate of the momentum as well.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

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
        _centroidal_momentum_derivatives, model,
        (q, v, a, *outputs("centroidal_momentum_derivatives", out, *wanted)),
        None,
        threads, status, parameters, device,
    )
    return CentroidalMomentumDerivatives.of(wanted, result)


def passive_forces(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Joint torques of springs, damping and friction, to be added to tau.

        tau = -stiffness (q - q_rest) - damping v - friction sign(v)

    Friction is linear in ``v`` below a slip speed of 1e-3 rad/s or m/s.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    tau : ndarray, shape ``(..., nv)``
        Joint torques of springs, damping and friction, N m|N, ordered as v.
    """
    return evaluate(_passive_forces, model, (q, v, out), None, threads, status, parameters, device)


class PassiveForcesDerivatives(NamedTuple):
    """Derivatives of :func:`passive_forces` by configuration and velocity: arrays ``[nv, nv]`` for one state,
    ``[batch, nv, nv]`` for a batch."""

    dtau_dq: Array  #: derivative of the joint torques by configuration, N m|N per rad|m
    dtau_dv: Array  #: by velocity, N m|N per rad/s|m/s


def passive_forces_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    out: tuple[Array, Array] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> PassiveForcesDerivatives:
    """Derivatives of :func:`passive_forces` by configuration and velocity.

        tau(q (+) dq, v + dv) = tau + dtau_dq dq + dtau_dv dv + ...

    To be added to the derivatives of the driving torques. dtau_dv is diagonal; at the slip speed, where friction has a
    kink, it is that of faster motion. dq is in the tangent space of :func:`integrate`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    dtau_dq : ndarray, shape ``(..., nv, nv)``
        Derivative of the joint torques by configuration, N m|N per rad|m, row-major.
    dtau_dv : ndarray, shape ``(..., nv, nv)``
        By velocity, N m|N per rad/s|m/s, row-major.
    """
    result = evaluate(
        _passive_forces_derivatives, model,
        (q, v, *outputs("passive_forces_derivatives", out, True, True)),
        None,
        threads, status, parameters, device,
    )
    return PassiveForcesDerivatives(*(result if out is not None else (x[()] for x in result)))


def integrate(
    model: Model,
    q: ArrayLike,
    u: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Configuration reached from ``q`` with a constant velocity in unit time, on the configuration manifold.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    u : array_like, shape ``(..., nv)``
        Velocity times time, rad|m, by joint; free joints linear then angular, spherical joints angular, along the axes
        of the child link.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    q_next : ndarray, shape ``(..., nq)``
        Configuration reached, rad|m, ordered as q; quaternions are normalised. It may be ``q`` itself.

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
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Constant velocity from ``q0`` to ``q1`` in unit time along the shortest path.

    Inverse of :func:`integrate`. Angles of revolute joints are subtracted, including full turns.

    Parameters
    ----------
    model : Model
    q0 : array_like, shape ``(..., nq)``
        Configuration to start from, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a
        quaternion.
    q1 : array_like, shape ``(..., nq)``
        Configuration to reach, rad|m, ordered as q0.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    u : ndarray, shape ``(..., nv)``
        Velocity times time, rad|m, by joint; free joints linear then angular, spherical joints angular, along the axes
        of the child link.
    """
    return evaluate(_difference, model, (q0, q1, out), None, threads, status, parameters, device)


def integrate_rate(
    model: Model,
    u: ArrayLike,
    v: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array:
    """Rate of a displacement: du/dt while integrate(q, u) moves with velocity ``v``.

    Runge-Kutta methods on manifolds need it, [Munthe-Kaas 1998]. Exact to third order in ``u``.

    Parameters
    ----------
    model : Model
    u : array_like, shape ``(..., nv)``
        Displacement so far, rad|m, by joint; free joints linear then angular, spherical joints angular, along the axes
        of the child link.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, ordered as u.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    rate : ndarray, shape ``(..., nv)``
        Rate of the displacement, rad/s|m/s, ordered as u.
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
    threads: int | None = 0, status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Array: ...
@overload
def close_loops(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    tolerance: float = 0,
    max_iterations: int = 0,
    error: bool = False,
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> tuple[Array, ...]: ...
@overload
def close_loops(
    model: Model,
    q: ArrayLike,
    *,
    tolerance: float = 0,
    max_iterations: int = 0,
    error: Literal[True],
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> tuple[Array, ...]: ...
def close_loops(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    tolerance: float = 0,
    max_iterations: int = 0,
    error: bool = False,
    out: Any = None,
    threads: int | None = 0, status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Any:
    """Find a nearby configuration with closed loops, and the part of ``v`` that keeps them closed.

    Newton's method: each step is the shortest one that closes the loops to first order, in the metric of the mass
    matrix. If the gaps are large, the sum of the steps is not the shortest displacement, and another choice of the loop
    joint gives another result. The velocity is the nearest to ``v`` in this metric. If no step reduces the error, the
    iteration does not converge, which ``status`` reports. Joint limits are ignored. ``q_closed`` and ``v_closed`` may
    be ``q`` and ``v`` themselves.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``, optional
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    tolerance : float, default ``0``
        Relative change and residual at which an iteration ends; 0: 1e-12 in double, 1e-5 in float.
    max_iterations : int, default ``0``
        Limit of iterations; 0: 50.
    iterations : array of int32, shape ``(batch,)``, optional
        Receives the number of iterations; 0 for methods that do not iterate.
    guess : array, shape ``(batch, n_links, 6)``, optional
        Initial guess of conjugate gradients: zeros, or values of an earlier call; receives the solution.
    error : bool, default ``False``
        Whether to return the largest distance and angle between frames of loop joints.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    q_closed : ndarray, shape ``(..., nq)``
        Configuration with closed loops, rad|m, ordered as q.
    v_closed : ndarray, shape ``(..., nv)``
        Velocity that keeps them closed, rad/s|m/s, ordered as v; only with ``v``.
    error : ndarray, shape ``(...)``
        Largest distance and angle between frames of loop joints, m, rad; only with ``error``.

    Examples
    --------
    >>> bars = tandem.load("four_bar")
    >>> q, error = tandem.close_loops(bars, [0.3, 0.0, 0.0], error=True)
    >>> bool(error < 1e-12)
    True
    """
    return evaluate(
        _close_loops, model,
        (q, v, *outputs("close_loops", out, True, v is not None, error)),
        {"tolerance": tolerance, "max_iterations": max_iterations},
        threads, status if iterations is None and guess is None else (status, iterations, guess), parameters, device,
    )


class Step(Results):
    """Results of :func:`step`: a named tuple of those that are requested."""

    q_next: Array  #: next configuration, rad|m
    v_next: Array  #: next velocity, rad/s|m/s
    stops_next: Array  #: joint-limit states afterwards, N m s/rad|N s/m, N m|N; only with ``next_stops``
    step_energies: Array  #: energy balance of the steps, J; only with ``energies``


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
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> Step:
    """State after one or more time steps of ``dt``.

        (M + h D + h^2 K) a = tau - bias - D v - K (q - q_rest) - h K v,  v += h a,  q = q (+) h v

    with h = ``dt``, or similarly by rk4 or implicit_midpoint, which conserves energy. The linear velocity of free and
    planar joints is integrated along fixed axes, so that a spinning body moves along a straight line. D has joint
    damping, ``kd`` and friction, K has stiffness and ``kp``: a controller kp (q_target - q) - kd v, clipped to effort
    limits. Joint limits act; contacts do not: :class:`Simulation`, :func:`rollout` and, in Python, :func:`contact_step`
    have them. The forces are constant in all ``steps``. :class:`Simulation` uses the same step, stores the joint-limit
    states, closes loops and detects divergence. A gain without a target is an error, as are closed loops. ``stops`` has
    the impedance, force and side of every joint limit: 1 at the upper limit, -1 at the lower, 0 inactive.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    tau : array_like, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    dt : array_like, shape ``(...)``
        Length of a step, s.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    q_target : array_like, shape ``(..., nq)``, optional
        Target of a controller kp (q_target - q) - kd v, rad|m, ordered as q.
    kp : array_like, shape ``(..., nv)``, optional
        Its position gain, 0 if omitted, N m/rad|N/m, ordered as v.
    kd : array_like, shape ``(..., nv)``, optional
        Its velocity gain, 0 if omitted, N m s/rad|N s/m, ordered as v.
    stops : array_like, shape ``(..., nv, 3)``, optional
        Joint-limit states before, N m s/rad|N s/m, N m|N, impedance, force and side (1 upper, -1 lower, 0 inactive) of
        every joint limit; ``stops_next`` of the previous call.
    integrator : Integrator, default ``"semi_implicit_euler"``
        Integrator.
    steps : int, default ``1``
        Number of steps of a call.
    limits : bool, default ``True``
        Whether joint limits act.
    losses : bool, default ``True``
        Whether joint damping and friction act.
    effort_limits : bool, default ``False``
        Whether the sum of tau and the controller is clipped to effort limits.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    tolerance : float, default ``0``
        Relative change and residual at which an iteration ends.
    max_iterations : int, default ``0``
        Limit of iterations.
    iterations : array of int32, shape ``(batch,)``, optional
        Receives the number of iterations; 0 for methods that do not iterate.
    guess : array, shape ``(batch, n_links, 6)``, optional
        Initial guess of conjugate gradients: zeros, or values of an earlier call; receives the solution.
    next_stops : bool, default ``False``
        Whether to return the joint-limit states.
    energies : bool, default ``False``
        Whether to return the energy balance.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    q_next : ndarray, shape ``(..., nq)``
        Next configuration, rad|m, ordered as q.
    v_next : ndarray, shape ``(..., nv)``
        Next velocity, rad/s|m/s, ordered as v.
    stops_next : ndarray, shape ``(..., nv, 3)``
        Joint-limit states afterwards, N m s/rad|N s/m, N m|N, impedance, force and side (1 upper, -1 lower, 0 inactive)
        of every joint limit; only with ``next_stops``.
    step_energies : ndarray, shape ``(..., 4)``
        Energy balance of the steps, J, dissipated, of this by joint limits, work of tau and f_ext, work of the
        controller: dissipated, of this by joint limits, work of ``tau`` and ``f_ext``, work of the controller; only
        with ``energies``.

    Examples
    --------
    >>> arm = tandem.load("arm7")
    >>> q, v = tandem.step(arm, np.full(7, 0.1), np.zeros(7), np.zeros(7), 1e-3, steps=100)
    >>> q.shape, bool(abs(v).max() > 0)
    ((7,), True)
    """
    wanted = (True, True, next_stops, energies)
    result = evaluate(
        _step, model,
        (q, v, tau, dt, f_ext, q_target, kp, kd, stops, *outputs("step", out, *wanted)),
        (
            None
            if method == "automatic" and not options and tolerance == 0 and max_iterations == 0 and integrator ==
            "semi_implicit_euler" and steps == 1 and limits is True and losses is True and effort_limits is False
            else _method(method, {"integrator": integrator, "steps": steps, "limits": limits, "losses": losses,
                "effort_limits": effort_limits, "tolerance": tolerance, "max_iterations": max_iterations, **(options or
                {})})
        ),
        threads, status if iterations is None and guess is None else (status, iterations, guess), parameters, device,
    )
    return Step.of(wanted, result)


class StepJvp(Results):
    """Results of :func:`step_jvp`: a named tuple of those that are requested."""

    q_next: Array  #: next configuration, rad|m
    v_next: Array  #: next velocity, rad/s|m/s
    dq_next: Array  #: tangent of q_next, rad|m
    dv_next: Array  #: tangent of v_next, rad/s|m/s
    stops_next: Array  #: joint-limit states afterwards, N m s/rad|N s/m, N m|N; only with ``next_stops``
    dimpedance_next: Array  #: tangent of the impedances in stops_next, N m s/rad|N s/m; only with ``next_stops``


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
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> StepJvp:
    """JVP of a :func:`step` by all its inputs, without matrices.

        dq_next = d/ds q_next(q (+) s dq, v + s dv, tau + s dtau, ...), and similarly dv_next

    in time and memory O(n), for every integrator, with dq and dq_next in the tangent space of :func:`integrate`. They
    are the derivatives of the computed step up to rounding. Active effort limits, slipping friction and active joint
    limits are those of the step: the derivative jumps where they change. ``dimpedance`` is the tangent of the
    impedances in ``stops``, ``dimpedance_next`` of those in ``stops_next``. The adjoint is :func:`step_vjp`. Errors are
    those of :func:`step`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    tau : array_like, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    dt : array_like, shape ``(...)``
        Length of a step, s.
    dq : array_like, shape ``(..., nv)``
        Tangent of q, rad|m, ordered as v.
    dv : array_like, shape ``(..., nv)``
        Tangent of v, rad/s|m/s, ordered as v.
    dtau : array_like, shape ``(..., nv)``
        Tangent of tau, N m|N, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    q_target : array_like, shape ``(..., nq)``, optional
        Target of a controller kp (q_target - q) - kd v, rad|m, ordered as q.
    kp : array_like, shape ``(..., nv)``, optional
        Its position gain, 0 if omitted, N m/rad|N/m, ordered as v.
    kd : array_like, shape ``(..., nv)``, optional
        Its velocity gain, 0 if omitted, N m s/rad|N s/m, ordered as v.
    stops : array_like, shape ``(..., nv, 3)``, optional
        Joint-limit states before, N m s/rad|N s/m, N m|N, impedance, force and side (1 upper, -1 lower, 0 inactive) of
        every joint limit.
    df_ext : array_like, shape ``(..., n_links, 6)``, optional
        Tangent of f_ext, N, N m, linear first, at the link's origin, its axes.
    dq_target : array_like, shape ``(..., nv)``, optional
        Tangent of q_target, rad|m, ordered as v.
    dkp : array_like, shape ``(..., nv)``, optional
        Tangent of kp, N m/rad|N/m, ordered as v.
    dkd : array_like, shape ``(..., nv)``, optional
        Tangent of kd, N m s/rad|N s/m, ordered as v.
    dimpedance : array_like, shape ``(..., nv)``, optional
        Tangent of the impedances in stops, N m s/rad|N s/m, ordered as v.
    integrator : Integrator, default ``"semi_implicit_euler"``
        Integrator.
    limits : bool, default ``True``
        Whether joint limits act.
    losses : bool, default ``True``
        Whether joint damping and friction act.
    effort_limits : bool, default ``False``
        Whether the sum of tau and the controller is clipped to effort limits.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    tolerance : float, default ``0``
        Relative change and residual at which an iteration ends.
    max_iterations : int, default ``0``
        Limit of iterations.
    iterations : array of int32, shape ``(batch,)``, optional
        Receives the number of iterations; 0 for methods that do not iterate.
    guess : array, shape ``(batch, n_links, 6)``, optional
        Initial guess of conjugate gradients: zeros, or values of an earlier call; receives the solution.
    next_stops : bool, default ``False``
        Whether to return the joint-limit states and dimpedance_next.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    q_next : ndarray, shape ``(..., nq)``
        Next configuration, rad|m, ordered as q.
    v_next : ndarray, shape ``(..., nv)``
        Next velocity, rad/s|m/s, ordered as v.
    dq_next : ndarray, shape ``(..., nv)``
        Tangent of q_next, rad|m, ordered as v.
    dv_next : ndarray, shape ``(..., nv)``
        Tangent of v_next, rad/s|m/s, ordered as v.
    stops_next : ndarray, shape ``(..., nv, 3)``
        Joint-limit states afterwards, N m s/rad|N s/m, N m|N, impedance, force and side (1 upper, -1 lower, 0 inactive)
        of every joint limit; only with ``next_stops``.
    dimpedance_next : ndarray, shape ``(..., nv)``
        Tangent of the impedances in stops_next, N m s/rad|N s/m, ordered as v; only with ``next_stops``.

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
        _step_jvp, model,
        (
            q, v, tau, dt, dq, dv, dtau, f_ext, q_target, kp, kd, stops, df_ext, dq_target, dkp, dkd, dimpedance,
            *outputs("step_jvp", out, *wanted),
        ),
        (
            None
            if method == "automatic" and not options and tolerance == 0 and max_iterations == 0 and integrator ==
            "semi_implicit_euler" and limits is True and losses is True and effort_limits is False
            else _method(method, {"integrator": integrator, "limits": limits, "losses": losses, "effort_limits":
                effort_limits, "tolerance": tolerance, "max_iterations": max_iterations, **(options or {})})
        ),
        threads, status if iterations is None and guess is None else (status, iterations, guess), parameters, device,
    )
    return StepJvp.of(wanted, result)


class StepVjp(Results):
    """Results of :func:`step_vjp`: a named tuple of those that are requested."""

    q_next: Array  #: next configuration, rad|m
    v_next: Array  #: next velocity, rad/s|m/s
    q_bar: Array  #: cotangent of q, 1/rad|1/m
    v_bar: Array  #: cotangent of v, s/rad|s/m
    tau_bar: Array  #: cotangent of tau, 1/(N m)|1/N
    f_ext_bar: Array  #: cotangent of f_ext, 1/N, 1/(N m); only with ``by_forces``
    q_target_bar: Array  #: cotangent of q_target, 1/rad|1/m; only with ``by_controller``
    kp_bar: Array  #: cotangent of kp, rad/(N m)|m/N; only with ``by_controller``
    kd_bar: Array  #: cotangent of kd, rad/(N m s)|m/(N s); only with ``by_controller``
    stops_next: Array  #: joint-limit states afterwards, N m s/rad|N s/m, N m|N; only with ``next_stops``
    impedance_bar: Array  #: cotangent of the impedances in stops, rad/(N m s)|m/(N s); only with ``next_stops``


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
    out: tuple[Array, ...] | None = None,
    threads: int | None = 0, status: StatusArray | None = None,
    iterations: IterationsArray | None = None,
    guess: Array | None = None,
    parameters: Parameters | None = None, device: Device = "cpu",
) -> StepVjp:
    """VJP of a :func:`step` by all its inputs, without matrices.

        q_bar = (dq_next/dq)^T q_next_bar + (dv_next/dq)^T v_next_bar, and similarly v_bar, tau_bar, ...

    in time and memory O(n), for every integrator; cotangents of configurations are in the cotangent space of
    :func:`integrate`. They are exact for the computed step up to rounding. Active effort limits, slipping friction and
    active joint limits are those of the step: the derivative jumps where they change. A joint limit that becomes active
    in one step acts in later steps with the impedance in ``stops``: ``impedance_bar`` is its cotangent,
    ``impedance_next_bar`` that of the next step. For many steps: :func:`rollout_gradient`. Errors are those of
    :func:`step`.

    Parameters
    ----------
    model : Model
    q : array_like, shape ``(..., nq)``
        Configuration, rad|m, by joint; free joints x y z and a quaternion x y z w, spherical joints a quaternion.
    v : array_like, shape ``(..., nv)``
        Velocity, rad/s|m/s, by joint; free joints linear then angular, spherical joints angular, along the axes of the
        child link.
    tau : array_like, shape ``(..., nv)``
        Joint torques, N m|N, ordered as v.
    dt : array_like, shape ``(...)``
        Length of a step, s.
    q_next_bar : array_like, shape ``(..., nv)``
        Cotangent of q_next, 1/rad|1/m, ordered as v.
    v_next_bar : array_like, shape ``(..., nv)``
        Cotangent of v_next, s/rad|s/m, ordered as v.
    f_ext : array_like, shape ``(..., n_links, 6)``, optional
        External wrenches on the links, N, N m, linear first, at the link's origin, its axes.
    q_target : array_like, shape ``(..., nq)``, optional
        Target of a controller kp (q_target - q) - kd v, rad|m, ordered as q.
    kp : array_like, shape ``(..., nv)``, optional
        Its position gain, 0 if omitted, N m/rad|N/m, ordered as v.
    kd : array_like, shape ``(..., nv)``, optional
        Its velocity gain, 0 if omitted, N m s/rad|N s/m, ordered as v.
    stops : array_like, shape ``(..., nv, 3)``, optional
        Joint-limit states before, N m s/rad|N s/m, N m|N, impedance, force and side (1 upper, -1 lower, 0 inactive) of
        every joint limit.
    impedance_next_bar : array_like, shape ``(..., nv)``, optional
        Cotangent of the impedances in stops_next, rad/(N m s)|m/(N s), ordered as v.
    integrator : Integrator, default ``"semi_implicit_euler"``
        Integrator.
    limits : bool, default ``True``
        Whether joint limits act.
    losses : bool, default ``True``
        Whether joint damping and friction act.
    effort_limits : bool, default ``False``
        Whether the sum of tau and the controller is clipped to effort limits.
    method, options : Method, default ``"automatic"``, and MethodOptions
        Method with its options, see docs/algorithms; ``tandem list`` prints the methods of all functions.
    tolerance : float, default ``0``
        Relative change and residual at which an iteration ends.
    max_iterations : int, default ``0``
        Limit of iterations.
    iterations : array of int32, shape ``(batch,)``, optional
        Receives the number of iterations; 0 for methods that do not iterate.
    guess : array, shape ``(batch, n_links, 6)``, optional
        Initial guess of conjugate gradients: zeros, or values of an earlier call; receives the solution.
    by_forces : bool, default ``False``
        Whether to return f_ext_bar as well.
    by_controller : bool, default ``False``
        Whether to return q_target_bar, kp_bar and kd_bar as well.
    next_stops : bool, default ``False``
        Whether to return the joint-limit states and impedance_bar.
    out, threads, status, parameters, device
        As in :mod:`tandem.functions`, with the errors of all functions.

    Returns
    -------
    q_next : ndarray, shape ``(..., nq)``
        Next configuration, rad|m, ordered as q.
    v_next : ndarray, shape ``(..., nv)``
        Next velocity, rad/s|m/s, ordered as v.
    q_bar : ndarray, shape ``(..., nv)``
        Cotangent of q, 1/rad|1/m, ordered as v.
    v_bar : ndarray, shape ``(..., nv)``
        Cotangent of v, s/rad|s/m, ordered as v.
    tau_bar : ndarray, shape ``(..., nv)``
        Cotangent of tau, 1/(N m)|1/N, ordered as v.
    f_ext_bar : ndarray, shape ``(..., n_links, 6)``
        Cotangent of f_ext, 1/N, 1/(N m), linear first, at the link's origin, its axes; only with ``by_forces``.
    q_target_bar : ndarray, shape ``(..., nv)``
        Cotangent of q_target, 1/rad|1/m, ordered as v; only with ``by_controller``.
    kp_bar : ndarray, shape ``(..., nv)``
        Cotangent of kp, rad/(N m)|m/N, ordered as v; only with ``by_controller``.
    kd_bar : ndarray, shape ``(..., nv)``
        Cotangent of kd, rad/(N m s)|m/(N s), ordered as v; only with ``by_controller``.
    stops_next : ndarray, shape ``(..., nv, 3)``
        Joint-limit states afterwards, N m s/rad|N s/m, N m|N, impedance, force and side (1 upper, -1 lower, 0 inactive)
        of every joint limit; only with ``next_stops``.
    impedance_bar : ndarray, shape ``(..., nv)``
        Cotangent of the impedances in stops, rad/(N m s)|m/(N s), ordered as v; only with ``next_stops``.

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
        True, True, True, True, True, by_forces, by_controller, by_controller, by_controller, next_stops, next_stops,
    )
    result = evaluate(
        _step_vjp, model,
        (
            q, v, tau, dt, q_next_bar, v_next_bar, f_ext, q_target, kp, kd, stops, impedance_next_bar,
            *outputs("step_vjp", out, *wanted),
        ),
        (
            None
            if method == "automatic" and not options and tolerance == 0 and max_iterations == 0 and integrator ==
            "semi_implicit_euler" and limits is True and losses is True and effort_limits is False
            else _method(method, {"integrator": integrator, "limits": limits, "losses": losses, "effort_limits":
                effort_limits, "tolerance": tolerance, "max_iterations": max_iterations, **(options or {})})
        ),
        threads, status if iterations is None and guess is None else (status, iterations, guess), parameters, device,
    )
    return StepVjp.of(wanted, result)


rnea_derivatives = inverse_dynamics_derivatives


aba_derivatives = forward_dynamics_derivatives


center_of_mass = centre_of_mass


center_of_mass_derivatives = centre_of_mass_derivatives
