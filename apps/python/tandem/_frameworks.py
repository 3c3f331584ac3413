# SPDX-License-Identifier: Apache-2.0
"""What :mod:`tandem.jax` and :mod:`tandem.torch` have in common: which functions, of inputs of how many axes a state."""

from __future__ import annotations

import importlib
from typing import Any

RANKS: dict[str, tuple[int, ...]] = {
    "bias_forces": (1, 1, 2),
    "forward_dynamics": (1, 1, 1, 2, 1),
    "forward_kinematics": (1,),
    "gravity_forces": (1,),
    "inverse_dynamics": (1, 1, 1, 2),
    "inverse_mass_matrix_product": (1, 1),
    "jacobian": (1,),
    "mass_matrix": (1,),
}


def framework(module: str, name: str) -> Any:
    """The module of that name, or an ImportError that says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"tandem.{module} needs {name}, which is not installed: pip install {module}") from error
