# SPDX-License-Identifier: Apache-2.0
"""Packages that are asked for only by those who use them."""

from __future__ import annotations

import importlib
from typing import Any


def framework(module: str, name: str) -> Any:
    """The module of that name, or an ImportError that says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"tandem.{package} needs {name}, which is not installed: pip install {package}") from error
