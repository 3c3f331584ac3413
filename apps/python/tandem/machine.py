# SPDX-License-Identifier: Apache-2.0
"""Instruction sets of the CPU."""

from __future__ import annotations

from tandem import _core


def instruction_sets() -> list[str]:
    """Instruction sets of this library that the CPU supports, the widest last.

    >>> tandem.machine.instruction_sets()[-1] in ("baseline", "avx2", "avx512")
    True
    """
    return _core.instruction_sets()


def instruction_set() -> str:
    """The current instruction set: the widest, or that of the environment variable ``TANDEM_ISA``."""
    return _core.instruction_set()


def use_instruction_set(name: str) -> None:
    """Select one of :func:`instruction_sets`, for measurements; not during calls."""
    _core.use_instruction_set(name)
