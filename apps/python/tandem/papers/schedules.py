# SPDX-License-Identifier: Apache-2.0
"""Task graphs of the formulations of inverse dynamics, and their schedules on processors."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from tandem import _core
from tandem._common.arguments import switch, whole_number
from tandem._core import Model
from tandem.errors import Error


class Task(NamedTuple):
    """A task: operations that one processor executes without interruption."""

    name: str  #: unique name, such as "wd3"
    link: int  #: link of the task; 0: none
    multiplications: float  #: M of the thesis
    additions: float  #: A
    trigonometric: float  #: T, sines or cosines
    assignments: float  #: E, stored numbers
    outputs: int  #: number of output values
    needs: list[int]  #: indices of the tasks whose outputs are inputs
    us: float  #: time on the machine, us
    message_us: float  #: time of a message with its outputs, us


class Slot(NamedTuple):
    """An interval of a processor's time."""

    kind: str  #: "task", "send" or "receive"
    task: int  #: index of the task that is computed, or whose outputs are sent
    other: int  #: the processor at the other end of a message, or -1
    begin: float  #: us
    end: float  #: us


class Schedule(NamedTuple):
    """Assignment of the tasks of a formulation to processors and times."""

    tasks: list[Task]  #: tasks of the formulation
    processors: list[list[Slot]]  #: slots of every processor, in order of time
    length: float  #: makespan, us
    serial: float  #: time on one processor, us
    critical_path: float  #: lower bound of the length for any number of processors, us
    critical_tasks: list[int]  #: tasks of the critical path
    messages: int  #: number of messages
    optimal: bool  #: whether the scheduler has no shorter schedule among its choices
    machine: dict[str, Any]  #: machine model, times in us
    gantt: str  #: Gantt chart, SVG
    dot: str  #: task graph, Graphviz


def schedule(
    robot: Model | int,
    formulation: str = "recne",
    *,
    processors: int | None = None,
    machine: str | os.PathLike[str] = "transputer",
    scheduler: str = "earliest_first",
    topology: str = "full",
    seconds: float = 1.0,
    seed: int = 1,
    tasks: str = "library",
    list_order: bool = False,
    bisect: bool = False,
) -> Schedule:
    """Make a schedule of a formulation of inverse dynamics on processors.

    Args:
        robot: a chain of joints with one degree of freedom, or a number of revolute joints
        formulation: 'recne', 'recneb', 'resne', 'classle', 'recle' or 'hybrid'
        processors: number of processors; by default the one with the shortest schedule, at most four per link
        machine: 'transputer'; 'this', 'this-processes', 'this-lanes' or 'gpu' (warps of a thread block), from
            ``tandem tune`` or else measured now; or a .json file of a machine model
        scheduler: 'earliest_first', 'earliest_first_append', 'critical_path', 'largest_first', 'level_and_messages',
            'annealing', 'fixed_links', 'backtracking', 'duplication' or 'one_each'
        topology: connections between processors: 'full', 'chain', 'ring', 'grid' or 'tree'
        seconds: time limit of annealing, fixed_links and backtracking, s
        seed: seed of annealing
        tasks: 'library', tasks as implemented by the method of the same name, or 'thesis', tasks of [Pond] tables 2.1
            to 2.6
        list_order: tie break of earliest_first, earliest_first_append and duplication: the first task of the list, not
            the task with the longest path to the end
        bisect: find the number of processors by bisection, after Kwan, instead of trying all

    Raises:
        Error: if the robot is not such a chain (for tasks of the thesis, of revolute joints), a name is not valid,
            ``list_order`` is set for another scheduler, or ``bisect`` is set with a number of processors

    >>> tandem.papers.schedule(3, "resne", processors=3, tasks="thesis").length  # [Pond] p. 46: 1090 us
    1089.58
    >>> plan = tandem.papers.schedule(6, "resne", processors=5)
    >>> plan.critical_path < plan.length < plan.serial
    True
    >>> plan.processors[0][0].kind, plan.tasks[plan.processors[0][0].task].name
    ('task', 'R(1)')
    """
    if not isinstance(robot, Model):
        robot = whole_number("schedule: robot", robot, 1, 10**6)
    count = 0 if processors is None else whole_number("schedule: processors", processors, 1, 10**6)
    if not seconds >= 0:
        raise Error(f"schedule: seconds is {seconds}, expected 0 or more")
    seed = whole_number("schedule: seed", seed, 0, 2**64 - 1)
    list_order, bisect = switch("schedule: list_order", list_order), switch("schedule: bisect", bisect)
    if bisect and processors is not None:
        raise Error(f'schedule: bisect requires processors="best", but processors is {processors}')
    how = (scheduler, topology, float(seconds), seed, tasks, list_order, bisect)
    text, gantt, dot = _core.schedule(robot, formulation, count, os.fspath(machine), *how)
    found = json.loads(text)
    return Schedule(
        [Task(**task) for task in found["tasks"]],
        [[Slot(**slot) for slot in slots] for slots in found["schedule"]],
        found["length_us"],
        found["serial_us"],
        found["critical_path_us"],
        found["critical_path"],
        found["messages"],
        found["optimal"],
        found["machine"],
        gantt,
        dot,
    )


class CostTerm(NamedTuple):
    """A term of a formula: operation counts times a function of the number of links n."""

    #: 'constant', 'links' n, 'pairs' n (n - 1) / 2, 'lg' n, 'lg_of_next' lg (n + 1) or 'lg_of_before' lg (n - 1)
    growth: str
    multiplications: float  #: M of the thesis
    additions: float  #: A
    trigonometric: float  #: T, sines or cosines


class CostFormula(NamedTuple):
    """Operation count as a formula in the number of links n; lg is the logarithm to base 2, rounded up."""

    text: str  #: such as "(27 n + 52) M + (21 n + 36) A + 2 T"
    terms: list[CostTerm]  #: terms of the sum


class PathFormula(NamedTuple):
    """A formula of critical paths and the numbers of links for which it holds."""

    cost: CostFormula  #: cost of the critical path
    links: list[int]  #: numbers of links, ascending


class LowerBound(NamedTuple):
    """k1 ceil(n / p) + k2 lg p, fitted to times of n links on p processors."""

    k1: float  #: in the unit of the times
    k2: float  #: in the unit of the times
    misfit: float  #: root of the mean squared relative difference


def _formula(row: tuple[str, list[tuple[str, float, float, float]]]) -> CostFormula:
    text, terms = row
    return CostFormula(text, [CostTerm(*term) for term in terms])


def critical_path_formulas(formulation: str, tasks: str = "thesis", most: int = 10) -> list[PathFormula]:
    """Critical paths of a formulation as formulas in the number of links, [Pond] table 2.7.

    The result is the smallest set of formulas that gives the critical paths of 1 .. ``most`` links exactly. Paths are
    compared by the operation times of the transputer, without assignments, as in the thesis.

    Args:
        formulation: 'recne', 'recneb', 'resne', 'classle', 'recle' or 'hybrid'
        tasks: 'thesis', tasks of its tables 2.1 to 2.6, or 'library', tasks as implemented
        most: largest number of links, 6 to 64

    >>> [path] = tandem.papers.critical_path_formulas("hybrid")
    >>> path.cost.text
    '(82 n + 37) M + (82 n + 14) A + 2 T'
    """
    most = whole_number("critical_path_formulas: most", most, 0, 10**6)
    found = _core.critical_path_formulas(formulation, tasks, most)
    return [PathFormula(_formula(cost), list(links)) for cost, links in found]


def printed_critical_path(formulation: str, links: int) -> CostFormula:
    """The printed formula of [Pond] table 2.7 for a number of links.

    >>> tandem.papers.printed_critical_path("recneb", 6).text
    '(27 lg n + 116) M + (24 lg n + 9 lg (n + 1) + 84) A + 2 T'
    """
    links = whole_number("printed_critical_path: links", links, 1, 10**6)
    return _formula(_core.printed_critical_path(formulation, links))


def recneb_phases() -> dict[str, CostFormula]:
    """Terms of row recneb of [Pond] table 2.7: the longest task of every kind in sequence.

    They include viscous friction in every joint. The critical path is shorter, because a task does not depend on all
    tasks of the previous kind.

    >>> tandem.papers.recneb_phases()["moments, doubled"].text
    '(3 lg n) A'
    """
    return {what: _formula(cost) for what, cost in _core.recneb_phases()}


def hashimoto_critical_path() -> CostFormula:
    """Critical path of resne by Hashimoto and Kimura, [Pond] p. 41: the sum of the longest task of every kind.

    >>> tandem.papers.hashimoto_critical_path().text
    '(33 n + 105) M + (27 n + 91) A'
    """
    return _formula(_core.hashimoto_critical_path())


def lower_bound(k1: float, k2: float, links: int, processors: int) -> float:
    """Lower bound of the time of inverse dynamics of n links on p processors, k1 ceil(n / p) + k2 lg p, [Pond] p. 41.

    >>> tandem.papers.lower_bound(10, 3, links=7, processors=2)
    43.0
    """
    links = whole_number("lower_bound: links", links, 1, 10**9)
    processors = whole_number("lower_bound: processors", processors, 1, 10**9)
    return _core.lower_bound(float(k1), float(k2), links, processors)


def fit_lower_bound(times: list[tuple[int, int, float]]) -> LowerBound:
    """Non-negative constants of :func:`lower_bound` by least squares of relative differences.

    Args:
        times: (links, processors, time) of each measured or scheduled time, in any unit

    >>> fit = tandem.papers.fit_lower_bound([(8, p, tandem.papers.lower_bound(10, 3, 8, p)) for p in (1, 2, 4, 8)])
    >>> round(fit.k1, 6), round(fit.k2, 6)
    (10.0, 3.0)
    """
    name = "fit_lower_bound"
    rows = [
        (whole_number(f"{name}: links", n, 1, 10**9), whole_number(f"{name}: processors", p, 1, 10**9), float(time))
        for n, p, time in times
    ]
    return LowerBound(*_core.fit_lower_bound(rows))
