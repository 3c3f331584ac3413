# SPDX-License-Identifier: Apache-2.0
"""What Tandem raises."""

from __future__ import annotations

from typing import NamedTuple


class Error(ValueError):
    """A call that cannot be carried out: names the argument, what was expected and what was given."""


class Problem(NamedTuple):
    """One thing wrong with a robot description: where, and what was expected."""

    file: str  #: empty if the description does not come from a file
    line: int  #: 0 if unknown
    element: str  #: for instance ``joint "elbow"``
    message: str


class ModelError(Error):
    """A robot description that cannot become a model. Its text has a line for every problem."""

    def __init__(self, text: str, problems: list[Problem] | None = None) -> None:
        super().__init__(text)
        #: every problem found, not only the first
        self.problems: list[Problem] = problems or []


class ModelWarning(UserWarning):
    """A robot with a joint for which the mass matrix has no inverse, told once, when the robot is made.

    Forward dynamics has no result for it; all else can be computed. ``Model.warnings`` lists what else is suspicious.
    """


class SingularWarning(RuntimeWarning):
    """A result that is NaN or infinite, where ``status`` is not requested: of a mass matrix without an inverse, or of an iteration that did
    not converge.

    ``warnings.simplefilter("error", tandem.SingularWarning)`` makes it an error.
    """


class NotConvergedWarning(RuntimeWarning):
    """A step by ``implicit_midpoint`` did not converge, and ``status`` was not requested.

    The robot keeps the state before that step; derivatives of the step are NaN. A shorter ``dt`` helps.
    """
