# SPDX-License-Identifier: Apache-2.0
"""Files of meshes that are read by packages of Python."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandem.errors import Error

_PACKAGES = {".dae": ("trimesh", "collada"), ".ply": ("trimesh",)}  #: what reads the vertices of a format
_TO_INSTALL = {"collada": "pycollada"}


def folders(packages: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Folders of packages as text, with the home folder in place of ``~``."""
    if isinstance(packages, (str, bytes, os.PathLike)):
        raise Error(f"packages is {packages!r}, expected a list of folders")
    return [os.path.expanduser(os.fspath(folder)) for folder in packages]


def lacking(path: str | os.PathLike[str]) -> str:
    """What to install so that a file can be read; empty: nothing."""
    for package in _PACKAGES.get(Path(path).suffix.lower(), ("trimesh",)):
        if importlib.util.find_spec(package) is None:
            name = _TO_INSTALL.get(package, package)
            return f"{name} reads {Path(path).suffix.lower()}: pip install {name}"
    return ""


def meshes(path: str | os.PathLike[str]) -> list[Any]:
    """The parts of a file as trimesh.Trimesh, in the units of the format, which are those of DAE in metres."""
    import trimesh  # type: ignore[import-untyped, unused-ignore]

    scene: Any = trimesh.load(path, force="scene")
    parts = [mesh for mesh in scene.dump() if len(getattr(mesh, "faces", ())) > 0]  # others are points or lines
    for mesh in parts:
        units = str(mesh.metadata.get("units") or scene.metadata.get("units") or "")
        if Path(path).suffix.lower() == ".dae" and units.endswith("* meters"):
            mesh.apply_scale(float(units.split()[0]))
    if not parts:
        raise ValueError("no triangles")
    return parts


def vertices(path: str) -> NDArray[np.float64] | str:
    """``[n, 3]`` vertices of a file of another format than STL and OBJ, m, or why there are none."""
    suffix = Path(path).suffix.lower()
    if suffix not in _PACKAGES:
        return f"the format {suffix or 'without an ending'} is not read, expected .stl, .obj, .dae or .ply"
    if missing := lacking(path):
        return missing
    try:
        return np.concatenate([np.asarray(mesh.vertices, float) for mesh in meshes(path)])
    except Exception as error:  # readers of meshes raise whatever comes up
        return f"{path}: {type(error).__name__}: {error}"
