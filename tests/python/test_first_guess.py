# SPDX-License-Identifier: Apache-2.0
"""Calls by conjugate gradients that begin where another one ended."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import tandem


def test_conjugate_gradients_begin_at_a_guess() -> None:
    """What a call leaves there is where the next one begins, which then has nothing left to do."""
    model = tandem.load("chain:20")
    rng = np.random.default_rng(3)
    q = tandem.random_configuration(model, seed=1, batch=4)
    v, tau = rng.normal(size=(2, 4, model.nv))
    guess, steps = np.zeros((4, model.n_links, 6)), np.zeros(4, np.int32)
    call = functools.partial(tandem.forward_dynamics, model, q, v, tau, method="conjugate_gradient")
    first = call(guess=guess, iterations=steps)
    assert np.array_equal(first, call()) and (steps > 20).all() and np.abs(guess[:, 1:]).max() > 0
    before = steps.copy()
    again = call(guess=guess, iterations=steps)
    assert (steps < before / 2).all() and np.allclose(again, first, rtol=1e-6, atol=1e-6 * np.abs(first).max())
    call(guess=guess)  # without steps
    for wrong, text in (
        (guess.astype(np.float32), "guess has dtype float32, expected float64"),
        (guess[:3], r"guess has shape \(3, 21, 6\), expected \(4, 21, 6\)"),
        (guess[:, :, ::-1], "guess is not contiguous"),
        (3.0, "guess is a float, expected an array of float64"),
    ):
        with pytest.raises(tandem.Error, match=text):
            call(guess=wrong)
    with pytest.raises(tandem.Error, match="guess requires an iterative method"):
        tandem.forward_dynamics(model, q, v, tau, guess=guess)
