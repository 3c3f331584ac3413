# SPDX-License-Identifier: Apache-2.0
"""Notes on the centre of mass, momentum and energy."""

FUNCTIONS = {
    "centre_of_mass": {
        "summary": "Centre of mass of the moving links in the world, its velocity and its Jacobian.",
        "notes": {"J": ", velocity = J v; world axes"},
        "flags": {"J": ("jacobian", "whether to return the Jacobian")},
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
}
