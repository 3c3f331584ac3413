# SPDX-License-Identifier: Apache-2.0
"""Robots that fall in random poses: all of them stay finite, lose energy, and lie on the floor in the end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contact_support import G, quadruped_on_feet

import tandem

FALLS = int(os.environ.get("TANDEM_FALLS", "40"))  # 10^4 before a release
HEIGHT = 1.5


def humanoid() -> tandem.Model:
    gymnasium = pytest.importorskip("gymnasium")
    return tandem.load(Path(gymnasium.__file__).parent / "envs/mujoco/assets/humanoid.xml")


def robot_of_boxes() -> tandem.Model:
    """The quadruped, its trunk and legs solid."""
    robot = quadruped_on_feet().shape("trunk", "box", "trunk", size=(0.14, 0.06, 0.04), contype=0, conaffinity=1)
    for leg in ("FL", "FR", "RL", "RR"):
        robot = robot.shape(f"{leg}_thigh", "capsule", f"{leg}_thigh", size=(0.02, 0.08), position=(0, 0, -0.1),
                            contype=0, conaffinity=1)
        robot = robot.shape(f"{leg}_shank", "capsule", f"{leg}_shank", size=(0.012, 0.08), position=(0, 0, -0.1),
                            contype=0, conaffinity=1)
    return robot.build()


def poses(model: tandem.Model, n: int) -> np.ndarray:
    """In the air, turned at random, joints within a half of their limits, or bent by a third of a radian."""
    rng = np.random.default_rng(1)
    straight = tandem.neutral_configuration(model)
    q = np.array([tandem.functions.integrate(model, straight, 0.3 * rng.normal(size=model.nv)) for _ in range(n)])
    limited = np.isfinite(model.q_lower) & np.isfinite(model.q_upper)
    lower, upper = model.q_lower[limited], model.q_upper[limited]
    q[:, limited] = (lower + upper) / 2 + (upper - lower) / 4 * rng.uniform(-1, 1, (n, limited.sum()))
    turns = rng.normal(size=(n, 4))
    q[:, :3], q[:, 3:7] = (0, 0, HEIGHT), turns / np.linalg.norm(turns, axis=1, keepdims=True)
    return q


def energy(model: tandem.Model, q: np.ndarray, v: np.ndarray) -> Any:
    return sum(tandem.functions.energy(model, q, v))


@pytest.mark.parametrize("robot", [humanoid, robot_of_boxes])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_robots_that_fall_come_to_rest(robot: Any, dtype: Any) -> None:
    model = robot()
    contacts = tandem.ContactSet(model)
    q, v = poses(model, FALLS).astype(dtype), np.zeros((FALLS, model.nv), dtype)
    apart = np.nanmin(tandem.contacts(contacts, q.astype(float)).distance, axis=1) > 0  # from itself, too
    before = energy(model, q.astype(float), v.astype(float))
    kinetic = np.zeros(FALLS)
    for _ in range(10):
        found = tandem.rollout(model, q, v, dt=2e-3, steps=250, contacts=contacts, contact_options={"most_steps": 20})
        q, v = found.q, found.v
        assert not found.contact_tally.not_converged.any()
        assert np.isfinite(q).all() and np.isfinite(v).all()
        after = energy(model, q.astype(float), v.astype(float))
        assert (after < before)[apart].all()  # not always less than earlier: what is pressed springs back
        kinetic = tandem.functions.energy(model, q.astype(float), v.astype(float))[0]
    assert np.median(kinetic) < 1e-3 * model.mass * G * HEIGHT
    depth = -np.nanmin(tandem.contacts(contacts, q.astype(float)).distance, axis=1)
    assert depth.max() < 0.02
