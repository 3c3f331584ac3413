# SPDX-License-Identifier: Apache-2.0
"""Formulations of inverse dynamics as tasks, and which processor does which of them when."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from tandem import _core
from tandem._core import Model
from tandem.arguments import whole_number
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
) -> Schedule:
    """Divides a formulation of inverse dynamics among processors.

    Args:
        robot: a chain of joints with one degree of freedom, or of how many links one is
        formulation: 'recne', 'recneb', 'resne', 'classle', 'recle' or 'hybrid'
        processors: that there are; the number that serves best if none is given
        machine: 'transputer', 'this', measured on this machine, or a .json file that describes one
        scheduler: 'earliest_first', 'earliest_first_append', 'critical_path', 'largest_first', 'level_and_messages',
            'annealing', 'fixed_links', 'backtracking', 'duplication' or 'one_each'
        topology: which processors are neighbours: 'full', 'chain', 'ring', 'grid' or 'tree'
        seconds: that annealing, fixed_links and backtracking may take
        seed: of annealing

    >>> plan = tandem.schedule(6, "resne", processors=5)
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
    text, gantt, dot = _core.schedule(
        robot, formulation, count, os.fspath(machine), scheduler, topology, float(seconds), seed
    )
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
