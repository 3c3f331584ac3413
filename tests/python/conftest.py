# SPDX-License-Identifier: Apache-2.0
"""At the end of a run: the worst errors against Pinocchio and MuJoCo."""

from __future__ import annotations

from typing import Any

import oracle_support


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for oracle in oracle_support.worst:
        terminalreporter.section(f"worst relative error against {oracle}")
        for line in oracle_support.table(oracle):
            terminalreporter.write_line(line)
