# SPDX-License-Identifier: Apache-2.0
"""tandem.VectorSimulation: robots to step in arrays that stay."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest
from dlpack_support import Tensor
from support import robot

import tandem

HOME = [0, 0.5, 0, 1, 0, 0.5, 0]


def arms(size: int = 9, **options) -> tandem.VectorSimulation:
    return tandem.VectorSimulation(robot("arm7"), size, configurations={"home": HOME}, dt=2e-3, **options)


def near_home(size: int = 9, **options) -> tandem.VectorSimulation:
    batch = arms(size, **options)
    batch.reset(to="home", seed=3, spread=0.5, speed=1.0)
    return batch


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_each_moves_as_a_simulation_of_its_own(integrator, dtype):
    together = near_home(integrator=integrator, dtype=dtype, substeps=3)
    begin = together.q.copy(), together.v.copy()
    assert together.q.dtype == together.tau.dtype == dtype
    together.tau = np.random.default_rng(1).normal(size=(9, 7))
    for _ in range(20):
        together.step()
    for b in range(9):
        alone = tandem.Simulation(together.model, dt=2e-3, integrator=integrator, dtype=dtype)
        alone.q, alone.v = begin[0][b], begin[1][b]
        alone.run(0.12, tau=together.tau[b], every=60)
        np.testing.assert_array_equal(alone.q, together.q[b])
        np.testing.assert_array_equal(alone.v, together.v[b])
        assert alone.work == together.work[b] and alone.dissipated == together.dissipated[b]
    np.testing.assert_allclose(together.time, 0.12)
    assert (together.steps == 60).all()


def test_the_same_bits_on_any_number_of_threads():
    ends = []
    for threads in (1, 2, 5):
        batch = near_home(500, threads=threads, substeps=5)
        batch.parameter("mass")[:] *= np.random.default_rng(2).uniform(0.5, 2, (500, 1))
        for _ in range(6):
            batch.step(-batch.v)
        ends.append(np.hstack([batch.q, batch.v]))
    assert np.array_equal(ends[0], ends[1]) and np.array_equal(ends[0], ends[2])


def test_arrays_stay_where_they_are():
    batch = near_home(controller=tandem.PdController(HOME, 20.0, 5.0))
    held = {name: getattr(batch, name) for name in ("q", "v", "tau", "q_target", "kp", "kd", "f_ext")}
    held["mass"] = batch.parameter("mass")
    batch.tau = 1.0
    batch.q = HOME
    batch.joint("joint2").q = 0.25
    batch.joint("joint3").q = np.arange(9) / 10
    batch.step(ids=[1, 4])
    batch.reset([2])
    batch.parameter("damping")[:] = 1
    batch.step()
    batch.bind("poses")
    for name, array in held.items():
        now = batch.parameter(name) if name == "mass" else getattr(batch, name)
        assert np.shares_memory(array, now) and array.shape == now.shape, name
        assert np.shares_memory(np.from_dlpack(array), array)
    assert (held["tau"] == 1).all()
    held["q"][3] = 0
    batch.step()
    assert np.array_equal(batch.q[3], held["q"][3]) and abs(batch.q[3]).max() > 0
    del batch
    assert all(np.isfinite(x).all() for x in held.values())


def test_targets_and_gains_are_of_each():
    batch = arms(3, controller=tandem.PdController(HOME, 400.0, 40.0), gravity_compensation=True)
    batch.q_target[1] = 0.2
    batch.joint("joint1").q_target = [[0.0], [0.2], [-0.5]]
    batch.kp[2] = 800
    batch.step(steps=3000)
    np.testing.assert_allclose(batch.q[0], HOME, atol=1e-3)
    np.testing.assert_allclose(batch.q[1], 0.2, atol=1e-3)
    np.testing.assert_allclose(batch.q[2, 0], -0.5, atol=1e-3)
    with pytest.raises(tandem.Error, match="q_target requires a controller"):
        arms().q_target  # noqa: B018
    with pytest.raises(tandem.Error, match=r"kp of the controller has shape \(2, 7\), expected \(7,\) or \(3, 7\)"):
        arms(3, controller=tandem.PdController(HOME, np.ones((2, 7)), 1.0))
    per_robot = arms(2, controller=tandem.PdController([HOME, [0.1] * 7], np.ones((2, 7)), 2.0))
    np.testing.assert_array_equal(per_robot.q_target, [HOME, [0.1] * 7])


def test_effort_limits_hold_for_all_that_drives():
    free, limited = arms(2), arms(2, effort_limits=True)
    strongest = robot("arm7").tau_limit
    assert np.isfinite(strongest).all()
    for batch in (free, limited):
        batch.tau = 10 * strongest
        batch.step()
    exact = arms(2)
    exact.step(strongest)
    np.testing.assert_array_equal(limited.q, exact.q)
    assert not np.array_equal(free.q, exact.q)


def test_some_are_stepped_without_the_others():
    batch, all_of_them = near_home(), near_home()
    before = batch.q.copy()
    batch.step(ids=[7, 2])
    batch.step(ids=np.arange(9) == 5)
    batch.step(ids=[])
    moved = (batch.q != before).any(axis=1)
    assert np.flatnonzero(moved).tolist() == [2, 5, 7] == np.flatnonzero(batch.steps).tolist()
    batch.step(ids=~moved)
    all_of_them.step()
    np.testing.assert_array_equal(batch.q, all_of_them.q)
    batch.step(np.full((2, 7), 3.0), ids=[1, 8])
    assert (batch.tau[[1, 8]] == 3).all() and (batch.tau[[0, 7]] == 0).all()
    batch.step(ids=slice(0, 9, 3))
    assert batch.steps.tolist() == [2, 2, 1, 2, 1, 1, 2, 1, 2]
    for ids, words in (
        ([0, 9], "ids has 9, expected 0 to 8"),
        ([-1], "ids has -1"),
        ([1, 1], "ids has duplicates"),
        ([True], r"a mask of shape \(1,\), expected \(9,\)"),
        ([0.5], "expected integers or a mask"),
    ):
        with pytest.raises(tandem.Error, match=words):
            batch.step(ids=ids)


def test_random_states_are_of_the_seed_and_the_number():
    all_of_them, some, more = arms(50), arms(50), arms(70)
    all_of_them.reset(seed=8, speed=2.0)
    some.reset([40, 3], seed=8, speed=2.0)
    more.reset(seed=8, speed=2.0)
    np.testing.assert_array_equal(some.q[[3, 40]], all_of_them.q[[3, 40]])
    np.testing.assert_array_equal(some.v[[3, 40]], all_of_them.v[[3, 40]])
    np.testing.assert_array_equal(more.q[:50], all_of_them.q)
    np.testing.assert_array_equal(all_of_them.q, tandem.random_configuration(robot("arm7"), 8, batch=50))
    assert (some.q[[0, 49]] == 0).all() and abs(all_of_them.v).max() <= 2
    many, few = arms(50), arms(50)
    many.reset(to="home", seed=9, spread=0.2)
    few.reset([33], to="home", seed=9, spread=0.2)
    np.testing.assert_array_equal(few.q[33], many.q[33])
    assert 0.15 < abs(many.q - HOME).max() <= 0.2
    far = arms(50)
    far.reset(to="home", seed=9, spread=50.0)
    assert (far.q >= far.model.q_lower).all() and (far.q <= far.model.q_upper).all()


def test_reset_leads_to_named_states():
    batch = tandem.VectorSimulation(
        robot("arm7"), 4, configurations={"home": HOME, "moving": (HOME, np.ones(7)), "start": [0.1] * 7}
    )
    assert (batch.q == 0.1).all() and list(batch.configurations) == ["start", "home", "moving"]
    batch.step(steps=5)
    batch.reset([1, 3], to=["moving", "home"])
    assert batch.v[1].tolist() == [1] * 7 and batch.q[3].tolist() == HOME
    assert batch.steps.tolist() == [5, 0, 5, 0] and (batch.dissipated[[1, 3]] == 0).all()
    batch.reset([0], q=[0.3] * 7, v=[0.2] * 7)
    assert (batch.q[0] == 0.3).all() and (batch.v[0] == 0.2).all()
    for arguments, words in (
        ({"to": "hone"}, 'unknown configuration "hone"; expected one of "start", "home", "moving"'),
        ({"to": ["home", "home"]}, "to has 2 names, expected one, or 4"),
        ({"v": [0] * 7}, "v requires q"),
        ({"q": [0] * 6}, r"q has shape \(6,\), expected \(7,\) or \(4, 7\)"),
        ({"q": [np.nan] * 7}, "q has nan at 0"),
        ({"spread": 0.1}, "require seed"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 1, "speed": -1.0}, "speed is -1.0"),
        ({"seed": 1, "to": "home"}, "a seed without spread draws from the whole range; to and q require spread"),
    ):
        with pytest.raises(tandem.Error, match=words):
            batch.reset(**arguments)
    with pytest.raises(tandem.Error, match=r'configuration "short" has shape \(2,\), expected \(7,\)'):
        tandem.VectorSimulation(robot("arm7"), 1, configurations={"short": [1, 2]})


def test_one_that_diverges_is_frozen_and_reported():
    batch = near_home(integrator="rk4")
    others = near_home(integrator="rk4")
    batch.step()
    others.step()
    batch.v[4] = 1e6
    state = batch.q[4].copy()
    for _ in range(4):
        batch.step()
        others.step()
    assert np.flatnonzero(batch.diverged).tolist() == [4]
    assert (batch.v[4] == 1e6).all() and (batch.q[4] == state).all() and batch.steps[4] == 1
    found = batch.divergence(4)
    assert found is not None and found.kind == "too_fast" and found.step == 2 and found.joint
    assert found.time == pytest.approx(4e-3) and batch.divergence(0) is None
    rest = np.arange(9) != 4
    np.testing.assert_array_equal(batch.q[rest], others.q[rest])
    batch.reset(batch.diverged, to="home")
    batch.step()
    assert not batch.diverged.any() and batch.steps[4] == 1


@pytest.mark.parametrize("name", ["tau", "f_ext", "argument"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_force_that_is_not_finite_stops_its_own_robot_alone(name, value):
    batch, alone = near_home(), near_home()
    before, speed, forces = batch.q.copy(), batch.v.copy(), np.zeros((9, 7))
    if name == "argument":
        forces[6, 2] = value
    else:
        getattr(batch, name)[6, 2] = value
    batch.step(forces if name == "argument" else None, steps=5)
    alone.step(steps=5)
    others = np.arange(9) != 6
    np.testing.assert_array_equal(batch.q[others], alone.q[others])
    np.testing.assert_array_equal(batch.q[6], before[6])
    assert batch.diverged.tolist() == (~others).tolist() and batch.divergence(6).kind == "not_finite"
    assert np.isfinite(batch.work).all() and np.isfinite(batch.dissipated).all()
    batch.tau[:], batch.f_ext[:] = 0, 0
    batch.reset([6], q=before[6], v=speed[6])
    batch.step(ids=[6], steps=5)
    np.testing.assert_array_equal(batch.q, alone.q)


def test_what_cannot_be_is_said_with_the_robot():
    batch = near_home(controller=tandem.PdController(HOME, 1.0, 1.0))
    before = batch.q.copy()
    for array, words in (
        (batch.q_target, "q_target has a number that is not finite in instance 6"),
        (batch.kp, "kp has nan in instance 6"),
        (batch.parameter("mass"), "parameter mass has nan in instance 6"),
        (batch.v, "v has nan in instance 6"),
    ):
        kept = array[6, 2].copy()
        array[6, 2] = np.nan
        with pytest.raises(tandem.Error, match=words):
            batch.step()
        with pytest.raises(tandem.Error, match=words):
            batch.step(ids=[2, 6])
        array[6, 2] = kept
    assert np.array_equal(batch.q, before) and (batch.steps == 0).all()
    for call, words in (
        (lambda: setattr(batch, "tau", np.ones((9, 6))), r"tau has shape \(9, 6\), expected \(9, 7\)"),
        (lambda: setattr(batch, "q", np.full(7, np.inf)), "q has inf at 0"),
        (lambda: batch.step(np.ones((3, 7)), ids=[1, 2]), r"tau has shape \(3, 7\), expected \(2, 7\)"),
        (lambda: batch.step(steps=-1), "steps is -1"),
        (lambda: batch.parameter("weight"), "unknown parameter weight; expected one of mass, com"),
        (lambda: batch.bind("pose"), "unknown array pose; expected one of poses, velocities"),
        (lambda: batch.joint("elbow"), "elbow"),
        (lambda: batch.frame(99), "frame is 99"),
        (lambda: tandem.VectorSimulation(robot("arm7"), 0), "size is 0"),
        (lambda: tandem.VectorSimulation(robot("arm7"), 2, substeps=0), "substeps is 0"),
        (lambda: arms(3, parameters={"mass": np.ones(3)}), "parameter mass has shape"),
    ):
        with pytest.raises(tandem.Error, match=words):
            call()
    batch.step()


def test_views_by_name():
    batch = near_home(dtype=np.float64)
    model = batch.model
    joint, link, frame = batch.joint("joint2"), batch.link("link7"), batch.frame("tool0")
    assert np.shares_memory(joint.q, batch.q) and np.shares_memory(joint.tau, batch.tau)
    joint.tau = 5.0
    assert (batch.tau[:, model.joint("joint2").v_index] == 5).all()
    poses, velocities = tandem.forward_kinematics(model, batch.q, batch.v, reference="local_world_aligned")
    k = model.frame_index("tool0")
    np.testing.assert_array_equal(frame.pose, poses[:, k])
    np.testing.assert_array_equal(frame.velocity, velocities[:, k])
    np.testing.assert_array_equal(frame.position, poses[:, k, :, 3])
    np.testing.assert_allclose((frame.jacobian() @ batch.v[..., None])[..., 0], frame.velocity, atol=1e-12)
    assert link.mass.shape == (9,) and not link.mass.flags.writeable
    link.mass = np.arange(1, 10)
    joint.damping = 3.0
    np.testing.assert_array_equal(batch.parameter("mass")[:, model.link_index("link7")], np.arange(1, 10))
    assert (batch.parameter("damping")[:, 1] == 3).all() and (joint.damping == 3).all()
    np.testing.assert_array_equal(link.com[0], model.link("link7").centre_of_mass)
    link.f_ext = [0, 0, 9.0, 0, 0, 0]
    assert (batch.f_ext[:, model.link_index("link7"), 2] == 9).all()
    assert repr(joint) == "<revolute joint 'joint2' of 9 robots>"
    assert repr(link) == "<link 'link7' of 9 robots>" and repr(frame) == "<frame 'tool0' of 9 robots>"
    heavier = near_home(parameters={"mass": 2 * model.parameter("mass")})
    np.testing.assert_array_equal(heavier.link("link7").mass, 2 * model.link_mass("link7"))
    heavier.link("link7").mass = 0.5
    assert (heavier.parameter("mass")[:, 1] == 2 * model.parameter("mass")[1]).all()


def test_parameters_are_as_if_given_at_the_start():
    random = np.random.default_rng(4)
    model = robot("arm7")
    parameters = {
        "mass": model.parameter("mass") * random.uniform(0.5, 2, (9, model.n_links)),
        "damping": random.uniform(0, 2, (9, 7)),
        "gravity": random.normal(size=(9, 3)),
    }
    given, later = near_home(parameters=parameters), near_home()
    for name, values in parameters.items():
        later.parameter(name)[:] = values
    for batch in (given, later):
        batch.step(steps=50)
    np.testing.assert_array_equal(given.q, later.q)
    assert not np.array_equal(given.q, near_home().q)


def test_bound_arrays_follow():
    batch = near_home()
    poses, velocities, com = batch.bind("poses"), batch.bind("velocities"), batch.bind("centre_of_mass")
    kinetic, potential = batch.bind("kinetic"), batch.bind("potential")
    for act in (
        lambda: None,
        batch.step,
        lambda: batch.step(ids=[1, 5]),
        lambda: batch.reset([3], to="home"),
        lambda: (batch.link("link7").__setattr__("mass", 3.0), batch.step()),
    ):
        act()
        given = {"parameters": batch._expanded}
        expected = tandem.forward_kinematics(batch.model, batch.q, batch.v, reference="local_world_aligned")
        np.testing.assert_array_equal(poses, expected[0])
        np.testing.assert_array_equal(velocities, expected[1])
        np.testing.assert_array_equal(com, tandem.centre_of_mass(batch.model, batch.q, **given))
        energies = tandem.energy(batch.model, batch.q, batch.v, **given)
        np.testing.assert_array_equal(kinetic, energies[0])
        np.testing.assert_array_equal(potential, energies[1])
    assert not poses.flags.writeable and batch.bind("poses") is poses


@pytest.mark.parametrize("by", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
def test_copies_go_on_by_themselves(by):
    batch = near_home(controller=tandem.PdController(HOME, 20.0, 5.0))
    batch.parameter("mass")[:] *= np.linspace(1, 2, 9)[:, None]
    batch.q_target[3] = 0.1
    batch.tau[:] = 2
    batch.bind("poses")
    batch.step(steps=20)
    other = by(batch)
    np.testing.assert_array_equal(other.q, batch.q)
    np.testing.assert_array_equal(other.bind("poses"), batch.bind("poses"))
    assert other.steps.tolist() == batch.steps.tolist()
    for each in (batch, other):
        each.step(steps=20)
    np.testing.assert_array_equal(other.q, batch.q)
    other.step()
    assert not np.shares_memory(other.q, batch.q) and not np.array_equal(other.q, batch.q)


def test_calls_from_several_threads_take_turns():
    batch, alone = near_home(64), near_home(64)
    wrong = []

    def step(first: int) -> None:
        for _ in range(30):
            batch.step(ids=np.arange(first, 64, 4))
            try:
                batch.step(np.ones(6))
            except tandem.Error as error:
                wrong.append(str(error))

    threads = [threading.Thread(target=step, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in range(30):
        alone.step()
    np.testing.assert_array_equal(batch.q, alone.q)
    assert len(wrong) == 120 and all("tau has shape (6,)" in text for text in wrong)


def test_tensors_are_read_by_dlpack():
    batch = arms(3)
    batch.tau = Tensor(np.arange(21.0).reshape(3, 7))
    assert (batch.tau == np.arange(21.0).reshape(3, 7)).all()
    with pytest.raises(tandem.Error, match="in the memory of a GPU or another device; move it to host memory"):
        batch.tau = Tensor(np.zeros((3, 7)), device=2)


def test_floating_and_spherical_joints():
    model = robot("quadruped", floating=True)
    batch = tandem.VectorSimulation(model, 5, gravity_compensation=False)
    batch.reset(seed=2, spread=0.3, speed=0.1)
    np.testing.assert_allclose(np.linalg.norm(batch.q[:, 3:7], axis=1), 1)
    batch.reset(seed=2)
    np.testing.assert_allclose(np.linalg.norm(batch.q[:, 3:7], axis=1), 1)
    batch.step(steps=5)
    assert np.isfinite(batch.q).all() and batch.joint(1).q.shape == (5, 7) and batch.joint(1).v.shape == (5, 6)
