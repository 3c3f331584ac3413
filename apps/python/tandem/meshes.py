# SPDX-License-Identifier: Apache-2.0
"""Meshes as collision shapes have them: the corners of their convex hulls."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from tandem import _core
from tandem._common.mesh_files import vertices
from tandem.errors import Error
from tandem.functions import Array


def convex_hull(points: ArrayLike) -> Array:
    """Corners of the convex hull of points, such as vertices of a mesh.

    Args:
        points: ``[n, 3]`` points; flat sets, sets on a line and single points have hulls, too

    Returns:
        ``[corners, 3]`` those of the points, in their order, that are corners; no point is farther outside their hull
        than 1e-7 of the largest extent

    Raises:
        Error: for points of another shape, none, or one that is not finite

    >>> import tandem.meshes
    >>> cube = np.indices((3, 3, 3)).reshape(3, -1).T
    >>> tandem.meshes.convex_hull(cube).shape
    (8, 3)
    """
    given = np.asarray(points, float)
    if given.ndim != 2 or given.shape[1] != 3:
        raise Error(f"convex_hull: points has shape {given.shape}, expected (n, 3)")
    return np.asarray(_core.convex_hull(given.tolist()))


def read_mesh(file: str | os.PathLike[str]) -> Array:
    """Corners of the convex hull of a mesh file, as :meth:`tandem.ModelBuilder.shape` takes them.

    Args:
        file: STL, OBJ, or, with the packages trimesh and pycollada, DAE or PLY; m

    Returns:
        ``[corners, 3]`` corners, m

    Raises:
        Error: for a file that cannot be read, with the line or the size
    """
    path = os.fspath(file)
    if Path(path).suffix.lower() in (".stl", ".obj"):
        return np.asarray(_core.read_mesh_file(path))
    if not Path(path).is_file():
        raise Error(f"read_mesh: there is no file {path}")
    found = vertices(path)
    if isinstance(found, str):
        raise Error(f"read_mesh: {found}")
    return convex_hull(found)
