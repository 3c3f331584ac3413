# SPDX-License-Identifier: Apache-2.0
"""Exceptions and warnings."""

from __future__ import annotations

from typing import NamedTuple


class Error(ValueError):
    """An invalid call. The message names the argument, the expected and the given value."""


class Problem(NamedTuple):
    """One error of a robot description: its location and what was expected."""

    file: str  #: empty if the description does not come from a file
    line: int  #: 0 if unknown
    element: str  #: for instance ``joint "elbow"``
    message: str


class ModelError(Error):
    """An invalid robot description. The message has one line for every problem."""

    def __init__(self, text: str, problems: list[Problem] | None = None) -> None:
        super().__init__(text)
        #: every problem found, not only the first
        self.problems: list[Problem] = problems or []


class ModelWarning(UserWarning):
    """A robot with a joint for which the mass matrix is singular. The warning is issued when the robot is made.

    Forward dynamics has no result for this robot; other functions are not affected. ``Model.warnings`` lists all
    warnings.
    """


class SingularWarning(RuntimeWarning):
    """A result is NaN or infinite, and ``status`` was not requested: the mass matrix is singular, or an iteration did
    not converge.

    ``warnings.simplefilter("error", tandem.SingularWarning)`` makes it an error.
    """


class NotConvergedWarning(RuntimeWarning):
    """A step by ``implicit_midpoint`` did not converge, and ``status`` was not requested.

    The robot keeps the state before that step; derivatives of the step are NaN. A shorter ``dt`` helps.
    """
