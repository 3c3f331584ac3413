# SPDX-License-Identifier: Apache-2.0
"""Notes on the motion that forces cause."""

FUNCTIONS = {
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
    "forward_dynamics_hvp": {
        "summary": "How what :func:`forward_dynamics_vjp` gives changes along increments: second derivatives without a matrix.",
        "text": """
    dq_bar = d/ds q_bar(q (+) s dq, v + s dv, tau + s dtau, a_bar + s da_bar, f_ext + s df_ext)

and ``dv_bar``, ``dtau_bar``, ... alike; ``da`` as :func:`forward_dynamics_jvp` gives it. In time and memory O(n), about three times
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
>>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> weights, dq, zero = np.arange(7.0), np.ones(7), np.zeros(7)
>>> da, dq_bar, dv_bar, dtau_bar = tandem.forward_dynamics_hvp(arm, q, v, tau, weights, dq, zero, zero)
>>> step = 1e-6
>>> after, before = (tandem.forward_dynamics_vjp(arm, q + s * dq, v, tau, weights)[1] for s in (step, -step))
>>> np.allclose(dq_bar, (after - before) / (2 * step), rtol=1e-5)
True
""",
    },
    "forward_dynamics_second_derivatives": {
        "summary": "Second derivatives of a weighted sum of the accelerations of :func:`forward_dynamics`, as matrices.",
        "text": """
    d2a_dqdq[j, k] = d/ds q_bar[j](q (+) s e_k), d2a_dvdq[j, k] = d/ds v_bar[j](q (+) s e_k)
    d2a_dtaudq[j, k] = d/ds tau_bar[j](q (+) s e_k), d2a_dvdv[j, k] = d v_bar[j] / d v[k]

with ``q_bar``, ``v_bar``, ``tau_bar`` of :func:`forward_dynamics_vjp`. The other blocks are transposes, or zero: accelerations are linear in
joint forces. A batch of unit weights, ``np.eye(nv)``, gives the whole tensor: of each of them the second derivatives.
``d2a_dqdq`` is symmetric for coordinates that add up.
""",
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> by_qq, by_vq, by_tauq, by_vv = tandem.forward_dynamics_second_derivatives(arm, q, v, tau, np.eye(7))
>>> by_qq.shape  # of a[i] by q[j] and q[k]
(7, 7, 7)
>>> np.allclose(by_qq, by_qq.swapaxes(1, 2))
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
    "step": {
        "summary": "The state after one or more steps of ``dt`` through time.",
        "text": """
    (M + h D + h^2 K) a = tau - bias - D v - K (q - q_rest) - h K v,  v += h a,  q = q (+) h v

with h = ``dt``, or in the same way by rk4 or implicit_midpoint, which keeps the energy. The linear velocity of free and planar joints is
stepped along axes that do not turn: a body that spins flies straight on. D has joint damping, ``kd`` and friction,
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
    "step_jvp": {
        "summary": "How the state after a :func:`step` changes along increments of all that it depends on, without a matrix.",
        "text": """
    dq_next = d/ds q_next(q (+) s dq, v + s dv, tau + s dtau, ...), and dv_next alike

in time and memory O(n), for every integrator; increments of configurations are those of :func:`integrate`. They are the derivatives of
what was computed, to rounding. Which rows are at an effort limit, whether friction slips and which stops act is taken as it was
found: where that changes the derivative jumps. ``dimpedance`` is of the impedances in ``stops``, ``dimpedance_next`` of those that a
later step goes on with. The way back is :func:`step_vjp`.
""",
        "notes": {
            "dq": ", ``nv`` of them",
            "dq_next": ", ``nv`` of them",
            "dq_target": ", ``nv`` of them",
            "kp": "; 0 if left out",
            "kd": "; 0 if left out",
            "stops": "; ``stops_next`` of the call before",
        },
        "flags": {
            "stops_next": ("next_stops", "whether to return what stops then do, and dimpedance_next"),
            "dimpedance_next": ("next_stops", "whether to return what stops then do, and dimpedance_next"),
        },
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v, tau = np.full(7, 0.1), np.zeros(7), np.ones(7)
>>> dtau = np.ones(7)
>>> q_next, v_next, dq_next, dv_next = tandem.step_jvp(arm, q, v, tau, 1e-3, np.zeros(7), np.zeros(7), dtau)
>>> after, before = (tandem.step(arm, q, v, tau + e * dtau, 1e-3)[1] for e in (1e-3, -1e-3))
>>> np.allclose(dv_next, (after - before) / 2e-3)
True
""",
    },
    "step_vjp": {
        "summary": "Derivatives of a weighted sum of the state after a :func:`step`, without a matrix.",
        "text": """
    q_bar = (dq_next/dq)^T q_next_bar + (dv_next/dq)^T v_next_bar, and v_bar, tau_bar, ... alike

are what reverse differentiation hands back, in time and memory O(n), for every integrator; derivatives by configurations are by
increments of :func:`integrate`. They are those of what was computed, to rounding. Which rows are at an effort limit, whether friction
slips and which stops act is taken as it was found: where that changes the derivative jumps. A stop that is met in one step is held in
others by the impedance in ``stops``: ``impedance_bar`` says how the sum depends on it, ``impedance_next_bar`` takes what a later step
made of it. Through many steps: :func:`rollout_gradient`.
""",
        "notes": {
            "q_next_bar": ", ``nv`` of them",
            "q_bar": ", ``nv`` of them",
            "q_target_bar": ", ``nv`` of them",
            "kp": "; 0 if left out",
            "kd": "; 0 if left out",
            "stops": "; ``stops_next`` of the call before",
        },
        "flags": {
            "f_ext_bar": ("by_forces", "whether to return f_ext_bar as well"),
            "q_target_bar": ("by_controller", "whether to return q_target_bar, kp_bar and kd_bar as well"),
            "kp_bar": ("by_controller", "whether to return q_target_bar, kp_bar and kd_bar as well"),
            "kd_bar": ("by_controller", "whether to return q_target_bar, kp_bar and kd_bar as well"),
            "stops_next": ("next_stops", "whether to return what stops then do, and impedance_bar"),
            "impedance_bar": ("next_stops", "whether to return what stops then do, and impedance_bar"),
        },
        "example": """
>>> arm = tandem.load("arm7")
>>> q, v, tau = np.full(7, 0.1), np.zeros(7), np.ones(7)
>>> of_q, of_v = np.zeros(7), np.arange(7.0)  # of_v @ v_next
>>> q_next, v_next, q_bar, v_bar, tau_bar = tandem.step_vjp(arm, q, v, tau, 1e-3, of_q, of_v)
>>> after, before = (tandem.step(arm, q, v, tau + e * np.ones(7), 1e-3)[1] for e in (1e-3, -1e-3))
>>> np.allclose(tau_bar.sum(), of_v @ (after - before) / 2e-3)
True
""",
    },
}
