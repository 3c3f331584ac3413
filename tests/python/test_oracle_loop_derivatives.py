# SPDX-License-Identifier: Apache-2.0
"""First derivatives of accelerations with closed loops: a four-bar linkage in closed form, others beside Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tandem

EPS = np.finfo(np.float64).eps
G = 9.81
#: of robots/four_bar.urdf, in the plane: each bar as a vector (x, z), its centre of mass, mass, inertia about that
BARS = {
    "crank": ((0.0, 0.3), (0.0, 0.15), 0.3, 0.0022575),
    "coupler": ((0.4, 0.3), (0.2, 0.15), 0.5, 0.010429167),
    "rocker": ((-0.2, 0.6), (-0.1, 0.3), 0.632, 0.021082467),
}
PIVOT = (0.6, 0.0)


def turned(of: tuple[float, float], angle: complex, order: int = 0) -> np.ndarray:
    """A vector (x, z) turned about y, or its derivative by the angle."""
    s, c = np.sin(angle), np.cos(angle)
    for _ in range(order):
        s, c = c, -s
    return np.array([c * of[0] + s * of[1], -s * of[0] + c * of[1]])


def coupler_and_rocker(crank: complex, near: np.ndarray) -> np.ndarray:
    """Angles of both against the base that close the loop, by Newton's method: analytic in the crank's."""
    lengths = [BARS[name][0] for name in BARS]
    angles = near.astype(complex)
    for _ in range(30):
        gap = turned(lengths[0], crank) + turned(lengths[1], angles[0]) - turned(lengths[2], angles[1]) - PIVOT
        J = np.column_stack([turned(lengths[1], angles[0], 1), -turned(lengths[2], angles[1], 1)])
        angles = angles - np.linalg.solve(J, gap)
    return angles


def crank_acceleration(crank: complex, speed: complex, tau: np.ndarray, near: np.ndarray) -> complex:
    """Lagrange's equation of the one coordinate that is left: m(s) s'' + m'(s) s'^2 / 2 + V'(s) = tau . dq/ds."""
    (l1, *_), (l2, *_), (l3, *_) = BARS.values()
    phi, psi = coupler_and_rocker(crank, near)
    J = np.column_stack([turned(l2, phi, 1), -turned(l3, psi, 1)])
    phi_1, psi_1 = np.linalg.solve(J, -turned(l1, crank, 1))
    bent = turned(l1, crank, 2) + turned(l2, phi, 2) * phi_1**2 - turned(l3, psi, 2) * psi_1**2
    phi_2, psi_2 = np.linalg.solve(J, -bent)
    m = m_1 = V_1 = 0.0
    moving = (("crank", crank, 1, 0), ("coupler", phi, phi_1, phi_2), ("rocker", psi, psi_1, psi_2))
    for name, angle, first, second in moving:
        _, com, mass, inertia = BARS[name]
        c_1 = turned(com, angle, 1) * first
        c_2 = turned(com, angle, 2) * first**2 + turned(com, angle, 1) * second
        if name == "coupler":
            c_1, c_2 = c_1 + turned(l1, crank, 1), c_2 + turned(l1, crank, 2)
        m = m + mass * (c_1 @ c_1) + inertia * first**2
        m_1 = m_1 + 2 * mass * (c_1 @ c_2) + 2 * inertia * first * second
        V_1 = V_1 + mass * G * c_1[1]
    return (tau @ np.array([1, phi_1 - 1, psi_1]) - m_1 * speed**2 / 2 - V_1) / m


@pytest.mark.parametrize("crank", [0.0, 0.4, -1.1, 2.0])
def test_derivatives_are_those_of_the_one_coordinate_of_a_four_bar(crank: float) -> None:
    """Increments that keep the loop closed, by the complex step: exact to rounding."""
    bars = tandem.load("four_bar")
    q, error = tandem.close_loops(bars, [crank, -0.3 * crank, 0.4 * crank], error=True)
    assert error < 1e-13
    crank, near = q[0], np.array([q[0] + q[1], q[2]])
    angles = coupler_and_rocker(crank, near).real
    assert np.abs(angles - near).max() < 1e-11
    tau, speed, h = np.array([1.0, -0.5, 0.7]), 1.7, 1e-30

    def rates(at: complex) -> np.ndarray:
        (l1, *_), (l2, *_), (l3, *_) = BARS.values()
        phi, psi = coupler_and_rocker(at, near)
        J = np.column_stack([turned(l2, phi, 1), -turned(l3, psi, 1)])
        phi_1, psi_1 = np.linalg.solve(J, -turned(l1, at, 1))
        return np.array([1, phi_1 - 1, psi_1])

    v, dq = speed * rates(crank).real, rates(crank).real
    turn = rates(crank + 1j * h).imag / h  # how rates change as the crank turns, and with them v at a constant speed
    expected = crank_acceleration(crank, speed, tau, near).real
    assert abs(tandem.forward_dynamics(bars, q, v, tau)[0] - expected) < 1e-9 * max(1, abs(expected))
    by_q = crank_acceleration(crank + 1j * h, speed, tau, near).imag / h
    by_v = crank_acceleration(crank, speed + 1j * h, tau, near).imag / h
    by_tau = [crank_acceleration(crank, speed, tau + 1j * h * e, near).imag / h for e in np.eye(3)]

    da_dq, da_dv, da_dtau = tandem.forward_dynamics_derivatives(bars, q, v, tau, inverse_mass_matrix=True)
    dv = speed * turn
    size = 1 + np.abs(da_dq).max() + np.abs(da_dv).max()
    assert abs((da_dq @ dq + da_dv @ dv)[0] - by_q) < 1e-9 * size
    assert abs((da_dv @ dq)[0] - by_v) < 1e-9 * size
    assert np.abs(da_dtau[0] - by_tau).max() < 1e-9 * size
    _, da = tandem.forward_dynamics_jvp(bars, q, v, tau, dq, dv, np.zeros(3))
    assert abs(da[0] - by_q) < 1e-9 * size
    _, q_bar, v_bar, tau_bar = tandem.forward_dynamics_vjp(bars, q, v, tau, np.array([1.0, 0, 0]))
    assert abs(q_bar @ dq + v_bar @ dv - by_q) < 1e-9 * size
    assert np.abs(tau_bar - by_tau).max() < 1e-9 * size


pin = pytest.importorskip(
    "pinocchio", reason="NOT COMPARED WITH PINOCCHIO: it is not installed (pip install pin)"
)
from test_oracle_loops import ROBOTS, Both  # noqa: E402


def derivatives_of_pinocchio(both: Both, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, ...]:
    data = both.model.createData()
    contacts, of_contacts = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for contact in both.contacts:
        contacts.append(contact)
        of_contacts.append(contact.createData())
    pin.initConstraintDynamics(both.model, data, contacts, of_contacts)
    settings = pin.ProximalSettings(1e-14, 1e-14, 1e-12, 50)
    pin.constraintDynamics(both.model, data, q, v, tau, contacts, of_contacts, settings)
    pin.computeConstraintDynamicsDerivatives(both.model, data, contacts, of_contacts, settings)
    return data.ddq_dq.copy(), data.ddq_dv.copy(), data.ddq_dtau.copy()


def motions_that_keep_closed(m: tandem.Model, q: np.ndarray, v: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Increments of q and v from closed states to closed states."""
    rng, h, found = np.random.default_rng(0), 1e-4, []
    for _ in range(4):
        u, w = rng.normal(size=(2, m.nv))
        ends = []
        for s in (2 * h, h, -h, -2 * h):
            q_s, v_s = tandem.close_loops(m, tandem.integrate(m, q, s * u), v + s * w)
            ends.append((tandem.difference(m, q, q_s), v_s))
        dq, dv = ((8 * (ends[1][k] - ends[2][k]) - (ends[0][k] - ends[3][k])) / (12 * h) for k in (0, 1))
        found.append((dq, dv))
    return found


@pytest.mark.parametrize("name", ROBOTS)
def test_derivatives_are_those_of_pinocchio(name: str) -> None:
    """Along increments that keep loops closed; off them it is convention how what is open accelerates.

    By differences of Pinocchio's accelerations, and where all loops are held in six directions by its derivatives.
    Those of CONTACT_3D loops are not the differences of its accelerations (pin 3: off by their size for four_bar).
    """
    both = Both(ROBOTS[name]())
    m, h = both.ours, 1e-4
    for seed in range(3):
        (q,), (v,) = both.closed_state(seed)
        tau = np.random.default_rng(seed + 100).normal(size=m.nv)
        ours = tandem.forward_dynamics_derivatives(m, q, v, tau, inverse_mass_matrix=True)
        theirs = derivatives_of_pinocchio(both, q, v, tau)
        size = max(1.0, *(np.abs(x).max() for x in ours))
        assert np.abs(ours[2] - theirs[2]).max() < 1e-10 * max(1, np.abs(theirs[2]).max())
        for dq, dv in motions_that_keep_closed(m, q, v):
            a = [both.theirs(tandem.integrate(m, q, s * dq), v + s * dv, tau)[0] for s in (2 * h, h, -h, -2 * h)]
            expected = (8 * (a[1] - a[2]) - (a[0] - a[3])) / (12 * h)
            found = ours[0] @ dq + ours[1] @ dv
            assert np.abs(found - expected).max() < 1e-8 * size
            if all(loop.type == "fixed" for loop in m.loops):
                assert np.abs(found - (theirs[0] @ dq + theirs[1] @ dv)).max() < 1e-9 * size


def test_frameworks_differentiate_through_loops() -> None:
    """By all directions of q, also those that open the loop: it has one of rows whose rank is the same everywhere."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    import tandem.jax

    bars = tandem.load("four_bar")
    q, v = tandem.close_loops(bars, [0.3, 0, 0], [1.0, 0, 0])
    tau, weights, h = np.array([0.5, 0.0, 0.0]), np.array([1.0, 2.0, 3.0]), 1e-4

    def slope(function: Any, e: np.ndarray) -> Any:
        a = [weights @ function(q + s * e) for s in (2 * h, h, -h, -2 * h)]
        return (8 * (a[1] - a[2]) - (a[0] - a[3])) / (12 * h)

    by_q = jax.grad(lambda x: weights @ tandem.jax.forward_dynamics(bars, x, v, tau))(q)
    unit = np.eye(3)
    expected = [slope(lambda x: tandem.forward_dynamics(bars, x, v, tau), e) for e in unit]
    np.testing.assert_allclose(by_q, expected, rtol=1e-8, atol=1e-8)
    _, along = jax.jvp(lambda x: weights @ tandem.jax.forward_dynamics(bars, x, v, tau), (q,), (unit[1],))
    np.testing.assert_allclose(along, expected[1], rtol=1e-8)
    # a function of the tree stays one: M^-1 y
    by_q = jax.grad(lambda x: weights @ tandem.jax.inverse_mass_matrix_product(bars, x, weights))(q)
    expected = [slope(lambda x: tandem.inverse_mass_matrix_product(bars, x, weights), e) for e in unit]
    np.testing.assert_allclose(by_q, expected, rtol=1e-8, atol=1e-8)
    with pytest.raises(Exception, match="closed loops"):
        jax.hessian(lambda x: weights @ tandem.jax.forward_dynamics(bars, x, v, tau))(q)
