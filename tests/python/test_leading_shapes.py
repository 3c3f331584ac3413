# SPDX-License-Identifier: Apache-2.0
"""Batches of any leading shape, which broadcast as NumPy's do."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from dlpack_support import LibraryTensor, Tensor
from support import CALLS, argument, call, robot

import tandem

FUNCTIONS = sorted(CALLS)
SHAPES = [(), (1,), (5,), (3, 4), (2, 3, 4), (2, 1, 3), (0,), (3, 0), (1, 1)]


def arguments(model, function, shape, dtype=np.float64):
    """Random arguments with these axes in front."""
    count = int(np.prod(shape))
    flat = {name: argument(model, name, max(count, 1), dtype)[:count] for name in CALLS[function][0]}
    return {name: x.reshape((*shape, *x.shape[1:])) for name, x in flat.items()}


def flat(x, shape):
    return x.reshape(-1, *x.shape[len(shape) :])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_shape_gives_the_bits_of_the_flat_batch(function, shape):
    model = robot("quadruped", True)
    given = arguments(model, function, shape)
    expected = call(function, model, {name: flat(x, shape) for name, x in given.items()})
    for x, y in zip(call(function, model, given), expected, strict=True):
        assert np.shape(x) == (*shape, *y.shape[1:])
        np.testing.assert_array_equal(x, y.reshape(np.shape(x)))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_arguments_broadcast(function):
    model = robot("quadruped", True)
    given = arguments(model, function, (2, 3, 4))
    fronts = [np.s_[:1, :, :1], np.s_[0, :1], np.s_[0, 0], np.s_[:, :1, :1], np.s_[0, 0, 0]]
    for turn in range(len(fronts)):
        parts = {name: x[fronts[(k + turn) % len(fronts)]] for k, (name, x) in enumerate(given.items())}
        ranks = {name: x.ndim - 3 for name, x in given.items()}
        common = np.broadcast_shapes(*(x.shape[: x.ndim - ranks[name]] for name, x in parts.items()))
        whole = {
            name: np.broadcast_to(x, (*common, *x.shape[x.ndim - ranks[name] :])).copy() for name, x in parts.items()
        }
        for x, y in zip(call(function, model, parts), call(function, model, whole), strict=True):
            assert np.shape(x)[: len(common)] == common
            np.testing.assert_array_equal(x, y)


def test_the_grid_of_configurations_and_velocities():
    model = robot("arm7")
    q, v = argument(model, "q", 3)[:, None], argument(model, "v", 4)
    tau = tandem.bias_forces(model, q, v)
    assert tau.shape == (3, 4, 7)
    for j in range(3):
        for k in range(4):
            np.testing.assert_array_equal(tau[j, k], tandem.bias_forces(model, q[j, 0], v[k]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "layout",
    [
        lambda x: np.asfortranarray(x),
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
        lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, -1, 0)), 0, -1),
        lambda x: x.tolist(),
        lambda x: Tensor(np.ascontiguousarray(x)),
        lambda x: Tensor(np.asfortranarray(x)),
    ],
    ids=["fortran", "gaps", "backwards", "rows first", "list", "tensor", "fortran tensor"],
)
def test_layouts(layout, dtype):
    model = robot("arm7")
    given = arguments(model, "inverse_dynamics", (3, 4), dtype)
    (expected,) = call("inverse_dynamics", model, given)
    changed = {name: layout(x) if name != "f_ext" else x for name, x in given.items()}  # keeps the precision of lists
    (result,) = call("inverse_dynamics", model, changed)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, expected)


def test_results_are_of_the_kind_of_the_inputs():
    model = robot("arm7")
    given = arguments(model, "mass_matrix", (2, 3))
    (M,) = call("mass_matrix", model, {"q": LibraryTensor(given["q"])})
    assert isinstance(M, LibraryTensor) and M.array.shape == (2, 3, 7, 7)


def test_what_lies_evenly_is_not_copied():
    model = robot("arm7")
    q = np.random.default_rng(1).normal(size=(40, 50, 7))
    tau = np.empty((40, 50, 7))
    tandem.gravity_forces(model, q, out=tau)
    tracemalloc.start()
    tandem.gravity_forces(model, q, out=tau)
    tandem.gravity_forces(model, q[::-1, ::-1], out=tau[::-1, ::-1])
    tandem.gravity_forces(model, q[:, 3], out=tau[:, 3])
    tandem.gravity_forces(model, np.broadcast_to(q[0, 0], q.shape), out=tau)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4096, f"{peak} bytes were allocated"


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_out_and_status(shape):
    model = robot("arm7")
    given = arguments(model, "forward_dynamics", shape)
    (expected,) = call("forward_dynamics", model, given)
    out, status = np.full((*shape, 7), np.nan), np.full(shape, 7, np.uint8)
    (result,) = call("forward_dynamics", model, given, out=out, status=status)
    assert result is out
    np.testing.assert_array_equal(out, expected)
    flat_status = np.full(status.size, 9, np.uint8)
    call("forward_dynamics", model, {n: flat(x, shape) for n, x in given.items()}, status=flat_status)
    np.testing.assert_array_equal(status.ravel(), flat_status)


def test_an_output_may_be_an_input():
    model = robot("quadruped", True)
    given = arguments(model, "integrate", (2, 3))
    (expected,) = call("integrate", model, given)
    q = given["q"]
    assert tandem.integrate(model, q, given["u"], out=q) is q
    np.testing.assert_array_equal(q, expected)


def test_parameters_broadcast():
    model = robot("arm7")
    masses = model.parameter("mass") * np.linspace(0.5, 2, 3)[:, None, None]
    q = argument(model, "q", 4)
    tau = tandem.gravity_forces(model, q, parameters={"mass": masses})
    assert tau.shape == (3, 4, 7)
    for j in range(3):
        np.testing.assert_array_equal(
            tau[j], tandem.gravity_forces(model, q, parameters={"mass": masses[j, 0]})
        )


def test_plans_and_single_numbers():
    model = robot("arm7")
    given = arguments(model, "energy", (2, 3))
    kinetic, potential = tandem.energy(model, **given)
    assert kinetic.shape == potential.shape == (2, 3)
    np.testing.assert_array_equal(tandem.Plan(model, "energy")(*given.values())[0], kinetic)
    assert isinstance(tandem.energy(model, given["q"][0, 0], given["v"][0, 0]).kinetic, float)


Q = np.zeros((3, 4, 7))
WRONG = {
    "batches": (dict(q=Q, v=np.zeros((3, 5, 7))), "v has a batch of (3, 5) states, but q has (3, 4) states"),
    "several": (
        dict(q=np.zeros((3, 1, 7)), v=np.zeros((4, 7)), a=np.zeros((5, 7))),
        "a has a batch of 5 states, but earlier arguments have (3, 4) states",
    ),
    "rows": (dict(q=np.zeros((3, 4, 6))), "q has shape (3, 4, 6), expected (7,) or (..., 7)"),
    "number": (dict(q=np.zeros(())), "q has shape (), expected (7,) or (..., 7)"),
    "out": (dict(q=Q, out=np.zeros((12, 7))), "out (tau) has shape (12, 7), expected (3, 4, 7)"),
    "out stretched": (
        dict(q=Q, out=np.broadcast_to(np.zeros(7), (3, 4, 7))),
        "out (tau) cannot be written to",
    ),
    "out uneven": (
        dict(q=Q, out=np.zeros((3, 5, 7))[:, :4]),
        "out (tau) has unsupported strides: the numbers of a state must be evenly spaced, in C order, and the states",
    ),
    "status": (dict(q=Q, status=np.zeros(12, np.uint8)), "status has shape (12,), expected (3, 4)"),
    "status gaps": (dict(q=Q, status=np.zeros((3, 8), np.uint8)[:, ::2]), "status is not contiguous"),
}


@pytest.mark.parametrize("case", WRONG)
def test_error_text(case):
    options, text = WRONG[case]
    with pytest.raises(tandem.Error) as error:
        tandem.inverse_dynamics(robot("arm7"), **{"v": np.zeros(7), "a": np.zeros(7)} | options)
    assert text in str(error.value)


def test_a_warning_names_the_state_by_its_axes():
    model = tandem.ModelBuilder("rotor").link("base").link("tip", 1).joint("spin", "revolute", "base", "tip").build()
    parameters = {"mass": np.zeros((2, 2, 2)), "armature": np.array([[[1.0], [1.0]], [[1.0], [0.0]]])}
    with pytest.warns(tandem.SingularWarning, match=r"in state \(1, 1\) of the batch"):
        tandem.forward_dynamics(model, np.zeros(1), np.zeros(1), np.zeros(1), parameters=parameters)
