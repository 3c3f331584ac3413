# SPDX-License-Identifier: Apache-2.0
"""Robots of MuJoCo: MJCF files, ``mujoco.MjModel`` and ``mujoco.MjSpec``.

They are read by MuJoCo's compiler (``pip install mujoco``), which is imported at the first call. Joints of the model
are those of MuJoCo, in the same order; bodies and sites become frames with their names.
:func:`tandem.bridges.to_mujoco` converts states. The page about MJCF lists the supported elements and the warnings.
"""

from __future__ import annotations

import importlib
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tandem import _core
from tandem._core import Model, ModelBuilder
from tandem.errors import Error, ModelError, Problem

__all__ = ["from_mujoco", "read_mjcf"]

_lock = threading.Lock()


def from_mujoco(model: Any, *, floating: bool = False, couple_mimic_joints: bool = False) -> Model:
    """Make a model of a ``mujoco.MjModel`` or a ``mujoco.MjSpec``, which is not changed.

    A copy of a spec is compiled without visual shapes; missing meshes are ignored if the body has an explicit inertia.
    ``Model.warnings`` lists the elements without an equivalent in Tandem.

    Args:
        model: a model or spec of MuJoCo 3.3 or later
        floating: connect the root link to the world by a free joint
        couple_mimic_joints: make joints with linear joint constraints independent, and couple them: with contacts they
            then follow by springs and dampers, as in MuJoCo; see ``ModelBuilder.couple_mimic_joints``

    Raises:
        ModelError: if MuJoCo does not compile the spec; names the element, and the body if its mesh is missing
        Error: if the argument is neither a model nor a spec
    """
    robot = _describe(model)
    if couple_mimic_joints:
        robot.couple_mimic_joints()
    return robot.build(floating=floating)


def read_mjcf(mjcf: str, *, name: str = "<string>") -> ModelBuilder:
    """Read the description of MJCF text, for editing. Messages use ``name`` for the file.

    Included files are relative to the current folder.
    """
    if "<" not in mjcf:
        raise Error(f'read_mjcf: mjcf is "{mjcf[:40]}", expected MJCF text; for a file use describe(file)')
    return _read(name, lambda mujoco: mujoco.MjSpec.from_string(mjcf))


def _read_file(path: str) -> ModelBuilder:
    """Called by load and describe."""
    return _read(path, lambda mujoco: mujoco.MjSpec.from_file(path))


def _mujoco(path: str) -> Any:
    try:
        return importlib.import_module("mujoco")
    except ImportError as error:
        raise Error(
            f"{path} is MJCF, which needs MuJoCo, but MuJoCo cannot be imported ({error}); pip install mujoco"
        ) from None


def _read(path: str, parse: Callable[[Any], Any]) -> ModelBuilder:
    mujoco = _mujoco(path)
    with _captured_warnings(mujoco) as texts:
        try:
            spec = parse(mujoco)
        except Exception as error:  # of several classes
            raise _problem(path, error) from None
        model, unread = _compiled(mujoco, spec, path, texts)
    return _core.read_mujoco(model, _flags(mujoco, model), path, texts, unread)


def without_pictures(path: str) -> tuple[Any, list[str]]:
    """The ``mujoco.MjModel`` of a file with all shapes whose meshes exist, for drawing, and the missing ones."""
    mujoco = _mujoco(path)
    with _captured_warnings(mujoco) as texts:
        try:
            spec = mujoco.MjSpec.from_file(path)
            missing = _without_missing_meshes(mujoco, spec, Path(path).absolute().parent)
            model = spec.compile()
        except Exception as error:  # of several classes
            raise _problem(path, error) from None
    texts.clear()  # who reads the robot has said it
    return model, missing


def _without_missing_meshes(mujoco: Any, spec: Any, folder: Path) -> list[str]:
    for part in [*spec.textures, *spec.skins, *spec.hfields, *spec.keys]:
        spec.delete(part)
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for light in spec.lights:
        if getattr(light, "texture", ""):
            light.texture = ""
    place = folder / (spec.meshdir or "")
    gone = {mesh.name or Path(mesh.file).stem: mesh.file for mesh in spec.meshes if mesh.file
            and not (place / mesh.file).is_file()}
    for geom in spec.geoms:
        if geom.hfieldname or geom.meshname in gone:
            _blank(mujoco, geom)
            geom.rgba, geom.material = [0, 0, 0, 0], ""
    for site in spec.sites:
        if getattr(site, "meshname", "") in gone:
            site.meshname, site.type, site.size = "", mujoco.mjtGeom.mjGEOM_SPHERE, [1, 0, 0]
    _delete_meshes(spec)
    spec.compiler.LRopt.mode = 0
    spec.compiler.boundmass = spec.compiler.boundinertia = 1e-9  # bodies that had theirs from what is missing
    files = sorted({Path(file).name for file in gone.values()})
    names = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    return [f"{len(files)} mesh{'es' * (len(files) > 1)} left out, not found in {place}: {names}"] if files else []


def _describe(model: Any) -> ModelBuilder:
    mujoco = _mujoco("the argument of from_mujoco")
    texts: list[str] = []
    if isinstance(model, mujoco.MjSpec):
        with _captured_warnings(mujoco) as texts:
            spec = model.copy()
            _check_references(model, spec, "<mujoco.MjSpec>")
            model, unread = _compiled(mujoco, spec, "<mujoco.MjSpec>", texts)
        return _core.read_mujoco(model, _flags(mujoco, model), "<mujoco.MjSpec>", texts, unread)
    if isinstance(model, mujoco.MjModel):
        return _core.read_mujoco(model, _flags(mujoco, model), "<mujoco.MjModel>", texts, [])
    kind = type(model)
    raise Error(
        f"from_mujoco: model is a {kind.__module__}.{kind.__qualname__}, expected a mujoco.MjModel or MjSpec; "
        "for files use tandem.load"
    )


def _flags(mujoco: Any, model: Any) -> dict[str, bool]:
    """What the options of a model switch, see MujocoModel. Flags have other numbers in other versions."""
    disable, enable = mujoco.mjtDisableBit, mujoco.mjtEnableBit
    constraints = int(disable.mjDSBL_CONSTRAINT)
    passive = getattr(disable, "mjDSBL_PASSIVE", 0)  # of older versions: springs and damping
    off = {
        "springs": getattr(disable, "mjDSBL_SPRING", passive),
        "damping": getattr(disable, "mjDSBL_DAMPER", passive),
        "friction": int(disable.mjDSBL_FRICTIONLOSS) | constraints,
        "limits": int(disable.mjDSBL_LIMIT) | constraints,
        "equalities": int(disable.mjDSBL_EQUALITY) | constraints,
        "gravity": disable.mjDSBL_GRAVITY,
        "actuation": disable.mjDSBL_ACTUATION,
        "clamps": disable.mjDSBL_CLAMPCTRL,
        "contacts": int(disable.mjDSBL_CONTACT) | constraints,
        "filter_parent": disable.mjDSBL_FILTERPARENT,
    }
    disabled, enabled = int(model.opt.disableflags), int(model.opt.enableflags)
    return {
        **{name: not disabled & int(bits) for name, bits in off.items()},
        "explicit_damping": bool(disabled & int(disable.mjDSBL_EULERDAMP)),
        "short_time_constants": bool(disabled & int(disable.mjDSBL_REFSAFE)),
        "exact_diagonal": bool(enabled & int(getattr(enable, "mjENBL_DIAGEXACT", 0))),
        "margins_add": int(mujoco.__version__.split(".")[0]) >= 4,
        "overrides": bool(enabled & int(enable.mjENBL_OVERRIDE)),
    }


@contextmanager
def _captured_warnings(mujoco: Any) -> Iterator[list[str]]:
    """Captures the warnings of MuJoCo, which it would otherwise print and write to a file."""
    texts: list[str] = []
    with _lock, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        own = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(texts.append)
        try:
            yield texts
        finally:
            mujoco.set_mju_user_warning(own)
            for warning in caught:
                text = str(warning.message)
                if text not in texts:
                    texts.append(text)
            texts[:] = [" ".join(text.split()) for text in texts]


class _Lent(NamedTuple):
    """A shape with a mesh that gives a body its inertia."""

    geom: Any
    mesh: str
    file: str
    body: str
    moves: bool
    index: int


class _Touching(NamedTuple):
    """A shape with a mesh that matters to contacts alone."""

    geom: Any
    index: int


def _compiled(mujoco: Any, spec: Any, path: str, texts: list[str]) -> tuple[Any, list[str]]:
    """The model of a spec, which is changed: shapes that are only seen are left out. Then, of each shape, why its form
    is not in the model."""
    lent, touching, unread = _without_shapes(mujoco, spec)
    while True:
        tried = spec.copy()  # a spec that could not be compiled cannot be changed
        _check_references(spec, tried, path)
        shapes = list(tried.geoms)
        try:
            model = tried.compile()
            reasons = [""] * model.ngeom
            for index, reason in unread.items():
                reasons[shapes[index].id] = reason
            return model, reasons
        except Exception as error:  # of several classes
            if touching:  # a file may be missing, or a mesh be one that MuJoCo refuses
                for each in touching:
                    _blank(mujoco, each.geom)
                    message = " ".join(str(error).split()).removeprefix("Error: ")
                    unread[each.index] = "meshes are not read: MuJoCo: " + message
                touching = []
                _delete_meshes(spec)
                continue
            found = re.search(r"[Oo]pening file '([^']*)'|[Ff]ile '([^']*)' not found", str(error))
            file = (found[1] or found[2]) if found else ""
            missing = [each for each in lent if each.file and file.endswith(each.file)]
            if not missing:
                raise _problem(path, error) from None
        moving = list(dict.fromkeys(_missing(path, each, file) for each in missing if each.moves))
        if moving:
            raise ModelError(*_as_error(moving))
        for each in missing:
            texts.append(
                f'the mesh "{each.mesh}" ({file}) is missing: the mass of the body "{each.body}", which does not move, '
                "is left out"
            )
            unread[each.index] = f'the mesh "{each.mesh}" ({file}) is missing'
            _blank(mujoco, each.geom)
            lent.remove(each)
        _delete_meshes(spec)


def _check_references(spec: Any, copy: Any, path: str) -> None:
    """Raise a ModelError for references to what there is not: a copy lacks the elements that have them."""
    for kind in ("equalities", "tendons", "actuators", "sensors", "pairs", "excludes"):
        if len(getattr(copy, kind)) != len(getattr(spec, kind)):
            try:
                spec.compile()
            except Exception as error:  # of several classes
                raise _problem(path, error) from None


def _without_shapes(mujoco: Any, spec: Any) -> tuple[list[_Lent], list[_Touching], dict[int, str]]:
    """Takes out what is only seen. Returns the rest of the shapes with meshes: those that give a body its inertia, and
    those that touch; then, by index, why the form of a shape is not read."""
    lent, touching, unread = [], [], {}
    for index, geom in enumerate(spec.geoms):
        if not geom.meshname and not geom.hfieldname:
            continue
        if not geom.meshname:
            unread[index] = f'the height field "{geom.hfieldname}" is not read'
        elif int(geom.type) == int(mujoco.mjtGeom.mjGEOM_SDF):
            unread[index] = "signed distance fields are not read"
        if geom.meshname and _weighs(mujoco, spec, geom):
            mesh, body = spec.mesh(geom.meshname), geom.parent
            name = body.name or "(without a name)"
            lent.append(_Lent(geom, geom.meshname, mesh.file if mesh else "", name, _moves(body), index))
        elif index not in unread and (geom.contype or geom.conaffinity):
            touching.append(_Touching(geom, index))
        else:
            unread.setdefault(index, f'the mesh "{geom.meshname}" is not read')
            _blank(mujoco, geom)
    for site in spec.sites:
        if getattr(site, "meshname", ""):
            site.meshname, site.type, site.size = "", mujoco.mjtGeom.mjGEOM_SPHERE, [1, 0, 0]
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for light in spec.lights:
        if getattr(light, "texture", ""):
            light.texture = ""
    for part in [*spec.textures, *spec.skins, *spec.hfields]:
        spec.delete(part)
    _delete_meshes(spec)
    spec.compiler.LRopt.mode = 0  # lengths of muscles are not needed
    return lent, touching, unread


def _weighs(mujoco: Any, spec: Any, geom: Any) -> bool:
    """Whether the body's inertia depends on a shape with a mesh."""
    body, source = geom.parent, mujoco.mjtInertiaFromGeom
    explicit = bool(body.explicitinertial) and int(spec.compiler.inertiafromgeom) != int(source.mjINERTIAFROMGEOM_TRUE)
    first, last = spec.compiler.inertiagrouprange
    weightless = geom.mass == 0 or (geom.mass != geom.mass and geom.density == 0)
    in_world = body.name == spec.worldbody.name
    return not explicit and not weightless and first <= geom.group <= last and not in_world


def _blank(mujoco: Any, geom: Any) -> None:
    """Leaves a shape's name and place, as others may refer to it."""
    geom.meshname = geom.hfieldname = ""
    geom.type, geom.size, geom.mass = mujoco.mjtGeom.mjGEOM_SPHERE, [1, 0, 0], 0


def _delete_meshes(spec: Any) -> None:
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if mesh.file and mesh.name not in used:
            spec.delete(mesh)


def _moves(body: Any) -> bool:
    while body is not None and body.name != "world":
        if len(body.joints) > 0:
            return True
        body = body.parent
    return False


def _missing(path: str, lent: _Lent, file: str) -> Problem:
    return Problem(
        path,
        0,
        f'mesh "{lent.mesh}"',
        f'the file {file} cannot be opened, but the inertia of body "{lent.body}" is computed from it; expected the '
        "file or an <inertial> of the body",
    )


def _problem(path: str, error: Exception) -> ModelError:
    """MuJoCo's words: the message, then the element and its line."""
    text = str(error)
    found = re.search(r"\n?Element (?:name )?'([^']*)'(?:, id \d+)?(?:, line (\d+))?\s*$", text)
    line = re.search(r"Line number=(\d+)", text)
    message = " ".join((text[: found.start()] if found else text).split())
    message = re.sub(r"^(XML )?Error: |^ParseXML: ", "", message)
    problem = Problem(
        path,
        int((found and found[2]) or (line and line[1]) or 0),
        f'element "{found[1]}"' if found and found[1] else "",
        f"MuJoCo: {message}",
    )
    return ModelError(*_as_error([problem]))


def _as_error(problems: list[Problem]) -> tuple[str, list[Problem]]:
    lines = []
    for problem in problems:
        where = problem.file + (f":{problem.line}" if problem.line else "")
        lines.append(": ".join(part for part in (where, problem.element, problem.message) if part))
    return "\n".join(lines), problems
