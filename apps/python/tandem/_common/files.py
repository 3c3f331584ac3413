# SPDX-License-Identifier: Apache-2.0
"""Files that are replaced when the new one is whole."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file to write beside ``path``, with its ending, that takes its place at the end. What is there stays until
    then, and if anything fails. A device or a pipe is written to as it is."""
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        yield Path(path)
        return
    beside = target.with_name(f".{target.stem[:200]}.{os.getpid()}{target.suffix}")
    try:
        yield beside
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
