# SPDX-License-Identifier: Apache-2.0
"""A step of implicit_midpoint of a pendulum, in numbers of 80 bits: what derivatives of it are compared with."""

from __future__ import annotations

import numpy as np

import tandem

MASS, LENGTH, GRAVITY = 2.0, 0.7, 9.81


def model() -> tandem.Model:
    """A point mass that hangs from a hinge: M = m l^2, gravity m g l sin(q)."""
    robot = tandem.ModelBuilder("pendulum")
    robot.link("base").link("bob", mass=MASS, com=(0, 0, -LENGTH))
    return robot.joint("hinge", "continuous", "base", "bob", axis=(0, 1, 0)).build()


def step(q: np.longdouble, v: np.longdouble, h: np.longdouble) -> np.ndarray:
    """q' and v' of q' = q + h (v + v')/2 that has the energy of the start, which is all that a joint alone leaves
    open."""
    rate = np.longdouble(GRAVITY) / np.longdouble(LENGTH)
    v_next = v - h * rate * np.sin(q)
    for _ in range(20):
        q_next = q + h * (v + v_next) / 2
        gap = (v_next**2 - v**2) / 2 + rate * (np.cos(q) - np.cos(q_next))
        v_next -= gap / (v_next + rate * np.sin(q_next) * h / 2)
    return np.array([q + h * (v + v_next) / 2, v_next])


def second_derivatives(q: float, v: float, h: float) -> np.ndarray:
    """``[2, 2, 2]`` of q' and v' by q and v, by differences of fourth order: good to twelve digits."""
    weights = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
    d = np.longdouble(1e-3)
    H = np.zeros((2, 2, 2), np.longdouble)
    for i in range(2):
        for j in range(2):
            for a, x in weights.items():
                for b, y in weights.items():
                    at = np.array([q, v], np.longdouble)
                    at[i] += a * d
                    at[j] += b * d
                    H[:, i, j] += np.longdouble(x) * np.longdouble(y) * step(*at, np.longdouble(h)) / d**2
    return H.astype(np.float64)
