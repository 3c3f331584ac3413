# SPDX-License-Identifier: Apache-2.0
"""How gradients of dynamics change: against references that are exact but for rounding.

Along the turn of one joint gradients are sums of sines and cosines of few multiples of it, whose derivative twice as
many evaluations give exactly; along velocities and accelerations they are polynomials; along the length of a
quaternion, powers of it. Forward dynamics is the inverse function of inverse dynamics.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import support

import tandem
from tandem._autodiff.derivatives import Call
from tandem._autodiff.differentiable import FUNCTIONS

ROBOTS = [("arm7", False), ("humanoid", True), ("rope:3", False)]
EPS = np.finfo(np.float64).eps
Inputs = list[Any]


def call_of(model: tandem.Model, name: str) -> Call:
    return Call(FUNCTIONS[name], model)


def state(model: tandem.Model, name: str, seed: int = 1) -> Inputs:
    """Inputs of a function, none for the robot's parameters."""
    function, rng = FUNCTIONS[name], np.random.default_rng(seed)
    x: Inputs = []
    for k, input_name in enumerate(function.names):
        if k >= function.own:
            x.append(None)
        elif input_name == "q":
            x.append(tandem.random_configuration(model, seed=seed))
        else:
            values = rng.normal(size=(model.n_links, 6) if input_name == "f_ext" else model.nv)
            x.append(np.abs(values) if input_name == "diagonal" else values)
    return x


def weights(model: tandem.Model, call: Call, seed: int = 2) -> Inputs:
    return [np.random.default_rng(seed).normal(size=sizes) for sizes in call.sizes()]


def ways(x: Inputs, seed: int) -> Inputs:
    rng = np.random.default_rng(seed)
    return [None if value is None else rng.normal(size=value.shape) for value in x]


def own(x: Inputs) -> tuple[bool, ...]:
    return tuple(value is not None for value in x)


def dot(some: Inputs, others: Inputs) -> float:
    return float(sum((x * y).sum() for x, y in zip(some, others) if x is not None and y is not None))


def size(some: Inputs) -> float:
    return max(float(np.abs(x).max()) for x in some if x is not None)


def close(found: Inputs, expected: Inputs, bound: float) -> None:
    for ours, theirs in zip(found, expected):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert np.abs(ours - theirs).max() <= bound, (np.abs(ours - theirs).max(), bound)


def turns(model: tandem.Model) -> list[tuple[int, int, int]]:
    """First row in q of each angle and quaternion, its rows, and up to which multiple of the way gradients have
    sines."""
    found = []
    for joint in model.joints:
        if joint.mimics or joint.type in ("prismatic", "fixed"):
            continue
        found.append((joint.q_index, 1, 2) if joint.nq == 1 else (joint.q_index + joint.nq - 4, 4, 5))
    return found


def along_a_turn(of: Any, q: np.ndarray, row: int, rows: int, most: int,
                 e: np.ndarray) -> tuple[np.ndarray, Inputs, float]:
    """The way in q, the derivative of what q is given to along it, and how large the numbers are of which it is the
    sum.

    Of f(s), a sum of sines and cosines of s, 2 s, ... n s: f'(0) = sum over k = 1 ... 2 n of (-1)^(k-1) f(s_k) / (4 n
    sin^2(s_k / 2)), s_k = (2 k - 1) pi / 2 n. A quaternion goes round a circle.
    """
    way = np.zeros_like(q)
    way[row : row + rows] = e
    slope: Inputs = []
    scale = 0.0
    for k in range(1, 2 * most + 1):
        s = (2 * k - 1) * np.pi / (2 * most)
        moved = q.copy()
        if rows == 1:
            moved[row] += s
        else:
            moved[row : row + rows] = np.cos(s) * q[row : row + rows] + np.sin(s) * e
        weight = (-1) ** (k - 1) / (4 * most * np.sin(s / 2) ** 2)
        ends = of(moved)
        scale += abs(weight) * size(ends)
        parts = [None if end is None else weight * end for end in ends]
        slope = parts if not slope else [None if a is None else a + b for a, b in zip(slope, parts)]
    return way, slope, scale


@pytest.mark.parametrize("name", ["inverse_dynamics", "bias_forces", "gravity_forces", "mass_matrix"])
@pytest.mark.parametrize(("robot", "floating"), ROBOTS)
def test_gradients_along_turns_of_joints(robot: str, floating: bool, name: str) -> None:
    model = support.robot(robot, floating)
    call, x = call_of(model, name), state(model, name)
    g, wanted, rng = weights(model, call), own(state(model, name)), np.random.default_rng(5)
    for row, rows, most in turns(model):
        if rows == 4:  # of any length, along a circle of that length
            x[0][row : row + 4] *= 1.5
        p = x[0][row : row + rows]
        e = np.ones(1) if rows == 1 else rng.normal(size=4)
        if rows == 4:
            e -= (e @ p) / (p @ p) * p
            e *= np.sqrt((p @ p) / (e @ e))
        way, expected, scale = along_a_turn(lambda q: call.pull([q, *x[1:]], g, wanted), x[0], row, rows, most, e)
        found = call.fold(x, g, [way, *[None] * (len(x) - 1)], wanted)
        close(found, expected, 32 * EPS * scale)
        if rows == 4:  # a gradient by a quaternion is as its length to the power of -1, all others do not depend on it
            (by_q, *others), length = call.pull(x, g, wanted), [np.zeros_like(x[0]), *[None] * (len(x) - 1)]
            length[0][row : row + 4] = p
            shorter = np.zeros_like(by_q)
            shorter[row : row + 4] = -by_q[row : row + 4]
            expected = [shorter, *(None if y is None else 0.0 * y for y in others)]
            close(call.fold(x, g, length, wanted), expected, 32 * EPS * size([by_q, *others]))


@pytest.mark.parametrize(("robot", "floating"), ROBOTS)
def test_gradients_along_velocities_and_accelerations(robot: str, floating: bool) -> None:
    """Joint forces are quadratic in velocities, linear in accelerations and wrenches: three evaluations differ
    exactly."""
    model = support.robot(robot, floating)
    call, x = call_of(model, "inverse_dynamics"), state(model, "inverse_dynamics")
    g, wanted, u = weights(model, call), own(x), ways(x, 6)
    for k in (1, 2, 3):
        along = [way if j == k else None for j, way in enumerate(u)]
        ends = [call.pull([y if j != k else y + s * u[k] for j, y in enumerate(x)], g, wanted) for s in (1.0, -1.0)]
        expected = [None if a is None else (a - b) / 2 for a, b in zip(*ends)]
        close(call.fold(x, g, along, wanted), expected, 32 * EPS * size(ends[0] + ends[1]))


def condition(model: tandem.Model, q: np.ndarray) -> float:
    return float(np.linalg.cond(tandem.mass_matrix(model, q)))


@pytest.mark.parametrize(("robot", "floating"), ROBOTS)
def test_forward_dynamics_is_the_inverse_function(robot: str, floating: bool) -> None:
    """ID(q, v, a, f) + D a = tau twice along t and u, weighted by y = (M + D)^-1 g."""
    model = support.robot(robot, floating)
    forward, inverse = call_of(model, "forward_dynamics"), call_of(model, "inverse_dynamics")
    x = state(model, "forward_dynamics")
    g, t, u = weights(model, forward), ways(x, 7), ways(x, 8)
    (q, v, tau, f, D), none = x[:5], x[5:]
    (a,), (y,) = forward.value(x), [forward.pull(x, g, own(x))[2]]
    moved = [forward.push(x, way)[0] for way in (t, u)]
    there = [q, v, a, f, *none]
    along = [[way[0], way[1], da, way[3], *none] for way, da in zip((t, u), moved)]
    bent = inverse.fold(there, [y], along[1], own(there))
    terms = [np.dot(np.ravel(some), np.ravel(other)) for some, other in zip(bent[:4], along[0][:4])]
    terms += [(t[4] * y) @ moved[1], (u[4] * y) @ moved[0]]
    found = dot(forward.fold(x, g, u, own(x)), t)
    assert abs(found + sum(terms)) <= 32 * EPS * condition(model, q) * sum(abs(term) for term in terms)


NAMES = ["inverse_dynamics", "bias_forces", "gravity_forces", "forward_dynamics", "inverse_mass_matrix_product",
         "mass_matrix"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("robot", "floating"), [*ROBOTS, ("tree:12", False), ("tree:9", True)])
def test_matrices_of_second_derivatives_are_symmetric(robot: str, floating: bool, name: str) -> None:
    """By the numbers of q, which add up; what changes along the robot's parameters is asked for as well."""
    model = support.robot(robot, floating)
    call, x = call_of(model, name), state(model, name)
    g, t, u = weights(model, call), ways(x, 7), ways(x, 8)
    found = [dot(call.fold(x, g, one, own(x)), other) for one, other in ((t, u), (u, t))]
    scale = sum(np.abs(some * other).sum() for some, other in zip(call.fold(x, g, u, own(x)), t) if some is not None)
    bound = 32 * EPS * scale * (condition(model, x[0]) if "forward" in name or "inverse_mass" in name else 1)
    assert abs(found[0] - found[1]) <= bound, (found, bound)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "inverse_mass_matrix_product", "mass_matrix"])
@pytest.mark.parametrize(("robot", "floating"), ROBOTS)
def test_gradients_by_parameters_change_as_functions_along_parameters(robot: str, floating: bool, name: str) -> None:
    """The same second derivative by products, along the state, and by differences, along the robot's parameters."""
    model, function = support.robot(robot, floating), FUNCTIONS[name]
    call, x, rng = call_of(model, name), state(model, name), np.random.default_rng(9)
    for k in range(function.own, len(x)):
        x[k] = model.parameter(function.names[k]) + 0.1
    along = [rng.normal(size=y.shape) for y in x]
    t = [*along[: function.own], *[None] * (len(x) - function.own)]
    u = [*[None] * function.own, *along[function.own :]]
    g, wanted = weights(model, call), own(x)
    found, expected = call.fold(x, g, t, wanted), call.fold(x, g, u, wanted)
    scale = sum(np.abs(some * other).sum() for some, other in zip(found, u) if other is not None)
    assert abs(dot(found, u) - dot(expected, t)) <= 1e-8 * scale
    both = call.fold(x, g, along, wanted)
    close(both, [a + b for a, b in zip(found, expected)], 1e-12 * size(both))
