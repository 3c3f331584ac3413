# SPDX-License-Identifier: Apache-2.0
"""Plans: what they give, whom they serve, what they refuse."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

import tandem
from support import CALLS, argument, robot

#: optional outputs that the functions of CALLS were asked for, or give by themselves
WANTED = {
    "forward_kinematics": {"velocity": True, "acceleration": True},
    "forward_kinematics_jvp": {"dvelocity": True, "dacceleration": True},
    "forward_kinematics_vjp": {"v_bar": True, "a_bar": True},
    "centre_of_mass": {"velocity": True, "J": True},
    "centroidal_momentum": {"A": True},
    "close_loops": {"v_closed": True},
}


def options_of(name: str) -> dict[str, Any]:
    return {k: v for k, v in CALLS[name][1].items() if k in ("frame", "reference")}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", CALLS)
def test_a_plan_gives_the_bits_of_the_function(name: str, dtype: Any) -> None:
    model = robot("quadruped", True)
    plan = tandem.Plan(model, name, dtype=dtype, **options_of(name))
    for batch in (None, 5):
        given = [argument(model, a, batch, dtype) for a in CALLS[name][0]]
        expected = getattr(tandem, name)(model, *given, **CALLS[name][1])
        results = plan(*given, **WANTED.get(name, {}))
        several = isinstance(results, tuple)
        for ours, theirs in zip(results if several else [results], expected if several else [expected]):
            np.testing.assert_array_equal(ours, theirs)
            assert np.asarray(ours).dtype == dtype
    assert plan.function == name and plan.dtype == dtype and plan.device == "cpu"
    assert name in repr(plan) and "quadruped" in repr(plan)


def test_inputs_by_name_and_out() -> None:
    model = robot("arm7")
    plan = tandem.Plan(model, "forward_dynamics")
    q, v, tau, f = (argument(model, name, 3) for name in ("q", "v", "tau", "f_ext"))
    expected = tandem.forward_dynamics(model, q, v, tau, f_ext=f)
    out = np.empty_like(expected)
    assert plan(q, tau=tau, v=v, f_ext=f, out=out) is out
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(plan(q, v, tau, f_ext=f, a=True), expected)
    status = np.empty(3, np.uint8)
    light = plan(q, v, tau, f, status=status, parameters={"mass": np.ones(model.n_links)}, threads=2)
    np.testing.assert_array_equal(
        light, tandem.forward_dynamics(model, q, v, tau, f_ext=f, parameters={"mass": np.ones(model.n_links)})
    )
    assert set(status) <= {tandem.Status.OK, tandem.Status.LIMIT}


def test_the_method_is_decided_once() -> None:
    model = tandem.load("chain:2000")
    chosen = tandem.Plan(model, "forward_dynamics")
    assert chosen.method in ("scan", "articulated_body")
    plan = tandem.Plan(model, "forward_dynamics", method="scan", chunk=64)
    assert plan.method == "scan" and plan.model.n_links == model.n_links
    q, zero = tandem.neutral_configuration(model), np.zeros(model.nv)
    one = plan(q, zero, zero)
    batch = plan(np.stack([q] * 3), zero, zero, threads=2)
    for row in batch:
        np.testing.assert_array_equal(row, one)
    assert tandem.Plan(model, "energy").method == "automatic"


def test_threads_share_a_plan() -> None:
    model = tandem.load("chain:300")
    plan = tandem.Plan(model, "forward_dynamics", method="scan", chunk=16)
    given = [argument(model, name) * 0.1 for name in ("q", "v", "tau")]
    expected = plan(*given)
    results: list[Any] = [None] * 4

    def run(k: int) -> None:
        for _ in range(20):
            results[k] = plan(*given)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_array_equal(result, expected)


def can_be_specialised() -> bool:
    return "until" in tandem.Plan(robot("arm7"), "energy").served_by


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_specialised_plans_give_the_same_numbers(dtype: Any) -> None:
    model = robot("arm7")
    given = [argument(model, name, 33, dtype) for name in ("q", "v", "tau")]
    expected = tandem.Plan(model, "forward_dynamics", dtype=dtype, specialise=False)(*given)
    plan = tandem.Plan(model, "forward_dynamics", dtype=dtype, specialise="auto")
    np.testing.assert_array_equal(plan(*given), expected)
    if not can_be_specialised():
        pytest.skip(plan.served_by)
    assert "until 16384 states" in plan.served_by and not plan.specialised
    plan = tandem.Plan(model, "forward_dynamics", dtype=dtype, specialise="wait")
    assert plan.specialised and plan.served_by.startswith("compiled for this robot: ")
    np.testing.assert_array_equal(plan(*given), expected)
    np.testing.assert_array_equal(plan(*given, threads=2), expected)
    plan = tandem.Plan(model, "forward_dynamics", dtype=dtype, specialise=True)
    until = time.monotonic() + 30
    while not plan.specialised and time.monotonic() < until:
        np.testing.assert_array_equal(plan(*given), expected)
    np.testing.assert_array_equal(plan(*given), expected)
    assert plan.specialised


def test_what_cannot_be_specialised_is_said() -> None:
    long_chain = tandem.load("chain:200")
    plan = tandem.Plan(long_chain, "forward_dynamics", method="articulated_body")
    assert plan.served_by == "generic kernels: the robot has 200 links, more than 100"
    assert not plan.specialised
    assert tandem.Plan(robot("arm7"), "energy", specialise=False).served_by == "generic kernels"
    asked: Any
    for asked in (True, "wait"):
        with pytest.raises(tandem.Error, match="forward_dynamics: cannot be specialised: .* 200 links, more than 100"):
            tandem.Plan(long_chain, "forward_dynamics", method="articulated_body", specialise=asked)
        with pytest.raises(tandem.Error, match="cannot be specialised: method scan divides the robot"):
            tandem.Plan(long_chain, "forward_dynamics", method="scan", specialise=asked)
    for asked in ("always", "yes", None, 2):
        with pytest.raises(tandem.Error,
                           match="forward_dynamics: specialise is .*, expected True, False, 'wait' or 'au"):
            tandem.Plan(robot("arm7"), "forward_dynamics", specialise=asked)


def test_what_is_wrong_is_said() -> None:
    model = robot("arm7")
    q, v, tau = (argument(model, name) for name in ("q", "v", "tau"))
    plan = tandem.Plan(model, "forward_dynamics")
    with pytest.raises(tandem.Error, match='no algorithm is called "dynamics"'):
        tandem.Plan(model, "dynamics")
    with pytest.raises(tandem.Error, match="has no method log_composite"):
        tandem.Plan(model, "forward_dynamics", method="log_composite")
    with pytest.raises(tandem.Error, match="does not use the option chunk"):
        tandem.Plan(model, "forward_dynamics", chunk=8)
    with pytest.raises(tandem.Error, match="energy does not use the option frame"):
        tandem.Plan(model, "energy", frame="tool0")
    with pytest.raises(tandem.Error, match="energy does not use the option reference"):
        tandem.Plan(model, "energy", reference="world")
    with pytest.raises(tandem.Error, match="frame 99 does not exist"):
        tandem.Plan(model, "jacobian", frame=99)
    with pytest.raises(tandem.Error, match="dtype is int64, expected float64 or float32"):
        tandem.Plan(model, "forward_dynamics", dtype=np.int64)
    with pytest.raises(tandem.Error, match='expected "cpu", "cuda" or "auto"'):
        tandem.Plan(model, "forward_dynamics", device="tpu")  # type: ignore[arg-type]
    with pytest.raises(tandem.Error, match=r"out \(a\) is float32, but the plan is for float64"):
        plan(q, v, tau, out=np.empty_like(v, dtype=np.float32))
    with pytest.raises(tandem.Error, match="argument tau is missing"):
        plan(q, v)
    with pytest.raises(tandem.Error, match="6 inputs given, expected at most 5: q, v, tau, f_ext, diagonal"):
        plan(q, v, tau, None, None, None)
    with pytest.raises(TypeError, match="unknown argument 'torque'"):
        plan(q, v, torque=tau)
    with pytest.raises(TypeError, match="argument v is given twice"):
        plan(q, v, tau, v=v)


def test_cuda_computes_or_says_what_is_missing() -> None:
    model = robot("arm7")
    given = [argument(model, name) for name in ("q", "v", "tau")]
    try:
        plan = tandem.Plan(model, "forward_dynamics", device="cuda")
    except tandem.Error as error:
        assert "CUDA" in str(error)
    else:
        np.testing.assert_allclose(plan(*given), tandem.forward_dynamics(model, *given), rtol=1e-9, atol=1e-9)
