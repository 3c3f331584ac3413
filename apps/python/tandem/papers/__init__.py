# SPDX-License-Identifier: Apache-2.0
"""Results of the papers that Tandem reproduces: schedules of formulations, and a chain on a row of processors.

>>> found = tandem.papers.schedule(6, "resne", processors=5)
>>> found.critical_path <= found.length <= found.serial
True
"""

from tandem.papers.macroparallel import Macroparallel, MacroparallelReport
from tandem.papers.schedules import (
    CostFormula,
    CostTerm,
    LowerBound,
    PathFormula,
    Schedule,
    Slot,
    Task,
    critical_path_formulas,
    fit_lower_bound,
    hashimoto_critical_path,
    lower_bound,
    printed_critical_path,
    recneb_phases,
    schedule,
)

__all__ = [
    "CostFormula",
    "CostTerm",
    "LowerBound",
    "Macroparallel",
    "MacroparallelReport",
    "PathFormula",
    "Schedule",
    "Slot",
    "Task",
    "critical_path_formulas",
    "fit_lower_bound",
    "hashimoto_critical_path",
    "lower_bound",
    "printed_critical_path",
    "recneb_phases",
    "schedule",
]
