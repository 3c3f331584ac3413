# SPDX-License-Identifier: Apache-2.0
"""Batches: layouts, sizes, threads, status, parameters that differ from state to state, devices."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from dlpack_support import LibraryTensor, Tensor
from support import CALLS, ROBOTS, argument, call, robot

import tandem

FUNCTIONS = sorted(CALLS)
BATCH = 11


def arguments(model, function, batch=BATCH, dtype=np.float64):
    return {name: argument(model, name, batch, dtype) for name in CALLS[function][0]}


def rows_first(x):
    """The same numbers in memory [row][batch]."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 0, -1)), -1, 0)


def with_gaps(x):
    """Numbers and states that lie apart, all numbers of a state equally far."""
    rows = x[0].size
    memory = np.full((2 * x.shape[0], 3 * rows), np.nan, x.dtype)
    view = memory[1::2, 2::3].reshape(x.shape)
    assert np.shares_memory(view, memory)
    view[:] = x
    return view


def uneven(x):
    """Rows of a state that no one stride reaches, where a state has several axes."""
    memory = np.full((*x.shape[:-1], x.shape[-1] + 1), np.nan, x.dtype)
    memory[..., :-1] = x
    return memory[..., :-1]


def backwards(x):
    axes = tuple(range(x.ndim))
    return np.ascontiguousarray(np.flip(x, axes))[tuple(slice(None, None, -1) for _ in axes)]


def misaligned(x):
    return np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape)


LAYOUTS = {
    "rows first": rows_first,
    "fortran": np.asfortranarray,
    "gaps": with_gaps,
    "uneven": uneven,
    "backwards": backwards,
    "misaligned": misaligned,
    "tensor": Tensor,
    "tensor, rows first": lambda x: Tensor(rows_first(x)),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_layout_gives_the_bits_of_single_states(function, layout, dtype):
    model = robot("quadruped", True)
    given = arguments(model, function, dtype=dtype)
    results = call(function, model, {name: LAYOUTS[layout](x) for name, x in given.items()})
    for b in range(BATCH):
        one = call(function, model, {name: x[b] for name, x in given.items()})
        for x, y in zip(results, one):
            assert x.dtype == dtype
            np.testing.assert_array_equal(x[b], y)


@pytest.mark.parametrize("layout", ["rows first", "gaps", "backwards", "tensor", "tensor, rows first"])
@pytest.mark.parametrize("function", ["inverse_dynamics", "mass_matrix", "energy", "forward_kinematics"])
def test_results_are_written_in_every_layout(function, layout):
    model = robot("arm7")
    given = arguments(model, function)
    expected = call(function, model, given)
    out = tuple(LAYOUTS[layout](np.full_like(e, np.nan)) for e in expected)
    call(function, model, given, out=out if len(out) > 1 else out[0])
    for o, e in zip(out, expected):
        np.testing.assert_array_equal(o.array if isinstance(o, Tensor) else o, e)


def test_nothing_is_copied_where_rows_are_evenly_spaced():
    import tracemalloc

    model = robot("arm7")
    q, out = np.asfortranarray(argument(model, "q", 3000)), np.empty((7, 3000)).T
    M = np.empty((7, 7, 3000)).transpose(2, 0, 1)
    tracemalloc.start()
    tandem.gravity_forces(model, q, out=out)
    tandem.mass_matrix(model, q[::-2, :], out=M[:1500])
    tandem.gravity_forces(model, Tensor(q), out=Tensor(out))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8192, f"{peak} bytes were allocated"


@pytest.mark.parametrize("batch", [0, 1, 7, 8, 9, 1000])
@pytest.mark.parametrize("name, floating", ROBOTS)
def test_sizes_and_threads_change_no_bit(name, floating, batch):
    model = robot(name, floating)
    for function in ("forward_dynamics", "mass_matrix", "integrate"):
        given = arguments(model, function, batch)
        (one,) = call(function, model, given, threads=1)
        for threads in (2, 0, None, np.int64(3)):
            np.testing.assert_array_equal(call(function, model, given, threads=threads)[0], one)
        for b in {0, batch // 2, batch - 1} if batch else ():
            single = call(function, model, {k: x[b] for k, x in given.items()})[0]
            np.testing.assert_array_equal(one[b], single)


def test_status_tells_of_every_state_by_itself():
    model = robot("arm7")
    q, v, tau = (0.1 * argument(model, name, 9) for name in ("q", "v", "tau"))
    q[2, 3], v[4, 0], q[6, 0] = np.nan, np.inf, 100.0
    status = np.full(9, 99, np.uint8)
    a = tandem.forward_dynamics(model, q, v, tau, status=status)
    bad = {2: tandem.Status.NON_FINITE, 4: tandem.Status.NON_FINITE, 6: tandem.Status.LIMIT}
    assert [tandem.Status(s) for s in status] == [bad.get(b, tandem.Status.OK) for b in range(9)]
    fine = [b for b in range(9) if b not in (2, 4)]
    np.testing.assert_array_equal(a[fine], tandem.forward_dynamics(model, q[fine], v[fine], tau[fine]))
    one = np.full((), 99, np.uint8)
    tandem.forward_dynamics(model, q[2], v[2], tau[2], status=one)
    assert one == tandem.Status.NON_FINITE
    wrapped = Tensor(np.full(9, 99, np.uint8))
    tandem.forward_dynamics(model, q, v, tau, status=wrapped)
    np.testing.assert_array_equal(wrapped.array, status)


def test_a_mass_matrix_without_an_inverse_is_singular():
    model = tandem.ModelBuilder("x").link("a").link("b", 1).joint("j", "revolute", "a", "b").build()
    status = np.full(2, 99, np.uint8)
    tandem.forward_dynamics(model, np.zeros((2, 1)), [0], [1], status=status)
    assert list(status) == [tandem.Status.SINGULAR] * 2


def test_iterations_tell_their_steps():
    model = tandem.load("chain:30", seed=3)
    q, v, tau = (0.1 * argument(model, name, 5) for name in ("q", "v", "tau"))
    status, steps = np.full(5, 99, np.uint8), np.full(5, -1, np.int32)
    tandem.forward_dynamics(model, q, v, tau, method="conjugate_gradient", status=status, iterations=steps)
    assert (steps > 3).all() and (status == tandem.Status.OK).all()
    few, fast = {"max_iterations": 3}, {"tolerance": 1e-3}
    for function in (tandem.forward_dynamics, tandem.constraint_wrenches):
        options = {"solver": "conjugate_gradient"}
        run = functools.partial(function, model, q, v, tau, method="constraint_force", iterations=steps)
        run(options=options | few, status=status)
        assert (steps == 3).all() and (status == tandem.Status.NOT_CONVERGED).all()
        run(options=options)
        slow = steps.copy()
        run(options=options | fast)
        assert (steps < slow).all()
        run(options={})
        assert (steps == 0).all(), "nothing iterates"
    with pytest.raises(tandem.Error, match="does not use the option max_iterations"):
        tandem.forward_dynamics(model, q, v, tau, options=few)
    for wrong, text in ((np.zeros(5), "iterations has dtype float64, expected int32"),
                        (steps[:4], r"shape \(4,\), expected \(5,\)")):
        with pytest.raises(tandem.Error, match=text):
            tandem.forward_dynamics(model, q, v, tau, iterations=wrong)


def two_links(mass, com, inertia, armature, damping, friction, stiffness, gravity):
    """An arm with these parameters, in the order of tandem.parameters()."""
    builder = tandem.ModelBuilder("arm").gravity(gravity).link("base")
    for i, (parent, link, axis) in enumerate((("base", "upper", (0, 1, 0)), ("upper", "lower", (1, 2, 2)))):
        xx, xy, xz, yy, yz, zz = inertia[i + 1]
        builder.link(link, mass[i + 1], com=com[i + 1], inertia=[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        builder.joint(
            f"to_{link}",
            "revolute",
            parent,
            link,
            position=(0.1, 0, -0.4),
            rpy=(0.3, 0, i),
            axis=axis,
            armature=armature[i],
            damping=damping[i],
            friction=friction[i],
            stiffness=stiffness[i],
        )
    return builder.build()


def varied(batch):
    """Random values of every parameter of the arm, [batch] of them; inertias are those of bodies."""
    random = np.random.default_rng(5)
    values = {
        "mass": random.uniform(0.5, 2, (batch, 3)),
        "com": random.uniform(-0.3, 0.3, (batch, 3, 3)),
        "inertia": np.zeros((batch, 3, 6)),
    }
    values["inertia"][..., [0, 3, 5]] = random.uniform(0.2, 0.3, (batch, 3, 3))
    values["inertia"][..., [1, 2, 4]] = random.uniform(-0.02, 0.02, (batch, 3, 3))
    for name in ("armature", "damping", "friction", "stiffness"):
        values[name] = random.uniform(0.1, 1, (batch, 2))
    return values | {"gravity": random.uniform(-10, 10, (batch, 3))}


@pytest.mark.parametrize("change", [np.ascontiguousarray, rows_first, np.ndarray.tolist, Tensor])
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics", "passive_forces", "energy"])
def test_parameters_act_as_a_robot_built_with_them(function, change):
    values = varied(6)
    models = [two_links(*(values[p.name][b] for p in tandem.parameters())) for b in range(6)]
    given = {k: x for k, x in arguments(models[0], function, 6).items() if k != "f_ext"}
    results = getattr(tandem, function)(
        models[3], **given, parameters={k: change(x) for k, x in values.items()}
    )
    results = results if isinstance(results, tuple) else (results,)
    for b, model in enumerate(models):
        expected = getattr(tandem, function)(model, **{k: x[b] for k, x in given.items()})
        for x, y in zip(results, expected if isinstance(expected, tuple) else (expected,)):
            np.testing.assert_allclose(x[b], y, rtol=1e-12, atol=1e-12)


def test_parameters_may_make_the_batch_or_hold_for_all_of_it():
    values = varied(4)
    model = two_links(*(values[p.name][0] for p in tandem.parameters()))
    q = argument(model, "q")
    masses = values["mass"]
    batch = tandem.gravity_forces(model, q, parameters={"mass": masses})
    assert batch.shape == (4, 2)
    np.testing.assert_array_equal(
        batch[2], tandem.gravity_forces(model, np.stack([q] * 3), parameters={"mass": masses[2]})[1]
    )
    np.testing.assert_array_equal(
        tandem.gravity_forces(model, q, parameters={"mass": model.parameter("mass"), "gravity": [0, 0, 0]}), 0
    )
    single = tandem.gravity_forces(
        model, q.astype(np.float32), parameters={"mass": masses.astype(np.float32)}
    )
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, batch, rtol=1e-4, atol=1e-4)


def test_a_model_knows_its_parameters():
    values = varied(1)
    model = two_links(*(values[p.name][0] for p in tandem.parameters()))
    for p in tandem.parameters():
        own = model.parameter(p.name)
        assert own.shape == tuple(getattr(model, n) if isinstance(n, str) else n for n in p.shape)
        moving = slice(1, None) if p.shape[0] == "n_links" else slice(None)
        np.testing.assert_allclose(own[moving], values[p.name][0][moving], rtol=1e-12, atol=1e-14)
    with pytest.raises(ValueError, match="read-only"):
        own[:] = 0
    assert model.parameter("gravity").any()


@pytest.mark.parametrize("make", [Tensor, LibraryTensor])
def test_results_are_of_the_kind_of_the_first_array(make):
    model = robot("arm7")
    q, v = argument(model, "q", 5), argument(model, "v", 5)
    expected = tandem.bias_forces(model, q, v)
    for result in (tandem.bias_forces(model, make(q), v), tandem.bias_forces(model, make(q), make(v))):
        assert isinstance(result, LibraryTensor if make is LibraryTensor else np.ndarray)
        np.testing.assert_array_equal(getattr(result, "array", result), expected)
    assert isinstance(tandem.bias_forces(model, q, make(v)), np.ndarray)
    out = np.empty_like(expected)
    assert tandem.bias_forces(model, make(q), v, out=out) is out
    lists = tandem.bias_forces(model, [0] * 7, make(v))
    assert isinstance(lists, LibraryTensor if make is LibraryTensor else np.ndarray)


def test_tensors_of_integers_are_understood():
    model = robot("arm7")
    np.testing.assert_array_equal(
        tandem.gravity_forces(model, Tensor(np.ones(7, np.int64))), tandem.gravity_forces(model, np.ones(7))
    )


def test_instruction_sets_can_be_chosen():
    sets = tandem.machine.instruction_sets()
    used = tandem.machine.instruction_set()
    assert used in sets and set(sets) <= {"baseline", "avx2", "avx512"}
    model = robot("arm7")
    q = argument(model, "q", 20)
    try:
        for name in sets:
            tandem.machine.use_instruction_set(name)
            assert tandem.machine.instruction_set() == name
            np.testing.assert_allclose(
                tandem.gravity_forces(model, q), tandem.gravity_forces(model, list(q)), rtol=1e-12
            )
    finally:
        tandem.machine.use_instruction_set(used)
    with pytest.raises(tandem.Error, match="abacus"):
        tandem.machine.use_instruction_set("abacus")


class WithGradient(Tensor):
    requires_grad = True


def overlapping():
    return np.lib.stride_tricks.as_strided(np.zeros(20), (3, 7), (8, 8))


ZERO = np.zeros((3, 7))
WRONG = {
    "status shape": (
        dict(status=np.zeros(4, np.uint8)),
        "gravity_forces: status has shape (4,), expected (3,)",
    ),
    "status dtype": (dict(status=np.zeros(3)), "status has dtype float64, expected uint8"),
    "status gaps": (dict(status=np.zeros(6, np.uint8)[::2]), "status is not contiguous"),
    "status kind": (dict(status=True), "status is a bool, expected an array of uint8"),
    "threads": (dict(threads=-1), "threads is -1, expected 1 or more"),
    "threads kind": (dict(threads="all"), "threads is 'all', expected a number"),
    "parameter name": (
        dict(parameters={"weight": ZERO}),
        'no parameter is called "weight"; there are mass, com',
    ),
    "parameter shape": (
        dict(parameters={"mass": ZERO}),
        "gravity_forces: parameter mass has shape (3, 7), expected (8,) or (..., 8)",
    ),
    "parameter batch": (
        dict(parameters={"mass": np.zeros((4, 8))}),
        "parameter mass has a batch of 4 states, but q has 3",
    ),
    "parameters kind": (
        dict(parameters=[1]),
        "parameters is a list, expected a dictionary of arrays by name",
    ),
    "device": (dict(device="tpu"), 'device is \'tpu\', expected "cpu", "cuda" or "auto"'),
    "threads on a GPU": (
        dict(device="cuda", threads=2),
        'threads requires device="cpu"',
    ),
    "shared results": (dict(out=overlapping()), "out (tau) has numbers that share memory"),
    "tensor on a GPU": (
        dict(q=Tensor(ZERO, device=2)),
        "q is in the memory of a GPU or another device; move it",
    ),
    "gradient": (
        dict(q=WithGradient(ZERO)),
        "q requires grad, which this function does not support: use tandem.torch; without derivatives, "
        "pass x.detach()",
    ),
    "half precision": (dict(q=Tensor(np.zeros((3, 7), np.float16))), "q has dtype float16, expected float64"),
}


@pytest.mark.parametrize("case", WRONG)
def test_error_text(case):
    options, text = WRONG[case]
    with pytest.raises(tandem.Error) as error:
        tandem.gravity_forces(robot("arm7"), **({"q": ZERO} | options))
    assert text in str(error.value)


def test_read_only_tensors_are_inputs_alone():
    model = robot("arm7")
    q = argument(model, "q", 3)
    expected = tandem.gravity_forces(model, q)
    q.setflags(write=False)
    with pytest.raises(tandem.Error, match=r"out \(tau\) cannot be written to"):
        tandem.gravity_forces(model, ZERO, out=Tensor(q))
    if int(np.__version__.split(".")[0]) >= 2:  # which marks memory as read-only
        np.testing.assert_array_equal(tandem.gravity_forces(model, Tensor(q)), expected)


def test_a_keyword_that_is_none_is_a_type_error():
    with pytest.raises(TypeError, match="thread"):
        tandem.gravity_forces(robot("arm7"), ZERO, thread=1)  # type: ignore[call-arg]


def test_cuda_computes_or_says_what_is_missing():
    model = robot("arm7")
    given = arguments(model, "inverse_dynamics")
    try:
        (result,) = call("inverse_dynamics", model, given, device="cuda")
    except tandem.Error as error:
        assert "CUDA" in str(error) or "GPU" in str(error)
    else:
        np.testing.assert_allclose(result, call("inverse_dynamics", model, given)[0], rtol=1e-9, atol=1e-9)
