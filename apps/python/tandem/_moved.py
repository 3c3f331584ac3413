# SPDX-License-Identifier: Apache-2.0
"""Names that have moved in this version: the old ones work until the next, with a DeprecationWarning."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import Any

#: names of ``tandem``, by the module that has them now
NAMES = {
    "Batch": "tandem:VectorSimulation",
    **dict.fromkeys(("instruction_set", "instruction_sets", "use_instruction_set"), "tandem.machine"),
    **dict.fromkeys(
        ("Divergence", "Drive", "Iterated", "Parameter", "PoseSearch", "Problem", "PropertyResult", "Rollout",
         "RolloutGradient", "Viewer"),
        "tandem.types",
    ),
    **dict.fromkeys(
        (
            "Macroparallel",
            "MacroparallelReport",
            "Schedule",
            "critical_path_formulas",
            "fit_lower_bound",
            "hashimoto_critical_path",
            "lower_bound",
            "printed_critical_path",
            "recneb_phases",
            "schedule",
        ),
        "tandem.papers",
    ),
}

#: modules of ``tandem``: what is pickled names them
MODULES = {
    "batch": "tandem._common.batch_options",
    "check": "tandem._check",
    "joints": "tandem._common.per_joint",
    "live": "tandem.vector_simulation",
    "viewer": "tandem._view.viewer",
}


def old_name(name: str) -> Any:
    """What a name of ``tandem`` that has moved stands for: its ``__getattr__``."""
    if name not in NAMES:
        raise AttributeError(f"module 'tandem' has no attribute {name!r}")
    module, _, renamed = NAMES[name].partition(":")
    new = renamed or name
    warnings.warn(f"tandem.{name} is now {module}.{new}; the old name goes with the next version", DeprecationWarning,
                  stacklevel=2)
    return getattr(importlib.import_module(module), new)


class _OldModule(ModuleType):
    """A module by its old name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        new = importlib.import_module(MODULES[self.__name__.removeprefix("tandem.")])
        return getattr(new, {"Batch": "VectorSimulation"}.get(name, name))


class _OldModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules by their old names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.removeprefix("tandem.") not in MODULES or not fullname.startswith("tandem."):
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        new = MODULES[spec.name.removeprefix("tandem.")]
        warnings.warn(f"{spec.name} is now {new}; the old name goes with the next version", DeprecationWarning,
                      stacklevel=2)
        return _OldModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Its names are looked up when they are asked for."""


def install(package: dict[str, Any]) -> None:
    """Makes old names work: ``package`` are the globals of ``tandem``."""
    package["__getattr__"] = old_name
    sys.meta_path.append(_OldModules())
