# SPDX-License-Identifier: Apache-2.0
"""What frameworks differentiate, on arrays of NumPy: changes against differences, gradients against changes."""

from __future__ import annotations

import numpy as np
import pytest
import support

import tandem
from tandem._autodiff.derivatives import _STEP, ByDifferences, Call
from tandem._autodiff.differentiable import FUNCTIONS
from tandem._autodiff.parameters import PARAMETERS

ROBOTS = [("arm7", False), ("quadruped", True), ("rope:3", False), ("tree:12", False), ("tree:9", True)]
LAW = (("dt", 1e-3), ("steps", 1), ("integrator", "semi_implicit_euler"), ("effort_limits", "off"))
OPTIONS = {"step": (*LAW, ("limits", "off")), "rollout": (*LAW, ("every", 2), ("steps", 4)),
           "jacobian": (("frame", 2), ("reference", "world"))}
FRONT = (2, 3)


def given(model, function, rng):
    """States of two rows of three; steps without friction, by which they bend where a joint turns back."""
    values = []
    for name, rank in zip(function.names, function.ranks):
        if name in ("q", "q0", "q1", "q_target"):
            own = (4, model.nq) if rank == 2 else (model.nq,)
            seed, count = int(rng.integers(1000)), 24 if rank == 2 else 6
            values.append(tandem.random_configuration(model, seed=seed, batch=count).reshape(*FRONT, *own))
        elif name in PARAMETERS:
            own = model.parameter(name)
            values.append((own + 0.1) * rng.uniform(0.8, 1.2, (*FRONT, *own.shape)))
        else:
            own = {"f_ext": (model.n_links, 6), "controls": (4, model.nv)}.get(name, (model.nv,))
            values.append(rng.normal(size=(*FRONT, *own)))
        if name in ("diagonal", "kp", "kd"):
            values[-1] = np.abs(values[-1])
        if function.name in ("step", "rollout") and not name.startswith("q") and name not in PARAMETERS:
            values[-1] *= 0.02  # light links answer to more of it by breaking loose
        if function.name in ("step", "rollout") and name == "friction":
            values[-1] = None
    return values


def directions(x, rng):
    return [None if value is None else rng.normal(size=value.shape) for value in x]


def differenced(function, length=_STEP):
    """The same function with all first derivatives by differences of a length."""
    by = {"push": lambda self, call, x, t: ByDifferences.changes(self, call, x, t, length), "pull": ByDifferences.pull}
    return type("Differenced", (type(function),), by)()


def dot(some, others):
    return sum((x * y).sum() for x, y in zip(some, others) if x is not None)


def close(x, y, scale, bound):
    assert abs(x - y) <= bound * (1 + abs(scale)), (x, y, scale)


@pytest.mark.parametrize(("robot", "floating"), ROBOTS)
def test_potential_energy_has_the_weight_of_a_base_that_accelerates(robot, floating):
    model = support.robot(robot, floating).with_base_acceleration((0.5, -1.0, 2.0, 0.0, 0.0, 0.0))
    function, rng = FUNCTIONS["energy"], np.random.default_rng(4)
    call = Call(function, model, ())
    x = given(model, function, rng)
    t = directions(x, rng)
    h = 1e-5
    ahead, behind = (call.value([None if y is None else y + s * h * way for y, way in zip(x, t)])[1] for s in (1, -1))
    slope = (ahead - behind) / (2 * h)
    assert np.abs(call.push(x, t)[1] - slope).max() <= 1e-5 * (1 + np.abs(slope).max())


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(("robot", "floating"), ROBOTS)
def test_changes_and_gradients(robot, floating, name):
    model, function, rng = support.robot(robot, floating), FUNCTIONS[name], np.random.default_rng(1)
    call = Call(function, model, OPTIONS.get(name, ()))
    x = given(model, function, rng)
    t = directions(x, rng)
    values = call.value(x)
    assert [value.shape[2:] for value in values] == list(call.sizes())
    g = [rng.normal(size=value.shape) for value in values]
    by_differences = isinstance(function, ByDifferences)

    changes = call.push(x, t)
    h = 1e-5
    ends = [call.value([None if y is None else y + s * h * way for y, way in zip(x, t)]) for s in (1, -1)]
    for change, ahead, behind in zip(changes, *ends):
        slope = (ahead - behind) / (2 * h)
        assert np.abs(change - slope).max() <= 1e-5 * (1 + np.abs(slope).max())

    bound = 1e-8 if by_differences else 1e-12
    there = tuple(value is not None for value in x)
    gradients = call.pull(x, g, there)
    assert [np.shape(gradient) for gradient in gradients] == [np.shape(value) for value in x]
    scale = sum(np.abs(a * b).sum() for a, b in zip(changes, g))
    close(dot(changes, g), dot(gradients, t), scale, bound)
    for k in np.flatnonzero(there):  # each input by itself
        ways = [way if j == k else None for j, way in enumerate(t)]
        found = call.pull(x, g, tuple(j == k for j in range(len(x))))
        assert [entry is not None for entry in found] == [j == k for j in range(len(x))]
        close(dot(call.push(x, ways), g), dot([found[k]], [t[k]]), scale, bound)

    if by_differences:
        return
    u = directions(x, rng)
    bent, folded = call.bend(x, t, u), call.fold(x, g, u, (True,) * len(x))
    close(dot(bent, g), dot(folded, t), sum(np.abs(a * b).sum() for a, b in zip(bent, g)), 1e-7)
    close(dot(call.bend(x, u, t), g), dot(bent, g), sum(np.abs(a * b).sum() for a, b in zip(bent, g)), 1e-7)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_midpoint"])
@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize(("robot", "floating"), [("arm7", False), ("tree:6", True)])
@pytest.mark.parametrize("name", ["step", "rollout"])
def test_adjoint_of_steps_against_differences(robot, floating, name, driven, integrator):
    model, function, rng = support.robot(robot, floating), FUNCTIONS[name], np.random.default_rng(1)
    options = dict(OPTIONS[name]) | {"integrator": integrator, "dt": 2e-3, "steps": 4}
    call = Call(function, model, tuple(options.items()))
    x = given(model, function, rng)
    left_out = {"f_ext"} if driven else {"f_ext", "q_target", "kp", "kd"}
    x = [None if n in left_out else value for n, value in zip(function.names, x)]
    wanted = tuple(value is not None for value in x)
    g = [rng.normal(size=value.shape) for value in call.value(x)]
    found, expected = call.pull(x, g, wanted), differenced(function).pull(call, x, g, wanted)
    for ours, theirs, is_wanted in zip(found, expected, wanted):
        assert (ours is not None) == is_wanted
        if is_wanted:
            # differences divide by their length what the iteration of implicit_midpoint leaves
            bound = 1e-6 if integrator == "implicit_midpoint" else 1e-9
            np.testing.assert_allclose(ours, theirs, atol=bound * (1 + np.abs(theirs).max()))
    many = call.pull(x, [np.stack([y, 2 * y]) for y in g], wanted)  # several gradients of the same states
    for ours, theirs in zip(many, found):
        if ours is not None:
            np.testing.assert_allclose(ours, np.stack([theirs, 2 * theirs]), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_midpoint"])
@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("wrenches", [False, True])
@pytest.mark.parametrize(("robot", "floating"), [("arm7", False), ("quadruped", True)])
def test_steps_at_stops_and_under_wrenches_against_differences(robot, floating, wrenches, steps, integrator):
    """Some joints are pressed against the upper limit, some against the lower, and a controller leads elsewhere."""
    model, function, rng = support.robot(robot, floating), FUNCTIONS["step"], np.random.default_rng(3)
    options = dict(LAW) | {"integrator": integrator, "dt": 2e-3, "steps": steps, "limits": "on", "effort_limits": "on"}
    call = Call(function, model, tuple(options.items()))
    x = [None if name in PARAMETERS else y for name, y in zip(function.names, given(model, function, rng))]
    joints = [joint for joint in model.joints if joint.nv == 1 and np.isfinite([joint.lower, joint.upper]).all()]
    assert len(joints) > 5
    for k, joint in enumerate(joints[:6]):
        x[0][..., joint.q_index] = joint.upper + 0.01 if k % 2 else joint.lower - 0.01
        x[2][..., joint.v_index] = 5.0 if k % 2 else -5.0
    x[3] = 10 * x[3] if wrenches else None
    wanted = tuple(value is not None for value in x)
    g = [rng.normal(size=value.shape) for value in call.value(x)]
    free = Call(function, model, (*(options | {"limits": "off"}).items(),)).value(x)
    assert np.abs(free[1] - call.value(x)[1]).max() > 0.1  # stops act
    # implicit_midpoint's iteration leaves 6e-12, which differences divide by their length: 3e-7 with 2e-5, 3e-8 with
    # 1e-4
    expected = differenced(function, 3e-4 if integrator == "implicit_midpoint" else _STEP).pull(call, x, g, wanted)
    found = call.pull(x, g, wanted)
    for ours, theirs, is_wanted in zip(found, expected, wanted):
        assert (ours is not None) == is_wanted
        if is_wanted:
            bound = 1e4 * np.finfo(np.float64).eps / _STEP  # roundings, which stops of hardness 1e4 enlarge
            np.testing.assert_allclose(ours, theirs, atol=bound * (1 + np.abs(theirs).max()))
    t = directions(x, rng)
    changes, slopes = call.push(x, t), differenced(function).push(call, x, t)
    for ours, theirs in zip(changes, slopes):
        np.testing.assert_allclose(ours, theirs,
                                   atol=1e4 * np.finfo(np.float64).eps / _STEP * (1 + np.abs(theirs).max()))
    scale = sum(np.abs(a * b).sum() for a, b in zip(changes, g))
    exact = integrator != "implicit_midpoint"  # whose changes at stops are differences
    close(dot(changes, g), dot(found, t), scale, 32e4 * np.finfo(np.float64).eps if exact else bound)


@pytest.mark.parametrize("name", ["step", "rollout"])
def test_gradients_by_friction_of_joints_that_keep_turning(name):
    """Friction bends where a joint turns back, so that differences above leave it out: here none turns back."""
    model, function, rng = support.robot("arm7"), FUNCTIONS[name], np.random.default_rng(5)
    call = Call(function, model, OPTIONS[name])
    forces = np.zeros((4, 7) if name == "rollout" else 7)
    x = [tandem.random_configuration(model, seed=1), np.where(np.arange(7) % 2, 3.0, -3.0), forces]
    x = [*x, *[None] * (len(function.names) - 3)]
    k = function.names.index("friction")
    x[k], way = rng.uniform(0.1, 0.2, 7), rng.normal(size=7)
    values = call.value(x)
    assert (np.abs(values[1]) > 0.1).all() and (np.sign(values[1]) == np.sign(x[1])).all()
    g = [rng.normal(size=value.shape) for value in values]
    found = call.pull(x, g, tuple(j == k for j in range(len(x))))[k]
    ahead, behind = (dot(call.value([y if j != k else y + h * way for j, y in enumerate(x)]), g) for h in (1e-5, -1e-5))
    slope = (ahead - behind) / 2e-5
    assert abs(found @ way - slope) <= 1e-8 * np.abs(found * way).sum() and np.abs(found).min() > 0


def test_a_force_beyond_its_limit_changes_nothing():
    model, z = support.robot("arm7"), np.zeros(7)
    options = dict(LAW) | {"limits": "on", "effort_limits": "on"}
    tau = np.array([joint.effort for joint in model.joints]) * [0.5, 2, 0.5, -2, 0.5, 0.5, 2]
    x = [z, z, tau, *[None] * (len(FUNCTIONS["step"].names) - 3)]
    found = Call(FUNCTIONS["step"], model, tuple(options.items())).pull(x, [z, z + 1], (True,) * 3
                                                                        + (False,) * (len(x) - 3))[2]
    np.testing.assert_array_equal(found != 0, [True, False, True, False, True, True, False])


@pytest.mark.parametrize("length", [0.5, 3.0])
def test_any_length_of_a_quaternion_is_the_same_rotation(length):
    model = support.robot("quadruped", True)
    rng = np.random.default_rng(2)
    q, y = tandem.random_configuration(model, seed=4), rng.normal(size=model.nv)
    q[3:7] *= length
    (gradient,) = Call(FUNCTIONS["gravity_forces"], model).pull([q], [y], (True,))
    assert abs(gradient[3:7] @ q[3:7]) < 1e-12 * np.abs(gradient).max()
    h = 1e-6
    for k in range(model.nq):
        e = h * (np.arange(model.nq) == k)
        slope = (tandem.gravity_forces(model, q + e) - tandem.gravity_forces(model, q - e)) @ y / (2 * h)
        assert abs(slope - gradient[k]) < 1e-6 * (1 + np.abs(gradient).max())


@pytest.mark.parametrize("robot", ["arm7", "rope:3"])
def test_floats_stay_floats(robot):
    model, rng = support.robot(robot), np.random.default_rng(3)
    for function in FUNCTIONS.values():
        call = Call(function, model, OPTIONS.get(function.name, ()))
        wide = given(model, function, rng)
        there = tuple(value is not None for value in wide)
        x = [None if value is None else value.astype(np.float32) for value in wide]
        g = [rng.normal(size=value.shape).astype(np.float32) for value in call.value(x)]
        found = call.pull(x, g, there)
        doubles = ([None if y is None else y.astype(np.float64) for y in some] for some in (x, g))
        expected = call.pull(*doubles, there)
        for ours, theirs, is_there in zip(found, expected, there):
            if not is_there:
                continue
            assert ours.dtype == np.float32, function.name
            assert np.abs(ours - theirs).max() <= 1e-3 * (1 + np.abs(theirs).max()), function.name
