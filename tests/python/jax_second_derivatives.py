# SPDX-License-Identifier: Apache-2.0
"""Second derivatives through JAX that are differences: a part of jax_checks.py."""

from __future__ import annotations

import jax
import midpoint_pendulum
import numpy as np

import tandem
import tandem.jax


def check_iterated_steps():
    """implicit_midpoint ends an iteration at a tolerance: nine digits are left, by every way."""
    model = midpoint_pendulum.model()
    q, v, h = 0.8, 1.3, 0.05
    expected = midpoint_pendulum.second_derivatives(q, v, h)
    for limits in (True, False):

        def moved(state, limits=limits):
            options = {"integrator": "implicit_midpoint", "limits": limits}
            return jax.numpy.concatenate(tandem.jax.step(model, state[:1], state[1:], np.zeros(1), h, **options))

        for outer in (jax.jacfwd, jax.jacrev):
            for inner in (jax.jacfwd, jax.jacrev):
                H = outer(inner(moved))(np.array([q, v]))
                np.testing.assert_allclose(H, expected, atol=1e-8 * np.abs(expected).max())


def check_differences():
    """Differences of differences of values: of rollouts by jacfwd of jacfwd, of functions without derivatives of their
    own by all ways."""
    model, h = midpoint_pendulum.model(), 0.05
    rate = midpoint_pendulum.GRAVITY / midpoint_pendulum.LENGTH

    def rolled(state):  # two steps of semi-implicit Euler
        q, v = tandem.jax.rollout(model, state[:1], state[1:], np.zeros((2, 1)), h)
        return jax.numpy.concatenate([q[-1], v[-1]])

    def by_hand(state):
        q, v = state
        for _ in range(2):
            v = v - h * rate * jax.numpy.sin(q)
            q = q + h * v
        return jax.numpy.stack([q, v])

    state = np.array([0.8, 1.3])
    expected = jax.hessian(by_hand)(state)
    H = jax.jacfwd(jax.jacfwd(rolled))(state)
    # roundings over the square of the differences, 2e-3, and what these leave out
    np.testing.assert_allclose(H, expected, atol=1e-9 * np.abs(by_hand(state)).max())

    def centre(q):
        return tandem.jax.centre_of_mass(model, q)

    length, q = midpoint_pendulum.LENGTH, np.array([0.8])
    expected = length * np.array([np.sin(q[0]), 0, np.cos(q[0])])
    for outer in (jax.jacfwd, jax.jacrev):
        for inner in (jax.jacfwd, jax.jacrev):
            np.testing.assert_allclose(outer(inner(centre))(q)[:, 0, 0], expected, atol=1e-9)
            np.testing.assert_allclose(jax.vmap(outer(inner(centre)))(np.stack([q, q]))[1, :, 0, 0], expected,
                                       atol=1e-9)
