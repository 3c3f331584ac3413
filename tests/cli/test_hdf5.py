# SPDX-License-Identifier: Apache-2.0
"""HDF5 files of tandem eval and tandem simulate: the numbers of CSV bit for bit, and everything that can be wrong."""
import os
import pty
import resource
import signal
import stat
import subprocess
import sys
import time

import numpy as np
import pytest
from cli_support import PENDULUM, program, table

h5py = pytest.importorskip("h5py")

NQ, NV = {"arm7": 7, "humanoid": 38, "quadruped": 19}, {"arm7": 7, "humanoid": 37, "quadruped": 18}
SIZES = {"q": NQ, "v": NV, "a": NV, "tau": NV, "u": NV, "x": NV, "q0": NQ, "q1": NQ}


def random_states(robot, names, count, seed=1):
    draw = np.random.default_rng(seed)
    states = {name: draw.uniform(-1, 1, (count, SIZES[name][robot])) for name in names}
    if robot != "arm7":
        for name in states.keys() & {"q", "q0", "q1"}:
            states[name][:, 3:7] /= np.linalg.norm(states[name][:, 3:7], axis=1, keepdims=True)
    return states


def write(path, datasets, group="/"):
    with h5py.File(path, "w") as file:
        for name, numbers in datasets.items():
            file.require_group(group)[name] = numbers
    return path


def read(path):
    with h5py.File(path) as file:
        return {name: dataset[()] for name, dataset in file.items()}


def csv(states):
    """A CSV text of the same states, with all their digits."""
    columns = {f"{name}{'_' if name[-1].isdigit() else ''}{k}": column
               for name, numbers in states.items() for k, column in enumerate(numbers.T)}
    lines = [",".join(columns)] + [",".join(map(repr, line)) for line in zip(*(c.tolist() for c in columns.values()))]
    return "\n".join(lines) + "\n"


CASES = [("inverse-dynamics", "humanoid", "qva", "tau", ()),
         ("forward-dynamics", "quadruped", ["q", "v", "tau"], "a", ()), ("mass-matrix", "arm7", "q", "M", ()),
         ("jacobian", "arm7", "q", "J", ("--frame", "tool0", "--reference", "world")),
         ("difference", "quadruped", ["q0", "q1"], "u", ()), ("energy", "arm7", "qv", "kinetic", ())]


@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("function, robot, inputs, output, options", CASES)
def test_numbers_are_those_of_csv(tandem, function, robot, inputs, output, options, precision):
    states = random_states(robot, inputs, 70)
    write(tandem.folder / "s.h5", states)
    words = ["eval", function, robot, *options, "--precision", precision]
    expected = np.array(table(tandem.good(*words, stdin=csv(states)))[1])
    tandem.good(*words, "--in", "s.h5", "--out", "h.h5")
    tandem.file("s.csv", csv(states))
    tandem.good(*words, "--in", "s.csv", "--out", "c.h5")
    from_csv, from_hdf5 = read(tandem.folder / "c.h5"), read(tandem.folder / "h.h5")
    assert from_hdf5[output].dtype == {"double": "<f8", "float": "<f4"}[precision]
    for found in (from_csv, from_hdf5):
        numbers = np.concatenate([found[name].reshape(70, -1) for name in found], axis=1)
        assert np.array_equal(numbers, expected.astype(numbers.dtype))
    assert tandem.good(*words, "--in", "s.h5") == tandem.good(*words, "--in", "s.csv")


def test_shapes_and_what_is_said_about_them(tandem):
    write(tandem.folder / "s.h5", random_states("arm7", "qva", 5))
    tandem.good("eval", "forward-kinematics", "arm7", "--in", "s.h5", "--out", "all.h5")
    tandem.good("eval", "forward-kinematics", "arm7", "--in", "s.h5", "--frame", "tool0", "--frame", "link1",
                "--reference", "local-world-aligned", "--out", "some.HDF5")
    with h5py.File(tandem.folder / "all.h5") as file, h5py.File(tandem.folder / "some.HDF5") as some:
        names = [name.decode() for name in file["frame_names"]]
        assert names[0] == "base_link" and len(names) == file["pose"].shape[1]
        assert file["pose"].shape[2:] == (3, 4) and file["velocity"].shape == (5, len(names), 6)
        assert np.array_equal(some["pose"], file["pose"][()][:, [names.index("tool0"), names.index("link1")]])
        assert list(some["frame_names"]) == [b"tool0", b"link1"]
        assert dict(file["pose"].attrs) == {"units": "m",
                                            "meaning": "rotation and position of every frame in the world"}
        assert some.attrs["function"] == "forward-kinematics" and some.attrs["robot"] == "arm7"
        assert some.attrs["reference"] == "local-world-aligned" and some.attrs["tandem_version"]
        assert np.allclose(np.linalg.det(file["pose"][..., :3]), 1)


def test_poses_are_those_of_csv(tandem):
    write(tandem.folder / "s.h5", random_states("arm7", "q", 3))
    tandem.good("eval", "forward-kinematics", "arm7", "--in", "s.h5", "--out", "p.h5", "--frame", "tool0")
    header, rows = table(tandem.good("eval", "forward-kinematics", "arm7", "--in", "s.h5", "--frame", "tool0"))
    assert header[:3] == ["tool0.x", "tool0.y", "tool0.z"]
    assert np.array_equal(read(tandem.folder / "p.h5")["pose"][:, 0, :, 3], np.array(rows)[:, :3])


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", ">f4", "<f2", "<i4", ">i8", "u1"])
def test_every_type_of_real_numbers(tandem, dtype):
    numbers = np.arange(21).reshape(3, 7).astype(dtype) / (4 if np.dtype(dtype).kind == "f" else 1)
    write(tandem.folder / "s.h5", {"q": numbers.astype(dtype)})
    assert tandem.good("eval", "gravity-forces", "arm7", "--in", "s.h5") == tandem.good(
        "eval", "gravity-forces", "arm7", stdin=csv({"q": numbers.astype(float)}))


def test_layouts_of_a_dataset(tandem):
    q = random_states("arm7", "q", 3000)["q"]
    expected = table(tandem.good("eval", "gravity-forces", "arm7", "--in", write(tandem.folder / "s.h5", {"q": q})))
    for layout in ({"chunks": (7, 2)}, {"chunks": True, "compression": "gzip", "shuffle": True},
                   {"maxshape": (None, 7)}, {"chunks": (3000, 1), "fletcher32": True}):
        with h5py.File(tandem.folder / "s.h5", "w", userblock_size=512) as file:
            file.create_dataset("q", data=q, **layout)
        # as numbers: a zero has either sign, as instructions for the robot take over sooner or later
        assert table(tandem.good("eval", "gravity-forces", "arm7", "--in", "s.h5")) == expected


def test_one_state_stands_for_all(tandem):
    states = random_states("arm7", "qva", 9)
    shared = {**states, "v": states["v"][4], "a": np.zeros(7)}
    repeated = {**states, "v": np.tile(states["v"][4], (9, 1)), "a": np.zeros((9, 7))}
    for name, datasets in (("shared", shared), ("repeated", repeated)):
        write(tandem.folder / "s.h5", datasets)
        tandem.good("eval", "inverse-dynamics", "arm7", "--in", "s.h5", "--out", f"{name}.h5")
    assert np.array_equal(read(tandem.folder / "shared.h5")["tau"], read(tandem.folder / "repeated.h5")["tau"])
    write(tandem.folder / "s.h5", {name: numbers[0] for name, numbers in states.items()})
    tandem.good("eval", "inverse-dynamics", "arm7", "--in", "s.h5", "--out", "one.h5")
    assert read(tandem.folder / "one.h5")["tau"].shape == (1, 7)


def test_forces_on_links(tandem):
    tandem.file("p.urdf", PENDULUM)
    states = {"q": np.zeros((2, 1)), "v": np.zeros(1), "a": np.zeros(1)}
    force = np.zeros((2, 2, 6))
    force[1, 1, 4] = 1.5
    write(tandem.folder / "s.h5", {**states, "f_ext": force})
    tandem.good("eval", "inverse-dynamics", "p.urdf", "--in", "s.h5", "--out", "tau.h5")
    without, pushed = read(tandem.folder / "tau.h5")["tau"][:, 0]
    assert pushed - without == pytest.approx(-1.5)


def test_a_file_is_known_by_its_content(tandem):
    write(tandem.folder / "states.mat", random_states("arm7", "q", 2))
    assert len(tandem.good("eval", "gravity-forces", "arm7", "--in", "states.mat").splitlines()) == 3


def test_groups(tandem):
    write(tandem.folder / "s.h5", random_states("arm7", "q", 2), group="run/3")
    words = ["eval", "gravity-forces", "arm7", "--in", "s.h5", "--group"]
    assert len(tandem.good(*words, "/run/3").splitlines()) == 3
    assert "s.h5:run: missing dataset q" in tandem.refused(*words, "run")
    assert "s.h5 has no group walk" in tandem.refused(*words, "walk")
    assert "--group requires an HDF5 file" in tandem.refused(*words[:3], "--group", "run", stdin="q0\n")


def test_optional_outputs_need_their_inputs(tandem):
    write(tandem.folder / "s.h5", random_states("arm7", "q", 2))
    told = tandem.refused("eval", "centre-of-mass", "arm7", "--in", "s.h5", "--with", "velocity")
    assert "velocity needs the dataset v" in told
    tandem.good("eval", "centre-of-mass", "arm7", "--in", "s.h5", "--with", "J", "--out", "c.h5")
    assert {name: numbers.shape for name, numbers in read(tandem.folder / "c.h5").items()} == {
        "com": (2, 3), "J": (2, 3, 7)}


def test_other_datasets_are_passed_over_with_a_note(tandem):
    write(tandem.folder / "s.h5", {**random_states("arm7", ["q", "tau"], 2), "t": np.arange(99), "name": "arm"})
    run = tandem("eval", "gravity-forces", "arm7", "--in", "s.h5")
    assert run.returncode == 0 and run.stderr == "note: s.h5: gravity-forces does not use name, t, tau\n"


def test_status_of_each_state(tandem):
    tandem.file("p.urdf", PENDULUM)  # M = 0.7 kg m^2
    write(tandem.folder / "s.h5", {"q": np.array([[0], [1.5], [np.nan], [0.5]]), "v": np.zeros(1), "tau": np.zeros(1),
                                   "diagonal": np.array([[0], [0], [0], [-0.7]])})
    run = tandem("eval", "forward-dynamics", "p.urdf", "--in", "s.h5", "--out", "a.h5", "--status", "--method", "crba")
    assert run.returncode == 0 and run.stderr == "note: 3 of 4 states: 1 singular, 1 non-finite, 1 outside limits\n"
    with h5py.File(tandem.folder / "a.h5") as file:
        assert file["status"].dtype == np.uint8
        assert [file["status"].attrs["values"][k] for k in file["status"]] == ["ok", "limit", "non_finite", "singular"]
        assert file["status"].attrs["values"][4] == "not_converged"
        assert np.isfinite(file["a"][:2]).all()


def test_no_states_are_no_states(tandem):
    write(tandem.folder / "s.h5", {"q": np.zeros((0, 7))})
    tandem.good("eval", "mass-matrix", "arm7", "--in", "s.h5", "--out", "M.h5")
    assert read(tandem.folder / "M.h5")["M"].shape == (0, 7, 7)
    tandem.good("eval", "mass-matrix", "arm7", "--out", "M.h5", stdin=csv({"q": np.zeros((0, 7))}))
    assert read(tandem.folder / "M.h5")["M"].shape == (0, 7, 7)


def test_a_robot_without_joints(tandem):
    tandem.file("rock.urdf", '<robot name="rock"><link name="rock"/></robot>')
    write(tandem.folder / "s.h5", {"q": np.zeros((3, 0))})
    tandem.good("eval", "forward-kinematics", "rock.urdf", "--in", "s.h5", "--out", "p.h5")
    assert np.array_equal(read(tandem.folder / "p.h5")["pose"], np.tile(np.eye(3, 4), (3, 1, 1, 1)))
    tandem.good("eval", "gravity-forces", "rock.urdf", "--in", "s.h5", "--out", "g.h5")
    assert read(tandem.folder / "g.h5")["tau"].shape == (3, 0)


def test_the_same_results_are_the_same_bytes(tandem):
    write(tandem.folder / "s.h5", random_states("arm7", "q", 100))
    for name in ("1.h5", "2.h5"):
        tandem.good("eval", "mass-matrix", "arm7", "--in", "s.h5", "--out", name)
        time.sleep(1.1)  # were there times in the file, they would differ
    assert (tandem.folder / "1.h5").read_bytes() == (tandem.folder / "2.h5").read_bytes()


def good_states():
    return {name: np.ones((4, 7)) for name in ("q", "v", "a")}


@pytest.mark.parametrize("change, told", [
    ({"a": None}, "s.h5: missing dataset a\ninverse-dynamics for arm7 expects q [batch, 7], v [batch, 7], "
                  "a [batch, 7]; optionally f_ext [batch, 8, 6]"),
    ({"a": None, "A": np.ones(7)}, "missing dataset a; there is also A"),
    ({"v": np.ones((4, 6))},
     "dataset v has the shape [4, 6]; for arm7 it is [batch, 7], or [7] for one state in all"),
    ({"v": np.ones((4, 7, 1))}, "dataset v has the shape [4, 7, 1]"),
    ({"v": np.float64(1)}, "dataset v has the shape []"),
    ({"f_ext": np.ones((4, 48))}, "dataset f_ext has the shape [4, 48]; for arm7 it is [batch, 8, 6]"),
    ({"v": np.ones((5, 7))}, "dataset v has 5 states, q has 4"),
    ({"v": np.ones((1, 7))}, "dataset v has 1 state, q has 4"),
    ({"v": np.array([b"fast"] * 7)}, "dataset v is not of real numbers"),
    ({"v": np.ones((4, 7), complex)}, "dataset v is not of real numbers"),
    ({"v": h5py.Empty("f8")}, "dataset v is empty"),
    ({"v": h5py.SoftLink("/nowhere")}, "missing dataset v"),
    ({"v": h5py.ExternalLink("away.h5", "v")}, "missing dataset v"),
])
def test_bad_datasets_are_named_and_nothing_is_written(tandem, change, told):
    states = {name: numbers for name, numbers in {**good_states(), **change}.items() if numbers is not None}
    write(tandem.folder / "s.h5", states)
    assert told in tandem.refused("eval", "inverse-dynamics", "arm7", "--in", "s.h5", "--out", "tau.h5")
    assert os.listdir(tandem.folder) == ["s.h5"]


def test_files_that_are_none(tandem):
    words = ["eval", "gravity-forces", "arm7", "--out", "tau.h5", "--in"]
    assert "cannot open nowhere.h5: No such file" in tandem.refused(*words, "nowhere.h5")
    tandem.file("text.h5", csv(random_states("arm7", "q", 2)))
    assert "cannot read text.h5 as HDF5: " in tandem.refused(*words, "text.h5")
    tandem.file("empty.h5", "")
    assert "cannot read empty.h5 as HDF5: " in tandem.refused(*words, "empty.h5")
    (tandem.folder / "folder.h5").mkdir()
    assert "folder.h5" in tandem.refused(*words, "folder.h5")
    write(tandem.folder / "whole.h5", random_states("arm7", "q", 2000))
    whole = (tandem.folder / "whole.h5").read_bytes()
    for part in (len(whole) // 2, 3000, 700, 100, 20):
        (tandem.folder / "part.h5").write_bytes(whole[:part])
        assert "part.h5" in tandem.refused(*words, "part.h5")
    run = subprocess.run([program(), *words[:3]], input=whole, capture_output=True, check=False)
    assert run.returncode == 2 and b"<standard input>: HDF5 cannot be read from a pipe; use --in" in run.stderr
    assert not (tandem.folder / "tau.h5").exists()


@pytest.mark.parametrize("layout", [{"fletcher32": True}, {"compression": "gzip"}])
def test_damaged_numbers_are_an_error_in_the_middle_of_a_run(tandem, layout):
    with h5py.File(tandem.folder / "s.h5", "w") as file:
        dataset = file.create_dataset("q", data=random_states("arm7", "q", 150_000)["q"], chunks=(10_000, 7), **layout)
        chunk = dataset.id.get_chunk_info(14)
    with open(tandem.folder / "s.h5", "r+b") as file:
        file.seek(chunk.byte_offset + chunk.size // 2)
        file.write(b"damage")
    told = tandem.refused("eval", "gravity-forces", "arm7", "--in", "s.h5", "--out", "tau.h5")
    assert "s.h5: cannot read dataset q, rows 131072 to 149999: " in told
    assert os.listdir(tandem.folder) == ["s.h5"]


@pytest.mark.parametrize("out", ["nowhere/out.h5", "folder.h5", "pipe.h5"])
def test_output_that_cannot_be_written_is_a_failed_run(tandem, out):
    (tandem.folder / "folder.h5").mkdir()
    os.mkfifo(tandem.folder / "pipe.h5")
    assert f"cannot write to {out}" in tandem.refused("eval", "gravity-forces", "arm7", "--out", out, code=1,
                                                      stdin=csv(random_states("arm7", "q", 1)))


@pytest.mark.parametrize("states", [10, 40_000])
def test_a_full_disk_is_a_failed_run(tandem, states):
    write(tandem.folder / "s.h5", {"q": np.zeros((states, 7))})
    (tandem.folder / "M.h5").write_text("precious")

    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    run = subprocess.run([program(), "eval", "mass-matrix", "arm7", "--in", "s.h5", "--out", "M.h5"], cwd=tandem.folder,
                         preexec_fn=little_room, restore_signals=False, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (1, "error: cannot write to M.h5: File too large\n")
    assert sorted(os.listdir(tandem.folder)) == ["M.h5", "s.h5"]
    assert (tandem.folder / "M.h5").read_text() == "precious"


def test_a_file_may_be_replaced_by_its_own_results(tandem):
    states = random_states("arm7", "q", 3)
    path = write(tandem.folder / "s.h5", states)
    path.chmod(0o640)
    (tandem.folder / "link.h5").symlink_to("s.h5")
    tandem.good("eval", "gravity-forces", "arm7", "--in", "link.h5", "--out", "link.h5")
    assert (tandem.folder / "link.h5").is_symlink() and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(read(path)) == ["tau"]


def peak_memory(tandem, *words):
    """MB that a run took at most. A small process starts it: what starts another one counts as its first memory."""
    starter = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    run = subprocess.run([sys.executable, "-c", starter, program(), *map(str, words)], cwd=tandem.folder, check=True,
                         capture_output=True, text=True)
    return int(run.stdout) / 1024


def test_memory_does_not_grow_with_the_file(tandem):
    """200 000 states of the humanoid: 180 MB in, 60 MB out; and 20 000 mass matrices, 220 MB."""
    small, large = (write(tandem.folder / f"{count}.h5", random_states("humanoid", ["q", "v", "tau"], count))
                    for count in (20_000, 200_000))
    words = ["eval", "forward-dynamics", "humanoid", "--out", "a.h5", "--in"]
    of_small = peak_memory(tandem, *words, small)
    assert peak_memory(tandem, *words, large) < of_small + 10 < 150
    with h5py.File(tandem.folder / "a.h5") as file:
        assert file["a"].shape == (200_000, 37)
        tandem.good(*words[:3], "--out", "last.csv", stdin=csv({
            name: numbers[-1:] for name, numbers in random_states("humanoid", ["q", "v", "tau"], 200_000).items()}))
        assert np.array_equal(file["a"][-1:], table((tandem.folder / "last.csv").read_text())[1])
    run = ["eval", "mass-matrix", "humanoid", "--out", "M.h5", "--in"]
    write(tandem.folder / "few.h5", random_states("humanoid", "q", 2000))
    write(tandem.folder / "many.h5", random_states("humanoid", "q", 20_000))
    assert peak_memory(tandem, *run, "many.h5") < peak_memory(tandem, *run, "few.h5") + 10 < 150


def shown_on_terminal(process, master):
    shown = b""
    try:
        while part := os.read(master, 4096):
            shown += part
    except OSError:  # the other end has closed
        pass
    os.close(master)
    assert process.wait(timeout=60) == 0
    return shown


def test_long_files_show_progress_on_a_terminal(tandem):
    write(tandem.folder / "long.h5", random_states("humanoid", ["q", "v", "a"], 50_000))
    write(tandem.folder / "short.h5", random_states("humanoid", ["q", "v", "a"], 5))
    for name in ("long", "short"):
        master, slave = pty.openpty()
        process = tandem.popen("eval", "rnea", "humanoid", "--in", f"{name}.h5", "--out", f"{name}.csv", stderr=slave)
        os.close(slave)
        shown = shown_on_terminal(process, master)
        if name == "long":
            assert b"100 %  50 000 states" in shown and b"states/s" in shown and shown.endswith(b"\n")
        else:
            assert shown == b""


def test_a_motion_in_hdf5_is_that_in_csv(tandem):
    words = ["simulate", "quadruped", "--time", 0.3, "--q0", "random", "--seed", 3, "--every", 7, "--out"]
    tandem.good(*words, "m.csv")
    tandem.good(*words, "m.h5")
    header, rows = table((tandem.folder / "m.csv").read_text())
    motion = read(tandem.folder / "m.h5")
    names = ("t", "q", "v", "kinetic", "potential", "energy", "dissipated", "work")
    found = np.concatenate([motion[name].reshape(len(rows), -1) for name in names], axis=1)
    assert np.array_equal(found, np.array(rows)) and found.shape[1] == len(header)
    # and it is a file of states, to start from or to compute over
    for name in ("m.csv", "m.h5"):
        tandem.good("simulate", "quadruped", "--time", 0.01, "--q0", name, "--out", "next.h5")
        assert np.array_equal(read(tandem.folder / "next.h5")["q"][0], motion["q"][0])
    tandem("eval", "energy", "quadruped", "--in", "m.h5", "--out", "e.h5")
    assert np.array_equal(read(tandem.folder / "e.h5")["kinetic"], motion["kinetic"])
    write(tandem.folder / "none.h5", {"q": np.zeros((0, 19))})
    assert "has no states" in tandem.refused("simulate", "quadruped", "--time", 1, "--q0", "none.h5")


def test_an_interrupted_motion_keeps_its_file(tandem):
    process = tandem.popen("simulate", "arm7", "--time", 1e6, "--out", "i.h5", stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    file, deadline = tandem.folder / "i.h5", time.monotonic() + 20
    while not (file.exists() and file.stat().st_size > 300_000) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 1
    motion = read(file)
    assert len(motion["t"]) > 1 and np.isfinite(motion["q"]).all() and len(motion["q"]) == len(motion["t"])
