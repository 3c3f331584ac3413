# SPDX-License-Identifier: Apache-2.0
"""tandem.schedule against the thesis' numbers, and what it refuses."""

from __future__ import annotations

import pytest

import tandem


def test_the_numbers_of_the_thesis():
    found = tandem.schedule(3, "resne", processors=3)
    assert sorted(slots[-1].end for slots in found.processors) == pytest.approx([857, 1075, 1090], abs=4)
    cost = [sum(found.tasks[k][field] for k in found.critical_tasks) for field in (2, 3, 4)]
    assert cost[2] == 2 and cost[0] == pytest.approx(27 * 3 + 52, rel=0.1)
    assert found.gantt.startswith("<svg") and found.dot.startswith('digraph "resne"')
    assert found.machine["trigonometric"] == 42


def test_a_robot_is_the_number_of_its_links():
    robot = tandem.load("arm6")
    assert tandem.schedule(robot, "recle")._replace(machine={}) == tandem.schedule(6, "recle")._replace(machine={})


def test_what_no_processors_means():
    best = tandem.schedule(4, "recne")
    assert all(best.length <= tandem.schedule(4, "recne", processors=n).length for n in range(1, 8))


def test_a_machine_from_a_file(tmp_path):
    file = tmp_path / "m.json"
    file.write_text('{"name": "m", "multiplication": 1, "addition": 1}')
    assert tandem.schedule(3, machine=file, processors=2).machine["name"] == "m"


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
    ],
)
def test_what_is_refused(arguments, told):
    named = arguments[-1] if isinstance(arguments[-1], dict) else {}
    with pytest.raises(tandem.Error, match=told):
        tandem.schedule(*[x for x in arguments if not isinstance(x, dict)], **named)
