# SPDX-License-Identifier: Apache-2.0
"""Simulations that actuators drive: controls and activations of every kind against MuJoCo's trajectories."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import tandem
from tandem import bridges

mujoco = pytest.importorskip("mujoco", reason="NOT COMPARED WITH MUJOCO: it is not installed (pip install mujoco)")

#: A finger with coupled joints over the floor, driven in every way that is served.
FINGER = """<mujoco model="finger">
  <option timestep="0.002" integrator="{integrator}" jacobian="dense" tolerance="0" iterations="200"/>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body name="slider" pos="0 0 0.35"><joint name="slide" type="slide" axis="1 0 0" damping="1"/>
      <geom type="box" size="0.05 0.05 0.05" mass="1" contype="0" conaffinity="0"/>
      <body name="upper"><joint name="one" axis="0 1 0" damping="0.05"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.3"/>
        <body name="lower" pos="0 0 -0.2"><joint name="two" axis="0 1 0" damping="0.05"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.15" size="0.02" mass="0.2"/>
          <site name="tip" pos="0 0 -0.15" euler="20 30 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="both"><joint joint="one" coef="0.7"/><joint joint="two" coef="-0.4"/></fixed></tendon>
  <actuator>
    <position name="servo" joint="slide" kp="60" kv="4" forcerange="-5 6"/>
    <motor name="pull" tendon="both" gear="1.5" ctrlrange="-1 1"/>
    <position name="hold" tendon="both" kp="3" kv="0.05"/>
    <motor name="thrust" site="tip" gear="0.2 0.1 0.5 0.02 0.03 -0.01"/>
    <general name="slow" joint="one" dyntype="filterexact" dynprm="0.05" gainprm="0.4" actlimited="true" actrange="-1 1"/>
    <general name="lag" site="tip" dyntype="filter" dynprm="0.1" gear="0 0 0.3 0 0 0"/>
    <intvelocity name="lead" joint="two" kp="1.5" actrange="-1 1"/>
    <velocity name="speed" joint="two" kv="0.3"/>
  </actuator>
</mujoco>"""

#: Four rotors, whose drag turns the body, and an arm that hangs from it.
DRONE = """<mujoco model="drone">
  <option timestep="0.005" integrator="{integrator}"/>
  <worldbody>
    <body name="body" pos="0 0 1"><freejoint/>
      <geom type="box" size="0.1 0.1 0.02" mass="0.6"/>
      <site name="r1" pos="0.1 0.1 0"/><site name="r2" pos="-0.1 0.1 0"/>
      <site name="r3" pos="-0.1 -0.1 0"/><site name="r4" pos="0.1 -0.1 0" euler="5 0 0"/>
      <body name="arm"><joint name="arm" axis="1 0 0"/><geom type="capsule" fromto="0 0 0 0 0.1 -0.2" size="0.01" mass="0.1"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="m1" site="r1" gear="0 0 1 0 0 -0.02" ctrlrange="0 4"/>
    <motor name="m2" site="r2" gear="0 0 1 0 0 0.02" ctrlrange="0 4"/>
    <motor name="m3" site="r3" gear="0 0 1 0 0 -0.02" ctrlrange="0 4"/>
    <motor name="m4" site="r4" gear="0 0 1 0 0 0.02" ctrlrange="0 4"/>
  </actuator>
  <keyframe><key name="hover" ctrl="1.7 1.7 1.7 1.7"/></keyframe>
</mujoco>"""


def both(text: str) -> tuple[tandem.Model, Any, Any]:
    theirs = mujoco.MjModel.from_xml_string(text)
    model = tandem.read_mjcf(text).build()
    assert not [w for w in model.warnings if "actuator" in w]
    return model, theirs, mujoco.MjData(theirs)


def follow(simulation: tandem.Simulation, theirs: Any, data: Any, controls: np.ndarray) -> float:
    """Largest difference of positions and activations over steps of both."""
    bridge, apart = bridges.to_mujoco(simulation.model, theirs), 0.0
    for ctrl in controls:
        data.ctrl[:] = simulation.ctrl[:] = ctrl
        simulation.step()
        mujoco.mj_step(theirs, data)
        apart = max(apart, np.abs(bridge.q_to(simulation.q) - data.qpos).max(initial=0))
        apart = max(apart, np.abs(simulation.act - data.act).max(initial=0))
    return apart


def test_forces_are_those_of_mujoco() -> None:
    for text in (FINGER, DRONE):
        model, theirs, data = both(text.format(integrator="Euler"))
        bridge, random = bridges.to_mujoco(model, theirs), np.random.default_rng(5)
        for seed in range(20):
            q, v = tandem.random_configuration(model, seed), random.normal(size=model.nv)
            data.qpos[:], data.qvel[:] = bridge.q_to(q), bridge.v_to(v, q)
            data.ctrl[:], data.act[:] = 2 * random.normal(size=model.nu), random.normal(size=model.na)
            mujoco.mj_forward(theirs, data)
            tau = tandem.actuator_forces(model, q, v, data.ctrl, data.act)
            pushed = tandem.forward_dynamics(model, q, v, tau) - tandem.forward_dynamics(model, q, v, 0 * tau)
            mine = np.zeros(model.nv)
            mujoco.mj_solveM(theirs, data, mine.reshape(1, -1), data.qfrc_actuator.reshape(1, -1))
            np.testing.assert_allclose(bridge.v_to(pushed, q), mine, rtol=1e-9, atol=1e-9 * np.abs(mine).max())


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
@pytest.mark.parametrize("touching", [False, True])
def test_trajectories_are_those_of_mujoco(integrator: str, touching: bool) -> None:
    text = FINGER.format(integrator=integrator)
    if integrator == "implicitfast":  # a servo of a tendon damps there two joints at once
        text = text.replace('kp="3" kv="0.05"', 'kp="3"')
    if not touching:
        text = text.replace('contype="0" conaffinity="0"', "").replace("<geom ", '<geom contype="0" conaffinity="0" ')
    model, theirs, data = both(text)
    simulation = tandem.Simulation(
        model,
        dt=theirs.opt.timestep,
        contacts=tandem.ContactSet(model) if touching else None,
        contact_options={"tolerance": 1e-10, "most_steps": 100} if touching else None,
    )
    simulation.q[:] = bridges.to_mujoco(model, theirs).q_from(data.qpos)
    controls = np.repeat(1.5 * np.random.default_rng(1).normal(size=(15, model.nu)), 20, axis=0)
    assert follow(simulation, theirs, data, controls) < (2e-7 if touching else 1e-9)
    assert not touching or np.abs(simulation.q).max() > 0.1


def test_a_drone_flies_as_in_mujoco() -> None:
    model, theirs, data = both(DRONE.format(integrator="Euler"))
    assert [a.frame for a in model.actuators] == ["r1", "r2", "r3", "r4"]
    simulation = tandem.Simulation(model, dt=0.005)
    simulation.q[:] = model.configuration("qpos0")
    controls = model.controls("hover") + 0.1 * np.random.default_rng(2).normal(size=(200, 4))
    assert follow(simulation, theirs, data, controls) < 1e-9


def test_batches_snapshots_and_parts() -> None:
    model, _, _ = both(FINGER.format(integrator="implicitfast"))
    random = np.random.default_rng(3)
    q, v = 0.3 * random.normal(size=(67, model.nq)), random.normal(size=(67, model.nv))
    ctrl = random.normal(size=(67, model.nu))
    for contacts in (None, tandem.ContactSet(model)):
        robots = tandem.VectorSimulation(model, 67, dt=2e-3, contacts=contacts, threads=2)
        robots.reset(q=q, v=v)
        robots.ctrl = ctrl
        robots.step(steps=10)
        again = pickle.loads(pickle.dumps(robots))
        twin = copy.deepcopy(robots)
        robots.step(steps=5)
        again.step(steps=5)
        twin.step(ids=[3, 66], steps=5)
        alone = tandem.Simulation(model, dt=2e-3, contacts=contacts)
        alone.reset(q[66], v[66])
        alone.ctrl = ctrl[66]
        for _ in range(15):
            alone.step()
        for name in ("q", "v", "act"):
            np.testing.assert_array_equal(getattr(again, name), getattr(robots, name))
            np.testing.assert_array_equal(getattr(twin, name)[[3, 66]], getattr(robots, name)[[3, 66]])
            np.testing.assert_array_equal(getattr(alone, name), getattr(robots, name)[66])
        assert np.all(robots.act != 0)
        alone.reset()
        assert np.all(alone.act == 0)


def test_energy_counts_actuators() -> None:
    """Kinetic and potential energy change by work less what is dissipated, of order 1 in dt."""
    model, _, _ = both(FINGER.format(integrator="implicitfast"))
    balances = []
    for dt in (2e-3, 1e-3):
        simulation = tandem.Simulation(model, dt=dt)
        simulation.ctrl[:] = 0.4
        before = sum(tandem.energy(model, simulation.q, simulation.v))
        simulation.run(0.4)
        after = sum(tandem.energy(model, simulation.q, simulation.v))
        balances.append(abs(after - before - simulation.work + simulation.dissipated))
    assert balances[1] < 0.6 * balances[0] < 0.02


def test_what_is_refused() -> None:
    model, _, _ = both(FINGER.format(integrator="Euler"))
    with pytest.raises(tandem.Error, match='actuator "servo" depends on the state and acts with semi_implicit_euler'):
        tandem.Simulation(model, integrator="rk4").ctrl
    with pytest.raises(tandem.Error, match="arm7 has no actuators; give joint torques, tau"):
        tandem.VectorSimulation(tandem.load("arm7"), 2).ctrl = 0
    simulation = tandem.Simulation(model)
    with pytest.raises(tandem.Error, match="ctrl"):
        simulation.ctrl = np.nan
    simulation.ctrl[2] = np.inf
    with pytest.raises(tandem.Error, match=r'ctrl\[2\], of actuator "hold", is not finite'):
        simulation.step()
    with pytest.raises(tandem.Error, match='actuator "hold" is a servo of a tendon of several joints'):
        tandem.actuator_drive(without(model, "slow", "lag", "lead", "thrust"), np.zeros(4))
    with pytest.raises(tandem.Error, match='actuator "m1" acts on a frame'):
        tandem.actuator_drive(both(DRONE.format(integrator="Euler"))[0], np.zeros(4))


def without(model: tandem.Model, *names: str) -> tandem.Model:
    robot = tandem.describe(model)
    for name in names:
        robot.remove_actuator(name)
    return robot.build()


def test_actuators_stay_with_tendons_and_frames() -> None:
    model, _, _ = both(FINGER.format(integrator="Euler"))
    again = tandem.read_mjcf(tandem.describe(model).write_mjcf()).build()
    q, v, ctrl, act = (np.linspace(-0.5, 0.7, n) for n in (model.nq, model.nv, model.nu, model.na))
    tau = tandem.actuator_forces(model, q, v, ctrl, act)
    np.testing.assert_allclose(tandem.actuator_forces(again, q, v, ctrl, act), tau, rtol=1e-12)
    np.testing.assert_allclose(tandem.actuator_forces(pickle.loads(pickle.dumps(model)), q, v, ctrl, act), tau)
    pair = tandem.describe("arm7").append(model, "base_link", prefix="a_").build()
    np.testing.assert_allclose(tandem.actuator_forces(pair, np.r_[np.zeros(7), q], np.r_[np.zeros(7), v], ctrl, act),
                               np.r_[np.zeros(7), tau], rtol=1e-9)
    assert [a.tendon for a in pair.actuators][1:3] == ["a_both", "a_both"]
    # a locked joint takes its part of the tendon's length
    locked = tandem.describe(model).lock_joint("one", [0.3]).build()
    q[1], v[1] = 0.3, 0
    expected = tandem.actuator_forces(without(model, "slow"), q, v, np.delete(ctrl, 4), act[1:])
    np.testing.assert_allclose(
        tandem.actuator_forces(locked, np.delete(q, 1), np.delete(v, 1), np.delete(ctrl, 4), act[1:]),
        np.delete(expected, 1), rtol=1e-12)
    removed = tandem.describe(model).remove_link("lower").build()
    assert [a.name for a in removed.actuators] == ["servo", "slow"]
