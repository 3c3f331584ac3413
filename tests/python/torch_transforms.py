# SPDX-License-Identifier: Apache-2.0
"""torch.func and torch.compile over tandem.torch, from PyTorch 2.0 on; run by test_torch.py in its own process."""

from __future__ import annotations

import sys
import warnings
from functools import partial

import midpoint_pendulum
import torch

import tandem
import tandem.torch

double = torch.float64
ARM = tandem.load("arm7")
MASS, LENGTH, WEIGHT = midpoint_pendulum.MASS, midpoint_pendulum.LENGTH, midpoint_pendulum.GRAVITY


def states(model: tandem.Model, count: int, seed: int = 1) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    q = torch.from_numpy(tandem.random_configuration(model, seed=seed, batch=count))
    return [q, *(torch.randn(count, model.nv, generator=generator, dtype=double) for _ in range(2))]


def close(x: torch.Tensor, y: torch.Tensor, tolerance: float = 1e-11) -> None:
    assert x.shape == y.shape and (x - y).abs().max() <= tolerance * max(1.0, float(y.abs().max())), (x, y)


def check_pendulum() -> None:
    """The closed forms of a pendulum, under one transform around the other."""
    model, func = midpoint_pendulum.model(), torch.func
    q = torch.linspace(-3, 3, 11, dtype=double)[:, None]
    scale = MASS * WEIGHT * LENGTH

    def weight(x):
        return tandem.torch.gravity_forces(model, x)[0]

    close(func.vmap(weight)(q), scale * q[:, 0].sin())
    close(func.vmap(func.grad(weight))(q), scale * q.cos())
    for outer in (func.jacrev, func.jacfwd):
        close(func.vmap(outer(weight))(q), scale * q.cos())
        for inner in (func.jacrev, func.jacfwd):
            close(func.vmap(outer(inner(weight)))(q)[:, 0], -scale * q.sin())
    close(func.vmap(func.hessian(weight))(q)[:, 0], -scale * q.sin())
    v, a = 0.3 + 0 * q, 0.2 + 0 * q

    def acceleration(x, rate, tau):
        return tandem.torch.forward_dynamics(model, x, rate, tau)[0]

    inertia = MASS * LENGTH**2
    by_q, by_v, by_tau = func.vmap(func.jacrev(acceleration, argnums=(0, 1, 2)))(q, v, a)
    close(by_q, -scale / inertia * q.cos())
    close(by_v, 0 * v)
    close(by_tau, 1 / inertia + 0 * q)
    _, change = func.jvp(lambda x: tandem.torch.gravity_forces(model, x), (q,), (torch.ones_like(q),))
    close(change, scale * q.cos())


def check_batches() -> None:
    """vmap along any axis, of some inputs alone, and within one another."""
    q, v, a = states(ARM, 6)
    tau = tandem.inverse_dynamics(ARM, q, v, a)
    dynamics = partial(tandem.torch.inverse_dynamics, ARM)
    close(torch.func.vmap(dynamics)(q, v, a), tau)
    close(torch.func.vmap(dynamics, in_dims=(1, 0, 0), out_dims=1)(q.T, v, a), tau.T)
    one = tandem.inverse_dynamics(ARM, q, v[0], a[0])
    close(torch.func.vmap(dynamics, in_dims=(0, None, None))(q, v[0], a[0]), one)
    grid = torch.func.vmap(torch.func.vmap(dynamics, in_dims=(None, 0, 0)), in_dims=(0, None, None))(q, v, a)
    close(grid, tandem.inverse_dynamics(ARM, q[:, None], v, a))
    energy = torch.func.vmap(partial(tandem.torch.energy, ARM))(q, v)
    close(torch.stack(tuple(energy)), torch.stack(tuple(tandem.energy(ARM, q, v))))


def check_every_function() -> None:
    """Jacobians of all functions at once by torch.func are those that autograd makes row by row."""
    for model in (tandem.load("chain:3", seed=1), tandem.load("rope:1", seed=1)):
        q, v, a = (x[0] for x in states(model, 1))
        of = {
            "inverse_dynamics": (q, v, a),
            "bias_forces": (q, v),
            "gravity_forces": (q,),
            "forward_dynamics": (q, v, a),
            "mass_matrix": (q,),
            "inverse_mass_matrix_product": (q, v),
            "forward_kinematics": (q,),
            "energy": (q, v),
            "integrate": (q, v),
            "difference": (q, states(model, 1, seed=2)[0][0]),
        }
        calls = {name: (partial(getattr(tandem.torch, name), model), given) for name, given in of.items()}
        calls["jacobian"] = (lambda x, model=model: tandem.torch.jacobian(model, x, model.n_frames - 1), (q,))
        calls["step"] = (lambda *x, model=model: tandem.torch.step(model, *x, 1e-3), (q, v, a))
        calls["rollout"] = (
            lambda x, rate, tau, model=model: tandem.torch.rollout(model, x, rate, tau[None].expand(3, -1), 1e-3),
            (q, v, a),
        )
        for name, (function, given) in calls.items():

            def whole(*x, function=function):
                found = function(*x)
                return torch.cat([y.reshape(-1) for y in (found if isinstance(found, tuple) else (found,))])

            rows = torch.autograd.functional.jacobian(whole, given)
            for vectorized in ({"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}):
                for mine, theirs in zip(torch.autograd.functional.jacobian(whole, given, **vectorized), rows):
                    close(mine, theirs, 1e-8)
            numbers = tuple(range(len(given)))
            for transform in (torch.func.jacrev, torch.func.jacfwd):
                for mine, theirs in zip(transform(whole, argnums=numbers)(*given), rows):
                    close(mine, theirs, 1e-8), name


def check_iterated_steps() -> None:
    """Second derivatives of implicit_midpoint, which ends an iteration at a tolerance."""
    model = midpoint_pendulum.model()
    expected = torch.from_numpy(midpoint_pendulum.second_derivatives(0.8, 1.3, 0.05))

    def moved(state):
        options = {"integrator": "implicit_midpoint"}
        return torch.cat(tandem.torch.step(model, state[:1], state[1:], torch.zeros(1, dtype=double), 0.05, **options))

    state = torch.tensor([0.8, 1.3], dtype=double)
    for outer in (torch.func.jacfwd, torch.func.jacrev):
        for inner in (torch.func.jacfwd, torch.func.jacrev):
            close(outer(inner(moved))(state), expected, 1e-8)


def check_inertia() -> None:
    """Kinetic energy is bent along velocities by M, for many states at once."""
    q, v, _ = states(ARM, 4)
    H = torch.func.vmap(torch.func.hessian(lambda x, rate: tandem.torch.energy(ARM, x, rate).kinetic, argnums=1))(q, v)
    close(H, torch.from_numpy(tandem.mass_matrix(ARM, q.numpy())))


def check_parameters() -> None:
    """Weight is linear in the masses: its derivative times them is itself, for a robot of each state."""
    q, _, _ = states(ARM, 3)
    mass = torch.from_numpy(ARM.parameter("mass").copy())
    com = torch.from_numpy(ARM.parameter("com").copy())

    def weight(x, m):
        return tandem.torch.gravity_forces(ARM, x, parameters={"mass": m, "com": com})

    by_mass = torch.func.vmap(torch.func.jacrev(weight, argnums=1), in_dims=(0, None))(q, mass)
    close(by_mass @ mass, tandem.gravity_forces(ARM, q), 1e-11)


def check_compiled() -> None:
    """Code that PyTorch compiles breaks at calls of Tandem, and goes on behind them."""
    q, v, a = states(ARM, 5)
    inputs = [x.clone().requires_grad_() for x in (q, v, a)]

    def cost(x, rate, tau):
        after = tandem.torch.step(ARM, 1.5 * x, rate, torch.sin(tau), 1e-3)
        return (after[0].square().sum() + after[1].cos()).sum()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's own, while it compiles
        mine, theirs = torch.compile(cost, backend="aot_eager")(*inputs), cost(*inputs)
        close(mine, theirs)
        for x, y in zip(torch.autograd.grad(mine, inputs), torch.autograd.grad(theirs, inputs)):
            close(x, y)
        with torch.no_grad():
            M = torch.compile(partial(tandem.torch.mass_matrix, ARM), backend="eager")(q)
        close(M, tandem.mass_matrix(ARM, q))


if __name__ == "__main__":
    torch.set_num_threads(1)
    if not hasattr(torch, "func"):
        print("PyTorch", torch.__version__, "has no torch.func")
        sys.exit(0)
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            check()
            print(name.replace("_", " "))
