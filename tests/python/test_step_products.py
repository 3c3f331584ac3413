# SPDX-License-Identifier: Apache-2.0
"""Derivatives of weighted states after a step, against differences of the step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import argument, robot

import tandem

INTEGRATORS = ["semi_implicit_euler", "rk4", "implicit_midpoint"]


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(("name", "floating"), [("arm7", False), ("quadruped", True)])
def test_derivatives_are_those_of_the_step(name: str, floating: bool, integrator: Any) -> None:
    model = robot(name, floating)
    rules: dict[str, Any] = {"integrator": integrator, "limits": "off"}
    q, v, tau = (argument(model, x) for x in ("q", "v", "tau"))
    of_q, of_v, d = (np.random.default_rng(k).normal(size=model.nv) for k in range(3))
    q_next, v_next, q_bar, v_bar, tau_bar, f_bar = tandem.step_vjp(
        model, q, v, tau, 1e-3, of_q, of_v, by_forces=True, **rules
    )
    ours = tandem.step(model, q, v, tau, 1e-3, method="articulated_body", **rules)
    np.testing.assert_array_equal(np.concatenate((q_next, v_next)), np.concatenate(ours))

    def slope(f: Any) -> float:
        e = 1e-6
        (q0, v0), (q1, v1) = f(-e), f(e)
        return float(of_q @ tandem.difference(model, q0, q1) + of_v @ (v1 - v0)) / (2 * e)

    wrenches = np.random.default_rng(4).normal(size=(model.n_links, 6))
    for found, theirs in (
        (q_bar @ d, lambda e: tandem.step(model, tandem.integrate(model, q, e * d), v, tau, 1e-3, **rules)),
        (v_bar @ d, lambda e: tandem.step(model, q, v + e * d, tau, 1e-3, **rules)),
        (tau_bar @ d, lambda e: tandem.step(model, q, v, tau + e * d, 1e-3, **rules)),
        ((f_bar * wrenches).sum(), lambda e: tandem.step(model, q, v, tau, 1e-3, f_ext=e * wrenches, **rules)),
    ):
        assert found == pytest.approx(slope(theirs), rel=1e-5, abs=1e-6)


def test_a_gain_without_a_target_is_refused() -> None:
    arm = robot("arm7")
    zero = np.zeros(7)
    with pytest.raises(tandem.Error, match="step_vjp: kp needs the argument q_target"):
        tandem.step_vjp(arm, zero, zero, zero, 1e-3, zero, zero, kp=zero)


def test_closed_loops_are_refused() -> None:
    bars = tandem.load("four_bar")
    zero = np.zeros(bars.nv)
    with pytest.raises(tandem.Error, match="step_vjp: does not serve four_bar: it has closed loops"):
        tandem.step_vjp(bars, tandem.neutral_configuration(bars), zero, zero, 1e-3, zero, zero)
