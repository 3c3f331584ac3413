# SPDX-License-Identifier: Apache-2.0
"""Robots let go at rest stay within their position limits."""

from __future__ import annotations

import numpy as np
import pytest
from oracle_support import Case, cases, load

import tandem


@pytest.mark.parametrize("case", [case for case in cases() if not case.values[0] or not case.values[0].floating])
def test_a_robot_that_is_let_go_stays_within_its_limits(case: Case):
    model = load(case)
    limited = np.isfinite(model.q_lower) | np.isfinite(model.q_upper)
    if not limited.any():
        pytest.skip("no joint has limits")
    simulation = tandem.Simulation(model, dt=1e-3)
    simulation.q = tandem.random_configuration(model, seed=1)
    try:
        states = simulation.run(5.0)
    except tandem.Error:
        found = simulation.divergence()
        if found.kind == "not_finite":
            pytest.skip(f"singular: {found.what}")
        # light wrists that nothing damps, which the method of order 1 gives energy
        simulation = tandem.Simulation(model, dt=1e-3, integrator="rk4")
        simulation.q = tandem.random_configuration(model, seed=1)
        states = simulation.run(5.0)
    beyond = np.maximum(states.q - model.q_upper, model.q_lower - states.q)[:, limited]
    # docs/simulation.md: what a joint goes beyond as it comes, and what loads press it in by
    assert beyond.max() < 1e-3 * np.abs(states.v).max() / 1000 + 1e-5
