# SPDX-License-Identifier: Apache-2.0
# Over 400 lines, as all trajectories of one class are compared here.
"""Simulations with contacts against MuJoCo's trajectories, closed forms and conservation laws."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from contact_support import G, PILE, WALKER, Twin, follow, quadruped_on_feet, simulation_of
from mujoco_support import mujoco

import tandem


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_a_walker_falls_as_in_mujoco(cone: str) -> None:
    twin = Twin(WALKER, cone)  # with a spring, which MuJoCo's Euler has at the beginning of a step
    for seed in (1, 2):
        simulation = simulation_of(twin)
        q, v, _ = twin.random_states(1, seed, 0.0, turn=0.2)
        simulation.q[:], simulation.v[:] = q[0], 0.3 * v[0]
        worst, pushed = follow(twin, simulation, 300)
        assert pushed > 200
        assert worst < 1e-6
        worst, _ = follow(twin, simulation, 500)  # from there
        assert worst < 1e-4
        assert simulation.contact_tally().not_converged == 0


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_damping_acts_after_limits_as_in_mujoco(integrator: str) -> None:
    """An arm that falls on its limits, with dampers and a spring of which a step sees much."""
    twin = Twin(f"""<mujoco><option timestep="0.004" integrator="{integrator}"/><worldbody>
      <body><joint axis="0 1 0" damping="0.4" range="-40 60"/><geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0"/>
        <body pos="0.4 0 0"><joint axis="0 1 0" damping="0.05" stiffness="3" range="-90 20"/>
          <geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0"/></body></body></worldbody></mujoco>""")
    worst, _ = follow(twin, simulation_of(twin), 250)
    assert worst < 1e-6


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_a_pile_that_touches_itself_falls_as_in_mujoco(cone: str) -> None:
    twin = Twin(PILE, cone, self_contact=True)
    simulation = simulation_of(twin)
    q, v, _ = twin.random_states(1, 3, 0.0, turn=0.05)
    simulation.q[:], simulation.v[:] = q[0], 0.2 * v[0]
    worst, pushed = follow(twin, simulation, 250)
    assert pushed > 300
    assert worst < 1e-6
    forces = sum(simulation.contact_force(link) for link in twin.model.link_names)
    np.testing.assert_allclose(forces, 0, atol=1e-9)  # all that pushes is pushed back


def test_a_stack_of_boxes_stands() -> None:
    builder = tandem.ModelBuilder("stack").link("world").shape("floor", "plane", "world")
    for k in range(4):
        builder = builder.link(f"box{k}", mass=1,
                               inertia=(1 / 600, 0, 0, 1 / 600, 0, 1 / 600)).joint(f"root{k}", "free", "world",
                                                                                   f"box{k}")
        builder = builder.shape(f"box{k}", "box", f"box{k}", size=(0.05, 0.05, 0.05))
    model = builder.build()
    simulation = tandem.Simulation(model, dt=2e-3, contacts=tandem.ContactSet(model))
    simulation.q[2::7] = 0.05 + 0.1 * np.arange(4)
    simulation.run(2.0, every=1000)
    boxes = simulation.q.reshape(4, 7)
    assert np.abs(boxes[:, :2]).max() < 1e-4 and np.abs(simulation.v).max() < 1e-3
    assert np.abs(boxes[:, 2] - (0.05 + 0.1 * np.arange(4))).max() < 0.003
    # each bears what is above it: the sum of the forces on a box is its weight
    for k in range(4):
        np.testing.assert_allclose(simulation.contact_force(f"box{k}"), [0, 0, G], atol=1e-2)
    np.testing.assert_allclose(simulation.contact_force("world"), [0, 0, -4 * G], atol=1e-2)


def test_momentum_of_bodies_that_touch_each_other_stays() -> None:
    """In space: what pushes them is internal. Angular momentum is kept to order 1 in the step."""
    bodies = PILE[PILE.index('<body name="one"') : PILE.index("</worldbody>")]
    errors = []
    for dt in (0.002, 0.001):
        text = f'<mujoco><option gravity="0 0 0" timestep="{dt}"/><worldbody>{bodies}</worldbody></mujoco>'
        twin = Twin(text, self_contact=True)
        simulation = simulation_of(twin)
        simulation.q[:] = twin.bridge.q_from(twin.theirs.qpos0)
        simulation.v[:] = np.random.default_rng(3).normal(size=twin.model.nv)
        simulation.v[[2, 8]] += 1, -1
        before = tandem.centroidal_momentum(twin.model, simulation.q, simulation.v)
        touched = 0
        for _ in range(round(0.3 / dt)):
            simulation.step()
            touched += int((simulation.contact_forces[:, 0] > 0).any())
        assert touched > 10
        error = tandem.centroidal_momentum(twin.model, simulation.q, simulation.v) - before
        np.testing.assert_allclose(error[:3], 0, atol=1e-11)
        errors.append(float(np.abs(error[3:]).max()))
    assert errors[1] < 0.7 * errors[0] < 0.01


def test_the_shipped_quadruped_stands_as_in_mujoco() -> None:
    """On its feet; the torques of a PD controller are given to both."""
    twin = Twin(mujoco.MjModel.from_xml_string(quadruped_on_feet().write_mjcf()))
    simulation = simulation_of(twin)
    stance = tandem.neutral_configuration(twin.model)
    stance[7:] = np.tile([0.0, 0.8, -1.6], 4)
    stance[2] = 0.32
    simulation.q[:] = stance
    twin.set(simulation.q, simulation.v)
    worst = 0.0
    for _ in range(1500):  # 1.5 s
        tau = np.zeros(twin.model.nv)
        tau[6:] = 60 * (stance[7:] - simulation.q[7:]) - 0.15 * simulation.v[6:]
        twin.data.qfrc_applied[:] = twin.bridge.tau_to(tau, simulation.q)
        mujoco.mj_step(twin.theirs, twin.data)
        simulation.step(tau)
        worst = max(worst, float(np.abs(twin.bridge.q_to(simulation.q) - twin.data.qpos).max()))
    assert worst < 1e-6
    feet = [f"{leg}_shank" for leg in ("FL", "FR", "RL", "RR")]
    assert all(simulation.touches(foot) for foot in feet) and not simulation.touches("trunk")
    weight = sum(simulation.contact_force(foot)[2] for foot in feet)
    np.testing.assert_allclose(weight, 8.91 * G, rtol=0.02)
    np.testing.assert_allclose(simulation.contact_force("world"), -sum(simulation.contact_force(foot) for foot in feet),
                               atol=1e-9)


def body(kind: str, size: Any, mass: float, inertia: tuple[float, float, float], slope: float = 0.0,
         **shape: Any) -> tandem.Model:
    """A free body on a floor, with gravity inclined along x."""
    full = (inertia[0], 0, 0, inertia[1], 0, inertia[2])
    builder = tandem.ModelBuilder("body").link("world").link("body", mass=mass,
                                                             inertia=full).joint("root", "free", "world", "body")
    builder = builder.gravity((G * np.sin(slope), 0, -G * np.cos(slope))).shape("floor", "plane", "world", **shape)
    return builder.shape("body", kind, "body", size=size, **shape).build()


def ball(radius: float = 0.1, mass: float = 1.0, slope: float = 0.0, **shape: Any) -> tandem.Model:
    return body("sphere", radius, mass, (0.4 * mass * radius**2,) * 3, slope, **shape)


def world_velocity(simulation: tandem.Simulation) -> np.ndarray:
    x, y, z, w = simulation.q[3:7]
    axis = np.array([x, y, z])
    v = simulation.v[:3]
    turned: np.ndarray = v + 2 * np.cross(axis, np.cross(axis, v) + w * v)
    return turned


def settled(model: tandem.Model, height: float, **more: Any) -> tandem.Simulation:
    """After a second at rest on the floor, where it neither sinks nor rises."""
    simulation = tandem.Simulation(model, contacts=tandem.ContactSet(model), **more)
    simulation.q[2] = height
    simulation.run(1.0, every=1000)
    return simulation


def test_a_ball_that_slides_ends_rolling_at_five_sevenths() -> None:
    simulation = tandem.Simulation(ball(friction=(0.3, 0.005, 0.0001)), dt=1e-3,
                                   contacts=tandem.ContactSet(ball(friction=(0.3, 0.005, 0.0001))))
    depth = settled(ball(friction=(0.3, 0.005, 0.0001)), 0.1).q[2]
    simulation.q[2], simulation.v[0] = depth, 1.4
    simulation.run(1.0, every=1000)
    speed = world_velocity(simulation)
    np.testing.assert_allclose(speed, [1.0, 0, 0], atol=3e-3)
    np.testing.assert_allclose(simulation.v[4], np.clip(speed[0] / 0.1, 0, None), rtol=3e-3)  # about y


def test_a_ball_rolls_down_a_slope() -> None:
    slope = np.radians(10)
    model = ball(slope=slope, friction=(0.8, 0.005, 0.0001))
    simulation = tandem.Simulation(model, dt=1e-3, contacts=tandem.ContactSet(model))
    simulation.q[2] = settled(ball(friction=(0.8, 0.005, 0.0001)), 0.1).q[2]
    simulation.run(1.0, every=1000)
    np.testing.assert_allclose(world_velocity(simulation)[0], 5 / 7 * G * np.sin(slope), rtol=0.01)


@pytest.mark.parametrize("mu", [0.2, 0.5])
def test_a_block_slides_as_far_as_friction_lets_it(mu: float) -> None:
    mass, half = 1.0, (0.2, 0.2, 0.02)
    inertia = tuple(mass / 3 * (half[j] ** 2 + half[k] ** 2) for j, k in ((1, 2), (0, 2), (0, 1)))
    model = body("box", half, mass, inertia, friction=(mu, 0.005, 0.0001))
    simulation = settled(model, half[2])
    x = simulation.q[0]
    simulation.v[0] = speed = 1.0
    simulation.run(1.5, every=1000)
    np.testing.assert_allclose(simulation.q[0] - x, speed**2 / (2 * mu * G), rtol=0.02)
    assert abs(simulation.v[0]) < 1e-3

def test_a_disc_does_not_lift_what_slides() -> None:
    """v^2 / (2 mu g) at 3 m/s, of 64 cubes, a robot alone, and a rollout, with the same bits; 5/7 of a ball's slip."""
    half, mu, speed = 0.1, 0.5, 3.0
    cube = body("box", (half,) * 3, 1.0, (2 / 3 * half**2,) * 3, friction=(mu, 0.005, 1e-4))
    contacts, options = tandem.ContactSet(cube), {"cone": "disc", "tolerance": 1e-8}
    v = np.zeros((67, 6))
    v[:, 0] = np.linspace(0.5, speed, 67)
    q = np.tile([0, 0, half, 0, 0, 0, 1.0], (67, 1))
    robots = tandem.VectorSimulation(cube, 67, dt=1e-3, contacts=contacts, contact_options=options, threads=2)
    robots.reset(q=q, v=v)
    highest = 0.0
    for _ in range(700):
        robots.step()
        highest = max(highest, robots.q[:, 2].max())
    assert highest < half + 1e-6
    np.testing.assert_allclose(robots.q[:, 0], v[:, 0] ** 2 / (2 * mu * G), rtol=5e-3)
    alone = tandem.Simulation(cube, dt=1e-3, contacts=contacts, contact_options=options)
    alone.reset(q[66], v[66])
    alone.run(0.3)
    alone = pickle.loads(pickle.dumps(alone))
    alone.run(0.4)
    np.testing.assert_array_equal(alone.q, robots.q[66])
    rolled = tandem.rollout(cube, q, v, steps=700, dt=1e-3, contacts=contacts, contact_options=options)
    np.testing.assert_array_equal(rolled.q, robots.q)
    lifted = tandem.Simulation(cube, dt=1e-3, contacts=contacts, contact_options={"cone": "elliptic"})
    lifted.reset(q[66], v[66])
    assert lifted.run(0.5).q[:, 2].max() > half + 1e-3
    with pytest.raises(tandem.Error, match="disc needs the normal forces of the step before"):
        tandem.Simulation(cube, integrator="rk4", contacts=contacts, contact_options=options)
    builder = tandem.describe(cube).contact_settings(cone="disc")
    with pytest.raises(tandem.Error, match="disc, which MuJoCo does not have"):
        builder.write_mjcf()
    assert builder.build().contact_settings["cone"] == "disc"


def test_a_ball_settles_where_spring_and_weight_balance() -> None:
    """(1 - d) / d A f = k d |r| with f = m g: the depth of MuJoCo's law."""
    simulation = settled(ball(), 0.13)
    depth = 0.1 - simulation.q[2]
    d0, dw, width, mid, power = 0.9, 0.95, 0.001, 0.5, 2
    k = 1 / (dw * 0.02) ** 2
    x = min(depth / width, 1)
    y = x**power / mid ** (power - 1) if x <= mid else 1 - (1 - x) ** power / (1 - mid) ** (power - 1)
    d = d0 + y * (dw - d0)
    np.testing.assert_allclose((1 - d) * G, k * d * d * depth, rtol=1e-4)
    assert np.abs(simulation.v).max() < 1e-6


def test_a_ball_rebounds_as_its_spring_and_damper_say() -> None:
    """solref = (-k, -b) with one impedance d: r'' = -d (b r' + k d r) - (1 - d) g while it pushes."""
    k, b, d, g = 1e4, 10.0, 0.9, G
    model = ball(condim=1, solref=(-k * d * d, -b * d), solimp=(d, d, 0.001, 0.5, 2))
    r, speed, h = 0.0, -np.sqrt(2 * g * 0.2), 1e-6
    while True:
        a = -d * (b * speed + k * d * r) - (1 - d) * g
        if a <= -g and speed > 0:
            break
        speed += h * a
        r += h * speed
    errors = []
    for dt in (2e-4, 1e-4):
        simulation = tandem.Simulation(model, dt=dt, contacts=tandem.ContactSet(model))
        simulation.q[2] = 0.3
        while simulation.v[2] <= 0:
            simulation.step()
        while simulation.contact_forces[0, 0] > 0:
            simulation.step()
        errors.append(abs(simulation.v[2] / speed - 1))
    assert max(errors) < 0.002


def test_laws_hold_a_cube_on_a_slope_with_the_creep_that_they_have() -> None:
    """v = f_t R_t / b of a servo, with (1 + h b) of an implicit one; h f_t A / hardness of a stop, of four contacts."""
    slope, h, mass = np.radians(20), 1e-3, 1.0
    model = body("box", (0.1, 0.1, 0.1), mass, (0.004,) * 3, slope, friction=(1.0, 0.005, 0.0001))
    speeds = {}
    for law in ("servo", "servo_implicit", "stop"):
        options = {"law": law, "tolerance": 1e-8}
        simulation = tandem.Simulation(model, dt=h, contacts=tandem.ContactSet(model), contact_options=options)
        simulation.q[2] = 0.1
        simulation.run(2.0, every=1000)
        speeds[law] = world_velocity(simulation)[0]
        assert simulation.contact_tally().not_converged == 0
    f_t, b = mass * G * np.sin(slope) / 4, 2 / (0.95 * 0.02)
    depth = 0.1 - settled(model, 0.1, contact_options={"tolerance": 1e-8}).q[2]
    d = 0.9 + 0.05 * (lambda x: 2 * x**2 if x < 0.5 else 1 - 2 * (1 - x) ** 2)(min(depth / 1e-3, 1))
    R = (1 - d) / d / mass
    np.testing.assert_allclose(speeds["servo"], f_t * R / b, rtol=1e-2)
    assert 0 < speeds["servo_implicit"] < speeds["servo"] < 1.1 * speeds["servo_implicit"]
    np.testing.assert_allclose(speeds["stop"], h * f_t / mass / 1e4, rtol=0.05)


def test_energy_is_accounted_for_and_a_passive_robot_never_gains() -> None:
    twin = Twin(WALKER)
    for damping in ("after", "within"):
        drifts = []
        for dt in (2e-4, 1e-4):
            q, v, _ = twin.random_states(1, 3, 0.0, turn=0.02)  # within the limits
            options = {"damping": damping}
            simulation = tandem.Simulation(twin.model, dt=dt, contacts=twin.contacts, contact_options=options)
            simulation.q[:], simulation.v[:] = q[0], v[0]
            simulation.q[:3] += -1, 0, 0.2  # beyond the boulder, above the floor
            states = simulation.run(0.5, every=5)
            kinetic, potential = tandem.energy(twin.model, states.q, states.v)
            energy = kinetic + potential
            drifts.append(np.ptp(energy + states.dissipated - states.work))
            # contacts are springs that give back what they took: no more than that
            assert (energy[1:].max() - energy[0]) < 0.01 * kinetic.max()
            assert simulation.contact_tally().taken > 0.5 * (energy[0] - energy[-1])
        assert drifts[1] < 0.7 * drifts[0] and drifts[1] < 0.02 * kinetic.max()


def test_limits_and_friction_are_rows_beside_contacts() -> None:
    """In the air, a pendulum on a cart: MuJoCo's limits and friction, reported as joint limits are."""
    text = """<mujoco><option timestep="0.001"/><worldbody>
      <geom name="floor" type="plane" size="0 0 1"/>
      <body pos="0 0 1"><joint name="hinge" axis="0 1 0" range="-30 30" frictionloss="0.05"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="1"/></body></worldbody></mujoco>"""
    twin = Twin(text)
    simulation = simulation_of(twin)
    worst, _ = follow(twin, simulation, 1500)
    assert worst < 1e-8
    assert simulation.at_limit.tolist() == [1]
    assert simulation.stopped > 0 and simulation.dissipated > simulation.stopped


def test_snapshots_copies_and_pickles_go_on_as_the_original() -> None:
    twin = Twin(WALKER)
    simulation = simulation_of(twin, contact_options={"tolerance": 1e-2})
    q, v, _ = twin.random_states(1, 4, 0.0)
    simulation.q[:], simulation.v[:] = q[0], v[0]
    simulation.run(0.3, every=1000)
    others = [copy.deepcopy(simulation), copy.copy(simulation), pickle.loads(pickle.dumps(simulation))]
    np.testing.assert_array_equal(others[0].contact_forces, simulation.contact_forces)
    simulation.run(0.2, every=1000)
    for other in others:
        other.run(0.2, every=1000)
        np.testing.assert_array_equal(other.q, simulation.q)
        np.testing.assert_array_equal(other.v, simulation.v)
        assert other.contact_tally() == simulation.contact_tally() and other.dissipated == simulation.dissipated


def test_robots_of_a_batch_do_not_depend_on_each_other() -> None:
    twin = Twin(WALKER)
    q, v, _ = twin.random_states(9, 5, 0.1)
    masses = twin.model.parameter("mass") * np.linspace(0.9, 1.1, 9)[:, None]
    batch = simulation_of(twin, batch=9, parameters={"mass": masses})
    batch.q[:], batch.v[:] = q, v
    batch.run(0.3, every=1000)
    for k in (0, 4, 8):
        alone = simulation_of(twin, parameters={"mass": masses[k]})
        alone.q[:], alone.v[:] = q[k], v[k]
        alone.run(0.3, every=1000)
        np.testing.assert_array_equal(alone.q, batch.q[k])
        np.testing.assert_array_equal(alone.contact_forces, batch.contact_forces[k])
        np.testing.assert_array_equal(alone.contact_force("trunk"), batch.contact_force("trunk")[k])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_robots_have_the_same_bits_at_any_place_of_any_batch(dtype: str) -> None:
    """Bodies that touch the floor and each other: which slots are listed depends on the robots beside one."""
    twin = Twin(PILE, self_contact=True)
    q, v, _ = twin.random_states(300, 3, 0.05)

    def moved(rows: slice, threads: int) -> list[np.ndarray]:
        n = len(q[rows])
        many = simulation_of(twin, batch=n, dtype=dtype, threads=threads)
        many.q[:], many.v[:] = q[rows], v[rows]
        many.run(0.02, every=5)
        many.run(0.04, every=1000)
        found = (many.q, many.v, many.contact_forces, many.contact_force("hand"), many.touches("lower"))
        return [np.reshape(x, (n, -1)) for x in found]

    whole = moved(slice(0, 300), 2)
    assert whole[4].any()
    for rows in (slice(0, 1), slice(5, 12), slice(3, 11), slice(100, 117), slice(299, 300), slice(0, 300)):
        for all_, part in zip(whole, moved(rows, 1), strict=True):
            np.testing.assert_array_equal(all_[rows], part)


def test_a_vector_simulation_has_contacts() -> None:
    twin = Twin(WALKER)
    q, v, _ = twin.random_states(6, 5, 0.1)
    options = {"tolerance": 1e-8, "most_steps": 100}
    robots = tandem.VectorSimulation(twin.model, 6, dt=0.002, substeps=5, contacts=twin.contacts,
                                     contact_options=options)
    robots.reset(q=q, v=v)
    robots.step(steps=20)
    robots.step(ids=[4, 1], steps=3)
    for k, steps in ((0, 100), (4, 115)):
        alone = tandem.Simulation(twin.model, dt=0.002, contacts=twin.contacts, contact_options=options)
        alone.q[:], alone.v[:] = q[k], v[k]
        for _ in range(steps):
            alone.step()
        np.testing.assert_array_equal(robots.q[k], alone.q)
        np.testing.assert_array_equal(robots.contact_forces[k], alone.contact_forces)
        np.testing.assert_array_equal(robots.link("trunk").contact_force[k], alone.contact_force("trunk"))
        assert robots.link("trunk").touches[k] == alone.touches("trunk")


def test_masses_of_robots_count() -> None:
    model = ball()
    simulation = tandem.Simulation(model, batch=2, contacts=tandem.ContactSet(model),
                                   parameters={"mass": [[0, 1], [0, 3]]})
    simulation.q[:, 2] = 0.1
    simulation.run(1.0, every=1000)
    np.testing.assert_allclose(simulation.contact_force("body")[:, 2], [G, 3 * G], rtol=1e-4)
    assert simulation.touches("body").tolist() == [True, True]


def test_a_controller_of_any_stiffness_stands_on_the_floor() -> None:
    built = quadruped_on_feet().build()
    stance = tandem.neutral_configuration(built)
    stance[7:] = np.tile([0.0, 0.8, -1.6], 4)
    stance[2] = 0.31
    controller = tandem.PdController(stance, kp=1e4, kd=1e3)
    contacts = tandem.ContactSet(built, self_contact=False)
    for damping in ("after", "within"):
        simulation = tandem.Simulation(built, dt=2e-3, controller=controller, contacts=contacts,
                                       contact_options={"damping": damping})
        simulation.q[:] = stance
        simulation.run(1.0, every=1000)
        assert 0.25 < simulation.q[2] < 0.32 and np.abs(simulation.v).max() < 0.05


def test_float_states_are_those_of_double_to_rounding() -> None:
    model = ball()
    both = [tandem.Simulation(model, dtype=t, contacts=tandem.ContactSet(model)) for t in (np.float64, np.float32)]
    for simulation in both:
        simulation.q[2] = 0.2
        simulation.run(0.5, every=1000)
    np.testing.assert_allclose(both[1].q, both[0].q, atol=1e-4)


def test_a_reset_forgets_what_touched() -> None:
    simulation = settled(ball(), 0.1)
    assert simulation.touches("body")
    simulation.reset()
    assert not simulation.touches("body") and (simulation.contact_forces == 0).all()
    assert simulation.contact_tally() == (0, 0, 0, 0.0, 0)


def test_what_is_not_served_is_refused() -> None:
    model = ball()
    contacts = tandem.ContactSet(model)
    for more, message in (
        ({"integrator": "rk4", "contact_options": {"damping": "within"}}, "joint damping in every stage of rk4"),
        ({"integrator": "rk4", "controller": tandem.PdController(np.r_[np.zeros(6), 1], 1.0, 1.0)},
         "a controller with contacts is simulated by semi_implicit_euler"),
        ({"integrator": "implicit_midpoint"}, "contacts are simulated by semi_implicit_euler and rk4"),
        ({"method": "composite_rigid_body"}, "contacts are solved by articulated_body; method is composite_rigid_body"),
        ({"specialise": True}, "contacts are not compiled for a robot"),
        ({"contact_options": {"law": "rigid"}}, "rigid"),
        ({"contact_options": {"damping": "before"}}, "before"),
        ({"contact_options": {"conee": "elliptic"}}, 'contact_options has no "conee"; there are law, cone, impratio'),
    ):
        with pytest.raises(tandem.Error, match=message):
            tandem.Simulation(model, contacts=contacts, **more)
    with pytest.raises(tandem.Error, match="contacts are those of another robot, body"):
        tandem.Simulation(tandem.load("arm7"), contacts=contacts)
    with pytest.raises(tandem.Error, match="contacts is of type bool, expected a tandem.ContactSet"):
        tandem.Simulation(model, contacts=True)
    with pytest.raises(tandem.Error, match="contact_options without contacts"):
        tandem.Simulation(model, contact_options={"law": "servo"})
    with pytest.raises(tandem.Error, match="there are no contacts"):
        tandem.Simulation(model).touches("body")


def test_tallies_of_many_robots_are_those_of_each_alone() -> None:
    twin = Twin(WALKER)
    q, v, _ = twin.random_states(5, 3, 0.1)
    robots = tandem.VectorSimulation(twin.model, 5, dt=2e-3, substeps=3, contacts=twin.contacts)
    robots.reset(q=q, v=v)
    robots.step(steps=10)
    robots.step(ids=[1, 3], steps=4)
    tally = robots.contact_tally()
    taken = robots.dissipated
    for b, steps in enumerate([30, 42, 30, 42, 30]):
        alone = tandem.Simulation(twin.model, dt=2e-3, contacts=twin.contacts)
        alone.reset(q=q[b], v=v[b])
        for _ in range(steps):
            alone.step()
        expected = alone.contact_tally()
        assert tuple(x[b] for x in tally) == tuple(expected) and taken[b] == alone.dissipated
        assert expected.solutions == steps and expected.steps >= 1
    robots.reset([1])
    assert robots.contact_tally().solutions.tolist() == [30, 0, 30, 42, 30]
    with pytest.raises(tandem.Error, match="there are no contacts"):
        tandem.VectorSimulation(twin.model, 2).contact_tally()


def test_forces_on_links_are_the_sums_over_all_slots() -> None:
    """Of a pile that touches the floor and itself: by the frames of contacts at the beginning of the step."""
    builder = tandem.ModelBuilder("pile").link("world").shape("floor", "plane", "world")
    for k in range(5):
        builder.link(f"b{k}", mass=1, inertia=(0.004, 0, 0, 0.004, 0, 0.004)).joint(f"j{k}", "free", "world", f"b{k}")
        builder.shape(f"s{k}", "box" if k % 2 else "sphere", f"b{k}", size=(0.1, 0.1, 0.1) if k % 2 else 0.1)
    pile = builder.build()
    pairs = tandem.ContactSet(pile)
    q = np.array([tandem.neutral_configuration(pile)] * 3)
    for k, joint in enumerate(pile.joints):
        place = np.random.default_rng(k).normal(size=(3, 3)) * 0.03 + [0, 0, 0.1 + 0.15 * k]
        q[:, joint.q_index : joint.q_index + 3] = place
    robots = tandem.VectorSimulation(pile, 3, dt=2e-3, contacts=pairs)
    robots.reset(q=q)
    for _ in range(50):
        before = robots.q.copy()
        robots.step()
    frames, forces = tandem.contacts(pairs, before).frame, robots.contact_forces
    pushes = np.einsum("bsij,bsi->bsj", frames, forces[..., :3])
    for name in pile.link_names:
        expected, touched = np.zeros((3, 3)), np.zeros(3, bool)
        for slot, k in enumerate(pairs.slot_pairs):
            pair = pairs.pairs[k]
            if name in (pair.link_1, pair.link_2):
                sign = np.where(forces[:, slot, 0] > 0, 1 if pair.link_2 == name else -1, 0)
                expected += sign[:, None] * pushes[:, slot]
                touched |= forces[:, slot, 0] > 0
        np.testing.assert_allclose(robots.link(name).contact_force, expected, atol=1e-9)
        assert robots.link(name).touches.tolist() == touched.tolist()
    assert (robots.link("world").contact_force[:, 2] < -1).all()
