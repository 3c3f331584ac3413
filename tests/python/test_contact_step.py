# SPDX-License-Identifier: Apache-2.0
"""One step with contacts: the bits of simulations, which are compared with MuJoCo, and MuJoCo's own step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tandem
from contact_support import Twin
from test_contact_simulation import WALKER


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("how", [{}, {"integrator": "rk4"}, {"limits": False, "contact_options": {"law": "stop"}}])
def test_bits_are_those_of_simulations(dtype: Any, how: dict[str, Any]) -> None:
    twin, steps, dt = Twin(WALKER), 60, 2e-3
    q, v, _ = twin.random_states(6, 5, 0.1)
    q, v = q.astype(dtype), v.astype(dtype)
    tau = np.random.default_rng(1).normal(size=(6, twin.model.nv)).astype(dtype)
    simulation = tandem.Simulation(twin.model, batch=6, dt=dt, contacts=twin.contacts, dtype=dtype, **how)
    simulation.reset(q=q, v=v)
    shape, stops = (2, 3), None
    q, v = q.reshape(*shape, -1), v.reshape(*shape, -1)
    solutions = np.zeros(shape, int)
    for _ in range(steps):
        simulation.step(tau)
        found = tandem.contact_step(twin.contacts, q, v, tau.reshape(*shape, -1), dt, stops=stops, **how)
        q, v, stops = found.q, found.v, found.stops
        solutions += found.contact_tally.steps
        np.testing.assert_array_equal(found.contact_forces.reshape(simulation.contact_forces.shape),
                                      simulation.contact_forces)
    np.testing.assert_array_equal(q.reshape(6, -1), simulation.q)
    np.testing.assert_array_equal(v.reshape(6, -1), simulation.v)
    assert q.dtype == dtype and found.contact_forces.any()
    assert solutions.ravel().tolist() == [simulation.contact_tally(b).steps for b in range(6)]
    assert (found.status == tandem.Status.OK).all()


def test_one_state_broadcasts_and_is_pushed() -> None:
    twin = Twin(WALKER)
    q, v, _ = twin.random_states(1, 5, 0.1)
    alone = tandem.contact_step(twin.contacts, q[0], v[0], dt=2e-3)
    assert alone.q.shape == (twin.model.nq,) and alone.contact_tally.solutions == 1
    assert alone.status == tandem.Status.OK
    tau = np.zeros((4, twin.model.nv))
    many = tandem.contact_step(twin.contacts, q[0], v[0], tau, 2e-3)
    for row in many.q:
        np.testing.assert_array_equal(row, alone.q)
    link, wrench = twin.model.link_names[1], np.zeros((4, 6))
    wrench[1:, 2] = 5
    pushed = tandem.contact_step(twin.contacts, q[0], v[0], dt=2e-3, pushes=[tandem.Push(link, wrench[1])])
    assert np.abs(pushed.v - alone.v).max() > 1e-4
    rows = tandem.contact_step(twin.contacts, q[0], v[0], tau, 2e-3, pushes=[tandem.Push(link, wrench)])
    np.testing.assert_array_equal(rows.v, np.array([alone.v, pushed.v, pushed.v, pushed.v]))


def test_wrong_arguments_are_named() -> None:
    twin = Twin(WALKER)
    q, v, _ = twin.random_states(2, 5, 0.1)
    with pytest.raises(tandem.Error, match=r"contact_step: v has shape \(3,\), expected"):
        tandem.contact_step(twin.contacts, q, [1, 2, 3])
    with pytest.raises(tandem.Error, match=r"leading axes do not broadcast: q \(2,\), v \(1, 3\)"):
        tandem.contact_step(twin.contacts, q, np.zeros((1, 3, twin.model.nv)))
    with pytest.raises(tandem.Error, match="semi_implicit_euler"):
        tandem.contact_step(twin.contacts, q, v, integrator="implicit_midpoint")
    with pytest.raises(tandem.Error, match="contact_step: dt is -1, expected a finite positive number"):
        tandem.contact_step(twin.contacts, q, v, dt=-1)
    with pytest.raises(tandem.Error, match="contact_step: q has dtype complex128, expected real numbers"):
        tandem.contact_step(twin.contacts, q + 0j, v)
    with pytest.raises(tandem.Error, match="contact_step: pushes has 3, expected a Push"):
        tandem.contact_step(twin.contacts, q, v, pushes=[3])
    with pytest.raises(tandem.Error, match="contacts: q has dtype complex128, expected real numbers"):
        tandem.contacts(twin.contacts, q + 0j)
    with pytest.raises(tandem.Error, match="contact_dynamics: v has dtype complex128, expected real numbers"):
        tandem.contact_dynamics(twin.contacts, q, v + 0j, v)
    with pytest.raises(tandem.Error, match="rollout: cost is 3, expected a Cost"):
        tandem.rollout(twin.model, q, steps=2, contacts=twin.contacts, cost=3)  # type: ignore[arg-type]
    with pytest.raises(tandem.Error, match="rollout: pushes has 3, expected a Push"):
        tandem.rollout(twin.model, q, steps=2, contacts=twin.contacts, pushes=[3])  # type: ignore[list-item]


@pytest.mark.parametrize("front", [(0,), (2, 0), (0, 3)])
def test_no_states_have_results_without_rows(front: tuple[int, ...]) -> None:
    twin = Twin(WALKER)
    nq, nv, slots = twin.model.nq, twin.model.nv, twin.contacts.n_slots
    q, v = np.zeros((*front, nq)), np.zeros((*front, nv))
    made = tandem.contact_step(twin.contacts, q, v)
    assert made.q.shape == q.shape and made.v.shape == v.shape and made.stops.shape == (*front, 3 * nv)
    assert made.contact_forces.shape == (*front, slots, 6) and made.status.shape == front
    assert tandem.contacts(twin.contacts, q).distance.shape == (*front, slots)
    assert tandem.contact_dynamics(twin.contacts, q, v, v).a.shape == v.shape
    if len(front) == 1:
        mass = np.ones((0, twin.model.n_links))
        rolled = tandem.rollout(twin.model, q, steps=3, contacts=twin.contacts, parameters={"mass": mass})
        assert rolled.q.shape == q.shape and rolled.contact_forces.shape == (0, slots, 6)
