# SPDX-License-Identifier: Apache-2.0
"""Gymnasium itself, of a version that has what the environments need."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandem._common.frameworks import framework
from tandem.errors import Error

gym = framework("gymnasium", "Gymnasium")
vector = gym.vector
if not hasattr(vector, "AutoresetMode"):
    raise ImportError(
        f"tandem.gymnasium needs Gymnasium 1.1 or later, found {gym.__version__}: pip install -U gymnasium"
    )

Numbers = NDArray[Any]


def autoreset_mode(function: str, given: Any) -> Any:
    """Gymnasium's AutoresetMode of a name or of itself, or an Error."""
    try:
        return vector.AutoresetMode(given)
    except ValueError:
        known = ", ".join(mode.value for mode in vector.AutoresetMode)
        raise Error(f"{function}: autoreset_mode is {given!r}, expected one of {known}") from None


def render_mode(function: str, given: str | None) -> str | None:
    """A render mode that environments have, or an Error."""
    if given not in (None, "rgb_array"):
        raise Error(f"{function}: render_mode is {given!r}, expected 'rgb_array' or None")
    return given


def reset_mask(function: str, options: dict[str, Any] | None, num_envs: int) -> NDArray[np.bool_]:
    """Which environments a reset is for: those of the mask ``options["reset_mask"]``, or all."""
    if options is not None and not isinstance(options, dict):
        raise Error(f"{function}: options is {options!r}, expected a dict")
    if not options or "reset_mask" not in options:
        return np.ones(num_envs, bool)
    mask = np.asarray(options["reset_mask"])
    if mask.dtype != np.bool_ or mask.shape != (num_envs,) or not mask.any():
        raise Error(f"{function}: reset_mask must be a mask ({num_envs},) with at least one True")
    return mask
