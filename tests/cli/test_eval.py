# SPDX-License-Identifier: Apache-2.0
"""tandem eval: numbers, columns, files, and everything that can be wrong with them."""
import json
import math
import os
import random
import re
import signal
import stat
import time

import pytest
from cli_support import PENDULUM, has_opened_a_file_in, table


def names(letters, n):
    return [f"{letter}{k}" for letter in letters for k in range(n)]


def states(columns, count, seed=1):
    """A CSV text of random numbers."""
    draw = random.Random(seed)
    lines = [",".join(columns)] + [",".join(repr(draw.uniform(-1, 1)) for _ in columns) for _ in range(count)]
    return "\n".join(lines) + "\n"


def joined(*texts):
    """Columns of several CSV texts side by side."""
    return "\n".join(",".join(lines) for lines in zip(*(text.splitlines() for text in texts))) + "\n"


def test_forward_dynamics_undoes_inverse_dynamics(tandem):
    given = states(names("qva", 7), 50)
    tau = tandem.good("eval", "inverse-dynamics", "arm7", stdin=given)
    header, rows = table(tau)
    assert header == [f"tau{k}" for k in range(7)] and len(rows) == 50
    q_and_v = "\n".join(",".join(line.split(",")[:14]) for line in given.splitlines())
    back = tandem.good("eval", "forward-dynamics", "arm7", stdin=joined(q_and_v, tau))
    for found, line in zip(table(back)[1], table(given)[1]):
        assert found == pytest.approx(line[14:], abs=1e-10)


def test_aliases_and_underscores_name_the_same_function(tandem):
    given = states(names("qva", 6), 3)
    spellings = ["inverse-dynamics", "inverse_dynamics", "rnea"]
    assert len({tandem.good("eval", name, "arm6", stdin=given) for name in spellings}) == 1


def test_methods_agree(tandem):
    given = states(names("qv", 7) + [f"tau{k}" for k in range(7)], 5)
    aba, crba = (table(tandem.good("eval", "forward-dynamics", "arm7", "--method", method, stdin=given))[1]
                 for method in ("articulated-body", "crba"))
    assert [x for row in aba for x in row] == pytest.approx([x for row in crba for x in row], rel=1e-9)


def test_order_of_columns_is_free(tandem):
    header, rows = table(states(names("qva", 7), 4))
    order = list(range(21))
    random.Random(2).shuffle(order)
    shuffled = "\n".join(",".join(str(line[k]) for k in order) for line in [header, *rows]) + "\n"
    assert tandem.good("eval", "rnea", "arm7", stdin=shuffled) == tandem.good(
        "eval", "rnea", "arm7", stdin=states(names("qva", 7), 4))


def test_poses_are_positions_and_unit_quaternions(tandem):
    tandem.file("p.urdf", PENDULUM)
    header, rows = table(tandem.good("eval", "forward-kinematics", "p.urdf", stdin="q0\n0\n0.5\n-3\n"))
    parts = ["x", "y", "z", "qx", "qy", "qz", "qw"]
    assert header == [f"{frame}.{part}" for frame in ("base", "bob", "tip") for part in parts]
    for q, row in zip((0, 0.5, -3), rows):
        bob, tip = row[7:14], row[14:21]
        sign = 1 if math.cos(q / 2) >= 0 else -1
        assert bob == pytest.approx([0, 0, 0, 0, sign * math.sin(q / 2), 0, sign * math.cos(q / 2)], abs=1e-15)
        assert tip[:3] == pytest.approx([-math.sin(q), 0, -math.cos(q)], abs=1e-15)
        assert sum(x * x for x in tip[3:]) == pytest.approx(1, abs=1e-15) and tip[6] >= 0


def test_velocities_and_accelerations_come_with_their_inputs(tandem):
    tandem.file("p.urdf", PENDULUM)
    header, (row,) = table(tandem.good("eval", "forward-kinematics", "p.urdf", "--frame", "tip", "--reference",
                                       "local-world-aligned", stdin="q0,v0,a0\n0,2,3\n"))
    assert header[7:] == [f"tip.{part}" for part in ("vx", "vy", "vz", "wx", "wy", "wz", "ax", "ay", "az", "alphax",
                                                     "alphay", "alphaz")]
    assert row[7:] == pytest.approx([-2, 0, 0, 0, 2, 0, -3, 0, 4, 0, 3, 0], abs=1e-15)


def test_energy_has_named_columns(tandem):
    tandem.file("p.urdf", PENDULUM)
    header, (row,) = table(tandem.good("eval", "energy", "p.urdf", stdin="q0,v0\n0,2\n"))
    assert header == ["kinetic", "potential"]
    assert row == pytest.approx([0.5 * (0.2 + 2 * 0.25) * 4, -2 * 9.81 * 0.5])


def test_gravity_can_be_set(tandem):
    tandem.file("p.urdf", PENDULUM)
    _, (row,) = table(tandem.good("eval", "gravity-forces", "p.urdf", "--gravity", "-3,0,0", stdin="q0\n0\n"))
    assert row == pytest.approx([-3.0])


def test_matrices_go_by_rows(tandem):
    header, (row,) = table(tandem.good("eval", "mass-matrix", "arm6", stdin=states(names("q", 6), 1)))
    assert header == [f"M{r}_{c}" for r in range(6) for c in range(6)]
    assert row[1] == row[6]


def test_optional_outputs_on_request(tandem):
    given = states(names("qv", 7), 2)
    header, _ = table(tandem.good("eval", "centre-of-mass", "arm7", stdin=given))
    assert header == ["com.x", "com.y", "com.z", "velocity.x", "velocity.y", "velocity.z"]
    header, rows = table(tandem.good("eval", "centroidal-momentum", "arm7", "--with", "A", stdin=given))
    assert header[:7] == ["h0", "h1", "h2", "h3", "h4", "h5", "A0_0"] and len(header) == 6 + 42
    velocity = table(given)[1][0][7:]
    assert rows[0][0] == pytest.approx(sum(a * v for a, v in zip(rows[0][6:13], velocity)))


def test_increments_of_forces_on_links_have_columns_of_their_own(tandem):
    given = states(names(("q", "v", "a", "dq", "dv", "da"), 7), 1)
    pushed = tandem.good("eval", "inverse-dynamics-jvp", "arm7", stdin=joined(given, states(["df_ext.link7.fx"], 1)))
    (still,), (more,) = table(tandem.good("eval", "inverse-dynamics-jvp", "arm7", stdin=given))[1], table(pushed)[1]
    assert still[:7] == more[:7] and still[7:] != more[7:]  # the forces are the same, how they change is not
    wrong = tandem.refused("eval", "inverse-dynamics-jvp", "arm7", stdin=joined(given, states(["link7.dfx"], 1)))
    assert "LINK.fx .fy .fz .tx .ty .tz, df_ext.LINK.fx .fy .fz .tx .ty .tz" in wrong


def test_forces_on_links_are_optional_one_by_one(tandem):
    tandem.file("p.urdf", PENDULUM)
    _, (without, pushed) = table(tandem.good("eval", "inverse-dynamics", "p.urdf",
                                             stdin="q0,v0,a0,bob.ty\n0,0,0,0\n0,0,0,1.5\n"))
    assert pushed[0] - without[0] == pytest.approx(-1.5)


def test_difference_names_its_two_configurations(tandem):
    header, rows = table(tandem.good("eval", "difference", "chain:2", stdin="q0_0,q0_1,q1_0,q1_1\n1,2,4,8\n"))
    assert header == ["u0", "u1"] and rows == [[3, 6]]


def test_digits(tandem):
    given = states(names("q", 7), 20)
    for precision, digits in (("double", 17), ("float", 9)):
        text = tandem.good("eval", "gravity-forces", "arm7", "--precision", precision, stdin=given)
        mantissas = [field.split("e")[0].strip("-").replace(".", "").lstrip("0")
                     for line in text.splitlines()[1:] for field in line.split(",")]
        assert max(map(len, mantissas)) == digits


def test_float_is_near_double(tandem):
    given = states(names("qva", 7), 5)
    d, f = (table(tandem.good("eval", "rnea", "arm7", "--precision", p, stdin=given))[1] for p in ("double", "float"))
    assert d != f
    for x, y in zip(d, f):
        assert y == pytest.approx(x, abs=1e-4)


def test_what_is_not_a_number_stays_in_its_line(tandem):
    given = "q0,q1,q2,q3,q4,q5\n0,nan,0,0,0,0\n0,1,0,0,0,0\n"
    run = tandem("eval", "gravity-forces", "arm6", stdin=given)
    assert run.returncode == 0 and run.stderr == "note: 1 of 2 states: 1 non-finite\n"
    _, rows = table(run.stdout)
    assert math.isnan(rows[0][1]) and all(math.isfinite(x) for x in rows[1])


def test_status_of_each_state(tandem):
    tandem.file("p.urdf", PENDULUM)
    run = tandem("eval", "forward-dynamics", "p.urdf", "--status",
                 stdin="q0,v0,tau0\n0,0,0\n1.5,0,0\n0,4,0\n0,0,6\n0,inf,0\n0,0,5\n")
    assert run.returncode == 0 and run.stderr == "note: 4 of 6 states: 1 non-finite, 3 outside limits\n"
    header, *lines = run.stdout.splitlines()
    assert header == "a0,status"
    assert [line.split(",")[1] for line in lines] == ["ok", "limit", "limit", "limit", "non_finite", "ok"]
    assert lines[4] == "nan,non_finite"
    # states beyond limits have right results: nobody hears of them who did not ask
    assert tandem.good("eval", "forward-dynamics", "p.urdf", stdin="q0,v0,tau0\n1.5,0,0\n").startswith("a0\n")


def test_an_iteration_says_how_far_it_came(tandem):
    given = states(names("qv", 30) + [f"tau{k}" for k in range(30)], 3)

    def run(*words):
        return tandem("eval", "forward-dynamics", "chain:30", "--method", "conjugate-gradient", *words, stdin=given)

    told = run("--explain", "--tolerance", "1e-6")
    assert told.returncode == 0 and re.fullmatch(r"method conjugate-gradient: .*; \d+( to \d+)? steps\n", told.stderr)
    stopped = run("--max-iterations", "4", "--status", "--explain")
    assert stopped.returncode == 0 and "note: 3 of 3 states: 3 not-converged\n" in stopped.stderr
    assert "; 4 steps\n" in stopped.stderr
    assert [line.split(",")[-1] for line in stopped.stdout.splitlines()] == ["status"] + ["not_converged"] * 3
    assert "does not use the option tolerance" in tandem.refused(
        "eval", "forward-dynamics", "chain:30", "--tolerance", "1e-3", stdin=given)


def test_any_number_of_threads_gives_the_same_bytes(tandem):
    given = states(names("q", 38) + names("va", 37), 3000)
    texts = {tandem.good("eval", "rnea", "humanoid", *words, stdin=given)
             for words in ((), ("--threads", 1), ("--threads", os.cpu_count()))}
    assert len(texts) == 1
    assert "an integer of 1 or more" in tandem.refused("eval", "rnea", "humanoid", "--threads", 0, stdin=given)


@pytest.mark.parametrize("text", [
    "q0\n0.5\n", "q0\r\n0.5\r\n", "\ufeffq0\n0.5", "\"q0\"\n\"0.5\"\n", " q0 \n +5e-1 \n\n\n", "# q0\n.5\n"])
def test_spellings_of_a_file(tandem, text):
    tandem.file("p.urdf", PENDULUM)
    assert tandem.good("eval", "gravity-forces", "p.urdf", stdin=text) == tandem.good(
        "eval", "gravity-forces", "p.urdf", stdin="q0\n0.5\n")


def test_a_header_alone_gives_a_header_alone(tandem):
    output = tandem.good("eval", "gravity-forces", "arm6", stdin="q0,q1,q2,q3,q4,q5\n")
    assert output == "tau0,tau1,tau2,tau3,tau4,tau5\n"


def test_a_robot_without_joints_has_empty_lines(tandem):
    tandem.file("rock.urdf", '<robot name="rock"><link name="rock"/></robot>')
    text = tandem.good("eval", "forward-kinematics", "rock.urdf", stdin="\n\n\n")
    assert text == "rock.x,rock.y,rock.z,rock.qx,rock.qy,rock.qz,rock.qw\n" + 2 * "0,0,0,0,0,0,1\n"


def test_columns_of_a_state_may_stand_there_for_other_functions(tandem):
    tandem.file("p.urdf", PENDULUM)
    run = tandem("eval", "inverse-dynamics", "p.urdf", stdin="tau0,q0,v0,a0\n9,1,2,3\n")
    assert run.returncode == 0 and run.stderr == "note: <standard input>: inverse-dynamics does not use tau0\n"
    assert run.stdout == tandem.good("eval", "inverse-dynamics", "p.urdf", stdin="q0,v0,a0\n1,2,3\n")


GOOD = "q0,v0,a0\n1,2,3\n"


@pytest.mark.parametrize("text, told", [
    ("", "the file is empty"),
    ("q0,v0\n1,2\n", "s.csv:1: missing column a0"),
    ("q0,v0,a0,b0\n", 's.csv:1: column "b0" is not an input of inverse-dynamics'),
    ("q0,v0,a0,tau1\n", "expected q0, v0, a0"),
    ("q0,v0,a0,q0\n", "s.csv:1: duplicate column q0"),
    ("q0,v0,a0\n1,2\n", "s.csv:2: 2 fields, expected 3"),
    ("q0,v0,a0\n1,2,3\n1,2,3,4\n", "s.csv:3: 4 fields, expected 3"),
    ("q0,v0,a0\n1,2,3,\n", "s.csv:2: 4 fields"),
    ("q0,v0,a0\n1,two,3\n", 's.csv:2: column v0 is "two", expected a number'),
    ("q0,v0,a0\n1,,3\n", 's.csv:2: column v0 is ""'),
    ("q0,v0,a0\n1,2 2,3\n", 's.csv:2: column v0 is "2 2"'),
    ("q0,v0,a0\n1,0x10,3\n", 's.csv:2: column v0 is "0x10"'),
    ("q0,v0,a0\n1,1e999,3\n", 's.csv:2: column v0 is "1e999"'),
    ("q0,v0,a0\n1;2;3\n", 's.csv:2: column q0 is "1;2;3"'),
    ("q0,v0,a0\n1\n", "s.csv:2: 1 field, expected 3"),
    ("q0;v0;a0\n1;2;3\n", 'column "q0;v0;a0"'),
    (GOOD + "\n" + "1,2,3\n", "s.csv:3: the line is empty"),
    ("q0,v0,a0\n1,2\0,3\n", "s.csv:2: column v0"),
])
def test_bad_files_are_named_and_nothing_is_written(tandem, text, told):
    tandem.file("p.urdf", PENDULUM)
    tandem.file("s.csv", text)
    assert told in tandem.refused("eval", "inverse-dynamics", "p.urdf", "--in", "s.csv", "--out", "out.csv")
    assert sorted(os.listdir(tandem.folder)) == ["p.urdf", "s.csv"]


def test_an_error_in_the_last_of_many_lines_leaves_the_old_file_alone(tandem):
    tandem.file("s.csv", states(names("qva", 7), 20000) + "1,2,3\n")
    tandem.file("out.csv", "precious\n")
    assert "s.csv:20002" in tandem.refused("eval", "rnea", "arm7", "--in", "s.csv", "--out", "out.csv")
    assert (tandem.folder / "out.csv").read_text() == "precious\n"
    assert "s.csv:20002" in tandem.refused("eval", "rnea", "arm7", "--in", "s.csv")  # nothing on standard output either


@pytest.mark.parametrize("words, told", [
    (["eval", "inverse-dynamic", "arm7"], 'did you mean "inverse-dynamics"?'),
    (["eval", "fly", "arm7"], 'unknown function "fly"'),
    (["eval", "jacobian", "arm7"], "jacobian needs a --frame; arm7 has base_link, link1"),
    (["eval", "jacobian", "arm7", "--frame", "tol0"], '"tool0"'),
    (["eval", "energy", "arm7", "--frame", "tool0"], "energy does not use the option frame"),
    (["eval", "energy", "arm7", "--method", "aba"], "energy has no method articulated_body; it has no methods"),
    (["eval", "energy", "arm7", "--reference", "world"], "energy does not use the option reference"),
    (["eval", "jacobian", "arm7", "--frame", "tool0", "--reference", "here"], "no reference is called"),
    (["eval", "forward-dynamics", "arm7", "--method", "magic"], "no method is called"),
    (["eval", "centre-of-mass", "arm7", "--with", "K"], "has no optional output K; it has velocity, J"),
    (["eval", "centre-of-mass", "arm7", "--with", "velocity"], "velocity needs the columns v0..v6"),
    (["eval", "rnea", "arm7", "--in", "nowhere.csv"], "cannot open nowhere.csv"),
    (["eval", "rnea", "arm7", "--in", "."], "cannot read ."),
])
def test_bad_words(tandem, words, told):
    assert told in tandem.refused(*words, stdin=states(names("q", 7), 1))


def test_states_of_a_free_root_need_floating(tandem):
    tandem.file("free.csv", states(names("q", 14) + names("v", 13), 2))
    tandem.file("fixed.csv", states(names("qv", 7), 2))
    told = "arm7 has 7 numbers in q, the file 14: states of a floating robot need --floating"
    for words in [["eval", "energy", "arm7", "--in", "free.csv"],
                  ["simulate", "arm7", "--time", 1, "--q0", "free.csv"]]:
        error = tandem.refused(*words)
        assert told in error and "did you mean" not in error
    told = "arm7 has 14 numbers in q, the file 7: the robot floats (--floating), but not in the file"
    for words in [["eval", "energy", "arm7", "--in", "fixed.csv"],
                  ["simulate", "arm7", "--time", 1, "--q0", "fixed.csv"]]:
        assert told in tandem.refused(*words, "--floating")


def test_a_file_of_numpy_is_named(tandem):
    (tandem.folder / "q.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00{'descr': '<f8'}\n")
    assert "q.npy: NumPy files are not supported" in tandem.refused("eval", "energy", "arm7", "--in", "q.npy")


@pytest.mark.parametrize("out", ["nowhere/out.csv", "/dev/full", "."])
def test_output_that_cannot_be_written_is_a_failed_run(tandem, out):
    assert "cannot write to" in tandem.refused("eval", "gravity-forces", "arm7", "--out", out, code=1,
                                               stdin=states(names("q", 7), 1))


def test_a_file_may_be_replaced_by_its_own_results(tandem):
    path = tandem.file("x.csv", states(names("q", 7), 3))
    path.chmod(0o640)
    link = tandem.folder / "link.csv"
    link.symlink_to("x.csv")
    tandem.good("eval", "gravity-forces", "arm7", "--in", "link.csv", "--out", "link.csv")
    assert link.is_symlink() and path.read_text().startswith("tau0")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_devices_stay_devices(tandem):
    tandem.good("eval", "gravity-forces", "arm7", "--out", "/dev/null", stdin=states(names("q", 7), 3))
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("ending", ["csv", "h5"])
def test_an_interrupted_run_leaves_nothing_behind(tandem, ending):
    read, write = os.pipe()
    process = tandem.popen("eval", "gravity-forces", "arm7", "--out", f"out.{ending}", stdin=read)
    os.write(write, states(names("q", 7), 1).encode())
    deadline = time.monotonic() + 20
    while not has_opened_a_file_in(process, tandem.folder):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == -signal.SIGINT
    os.close(write)
    os.close(read)
    assert os.listdir(tandem.folder) == []


def test_same_input_same_bytes(tandem):
    given = states(names("q", 38) + names("va", 37), 40)
    robot = json.loads(tandem.good("info", "humanoid", "--json"))
    assert (robot["nq"], robot["nv"]) == (38, 37)
    assert len({tandem.good("eval", "rnea", "humanoid", stdin=given) for _ in range(3)}) == 1
    # and no line depends on its neighbours
    lines = given.splitlines()
    one = tandem.good("eval", "rnea", "humanoid", stdin="\n".join([lines[0], lines[17]]) + "\n").splitlines()[1]
    assert tandem.good("eval", "rnea", "humanoid", stdin=given).splitlines()[17] == one


def test_device_cuda_computes_the_same_or_says_what_is_missing(tandem):
    given = states(names("qva", 7), 5)
    run = tandem("eval", "inverse-dynamics", "arm7", "--device", "cuda", stdin=given)
    if run.returncode == 0:
        on_cpu = table(tandem.good("eval", "inverse-dynamics", "arm7", "--device", "cpu", stdin=given))[1]
        assert [x for row in table(run.stdout)[1] for x in row] == pytest.approx([x for row in on_cpu for x in row])
    else:
        assert run.returncode == 2 and run.stdout == ""
        assert any(words in run.stderr for words in ("without CUDA", "no driver", "no device", "driver supports CUDA"))
    assert "cpu or cuda" in tandem.refused("eval", "inverse-dynamics", "arm7", "--device", "tpu", stdin=given)


def test_the_file_of_a_simulation_is_read(tandem):
    """Times and energies are passed over, with a note."""
    for name in ("s.csv", "s.h5"):
        tandem.good("simulate", "arm7", "--time", 0.02, "--every", 10, "--v0", "random", "--out", name)
        run = tandem("eval", "energy", "arm7", "--in", name, "--out", "e.csv")
        assert run.returncode == 0, run.stderr
        assert f"note: {name}: energy does not use" in run.stderr and "dissipated" in run.stderr
        header, rows = table((tandem.folder / "e.csv").read_text())
        if name == "s.csv":
            names, states = table((tandem.folder / name).read_text())
            expected = [[row[names.index(column)] for column in ("kinetic", "potential")] for row in states]
            assert len(rows) == 3 and header == ["kinetic", "potential"]
            assert all(a == pytest.approx(b, rel=1e-12) for a, b in zip(rows, expected))
    assert "column \"x\"" in tandem.refused("eval", "energy", "arm7",
                                            "--in", tandem.file("x.csv", "x,q0,q1,q2,q3,q4,q5,q6\n"))
