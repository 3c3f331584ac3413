# SPDX-License-Identifier: Apache-2.0
"""The command line on files of 1000 random states, beside Pinocchio."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from oracle_support import MODELS, ROOT, Case, Comparison, forward_dynamics_scale, load, shipped
from pinocchio_support import Pinocchio

import tandem

CLI = Path(os.environ.get("TANDEM_CLI", ROOT / "build" / "release" / "bin" / "tandem"))
STATES = 1000
CASES = [
    shipped("arm7"),
    shipped("humanoid"),
    Case(MODELS / "urdf" / "grid_iiwa" / "iiwa.urdf", False),
    Case(MODELS / "urdf" / "shadow_hand" / "shadow_hand_right.urdf", False),
    Case(MODELS / "urdf" / "unitree_go1" / "go1.urdf", True),
]


def write_csv(file: Path, columns: dict[str, np.ndarray]) -> None:
    names = [f"{name}{i}" for name, values in columns.items() for i in range(values.shape[1])]
    np.savetxt(
        file,
        np.hstack(list(columns.values())),
        fmt="%.17g",
        delimiter=",",
        header=",".join(names),
        comments="",
    )


@pytest.mark.parametrize("method", ["articulated-body", "composite-rigid-body"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_forward_dynamics_of_a_file(case: Case, method: str, tmp_path: Path) -> None:
    if not CLI.exists():
        pytest.skip(f"THE COMMAND LINE IS NOT COMPARED: there is no program {CLI}; set TANDEM_CLI")
    if not case.file.exists():
        pytest.skip(f"NOT COMPARED: there is no file {case.file}")
    model = load(case)
    oracle = Pinocchio(case, model)
    rng = np.random.default_rng(4)
    q = tandem.random_configuration(model, seed=1, batch=STATES)
    v, tau = rng.normal(size=(2, STATES, model.nv))
    tau *= 10 * np.abs(tandem.mass_matrix(model, q)).max(axis=(1, 2))[:, None]
    write_csv(tmp_path / "states.csv", {"q": q, "v": v, "tau": tau})
    files = ["--in", tmp_path / "states.csv", "--out", tmp_path / "a.csv"]
    floating = ["--floating"] if case.floating else []
    command = [CLI, "eval", "forward-dynamics", case.file, "--method", method, *files, *floating]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr

    header = (tmp_path / "a.csv").read_text().splitlines()[0]
    assert header == ",".join(f"a{i}" for i in range(model.nv))
    ours = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    assert ours.shape == (STATES, model.nv)
    compare = Comparison("Pinocchio (command line)", case, model.depth, "forward dynamics")
    no_force = np.zeros((model.n_links, 6))
    for k in range(STATES):
        theirs = oracle.forward_dynamics(q[k], v[k], tau[k], no_force)
        M = oracle.mass_matrix(q[k])
        force = np.abs(tau[k]).max() + oracle.force_terms(q[k], v[k], 0 * v[k])
        compare(f"line {k + 2}", ours[k], theirs, forward_dynamics_scale(M, force, theirs), np.linalg.cond(M))


@pytest.mark.parametrize("robot", ["chain:30", "tree:30", "snake:10"])
def test_generated_urdf(robot: str, tmp_path: Path) -> None:
    if not CLI.exists():
        pytest.skip(f"THE COMMAND LINE IS NOT COMPARED: there is no program {CLI}; set TANDEM_CLI")
    file = tmp_path / f"{robot.replace(':', '-')}.urdf"
    with file.open("w") as out:
        subprocess.run([CLI, "generate", robot, "--seed", "1"], stdout=out, check=True)
    model = tandem.load(robot, seed=1)
    case = Case(file, False)
    oracle = Pinocchio(case, model)
    compare = Comparison("Pinocchio (generated URDF)", case, model.depth, "mass matrix")
    for seed in range(3):
        q = tandem.random_configuration(model, seed=seed)
        compare("mass matrix", tandem.mass_matrix(model, q), oracle.mass_matrix(q))
