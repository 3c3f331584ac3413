# SPDX-License-Identifier: Apache-2.0
"""Help, exit codes, and errors of the words on the command line."""
import os
import subprocess

import pytest
from cli_support import program

COMMANDS = ["info", "eval", "simulate", "rollout", "generate", "check", "list", "bench", "compare", "macroparallel",
            "tune", "schedule", "view"]


def test_help_lists_every_command(tandem):
    text = tandem.good("--help")
    for command in COMMANDS:
        assert f"  {command} " in text
    assert "Example" in text and "Exit code" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(tandem, command):
    text = tandem.good(command, "--help")
    assert f"Usage: tandem {command}" in text
    assert f"tandem {command}" in text.split("Example")[1]


def test_version(tandem):
    word, number = tandem.good("--version").split()
    assert word == "tandem" and number.count(".") == 2


def test_without_words_help_goes_to_standard_error(tandem):
    run = tandem()
    assert run.returncode == 2 and run.stdout == "" and "Usage: tandem" in run.stderr


@pytest.mark.parametrize("words, told", [
    (["chek", "arm7"], 'unknown command "chek"; did you mean "check"?'),
    (["dance"], 'unknown command "dance"'),
    (["--vers"], "tandem has no option --vers"),
    (["check", "arm7", "--stats", "3"], 'no option --stats; did you mean "--states"?'),
    (["check", "arm7", "arm6"], 'unexpected argument "arm6"'),
    (["check"], "ROBOT is required"),
    (["eval", "mass-matrix"], "ROBOT is required"),
    (["simulate", "arm7"], "--time is required"),
    (["simulate", "arm7", "--time", "soon"], "--time = soon"),
    (["check", "arm7", "--states", "0"], "expected an integer of 1 or more"),
    (["check", "arm7", "--seed", "-1"], "--seed: -1 given, expected an integer from 0 to 2^64 - 1"),
    (["check", "arm7", "--precision", "half"], "expected double or float"),
    (["info", "arm9"], 'did you mean "arm6" or "arm7"'),
    (["info", "nowhere.urdf"], "nowhere.urdf"),
    (["info", "/"], "directory"),
    (["info", "chain:0"], "chain"),
    (["info", "arm7", "--gravity", "1,2"], "--gravity has 2 numbers, expected 3"),
    (["info", "arm7", "--gravity", "1,2,x"], '"x" is not a number'),
    (["info", "arm7", "--gravity", "1,2,inf"], "expected finite numbers"),
    (["info", "arm7", "--gravity", ""], "--gravity: is empty, expected a value"),
    (["simulate", "arm7", "--time", "1", "--out", ""], "--out: is empty, expected a value"),
    (["simulate", "arm7", "--time", "1", "--out", "s.npy"], "--out s.npy: .npy files are not supported; expected"),
    (["eval", "mass-matrix", "arm7", "--out", "M.NPY"], "expected a name that ends in .csv, .h5 or .hdf5"),
    (["check", "arm7", "--seed", str(2**64)], "expected an integer from 0 to 2^64 - 1"),
    (["compare", "arm7", "--plot", "x.xyz"], "--plot x.xyz: expected a name that ends in .png, .pdf or .svg"),
])
def test_bad_usage(tandem, words, told):
    assert told in tandem.refused(*words)


def test_a_bad_file_lists_all_its_problems(tandem):
    tandem.file("bad.urdf", """<robot name="r"><link name="a"/><link name="a"/>
      <joint name="j" type="revolut"><parent link="a"/><child link="nobody"/></joint></robot>""")
    error = tandem.refused("check", "bad.urdf")
    assert "bad.urdf:1" in error and "bad.urdf:2" in error
    assert "nobody" in error and "revolut" in error


@pytest.mark.parametrize("gravity", ["-1,0,0", "0,0,-1.62"])
def test_negative_numbers_are_no_options(tandem, gravity):
    assert "m/s^2" in tandem.good("info", "arm7", "--gravity", gravity)


def test_every_seed_of_64_bits(tandem):
    assert tandem.good("generate", "chain:3", "--seed", 2**64 - 1) != tandem.good("generate", "chain:3", "--seed", 1)


@pytest.mark.parametrize("redirection, words, code", [
    ("2>&-", "info nope", 2), ("2>/dev/full", "info nope", 2), ("2>&-", "", 2), ("2>/dev/full", "dance", 2),
    ("2>/dev/full", "eval energy arm7 --in s.csv --out out.csv", 0),
    ("2>/dev/full", "eval gravity-forces arm7 --in s.csv --out out.csv --explain", 0),
    ("2>&-", "simulate arm7 --time 0.01 --out out.csv", 0), (">&- 2>&-", "simulate arm7 --time 0.01 --out out.csv", 1),
    ("2>/dev/full", "simulate arm7 --time 0.01 --out -", 0), (">&-", "info arm7", 1), (">&- 2>&-", "info arm7", 1)])
def test_standard_streams_may_be_closed_or_full(tandem, redirection, words, code):
    """And no message goes to a file of results that has the number of a closed stream."""
    tandem.file("s.csv", ",".join(f"{n}{k}" for n in "qva" for k in range(7)) + "\n" + ",".join("1" * 21) + "\n")
    run = subprocess.run(f"'{program()}' {words} {redirection}", shell=True, cwd=tandem.folder, check=False,
                         capture_output=True, text=True)
    assert run.returncode == code
    if (tandem.folder / "out.csv").exists():
        lines = (tandem.folder / "out.csv").read_text().splitlines()
        assert len(lines) == (12 if "simulate" in words else 2) and len({line.count(",") for line in lines}) == 1


@pytest.mark.parametrize("ending", ["csv", "h5"])
def test_the_longest_names_of_files(tandem, ending):
    name = "n" * (254 - len(ending)) + "." + ending
    states = ",".join(f"q{k}" for k in range(7)) + "\n" + ",".join("1" * 7) + "\n"
    for _ in range(2):
        tandem.good("eval", "gravity-forces", "arm7", "--out", name, stdin=states)
        tandem.good("simulate", "arm7", "--time", 0.01, "--out", name)
    assert os.listdir(tandem.folder) == [name]


def test_a_closed_pipe_ends_it_quietly(tandem):
    run = subprocess.run(f"'{program()}' info chain:5000 --all | head -n 1", shell=True, capture_output=True, text=True)
    assert run.stdout == "chain_5000\n" and run.stderr == ""


def test_full_disk_is_a_failed_run(tandem):
    with open("/dev/full", "w") as full:
        process = tandem.popen("info", "arm7", stdout=full, stderr=subprocess.PIPE, text=True)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 1 and "No space left" in error


def test_list_names_what_other_commands_take(tandem):
    text = tandem.good("list")
    for name in ["arm7", "humanoid", "chain:N", "rope:N", "inverse-dynamics", "forward-dynamics", "jacobian"]:
        assert name in text


def test_the_locale_changes_nothing(tandem):
    states = tandem.file("q.csv", "q0\n0.25\n")
    arguments = ("eval", "energy", "chain:1", "--in", states)
    tandem.file("qv.csv", "q0,v0\n0.25,1.5\n")
    plain = tandem.good("eval", "energy", "chain:1", "--in", "qv.csv", LC_ALL="C")
    assert tandem.good("eval", "energy", "chain:1", "--in", "qv.csv", LC_ALL="de_DE.UTF-8") == plain
    assert tandem.refused(*arguments, LC_ALL="de_DE.UTF-8") == tandem.refused(*arguments, LC_ALL="C")
