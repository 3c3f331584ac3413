#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Contacts of all pairs of shapes beside those of MuJoCo's mj_collision, in random poses.

    tools/compare_contacts.py [--poses 1000000] [--seed 0] [--pairs capsule:box,mesh:mesh] [--sizes 1]

MuJoCo runs with ccd_tolerance 1e-12 and a margin of 1 m, on a scene of a thousand pairs that do not touch each other.
Meshes, and with --sizes above 1 all sizes, change every 20,000 poses. A row of the table has, of the deepest contacts,
the median and largest difference, and how many poses differ by more than 1e-6 m. These are compared with the true
distance, or less the depth: the most by which any direction parts the shapes, by their support functions. Directions
are both normals and, of boxes and capsules, the normals of faces and the products of edges, which are all that count
where these overlap. A contact is off if it is more than 1e-6 m from there.
"""

from __future__ import annotations

import argparse
import itertools
from typing import Any, NamedTuple

import mujoco
import numpy as np

import tandem

SIZES = {"sphere": (0.11,), "capsule": (0.07, 0.16), "ellipsoid": (0.08, 0.13, 0.21), "cylinder": (0.09, 0.17),
         "box": (0.1, 0.14, 0.19), "mesh": ()}  # fmt: skip
CHUNK = 20_000  # poses of the same shapes
SCENE = 1000  # pairs that MuJoCo computes in a call
CLOSE = 1e-6
ALONE = 'contype="0" conaffinity="0"'


def numbers(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


class Shape(NamedTuple):
    """A shape in its own frame."""

    kind: str
    size: np.ndarray
    vertices: np.ndarray

    @classmethod
    def random(cls, kind: str, spread: float, rng: np.random.Generator) -> Shape:
        size = np.array(SIZES.get(kind, (0, 0, 1))) * spread ** rng.uniform(-1, 1, len(SIZES.get(kind, (0, 0, 0))))
        vertices = rng.normal(size=(20, 3)) * 0.12 * spread ** rng.uniform(-1, 1, 3)
        return cls(kind, size, vertices if kind == "mesh" else np.zeros((0, 3)))

    def asset(self, name: str) -> str:
        if self.kind != "mesh":
            return ""
        return f'<mesh name="{name}" inertia="convex" vertex="{numbers(self.vertices.ravel())}"/>'

    def geom(self, name: str, asset: str, more: str) -> str:
        size = f'mesh="{asset}"' if self.kind == "mesh" else f'size="{numbers(self.size)}"'
        return f'<geom name="{name}" type="{self.kind}" {size} {more}/>'

    def reach(self, d: np.ndarray) -> np.ndarray:
        """How far the shape reaches along directions of its frame: the closed forms of support functions."""
        size = self.size
        if self.kind == "plane":
            return np.zeros(len(d))
        if self.kind == "mesh":
            return (d @ self.vertices.T).max(axis=1)
        if self.kind == "ellipsoid":
            return np.linalg.norm(size * d, axis=1)
        if self.kind == "box":
            return np.abs(d) @ size
        length = np.linalg.norm(d[:, :2], axis=1) if self.kind == "cylinder" else np.linalg.norm(d, axis=1)
        return size[0] * length + (0 if self.kind == "sphere" else size[1] * np.abs(d[:, 2]))

    def axes(self) -> tuple[np.ndarray, np.ndarray]:
        """Normals of faces and directions of edges of boxes and capsules, whose edge is the axis."""
        one = np.eye(3)
        return {"box": (one, one), "capsule": (one[:0], one[2:])}.get(self.kind, (one[:0], one[:0]))


def tandem_model(first: Shape, second: Shape) -> Any:
    """Two bodies, the first of which stands if it is a plane; geoms are their frames, except of meshes."""
    free = "" if first.kind == "plane" else "<freejoint/>"
    text = f"""<mujoco><asset>{first.asset("first")}{second.asset("second")}</asset><worldbody>
        <body euler="25 -40 10">{free}{first.geom("first", "first", 'margin="0.5"')}</body>
        <body><freejoint/>{second.geom("second", "second", 'margin="0.5"')}</body></worldbody></mujoco>"""
    return mujoco.MjModel.from_xml_string(text)


def scene(first: Shape, second: Shape) -> Any:
    """Pairs of a geom of the world and one of a body that is moved from outside; nothing else can touch."""
    bodies = "".join(
        first.geom(f"first{k}", "first", ALONE)
        + f'<body mocap="true">{second.geom(f"second{k}", "second", ALONE)}</body>'
        for k in range(SCENE)
    )
    pairs = "".join(f'<pair geom1="first{k}" geom2="second{k}" margin="1"/>' for k in range(SCENE))
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><size memory="200M"/><option ccd_iterations="200" ccd_tolerance="1e-12"><flag multiccd="disable"/>
        </option><asset>{first.asset("first")}{second.asset("second")}</asset><worldbody>{bodies}</worldbody>
        <contact>{pairs}</contact></mujoco>"""
    )


def rotations(quaternions: np.ndarray) -> np.ndarray:
    """Of quaternions x, y, z, w."""
    x, y, z, w = quaternions.T
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
            2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
            2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]  # fmt: skip
    return np.stack(rows, axis=-1).reshape(-1, 3, 3)


class Poses(NamedTuple):
    """Of one shape in the world, in every pose."""

    p: np.ndarray
    R: np.ndarray

    def __getitem__(self, chosen: Any) -> Poses:  # type: ignore[override]
        return Poses(self.p[chosen], self.R[chosen])


def geom_poses(single: Any, geom: int, body: Poses) -> Poses:
    """Of a geom of MuJoCo, whose frame is not the body's if it is a mesh."""
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, single.geom_quat[geom])
    return Poses(body.p + body.R @ single.geom_pos[geom], body.R @ R.reshape(3, 3))


def mujoco_contacts(model: Any, data: Any, poses: tuple[Poses, Poses]) -> tuple[np.ndarray, np.ndarray]:
    """Distance and normal of the deepest contact in every pose; NaN without a contact."""
    n = len(poses[0].p)
    distance, normal = np.full(n, np.nan), np.full((n, 3), np.nan)
    for begin in range(0, n, SCENE):
        m = min(SCENE, n - begin)
        for which, pose in enumerate(poses):
            data.geom_xpos[which * SCENE : which * SCENE + m] = pose.p[begin : begin + m]
            data.geom_xmat[which * SCENE : which * SCENE + m] = pose.R[begin : begin + m].reshape(-1, 9)
        mujoco.mj_collision(model, data)
        pair = data.contact.geom[:, 0]
        order = np.lexsort((data.contact.dist, pair))
        least = order[np.r_[True, np.diff(pair[order]) > 0]] if len(order) else order
        least = least[pair[least] < m]
        distance[begin + pair[least]] = data.contact.dist[least]
        normal[begin + pair[least]] = data.contact.frame[least, :3]
    return distance, normal


def apart(shapes: tuple[Shape, Shape], poses: tuple[Poses, Poses], n: np.ndarray) -> np.ndarray:
    """By how much directions n of the world part the shapes."""
    way = np.einsum("ij,ij->i", poses[1].p - poses[0].p, n)
    for shape, pose, sign in zip(shapes, poses, (1, -1)):
        way = way - shape.reach(sign * np.einsum("ijk,ij->ik", pose.R, n))
    return way


def most_apart(shapes: tuple[Shape, Shape], poses: tuple[Poses, Poses], normals: list[np.ndarray]) -> np.ndarray:
    """By how much the best direction known parts the shapes."""
    directions = list(normals)
    if all(shape.kind in ("box", "capsule") for shape in shapes):
        (faces_1, edges_1), (faces_2, edges_2) = (
            [[pose.R @ axis for axis in axes] for axes in shape.axes()] for shape, pose in zip(shapes, poses)
        )
        directions += [sign * n for n in faces_1 + faces_2 for sign in (1, -1)]
        for one, other in itertools.product(edges_1, edges_2):
            n = np.cross(one, other)
            length = np.linalg.norm(n, axis=1)[:, None]
            directions += [np.where(length < 1e-4, normals[0], sign * n / np.maximum(length, 1e-4)) for sign in (1, -1)]
    return np.max([apart(shapes, poses, n) for n in directions], axis=0)


def compare(kinds: tuple[str, str], n: int, spread: float, rng: np.random.Generator) -> dict[str, Any]:
    """Of n poses of two shapes, the columns of the table."""
    first, second = (Shape.random(kind, spread, rng) for kind in kinds)
    single = tandem_model(first, second)
    model, theirs = tandem.from_mujoco(single), scene(first, second)
    q = np.tile(tandem.neutral_configuration(model), (n, 1))
    still = mujoco.MjData(single)
    mujoco.mj_kinematics(single, still)
    bodies = [Poses(np.zeros((n, 3)), np.tile(still.xmat[1].reshape(3, 3), (n, 1, 1)))] * 2
    for which, joint in zip((1,) if kinds[0] == "plane" else (0, 1), model.joints):
        k, turn = joint.q_index, rng.normal(size=(n, 4))
        q[:, k : k + 3] = rng.uniform(-0.2, 0.2, (n, 3))
        q[:, k + 3 : k + 7] = turn / np.linalg.norm(turn, axis=1)[:, None]
        bodies[which] = Poses(q[:, k : k + 3], rotations(q[:, k + 3 : k + 7]))
    found = tandem.contacts(tandem.ContactSet(model), q)
    deepest = np.argmin(found.distance, axis=1)
    ours, our_normal = found.distance[np.arange(n), deepest], found.normal[np.arange(n), deepest]
    geoms = (geom_poses(single, 0, bodies[0]), geom_poses(single, 1, bodies[1]))
    other, other_normal = mujoco_contacts(theirs, mujoco.MjData(theirs), geoms)
    both = ~np.isnan(other)
    difference = np.abs(ours - other)
    chosen = np.flatnonzero(both & ~(difference < CLOSE))
    # vertices are in the body's frame, which MuJoCo's compiler replaces by the principal axes of a mesh
    poses = (bodies[0][chosen], bodies[1][chosen])
    best = most_apart((first, second), poses, [our_normal[chosen], other_normal[chosen]])
    our_error, other_error = np.abs(ours[chosen] - best), np.abs(other[chosen] - best)
    return {
        "difference": difference[both],
        "overlap": int((ours < 0).sum()),
        "differ": len(chosen),
        "ours off": int((our_error > CLOSE).sum()),
        "other off": int((other_error > CLOSE).sum()),
        "ours farther off": int((our_error > np.maximum(other_error, CLOSE) + 1e-9).sum()),
        "alone": int((~both & (ours < 1)).sum()),
    }


def row(kinds: tuple[str, str], poses: int, seed: int, spread: float) -> str:
    rng = np.random.default_rng(seed)
    parts = [compare(kinds, min(CHUNK, poses - begin), spread, rng) for begin in range(0, poses, CHUNK)]
    x = np.concatenate([part.pop("difference") for part in parts])
    overlap, *counts = (sum(part[name] for part in parts) for name in parts[0])
    return (
        f"| {kinds[0]}, {kinds[1]} | {len(x)} | {overlap} | {np.median(x):.0e} | {x.max():.0e} | "
        + " | ".join(str(count) for count in counts)
        + " |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--poses", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sizes", type=float, default=1, help="factor by which sizes vary both ways; 1 by default")
    parser.add_argument("--pairs", help="first:second,...; all by default")
    given = parser.parse_args()
    pairs = list(itertools.combinations_with_replacement(("plane", *SIZES), 2))[1:]
    if given.pairs:
        pairs = [(one, two) for one, _, two in (pair.partition(":") for pair in given.pairs.split(","))]
    print(
        "| pair | poses | overlap | median, m | largest, m | differ by 1e-6 m | of these Tandem off | MuJoCo off "
        "| Tandem farther off | found by Tandem alone |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    for kinds in pairs:
        print(row(kinds, given.poses, given.seed, given.sizes), flush=True)


if __name__ == "__main__":
    main()
