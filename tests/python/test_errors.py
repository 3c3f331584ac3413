# SPDX-License-Identifier: Apache-2.0
"""Every wrong call says which argument is wrong, what was expected and what was given."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from support import robot

import tandem

ZERO = np.zeros(7)


def arm() -> tandem.Model:
    return robot("arm7")


CASES = {
    "shape": (
        lambda: tandem.gravity_forces(arm(), np.zeros(6)),
        "q has shape (6,), expected (7,) or (..., 7)",
    ),
    "rank": (lambda: tandem.gravity_forces(arm(), np.zeros(())), "q has shape (), expected (7,) or (..., 7)"),
    "force shape": (
        lambda: tandem.inverse_dynamics(arm(), ZERO, ZERO, ZERO, np.zeros(6)),
        "f_ext has shape (6,), expected (8, 6) or (..., 8, 6)",
    ),
    "batches": (
        lambda: tandem.passive_forces(arm(), np.zeros((5, 7)), np.zeros((4, 7))),
        "v has a batch of 4 states, but q has 5",
    ),
    "dtype": (
        lambda: tandem.gravity_forces(arm(), ZERO.astype(complex)),
        "q has dtype complex128, expected float64",
    ),
    "half": (
        lambda: tandem.gravity_forces(arm(), ZERO.astype(np.float16)),
        "q has dtype float16, expected float64",
    ),
    "text": (lambda: tandem.gravity_forces(arm(), "home"), "q has dtype <U4, expected float64"),
    "ragged": (
        lambda: tandem.gravity_forces(arm(), [[1], [2, 3]]),
        "q cannot be read as an array of numbers",
    ),
    "missing": (lambda: tandem.gravity_forces(arm(), None), "argument q is missing"),
    "acceleration without v": (
        lambda: tandem.forward_kinematics(arm(), ZERO, a=ZERO),
        "needs the argument v",
    ),
    "out shape": (
        lambda: tandem.gravity_forces(arm(), ZERO, out=np.zeros(6)),
        "gravity_forces: out (tau) has shape (6,), expected (7,)",
    ),
    "out batch": (
        lambda: tandem.gravity_forces(arm(), np.zeros((3, 7)), out=ZERO.copy()),
        "out (tau) has shape (7,), expected (3, 7)",
    ),
    "out precision": (
        lambda: tandem.gravity_forces(arm(), ZERO, out=np.zeros(7, np.float32)),
        "out (tau) is float32, but q is float64",
    ),
    "out integers": (
        lambda: tandem.gravity_forces(arm(), ZERO, out=np.zeros(7, int)),
        "out (tau) has dtype int64",
    ),
    "out order": (
        lambda: tandem.mass_matrix(arm(), ZERO, out=np.zeros((7, 8))[:, :7]),
        "out (M) has unsupported strides: the numbers of a state must be evenly spaced, in C order",
    ),
    "out read-only": (
        lambda: tandem.gravity_forces(arm(), ZERO, out=np.broadcast_to(0.0, 7)),
        "out (tau) cannot be written to",
    ),
    "out list": (
        lambda: tandem.gravity_forces(arm(), ZERO, out=[0.0] * 7),
        "out (tau) is a list, expected a NumPy array or an array that supports DLPack",
    ),
    "out count": (
        lambda: tandem.energy(arm(), ZERO, ZERO, out=np.zeros(1)),
        "energy: out has 1 arrays, expected 2",
    ),
    "frame index": (
        lambda: tandem.jacobian(arm(), ZERO, 99),
        "frame 99 does not exist; arm7 has the frames 0 to 8",
    ),
    "frame name": (lambda: tandem.jacobian(arm(), ZERO, "tol0"), 'did you mean "tool0"?'),
    "reference": (
        lambda: tandem.jacobian(arm(), ZERO, 1, "locl"),
        'no reference is called "locl"; there are local, world',
    ),
    "method": (
        lambda: tandem.forward_dynamics(arm(), ZERO, ZERO, ZERO, method="fast"),
        'no method is called "fast"',
    ),
    "robot": (lambda: tandem.load("arm9"), "one of the shipped robots arm6, arm7"),
    "generator": (lambda: tandem.load("chain:many"), "chain:many"),
    "joint": (lambda: arm().joint(0), "joint 0 does not exist; arm7 has the joints 1 to 7"),
    "link name": (lambda: arm().link_index("link"), 'no link "link"'),
    "gravity": (lambda: arm().with_gravity([0, 0]), "gravity must be 3 numbers, not [0, 0]"),
    "joint type": (
        lambda: tandem.ModelBuilder("x").joint("j", "hinge", "a", "b"),
        'joint "j": no joint type is called "hinge"; there are fixed, revolute',
    ),
    "axis": (
        lambda: tandem.ModelBuilder("x").joint("j", "revolute", "a", "b", axis=1),
        'joint "j": axis must be 3 numbers',
    ),
    "two rotations": (
        lambda: tandem.ModelBuilder("x").frame("f", "a", rpy=(0, 0, 0), quaternion=(0, 0, 0, 1)),
        'frame "f": give rpy or quaternion, not both',
    ),
    "inertia": (
        lambda: tandem.ModelBuilder("x").link("a", inertia=[1, 2]),
        'link "a": inertia must be a 3 x 3 matrix or',
    ),
    "unsymmetric": (
        lambda: tandem.ModelBuilder("x").link("a", inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
        'link "a": inertia is not symmetric',
    ),
    "time step": (lambda: tandem.Simulation(arm(), dt=-1.0), "dt"),
    "integrator": (lambda: tandem.Simulation(arm(), integrator="euler"), 'no integrator is called "euler"'),
    "simulation forces": (lambda: tandem.Simulation(arm()).step([1, 2]), "tau has shape (2,), expected (7,)"),
    "simulation precision": (
        lambda: tandem.Simulation(arm(), dtype=int),
        "dtype is int64, expected float64 or float32",
    ),
    "check precision": (
        lambda: tandem.check_model(arm(), dtype=int),
        "dtype is int64, expected float64 or float32",
    ),
    "duration": (lambda: tandem.Simulation(arm()).run(-1.0), "duration is -1.0 s"),
    "endless": (lambda: tandem.Simulation(arm()).run(np.inf),
                "duration is inf s, expected a finite non-negative number"),
    "no duration": (lambda: tandem.Simulation(arm()).run(np.nan), "duration is nan s"),
    "very long": (lambda: tandem.Simulation(arm()).run(1e14), "out of memory"),
    "every": (lambda: tandem.Simulation(arm()).run(1.0, every=0), "every is 0, expected 1 or more"),
    "step without a number": (
        lambda: tandem.Simulation(arm()).step(np.full(7, np.nan)),
        "Simulation: tau has nan at 0, expected finite numbers",
    ),
    "run without a number": (
        lambda: tandem.Simulation(arm()).run(0.1, tau=[0, 0, 0, -np.inf, 0, 0, 0]),
        "Simulation: tau has -inf at 3, expected finite numbers",
    ),
    "forces without a number": (
        lambda: tandem.Simulation(arm()).run(0.1, tau=lambda s: s.v * np.nan),
        "Simulation: tau has nan at 0, expected finite numbers",
    ),
    "q without a number": (
        lambda: setattr(tandem.Simulation(arm()), "q", [0, np.nan, 0, 0, 0, 0, 0]),
        "Simulation: q has nan at 1, expected finite numbers",
    ),
    "v without a number": (lambda: setattr(tandem.Simulation(arm()), "v", np.inf), "Simulation: v has inf at 0"),
    "state without a number": (
        lambda: (lambda s: (s.v.fill(np.nan), s.step()))(tandem.Simulation(arm())),
        "Simulation: the state has a number that is not finite; set q and v",
    ),
    "run from no number": (
        lambda: (lambda s: (s.q.fill(np.inf), s.run(0.1)))(tandem.Simulation(arm())),
        "Simulation: the state has a number that is not finite; set q and v",
    ),
    "a file for its text": (
        lambda: tandem.read_urdf("robots/arm7.urdf"),
        'read_urdf: text is "robots/arm7.urdf", expected URDF text; for a file use describe(file)',
    ),
    "gravity without a number": (
        lambda: arm().with_gravity([0, 0, np.nan]),
        "gravity is [0, 0, nan], expected finite numbers",
    ),
    "acceleration without a number": (
        lambda: arm().with_base_acceleration([0, 0, 0, np.inf, 0, 0]),
        "acceleration is [0, 0, 0, inf, 0, 0], expected finite numbers",
    ),
    "negative batch": (
        lambda: tandem.random_configuration(arm(), batch=-1),
        "random_configuration: batch is -1, expected 0 or more",
    ),
    "half a batch": (
        lambda: tandem.random_configuration(arm(), batch=1.5),  # type: ignore[arg-type]
        "batch is 1.5, expected an integer, 0 or more",
    ),
    "endless batch": (
        lambda: tandem.random_configuration(arm(), batch=10**15),
        "array of shape (1000000000000000, 7) needs 5.6e+16 bytes",
    ),
    "batch beyond all numbers": (lambda: tandem.random_configuration(arm(), batch=10**30), "out of memory"),
    "negative seed": (
        lambda: tandem.random_configuration(arm(), seed=-1),
        "seed is -1, expected 0 to 18446744073709551615",
    ),
    "large seed of a batch": (
        lambda: tandem.random_configuration(arm(), seed=2**32, batch=2),
        "seed is 4294967296, expected 0 to 4294967295",
    ),
    "batch of a plan": (lambda: tandem.Plan(arm(), "energy", batch=1), 'unknown option "batch"'),
    "threads of a plan": (lambda: tandem.Plan(arm(), "energy", threads=2), 'unknown option "threads"'),
    "states to check": (lambda: tandem.check_model(arm(), states=-1), "check_model: states is -1, expected 1 to"),
    "chunk": (
        lambda: tandem.forward_dynamics(arm(), ZERO, ZERO, ZERO, method="scan", options={"chunk": -1}),
        "chunk is -1, expected 0 or more",
    ),
    "chunk of a method that has none": (
        lambda: tandem.forward_dynamics(arm(), ZERO, ZERO, ZERO, options={"chunk": -1}),
        "chunk is -1, expected 0 or more",
    ),
    "negative mass": (
        lambda: tandem.gravity_forces(arm(), ZERO, parameters={"mass": [1, 1, -2, 1, 1, 1, 1, 1]}),
        "gravity_forces: parameter mass has -2.0 at row 2, expected 0 or more",
    ),
    "negative armature": (
        lambda: tandem.mass_matrix(
            arm(), np.zeros((3, 7), np.float32), parameters={"armature": np.float32([ZERO, ZERO, ZERO - 1])}
        ),
        "mass_matrix: parameter armature has -1.0 at state 2, row 0, expected 0 or more",
    ),
    "outputs that are one": (
        lambda: (lambda z: tandem.centre_of_mass(arm(), ZERO, ZERO, out=(z, z)))(np.zeros(3)),
        "out (velocity) and out (com) share memory; every output needs its own array",
    ),
    "outputs that cross": (
        lambda: (lambda z: tandem.energy(arm(), np.zeros((4, 7)), ZERO, out=(z[:4], z[3:])))(np.zeros(7)),
        "share memory; every output needs its own array",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_error_text(case):
    wrong_call, text = CASES[case]
    with pytest.raises(tandem.Error) as error:
        wrong_call()
    assert text in str(error.value)


def test_errors_are_value_errors():
    assert issubclass(tandem.Error, ValueError) and issubclass(tandem.ModelError, tandem.Error)


@pytest.mark.parametrize("model", ["arm7", None, 7])
def test_something_that_is_no_model_is_a_type_error(model):
    with pytest.raises(TypeError, match=r"gravity_forces: model must be a tandem\.Model, not"):
        tandem.gravity_forces(model, ZERO)  # type: ignore[arg-type]


def test_a_model_error_lists_every_problem():
    urdf = """<robot name="bad">
  <link name="a"/>
  <link name="b"><inertial><mass value="-1"/></inertial></link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 0"/></joint>
  <joint name="k" type="wheel"><parent link="a"/><child link="nowhere"/></joint>
</robot>"""
    with pytest.raises(tandem.ModelError) as error:
        tandem.Model.from_urdf_string(urdf, name="bad.urdf")
    problems = error.value.problems
    assert len(problems) >= 4
    assert {p.file for p in problems} == {"bad.urdf"} and {p.line for p in problems} >= {3, 4, 5}
    assert all(isinstance(p, tandem.types.Problem) and p.message in str(error.value) for p in problems)
    again = pickle.loads(pickle.dumps(error.value))
    assert str(again) == str(error.value)


def test_text_that_is_no_utf8_is_shown_all_the_same(tmp_path):
    path = tmp_path / "junk.urdf"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(tandem.ModelError):
        tandem.load(path)
    with pytest.raises(tandem.ModelError):
        tandem.load(tmp_path / "missing.urdf")


@pytest.mark.parametrize("values", [np.ones(7) + 0j, np.array(["1"] * 7), np.array(["2026-01-01"] * 7, "M8[D]")],
                         ids=["complex", "text", "dates"])
def test_what_is_not_real_is_refused(values):
    arm = robot("arm7")
    for what, call in (
        ("Simulation: q", lambda: setattr(tandem.Simulation(arm), "q", values)),
        ("Simulation: tau", lambda: tandem.Simulation(arm).step(values)),
        ("VectorSimulation: an array", lambda: setattr(tandem.VectorSimulation(arm, 2), "q", values)),
        ("rollout: q0", lambda: tandem.rollout(arm, values, steps=2)),
        ("contact_step: q", lambda: tandem.contact_step(arm, values, np.zeros(7))),
        ("contact_dynamics: q", lambda: tandem.contact_dynamics(arm, values, np.zeros(7), np.zeros(7))),
        ("contacts: q", lambda: tandem.contacts(arm, values)),
        ("actuator_forces: q", lambda: tandem.actuator_forces(arm, values, np.zeros(7), [])),
    ):
        with pytest.raises(tandem.Error, match=f"{what} has dtype .*, expected real numbers"):
            call()
