# SPDX-License-Identifier: Apache-2.0
# Over 400 lines, as every function has its words here.
"""What of tandem.functions the tables of the library do not know: finer words, formulas, examples.

write_functions.py puts them into the docstrings of the module it writes. Of each function:

summary   the first line, where the table's is not enough
text      what follows it
notes     by argument or option: what comes after meaning, shape and units
flags     by optional output: the keyword that asks for it, and what that does
example   runs as a test
"""

MODULE = """The algorithms, over NumPy and other arrays; what is done to configurations alone is in :mod:`tandem.configuration`.

Shapes
    Every argument is one state, for instance ``q`` of shape ``(nq,)``, or a batch of them of any shape, ``(..., nq)``:
    ``(batch, nq)``, ``(robots, steps, nq)``. Leading axes broadcast as NumPy's do, so that one state stands for all
    of a batch, and ``(3, 1, nq)`` beside ``(4, nv)`` are twelve states. Results have the leading axes of all.
Precision
    float32 or float64 as given, the same for all arguments of a call. Lists and integers take that of the
    other arguments, float64 if there is none.
Arrays
    Those of NumPy, and of every library that hands out memory of the processor by DLPack: PyTorch, JAX. New
    results are of the kind of the first input that is an array.
Copies
    There are none as long as the numbers of each state lie equally far apart: ``(batch, n)`` in C order, with
    gaps, reversed, or transposed, as ``x.T`` of an ``(n, batch)`` array; of several leading axes if the states do,
    too, all of them in C order. Other arrays, and those that broadcast along some axes only, are copied first.
``out``
    An array, or a tuple of arrays where several are returned, to write the result to; it is returned. It may lie in
    the memory of an input, which is then copied first, but not in that of another output.
``threads``
    How many threads share a batch; 0 or None: all cores. A small batch stays on the calling thread. The
    results have the same bits on any number. Other Python threads run during long calls
    and may share models.
``status``
    An array of uint8, of the leading shape, ``(batch,)``, to write the :class:`tandem.Status` of each state to. Without it, what needs the
    inverse of the mass matrix warns of a :class:`tandem.SingularWarning` if there is none: it looks at some sixteen
    states of a batch, at all of them if ``parameters`` are given.
``parameters``
    What of the model differs from state to state, by name: ``{"mass": masses, "gravity": gravity}`` with
    arrays ``(..., n_links)`` and ``(..., 3)``, which broadcast with the arguments.
    :func:`tandem.parameters` lists them. Those of links are along the axes of the link's frame. Masses, armature,
    damping, friction and stiffness must not be negative.
``device``
    ``"cuda"`` computes on an NVIDIA GPU, ``"auto"`` where the arrays lie; if they lie on the host, there or on the processor,
    whichever ``tandem tune`` measured to be faster for so many states: the processor where nothing was measured. Arrays of
    NumPy go there and back. Those of PyTorch, CuPy and JAX that lie on a GPU are used as they are, on the current stream of
    the first one's package; results are made of its kind there, and the call returns before they are ready, as those
    packages have it (JAX, which follows no other stream, is waited for). Nothing is looked into there for a
    :class:`tandem.SingularWarning`; an array of uint8 on the GPU as ``status`` tells.
Plans
    What calls need besides their arrays (the method that was decided on, the numbers of a robot that is to be
    divided, its copy on a GPU) each thread keeps for the last few robots and options. :class:`tandem.Plan` holds
    it for good, and for all threads.
Errors
    :class:`tandem.Error` (a ``ValueError``) names the argument, what was expected and what was given.

Sources
    Keys in brackets are those of docs/notation.md: [RBDA] is R. Featherstone, *Rigid Body Dynamics Algorithms*,
    2008. Those of methods stand at :data:`Method`.

Units are SI; "rad|m" is rad for a joint that turns, m for one that slides. Spatial vectors are linear first.
"""

#: by the sizes of an argument: how its numbers lie, where the tables do not say so; all of it stands at Model
CONVENTIONS = {
    "nq": "joint after joint; a free one x y z and a quaternion x y z w, a ball joint the quaternion",
    "nv": "joint after joint; a free one linear then angular, a ball joint angular, along the axes of the link it carries",
    "nv, nv": "rows and columns as in v",
    "3, nv": "columns as in v",
}

FUNCTIONS = {
    "forward_kinematics": {
        "summary": "Pose and, if ``v`` and ``a`` are given, velocity and acceleration of every link and frame.",
        "text": """
The acceleration is the time derivative of the velocity's six numbers: spatial in ``"local"`` and
``"world"``, that of the frame's origin in ``"local_world_aligned"``. Gravity is no part of it. [RBDA] section 4.2.
""",
        "example": """
>>> arm = tandem.load("arm7")
>>> pose = tandem.forward_kinematics(arm, tandem.neutral_configuration(arm))
>>> pose.shape == (arm.n_frames, 3, 4)
True
>>> pose[0].tolist()
[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
""",
    },
    "forward_kinematics_derivatives": {
        "summary": "How a frame's velocity and acceleration change with configuration, velocity and acceleration of the joints.",
        "text": """
    velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
    acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...

Derivatives of the numbers that :func:`forward_kinematics` has for this reference [Carpentier 2018]. The pose itself moves by J dq. dq is an
increment of :func:`integrate`.
""",
        "flags": {"J": ("jacobian", "whether to return the Jacobian as well")},
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.zeros(arm.nv)
>>> by_q, a_by_q, a_by_v, J = tandem.forward_kinematics_derivatives(arm, q, v, a, "tool0", jacobian=True)
>>> Jdot_v = tandem.jacobian_time_derivative_product(arm, q, v, "tool0")
>>> np.allclose(a_by_v @ v, 2 * Jdot_v)  # quadratic in the velocity
True
""",
    },
    "forward_kinematics_jvp": {
        "summary": "How poses and, if ``v`` and ``a`` are given, velocities and accelerations of all frames change along increments.",
        "text": """
Of every number of :func:`forward_kinematics`: ``dpose`` has the changes of ``[R | p]``. ``dq`` is an increment of
:func:`integrate`. In time and memory O(n), without Jacobians.
""",
        "notes": {"dq": ", as for :func:`integrate`", "dv": ", or none: zeros", "da": ", or none: zeros"},
        "example": """
>>> arm = tandem.load("arm7")
>>> q, dq = tandem.random_configuration(arm, seed=1), np.arange(7.0)
>>> dpose = tandem.forward_kinematics_jvp(arm, q, dq)
>>> J = tandem.jacobian(arm, q, "tool0", reference="local_world_aligned")
>>> np.allclose(dpose[arm.frame_index("tool0"), :, 3], (J @ dq)[:3])
True
""",
    },
    "forward_kinematics_vjp": {
        "summary": "Derivatives of a weighted sum of poses and, with ``v`` and ``a``, of velocities and accelerations of all frames.",
        "text": """
Weights are of every number of :func:`forward_kinematics`, ``pose_bar`` of those of ``[R | p]``: what reverse
differentiation hands back, in time and memory O(n). ``q_bar`` is by increments of :func:`integrate`.
""",
        "notes": {
            "pose_bar": ", or none: zeros",
            "velocity_bar": ", or none: zeros",
            "acceleration_bar": ", or none: zeros",
            "q_bar": ", ``nv`` of them",
        },
        "example": """
>>> arm = tandem.load("arm7")
>>> q, weights = tandem.random_configuration(arm, seed=1), np.zeros((arm.n_frames, 3, 4))
>>> weights[arm.frame_index("tool0"), 2, 3] = 1  # of its height
>>> q_bar = tandem.forward_kinematics_vjp(arm, q, pose_bar=weights)
>>> J = tandem.jacobian(arm, q, "tool0", reference="local_world_aligned")
>>> np.allclose(q_bar, J[2])
True
""",
    },
    "jacobian": {
        "summary": "Jacobian of a frame: its velocity is J v.",
        "example": """
>>> arm = tandem.load("arm7")
>>> tandem.jacobian(arm, tandem.neutral_configuration(arm), "tool0", reference="world").shape
(6, 7)
""",
    },
    "jacobian_time_derivative_product": {
        "summary": "Time derivative of a frame's Jacobian times the velocity: the frame's acceleration is J a + dJ/dt v.",
    },
    "inverse_dynamics": {
        "summary": "Joint forces that give the acceleration ``a`` in state (``q``, ``v``).",
        "text": """
    tau = M(q) a + c(q, v) + tau_g(q) - sum_i J_i^T f_ext,i

Armature counts; damping, friction and springs do not, see :func:`passive_forces`. By itself recursive
Newton-Euler, [RBDA] table 5.1.
""",
        "example": """
>>> arm = tandem.load("arm7")
>>> q = tandem.random_configuration(arm, seed=1)
>>> v = a = np.zeros(arm.nv)
>>> np.array_equal(tandem.inverse_dynamics(arm, q, v, a), tandem.gravity_forces(arm, q))
True
""",
    },
    "bias_forces": {
        "summary": "Coriolis, centrifugal and gravity forces c(q, v) + tau_g(q): the joint forces when a = 0.",
        "text": """
Inverse dynamics without acceleration, [RBDA] table 5.1.
""",
        "notes": {"f_ext": "; what they do to the joints is subtracted"},
    },
    "inverse_dynamics_terms": {
        "summary": "Joint forces of inverse dynamics, by what they are for.",
        "text": """
    inertial + coriolis + centrifugal + gravity + external + friction + springs
        = inverse_dynamics(q, v, a, f_ext) - passive_forces(q, v)

Coriolis forces are those of products of velocities of different rows, centrifugal ones those of squares. [Pond]
(2.35) - (2.39), (2.69).
""",
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.zeros(arm.nv)
>>> terms = tandem.inverse_dynamics_terms(arm, q, v, a)
>>> np.allclose(sum(terms), tandem.inverse_dynamics(arm, q, v, a) - tandem.passive_forces(arm, q, v))
True
""",
    },
    "interbody_wrenches": {
        "summary": "Wrenches that the joints transmit from link to link while the robot accelerates by ``a``.",
        "text": """
Row i is the wrench onto link i from its parent, constraint and joint force together. Row 0 is the wrench
from the world that holds the base in its place; the base's own weight is no part of it. After forward
dynamics, pass the acceleration that it gave. [RBDA] table 5.1.
""",
        "example": """
>>> arm = tandem.load("arm7")
>>> q, zero = tandem.neutral_configuration(arm), np.zeros(arm.nv)
>>> f = tandem.interbody_wrenches(arm, q, zero, zero)
>>> f.shape == (arm.n_links, 6), bool(f[0, 2] > 0)  # the base carries the arm
(True, True)
""",
    },
    "inverse_dynamics_regressor": {
        "summary": "What the inertial parameters of the links are multiplied by in :func:`inverse_dynamics`.",
        "text": """
    tau = Y(q, v, a) pi + armature a

``pi`` has ten parameters for each moving link, in Pinocchio's order: m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz,
Izz, along the axes of the link's frame, moments about its origin; link i has the columns 10 (i - 1) to 10 i - 1.
:attr:`Model.inertial_parameters` are those of the robot itself. The base has none: it does not move. Armature,
damping and friction are no part of it; their columns are ``a``, ``v`` and ``sign(v)`` on the diagonal.
""",
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> Y = tandem.inverse_dynamics_regressor(arm, q, v, a)
>>> Y.shape
(7, 70)
>>> np.allclose(Y @ arm.inertial_parameters + arm.armature * a, tandem.inverse_dynamics(arm, q, v, a))
True
""",
    },
    "inverse_dynamics_derivatives": {
        "summary": "How the joint forces of :func:`inverse_dynamics` change with configuration, velocity and acceleration.",
        "text": """
    tau(q (+) dq, v + dv, a + da) = tau + dtau_dq dq + dtau_dv dv + dtau_da da + ...

After [Singh 2022], [Carpentier 2018]. Increments of the configuration are those of :func:`integrate`, as they are Pinocchio's:
``nv`` of them, of spherical, planar and free joints along the child's axes. Without ``a`` these are the derivatives of
:func:`bias_forces`, without ``v`` and ``a`` those of :func:`gravity_forces`. Damping, friction and springs are no part
of them. Joints that follow another one move along with it.
""",
        "notes": {
            "v": ", or none: zeros",
            "a": ", or none: zeros",
            "f_ext": ", which keep their numbers as the links move",
            "dtau_dv": ", likewise",
            "dtau_da": ", armature included",
        },
        "flags": {"dtau_da": ("mass_matrix", "whether to return dtau_da, the mass matrix, as well")},
        "example": """
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
""",
    },
    "inverse_dynamics_jvp": {
        "summary": "How the joint forces of :func:`inverse_dynamics` change along increments, without a matrix.",
        "text": """
    dtau = dtau_dq dq + dtau_dv dv + M da - sum_i J_i^T df_ext,i + Y dpi

with the matrices of :func:`inverse_dynamics_derivatives`, :func:`jacobian` and :func:`inverse_dynamics_regressor`, in time
and memory O(n). ``dq`` is an increment of :func:`integrate`.
""",
        "notes": {"dq": ", as for :func:`integrate`", "df_ext": ", or none: zeros", "dpi": ", or none: zeros"},
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> dq, dv, da = np.arange(7.0), np.ones(arm.nv), np.zeros(arm.nv)
>>> tau, dtau = tandem.inverse_dynamics_jvp(arm, q, v, a, dq, dv, da)
>>> dtau_dq, dtau_dv = tandem.inverse_dynamics_derivatives(arm, q, v, a)
>>> np.allclose(dtau, dtau_dq @ dq + dtau_dv @ dv)
True
""",
    },
    "inverse_dynamics_vjp": {
        "summary": "Derivatives of a weighted sum of the joint forces of :func:`inverse_dynamics`, without a matrix.",
        "text": """
    q_bar = dtau_dq^T tau_bar, v_bar = dtau_dv^T tau_bar, a_bar = M tau_bar, f_ext_bar = -J tau_bar, pi_bar = Y^T tau_bar

are the derivatives of ``tau_bar @ tau``: what reverse differentiation hands back, in time and memory O(n). ``q_bar`` is by
increments of :func:`integrate`.
""",
        "notes": {"q_bar": ", ``nv`` of them", "pi_bar": ", of :attr:`Model.inertial_parameters`"},
        "flags": {
            "f_ext_bar": ("by_forces", "whether to return f_ext_bar as well"),
            "pi_bar": ("by_parameters", "whether to return pi_bar as well"),
        },
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> tau, q_bar, v_bar, a_bar = tandem.inverse_dynamics_vjp(arm, q, v, a, np.arange(7.0))
>>> dtau_dq, dtau_dv = tandem.inverse_dynamics_derivatives(arm, q, v, a)
>>> np.allclose(q_bar, dtau_dq.T @ np.arange(7.0))
True
""",
    },
    "mass_matrix": {
        "summary": "Joint-space inertia: tau = M(q) a for a robot at rest without gravity.",
        "text": """
By itself composite rigid bodies, [RBDA] table 6.2.
""",
        "notes": {"M": ", symmetric; armature is on its diagonal"},
        "example": """
>>> arm = tandem.load("arm7")
>>> M = tandem.mass_matrix(arm, tandem.random_configuration(arm, seed=1))
>>> np.array_equal(M, M.T), bool((np.linalg.eigvalsh(M) > 0).all())
(True, True)
""",
    },
    "constraint_wrenches": {
        "summary": "Wrenches that hold the joints together while the joint forces ``tau`` drive the robot.",
        "text": """
Row i is the wrench onto link i from its parent without its part along the axes of joint i: what
:func:`interbody_wrenches` gives for the acceleration of :func:`forward_dynamics`, less the joint forces. Row 0
is all that holds the base in its place. Method ``"constraint_force"`` solves for these wrenches.
""",
        "example": """
>>> arm = tandem.load("arm7")
>>> q, zero = tandem.neutral_configuration(arm), np.zeros(arm.nv)
>>> tandem.constraint_wrenches(arm, q, zero, zero).shape == (arm.n_links, 6)
True
""",
    },
    "forward_dynamics": {
        "summary": "Acceleration that the joint forces ``tau`` cause in state (``q``, ``v``).",
        "text": """
    a = (M(q) + diag(diagonal))^-1 (tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i)

Armature counts; damping, friction and springs do not, see :func:`passive_forces`. A singular robot gives
infinities or NaN in its own state. By itself articulated bodies, [RBDA] table 7.1.
""",
        "notes": {"diagonal": "; time step times damping makes damping implicit"},
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v = tandem.random_configuration(arm, seed=1), np.ones(arm.nv)
>>> a = tandem.forward_dynamics(arm, q, v, np.zeros(arm.nv))
>>> np.allclose(tandem.inverse_dynamics(arm, q, v, a), 0, atol=1e-9)
True
""",
    },
    "closed_loop_dynamics": {
        "summary": "Acceleration that the joint forces ``tau`` cause, and the forces that keep loops closed.",
        "text": """
    (M(q) + diag(diagonal)) a = tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i + J^T x,  J a + dJ/dt v = 0

:func:`forward_dynamics` of a robot with loops gives the same acceleration. Forward dynamics of the tree by articulated
bodies, then the forces of the directions that the loop joints hold; those that others hold already carry none. Loops
that are open stay so without ``stabilisation``: see :func:`close_loops`.
""",
        "notes": {
            "diagonal": "; time step times damping makes damping implicit",
            "f_loop": "; with what each loop joint pushes its link 2, and link 1 back",
            "stabilisation": "; 0: they stay as they are",
        },
        "flags": {"f_loop": ("forces", "whether to return the forces of the loop joints")},
        "example": """
>>> bars = tandem.load("four_bar")
>>> q, v = tandem.neutral_configuration(bars), np.zeros(bars.nv)
>>> a, f_loop = tandem.closed_loop_dynamics(bars, q, v, v, forces=True)
>>> f_loop.shape
(1, 6)
""",
    },
    "close_loops": {
        "summary": "The nearest configuration whose loops are closed, and the part of ``v`` that keeps them closed.",
        "text": """
Newton's method along the robot's inertia; a start from which no step leads nearer does not converge, which
``status`` says and ``error`` shows. Limits are not kept.
""",
        "notes": {
            "tolerance": "; 0: 1e-12 in double, 1e-5 in float",
            "max_iterations": "; 0: 50",
        },
        "flags": {"error": ("error", "whether to return how far the frames of the loop joints are apart")},
        "example": """
>>> bars = tandem.load("four_bar")
>>> q, error = tandem.close_loops(bars, [0.3, 0.0, 0.0], error=True)
>>> bool(error < 1e-12)
True
""",
    },
    "mass_matrix_rate": {
        "summary": "Time derivative of the mass matrix, dM/dt, as the robot moves with velocity v.",
        "notes": {"Mdot": ", symmetric"},
    },
    "coriolis_matrix": {
        "summary": "Coriolis matrix: C v are the Coriolis and centrifugal forces, and dM/dt - 2 C is skew-symmetric.",
        "text": """
    C(q, v) v = bias_forces(q, v) - gravity_forces(q), C + C^T = dM/dt

After [Echeandia, Wensing 2021]. For coordinates that add up it is the one of Christoffel symbols.
""",
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v = tandem.random_configuration(arm, seed=1), np.ones(arm.nv)
>>> C = tandem.coriolis_matrix(arm, q, v)
>>> np.allclose(C @ v, tandem.bias_forces(arm, q, v) - tandem.gravity_forces(arm, q))
True
>>> np.allclose(C + C.T, tandem.mass_matrix_rate(arm, q, v))
True
""",
    },
    "forward_dynamics_derivatives": {
        "summary": "How the accelerations of :func:`forward_dynamics` change with configuration, velocity and joint forces.",
        "text": """
    a(q (+) dq, v + dv, tau + dtau) = a + da_dq dq + da_dv dv + da_dtau dtau + ...
    da_dq = -M^-1 dtau_dq, da_dv = -M^-1 dtau_dv, da_dtau = M^-1

After [Carpentier 2018], with the derivatives of :func:`inverse_dynamics_derivatives` at the acceleration that ``tau``
causes, and by its convention. Damping, friction and springs are no part of them.
""",
        "notes": {"da_dv": ", likewise", "da_dtau": ", symmetric"},
        "flags": {"da_dtau": ("inverse_mass_matrix", "whether to return da_dtau, the inverse of the mass matrix, as well")},
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> da_dq, da_dv, Minv = tandem.forward_dynamics_derivatives(arm, q, v, tau, inverse_mass_matrix=True)
>>> a = tandem.forward_dynamics(arm, q, v, tau)
>>> dtau_dq, dtau_dv = tandem.inverse_dynamics_derivatives(arm, q, v, a)
>>> np.allclose(da_dv, -Minv @ dtau_dv)
True
""",
    },
    "forward_dynamics_jvp": {
        "summary": "How the accelerations of :func:`forward_dynamics` change along increments, without a matrix.",
        "text": """
    da = M^-1 (dtau - dtau_dq dq - dtau_dv dv + sum_i J_i^T df_ext,i - Y dpi)

with the matrices of :func:`inverse_dynamics_derivatives` at the acceleration that ``tau`` causes, in time and memory O(n).
""",
        "notes": {"dq": ", as for :func:`integrate`", "df_ext": ", or none: zeros", "dpi": ", or none: zeros"},
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> dq, dv, dtau = np.arange(7.0), np.ones(arm.nv), np.ones(arm.nv)
>>> a, da = tandem.forward_dynamics_jvp(arm, q, v, tau, dq, dv, dtau)
>>> da_dq, da_dv, Minv = tandem.forward_dynamics_derivatives(arm, q, v, tau, inverse_mass_matrix=True)
>>> np.allclose(da, da_dq @ dq + da_dv @ dv + Minv @ dtau)
True
""",
    },
    "forward_dynamics_vjp": {
        "summary": "Derivatives of a weighted sum of the accelerations of :func:`forward_dynamics`, without a matrix.",
        "text": """
    tau_bar = M^-1 a_bar, q_bar = -dtau_dq^T tau_bar, v_bar = -dtau_dv^T tau_bar, f_ext_bar = J tau_bar, pi_bar = -Y^T tau_bar

are the derivatives of ``a_bar @ a``: what reverse differentiation hands back, in time and memory O(n). ``q_bar`` is by
increments of :func:`integrate`.
""",
        "notes": {"q_bar": ", ``nv`` of them", "pi_bar": ", of :attr:`Model.inertial_parameters`"},
        "flags": {
            "f_ext_bar": ("by_forces", "whether to return f_ext_bar as well"),
            "pi_bar": ("by_parameters", "whether to return pi_bar as well"),
        },
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> a, q_bar, v_bar, tau_bar = tandem.forward_dynamics_vjp(arm, q, v, tau, np.arange(7.0))
>>> da_dq, da_dv, Minv = tandem.forward_dynamics_derivatives(arm, q, v, tau, inverse_mass_matrix=True)
>>> np.allclose(q_bar, da_dq.T @ np.arange(7.0)), np.allclose(tau_bar, Minv @ np.arange(7.0))
(True, True)
""",
    },
    "inverse_mass_matrix": {
        "summary": "Inverse of the mass matrix: the accelerations that unit joint forces cause.",
        "text": """
By the factors that articulated bodies give [Rodriguez, Jain, Kreutz-Delgado 1992], without the mass matrix. For products with a few
vectors :func:`inverse_mass_matrix_product` is quicker.
""",
        "notes": {"Minv": ", symmetric"},
        "example": """
>>> arm = tandem.load("arm7")
>>> q = tandem.random_configuration(arm, seed=1)
>>> np.allclose(tandem.inverse_mass_matrix(arm, q) @ tandem.mass_matrix(arm, q), np.eye(7))
True
""",
    },
    "step": {
        "summary": "The state after one or more steps of ``dt`` through time.",
        "text": """
    (M + h D + h^2 K) a = tau - bias - D v - K (q - q_rest) - h K v,  v += h a,  q = q (+) h v

with h = ``dt``, or in the same way by rk4 or implicit_midpoint, which keeps the energy. D has joint damping, ``kd`` and friction,
K has stiffness and ``kp``: a controller kp (q_target - q) - kd v, clipped to effort limits. Position limits act as stops. The
forces are the same in all ``steps``, which the state goes through without leaving the cache. :class:`Simulation` steps the
same way, remembers stops, closes loops, and watches what diverges. ``stops`` has of every joint the stop's impedance, its push and its
side: 1 at the upper limit, -1 at the lower, 0 none.
""",
        "notes": {
            "kp": "; 0 if left out",
            "kd": "; 0 if left out",
            "stops": "; ``stops_next`` of the call before",
            "step_energies": ": dissipated, of it by stops, work of ``tau`` and ``f_ext``, work of the controller",
        },
        "flags": {
            "stops_next": ("next_stops", "whether to return what stops then do"),
            "step_energies": ("energies", "whether to return what was taken and given"),
        },
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v = tandem.step(arm, np.full(7, 0.1), np.zeros(7), np.zeros(7), 1e-3, steps=100)
>>> q.shape, bool(abs(v).max() > 0)
((7,), True)
""",
    },
    "inverse_mass_matrix_product": {
        "summary": "M(q)^-1 x without forming M.",
        "text": """
Where one ``q`` stands beside a batch of ``x``, what depends on ``q`` alone is computed once: many vectors
cost a fraction of as many calls. [RBDA] section 7.3.
""",
    },
    "operational_space_mobility": {
        "summary": "How a frame accelerates under forces on itself, J M^-1 J^T: the inverse operational-space inertia.",
        "text": """
In time proportional to the number of links, without J and M. [Rodriguez, Jain, Kreutz-Delgado 1992].
""",
        "notes": {"mobility": "; symmetric, singular where the frame cannot move in some direction"},
        "example": """
>>> arm = tandem.load("arm7")
>>> q = tandem.random_configuration(arm, seed=1)
>>> mobility = tandem.operational_space_mobility(arm, q, "tool0")
>>> J = tandem.jacobian(arm, q, "tool0")
>>> np.allclose(mobility, J @ np.linalg.solve(tandem.mass_matrix(arm, q), J.T))
True
""",
    },
    "energy": {
        "text": """
Of the moving links and their rotors; potential is that of weight, zero at the world's origin, and of joint
springs.
""",
        "example": """
>>> arm = tandem.load("arm7")
>>> kinetic, potential = tandem.energy(arm, tandem.neutral_configuration(arm), np.zeros(arm.nv))
>>> float(kinetic)
0.0
""",
    },
    "energy_derivatives": {
        "summary": "How kinetic and potential energy change with configuration and velocity.",
        "text": """
    kinetic(q (+) dq, v + dv) = kinetic + dkinetic_dq . dq + dkinetic_dv . dv + ..., dkinetic_dv = M(q) v
    potential(q (+) dq) = potential + dpotential_dq . dq + ...

Without springs dpotential_dq is :func:`gravity_forces`. dq is an increment of :func:`integrate`.
""",
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v = tandem.random_configuration(arm, seed=1), np.ones(arm.nv)
>>> by = tandem.energy_derivatives(arm, q, v)
>>> np.allclose(by.dkinetic_dv, tandem.mass_matrix(arm, q) @ v)
True
>>> np.allclose(by.dpotential_dq, tandem.gravity_forces(arm, q))
True
""",
    },
    "centre_of_mass_derivatives": {
        "summary": "How velocity and acceleration of the centre of mass change with those of the joints and the configuration.",
        "text": """
    velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
    acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...

World axes; gravity is no part of the acceleration. The centre of mass itself moves by J dq, dq an increment of :func:`integrate`.
""",
        "flags": {"J": ("jacobian", "whether to return the Jacobian as well"),
                  "acceleration": ("acceleration", "whether to return the acceleration as well")},
    },
    "centre_of_mass": {
        "summary": "Centre of mass of the moving links in the world, its velocity and its Jacobian.",
        "notes": {"J": ", velocity = J v; world axes"},
        "flags": {"J": ("jacobian", "whether to return the Jacobian")},
    },
    "centroidal_momentum": {
        "summary": "Linear and angular momentum of the moving links about their centre of mass, world axes: h = A(q) v.",
        "text": """
[Orin 2013] eq. 27.
""",
        "flags": {"A": ("matrix", "whether to return A as well")},
    },
    "centroidal_momentum_derivatives": {
        "summary": "How the momentum about the centre of mass and its rate change with configuration, velocity and acceleration.",
        "text": """
    h(q (+) dq, v + dv) = h + dh_dq dq + A dv + ...
    hdot(q (+) dq, v + dv, a + da) = hdot + dhdot_dq dq + dhdot_dv dv + A da + ...

World axes, about the centre of mass, which moves, too. Gravity is no part of the rate. dq is an increment of :func:`integrate`.
""",
        "flags": {"A": ("matrix", "whether to return the centroidal momentum matrix A as well"),
                  "hdot": ("rate", "whether to return the rate of the momentum as well")},
        "example": """
>>> dog = tandem.load("quadruped", floating=True)
>>> q, v, a = tandem.random_configuration(dog, seed=1), np.ones(dog.nv), np.ones(dog.nv)
>>> by_q, rate_by_q, rate_by_v, A, rate = tandem.centroidal_momentum_derivatives(dog, q, v, a, matrix=True, rate=True)
>>> np.allclose(A @ v, tandem.centroidal_momentum(dog, q, v))
True
""",
    },
    "passive_forces_derivatives": {
        "summary": "How springs, damping and friction change with configuration and velocity.",
        "text": """
    tau(q (+) dq, v + dv) = tau + dtau_dq dq + dtau_dv dv + ...

Of :func:`passive_forces`, to be added to the derivatives of the forces that drive the joints. dtau_dv is diagonal; at the slip speed,
where friction has a bend, it is that of faster motion. dq is an increment of :func:`integrate`.
""",
    },
    "passive_forces": {
        "summary": "Joint forces of springs, damping and friction, to be added to tau.",
        "text": """
    tau = -stiffness (q - q_rest) - damping v - friction sign(v)

Friction ramps up linearly below a slip speed of 1e-3 rad/s or m/s.
""",
    },
    "integrate": {
        "summary": "Configuration reached from ``q`` with a constant velocity in unit time, on the configuration manifold.",
        "notes": {"q_next": "; quaternions are normalised. ``out`` may be ``q`` itself"},
        "example": """
>>> humanoid = tandem.load("humanoid", floating=True)
>>> q = tandem.neutral_configuration(humanoid)
>>> q = tandem.integrate(humanoid, q, 1e-3 * np.ones(humanoid.nv))
""",
    },
    "difference": {
        "summary": "Constant velocity that leads from ``q0`` to ``q1`` in unit time, the shortest way.",
        "text": """
Undoes :func:`integrate`. Angles of revolute joints are subtracted as they are, turns included.
""",
    },
    "integrate_rate": {
        "summary": "Rate of a displacement: du/dt while integrate(q, u) moves with velocity ``v``.",
        "text": """
Runge-Kutta methods on manifolds need it, [Munthe-Kaas 1998]. Exact to third order in ``u``.
""",
    },
}
