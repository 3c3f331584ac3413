# SPDX-License-Identifier: Apache-2.0
"""Rollouts with contacts against MuJoCo's trajectories and simulations, and a planner that samples pushes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contact_support import WALKER, Twin
from equality_support import COUPLED, FOUR_BAR
from mujoco_support import mujoco

import tandem
from tandem.mppi import Mppi

DT = 2e-3


@pytest.fixture(scope="module")
def twin() -> Twin:
    return Twin(WALKER)


def starts(twin: Twin, n: int) -> tuple[np.ndarray, np.ndarray]:
    """On and above the floor."""
    q, v, _ = twin.random_states(n, 5, 0.0, turn=0.2)
    return q, 0.3 * v


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_a_walker_falls_as_in_mujoco(integrator: Any) -> None:
    twin = Twin(WALKER)
    twin.theirs.opt.integrator = {"rk4": mujoco.mjtIntegrator.mjINT_RK4,
                                  "semi_implicit_euler": mujoco.mjtIntegrator.mjINT_EULER}[integrator]
    q0, v0 = starts(twin, 1)
    tau = np.random.default_rng(1).normal(size=(200, twin.model.nv))
    tau[:, :6] = 0
    path = tandem.rollout(twin.model, q0[0], v0[0], tau, DT, every=1, integrator=integrator, contacts=twin.contacts,
                          contact_options={"tolerance": 1e-10, "most_steps": 100, "cone": "elliptic", "impratio": 1.0})
    assert path.status == tandem.Status.OK and path.q_path is not None
    twin.set(q0[0], v0[0])
    worst = 0.0
    for k in range(200):
        twin.data.qfrc_applied[:] = twin.bridge.tau_to(tau[k], path.q_path[k])
        mujoco.mj_step(twin.theirs, twin.data)
        worst = max(worst, float(np.abs(twin.bridge.q_to(path.q_path[k + 1]) - twin.data.qpos).max()))
    assert worst < 1e-5
    assert path.contact_forces is not None and (path.contact_forces[:, 0] > 0).any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_every_form_has_the_same_bits(twin: Twin, integrator: Any, dtype: Any) -> None:
    n, steps = 11, 60
    q0, v0 = (x.astype(dtype) for x in starts(twin, n))
    friction = np.random.default_rng(2).uniform(0, 0.4, (n, twin.model.nv))
    how: dict[str, Any] = {"integrator": integrator, "contacts": twin.contacts}
    whole = tandem.rollout(twin.model, q0, v0, dt=DT, steps=steps, parameters={"friction": friction}, stops=0.0, **how)
    assert whole.contact_tally is not None and whole.contact_forces is not None
    assert (whole.contact_tally.solutions == steps * (4 if integrator == "rk4" else 1)).all()
    robots = tandem.VectorSimulation(twin.model, n, dt=DT, substeps=steps, dtype=dtype,
                                     parameters={"friction": friction}, **how)
    robots.q[:], robots.v[:] = q0, v0
    robots.step()
    np.testing.assert_array_equal(whole.q, robots.q)
    np.testing.assert_array_equal(whole.v, robots.v)
    np.testing.assert_array_equal(whole.contact_forces, robots.contact_forces)
    for threads in (1, 2):
        again = tandem.rollout(twin.model, q0, v0, dt=DT, steps=steps, parameters={"friction": friction},
                               threads=threads, **how)
        np.testing.assert_array_equal(again.q, whole.q)
        assert again.stops is None
    for b in (0, 7):
        alone = tandem.rollout(twin.model, q0[b], v0[b], dt=DT, steps=steps, parameters={"friction": friction[b]},
                               **how)
        np.testing.assert_array_equal(alone.q, whole.q[b])
        np.testing.assert_array_equal(alone.contact_forces, whole.contact_forces[b])
        assert alone.contact_tally is not None
        assert alone.contact_tally.steps == whole.contact_tally.steps[b]
    assert not np.array_equal(whole.q, tandem.rollout(twin.model, q0, v0, dt=DT, steps=steps, **how).q)


def test_a_rollout_in_parts_goes_on(twin: Twin) -> None:
    q0, v0 = starts(twin, 5)
    how: dict[str, Any] = {"dt": DT, "contacts": twin.contacts}
    whole = tandem.rollout(twin.model, q0, v0, steps=60, stops=0, **how)
    first = tandem.rollout(twin.model, q0, v0, steps=25, stops=0, **how)
    assert first.stops is not None and first.stops.shape == (5, 3 * twin.model.nv)
    kept = first.stops.copy()
    second = tandem.rollout(twin.model, first.q, first.v, steps=35, stops=first.stops, **how)
    np.testing.assert_array_equal(first.stops, kept)
    np.testing.assert_array_equal(second.q, whole.q)
    np.testing.assert_array_equal(second.stops, whole.stops)
    cold = tandem.rollout(twin.model, first.q, first.v, steps=35, **how)  # equal to the solver's tolerance
    np.testing.assert_allclose(cold.q, whole.q, atol=1e-3)

    def nothing(k: int, q: Any, v: Any) -> Any:
        return np.zeros(twin.model.nv)

    asked = tandem.rollout(twin.model, q0, v0, nothing, steps=60, stops=0, **how)
    for name in ("q", "v", "stops", "contact_forces"):
        np.testing.assert_array_equal(getattr(asked, name), getattr(whole, name))
    assert asked.contact_tally is not None and whole.contact_tally is not None
    for one, other in zip(asked.contact_tally[:3], whole.contact_tally[:3], strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_robot_that_diverges_touches_nothing(twin: Twin) -> None:
    q0, v0 = starts(twin, 3)
    tau = np.zeros((3, 40, twin.model.nv))
    tau[1, 30:] = 1e12
    found = tandem.rollout(twin.model, q0, v0, tau, DT, contacts=twin.contacts)
    assert found.status.tolist() == [tandem.Status.OK, tandem.Status.DIVERGED, tandem.Status.OK]
    assert found.contact_forces is not None and found.contact_tally is not None
    assert not found.contact_forces[1].any() and found.contact_tally.solutions[1] == found.steps[1]
    others = tandem.rollout(twin.model, q0[[0, 2]], v0[[0, 2]], dt=DT, steps=40, contacts=twin.contacts)
    np.testing.assert_array_equal(found.q[[0, 2]], others.q)


def test_what_is_not_served_is_refused(twin: Twin) -> None:
    q0 = starts(twin, 1)[0][0]
    controller = tandem.PdController(q0, 1.0, 0.1)
    refused: list[tuple[str, dict[str, Any]]] = [
        ("integrator is implicit_midpoint", {"integrator": "implicit_midpoint"}),
        ("a controller with contacts", {"integrator": "rk4", "controller": controller}),
        ("method is composite_rigid_body", {"method": "composite_rigid_body"}),
        ("specialise is on", {"specialise": True}),
        ("max_contacts and max_contact_columns are for device cuda", {"contact_options": {"max_contacts": 4}}),
        ("contact_options without contacts", {"contacts": None, "contact_options": {"impratio": 2.0}}),
        ('contact_options has no "softness"', {"contact_options": {"softness": 2.0}}),
        ("expected a tandem.ContactSet", {"contacts": True}),
    ]
    for why, more in refused:
        with pytest.raises(tandem.Error, match=why):
            tandem.rollout(twin.model, q0, dt=DT, steps=1, **({"contacts": twin.contacts} | more))
    with pytest.raises(tandem.Error, match="are those of another robot"):
        tandem.rollout(tandem.load("arm7"), np.zeros(7), dt=DT, steps=1, contacts=twin.contacts)
    for function in (tandem.rollout_gradient, tandem.step):
        with pytest.raises(TypeError, match="contacts"):
            function(twin.model, q0, contacts=twin.contacts)  # type: ignore[operator]


@pytest.mark.parametrize("text", [FOUR_BAR, COUPLED])
def test_loops_and_couplers_are_held(text: str) -> None:
    twin = Twin(text)
    q0, v0, _ = twin.random_states(6, 3, 0.0)
    how: dict[str, Any] = {"contacts": twin.contacts}
    found = tandem.rollout(twin.model, q0, 0.1 * v0, dt=DT, steps=50, **how)
    robots = tandem.VectorSimulation(twin.model, 6, dt=DT, substeps=50, **how)
    robots.q[:], robots.v[:] = q0, 0.1 * v0
    robots.step()
    np.testing.assert_array_equal(found.q, robots.q)
    np.testing.assert_array_equal(found.v, robots.v)


def pusher() -> tandem.Model:
    """A fingertip that slides in the plane, and a box."""
    inertia = (0.001, 0, 0, 0.001, 0, 0.001)
    builder = tandem.ModelBuilder("pusher").link("world")
    for name, mass in (("cart", 0.5), ("finger", 0.5), ("box", 0.3)):
        builder = builder.link(name, mass=mass, inertia=inertia)
    slide: dict[str, Any] = {"effort": 20, "damping": 2}
    builder = builder.joint("x", "prismatic", "world", "cart", axis=(1, 0, 0), position=(0, 0, 0.06), **slide)
    builder = builder.joint("y", "prismatic", "cart", "finger", axis=(0, 1, 0), **slide)
    builder = builder.joint("box", "free", "world", "box").shape("floor", "plane", "world")
    builder = builder.shape("tip", "sphere", "finger", size=0.04)
    return builder.shape("box", "box", "box", size=(0.06, 0.06, 0.05)).build()


def test_a_planner_that_samples_pushes_a_box_where_it_should_be() -> None:
    robot = pusher()
    contacts = tandem.ContactSet(robot)
    there = tandem.Cost(v=1e-3, frames=[tandem.FrameCost("box", [0.4, 0, 0.05], 10.0, 10.0)])
    planner = Mppi(robot, there, dt=0.01, horizon=30, samples=96, noise=[4.0, 4.0] + 6 * [0.0], hold=6,
                   gravity_compensation=False, contacts=contacts)
    simulation = tandem.Simulation(robot, dt=0.01, contacts=contacts)
    simulation.q[2:5] = [0.2, 0, 0.05]
    for _ in range(150):
        simulation.step(planner(simulation.q, simulation.v))
    np.testing.assert_allclose(simulation.q[2:5], [0.4, 0, 0.05], atol=0.02)
    assert np.abs(simulation.v[2:]).max() < 0.1
