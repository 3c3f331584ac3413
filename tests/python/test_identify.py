# SPDX-License-Identifier: Apache-2.0
"""Identification of inertial parameters: what the example does, at small size."""

from __future__ import annotations

import numpy as np
from support import robot
from test_mppi import example

import tandem


def test_a_link_is_its_pseudo_inertia():
    identify = example("12_identify")
    pi = robot("arm7").inertial_parameters.reshape(-1, 10)
    J = identify.pseudo_inertia(pi)
    assert (np.linalg.eigvalsh(J) > 0).all()
    np.testing.assert_allclose(identify.parameters(J), pi, atol=1e-12)


def test_without_noise_and_doubt_the_torques_are_met():
    identify, arm, random = example("12_identify"), tandem.load("arm7"), np.random.default_rng(1)
    Y, tau = identify.measure(arm, 60, random)
    Y, tau = Y.reshape(-1, 70), tau.ravel()
    J = identify.pseudo_inertia(arm.inertial_parameters.reshape(-1, 10))
    warp = np.eye(4) + 0.05 * random.normal(size=J.shape)
    found = identify.consistent(Y, tau, identify.parameters(warp @ J @ warp.swapaxes(1, 2)).ravel(), 1e-6)
    assert np.abs(Y @ found - tau).max() < 1e-2
    assert (np.linalg.eigvalsh(identify.pseudo_inertia(found.reshape(-1, 10))) > 0).all()


def test_bodies_foretell_better_than_least_squares():
    results = example("12_identify").identify(60, seed=4)
    assert (results["bodies"][0] > 0).all() and (results["least squares"][0] < 0).any()
    assert results["bodies"][1] < results["least squares"][1] < results["believed before"][1]
