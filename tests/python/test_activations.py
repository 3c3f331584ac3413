# SPDX-License-Identifier: Apache-2.0
"""Actuators with activations of first order, against MuJoCo. See test_actuators.py for forces of files."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from contact_support import WALKER, Twin
from mujoco_support import mujoco

import tandem

ACTUATORS = """<actuator>
  <general name="lag" joint="right_hip" dyntype="filter" dynprm="0.03" gainprm="4" ctrlrange="-1 1"/>
  <motor name="motor" joint="right_hip" gear="2" ctrlrange="-1 1"/>
  <position name="servo" joint="right_knee" kp="20" kv="1" timeconst="0.05" forcerange="-4 4"/>
  <intvelocity name="speed" joint="left_hip" kp="8" actrange="-0.3 0.4"/>
  <general name="steep" joint="left_knee" dyntype="integrator" gaintype="affine" gainprm="3 0.5 0.2" biastype="affine"
    biasprm="0.1 -2 -0.3" forcerange="-2 3" gear="0.7"/>
</actuator>
</mujoco>"""


def test_forces_and_activations_are_those_of_mujoco_on_the_floor() -> None:
    twin = Twin(WALKER.replace("</mujoco>", ACTUATORS))
    model = twin.model
    assert (model.nu, model.na, twin.theirs.na) == (5, 4, 4)
    simulation = tandem.Simulation(model, dt=twin.theirs.opt.timestep, contacts=twin.contacts,
                                   contact_options={"tolerance": 1e-8, "most_steps": 100})
    q, v, _ = twin.random_states(1, 6, 0.0, turn=0.05)
    simulation.q[:], simulation.v[:] = q[0], v[0]
    twin.set(simulation.q, simulation.v)
    act = np.array([0.2, -0.1, 0.35, -0.4])
    twin.data.act[:] = act
    for ctrl in 1.5 * np.random.default_rng(2).normal(size=(250, model.nu)):
        twin.data.ctrl[:] = ctrl
        mujoco.mj_step(twin.theirs, twin.data)
        tau = tandem.actuator_forces(model, simulation.q, simulation.v, ctrl, act)
        simulation.step(tau)
        act = tandem.advance_activations(model, ctrl, act, twin.theirs.opt.timestep)
        np.testing.assert_allclose(act, twin.data.act, rtol=0, atol=1e-13)
        np.testing.assert_allclose(twin.bridge.q_to(simulation.q), twin.data.qpos, rtol=0, atol=1e-6)
    assert -0.3 <= act[2] <= 0.4


def test_activations_of_first_order_have_closed_forms() -> None:
    """act = u (1 - exp(-t / T)) of a filter, exactly in steps of any length; u t of an integrator."""
    robot = tandem.describe("arm7")
    for name, dynamics in (("a", "filter_exact"), ("b", "filter"), ("c", "integrator")):
        robot.actuator(name, "joint1", dynamics=dynamics, time_constant=0.2, act_range=(-3, 3))
    model = robot.build()
    ctrl = np.full(model.nu, 2.0)
    act = np.zeros(3)
    for _ in range(5):
        act = tandem.advance_activations(model, ctrl, act, 0.06)
    exact = 2 * (1 - np.exp(-0.3 / 0.2))
    np.testing.assert_allclose(act, [exact, 2 * (1 - 0.7**5), 0.6], rtol=1e-14)
    many = tandem.advance_activations(model, ctrl, np.tile(act, (2, 3, 1)), 0.06)
    assert many.shape == (2, 3, 3) and (many == many[0, 0]).all()
    assert tandem.advance_activations(model, ctrl, act, 100.0)[2] == 3


def test_copies_have_the_same_activations() -> None:
    model = Twin(WALKER.replace("</mujoco>", ACTUATORS)).model
    def numbers(of: tandem.Model) -> list[tuple[object, ...]]:
        return [(a.name, a.dynamics, a.time_constant, a.act_range) for a in of.actuators]
    assert [a.dynamics for a in model.actuators] == ["filter", "none", "filter_exact", "integrator", "integrator"]
    assert model.actuators[0].time_constant == 0.03 and model.actuators[3].act_range == (-0.3, 0.4)
    builder = tandem.describe(model)
    for copy in (builder.build(), pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(builder)).build()):
        assert numbers(copy) == numbers(model)
    written = tandem.read_mjcf(tandem.describe(model).write_mjcf()).build()
    assert [x[1] for x in numbers(written)] == [x[1] for x in numbers(model)]
    assert written.actuators[2].time_constant == 0.05 and written.actuators[3].act_range == (-0.3, 0.4)


def test_what_is_missing_is_named() -> None:
    model = Twin(WALKER.replace("</mujoco>", ACTUATORS)).model
    q, v, ctrl = tandem.neutral_configuration(model), np.zeros(model.nv), np.zeros(model.nu)
    with pytest.raises(tandem.Error, match='actuator "lag" has an activation; give act, 4 numbers'):
        tandem.actuator_forces(model, q, v, ctrl)
    with pytest.raises(tandem.Error, match="act has shape"):
        tandem.actuator_forces(model, q, v, ctrl, np.zeros(3))
    with pytest.raises(tandem.Error, match='actuator "lag" has an activation, which a controller cannot represent'):
        tandem.actuator_drive(model, ctrl)
    with pytest.raises(tandem.Error, match="dt is 0, expected a positive number"):
        tandem.advance_activations(model, ctrl, np.zeros(4), 0.0)
    with pytest.raises(tandem.ModelError, match="time_constant is -1"):
        tandem.describe("arm7").actuator("a", "joint1", dynamics="filter", time_constant=-1).build()
    with pytest.raises(tandem.Error, match="activation dynamics"):
        tandem.describe("arm7").actuator("a", "joint1", dynamics="muscle")
