# SPDX-License-Identifier: Apache-2.0
"""CasADi: values, Jacobians, gradients and Hessians of expressions that call Tandem."""

from __future__ import annotations

import numpy as np
import pytest
import support

import tandem

casadi = pytest.importorskip("casadi", reason="CASADI WAS NOT TESTED: pip install casadi")
import tandem.casadi  # noqa: E402

NAMES = {
    "inverse_dynamics": ("q", "v", "a", "f_ext"),
    "bias_forces": ("q", "v"),
    "gravity_forces": ("q",),
    "forward_dynamics": ("q", "v", "tau", "f_ext", "diagonal"),
    "mass_matrix": ("q",),
    "inverse_mass_matrix_product": ("q", "x"),
    "energy": ("q", "v"),
    "integrate": ("q", "u"),
    "difference": ("q0", "q1"),
}


def matrix(x, name):
    return x if name == "f_ext" else x.T


def slopes(function, x, h=1e-6):
    """Central differences, a column for every number of x."""
    ends = [[np.array(function(x + s * h * e)).ravel() for s in (1, -1)] for e in np.eye(len(x))]
    return np.stack([(ahead - behind) / (2 * h) for ahead, behind in ends], -1)


def expression(model, name, states=1, **options):
    """The vector of all inputs, the outputs, and numbers for the inputs."""
    given = [support.argument(model, n, None if n == "f_ext" or states == 1 else states) for n in NAMES[name]]
    numbers = [np.atleast_2d(matrix(x, n)) if states > 1 or n == "f_ext" else x[:, None] for x,
               n in zip(given, NAMES[name])]
    parts = [casadi.MX.sym(n, *x.shape) for x, n in zip(numbers, NAMES[name])]
    outputs = getattr(tandem.casadi, name)(model, *parts, **options)
    x0 = np.concatenate([x.ravel(order="F") for x in numbers])
    return parts, outputs if isinstance(outputs, tuple) else (outputs,), x0, given


def through(parts, *outputs):
    """A function of one vector."""
    x = casadi.MX.sym("x", sum(p.numel() for p in parts))
    ends = np.cumsum([0, *(p.numel() for p in parts)]).tolist()
    own = [casadi.reshape(x[a:b], *p.shape) for p, a, b in zip(parts, ends, ends[1:])]
    whole = casadi.Function("whole", parts, list(outputs))
    return x, whole(*own) if len(outputs) > 1 else (whole(*own),)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("robot", "floating"), [("arm7", False), ("tree:4", True)])
def test_values_jacobians_and_hessians(robot, floating, name):
    model = support.robot(robot, floating)
    parts, outputs, x0, given = expression(model, name)
    theirs = getattr(tandem, name)(model, *given)
    values = casadi.Function("f", parts, list(outputs))
    ends = values(*(np.atleast_2d(g) if n == "f_ext" else g for g, n in zip(given, NAMES[name])))
    ends = ends if isinstance(ends, tuple) else (ends,)
    for ours, expected in zip(ends, theirs if isinstance(theirs, tuple) else (theirs,)):
        np.testing.assert_array_equal(np.array(ours).reshape(np.shape(expected)), expected)

    x, found = through(parts, *outputs)
    y = casadi.vertcat(*(casadi.vec(o) for o in found))
    f, J = casadi.Function("f", [x], [y]), casadi.Function("J", [x], [casadi.jacobian(y, x)])
    expected = slopes(f, x0)
    scale = 1 + np.abs(expected).max()
    np.testing.assert_allclose(np.array(J(x0)), expected, atol=1e-7 * scale)

    weights = np.random.default_rng(3).normal(size=y.shape[0])
    H, g = casadi.hessian(casadi.dot(weights, y), x)
    both = casadi.Function("H", [x], [H, g])
    np.testing.assert_allclose(np.array(both(x0)[1]).ravel(), np.array(J(x0)).T @ weights, atol=1e-10 * scale)
    bent = slopes(lambda z: both(z)[1], x0)
    np.testing.assert_allclose(np.array(both(x0)[0]), bent, atol=1e-6 * (1 + np.abs(bent).max()))

    way = np.random.default_rng(4).normal(size=len(x0))
    forward = casadi.Function("d", [x], [casadi.jtimes(y, x, casadi.DM(way))])
    np.testing.assert_allclose(np.array(forward(x0)).ravel(), expected @ way, atol=1e-6 * scale)
    ways = np.random.default_rng(5).normal(size=(y.shape[0], 3))
    back = casadi.Function("b", [x], [casadi.jtimes(y, x, casadi.DM(ways), True)])
    np.testing.assert_allclose(np.array(back(x0)), expected.T @ ways, atol=1e-6 * scale)


def test_many_states_are_one_call_with_blocks_on_the_diagonal():
    model = support.robot("arm7")
    for name in ("inverse_dynamics", "forward_dynamics", "energy"):
        names = NAMES[name]
        NAMES[name] = tuple(n for n in names if n != "f_ext")[:3]
        try:
            parts, outputs, x0, given = expression(model, name, states=4)
        finally:
            NAMES[name] = names
        expected = getattr(tandem, name)(model, *given)
        expected = expected if isinstance(expected, tuple) else (expected,)
        x, found = through(parts, *outputs)
        for ours, theirs in zip(found, expected):
            value = casadi.Function("f", [x], [ours])(x0)
            np.testing.assert_array_equal(np.array(value), np.atleast_2d(theirs.T))
        y = casadi.vec(found[0])
        J = casadi.Function("J", [x], [casadi.jacobian(y, x)])(x0)
        assert J.nnz() == y.shape[0] * sum(7 for _ in parts)
        np.testing.assert_allclose(np.array(J), slopes(casadi.Function("f", [x], [y]), x0), atol=1e-6)
        H = casadi.Function("H", [x], [casadi.hessian(casadi.sumsqr(y), x)[0]])(x0)
        assert H.sparsity().nnz() <= 4 * (7 * len(parts)) ** 2
    # one state beside many stands for all of them
    v = casadi.MX.sym("v", 7, 4)
    q = casadi.MX.sym("q", 7)
    tau = casadi.Function("f", [q, v], [tandem.casadi.bias_forces(model, q, v)])
    q0, v0 = support.argument(model, "q"), support.argument(model, "v", 4)
    np.testing.assert_array_equal(np.array(tau(q0, v0.T)).T, tandem.bias_forces(model, q0, v0))


def test_frames_and_steps():
    model = support.robot("quadruped", True)
    q = casadi.MX.sym("q", model.nq)
    q0 = tandem.random_configuration(model, seed=3)
    name = model.n_frames - 1
    poses = tandem.forward_kinematics(model, q0)
    pose, position = tandem.casadi.forward_kinematics(model, q, name), tandem.casadi.frame_position(model, q, name)
    J = tandem.casadi.jacobian(model, q, name)
    f = casadi.Function("f", [q], [pose, position, J])
    np.testing.assert_array_equal(np.array(f(q0)[0]), poses[-1])
    np.testing.assert_array_equal(np.array(f(q0)[1]).ravel(), poses[-1, :, 3])
    np.testing.assert_array_equal(np.array(f(q0)[2]), tandem.jacobian(model, q0, name))
    for y in (pose, position, J):
        both = casadi.Function("g", [q], [casadi.vec(y)]), casadi.Function("J", [q],
                                                                           [casadi.jacobian(casadi.vec(y), q)])
        np.testing.assert_allclose(np.array(both[1](q0)), slopes(both[0], q0), atol=1e-7)

    arm = support.robot("arm7")
    states = [casadi.MX.sym(n, 7, 2) for n in ("q", "v", "tau")]
    x, found = through(states, *tandem.casadi.step(arm, *states, 1e-2))
    numbers = [support.argument(arm, n, 2) for n in ("q", "v", "tau")]
    x0 = np.concatenate([y.ravel() for y in numbers])
    f = casadi.Function("f", [x], list(found))
    for ours, theirs in zip(f(x0), tandem.step(arm, *numbers, 1e-2, limits="off")):
        np.testing.assert_array_equal(np.array(ours).T, theirs)
    y = casadi.vertcat(*map(casadi.vec, found))
    J = casadi.Function("J", [x], [casadi.jacobian(y, x)])
    np.testing.assert_allclose(np.array(J(x0)), slopes(casadi.Function("f", [x], [y]), x0), atol=1e-6)
    gradient = casadi.Function("g", [x], [casadi.gradient(casadi.sumsqr(y), x)])
    values = np.array(casadi.Function("f", [x], [y])(x0)).ravel()
    np.testing.assert_allclose(np.array(gradient(x0)).ravel(), 2 * np.array(J(x0)).T @ values, atol=1e-8)


PARAMETERS = ("mass", "com", "inertia", "armature", "gravity")


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "energy"])
@pytest.mark.parametrize(("robot", "floating"), [("chain:2", False), ("chain:1", True)])
def test_parameters_of_the_robot(robot, floating, name):
    """The same for all states, and those of each: values, Jacobians, gradients and Hessians."""
    model = support.robot(robot, floating)
    names = tuple(n for n in NAMES[name] if n not in ("f_ext", "diagonal"))
    shared, states = [model.parameter(n) + 0.1 for n in PARAMETERS], 1 if name == "mass_matrix" else 2
    given = [support.argument(model, n, states) for n in names]
    parts = [casadi.MX.sym(n, g.shape[1], states) for n, g in zip(names, given)]
    own = [casadi.MX.sym(n, *np.atleast_2d(p.T).T.shape) for n, p in zip(PARAMETERS, shared)]
    outputs = getattr(tandem.casadi, name)(model, *parts, parameters=dict(zip(PARAMETERS, own)))
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    numbers = [*(g.T for g in given), *(np.atleast_2d(p.T).T for p in shared)]
    x0 = np.concatenate([n.ravel(order="F") for n in numbers])
    x, found = through([*parts, *own], *outputs)
    expected = getattr(tandem, name)(model, *given, parameters=dict(zip(PARAMETERS, shared)))
    for ours, theirs in zip(found, expected if isinstance(expected, tuple) else (expected,)):
        value = np.array(casadi.Function("f", [x], [ours])(x0))
        np.testing.assert_array_equal(value, theirs[0] if name == "mass_matrix" else np.atleast_2d(theirs.T))

    y = casadi.vertcat(*(casadi.vec(o) for o in found))
    f, J = casadi.Function("f", [x], [y]), casadi.Function("J", [x], [casadi.jacobian(y, x)])
    slope = slopes(f, x0)
    np.testing.assert_allclose(np.array(J(x0)), slope, atol=1e-7 * (1 + np.abs(slope).max()))
    weights = np.random.default_rng(3).normal(size=y.shape[0])
    H, g = casadi.hessian(casadi.dot(weights, y), x)
    both = casadi.Function("H", [x], [H, g])
    np.testing.assert_allclose(np.array(both(x0)[1]).ravel(), np.array(J(x0)).T @ weights,
                               atol=1e-10 * (1 + np.abs(slope).max()))
    way = np.random.default_rng(4).normal(size=len(x0))
    ahead, behind = (np.array(both(x0 + h * way)[1]).ravel() for h in (1e-6, -1e-6))
    bent = (ahead - behind) / 2e-6
    np.testing.assert_allclose(np.array(both(x0)[0]) @ way, bent, atol=1e-6 * (1 + np.abs(bent).max()))


def test_parameters_and_wrenches_of_every_state():
    model = support.robot("arm7")
    q, v, a = (support.argument(model, n, 2) for n in ("q", "v", "a"))
    com = np.stack([model.parameter("com") + k for k in (0.1, 0.2)])
    f_ext = support.argument(model, "f_ext", 2)
    states = [q.T, v.T, a.T, np.concatenate(f_ext, -1)]
    tau = tandem.casadi.inverse_dynamics(model, *map(casadi.DM, states), parameters={"com": np.concatenate(com, -1)})
    expected = tandem.inverse_dynamics(model, q, v, a, f_ext, parameters={"com": com})
    np.testing.assert_array_equal(np.array(tau).T, expected)
    one = tandem.casadi.inverse_dynamics(model, *map(casadi.DM, states[:3]), f_ext[0])  # the same wrenches
    np.testing.assert_array_equal(np.array(one).T, tandem.inverse_dynamics(model, q, v, a, f_ext[0]))


def test_masses_from_motions():
    """Steps depend on what a robot weighs; a solver finds it."""
    model = support.robot("arm7")
    q, v, tau = (support.argument(model, n, 4) for n in ("q", "v", "tau"))
    mass = model.parameter("mass")
    true = mass * np.linspace(0.8, 1.2, len(mass))
    measured = tandem.step(model, q, v, tau, 1e-2, limits="off", parameters={"mass": true})[1]
    m = casadi.MX.sym("m", len(mass))
    found = tandem.casadi.step(model, q.T, v.T, tau.T, 1e-2, parameters={"mass": m})[1]
    error = casadi.vec(found - measured.T)
    f = casadi.Function("f", [m], [error, casadi.jacobian(error, m)])
    guess = mass.copy()
    for _ in range(8):
        r, J = (np.array(x) for x in f(guess))
        guess -= np.linalg.pinv(J) @ r[:, 0]
    assert np.abs(r).max() < 1e-9


def test_errors():
    model = support.robot("arm7")
    q, many = casadi.MX.sym("q", 7), casadi.MX.sym("q", 7, 3)
    for call, text in (
        (lambda: tandem.casadi.gravity_forces(model, casadi.MX.sym("q", 6)),
         "gravity_forces: q has shape (6, 1), expected (7, 1)"),
        (lambda: tandem.casadi.gravity_forces(model, casadi.SX.sym("q", 7)), "q is an SX, expected an MX"),
        (lambda: tandem.casadi.mass_matrix(model, many), "3 states, expected one"),
        (lambda: tandem.casadi.bias_forces(model, many, casadi.MX.sym("v", 7, 2)),
         "numbers of states differ: 3 of q, 2 of v"),
        (lambda: tandem.casadi.inverse_dynamics(model, many, many, many, np.zeros((model.n_links, 12))),
         "3 of a, 2 of f_ext"),
        (lambda: tandem.casadi.gravity_forces(model, q, parameters={"mas": q}), 'no parameter is called "mas"'),
        (lambda: tandem.casadi.gravity_forces(model, q, parameters={"mass": q}),
         "mass has shape (7, 1), expected (8, 1) or (8, states)"),
        (lambda: tandem.casadi.gravity_forces(model, q, parameters={"com": q}), "expected (8, 3) or (8, 3 states)"),
        (lambda: tandem.casadi.bias_forces(model, q, q, np.zeros((3, 6))), f"expected ({model.n_links}, 6)"),
    ):
        with pytest.raises(tandem.Error, match=".*") as raised:
            call()
        assert text in str(raised.value), raised.value
