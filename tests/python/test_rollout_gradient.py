# SPDX-License-Identifier: Apache-2.0
"""Gradients of rollouts, against difference quotients of rollouts."""

import numpy as np
import pytest

import tandem

DT = 2e-3


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_midpoint"])
def test_it_is_what_rollouts_do(integrator):
    arm, random, dt = tandem.load("arm7"), np.random.default_rng(1), 1e-3
    n, steps = 3, 12
    q0, v0, tau = random.normal(size=(n, 7)), random.normal(size=(n, 7)), random.normal(size=(n, steps, 7))
    kp, kd, target = np.full(7, 30.0), np.full(7, 2.0), random.normal(size=(steps, 7))
    pose = np.array([0.3, 0.2, 0.6])
    cost = tandem.Cost(q=1, v=0.1, effort=1e-2, final_q=3, final_v=2, frames=[tandem.FrameCost("tool0", pose, 5, 20)])

    def total(q0, v0, tau, kp, kd, target):
        controller = tandem.PdController(target, kp, kd)
        return tandem.rollout(
            arm, q0, v0, tau, dt, controller=controller, cost=cost, limits=False, integrator=integrator
        ).cost

    found = tandem.rollout_gradient(
        arm, q0, v0, tau, dt, controller=tandem.PdController(target, kp, kd), cost=cost, limits=False,
        integrator=integrator
    )
    given = (q0, v0, tau, kp, kd, target)
    np.testing.assert_array_equal(found.cost, total(*given))
    by = (found.by_q0, found.by_v0, found.by_controls, found.by_kp, found.by_kd, found.by_q_target)
    for k, gradient in enumerate(by):
        direction, h = random.normal(size=given[k].shape), 1e-5
        ahead, behind = [list(given) for _ in range(2)]
        ahead[k], behind[k] = given[k] + h * direction, given[k] - h * direction
        rate = (total(*ahead) - total(*behind)) / (2 * h)
        along = (gradient * direction).reshape(n, -1).sum(axis=1)
        np.testing.assert_allclose(along, rate, rtol=1e-6, atol=1e-7 * np.abs(gradient * direction).sum())


def test_one_step_is_a_rollout_of_one():
    human, random = tandem.load("humanoid"), np.random.default_rng(2)
    q, v, tau = tandem.random_configuration(human, 1), random.normal(size=human.nv), random.normal(size=human.nv)
    by = tandem.rollout_gradient(
        human, q, v, tau, DT, 1, of_q=random.normal(size=human.nv), of_v=(of_v := random.normal(size=human.nv)),
        limits=False
    )
    assert by.by_q0.shape == by.by_v0.shape == (human.nv,) and by.by_controls.shape == (1, human.nv) and by.cost is None
    none = tandem.rollout_gradient(human, q, v, tau, DT, 0, of_v=of_v, limits=False)
    np.testing.assert_array_equal(none.by_v0, of_v)


def test_bits_do_not_depend_on_checkpoints_threads_or_neighbours():
    arm, random = tandem.load("arm7"), np.random.default_rng(3)
    q0, tau, cost = random.normal(size=(21, 7)), random.normal(size=(21, 40, 7)), tandem.Cost(final_v=1, q=1)
    how = {"dt": DT, "cost": cost, "limits": False}
    all_at_once = tandem.rollout_gradient(arm, q0, controls=tau, **how)
    for checkpoints, threads in ((1, 1), (3, 2), (1000, None)):
        again = tandem.rollout_gradient(arm, q0, controls=tau, checkpoints=checkpoints, threads=threads, **how)
        np.testing.assert_array_equal(again.by_controls, all_at_once.by_controls)
        np.testing.assert_array_equal(again.by_q0, all_at_once.by_q0)
    alone = tandem.rollout_gradient(arm, q0[5], controls=tau[5], **how)
    np.testing.assert_array_equal(alone.by_controls, all_at_once.by_controls[5])


def test_one_that_diverges_has_no_gradient_and_others_have_theirs():
    arm = tandem.load("arm7")
    v0 = np.zeros((2, 7))
    v0[1] = 1e4
    found = tandem.rollout_gradient(arm, np.zeros((2, 7)), v0, np.zeros((4, 7)), DT, cost=tandem.Cost(q=1, final_v=1),
                                    limits=False)
    assert list(found.status) == [tandem.Status.OK, tandem.Status.DIVERGED]
    assert np.isfinite(found.by_controls[0]).all()
    assert np.isnan(found.by_controls[1]).all() and np.isnan(found.by_q0[1]).all()


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_midpoint"])
def test_one_comes_to_a_stop_and_another_does_not(integrator):
    arm, random = tandem.load("arm7"), np.random.default_rng(10)
    q0, v0, tau = np.zeros((2, 7)), np.zeros((2, 7)), np.zeros((8, 7))
    q0[1, 1], v0[1, 1] = arm.q_upper[1] - 0.01, 2.0
    names = ["mass", "com", "inertia", "armature", "damping", "friction", "gravity"]
    given = {name: np.array([arm.parameter(name)] * 2) for name in names}
    how = {"dt": DT, "cost": tandem.Cost(q=1, final_v=1), "integrator": integrator}
    found = tandem.rollout_gradient(arm, q0, v0, tau, checkpoints=2, parameters=given, by_parameters=names, **how)
    free = tandem.rollout_gradient(arm, q0[0], v0[0], tau, limits=False, **how)
    np.testing.assert_allclose(found.by_controls[0], free.by_controls, rtol=0, atol=1e-13)
    assert (found.status == tandem.Status.OK).all()

    def total(q0, v0, tau, *numbers):
        last = tandem.rollout(arm, q0, v0, tau, parameters=dict(zip(names, numbers)), **how)
        return last.cost[1]

    at = [q0, v0, np.array([tau, tau]), *given.values()]
    assert total(*at) == found.cost[1] != tandem.rollout(arm, q0, v0, tau, limits=False, **how).cost[1]
    by = [found.by_q0, found.by_v0, found.by_controls, *found.by_parameters.values()]
    for k, gradient in enumerate(by):
        direction, h = random.normal(size=at[k].shape), 1e-5
        if k >= 3:
            direction *= at[k] if names[k - 3] != "gravity" else 1
        ahead, behind = list(at), list(at)
        ahead[k], behind[k] = at[k] + h * direction, at[k] - h * direction
        rate, along = (total(*ahead) - total(*behind)) / (2 * h), gradient[1] * direction[1]
        np.testing.assert_allclose(along.sum(), rate, rtol=1e-5, atol=1e-6 * np.abs(along).sum(),
                                   err_msg=(["q0", "v0", "controls"] + names)[k])


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_midpoint"])
@pytest.mark.parametrize("robot", ["arm7", "humanoid"])
def test_by_parameters(robot, integrator):
    model, random = tandem.load(robot), np.random.default_rng(7)
    n, steps, dt = 2, 6, 5e-4
    q0 = tandem.random_configuration(model, 1, batch=n)
    v0, tau = random.normal(size=(n, model.nv)), random.normal(size=(n, steps, model.nv))
    cost = tandem.Cost(v=1, final_v=1)
    names = ["mass", "com", "inertia", "armature", "damping", "friction", "stiffness", "gravity"]
    given = {name: np.array([model.parameter(name)] * n) for name in names}
    for name in ("mass", "armature", "damping", "stiffness"):
        given[name] = given[name] + random.uniform(0.01, 0.02, given[name].shape)

    def total(parameters):
        return tandem.rollout(
            model, q0, v0, tau, dt, cost=cost, limits=False, integrator=integrator, parameters=parameters
        ).cost

    how = {"dt": dt, "cost": cost, "limits": False, "integrator": integrator, "by_parameters": names}
    found = tandem.rollout_gradient(model, q0, v0, tau, parameters=given, **how)
    np.testing.assert_array_equal(found.cost, total(given))
    for name in names:
        by, h = found.by_parameters[name], 1e-4
        assert by.shape == given[name].shape
        direction = random.normal(size=by.shape) * (given[name] != 0)
        rate = fourth_order(lambda k, name=name, way=h * direction: total(given | {name: given[name] + k * way})) / h
        along = (by * direction).reshape(n, -1)
        scale = np.abs(along).sum() + 1e-3 * found.cost.max()
        np.testing.assert_allclose(along.sum(axis=1), rate, rtol=1e-5, atol=1e-6 * scale, err_msg=name)
    alone = tandem.rollout_gradient(model, q0[0], v0[0], tau[0], **how)
    assert alone.by_parameters["com"].shape == (model.n_links, 3)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_midpoint"])
@pytest.mark.parametrize("drive", ["pd", "computed_torque", "gravity_compensation"])
@pytest.mark.parametrize("robot", ["arm7", "quadruped"])
def test_by_parameters_of_driven_robots(robot, drive, integrator):
    """Which differ from each other, are pushed and limited in effort."""
    model, random = tandem.load(robot), np.random.default_rng(12)
    n, steps, dt, nv = 3, 5, 1e-3, model.nv
    q0, v0 = tandem.random_configuration(model, 1, batch=n), random.normal(size=(n, nv))
    tau = random.normal(size=(n, steps, nv))
    target = tandem.random_configuration(model, 2, batch=steps)
    how = {"dt": dt, "cost": tandem.Cost(v=1, effort=0.1, final_v=1), "limits": False, "integrator": integrator}
    how |= {"effort_limits": True, "pushes": [tandem.Push(model.link_names[-1], random.normal(size=6), 1, 4)]}
    if drive == "gravity_compensation":
        how["gravity_compensation"] = True
    else:
        lead = {"pd": tandem.PdController, "computed_torque": tandem.ComputedTorque}[drive]
        how["controller"] = lead(target, np.full(nv, 5.0), np.full(nv, 0.1))
    names = ["mass", "com", "inertia", "armature", "damping", "friction", "stiffness", "gravity"]
    given = {name: np.array([model.parameter(name)] * n) for name in names}
    for name in ("mass", "armature", "damping", "friction", "gravity"):
        given[name] = given[name] * random.uniform(1, 1.2, given[name].shape)
    given["stiffness"] += random.uniform(5, 10, given["stiffness"].shape)

    def total(parameters):
        return tandem.rollout(model, q0, v0, tau, parameters=parameters, **how).cost

    found = tandem.rollout_gradient(model, q0, v0, tau, parameters=given, by_parameters=names, checkpoints=2, **how)
    np.testing.assert_array_equal(found.cost, total(given))
    for name in names:
        by = found.by_parameters[name]
        is_gravity = name == "gravity"
        direction, h = random.normal(size=by.shape) * (1 if is_gravity else given[name]), 0.1 if is_gravity else 1e-3
        along = (by * direction).reshape(n, -1)
        scale = np.abs(along).sum() + 1e-3 * found.cost.max()
        rate = fourth_order(lambda k, name=name, way=h * direction: total(given | {name: given[name] + k * way})) / h
        np.testing.assert_allclose(along.sum(axis=1), rate, rtol=1e-7, atol=1e-8 * scale, err_msg=name)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_midpoint"])
def test_by_the_stiffness_of_springs_that_are_not_there(integrator):
    model = tandem.load("quadruped")
    q0, v0 = tandem.random_configuration(model, 3), np.random.default_rng(13).normal(size=model.nv)
    stiffness = model.parameter("stiffness")
    assert not stiffness.any()
    how = {"dt": 1e-3, "steps": 4, "cost": tandem.Cost(v=1, final_v=1), "limits": False, "integrator": integrator}
    found = tandem.rollout_gradient(model, q0, v0, by_parameters=["stiffness"], **how).by_parameters["stiffness"]
    direction = np.random.default_rng(1).uniform(0, 1, stiffness.shape)
    costs = np.array([tandem.rollout(model, q0, v0, parameters={"stiffness": 0.1 * k * direction}, **how).cost
                      for k in range(5)])
    rate = np.array([-25, 48, -36, 16, -3]) @ costs / 1.2
    np.testing.assert_allclose(found @ direction, rate, rtol=1e-6, atol=1e-8 * np.abs(found * direction).sum())


def fourth_order(number):
    """How fast number(k) changes at 0, of steps k of one unit."""
    return (8 * (number(1) - number(-1)) - (number(2) - number(-2))) / 12


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_midpoint"])
@pytest.mark.parametrize("computed", [False, True])
@pytest.mark.parametrize("limited", [False, True])
def test_drives_that_depend_on_the_state(integrator, computed, limited):
    model, random = tandem.load("arm7"), np.random.default_rng(8)
    steps, dt = 6, 5e-4
    q0, v0, tau = random.normal(size=7), random.normal(size=7), random.normal(size=(steps, 7))
    if limited:
        tau[:, ::2] *= 500
    kp, kd, target = np.full(7, 30.0), np.full(7, 5.0), random.normal(size=(steps, 7))
    push = tandem.Push("link5", random.normal(size=6), 1, 5)
    cost = tandem.Cost(q=1, v=1, effort=0.1, final_v=1)

    def given(kp, kd, target):
        how = {"cost": cost, "limits": False, "integrator": integrator, "pushes": [push], "effort_limits": limited}
        if not computed:
            return how | {"gravity_compensation": True}
        return how | {"controller": tandem.ComputedTorque(target, kp, kd, v_target=np.ones(7), a_target=np.ones(7))}

    def total(q0, v0, tau, kp, kd, target):
        return tandem.rollout(model, q0, v0, tau, dt, **given(kp, kd, target)).cost

    found = tandem.rollout_gradient(model, q0, v0, tau, dt, **given(kp, kd, target))
    at = [q0, v0, tau, kp, kd, target]
    assert found.cost == total(*at)
    by = [found.by_q0, found.by_v0, found.by_controls]
    if computed:
        by += [found.by_kp, found.by_kd, found.by_q_target]
    for k, gradient in enumerate(by):
        direction, h = random.normal(size=at[k].shape), 1e-5
        ahead, behind = list(at), list(at)
        ahead[k], behind[k] = at[k] + h * direction, at[k] - h * direction
        rate = (total(*ahead) - total(*behind)) / (2 * h)
        scale = np.abs(gradient * direction).sum()
        np.testing.assert_allclose((gradient * direction).sum(), rate, rtol=1e-6, atol=1e-6 * scale, err_msg=str(k))


def test_in_float():
    arm, random = tandem.load("arm7"), np.random.default_rng(4)
    q0, tau = random.normal(size=7), random.normal(size=(30, 7))
    cost = tandem.Cost(final_q=1)
    double = tandem.rollout_gradient(arm, q0, controls=tau, dt=DT, cost=cost, limits=False)
    single = tandem.rollout_gradient(arm, q0.astype(np.float32), controls=tau.astype(np.float32), dt=DT, cost=cost,
                                     limits=False)
    assert single.by_controls.dtype == np.float32
    np.testing.assert_allclose(single.by_controls, double.by_controls, atol=1e-4 * np.abs(double.by_controls).max())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cost": None}, "expected a cost"),
        ({"of_q": np.zeros(3)}, r"of_q has shape \(3,\)"),
        ({"of_q_path": np.zeros(7)}, "of_q_path has shape"),
        ({"of_cost": np.zeros(3)}, "of_cost has shape"),
        ({"checkpoints": 0}, "checkpoints"),
        ({"controls": lambda k, q, v: q}, "controls is a function"),
        ({"controller": 3}, "expected a PdController"),
    ],
)
def test_errors(change, message):
    arguments = {"q0": np.zeros(7), "controls": np.zeros((3, 7)), "cost": tandem.Cost(q=1), "limits": False} | change
    with pytest.raises(tandem.Error, match=message):
        tandem.rollout_gradient(tandem.load("arm7"), **arguments)
