#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Contacts of all pairs of shapes beside those of MuJoCo's mj_collision, in random poses.

    tools/compare_contacts.py [--poses 100000] [--seed 0] [--pairs capsule:box,mesh:mesh]

MuJoCo runs with ccd_tolerance 1e-12 and a margin of 1 m. Both distances are compared with how far the shapes are apart
along both normals, by their support functions: the true distance, or less the depth, is the most that any direction
parts them. A row of the table has, of the deepest contacts, the median and largest difference, how many poses differ by
more than 1e-6 m, and in how many of these which one is farther from the best direction known.
"""

from __future__ import annotations

import argparse
import itertools
from typing import Any

import mujoco
import numpy as np

import tandem
from tandem import bridges

SIZES = {"sphere": (0.11,), "capsule": (0.07, 0.16), "ellipsoid": (0.08, 0.13, 0.21), "cylinder": (0.09, 0.17),
         "box": (0.1, 0.14, 0.19), "mesh": ()}  # fmt: skip
CHUNK = 20_000


def numbers(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def compiled(first: str, second: str, rng: np.random.Generator) -> Any:
    def geom(kind: str, name: str) -> str:
        size = 'mesh="' + name + '"' if kind == "mesh" else f'size="{numbers(SIZES.get(kind, (0, 0, 1)))}"'
        return f'<geom name="{name}" type="{kind}" {size} margin="0.5"/>'

    meshes = "".join(
        f'<mesh name="{name}" inertia="convex" vertex="{numbers((rng.normal(size=(20, 3)) * 0.12).ravel())}"/>'
        for name in ("first", "second")
    )
    free = "" if first == "plane" else "<freejoint/>"
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><option ccd_iterations="200" ccd_tolerance="1e-12"><flag multiccd="disable"/></option>
        <asset>{meshes}</asset><worldbody><body euler="25 -40 10">{free}{geom(first, "first")}</body>
        <body><freejoint/>{geom(second, "second")}</body></worldbody></mujoco>"""
    )


def reach(model: Any, data: Any, shape: int, n: np.ndarray) -> float:
    """How far a shape reaches along a direction of the world: the closed forms of support functions."""
    d, p = data.geom_xmat[shape].reshape(3, 3).T @ n, data.geom_xpos[shape] @ n
    size, kind = model.geom_size[shape], mujoco.mjtGeom(model.geom_type[shape]).name.removeprefix("mjGEOM_").lower()
    if kind == "plane":
        return float(p)
    if kind == "mesh":
        mesh = model.geom_dataid[shape]
        begin = model.mesh_vertadr[mesh]
        vertices = model.mesh_vert[begin : begin + model.mesh_vertnum[mesh]].astype(float)
        return float(p + (vertices @ d).max())
    own = {
        "sphere": lambda: size[0],
        "capsule": lambda: size[0] + size[1] * abs(d[2]),
        "ellipsoid": lambda: np.linalg.norm(size * d),
        "cylinder": lambda: size[0] * np.hypot(d[0], d[1]) + size[1] * abs(d[2]),
        "box": lambda: size @ np.abs(d),
    }[kind]()
    return float(p + own)


def apart(model: Any, data: Any, n: np.ndarray) -> float:
    return -reach(model, data, 1, -n) - reach(model, data, 0, n)


def row(first: str, second: str, poses: int, seed: int) -> str:
    rng = np.random.default_rng(seed)
    theirs = compiled(first, second, rng)
    model, data = tandem.from_mujoco(theirs), mujoco.MjData(theirs)
    chosen, bridge = tandem.ContactSet(model), bridges.to_mujoco(model, theirs)
    joints = [joint for joint in model.joints if joint.type == "free"]
    differences: list[np.ndarray] = []
    compared = overlaps = far = ours_off = theirs_off = close = 0
    for begin in range(0, poses, CHUNK):
        n = min(CHUNK, poses - begin)
        q = np.tile(tandem.neutral_configuration(model), (n, 1))
        for joint in joints:
            k = joint.q_index
            turn = rng.normal(size=(n, 4))
            q[:, k : k + 3] = rng.uniform(-0.2, 0.2, (n, 3))
            q[:, k + 3 : k + 7] = turn / np.linalg.norm(turn, axis=1)[:, None]
        found = tandem.contacts(chosen, q)
        deepest = np.argmin(found.distance, axis=1)
        ours, normals = found.distance[np.arange(n), deepest], found.normal[np.arange(n), deepest]
        other = np.full(n, np.nan)
        for i in range(n):
            data.qpos[:] = bridge.q_to(q[i])
            mujoco.mj_kinematics(theirs, data)
            mujoco.mj_collision(theirs, data)
            if data.ncon == 0:
                far += ours[i] < 1
                continue
            least = int(np.argmin(data.contact.dist))
            other[i] = data.contact.dist[least]
            if abs(ours[i] - other[i]) < 1e-6:
                close += 1
                continue
            mine, its = apart(theirs, data, normals[i]), apart(theirs, data, data.contact.frame[least][:3])
            best = max(mine, its)
            ours_off += abs(ours[i] - best) > 1e-6
            theirs_off += abs(other[i] - best) > 1e-6
        both = ~np.isnan(other)
        compared += int(both.sum())
        overlaps += int((ours < 0).sum())
        differences.append(np.abs(ours - other)[both])
    x = np.concatenate(differences)
    return (
        f"| {first}, {second} | {compared} | {overlaps} | {np.median(x):.0e} | {x.max():.0e} | {compared - close} "
        f"| {ours_off} | {theirs_off} | {far} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--poses", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pairs", help="first:second,...; all by default")
    given = parser.parse_args()
    kinds = ("plane", *SIZES)
    pairs = list(itertools.combinations_with_replacement(kinds, 2))[1:]
    if given.pairs:
        pairs = [(one, two) for one, _, two in (pair.partition(":") for pair in given.pairs.split(","))]
    print(
        "| pair | poses | overlap | median, m | largest, m | differ by 1e-6 m | of these Tandem off | MuJoCo off "
        "| found by Tandem alone |\n|---|---|---|---|---|---|---|---|---|"
    )
    for first, second in pairs:
        print(row(first, second, given.poses, given.seed), flush=True)


if __name__ == "__main__":
    main()
