# SPDX-License-Identifier: Apache-2.0
"""What is checked of tandem.jax, in a process of its own: JAX sets up threads and precision for a whole process."""

from __future__ import annotations

import doctest
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import jax
import numpy as np
import jax_second_derivatives
import support
from jax.test_util import check_grads

import tandem
import tandem.jax
from tandem._autodiff import derivatives, differentiable, jax_calls, jax_primitive
from tandem._autodiff.jax_table import NAMES

FUNCTIONS = {
    "inverse_dynamics": ("q", "v", "a"),
    "bias_forces": ("q", "v"),
    "gravity_forces": ("q",),
    "forward_dynamics": ("q", "v", "tau"),
    "mass_matrix": ("q",),
    "inverse_mass_matrix_product": ("q", "v"),
    "forward_kinematics": ("q",),
}


def arguments(model, names, shape, dtype):
    rng = np.random.default_rng(len(names))
    count = int(np.prod(shape))
    q = tandem.random_configuration(model, seed=1, batch=count).reshape(*shape, model.nq)
    rest = [rng.normal(size=(*shape, model.nv)) for _ in names[1:]]
    return [x.astype(dtype) for x in (q, *rest)]


def check_all():
    for dtype in (np.float32, np.float64):
        for robot, floating in (("arm7", False), ("quadruped", True)):
            model = tandem.load(robot, floating=floating)
            for name, names in FUNCTIONS.items():
                ours, theirs = getattr(tandem, name), getattr(tandem.jax, name)

                def of_state(*x, theirs=theirs, model=model):
                    return theirs(model, *x)

                single, batch = arguments(model, names, (), dtype), arguments(model, names, (2, 3), dtype)
                for result, given in (
                    (of_state(*single), single),
                    (jax.jit(of_state)(*single), single),
                    (jax.jit(of_state)(*batch), batch),
                    (jax.jit(jax.vmap(jax.vmap(of_state)))(*batch), batch),
                ):
                    assert isinstance(result, jax.Array) and result.dtype == dtype, (name, result.dtype)
                    np.testing.assert_array_equal(np.asarray(result), ours(model, *given), err_msg=name)
                if len(names) > 1:  # some arguments the same for all
                    one = jax.vmap(of_state, in_axes=(0, *[None] * (len(names) - 1)))(
                        batch[0][0], *(x[0, 0] for x in batch[1:])
                    )
                    expected = ours(model, batch[0][0], *(x[0, 0] for x in batch[1:]))
                    np.testing.assert_array_equal(np.asarray(one), expected)


def check_further():
    model = tandem.load("arm7")
    q = jax.numpy.linspace(-1, 1, 35).reshape(5, 7)
    J = jax.jit(jax.vmap(lambda x: tandem.jax.jacobian(model, x, "tool0", "world")))(q)
    np.testing.assert_array_equal(np.asarray(J), tandem.jacobian(model, np.asarray(q), "tool0", "world"))
    f_ext = np.ones((model.n_links, 6))
    tau = jax.vmap(lambda x: tandem.jax.inverse_dynamics(model, x, 0 * x, 0 * x, f_ext))(q)
    zero = np.zeros((5, 7))
    np.testing.assert_array_equal(np.asarray(tau), tandem.inverse_dynamics(model, np.asarray(q), zero, zero, f_ext))
    D = np.full(7, 0.5)
    a = jax.jit(lambda x: tandem.jax.forward_dynamics(model, x, 0 * x, 0 * x, None, D))(q)
    np.testing.assert_array_equal(
        np.asarray(a),
        tandem.forward_dynamics(model, np.asarray(q), zero, zero, None, np.broadcast_to(D, (5, 7)).copy())
    )

    # a simulation in one compiled loop
    @jax.jit
    def swing(q, v):
        def step(state, _):
            q, v = state
            v = v + 1e-3 * tandem.jax.forward_dynamics(model, q, v, 0 * v)
            return (q + 1e-3 * v, v), q

        return jax.lax.scan(step, (q, v), length=20)[1]

    path = swing(q[0], 0 * q[0])
    assert path.shape == (20, 7) and np.isfinite(np.asarray(path)).all()

    for wrong in (q[:, :6], q[0, 0]):
        try:
            jax.block_until_ready(tandem.jax.gravity_forces(model, wrong))
        except Exception as error:
            assert "gravity_forces: q has shape" in str(error), error
        else:
            raise AssertionError("a wrong shape")


def check_derivatives():
    names = {**FUNCTIONS, "bias_forces": ("q", "v"), "energy": ("q", "v"), "integrate": ("q", "v"),
             "difference": ("q", "q1")}
    names["forward_dynamics"] = ("q", "v", "tau", "f_ext", "diagonal")
    for robot, floating in (("chain:3", False), ("rope:1", False), ("chain:2", True)):
        model = tandem.load(robot, floating=floating, seed=1)
        for name, given in names.items():
            x = arguments(model, given[: 3 if "f_ext" in given else None], (2,), np.float64)
            if "q1" in given:
                x[1] = tandem.random_configuration(model, seed=7, batch=2)
            if "f_ext" in given:  # the same wrenches for both states
                rng = np.random.default_rng(5)
                x += [rng.normal(size=(model.n_links, 6)), np.abs(rng.normal(size=(2, model.nv)))]
            function = partial(getattr(tandem.jax, name), model)
            order = 2 if name != "forward_dynamics" or robot == "chain:3" else 1
            for modes in ("fwd", "rev"):
                check_grads(jax.jit(function), x, order, modes=(modes,), eps=1e-5, atol=1e-3, rtol=1e-3)
        check_grads(lambda q: tandem.jax.jacobian(model, q, 1, "world"), x[:1], 1, eps=1e-5, atol=1e-4, rtol=1e-4)


def check_transformed():
    """Every way to a derivative gives the same."""
    model = tandem.load("quadruped", floating=True)
    q, v, tau = arguments(model, ("q", "v", "tau"), (3,), np.float64)
    tau = tau[0]

    def cost(q, v):
        return (tandem.jax.forward_dynamics(model, q, v, tau) ** 2).sum() + tandem.jax.energy(model, q, v).kinetic

    one = [jax.grad(cost, (0, 1))(q[k], v[k]) for k in range(3)]
    many = jax.jit(jax.vmap(jax.grad(cost, (0, 1))))(q, v)
    for k in range(3):
        for mine, theirs in zip(many, one[k]):
            np.testing.assert_allclose(mine[k], theirs, rtol=1e-12, atol=1e-9 * np.abs(theirs).max())
    _, forward = jax.jvp(cost, (q[0], v[0]), (np.ones(model.nq), np.zeros(model.nv)))
    np.testing.assert_allclose(forward, one[0][0].sum(), rtol=1e-9)
    H = jax.jit(jax.hessian(cost))(q[0], v[0])
    scale = float(np.abs(H).max())
    for other in (jax.jacrev(jax.grad(cost)), jax.jacfwd(jax.jacfwd(cost)), jax.jit(jax.jacrev(jax.jacfwd(cost)))):
        np.testing.assert_allclose(other(q[0], v[0]), H, atol=1e-9 * scale)
    np.testing.assert_allclose(jax.vmap(jax.hessian(cost))(q, v)[0], H, atol=1e-9 * scale)
    # one state beside many, gradients of it in sum
    found = jax.grad(lambda q: tandem.jax.inverse_dynamics(model, q, v, tau).sum())(q[0])
    expected = sum(jax.grad(lambda q, k=k: tandem.jax.inverse_dynamics(model, q, v[k], tau).sum())(q[0])
                   for k in range(3))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    single = jax.grad(cost, (0, 1))(q[0].astype(np.float32), v[0].astype(np.float32))
    assert all(g.dtype == np.float32 for g in single)
    try:
        jax.jvp(jax.hessian(cost), (q[0], v[0]), (q[0], v[0]))
    except NotImplementedError as error:
        assert "third derivatives are not defined" in str(error), error
    else:
        raise AssertionError("a derivative that nobody defined")


def check_steps():
    model = tandem.load("arm7")
    q, v, tau = arguments(model, ("q", "v", "tau"), (), np.float64)
    moved = jax.jit(lambda *x: tandem.jax.step(model, *x, 1e-2, limits="off"))
    for mine, theirs in zip(moved(q, v, tau), tandem.step(model, q, v, tau, 1e-2, limits="off")):
        np.testing.assert_array_equal(np.asarray(mine), theirs)
    check_grads(moved, (q, v, tau), 1, eps=1e-5, atol=1e-5, rtol=1e-5)

    def end(forces):  # through ten steps in one compiled loop
        def one(state, force):
            return tandem.jax.step(model, *state, force, 1e-2, limits="off"), None

        return jax.lax.scan(one, (q, v), forces)[0][0].sum()

    def held(q, v, tau, f_ext):  # at stops and under wrenches: one compiled loop, without Python
        def one(state, _):
            return tandem.jax.step(model, *state, tau, 1e-3, f_ext), None

        q, v = jax.lax.scan(one, (q, v), length=3)[0]
        return (q**2).sum() + v.sum()

    wrenches = np.random.default_rng(4).normal(size=(model.n_links, 6))
    beyond = np.array([joint.upper + 0.01 for joint in model.joints])
    compiled = jax.jit(jax.grad(held, (0, 1, 2, 3))).lower(beyond, v, tau, wrenches)
    assert "callback" not in compiled.as_text()
    found = compiled.compile()(beyond, v, tau, wrenches)
    for ours, theirs in zip(found, jax.grad(held, (0, 1, 2, 3))(beyond, v, tau, wrenches)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12 * np.abs(theirs).max())
    check_grads(held, (beyond, v, tau, wrenches), 1, modes=("rev",), eps=1e-6, atol=1e-4, rtol=1e-4)

    forces = np.tile(tau, (10, 1))
    check_grads(jax.jit(end), (forces,), 1, modes=("rev",), eps=1e-4, atol=1e-5, rtol=1e-5)

    def at_once(q, v, forces):
        return tandem.jax.rollout(model, q, v, forces, 1e-2, every=5, limits=False)

    stopped = tandem.rollout(model, np.asarray(beyond), np.asarray(v), forces, 1e-2, every=5, max_speed=np.inf)
    np.testing.assert_array_equal(tandem.jax.rollout(model, beyond, v, forces, 1e-2, every=5)[0], stopped.q_path)

    check_grads(jax.jit(at_once), (q, v, forces), 1, eps=1e-5, atol=1e-4, rtol=1e-4)
    one, other = jax.grad(end)(forces), jax.jit(jax.grad(lambda x: at_once(q, v, x)[0][-1].sum()))(forces)
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    many = jax.vmap(jax.grad(lambda q: at_once(q, v, forces)[1].sum()))(np.stack([q, 0 * q]))
    np.testing.assert_allclose(many[0], jax.grad(lambda q: at_once(q, v, forces)[1].sum())(q), rtol=1e-12)


def check_motions_of_frames():
    """Poses with velocities and accelerations; the last by time of the first along a path q + v t + a t^2 / 2."""
    for robot, floating in (("arm7", False), ("chain:2", True)):
        model = tandem.load(robot, floating=floating, seed=1)
        for reference in ("local", "world", "local_world_aligned"):
            function = partial(tandem.jax.forward_kinematics, model, reference=reference)
            for shape in ((), (2,)):
                x = arguments(model, ("q", "v", "a"), shape, np.float64)
                for count in (2, 3):
                    theirs = tandem.forward_kinematics(model, *x[:count], reference=reference)
                    for mine, of in zip(jax.jit(function)(*x[:count]), theirs, strict=True):
                        np.testing.assert_array_equal(np.asarray(mine), of)
            check_grads(jax.jit(function), x, 2 if robot == "arm7" else 1, eps=1e-5, atol=1e-3, rtol=1e-3)
    arm = tandem.load("arm7")
    q, v, a = arguments(arm, ("q", "v", "a"), (), np.float64)

    def velocities(t):
        return tandem.jax.forward_kinematics(arm, q + v * t + a * t**2 / 2, v + a * t)[1]

    def positions(t):
        return tandem.jax.forward_kinematics(arm, q + v * t + a * t**2 / 2)[..., 3]

    _, V, A = tandem.forward_kinematics(arm, q, v, a, reference="local_world_aligned")
    np.testing.assert_allclose(jax.jacfwd(positions)(0.0), V[:, :3], atol=1e-12)
    np.testing.assert_allclose(jax.jacfwd(jax.jacfwd(positions))(0.0), A[:, :3], atol=1e-9)
    own = tandem.forward_kinematics(arm, q, v, a)[2]
    np.testing.assert_allclose(jax.jacfwd(velocities)(0.0), own, atol=1e-11 * np.abs(own).max())
    for wrong, text in ((lambda: tandem.jax.forward_kinematics(arm, q, a=a), "need the argument v"),):
        try:
            wrong()
        except tandem.Error as error:
            assert text in str(error), error
        else:
            raise AssertionError(text)


def check_parameters():
    model = tandem.load("arm7")
    q, v, tau = arguments(model, ("q", "v", "tau"), (2,), np.float64)
    mass, com = model.parameter("mass") + 0.1, model.parameter("com")

    def varied(q, v, tau, mass, com):
        return tandem.jax.forward_dynamics(model, q, v, tau, parameters={"mass": mass, "com": com})

    expected = tandem.forward_dynamics(model, q, v, tau, parameters={"mass": mass, "com": com})
    np.testing.assert_array_equal(jax.jit(varied)(q, v, tau, mass, com), expected)
    check_grads(jax.jit(varied), (q, v, tau, mass, com), 1, eps=1e-5, atol=1e-3, rtol=1e-3)
    weights = jax.vmap(jax.grad(lambda m: tandem.jax.gravity_forces(model, q[0], parameters={"mass": m}).sum()))
    found = weights(np.stack([mass, 2 * mass]))  # linear in masses
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


def check_calls_of_compiled_code():
    """By jax.ffi and by calling back: the same."""
    assert jax_calls.READY == {"xla_cpu", "xla_cuda"}
    model = tandem.load("quadruped", floating=True)
    for dtype in (np.float64, np.float32):
        q, v, tau = arguments(model, ("q", "v", "tau"), (3,), dtype)

        def cost(q, v, tau):
            a = tandem.jax.forward_dynamics(model, q, v, tau)
            return (a**2).sum() + tandem.jax.energy(model, q,
                                                    v).kinetic.sum() + tandem.jax.mass_matrix(model, q[0]).sum()

        found = []
        everywhere = jax_calls.READY
        for ready in (everywhere, frozenset()):
            jax_calls.READY = ready
            text = jax.jit(lambda *x: jax.value_and_grad(cost, (0, 1, 2))(*x)).lower(q, v, tau)
            assert ("@tandem" in text.as_text()) == bool(ready)
            found.append(jax.tree.leaves(text.compile()(q, v, tau)))
        jax_calls.READY = everywhere
        for ours, theirs in zip(*found):
            scale = np.abs(np.asarray(theirs)).max()
            np.testing.assert_allclose(ours, theirs, atol=64 * np.finfo(dtype).eps * scale)
    # second derivatives of dynamics, too
    q, v, tau = arguments(model, ("q", "v", "tau"), (), np.float64)
    bent = jax.jit(jax.hessian(lambda *x: (tandem.jax.forward_dynamics(model, *x) ** 2).sum(), (0, 1))).lower(q, v, tau)
    assert "@tandem" in bent.as_text() and "callback" not in bent.as_text()
    H = np.block([[np.asarray(block) for block in row] for row in bent.compile()(q, v, tau)])
    condition = np.linalg.cond(tandem.mass_matrix(model, q))
    np.testing.assert_allclose(H, H.T, atol=32 * np.finfo(np.float64).eps * condition * np.abs(H).max())
    q, v = arguments(model, ("q", "v"), (3,), np.float64)
    empty = jax.jit(lambda q: tandem.jax.gravity_forces(model, q))(q[:0])
    assert empty.shape == (0, model.nv)
    # from several threads at a time
    many = jax.jit(lambda q: tandem.jax.inverse_dynamics(model, q, v[0], v[0]))
    expected = many(q)
    with ThreadPoolExecutor(4) as pool:
        for other in pool.map(lambda _: many(q), range(32)):
            np.testing.assert_array_equal(other, expected)


def check_code_for_gpus():
    """What JAX compiles for a GPU, as far as that goes without one: calls of the library by number, or Python."""
    model = tandem.load("quadruped", floating=True)
    q, v, tau = arguments(model, ("q", "v", "tau"), (3,), np.float32)

    called_back = []

    def back(*operands, task):
        called_back.append(task.mode)
        return [jax.numpy.zeros(shape, operands[0].dtype) for shape in task.shapes(operands)]

    def compiled(function, *x):  # modes that call Python back, and whether something calls the library
        called_back.clear()
        text = jax.jit(function).trace(*x).lower(lowering_platforms=("cuda",)).as_text()
        return set(called_back), "@tandem" in text

    has_kernels, evaluated = derivatives._has_kernels, derivatives.COMPILED["xla_cuda"]
    call_back = jax_primitive._call_back
    try:
        jax_primitive._call_back = back
        for kernels in (True, False):
            derivatives._has_kernels = (
                lambda _model, name, kernels=kernels: kernels and not name.endswith(("hvp", "step_vjp", "step_jvp")))
            derivatives.COMPILED["xla_cuda"] = derivatives.COMPILED["xla_cpu"]  # whose plans this machine has

            def effort(*x):
                return (tandem.jax.forward_dynamics(model, *x) ** 2).sum()

            for function in (effort, jax.grad(effort, (0, 1, 2)), lambda *x, f=effort: jax.jvp(f, x, x)[1]):
                modes, calls = compiled(function, q, v, tau)
                assert calls == kernels and (modes == set()) == kernels, modes
            if kernels:  # but for what has none
                assert compiled(jax.hessian(effort), q, v, tau) == ({"fold"}, True)
                assert compiled(jax.grad(lambda *x: tandem.jax.step(model, *x, 1e-3)[1].sum()), q, v,
                                tau)[0] == {"pull"}
    finally:
        derivatives._has_kernels, derivatives.COMPILED["xla_cuda"] = has_kernels, evaluated
        jax_primitive._call_back = call_back


def check_every_function_of_the_table():
    for robot, floating in (("arm7", False), ("quadruped", True)):
        model = tandem.load(robot, floating=floating)
        for name in sorted(set(NAMES) - set(differentiable.FUNCTIONS)):
            names, further = support.CALLS[name]
            options = {key: value for key, value in further.items() if key in ("frame", "reference")}
            given = [support.argument(model, of, 3) for of in names]
            expected = getattr(tandem, name)(model, *given, **options)

            def of_state(*x, name=name, model=model, options=options):
                return getattr(tandem.jax, name)(model, *x, **options)

            for results in (of_state(*given), jax.jit(of_state)(*given), jax.jit(jax.vmap(of_state))(*given)):
                results = results if isinstance(results, (list, tuple)) else [results]
                for ours, theirs in zip(results, expected if isinstance(expected, tuple) else [expected], strict=False):
                    np.testing.assert_array_equal(np.asarray(ours), theirs, err_msg=name)
    arm = tandem.load("arm7")
    q, v = (support.argument(arm, name) for name in ("q", "v"))
    J = tandem.centre_of_mass(arm, q, jacobian=True)[1]
    for derivative in (jax.jacrev, jax.jacfwd):
        np.testing.assert_allclose(derivative(lambda q: tandem.jax.centre_of_mass(arm, q))(q), J, atol=1e-10)
    by_v = jax.jacrev(lambda v: tandem.jax.centroidal_momentum(arm, q, v=v))(v)
    np.testing.assert_allclose(by_v, tandem.centroidal_momentum(arm, q, v, matrix=True)[1], atol=1e-10)
    frame = tandem.jax.jacobian_time_derivative_product(arm, q, v, frame="tool0")
    np.testing.assert_array_equal(frame, tandem.jacobian_time_derivative_product(arm, q, v, "tool0"))
    for wrong, error in (({}, "4 arrays, expected at most 2"), ({"q": q}, "q is given twice")):
        try:
            tandem.jax.coriolis_matrix(arm, *[q] * (2 if wrong else 4), **wrong)
        except TypeError as told:
            assert error in str(told), told
        else:
            raise AssertionError(error)
    assert not hasattr(tandem.jax, "no_such_function") and "coriolis_matrix" in dir(tandem.jax)


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    check_all()
    check_every_function_of_the_table()
    check_further()
    check_derivatives()
    jax_second_derivatives.check_iterated_steps()
    jax_second_derivatives.check_differences()
    check_motions_of_frames()
    check_calls_of_compiled_code()
    check_transformed()
    check_steps()
    check_parameters()
    check_code_for_gpus()
    assert doctest.testmod(tandem.jax, extraglobs={"tandem": tandem}).failed == 0
