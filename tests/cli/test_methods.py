# SPDX-License-Identifier: Apache-2.0
"""Methods by name: eval --method, compare, tune."""
import json
import re
import subprocess
import sys

import pytest
from cli_support import table

INPUTS = {"inverse-dynamics": "qva", "mass-matrix": "q", "forward-dynamics": ["q", "v", "tau"],
          "constraint-wrenches": ["q", "v", "tau"], "closed-loop-dynamics": ["q", "v", "tau"],
          "inverse-dynamics-jvp": ["q", "v", "a", "dq", "dv", "da"], "inverse-dynamics-vjp": ["q", "v", "a", "tau_bar"],
          "forward-dynamics-jvp": ["q", "v", "tau", "dq", "dv", "dtau"],
          "forward-dynamics-vjp": ["q", "v", "tau", "a_bar"],
          "forward-kinematics-jvp": ["q", "v", "a", "dq", "dv", "da"],
          "forward-kinematics-vjp": ["q", "v", "a", "pose_bar", "velocity_bar", "acceleration_bar"],
          "step-jvp": ["q", "v", "tau", "dt", "dq", "dv", "dtau"],
          "step-vjp": ["q", "v", "tau", "dt", "q_next_bar", "v_next_bar"]}
OF_A_FRAME = {"pose_bar": 12, "velocity_bar": 6, "acceleration_bar": 6}  # numbers of each; of a joint one
NOT_COMPARED = {"closed-loop-dynamics", "inverse-dynamics-jvp", "inverse-dynamics-vjp", "forward-dynamics-jvp",
                "forward-dynamics-vjp", "forward-kinematics-jvp", "forward-kinematics-vjp", "step-jvp", "step-vjp"}


def states(function, n):
    count = {x: numbers * (n + 1) for x, numbers in OF_A_FRAME.items()}
    names = [name for x in INPUTS[function]
             for name in (["dt0"] if x == "dt" else [f"{x}{k}" for k in range(count.get(x, n))])]
    values = [1e-3 if name == "dt0" else round(0.1 * ((7 * k) % 19 - 9), 3) for k, name in enumerate(names)]
    return ",".join(names) + "\n" + ",".join(map(str, values)) + "\n"


def listed_methods(tandem):
    """of every function but automatic, those that walk the robot alone first"""
    rows = [line.split() for line in tandem.good("list").split("Methods (--method)")[1].splitlines()[2:]]
    rows = [row for row in rows if row[0] != "step"]  # which takes those of forward dynamics
    assert sorted(row[0] for row in rows) == sorted(INPUTS) and all(row[1] == "automatic" for row in rows)
    return {row[0]: row[2:] for row in rows}


@pytest.mark.parametrize("function", INPUTS)
def test_all_methods_agree(tandem, function):
    given = states(function, 40)
    methods = listed_methods(tandem)[function]
    results = {m: table(tandem.good("eval", function, "chain:40", "--method", m, stdin=given))[1][0] for m in methods}
    expected = results[methods[0]]
    size = max(map(abs, expected))
    for method, result in results.items():
        assert max(abs(x - y) for x, y in zip(result, expected)) < 1e-8 * size, method


def test_aliases_and_options_reach_the_methods(tandem):
    given = states("forward-dynamics", 40)

    def run(*words):
        return table(tandem.good("eval", "forward-dynamics", "chain:40", *words, stdin=given))[1][0]

    expected = run("--method", "aba")
    for words in (["cfa", "--solver", "odd-even-elimination"], ["cfa", "--right-hand-side", "bias-torque"],
                  ["dcae", "--chunks", "4", "--load-ratio", "2"], ["dca", "--chunks", "4", "--load-ratio", "2"],
                  ["dca", "--load-ratio", "9"], ["scan", "--chunk", "5"], ["jsiia"], ["abia"], ["dca"]):
        assert run("--method", *words) == pytest.approx(expected, rel=1e-5, abs=1e-5), words


@pytest.mark.parametrize("words, told", [
    (["eval", "forward-dynamics", "chain:9", "--method", "log-composite"],
     "forward_dynamics has no method log_composite; expected one of"),
    (["eval", "forward-dynamics", "chain:9", "--method", "aba", "--solver", "block-lu"],
     "does not use the option solver"),
    (["eval", "forward-dynamics", "humanoid", "--method", "cfa"], "does not support humanoid"),
    (["eval", "forward-dynamics", "chain:9", "--method", "cfa", "--solver", "magic"], 'no solver is called "magic"'),
    (["eval", "mass-matrix", "chain:9", "--chunk", "3"], "does not use the option chunk"),
    (["compare", "chain:9", "--problem", "energy"], "has one method only"),
    (["compare", "chain:9", "--problem", "closed-loop-dynamics"],
     "is not supported; its methods are compared by other functions"),
    (["compare", "chain:9", "--problem", "forward-kinematics-vjp"],
     "is not supported; its methods are compared by other functions"),
    (["compare", "chain:9", "--problem", "anything"], "anything"),
])
def test_what_does_not_fit_is_refused(tandem, words, told):
    function = words[1] if words[0] == "eval" else None
    rows = states(function, 9) if function else ""
    if "humanoid" in words:  # one number more in q, for the quaternion
        rows = ",".join([f"q{k}" for k in range(38)] + [f"{x}{k}" for x in ("v", "tau") for k in range(37)]) + "\n" + \
            ",".join(["0"] * 6 + ["1"] + ["0"] * 105) + "\n"
    assert told in tandem.refused(*words, stdin=rows)


def test_explain_says_what_automatic_chose_and_why(tandem):
    for robot, n, word in (("chain:40", 40, "articulated-body"), ("chain:400", 400, "scan")):
        run = tandem("eval", "forward-dynamics", robot, "--explain", "--threads", 1,
                     stdin=states("forward-dynamics", n), TANDEM_TUNING="none.json")
        assert run.returncode == 0
        assert run.stderr.startswith(f"method {word}") and f"{n} links" in run.stderr


def test_specialised_functions_give_the_same_numbers(tandem):
    def run(*words):
        done = tandem("eval", "inverse-dynamics", "arm7", "--explain", *words, stdin=states("inverse-dynamics", 7))
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr.splitlines()[-1]

    plain, told = run("--specialise", "off")
    assert told == "generic kernels"
    by_itself, told = run()
    assert by_itself == plain
    if "until" not in told:
        pytest.skip(told)
    for word in ("auto", "on"):
        assert run("--specialise", word)[0] == plain
    assembled, told = run("--specialise", "wait")
    assert assembled == plain and told.startswith("compiled for this robot: ")


def test_what_cannot_be_specialised_is_refused(tandem):
    for word in ("on", "wait"):
        words = ["eval", "forward-dynamics", "chain:200", "--method", "aba", "--specialise", word, "--out", "a.csv"]
        assert "200 links, more than 100" in tandem.refused(*words, stdin=states("forward-dynamics", 200))
    assert "sometimes" in tandem.refused("eval", "mass-matrix", "arm7", "--specialise", "sometimes",
                                         stdin=states("mass-matrix", 7))


def test_compare_prints_every_method(tandem):
    text = tandem.good("compare", "chain:48", "--milliseconds", 1)
    for function, methods in listed_methods(tandem).items():
        if function in NOT_COMPARED:
            assert f"\n{function}\n" not in text
            continue
        section = text.split(f"\n{function}\n")[1].split("\n\n")[0]
        for method in [*methods, "automatic"]:
            line = next(x for x in section.splitlines() if x.split()[0] == method)
            assert "e-" in line and "s" in line, line


def test_compare_as_json_and_in_float(tandem):
    result = json.loads(tandem.good("compare", "rope:30", "--json", "--precision", "float", "--milliseconds", 0,
                                    "--problem", "forward-dynamics"))
    assert result["nv"] == 90 and result["precision"] == "float"
    served = [m for m in result["methods"] if "refusal" not in m]
    assert len(served) > 8 and all(m["problem"] == "forward_dynamics" and m["nanoseconds"] == 0 for m in served)
    by_name = {m["method"]: m for m in served}
    assert by_name["articulated_body"]["error"] < 1e-3
    assert by_name["divide_and_conquer"]["depth"] < by_name["articulated_body"]["depth"]


def compared(tandem, robot, problem, *words):
    text = tandem.good("compare", robot, "--problem", problem, "--milliseconds", 0, "--json", *words)
    return {m["method"]: m for m in json.loads(text)["methods"]}


def test_compare_has_the_methods_of_papers_as_printed(tandem):
    forward = compared(tandem, "chain:64", "forward-dynamics")
    for name in ("constraint_force (CFA as printed)", "divide_and_conquer (DCA+, 8 links at the tip)",
                 "divide_and_conquer (DCAe as printed, 8 subsystems)"):
        assert forward[name]["error"] < 1e-6, name
    inverse = compared(tandem, "chain:64", "inverse-dynamics")
    tree, doubled = inverse["scan (slides, tree)"], inverse["scan (slides, hillis_steele)"]
    assert max(tree["error"], doubled["error"]) < 1e-12 and tree["flops"] < doubled["flops"]
    # six links have no such tip
    assert not [name for name in compared(tandem, "arm6", "forward-dynamics") if "DCA+" in name]


def hinges(links):
    """A chain of hinges, all links of which are placed alike, URDF."""
    text = '<robot name="hinges"><link name="l0"/>'
    for k in range(1, links + 1):
        text += f"""<link name="l{k}"><inertial><origin xyz=".1 .2 .3"/><mass value="1"/>
            <inertia ixx="1" iyy="1.1" izz="1.2" ixy=".1" ixz=".2" iyz=".3"/></inertial></link>
            <joint name="j{k}" type="continuous"><parent link="l{k - 1}"/><child link="l{k}"/>
            <origin xyz=".1 .2 .3" rpy=".1 .2 .3"/><axis xyz="0 0 1"/></joint>"""
    return text + "</robot>"


def test_depths_of_formulations_are_longest_paths(tandem):
    """[Pond] table 2.7 for chains of hinges: (48 n + 43) M + (42 n + 23) A for recne as it is run, (27 n + 52) M +
    (21 n + 36) A for resne, both with zeros of axes written out, which are not done; of recneb as the logarithm."""
    for links in (8, 16, 32):
        tandem.file(f"{links}.urdf", hinges(links))
    depths = {links: compared(tandem, f"{links}.urdf", "inverse-dynamics") for links in (8, 16, 32)}
    for name, most in (("recne", 90), ("resne", 48)):
        grown = [depths[b][name]["depth"] - depths[a][name]["depth"] for a, b in ((8, 16), (16, 32))]
        assert grown[1] == 2 * grown[0] and grown[0] <= 8 * most, name
    for method in depths[32].values():
        assert method["depth"] <= method["flops"]
    doubling = [depths[n]["recneb"]["depth"] for n in (8, 16, 32)]
    assert doubling[2] - doubling[1] == doubling[1] - doubling[0]


def test_compare_says_what_it_leaves_out(tandem):
    text = tandem.good("compare", "chain:20000", "--problem", "mass-matrix", "--milliseconds", 0)
    for method in ("composite-rigid-body", "log-composite", "composite-scan", "automatic"):
        line = next(line for line in text.splitlines() if line.split()[:1] == [method])
        assert "its matrix has 20000 x 20000 entries, more than the limit of 268435456" in line


@pytest.mark.parametrize("robot",
                         ["humanoid", "quadruped", "tree:30", "rope:8", "rope:8:bending", "chain:3", "snake:7",
                          "four_bar"])
def test_advice_names_methods_that_serve(tandem, robot):
    methods = json.loads(tandem.good("compare", robot, "--milliseconds", 0, "--json"))["methods"]
    served = {(m["problem"], m["method"]) for m in methods if "refusal" not in m}
    known = {m["method"].split(" ")[0] for m in methods}
    for m in methods:
        advice = m.get("refusal", "").split("; ")[1:]
        for name in re.findall(r"[a-z_]+", advice[-1] if advice else ""):
            if name in known:
                assert (m["problem"], name) in served, m


def test_compare_tells_steps(tandem):
    words = ["compare", "chain:20", "--milliseconds", 0, "--problem", "forward-dynamics", "--max-iterations", 3]
    methods = json.loads(tandem.good(*words, "--json"))["methods"]
    told = {m["method"]: (m["steps"], m["converged"]) for m in methods if "steps" in m}
    assert told == {"conjugate_gradient": (3, False)}
    assert "3 steps, not converged" in tandem.good(*words)


def test_compare_lists_what_is_the_same_once(tandem):
    def names(problem, *words):
        text = tandem.good("compare", *words, "--milliseconds", 0, "--problem", problem, "--json")
        return [m["method"] for m in json.loads(text)["methods"]]

    # what a method chooses itself is its first line, and conjugate gradients are a method of their own
    printed = [m for m in names("forward-dynamics", "chain:16") if "DCA" in m or "printed" in m]
    assert [m for m in names("forward-dynamics", "chain:16") if "(" in m and m not in printed] == [
        *(f"constraint_force ({solver})" for solver in ("block_lu", "odd_even_elimination", "cyclic_reduction")),
        "constraint_force (bias_torque)", "mass_matrix_inversion (body)", "mass_matrix_inversion (jet)",
        "hybrid_articulated_body (bias_torque)"]
    assert "constraint_force (conjugate_gradient)" in names("constraint-wrenches", "chain:16")
    assert names("inverse-dynamics", "chain:16")[1:-1] == ["scan", "scan (body)", "scan (jet)", "scan (hillis_steele)",
                                                           "scan (slides, hillis_steele)", "scan (slides, tree)",
                                                           "recne", "recne (omega)", "recneb", "resne", "classle",
                                                           "classle (blocks)", "recle", "hybrid"]
    # in float long chains choose another form
    long = names("inverse-dynamics", "chain:5000", "--precision", "float")
    assert [m for m in long if m.startswith("scan")] == ["scan", "scan (body)", "scan (world_orientation)",
                                                         "scan (hillis_steele)", "scan (slides, hillis_steele)",
                                                         "scan (slides, tree)"]


def test_compare_says_why_a_method_does_not_serve(tandem):
    text = tandem.good("compare", "humanoid", "--milliseconds", 0, "--problem", "forward-dynamics")
    line = next(x for x in text.splitlines() if x.split()[:1] == ["constraint-force"])
    assert "branch" in line and "scan" in line


def test_tune_writes_a_table_that_automatic_reads(tandem):
    text = tandem.good("tune", "--milliseconds", 0.05, "--out", "tuning.json", "--threads", 1, timeout=300)
    assert "Written to tuning.json" in text
    table_ = json.loads((tandem.folder / "tuning.json").read_text())
    assert {row["algorithm"] for row in table_["rows"]} == {
        "inverse_dynamics", "inverse_dynamics_jvp", "inverse_dynamics_vjp", "mass_matrix", "forward_dynamics",
        # not forward_dynamics_vjp, of which scan loses digits
        "forward_dynamics_jvp", "forward_kinematics_jvp", "forward_kinematics_vjp"}
    machines = {machine["name"]: machine for machine in table_["machines"]}
    assert {"this", "this-lanes"} <= set(machines) and machines["this"]["multiplication"] > 0
    kept = tandem("schedule", "arm6", "--machine", "this", "--json", TANDEM_TUNING="tuning.json")
    assert json.loads(kept.stdout)["machine"] == machines["this"]
    run = tandem("eval", "forward-dynamics", "chain:400", "--explain", "--threads", 1,
                 stdin=states("forward-dynamics", 400), TANDEM_TUNING="tuning.json")
    assert run.returncode == 0 and "tuning.json" in run.stderr


@pytest.mark.parametrize("text, told", [
    ("{", "broken.json: not valid JSON"),
    ('{"machine": "m"}', '"rows" is missing'),
    ('{"machine": "m", "rows": [{"algorithm": 3}]}', "row 0"),
    ('{"machine": "m", "rows": [{"algorithm": "magic", "float": true, "steps": []}]}', "magic"),
    ('{"machine": "m", "rows": [{"algorithm": "forward_dynamics", "float": true, "many_states": false, "steps": []}, '
     '{"algorithm": "forward_dynamics", "float": true, "many_states": true, "steps": []}]}',
     "row 1: duplicate row of forward_dynamics in float"),
])
def test_a_broken_table_is_named(tandem, text, told):
    tandem.file("broken.json", text)
    error = tandem.refused("eval", "forward-dynamics", "chain:64", stdin=states("forward-dynamics", 64),
                           TANDEM_TUNING="broken.json")
    assert told in error


def test_compare_draws(tandem):
    python = sys.executable
    if subprocess.run([python, "-c", "import tandem._view.charts, matplotlib"], capture_output=True).returncode:
        pytest.skip("the Python package or Matplotlib is not installed")
    tandem("compare", "chain:16", "--milliseconds", 1, "--plot", "methods.png", TANDEM_PYTHON=python)
    assert (tandem.folder / "methods.png").stat().st_size > 10000
