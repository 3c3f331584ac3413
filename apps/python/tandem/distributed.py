# SPDX-License-Identifier: Apache-2.0
"""Rollouts over the machines of a Ray cluster, into one file: ``pip install ray``.

Each task runs the command ``tandem rollout`` for a part of the instances. If a task, its worker or its machine fails,
Ray restarts the task, which continues from its last complete state.

>>> import tandem.distributed
>>> tandem.distributed.rollout(  # doctest: +SKIP
...     "arm7", instances=100_000, steps=1000, dt=1e-3, randomize="q=uniform,v=normal:0.1", final=True,
...     out="/shared/arms.h5")
PosixPath('/shared/arms.h5')
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tandem.errors import Error

__all__ = ["command", "rollout"]

_files = ("controls", "q0")  # options that may name a file
_kept = ("out", "shard", "resume", "threads", "keep_shards", "dry_run")
_byte_of_lock = 1 << 62  # byte that the command locks in a file while writing


def command() -> str:
    """Path of the program ``tandem``: that of the environment variable ``TANDEM_CLI``, else in the folder of this
    Python's scripts, else on the PATH. Raises :class:`tandem.Error` if there is none."""
    named = os.environ.get("TANDEM_CLI")
    beside = Path(sysconfig.get_path("scripts")) / "tandem"
    found = named or (str(beside) if beside.is_file() else shutil.which("tandem"))
    if found is None or not Path(found).is_file():
        raise Error(
            f"the command line program tandem is {'not at ' + named if named else 'not installed'}; install libfmt-dev "
            "and "
            "libcli11-dev and the package again (pip install --force-reinstall --no-deps .), or set TANDEM_CLI to its "
            "path"
        )
    return str(Path(found).absolute())


def rollout(
    robot: str,
    *,
    instances: int,
    steps: int,
    dt: float,
    out: str | os.PathLike[str],
    parts: int | None = None,
    cpus: int = 1,
    resume: bool = False,
    retries: int = 3,
    **options: str | float | bool | Sequence[float],
) -> Path:
    """Run ``tandem rollout`` on the machines of a Ray cluster. Returns the path of the file.

    The file is byte-identical to that of a single process, on any number of machines. If ``ray.init`` was not called,
    the function connects to the cluster of ``RAY_ADDRESS``, or starts Ray on this machine. The folder of ``out`` and
    all named files must be on a shared file system, and Tandem with its command must be installed on all machines.

    All options are checked before a file is written. The parts are written into the folder ``<out>.parts`` and joined
    there, and the result is renamed to ``out``. If a call fails, the folder remains for ``resume=True``.

    Args:
        robot: file or name, as in :func:`tandem.load`
        instances: number of instances
        steps: number of steps
        dt: time step, s
        out: file to write (.h5, .hdf5)
        parts: number of tasks; None: two for each ``cpus`` cores of the cluster
        cpus: cores per task
        resume: continue an earlier call with the same number of parts; otherwise the folder ``<out>.parts`` is removed
            first
        retries: number of restarts of a task after the failure of its worker or machine
        options: options of ``tandem rollout --help``, such as ``randomize="q=uniform"``, ``final=True``,
            ``v0=[0, 0.1]``

    Raises:
        Error: for invalid options, and if Ray or the command is missing
    """
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError as missing:
        raise Error("rollouts over several machines need Ray: pip install ray") from missing
    for name in _kept:
        if name in options:
            raise Error(f"{name} is set by rollout and cannot be given")
    program, path = command(), Path(out).absolute()
    words = [_as_path(robot), "--instances", str(instances), "--steps", str(steps), "--dt", repr(float(dt)),
             *_words(options)]
    _check(program, [*words, "--out", str(path)])
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    if parts is None:
        parts = max(1, 2 * int(ray.cluster_resources().get("CPU", 1)) // cpus)
    folder = path.with_name(path.name + ".parts")
    if not resume:
        _remove(folder)
        folder.mkdir()
    # without a folder there may be parts that ``tandem rollout --shard`` has written beside the file
    written = folder / path.name if folder.is_dir() else path
    words += ["--out", str(written)]

    task = ray.remote(num_cpus=cpus, max_retries=retries)(_do_part)
    waiting = [task.remote(program, [*words, "--shard", f"{part}/{parts}", "--threads", str(cpus)])
               for part in range(1, parts + 1)]
    try:
        while waiting:
            done, waiting = ray.wait(waiting)
            for failure in ray.get(done):
                if failure:
                    raise Error(failure)
    finally:
        for left in waiting:
            ray.cancel(left)
    if not written.exists():
        raise Error(f"{written} is missing, though all parts are done: its folder must be shared by all machines of "
                    "the cluster")
    if written != path:
        written.replace(path)
        _remove(folder)
    return path


def _check(program: str, words: list[str]) -> None:
    """Raises the error of the command, if it refuses these options. Writes nothing."""
    run = subprocess.run([program, "rollout", *words, "--dry-run"], capture_output=True, text=True,
                         stdin=subprocess.DEVNULL)
    if run.returncode != 0:
        raise Error(run.stderr.removeprefix("error: ").strip()
                    or f"tandem rollout --dry-run ended with code {run.returncode}")


def _remove(folder: Path) -> None:
    """Removes the folder of an earlier call, unless it has other files, or a process is writing to one of them."""
    if not folder.exists():
        return
    whole = Path(folder.name.removesuffix(".parts"))
    part = re.compile(rf"{re.escape(whole.stem)}(\.\d+-of-\d+)?{re.escape(whole.suffix)}")
    files = sorted(folder.iterdir())
    for file in files:
        if not file.is_file() or not part.fullmatch(file.name):
            raise Error(f"{folder} is the folder for the parts of {whole} and must not contain {file.name}: move it")
        if _is_being_written(file):
            raise Error(f"{file}: another process is writing to it")
    for file in files:
        file.unlink()
    folder.rmdir()


def _is_being_written(path: Path) -> bool:
    with path.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte_of_lock)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                return True
            raise
    return False


def _as_path(text: str) -> str:
    """Absolute path of a file; other names are unchanged."""
    return str(Path(text).absolute()) if Path(text).is_file() else text


def _words(options: dict[str, Any]) -> list[str]:
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif isinstance(value, str):
            words.append(f"{flag}={_as_path(value) if name in _files else value}")
        elif isinstance(value, Sequence) or hasattr(value, "__len__"):
            words.append(f"{flag}=" + ",".join(repr(float(x)) for x in value))
        else:
            words.append(f"{flag}={value}")
    return words


def _do_part(program: str, words: list[str]) -> str:
    """Runs a part in a worker. Returns the error, if any. Waits for the process of an earlier worker that still
    runs."""
    end = time.monotonic() + 60
    while True:
        run = subprocess.run(
            [program, "rollout", *words, "--resume"], capture_output=True, text=True, stdin=subprocess.DEVNULL,
            preexec_fn=_end_with_parent
        )
        if run.returncode == 0:
            return ""
        if "another process is writing to it" not in run.stderr or time.monotonic() > end:
            return run.stderr.removeprefix("error: ").strip() or f"tandem rollout ended with code {run.returncode}"
        time.sleep(0.2)


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
