# SPDX-License-Identifier: Apache-2.0
"""Motions to be played: of one robot or several instances of it, from arrays and from files."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tandem._common.arguments import whole_number
from tandem._core import Model
from tandem.configuration import difference, integrate, neutral_configuration
from tandem.errors import Error
from tandem.functions import Array, energy
from tandem.simulation import Trajectory

#: How many of the first instances, or which.
Instances: TypeAlias = "int | Sequence[int]"
HDF5 = (".h5", ".hdf5")
ENDINGS = (".csv", *HDF5)
MOST_INSTANCES = 16  # that are shown where nobody says which


class Origin(NamedTuple):
    """The robot of a file of states, as the file names it."""

    robot: str
    floating: bool
    gravity: str  #: numbers with commas, or ''
    seed: int


class Motion:
    """Configurations over time: ``time [samples]``, ``q [samples, instances, nq]``, likewise ``v`` if known.

    ``numbers [instances]`` are those that the instances have in the batch that they were taken from.
    """

    def __init__(
        self, model: Model, time: Array, q: Array, v: Array | None = None, numbers: Sequence[int] | None = None
    ) -> None:
        self.model, self.time, self.q, self.v = model, time, q, v
        self.numbers = list(range(q.shape[1])) if numbers is None else list(numbers)
        self._whole: Any = np.isfinite(q).all(axis=2)  # [samples, instances]

    @property
    def duration(self) -> float:
        return float(self.time[-1] - self.time[0])

    def at(self, time: float) -> Array:
        """Configurations ``[instances, nq]`` at a time, s, on the way from the sample before to the one after."""
        after = min(max(int(np.searchsorted(self.time, time)), 1), len(self.time) - 1)
        if after < 1:
            return self.q[0]
        before = after - 1
        step = float(self.time[after] - self.time[before])
        part = min(max((time - float(self.time[before])) / step, 0.0), 1.0) if step > 0 else 1.0
        if part in (0.0, 1.0) or self.model.nq == 0:
            return self.q[after if part else before]
        whole = self._whole[before] & self._whole[after]
        q = self.q[before].copy()
        if whole.any():
            way = difference(self.model, self.q[before, whole], self.q[after, whole])
            q[whole] = integrate(self.model, self.q[before, whole], part * way)
        return q

    def energies(self, instance: int) -> dict[str, Array]:
        """Kinetic, potential and total energy of an instance ``[samples]`` J; NaN where its state is not finite."""
        if self.v is None:
            return {}
        whole = self._whole[:, instance] & np.isfinite(self.v[:, instance]).all(axis=1)
        kinetic, potential = (np.full(len(self.time), np.nan) for _ in range(2))
        if whole.any():
            kinetic[whole], potential[whole] = energy(self.model, self.q[whole, instance], self.v[whole, instance])
        return {"kinetic": kinetic, "potential": potential, "total": kinetic + potential}

    def lost(self) -> list[str]:
        """What is said of states that cannot be shown."""
        told = []
        for k, number in enumerate(self.numbers):
            bad = np.flatnonzero(~self._whole[:, k])
            if len(bad):
                whose = f"instance {number}: " if len(self.numbers) > 1 else ""
                told.append(
                    f"{whose}{len(bad)} of {len(self.time)} states are not finite, from t = {self.time[bad[0]]:.6g} s "
                    "on; "
                    "not shown there"
                )
        return told


def motion_of(model: Model, given: Any, instances: Instances | None = None) -> Motion:
    """A motion from a file, a :class:`tandem.Trajectory`, or ``(time, q)`` or ``(time, q, v)``."""
    if isinstance(given, (str, os.PathLike)):
        return read_motion(model, Path(given), instances)
    if not isinstance(given, (tuple, list)) or not 2 <= len(given) <= len(Trajectory._fields):
        raise Error("view: expected trajectory to be a file, a tandem.Trajectory, (time, q) or (time, q, v)")
    time, q = (np.asarray(x, np.float64) for x in given[:2])
    v = None if len(given) < 3 or given[2] is None else np.asarray(given[2], np.float64)
    if q.ndim == 2:
        q, v = q[:, None], None if v is None else v[:, None]
    what = f"view: trajectory of {model.name}"
    for name, x, count in (("q", q, model.nq), ("v", v, model.nv)):
        if x is not None and (x.ndim != 3 or x.shape[2] != count or x.shape[:2] != q.shape[:2]):
            raise Error(f"{what}: {name} has shape {x.shape}, expected (samples, {count}) or (samples, batch, {count})")
    chosen = _chosen(what, q.shape[1], instances)
    return _checked(what, Motion(model, time, q[:, chosen], None if v is None else v[:, chosen], chosen))


def read_motion(model: Model, path: Path, instances: Instances | None = None) -> Motion:
    """What ``tandem simulate --out`` or a rollout wrote, of this robot. HDF5 needs h5py."""
    if path.suffix.lower() not in ENDINGS:
        raise Error(f"{path}: expected a file of states ({', '.join(ENDINGS)})")
    if not path.is_file():
        raise Error(f"{path}: no such file")
    read = _read_hdf5 if path.suffix.lower() in HDF5 else _read_csv
    return _checked(str(path), read(model, path, instances))


def _checked(what: str, motion: Motion) -> Motion:
    time = motion.time
    if len(time) == 0:
        raise Error(f"{what}: no states")
    if time.shape != motion.q.shape[:1]:
        raise Error(f"{what}: time has shape {time.shape}, expected ({len(motion.q)},)")
    if not np.isfinite(time).all() or (np.diff(time) < 0).any():
        raise Error(f"{what}: times are not finite or not ascending")
    return motion


def _chosen(what: str, there: int, instances: Instances | None) -> list[int]:
    """Numbers of the instances that are shown."""
    if instances is None:
        return list(range(min(there, MOST_INSTANCES)))
    if isinstance(instances, (int, np.integer)):
        return list(range(min(there, whole_number(f"{what}: instances", instances, 1))))
    return [whole_number(f"{what}: instance", number, 0, there - 1) for number in instances]


def _open_hdf5(path: Path) -> Any:
    if importlib.util.find_spec("h5py") is None:
        raise Error(f"{path}: HDF5 needs h5py: pip install h5py")
    import h5py  # type: ignore[import-untyped, unused-ignore]

    try:
        return h5py.File(path)
    except OSError as error:
        raise Error(f"{path}: cannot be read as HDF5: {error}") from None


def origin_of(path: Path) -> Origin:
    """The robot that a file of states names."""
    expected = f"name the robot, too: tandem view ROBOT {path}"
    if not path.is_file():
        raise Error(f"{path}: no such file")
    if path.suffix.lower() not in HDF5:
        raise Error(f"{path}: a CSV file does not name its robot; {expected}")
    with _open_hdf5(path) as file:
        said = {name: _text(file.attrs[name]) for name in file.attrs}
    # of tandem rollout, tandem simulate
    source = said.get("robot") if "instances" in said else said.get("robot_source")
    if not source:
        raise Error(f"{path}: the file does not name its robot; {expected}")
    return Origin(source, said.get("floating") == "yes", said.get("gravity", ""), int(said.get("seed", "1")))


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _read_hdf5(model: Model, path: Path, instances: Instances | None) -> Motion:
    with _open_hdf5(path) as file:
        for name, count in (("q", model.nq), ("v", model.nv)):
            if name not in file or not hasattr(file[name], "shape"):
                if name == "q":
                    raise Error(f"{path}: missing dataset q; found {', '.join(sorted(file)) or 'none'}")
                continue
            shape = file[name].shape
            if len(shape) not in (2, 3) or shape[-1] != count:
                whose = f" of {_text(file.attrs['robot'])}" if "robot" in file.attrs else ""
                raise Error(
                    f"{path}: {name}{whose} has {shape[-1] if shape else 0} numbers per state, {model.name} has {count}"
                )
        q: Array | None
        v: Array | None
        if len(file["q"].shape) == 2 and "instances" in file.attrs:  # the last state of each
            chosen = _chosen(str(path), file["q"].shape[0], instances)
            q, v = (np.asarray(file[x], np.float64)[chosen][None] if x in file else None for x in "qv")
        elif len(file["q"].shape) == 2:
            chosen = [0]
            _chosen(str(path), 1, instances)
            q, v = (np.asarray(file[x], np.float64)[:, None] if x in file else None for x in "qv")
        else:
            chosen = _chosen(str(path), file["q"].shape[0], instances)
            q, v = (_rows(file[x], chosen) if x in file else None for x in "qv")
        assert q is not None
        if v is not None and v.shape[:2] != q.shape[:2]:
            raise Error(f"{path}: v has {v.shape[:2]} states and instances, q has {q.shape[:2]}")
        return Motion(model, _times(file, path, len(q)), q, v, chosen)


def _rows(dataset: Any, chosen: list[int]) -> Array:
    """``[samples, instances, n]`` of a dataset ``[instances, samples, n]``, of which no more is read."""
    return np.stack([np.asarray(dataset[k], np.float64) for k in chosen], axis=1)


def _times(file: Any, path: Path, samples: int) -> Array:
    if "t" in file:
        return np.asarray(file["t"], np.float64)
    for name in ("dt", "step"):
        if name in file.attrs:
            every = int(file.attrs.get("every", 1))
            return float(file.attrs[name]) * every * np.arange(samples)
    raise Error(f"{path}: missing dataset t or attribute dt")


def _read_csv(model: Model, path: Path, instances: Instances | None) -> Motion:
    _chosen(str(path), 1, instances)
    with path.open() as file:
        names = [name.strip() for name in file.readline().split(",")]
        try:
            table = np.loadtxt(file, delimiter=",", ndmin=2)
        except ValueError as error:
            raise Error(f"{path}: {error}") from None
    if table.size == 0:
        table = table.reshape(0, len(names))
    columns = {letter: [k for k, name in enumerate(names) if name[:1] == letter and name[1:].isdigit()]
               for letter in "qv"}
    if "t" not in names:
        raise Error(f"{path}: missing column t")
    for letter, count in (("q", model.nq), ("v", model.nv)):
        if len(columns[letter]) != count and (letter == "q" or columns[letter]):
            raise Error(f"{path}: {letter} has {len(columns[letter])} numbers per state, {model.name} has {count}")
    v = table[:, columns["v"]][:, None] if columns["v"] or model.nv == 0 else None
    return Motion(model, table[:, names.index("t")], table[:, columns["q"]][:, None], v, [0])


def one_pose(model: Model, q: Any) -> Array:
    """Configurations ``[instances, nq]`` from one or several, or the neutral one."""
    if q is None:
        return neutral_configuration(model)[None]
    array = np.array(q, np.float64)
    if array.ndim == 1:
        array = array[None]
    if array.ndim != 2 or array.shape[1] != model.nq or len(array) == 0:
        raise Error(f"view: q has shape {np.shape(q)}, expected ({model.nq},) or (instances, {model.nq})")
    return array
