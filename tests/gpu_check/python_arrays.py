#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Arrays of PyTorch, CuPy and JAX on a GPU: results and gradients compared with those of NumPy arrays on the processor.

    python_arrays.py [--out FILE] [--host] [--states N]

Prints a line per comparison and writes a JSON object each to FILE. Packages that are not installed are named and left
out. Exit status 1 if a comparison fails. --host: the same with arrays of the processor, which tests this program.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tandem

FUNCTIONS = {  # with the inputs of each
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "tau"),
    "mass_matrix": ("q",),
    "forward_dynamics_jvp": ("q", "v", "tau", "dq", "dv", "dtau"),
}
SAME_BITS = {"inverse_dynamics", "forward_dynamics", "mass_matrix"}  # docs/gpu.md
ROBOTS = {"arm7": False, "quadruped": True}  # floating

Check = tuple[str, Callable[[], None]]


class Package:
    """What the comparisons need of a package of arrays."""

    def __init__(self, name: str, host: bool):
        self.name, self.host = name, host
        self.module = importlib.import_module(name)
        self.place = "cpu" if host else "cuda"
        if name == "jax":
            self.module.config.update("jax_enable_x64", True)
            self.home = self.module.devices("cpu" if host else "gpu")[0]
        elif not host and not self.is_there():
            raise RuntimeError(f"{name} finds no GPU")

    def is_there(self) -> bool:
        if self.name == "torch":
            return bool(self.module.cuda.is_available())
        return self.module.cuda.runtime.getDeviceCount() > 0

    def moved(self, x: np.ndarray) -> Any:
        if self.name == "torch":
            return self.module.from_numpy(x.copy()).to(self.place)
        if self.name == "cupy":
            return self.module.asarray(x)
        return self.module.device_put(x, self.home)

    def back(self, x: Any) -> np.ndarray:
        if self.name == "torch":
            return x.detach().cpu().numpy()
        return x.get() if self.name == "cupy" else np.asarray(x)

    def is_own(self, x: Any) -> bool:
        kind = {"torch": "Tensor", "cupy": "ndarray", "jax": "Array"}[self.name]
        return isinstance(x, getattr(self.module, kind))


def inputs(model: Any, states: int, dtype: type) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    q = tandem.random_configuration(model, seed=1, batch=states)
    others = {name: rng.normal(size=(states, model.nv)) for name in ("v", "a", "tau", "dq", "dv", "dtau")}
    return {name: x.astype(dtype) for name, x in {"q": q, **others}.items()}


def close(name: str, got: np.ndarray, expected: np.ndarray, condition: float) -> None:
    """The same bits where they are promised; elsewhere errors of some roundings, as the condition number enlarges
    them."""
    if name in SAME_BITS:
        np.testing.assert_array_equal(got, expected)
        return
    assert got.dtype == expected.dtype, got.dtype
    bound = 64 * np.finfo(expected.dtype).eps * condition * np.abs(expected).max(axis=-1, keepdims=True)
    excess = float((np.abs(got - expected) / bound).max())
    assert excess <= 1, f"{excess:.2g} times the bound of 64 roundings times the condition {condition:.2g}"


def flat(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


def functions(package: Package, states: int) -> Iterator[Check]:
    """Every function of the list: new results, results in arrays of the caller, arrays that are not contiguous."""
    for robot, floating in ROBOTS.items():
        model = tandem.load(robot, floating=floating)
        for dtype in (np.float64, np.float32):
            x = inputs(model, states, dtype)
            condition = float(np.linalg.cond(tandem.mass_matrix(model, x["q"].astype(np.float64))).max())
            for name, names in FUNCTIONS.items():
                function = getattr(tandem, name)
                given = [x[n] for n in names]
                expected = flat(function(model, *given))

                def new(name=name, function=function, given=given, expected=expected, condition=condition, model=model):
                    results = flat(function(model, *map(package.moved, given), device=package.place))
                    for got, wanted in zip(results, expected):
                        assert package.is_own(got), type(got)
                        close(name, package.back(got), wanted, condition)

                yield f"{name} of {robot}, {np.dtype(dtype)}, new results", new
                if package.name == "jax":
                    continue  # whose arrays do not change

                def into(
                    name=name, function=function, given=given, expected=expected, condition=condition, model=model
                ):
                    out = package.moved(np.full_like(expected[0], np.nan))
                    wide = [package.moved(np.repeat(g, 2, axis=-1))[..., ::2] for g in given]
                    function(model, *wide, device=package.place, out=out)
                    close(name, package.back(out), expected[0], condition)

                if len(expected) == 1:
                    yield f"{name} of {robot}, {np.dtype(dtype)}, strided inputs, out", into


def torch_checks(package: Package, states: int) -> Iterator[Check]:
    import tandem.torch as ours

    torch, model = package.module, tandem.load("arm7")
    x = inputs(model, states, np.float64)

    def gradients() -> None:
        def of(place: str) -> list[np.ndarray]:
            q, v, tau = (torch.from_numpy(x[n].copy()).to(place).requires_grad_() for n in ("q", "v", "tau"))
            ours.forward_dynamics(model, q, v, tau).square().sum().backward()
            return [y.grad.cpu().numpy() for y in (q, v, tau)]

        condition = float(np.linalg.cond(tandem.mass_matrix(model, x["q"])).max())
        for got, wanted in zip(of(package.place), of("cpu")):
            close("gradient", got, wanted, condition**2)

    yield "tandem.torch.forward_dynamics, gradients", gradients

    def statuses() -> None:
        q = x["q"].copy()
        q[1] = np.nan
        status = torch.zeros(states, dtype=torch.uint8, device=package.place)
        a = tandem.forward_dynamics(
            model, *map(package.moved, (q, x["v"], x["tau"])), device=package.place, status=status
        )
        wanted = np.zeros(states, np.uint8)
        expected = tandem.forward_dynamics(model, q, x["v"], x["tau"], status=wanted)
        np.testing.assert_array_equal(package.back(status), wanted)
        np.testing.assert_array_equal(package.back(a), expected)

    yield "a state with NaN, statuses", statuses
    if package.host:
        return

    def streams() -> None:
        side, q, v, a = torch.cuda.Stream(), *map(package.moved, (x["q"], x["v"], x["a"]))
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            twice = 2 * tandem.inverse_dynamics(model, q, v, a, device="cuda")
        side.synchronize()
        np.testing.assert_array_equal(package.back(twice), 2 * tandem.inverse_dynamics(model, x["q"], x["v"], x["a"]))

    yield "a stream of the caller", streams

    def graphs() -> None:
        q, v, a = map(package.moved, (x["q"], x["v"], x["a"]))
        out = tandem.inverse_dynamics(model, q, v, a, device="cuda")
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            tandem.inverse_dynamics(model, q, v, a, device="cuda", out=out)
        v.mul_(-0.5)
        graph.replay()
        torch.cuda.synchronize()
        np.testing.assert_array_equal(package.back(out), tandem.inverse_dynamics(model, x["q"], -0.5 * x["v"], x["a"]))

    yield "a CUDA graph, replayed with other inputs", graphs


def jax_checks(package: Package, states: int) -> Iterator[Check]:
    import tandem.jax as ours

    jax, model = package.module, tandem.load("arm7")
    x = inputs(model, states, np.float64)
    given = [x[n] for n in ("q", "v", "tau")]

    def cost(*arguments: Any) -> Any:
        return (ours.forward_dynamics(model, *arguments) ** 2).sum()

    def compiled() -> None:
        got = jax.jit(lambda *y: ours.forward_dynamics(model, *y))(*map(package.moved, given))
        np.testing.assert_array_equal(package.back(got), tandem.forward_dynamics(model, *given))

    yield "jax.jit of tandem.jax.forward_dynamics", compiled

    def gradients() -> None:
        condition = float(np.linalg.cond(tandem.mass_matrix(model, x["q"])).max())
        a = tandem.forward_dynamics(model, *given)
        wanted = tandem.forward_dynamics_vjp(model, *given, 2 * a)
        got = jax.jit(jax.grad(cost, argnums=(0, 1, 2)))(*map(package.moved, given))
        for name, g in zip(("q_bar", "v_bar", "tau_bar"), got):
            close("gradient", package.back(g), getattr(wanted, name), condition**2)

    yield "jax.jit of gradients", gradients


def comparisons(package: Package, states: int) -> Iterator[Check]:
    yield from functions(package, states)
    if package.name == "torch":
        yield from torch_checks(package, states)
    if package.name == "jax":
        yield from jax_checks(package, states)


def rate(package: Package) -> float | None:
    """States per second of inverse dynamics of an arm, float, 10^6 states on the device; of PyTorch, whose events time
    it."""
    if package.name != "torch" or package.host:
        return None
    torch, model = package.module, tandem.load("arm7")
    x = inputs(model, 1_000_000, np.float32)
    q, v, a = (package.moved(x[n]) for n in ("q", "v", "a"))
    out = tandem.inverse_dynamics(model, q, v, a, device="cuda")
    times = []
    for _ in range(20):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        tandem.inverse_dynamics(model, q, v, a, device="cuda", out=out)
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e-3)
    return 1_000_000 / float(np.median(times))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", help="file of results, a JSON object per line")
    parser.add_argument("--host", action="store_true", help="arrays of the processor")
    parser.add_argument("--states", type=int, default=1000, metavar="N", help="states of a batch (default 1000)")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    failed = compared = 0

    def write(**row: Any) -> None:
        rows.append({"kind": "python", **row})
        if options.out:  # as they come: a run that is stopped leaves what it has
            with open(options.out, "a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1]) + "\n")

    for name in ("torch", "cupy", "jax"):
        try:
            package = Package(name, options.host)
        except (ImportError, RuntimeError) as error:
            print(f"{name}: left out: {error}")
            write(package=name, left_out=str(error))
            continue
        for what, check in comparisons(package, options.states):
            begin, problem = time.perf_counter(), ""
            try:
                check()
            except Exception as error:  # a comparison that fails is a result
                problem = f"{type(error).__name__}: {error}"
                traceback.print_exc()
            compared += 1
            failed += bool(problem)
            print(f"{name}: {what}: {'FAILED' if problem else 'passed'}", flush=True)
            write(package=name, version=package.module.__version__, what=what, passed=not problem, problem=problem,
                  seconds=round(time.perf_counter() - begin, 3))
        if (speed := rate(package)) is not None:
            print(f"{name}: inverse dynamics of arm7, float, 10^6 states: {speed:.3g} states/s")
            write(package=name, what="inverse_dynamics of arm7, float32, 1000000 states", states_per_second=speed)
    print(f"{compared} comparisons, {failed} failed")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
