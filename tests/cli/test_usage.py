# SPDX-License-Identifier: Apache-2.0
"""Help, exit codes, and errors of the words on the command line."""
import subprocess

import pytest
from cli_support import program

COMMANDS = ["info", "eval", "simulate", "generate", "check", "list", "bench", "compare", "tune"]


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
    (["chek", "arm7"], 'there is no command "chek"; did you mean "check"?'),
    (["dance"], 'there is no command "dance"'),
    (["--vers"], "tandem has no option --vers"),
    (["check", "arm7", "--stats", "3"], 'no option --stats; did you mean "--states"?'),
    (["check", "arm7", "arm6"], 'does not expect another argument "arm6"'),
    (["check"], "ROBOT is required"),
    (["eval", "mass-matrix"], "ROBOT is required"),
    (["simulate", "arm7"], "--time is required"),
    (["simulate", "arm7", "--time", "soon"], "--time = soon"),
    (["check", "arm7", "--states", "0"], "expected a whole number of 1 or more"),
    (["check", "arm7", "--seed", "-1"], "expected a whole number of 0 or more"),
    (["check", "arm7", "--precision", "half"], "expected double or float"),
    (["info", "arm9"], 'did you mean "arm6" or "arm7"'),
    (["info", "nowhere.urdf"], "nowhere.urdf"),
    (["info", "/"], "directory"),
    (["info", "chain:0"], "chain"),
    (["info", "arm7", "--gravity", "1,2"], "--gravity has 2 numbers, expected 3"),
    (["info", "arm7", "--gravity", "1,2,x"], '"x" is not a number'),
    (["info", "arm7", "--gravity", "1,2,inf"], "expected finite numbers"),
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
