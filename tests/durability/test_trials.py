# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed, interrupted, or meet a full disk: what they leave is whole. TANDEM_KILLS says how many are
killed."""
import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from cli_support import has_opened_a_file_in, program
from recordings import check_csv, check_hdf5, h5py, read

KILLS = int(os.environ.get("TANDEM_KILLS", "24"))
HUMANOID = ["humanoid", "--dt", "0.001", "--q0", "random"]
ENDINGS = ("csv", "h5")


def check(path, dt=0.001):
    return check_csv(path, dt) if path.suffix == ".csv" else check_hdf5(path, dt)[1]


def wait_for(path, process, bytes_=1, deadline=20):
    end = time.monotonic() + deadline
    while not (path.exists() and path.stat().st_size >= bytes_):
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.001)


@pytest.mark.parametrize("ending", ENDINGS)
def test_killed_at_any_moment(tandem, ending):
    """At first all around the beginning of the file, then later and later; states of 600 and of 4000 bytes of text."""
    draw = random.Random(17)
    path, left, rows = tandem.folder / f"s.{ending}", 0, []
    for trial in range(KILLS // 2):
        robot = ["arm7", "humanoid", "chain:300"][trial % 3]
        path.unlink(missing_ok=True)
        process = tandem.popen("simulate", robot, "--dt", "0.0001", "--q0", "random", "--time", "1e6",
                               "--out", path.name,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if trial % 2:
            wait_for(path, process)
        time.sleep(draw.uniform(0, 0.1) if trial % 2 else draw.uniform(0, 0.03))
        process.kill()
        process.wait()
        assert set(os.listdir(tandem.folder)) <= {path.name}, "a temporary file is left"
        if path.exists():
            left += 1
            if robot == "chain:300" and ending == "csv":
                continue  # whose lines are longer than a page of memory: their numbers are whole, see below
            rows.append(check(path, dt=0.0001))
            assert ending == "csv" or read(path)[0] == "running"
    assert left >= KILLS // 4 and max(rows) > 1


def test_lines_longer_than_a_page_are_cut_between_numbers(tandem):
    """Byte by byte where pages of the file end, as there a write may stop."""
    path = tandem.folder / "s.csv"
    tandem.good("simulate", "chain:300", "--q0", "random", "--time", 0.01, "--out", path.name)
    data = path.read_bytes()
    assert len(data) > 20 * 4096
    for end in range(4096, len(data), 4096):
        assert data[end - 1:end] in (b",", b" ", b"\n"), end


def test_short_lines_lie_within_pages(tandem):
    path = tandem.folder / "s.csv"
    tandem.good("simulate", "arm7", "--q0", "random", "--time", 1, "--out", path.name)
    data = path.read_bytes()
    for end in range(4096, len(data), 4096):
        assert data[:end].rstrip(b" ").endswith(b"\n"), end
    # and they are the lines of standard output
    printed = tandem("simulate", "arm7", "--q0", "random", "--time", 1, "--out", "-").stdout
    assert [line.lstrip() for line in data.decode().splitlines()] == printed.splitlines()


def limited(size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("size", [1_000_003, 1_300_000, 3_000_017])
def test_a_file_that_may_not_grow(tandem, ending, size):
    path = tandem.folder / f"s.{ending}"
    run = subprocess.run([program(), "simulate", *HUMANOID, "--time", "100", "--out", path.name], cwd=tandem.folder,
                         preexec_fn=limited(size), capture_output=True, text=True, check=False)
    assert run.returncode == 1 and f"error: cannot write to {path.name}: File too large" in run.stderr
    assert os.listdir(tandem.folder) == [path.name] and check(path) > 100
    if ending == "h5":
        assert read(path)[0] == f"failed: cannot write to {path.name}: File too large"


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_room_for_the_beginning_leaves_nothing(tandem, ending):
    run = subprocess.run([program(), "simulate", *HUMANOID, "--time", "1", "--out", f"s.{ending}"], cwd=tandem.folder,
                         preexec_fn=limited(300), capture_output=True, text=True, check=False)
    assert run.returncode == 1 and "File too large" in run.stderr and os.listdir(tandem.folder) == []


@pytest.fixture
def small_disk(tmp_path):
    """A function that mounts a disk of so many kB, or skips where it cannot."""
    mounted = []

    def mount(kilobytes):
        folder = tmp_path / f"disk{kilobytes}"
        folder.mkdir()
        if shutil.which("mount") is None:
            pytest.skip("there is no mount")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tandem-trial", str(folder)],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"no disk can be mounted: {done.stderr.strip()}")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kilobytes", [700, 1400, 3100, 8000])
def test_a_full_disk(tandem, small_disk, ending, kilobytes):
    path = small_disk(kilobytes) / f"s.{ending}"
    run = tandem("simulate", *HUMANOID, "--time", "100", "--out", path)
    assert run.returncode == 1 and "No space left" in run.stderr
    assert os.listdir(path.parent) == [path.name] and check(path) > 100
    if ending == "h5":
        assert read(path)[0] == f"failed: cannot write to {path}: No space left on device"


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP, signal.SIGPIPE])
def test_signals_stop_a_recording(tandem, ending, word):
    path = tandem.folder / f"s.{ending}"
    process = tandem.popen("simulate", *HUMANOID, "--time", "1e6", "--out", path.name, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    wait_for(path, process)
    process.send_signal(word)
    _, error = process.communicate(timeout=20)
    assert process.returncode == 1 and f"by {word.name}; {path.name} has the earlier states" in error
    assert check(path) >= 1 and os.listdir(tandem.folder) == [path.name]
    if ending == "h5":
        assert read(path)[0] == f"interrupted by {word.name}"


@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT])
def test_signals_in_the_first_second(tandem, word):
    """A word, and a file that is whole or none. Before the program has begun the system ends it."""
    draw, told = random.Random(3), 0
    for _ in range(8):
        path = tandem.folder / "s.h5"
        path.unlink(missing_ok=True)
        process = tandem.popen("simulate", *HUMANOID, "--time", "1e6", "--out", path.name, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        time.sleep(draw.uniform(0.0, 0.2))
        process.send_signal(word)
        _, error = process.communicate(timeout=20)
        assert word.name in error or process.returncode == -word
        told += word.name in error
        assert os.listdir(tandem.folder) in ([], ["s.h5"])
        if path.exists():
            assert check(path) >= 1
    assert told > 0


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP, signal.SIGPIPE])
def test_signals_leave_no_results_and_no_temporary_file(tandem, ending, word):
    process = tandem.popen("eval", "gravity-forces", "arm7", "--out", f"out.{ending}", stdin=subprocess.PIPE,
                           stderr=subprocess.PIPE)
    process.stdin.write((",".join(f"q{k}" for k in range(7)) + "\n").encode())
    process.stdin.flush()
    end = time.monotonic() + 20
    while not has_opened_a_file_in(process, tandem.folder):
        assert time.monotonic() < end
        time.sleep(0.002)
    process.send_signal(word)
    assert process.wait(timeout=20) == -word
    assert process.stderr.read() == f"error: interrupted by {word.name}; nothing was written\n".encode()
    assert os.listdir(tandem.folder) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_killed_evaluation_leaves_nothing(tandem, ending):
    """Where files may be without a name, as on ext4, btrfs, xfs and tmpfs."""
    (tandem.folder / f"out.{ending}").write_text("the old one")
    process = tandem.popen("eval", "gravity-forces", "arm7", "--out", f"out.{ending}", stdin=subprocess.PIPE)
    process.stdin.write((",".join(f"q{k}" for k in range(7)) + "\n" + "0,0,0,0,0,0,0\n" * 5000).encode())
    process.stdin.flush()
    end = time.monotonic() + 20
    while not has_opened_a_file_in(process, tandem.folder):
        assert time.monotonic() < end
        time.sleep(0.002)
    process.kill()
    process.wait()
    if os.listdir(tandem.folder) != [f"out.{ending}"]:
        with contextlib.suppress(OSError):
            os.close(os.open(tandem.folder, os.O_TMPFILE | os.O_WRONLY))
            pytest.fail("a temporary file is left")
    assert (tandem.folder / f"out.{ending}").read_text() == "the old one"


def test_a_run_says_how_it_ended(tandem):
    tandem.good("simulate", "arm7", "--q0", "random", "--time", 0.1, "--out", "s.h5")
    assert check_hdf5(tandem.folder / "s.h5", 0.001) == ("finished", 101)
    tandem("simulate", "chain:20", "--time", 10, "--dt", 0.5, "--integrator", "rk4", "--q0", "random", "--out", "s.h5")
    run, motion = read(tandem.folder / "s.h5")
    assert run.startswith(f"diverged at step {len(motion['t'])}: ") and 'joint "' in run
    tandem("eval", "energy", "arm7", "--out", "e.h5", stdin=",".join(f"{n}{k}" for n in "qv" for k in range(7)) + "\n")
    with h5py.File(tandem.folder / "e.h5") as file:
        assert file.attrs["run"] == "finished"


@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("robot, time_, every", [("arm7", 0.05, 1), ("arm7", 70, 1), ("chain:2000", 0.2, 1),
                                                 ("arm7", 4.5, 3), ("chain:1", 4400, 1)])
def test_long_recordings_are_those_of_csv(tandem, robot, time_, every, precision):
    """Trees of chunks of one, two and three levels: 1024 states a chunk, 64 chunks a node."""
    words = ["simulate", robot, "--q0", "random", "--time", time_, "--every", every, "--precision", precision, "--out"]
    if robot == "chain:1" and KILLS < 100:
        pytest.skip("4.4 million states: scripts/test --thorough")
    tandem.good(*words, "s.h5", timeout=600)
    run, motion = read(tandem.folder / "s.h5")
    assert run == "finished"
    tandem.good(*words, "s.csv", timeout=600)
    table = np.loadtxt(tandem.folder / "s.csv", delimiter=",", skiprows=1,
                       dtype=np.float64).reshape(len(motion["t"]), -1)
    found = np.concatenate([numbers.reshape(len(table), -1) for numbers in motion.values()], axis=1)
    assert np.array_equal(found, table if precision == "double" else
                          np.concatenate([table[:, :1], table[:, 1:].astype(np.float32)], axis=1))


def test_other_tools_read_it(tandem):
    tandem.good("simulate", "arm7", "--q0", "random", "--time", 3, "--out", "s.h5")
    if shutil.which("h5dump") is None or shutil.which("h5repack") is None:
        pytest.skip("the tools of HDF5 are not installed")
    dump = subprocess.run(["h5dump", "-H", "s.h5"], cwd=tandem.folder, capture_output=True, text=True,
                          check=True).stdout
    assert '"finished"' in subprocess.run(["h5dump", "-a", "/run", "s.h5"], cwd=tandem.folder, capture_output=True,
                                          text=True, check=True).stdout
    assert "( 3001, 7 ) / ( H5S_UNLIMITED, 7 )" in dump
    subprocess.run(["h5repack", "s.h5", "copy.h5"], cwd=tandem.folder, check=True)
    one, other = read(tandem.folder / "s.h5")[1], read(tandem.folder / "copy.h5")[1]
    assert all((one[name] == other[name]).all() for name in one)
