# SPDX-License-Identifier: Apache-2.0
"""Robots whose mass matrix has no inverse: nobody gets NaN without a word, and the word is the right one."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from support import argument, robot

import tandem


def point_on_its_axis() -> tandem.Model:
    builder = tandem.ModelBuilder("spinner").link("base").link("arm", 1, com=(0, 0, 0.2), inertia=(1, 0, 0, 1, 0, 1))
    builder.joint("shoulder", "revolute", "base", "arm", axis=(0, 1, 0)).link("tip", 1)
    return builder.joint("spin", "revolute", "arm", "tip", axis=(0, 0, 1), position=(0, 0, 0.5)).build()


def two_on_one_axis() -> tandem.Model:
    builder = tandem.ModelBuilder("double").link("base").link("ring").link("rod", 1, inertia=(1, 0, 0, 1, 0, 1))
    builder.joint("outer", "revolute", "base", "ring", axis=(0, 0, 1))
    return builder.joint("inner", "revolute", "ring", "rod", axis=(0, 0, 1)).build()


def long_and_singular() -> tandem.Model:
    builder = tandem.ModelBuilder("rope").link("l0")
    for k in range(600):
        builder.link(f"l{k + 1}", 1, com=(0.1, 0, 0), inertia=(1, 0, 0, 1, 0, 1) if k < 599 else (0,) * 6)
        builder.joint(f"j{k + 1}", "revolute", f"l{k}", f"l{k + 1}", axis=(1, 0, 0) if k == 599 else (0, 0, 1))
    return builder.build()


SPIN = 'joint "spin" moves no inertia: link "tip" and its descendants have none in its direction'
CASES = {
    "leaf": (point_on_its_axis, SPIN),
    "two joints": (two_on_one_axis, 'joints "outer" and "inner" can move without inertia'),
    "long": (long_and_singular, "a joint moves no inertia"),
}


@pytest.mark.parametrize("batch", [None, 1, 40])
@pytest.mark.parametrize("case", CASES)
def test_a_warning_names_the_joint(case, batch):
    make, text = CASES[case]
    model = make()
    q = np.zeros(model.nq) if batch is None else np.zeros((batch, model.nq))
    where = "not finite in state 0 of the batch: " if batch else "not finite: "
    with pytest.warns(tandem.SingularWarning) as caught:
        tandem.forward_dynamics(model, q, np.zeros(model.nv), np.ones(model.nv))
    (one,) = caught
    assert f"forward_dynamics: the result for {model.name} is {where}" in str(one.message)
    assert f"the mass matrix is singular; {text}" in str(one.message) and one.filename == __file__


CALLS = {
    "forward_dynamics": (np.zeros(2), np.ones(2)),
    "constraint_wrenches": (np.zeros(2), np.ones(2)),
    "inverse_mass_matrix_product": (np.ones(2),),
}


@pytest.mark.parametrize("function", CALLS)
def test_every_function_that_inverts_it(function):
    model, q = point_on_its_axis(), np.zeros(2)
    with pytest.warns(tandem.SingularWarning, match=function):
        getattr(tandem, function)(model, q, *CALLS[function])
    with pytest.warns(tandem.SingularWarning, match=function) as caught:
        tandem.Plan(model, function)(q, *CALLS[function])
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        status = np.zeros((), np.uint8)
        getattr(tandem, function)(model, q, *CALLS[function], status=status)
        assert status == tandem.Status.SINGULAR, "who asks is told there"


def test_it_is_said_once_and_may_be_an_error():
    model, zero = point_on_its_axis(), np.zeros(2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            tandem.forward_dynamics(model, zero, zero, zero + 1)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", tandem.SingularWarning)
        with pytest.raises(tandem.SingularWarning):
            tandem.forward_dynamics(model, zero, zero, zero + 1)


def test_robots_that_differ_are_all_looked_at():
    model = point_on_its_axis()
    inertia = np.tile(model.parameter("inertia"), (100, 1, 1))
    inertia[:, 2, [0, 3, 5]] = 0.1
    inertia[57, 2] = 0
    with pytest.warns(tandem.SingularWarning, match='in state 57 of the batch: .* joint "spin" moves no inertia'):
        tandem.forward_dynamics(model, np.zeros(2), np.zeros(2), np.ones(2), parameters={"inertia": inertia})


def test_what_is_not_the_robots_fault_is_not_said_of_it():
    model = robot("arm7")
    q, v, tau = (argument(model, name, 40) for name in ("q", "v", "tau"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tandem.forward_dynamics(model, q, v, tau)
        q[0] = np.nan
        tandem.forward_dynamics(model, q, v, tau)
    with pytest.warns(tandem.SingularWarning, match="velocities or forces, .* too large for float32"):
        tandem.forward_dynamics(model, *(np.full(7, x, np.float32) for x in (0, 1e30, 0)))


@pytest.mark.parametrize("model", [point_on_its_axis(), long_and_singular()], ids=lambda m: m.name)
def test_a_simulation_names_the_joint_instead_of_its_step(model):
    simulation = tandem.Simulation(model)
    text = "the state is no longer finite after 1 steps, at 0.001 s; the mass matrix is singular: .*moves no inertia"
    with pytest.raises(tandem.Error, match=text):
        simulation.run(1.0)
    with pytest.raises(tandem.Error, match=r"Simulation\.step: " + text):
        tandem.Simulation(model).step()


def test_a_step_that_is_not_finite_may_not_have_converged():
    """Its own equations, of implicit_midpoint, where the mass matrix has an inverse; other functions solve none."""
    from tandem._common import diagnose

    arm, q = robot("arm7"), np.ones(7)
    with pytest.warns(tandem.SingularWarning, match="step_vjp: .* integrator='implicit_midpoint' did not converge"):
        diagnose.warn("step_vjp", arm, q, None, "float64", {})
    with pytest.warns(tandem.SingularWarning, match="forward_dynamics: .* not finite: velocities or forces"):
        diagnose.warn("forward_dynamics", arm, q, None, "float64", {})
