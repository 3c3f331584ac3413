# SPDX-License-Identifier: Apache-2.0
"""Every function over arrays: shapes, precisions, batches, copies, outputs."""

from __future__ import annotations

import inspect
import threading

import numpy as np
import pytest
from dlpack_support import Tensor
from hypothesis import given, settings
from hypothesis import strategies as st
from support import CALLS, ROBOTS, argument, call, robot

import tandem
from tandem import _core

FUNCTIONS = sorted(CALLS)


def arguments(model, function, batch=None, dtype=np.float64):
    return {name: argument(model, name, batch, dtype) for name in CALLS[function][0]}


def states(batch_arguments, b):
    return {name: values[b] for name, values in batch_arguments.items()}


def test_every_algorithm_of_the_library_is_a_function():
    assert {a.name for a in _core.algorithms()} == set(FUNCTIONS)


@pytest.mark.parametrize("algorithm", _core.algorithms(), ids=lambda a: a.name)
def test_names_and_docstrings_follow_the_table(algorithm):
    function = getattr(tandem, algorithm.name)
    inputs = [name for name, role, *_ in algorithm.arguments if role.endswith("input")]
    parameters = list(inspect.signature(function).parameters)
    assert (
        [p for p in parameters if p in inputs] == inputs and parameters[0] == "model" and "out" in parameters
    )
    for name, _, units, _ in algorithm.arguments:
        assert f"{name} : " in function.__doc__, name
        assert units in function.__doc__, units


@pytest.mark.parametrize("name, floating", ROBOTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_batch_gives_the_bits_of_single_states(function, name, floating):
    model = robot(name, floating)
    batch = arguments(model, function, batch=3)
    results = call(function, model, batch)
    for b in range(3):
        for one, many in zip(call(function, model, states(batch, b)), results):
            assert one.dtype == np.float64 and many[b].shape == one.shape
            np.testing.assert_array_equal(many[b], one)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_float32_is_computed_and_returned_in_float32(function):
    model = robot("arm7")
    double = call(function, model, arguments(model, function, 2))
    single = call(function, model, arguments(model, function, 2, np.float32))
    for x, y in zip(double, single):
        assert y.dtype == np.float32
        np.testing.assert_allclose(y, x, rtol=1e-3, atol=1e-3 * np.abs(x).max())


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_empty_batch_gives_empty_results(function):
    model = robot("quadruped", True)
    full = call(function, model, arguments(model, function, 2))
    empty = call(function, model, {k: a[:0] for k, a in arguments(model, function, 2).items()})
    assert [e.shape for e in empty] == [(0, *f.shape[1:]) for f in full]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_one_state_stands_for_all_of_a_batch(function):
    model = robot("arm7")
    batch = arguments(model, function, 4)
    for single in batch:
        if len(batch) == 1:
            continue
        mixed = batch | {single: batch[single][2]}
        repeated = batch | {single: np.stack([batch[single][2]] * 4)}
        for x, y in zip(call(function, model, mixed), call(function, model, repeated)):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_out_is_written_in_place_and_returned(function):
    model = robot("tree:9")
    for batch in (None, 3):
        given_ = arguments(model, function, batch)
        expected = call(function, model, given_)
        out = tuple(np.full(np.shape(x), np.nan) for x in expected)
        result = call(function, model, given_, out=out if len(out) > 1 else out[0])
        for r, o, e in zip(result, out, expected):
            assert r is o
            np.testing.assert_array_equal(o, e)


@pytest.mark.parametrize("stride", [2, -1])
def test_strided_batches_are_read_and_written_where_they_are(stride):
    model = robot("arm7")
    q, v, a = (argument(model, name, 8) for name in ("q", "v", "a"))
    out = np.full((8, model.nv), np.nan)
    tandem.inverse_dynamics(model, q[::stride], v[::stride], a[::stride], out=out[::stride])
    np.testing.assert_array_equal(out[::stride], tandem.inverse_dynamics(model, q, v, a)[::stride])
    if stride == 2:
        assert np.isnan(out[1::2]).all()


def test_outputs_may_lie_between_each_other():
    model = robot("arm7")
    q, v = (argument(model, name, 5) for name in ("q", "v"))
    expected = tandem.centre_of_mass(model, q, v)
    columns, turns = np.full((5, 6), np.nan), np.full((10, 3), np.nan)
    for out in ((columns[:, :3], columns[:, 3:]), (columns[:, ::2], columns[:, 1::2]), (turns[::2], turns[1::2])):
        for wrap in (lambda x: x, Tensor):
            tandem.centre_of_mass(model, q, v, out=tuple(map(wrap, out)))
            for x, y in zip(out, expected):
                np.testing.assert_array_equal(x, y)
    with pytest.raises(tandem.Error, match=r"out \(velocity\) and out \(com\) share memory"):
        tandem.centre_of_mass(model, q, v, out=(Tensor(columns[:, :3]), Tensor(columns[:, 2:5])))


def test_an_output_may_be_an_input():
    model = robot("arm7")
    q, v = (argument(model, name, 5) for name in ("q", "v"))
    expected = tandem.integrate(model, q, v)
    tandem.integrate(model, q, v, out=q)
    np.testing.assert_array_equal(q, expected)


def test_columns_of_one_state_array_serve_as_arguments():
    model = robot("arm7")
    state = np.concatenate([argument(model, name, 5) for name in ("q", "v", "a")], axis=1)
    q, v, a = np.split(state, 3, axis=1)
    expected = tandem.inverse_dynamics(model, q.copy(), v.copy(), a.copy())
    np.testing.assert_array_equal(tandem.inverse_dynamics(model, q, v, a), expected)


@pytest.mark.parametrize(
    "change",
    [
        np.asfortranarray,
        lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
        lambda x: x.astype(x.dtype.newbyteorder()),
        lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape),
        lambda x: x.tolist(),
        lambda x: tuple(x.tolist()),
        memoryview,
    ],
    ids=["fortran", "strided", "byte order", "misaligned", "list", "tuple", "memoryview"],
)
def test_other_layouts_and_sequences_are_understood(change):
    model = robot("arm7")
    given_ = arguments(model, "inverse_dynamics", 3)
    (expected,) = call("inverse_dynamics", model, given_)
    (result,) = call("inverse_dynamics", model, {name: change(x) for name, x in given_.items()})
    np.testing.assert_array_equal(result, expected)


def test_lists_and_integers_take_the_precision_of_the_rest():
    model = robot("arm7")
    one = np.ones(7)
    for dtype in (np.float64, np.float32):
        result = tandem.inverse_dynamics(model, [1] * 7, np.ones(7, np.int64), one.astype(dtype))
        assert result.dtype == dtype
        np.testing.assert_array_equal(result, tandem.inverse_dynamics(model, *[one.astype(dtype)] * 3))
    assert tandem.gravity_forces(model, [0] * 7).dtype == np.float64


def test_arguments_are_not_copied_and_not_changed():
    model = robot("arm7")
    q = argument(model, "q", 2000)
    q.setflags(write=False)
    before = q.copy()
    tau = np.empty((2000, 7))
    address = tau.ctypes.data
    assert tandem.gravity_forces(model, q, out=tau).ctypes.data == address
    np.testing.assert_array_equal(q, before)
    import tracemalloc  # NumPy reports what it allocates for arrays

    tracemalloc.start()
    tandem.gravity_forces(model, q, out=tau)
    tandem.gravity_forces(model, q[::2], out=tau[::2])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4096, f"{peak} bytes were allocated"


def test_out_may_overlap_the_arguments():
    model = robot("arm7")
    q, v, a = (argument(model, name, 4) for name in ("q", "v", "a"))
    expected = tandem.inverse_dynamics(model, q, v, a)
    memory = np.concatenate([a, np.zeros((1, 7))])
    tandem.inverse_dynamics(model, q, v, memory[:4], out=memory[1:])
    np.testing.assert_array_equal(memory[1:], expected)
    floating = robot("quadruped", True)
    q, u = argument(floating, "q", 4), argument(floating, "u", 4)
    expected = tandem.integrate(floating, q, u)
    assert tandem.integrate(floating, q, u, out=q) is q
    np.testing.assert_array_equal(q, expected)


def test_what_is_returned_depends_on_what_is_asked_for():
    model = robot("arm7")
    q, v, a = (argument(model, name) for name in ("q", "v", "a"))
    pose, velocity, acceleration = tandem.forward_kinematics(model, q, v, a)
    np.testing.assert_array_equal(tandem.forward_kinematics(model, q), pose)
    np.testing.assert_array_equal(tandem.forward_kinematics(model, q, v)[1], velocity)
    assert acceleration.shape == (model.n_frames, 6)
    com, speed, J = tandem.centre_of_mass(model, q, v, jacobian=True)
    np.testing.assert_array_equal(tandem.centre_of_mass(model, q), com)
    np.testing.assert_array_equal(tandem.center_of_mass(model, q, v)[1], speed)
    np.testing.assert_array_equal(tandem.centre_of_mass(model, q, jacobian=True)[1], J)
    np.testing.assert_allclose(J @ v, speed, atol=1e-12)
    h, A = tandem.centroidal_momentum(model, q, v, matrix=True)
    np.testing.assert_array_equal(tandem.centroidal_momentum(model, q, v), h)
    np.testing.assert_allclose(A @ v, h, atol=1e-12)
    assert isinstance(tandem.energy(model, q, v).kinetic, float)


def test_frames_go_by_name_or_index():
    model = robot("arm7")
    q, v = argument(model, "q"), argument(model, "v")
    index = model.frame_index("tool0")
    for reference, at in (("local", 0), ("world", 1), ("local_world_aligned", 2)):
        J = tandem.jacobian(model, q, "tool0", reference)
        np.testing.assert_array_equal(
            J, tandem.jacobian(model, q, np.int64(index), reference), err_msg=str(at)
        )
        velocity = tandem.forward_kinematics(model, q, v, reference=reference)[1][index]
        np.testing.assert_allclose(J @ v, velocity, atol=1e-12)


@pytest.mark.parametrize("name, floating", ROBOTS)
def test_forward_dynamics_undoes_inverse_dynamics(name, floating):
    model = robot(name, floating)
    q, v, a, f_ext = (argument(model, x, 16) for x in ("q", "v", "a", "f_ext"))
    tau = tandem.inverse_dynamics(model, q, v, a, f_ext)
    for method in ("automatic", "articulated_body", "composite_rigid_body"):
        back = tandem.forward_dynamics(model, q, v, tau, f_ext, method=method)
        np.testing.assert_allclose(back, a, rtol=1e-7, atol=1e-7)


@settings(deadline=None, max_examples=40)
@given(
    spec=st.sampled_from(["chain", "rope", "tree", "snake"]),
    links=st.integers(1, 12),
    seed=st.integers(0, 2**63),
)
def test_difference_undoes_integrate(spec, links, seed):
    model = tandem.load(f"{spec}:{links}", seed=seed)
    q = tandem.random_configuration(model, seed=seed)
    u = np.random.default_rng(seed).uniform(-1, 1, model.nv)
    np.testing.assert_allclose(tandem.difference(model, q, tandem.integrate(model, q, u)), u, atol=1e-9)


def test_threads_get_the_right_results_at_the_same_time():
    models = [
        robot("arm7"),
        robot("quadruped", True),
        robot("arm7").with_gravity((0, 0, -1.62)),
        robot("tree:9"),
    ]
    inputs = [arguments(model, "forward_dynamics", 400) for model in models]
    expected = [call("forward_dynamics", *pair)[0] for pair in zip(models, inputs)]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(20):
            if not np.array_equal(call("forward_dynamics", models[k], inputs[k])[0], expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(models))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_other_threads_run_during_a_call():
    model = tandem.load("chain:300")
    q, zeros = argument(model, "q", 3000), np.zeros(300)
    turns = 0
    done = threading.Event()

    def count() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            done.wait(1e-4)

    other = threading.Thread(target=count)
    other.start()
    before = turns
    tandem.forward_dynamics(model, q, zeros, zeros)
    during = turns - before
    done.set()
    other.join()
    assert during > 3, f"the other thread had {during} turns during one long call"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_plain_number_takes_the_precision_of_the_others(dtype):
    model = robot("arm7")
    zero = np.zeros((2, model.nv), dtype)
    q, v = tandem.step(model, zero, zero, zero, 1e-3)
    assert q.dtype == v.dtype == dtype
    for ours, theirs in zip((q, v), tandem.step(model, zero, zero, zero, np.full(2, 1e-3, dtype))):
        assert np.array_equal(ours, theirs)
