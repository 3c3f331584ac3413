# SPDX-License-Identifier: Apache-2.0
"""A rollout on its way: what it was given, brought into one precision and shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem import _core
from tandem._common.arguments import new_array, real_numbers, switch, whole_number
from tandem._common.parts import in_parts, rows, rows_of
from tandem._core import ContactSet, Model
from tandem.contact import ContactDynamics, ContactOptions, ContactTally, solver_of
from tandem.errors import Error
from tandem.functions import Integrator, Method, MethodOptions
from tandem.plan import Specialise, asked

Array = NDArray[Any]

_INPUTS: dict[str, tuple[str, bool, int]] = _core.rollout_inputs()
_WEIGHTS = tuple(name for name in _INPUTS if name.endswith("_weight"))
_STEP = 2e-8  #: s that a step takes on one core for each degree of freedom, roughly
_GRADIENT = 5  #: what a gradient takes, in rollouts, roughly
_CONTACTS = 10  #: the same of a rollout with contacts


def lies_on_gpu(given: Any) -> bool:
    return given is not None and bool(_core.lies_on_gpu(given))


def dtype_of(array: Any) -> Any:
    """Of an array on a GPU: NumPy's, or none if that has no such one."""
    try:
        return np.dtype(str(array.dtype).rpartition(".")[2])
    except TypeError:
        return None


def stepper_options(
    caller: str,
    *,
    dt: float,
    integrator: Integrator,
    max_speed: float | None,
    method: Method,
    options: MethodOptions | None,
    specialise: Specialise,
    contacts: ContactSet | None = None,
    contact_options: ContactOptions | None = None,
    **switches: bool,
) -> tuple[dict[str, Any], ContactDynamics | None]:
    """What the options of simulations and rollouts have in common, and contact dynamics, which they still lack."""
    if max_speed is not None and not max_speed > 0:
        raise Error(f"{caller}: max_speed is {max_speed}, expected a positive number, infinity or None")
    how = {name: switch(f"{caller}: {name}", given) for name, given in switches.items()}
    solver, damping = solver_of(caller, contacts, contact_options)
    return how | {
        "dt": float(dt),
        "integrator": integrator,
        "max_speed": 0.0 if max_speed is None else float(max_speed),
        "specialise": asked(caller, specialise),
        "dynamics": {"method": method, **(options or {})},
        "contact_damping": damping,
    }, solver


class RolloutCall:
    """A rollout on its way: what it was given, its precision, how many robots and steps."""

    def __init__(self, model: Model, q0: ArrayLike, device: str = "cpu") -> None:
        self.model, self.device = model, device
        self.dtype: np.dtype[Any] = np.dtype(np.float64)
        self.there: Any = None  # the first array that lies on a GPU
        if (dtype_of(q0) if lies_on_gpu(q0) else np.asarray(q0).dtype) == np.float32:
            self.dtype = np.dtype(np.float32)
        self.batch: int | None = None
        self.steps: int | None = None
        self.arrays: dict[str, Array] = {}
        self.varied: dict[str, Array] = {}
        self.pushes: list[tuple[int, Array, int, int]] = []
        self.frames: list[list[Any]] = []
        #: series that are given for every step: where they go, the array, numbers of a step, steps more than there are
        self.open: list[tuple[dict[Any, Any] | list[Any], Any, Array, tuple[int, ...], int, str]] = []
        self.final = False
        self.state("q0", q0, model.nq)

    @property
    def count(self) -> int:
        return 1 if self.batch is None else self.batch

    def numbers(self, name: str, given: ArrayLike) -> Array:
        if lies_on_gpu(given):
            return self.numbers_there(name, given)
        return real_numbers(f"rollout: {name}", given, self.dtype)

    def numbers_there(self, name: str, array: Any) -> Array:
        """An array on a GPU, which stays where it is."""
        if self.device == "cpu":
            raise Error(f'rollout: {name} is on a GPU; move it to host memory, or use device="cuda"')
        if dtype_of(array) != self.dtype:
            raise Error(f"rollout: {name} has dtype {array.dtype}, expected {self.dtype}, as q0 has")
        self.there = array if self.there is None else self.there
        there: Array = array
        return there

    def agree(self, name: str, batch: int) -> None:
        if self.batch is None:
            self.batch = batch
        if batch != self.batch:
            raise Error(f"rollout: {name} has a batch of {batch}, expected {self.batch} as in earlier arguments")

    def state(self, name: str, given: ArrayLike | None, rows: int) -> None:
        if given is None:
            return
        array = self.numbers(name, given)
        if array.shape[-1:] != (rows,) or array.ndim > 2:
            raise Error(f"rollout: {name} has shape {array.shape}, expected ({rows},) or (batch, {rows})")
        if array.ndim == 2:
            self.agree(name, len(array))
        self.arrays[name] = array.reshape(len(array) if array.ndim == 2 else 1, rows)

    def weight(self, name: str, given: ArrayLike | None, rows: int) -> None:
        """Numbers of every row, one for all of them, or those of every robot."""
        if given is not None:
            self.arrays[name] = self.rows_of(name, given, rows)

    def rows_of(self, name: str, given: ArrayLike, rows: int) -> Array:
        array = self.numbers(name, given)
        if array.ndim == 0:
            array = np.full(rows, float(array), self.dtype)
        if array.shape[-1:] != (rows,) or array.ndim > 2:
            raise Error(f"rollout: {name} has shape {array.shape}, expected ({rows},), (batch, {rows}) or one number")
        if array.ndim == 2:
            self.agree(name, len(array))
        return array.reshape(len(array) if array.ndim == 2 else 1, rows)

    def parameter(self, name: str, given: ArrayLike) -> None:
        shape = self.model.parameter(name).shape
        array = self.numbers(f"parameter {name}", given)
        if array.shape[array.ndim - len(shape) :] != shape or array.ndim > len(shape) + 1:
            expected = "(" + ", ".join(["batch", *map(str, shape)]) + ")"
            raise Error(f"rollout: parameter {name} has shape {array.shape}, expected {shape} or {expected}")
        if array.ndim > len(shape):
            self.agree(f"parameter {name}", len(array))
        self.varied[name] = array.reshape(len(array) if array.ndim > len(shape) else 1, int(np.prod(shape)))

    def input(self, name: str, given: ArrayLike | None, called: str | None = None) -> None:
        """An input of the table of inputs."""
        rows, in_time, more = _INPUTS[name]
        if in_time and given is not None:
            shape = (getattr(self.model, rows),)
            self.open.append((self.arrays, name, self.numbers(called or name, given), shape, more, called or name))
        elif not in_time:
            self.weight(name, given, getattr(self.model, rows))

    def push(self, push: Any) -> None:
        link = self.model.link_index(push.link) if isinstance(push.link, str) else push.link
        first = whole_number("rollout: first step of a push", push.first, 0)
        end = np.iinfo(np.int64).max if push.end is None else whole_number("rollout: end of a push", push.end, 0)
        self.pushes.append((link, self.rows_of("external wrench", push.wrench, 6), first, int(end)))

    def costs(self, cost: Any) -> None:
        for name in _WEIGHTS:
            self.input(name, getattr(cost, name.removesuffix("_weight")))
        q_reference = cost.q_reference
        if q_reference is None and (cost.q is not None or cost.final_q is not None):
            q_reference = np.array(_core.neutral_configuration(self.model), self.dtype)
        self.input("q_reference", q_reference)
        self.input("v_reference", cost.v_reference)
        for term in cost.frames:
            self.frame(term)

    def frame(self, term: Any) -> None:
        frame = self.model.frame_index(term.frame) if isinstance(term.frame, str) else term.frame
        target = self.numbers("target of a frame", term.target)
        given = (term.weight, term.final_weight)
        weights = [None if w is None else self.rows_of("weight of a frame", w, 6) for w in given]
        if target.shape[-2:] != (3, 4):
            if target.shape[-1:] != (3,):
                raise Error(f"rollout: target of a frame has shape {target.shape}, expected (..., 3, 4) or (..., 3)")
            if any(lies_on_gpu(x) for x in (target, *weights)):
                raise Error("rollout: target of a frame is a point, which is not supported on a GPU; expected a pose "
                            "(..., 3, 4)")
            poses = np.zeros((*target.shape, 4), self.dtype)
            poses[..., :3], poses[..., 3] = np.eye(3), target
            target = poses
            weights = [None if w is None else w * np.array([1, 1, 1, 0, 0, 0], self.dtype) for w in weights]
        row: list[Any] = [frame, None, *weights]
        self.frames.append(row)
        self.open.append((row, 1, target, (3, 4), 1, "target of a frame"))

    def settle(self, steps: int | None, batch: int | None) -> None:
        """Finds how many robots and steps there are, and brings what is given for every step to [batch, steps,
        rows]."""
        for _, _, array, shape, _, name in self.open:
            axes = array.ndim - len(shape)
            if axes > 2 or axes < 0 or array.shape[axes:] != shape:
                expected = ", ".join(map(str, shape))
                raise Error(
                    f"rollout: {name} has shape {array.shape}, expected ({expected},), (steps, {expected}) or "
                    f"(batch, steps, {expected})"
                )
            if axes == 2 and len(array) > 1:
                self.agree(name, len(array))
        if steps is not None:
            self.steps = whole_number("rollout: steps", steps, 0)
        else:
            lengths = [
                array.shape[array.ndim - len(shape) - 1] - more
                for _, _, array, shape, more, _ in self.open
                if array.ndim > len(shape) and array.shape[array.ndim - len(shape) - 1] > 1
            ]
            if not lengths:
                raise Error("rollout: steps is required if neither controls nor targets have values for every step")
            self.steps = lengths[0]
        for to, key, array, shape, more, name in self.open:
            to[key] = self.in_time(array, shape, self.steps + more, name)

    def in_time(self, array: Array, shape: tuple[int, ...], length: int, name: str) -> Array:
        rows = int(np.prod(shape))
        axes = array.ndim - len(shape)
        if axes == 1 and len(array) != length and self.batch is not None and len(array) == self.batch:
            return array.reshape(len(array), 1, rows)
        if axes == 1 and len(array) == length and length > 1 and length == self.batch:
            raise Error(
                f"rollout: {name} has shape {array.shape}, which is ambiguous as there are as many robots as steps: "
                "give "
                f"(1, {length}, ...) for every step or ({length}, 1, ...) for every robot"
            )
        whole: tuple[int, ...] = (1,) * (2 - axes) + tuple(array.shape[:axes]) + (rows,)
        array = array.reshape(whole)
        if array.shape[1] not in (1, length):
            raise Error(f"rollout: {name} has {array.shape[1]} steps, expected {length}")
        return array

    def new(self, shape: tuple[int, ...]) -> Array:
        """A result, on the GPU where something given lies there."""
        if self.there is None:
            return new_array("rollout", shape, self.dtype)
        there: Array = _core.empty_like(self.there, list(shape), self.dtype == np.float32)
        return there

    def run(self, how: dict[str, Any], path: bool, threads: int) -> dict[str, Any]:
        n, nq, nv = self.count, self.model.nq, self.model.nv
        assert self.steps is not None
        samples = self.steps // how["every"] + 1
        out = {"q": self.new((n, nq)), "v": self.new((n, nv))}
        if path:
            out |= {"q_path": self.new((n, samples, nq)), "v_path": self.new((n, samples, nv))}
        if self.costly():
            out["cost"] = self.new((n,))
        out |= self.new_of_contacts(how) | self.new_stops()
        status, done = np.empty(n, np.uint8), np.empty(n, np.int32)
        self.call(how | {"steps": self.steps}, self.arrays | out, threads, status, done)
        return self.result(out, how, status, done)

    def new_of_contacts(self, how: dict[str, Any]) -> dict[str, Array]:
        """Contact forces, and statistics in five columns, in double precision."""
        if how["contacts"] is None:
            return {}
        sizes = {"contact_forces": 6 * how["contacts"].set.n_slots, "contact_tally": 5}
        return {name: new_array("rollout", (self.count, size), np.dtype(np.float64)) for name, size in sizes.items()}

    def new_stops(self) -> dict[str, Array]:
        """Those that are given, for every robot; they are replaced."""
        if "stops" not in self.arrays:
            return {}
        stops = self.arrays.pop("stops")
        return {"stops": np.array(np.broadcast_to(stops, (self.count, stops.shape[1])))}

    def costly(self) -> bool:
        return bool(self.frames) or any(name in self.arrays for name in _WEIGHTS)

    def call(self, how: dict[str, Any], arrays: dict[str, Any], threads: int, status: Any, done: Any) -> None:
        core = _core.rollout64 if self.dtype == np.float64 else _core.rollout32
        frames = [tuple(row) for row in self.frames] if "cost" in arrays else []
        n, by = self.count, how.get("by_parameters")
        if self.device != "cpu":  # arrays may lie there
            core(self.model, arrays, self.pushes, frames, self.varied, how, n, threads, self.device, status, done)
            return

        def do(some: slice) -> None:
            pushes = [(link, rows_of(wrench, some, n), first, end) for link, wrench, first, end in self.pushes]
            terms = [(frame, *(rows_of(x, some, n) for x in given)) for frame, *given in frames]
            own = how if by is None else how | {"by_parameters": rows(by, some, n)}
            given = (rows(arrays, some, n), pushes, terms, rows(self.varied, some, n), own)
            core(self.model, *given, some.stop - some.start, threads, self.device, status[some], done[some])

        steps = max(1, how["steps"]) * (_CONTACTS if how["contacts"] else 1 if by is None else _GRADIENT)
        in_parts(n, _STEP * steps * (1 + self.model.nv), do)

    def result(self, out: dict[str, Any], how: dict[str, Any], status: Any, done: Any) -> dict[str, Any]:
        if "contact_forces" in out:
            forces = out["contact_forces"]
            out["contact_forces"] = forces.reshape(self.count, forces.shape[1] // 6, 6)
        if self.batch is None:
            out = {name: array[0] for name, array in out.items()}
            status, done = status[0], done[0]
        time = None
        if "q_path" in out:
            time = how["dt"] * how["every"] * np.arange(out["q_path"].shape[-2])
        if "contact_tally" in out:
            *counts, taken, dropped = np.moveaxis(out["contact_tally"], -1, 0)
            out["contact_tally"] = ContactTally(
                *(x.astype(np.int64) for x in counts), taken, dropped.astype(np.int64)
            )
        return out | {"status": status, "steps": done} | ({} if time is None else {"time": time})

    def run_with(
        self, controls: Callable[..., ArrayLike], how: dict[str, Any], path: bool, threads: int
    ) -> dict[str, Any]:
        """Step by step, with a function asked before each. What it sees and gives lies on the processor."""
        if self.there is not None:
            raise Error("rollout: a function as controls needs arrays in host memory, but an array is on a GPU")
        if self.device == "auto":
            self.device = "cpu"
        n, nq, nv, every = self.count, self.model.nq, self.model.nv, how["every"]
        assert self.steps is not None
        q = np.array(np.broadcast_to(self.arrays["q0"], (n, nq)))
        v = np.zeros((n, nv), self.dtype)
        if "v0" in self.arrays:
            v[:] = self.arrays["v0"]
        out: dict[str, Any] = {"q": q, "v": v}
        samples = self.steps // every + 1
        if path:
            out["q_path"] = new_array("rollout", (n, samples, nq), self.dtype)
            out["v_path"] = new_array("rollout", (n, samples, nv), self.dtype)
        handed = self.new_stops()
        stops = handed.get("stops", np.zeros((n, 3 * nv), self.dtype))
        out |= handed
        of_contacts = {name: np.zeros_like(x) for name, x in self.new_of_contacts(how).items()}
        out |= of_contacts
        costs = np.zeros(n, self.dtype)
        status, done = np.zeros(n, np.uint8), np.zeros(n, np.int32)
        now, moved = np.empty(n, np.uint8), np.empty(n, np.int32)
        names = ("final_q_weight", "final_v_weight")
        final: dict[str, Array] = {k: self.arrays.pop(k) for k in names if k in self.arrays}
        final_frames = [row[3] for row in self.frames]
        for k in range(self.steps + 1):
            last = k == self.steps
            if path and k % every == 0:
                out["q_path"][:, k // every], out["v_path"][:, k // every] = q, v
            arrays = self.arrays | {"q0": q, "v0": v}
            if last:
                arrays |= final
                for row, weight in zip(self.frames, final_frames, strict=True):
                    row[2:] = [None, weight]
            else:
                tau = self.tau_of(controls, k, q[0] if self.batch is None else q, v[0] if self.batch is None else v)
                arrays["tau"] = tau.reshape(len(tau) if tau.ndim == 2 else 1, 1, nv)
                for row in self.frames:
                    row[3] = None
            q_next, v_next = np.empty_like(q), np.empty_like(v)
            stops_next = stops.copy()
            arrays |= {"q": q_next, "v": v_next, "stops": stops_next} | (self.new_of_contacts(how) if not last else {})
            cost = np.zeros(n, self.dtype)
            frames = self.frames
            if self.costly() or (last and final):
                self.frames = [row for row in frames if row[2] is not None or row[3] is not None]
                arrays["cost"] = cost
            step = {"first_step": k, "steps": 0 if last else 1, "every": 1}
            self.call(how | step, arrays, threads, now, moved)
            self.frames = frames
            alive = status == 0
            status[alive], done[alive] = now[alive], done[alive] + moved[alive]
            costs[alive] += cost[alive]
            q[alive], v[alive], stops[alive] = q_next[alive], v_next[alive], stops_next[alive]
            if of_contacts and not last:
                of_contacts["contact_forces"][:] = np.where(alive[:, None], arrays["contact_forces"], 0)
                of_contacts["contact_tally"][alive] += arrays["contact_tally"][alive]
        if self.costly() or final:
            out["cost"] = costs
        return self.result(out, how, status, done)

    def tau_of(self, controls: Callable[..., ArrayLike], k: int, q: Array, v: Array) -> NDArray[Any]:
        tau = self.numbers("what controls gives", controls(k, q.copy(), v.copy()))
        expected = [(self.model.nv,)] + ([(self.batch, self.model.nv)] if self.batch is not None else [])
        if tau.shape not in expected:
            shapes = " or ".join(map(str, expected))
            raise Error(f"rollout: controls returned shape {tau.shape} in step {k}, expected {shapes}")
        return tau
