# SPDX-License-Identifier: Apache-2.0
"""tandem bench: that it measures, writes and prints what it says. No speed is tested here."""
import json

import pytest


@pytest.fixture
def bench(tandem):
    """tandem bench with one short repetition; skips where the command line was built without it."""
    def run(*arguments):
        process = tandem("bench", *arguments, "--repetitions", "1", "--min-time", "0.001", timeout=300)
        if "built without benchmarks" in process.stderr:
            assert process.returncode == 1
            pytest.skip("built without benchmarks")
        return process
    return run


def test_serial_suite_prints_a_row_for_each_function(bench):
    run = bench("--suite", "serial", "arm7", "chain:3")
    assert run.returncode == 0, run.stderr
    for function in ("inverse dynamics", "mass matrix", "forward dynamics", "forward kinematics"):
        for robot in ("arm7", "chain:3"):
            assert f"| {function} | {robot} | " in run.stdout


def test_batches_write_lines_that_the_table_is_made_from(bench, tandem):
    run = bench("--suite", "batches", "arm7", "--out", "results.jsonl", "--markdown", "rows.md")
    assert run.returncode == 0, run.stderr
    lines = [json.loads(line) for line in (tandem.folder / "results.jsonl").read_text().splitlines()]
    times = [line for line in lines if line["kind"] == "time"]
    ours = [line for line in times if line["library"] == "tandem"]
    for field, values in {"algorithm": {"inverse_dynamics", "mass_matrix", "forward_dynamics", "inverse_mass_matrix",
                                        "inverse_dynamics_derivatives", "forward_dynamics_derivatives",
                                        "inverse_dynamics_vjp", "forward_dynamics_vjp"},
                          "batch": {1, 16, 256, 4096, 65536}, "precision": {"double", "float"},
                          "layout": {"batch_row", "row_batch"}}.items():
        assert {line[field] for line in ours} == values
    for line in times:
        assert line["ns_per_state"]["fastest"] <= line["ns_per_state"]["median"] <= line["ns_per_state"]["p90"]
        assert line["suite"] == "batches" and line["compiler"] and line["processor"] and line["date"]
    assert {line["variant"] for line in ours} == {"", "specialise automatic"}
    assert all(line["flops_per_state"] > 0 for line in ours if not line["variant"])
    assert all(line["bytes_per_state"] > 0 for line in ours)
    accuracy, = (line for line in lines if line["kind"] == "accuracy")
    assert 0 < accuracy["error_with_random_forces"]["median"] < 1e-5
    assert "| forward dynamics, arm7, double: times the fastest Pinocchio (double) | >= 10 | " in run.stdout
    assert tandem.good("bench", "--table", "results.jsonl") in run.stdout
    assert run.stdout.count("\n| ") < (tandem.folder / "rows.md").read_text().count("\n| ")


def test_generated_code_takes_its_turn_with_code_for_any_robot(bench, tandem):
    run = bench("--suite", "generated", "arm7", "--out", "results.jsonl")
    if "cannot be specialised" in run.stderr:
        pytest.skip("no assembler for this processor")
    assert run.returncode == 0, run.stderr
    lines = [json.loads(line) for line in (tandem.folder / "results.jsonl").read_text().splitlines()]
    ours = [line for line in lines if line["kind"] == "time" and line["library"] == "tandem"]
    rows = {(line["algorithm"], line["precision"], line["layout"], line["batch"], line["variant"]) for line in ours}
    assert {row[4] for row in rows} == {"", "specialise wait"}
    for row in rows:  # whatever one was measured with, the other was, too
        assert (*row[:4], "") in rows and (*row[:4], "specialise wait") in rows
    assert all(line["flops_per_state"] > 0 for line in ours if not line["variant"])
    for line in lines:
        if line["kind"] == "assembly":
            assert line["operations"] > 0 and line["kibibytes"] > 0 and line["milliseconds"]["median"] > 0
            assert line["taken_by_itself"]
    assert "| record and assemble a function of iiwa14 | <= 50 ms | - | | not measured in this run |" in run.stdout


def test_derivatives_are_measured_one_at_a_time_and_in_batches(bench, tandem):
    run = bench("--suite", "derivatives", "arm7", "--out", "results.jsonl")
    assert run.returncode == 0, run.stderr
    lines = [json.loads(line) for line in (tandem.folder / "results.jsonl").read_text().splitlines()]
    ours = [line for line in lines if line["kind"] == "time" and line["library"] == "tandem"]
    rows = {(line["algorithm"], line["precision"], line["batch"], line["variant"]) for line in ours}
    matrices = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives", "inverse_mass_matrix")
    products = [name + product for name in ("inverse_dynamics", "forward_dynamics")
                for product in ("", "_jvp", "_vjp", "_hvp")]
    both = (*matrices, "inverse_dynamics_hvp", "forward_dynamics_hvp")
    variants = [(name, variant) for name in both for variant in ("", "specialise automatic")]
    variants += [(name, "") for name in products if name not in both]
    assert rows == {(algorithm, precision, batch, variant)
                    for algorithm, variant in variants for precision in ("double", "float") for batch in (1, 4096)}
    theirs = {line["algorithm"] for line in lines if line["kind"] == "time" and line["library"] == "pinocchio"}
    assert not theirs or theirs == set(matrices)
    bar = "derivatives of inverse dynamics, iiwa14, one state, double: times Pinocchio (double)"
    assert f"| {bar} | >= 1.43 | - | | not measured in this run |" in run.stdout


def test_gradients_stand_beside_their_rollouts(bench, tandem):
    run = bench("--suite", "gradients", "arm7", "--out", "results.jsonl")
    assert run.returncode == 0, run.stderr
    lines = [json.loads(line) for line in (tandem.folder / "results.jsonl").read_text().splitlines()]
    ours = [line for line in lines if line["kind"] == "time" and line["library"] == "tandem"]
    rows = {(line["algorithm"], line["precision"], line["variant"]) for line in ours}
    steps = [integrator + ", " * bool(integrator and stops) + stops
             for integrator in ("", "rk4", "implicit_midpoint") for stops in ("", "stops and losses")]
    kept = [f"{states} states kept" for states in (12, 4)]
    gradients = [variant + ", " * bool(variant and few) + few for variant in steps for few in ("", *kept)]
    assert rows == {(algorithm, precision, variant) for precision in ("double", "float")
                    for algorithm, variants in (("rollout", steps), ("rollout_gradient", gradients))
                    for variant in variants}
    assert {line["batch"] for line in ours} == {6400}
    assert "| robot | steps | precision | rollout | gradient | 12 states kept | 4 states kept |" in run.stdout
    assert "| arm7 | implicit_midpoint, stops and losses | float | " in run.stdout
    assert "| VJP through time over the rollout, arm7, rk4, double | <= 5 | " in run.stdout
    row = "| gradient through time, arm7, double: times jax.grad of mjx | >= 50 | - | | not measured in this run |"
    assert row in run.stdout


@pytest.mark.parametrize("words, told", [
    (["--suite", "batch"], 'no suite is called "batch"; there are serial, batches'),
    (["--table", "nowhere.jsonl"], "cannot read nowhere.jsonl"),
    (["arm9"], 'did you mean "arm6" or "arm7"'),
    (["--suite", "serial", "arm7", "--out", "no/folder/results.jsonl"], "cannot write no/folder/results.jsonl"),
])
def test_bad_usage(bench, words, told):
    run = bench(*words)
    assert run.returncode == 2 and told in run.stderr


def test_a_bad_line_is_named(bench, tandem):
    tandem.file("results.jsonl", '{"kind": "time"}\nnonsense\n')
    run = bench("--table", "results.jsonl")
    assert run.returncode == 2 and "results.jsonl:2: expected a JSON object on every line" in run.stderr
