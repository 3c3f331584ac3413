#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/ROBOT.json: what Pinocchio and MuJoCo say of the shipped robots, where they agree.

    tools/make_golden.py                write the files of all shipped robots
    tools/make_golden.py arm7           write that of one
    tools/make_golden.py --check        write nothing; exit 1 if a file differs, in numbers by more than 1e-9

Needs tandem, pin and mujoco. Tandem gives the order of joints and frames and the random configurations,
but no result.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))

from mujoco_support import Mujoco  # noqa: E402
from oracle_support import SHIPPED, load, shipped  # noqa: E402
from pinocchio_support import Pinocchio  # noqa: E402

import tandem  # noqa: E402

GOLDEN = ROOT / "tests" / "golden"
SEED, STATES = 2026, 3
AGREEMENT = 1e-9
CONVENTIONS = {
    "units": "SI, rad",
    "gravity": "0 0 -9.81 along the base's axes",
    "q": "joints in the order given; of a free joint x y z qx qy qz qw",
    "v, a, tau": "joints in the order given; of a free joint linear then angular, axes of the moving link",
    "M": "lower triangle of the mass matrix, by rows",
    "bias": "joint forces when a = 0",
    "inverse_dynamics": "joint forces that give a",
    "forward_dynamics": "acceleration that tau gives",
    "poses": "frames in the order given; rows of [R | p] one after the other, in the world",
}


def agreed(robot: str, what: str, of_pinocchio: np.ndarray, of_mujoco: np.ndarray) -> np.ndarray:
    """Pinocchio's numbers, if MuJoCo's are the same."""
    error = np.abs(of_pinocchio - of_mujoco).max() / np.abs(of_pinocchio).max()
    if not error <= AGREEMENT:
        sys.exit(f"{robot}: Pinocchio and MuJoCo differ by {error:.1e} in {what}; nothing written for it")
    return of_pinocchio


def state(name: str, model: tandem.Model, p: Pinocchio, m: Mujoco, seed: int) -> dict[str, Any]:
    """Arguments and results of one random state."""
    q = tandem.random_configuration(model, seed=seed)
    v, a, tau = np.random.default_rng(seed).normal(size=(3, model.nv))
    tau *= 10
    no_force = np.zeros((model.n_links, 6))
    M = agreed(name, "M", p.mass_matrix(q), m.mass_matrix(q))
    results = {
        "bias": (p.inverse_dynamics(q, v, 0 * a), m.bias_forces(q, v)),
        "inverse_dynamics": (p.inverse_dynamics(q, v, a), m.inverse_dynamics(q, v, a)),
        "forward_dynamics": (
            p.forward_dynamics(q, v, tau, no_force),
            m.forward_dynamics(q, v, tau, no_force),
        ),
        "poses": (p.forward_kinematics(q, v, a, "local")[0].reshape(-1, 12), m.poses(q).reshape(-1, 12)),
    }
    numbers = {"q": q, "v": v, "a": a, "tau": tau} | {
        key: agreed(name, key, *two) for key, two in results.items()
    }
    lists = {key: value.tolist() for key, value in numbers.items()}
    return lists | {"M": [M[i, : i + 1].tolist() for i in range(model.nv)]}


def golden(name: str) -> str:
    """Text of a robot's file: JSON with every vector on a line."""
    case = shipped(name)
    model = load(case)
    p, m = Pinocchio(case, model), Mujoco(case, model)
    content = {
        "robot": name,
        "made_by": "tools/make_golden.py",
        "versions": {"pinocchio": pinocchio.__version__, "mujoco": mujoco.__version__},
        "agreement": AGREEMENT,
        "sha256": hashlib.sha256(case.file.read_bytes()).hexdigest(),
        "seed": SEED,
        "conventions": CONVENTIONS,
        "joints": model.joint_names,
        "frames": model.frame_names,
        "states": [state(name, model, p, m, SEED + k) for k in range(STATES)],
    }
    return lines(content) + "\n"


def lines(value: Any, indent: str = "") -> str:
    """JSON in which lists of plain values are on one line."""
    if isinstance(value, dict):
        inner = [f"{indent} {json.dumps(key)}: {lines(item, indent + ' ')}" for key, item in value.items()]
        return "{\n" + ",\n".join(inner) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        return "[\n" + ",\n".join(f"{indent} {lines(item, indent + ' ')}" for item in value) + f"\n{indent}]"
    return json.dumps(value)


def same(one: Any, other: Any) -> bool:
    """Whether two files' contents agree; compilers and versions may differ in the last digits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one if k != "versions")
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= AGREEMENT * max(1, abs(one))
    return one == other


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("robot", nargs="*", default=[file.stem for file in SHIPPED])
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    arguments = parser.parse_args()
    differing = 0
    for name in arguments.robot:
        text, file = golden(name), GOLDEN / f"{name}.json"
        if not arguments.check:
            GOLDEN.mkdir(exist_ok=True)
            file.write_text(text)
            print(f"{file.relative_to(ROOT)}: {len(text)} characters")
        elif not file.exists() or not same(json.loads(file.read_text()), json.loads(text)):
            print(f"{file.relative_to(ROOT)} is not what tools/make_golden.py writes")
            differing += 1
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
