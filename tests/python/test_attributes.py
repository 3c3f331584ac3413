# SPDX-License-Identifier: Apache-2.0
"""What is written where it would be lost is refused."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from support import robot

import tandem


def test_misspelt_attributes_are_refused_with_the_nearest():
    batch = tandem.VectorSimulation(robot("arm7"), 9)
    for name, words in (
        ("torques", 'VectorSimulation has no attribute "torques"; the name in Tandem is "tau"'),
        ("qpos", 'VectorSimulation has no attribute "qpos"; the name in Tandem is "q"'),
        ("targets", 'the name in Tandem is "q_target"'),
        ("q_targt", 'did you mean "q_target"'),
        ("something", "it has act, configurations, contact_forces, contact_state, ctrl, dissipated, diverged"),
    ):
        with pytest.raises(AttributeError, match=words):
            setattr(batch, name, np.zeros(7))
        assert not hasattr(batch, name)
    with pytest.raises(AttributeError):
        batch.dt = 1e-2
    with pytest.raises(AttributeError, match='JointView has no attribute "qpos"; the name in Tandem is "q"'):
        batch.joint("joint2").qpos = 0.1
    with pytest.raises(AttributeError, match='LinkView has no attribute "masss"; did you mean "mass"'):
        batch.link("link7").masss = 3.0
    simulation = tandem.Simulation(robot("arm7"))
    with pytest.raises(AttributeError,
                       match=r'Simulation has no attribute "tau"; joint torques are arguments of step\(tau\)'):
        simulation.tau = np.ones(7)
    with pytest.raises(AttributeError, match=r"joint torques are arguments of step\(tau\)"):
        simulation.torques = np.ones(7)

    class Mine(tandem.VectorSimulation):
        """May have more."""

    mine = Mine(robot("arm7"), 2)
    mine.goal = 3
    assert mine.goal == 3


def test_what_a_robot_has_is_read_only_where_a_change_would_be_lost():
    arm = robot("arm7")
    for numbers in (arm.parameter("mass"), arm.parameter("inertia"), arm.inertial_parameters, arm.q_lower,
                    arm.link("link3").inertia, arm.link("link3").centre_of_mass, arm.joint("joint2").placement):
        with pytest.raises(ValueError, match="read-only"):
            numbers[...] = 1
    mass = arm.parameter("mass").copy()
    mass[3] = 500
    q = np.ones(7)
    assert not np.allclose(tandem.mass_matrix(arm, q, parameters={"mass": mass}), tandem.mass_matrix(arm, q))
    start = tandem.describe("arm7").configuration("home", {"joint1": 0.25}).build().configuration("home")
    start[1] = 0.5  # to go on with
    assert start.tolist() == [0.25, 0.5, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("count", [10**10, 2**40])
def test_too_many_robots_are_an_error_that_says_so(count):
    code = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
import tandem
arm = tandem.load("arm7")
for make in (lambda: tandem.VectorSimulation(arm, {count}), lambda: tandem.Simulation(arm, batch={count})):
    try:
        make()
    except tandem.Error as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"Simulation: out of memory for {count} robots"] * 2
    with pytest.raises(tandem.Error, match="size is .*, expected 1 to 1099511627776"):
        tandem.VectorSimulation(robot("arm7"), 2**62)
