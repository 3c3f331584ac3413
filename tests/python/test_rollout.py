# SPDX-License-Identifier: Apache-2.0
"""tandem.rollout against tandem.Simulation, and what it adds: costs, paths, divergence, any batch, any number of
threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tandem
from support import robot

ROBOTS = [("arm7", False), ("quadruped", True), ("rope:4", False), ("humanoid", True)]
OK, DIVERGED, NON_FINITE = (int(s) for s in (tandem.Status.OK, tandem.Status.DIVERGED, tandem.Status.NON_FINITE))


def start(model: tandem.Model, n: int, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    q = tandem.random_configuration(model, seed=1, batch=n, dtype=dtype)
    return q, np.random.default_rng(2).normal(size=(n, model.nv)).astype(dtype)


def controls(model: tandem.Model, n: int, steps: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(n, steps, model.nv))


def simulated(model: tandem.Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray | None, steps: int, **how: Any) -> Any:
    simulation = tandem.Simulation(model, batch=len(q), excess=np.inf, dtype=q.dtype, **how)
    simulation.q, simulation.v = q, v
    for k in range(steps):
        simulation.step(None if tau is None else tau[:, k])
    return simulation


@pytest.mark.parametrize("name, floating", ROBOTS)
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_steps_are_those_of_a_simulation(name: str, floating: bool, integrator: Any) -> None:
    model = robot(name, floating)
    q, v = start(model, 11)
    tau = controls(model, 11, 20) * (1e-4 if name == "rope:4" else 1)
    rolled = tandem.rollout(model, q, v, tau, 1e-3, integrator=integrator)
    simulation = simulated(model, q, v, tau, 20, dt=1e-3, integrator=integrator)
    np.testing.assert_allclose(rolled.q, simulation.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(rolled.v, simulation.v, rtol=0, atol=1e-10)
    assert (rolled.status == OK).all() and (rolled.steps == 20).all()


def test_stops_and_pd_are_those_of_a_simulation() -> None:
    model = robot("arm7")
    q, v = start(model, 9)
    controller = tandem.PdController(np.full(7, 3.0), kp=200.0, kd=1.0)  # beyond the limits, so that stops act
    rolled = tandem.rollout(model, q, v, dt=2e-3, steps=400, controller=controller)
    simulation = simulated(model, q, v, None, 400, dt=2e-3, controller=controller)
    assert simulation.at_limit.any()
    np.testing.assert_allclose(rolled.q, simulation.q, rtol=0, atol=1e-9)
    assert (rolled.q < model.q_upper + 1e-4).all()


def test_parameters_differ_from_robot_to_robot() -> None:
    model = robot("arm7")
    q, v = start(model, 10)
    random = np.random.default_rng(4)
    parameters = {
        "mass": model.parameter("mass") * random.uniform(0.8, 1.2, (10, model.n_links)),
        "damping": random.uniform(0.5, 2, (10, 7)),
        "gravity": random.normal(size=(10, 3)),
    }
    rolled = tandem.rollout(model, q, v, dt=1e-3, steps=30, parameters=parameters)
    simulation = simulated(model, q, v, None, 30, dt=1e-3, parameters=parameters)
    np.testing.assert_allclose(rolled.q, simulation.q, rtol=0, atol=1e-12)


def test_pushes_act_in_their_steps() -> None:
    model = robot("quadruped", True)
    q, v = start(model, 5)
    wrench = np.random.default_rng(5).normal(size=(5, 6)) * 10
    link = model.n_links - 1
    simulation = tandem.Simulation(model, batch=5, excess=np.inf, dt=1e-3)
    simulation.q, simulation.v = q, v
    for k in range(20):
        f_ext = np.zeros((5, model.n_links, 6))
        f_ext[:, link] = wrench if 5 <= k < 12 else 0
        simulation.step(f_ext=f_ext)
    pushes = [tandem.Push(link, wrench, 5, 12)]
    rolled = tandem.rollout(model, q, v, dt=1e-3, steps=20, pushes=pushes)
    np.testing.assert_allclose(rolled.q, simulation.q, rtol=0, atol=1e-12)
    two = [tandem.Push(model.links[link].name, wrench / 2, 5, 12)] * 2
    np.testing.assert_allclose(tandem.rollout(model, q, v, dt=1e-3, steps=20, pushes=two).q, rolled.q, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_midpoint"])
@pytest.mark.parametrize("name", ["arm7", "quadruped"])
def test_a_vector_simulation_has_the_same_bits(name, integrator, dtype):
    model, size = robot(name), 37
    random = np.random.default_rng(4)
    q = tandem.random_configuration(model, seed=2, batch=size).astype(dtype)
    v, tau = (random.normal(size=(size, model.nv)).astype(dtype) for _ in range(2))
    tau[5] = np.nan
    wrench = np.array([3, -2, 1, 0.1, 0.2, -0.3], dtype)
    how = {
        "integrator": integrator,
        "controller": tandem.PdController(q[0], 5.0, 1.0),
        "gravity_compensation": True,
        "effort_limits": True,
        "parameters": {"damping": random.uniform(0, 1, (size, model.nv)).astype(dtype)},
    }
    batch = tandem.VectorSimulation(model, size, dt=1e-3, substeps=7, dtype=dtype, excess=np.inf, **how)
    batch.q, batch.v, batch.tau = q, v, tau
    batch.f_ext[:, 2] = wrench
    for _ in range(3):
        batch.step(steps=2)
    rolled = tandem.rollout(model, q, v, tau, dt=1e-3, steps=42, pushes=[tandem.Push(2, wrench)], **how)
    np.testing.assert_array_equal(batch.q, rolled.q)
    np.testing.assert_array_equal(batch.v, rolled.v)
    np.testing.assert_array_equal(batch.steps, rolled.steps)
    assert batch.diverged.tolist() == (rolled.status != tandem.Status.OK).tolist() and batch.diverged[5]


def test_any_batch_and_any_number_of_threads_give_the_same_bits() -> None:
    model = robot("arm7")
    for dtype in (np.float64, np.float32):
        q, v = start(model, 37, dtype)
        tau = controls(model, 37, 15).astype(dtype)
        how: dict[str, Any] = {"dt": 2e-3, "cost": tandem.Cost(q=1, v=0.1, effort=1e-3, final_q=2), "every": 5}
        whole = tandem.rollout(model, q, v, tau, threads=1, **how)
        for other in (tandem.rollout(model, q, v, tau, threads=2, **how),):
            for a, b in zip(whole, other, strict=True):
                np.testing.assert_array_equal(a, b)
        for b in (0, 17, 36):
            alone = tandem.rollout(model, q[b], v[b], tau[b], **how)
            some = tandem.rollout(model, q[b - 2 : b + 1] if b else q[:3], v[b - 2 : b + 1] if b else v[:3],
                                  tau[b - 2 : b + 1] if b else tau[:3], **how)
            for k, name in enumerate(("q", "v", "cost", "q_path", "v_path")):
                np.testing.assert_array_equal(getattr(alone, name), getattr(whole, name)[b], err_msg=name)
                np.testing.assert_array_equal(getattr(some, name)[2 if b else 0], getattr(whole, name)[b], err_msg=name)


def test_paths_have_every_kth_state() -> None:
    model = robot("arm7")
    q, v = start(model, 6)
    rolled = tandem.rollout(model, q, v, dt=1e-3, steps=10, every=4)
    assert rolled.q_path is not None and rolled.v_path is not None and rolled.time is not None
    assert rolled.q_path.shape == (6, 3, 7)
    np.testing.assert_allclose(rolled.time, [0, 4e-3, 8e-3])
    np.testing.assert_array_equal(rolled.q_path[:, 0], q)
    np.testing.assert_array_equal(rolled.q_path[:, 2], tandem.rollout(model, q, v, dt=1e-3, steps=8).q)
    np.testing.assert_array_equal(rolled.v_path[:, 1], tandem.rollout(model, q, v, dt=1e-3, steps=4).v)


def test_costs_are_sums_over_the_states() -> None:
    model = robot("quadruped", True)
    n, steps, dt = 5, 12, 2e-3
    q, v = start(model, n)
    random = np.random.default_rng(6)
    tau = controls(model, n, steps)
    weights = {k: random.uniform(0.5, 2, (n, model.nv)) for k in ("q", "v", "effort", "final_q", "final_v")}
    q_reference = tandem.random_configuration(model, seed=8, batch=steps + 1)
    v_reference = random.normal(size=(n, steps + 1, model.nv))
    target = tandem.forward_kinematics(model, tandem.random_configuration(model, seed=9))[model.n_links - 1]
    frame = tandem.FrameCost(model.n_links - 1, target, random.uniform(1, 2, 6), final_weight=3.0)
    cost = tandem.Cost(**weights, frames=[frame], q_reference=q_reference, v_reference=v_reference)
    rolled = tandem.rollout(model, q, v, tau, dt, cost=cost, every=1)
    assert rolled.q_path is not None and rolled.v_path is not None

    expected = np.zeros(n)
    for k in range(steps + 1):
        e = tandem.difference(model, np.broadcast_to(q_reference[k], q.shape).copy(), rolled.q_path[:, k])
        u = rolled.v_path[:, k] - v_reference[:, k]
        pose = tandem.forward_kinematics(model, rolled.q_path[:, k])[:, model.n_links - 1]
        R, p = pose[..., :3], pose[..., 3]
        way = np.einsum("bij,bi->bj", R, target[:, 3] - p)
        turn = np.array([rotation_vector(R[b].T @ target[:, :3]) for b in range(n)])
        f = np.concatenate([way, turn], axis=1)
        if k < steps:
            expected += dt * (
                (weights["q"] * e**2).sum(1) + (weights["v"] * u**2).sum(1)
                + (weights["effort"] * tau[:, k] ** 2).sum(1) + (f**2 * np.asarray(frame.weight)).sum(1)
            )  # fmt: skip
        else:
            expected += (weights["final_q"] * e**2).sum(1) + (weights["final_v"] * u**2).sum(1) + 3 * (f**2).sum(1)
    np.testing.assert_allclose(rolled.cost, expected, rtol=1e-9)


def rotation_vector(R: np.ndarray) -> np.ndarray:
    angle = np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1))
    axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (2 * np.sin(angle))
    return axis * angle


def test_a_robot_without_joints_stays_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "stone.urdf").write_text('<robot name="stone"><link name="base"/></robot>')
    stone = tandem.load(tmp_path / "stone.urdf")
    none = np.zeros(0)
    assert tandem.rollout(stone, none, none, np.zeros((6, 0)), dt=1e-3).q.shape == (0,)
    many = np.zeros((3, 0))
    last = tandem.rollout(stone, many, many, lambda k, q, v: many, dt=1e-3, steps=4, cost=tandem.Cost(q=1))
    assert last.q.shape == (3, 0) and (last.cost == 0).all()
    gradient = tandem.rollout_gradient(stone, none, none, np.zeros((6, 0)), dt=1e-3, cost=tandem.Cost(q=1))
    assert gradient.by_v0.shape == (0,)


def test_one_that_diverges_stays_and_touches_no_other() -> None:
    model = robot("arm7")
    q, v = start(model, 20)
    tau = controls(model, 20, 30)
    sound = tandem.rollout(model, q, v, tau, 1e-3, cost=tandem.Cost(q=1), every=1)
    tau[7, 10:] = 1e12
    tau[9, 12:] = np.nan
    q[3, 2] = np.inf
    rolled = tandem.rollout(model, q, v, tau, 1e-3, cost=tandem.Cost(q=1), every=1)
    assert rolled.status[[3, 7, 9]].tolist() == [NON_FINITE, DIVERGED, DIVERGED]
    assert rolled.steps[[3, 7, 9]].tolist() == [0, 10, 12]
    assert rolled.q_path is not None and sound.q_path is not None and rolled.cost is not None
    np.testing.assert_array_equal(rolled.q[7], sound.q_path[7, 10])
    np.testing.assert_array_equal(rolled.q_path[7, 10:], np.broadcast_to(rolled.q[7], (21, 7)))
    np.testing.assert_array_equal(rolled.q[9], sound.q_path[9, 12])
    assert np.isinf(rolled.cost[[3, 7, 9]]).all()
    others = np.delete(np.arange(20), [3, 7, 9])
    np.testing.assert_array_equal(rolled.q[others], sound.q[others])
    assert (rolled.status[others] == OK).all()


def test_speeds_are_watched() -> None:
    model = robot("arm7")
    q = np.zeros((2, 7))
    v = np.zeros((2, 7))
    v[1, 0] = 4.9
    rolled = tandem.rollout(model, q, v, dt=1e-3, steps=100, max_speed=5.0, controls=[20, 0, 0, 0, 0, 0, 0])
    assert rolled.status[1] == DIVERGED and rolled.steps[1] < 100


def test_gravity_is_compensated_and_targets_are_tracked() -> None:
    model = robot("arm7")
    q, _ = start(model, 8)
    held = tandem.rollout(model, q, dt=1e-3, steps=200, gravity_compensation=True)
    np.testing.assert_allclose(held.q, q, atol=1e-9)

    free = tandem.load("arm7")
    steps, dt = 1000, 1e-3
    time = dt * np.arange(steps)[:, None]
    amplitude = 0.2 * np.ones(7)
    path, rate, bend = (amplitude * x for x in (np.sin(time), np.cos(time), -np.sin(time)))
    law = tandem.ComputedTorque(path, kp=100, kd=20, v_target=rate, a_target=bend)
    tracked = tandem.rollout(free, np.zeros(7), amplitude, dt=dt, controller=law,
                             parameters={"damping": np.zeros(7), "friction": np.zeros(7)})
    np.testing.assert_allclose(tracked.q, amplitude * np.sin(dt * steps), atol=2e-3)


def test_a_function_gives_the_controls_of_every_step() -> None:
    model = robot("arm7")
    q, v = start(model, 6)
    tau = controls(model, 6, 40)
    how: dict[str, Any] = {
        "cost": tandem.Cost(q=1, effort=1e-3, final_q=3, frames=[tandem.FrameCost("tool0", [0.4, 0, 0.5], 1, 2)]),
        "every": 10,
        "dt": 2e-3,
        "pushes": [tandem.Push(7, [1, 2, 3, 0, 0, 0], 10, 20)],
    }
    asked = []

    def policy(k: int, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        asked.append(k)
        assert q.shape == v.shape == (6, 7)
        return tau[:, k]

    known = tandem.rollout(model, q, v, tau, **how)
    called = tandem.rollout(model, q, v, policy, steps=40, **how)
    assert asked == list(range(40))
    for name in ("q", "v", "status", "steps", "time", "q_path", "v_path"):
        np.testing.assert_array_equal(getattr(known, name), getattr(called, name), err_msg=name)
    np.testing.assert_allclose(known.cost, called.cost, rtol=1e-12)
    with pytest.raises(tandem.Error, match=r"controls returned shape \(3,\) in step 0, expected \(7,\) or \(6, 7\)"):
        tandem.rollout(model, q, v, lambda k, q, v: np.zeros(3), steps=2)


def test_shapes_of_controls() -> None:
    model = robot("arm7")
    q, v = start(model, 6)
    one = np.random.default_rng(7).normal(size=7)
    full = np.broadcast_to(one, (6, 9, 7)).copy()
    expected = tandem.rollout(model, q, v, full, 1e-3)
    for given in (one, full[0], full[:, :1], np.broadcast_to(one, (6, 7)).copy(), one.tolist()):
        np.testing.assert_array_equal(tandem.rollout(model, q, v, given, 1e-3, 9).q, expected.q)
    with pytest.raises(tandem.Error, match="as many robots as steps"):
        tandem.rollout(model, q, v, np.zeros((6, 7)), 1e-3, 6)


@pytest.mark.parametrize(
    "how, message",
    [
        ({"steps": None}, "steps is required if neither controls nor targets"),
        ({"controls": np.zeros((3, 5, 7))}, "controls has a batch of 3, expected 4"),
        ({"controls": np.zeros((4, 4, 7))}, "controls has 4 steps, expected 5"),
        ({"controls": np.zeros(6)}, r"controls has shape \(6,\), expected \(7,\), \(steps, 7\) or \(batch, steps, 7\)"),
        ({"controls": np.zeros(7, complex)}, "controls has dtype complex128, expected real numbers"),
        ({"limits": "of"}, "limits is 'of', expected True or False"),
        ({"effort_limits": 1}, "effort_limits is 1, expected True or False"),
        ({"gravity_compensation": None}, "gravity_compensation is None, expected True or False"),
        ({"dt": 0}, "dt is 0, expected a finite positive number"),
        ({"steps": -1}, "steps is -1, expected 0 or more"),
        ({"every": 0}, "every is 0, expected 1 or more"),
        ({"method": "scan"}, "use articulated_body or composite_rigid_body"),
        ({"integrator": "euler"}, "euler"),
        ({"max_speed": -1}, "max_speed is -1"),
        ({"device": "tpu"}, "device is 'tpu', expected 'cpu', 'cuda' or 'auto'"),
        ({"pushes": [tandem.Push(40, np.zeros(6))]}, "an external wrench acts on link 40, which does not exist"),
        ({"pushes": [tandem.Push("hand", np.zeros(6))]}, "hand"),
        ({"cost": tandem.Cost(frames=[tandem.FrameCost("tool0", np.eye(4)[:3])])}, "needs a weight or a final_weight"),
        ({"cost": tandem.Cost(q=np.ones(6))}, r"q_weight has shape \(6,\)"),
        ({"controller": 3}, "expected a PdController or ComputedTorque"),
        ({"parameters": {"mass": -np.ones((4, 8))}}, "expected 0 or more"),
    ],
)
def test_errors(how: dict[str, Any], message: str) -> None:
    model = robot("arm7")
    q, _ = start(model, 4)
    with pytest.raises((tandem.Error, TypeError), match=message):
        tandem.rollout(model, q, **({"steps": 5} | how))


def test_frames_may_be_led_to_points() -> None:
    model = robot("arm7")
    q, _ = start(model, 3)
    point = np.array([0.5, 0.2, 0.6])
    pose = np.concatenate([np.eye(3), point[:, None]], axis=1)
    of_point = tandem.Cost(frames=[tandem.FrameCost("tool0", point, final_weight=100)])
    of_pose = tandem.Cost(frames=[tandem.FrameCost("tool0", pose, final_weight=[100, 100, 100, 0, 0, 0])])
    costs = [tandem.rollout(model, q, steps=3, cost=cost).cost for cost in (of_point, of_pose)]
    np.testing.assert_array_equal(*costs)
    with pytest.raises(tandem.Error, match="q0 is missing"):
        tandem.rollout(model, None, steps=1)  # type: ignore[arg-type]


def test_robots_with_loops_go_as_in_a_simulation() -> None:
    model = tandem.load("four_bar")
    q, tau = np.array([[0.1, 0.0, 0.0], [0.7, 0.1, 0.2]]), np.array([0.3, 0.0, 0.0])
    ends = tandem.rollout(model, q, controls=tau, dt=1e-3, steps=100, cost=tandem.Cost(v=1.0))
    for b in range(2):
        alone = tandem.Simulation(model, dt=1e-3)
        alone.q = q[b]
        cost = 0.0
        for _ in range(100):
            cost += 1e-3 * (np.sum(alone.v**2))
            alone.step(tau)
        np.testing.assert_array_equal(ends.q[b], alone.q)
        np.testing.assert_array_equal(ends.v[b], alone.v)
        assert ends.cost[b] == pytest.approx(cost, rel=1e-12)
    with pytest.raises(tandem.Error, match="rollout_gradient: .* has closed loops"):
        tandem.rollout_gradient(model, q, controls=tau, dt=1e-3, steps=2, cost=tandem.Cost(v=1.0))


def test_no_steps_and_no_robots() -> None:
    model = robot("arm7")
    q, v = start(model, 4)
    nothing = tandem.rollout(model, q, v, steps=0, every=1, cost=tandem.Cost(q=1, final_q=2))
    assert nothing.q_path is not None and nothing.q_path.shape == (4, 1, 7)
    np.testing.assert_array_equal(nothing.q, q)
    np.testing.assert_allclose(nothing.cost, 2 * (q**2).sum(1))
    assert tandem.rollout(model, q[:0], steps=3).q.shape == (0, 7)


@pytest.mark.parametrize("name, floating", ROBOTS)
def test_assembled_forward_dynamics_has_the_same_bits(name: str, floating: bool) -> None:
    model = robot(name, floating)
    for dtype in (np.float64, np.float32):
        q, v = start(model, 19, dtype)
        how: dict[str, Any] = {"dt": 1e-3, "steps": 10}
        off = tandem.rollout(model, q, v, specialise=False, **how)
        on = tandem.rollout(model, q, v, specialise="wait", **how)
        np.testing.assert_array_equal(on.q, off.q)
        random = np.random.default_rng(4)
        mass = (model.parameter("mass") * random.uniform(0.8, 1.2, (19, model.n_links))).astype(dtype)
        off = tandem.rollout(model, q, v, specialise=False, parameters={"mass": mass}, **how)
        on = tandem.rollout(model, q, v, specialise="wait", parameters={"mass": mass}, **how)
        np.testing.assert_array_equal(on.q, off.q)
        # what the function does not serve goes the other way
        q[3, -1] = 2e6
        v[5, 0] = np.inf
        off = tandem.rollout(model, q, v, specialise=False, max_speed=np.inf, **how)
        on = tandem.rollout(model, q, v, specialise="wait", max_speed=np.inf, **how)
        np.testing.assert_array_equal(on.q, off.q)
        np.testing.assert_array_equal(on.status, off.status)


def test_a_point_for_a_frame_needs_one_weight_of_two():
    arm = tandem.load("arm7")
    for weights in ({"weight": 2.0}, {"final_weight": 2.0}):
        cost = tandem.Cost(frames=[tandem.FrameCost("tool0", [0.1, 0.2, 0.3], **weights)])
        assert tandem.rollout(arm, np.zeros(7), steps=2, cost=cost).cost > 0
