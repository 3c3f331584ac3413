# SPDX-License-Identifier: Apache-2.0
"""Notes on steps and differences of configurations, and on loops that are closed."""

FUNCTIONS = {
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
    "close_loops": {
        "summary": "A configuration near by whose loops are closed, and the part of ``v`` that keeps them closed.",
        "text": """
Newton's method along the robot's inertia: each step is the shortest that closes the loops to first order, as the mass matrix there measures
lengths. Where loops are far open, the sum of the steps is not the shortest way, and another choice of the loop joint leads elsewhere. Of ``v``
the nearest is found, in that measure. A start from which no step leads nearer does not converge, which
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
}
