# SPDX-License-Identifier: Apache-2.0
"""HDF5 files that should not be read as they are, and one that is read while it is replaced."""
import numpy as np
from test_hdf5 import h5py, random_states, read, write


def test_numbers_in_other_files_are_refused(tandem):
    (tandem.folder / "raw").write_bytes(np.ones(70).tobytes())
    with h5py.File(tandem.folder / "s.h5", "w") as file:
        file.create_dataset("q", (10, 7), np.float64, external=[(str(tandem.folder / "raw"), 0, 560)])
    told = tandem.refused("eval", "gravity-forces", "arm7", "--in", "s.h5")
    assert "s.h5: dataset q has external storage, which is not supported" in told
    assert "external storage" in tandem.refused("simulate", "arm7", "--time", 1, "--q0", "s.h5")


def test_states_of_a_free_root_need_floating(tandem):
    write(tandem.folder / "free.h5", {"q": np.ones((3, 14)), "v": np.zeros((3, 13))})
    write(tandem.folder / "fixed.h5", {"q": np.ones((3, 7)), "v": np.zeros((3, 7))})
    told = "arm7 has 7 numbers in q, the file 14: states of a floating robot need --floating"
    assert told in tandem.refused("eval", "energy", "arm7", "--in", "free.h5")
    assert told in tandem.refused("simulate", "arm7", "--time", 1, "--q0", "free.h5")
    told = "arm7 has 14 numbers in q, the file 7: the robot floats (--floating), but not in the file"
    assert told in tandem.refused("eval", "energy", "arm7", "--floating", "--in", "fixed.h5")


def test_a_file_of_many_pieces_may_be_replaced_by_its_own_results(tandem):
    states = random_states("humanoid", "q", 70_000)
    write(tandem.folder / "s.h5", states)
    (tandem.folder / "same.h5").hardlink_to(tandem.folder / "s.h5")
    tandem.good("eval", "gravity-forces", "humanoid", "--in", "s.h5", "--out", "tau.h5")
    tandem.good("eval", "gravity-forces", "humanoid", "--in", "same.h5", "--out", "s.h5")
    assert (tandem.folder / "s.h5").read_bytes() == (tandem.folder / "tau.h5").read_bytes()
    assert np.array_equal(read(tandem.folder / "same.h5")["q"], states["q"])
