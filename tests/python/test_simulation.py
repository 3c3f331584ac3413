# SPDX-License-Identifier: Apache-2.0
"""Simulations, and pictures of them."""

from __future__ import annotations

import numpy as np
import pytest
from support import robot

import tandem


def undamped() -> tandem.Model:
    builder = tandem.ModelBuilder("double pendulum").link("base")
    for k, parent in ((1, "base"), (2, "rod1")):
        builder.link(f"rod{k}", 1, com=(0, 0, -0.5), inertia=np.diag([0.1, 0.1, 0.001]))
        builder.joint(f"hinge{k}", "continuous", parent, f"rod{k}", axis=(0, 1, 0), position=(0, 0, 1 - k))
    return builder.build()


def test_state_is_a_view():
    simulation = tandem.Simulation(undamped())
    assert simulation.q.tolist() == [0, 0] and simulation.v.tolist() == [0, 0] and simulation.time == 0
    simulation.q = [1, 2]
    simulation.v[1] = 3
    q = simulation.q
    simulation.step()
    assert q[1] == simulation.q[1] != 2 and simulation.time == simulation.dt == 1e-3
    with pytest.raises(ValueError):
        simulation.q = [1, 2, 3]
    del simulation
    assert np.isfinite(q).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_run_is_many_steps(integrator, dtype):
    one, many = (
        tandem.Simulation(undamped(), dt=0.002, integrator=integrator, dtype=dtype) for _ in range(2)
    )
    one.q = many.q = [0.5, 1]
    states = many.run(0.1, every=5, tau=[0.1, -0.2])
    assert states.q.shape == states.v.shape == (11, 2) and states.q.dtype == dtype
    np.testing.assert_allclose(states.time, np.linspace(0, 0.1, 11))
    for _ in range(50):
        one.step([0.1, -0.2])
    np.testing.assert_array_equal(one.q, many.q)
    np.testing.assert_array_equal(states.q[-1], many.q)
    assert many.run(0.0).q.shape == (1, 2)


def test_energy_stays_with_rk4():
    model = undamped()
    simulation = tandem.Simulation(model, dt=1e-3, integrator="rk4")
    simulation.q = [1, 1]
    states = simulation.run(2.0)
    kinetic, potential = tandem.energy(model, states.q, states.v)
    assert np.ptp(kinetic + potential) < 1e-8 < kinetic.max()


@pytest.mark.parametrize("given", ["function", "array"])
def test_energy_is_accounted_for(given):
    model = robot("arm7")
    simulation = tandem.Simulation(model, integrator="rk4", method="composite_rigid_body")
    simulation.q = tandem.random_configuration(model, seed=2)
    tau = np.full(7, 0.5)
    states = simulation.run(0.3, tau=tau if given == "array" else lambda s: tau, every=5)
    kinetic, potential = tandem.energy(model, states.q, states.v)
    budget = kinetic + potential + states.dissipated - states.work
    assert states.dissipated[0] == states.work[0] == 0 and states.dissipated[-1] == simulation.dissipated > 0
    assert states.work[-1] == simulation.work != 0
    assert np.ptp(budget) < 1e-5 * kinetic.max()


def test_a_method_that_is_not_there_is_refused():
    with pytest.raises(tandem.Error, match="no method recursive_newton_euler; expected one of automatic"):
        tandem.Simulation(undamped(), method="recursive_newton_euler")


def test_steps_by_code_for_the_robot_are_the_same():
    def end(specialise):
        simulation = tandem.Simulation(robot("arm7"), dt=1e-3, specialise=specialise)
        simulation.q = tandem.random_configuration(simulation.model, seed=4)
        return simulation.run(0.05).q[-1]

    ordinary = end(False)
    assert np.array_equal(ordinary, end("auto"))
    try:
        assert np.array_equal(ordinary, end("wait")) and np.array_equal(ordinary, end(True))
    except tandem.Error as error:
        pytest.skip(str(error))
    with pytest.raises(tandem.Error, match="Simulation: specialise is 'now', expected True, False, 'wait' or 'auto'"):
        end("now")


def test_forces_may_be_a_function_of_the_state():
    def brake(simulation: tandem.Simulation) -> np.ndarray:
        return -2 * simulation.v

    model = undamped()
    with_function, by_hand = tandem.Simulation(model), tandem.Simulation(model)
    with_function.q = by_hand.q = [1, 1]
    states = with_function.run(0.05, tau=brake, every=10)
    for _ in range(50):
        by_hand.step(-2 * by_hand.v)
    np.testing.assert_array_equal(states.q[-1], by_hand.q)
    assert states.q.shape == (6, 2)


def test_a_controller_holds_a_pose():
    model = robot("arm7")
    target = np.array([0.3, 0.5, 0, -1, 0, 0.5, 0])
    controller = tandem.PdController(target, kp=400.0, kd=np.full(7, 40.0))
    simulation = tandem.Simulation(model.with_gravity((0, 0, 0)), dt=1e-3, controller=controller)
    simulation.run(5.0, every=1000)
    np.testing.assert_allclose(simulation.q, target, atol=2e-2)


def test_a_run_that_blows_up_says_so():
    simulation = tandem.Simulation(undamped(), dt=0.5, integrator="rk4")
    simulation.v[0] = 1e200
    with pytest.raises(tandem.Error, match=r"no longer finite after .* dt = 0\.5 s may be too long"):
        simulation.run(100.0)


@pytest.mark.parametrize(
    "name, floating", [("arm7", False), ("humanoid", True), ("rope:3", False), ("tree:40", False)]
)
def test_a_trajectory_is_drawn(name, floating, tmp_path):
    plot = pytest.importorskip("tandem.plot")
    pytest.importorskip("matplotlib")
    model = robot(name, floating)
    states = tandem.Simulation(model, dt=1e-3).run(0.02)
    path = tmp_path / "trajectory.png"
    figure = plot.trajectory(model, states, path, velocities=True, title="a title")
    assert path.stat().st_size > 10_000
    labels = [axis.get_ylabel() for axis in figure.axes]
    assert labels[-1] == "energy [J]" and len(labels) >= 2
    drawn = {line.get_label().removeprefix("_") for axis in figure.axes for line in axis.lines}
    own = [j for j in model.joints if j.nv == 1]
    assert {j.name for j in own} <= drawn and {"kinetic", "total"} <= drawn
    if own:
        some = plot.trajectory(model, states, joints=[own[0].name])
        assert len(some.axes) == 2 and len(some.axes[0].lines) == 1


def test_a_run_that_leaves_reason_says_where_when_and_why():
    arm = robot("arm7")
    simulation = tandem.Simulation(arm, dt=0.5, integrator="rk4")
    simulation.q = tandem.random_configuration(arm, seed=1)
    start = simulation.q.copy()
    with pytest.raises(tandem.Error,
                       match=r'Simulation\.run: joint "joint\d" moves at .* at 0\.5 s; .* too stiff for rk4'):
        simulation.run(1.0)
    np.testing.assert_array_equal(simulation.q, start)  # the last state within reason
    found = simulation.divergence()
    assert simulation.diverged and found is not None and (found.kind, found.step) == ("too_fast", 1)
    assert found.joint in arm.joint_names
    with pytest.raises(tandem.Error, match=r"Simulation\.step: "):
        simulation.step()
    simulation.reset(np.zeros(7))
    simulation.step()
    assert not simulation.diverged and simulation.divergence() is None
    free = tandem.Simulation(arm, dt=0.5, integrator="rk4", excess=np.inf, max_speed=np.inf)
    free.q = start
    free.step()
    assert np.abs(free.v).max() > 100
    with pytest.raises(tandem.Error, match="above 100 m/s|above 100 rad/s"):
        slow = tandem.Simulation(arm, max_speed=100)
        slow.v[3] = 200
        slow.step()


def test_a_reset_leads_back():
    model = undamped()
    simulation = tandem.Simulation(model)
    simulation.q = [1, 0.5]
    simulation.v[1] = 2
    first = simulation.run(0.1, tau=[1, 0])
    simulation.reset()
    assert simulation.time == 0 and simulation.work == 0 and simulation.q.tolist() == [1, 0.5]
    again = simulation.run(0.1, tau=[1, 0])
    for ours, theirs in zip(again, first):
        np.testing.assert_array_equal(ours, theirs)
    simulation.reset([0.1, 0.2])
    assert simulation.q.tolist() == [0.1, 0.2] and simulation.v.tolist() == [0, 0]
    simulation.reset([0.1, 0.2], [3, 4])
    assert simulation.v.tolist() == [3, 4]


def test_time_can_be_set():
    simulation = tandem.Simulation(undamped(), dt=0.01)
    simulation.run(0.1)
    simulation.time = 5
    states = simulation.run(0.1)
    assert simulation.time == 5.1 and states.time[0] == 5 and states.time[-1] == pytest.approx(5.1)


def test_wrenches_push_links():
    model = undamped()
    wrench = np.zeros((model.n_links, 6))
    wrench[2, 4] = -0.7
    simulation = tandem.Simulation(model, dt=1e-3)
    simulation.q = q = np.array([0.4, 0.2])
    a = tandem.forward_dynamics(model, q, np.zeros(2), np.zeros(2), f_ext=wrench)
    simulation.step(f_ext=wrench)
    np.testing.assert_allclose(simulation.v, 1e-3 * a, rtol=1e-12)
    constant, called = (tandem.Simulation(model) for _ in range(2))
    states = constant.run(0.05, f_ext=wrench)
    np.testing.assert_array_equal(states.q, called.run(0.05, f_ext=lambda s: wrench).q)
    assert constant.work != 0


def test_parameters_differ_from_the_model():
    arm = robot("arm7")
    heavy = arm.parameter("mass") * 1.5
    one = tandem.Simulation(arm, parameters={"mass": heavy, "damping": np.full(7, 3.0)})
    q = tandem.random_configuration(arm, seed=5)
    one.q = q
    zero = np.zeros(7)
    a = tandem.forward_dynamics(
        arm, q, zero, zero, diagonal=np.full(7, 3e-3), parameters={"mass": heavy}
    )
    one.step()
    np.testing.assert_allclose(one.v, 1e-3 * a, rtol=1e-9)
    assert list(one.parameters) == ["mass", "damping"]
    one.parameters = {}
    one.reset(q)
    one.step()
    plain = tandem.Simulation(arm)
    plain.q = q
    plain.step()
    np.testing.assert_array_equal(one.v, plain.v)
    with pytest.raises(tandem.Error, match=r"parameter mass has shape \(3,\), expected \(8,\)"):
        one.parameters = {"mass": [1, 2, 3]}
    with pytest.raises(tandem.Error, match="damping has -1"):
        one.parameters = {"damping": np.full(7, -1.0)}
    assert one.parameters == {}


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_robots_of_a_batch_go_their_own_ways(integrator):
    arm, n = robot("arm7"), 12
    random = np.random.default_rng(3)
    q = tandem.random_configuration(arm, seed=1, batch=n)
    v = random.uniform(-6, 6, (n, 7))
    tau = random.uniform(-3, 3, (n, 7))
    parameters = {
        "mass": arm.parameter("mass") * random.uniform(0.7, 1.3, (n, arm.n_links)),
        "damping": random.uniform(0, 0.3, (n, 7)),
        "gravity": np.array([1.0, 0, -9]),
    }
    many = tandem.Simulation(arm, integrator=integrator, batch=n, parameters=parameters)
    many.q, many.v = q, v
    states = many.run(0.2, tau=tau, every=50)
    assert states.q.shape == (5, n, 7) and states.work.shape == (5, n) and not many.diverged.any()
    assert (many.stopped > 0).any() and many.at_limit.shape == (n, 7) and many.at_limit.any()
    for b in range(n):
        own = {name: x[b] if len(x) == n else x for name, x in parameters.items()}
        one = tandem.Simulation(arm, integrator=integrator, parameters=own)
        one.q, one.v = q[b], v[b]
        alone = one.run(0.2, tau=tau[b], every=50)
        np.testing.assert_array_equal(states.q[:, b], alone.q)
        np.testing.assert_array_equal(states.dissipated[:, b], alone.dissipated)
        np.testing.assert_array_equal(many.at_limit[b], one.at_limit)


def test_one_of_a_batch_diverges_alone():
    arm = robot("arm7")
    many = tandem.Simulation(arm, dt=5e-3, integrator="rk4", batch=4)
    many.q = [0, 0.5, 0, 1, 0, 0.5, 0]
    many.v[2, 3] = 1e5
    states = many.run(0.1)
    assert many.diverged.tolist() == [False, False, True, False]
    assert many.divergence(2).joint in arm.joint_names and many.divergence(0) is None
    assert (states.q[:, 2] == states.q[0, 2]).all()
    np.testing.assert_array_equal(states.q[-1, 0], states.q[-1, 3])
    assert np.ptp(states.q[:, 0], axis=0).max() > 0
    only = tandem.Simulation(arm, dt=5e-3, integrator="rk4", batch=1)
    only.v[0, 3] = 1e5
    assert (only.run(0.1).v[:, 0, 3] == 1e5).all() and only.diverged.tolist() == [True]
    many.reset(np.zeros(7), instances=[2])
    many.reset(np.ones((2, 7)) * [[0.1], [0.2]], instances=[0, 3])
    assert many.time == pytest.approx(0.1) and not many.diverged.any()
    np.testing.assert_array_equal(many.q[:, 0], [0.1, states.q[-1, 1, 0], 0, 0.2])
    many.step()
    with pytest.raises(tandem.Error, match="an instance is 4, expected 0 to 3"):
        many.reset(instances=[4])


def test_stops_hold_joints_within_their_limits():
    arm = robot("arm7")
    simulation, free = (tandem.Simulation(arm, limits=limits) for limits in (True, False))
    for each in (simulation, free):
        each.q = [0, 1.8, 0, 1.5, 0, 0.5, 0]
    states, without = simulation.run(2.0), free.run(2.0)
    assert (states.q < arm.q_upper + 1e-6).all() and (states.q > arm.q_lower - 1e-6).all()
    assert (without.q > arm.q_upper + 0.1).any()
    assert simulation.stopped > 1 and free.stopped == 0
    assert simulation.at_limit[1] == 1 and not free.at_limit.any()


def test_conjugate_gradients_begin_where_they_ended():
    rope, steps = tandem.load("rope:10", seed=1), {}
    for guess in ("zero", "last", "linear"):
        simulation = tandem.Simulation(
            rope, dt=1e-4, method="conjugate_gradient", options={"tolerance": 1e-6}, first_guess=guess
        )
        simulation.q = tandem.random_configuration(rope, seed=1)
        simulation.run(0.02)
        done = simulation.iterated()
        assert done.solutions >= 200 and done.not_converged == 0
        assert (done.saved > 0) == (guess != "zero")
        steps[guess] = done.steps
    assert steps["linear"] < steps["last"] < steps["zero"]
    assert tandem.Simulation(rope).iterated() == (0, 0, 0, 0)
    with pytest.raises(tandem.Error, match='first_guess is last, and method .* does not iterate'):
        tandem.Simulation(rope, first_guess="last", method="articulated_body")
    with pytest.raises(tandem.Error, match="first guess"):
        tandem.Simulation(rope, first_guess="best", method="conjugate_gradient")
