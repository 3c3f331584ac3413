# SPDX-License-Identifier: Apache-2.0
"""Rollouts beside MuJoCo's steps, contacts and constraints off, on the shipped arms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mujoco_support import mujoco, mujoco_model
from oracle_support import stripped_urdf

import tandem

ROBOTS = Path(__file__).resolve().parents[2] / "robots"


@pytest.mark.parametrize("name", ["arm6", "arm7"])
@pytest.mark.parametrize("integrator, theirs", [("semi_implicit_euler", "mjINT_EULER"), ("rk4", "mjINT_RK4")])
def test_states_after_a_hundred_steps(name: str, integrator: Any, theirs: str) -> None:
    model = tandem.load(name)
    their_model = mujoco_model(stripped_urdf(ROBOTS / f"{name}.urdf"), floating=False)
    their_model.opt.timestep, their_model.opt.integrator = 1e-3, getattr(mujoco.mjtIntegrator, theirs)
    rows = [mujoco.mj_name2id(their_model, mujoco.mjtObj.mjOBJ_JOINT, joint.name) for joint in model.joints]
    assert their_model.nq == model.nq and all(joint.nv == 1 for joint in model.joints)
    random = np.random.default_rng(1)
    n, steps = 5, 100
    q0 = tandem.random_configuration(model, seed=1, batch=n)
    v0 = random.normal(size=(n, model.nv))
    tau = random.normal(size=(n, steps, model.nv))
    still = {"damping": np.zeros(model.nv), "friction": np.zeros(model.nv), "stiffness": np.zeros(model.nv)}
    still["armature"] = np.zeros(model.nv)
    rolled = tandem.rollout(model, q0, v0, tau, 1e-3, integrator=integrator, limits=False, parameters=still)
    data = mujoco.MjData(their_model)
    for b in range(n):
        mujoco.mj_resetData(their_model, data)
        data.qpos[rows], data.qvel[rows] = q0[b], v0[b]
        for k in range(steps):
            data.qfrc_applied[rows] = tau[b, k]
            mujoco.mj_step(their_model, data)
        np.testing.assert_allclose(rolled.q[b], data.qpos[rows], rtol=0, atol=1e-9)
        np.testing.assert_allclose(rolled.v[b], data.qvel[rows], rtol=0, atol=1e-7)


@pytest.mark.parametrize("integrator, theirs", [("semi_implicit_euler", "mjINT_EULER"), ("rk4", "mjINT_RK4")])
def test_a_tumbling_quadruped(integrator: Any, theirs: str) -> None:
    """Thrown and spun, with legs that swing freely: the floating base goes as MuJoCo's free joint, step for step."""
    model = tandem.load("quadruped")
    their_model = mujoco_model(stripped_urdf(ROBOTS / "quadruped.urdf"), floating=False)
    their_model.opt.timestep, their_model.opt.integrator = 1e-3, getattr(mujoco.mjtIntegrator, theirs)
    root, *hinges = model.joints
    assert root.type == "free" and all(joint.nv == 1 for joint in hinges)
    free = mujoco.mj_name2id(their_model, mujoco.mjtObj.mjOBJ_JOINT, root.name)
    rows = [mujoco.mj_name2id(their_model, mujoco.mjtObj.mjOBJ_JOINT, joint.name) for joint in hinges]
    at_q, at_v = their_model.jnt_qposadr, their_model.jnt_dofadr
    random = np.random.default_rng(2)
    q0 = tandem.neutral_configuration(model)
    q0[7:] = random.uniform(-0.5, 0.5, 12)
    v0 = np.concatenate([[2.0, 1.0, 4.0, 3.0, -2.0, 5.0], random.normal(size=12)])
    still = {name: np.zeros(model.nv) for name in ("damping", "friction", "stiffness", "armature")}
    rolled = tandem.rollout(model, q0[None], v0[None], dt=1e-3, steps=500, integrator=integrator, limits=False,
                            parameters=still)
    data = mujoco.MjData(their_model)
    data.qpos[at_q[free] : at_q[free] + 7] = [*q0[:3], q0[6], *q0[3:6]]
    data.qvel[at_v[free] : at_v[free] + 6] = v0[:6]  # the trunk's axes are the world's
    data.qpos[at_q[rows]], data.qvel[at_v[rows]] = q0[7:], v0[6:]
    for _ in range(500):
        mujoco.mj_step(their_model, data)
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, data.qpos[at_q[free] + 3 : at_q[free] + 7])
    their_v = data.qvel[at_v[free] : at_v[free] + 6]
    # MuJoCo's stages of rk4 turn by one exponential each, so that the two differ at order 4
    near = 1e-9 if integrator == "semi_implicit_euler" else 1e-6
    np.testing.assert_allclose(rolled.q[0, :3], data.qpos[at_q[free] : at_q[free] + 3], rtol=0, atol=near)
    np.testing.assert_allclose(rolled.v[0, :3], R.reshape(3, 3).T @ their_v[:3], rtol=0, atol=100 * near)
    np.testing.assert_allclose(rolled.v[0, 3:6], their_v[3:], rtol=0, atol=100 * near)
    np.testing.assert_allclose(rolled.q[0, 7:], data.qpos[at_q[rows]], rtol=0, atol=100 * near)
