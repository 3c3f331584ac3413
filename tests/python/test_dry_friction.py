# SPDX-License-Identifier: Apache-2.0
"""Dry friction beside MuJoCo's frictionloss, and robots with friction in every integrator."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tandem

INTEGRATORS = ["semi_implicit_euler", "rk4", "implicit_midpoint"]

#: An arm of three hinges that do not swing in one plane. Friction is almost rigid: MuJoCo's is a soft constraint.
ARM = """
<mujoco model="rubbing arm">
  <compiler angle="radian"/>
  <option timestep="{dt}" integrator="Euler" tolerance="1e-14" iterations="200"/>
  <default>
    <joint frictionloss="{friction}" solreffriction="{two_steps} 1" solimpfriction="0.9999 0.9999 0.001"/>
    <geom contype="0" conaffinity="0"/>
  </default>
  <worldbody>
    <body name="upper">
      <joint name="shoulder" axis="0 0 1"/>
      <inertial pos="0.2 0 0" mass="2" diaginertia="0.01 0.03 0.03"/>
      <body name="middle" pos="0.4 0 0">
        <joint name="elbow" axis="0 1 0"/>
        <inertial pos="0.15 0 0.02" mass="1" diaginertia="0.005 0.01 0.01"/>
        <body name="hand" pos="0.3 0 0">
          <joint name="wrist" axis="1 0 0"/>
          <inertial pos="0 0.1 0" mass="0.5" diaginertia="0.002 0.002 0.002"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def by_mujoco(text: str, v0: Any, tau: Any, steps: int) -> np.ndarray:
    """Velocities and positions after every step, [steps, 2, 3]."""
    mujoco = pytest.importorskip(
        "mujoco", reason="NOT COMPARED WITH MUJOCO: it is not installed (pip install mujoco)"
    )
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[:] = v0
    data.qfrc_applied[:] = tau
    states = []
    for _ in range(steps):
        mujoco.mj_step(model, data)
        states.append((data.qpos.copy(), data.qvel.copy()))
    return np.array(states)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(
    "friction, v0, tau, slides",
    [
        (12.0, [0, 0, 0], [3, 2, -0.5], False),  # holds its weight, 2.9 N m at the elbow, and the torques
        (0.7, [3, -2, 4], [0, -3, 0], True),  # slides until elbow and wrist stop
        (0.7, [0, 0, 0], [1, -3.8, 0.6], True),  # shoulder and elbow break away, the wrist holds
    ],
)
def test_an_arm_sticks_and_slides_as_mujocos(
    integrator: Any, friction: float, v0: Any, tau: Any, slides: bool, tmp_path: Path
) -> None:
    dt, steps = 1e-4, 8000
    file = tmp_path / "arm.xml"
    file.write_text(ARM.format(dt=dt, friction=friction, two_steps=2 * dt))
    theirs = by_mujoco(file.read_text(), v0, tau, steps)
    simulation = tandem.Simulation(tandem.load(file), dt=dt, integrator=integrator)
    simulation.v = v0
    ours = simulation.run(steps * dt, tau=np.array(tau, dtype=float))
    # both are of order one where friction acts; what sticks in MuJoCo creeps by 1e-4 of what its load would do
    np.testing.assert_allclose(ours.q[1:], theirs[:, 0], rtol=0, atol=10 * dt)
    np.testing.assert_allclose(ours.v[1:], theirs[:, 1], rtol=0, atol=100 * dt)
    sticks, stick_there = np.abs(ours.v[1:]) < 1e-5, np.abs(theirs[:, 1]) < 1e-4
    assert (sticks != stick_there).mean(axis=0).max() < 0.005
    assert sticks.all() != slides
    if not slides:
        assert np.abs(ours.v).max() < 1e-6


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", ["arm6", "arm7", "quadruped"])
def test_rollouts_and_batches_have_the_bits_of_simulations(integrator: Any, name: str) -> None:
    model = tandem.load(name)
    robots, steps = 9, 40
    rows = [joint.v_index + k for joint in model.joints if joint.type != "free" for k in range(joint.nv)]
    friction = np.zeros((robots, model.nv))
    friction[:, rows] = np.random.default_rng(3).uniform(0.1, 1.0, (robots, len(rows)))
    q0 = tandem.random_configuration(model, seed=4, batch=robots)
    v0 = np.random.default_rng(5).normal(size=(robots, model.nv))
    options: dict[str, Any] = {"integrator": integrator, "gravity_compensation": True}
    options["parameters"] = {"friction": friction}
    rolled = tandem.rollout(model, q0, v0, dt=1e-3, steps=steps, **options)
    assert (rolled.status == 0).all()
    simulation = tandem.Simulation(model, dt=1e-3, batch=robots, **options)
    simulation.reset(q0, v0)
    states = simulation.run(steps * 1e-3)
    batch = tandem.VectorSimulation(model, robots, dt=1e-3, **options)
    batch.reset(q=q0, v=v0)
    for _ in range(steps):
        batch.step()
    assert not batch.diverged.any()
    for q, v in ((states.q[-1], states.v[-1]), (batch.q, batch.v)):
        np.testing.assert_array_equal(rolled.q, q)
        np.testing.assert_array_equal(rolled.v, v)


def free_bodies(kinds: list[str], seed: int, friction: float) -> tandem.Model:
    """A chain of random links on joints of some kinds."""
    rng = np.random.default_rng(seed)
    text = '<robot name="r"><link name="l0"/>'
    for k, kind in enumerate(kinds, 1):
        m, com, axis, turn = rng.uniform(0.5, 2), 0.1 * rng.normal(size=3), rng.normal(size=3), rng.normal(size=2)
        text += f"""<link name="l{k}"><inertial><origin xyz="{com[0]} {com[1]} {com[2]}"/><mass value="{m}"/>
          <inertia ixx="{0.02 * m}" iyy="{0.03 * m}" izz="{0.025 * m}" ixy="0" ixz="0" iyz="0"/></inertial></link>
          <joint name="j{k}" type="{kind}"><parent link="l{k - 1}"/><child link="l{k}"/>
          <origin xyz="0.3 0 0" rpy="{turn[0]} {turn[1]} 0"/><axis xyz="{axis[0]} {axis[1]} {axis[2]}"/>
          <dynamics friction="{friction}"/></joint>"""
    return tandem.Model.from_urdf_string(text + "</robot>")


@pytest.mark.parametrize("kinds", [["floating"], ["planar", "planar"], ["continuous", "planar"]], ids="-".join)
def test_implicit_midpoint_converges_where_free_joints_stick_or_begin_to_slip(kinds: list[str]) -> None:
    """Energies of robots that hardly move are differences of large ones: lambda never comes to rest by itself there."""
    n = 40
    for seed, friction, dt in itertools.product(range(4), (0.1, 1, 10), (1e-3, 1e-2)):
        robot, rng = free_bodies(kinds, seed, friction), np.random.default_rng(seed)
        q = tandem.random_configuration(robot, seed=seed, batch=n)
        speed = 10.0 ** rng.uniform(-8, 0, size=(n, 1))
        speed[::3] = 0
        v, tau, dq, dv, dtau = (rng.normal(size=(n, robot.nv)) for _ in range(5))
        status = np.ones(n, np.uint8)
        after = tandem.step_jvp(
            robot, q, speed * v, tau, dt, dq, dv, dtau, integrator="implicit_midpoint", status=status
        )
        assert not status.any() and all(np.isfinite(numbers).all() for numbers in after)
