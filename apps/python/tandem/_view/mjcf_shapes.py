# SPDX-License-Identifier: Apache-2.0
"""Shapes that an MJCF file draws its bodies with, as MuJoCo's compiler places them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tandem._core import Model
from tandem._view.shape import Shape, bytes_of
from tandem.errors import Error
from tandem.functions import Array
from tandem.mjcf import without_pictures
from tandem.spatial import quaternion_to_matrix

_MOST_GROUP = 2  # groups above are drawn by nobody unless asked for


def shapes_of_mjcf(model: Model, path: Path) -> tuple[list[Shape], list[str]]:
    """As :func:`tandem._view.shapes.shapes_of`; meshes whose files are missing are left out."""
    if importlib.util.find_spec("mujoco") is None:
        return [], [f"{path}: shapes of MJCF are read by MuJoCo: pip install mujoco"]
    try:
        compiled, missing = without_pictures(str(path))
    except Error as error:
        return [], [f"{path}: shapes are not read: {error}"]
    return _Geoms(model, compiled).shapes(), missing


class _Geoms:
    """The shapes of a ``mujoco.MjModel``."""

    def __init__(self, model: Model, compiled: Any) -> None:
        import mujoco  # type: ignore[import-untyped, unused-ignore]

        self._compiled, self._kinds = compiled, mujoco.mjtGeom
        frames = {name: k for k, name in reversed(list(enumerate(model.frame_names)))}
        self._frames = [frames.get(compiled.body(k).name or f"body{k}", -1) for k in range(compiled.nbody)]
        self._frames[0] = 0 if self._frames[0] < 0 else self._frames[0]

    def shapes(self) -> list[Shape]:
        m, found = self._compiled, []
        for k in range(m.ngeom):
            frame = self._frames[m.geom_bodyid[k]]
            rgba = m.geom_rgba[k] if m.geom_matid[k] < 0 else m.mat_rgba[m.geom_matid[k]]
            if frame < 0 or m.geom_group[k] > _MOST_GROUP or rgba[3] == 0:
                continue
            turn = quaternion_to_matrix(np.roll(m.geom_quat[k], -1))
            pose = np.column_stack([turn, m.geom_pos[k]])
            kind, size, mesh = self._form(k)
            if kind and size.min() > 0:
                found.append(Shape(frame, pose, kind, size, bytes_of(rgba), mesh))
        return found

    def _form(self, k: int) -> tuple[str, Array, Any]:
        """Kind, size and mesh; of planes and fields of heights, which have no ends, nothing."""
        kinds, kind, size = self._kinds, int(self._compiled.geom_type[k]), np.array(self._compiled.geom_size[k], float)
        if kind == int(kinds.mjGEOM_SPHERE):
            return "sphere", np.repeat(size[0], 3), None
        if kind == int(kinds.mjGEOM_ELLIPSOID):
            return "sphere", size, None
        if kind == int(kinds.mjGEOM_BOX):
            return "box", size, None
        if kind in (int(kinds.mjGEOM_CYLINDER), int(kinds.mjGEOM_CAPSULE)):
            name = "cylinder" if kind == int(kinds.mjGEOM_CYLINDER) else "capsule"
            return name, np.array([size[0], size[0], size[1]]), None
        if kind == int(kinds.mjGEOM_MESH):
            m, which = self._compiled, self._compiled.geom_dataid[k]
            corners = slice(m.mesh_vertadr[which], m.mesh_vertadr[which] + m.mesh_vertnum[which])
            faces = slice(m.mesh_faceadr[which], m.mesh_faceadr[which] + m.mesh_facenum[which])
            return "mesh", np.ones(3), SimpleNamespace(vertices=m.mesh_vert[corners], faces=m.mesh_face[faces])
        return "", size, None
