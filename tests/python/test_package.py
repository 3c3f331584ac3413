# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: its documentation, examples, types and version."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
import torch_support

import tandem
from tandem import _moved

ROOT = Path(__file__).parents[2]
MODULES = [m.name for m in pkgutil.walk_packages(tandem.__path__, "tandem.")
           if m.name not in ("tandem._core", "tandem.mjcf.__main__")]
LIBRARIES = {
    "tandem.casadi": "casadi",
    "tandem._autodiff.casadi_callbacks": "casadi",
    **{name: "gymnasium" for name in MODULES if name.startswith("tandem.gymnasium")},
    "tandem.gymnasium.stable_baselines": "stable_baselines3",
    "tandem.jax": "jax",
    "tandem._autodiff.jax_calls": "jax",
    "tandem._autodiff.jax_primitive": "jax",
    "tandem.torch": "torch",
}
EXAMPLES = sorted((ROOT / "examples/python").glob("*.py"))


@pytest.mark.parametrize("name", ["tandem", *MODULES])
def test_docstrings_run(name):
    library = LIBRARIES.get(name)
    if library and importlib.util.find_spec(library) is None:
        pytest.skip(f"{name} is checked by test_{library}.py, in an interpreter that has it")
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs={"tandem": tandem, "np": np})
    assert result.failed == 0


def test_without_casadi_its_module_says_what_is_missing():
    code = "import sys; sys.modules['casadi'] = None; import tandem.casadi"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ImportError: tandem.casadi needs CasADi, which is not installed: pip install casadi" in done.stderr


def said(text, after):
    """The numbers of the first line with these words, behind them."""
    line = next(line for line in text.splitlines() if after in line)
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", line.partition(after)[2].replace(",", ""))]


def counted(text, words):
    """``12 of 12 starts converge``: both numbers."""
    return re.search(rf"(\d+) of (\d+) {words}", text).groups()


#: what the examples must come to, from what they print
RESULTS = {
    "01_first_steps": lambda text: set(said(text, "acceleration back [rad/s^2]")) == {1.0},
    "02_batch": lambda text: all(abs(x) < 0.1 for x in said(text, "mean centre of mass [m]")),
    "03_pendulum": lambda text: len({*said(text, "period [s]")}) == 1 and said(text, "energy drift [J]")[0] < 1e-12,
    "04_randomised_planning": lambda text: said(text, "distance to the goal [rad]")[1] < said(text,
                                                                                              "distance to the goal "
                                                                                              "[rad]")[0],
    "05_pytorch": lambda text: 0 < said(text, "weight [N]:")[1] < 0.2 * said(text, "weight [N]:")[0],
    "06_soft_arm": lambda text: said(text, "work of the tendons [J]")[0] > said(text, "work of the tendons [J]")[1] > 0,
    "07_rope_film": lambda text: said(text, "drift of the budget [J]")[0] < 1e-3 * said(text,
                                                                                        "largest kinetic energy "
                                                                                        "[J]")[0],
    "08_mppi": lambda text: max(said(text, "straight: ")[0], said(text, "around: ")[0]) < 0.05
    and said(text, "straight: ")[1] < 0 < said(text, "around: ")[1],
    "09_learn_to_reach": lambda text: said(text, "generation   30: return")[0] > said(text,
                                                                                      "generation    1: return")[0] + 2,
    "10_swing_up": lambda text: len(set(counted(text, "starts end within 3 cm of the top"))) == 1,
    "11_reach": lambda text: len(set(counted(text, "starts converge"))) == 1 and said(text, "the tool ends")[0] < 1,
    "12_identify": lambda text: said(text, "bodies     ")[-1] < 0.2 * said(text, "believed before")[-1],
    "13_flight": lambda text: said(text, "nose down at landing")[0] > 10
    and abs(said(text, "nose down at landing")[1]) < 1,
    "15_learn_through_dynamics": lambda text: said(text, "never seen")[1] < said(text, "never seen")[0],
    "16_train_half_cheetah": lambda text: said(text, "after it")[0] > said(text, "before the training")[0]
    and abs(said(text, "in MuJoCo")[0] - said(text, "after it")[0]) < 5 + 0.2 * said(text, "after it")[0],
    "14_rope_shape": lambda text: said(text, "from its place")[0] > 50 and said(text, "from its place")[1] < 1,
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_run(path, tmp_path):
    python, environment = sys.executable, None
    if "import gymnasium" in path.read_text():
        pytest.importorskip("gymnasium")
    strict = ["-W", "error"]
    if "import torch" in path.read_text():
        with_more = "stable_baselines3" in path.read_text()
        found = torch_support.command("stable_baselines3, mujoco, PIL, matplotlib" if with_more else "")
        if found is None:
            pytest.skip(torch_support.MISSING_BASELINES if with_more else torch_support.MISSING)
        python, environment = found
        strict = [] if with_more else strict  # that library and MuJoCo's file have warnings of their own
    done = subprocess.run(
        [python, *strict, path],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0 and not (strict and done.stderr), done.stderr
    assert done.stdout and RESULTS[path.stem](done.stdout), done.stdout


def test_everything_public_is_documented():
    for module in (tandem, tandem.papers, tandem.types, tandem.functions):
        for name in module.__all__:
            if name != "__version__" and type(getattr(module, name)).__module__ != "typing":
                assert getattr(module, name).__doc__, name
    arrays = tandem.VectorSimulation.__base__
    for thing in (tandem.Model, tandem.ModelBuilder, tandem.Joint, tandem.Simulation, tandem.VectorSimulation, arrays):
        for name in vars(thing):
            if not name.startswith("_"):
                assert getattr(thing, name).__doc__, f"{thing.__name__}.{name}"


def test_what_dir_lists_is_there_and_short():
    assert dir(tandem) == sorted(tandem.__all__) and len(dir(tandem)) <= 70
    assert all(hasattr(tandem, name) for name in dir(tandem))
    assert all(hasattr(tandem, name) for name in tandem.functions.__all__)  # every algorithm, listed or not
    with pytest.raises(AttributeError, match="module 'tandem' has no attribute 'forward_dynamic'"):
        _ = tandem.forward_dynamic


@pytest.mark.parametrize("name", sorted(_moved.NAMES))
def test_old_names_work_and_say_what_is_new(name):
    module, _, new = _moved.NAMES[name].partition(":")
    with pytest.warns(DeprecationWarning, match=rf"tandem\.{name} is now {module}\.{new or name};") as caught:
        found = getattr(tandem, name)
    assert found is getattr(importlib.import_module(module), new or name)
    assert caught[0].filename == __file__  # where the old name stands


def test_old_modules_are_found_for_what_is_pickled():
    code = """
import pickle, warnings
import tandem
found = pickle.loads(b"ctandem.live\\nBatch\\n.")
assert found is tandem.VectorSimulation
assert pickle.loads(b"ctandem.joints\\nPerJoint\\n.") is tandem.types.PerJoint
from tandem.batch import Parameter
assert Parameter is tandem.types.Parameter
"""
    done = subprocess.run([sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert all(f"DeprecationWarning: tandem.{name} is now" in done.stderr for name in ("live", "joints", "batch"))


def test_version_is_that_of_the_project():
    text = (ROOT / "CMakeLists.txt").read_text()
    assert f"VERSION {tandem.__version__} " in text
    assert re.fullmatch(r"\d+\.\d+\.\d+", tandem.__version__)


TYPED = """
import numpy as np
import tandem
import tandem.film
import tandem.plot
import tandem.scene
from tandem.functions import Array

builder: tandem.ModelBuilder = tandem.ModelBuilder("a").link("b").link("c", 1, com=(0, 0, 1))
robot: tandem.Model = builder.joint("j", "free", "b", "c").build()
q: Array = tandem.random_configuration(robot, seed=1)
v = np.zeros(robot.nv)
tau: Array = tandem.inverse_dynamics(robot, q, v, [0] * 6, out=np.empty(robot.nv))
pose: Array = tandem.forward_kinematics(robot, q)
poses, velocities = tandem.forward_kinematics(robot, q, v)
com, J = tandem.centre_of_mass(robot, q, jacobian=True)
energy: tandem.Energy = tandem.energy(robot, q, v)
states_are = np.empty(4, np.uint8)
more: Array = tandem.integrate(robot, q, v, threads=2, status=states_are, parameters={"mass": np.ones((4, 2))})
bad: list[tandem.Status] = [tandem.Status(int(s)) for s in states_are if s]
masses: Array = robot.parameter(tandem.parameters()[0].name)
states: tandem.Trajectory = tandem.Simulation(robot, integrator="rk4").run(0.1, tau=lambda s: -s.v)
batch: tandem.VectorSimulation = tandem.VectorSimulation(robot, 3, substeps=2, configurations={"home": q})
batch.reset([0, 2], to="home", seed=1, spread=0.1)
batch.step(-batch.v, ids=batch.diverged)
batch.joint("j").tau = batch.link("c").position.sum() + batch.bind("poses")[0, 0, 0, 3]
steps: Array = tandem.spatial.log(tandem.spatial.exp(np.zeros((3, 6))))
bridge: tandem.bridges.Bridge = tandem.bridges.to_pinocchio(robot, object(), names={"j": "root_joint"})
theirs: Array = bridge.q_to(q)
limits: float = float(robot.q_lower.min()) + states.q.shape[0]
tandem.plot.trajectory(robot, states, "picture.png")
tandem.film.render(robot, states, "film.gif", fps=10, size=(320, 200))
scene = tandem.scene.Scene(size=(320, 200), ground=None)
scene.add(robot, states.q, colour=["red", "#0000ff"], trace="tool0")
scene.save("solid.webp", fps=10)
"""


def test_types_are_complete(tmp_path):
    pytest.importorskip("mypy")
    source = Path(tandem.__file__).parent
    assert (source / "py.typed").exists() and list(source.glob("_core*.pyi"))
    sample = tmp_path / "sample.py"
    sample.write_text(TYPED)
    wrong = tmp_path / "wrong.py"
    wrong.write_text(TYPED + 'tandem.jacobian(robot, q, 0, "locl")\n')
    run = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--cache-dir",
        str(tmp_path / "cache"),
    ]
    done = subprocess.run([*run, sample], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run([*run, wrong], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert "literal" in done.stdout.lower(), done.stdout


def test_stubs_are_written_without_the_package(tmp_path):
    """Where a new version is built an older one may be installed, which writing the stubs must not import."""
    pytest.importorskip("nanobind")
    (tmp_path / "tandem").mkdir()
    (tmp_path / "tandem/__init__.py").write_text("raise RuntimeError('the package was imported')\n")
    stubs = tmp_path / "_core.pyi"
    paths = ["-i", tmp_path, "-i", Path(tandem._core.__file__).parent]
    patterns = ROOT / "apps/python/stub_patterns.txt"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", *paths, "-m", "_core", "-p", patterns, "-o", stubs]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "from tandem._common.per_joint import PerJoint\n" in stubs.read_text()


def test_the_command_is_beside_python():
    command = Path(sysconfig.get_path("scripts")) / "tandem"
    core = importlib.util.find_spec("tandem._core").origin
    if not command.is_file() and not core.startswith(sysconfig.get_path("platlib")):
        pytest.skip("the package is not installed, but on the path")
    told = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert tandem.__version__ in told.stdout
    known = subprocess.run([command, "info", "arm7", "--json"], capture_output=True, text=True, check=True)
    assert '"arm7"' in known.stdout


def test_the_script_starts_the_program_beside_the_package(tmp_path):
    script = tmp_path / "_tandem_command.py"
    script.write_text((ROOT / "apps/python/_tandem_command.py").read_text())
    start = "import sys; sys.argv[1:] = ['check', 'a b']; import _tandem_command; _tandem_command.main()"

    def started():
        return subprocess.run([sys.executable, "-c", start], cwd=tmp_path, capture_output=True, text=True, check=False)

    missing = started()
    assert missing.returncode == 1
    assert "no command line, which needs fmt and CLI11" in missing.stderr
    program = tmp_path / "tandem" / "bin" / "tandem"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nprintf "%s|" "$TANDEM_PYTHON" "$@"\nexit 3\n')
    program.chmod(0o755)
    done = started()
    assert (done.returncode, done.stdout) == (3, f"{sys.executable}|check|a b|")
