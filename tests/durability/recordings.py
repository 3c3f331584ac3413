# SPDX-License-Identifier: Apache-2.0
"""What a recording must be, however the run that wrote it ended."""
from pathlib import Path

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")

NAMES = ("t", "q", "v", "kinetic", "potential", "energy", "dissipated", "work")


def read(path: Path) -> tuple[str, dict]:
    with h5py.File(path) as file:
        assert sorted(file) == sorted(NAMES)
        return file.attrs["run"], {name: file[name][()] for name in NAMES}


def check_hdf5(path: Path, dt: float, kinetic_of=None) -> tuple[str, int]:
    """Every row is whole in every dataset. Gives how the run ended, and how many rows there are."""
    run, motion = read(path)
    rows = len(motion["t"])
    assert {name: len(numbers) for name, numbers in motion.items()} == dict.fromkeys(NAMES, rows)
    assert rows > 0
    assert np.allclose(motion["t"], dt * np.arange(rows), rtol=1e-9, atol=0)
    # a row that was not written is zeros; these never are
    assert np.array_equal(motion["energy"], motion["kinetic"] + motion["potential"])
    assert (np.abs(motion["q"]).max(axis=1) > 0).all() and (motion["potential"] != 0).all()
    assert (np.abs(motion["v"][1:]).max(axis=1) > 0).all() and (motion["kinetic"][1:] > 0).all()
    return run, rows


def check_csv(path: Path, dt: float) -> int:
    """Every line is whole. Gives how many there are besides the header."""
    text = path.read_text()
    if not text.endswith("\n"):  # blanks that stand before a line that is yet to come
        assert text[text.rfind("\n") + 1:].strip(" ") == ""
        text = text[:text.rfind("\n") + 1]
    header, *lines = text.splitlines()
    assert len({line.count(",") for line in [header, *lines]}) == 1
    table = np.array([[float(field) for field in line.split(",")] for line in lines])
    assert len(table) > 0 and np.allclose(table[:, 0], dt * np.arange(len(table)), rtol=1e-9, atol=0)
    energy, kinetic, potential = (table[:, header.split(",").index(name)]
                                  for name in ("energy", "kinetic", "potential"))
    assert np.array_equal(energy, kinetic + potential)
    return len(table)
