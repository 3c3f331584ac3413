# SPDX-License-Identifier: Apache-2.0
"""What is checked of tandem.jax, in a process of its own: JAX sets up threads and precision for a whole process."""

from __future__ import annotations

import doctest

import jax
import numpy as np

import tandem
import tandem.jax

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
        np.asarray(a), tandem.forward_dynamics(model, np.asarray(q), zero, zero, None, np.broadcast_to(D, (5, 7)).copy())
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

    try:
        jax.grad(lambda x: tandem.jax.gravity_forces(model, x).sum())(q[0])
    except ValueError as error:
        assert "pure" in str(error).lower() or "jvp" in str(error).lower(), error
    else:
        raise AssertionError("a derivative that nobody defined")
    for wrong in (q[:, :6], q[0, 0]):
        try:
            jax.block_until_ready(tandem.jax.gravity_forces(model, wrong))
        except Exception as error:
            assert "gravity_forces: q has shape" in str(error), error
        else:
            raise AssertionError("a wrong shape")


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    check_all()
    check_further()
    assert doctest.testmod(tandem.jax, extraglobs={"tandem": tandem}).failed == 0
