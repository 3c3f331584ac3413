# SPDX-License-Identifier: Apache-2.0
"""Control by sampling, and learning by an evolution strategy: what the examples show, at small size."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import robot

import tandem
import tandem.mppi

EXAMPLES = Path(__file__).parents[2] / "examples/python"
HOME = np.array([-0.9, 1.1, 0, 1.0, 0, 0.6, 0])
GOAL = [0.3, 0.3, 1.0]


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def controller(**options: Any) -> tandem.mppi.Mppi:
    model = robot("arm7")
    inertia = np.diag(tandem.mass_matrix(model, HOME))
    cost = tandem.Cost(v=0.1, final_v=0.5, frames=[tandem.FrameCost("tool0", GOAL, 60.0, 60.0)])
    given = {"horizon": 15, "samples": 48, "noise": 12 * inertia, "hold": 5, "damping": 4 * inertia}
    return tandem.mppi.Mppi(model, options.pop("cost", cost), **{**given, **options})


def test_the_tip_comes_to_the_goal():
    control = controller()
    arm = tandem.VectorSimulation(control.model, 1, dt=4e-3, substeps=5, gravity_compensation=True, effort_limits=True)
    arm.reset(q=HOME)
    tip = arm.frame("tool0")
    before = np.linalg.norm(tip.position[0] - GOAL)
    for _ in range(60):
        arm.step(control(arm.q[0], arm.v[0]))
    assert np.linalg.norm(tip.position[0] - GOAL) < 0.05 < 0.4 < before


def test_what_is_found_costs_no_more_and_is_of_the_seed_alone():
    ends = []
    for threads in (1, 2):
        control = controller(threads=threads)
        costs = []
        for _ in range(8):
            control.improve(HOME, np.zeros(7))
            costs.append(control.costs[0])  # that of what was held best before
        assert costs[-1] < 0.9 * costs[0]
        ends.append(control.forces)
    np.testing.assert_array_equal(ends[0], ends[1])
    limit = robot("arm7").tau_limit
    assert (abs(ends[0]) <= limit).all() and ends[0].any()
    control.reset()
    assert not control.forces.any()


def test_costs_may_be_functions_of_the_paths():
    seen = []

    def low(q: np.ndarray, v: np.ndarray, forces: np.ndarray) -> np.ndarray:
        seen.append((q.shape, v.shape, forces.shape))
        return (q[:, -1, 1] - 1.4) ** 2

    control = controller(cost=low)
    for _ in range(5):
        control.improve(HOME, np.zeros(7))
    assert seen[0] == ((48, 16, 7), (48, 16, 7), (48, 15, 7))
    path = tandem.rollout(control.model, HOME, controls=control.forces, dt=0.02, gravity_compensation=True)
    assert path.q[1] > HOME[1]
    both = controller(cost=(tandem.Cost(v=1.0), low))
    both.improve(HOME, np.zeros(7))
    assert (both.costs > 0).all() and not np.array_equal(both.costs, control.costs)
    masses = control.model.parameter("mass") * np.linspace(0.5, 1.5, 48)[:, None]
    many = controller(cost=low, parameters={"mass": masses})
    assert many(HOME, np.zeros(7), cost=tandem.Cost(v=2.0)).shape == (7,) and len(seen) == 6


def test_what_cannot_be_is_said():
    model = robot("arm7")
    for options, words in (
        ({"cost": 3}, "cost is 3, expected a tandem.Cost, a function, or both"),
        ({"noise": [1, 2]}, r"noise has shape \(2,\), expected \(7,\) or one number"),
        ({"noise": -1.0}, "noise has -1.0, expected 0 or more"),
        ({"damping": np.nan}, "damping has nan"),
        ({"temperature": 0.0}, "temperature is 0.0"),
        ({"samples": 1}, "samples is 1"),
        ({"horizon": 0}, "horizon is 0"),
        ({"hold": 0}, "hold is 0"),
    ):
        with pytest.raises(tandem.Error, match=words):
            tandem.mppi.Mppi(model, **{"cost": tandem.Cost(v=1.0), **options})
    with pytest.raises(tandem.Error, match=r"cost returned shape \(3,\), expected \(48,\)"):
        controller(cost=lambda q, v, f: np.zeros(3)).improve(HOME, np.zeros(7))
    with pytest.raises(tandem.Error, match="all samples diverge or have infinite cost"):
        controller(cost=lambda q, v, f: np.full(48, np.nan)).improve(HOME, np.zeros(7))


def test_the_example_goes_around_the_ball():
    shown = example("08_mppi")
    _, tips, clear = shown.move(samples=192, seconds=1.6)
    assert clear.min() > 0 and np.linalg.norm(tips[-1] - shown.goal) < 0.1


def test_the_example_learns():
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed (pip install gymnasium)")
    table = example("09_learn_to_reach").learn(20, 64, seed=3, rate=0.1)
    assert table[-1, 1] > 0.75 * table[0, 1], "returns are negative, here -23 at first and -12 at the end"


def test_the_crank_of_a_four_bar_linkage_comes_to_its_goal() -> None:
    """One degree of freedom of three coordinates, driven by the crank; rollouts close the loop as the simulation
    does."""
    bars = robot("four_bar")
    cost = tandem.Cost(q=[20.0, 0, 0], v=[0.5, 0, 0], final_q=[20.0, 0, 0], q_reference=[0.8, 0, 0])
    control = tandem.mppi.Mppi(bars, cost, dt=0.02, horizon=15, samples=48, noise=[3.0, 0, 0], hold=3,
                               gravity_compensation=False)
    run = tandem.Simulation(bars, dt=5e-3)
    for _ in range(120):
        forces = control(run.q, run.v)
        assert not forces[1:].any()
        for _ in range(4):
            run.step(forces)
    assert abs(run.q[0] - 0.8) < 0.1
    _, apart = tandem.close_loops(bars, run.q, error=True)
    assert apart < 1e-12
