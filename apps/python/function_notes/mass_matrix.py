# SPDX-License-Identifier: Apache-2.0
"""Notes on the mass matrix, its inverse and its rate."""

FUNCTIONS = {
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
}
