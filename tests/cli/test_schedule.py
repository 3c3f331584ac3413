# SPDX-License-Identifier: Apache-2.0
"""tandem schedule."""
import json

import pytest

SCHEDULERS = ["earliest-first", "earliest-first-append", "critical-path", "largest-first", "level-and-messages",
              "annealing", "fixed-links", "backtracking", "duplication", "one-each"]


def result(tandem, *words) -> dict:
    return json.loads(tandem.good("schedule", *words, "--json"))


def test_the_numbers_of_the_thesis(tandem):
    tandem.good("generate", "arm6", "--lock", "joint4", "--lock", "joint5", "--lock", "joint6", "--out", "arm3.urdf")
    found = result(tandem, "arm3.urdf", "--formulation", "resne", "--processors", 3)
    ends = sorted(slots[-1]["end"] for slots in found["schedule"])
    assert ends == pytest.approx([857, 1075, 1090], abs=4)
    assert found["critical_path_us"] < found["length_us"] < found["serial_us"]
    text = tandem.good("schedule", "arm6", "--formulation", "recne", "--processors", 5)
    assert "recne, 70 tasks, on 5 processors of transputer, earliest-first: 1918" in text


@pytest.mark.parametrize("words, length", [
    (["3", "--formulation", "resne", "--processors", 3], 1090),  # [Pond] p. 46
    (["6", "--processors", 5], 1975),  # p. 56: 2007
    (["6", "--processors", 5, "--scheduler", "earliest-first-append", "--list-order"], 2025),
    (["6", "--formulation", "recle", "--processors", 7], 4265),  # p. 56: 5365
    (["6", "--formulation", "recle", "--processors", 7, "--scheduler", "earliest-first-append", "--list-order"], 5377),
    (["arm6", "--processors", 5], 1975),
])
def test_the_tasks_of_the_thesis(tandem, words, length):
    assert result(tandem, *words, "--tasks", "thesis")["length_us"] == pytest.approx(length, abs=1)


def test_the_number_of_processors_by_bisection(tandem):
    every, bisected = (tandem.good("schedule", "6", "--tasks", "thesis", *words) for words in ([], ["--bisect"]))
    length = [float(text.splitlines()[0].split(": ")[1].split()[0]) for text in (every, bisected)]
    assert length[0] <= length[1] < 1.1 * length[0]
    assert "the best of" in every and "numbers tried" in bisected


def test_large_graphs_take_seconds(tandem):
    """Trying every number of processors took minutes."""
    found = result(tandem, "24", "--formulation", "classle")
    assert found["least_us"] <= found["length_us"] < found["serial_us"] / 5


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_scheduler(tandem, scheduler):
    found = result(tandem, "chain:3", "--scheduler", scheduler, "--processors", 2, "--seconds", 0.05,
                   "--topology", "chain")
    assert found["scheduler"] == scheduler.replace("-", "_")
    done = [slot["task"] for slots in found["schedule"] for slot in slots if slot["kind"] == "task"]
    assert set(done) == set(range(len(found["tasks"])))


def test_pictures(tandem):
    tandem.good("schedule", "chain:2", "--gantt", "a.svg", "--dot", "a.dot")
    assert (tandem.folder / "a.svg").read_text().startswith("<svg")
    assert (tandem.folder / "a.dot").read_text().startswith('digraph "recne"')


def test_any_function_of_any_robot(tandem):
    found = result(tandem, "quadruped", "--function", "forward-dynamics", "--processors", 4)
    assert found["length_us"] < found["serial_us"]
    fine = result(tandem, "arm6", "--function", "gravity-forces", "--grain", "operation", "--processors", 1)
    assert len(fine["tasks"]) > 100 and all(task["link"] <= 6 for task in fine["tasks"])


def test_a_schedule_is_run(tandem):
    tandem.file("m.json", '{"name": "m", "multiplication": 0.001, "addition": 0.001, "send": [0.1, 0]}')
    text = tandem.good("schedule", "chain:4", "--formulation", "resne", "--machine", "m.json", "--processors", 2,
                       "--run")
    predicted = [line.split() for line in text.split("predicted us")[1].splitlines()[1:] if line.strip()]
    assert [row[0] for row in predicted] == ["0", "1"] and all(float(row[2]) > 0 for row in predicted)


def test_a_machine_from_a_file(tandem):
    tandem.file("slow.json", '{"name": "slow", "multiplication": 1, "addition": 1, "send": [5, 1], "travel": [100, 0]}')
    found = result(tandem, "chain:3", "--machine", "slow.json")
    assert (found["machine"]["name"], found["processors"], found["messages"]) == ("slow", 1, 0)


@pytest.mark.parametrize("words, told", [
    (["--formulation", "magic"], "magic"),
    (["--processors", "0"], "expected a positive integer, best or links"),
    (["--machine", "abacus"], "expected transputer"),
    (["--machine", "nowhere.json"], "cannot be read"),
    (["--scheduler", "none"], "none"),
    (["--topology", "star"], "star"),
    (["--function", "magic"], "magic"),
    (["--function", "energy", "--formulation", "recne"], "--formulation and --function are mutually exclusive"),
    (["--function", "energy", "--grain", "sand"], "sand"),
    (["--tasks", "mine"], "mine"),
    (["--grain", "operation"], "--grain and --formulation are mutually exclusive"),
    (["--tasks", "thesis"], "prismatic: the tasks of the thesis are for revolute joints; give a number of links, 3"),
    (["--tasks", "thesis", "--function", "energy"], "--tasks and --function are mutually exclusive"),
    (["--list-order", "--scheduler", "critical-path"], "critical_path defines its own order"),
    (["--bisect", "--processors", "3"], "--processors 3 are mutually exclusive"),
    (["--bisect", "--critical-path"], "excludes --function"),
    (["--gantt", "chart.png"], "expected a name that ends in .svg"),
])
def test_what_is_refused(tandem, words, told):
    assert told in tandem.refused("schedule", "chain:3", *words)


@pytest.mark.parametrize("words, told", [
    (["0"], "expected a robot, or a number of hinges from 1 to 1000"),
    (["99999999999999999999"], "expected a robot, or a number of hinges"),
    (["3", "--run"], "--run needs a robot"),
    (["3", "--function", "energy"], "--function needs a robot"),
    (["3", "--floating"], "--floating needs a robot"),
    (["3", "--gravity", "0,0,0"], "--gravity needs a robot"),
    (["arm6", "--tasks", "thesis", "--run"], "--run and --tasks thesis are mutually exclusive"),
    (["-3"], "-3"),
])
def test_numbers_of_hinges_that_are_refused(tandem, words, told):
    assert told in tandem.refused("schedule", *words)


@pytest.mark.parametrize("text, told", [
    ("{", "not valid JSON"),
    ('{"speed": 1}', '"speed" is not a property of a machine'),
    ('{"multiplication": -1}', "expected 0 or more"),
    ('{"name": "free"}', "expected positive times of operations"),
    ('{"addition": 1, "send": 3}', "expected two numbers"),
    ('{"addition": 1, "meets": true, "travel": [1, 1]}', 'only "send" has a time'),
])
def test_a_broken_machine_is_named(tandem, text, told):
    tandem.file("m.json", text)
    error = tandem.refused("schedule", "chain:3", "--machine", "m.json")
    assert told in error and "m.json" in error


def test_robots_that_are_no_such_chains(tandem):
    assert "is a child of" in tandem.refused("schedule", "tree:3")
    assert "one degree of freedom" in tandem.refused("schedule", "rope:3")


GPU = {"name": "gpu", "origin": "some GPU", "multiplication": 0.005, "addition": 0.004, "trigonometric": 0.1,
       "assignment": 0.002,
       "task": 0.05, "meets": False, "send": [0.01, 0.002], "travel": [0.03, 0.0], "receive": [0.02, 0.004]}


def test_a_block_of_a_gpu(tandem):
    # of a table that another processor's `tandem tune` wrote: a block knows nothing of that
    tandem.file("tuned.json", json.dumps({"machine": "another processor", "rows": [], "machines": [GPU]}))
    run = tandem("schedule", "chain:8", "--formulation", "resne", "--machine", "gpu", "--processors", 4, "--json",
                 TANDEM_TUNING="tuned.json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["machine"] == GPU and found["length_us"] < found["serial_us"]


@pytest.mark.parametrize("table, told", [
    (None, "there is no table of `tandem tune`"),
    ({"machine": "another processor", "rows": []}, "tuned.json has none"),
    ({"machine": "m", "rows": [], "machines": [GPU | {"task": -1}]}, "task is -1 us, expected 0 or more"),
    ({"machine": "m", "rows": [], "machines": [GPU | {"warp": 1}]}, '"warp" is not a property of a machine'),
])
def test_a_block_of_a_gpu_that_is_not_there(tandem, table, told):
    if table:
        tandem.file("tuned.json", json.dumps(table))
    error = tandem.refused("schedule", "chain:8", "--machine", "gpu", TANDEM_TUNING="tuned.json",
                           CUDA_VISIBLE_DEVICES="")
    assert told in error
    if table is None or "machines" not in table:
        assert "CUDA" in error and "run `tandem tune` on a machine with a GPU" in error


def test_longest_paths_are_formulas(tandem):
    text = tandem.good("schedule", "chain:6", "--formulation", "resne", "--critical-path")
    assert "(27 n + 52) M + (21 n + 36) A + 2 T for n = 2 .. 10" in text and "214 M + 162 A + 2 T" in text
    assert "(33 n + 105) M + (27 n + 91) A" in text and "recneb" not in text
    assert "with a viscous one" in tandem.good("schedule", "6", "--formulation", "recneb", "--critical-path")
    every = tandem.good("schedule", "arm7", "--critical-path")
    for name in ("recne", "recneb", "resne", "classle", "recle", "hybrid"):
        assert f"  {name} " in every
    assert "(82 n + 37) M + (82 n + 14) A + 2 T for n = 1 .. 10" in every
    assert "excludes --function" in tandem.refused("schedule", "chain:6", "--critical-path", "--json")
    assert "NAME" not in tandem.refused("schedule", "chain:6", "--critical-path", "--formulation", "nope")


def test_functions_are_run(tandem):
    """Predicted by what their operations take one by one, whatever the messages of a machine."""
    text = tandem.good("schedule", "quadruped", "--function", "forward-dynamics", "--processors", 2, "--run")
    assert "measured us" in text and "on one thread" in text
    tandem.good("schedule", "arm7", "--function", "energy", "--grain", "operation", "--processors", 1, "--run")
