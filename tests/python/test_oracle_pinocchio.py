# SPDX-License-Identifier: Apache-2.0
"""Every function beside Pinocchio's, on every robot, fixed and floating, in random states."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest
from oracle_support import SINGULAR, Case, Comparison, cases, forward_dynamics_scale, load, states
from pinocchio_support import REFERENCES, Pinocchio, pin

import tandem

pytestmark = pytest.mark.parametrize("case", cases())


@functools.cache
def pinocchio(case: Case) -> Pinocchio:
    return Pinocchio(case, load(case))


def start(case: Case, column: str) -> tuple[tandem.Model, Pinocchio, Comparison]:
    model, oracle = load(case), pinocchio(case)
    if column != "kinematics" and not oracle.moving_mass:
        pytest.skip(f"{case.name} has no moving mass: only its kinematics are compared")
    return model, oracle, Comparison("Pinocchio", case, model.depth, column)


@pytest.mark.parametrize("reference", REFERENCES)
def test_motion_of_frames(case: Case, reference: Any) -> None:
    model, oracle, compare = start(case, "kinematics")
    for state in states(model):
        ours = tandem.forward_kinematics(model, state.q, state.v, state.a, reference=reference)
        theirs = oracle.forward_kinematics(state.q, state.v, state.a, reference)
        speed = np.abs(state.v).max(initial=0)
        sizes = (1.0, speed, speed**2 + np.abs(state.a).max(initial=0))
        # at the world's origin there is also what a link's rotation makes of its distance
        reach = np.abs(theirs[0]).max() if reference == "world" else 0.0
        for what, x, y, size in zip(
            ("poses", "velocities", "accelerations"), ours, theirs, sizes, strict=True
        ):
            compare(f"{what}, {reference}", x, y, reach * size)


@pytest.mark.parametrize("reference", REFERENCES)
def test_jacobian(case: Case, reference: Any) -> None:
    model, oracle, compare = start(case, "kinematics")
    if model.nv == 0:
        pytest.skip(f"{case.name} has no joints, and Pinocchio crashes on Jacobians without columns")
    frame = model.frame_names[-1]
    for state in states(model):
        J, dJ_v = oracle.jacobians(state.q, state.v, frame, reference)
        compare(f"Jacobian of {frame}, {reference}", tandem.jacobian(model, state.q, frame, reference), J)
        ours = tandem.jacobian_time_derivative_product(model, state.q, state.v, frame, reference)
        compare(
            f"dJ/dt v of {frame}, {reference}",
            ours,
            dJ_v,
            np.abs(J).max() * np.abs(state.v).max() ** 2,
        )


@pytest.mark.parametrize("reference", REFERENCES)
def test_derivatives_of_motions(case: Case, reference: Any) -> None:
    model, oracle, compare = start(case, "kinematics")
    if model.nv == 0:
        pytest.skip(f"{case.name} has no joints, and Pinocchio crashes on Jacobians without columns")
    kappa = np.finfo(float).eps ** (-1 / 3) if oracle.derived_by_differences(reference) else 1.0
    frame = model.frame_names[-1]
    for q, v, a, *_ in states(model):
        ours = tandem.forward_kinematics_derivatives(model, q, v, a, frame, reference, jacobian=True)
        theirs = oracle.frame_derivatives(q, v, a, frame, reference)
        J, speed = np.abs(theirs[3]).max(), np.abs(v).max()
        sizes = (J * speed, J * (speed**2 + np.abs(a).max()), J * (speed + 1), J)
        for what, x, y, size in zip(
            ("velocity by q", "acceleration by q", "acceleration by v", "Jacobian"),
            ours,
            theirs,
            sizes,
            strict=True,
        ):
            compare(f"{what} of {frame}, {reference}", x, y, size, kappa)


def test_integrate(case: Case) -> None:
    model, oracle, compare = start(case, "kinematics")
    for q, v, *_ in states(model):
        ours = tandem.integrate(model, q, v)
        theirs = pin.integrate(oracle.model, oracle.configuration(q), oracle.G @ v)
        scale = max(np.abs(q).max(initial=0), np.abs(v).max(initial=0))
        compare("integrate", oracle.configuration(ours), oracle.same_quaternions(theirs, ours), scale)


def test_difference(case: Case) -> None:
    model, oracle, compare = start(case, "kinematics")
    for (q0, *_), (q1, *_) in itertools.pairwise(states(model)):
        ours = oracle.G @ tandem.difference(model, q0, q1)
        theirs = pin.difference(oracle.model, oracle.configuration(q0), oracle.configuration(q1))
        turns = np.round((ours - theirs)[oracle.angles] / (2 * np.pi))
        theirs[oracle.angles] += 2 * np.pi * turns
        # of mimic joints the turns are lost; near half a turn the rotation vector is ill conditioned
        rows = oracle.independent_rows
        compare("difference", ours[rows], theirs[rows], kappa=1e3)


def test_inverse_dynamics(case: Case) -> None:
    model, oracle, compare = start(case, "inverse dynamics")
    for state in states(model):
        q, v, a, _, f_ext = state
        terms = oracle.force_terms(q, v, a)
        terms_f = terms + oracle.lever(q) * np.abs(f_ext).max()
        compare(
            "inverse dynamics",
            tandem.inverse_dynamics(model, q, v, a),
            oracle.inverse_dynamics(q, v, a),
            terms,
        )
        ours, theirs = tandem.inverse_dynamics(model, q, v, a, f_ext), oracle.inverse_dynamics(q, v, a, f_ext)
        compare("inverse dynamics with forces on the links", ours, theirs, terms_f)
        theirs = oracle.G.T @ pin.nonLinearEffects(
            oracle.model, oracle.data, oracle.configuration(q), oracle.G @ v
        )
        compare("bias forces", tandem.bias_forces(model, q, v), theirs, terms)
        ours, theirs = tandem.bias_forces(model, q, v, f_ext), oracle.inverse_dynamics(q, v, 0 * a, f_ext)
        compare("bias forces with forces on the links", ours, theirs, terms_f)
        theirs = oracle.G.T @ pin.computeGeneralizedGravity(
            oracle.model, oracle.data, oracle.configuration(q)
        )
        compare("gravity forces", tandem.gravity_forces(model, q), theirs, terms)


def test_inverse_dynamics_derivatives(case: Case) -> None:
    model, oracle, compare = start(case, "inverse dynamics")
    # the axes of universal joints stand still in Pinocchio's derivatives: there those of its forces are taken by
    # differences
    kappa = np.finfo(float).eps ** (-1 / 3) if oracle.axes_turn else 1.0
    for q, v, a, _, f_ext in states(model):
        scale = oracle.force_terms(q, v, a)
        by_v = oracle.force_terms(q, np.abs(v) + 1, 0 * a)
        scale_f = scale + oracle.lever(q) * np.abs(f_ext).max()
        ours = tandem.inverse_dynamics_derivatives(model, q, v, a, mass_matrix=True)
        theirs = oracle.inverse_dynamics_derivatives(q, v, a)
        compare("derivative by configuration", ours[0], theirs[0], scale, kappa)
        compare("derivative by velocity", ours[1], theirs[1], by_v, kappa)
        compare("derivative by acceleration", ours[2], oracle.mass_matrix(q))
        ours = tandem.inverse_dynamics_derivatives(model, q, v, a, f_ext)
        theirs = oracle.inverse_dynamics_derivatives(q, v, a, f_ext)
        compare("derivative with forces on the links", ours[0], theirs[0], scale_f, kappa)
        ours = tandem.inverse_dynamics_derivatives(model, q)
        theirs = oracle.inverse_dynamics_derivatives(q, 0 * v, 0 * a)
        compare("derivative of gravity forces", ours[0], theirs[0], scale, kappa)


def test_forward_dynamics_derivatives(case: Case) -> None:
    model, oracle, compare = start(case, "forward dynamics")
    if model.nv == 0:
        pytest.skip(f"{case.name} has no joints")
    if oracle.axes_turn:
        pytest.skip("the axes of universal joints stand still in Pinocchio's derivatives")
    for q, v, _, tau, f_ext in states(model):
        M = oracle.mass_matrix(q)
        kappa = np.linalg.cond(M)
        if kappa > SINGULAR or np.linalg.eigvalsh(M)[0] <= 0:
            pytest.skip(f"{case.name}: mass matrix not positive definite, condition number {kappa:.1e}")
        a = oracle.forward_dynamics(q, v, tau, f_ext)
        ours = tandem.forward_dynamics_derivatives(model, q, v, tau, f_ext, inverse_mass_matrix=True)
        if oracle.follows:
            by = oracle.inverse_dynamics_derivatives(q, v, a, f_ext)
            theirs = [-np.linalg.solve(M, x) for x in by] + [np.linalg.inv(M)]
        else:
            full = oracle.configuration(q), oracle.G @ v, oracle.G @ tau, oracle._forces(f_ext)
            pin.computeABADerivatives(oracle.model, oracle.data, *full)
            by_tau = np.triu(oracle.data.Minv) + np.triu(oracle.data.Minv, 1).T
            theirs = [oracle.G.T @ x @ oracle.G for x in (oracle.data.ddq_dq, oracle.data.ddq_dv, by_tau)]
        force = oracle.force_terms(q, v, a) + oracle.lever(q) * np.abs(f_ext).max()
        by_v = oracle.force_terms(q, np.abs(v) + 1, 0 * a)
        for what, x, y, size in zip(
            ("configuration", "velocity", "joint forces"), ours, theirs, (force, by_v, 1.0), strict=True
        ):
            compare(f"derivative by {what}", x, y, forward_dynamics_scale(M, size, y), kappa)
        compare("inverse of the mass matrix", tandem.inverse_mass_matrix(model, q), theirs[2], 0.0, kappa)


def test_coriolis_matrix(case: Case) -> None:
    model, oracle, compare = start(case, "inverse dynamics")
    if oracle.axes_turn:
        pytest.skip("the axes of universal joints stand still in Pinocchio's matrix")
    for q, v, a, *_ in states(model):
        size = oracle.force_terms(q, np.abs(v) + 1, 0 * a)
        theirs = pin.computeCoriolisMatrix(oracle.model, oracle.data, oracle.configuration(q), oracle.G @ v)
        theirs = oracle.G.T @ theirs @ oracle.G
        compare("Coriolis matrix", tandem.coriolis_matrix(model, q, v), theirs, size)
        compare("rate of the mass matrix", tandem.mass_matrix_rate(model, q, v), theirs + theirs.T, size)


def test_inverse_dynamics_terms(case: Case) -> None:
    model, oracle, compare = start(case, "inverse dynamics")
    for q, v, a, _, f_ext in states(model):
        scale = oracle.force_terms(q, v, a) + oracle.lever(q) * np.abs(f_ext).max()
        ours = tandem.inverse_dynamics_terms(model, q, v, a, f_ext)
        compare("inertial forces", ours.inertial, oracle.mass_matrix(q) @ a, scale)
        theirs = (oracle.model, oracle.data, oracle.configuration(q))
        weight = oracle.G.T @ pin.computeGeneralizedGravity(*theirs)
        compare("gravity forces, of the terms", ours.gravity, weight, scale)
        moving = oracle.G.T @ pin.nonLinearEffects(*theirs, oracle.G @ v) - weight
        compare("Coriolis and centrifugal forces", ours.coriolis + ours.centrifugal, moving, scale)
        outer = oracle.inverse_dynamics(q, v, a, f_ext) - oracle.inverse_dynamics(q, v, a)
        compare("forces against those on the links", ours.external, outer, scale)
        passive = tandem.passive_forces(model, q, v)
        total = oracle.inverse_dynamics(q, v, a, f_ext) - passive
        compare("sum of the terms", sum(ours), total, scale + np.abs(passive).max(initial=0))


def test_interbody_wrenches(case: Case) -> None:
    model, oracle, compare = start(case, "inverse dynamics")
    for state in states(model):
        q, v, a, _, f_ext = state
        terms = oracle.force_terms(q, v, a) + oracle.lever(q) * np.abs(f_ext).max()
        ours = tandem.interbody_wrenches(model, q, v, a, f_ext)
        theirs = oracle.interbody_wrenches(q, v, a, f_ext)
        compare("interbody wrenches", ours[1:], theirs, terms + np.abs(theirs).max(initial=0))


def test_inverse_dynamics_regressor(case: Case) -> None:
    model, oracle, compare = start(case, "inverse dynamics")
    for state in states(model):
        q, v, a, _, _ = state
        theirs = oracle.regressor(q, v, a)
        # its columns reach from millimetres to the whole robot: each beside the largest of them
        compare("regressor", tandem.inverse_dynamics_regressor(model, q, v, a), theirs)
        pi = oracle.inertial_parameters()
        compare("inertial parameters", model.inertial_parameters, pi, np.abs(pi).max(initial=0))


@pytest.mark.parametrize("reference", REFERENCES)
def test_operational_space_mobility(case: Case, reference: Any) -> None:
    model, oracle, compare = start(case, "forward dynamics")
    if model.nv == 0:
        pytest.skip(f"{case.name} has no joints")
    frame = model.frame_names[-1]
    for state in states(model):
        M = oracle.mass_matrix(state.q)
        kappa = np.linalg.cond(M)
        if kappa > SINGULAR or np.linalg.eigvalsh(M)[0] <= 0:
            pytest.skip(f"{case.name}: mass matrix not positive definite, condition number {kappa:.1e}")
        J, _ = oracle.jacobians(state.q, state.v, frame, reference)
        ours = tandem.operational_space_mobility(model, state.q, frame, reference)
        scale = forward_dynamics_scale(M, np.abs(J).max(), np.linalg.solve(M, J.T)) * np.abs(J).max()
        compare(f"mobility of {frame}, {reference}", ours, J @ np.linalg.solve(M, J.T), scale, kappa)


def test_mass_matrix(case: Case) -> None:
    model, oracle, compare = start(case, "mass matrix")
    for state in states(model):
        compare("mass matrix", tandem.mass_matrix(model, state.q), oracle.mass_matrix(state.q))


def test_forward_dynamics(case: Case) -> None:
    model, oracle, compare = start(case, "forward dynamics")
    diagonal = np.random.default_rng(7).uniform(size=model.nv)
    for state in states(model):
        q, v, a, tau, f_ext = state
        M = oracle.mass_matrix(q)
        kappa = np.linalg.cond(M) if model.nv else 1.0
        if model.nv and (kappa > SINGULAR or np.linalg.eigvalsh(M)[0] <= 0):
            pytest.skip(f"{case.name}: mass matrix not positive definite, condition number {kappa:.1e}")
        force = (
            np.abs(tau).max(initial=0)
            + oracle.force_terms(q, v, 0 * a)
            + oracle.lever(q) * np.abs(f_ext).max()
        )
        D = diagonal * np.abs(M).max(initial=0)
        theirs = oracle.forward_dynamics(q, v, tau, f_ext)
        theirs_D = oracle.forward_dynamics(q, v, tau, f_ext, D)
        scale, scale_D = (
            forward_dynamics_scale(M, force, x) if model.nv else 1.0 for x in (theirs, theirs_D)
        )
        for method in ("articulated_body", "composite_rigid_body"):
            ours = tandem.forward_dynamics(model, q, v, tau, f_ext, method=method)
            compare(f"forward dynamics by {method}", ours, theirs, scale, kappa)
            ours = tandem.forward_dynamics(model, q, v, tau, f_ext, D, method=method)
            compare(f"forward dynamics with a diagonal by {method}", ours, theirs_D, scale_D, kappa)
        if model.nv:
            ours = tandem.inverse_mass_matrix_product(model, q, tau)
            compare("M^-1 x", ours, np.linalg.solve(M, tau), kappa=kappa)


def test_energy(case: Case) -> None:
    model, oracle, compare = start(case, "momentum")
    for state in states(model):
        kinetic, potential = tandem.energy(model, state.q, state.v)
        full = oracle.configuration(state.q)
        theirs = pin.computeKineticEnergy(oracle.model, oracle.data, full, oracle.G @ state.v)
        compare("kinetic energy", kinetic, theirs)
        theirs = pin.computePotentialEnergy(oracle.model, oracle.data, full)
        compare("potential energy", potential, theirs, oracle.moving_mass * 9.81 * oracle.lever(state.q))


def test_momentum(case: Case) -> None:
    model, oracle, compare = start(case, "momentum")
    for state in states(model):
        q, v = state.q, state.v
        com, velocity, J = tandem.centre_of_mass(model, q, v, jacobian=True)
        h, A = tandem.centroidal_momentum(model, q, v, matrix=True)
        their_com, their_velocity, their_J = oracle.centre_of_mass(q, v)
        their_h, their_A = oracle.centroidal_momentum(q, v)
        reach, speed = oracle.lever(q), np.abs(v).max(initial=0)
        compare("centre of mass", com, their_com, reach)
        compare("velocity of the centre of mass", velocity, their_velocity, reach * speed)
        compare("Jacobian of the centre of mass", J, their_J, reach)
        # about the world's origin first, then moved to the centre of mass
        size = oracle.moving_mass * reach**2
        compare("centroidal momentum matrix", A, their_A, size)
        compare("centroidal momentum", h, their_h, size * speed)


def test_derivatives_of_momentum(case: Case) -> None:
    model, oracle, compare = start(case, "momentum")
    if model.nv == 0 or oracle.axes_turn:
        pytest.skip("no joints, or axes of universal joints, which stand still in Pinocchio's derivatives")
    for q, v, a, *_ in states(model):
        ours = tandem.centroidal_momentum_derivatives(model, q, v, a, matrix=True)
        theirs = oracle.momentum_derivatives(q, v, a)
        # about the world's origin first, then moved to the centre of mass
        size, speed = oracle.moving_mass * oracle.lever(q) ** 2, np.abs(v).max() + 1
        sizes = (size * speed, size * (speed**2 + np.abs(a).max()), size * speed, size)
        for what, x, y, terms in zip(
            ("momentum by q", "rate by q", "rate by v", "matrix"), ours, theirs, sizes, strict=True
        ):
            compare(what, x, y, terms)
        centre = tandem.centre_of_mass_derivatives(model, q, v, a)
        for what, x, y, terms in zip(("velocity by q", "by q", "by v"), centre, theirs[:3], sizes[:3], strict=True):
            compare(f"centre of mass, {what}", x, y[:3] / oracle.moving_mass, terms / oracle.moving_mass)


def test_a_link_of_ours_for_every_link(case: Case) -> None:
    model, oracle = load(case), pinocchio(case)
    assert set(oracle.link_names) <= set(model.frame_names)
