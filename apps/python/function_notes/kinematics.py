# SPDX-License-Identifier: Apache-2.0
"""Notes on where links and frames are and how they move."""

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
}
