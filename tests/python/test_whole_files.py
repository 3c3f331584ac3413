# SPDX-License-Identifier: Apache-2.0
"""A file that is there stays until the new one is whole, whatever goes wrong meanwhile."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import robot

import tandem
from tandem._common.files import replacing

pytest.importorskip("matplotlib")
OLD = b"what was here before\n"


class Stopped(Exception):
    pass


def stop(done: int, total: int) -> None:
    if done > 1:
        raise Stopped


def film(path: Path, **how: Any) -> None:
    from tandem import film

    simulation = tandem.Simulation(robot("arm6"))
    simulation.q = np.full(6, 0.3)
    film.render(simulation.model, simulation.run(0.5, every=10), path, fps=10, duration=1, size=(160, 160), **how)


def scene(path: Path, **how: Any) -> None:
    from tandem.scene import Scene

    stage = Scene(size=(64, 48))
    stage.add(robot("arm6"), np.linspace(0, 1, 5)[:, None] * np.ones(6))
    stage.save(path, **how)


WRITERS: dict[str, Callable[..., None]] = {"f.gif": film, "s.webp": scene, "s.gif": scene}


@pytest.mark.parametrize("name", WRITERS)
def test_a_film_that_is_not_finished_leaves_the_old_one(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(OLD)
    path.chmod(0o640)
    with pytest.raises(Stopped):
        WRITERS[name](path, progress=stop)
    assert path.read_bytes() == OLD and os.listdir(tmp_path) == [name]
    WRITERS[name](path)
    assert path.read_bytes() != OLD and os.listdir(tmp_path) == [name]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_links_are_followed_and_failures_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_bytes(OLD)
    link = tmp_path / "link.txt"
    link.symlink_to("real.txt")
    with pytest.raises(Stopped), replacing(link) as beside:
        beside.write_text("half")
        raise Stopped
    assert (tmp_path / "real.txt").read_bytes() == OLD and sorted(os.listdir(tmp_path)) == ["link.txt", "real.txt"]
    with replacing(link) as beside:
        beside.write_text("whole")
    assert link.is_symlink() and (tmp_path / "real.txt").read_text() == "whole"
    with replacing(tmp_path / "new.txt") as beside:
        beside.write_text("new")
    assert (tmp_path / "new.txt").read_text() == "new" and len(os.listdir(tmp_path)) == 3
    with replacing("/dev/null") as beside:
        assert beside == Path("/dev/null")
