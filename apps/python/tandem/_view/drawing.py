# SPDX-License-Identifier: Apache-2.0
"""Robots of one model in a scene of viser: what is there once, and where it goes with every pose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tandem._core import Model
from tandem._view import unit_meshes
from tandem._view.bodies import Figure
from tandem._view.shading import linear
from tandem._view.shape import Shape
from tandem._view.skeleton import Indices
from tandem.configuration import neutral_configuration
from tandem.functions import Array, centre_of_mass, forward_kinematics
from tandem.spatial import quaternion_from_matrix

#: What can be shown, and what it is called.
LAYERS = {
    "shapes": "Shapes",
    "bodies": "Inertias",
    "bones": "Skeleton",
    "axes": "Joint axes",
    "mass": "Centres of mass",
    "frames": "Frames",
}
_THINNEST = 0.003  # radius of bones, of the size of the robot
_BONE = (96, 105, 118)
_AXIS = (217, 72, 62)
_MASS, _WHOLE = (40, 44, 52), (228, 87, 46)
_SHADES = np.array([[38, 70, 83], [42, 157, 143], [233, 196, 106], [231, 111, 81]], float)  # base to tips


class BatchedMesh:
    """Copies of one mesh."""

    def __init__(self, scene: Any, name: str, mesh: unit_meshes.Mesh, sizes: Array, colours: Array) -> None:
        count = len(sizes)
        self._sizes = np.asarray(sizes, np.float32)
        self.handle = scene.add_batched_meshes_simple(
            name,
            vertices=mesh[0].astype(np.float32),
            faces=mesh[1].astype(np.uint32),
            batched_wxyzs=np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1)),
            batched_positions=np.zeros((count, 3), np.float32),
            batched_scales=self._sizes,
            batched_colors=np.round(255 * linear(np.asarray(colours) / 255)).astype(np.uint8),
        )
        self._shown = np.ones(count, bool)

    def fade(self, opacities: Array | None) -> None:
        """Of each instance, which have the same number of copies."""
        each = 1 if opacities is None else len(self._sizes) // len(opacities)
        self.handle.batched_opacities = None if opacities is None else np.repeat(opacities, each).astype(np.float32)

    def place(self, positions: Array, turns: Array, shown: Array) -> None:
        """Positions ``[n, 3]`` and quaternions ``[n, 4]``, real part first; those not shown have no size."""
        self.handle.batched_positions = positions.astype(np.float32)
        self.handle.batched_wxyzs = turns.astype(np.float32)
        if (shown != self._shown).any():
            self._shown = shown
            self.handle.batched_scales = np.where(shown[:, None], self._sizes, np.float32(1e-9))


def real_first(matrices: Array) -> Array:
    """Quaternions ``[..., 4]``, real part first, of rotations."""
    return np.roll(quaternion_from_matrix(matrices), 1, axis=-1)


def _towards(way: Array) -> Array:
    """Quaternions, real part first, that turn z to directions ``[..., 3]`` of length 1."""
    x, y, z = np.moveaxis(way, -1, 0)
    q = np.stack([1 + z, -y, x, np.zeros_like(x)], axis=-1)
    q = np.where((z < -1 + 1e-9)[..., None], [0.0, 1.0, 0.0, 0.0], q)
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def ramp(along: Array) -> Array:
    """Colours ``[n, 3]`` of bytes, from the base, 0, to the tips, 1."""
    places = np.linspace(0, 1, len(_SHADES))
    return np.stack([np.interp(along, places, _SHADES[:, c]) for c in range(3)], axis=1)


class Drawing:
    """Several instances of a robot.

    Args:
        scene: of viser
        name: below which everything stands in the scene
        model: the robot
        shapes: of its description
        count: how many instances
        size: m, by which signs such as axes are drawn
    """

    def __init__(self, scene: Any, name: str, model: Model, shapes: Sequence[Shape], count: int, size: float) -> None:
        self._scene, self._name, self._model, self._count, self._size = scene, name, model, count, size
        self._batches: list[BatchedMesh] = []
        self._figure = Figure(model)
        self._layers: dict[str, list[Any]] = {layer: [] for layer in LAYERS}
        self._add_shapes(shapes)
        self._add_bodies()
        self._add_bones()
        self._add_axes()
        self._add_masses()
        self._add_frames()

    def show(self, layer: str, visible: bool) -> None:
        for handle in self._layers[layer]:
            handle.visible = visible

    def has(self, layer: str) -> bool:
        """Whether there is anything of it to be seen."""
        return bool(self._layers[layer])

    def fade(self, opacities: Array | None) -> None:
        """How solid each instance is, 0 to 1 ``[count]``; None: all are."""
        for batch in self._batches:
            batch.fade(opacities)

    def _batch(self, layer: str, name: str, mesh: unit_meshes.Mesh, sizes: Array, colours: Array) -> BatchedMesh:
        """As many copies for every instance."""
        batch = BatchedMesh(self._scene, f"{self._name}/{layer}/{name}", mesh, np.tile(sizes, (self._count, 1)),
                      np.tile(colours, (self._count, 1)))  # fmt: skip
        self._layers[layer].append(batch.handle)
        self._batches.append(batch)
        return batch

    def _add_shapes(self, shapes: Sequence[Shape]) -> None:
        self._shapes: list[tuple[BatchedMesh, Indices, Array]] = []
        simple = {"box": unit_meshes.box, "cylinder": unit_meshes.cylinder, "sphere": unit_meshes.ball}
        for kind, mesh in simple.items():
            alike = [shape for shape in shapes if shape.kind == kind]
            if alike:
                self._add_alike("all_" + kind, mesh(), alike, np.array([shape.size for shape in alike]))
        for k, shape in enumerate(shapes):
            if shape.kind == "capsule":
                mesh_ = unit_meshes.capsule(float(shape.size[0]), float(shape.size[2]))
            elif shape.kind == "mesh":
                mesh_ = (np.asarray(shape.mesh.vertices), np.asarray(shape.mesh.faces))
            else:
                continue
            self._add_alike(f"{shape.kind}{k}", mesh_, [shape], np.ones((1, 3)))

    def _add_alike(self, name: str, mesh: unit_meshes.Mesh, shapes: Sequence[Shape], sizes: Array) -> None:
        colours = np.array([shape.colour for shape in shapes])
        frames = np.array([shape.frame for shape in shapes])
        batch = self._batch("shapes", name, mesh, sizes, colours)
        self._shapes.append((batch, frames, np.array([shape.pose for shape in shapes])))

    def _add_bodies(self) -> None:
        solids = self._figure.solids(neutral_configuration(self._model)[None])
        colours = ramp(self._figure.depths[1])
        ball = solids.round & (np.ptp(solids.half, axis=1) < 1e-9)
        kinds = (
            ("balls", unit_meshes.ball, ball),
            ("cylinders", unit_meshes.cylinder, solids.round & ~ball),
            ("boxes", unit_meshes.box, ~solids.round),
        )
        self._bodies = [
            (self._batch("bodies", name, mesh(), solids.half[rows], colours[rows]), rows)
            for name, mesh, rows in kinds
            if rows.any()
        ]

    def _add_bones(self) -> None:
        bones = self._figure.bones(neutral_configuration(self._model)[None])
        self._bones: tuple[BatchedMesh, BatchedMesh] | None = None
        if len(bones.radius) == 0:
            return
        length = np.linalg.norm(bones.end[0] - bones.begin[0], axis=1)
        radius = np.maximum(bones.radius, _THINNEST * self._size)
        colours = np.tile(np.array(_BONE), (len(length), 1)) if self._bodies else ramp(self._figure.depths[0])
        rods = np.column_stack([radius, radius, length / 2])
        knots = np.tile(1.3 * radius[:, None], (1, 3))
        self._bones = (
            self._batch("bones", "rods", unit_meshes.cylinder(), rods, colours),
            self._batch("bones", "knots", unit_meshes.ball(), knots, colours),
        )

    def _add_axes(self) -> None:
        joints = [joint for joint in self._model.joints if np.any(joint.axis)]
        self._axis_links = np.array([joint.index for joint in joints], int)
        self._axis_ways = np.array([joint.axis for joint in joints], float).reshape(-1, 3)
        if not joints:
            return
        thin = 0.004 * self._size
        sizes = np.tile([thin, thin, 0.07 * self._size], (len(joints), 1))
        colours = np.tile(np.array(_AXIS), (len(joints), 1))
        self._axes = self._batch("axes", "rods", unit_meshes.cylinder(), sizes, colours)

    def _add_masses(self) -> None:
        mass = self._model.parameter("mass")
        self._heavy: Indices = np.flatnonzero(mass[1:] > 0) + 1
        self._coms = np.asarray(self._model.parameter("com"))[self._heavy]
        if len(self._heavy) == 0:
            return
        radius = 0.012 * self._size * np.cbrt(mass[self._heavy] / mass[self._heavy].max())
        sizes = np.tile(np.append(radius, 0.03 * self._size)[:, None], (1, 3))
        colours = np.array([_MASS] * len(radius) + [_WHOLE])
        self._masses = self._batch("mass", "balls", unit_meshes.ball(), sizes, colours)

    def _add_frames(self) -> None:
        count = self._count * self._model.n_frames
        self._frames = self._scene.add_batched_axes(
            f"{self._name}/frames",
            batched_wxyzs=np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1)),
            batched_positions=np.zeros((count, 3), np.float32),
            axes_length=0.06 * self._size,
            axes_radius=0.003 * self._size,
        )
        self._layers["frames"].append(self._frames)

    def pose(self, q: Array, at: Array, shown: Array) -> Array:
        """Puts the instances into configurations ``q [count, nq]``, their bases at ``at [count, 3]``.

        Instances that are not to be shown are given any configuration.

        Returns:
            poses of all frames ``[count, frames, 3, 4]`` in the scene
        """
        frames = forward_kinematics(self._model, q)
        frames[..., 3] += at[:, None]
        for batch, of, own in self._shapes:
            turn = frames[:, of, :, :3]
            where = frames[..., 3][:, of] + np.einsum("snij,nj->sni", turn, own[:, :, 3])
            self._place(batch, where, real_first(turn @ own[:, :, :3]), shown)
        self._pose_figure(q, at, shown)
        if len(self._axis_links):
            turn = frames[:, self._axis_links, :, :3]
            way = np.einsum("snij,nj->sni", turn, self._axis_ways)
            self._place(self._axes, frames[..., 3][:, self._axis_links], _towards(way), shown)
        if len(self._heavy):
            turn = frames[:, self._heavy, :, :3]
            balls = frames[..., 3][:, self._heavy] + np.einsum("snij,nj->sni", turn, self._coms)
            whole = np.asarray(centre_of_mass(self._model, q)) + at
            balls = np.concatenate([balls, whole[:, None]], axis=1)
            self._place(self._masses, balls, _upright(balls), shown)
        if self._frames.visible:
            self._frames.batched_positions = frames[..., 3].reshape(-1, 3).astype(np.float32)
            self._frames.batched_wxyzs = real_first(frames[..., :3]).reshape(-1, 4).astype(np.float32)
        return frames

    def _pose_figure(self, q: Array, at: Array, shown: Array) -> None:
        if self._bodies:
            solids = self._figure.solids(q)
            centre = solids.centre + at[:, None]
            axes = solids.axes * np.where(np.linalg.det(solids.axes) < 0, -1.0, 1.0)[..., None, None]
            for batch, rows in self._bodies:
                self._place(batch, centre[:, rows], real_first(axes[:, rows]), shown)
        if self._bones:
            rods, knots = self._bones
            bones = self._figure.bones(q)
            begin, end = bones.begin + at[:, None], bones.end + at[:, None]
            way = end - begin
            way /= np.maximum(np.linalg.norm(way, axis=2, keepdims=True), 1e-12)
            self._place(rods, (begin + end) / 2, _towards(way), shown)
            self._place(knots, end, _upright(end), shown)

    def _place(self, batch: BatchedMesh, positions: Array, turns: Array, shown: Array) -> None:
        each = positions.shape[1]
        batch.place(positions.reshape(-1, 3), turns.reshape(-1, 4), np.repeat(shown, each))

    def remove(self) -> None:
        for handles in self._layers.values():
            for handle in handles:
                handle.remove()


def _upright(like: Array) -> Array:
    """Quaternions of what need not be turned."""
    return np.broadcast_to(np.array([1.0, 0, 0, 0]), (*like.shape[:-1], 4))
