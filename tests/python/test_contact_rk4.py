# SPDX-License-Identifier: Apache-2.0
"""Runge-Kutta steps with contacts against MuJoCo's."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from contact_support import PILE, WALKER, Twin, follow, simulation_of
from mujoco_support import mujoco

import tandem


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
@pytest.mark.parametrize("robot", ["walker", "pile"])
def test_rk4_falls_as_in_mujoco(cone: str, robot: str) -> None:
    """With free, ball and other joints; springs and damping are explicit there, too."""
    twin = Twin(
        (WALKER if robot == "walker" else PILE).replace("<option ", '<option integrator="RK4" '),
        cone,
        self_contact=robot == "pile",
    )
    simulation = simulation_of(twin, integrator="rk4")
    q, v, _ = twin.random_states(1, 3, 0.0, turn=0.05)
    simulation.q[:], simulation.v[:] = q[0], 0.2 * v[0]
    worst, pushed = follow(twin, simulation, 250)
    assert pushed > 300
    assert worst < 1e-6
    assert simulation.contact_tally().not_converged == 0 and simulation.contact_tally().solutions == 1000
    # contacts are those of the last stage, in its state
    touching = simulation.contact_forces[:, 0] > 0
    mujoco.mj_step(twin.theirs, twin.data)
    simulation.step()
    q, v = simulation.contact_state
    assert touching.any() and not np.array_equal(q, simulation.q)
    np.testing.assert_allclose(
        twin.forces(q), simulation.contact_forces, atol=1e-4 * np.abs(simulation.contact_forces).max()
    )


def test_rk4_accounts_for_the_energy_of_contacts() -> None:
    twin = Twin(WALKER.replace("<option ", '<option integrator="RK4" '))
    drifts = []
    for dt in (4e-4, 1e-4):
        simulation = tandem.Simulation(twin.model, dt=dt, contacts=twin.contacts, integrator="rk4")
        simulation.q[:] = twin.bridge.q_from(twin.theirs.qpos0)
        simulation.q[:3] += -1, 0, 0.2
        tau = np.r_[np.zeros(6), 0.1 * np.ones(twin.model.nv - 6)]
        states = simulation.run(0.4, tau=tau, every=4)
        kinetic, potential = tandem.energy(twin.model, states.q, states.v)
        drifts.append(float(np.ptp(kinetic + potential + states.dissipated - states.work)))
        assert simulation.contact_tally().taken > 20 * drifts[-1]
    assert drifts[1] < 0.3 * drifts[0]


def test_rk4_of_a_batch_goes_on_after_snapshots_and_divergence() -> None:
    twin = Twin(WALKER.replace("<option ", '<option integrator="RK4" '))
    many = tandem.VectorSimulation(twin.model, 3, dt=2e-3, contacts=twin.contacts, integrator="rk4")
    q, v, _ = twin.random_states(3, 5, 0.1)
    many.reset(q=q, v=v)
    alone = tandem.Simulation(twin.model, dt=2e-3, contacts=twin.contacts, integrator="rk4")
    alone.q[:], alone.v[:] = q[1], v[1]
    many.tau[0] = np.nan
    many.step(steps=40)
    other = pickle.loads(pickle.dumps(many))
    many.step(ids=[1], steps=10)
    other.step(ids=[1], steps=10)
    for _ in range(50):
        alone.step()
    assert many.diverged.tolist() == [True, False, False]
    for x, y in (
        (many.q[1], alone.q),
        (many.contact_state[0][1], alone.contact_state[0]),
        (many.contact_forces[1], alone.contact_forces),
    ):
        np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(many.q, other.q)
    many.reset([1])
    np.testing.assert_array_equal(many.contact_state[0][1], many.q[1])
