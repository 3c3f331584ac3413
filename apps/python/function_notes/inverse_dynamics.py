# SPDX-License-Identifier: Apache-2.0
"""Notes on the forces that a motion needs."""

FUNCTIONS = {
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
    "inverse_dynamics_hvp": {
        "summary": "How what :func:`inverse_dynamics_vjp` gives changes along increments: second derivatives without a matrix.",
        "text": """
    dq_bar = d/ds q_bar(q (+) s dq, v + s dv, a + s da, tau_bar + s dtau_bar, f_ext + s df_ext)

and ``dv_bar``, ``da_bar``, ... alike; ``dtau`` as :func:`inverse_dynamics_jvp` gives it. In time and memory O(n), about three times
that of the products themselves. ``dq`` is an increment of :func:`integrate`. Axes are displaced with the links, so that for
spherical, planar and free joints ``dq_bar`` is no symmetric function of ``dq``: the page on second derivatives says by how much.
""",
        "notes": {"dq": ", as for :func:`integrate`", "dpi_bar": ", of :attr:`Model.inertial_parameters`"},
        "flags": {
            "df_ext_bar": ("by_forces", "whether to return df_ext_bar as well"),
            "dpi_bar": ("by_parameters", "whether to return dpi_bar as well"),
        },
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> weights, dq, zero = np.arange(7.0), np.ones(7), np.zeros(7)
>>> dtau, dq_bar, dv_bar, da_bar = tandem.inverse_dynamics_hvp(arm, q, v, a, weights, dq, zero, zero)
>>> step = 1e-6
>>> after, before = (tandem.inverse_dynamics_vjp(arm, q + s * dq, v, a, weights)[1] for s in (step, -step))
>>> np.allclose(dq_bar, (after - before) / (2 * step), rtol=1e-5)
True
""",
    },
    "inverse_dynamics_second_derivatives": {
        "summary": "Second derivatives of a weighted sum of the joint forces of :func:`inverse_dynamics`, as matrices.",
        "text": """
    d2tau_dqdq[j, k] = d/ds q_bar[j](q (+) s e_k), d2tau_dvdq[j, k] = d/ds v_bar[j](q (+) s e_k)
    d2tau_dadq[j, k] = d/ds a_bar[j](q (+) s e_k), d2tau_dvdv[j, k] = d v_bar[j] / d v[k]

with ``q_bar``, ``v_bar``, ``a_bar`` of :func:`inverse_dynamics_vjp`. The other blocks are transposes, or zero: joint forces are linear in
accelerations. A batch of unit weights, ``np.eye(nv)``, gives the whole tensor: of each of them the second derivatives.
``d2tau_dqdq`` is symmetric for coordinates that add up.
""",
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> by_qq, by_vq, by_aq, by_vv = tandem.inverse_dynamics_second_derivatives(arm, q, v, a, np.eye(7))
>>> by_qq.shape  # of tau[i] by q[j] and q[k]
(7, 7, 7)
>>> np.allclose(by_qq, by_qq.swapaxes(1, 2))
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
    "passive_forces": {
        "summary": "Joint forces of springs, damping and friction, to be added to tau.",
        "text": """
    tau = -stiffness (q - q_rest) - damping v - friction sign(v)

Friction ramps up linearly below a slip speed of 1e-3 rad/s or m/s.
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
}
