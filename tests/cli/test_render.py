# SPDX-License-Identifier: Apache-2.0
"""tandem simulate --render: pictures and films, and what is said where they cannot be drawn."""
import os
import shutil
import subprocess
import sys

import pytest
from cli_support import PENDULUM

HAS_RENDERER = subprocess.run([sys.executable, "-m", "tandem.render", "--check", "a.gif"],
                              capture_output=True).returncode == 0
drawn = pytest.mark.skipif(not HAS_RENDERER, reason="this interpreter has no tandem with Matplotlib and Pillow")
HERE = {"TANDEM_PYTHON": sys.executable}


def signature(path):
    return path.read_bytes()[:12]


@drawn
@pytest.mark.parametrize("robot",
                         [["arm7"], ["humanoid"], ["rope:200"], ["snake:6", "--gravity", "0,0,0", "--v0", "random"],
                                   ["tree:30", "--seed", 3], ["p.urdf"]])
def test_any_robot_makes_a_picture(tandem, robot):
    tandem.file("p.urdf", PENDULUM)
    text = tandem.good("simulate", *robot, "--time", 0.1, "--render", "a.png", "--size", "400x300", **HERE)
    assert text.splitlines()[-1].split() == ["drawn", "a.png"]
    assert signature(tandem.folder / "a.png").startswith(b"\x89PNG")


@drawn
def test_a_film_has_the_frames_asked_for(tandem):
    from PIL import Image

    tandem.good("simulate", "rope:20", "--time", 1, "--move", "ball1=0,1.5,0", "--render", "f.gif", "--fps", 10,
                "--duration", 2, "--size", "320x200", "--out", "f.csv", "--every", 400, **HERE)
    film = Image.open(tandem.folder / "f.gif")
    assert film.n_frames == 21 and film.size == (320, 200) and film.info["duration"] == 100
    times = [line.split(",")[0] for line in (tandem.folder / "f.csv").read_text().splitlines()[1:]]
    assert [float(t) for t in times] == [0, 0.4, 0.8, 1]  # frames do not get into the file


@drawn
def test_an_mp4_film(tandem):
    if not shutil.which("ffmpeg"):
        pytest.importorskip("imageio_ffmpeg")
    tandem.good("simulate", "arm7", "--time", 0.2, "--render", "f.mp4", "--duration", 0.4, "--size", "321x201", **HERE)
    assert signature(tandem.folder / "f.mp4")[4:8] == b"ftyp"


@drawn
@pytest.mark.parametrize("ending", ["csv", "h5"])
def test_a_recording_is_drawn_later(tandem, ending):
    if ending == "h5":
        pytest.importorskip("h5py")
    tandem.good("simulate", "rope:3", "--time", 0.1, "--out", f"run.{ending}")
    done = subprocess.run([sys.executable, "-m", "tandem.render", "a.svg", "rope:3", "--states", f"run.{ending}"],
                          cwd=tandem.folder, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    assert b"<svg" in (tandem.folder / "a.svg").read_bytes()


@drawn
@pytest.mark.parametrize("words, told", [
    (["--render", "a.txt"], "expected a picture (.png"),
    (["--render", "nowhere/a.png"], "no such folder: nowhere"),
    (["--render", "a.png", "--view", "zz"], "view is 'zz', expected auto, xy, xz, yz, 3d"),
    (["--render", "a.png", "--size", "big"], "expected WIDTHxHEIGHT"),
    (["--render", "a.png", "--size", "3x4"], "expected 160 to 8192 pixels"),
    (["--render", "a.gif", "--fps", "0"], "--fps: expected a positive number"),
    (["--render", "a.gif", "--duration", "-1"], "--duration: expected a non-negative number"),
])
def test_bad_words_are_told_before_the_run(tandem, words, told):
    assert told in tandem.refused("simulate", "arm7", "--time", 1e6, *words, **HERE)


@drawn
def test_a_film_without_an_encoder_says_what_to_install(tandem):
    # the interpreter runs this at its start: it then finds no imageio-ffmpeg, installed or not
    tandem.file("sitecustomize.py", "import sys; sys.modules['imageio_ffmpeg'] = None")
    text = tandem.refused("simulate", "arm7", "--time", 1e6, "--render", "a.mp4", PATH="",
                          PYTHONPATH=str(tandem.folder), **HERE)
    assert "apt install ffmpeg, or pip install imageio-ffmpeg" in text


def test_without_the_python_package_it_says_how_to_get_it(tandem):
    (tandem.folder / "python").write_text("#!/bin/sh\necho \"No module named tandem\" >&2\nexit 1\n")
    os.chmod(tandem.folder / "python", 0o755)
    for interpreter in (tandem.folder / "python", "no-such-python"):
        text = tandem.refused("simulate", "arm7", "--time", 1e6, "--render", "a.png", TANDEM_PYTHON=str(interpreter))
        assert "pip install '.[film]'" in text and "TANDEM_PYTHON" in text
