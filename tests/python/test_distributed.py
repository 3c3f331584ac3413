# SPDX-License-Identifier: Apache-2.0
"""Rollouts over Ray: a cluster of two nodes on this machine, one of which dies."""
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import tandem
import tandem.distributed

ROOT = Path(__file__).resolve().parents[2]
WORDS = {"instances": 1600, "steps": 200, "dt": 1e-3, "randomize": "q=uniform,v=normal:0.1", "every": 50, "at_once": 32}


@pytest.fixture(scope="module")
def program():
    path = Path(os.environ.get("TANDEM_CLI", ROOT / "build/release/bin/tandem"))
    if not path.is_file():
        pytest.skip(f"{path} is not there: build the command line, or set TANDEM_CLI")
    os.environ["TANDEM_CLI"] = str(path)
    return path


@pytest.fixture(scope="module")
def cluster(program):
    ray = pytest.importorskip("ray", reason="Ray is not installed (pip install ray)")
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nothing is told to anybody
    memory = 80 * 2**20
    made = Cluster(initialize_head=True,
                   head_node_args={"num_cpus": 1, "object_store_memory": memory, "include_dashboard": False})
    made.add_node(num_cpus=1, object_store_memory=memory)
    made.wait_for_nodes()
    os.environ["RAY_ADDRESS"] = made.address
    yield made
    ray.shutdown()
    del os.environ["RAY_ADDRESS"]
    made.shutdown()


def whole_of(program, folder, **more):
    words = [f"--{name.replace('_', '-')}={value}" for name, value in {**WORDS, **more}.items() if value is not True]
    flags = [f"--{name}" for name, value in more.items() if value is True]
    subprocess.run([program, "rollout", "arm7", *words, *flags, "--out", "whole.h5"], cwd=folder, check=True,
                   capture_output=True)
    return (folder / "whole.h5").read_bytes()


def test_two_nodes_write_the_file_of_one_process(cluster, program, tmp_path):
    path = tandem.distributed.rollout("arm7", out=tmp_path / "r.h5", parts=5, **WORDS)
    assert path == tmp_path / "r.h5" and path.read_bytes() == whole_of(program, tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["r.h5", "whole.h5"]
    before = path.stat().st_mtime_ns
    assert tandem.distributed.rollout("arm7", out=path, parts=5, resume=True, **WORDS) == path
    assert path.stat().st_mtime_ns == before, "there was nothing to do"


def test_a_node_that_dies_is_done_without(cluster, program, tmp_path):
    node = cluster.add_node(num_cpus=2, object_store_memory=80 * 2**20)
    cluster.wait_for_nodes()
    words = {**WORDS, "instances": 6400}
    failures = []

    def roll():
        try:
            tandem.distributed.rollout("arm7", out=tmp_path / "r.h5", parts=6, **words)
        except Exception as failure:
            failures.append(failure)

    thread = threading.Thread(target=roll)
    thread.start()
    end = time.monotonic() + 60
    while not list(tmp_path.glob("r.h5.parts/r.*-of-6.h5")):
        assert time.monotonic() < end and not failures
        time.sleep(0.005)
    cluster.remove_node(node, allow_graceful=False)
    thread.join(300)
    assert not failures and not thread.is_alive()
    assert (tmp_path / "r.h5").read_bytes() == whole_of(program, tmp_path, instances=6400)


def test_what_the_command_refuses_is_raised(cluster, tmp_path):
    with pytest.raises(tandem.Error, match='did you mean "mass"'):
        tandem.distributed.rollout("arm7", out=tmp_path / "r.h5", parts=2, **{**WORDS, "randomize": "mas=uniform:1:2"})
    with pytest.raises(tandem.Error, match="threads is set by rollout"):
        tandem.distributed.rollout("arm7", out=tmp_path / "r.h5", threads=2, **WORDS)
    assert os.listdir(tmp_path) == []


OLD = b"no rollout at all\n"


def test_a_file_that_is_there_stays_until_the_new_one_is_whole(cluster, program, tmp_path):
    path = tmp_path / "r.h5"
    path.write_bytes(OLD)
    left = tmp_path / "r.h5.parts" / "r.1-of-2.h5"  # of an earlier call that was interrupted
    left.parent.mkdir()
    left.write_bytes(OLD)
    for wrong in ({"randomize": "q=unform"}, {"kp": 3.0}, {"v0": [1.0]}, {"instances": 0}, {"no_such": True},
                  {"dt": -1.0}):
        with pytest.raises(tandem.Error):
            tandem.distributed.rollout("arm7", out=path, parts=2, **{**WORDS, **wrong})
    with pytest.raises(tandem.Error, match="arm9"):
        tandem.distributed.rollout("arm9", out=path, parts=2, **WORDS)
    assert path.read_bytes() == OLD == left.read_bytes()
    seen = []
    thread = threading.Thread(target=lambda: seen.append(tandem.distributed.rollout("arm7", out=path, parts=2,
                                                                                    **WORDS)))
    thread.start()
    while not seen and thread.is_alive():
        bytes_now = path.read_bytes()  # it is never missing
        assert bytes_now == OLD or bytes_now.startswith(b"\x89HDF")
    thread.join()
    assert seen == [path] and path.read_bytes() == whole_of(program, tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["r.h5", "whole.h5"]


def test_a_failed_call_leaves_its_parts_to_be_resumed(cluster, program, tmp_path, monkeypatch):
    path = tmp_path / "r.h5"
    path.write_bytes(OLD)
    words = ["arm7", *tandem.distributed._words({**WORDS, "dt": 1e-3})]
    (tmp_path / "r.h5.parts").mkdir()
    subprocess.run([program, "rollout", *words, "--out", "r.h5.parts/r.h5", "--shard", "2/3"], cwd=tmp_path, check=True,
                   capture_output=True)
    before = (tmp_path / "r.h5.parts/r.2-of-3.h5").stat().st_mtime_ns
    assert tandem.distributed.rollout("arm7", out=path, parts=3, resume=True, **WORDS) == path
    assert path.read_bytes() == whole_of(program, tmp_path) and before < path.stat().st_mtime_ns
    assert sorted(os.listdir(tmp_path)) == ["r.h5", "whole.h5"]


def test_what_else_lies_in_the_folder_of_parts_stays(cluster, tmp_path):
    (tmp_path / "r.h5.parts").mkdir()
    (tmp_path / "r.h5.parts" / "notes.txt").write_bytes(OLD)
    with pytest.raises(tandem.Error,
                       match=r"is the folder for the parts of r.h5 and must not contain notes.txt: move it"):
        tandem.distributed.rollout("arm7", out=tmp_path / "r.h5", parts=2, **WORDS)
    assert (tmp_path / "r.h5.parts" / "notes.txt").read_bytes() == OLD


def test_parts_that_are_being_written_are_not_removed(program, tmp_path):
    folder = tmp_path / "r.h5.parts"
    folder.mkdir()
    words = ["rollout", "arm7", "--instances", "200000", "--steps", "1000", "--dt", "1e-3", "--final",
             "--at-once", "64", "--shard", "1/2"]
    process = subprocess.Popen([program, *words, "--out", folder / "r.h5"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    end = time.monotonic() + 30
    while not (folder / "r.1-of-2.h5").exists():
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.01)
    with pytest.raises(tandem.Error, match="another process is writing to it"):
        tandem.distributed._remove(folder)
    process.kill()
    process.wait()
    assert (folder / "r.1-of-2.h5").exists()
    tandem.distributed._remove(folder)
    assert os.listdir(tmp_path) == []


def test_without_ray_the_error_names_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(tandem.Error, match="need Ray: pip install ray"):
        tandem.distributed.rollout("arm7", out=tmp_path / "r.h5", **WORDS)


def test_without_the_command_the_error_names_it(tmp_path, monkeypatch):
    monkeypatch.setenv("TANDEM_CLI", str(tmp_path / "tandem"))
    with pytest.raises(tandem.Error, match=r"not at .*libcli11-dev.*or set TANDEM_CLI"):
        tandem.distributed.command()


def test_options_become_words():
    words = tandem.distributed._words({"v0": (0, 0.5), "final": True, "every": 3, "kp": 2.5, "lossless": False,
                                       "max_speed": 7.0})
    assert words == ["--v0=0.0,0.5", "--final", "--every=3", "--kp=2.5", "--max-speed=7.0"]
