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
