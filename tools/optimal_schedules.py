#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far schedules of small task graphs are from the shortest one there is, found by CP-SAT (pip install ortools).

    tools/optimal_schedules.py [--tandem build/release/bin/tandem] [--seconds 60] [FORMULATION:LINKS:PROCESSORS ...]

Writes a line of JSON for each to standard output: the length of every scheduler's schedule, that of the optimum, or of
the best that was found in the time, and the length that no schedule falls below. All processors are neighbours; no task
is done twice.
"""
import argparse
import json
import subprocess
import sys

from ortools.sat.python import cp_model

SCHEDULERS = ["earliest-first", "earliest-first-append", "critical-path", "largest-first", "level-and-messages",
              "annealing", "fixed-links", "backtracking", "duplication"]
USUAL = ["recne:2:2", "recne:3:2", "recne:3:3", "resne:2:2", "resne:2:3", "resne:3:3", "recneb:2:2", "recle:2:2"]
UNIT = 0.01  # us: the transputer's times are multiples of it


def ticks(us):
    return round(us / UNIT)


def scheduled(program, formulation, links, processors, scheduler, machine, seconds):
    words = [program, "schedule", f"chain:{links}", "--formulation", formulation, "--processors", str(processors),
             "--scheduler", scheduler, "--machine", machine, "--seconds", str(seconds), "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def times_of_message(found, task):
    """Ticks that a message keeps its sender, travels and keeps its receiver."""
    return [ticks(fixed + each * task["outputs"]) for fixed,
            each in (found["machine"][part] for part in ("send", "travel", "receive"))]


def optimum(found, processors, seconds):
    """(length, bound, proven) of the shortest schedule, us. `found` has one that is known, from which the search
    begins."""
    model, tasks, meets = cp_model.CpModel(), found["tasks"], found["machine"]["meets"]
    horizon = ticks(found["length_us"]) + 1
    least = max(ticks(found["critical_path_us"]), -(-sum(ticks(task["us"]) for task in tasks) // processors))
    end_of_all = model.new_int_var(min(least, horizon), horizon, "length")
    busy = [[] for _ in range(processors)]
    on = [[model.new_bool_var(f"{task['name']} on {q}") for q in range(processors)] for task in tasks]
    begin = [model.new_int_var(0, horizon, task["name"]) for task in tasks]
    # processors in the order in which tasks of the list come to them
    first = {q: k for k, q in enumerate(dict.fromkeys(
        q for k in range(len(tasks)) for q, slots in enumerate(found["schedule"])
        if (k, "task") in {(s["task"], s["kind"]) for s in slots}))}
    for q, slots in enumerate(found["schedule"]):
        for slot in slots:
            if slot["kind"] == "task":
                model.add_hint(begin[slot["task"]], ticks(slot["begin"]))
                for other in range(processors):
                    model.add_hint(on[slot["task"]][other], int(other == first[q]))
    readers = [[k for k, reader in enumerate(tasks) if number in reader["needs"]] for number in range(len(tasks))]
    for k, task in enumerate(tasks):
        model.add_exactly_one(on[k])
        for q in range(processors):
            busy[q].append(model.new_optional_fixed_size_interval_var(begin[k], ticks(task["us"]), on[k][q], ""))
        model.add(end_of_all >= begin[k] + ticks(task["us"]))
    for k, task in enumerate(tasks):
        done = begin[k] + ticks(task["us"])
        send, travel, receive = times_of_message(found, task)
        for q in range(processors if readers[k] else 0):
            comes = model.new_bool_var("")  # a message to q
            arrives = model.new_int_var(0, horizon, "")
            sent = model.new_int_var(0, horizon, "")
            model.add(sent >= done).only_enforce_if(comes)
            taken = sent if meets else model.new_int_var(0, horizon, "")
            if not meets:
                model.add(taken >= sent + send + travel).only_enforce_if(comes)
            model.add(arrives >= taken + (send if meets else receive)).only_enforce_if(comes)
            model.add(arrives >= done).only_enforce_if(~comes)
            model.add_implication(on[k][q], ~comes)
            busy[q].append(model.new_optional_fixed_size_interval_var(taken, send if meets else receive, comes, ""))
            for source in range(processors):
                if source != q:
                    from_there = model.new_bool_var("")
                    model.add_bool_and(comes, on[k][source]).only_enforce_if(from_there)
                    model.add_bool_or(~comes, ~on[k][source], from_there)
                    busy[source].append(model.new_optional_fixed_size_interval_var(sent, send, from_there, ""))
            for reader in readers[k]:
                model.add(begin[reader] >= done)
                model.add_bool_or(~on[reader][q], on[k][q], comes)
                model.add(begin[reader] >= arrives).only_enforce_if(on[reader][q])
    for intervals in busy:
        model.add_no_overlap(intervals)
    model.add(on[0][0] == 1)  # processors are alike
    model.minimize(end_of_all)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return found["length_us"], solver.best_objective_bound * UNIT, False
    return solver.objective_value * UNIT, solver.best_objective_bound * UNIT, status == cp_model.OPTIMAL


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tandem", default="build/release/bin/tandem", help="the command line")
    parser.add_argument("--machine", default="transputer")
    parser.add_argument("--seconds", type=float, default=60, help="that the solver may take for each")
    parser.add_argument("cases", nargs="*", default=USUAL, metavar="FORMULATION:LINKS:PROCESSORS")
    arguments = parser.parse_args()
    for case in arguments.cases:
        formulation, links, processors = case.split(":")
        found = {scheduler.replace("-", "_"): scheduled(arguments.tandem, formulation, links, processors, scheduler,
                                                        arguments.machine, 2)
                 for scheduler in SCHEDULERS}
        lengths = {name: round(one["length_us"], 2) for name, one in found.items()}
        best = min((one for name, one in found.items() if name != "duplication"), key=lambda one: one["length_us"])
        length, bound, proven = optimum(best, int(processors), arguments.seconds)
        print(json.dumps({"formulation": formulation, "links": int(links), "processors": int(processors),
                          "machine": arguments.machine,
                          "optimum": round(length, 2), "bound": round(bound, 2), "proven": proven, "lengths": lengths}),
                          flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
