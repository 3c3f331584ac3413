# SPDX-License-Identifier: Apache-2.0
"""Control by derivatives: those of a step and of a cost, what iLQR finds with them, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import robot

import tandem
import tandem.ilqr
from tandem._control.ilqr_terms import QuadraticCost, linear_steps

HOME = np.array([0, 0.4, 0, -1.2, 0, 0.7, 0])
GOAL = [0.5, 0.0, 0.65]


def all_kinds() -> tandem.Model:
    """Joints whose coordinates do not add up, then some with springs."""
    builder = tandem.ModelBuilder("kinds").link("base")
    for k, name in enumerate("abcde"):
        builder.link(name, 1.0, com=(0.1, 0.02 * k, 0.1), inertia=np.diag([0.1, 0.2, 0.25]))
    builder.joint("free", "free", "base", "a")
    builder.joint("ball", "spherical", "a", "b", position=(0, 0, 0.5), damping=0.3)
    builder.joint("table", "planar", "b", "c", damping=0.2)
    builder.joint("hinge", "revolute", "c", "d", axis=(0, 1, 0), stiffness=20, damping=0.1, rest=0.3)
    builder.joint("slide", "prismatic", "d", "e", axis=(0, 1, 0), stiffness=20, damping=0.1)
    return builder.build()


def moved(model: tandem.Model, x: tuple[Any, Any], k: int, step: float) -> tuple[Any, Any]:
    d = step * np.eye(2 * model.nv)[k]
    return tandem.integrate(model, x[0], d[: model.nv]), x[1] + d[model.nv :]


def test_a_step_changes_as_its_derivatives_say():
    model, random, e = all_kinds(), np.random.default_rng(2), 1e-6
    q = tandem.random_configuration(model, seed=1, batch=4)
    v, u = random.normal(size=(2, 4, model.nv))

    def step(x, forces):
        after = tandem.rollout(model, *x, forces[:, None], 0.02, 1)
        return after.q, after.v

    def slope(ahead, back):
        return np.hstack([tandem.difference(model, back[0], ahead[0]), ahead[1] - back[1]]) / (2 * e)

    A, B = linear_steps(model, q, v, u, 0.02, 0)
    for k in range(2 * model.nv):
        along = slope(step(moved(model, (q, v), k, e), u), step(moved(model, (q, v), k, -e), u))
        np.testing.assert_allclose(A[..., k], along, atol=1e-6)
    for k in range(model.nv):
        d = e * np.eye(model.nv)[k]
        np.testing.assert_allclose(B[..., k], slope(step((q, v), u + d), step((q, v), u - d)), atol=1e-6)


def test_a_cost_changes_as_its_gradient_says():
    model, random, e, n, steps = all_kinds(), np.random.default_rng(2), 1e-5, 3, 2
    target = np.hstack([np.eye(3), np.ones((3, 1))])
    frames = [tandem.FrameCost("d", target, 1.0, np.arange(6.0) + 1), tandem.FrameCost("e", [1, 0, 0.5], 2.0, 3.0)]
    weights = random.uniform(1, 2, (n, model.nv))  # every start has its own
    cost = tandem.Cost(q=weights, v=0.2, effort=0.5, final_q=2.0, final_v=weights, frames=frames)
    q = tandem.random_configuration(model, seed=3, batch=n * (steps + 1)).reshape(n, steps + 1, model.nq)
    v, u = random.normal(size=(n, steps + 1, model.nv)), random.normal(size=(n, steps, model.nv))
    terms = QuadraticCost(model, cost, np.arange(model.nv), n, steps, 0.1)
    lx, _, lu, _ = terms.derivatives(np.arange(n), q, v, u)
    np.testing.assert_allclose(lu, 2 * 0.1 * 0.5 * u)

    def at(t, x):
        """What the state costs in step t: of one step less one without weights, or as the last."""
        zeros = np.zeros((n, 1, model.nv))
        if t == steps:
            return tandem.rollout(model, *x, zeros[:, 0], 0.1, 0, cost=terms.of(np.arange(n))).cost
        running = cost._replace(final_q=None, final_v=None, frames=[f._replace(final_weight=None) for f in frames])
        return tandem.rollout(model, *x, zeros, 0.1, 1, cost=running).cost

    for t in range(steps + 1):
        for k in range(2 * model.nv):
            x = (q[:, t], v[:, t])
            slope = (at(t, moved(model, x, k, e)) - at(t, moved(model, x, k, -e))) / (2 * e)
            np.testing.assert_allclose(lx[:, t, k], slope, rtol=1e-6, atol=1e-6)


def reach(**options: Any) -> tandem.ilqr.Motion:
    given = {"q0": HOME, "steps": 20, "dt": 0.04, **options}
    there = tandem.FrameCost("tool0", GOAL, final_weight=1e5)
    return tandem.ilqr.optimise(
        robot("arm7"), tandem.Cost(effort=1e-3, q=1, v=0.1, final_v=100, frames=[there], q_reference=HOME), **given
    )


def test_what_is_found_is_least():
    arm, motion = robot("arm7"), reach(tolerance=1e-10)
    there = tandem.FrameCost("tool0", GOAL, final_weight=1e5)
    cost = tandem.Cost(effort=1e-3, q=1, v=0.1, final_v=100, frames=[there], q_reference=HOME)
    assert motion.converged and (np.diff(motion.costs) <= 0).all()

    def costs(forces):
        return tandem.rollout(arm, np.tile(HOME, (len(forces), 1)), None, forces, 0.04, cost=cost).cost

    assert costs(motion.forces[None])[0] == pytest.approx(motion.cost, rel=1e-12)
    random = np.random.default_rng(1).normal(size=(50, *motion.forces.shape))
    assert (costs(motion.forces + 0.1 * random) > motion.cost).all()
    tool = tandem.forward_kinematics(arm, motion.q[-1])[arm.frame_index("tool0"), :, 3]
    assert np.linalg.norm(tool - GOAL) < 2e-3


def test_starts_do_not_see_each_other():
    starts = HOME + np.random.default_rng(1).uniform(-0.4, 0.4, (3, 7))
    together = reach(q0=starts)
    for k, q0 in enumerate(starts):
        np.testing.assert_allclose(reach(q0=q0).forces, together.forces[k], rtol=1e-6, atol=1e-6)


def test_forces_stay_within_their_limits():
    arm = robot("arm7")
    motion = reach(q0=HOME + 0.5, dt=0.015)
    assert (np.abs(motion.forces) <= arm.tau_limit).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dt": 0}, "dt is 0, expected a finite positive number"),
        ({"steps": None}, "steps is required if forces have no values for every step"),
        ({"q0": np.zeros(3)}, r"q0 has shape \(3,\), expected \(7,\), \(batch, 7\)"),
        ({"tolerance": 0}, "tolerance is 0, expected a positive number"),
        ({"driven": []}, "driven is empty"),
        ({"driven": [7]}, "a row of driven is 7, expected 0 to 6"),
        ({"q0": np.zeros((2, 7)), "v0": np.zeros((3, 7))}, "do not fit 20 steps of one batch"),
        ({"v0": np.full(7, 1e8)}, "the initial guess of start 0 diverges after 0 steps"),
    ],
)
def test_what_does_not_fit(options, message):
    with pytest.raises(tandem.Error, match=message):
        reach(**options)


def test_costs_and_robots_that_are_refused():
    arm = robot("arm7")
    with pytest.raises(tandem.Error, match="effort of the cost is 0 for an actuated joint, expected a positive number"):
        tandem.ilqr.optimise(arm, tandem.Cost(q=1), HOME, steps=5)
    with pytest.raises(tandem.Error, match=r"expected a tandem\.Cost"):
        tandem.ilqr.optimise(arm, None, HOME, steps=5)  # type: ignore[arg-type]
    bars = robot("four_bar")
    with pytest.raises(tandem.Error, match="has closed loops, expected a tree"):
        tandem.ilqr.optimise(bars, tandem.Cost(effort=1), np.zeros(bars.nq), steps=5)
    builder = tandem.ModelBuilder("sprung").link("base").link("a", 1.0, inertia=np.eye(3))
    sprung = builder.joint("ball", "spherical", "base", "a", stiffness=1).build()
    with pytest.raises(tandem.Error, match="joint ball is spherical and has springs"):
        tandem.ilqr.optimise(sprung, tandem.Cost(effort=1), tandem.neutral_configuration(sprung), steps=5)
