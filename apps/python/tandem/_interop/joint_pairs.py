# SPDX-License-Identifier: Apache-2.0
"""Joints of a robot beside those of the same robot in Pinocchio or MuJoCo; for :mod:`tandem.bridges`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tandem._core import Joint, Model
from tandem.errors import Error


class Theirs(NamedTuple):
    """A joint of the other library."""

    name: str
    kind: str  # one of those below, or what the library calls a joint that Tandem does not have
    called: str  # its type in the words of the library
    q: int  # its first rows
    v: int
    stands_for: str = ""  # what tandem.from_mujoco calls it if it has no name


#: Kinds of joints of other libraries by type of ours. A circle is an angle written as cosine and sine.
_FITS = {
    "revolute": ("angle", "circle"),
    "continuous": ("angle", "circle"),
    "prismatic": ("slide",),
    "helical": ("screw",),
    "universal": ("universal",),
    "planar": ("planar",),
    "spherical": ("spherical",),
    "free": ("free",),
}
_PINOCCHIO = {
    r"R[XYZ]|RevoluteUnaligned": "angle",
    r"RUB[XYZ]|RevoluteUnboundedUnaligned": "circle",
    r"P[XYZ]|PrismaticUnaligned": "slide",
    r"H[XYZ]|HelicalUnaligned": "screw",
    r"Universal": "universal",
    r"Planar": "planar",
    r"Spherical": "spherical",
    r"FreeFlyer": "free",
    r"Mimic.*": "mimic",
}
_MUJOCO = (("free", "a free joint"), ("spherical", "a ball"), ("slide", "a slide"), ("angle", "a hinge"))


def of_pinocchio(model: Any) -> list[Theirs]:
    """The joints of a pinocchio.Model."""
    if not all(hasattr(model, name) for name in ("names", "joints", "njoints", "nq", "nv")):
        raise Error(f"to_pinocchio: pin_model is a {_type(model)}, expected a pinocchio.Model")
    found = []
    for k in range(1, model.njoints):
        joint = model.joints[k]
        called = joint.shortname()
        word = called.removeprefix("JointModel")
        kind = next((kind for pattern, kind in _PINOCCHIO.items() if re.fullmatch(pattern, word)), called)
        found.append(Theirs(model.names[k], kind, f"a {called}", joint.idx_q, joint.idx_v))
    return found


def of_mujoco(model: Any) -> list[Theirs]:
    """The joints of a mujoco.MjModel."""
    if not all(hasattr(model, name) for name in ("jnt_type", "jnt_qposadr", "jnt_dofadr", "njnt", "nq", "nv")):
        raise Error(f"to_mujoco: mj_model is a {_type(model)}, expected a mujoco.MjModel")
    found: list[Theirs] = []
    given = {model.joint(k).name for k in range(model.njnt)}
    for k in range(model.njnt):
        kind, called = _MUJOCO[int(model.jnt_type[k])]
        rows = int(model.jnt_qposadr[k]), int(model.jnt_dofadr[k])
        stands_for = f"joint{k}"
        while stands_for in given:
            stands_for += "_"
        found.append(Theirs(model.joint(k).name, kind, called, *rows, stands_for))
    return found


def pair(
    function: str, library: str, model: Model, theirs: list[Theirs], names: Mapping[str, str] | None
) -> list[tuple[Joint, Theirs]]:
    """Joints of ours with theirs, in our order; raises Error unless every joint of both has its partner."""
    if not isinstance(model, Model):
        raise Error(f"{function}: model is a {_type(model)}, expected a tandem.Model")
    renamed = {model.joint(ours).name: there for ours, there in (names or {}).items()}
    left = dict(enumerate(theirs))
    by_name = {joint.name or joint.stands_for: k for k, joint in left.items()}
    found: dict[int, Theirs] = {}
    for ours in model.joints:
        k = by_name.get(renamed.get(ours.name, ours.name))
        if k is not None and k in left:
            found[ours.index] = left.pop(k)
    lacking = [ours for ours in model.joints if ours.index not in found]
    free = [ours for ours in lacking if ours.type == "free" and ours.name not in renamed]
    theirs_free = [k for k, joint in left.items() if joint.kind == "free"]
    if len(free) == len(theirs_free) == 1:
        found[free[0].index] = left.pop(theirs_free[0])
        lacking.remove(free[0])
    if lacking or left:
        parts = []
        if lacking:
            parts.append(f"{library}'s lacks {_quoted(renamed.get(j.name, j.name) for j in lacking)}")
        if left:
            parts.append(f"Tandem's lacks {_quoted(joint.name for joint in left.values())}")
        advice = "names={ours: theirs} pairs joints whose names differ"
        if any(joint.kind == "free" for joint in left.values()) or any(ours.type == "free" for ours in lacking):
            advice += "; tandem.load(..., floating=True) hangs the root from a free joint, floating=False does not"
        raise Error(f'{function}: joints of "{model.name}" differ: {"; ".join(parts)} ({advice})')
    pairs = [(ours, found[ours.index]) for ours in model.joints]
    for ours, there in pairs:
        fits = _FITS[ours.type] + (("mimic",) if ours.mimics else ())
        if there.kind not in fits:
            raise Error(f'{function}: joint "{ours.name}" is {ours.type} in Tandem and {there.called} in {library}')
    return pairs


def _quoted(names: Iterable[str], most: int = 8) -> str:
    words = [f'"{name}"' if name else "(without a name)" for name in names]
    more = [f"{len(words) - most} more"] if len(words) > most else []
    return f"joint{'s' * (len(words) != 1)} " + ", ".join(words[:most] + more)


def _type(x: object) -> str:
    return f"{type(x).__module__}.{type(x).__qualname__}"
