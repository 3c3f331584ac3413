# SPDX-License-Identifier: Apache-2.0
"""tandem simulate: motion, files, ends."""
import math
import os
import pty
import signal
import subprocess
import time

import pytest
from cli_support import PENDULUM, table


def trajectory(tandem, *arguments):
    tandem.good("simulate", *arguments, "--out", "out.csv")
    header, rows = table((tandem.folder / "out.csv").read_text())
    return {name: [row[k] for row in rows] for k, name in enumerate(header)}


def test_columns_and_lines(tandem):
    run = trajectory(tandem, "arm7", "--time", 0.1, "--dt", 0.01, "--q0", "random")
    state = [f"{letter}{k}" for letter in "qv" for k in range(7)]
    assert list(run) == ["t", *state, "kinetic", "potential", "energy", "dissipated", "work"]
    assert run["t"] == [k / 100 for k in range(11)]


def test_every_keeps_the_last_step(tandem):
    run = trajectory(tandem, "arm7", "--time", 1, "--dt", 0.1, "--every", 4)
    assert run["t"] == [0, 0.4, 0.8, 1]


def test_steps_are_shortened_to_end_on_time(tandem):
    run = trajectory(tandem, "arm7", "--time", 1, "--dt", 0.3)
    assert run["t"] == [0, 0.25, 0.5, 0.75, 1]
    assert "4, 1 s of motion" in tandem.good("simulate", "arm7", "--time", 1, "--dt", 0.3)


def test_no_time_is_one_line(tandem):
    assert trajectory(tandem, "arm7", "--time", 0)["t"] == [0]


@pytest.mark.parametrize("integrator, error", [("rk4", 1e-9), ("semi-implicit-euler", 2e-3)])
def test_a_pendulum_swings_with_its_period(tandem, integrator, error):
    tandem.file("p.urdf", PENDULUM)
    period = 2 * math.pi * math.sqrt((0.2 + 2 * 0.25) / (2 * 9.81 * 0.5))
    run = trajectory(tandem, "p.urdf", "--time", period, "--q0", 1e-4, "--integrator", integrator, "--dt", 1e-3)
    assert run["q0"][-1] == pytest.approx(1e-4, rel=error)


def test_energy_drift_of_rk4_is_small_and_told(tandem):
    text = tandem.good("simulate", "arm7", "--time", 1, "--q0", "random", "--integrator", "rk4", "--lossless")
    drift = float(text.split("drift")[1].split()[0])
    assert abs(drift) < 1e-4 and "steps/s" in text


def test_damping_is_no_drift(tandem):
    run = trajectory(tandem, "arm7", "--time", 1, "--q0", "random", "--integrator", "rk4", "--kp", 5, "--kd", 0.05)
    budget = [run["energy"][k] + run["dissipated"][k] - run["work"][k] for k in range(len(run["t"]))]
    assert max(run["dissipated"]) > 0.1 and max(map(abs, run["work"])) > 0.1
    assert max(abs(b - budget[0]) for b in budget) < 1e-4 * max(run["kinetic"])
    text = tandem.good("simulate", "arm7", "--time", 0.1, "--kp", 20, "--q0", "random")
    assert all(word in text for word in ("by damping and friction", "done by the controller", "energy + losses - work"))


def test_a_rope_that_falls_keeps_its_energy(tandem):
    text = tandem.good("simulate", "rope:200", "--time", 1, "--dt", 5e-4, "--integrator", "rk4",
                       "--move", "ball1=0,1.57,0")
    assert float(text.split("work;")[1].split()[0]) < 1e-6


def test_a_joint_is_moved_at_the_start(tandem):
    run = trajectory(tandem, "arm7", "--time", 0, "--q0", "0,1,0,0,0,0,0", "--move", "joint2=-0.25",
                     "--move", "joint4=-0.5")
    assert [run[f"q{k}"][0] for k in range(7)] == pytest.approx([0, 0.75, 0, -0.5, 0, 0, 0])
    run = trajectory(tandem, "rope:2", "--time", 0, "--move", f"ball2=0,{math.pi / 2},0")
    assert [run[f"q{k}"][0] for k in range(8)] == pytest.approx([0, 0, 0, 1, 0, math.sqrt(0.5), 0, math.sqrt(0.5)])


def test_methods_of_forward_dynamics_agree(tandem):
    ends = []
    for method in ("automatic", "aba", "composite-rigid-body"):
        run = trajectory(tandem, "rope:4", "--time", 0.2, "--q0", "random", "--method", method)
        ends.append([run[f"q{k}"][-1] for k in range(16)])
    assert ends[0] == ends[1] and ends[0] == pytest.approx(ends[2], abs=1e-8)
    assert "dynamics   method composite-rigid-body" in tandem.good("simulate", "rope:4", "--time", 0.01,
                                                                   "--method", "crba")


def test_steps_by_instructions_for_the_robot_are_the_same(tandem):
    def run(*words):
        return tandem("simulate", "arm7", "--time", 0.05, "--kp", 20, "--kd", 1, "--q0", "random", "--out", "-", *words)

    ordinary, waited = run("--specialise", "off"), run("--specialise", "wait")
    if "cannot be specialised" in waited.stderr:
        pytest.skip(waited.stderr)
    assert ordinary.returncode == 0 and len(ordinary.stdout.splitlines()) == 52
    assert waited.stdout == ordinary.stdout == run("--specialise", "on").stdout == run().stdout


def test_what_cannot_be_specialised_is_refused(tandem):
    words = ["simulate", "chain:200", "--method", "aba", "--time", 0.01, "--specialise"]
    assert "200 links, more than 100" in tandem.refused(*words, "wait")
    assert "sometimes" in tandem.refused(*words, "sometimes")


def test_a_controller_holds_a_pose(tandem):
    run = trajectory(tandem, "arm7", "--time", 5, "--kp", 500, "--kd", 50, "--target", "0.1,0.2,0.3,-0.4,0.5,0.6,0.7",
                     "--gravity", "0,0,0")
    assert [run[f"q{k}"][-1] for k in range(7)] == pytest.approx([0.1, 0.2, 0.3, -0.4, 0.5, 0.6, 0.7], abs=1e-3)


def test_a_controller_does_not_hold_the_floating_base(tandem):
    run = trajectory(tandem, "humanoid", "--time", 1, "--kp", 100, "--kd", 10)
    assert run["q2"][-1] == pytest.approx(-9.81 / 2, rel=1e-2)


def test_quaternions_stay_unit(tandem):
    run = trajectory(tandem, "humanoid", "--time", 1, "--v0", "random", "--gravity", "0,0,0")
    norms = [math.sqrt(sum(run[f"q{k}"][i] ** 2 for k in range(3, 7))) for i in range(len(run["t"]))]
    assert norms == pytest.approx([1.0] * len(norms), abs=1e-14)


def test_start_from_a_file(tandem):
    whole = trajectory(tandem, "arm7", "--time", 0.2, "--q0", "random", "--v0", "random")
    lines = (tandem.folder / "out.csv").read_text().splitlines()
    tandem.file("half.csv", "\n".join([lines[0], lines[101]]) + "\n")
    rest = trajectory(tandem, "arm7", "--time", 0.1, "--q0", "half.csv")
    assert [rest[f"q{k}"][-1] for k in range(7)] == [whole[f"q{k}"][-1] for k in range(7)]


def test_same_words_same_bytes(tandem):
    texts = {tandem.good("simulate", "quadruped", "--time", 0.5, "--q0", "random", "--seed", 5, "--out", f"{k}.csv") and
             (tandem.folder / f"{k}.csv").read_text() for k in range(2)}
    assert len(texts) == 1


def test_float_is_shorter(tandem):
    assert tandem("simulate", "arm7", "--time", 0.01, "--q0", "random", "--out", "-").stdout != tandem(
        "simulate", "arm7", "--time", 0.01, "--q0", "random", "--out", "-", "--precision", "float").stdout


def test_standard_output_holds_states_only(tandem):
    run = tandem("simulate", "arm7", "--time", 0.01, "--out", "-")
    assert run.returncode == 0 and run.stdout.startswith("t,q0") and "steps/s" in run.stderr
    assert len(run.stdout.splitlines()) == 12


def test_divergence_is_a_failed_run_that_keeps_its_file(tandem):
    run = tandem("simulate", "chain:20", "--time", 10, "--dt", 0.1, "--integrator", "rk4", "--q0", "random",
                 "--out", "d.csv")
    assert run.returncode == 1
    assert "diverged at t = " in run.stderr and "d.csv has the earlier states" in run.stderr
    _, rows = table((tandem.folder / "d.csv").read_text())
    assert len(rows) > 1 and all(math.isfinite(x) for row in rows for x in row)


def test_a_run_that_leaves_reason_stops_and_says_where_when_and_why(tandem):
    words = ("simulate", "arm7", "--time", 1, "--dt", 0.5, "--integrator", "rk4", "--q0", "random", "--v0", "random")
    run = tandem(*words, "--out", "d.csv")
    assert run.returncode == 1
    assert "diverged at t = 0.5 s (step 1): joint \"joint" in run.stderr and "rad/s" in run.stderr
    assert "too stiff for rk4 at dt = 0.5 s: use semi_implicit_euler" in run.stderr
    _, rows = table((tandem.folder / "d.csv").read_text())
    assert len(rows) == 1 and all(abs(x) < 1000 for x in rows[0])
    assert tandem(*words, "--excess", "inf", "--max-speed", "inf").returncode == 0
    slow = tandem("simulate", "arm7", "--time", 1, "--max-speed", 0.5)
    assert slow.returncode == 1 and "rad/s, max_speed" in slow.stderr
    assert "--excess is -1, expected 0 or more" in tandem.refused("simulate", "arm7", "--time", 1, "--excess", -1)
    assert "--max-speed is nan" in tandem.refused("simulate", "arm7", "--time", 1, "--max-speed", "nan")


def test_the_last_state_within_reason_is_recorded(tandem):
    run = tandem("simulate", "chain:20", "--time", 10, "--dt", 0.1, "--integrator", "rk4", "--every", 1000, "--q0",
                 "random", "--out", "d.csv")
    assert run.returncode == 1
    _, rows = table((tandem.folder / "d.csv").read_text())
    step = int(run.stderr.split("(step ")[1].split(")")[0])
    assert len(rows) == 2 and rows[1][0] == pytest.approx(0.1 * (step - 1))


def test_an_arm_that_nobody_moves_falls_into_its_stops(tandem):
    text = tandem.good("simulate", "arm7", "--time", 3, "--out", "out.csv")
    assert "start      leaning" in text and "active at the end: joint2 (upper)" in text
    header, rows = table((tandem.folder / "out.csv").read_text())
    q2 = [row[header.index("q1")] for row in rows]
    assert q2[0] == 0.3 and max(q2) == pytest.approx(2.0944, abs=1e-4) and max(q2) < 2.0945
    free = tandem.good("simulate", "arm7", "--time", 3, "--no-limits")
    assert "joint limits" not in free


@pytest.mark.parametrize("words, start", [([], [0.3, 0.3]), (["--v0", "0,1"], [0, 0]),
                                          (["--kp", "1"], [0, 0]), (["--move", "a=0.1"], [0.1, 0]),
                                          (["--q0", "neutral"], [0, 0])])
def test_only_what_nothing_else_moves_leans(tandem, words, start):
    tandem.file("two.urdf", """<robot name="two"><link name="base"/>
      <link name="l"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <link name="m"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="a" type="continuous"><parent link="base"/><child link="l"/><axis xyz="0 1 0"/></joint>
      <joint name="b" type="continuous"><parent link="l"/><child link="m"/><axis xyz="0 1 0"/></joint></robot>""")
    run = trajectory(tandem, "two.urdf", "--time", 0, *words)
    assert [run["q0"][0], run["q1"][0]] == start


def test_leaning_stays_within_limits(tandem):
    tandem.file("slide.urdf", """<robot name="slide"><link name="base"/>
      <link name="l"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="a" type="prismatic"><parent link="base"/><child link="l"/><axis xyz="0 0 1"/>
      <limit lower="-0.5" upper="-0.48" effort="1" velocity="1"/></joint></robot>""")
    assert trajectory(tandem, "slide.urdf", "--time", 0)["q0"] == [pytest.approx(-0.49)]
    run = trajectory(tandem, "slide.urdf", "--time", 1)
    assert min(run["q0"]) > -0.5 - 1e-6 and run["q0"][-1] == pytest.approx(-0.5, abs=1e-5)


@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_its_file(tandem, word):
    process = tandem.popen("simulate", "arm7", "--time", 1e6, "--out", "i.csv", stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    file, deadline = tandem.folder / "i.csv", time.monotonic() + 20
    while not (file.exists() and file.stat().st_size > 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(word)
    output, error = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "interrupted at t = " in error and "steps/s" in output
    assert (tandem.folder / "i.csv").read_text().endswith("\n")


def test_progress_is_for_terminals(tandem):
    master, slave = pty.openpty()
    process = tandem.popen("simulate", "arm7", "--time", 3000, "--every", 1000, stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # the other end has closed
            break
        if not part:
            break
        shown += part
    assert process.wait(timeout=60) == 0
    os.close(master)
    assert b"%" in shown and b"steps/s" in shown and b"left" in shown
    assert b"100 %" in shown and shown.endswith(b"\n")
    assert tandem("simulate", "arm7", "--time", 100, "--every", 1000).stderr == ""


@pytest.mark.parametrize("words, told", [
    (["--time", "-1"], "--time is -1, expected"),
    (["--time", "nan"], "--time is nan"),
    (["--time", "1", "--dt", "0"], "--dt is 0, expected"),
    (["--time", "1e300", "--dt", "1e-9"], "less than 1e15 steps"),
    (["--time", "1", "--integrator", "euler"], "expected semi-implicit-euler or rk4"),
    (["--time", "1", "--every", "0"], "an integer of 1 or more"),
    (["--time", "1", "--q0", "1,2"], "--q0 has 2 numbers, expected nq = 7"),
    (["--time", "1", "--q0", "nowhere.csv"], "--q0 nowhere.csv: expected leaning, neutral, random, numbers"),
    (["--time", "1", "--v0", "1,2,x,4,5,6,7"], '--v0: "x" is not a number'),
    (["--time", "1", "--v0", "1,2,nan,4,5,6,7"], "--v0 has a number that is not finite"),
    (["--time", "1", "--kp", "1,2"], "--kp has 2 numbers, expected nv = 7"),
    (["--time", "1", "--kp", "-1"], "kp has -1"),
    (["--time", "1", "--method", "magic"], 'no method is called "magic"'),
    (["--time", "1", "--method", "rnea"],
     "no method recursive_newton_euler; expected one of automatic, articulated_body"),
    (["--time", "1", "--move", "joint1"], "expected JOINT=U"),
    (["--time", "1", "--move", "joint1=1,2"], "--move has 2 numbers, expected the degrees of freedom of the joint = 1"),
    (["--time", "1", "--move", "jiont1=1"], 'did you mean "joint1"'),
    (["--time", "1", "--fps", "10"], "need --render"),
    (["--time", "1", "--target", "1"], "--target has 1 numbers, expected nq = 7"),
])
def test_bad_words(tandem, words, told):
    assert told in tandem.refused("simulate", "arm7", *words)


def test_bad_start_files_are_named(tandem):
    tandem.file("few.csv", "q0,q1\n1,2\n")
    assert "few.csv:1: 2 of the columns q0..q6" in tandem.refused("simulate", "arm7", "--time", 1, "--q0", "few.csv")
    tandem.file("none.csv", ",".join(f"q{k}" for k in range(7)) + "\n")
    assert "none.csv: no states after the line of column names" in tandem.refused("simulate", "arm7", "--time", 1,
                                                                                  "--q0", "none.csv")
    tandem.file("p.urdf", PENDULUM)
    assert "length 0" in tandem.refused("simulate", "p.urdf", "--floating", "--time", 1, "--q0", "0,0,0,0,0,0,0,0")


def test_output_that_cannot_be_written_is_a_failed_run(tandem):
    assert "cannot write to" in tandem.refused("simulate", "arm7", "--time", 1, "--out", "nowhere/x.csv", code=1)
    assert "No space left" in tandem.refused("simulate", "arm7", "--time", 1, "--out", "/dev/full", code=1)


def test_conjugate_gradients_tell_their_steps(tandem):
    run = ("simulate", "rope:10", "--time", 0.02, "--dt", 1e-4, "--move", "ball1=0,1.5,0",
           "--method", "conjugate-gradient", "--tolerance", 1e-6)  # fmt: skip
    def told(*words):
        line = next(line for line in tandem.good(*run, *words).splitlines() if line.startswith("  iterations "))
        return line, float(line.split(" solutions, ")[1].split()[0])

    zero, last, linear = told(), told("--first-guess", "last"), told("--first-guess", "linear")
    assert zero[0].endswith("first guess zero") and linear[1] < last[1] < zero[1]
    assert "first guess linear, which saved " in linear[0]
    saved = float(linear[0].split("which saved ")[1].split()[0])
    assert saved == pytest.approx(zero[1] - linear[1], abs=0.1 * zero[1])
    assert "did not converge" in tandem.good(*run, "--max-iterations", 2)
    assert "iterations" not in tandem.good("simulate", "rope:10", "--time", 0.01)
    bad = tandem.refused("simulate", "rope:10", "--time", 1, "--method", "aba", "--first-guess", "last")
    assert "first_guess is last, and method articulated_body does not iterate" in bad


def test_closed_loops_swing_back_to_where_they_fell_from(tandem):
    """It starts where the loop is closed, and comes to rest at the top with what the integrator has borrowed until
    then."""
    told = tandem.good("simulate", "four_bar", "--time", 2)
    drift = next(line for line in told.splitlines() if line.startswith("  drift "))
    assert float(drift.split(";")[1].split()[0]) < 0.02
