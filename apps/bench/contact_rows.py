#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps of robots in contact, by VectorSimulation and by MuJoCo's batch, in turn in one process, one thread each.

    apps/bench/contact_rows.py RESULTS.jsonl [ROBOT ...] [--repetitions 15] [--robots 64] [--steps 20]
                               [--picture FILE.png] [--markdown FILE.md]

Both have the same model, with the options of its file (time step, integrator, cone, solver), and no controls. Robots
begin near their first keyframe or reference configuration on the floor, with random joints and velocities, and settle
for 0.2 s in MuJoCo. All repetitions step on from these states. A row has the processor time of a step of one robot: the
median and the fastest repetition. In a pass that is not timed: contacts a robot, Newton steps of Tandem's in a
solution, and the change of velocity in one step beside MuJoCo's, of float beside double: the median and the largest
over robots of the relative difference.

half_cheetah, ant and humanoid are Gymnasium's files; pile is 20 boxes, balls and capsules that fall on each other, with
a dense Jacobian in MuJoCo, whose version 4.0.0 is wrong with sparse ones; alone is humanoid, go2 and g1, one at a time,
beside mj_step, see contact_alone.py; rope is one rope of 10^4 links beside itself in the air, see contact_rope.py, with
at most five repetitions of five steps; the others are read from the folder TANDEM_MODELS, their meshes left out. Robots
with pairs of shapes whose contacts Tandem does not compute are stepped with contacts with the floor alone, in both;
their names say so.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import contact_alone
import contact_rope
import gymnasium
import mujoco
import numpy as np
from mujoco.batch import Batch

import tandem
from tandem import bridges

ASSETS = Path(gymnasium.__file__).parent / "envs/mujoco/assets"
FILES = {
    "half_cheetah": "half_cheetah.xml",
    "ant": "ant.xml",
    "humanoid": "humanoid.xml",
    "go2": "unitree_go2/scene.xml",
    "g1": "unitree_g1/scene.xml",
    "shadow_hand": "shadow_hand_right/scene_right.xml",
    "pile": "",
}
INTEGRATORS = {0: "semi_implicit_euler", 1: "rk4", 2: "semi_implicit_euler", 3: "semi_implicit_euler"}
ALONE, ROPE = "alone", "rope"
SETTLE = 0.2  # s


def pile(n: int) -> str:
    """Bodies in a grid above the floor, each of which soon touches its neighbours."""
    random = np.random.default_rng(1)
    side, bodies = round(n ** (1 / 3)), ""
    for k in range(n):
        x, y, z = 0.2 * np.array([k % side, k // side % side, k // side**2]) + 0.01 * random.normal(size=3)
        kind, size = [("box", "0.1 0.1 0.1"), ("sphere", "0.1"), ("capsule", "0.07 0.06")][k % 3]
        a, b, c = 20 * random.normal(size=3)
        bodies += (
            f'<body pos="{x:.4f} {y:.4f} {z + 0.12:.4f}" euler="{a:.2f} {b:.2f} {c:.2f}"><freejoint/>'
            f'<geom type="{kind}" size="{size}" mass="1"/></body>'
        )
    return (
        '<mujoco model="pile"><option jacobian="dense"/><worldbody><geom name="floor" type="plane" size="0 0 1"/>'
        f"{bodies}</worldbody></mujoco>"
    )


def compiled(robot: str, self_contact: bool = True) -> mujoco.MjModel:
    """Without meshes and without controls; without self_contact moving bodies touch planes that stand still alone."""
    if robot == "pile":
        return mujoco.MjModel.from_xml_string(pile(20))
    name = FILES[robot]
    path = (
        ASSETS / name if "/" not in name else Path(os.environ.get("TANDEM_MODELS", "../shared/models")) / "mjcf" / name
    )
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there; set TANDEM_MODELS")
    spec = mujoco.MjSpec.from_file(str(path))
    for body in spec.bodies:
        for geom in list(body.geoms):
            if geom.type == mujoco.mjtGeom.mjGEOM_MESH:
                spec.delete(geom)
    for mesh in list(spec.meshes):
        spec.delete(mesh)
    model = spec.compile()
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    if not self_contact:
        collides = (model.geom_contype | model.geom_conaffinity) > 0
        moves = model.body_weldid[model.geom_bodyid] > 0
        model.geom_contype[:] = collides & ~moves & (model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE)
        model.geom_conaffinity[:] = collides & moves
    return model


def found_in(name: str, given: argparse.Namespace, alone: bool = False) -> list[dict[str, Any]]:
    """Rows of a robot, of its contacts with the floor alone where others are not computed, or why there are none; of a
    batch, or of one robot alone."""
    refused = []
    for self_contact in (True, False):
        try:
            case = Case(name if self_contact else f"{name}, floor alone", compiled(name, self_contact), given.robots)
        except (tandem.Error, FileNotFoundError) as error:
            kinds = re.findall(r"contacts of an? (\w+ with an? \w+) are not computed", str(error))
            refused.append(f"contacts of {', '.join(kinds)} are not computed" if kinds else str(error))
            print(f"{name} left out: {refused[-1]}", flush=True)
            continue
        if not any("world" in (pair.link_1, pair.link_2) for pair in case.contacts.pairs):
            continue  # as of a hand in the air
        return (contact_alone.rows if alone else measured)(case, given.steps, given.repetitions)
    return [{"robot": name, "library": "tandem", "precision": "", "refused": refused[0]}]


class Case:
    """A robot in both, and the states that are stepped."""

    def __init__(self, robot: str, theirs: mujoco.MjModel, size: int) -> None:
        self.robot, self.theirs, self.size = robot, theirs, size
        warnings.simplefilter("ignore")  # of what is not in both: tendons without force, shapes that do not collide
        self.model = tandem.from_mujoco(theirs)
        self.contacts = tandem.ContactSet(self.model)
        self.integrator = INTEGRATORS[int(theirs.opt.integrator)]
        self.bridge = bridges.to_mujoco(self.model, theirs)
        self.batch = Batch(theirs, nsim=size, nthread=1)
        self.qpos, self.qvel = self.batch.bind("qpos"), self.batch.bind("qvel")
        self.settle()
        self.q0, self.v0 = self.qpos.copy(), self.qvel.copy()
        self.q = np.array([self.bridge.q_from(q) for q in self.q0])
        self.v = np.array([self.bridge.v_from(v, q) for v, q in zip(self.v0, self.q)])

    def settle(self) -> None:
        random = np.random.default_rng(1)
        data = mujoco.MjData(self.theirs)
        if self.theirs.nkey:
            mujoco.mj_resetDataKeyframe(self.theirs, data, 0)
        q = np.tile(self.bridge.q_from(data.qpos), (self.size, 1))
        lower, upper = self.model.q_lower, self.model.q_upper
        for joint in self.model.joints:
            if joint.nq == 1:
                k = joint.q_index
                q[:, k] = np.clip(q[:, k] + random.uniform(-0.2, 0.2, self.size), lower[k], upper[k])
        of_base = [joint for joint in self.model.joints if joint.type == "free"]
        if len(of_base) == 1:  # the lowest shape touches the floor
            free = of_base[0]
            found = tandem.contacts(self.contacts, q).distance
            of_floor = [p.link_1 == "world" or p.link_2 == "world" for p in self.contacts.pairs]
            slots = np.array(of_floor)[self.contacts.slot_pairs]
            q[:, free.q_index + 2] -= np.where(np.isfinite(found[:, slots]), found[:, slots], np.inf).min(axis=1)
        v = 0.3 * random.normal(size=(self.size, self.model.nv))
        for i in range(self.size):
            self.qpos[i], self.qvel[i] = self.bridge.q_to(q[i]), self.bridge.v_to(v[i], q[i])
        self.batch.step(nstep=max(1, round(SETTLE / self.theirs.opt.timestep)))

    def simulation(self, dtype: Any) -> tandem.VectorSimulation:
        """Of the same robots; they are not watched for divergence, as MuJoCo's are not."""
        return tandem.VectorSimulation(
            self.model,
            self.size,
            dt=float(self.theirs.opt.timestep),
            integrator=self.integrator,
            contacts=self.contacts,
            dtype=dtype,
            threads=1,
            excess=np.inf,
        )

    def begin(self, robots: tandem.VectorSimulation | None) -> None:
        if robots is None:
            self.qpos[:], self.qvel[:] = self.q0, self.v0
        else:
            robots.reset(q=self.q, v=self.v)

    def counts(self, steps: int) -> dict[str, float]:
        """Contacts that push and Newton steps, robot by robot and step by step."""
        robots = self.simulation(np.float64)
        self.begin(robots)
        found: list[float] = []
        touching = 0.0
        before = np.zeros(self.size, np.int64)
        solutions = 4 if self.integrator == "rk4" else 1
        for _ in range(steps):
            robots.step()
            tallies = [robots._simulation.contact_tally(i) for i in range(self.size)]
            total = np.array([tally.steps for tally in tallies])
            found += ((total - before) / solutions).tolist()
            before = total
            touching += (robots.contact_forces[..., 0] > 0).sum() / self.size
        return {"contacts": touching / steps, "newton_mean": float(np.mean(found)), "newton_max": float(np.max(found))}

    def change(self, dtype: Any) -> np.ndarray:
        """Of velocities in one step, as MuJoCo has them."""
        robots = self.simulation(dtype)
        self.begin(robots)
        robots.step()
        q, v = np.asarray(robots.q, float), np.asarray(robots.v, float)
        return np.array([self.bridge.v_to(v[i], q[i]) for i in range(self.size)]) - self.v0


def measured(case: Case, steps: int, repetitions: int) -> list[dict[str, Any]]:
    """Rows of a robot, in turn."""
    subjects = {
        ("tandem", "double"): case.simulation(np.float64),
        ("tandem", "float"): case.simulation(np.float32),
        ("mujoco", "double"): None,
    }
    times: dict[tuple[str, str], list[float]] = {key: [] for key in subjects}
    for round_ in range(repetitions + 1):
        for key, robots in subjects.items():
            case.begin(robots)
            begin = time.process_time()  # of one thread each; wall time would count what other processes take
            if robots is None:
                case.batch.step(nstep=steps)
            else:
                robots.step(steps=steps)
            if round_:  # the first warms up
                times[key].append(1e9 * (time.process_time() - begin) / (steps * case.size))
    case.begin(None)
    case.batch.step()
    theirs = case.qvel - case.v0
    doubles, floats = case.change(np.float64), case.change(np.float32)
    counts = case.counts(steps)
    rows = []
    for (library, precision), values in times.items():
        row: dict[str, Any] = {"robot": case.robot, "library": library, "precision": precision, "nv": case.model.nv}
        row |= {"integrator": case.integrator, "cone": ["pyramidal", "elliptic"][int(case.theirs.opt.cone)]}
        row |= {"ns_per_step": {"fastest": min(values), "median": statistics.median(values)}}
        if library == "tandem":
            row |= counts
            given, reference = (doubles, theirs) if precision == "double" else (floats, doubles)
            error = np.linalg.norm(given - reference, axis=1) / (1e-300 + np.linalg.norm(reference, axis=1))
            row |= {"difference_median": float(np.median(error)), "difference_max": float(error.max())}
        rows.append(row)
    return rows


def machine(compiler: str) -> dict[str, Any]:
    """What judges the rows."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        name = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "unknown")
    root = Path(__file__).resolve().parents[2]
    commit = subprocess.run(
        ["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return {
        "suite": "contact",
        "kind": "time",
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "tandem": tandem.__version__,
        "commit": commit,
        "compiler": compiler,
        "processor": name,
        "cores": os.cpu_count(),
        "instruction_set": tandem.machine.instruction_set(),
        "mujoco": mujoco.__version__,
        "threads": 1,
    }


def table(lines: list[dict[str, Any]]) -> str:
    """Markdown: a row a robot."""
    text = [
        "| robot (dof) | integrator, cone | contacts | Newton steps, mean / max | MuJoCo, us | double, us | times "
        "MuJoCo "
        "| float, us | times MuJoCo "
        "| double beside MuJoCo, median / max | float beside double, median / max |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    ropes = [line for line in lines if "ns_in_air" in line]
    singles = [line for line in lines if line.get("alone")]
    batches = [line for line in lines if line not in ropes and line not in singles]
    for robot in dict.fromkeys(line["robot"] for line in batches):
        own = {(line["library"], line["precision"]): line for line in batches if line["robot"] == robot}
        if "refused" in own.get(("tandem", ""), {}):
            text.append(f"| {robot} | refused: {own['tandem', '']['refused']} |" + " |" * 9)
            continue
        double, single, theirs = own["tandem", "double"], own["tandem", "float"], own["mujoco", "double"]
        us = {id(line): line["ns_per_step"]["median"] / 1000 for line in (double, single, theirs)}
        other = us[id(theirs)]
        text.append(
            f"| {robot} ({double['nv']}) | {double['integrator']}, {double['cone']} | {double['contacts']:.1f} "
            f"| {double['newton_mean']:.1f} / {double['newton_max']:.0f} "
            f"| {other:.1f} | {us[id(double)]:.2f} | {other / us[id(double)]:.1f} "
            f"| {us[id(single)]:.2f} | {other / us[id(single)]:.1f} "
            f"| {double['difference_median']:.0e} / {double['difference_max']:.0e} "
            f"| {single['difference_median']:.0e} / {single['difference_max']:.0e} |"
        )
    tables = [text] if batches else []
    tables += [contact_alone.table(singles)] if singles else []
    tables += [contact_rope.table(ropes)] if ropes else []
    return "\n\n".join("\n".join(rows) for rows in tables)


def picture(lines: list[dict[str, Any]], path: str) -> None:
    """Steps a second with contacts: bars."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    of_batches = [line for line in lines if "ns_per_step" in line and "ns_in_air" not in line and "alone" not in line]
    robots = list(dict.fromkeys(line["robot"] for line in of_batches))
    if not robots:
        return
    kinds = {
        ("mujoco", "double"): "MuJoCo, double",
        ("tandem", "double"): "Tandem, double",
        ("tandem", "float"): "Tandem, float",
    }
    colours = ["tab:green", "tab:blue", "tab:cyan"]
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    for k, ((library, precision), label) in enumerate(kinds.items()):
        heights = [
            1e9
            / next(
                x["ns_per_step"]["median"]
                for x in lines
                if (x["robot"], x["library"], x["precision"]) == (robot, library, precision)
            )
            for robot in robots
        ]
        bars = axes.bar(np.arange(len(robots)) + 0.27 * (k - 1), heights, 0.25, label=label, color=colours[k])
        axes.bar_label(bars, [f"{height / 1000:.0f}k" for height in heights], fontsize=7)
    axes.set_xticks(np.arange(len(robots)), [robot.replace(", ", ",\n") for robot in robots])
    axes.set_yscale("log")
    axes.set_ylabel("steps with contacts per second, one thread\n(higher is better)")
    axes.legend()
    first = lines[0]
    axes.set_title(
        f"{first['processor']}, {first['instruction_set']}, {first['compiler']}, commit {first['commit']}, "
        f"MuJoCo {first['mujoco']}",
        fontsize=8,
    )
    figure.savefig(path, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("names", nargs="*", metavar="ROBOT", default=[*FILES, ALONE, ROPE])
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--robots", type=int, default=64)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--compiler", default="unknown")
    parser.add_argument("--picture")
    parser.add_argument("--markdown")
    given = parser.parse_args()
    for name in given.names:
        if name not in (*FILES, ALONE, ROPE):
            sys.exit(f"contact_rows.py: unknown robot {name}; expected one of {', '.join(FILES)}, {ALONE}, {ROPE}")
    common, lines = machine(given.compiler), []
    common |= {"batch": given.robots, "steps": given.steps, "repetitions": given.repetitions}
    for name in given.names:
        if name == ALONE:
            of_name = [
                row | {"alone": True} for robot in contact_alone.ROBOTS for row in found_in(robot, given, alone=True)
            ]
        else:
            of_name = contact_rope.rows(given.repetitions, given.steps) if name == ROPE else found_in(name, given)
        lines += [common | row for row in of_name]
        print(table(lines).splitlines()[-1], flush=True)
    with open(given.results, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    print(table(lines))
    if given.markdown:
        Path(given.markdown).write_text(table(lines) + "\n", encoding="utf-8")
    if given.picture:
        picture(lines, given.picture)


if __name__ == "__main__":
    main()
