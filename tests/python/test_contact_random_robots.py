# SPDX-License-Identifier: Apache-2.0
"""Accelerations and steps of random robots that touch a floor and themselves, against MuJoCo.

TANDEM_RANDOM_ROBOTS is how many robots there are.
"""

from __future__ import annotations

import math
import os
import re
from typing import Literal

import numpy as np
import pytest
from contact_support import Twin, simulation_of
from mujoco_support import mujoco
from random_mjcf import RandomRobot

import tandem

ROBOTS = int(os.environ.get("TANDEM_RANDOM_ROBOTS", "60"))


def twin_of(seed: int, driven: bool = True) -> Twin:
    xml = RandomRobot(seed).xml
    theirs = mujoco.MjModel.from_xml_string(xml if driven else re.sub("<actuator>.*</actuator>", "", xml))
    cone = "elliptic" if theirs.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC else "pyramidal"
    return Twin(theirs, cone, theirs.opt.impratio, self_contact=True)


def disturb(twin: Twin, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    theirs, data = twin.theirs, twin.data
    mujoco.mj_resetData(theirs, data)
    mujoco.mj_integratePos(theirs, data.qpos, 0.3 * random.normal(size=theirs.nv), 1.0)
    data.qvel[:], data.ctrl[:] = 0.5 * random.normal(size=theirs.nv), random.normal(size=theirs.nu)
    data.act[:] = 0.3 * random.normal(size=theirs.na)
    q = twin.bridge.q_from(data.qpos)
    return q, twin.bridge.v_from(data.qvel, q)


@pytest.mark.parametrize("seed", range(ROBOTS))
def test_accelerations_of_random_robots_are_those_of_mujoco(seed: int) -> None:
    twin, random = twin_of(seed), np.random.default_rng(seed)
    dynamics = tandem.contact.ContactDynamics(twin.contacts, tolerance=1e-12, most_steps=200)
    data = twin.data
    for _ in range(4):
        q, v = disturb(twin, random)
        mujoco.mj_forward(twin.theirs, data)
        tau = tandem.passive_forces(twin.model, q, v, parameters={"friction": np.zeros(twin.model.nv)})
        if twin.theirs.nu > 0:
            tau = tau + tandem.actuator_forces(twin.model, q, v, data.ctrl, data.act if twin.theirs.na > 0 else None)
        found, expected = dynamics(q, v, tau), twin.accelerations(q, v)
        np.testing.assert_allclose(found.a, expected, atol=1e-6 * (1 + np.abs(expected).max()), rtol=0)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
@pytest.mark.parametrize("seed", range(ROBOTS))
def test_steps_of_random_robots_are_those_of_mujoco(
    seed: int, integrator: Literal["semi_implicit_euler", "rk4"]
) -> None:
    """Gains of actuators are implicit here and explicit there."""
    twin, random = twin_of(seed, driven=False), np.random.default_rng(seed)
    if integrator == "rk4":
        twin.theirs.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    simulation = simulation_of(twin, integrator=integrator, contact_options={"tolerance": 1e-12, "most_steps": 200},
                               max_speed=math.inf, excess=math.inf)
    q, v = disturb(twin, random)
    simulation.q[:], simulation.v[:] = q, v
    mujoco.mj_step(twin.theirs, twin.data)
    simulation.step()
    moved = twin.bridge.q_from(twin.data.qpos)
    expected = twin.bridge.v_from(twin.data.qvel, moved)
    np.testing.assert_allclose(simulation.v, expected, atol=1e-6 * (1 + np.abs(expected).max()), rtol=0)
    np.testing.assert_allclose(np.abs(simulation.q), np.abs(moved), atol=1e-8 * (1 + np.abs(expected).max()), rtol=0)
