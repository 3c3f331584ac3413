# SPDX-License-Identifier: Apache-2.0
"""Shapes that a URDF draws its links with: primitives, and meshes where their files are found."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from tandem import _core
from tandem._common.mesh_files import folders, lacking, meshes
from tandem._core import Model
from tandem._view.mjcf_shapes import shapes_of_mjcf
from tandem._view.shape import PLAIN, Colour, Shape, bytes_of
from tandem.errors import Error
from tandem.functions import Array
from tandem.spatial import quaternion_exp, quaternion_product, quaternion_to_matrix

_NAMED, _URDF, _BUILT = 0, 1, 2  # what a model was made from, as its pickle says
_NAMES_TOLD = 3


def shapes_of(model: Model, file: str | os.PathLike[str] | None,
              packages: Sequence[str]) -> tuple[list[Shape], list[str]]:
    """The shapes of a model's description, and what is to be said of those that are missing.

    Args:
        model: the robot
        file: its URDF or MJCF; None is what it was made from, as far as that is known
        packages: folders in which ``package://`` is looked for, before those of ROS
    """
    text, path = _description(model, file)
    if text is None:
        return [], []
    if path is not None and b"<mujoco" in text:
        return shapes_of_mjcf(model, path)
    try:
        root = _tree(text)
    except expat.ExpatError as error:
        return [], [f"{path}: shapes are not read: {error}"]
    found = _Finder(model, path, packages)
    return list(found.shapes(root)), found.notes()


def _description(model: Model, file: str | os.PathLike[str] | None) -> tuple[bytes | None, Path | None]:
    """The URDF text of a robot and the file that it stood in; None where it has none."""
    if file is not None:
        return Path(file).read_bytes(), Path(file)
    try:
        kind, text, name = model.__getstate__()[:3]
    except Error:  # nobody knows what it was made from
        return None, None
    if kind == _URDF:
        return text, Path(os.fsdecode(name))
    if kind == _NAMED and (shipped := text.decode()) in _core.shipped_robots():
        return _core.shipped_robot(shipped).encode(), None
    if kind == _BUILT and name and Path(os.fsdecode(name)).is_file():  # MJCF, which is read by others
        return Path(os.fsdecode(name)).read_bytes(), Path(os.fsdecode(name))
    return None, None


def _tree(text: bytes) -> ElementTree.Element:
    """As lenient as readers of robots are: prefixes need not be declared, nor the version of XML."""
    builder, parser = ElementTree.TreeBuilder(), expat.ParserCreate()
    parser.StartElementHandler = lambda tag, given: builder.start(tag, given)
    parser.EndElementHandler = builder.end
    parser.Parse(re.sub(rb"^\s*<\?xml[^>]*\?>", b"", text), True)
    return builder.close()


def _numbers(text: str | None, otherwise: Sequence[float]) -> Array:
    try:
        numbers = np.array([float(word) for word in (text or "").split()])
    except ValueError:
        return np.array(otherwise, float)
    return numbers if len(numbers) == len(otherwise) and np.isfinite(numbers).all() else np.array(otherwise, float)


class _Finder:
    """Goes through a description and notes what cannot be shown."""

    def __init__(self, model: Model, path: Path | None, packages: Sequence[str]) -> None:
        self._model, self._path = model, path
        self._packages = folders(packages)
        self._frames = {name: k for k, name in reversed(list(enumerate(model.frame_names)))}
        self._meshes: dict[str, Any] = {}
        self._missing: dict[str, list[str]] = {}
        self._wanted = 0

    def shapes(self, root: ElementTree.Element) -> Iterator[Shape]:
        colours: dict[str, Colour] = {}
        for defined in root.iter("material"):
            said = defined.find("color")
            if said is not None:
                colours.setdefault(defined.get("name", ""), bytes_of(_numbers(said.get("rgba"), (0.8, 0.8, 0.8, 1))))
        for link in root.iter("link"):
            frame = self._frames.get(link.get("name", ""))
            for visual in link.findall("visual"):
                geometry = visual.find("geometry")
                if frame is None or geometry is None:
                    continue
                material = visual.find("material")
                own = None if material is None else material.find("color")
                colour: Colour | None = None
                if own is not None:
                    colour = bytes_of(_numbers(own.get("rgba"), (0.8, 0.8, 0.8, 1)))
                elif material is not None:
                    colour = colours.get(material.get("name", ""))
                yield from self._shape(frame, _pose_of(visual.find("origin")), geometry, colour)

    def _shape(self, frame: int, pose: Array, geometry: ElementTree.Element, colour: Colour | None) -> Iterator[Shape]:
        for element in geometry:
            if element.tag == "box":
                size = _numbers(element.get("size"), (0, 0, 0)) / 2
            elif element.tag in ("cylinder", "capsule"):
                radius = _numbers(element.get("radius"), (0,))[0]
                size = np.array([radius, radius, _numbers(element.get("length"), (0,))[0] / 2])
            elif element.tag == "sphere":
                size = np.repeat(_numbers(element.get("radius"), (0,)), 3)
            elif element.tag == "mesh":
                scale = _numbers(element.get("scale"), (1, 1, 1))
                for mesh, own in self._parts(element.get("filename", ""), scale):
                    yield Shape(frame, pose, "mesh", np.ones(3), colour or own, mesh)
                continue
            else:
                self._note(f"<{element.tag}> is no shape of URDF", "")
                continue
            if size.min() > 0:
                yield Shape(frame, pose, element.tag, size, colour or PLAIN)

    def _parts(self, name: str, scale: Array) -> list[tuple[Any, Colour]]:
        """Meshes of a file in metres, with their colours; none if it cannot be read, which is noted."""
        self._wanted += 1
        place = self._place(name)
        if place is None:
            self._note("not found", name)
            return []
        if missing := lacking(place):
            self._note(missing, name)
            return []
        key = f"{place} {scale.tolist()}"
        if key not in self._meshes:
            try:
                self._meshes[key] = _read(place, scale)
            except Exception as error:  # readers of meshes raise whatever comes up
                self._meshes[key] = []
                self._note(f"cannot be read ({type(error).__name__}: {error})", name)
        return list(self._meshes[key])

    def _place(self, name: str) -> Path | None:
        """Where a mesh is: its file, or that of a package in one of the folders, or above the description."""
        try:
            return Path(_core.find_mesh_file(name, str(self._path or ""), self._packages))
        except Error:
            return None

    def _note(self, why: str, name: str) -> None:
        names = self._missing.setdefault(why, [])
        if name not in names:
            names.append(name)

    def notes(self) -> list[str]:
        """What is missing, once each."""
        notes = []
        for why, names in self._missing.items():
            if names == [""]:
                notes.append(f"{self._path or self._model.name}: {why}")
                continue
            told = ", ".join(names[:_NAMES_TOLD])
            more = f" and {len(names) - _NAMES_TOLD} more" if len(names) > _NAMES_TOLD else ""
            note = f"{len(names)} mesh{'es' * (len(names) > 1)} left out, {why}: {told}{more}"
            if why == "not found" and any(name.startswith("package:") for name in names):
                note += "; --packages DIR (packages=), or ROS_PACKAGE_PATH, says where packages are"
            notes.append(note)
        return notes


def _pose_of(origin: ElementTree.Element | None) -> Array:
    """``[3, 4]``"""
    where = np.zeros(3) if origin is None else _numbers(origin.get("xyz"), (0, 0, 0))
    turn = np.zeros(3) if origin is None else _numbers(origin.get("rpy"), (0, 0, 0))
    roll, pitch, yaw = (quaternion_exp(angle * axis) for angle, axis in zip(turn, np.eye(3)))
    turned = quaternion_product(quaternion_product(yaw, pitch), roll)
    return np.column_stack([quaternion_to_matrix(turned), where])


def _read(path: Path, scale: Array) -> list[tuple[Any, Colour]]:
    parts = []
    for mesh in meshes(path):
        try:
            colour = bytes_of(np.asarray(mesh.visual.to_color().main_color[:3]) / 255)
        except Exception:  # a texture whose picture is not there
            colour = PLAIN
        mesh.apply_scale(scale)
        parts.append((mesh, colour))
    return parts
