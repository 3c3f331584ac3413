# SPDX-License-Identifier: Apache-2.0
"""Gravity compensation of bodies (gravcomp), against MuJoCo and closed forms."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from contact_support import G, Twin, follow, simulation_of

import tandem

#: An arm of partly carried bodies, one of them fixed to another; bodies of their own that rise, float and fall.
ARM = """<mujoco model="arm">
  <option timestep="0.002" gravity="0.5 -0.3 -9.7"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="upper" pos="0 0 0.35" gravcomp="0.4"><joint name="shoulder" type="ball"/>
      <geom name="upper" type="capsule" fromto="0 0 0 0.25 0 0" size="0.04" mass="1" friction="0.7"/>
      <body name="pack" pos="0.05 0.06 0" euler="20 10 0" gravcomp="1.5"><geom type="box" size="0.03 0.02 0.04" mass="0.5" pos="0.01 0.02 0"/></body>
      <body name="lower" pos="0.25 0 0"><joint name="elbow" axis="0 1 0.2" range="-60 60"/><joint name="turn" axis="1 0 0"/>
        <geom name="lower" type="capsule" fromto="0.02 0 0 0.2 0.03 0" size="0.03" mass="0.6"/></body></body>
    <body name="rises" pos="0 0.6 0.2" euler="0 30 0" gravcomp="1.2"><freejoint/><geom type="box" size="0.05 0.08 0.03" mass="0.7" pos="0.02 0 0"/></body>
    <body name="falls" pos="0.6 0 0.06" gravcomp="0.5"><freejoint/><geom size="0.07" mass="0.4" condim="6"/></body>
  </worldbody>
</mujoco>"""


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_accelerations_are_those_of_mujoco(cone: str) -> None:
    twin = Twin(ARM, cone, self_contact=True)
    q, v, tau = twin.random_states(20, 4, 0.05, 0.5)
    found = tandem.contact_dynamics(twin.contacts, q, v, tau, tolerance=1e-10, most_steps=100)
    for k in range(len(q)):
        twin.forward(q[k], v[k], tau[k])
        a = twin.accelerations(q[k], v[k])
        np.testing.assert_allclose(found.a[k], a, atol=1e-9 * np.abs(a).max())
    alone = tandem.contact_dynamics(twin.contacts, q[7], v[7], tau[7], tolerance=1e-10, most_steps=100)
    np.testing.assert_array_equal(alone.a, found.a[7])


def test_trajectories_are_those_of_mujoco() -> None:
    twin = Twin(ARM, self_contact=True)
    simulation = simulation_of(twin)
    worst, pushed = follow(twin, simulation, 250)
    assert worst < 1e-6 and pushed > 100


def test_a_body_that_is_carried_floats_and_half_of_it_falls_half_as_fast() -> None:
    for fraction in (1.0, 0.5):
        robot = tandem.ModelBuilder("r").link("world")
        robot.link("body", mass=2, com=(0.1, 0, 0), inertia=(0.1, 0, 0, 0.1, 0, 0.1), carried_mass=2 * fraction,
                   carried_com=(0.1, 0, 0)).joint("free", "free", "world", "body")
        model = robot.build()
        simulation = tandem.Simulation(model, dt=1e-3, contacts=tandem.ContactSet(model))
        for _ in range(100):
            simulation.step()
        v = np.array([0, 0, -(1 - fraction) * G * 0.1, 0, 0, 0])
        np.testing.assert_allclose(simulation.v, v, atol=1e-12)
        taken = 2 * fraction * G * 0.5 * (1 - fraction) * G * 0.1**2  # the force along the way
        assert simulation.contact_tally().taken == pytest.approx(taken, rel=1e-9, abs=1e-12)


def test_it_belongs_to_descriptions() -> None:
    builder = tandem.read_mjcf(ARM)
    model = builder.build()
    assert builder.get_link("upper")["carried_mass"] == 0.4
    assert any("gravity compensation acts only" in warning for warning in model.warnings)
    pairs = tandem.ContactSet(model)
    rng = np.random.default_rng(1)
    q = tandem.functions.integrate(model, model.configuration("qpos0"), 0.2 * rng.normal(size=model.nv))
    zero = np.zeros(model.nv)
    a = tandem.contact_dynamics(pairs, q, zero, zero, tolerance=1e-10).a
    for same in (tandem.describe(model).build(), pickle.loads(pickle.dumps(model)),
                 tandem.read_mjcf(builder.write_mjcf()).build()):
        again = tandem.contact_dynamics(tandem.ContactSet(same), q, zero, zero, tolerance=1e-10).a
        np.testing.assert_allclose(again, a, atol=1e-9 * np.abs(a).max())
    with pytest.raises(tandem.ModelError, match="carried mass is -1"):
        tandem.ModelBuilder("r").link("base").link("arm", mass=1, carried_mass=-1).joint(
            "j", "spherical", "base", "arm").build()
