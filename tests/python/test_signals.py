# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends long calls, and what is done some at a time gives the numbers of one call."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from support import robot

import tandem
from tandem._common import parts

CALLS: dict[str, Any] = {
    "rollout": lambda arm, q: tandem.rollout(arm, q, steps=5000, dt=1e-3),
    "rollout_gradient": lambda arm, q: tandem.rollout_gradient(arm, q, steps=1000, dt=1e-3, cost=tandem.Cost(v=1.0)),
    # out of reach
    "inverse_kinematics": lambda arm, q: tandem.inverse_kinematics(arm, "tool0", 100 + q[:, :3], restarts=100),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_ends_a_long_call(name: str) -> None:
    arm = robot("arm7")
    q = tandem.random_configuration(arm, seed=1, batch=100_000)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        CALLS[name](arm, q)
    assert time.monotonic() - began < 10  # of minutes that it would have taken


def same(found: Any, expected: Any) -> None:
    for name in found._fields:
        one, other = getattr(found, name), getattr(expected, name)
        if isinstance(one, dict):
            for key in one:
                np.testing.assert_array_equal(one[key], other[key], f"{name} {key}")
        elif one is None:
            assert other is None
        else:
            np.testing.assert_array_equal(one, other, name)


def test_parts_give_the_numbers_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    arm, n, steps = robot("arm7"), 23, 7
    random = np.random.default_rng(1)
    q, v = tandem.random_configuration(arm, seed=1, batch=n), random.normal(size=(n, 7))
    how: dict[str, Any] = {
        "controls": random.normal(size=(n, steps, 7)),
        "dt": 2e-3,
        "controller": tandem.PdController(np.zeros(7), random.uniform(1, 2, (n, 7)), 1.0),
        "pushes": [tandem.Push("link3", random.normal(size=(n, 6)), 1, 3), tandem.Push("link7", random.normal(size=6))],
        "cost": tandem.Cost(q=1.0, final_v=random.uniform(1, 2, (n, 7)),
                            frames=[tandem.FrameCost("tool0", random.normal(size=(n, 1, 3)), weight=2.0)]),
        "parameters": {"mass": arm.parameter("mass") * random.uniform(0.9, 1.1, (n, 8)), "damping": np.ones(7)},
        "every": 2,
    }
    poses = tandem.forward_kinematics(arm, q)[:, arm.frame_index("tool0")]

    def all_of_it() -> list[Any]:
        found = [tandem.rollout(arm, q, v, **how), tandem.rollout(arm, q, v, **how, threads=1)]
        found.append(tandem.rollout_gradient(arm, q, v, **how, by_parameters=["mass", "inertia"]))
        found.append(tandem.inverse_kinematics(arm, "tool0", poses))
        found.append(tandem.inverse_kinematics(arm, "tool0", poses.astype(np.float32), weights=random_weights))
        found.append(tandem.inverse_kinematics(arm, "tool0", poses[0], q))
        return found

    random_weights = random.uniform(1, 2, (n, 6)).astype(np.float32)
    whole = all_of_it()
    parts = []

    def five_at_a_time(count: int, work: float, do: Any) -> None:
        for begin in range(0, count, 5):
            parts.append(begin)
            do(slice(begin, min(begin + 5, count)))

    monkeypatch.setattr(sys.modules["tandem._rollout_call"], "in_parts", five_at_a_time)
    monkeypatch.setattr(sys.modules["tandem.inverse_kinematics"], "in_parts", five_at_a_time)
    for found, expected in zip(all_of_it(), whole, strict=True):
        same(found, expected)
    assert parts.count(20) == 6


def test_every_instance_is_in_one_part() -> None:
    for count, work in ((0, 1e-3), (1, 1e-3), (1000, 10.0), (1000, 1e-9), (12345, 1e-4)):
        seen: list[int] = []
        parts.in_parts(count, work, lambda some: seen.extend(range(some.start, some.stop)))
        assert seen == list(range(count))
