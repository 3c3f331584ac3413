# SPDX-License-Identifier: Apache-2.0
"""What the tests against Pinocchio and MuJoCo share: robots, states, the tolerance, the table of errors."""

from __future__ import annotations

import copy
import functools
import os
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import tandem

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted((ROOT / "robots").glob("*.urdf"))
SPECIAL = sorted((ROOT / "tests" / "python" / "oracle_robots").glob("*.urdf"))
MODELS = Path(os.environ.get("TANDEM_MODELS", ROOT.parent / "shared" / "models"))
SEEDS = (1, 2, 3)
COLUMNS = ("kinematics", "inverse dynamics", "mass matrix", "forward dynamics", "momentum")

#: Rounding errors allowed per link between the base and the last one, see Comparison.
ERRORS_PER_LINK = 64
#: Beyond this condition number a mass matrix counts as singular, and forward dynamics is not compared.
SINGULAR = 1e13

#: worst[oracle][robot][column] = (relative error, share of the tolerance)
worst: dict[str, dict[str, dict[str, tuple[float, float]]]] = {}


class Case(NamedTuple):
    """A robot and how its root is held."""

    file: Path
    floating: bool

    @property
    def name(self) -> str:
        folder = "" if self.file in SHIPPED + SPECIAL else f"{self.file.parent.name}/"
        return folder + self.file.stem + (" floating" if self.floating else "")


def cases() -> list[Any]:
    """Every robot as written and, if it does not float then, floating, as parameters of a test."""
    found = sorted(file for file in (MODELS / "urdf").rglob("*") if file.suffix.lower() == ".urdf")
    files = SHIPPED + SPECIAL + found
    floats = {file for file in files if _stripped(file).find("joint[@type='floating']") is not None}
    both = [Case(file, f) for file in files for f in ((False,) if file in floats else (False, True))]
    parameters = [pytest.param(case, id=case.name.replace(" ", "-")) for case in both]
    if not found:
        reason = f"ONLY OUR OWN ROBOTS ARE COMPARED: there is no URDF file under {MODELS / 'urdf'}"
        parameters.append(pytest.param(None, id="models", marks=pytest.mark.skip(reason=reason)))
    return parameters


@functools.cache
def load(case: Case) -> tandem.Model:
    """Tandem's model, of a robot with closed loops its tree, which is what the oracles read: test_oracle_loops.py is
    about loops. Skips the test if Tandem refuses the robot; which ones it may, the C++ tests check."""
    try:
        model = tandem.load(case.file, floating=case.floating)
    except tandem.ModelError as error:
        pytest.skip(f"refused by Tandem: {error}")
    if not model.loops:
        return model
    builder = tandem.describe(case.file)
    for loop in model.loops:
        builder.remove_loop(loop.name)
    return builder.build(floating=case.floating)


@functools.cache
def _stripped(file: Path) -> ET.Element:
    # A declaration without a version is not XML, yet in published files.
    text = re.sub(r"^\s*<\?xml.*?\?>", "", file.read_bytes().decode("utf-8-sig"), count=1, flags=re.DOTALL)
    robot = ET.fromstring(text)
    for element in robot.iter():
        element.tag = element.tag.rpartition("}")[2]  # without the namespace
    for element in list(robot):
        if element.tag not in ("link", "joint"):
            robot.remove(element)
    for link in robot.iter("link"):
        for element in link.findall("visual") + link.findall("collision"):
            link.remove(element)
    return robot


def stripped_urdf(file: Path) -> ET.Element:
    """The robot's links and joints without shapes, whose meshes are not there, and without namespaces."""
    return copy.deepcopy(_stripped(file))


def mimics(robot: ET.Element) -> dict[str, tuple[str, float, float]]:
    """What each mimic joint follows in the end, by its name: joint, multiplier, offset."""
    direct = {}
    for joint in robot.findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None:
            numbers = float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))
            direct[joint.get("name")] = (mimic.get("joint"), *numbers)

    def resolve(name: str) -> tuple[str, float, float]:
        leader, multiplier, offset = direct[name]
        if leader not in direct:
            return leader, multiplier, offset
        last, further, start = resolve(leader)
        return last, multiplier * further, multiplier * start + offset

    return {name: resolve(name) for name in direct}


class State(NamedTuple):
    """Random arguments of the algorithms."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    f_ext: np.ndarray


def states(model: tandem.Model) -> list[State]:
    """Three random states; forces are of the size that accelerations cause."""
    made = []
    for seed in SEEDS:
        q = tandem.random_configuration(model, seed=seed)
        v, a, tau = np.random.default_rng(seed).normal(size=(3, model.nv))
        f_ext = np.random.default_rng(seed + 100).normal(size=(model.n_links, 6))
        size = 10 * np.abs(tandem.mass_matrix(model, q)).max(initial=0) or 1.0
        made.append(State(q, v, a, size * tau, size * f_ext))
    return made


class Comparison:
    """Compares numbers of one robot with an oracle's and notes the worst error.

    The tolerance is the only one of the tests against oracles:

        |ours - theirs| <= 64 * links * eps * kappa * scale        (largest entries)

    links: those on the longest path from the base, the base included. kappa: condition number of the mass
    matrix in forward dynamics, 1 otherwise unless the call says why. scale: size of the numbers compared, or
    of the terms that they are sums of.
    """

    def __init__(self, oracle: str, case: Case, depth: int, column: str):
        self.where = f"{case.name}: {column}"
        self.tolerance = ERRORS_PER_LINK * (depth + 1) * np.finfo(float).eps
        self.errors = worst.setdefault(oracle, {}).setdefault(case.name, {})
        self.column = column

    def __call__(self, what: str, ours: Any, theirs: Any, scale: float = 0.0, kappa: float = 1.0) -> None:
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        assert ours.shape == theirs.shape, f"{self.where}: {what}: shapes {ours.shape} and {theirs.shape}"
        if ours.size == 0:
            return
        scale = max(scale, np.abs(ours).max(), np.abs(theirs).max())
        error = np.abs(ours - theirs).max() / scale if scale > 0 else 0.0
        allowed = self.tolerance * kappa
        relative, share = self.errors.get(self.column, (0.0, 0.0))
        self.errors[self.column] = max(relative, float(error)), max(share, float(error / allowed))
        assert error <= allowed, (
            f"{self.where}: {what}: error {error:.2e}, allowed {allowed:.2e} (condition {kappa:.1e})\n"
            f"ours   {ours}\ntheirs {theirs}"
        )


def merge(other: dict[str, dict[str, dict[str, tuple[float, float]]]]) -> None:
    """Takes over the errors that another process found."""
    for oracle, robots in other.items():
        for robot, columns in robots.items():
            ours = worst.setdefault(oracle, {}).setdefault(robot, {})
            for column, (error, share) in columns.items():
                relative, most = ours.get(column, (0.0, 0.0))
                ours[column] = max(relative, error), max(most, share)


def shipped(name: str) -> Case:
    """A robot of this project, as written."""
    return Case(ROOT / "robots" / f"{name}.urdf", False)


def forward_dynamics_scale(M: np.ndarray, force: float, a: np.ndarray) -> float:
    """Size of accelerations with errors of eps kappa times it, where forces up to ``force`` were added."""
    return float(np.abs(a).max() + force / np.linalg.norm(M, 2))


def table(oracle: str) -> list[str]:
    """Worst relative error of every robot, beside it those of the whole column."""
    rows = worst[oracle]
    width = max(map(len, rows)) + 2
    lines = [f"{'robot':{width}}" + "".join(f"{column:>18}" for column in COLUMNS)]
    for name in [*sorted(rows), "worst"]:
        of = rows.values() if name == "worst" else [rows[name]]
        cells = []
        for column in COLUMNS:
            errors = [row[column][0] for row in of if column in row]
            cells.append(f"{max(errors):18.1e}" if errors else f"{'-':>18}")
        lines.append(f"{name:{width}}" + "".join(cells))
    shares = [share for row in rows.values() for _, share in row.values()]
    lines.append(f"Largest error as a share of its tolerance: {max(shares):.2f}")
    return lines
