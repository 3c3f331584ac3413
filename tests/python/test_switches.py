# SPDX-License-Identifier: Apache-2.0
"""Switches, precisions and results are of one kind everywhere."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from support import robot

import tandem

STARTS = np.array([[0.0, 2.9, 0, 0, 0, 0, 0], [0, 0.3, 0, 0, 0, 0, 0]])  # the first meets a stop


def last(limits: Any, effort_limits: Any, dtype: Any = np.float64) -> dict[str, np.ndarray]:
    """The state after 200 steps by every way to do them, under forces above some limits."""
    arm, steps, dt = robot("arm7"), 200, 1e-3
    q0, tau = STARTS.astype(dtype), np.tile(np.array([0, 500.0, 0, 0, 0, 0, 0], dtype), (2, 1))
    simulation = tandem.Simulation(arm, batch=2, dt=dt, dtype=dtype, limits=limits, effort_limits=effort_limits,
                                   max_speed=np.inf, excess=np.inf)
    simulation.q = q0
    simulation.run(steps * dt, tau=tau)
    batch = tandem.VectorSimulation(arm, 2, dt=dt, dtype=dtype, limits=limits, effort_limits=effort_limits,
                                    max_speed=np.inf, excess=np.inf)
    batch.q = q0
    batch.step(tau, steps=steps)
    how: dict[str, Any] = {"limits": limits, "effort_limits": effort_limits}
    found = {"Simulation": simulation.q, "VectorSimulation": batch.q}
    found["rollout"] = tandem.rollout(arm, q0, controls=np.tile(tau[:, None], (1, steps, 1)), dt=dt, max_speed=np.inf,
                                      **how).q
    found["step"] = tandem.step(arm, q0, np.zeros_like(q0), tau, dt, steps=steps, **how)[0]
    return found


@pytest.mark.parametrize("limits", [True, False])
@pytest.mark.parametrize("effort_limits", [True, False])
def test_a_switch_means_the_same_everywhere(limits: bool, effort_limits: bool) -> None:
    words = {True: "on", False: "off"}
    plain, named = last(limits, effort_limits), last(words[limits], words[effort_limits])
    flags = last(np.bool_(limits), np.bool_(effort_limits))
    for way, q in plain.items():
        np.testing.assert_array_equal(named[way], q, way)
        np.testing.assert_array_equal(flags[way], q, way)
        np.testing.assert_allclose(q, plain["rollout"], rtol=0, atol=1e-9, err_msg=way)
    beyond = plain["rollout"][0, 1] > robot("arm7").q_upper[1] + 0.05
    assert beyond == (not limits and not effort_limits) or effort_limits


@pytest.mark.parametrize("given", ["of", "yes", 1, 0, None, "True"])
def test_anything_else_is_refused(given: Any) -> None:
    arm, q = robot("arm7"), np.zeros(7)
    for name in ("limits", "effort_limits"):
        for call in (
            lambda how: tandem.Simulation(arm, **how),
            lambda how: tandem.VectorSimulation(arm, 2, **how),
            lambda how: tandem.rollout(arm, q, steps=2, **how),
            lambda how: tandem.rollout_gradient(arm, q, steps=2, **how),
            lambda how: tandem.step(arm, q, q, q, 1e-3, **how),
            lambda how: tandem.step_vjp(arm, q, q, q, 1e-3, q, q, **how),
        ):
            with pytest.raises(tandem.Error, match=rf"{name} is .*, expected True or False \(or 'on' or 'off'\)"):
                call({name: given})


def test_products_of_a_step_have_names() -> None:
    arm, x = robot("arm7"), np.full(7, 0.1)
    found = tandem.step_vjp(arm, x, x, x, 1e-3, x, x)
    q_next, v_next, q_bar, v_bar, tau_bar = found
    assert found._fields == ("q_next", "v_next", "q_bar", "v_bar", "tau_bar")
    assert found.tau_bar is tau_bar and found.q_bar is q_bar and found.v_next is v_next
    more = tandem.step_vjp(arm, x, x, x, 1e-3, x, x, by_forces=True, next_stops=True)
    assert more._fields[5:] == ("f_ext_bar", "stops_next", "impedance_bar")
    np.testing.assert_array_equal(more.tau_bar, found.tau_bar)
    again = pickle.loads(pickle.dumps(more))
    assert again._fields == more._fields and np.array_equal(again.f_ext_bar, more.f_ext_bar)
    assert tandem.step_jvp(arm, x, x, x, 1e-3, x, x, x)._fields == ("q_next", "v_next", "dq_next", "dv_next")
    step = tandem.step(arm, x, x, x, 1e-3)
    assert step._fields == ("q_next", "v_next") and isinstance(step, tuple)
    out = tuple(np.empty(7) for _ in range(5))
    assert all(a is b for a, b in zip(tandem.step_vjp(arm, x, x, x, 1e-3, x, x, out=out), out))


def test_what_is_no_output_is_converted_to_the_precision_of_the_first_array() -> None:
    arm = robot("arm7")
    q = tandem.random_configuration(arm, seed=1, batch=3)
    v = np.random.default_rng(1).normal(size=(3, 7))
    single, mass = q.astype(np.float32), arm.parameter("mass")
    assert mass.dtype == np.float64
    expected = tandem.forward_dynamics(arm, single, v.astype(np.float32), v.astype(np.float32),
                                       parameters={"mass": mass.astype(np.float32)})
    found = tandem.forward_dynamics(arm, single, v, v, parameters={"mass": mass})
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected)
    doubled = tandem.forward_dynamics(arm, q, v.astype(np.float32), v)
    assert doubled.dtype == np.float64
    np.testing.assert_array_equal(doubled, tandem.forward_dynamics(arm, q, v.astype(np.float32).astype(float), v))
    with pytest.raises(tandem.Error,
                       match=r"out \(qdd\) is float64, but q is float32|out .* is float64, but q is float32"):
        tandem.forward_dynamics(arm, single, v, v, out=np.empty((3, 7)))
    plan = tandem.Plan(arm, "gravity_forces", dtype=np.float32)
    np.testing.assert_array_equal(plan(q), tandem.gravity_forces(arm, single))
    y = v.astype(np.float32)
    ways = [
        tandem.rollout(arm, single, x, u, steps=5, parameters={"mass": m}, controller=tandem.PdController(t, 10.0, 1.0))
        for x, u, m, t in ((v, v, mass, q), (y, y, mass.astype(np.float32), single))
    ]
    assert ways[0].q.dtype == np.float32
    np.testing.assert_array_equal(ways[0].q, ways[1].q)
    gradient = tandem.rollout_gradient(arm, single, v, v, steps=5, parameters={"mass": mass}, cost=tandem.Cost(v=1))
    assert gradient.by_v0.dtype == np.float32
