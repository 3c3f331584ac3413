# SPDX-License-Identifier: Apache-2.0
"""At the end of a run: the worst errors against Pinocchio and MuJoCo."""

from __future__ import annotations

from typing import Any

import oracle_support
import pytest


def pytest_sessionfinish(session: Any) -> None:
    """Of pytest-xdist's processes, which run the tests: hands the errors on to the one that reports."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["worst"] = oracle_support.worst


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    oracle_support.merge(getattr(node, "workeroutput", {}).get("worst", {}))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for oracle in oracle_support.worst:
        terminalreporter.section(f"worst relative error against {oracle}")
        for line in oracle_support.table(oracle):
            terminalreporter.write_line(line)
