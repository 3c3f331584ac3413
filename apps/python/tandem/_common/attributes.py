# SPDX-License-Identifier: Apache-2.0
"""Objects whose attributes are known: a name that there is none of is an error rather than a new attribute; arrays as
attributes."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from tandem._common.outputs import Array

#: what people coming from other packages call it
_ELSEWHERE = {
    "qpos": "q",
    "qvel": "v",
    "qd": "v",
    "dq": "v",
    "controls": "ctrl",
    "actions": "tau",
    "torques": "tau",
    "forces": "tau",
    "qfrc_applied": "tau",
    "xfrc_applied": "f_ext",
    "targets": "q_target",
    "target": "q_target",
    "q_des": "q_target",
    "stiffness": "kp",
    "timestep": "dt",
    "t": "time",
    "params": "parameters",
}
#: what to do instead, where another class has such an attribute
_INSTEAD = {
    "Simulation": {
        "tau": "joint torques are arguments of step(tau) and run(duration, tau=...)",
        "f_ext": "wrenches on links are given to step(f_ext=...) and run(duration, f_ext=...)",
        **dict.fromkeys(("q_target", "kp", "kd"),
                        "a controller is given when it is made; tandem.VectorSimulation has one to write to"),
    }
}


class ArrayProperty(property):
    """A property whose value is an array."""

    def __get__(self, owner: Any, kind: type | None = None) -> Array:  # type: ignore[override]
        return super().__get__(owner, kind)


class written(ArrayProperty):
    """An array whose numbers can be assigned, which the method `_write` of its owner does."""

    def __init__(self, get: Callable[[Any], Array]) -> None:
        super().__init__(get, lambda owner, values: owner._write(get.__name__, get(owner), values))


class KnownAttributes:
    """Raises AttributeError where an attribute is set that the class does not have. Classes derived from one of
    Tandem's may have more."""

    def __setattr__(self, name: str, value: Any) -> None:
        kind = type(self)
        if name.startswith("_") or hasattr(kind, name) or not kind.__module__.startswith("tandem."):
            object.__setattr__(self, name, value)
            return
        raise AttributeError(f'{kind.__name__} has no attribute "{name}"{_hint(kind, name)}')


def _hint(kind: type[KnownAttributes], name: str) -> str:
    same = _ELSEWHERE.get(name, name)
    if instead := _INSTEAD.get(kind.__name__, {}).get(same):
        return f"; {instead}"
    if same != name and hasattr(kind, same):
        return f'; the name in Tandem is "{same}"'
    settable = [known for known in dir(kind) if not known.startswith("_") and not callable(getattr(kind, known))]
    near = difflib.get_close_matches(name, settable, 1, 0.6)
    return f'; did you mean "{near[0]}"?' if near else f"; it has {', '.join(settable)}"
