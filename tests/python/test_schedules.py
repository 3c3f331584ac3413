# SPDX-License-Identifier: Apache-2.0
"""tandem.papers.schedule against the thesis' numbers, and what it refuses."""

from __future__ import annotations

import pytest

import tandem


def test_the_numbers_of_the_thesis():
    found = tandem.papers.schedule(3, "resne", processors=3)
    assert sorted(slots[-1].end for slots in found.processors) == pytest.approx([857, 1075, 1090], abs=4)
    cost = [sum(found.tasks[k][field] for k in found.critical_tasks) for field in (2, 3, 4)]
    assert cost[2] == 2 and cost[0] == pytest.approx(27 * 3 + 52, rel=0.1)
    assert found.gantt.startswith("<svg") and found.dot.startswith('digraph "resne"')
    assert found.machine["trigonometric"] == 42


@pytest.mark.parametrize(
    "links, formulation, processors, options, length",
    [
        (3, "resne", 3, {}, 1090),  # [Pond] p. 46
        (6, "recne", 5, {}, 1975),  # p. 56: 2007
        (6, "recne", 5, {"scheduler": "earliest_first_append", "list_order": True}, 2025),
        (6, "recle", 7, {}, 4265),  # p. 56: 5365
        (6, "recle", 7, {"scheduler": "earliest_first_append", "list_order": "on"}, 5377),
    ],
)
def test_the_tasks_of_the_thesis(links, formulation, processors, options, length):
    found = tandem.papers.schedule(links, formulation, processors=processors, tasks="thesis", **options)
    assert found.length == pytest.approx(length, abs=1)


def test_a_chain_of_revolute_joints_has_the_tasks_of_the_thesis():
    found = tandem.papers.schedule(tandem.load("arm6"), "recne", tasks="thesis", processors=5)
    assert found.length == pytest.approx(1975, abs=1)


def test_the_number_of_processors_by_bisection():
    found = tandem.papers.schedule(6, "recne", tasks="thesis", bisect=True)
    assert found.length < 1.1 * tandem.papers.schedule(6, "recne", tasks="thesis").length


def test_a_robot_is_the_number_of_its_links():
    robot = tandem.load("arm6")
    assert tandem.papers.schedule(robot,
                                  "recle")._replace(machine={}) == tandem.papers.schedule(6,
                                                                                          "recle")._replace(machine={})


def test_what_no_processors_means():
    best = tandem.papers.schedule(4, "recne")
    assert all(best.length <= tandem.papers.schedule(4, "recne", processors=n).length for n in range(1, 8))


def test_a_machine_from_a_file(tmp_path):
    file = tmp_path / "m.json"
    file.write_text('{"name": "m", "multiplication": 1, "addition": 1}')
    assert tandem.papers.schedule(3, machine=file, processors=2).machine["name"] == "m"


@pytest.mark.parametrize(
    "arguments, told",
    [
        ((0,), "robot"),
        ((tandem.load("quadruped"),), "one degree of freedom"),
        ((3, "magic"), "magic"),
        ((3, "recne", {"processors": 0}), "processors"),
        ((3, "recne", {"machine": "abacus"}), "abacus"),
        ((3, "recne", {"scheduler": "none"}), "none"),
        ((3, "recne", {"topology": "star"}), "star"),
        ((3, "recne", {"seconds": -1}), "seconds"),
        ((3, "recne", {"tasks": "mine"}), "mine"),
        ((3, "recne", {"list_order": 1}), "list_order"),
        ((3, "recne", {"list_order": True, "scheduler": "annealing", "processors": 2}), "list_order"),
        ((3, "recne", {"bisect": True, "processors": 2}), "bisect"),
        ((tandem.load("chain:3", seed=1), "recne", {"tasks": "thesis"}),
         "prismatic: the tasks of the thesis are for revolute"),
    ],
)
def test_what_is_refused(arguments, told):
    named = arguments[-1] if isinstance(arguments[-1], dict) else {}
    with pytest.raises(tandem.Error, match=told):
        tandem.papers.schedule(*[x for x in arguments if not isinstance(x, dict)], **named)
