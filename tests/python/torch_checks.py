# SPDX-License-Identifier: Apache-2.0
"""Tensors of PyTorch in and out; run by test_torch.py with an interpreter that has PyTorch."""

from __future__ import annotations

import numpy as np
import torch

import tandem

MODEL = tandem.load("arm7")
BATCH = 9
Q, V, TAU = (
    torch.tensor(np.random.default_rng(k).uniform(-1, 1, (BATCH, 7)).tolist()).double() for k in range(3)
)


def numbers(x: torch.Tensor) -> np.ndarray:
    return np.array(x.tolist(), np.float32 if x.dtype == torch.float32 else np.float64)


def check_results_are_tensors_with_the_bits_of_numpy() -> None:
    for dtype in (torch.float64, torch.float32):
        tensors = [x.to(dtype) for x in (Q, V, TAU)]
        a = tandem.forward_dynamics(MODEL, *tensors)
        assert isinstance(a, torch.Tensor) and a.dtype == dtype
        expected = tandem.forward_dynamics(MODEL, *map(numbers, tensors))
        assert isinstance(expected, np.ndarray) and np.array_equal(numbers(a), expected)
        energy = tandem.energy(MODEL, tensors[0][0], tensors[1][0])
        assert isinstance(energy.kinetic, torch.Tensor) and energy.kinetic.ndim == 0
    assert tandem.gravity_forces(MODEL, Q[:0]).shape == (0, 7)
    assert isinstance(tandem.gravity_forces(MODEL, numbers(Q)), np.ndarray)


def check_a_batch_has_tensors_in_its_memory() -> None:
    for dtype in (np.float64, np.float32):
        batch = tandem.VectorSimulation(MODEL, BATCH, dtype=dtype)
        q, tau = torch.from_dlpack(batch.q), torch.from_dlpack(batch.tau)
        assert q.shape == (BATCH, 7) and q.data_ptr() == batch.q.ctypes.data
        q.copy_(Q)
        tau.copy_(TAU)
        batch.step()
        assert not torch.equal(q, Q.to(q.dtype)) and np.array_equal(numbers(q), batch.q)
        weights = torch.zeros(7, 7).double().requires_grad_()
        batch.step(q.double() @ weights + 1)
        assert (tau == 1).all()
        batch.q = Q
        assert torch.equal(q, Q.to(q.dtype))


def check_every_layout() -> None:
    expected = tandem.gravity_forces(MODEL, Q)
    gaps = torch.zeros(2 * BATCH, 21).double()[::2, ::3]
    gaps.copy_(Q)
    for q in (Q.T.contiguous().T, gaps):
        assert torch.equal(tandem.gravity_forces(MODEL, q), expected)
    one = tandem.gravity_forces(MODEL, Q[:1].expand(BATCH, 7))
    assert torch.equal(one, expected[:1].expand(BATCH, 7))
    assert torch.equal(
        tandem.gravity_forces(MODEL, torch.ones(7, dtype=torch.int64)).double(),
        tandem.gravity_forces(MODEL, torch.ones(7).double()),
    )


def check_results_are_written_in_place() -> None:
    expected = tandem.gravity_forces(MODEL, Q)
    for out in (torch.zeros(BATCH, 7).double(), torch.zeros(7, BATCH).double().T):
        address = out.data_ptr()
        assert tandem.gravity_forces(MODEL, Q, out=out) is out and out.data_ptr() == address
        assert torch.equal(out, expected)


def check_status_and_parameters() -> None:
    status = torch.full((BATCH,), 99, dtype=torch.uint8)
    mass = (
        torch.tensor(MODEL.parameter("mass").tolist()).double()
        * torch.linspace(0.5, 2, BATCH).double()[:, None]
    )
    q = Q.clone()
    q[3] = float("nan")
    tau = tandem.gravity_forces(MODEL, q, status=status, parameters={"mass": mass}, threads=2)
    assert status.tolist() == [tandem.Status.NON_FINITE if b == 3 else tandem.Status.OK for b in range(BATCH)]
    assert torch.allclose(tau[0], 0.5 * tandem.gravity_forces(MODEL, Q)[0])


def check_spatial_algebra_and_its_derivatives() -> None:
    spatial = tandem.spatial
    u = torch.tensor(np.random.default_rng(3).uniform(-1, 1, size=(BATCH, 6)).tolist()).double()
    u[0] = 0
    X = spatial.exp(u)
    assert isinstance(X, torch.Tensor) and X.dtype == torch.float64
    assert np.allclose(numbers(X), spatial.exp(numbers(u)), rtol=0, atol=1e-15)
    assert torch.allclose(spatial.log(X), u) and spatial.exp(u.float()).dtype == torch.float32
    q, Ad = spatial.quaternion_from_matrix(X[..., :3]), spatial.adjoint(X)
    assert torch.allclose(spatial.pose(X[..., 3], q), X) and Ad.shape == (BATCH, 6, 6)
    assert torch.allclose(spatial.coadjoint(X), torch.linalg.inv(Ad).transpose(-1, -2))
    middle = spatial.quaternion_slerp(q, q.flip(0), torch.tensor([[0.5]]).double())
    assert torch.allclose(middle.norm(dim=-1), torch.ones(1, BATCH).double())
    for row in u:  # the first is zero
        J = torch.autograd.functional.jacobian(lambda x: spatial.log(spatial.exp(x)), row)
        assert torch.allclose(J, torch.eye(6).double()), J


def check_signs_are_those_that_tensors_mean() -> None:
    z = torch.complex(torch.zeros_like(Q), Q)
    counts = torch.arange(7)
    for tensor, same in (
        (torch.conj(z).imag, -Q),
        (torch._neg_view(Q), -Q),
        (torch.conj(z).imag[2], -Q[2]),
        (torch._neg_view(counts), -counts),
    ):
        assert tensor.is_neg()
        assert torch.equal(tandem.gravity_forces(MODEL, tensor), tandem.gravity_forces(MODEL, same))
    mass = torch.tensor(MODEL.parameter("mass").tolist()).double()
    heavy = {"mass": torch._neg_view(-mass)}
    expected = tandem.gravity_forces(MODEL, Q, parameters={"mass": mass})
    assert torch.equal(tandem.gravity_forces(MODEL, Q, parameters=heavy), expected)
    out = torch.conj(z).imag
    for call in (
        lambda: tandem.gravity_forces(MODEL, Q, out=out),
        lambda: tandem.gravity_forces(MODEL, Q, status=torch._neg_view(torch.zeros(BATCH, dtype=torch.uint8))),
    ):
        try:
            call()
        except tandem.Error as error:
            assert "cannot be written to: its negative bit is set; pass x.resolve_neg()" in str(error), error
        else:
            raise AssertionError("written to with the wrong sign")


def check_errors() -> None:
    for wrong, text in (
        (Q.clone().requires_grad_(), "q requires grad, which this function does not support: use tandem.torch"),
        (Q.half(), "q has dtype float16"),
        (Q.bfloat16(), "gravity_forces: q has dtype torch.bfloat16, expected float64 or float32"),
        (Q[:, :6], "q has shape (9, 6), expected (7,) or (..., 7)"),
    ):
        try:
            tandem.gravity_forces(MODEL, wrong)
        except tandem.Error as error:
            assert text in str(error), error
        else:
            raise AssertionError(text)


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            check()
            print(name.replace("_", " "))
    print("PyTorch", torch.__version__)
