# SPDX-License-Identifier: Apache-2.0
"""What is checked of tandem.torch, in a process of its own."""

from __future__ import annotations

import doctest
from functools import partial

import torch

import tandem
import tandem._autodiff.differentiable
import tandem.torch

double = torch.float64


def inputs(model, names, *shape):
    generator = torch.Generator().manual_seed(len(names))
    count = int(torch.tensor(shape).prod()) if shape else 1
    q = torch.from_numpy(tandem.random_configuration(model, seed=1, batch=count)).reshape(*shape, model.nq)
    other = torch.from_numpy(tandem.random_configuration(model, seed=2, batch=count)).reshape(*shape, model.nq)
    sizes = {"f_ext": (model.n_links, 6)}
    rest = [torch.randn(*shape, *sizes.get(n, (model.nv,)), generator=generator, dtype=double) for n in names[1:]]
    rest = [x.abs() if n in ("diagonal", "kp", "kd") else x for n, x in zip(names[1:], rest)]
    rest = [other if n in ("q1", "q_target") else x for n, x in zip(names[1:], rest)]
    return [x.requires_grad_() for x in (q, *rest)]


FUNCTIONS = {
    "inverse_dynamics": ("q", "v", "a", "f_ext"),
    "bias_forces": ("q", "v", "f_ext"),
    "gravity_forces": ("q",),
    "forward_dynamics": ("q", "v", "tau", "f_ext", "diagonal"),
    "mass_matrix": ("q",),
    "inverse_mass_matrix_product": ("q", "x"),
    "forward_kinematics": ("q",),
    "energy": ("q", "v"),
    "integrate": ("q", "u"),
    "difference": ("q0", "q1"),
}


def check_gradients():
    for robot in ("chain:3", "rope:2"):  # angles, quaternions
        model = tandem.load(robot, seed=1)
        for name, names in FUNCTIONS.items():
            function = getattr(tandem.torch, name)
            for shape in ((), (2,), (2, 1)):
                given = inputs(model, names, *shape)
                theirs = getattr(tandem, name)(model, *(x.detach() for x in given))
                ours = function(model, *given)
                for x, y in zip(*((r if isinstance(r, tuple) else (r,)) for r in (ours, theirs))):
                    assert torch.equal(x.detach(), y), name
                assert torch.autograd.gradcheck(
                    lambda *x: function(model, *x), given, atol=1e-4, rtol=1e-4, check_forward_ad=True
                ), name
        for frame, reference in ((2, "world"), (1, "local")):
            assert torch.autograd.gradcheck(
                lambda q: tandem.torch.jacobian(model, q, frame, reference), inputs(model, ("q",)), atol=1e-5
            )


def check_second_derivatives():
    for robot, floating in (("chain:3", False), ("rope:1", False), ("chain:2", True)):
        model = tandem.load(robot, floating=floating, seed=1)
        for name, names in FUNCTIONS.items():
            if floating and name not in ("inverse_dynamics", "energy", "integrate", "difference"):
                continue
            function, given = getattr(tandem.torch, name), inputs(model, names)
            assert torch.autograd.gradgradcheck(lambda *x: function(model, *x), given, atol=1e-4, rtol=1e-4), name
    # M is half of what kinetic energy is bent by along velocities
    arm = tandem.load("arm7")
    q, v = inputs(arm, ("q", "v"))
    H = torch.autograd.functional.hessian(lambda x: tandem.torch.energy(arm, q, x).kinetic, v)
    assert torch.allclose(H, torch.from_numpy(tandem.mass_matrix(arm, q.detach().numpy())), atol=1e-9)


def check_motions_of_frames():
    """Velocities and accelerations of frames, beside their poses."""
    for model in (tandem.load("chain:3", seed=1), tandem.load("rope:1", floating=True, seed=1)):
        for reference in ("local", "world", "local_world_aligned"):
            for names in (("q", "v"), ("q", "v", "a")):
                given = inputs(model, names, 2)
                function = partial(tandem.torch.forward_kinematics, model, reference=reference)
                theirs = tandem.forward_kinematics(model, *(x.detach() for x in given), reference=reference)
                found = function(*given)
                assert len(found) == len(names)
                assert all(torch.equal(x.detach(), y) for x, y in zip(found, theirs))
                assert torch.autograd.gradcheck(function, given, atol=1e-5, rtol=1e-5, check_forward_ad=True)
                assert torch.autograd.gradgradcheck(function, given, atol=1e-4, rtol=1e-4)
    for options, text in (({"a": given[2]}, "need the argument v"), ({"reference": "base"}, 'reference is "base"')):
        try:
            tandem.torch.forward_kinematics(model, given[0], **options)
        except tandem.Error as error:
            assert text in str(error), error
        else:
            raise AssertionError(text)


def check_vectorized():
    """All rows of a Jacobian at once: gravity is the slope of the potential energy, M the curvature of the kinetic."""
    arm = tandem.load("arm7")
    q, v = inputs(arm, ("q", "v"), 3)
    for strategy in ("reverse-mode", "forward-mode"):
        rows = torch.autograd.functional.jacobian(
            lambda x: tandem.torch.energy(arm, x, v).potential, q, vectorize=True, strategy=strategy
        )
        blocks = torch.stack([rows[k, k] for k in range(3)])
        assert torch.allclose(blocks, tandem.gravity_forces(arm, q.detach()), atol=1e-9), strategy
    M = torch.autograd.functional.hessian(lambda x: tandem.torch.energy(arm, q[0], x).kinetic, v[0], vectorize=True)
    assert torch.allclose(M, tandem.mass_matrix(arm, q[0].detach()), atol=1e-9)


def check_steps():
    model = tandem.load("chain:2", floating=True, seed=1)
    names = ("q", "v", "tau", "f_ext", "q_target", "kp", "kd")
    q, v, tau, f_ext, *drive = inputs(model, names)
    for options in ({}, {"integrator": "rk4", "steps": 2}, {"integrator": "implicit_midpoint"}):
        options = {"limits": "off", **options}

        def stepped(*x, options=options):
            return tandem.torch.step(model, *x[:3], 1e-2, *x[3:], **options)

        mine = stepped(q, v, tau, f_ext)
        theirs = tandem.step(model, *(x.detach() for x in (q, v, tau)), 1e-2, f_ext.detach(), **options)
        assert all(torch.equal(x.detach(), y) for x, y in zip(mine, theirs))
        assert torch.autograd.gradcheck(stepped, (q, v, tau, f_ext), atol=1e-4, rtol=1e-4, check_forward_ad=True)
    assert torch.autograd.gradcheck(stepped, (q, v, tau, f_ext, *drive), atol=1e-4, rtol=1e-4)
    adjoint = partial(tandem.torch.step, model, dt=1e-2, steps=2, limits="off")
    assert torch.autograd.gradcheck(adjoint, (q, v, tau), atol=1e-5, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(adjoint, (q, v, tau), atol=1e-5)


def check_rollouts():
    for model in (tandem.load("arm7"), tandem.load("chain:2", floating=True, seed=1)):
        q, v = inputs(model, ("q", "v"), 2)
        controls = torch.randn(2, 5, model.nv, dtype=double, requires_grad=True)
        rolled = partial(tandem.torch.rollout, model, dt=5e-3, every=2, limits=False)
        ours = rolled(q, v, controls[:, :4])
        theirs = tandem.rollout(
            model, *(x.detach().numpy() for x in (q, v, controls[:, :4])), 5e-3, every=2, limits=False,
            max_speed=float("inf")
        )
        for x, y in zip(ours, (theirs.q_path, theirs.v_path)):
            assert torch.equal(x.detach(), torch.from_numpy(y))
        assert torch.autograd.gradcheck(lambda *x: rolled(*x[:2], x[2][:, :4]), (q, v, controls), atol=1e-5)
        shared = controls[0].detach().requires_grad_()  # the same forces for both
        assert torch.autograd.gradcheck(lambda x: rolled(q, v, x)[1], (shared,), atol=1e-5)
        # as one step after the other
        end, speed = q, v
        for k in range(4):
            end, speed = tandem.torch.step(model, end, speed, controls[:, k], 5e-3, limits="off")
        one = torch.autograd.grad(end.square().sum() + speed.sum(), controls)[0]
        path = rolled(q, v, controls[:, :4])
        other = torch.autograd.grad(path[0][:, -1].square().sum() + path[1][:, -1].sum(), controls)[0]
        assert torch.allclose(one, other, rtol=1e-9, atol=1e-12)


def check_parameters():
    """One robot for all states, and one for each."""
    model = tandem.load("arm7")
    names = ("mass", "com", "inertia", "armature", "gravity")
    for front in ((), (2,)):
        own = [torch.from_numpy(model.parameter(name) + 0.1).expand(*front, *model.parameter(name).shape)
               for name in names]
        given = [x.clone().requires_grad_() for x in own]
        for name, of in (("inverse_dynamics", ("q", "v", "a")), ("forward_dynamics", ("q", "v", "tau")),
                         ("energy", ("q", "v"))):
            function, state = partial(getattr(tandem.torch, name), model), inputs(model, of, 2)

            def varied(*x, function=function, n=len(state)):
                return function(*x[:n], parameters=dict(zip(names, x[n:])))

            assert torch.autograd.gradcheck(varied, (*state, *given), atol=1e-4, rtol=1e-4, check_forward_ad=True), name
    q, v = inputs(model, ("q", "v"), 2)
    controls = torch.zeros(2, 4, 7, dtype=double)
    mass = torch.from_numpy(model.parameter("mass") + 0.1).requires_grad_()
    rolled = partial(tandem.torch.rollout, model, q.detach(), v.detach(), controls, 5e-3, limits=False)
    assert torch.autograd.gradcheck(lambda m: rolled(parameters={"mass": m})[1], (mass,), atol=1e-5)
    try:
        tandem.torch.gravity_forces(model, q, parameters={"mas": mass})
    except tandem.Error as error:
        assert 'no parameter is called "mas"' in str(error), error
    else:
        raise AssertionError("a parameter that there is not")


def check_against_what_is_known():
    """The derivative of inverse dynamics by the acceleration is M, of forward dynamics by tau its inverse."""
    model = tandem.load("arm7")
    q, v, a = inputs(model, ("q", "v", "a"))
    M = torch.from_numpy(tandem.mass_matrix(model, q.detach().numpy()))
    by_a = torch.autograd.functional.jacobian(lambda x: tandem.torch.inverse_dynamics(model, q, v, x), a)
    by_tau = torch.autograd.functional.jacobian(lambda x: tandem.torch.forward_dynamics(model, q, v, x), a)
    assert torch.allclose(by_a, M, atol=1e-8) and torch.allclose(by_tau @ M, torch.eye(7, dtype=double), atol=1e-7)
    # weight is the slope of the potential energy
    step = 1e-6 * torch.eye(7, dtype=double)
    up, down = (tandem.energy(model, (q + s * step).detach(), torch.zeros(7, dtype=double))[1] for s in (1, -1))
    assert torch.allclose(tandem.torch.gravity_forces(model, q), (up - down) / 2e-6, atol=1e-6)


def check_shapes_and_precisions():
    model = tandem.load("arm7")
    q, v, a = inputs(model, ("q", "v", "a"), 3, 1)
    v, a = v[:, 0].detach().requires_grad_(), a[0, 0].detach().requires_grad_()  # (3, 1, 7), (3, 7), (7,)
    tau = tandem.torch.inverse_dynamics(model, q, v, a)
    assert tau.shape == (3, 3, 7)
    tau.square().sum().backward()
    assert q.grad.shape == (3, 1, 7) and v.grad.shape == (3, 7) and a.grad.shape == (7,)
    assert torch.autograd.gradcheck(lambda *x: tandem.torch.inverse_dynamics(model, *x), (q, v, a), atol=1e-4)
    single = q.detach().float().requires_grad_()
    weight = tandem.torch.gravity_forces(model, single)
    weight.sum().backward()
    assert weight.dtype == single.grad.dtype == torch.float32
    exact = q.detach().clone().requires_grad_()
    tandem.torch.gravity_forces(model, exact).sum().backward()
    assert torch.allclose(single.grad.double(), exact.grad, rtol=1e-4, atol=1e-4)
    assert tandem.torch.gravity_forces(model, q.detach()).requires_grad is False
    try:  # the third derivative
        (g,) = torch.autograd.grad(tandem.torch.gravity_forces(model, exact).sum(), exact, create_graph=True)
        (h,) = torch.autograd.grad(g.square().sum(), exact, create_graph=True)
        h.sum().backward()
    except NotImplementedError as error:
        assert "third derivatives are not defined" in str(error), error
    else:
        raise AssertionError("a third derivative that nobody defined")


def check_loops():
    """Of a robot with closed loops the derivatives of every function are those of what it computes, or refused."""
    model = tandem.load("four_bar")
    calls = {name: partial(getattr(tandem.torch, name), model) for name in FUNCTIONS}
    calls["jacobian"] = lambda q: tandem.torch.jacobian(model, q, 1)
    calls["step"] = lambda q, v, tau: tandem.torch.step(model, q, v, tau, 1e-3)
    calls["rollout"] = lambda q, v, tau: tandem.torch.rollout(model, q, v, tau[..., None, :], 1e-3)
    functions = set(tandem._autodiff.differentiable.FUNCTIONS)
    assert set(calls) == functions, "a new function: say here what it does with loops"
    refused = {torch.autograd.gradcheck: set(), torch.autograd.gradgradcheck: set()}
    for name, function in calls.items():
        names = FUNCTIONS.get(name, ("q",) if name == "jacobian" else ("q", "v", "tau"))
        for check, names_refused in refused.items():
            try:
                assert check(function, inputs(model, names), atol=1e-4, rtol=1e-4), name
            except tandem.Error as error:
                assert "has closed loops" in str(error), error
                names_refused.add(name)
    assert refused[torch.autograd.gradcheck] == {"step", "rollout"}, refused
    assert refused[torch.autograd.gradgradcheck] == {"forward_dynamics", "step", "rollout"}, refused


if __name__ == "__main__":
    torch.set_num_threads(1)
    check_gradients()
    check_second_derivatives()
    check_motions_of_frames()
    check_vectorized()
    check_steps()
    check_rollouts()
    check_parameters()
    check_against_what_is_known()
    check_shapes_and_precisions()
    check_loops()
    assert doctest.testmod(tandem.torch, extraglobs={"tandem": tandem}).failed == 0
