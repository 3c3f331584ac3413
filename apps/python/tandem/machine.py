# SPDX-License-Identifier: Apache-2.0
"""The instructions of this processor that calls use."""

from __future__ import annotations

from tandem import _core


def instruction_sets() -> list[str]:
    """Instruction sets that Tandem has code for and this processor runs, the widest last.

    >>> tandem.machine.instruction_sets()[-1] in ("baseline", "avx2", "avx512")
    True
    """
    return _core.instruction_sets()


def instruction_set() -> str:
    """The instruction set in use: the widest, or what the environment variable ``TANDEM_ISA`` names."""
    return _core.instruction_set()


def use_instruction_set(name: str) -> None:
    """Select one of :func:`instruction_sets`, for measurements; not during calls."""
    _core.use_instruction_set(name)
