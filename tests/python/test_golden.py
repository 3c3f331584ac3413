# SPDX-License-Identifier: Apache-2.0
"""The shipped robots beside numbers on which Pinocchio and MuJoCo agreed, from tools/make_golden.py."""

from __future__ import annotations

import functools
import hashlib
import json
from typing import Any

import numpy as np
import pytest
from oracle_support import ROOT, SHIPPED, Comparison, forward_dynamics_scale, load, shipped

import tandem

pytestmark = pytest.mark.parametrize("name", [file.stem for file in SHIPPED])


@functools.cache
def golden(name: str) -> dict[str, Any]:
    return json.loads((ROOT / "tests" / "golden" / f"{name}.json").read_text())


def comparison(name: str, column: str) -> Comparison:
    case = shipped(name)
    return Comparison("golden data", case, load(case).depth, column)


def vectors(name: str) -> list[dict[str, np.ndarray]]:
    """The states, with the whole mass matrix."""
    states = []
    for state in golden(name)["states"]:
        lower = np.zeros((len(state["M"]), len(state["M"])))
        for i, row in enumerate(state["M"]):
            lower[i, : i + 1] = row
        arrays = {key: np.array(value) for key, value in state.items() if key != "M"}
        states.append(arrays | {"M": lower + np.tril(lower, -1).T})
    return states


def test_made_from_this_robot(name: str) -> None:
    digest = hashlib.sha256((ROOT / "robots" / f"{name}.urdf").read_bytes()).hexdigest()
    assert golden(name)["sha256"] == digest, (
        f"robots/{name}.urdf has changed: run tools/make_golden.py {name}"
    )


def test_order_of_joints_and_frames(name: str) -> None:
    model = load(shipped(name))
    assert model.joint_names == golden(name)["joints"]
    assert model.frame_names == golden(name)["frames"]


def test_poses(name: str) -> None:
    model, compare = load(shipped(name)), comparison(name, "kinematics")
    for s in vectors(name):
        compare("poses", tandem.forward_kinematics(model, s["q"]).reshape(-1, 12), s["poses"])


def test_mass_matrix(name: str) -> None:
    model, compare = load(shipped(name)), comparison(name, "mass matrix")
    for s in vectors(name):
        compare("mass matrix", tandem.mass_matrix(model, s["q"]), s["M"])


def test_joint_forces(name: str) -> None:
    model, compare = load(shipped(name)), comparison(name, "inverse dynamics")
    for s in vectors(name):
        compare("bias forces", tandem.bias_forces(model, s["q"], s["v"]), s["bias"])
        ours = tandem.inverse_dynamics(model, s["q"], s["v"], s["a"])
        compare("inverse dynamics", ours, s["inverse_dynamics"], np.abs(s["bias"]).max())


@pytest.mark.parametrize("method", ["articulated_body", "composite_rigid_body"])
def test_forward_dynamics(name: str, method: Any) -> None:
    model, compare = load(shipped(name)), comparison(name, "forward dynamics")
    for s in vectors(name):
        ours = tandem.forward_dynamics(model, s["q"], s["v"], s["tau"], method=method)
        force = np.abs(s["tau"]).max() + np.abs(s["bias"]).max()
        scale = forward_dynamics_scale(s["M"], force, s["forward_dynamics"])
        compare(f"forward dynamics by {method}", ours, s["forward_dynamics"], scale, np.linalg.cond(s["M"]))
