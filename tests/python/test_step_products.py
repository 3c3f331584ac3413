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


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(("name", "floating"), [("arm7", False), ("quadruped", True)])
def test_one_way_is_the_transpose_of_the_other(name: str, floating: bool, integrator: Any) -> None:
    model = robot(name, floating)
    rules: dict[str, Any] = {"integrator": integrator, "effort_limits": "on", "next_stops": True}
    q, v, tau, q_target = (argument(model, x) for x in ("q", "v", "tau", "q_target"))
    vectors = np.random.default_rng(5).normal(size=(9, model.nv))
    of_q, of_v, of_z, dq, dv, dtau, dq_target, dkp, dkd = vectors
    f, df = np.random.default_rng(6).normal(size=(2, model.n_links, 6))
    how: dict[str, Any] = {"f_ext": f, "q_target": q_target, "kp": np.full(model.nv, 9.0), "kd": np.ones(model.nv),
                           **rules}
    found = tandem.step_jvp(
        model, q, v, tau, 1e-3, dq, dv, dtau, df_ext=df, dq_target=dq_target, dkp=dkp, dkd=dkd, **how
    )
    q_next, v_next, dq_next, dv_next, stops_next, dz_next = found
    back = tandem.step_vjp(
        model, q, v, tau, 1e-3, of_q, of_v, impedance_next_bar=of_z, by_forces=True, by_controller=True, **how
    )
    for ours, theirs in zip((q_next, v_next, stops_next), (back[0], back[1], back[9]), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    terms = [x * y for x, y in zip(back[2:9], (dq, dv, dtau, df, dq_target, dkp, dkd), strict=True)]
    size = sum(float(abs(x).sum()) for x in terms)
    assert sum(float(x.sum()) for x in terms) == pytest.approx(of_q @ dq_next + of_v @ dv_next + of_z @ dz_next,
                                                               abs=1e-10 * size)


def test_increments_of_what_is_not_there_are_refused() -> None:
    arm = robot("arm7")
    zero = np.zeros(7)
    for name, needed in (("dkp", "q_target"), ("dq_target", "q_target"), ("dimpedance", "stops")):
        with pytest.raises(tandem.Error, match=f"step_jvp: {name} needs the argument {needed}"):
            tandem.step_jvp(arm, zero, zero, zero, 1e-3, zero, zero, zero, **{name: zero})


def test_a_gain_without_a_target_is_refused() -> None:
    arm = robot("arm7")
    zero = np.zeros(7)
    with pytest.raises(tandem.Error, match="step_vjp: kp needs the argument q_target"):
        tandem.step_vjp(arm, zero, zero, zero, 1e-3, zero, zero, kp=zero)


def test_closed_loops_are_refused() -> None:
    bars = tandem.load("four_bar")
    zero = np.zeros(bars.nv)
    with pytest.raises(tandem.Error, match="step_vjp: does not support four_bar: it has closed loops"):
        tandem.step_vjp(bars, tandem.neutral_configuration(bars), zero, zero, 1e-3, zero, zero)
    with pytest.raises(tandem.Error, match="step_jvp: does not support four_bar: it has closed loops"):
        tandem.step_jvp(bars, tandem.neutral_configuration(bars), zero, zero, 1e-3, zero, zero, zero)
