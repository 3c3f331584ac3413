# SPDX-License-Identifier: Apache-2.0
"""Poses and dynamics beside MuJoCo's, on every robot it can load, fixed and floating, in random states."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from mujoco_support import Mujoco
from oracle_support import Case, Comparison, cases, forward_dynamics_scale, load, states

import tandem

pytestmark = pytest.mark.parametrize("case", cases())


@functools.cache
def oracle_of(case: Case) -> Mujoco:
    return Mujoco(case, load(case))


def start(case: Case, column: str) -> tuple[tandem.Model, Mujoco, Comparison]:
    model, oracle = load(case), oracle_of(case)
    if column != "kinematics" and model.nv == 0:
        pytest.skip(f"{case.name} has no joints")
    return model, oracle, Comparison("MuJoCo", case, model.depth, column)


def force_size(oracle: Mujoco, M: np.ndarray, q: np.ndarray, v: np.ndarray) -> float:
    """Size of the inertial forces and weights that bias forces are the sum of."""
    weight = oracle.model.body_subtreemass[0] * 9.81 * (1 + np.abs(q).max())
    return float(np.abs(M).max() * np.abs(v).max() ** 2 + weight)


def test_poses(case: Case) -> None:
    model, oracle, compare = start(case, "kinematics")
    for state in states(model):
        compare("poses", tandem.forward_kinematics(model, state.q), oracle.poses(state.q))


def test_mass_matrix(case: Case) -> None:
    model, oracle, compare = start(case, "mass matrix")
    for state in states(model):
        compare("mass matrix", tandem.mass_matrix(model, state.q), oracle.mass_matrix(state.q))


def test_inverse_dynamics(case: Case) -> None:
    model, oracle, compare = start(case, "inverse dynamics")
    for q, v, a, *_ in states(model):
        M = oracle.mass_matrix(q)
        terms = force_size(oracle, M, q, v) + np.abs(M).max() * np.abs(a).max()
        compare("bias forces", tandem.bias_forces(model, q, v), oracle.bias_forces(q, v), terms)
        ours, theirs = tandem.inverse_dynamics(model, q, v, a), oracle.inverse_dynamics(q, v, a)
        compare("inverse dynamics", ours, theirs, terms)


def test_forward_dynamics(case: Case) -> None:
    model, oracle, compare = start(case, "forward dynamics")
    if oracle.follows:
        pytest.skip(
            f"{case.name}: mimic joints are constraints in MuJoCo; its mass matrix and forces are compared"
        )
    for q, v, _, tau, f_ext in states(model):
        M = oracle.mass_matrix(q)
        theirs = oracle.forward_dynamics(q, v, tau, f_ext)
        force = np.abs(tau).max() + force_size(oracle, M, q, v) + np.abs(f_ext).max()
        scale, kappa = forward_dynamics_scale(M, force, theirs), np.linalg.cond(M)
        for method in ("articulated_body", "composite_rigid_body"):
            ours = tandem.forward_dynamics(model, q, v, tau, f_ext, method=method)
            compare(f"forward dynamics by {method}", ours, theirs, scale, kappa)
