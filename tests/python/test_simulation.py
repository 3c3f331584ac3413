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
    with pytest.raises(tandem.Error, match="no method recursive_newton_euler; there are automatic"):
        tandem.Simulation(undamped(), method="recursive_newton_euler")


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
