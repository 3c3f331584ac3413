# SPDX-License-Identifier: Apache-2.0
# Some 750 lines: one signature a function, and another for every combination of outputs, is what type checkers and editors read.
"""The algorithms, over NumPy and other arrays; those for configurations are in :mod:`tandem.configuration`.

Shapes
    Every argument is one state, for instance ``q`` of shape ``(nq,)``, or a batch of them, ``(batch, nq)``.
    One state beside batches stands for all of them. The result has a batch if an argument has one.
Precision
    float32 or float64 as given, the same for all arguments of a call. Lists and integers take that of the
    other arguments, float64 if there is none.
Arrays
    Those of NumPy, and of every library that hands out memory of the processor by DLPack: PyTorch, JAX. New
    results are of the kind of the first input that is an array.
Copies
    There are none as long as the numbers of each state lie equally far apart: ``(batch, n)`` in C order, with
    gaps, reversed, or transposed, as ``x.T`` of an ``(n, batch)`` array. Other arrays are copied first.
``out``
    An array, or a tuple of arrays where several are returned, to write the result to; it is returned.
``threads``
    How many threads share a batch; 0 or None: all cores. A small batch stays on the calling thread. The
    results have the same bits on any number. Other Python threads run during long calls
    and may share models.
``status``
    An array of uint8, ``(batch,)``, to write the :class:`tandem.Status` of each state to.
``parameters``
    What of the model differs from state to state, by name: ``{"mass": masses, "gravity": gravity}`` with
    arrays ``(batch, n_links)`` and ``(batch, 3)``; without ``batch`` they hold for all states.
    :func:`tandem.parameters` lists them. Those of links are along the axes of the link's frame.
``device``
    ``"cuda"`` computes on an NVIDIA GPU, for functions that have code for it; arrays go there and back.
Errors
    :class:`tandem.Error` (a ``ValueError``) names the argument, what was expected and what was given.

Units are SI; "rad|m" is rad for a joint that turns, m for one that slides. Spatial vectors are linear first.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem import _core
from tandem._core import Model, evaluate
from tandem.batch import Device, Parameters, StatusArray
from tandem.errors import Error

Array: TypeAlias = NDArray[np.floating[Any]]
#: Axes that a frame's motion is given along, and the point whose linear part is given: the frame's axes and
#: origin, the world's axes and origin, or the world's axes and the frame's origin.
Reference: TypeAlias = Literal["local", "world", "local_world_aligned"]
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
]


class MethodOptions(TypedDict, total=False):
    """What a method can be told; one that does not read an option says so."""

    #: of ``constraint_force``: ``"block_lu"``, ``"odd_even_elimination"``, ``"cyclic_reduction"``, ``"chunked"``,
    #: ``"conjugate_gradient"``
    solver: str
    #: where bias forces enter: ``"local"``, or ``"bias_torque"`` as in the papers
    right_hand_side: str
    #: of inverse dynamics by scans: ``"body"``, ``"jet"``, ``"world_orientation"``
    form: str
    #: links that are worked through one after the other
    chunk: int
    #: parts that the robot is divided into
    chunks: int
    #: length of the terminal chunk over that of the others
    load_ratio: float


_forward_kinematics = _core.find_algorithm("forward_kinematics")
_jacobian = _core.find_algorithm("jacobian")
_jacobian_time_derivative_product = _core.find_algorithm("jacobian_time_derivative_product")
_inverse_dynamics = _core.find_algorithm("inverse_dynamics")
_bias_forces = _core.find_algorithm("bias_forces")
_gravity_forces = _core.find_algorithm("gravity_forces")
_interbody_wrenches = _core.find_algorithm("interbody_wrenches")
_mass_matrix = _core.find_algorithm("mass_matrix")
_forward_dynamics = _core.find_algorithm("forward_dynamics")
_inverse_mass_matrix_product = _core.find_algorithm("inverse_mass_matrix_product")
_operational_space_mobility = _core.find_algorithm("operational_space_mobility")
_energy = _core.find_algorithm("energy")
_centre_of_mass = _core.find_algorithm("centre_of_mass")
_centroidal_momentum = _core.find_algorithm("centroidal_momentum")
_passive_forces = _core.find_algorithm("passive_forces")


def _method(method: Method, options: MethodOptions | None) -> dict[str, Any] | None:
    """The options of a call, None where everything is left to the library."""
    if method == "automatic" and not options:
        return None
    return {"method": method, **(options or {})}


def _outputs(function: str, out: Array | tuple[Array, ...] | None, *wanted: bool) -> list[Any]:
    """An entry for every output: an array to write to, True for a new one, None if not wanted."""
    if out is None:
        return [True if w else None for w in wanted]
    arrays = out if isinstance(out, (tuple, list)) else (out,)
    if len(arrays) != sum(wanted):
        raise Error(f"{function}: out has {len(arrays)} arrays, expected {sum(wanted)}")
    given = iter(arrays)
    return [next(given) if w else None for w in wanted]


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
    ``"world"``, that of the frame's origin in ``"local_world_aligned"``. Gravity is no part of it.

    Args:
        q: configuration, ``[nq]`` rad|m
        v: velocity, ``[nv]`` rad/s|m/s
        a: acceleration, ``[nv]`` rad/s^2|m/s^2
        reference: along which axes and of which point velocity and acceleration are given
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        pose: rotation and position of every frame in the world, ``[n_frames, 3, 4]`` m, rows of [R | p]; with
            ``v``, and with ``v`` and ``a``, a tuple with
        velocity: velocity of every frame, ``[n_frames, 6]`` m/s, rad/s
        acceleration: acceleration of every frame, ``[n_frames, 6]`` m/s^2, rad/s^2

    >>> arm = tandem.load("arm7")
    >>> pose = tandem.forward_kinematics(arm, tandem.neutral_configuration(arm))
    >>> pose.shape == (arm.n_frames, 3, 4)
    True
    >>> pose[0].tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    """
    pose, velocity, acceleration = _outputs("forward_kinematics", out, True, v is not None, a is not None)
    return evaluate(
        _forward_kinematics,
        model,
        (q, v, a, pose, velocity, acceleration),
        {"reference": reference},
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

    Args:
        q: configuration, ``[nq]`` rad|m
        frame: name or index
        reference: along which axes and of which point the velocity is
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        J: Jacobian of the frame, ``[6, nv]`` m/rad|1, rad/rad|rad/m, linear first

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
    threads: int | None = 0,
    status: StatusArray | None = None,
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Time derivative of a frame's Jacobian times the velocity: the frame's acceleration is J a + dJ/dt v.

    Args:
        q: configuration, ``[nq]`` rad|m
        v: velocity, ``[nv]`` rad/s|m/s
        frame: name or index
        reference: that of the Jacobian
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        Jdot_v: dJ/dt v of the frame, ``[6]`` m/s^2, rad/s^2, linear first
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

    Armature counts; damping, friction and springs do not, see :func:`passive_forces`.

    Args:
        q: configuration, ``[nq]`` rad|m
        v: velocity, ``[nv]`` rad/s|m/s
        a: acceleration, ``[nv]`` rad/s^2|m/s^2
        f_ext: forces on the links, ``[n_links, 6]`` N, N m, linear first, at the link's origin, its axes
        method, options: as in :func:`forward_dynamics`
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        tau: joint forces, ``[nv]`` N m|N

    >>> arm = tandem.load("arm7")
    >>> q = tandem.random_configuration(arm, seed=1)
    >>> v = a = np.zeros(arm.nv)
    >>> np.array_equal(tandem.inverse_dynamics(arm, q, v, a), tandem.gravity_forces(arm, q))
    True
    """
    return evaluate(
        _inverse_dynamics, model, (q, v, a, f_ext, out), _method(method, options), threads, status, parameters, device
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

    Args:
        q: configuration, ``[nq]`` rad|m
        v: velocity, ``[nv]`` rad/s|m/s
        f_ext: forces on the links, ``[n_links, 6]`` N, N m, linear first, at the link's origin, its axes;
            what they do to the joints is subtracted
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        tau: joint forces, ``[nv]`` N m|N
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

    Args:
        q: configuration, ``[nq]`` rad|m
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        tau: joint forces, ``[nv]`` N m|N
    """
    return evaluate(_gravity_forces, model, (q, out), None, threads, status, parameters, device)


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
    dynamics, pass the acceleration that it gave.

    Args:
        q: configuration, ``[nq]`` rad|m
        v: velocity, ``[nv]`` rad/s|m/s
        a: acceleration, ``[nv]`` rad/s^2|m/s^2
        f_ext: forces on the links, ``[n_links, 6]`` N, N m, linear first, at the link's origin, its axes
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        f: wrench onto every link, ``[n_links, 6]`` N, N m, linear first, at the link's origin, its axes

    >>> arm = tandem.load("arm7")
    >>> q, zero = tandem.neutral_configuration(arm), np.zeros(arm.nv)
    >>> f = tandem.interbody_wrenches(arm, q, zero, zero)
    >>> f.shape == (arm.n_links, 6), bool(f[0, 2] > 0)  # the base carries the arm
    (True, True)
    """
    return evaluate(
        _interbody_wrenches, model, (q, v, a, f_ext, out), None, threads, status, parameters, device
    )


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

    Args:
        q: configuration, ``[nq]`` rad|m
        method, options: as in :func:`forward_dynamics`
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        M: mass matrix, ``[nv, nv]`` kg m^2|kg, symmetric; armature is on its diagonal

    >>> arm = tandem.load("arm7")
    >>> M = tandem.mass_matrix(arm, tandem.random_configuration(arm, seed=1))
    >>> np.array_equal(M, M.T), bool((np.linalg.eigvalsh(M) > 0).all())
    (True, True)
    """
    return evaluate(_mass_matrix, model, (q, out), _method(method, options), threads, status, parameters, device)


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
    parameters: Parameters | None = None,
    device: Device = "cpu",
) -> Array:
    """Acceleration that the joint forces ``tau`` cause in state (``q``, ``v``).

        a = (M(q) + diag(diagonal))^-1 (tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i)

    Armature counts; damping, friction and springs do not, see :func:`passive_forces`. A singular robot gives
    infinities or NaN in its own state.

    Args:
        q: configuration, ``[nq]`` rad|m
        v: velocity, ``[nv]`` rad/s|m/s
        tau: joint forces, ``[nv]`` N m|N
        f_ext: forces on the links, ``[n_links, 6]`` N, N m, linear first, at the link's origin, its axes
        diagonal: added to the diagonal of the mass matrix, ``[nv]`` kg m^2|kg; time step times damping makes
            damping implicit
        method: how to solve it, see docs/algorithms; ``tandem list`` prints the methods of every function
        options: what the method can be told, see :class:`MethodOptions`
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        a: acceleration, ``[nv]`` rad/s^2|m/s^2

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
        _method(method, options),
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
    cost a fraction of as many calls.

    Args:
        q: configuration, ``[nq]`` rad|m
        x: vector to multiply, a joint force, ``[nv]`` N m|N
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        y: M^-1 x, a joint acceleration, ``[nv]`` rad/s^2|m/s^2
    """
    return evaluate(
        _inverse_mass_matrix_product, model, (q, x, out), None, threads, status, parameters, device
    )


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

    In time proportional to the number of links, without J and M.

    Args:
        q: configuration, ``[nq]`` rad|m
        frame: name or index
        reference: as for :func:`jacobian`
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        mobility: J M^-1 J^T of the frame, ``[6, 6]`` 1/kg, 1/(kg m), 1/(kg m^2), linear first; symmetric,
            singular where the frame cannot move in some direction

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
    """Energies in J: numbers for one state, arrays ``[batch]`` for a batch."""

    kinetic: Any  #: of the moving links and their rotors
    potential: Any  #: of weight, zero at the world's origin, and of joint springs


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

    Args:
        q: configuration, ``[nq]`` rad|m
        v: velocity, ``[nv]`` rad/s|m/s
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        kinetic: kinetic energy, J, and potential: potential energy of weight and springs, J

    >>> arm = tandem.load("arm7")
    >>> kinetic, potential = tandem.energy(arm, tandem.neutral_configuration(arm), np.zeros(arm.nv))
    >>> float(kinetic)
    0.0
    """
    kinetic, potential = evaluate(
        _energy,
        model,
        (q, v, *_outputs("energy", out, True, True)),
        None,
        threads,
        status,
        parameters,
        device,
    )
    return Energy(kinetic, potential) if out is not None else Energy(kinetic[()], potential[()])


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

    Args:
        q: configuration, ``[nq]`` rad|m
        v: velocity, ``[nv]`` rad/s|m/s, if that of the centre of mass is asked for
        jacobian: whether to return the Jacobian
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        com: centre of mass, ``[3]`` m; if more was asked for, a tuple with
        velocity: its velocity, ``[3]`` m/s, and
        J: its Jacobian, ``[3, nv]`` m/rad|1, velocity = J v; world axes
    """
    com, velocity, J = _outputs("centre_of_mass", out, True, v is not None, jacobian)
    return evaluate(
        _centre_of_mass, model, (q, v, com, velocity, J), None, threads, status, parameters, device
    )


center_of_mass = centre_of_mass


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

    Args:
        q: configuration, ``[nq]`` rad|m
        v: velocity, ``[nv]`` rad/s|m/s
        matrix: whether to return A as well
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        h: momentum about the centre of mass, ``[6]`` kg m/s, kg m^2/s, linear first; with ``matrix`` a tuple:
        A: centroidal momentum matrix, ``[6, nv]`` kg m|kg, kg m^2|kg m
    """
    h, A = _outputs("centroidal_momentum", out, True, matrix)
    return evaluate(_centroidal_momentum, model, (q, v, h, A), None, threads, status, parameters, device)


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

    Args:
        q: configuration, ``[nq]`` rad|m
        v: velocity, ``[nv]`` rad/s|m/s
        out, threads, status, parameters, device: as in :mod:`tandem.functions`
    Returns:
        tau: joint forces of springs, damping and friction, ``[nv]`` N m|N
    """
    return evaluate(_passive_forces, model, (q, v, out), None, threads, status, parameters, device)
