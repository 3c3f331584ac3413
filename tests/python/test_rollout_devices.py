# SPDX-License-Identifier: Apache-2.0
"""tandem.rollout on a GPU, and with arrays that lie there, as far as that can be told without one."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest

import tandem
from support import robot


def start(model: tandem.Model, n: int) -> tuple[np.ndarray, np.ndarray]:
    q = tandem.random_configuration(model, seed=1, batch=n)
    return q, np.random.default_rng(2).normal(size=(n, model.nv))


class Elsewhere:
    """An array that says it lies on a GPU, of a package that is not known; nobody can read it."""

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.shape, self.ndim, self.dtype = array, array.shape, array.ndim, array.dtype

    def reshape(self, *shape: Any) -> Elsewhere:
        return type(self)(self.array.reshape(*shape))

    def __len__(self) -> int:
        return len(self.array)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("not really there")


def test_arrays_on_a_gpu_stay_there() -> None:
    """As far as that can be told without one."""
    model = robot("arm7")
    q, v = start(model, 4)
    there = Elsewhere(q)
    with pytest.raises(tandem.Error, match=r'q0 is on a GPU; move it to host memory, or use device="cuda"'):
        tandem.rollout(model, there, steps=5)
    with pytest.raises(tandem.Error, match="results on a GPU are arrays of PyTorch, CuPy or JAX"):
        tandem.rollout(model, there, steps=5, device="auto")
    with pytest.raises(tandem.Error, match="v0 has dtype float32, expected float64, as q0 has"):
        tandem.rollout(model, q, Elsewhere(v.astype(np.float32)), steps=5, device="cuda")
    with pytest.raises(tandem.Error, match="a function as controls needs arrays in host memory"):
        tandem.rollout(model, there, controls=lambda k, q, v: v, steps=5, device="cuda")
    with pytest.raises(tandem.Error, match=r"controls has shape \(4, 5, 6\)"):
        tandem.rollout(model, q, controls=Elsewhere(np.zeros((4, 5, 6))), device="auto")


def test_arrays_on_a_gpu_go_there_on_the_stream_of_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a PyTorch that pretends, up to the driver, which is missing or finds nothing there."""
    tandem.rollout(robot("arm7"), np.zeros(7), steps=1)
    if not tandem_has_no_gpu():
        pytest.skip("there is a GPU here, which would read memory of the processor")
    asked: list[Any] = []

    class Tensor(Elsewhere):
        device = "cuda:0"

        def __dlpack__(self, **options: Any) -> Any:
            asked.append(options.get("stream"))
            return self.array.__dlpack__()

    Tensor.__module__ = "torch"
    torch = types.ModuleType("torch")
    torch.float64 = "float64"  # type: ignore[attr-defined]
    torch.empty = lambda sizes, dtype, device: Tensor(np.empty(sizes, dtype))  # type: ignore[attr-defined]
    stream = types.SimpleNamespace(cuda_stream=77)
    torch.cuda = types.SimpleNamespace(current_stream=lambda ordinal: stream)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    model = robot("arm7")
    q, v = start(model, 4)
    mass = np.broadcast_to(model.parameter("mass"), (4, model.n_links)).copy()
    with pytest.raises(tandem.Error, match="CUDA"):
        tandem.rollout(
            model,
            Tensor(q),
            v,
            Tensor(np.zeros((4, 5, 7))),
            every=2,
            cost=tandem.Cost(q=Tensor(np.ones(7)), frames=[tandem.FrameCost("tool0", Tensor(np.eye(4)[:3]), 1.0)]),
            parameters={"mass": Tensor(mass)},
            pushes=[tandem.Push("link4", Tensor(np.ones((4, 6))))],
            device="auto",
        )
    assert len(asked) == 11 and set(asked) == {77}  # six given, five results


def tandem_has_no_gpu() -> bool:
    try:
        tandem.rollout(robot("arm7"), np.zeros(7), steps=1, device="cuda")
    except tandem.Error:
        return True
    return False


def test_with_a_gpu_the_numbers_are_those_of_the_processor() -> None:
    torch = pytest.importorskip("torch")
    if tandem_has_no_gpu() or not torch.cuda.is_available():
        pytest.skip("there is no GPU here")
    model = robot("arm7")
    q, v = start(model, 40)
    tau = np.random.default_rng(1).normal(size=(40, 30, 7))
    here = tandem.rollout(model, q, v, tau, cost=tandem.Cost(q=1, effort=0.1))
    for device in ("cuda", "auto"):
        q_there, v_there, tau_there = (torch.from_numpy(x).cuda() for x in (q, v, tau))
        cost = tandem.Cost(q=1, effort=0.1)
        there = tandem.rollout(model, q_there, v_there, tau_there, cost=cost, device=device)  # type: ignore[arg-type]
        assert there.q.is_cuda and there.cost is not None and there.cost.is_cuda  # type: ignore[attr-defined]
        np.testing.assert_allclose(there.q.cpu(), here.q, rtol=1e-9, atol=1e-11)  # type: ignore[attr-defined]
        np.testing.assert_array_equal(there.status, here.status)


def test_the_device_auto_is_the_processor_without_a_gpu() -> None:
    model = robot("arm7")
    q, v = start(model, 4)
    expected = tandem.rollout(model, q, v, steps=5)
    np.testing.assert_array_equal(tandem.rollout(model, q, v, steps=5, device="auto").q, expected.q)
    with pytest.raises(tandem.Error, match='threads requires device="cpu"'):
        tandem.rollout(model, q, v, steps=5, threads=2, device="cuda")
    with pytest.raises(tandem.Error, match="specialise is wait, which rollout does not support on a GPU"):
        tandem.rollout(model, q, v, steps=5, specialise="wait", device="cuda")
