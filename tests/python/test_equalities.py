# SPDX-License-Identifier: Apache-2.0
"""Loop joints and couplers in contact dynamics and simulations with contacts, against MuJoCo and closed forms."""

from __future__ import annotations

import os
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contact_support import follow, simulation_of
from equality_support import COUPLED, FOUR_BAR, WELDED, Pair, generalized_forces
from mujoco_support import mujoco

import tandem
from tandem import mjcf

ROBOTS = {"four_bar": FOUR_BAR, "welded": WELDED, "coupled": COUPLED}
#: With closed loops, mimic joints, couplers of joints and of tendons.
FILES = ["agility_cassie/cassie.xml", "robotiq_2f85/2f85.xml", "ufactory_xarm7/hand.xml", "franka_panda/panda.xml",
         "mujoco_equality/connect.xml", "mujoco_equality/weld.xml", "mujoco_equality/equality_site.xml",
         "mujoco_equality/multiple_constraints.xml", "dm_control_suite/quadruped.xml",
         "dm_control_suite/manipulator.xml", "dm_suite_more/stacker.xml", "mujoco_frames/armature_equivalence.xml"]


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
@pytest.mark.parametrize("robot", ROBOTS)
def test_accelerations_and_forces_are_those_of_mujoco(robot: str, cone: str) -> None:
    pair = Pair(ROBOTS[robot], cone)
    q, v, tau = pair.random_states(30, 1, 0.1)
    dynamics = pair.dynamics()
    for k in range(len(q)):
        pair.forward(q[k], v[k], tau[k])
        found = dynamics(q[k], v[k], tau[k] + pair.bridge.tau_from(pair.data.qfrc_passive, q[k]))
        expected, forces = pair.accelerations(q[k], v[k]), pair.equality_forces(q[k])
        assert found.converged
        np.testing.assert_allclose(found.a, expected, rtol=0, atol=1e-9 * (1 + np.abs(expected).max()))
        np.testing.assert_allclose(pair.own_equality_forces(q[k], found), forces, rtol=0,
                                   atol=1e-9 * (1 + np.abs(forces).max()))


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
@pytest.mark.parametrize("robot", ROBOTS)
def test_trajectories_are_those_of_mujoco(robot: str, integrator: str) -> None:
    name = {"semi_implicit_euler": "Euler", "rk4": "RK4"}[integrator]
    pair = Pair(ROBOTS[robot].replace('timestep="0.002"', f'timestep="0.002" integrator="{name}"'))
    q, v, _ = pair.random_states(1, 2, 0.0, turn=0.05)
    simulation = simulation_of(pair, integrator=integrator)
    simulation.q[:], simulation.v[:] = q[0], v[0]
    worst, _ = follow(pair, simulation, 250)
    assert worst < 1e-9
    assert simulation.contact_tally().not_converged == 0


@pytest.mark.parametrize("file", FILES)
def test_files_accelerate_as_in_mujoco(file: str) -> None:
    """At states along MuJoCo's trajectory of 0.4 s."""
    path = Path(os.environ.get("TANDEM_MODELS", "")) / "mjcf" / file
    if not os.environ.get("TANDEM_MODELS") or not path.is_file():
        pytest.skip("TANDEM_MODELS has no such file")
    theirs, _ = mjcf.without_pictures(str(path))
    theirs.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pair = Pair(theirs, "elliptic" if theirs.opt.cone else "pyramidal", self_contact=True, leave_out=True)
    dynamics, data = pair.dynamics(), pair.data
    data.qvel[:] = 0.3 * np.random.default_rng(0).normal(size=theirs.nv)
    for _ in range(8):
        for _ in range(max(1, round(0.05 / theirs.opt.timestep))):
            mujoco.mj_step(theirs, data)
        mujoco.mj_forward(theirs, data)
        q = pair.bridge.q_from(data.qpos)
        v = pair.bridge.v_from(data.qvel, q)
        found = dynamics(q, v, pair.bridge.tau_from(data.qfrc_passive, q))
        expected, forces = pair.bridge.a_from(data.qacc, q, v), pair.equality_forces(q)
        assert data.ne > 0
        np.testing.assert_allclose(found.a, expected, rtol=0, atol=1e-8 * (1 + np.abs(expected).max()))
        np.testing.assert_allclose(pair.own_equality_forces(q, found), forces, rtol=0,
                                   atol=1e-8 * (1 + np.abs(forces).max()))


def pendulum_on(type: str, axis: tuple[float, float, float], **more: Any) -> tandem.ModelBuilder:
    """A body on a free joint that a loop joint holds to the base."""
    robot = tandem.ModelBuilder("held").link("base").link("bob", mass=2, com=(0.1, 0.2, -0.3),
                                                          inertia=(0.05, 0.01, 0, 0.06, 0.01, 0.07))
    robot.joint("free", "free", "base", "bob")
    return robot.loop("hold", type, "base", "bob", position_1=(0.1, 0, 0.2), rpy_1=(0.2, 0.1, 0),
                      position_2=(0, 0.1, 0), axis=axis, **more)


@pytest.mark.parametrize("type", ["fixed", "revolute", "prismatic", "planar", "spherical"])
def test_stiff_loops_are_hard_loops(type: str) -> None:
    """Of every type of loop joint, the hard ones of closed_loop_dynamics are the limit of soft ones."""
    stiff = (-1.0, -1.0, 0.9999, 0.9999, 0.001, 0.5, 2)
    model = pendulum_on(type, (0.3, 0.5, 0.8), softness=stiff, torque_scale=30.0).build()
    rng = np.random.default_rng(3)
    q, v = tandem.close_loops(model, tandem.random_configuration(model, seed=2), rng.normal(size=model.nv))
    tau = rng.normal(size=model.nv)
    expected, f_loop = tandem.closed_loop_dynamics(model, q, v, tau, forces=True)
    found = tandem.contact_dynamics(model, q, v, tau, tolerance=1e-12, most_steps=50)
    assert found.converged
    np.testing.assert_allclose(found.a, expected, atol=2e-3 * (10 + np.abs(expected).max()))
    np.testing.assert_allclose(found.f_loop, f_loop, atol=2e-3 * (10 + np.abs(f_loop).max()))


@pytest.mark.parametrize("mimic", [False, True])
def test_forces_balance_inverse_dynamics(mimic: bool) -> None:
    """M a + bias = J^T f, of robots with and without mimic joints, whose couplers then are on other rows."""
    robot, before = tandem.ModelBuilder("bars").link("base"), "base"
    for k in range(3):
        more = {"mimic": "j0", "multiplier": -0.7, "offset": 0.1} if k == 1 and mimic else {}
        robot.link(f"l{k}", mass=1, com=(0.1, 0, 0.05), inertia=(0.01, 0, 0, 0.02, 0, 0.02))
        robot.joint(f"j{k}", "revolute", before, f"l{k}", position=(0.3, 0, 0), axis=(0, 1, 0.2 * k), **more)
        before = f"l{k}"
    robot.link("bob", mass=0.5, inertia=(0.01, 0, 0, 0.01, 0, 0.01)).joint("free", "free", "base", "bob")
    robot.loop("pin", "spherical", "l2", "bob", position_1=(0.2, 0, 0), position_2=(0, 0, 0.1))
    robot.loop("hold", "fixed", "base", "bob", softness=(0.1, 1, 0.9, 0.95, 0.001, 0.5, 2), torque_scale=0.4)
    model = robot.coupler("follow", "j2", "j1", polynomial=(0, 0.2, 0.1, 0, 0)).build()
    rng = np.random.default_rng(0)
    q = tandem.functions.integrate(model, tandem.neutral_configuration(model), 0.3 * rng.normal(size=model.nv))
    v = rng.normal(size=model.nv)
    found = tandem.contact_dynamics(model, q, v, np.zeros(model.nv), tolerance=1e-12, most_steps=50)
    forces = generalized_forces(model, q, found)
    np.testing.assert_allclose(tandem.inverse_dynamics(model, q, v, found.a), forces, rtol=0,
                               atol=1e-10 * np.abs(forces).max())


def test_a_weld_sags_under_load() -> None:
    """At rest the row balances the weight: f = D k d |r|, with k = 1 / (dw tc ratio)^2 and D = d / ((1 - d) A). A body
    on a slide has A = 1/m: r = (1 - d) g / (k d^2)."""
    mass, d, time = 2.0, 0.9, 0.05
    robot = tandem.ModelBuilder("sag").link("base").link("bob", mass=mass, inertia=(0.1, 0, 0, 0.1, 0, 0.1))
    robot.joint("slide", "prismatic", "base", "bob", axis=(0, 0, 1))
    robot.loop("hold", "fixed", "base", "bob", softness=(time, 1.0, d, d, 0.001, 0.5, 2))
    model = robot.build()
    simulation = tandem.Simulation(model, dt=2e-3, contacts=tandem.ContactSet(model))
    simulation.run(5.0, every=10000)
    k = 1 / (d * time) ** 2
    assert simulation.q[0] == pytest.approx(-(1 - d) * 9.81 / (k * d * d), rel=1e-6)
    found = tandem.contact_dynamics(model, simulation.q, simulation.v, [0.0])
    np.testing.assert_allclose(found.f_loop[0], [0, 0, mass * 9.81, 0, 0, 0], rtol=1e-6, atol=1e-9)


def test_a_soft_four_bar_keeps_its_pin_closed() -> None:
    """Without friction of the joints, and at rest in a minimum of energy, the soft loop is where the hard one is."""
    model = Pair(FOUR_BAR).model
    q, _ = tandem.close_loops(model, np.zeros(3), np.zeros(3))
    simulation = tandem.Simulation(model, dt=1e-3, contacts=tandem.ContactSet(model))
    simulation.q[:] = q
    simulation.run(1.0, every=10000)
    _, error = tandem.close_loops(model, simulation.q, error=True)
    closed, _ = tandem.close_loops(model, simulation.q, simulation.v)
    assert np.abs(closed - simulation.q).max() < 1e-3 and error < 1e-12


def test_followers_are_exact_without_contacts_and_soft_with_them() -> None:
    hard = tandem.from_mujoco(mujoco.MjModel.from_xml_string(COUPLED))
    soft = tandem.from_mujoco(mujoco.MjModel.from_xml_string(COUPLED), couple_mimic_joints=True)
    assert hard.nv == soft.nv - 1
    assert [coupler.name for coupler in hard.couplers] == ["cubic", "fixed", "both", "taut"]
    assert [coupler.name for coupler in soft.couplers] == ["cubic", "fixed", "both", "taut", "k2"]
    linear = soft.couplers[-1]
    assert (linear.first, linear.second, linear.element) == ("k2", "j2", "joint")
    assert linear.polynomial == pytest.approx((0.03, -0.05, 0, 0, 0))
    assert linear.softness[2:] == (0.7, 0.9, 0.01, 0.5, 2)
    assert repr(linear) == '<tandem.Coupler "k2" of joint "k2" to "j2">'
    assert soft.couplers[1].second is None
    told = [warning for warning in hard.warnings if "equality" in warning]
    assert any('"off": is ignored: it is inactive' in warning for warning in told)
    assert any('"cubic": acts only in simulations with contacts' in warning for warning in told)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_instances_do_not_depend_on_each_other(dtype: str) -> None:
    for text in ROBOTS.values():
        pair = Pair(text)
        q, v, _ = pair.random_states(9, 4, 0.0, turn=0.05)
        def run(chosen: slice) -> np.ndarray:
            n = len(q[chosen])
            simulation = tandem.Simulation(pair.model, dt=2e-3, batch=n, dtype=dtype, contacts=pair.contacts)
            simulation.q[:], simulation.v[:] = q[chosen].reshape(simulation.q.shape), v[chosen].reshape(
                simulation.v.shape)
            simulation.run(0.1, every=50)
            return np.atleast_2d(simulation.q.copy())
        together = run(slice(0, 9))
        np.testing.assert_array_equal(together[2:3], run(slice(2, 3)))
        np.testing.assert_array_equal(together[4:9], run(slice(4, 9)))


def test_float_is_near_double() -> None:
    for text in ROBOTS.values():
        pair = Pair(text)
        q, v, _ = pair.random_states(1, 4, 0.0, turn=0.05)
        ends = []
        for dtype in ("float64", "float32"):
            simulation = tandem.Simulation(pair.model, dt=2e-3, dtype=dtype, contacts=pair.contacts)
            simulation.q[:], simulation.v[:] = q[0], v[0]
            simulation.run(0.2, every=100)
            ends.append(simulation.q.copy())
        np.testing.assert_allclose(ends[1], ends[0], atol=5e-4)


def test_energy_that_rows_take_is_accounted() -> None:
    """The balance of energy closes to order 1 in the step, springs of rows included."""
    model = pendulum_on("spherical", (1, 0, 0), softness=(0.1, 0.2, 0.5, 0.5, 0.001, 0.5, 2)).build()
    model = tandem.describe(model).loop("turn", "fixed", "base", "bob", softness=(0.2, 0.5, 0.5, 0.5, 1, 0.5, 2),
                                        torque_scale=0.3).build()
    errors = []
    for dt in (2e-4, 1e-4):
        simulation = tandem.Simulation(model, dt=dt, contacts=tandem.ContactSet(model))
        simulation.q[:3] = [0.1, -0.05, 0.2]
        def total(s: Any = simulation) -> float:
            kinetic, potential = tandem.energy(model, s.q, s.v)
            return float(kinetic + potential + s.dissipated)
        start = total()
        simulation.run(0.4, every=10000)
        errors.append(abs(total() - start))
    assert errors[1] < 0.6 * errors[0] and errors[1] < 1e-2


def test_copies_have_the_same_loops_and_couplers() -> None:
    model = Pair(COUPLED).model
    own = [(c.name, c.element, c.first, c.second, c.polynomial, c.softness) for c in model.couplers]
    builder = tandem.describe(model)
    for copy in (builder.build(), pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(builder)).build()):
        assert own == [(c.name, c.element, c.first, c.second, c.polynomial, c.softness) for c in copy.couplers]
    written = tandem.read_mjcf(builder.write_mjcf()).couple_mimic_joints().build()
    polynomials = {c.first: c.polynomial for c in written.couplers}
    for coupler in model.couplers:
        np.testing.assert_allclose(polynomials[coupler.first], coupler.polynomial, atol=1e-12)
    welded = Pair(WELDED).model
    assert welded.loops[0].torque_scale == 0.6 and welded.loops[0].softness == (0.03, 0.8, 0.7, 0.95, 0.01, 0.3, 2)
    for copy in (tandem.describe(welded).build(), pickle.loads(pickle.dumps(welded)),
                 tandem.read_mjcf(tandem.describe(welded).write_mjcf()).build()):
        assert [(x.name, x.softness, x.torque_scale) for x in copy.loops] == [
            (x.name, x.softness, x.torque_scale) for x in welded.loops]
    two = tandem.describe(welded).append(builder, "fore", prefix="second_")
    assert two.coupler_names == ["second_" + name for name in builder.coupler_names]


def test_edits_change_couplers() -> None:
    model = Pair(COUPLED).model
    builder = tandem.describe(model)
    locked = builder.lock_joint("j1", [0.4]).build()
    of = {coupler.name: coupler for coupler in locked.couplers}
    cubic = next(c for c in model.couplers if c.name == "cubic")
    assert of["cubic"].second is None
    assert of["cubic"].polynomial == pytest.approx((np.polyval(cubic.polynomial[::-1], 0.4), 0, 0, 0, 0))
    both = next(c for c in model.couplers if c.name == "both")
    assert of["both"].polynomial[0] == pytest.approx(both.polynomial[0] - 0.5 * 0.4)  # of the tendon that is shorter
    q = np.zeros(model.nq)
    q[model.joint("j1").q_index] = 0.4
    again = model.reduced(["j1"], q)
    assert [(c.name, c.second) for c in again.couplers] == [(c.name, c.second) for c in locked.couplers]
    told = tandem.describe(model).lock_joint("k1", [0.1]).build().warnings
    assert any('coupler "fixed": is removed: what follows in it is locked' in warning for warning in told)
    assert "cubic" not in tandem.describe(model).remove_link("f3").coupler_names
    assert "both" not in tandem.describe(model).remove_tendon("left").coupler_names
    assert tandem.describe(model).remove_coupler("cubic").coupler_names == [
        name for name in builder.coupler_names if name != "cubic"]
    scaled = tandem.describe(model).scale(length=2).build()  # k2 slides
    assert next(c for c in scaled.couplers if c.first == "k2").polynomial == pytest.approx((0.06, -0.1, 0, 0, 0))


@pytest.mark.parametrize(("change", "message"), [
    ({"first": "j9"}, 'joint "j9" does not exist'),
    ({"second": "j1"}, "to itself"),
    ({"element": "tendon"}, 'tendon "j1" does not exist'),
    ({"polynomial": (float("nan"), 1, 0, 0, 0)}, "polynomial that is not finite"),
    ({"name": "cubic"}, 'duplicate coupler name "cubic"'),
])
def test_what_is_no_coupler_is_refused(change: dict[str, Any], message: str) -> None:
    given = {"name": "new", "first": "j1", "second": "j2", **change}
    builder = tandem.describe(Pair(COUPLED).model)
    with pytest.raises(tandem.ModelError, match=message):
        builder.coupler(given.pop("name"), **given).build()


def test_other_constraints_are_warned_of() -> None:
    text = COUPLED.replace("<tendon>", '<tendon><spatial name="rope"><site site="s"/><site site="t"/></spatial>')
    text = text.replace('<body name="palm"', '<site name="s"/><body name="palm"').replace(
        '<body name="u1"', '<site name="t"/><body name="u1"')
    text = text.replace("</equality>", '<tendon name="spatial" tendon1="rope" polycoef="0.3 0 0 0 0"/></equality>')
    said = " ".join(tandem.read_mjcf(text).build().warnings)
    assert 'equality "spatial": is ignored: spatial tendons are not supported' in said


def test_contacts_of_another_robot_are_refused() -> None:
    model = Pair(FOUR_BAR).model
    with pytest.raises(tandem.Error, match="those of a robot with 0 loop joints; four_bar has 1"):
        tandem.Simulation(model, dt=1e-3, contacts=tandem.ContactSet(model.without_loops()))
