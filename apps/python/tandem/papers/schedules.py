# SPDX-License-Identifier: Apache-2.0
"""Formulations of inverse dynamics as tasks, and which processor does which of them when."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from tandem import _core
from tandem._common.arguments import switch, whole_number
from tandem._core import Model
from tandem.errors import Error


class Task(NamedTuple):
    """A piece of work that one processor does without a break."""

    name: str  #: of its own, "wd3"
    link: int  #: to which link it belongs
    multiplications: float  #: M of the thesis
    additions: float  #: A
    trigonometric: float  #: T, sines or cosines
    assignments: float  #: E, numbers that are stored
    outputs: int  #: numbers that it makes, which are sent to whoever needs them
    needs: list[int]  #: tasks whose outputs it reads
    us: float  #: what it takes on the machine
    message_us: float  #: what sending its outputs takes


class Slot(NamedTuple):
    """A while of a processor."""

    kind: str  #: "task", "send" or "receive"
    task: int  #: which, or whose outputs are sent
    other: int  #: the processor at the other end of a message, or -1
    begin: float  #: us
    end: float  #: us


class Schedule(NamedTuple):
    """Who does what when."""

    tasks: list[Task]  #: of the formulation
    processors: list[list[Slot]]  #: what each does, in order of time
    length: float  #: us until the last one has finished
    serial: float  #: us on one processor
    critical_path: float  #: us: no schedule is shorter
    critical_tasks: list[int]  #: along that path
    messages: int  #: that are sent
    optimal: bool  #: nothing shorter is there, among what the scheduler may choose
    machine: dict[str, Any]  #: its times, us
    gantt: str  #: a picture, SVG
    dot: str  #: the graph, for Graphviz


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
    """Divides a formulation of inverse dynamics among processors.

    Args:
        robot: a chain of joints with one degree of freedom, or a number of hinges
        formulation: 'recne', 'recneb', 'resne', 'classle', 'recle' or 'hybrid'
        processors: that there are; the number that serves best, four a link at most, if none is given
        machine: 'transputer'; 'this', 'this-processes', 'this-lanes' or 'gpu', warps of a block, as ``tandem tune`` has measured
            them, or measured now; or a .json file that describes one
        scheduler: 'earliest_first', 'earliest_first_append', 'critical_path', 'largest_first', 'level_and_messages',
            'annealing', 'fixed_links', 'backtracking', 'duplication' or 'one_each'
        topology: which processors are neighbours: 'full', 'chain', 'ring', 'grid' or 'tree'
        seconds: that annealing, fixed_links and backtracking may take
        seed: of annealing
        tasks: 'library', those that inverse dynamics runs by the method of that name, or 'thesis', those of [Pond]
            tables 2.1 to 2.6
        list_order: of tasks that can begin at the same time take that which is listed first, not that with the longest
            way ahead; of earliest_first, earliest_first_append and duplication
        bisect: look for the number of processors by bisection, after Kwan, not among all

    Raises:
        Error: for a robot that is no such chain (of revolute joints for the thesis' tasks), a name that is none,
            ``list_order`` with a scheduler that has an order of its own, and ``bisect`` with a number of processors

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
    """A summand of a formula: so many operations times what grows with the number of links, n."""

    #: 'constant', 'links' n, 'pairs' n (n - 1) / 2, 'lg' n, 'lg_of_next' lg (n + 1) or 'lg_of_before' lg (n - 1)
    growth: str
    multiplications: float  #: M of the thesis
    additions: float  #: A
    trigonometric: float  #: T, sines or cosines


class CostFormula(NamedTuple):
    """Operations of n links; lg is the logarithm to the base 2, rounded up."""

    text: str  #: "(27 n + 52) M + (21 n + 36) A + 2 T"
    terms: list[CostTerm]  #: their sum


class PathFormula(NamedTuple):
    """A formula of longest paths, and for which numbers of links it holds."""

    cost: CostFormula  #: of the longest path
    links: list[int]  #: of those for which it was looked for


class LowerBound(NamedTuple):
    """k1 ceil(n / p) + k2 lg p, fitted to times of n links on p processors."""

    k1: float  #: in the unit of the times
    k2: float  #: in the unit of the times
    misfit: float  #: root of the mean squared relative difference


def _formula(row: tuple[str, list[tuple[str, float, float, float]]]) -> CostFormula:
    text, terms = row
    return CostFormula(text, [CostTerm(*term) for term in terms])


def critical_path_formulas(formulation: str, tasks: str = "thesis", most: int = 10) -> list[PathFormula]:
    """The longest paths through the tasks of a formulation as formulas in the number of links, [Pond] table 2.7.

    As few as there are that give the longest paths of 1 .. ``most`` links exactly, found from the graphs. Which path is
    the longest is decided by the transputer's times without assignments, as in the thesis.

    Args:
        formulation: 'recne', 'recneb', 'resne', 'classle', 'recle' or 'hybrid'
        tasks: 'thesis', those of its tables 2.1 to 2.6, or 'library', those that are run
        most: links to look at, 6 to 64

    >>> [path] = tandem.papers.critical_path_formulas("hybrid")
    >>> path.cost.text
    '(82 n + 37) M + (82 n + 14) A + 2 T'
    """
    most = whole_number("critical_path_formulas: most", most, 0, 10**6)
    found = _core.critical_path_formulas(formulation, tasks, most)
    return [PathFormula(_formula(cost), list(links)) for cost, links in found]


def printed_critical_path(formulation: str, links: int) -> CostFormula:
    """The row of [Pond] table 2.7 that holds for so many links, as it is printed.

    >>> tandem.papers.printed_critical_path("recneb", 6).text
    '(27 lg n + 116) M + (24 lg n + 9 lg (n + 1) + 84) A + 2 T'
    """
    links = whole_number("printed_critical_path: links", links, 1, 10**6)
    return _formula(_core.printed_critical_path(formulation, links))


def recneb_phases() -> dict[str, CostFormula]:
    """What row recneb of [Pond] table 2.7 is the sum of: the longest task of every kind, one kind after the other.

    With a viscous force in every joint; no way through the data is as long.

    >>> tandem.papers.recneb_phases()["moments, doubled"].text
    '(3 lg n) A'
    """
    return {what: _formula(cost) for what, cost in _core.recneb_phases()}


def hashimoto_critical_path() -> CostFormula:
    """The row of Hashimoto and Kimura for resne, [Pond] p. 41: the longest task of every kind, one after the other.

    >>> tandem.papers.hashimoto_critical_path().text
    '(33 n + 105) M + (27 n + 91) A'
    """
    return _formula(_core.hashimoto_critical_path())


def lower_bound(k1: float, k2: float, links: int, processors: int) -> float:
    """What inverse dynamics of n links on p processors can at best grow like, k1 ceil(n / p) + k2 lg p, [Pond] p. 41.

    >>> tandem.papers.lower_bound(10, 3, links=7, processors=2)
    43.0
    """
    links = whole_number("lower_bound: links", links, 1, 10**9)
    processors = whole_number("lower_bound: processors", processors, 1, 10**9)
    return _core.lower_bound(float(k1), float(k2), links, processors)


def fit_lower_bound(times: list[tuple[int, int, float]]) -> LowerBound:
    """The constants, of 0 or more, with which :func:`lower_bound` comes closest to times: links, processors, time.

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
