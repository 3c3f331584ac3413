#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of the benchmark that are measured from Python: appended to the results of tandem_bench, in the same form.

    apps/bench/python_rows.py RESULTS.jsonl --libraries tandem
    apps/bench/python_rows.py RESULTS.jsonl --libraries mjx frax    (may be another interpreter, which has JAX)

tandem: NumPy arrays in and out, the output given (out=). mjx, frax: forward dynamics over a batch by jax.vmap and
jax.jit on one core; for the suite derivatives, jax.jacfwd of it by configuration and velocity, of fewer states at a
time; for the suite gradients, semi-implicit steps by jax.lax.scan and jax.grad of them, which recomputes the steps
in the reverse pass (jax.checkpoint). Arrays are in the memory of each library, and times include the end of JAX's
asynchronous calls. Measure tandem by itself: the process that measures JAX uses one core.
"""
import argparse
import json
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BATCH = 4096
DERIVATIVES = 256  # states at a time that jax.jacfwd has memory for
ROBOTS, STEPS, DT = 64, 100, 2.5e-4  # of the suite gradients, as in gradient_rows.cpp
LONGEST = 1200  # seconds that a library may compile gradients through time of a robot before they are left out
KEPT = ["suite", "date", "tandem", "commit", "compiler", "flags", "flags_of_rivals",
        "processor", "cores", "pinocchio", "mujoco"]


def states(rng, nq, nv, floating, quaternion_first):
    """Random q, v, tau: angles of a turn, and a base of unit quaternion where there is one."""
    q = rng.uniform(-np.pi, np.pi, (BATCH, nq))
    if floating:
        unit = rng.normal(size=(BATCH, 4))
        q[:, 3:7] = unit / np.linalg.norm(unit, axis=1, keepdims=True)
        if quaternion_first:
            q[:, 3:7] = np.roll(q[:, 3:7], 1, axis=1)
    return q, rng.uniform(-1, 1, (BATCH, nv)), rng.uniform(-1, 1, (BATCH, nv))


def tandem_rows(robot, rng, suite):
    if suite != "batches":
        raise ValueError(f"the suite {suite} has no rows of tandem from Python")
    import tandem
    model = tandem.load(robot)
    cores = os.cpu_count() or 1
    for dtype in (np.float64, np.float32):
        q = tandem.random_configuration(model, seed=1, batch=BATCH).astype(dtype)
        v, a, tau = (rng.uniform(-1, 1, (BATCH, model.nv)).astype(dtype) for _ in range(3))
        vector, matrix = np.empty_like(v), np.empty((BATCH, model.nv, model.nv), dtype)
        for threads in sorted({1, min(2, cores), cores}):
            common = {"library": "tandem_python", "variant": "NumPy in and out", "threads": threads,
                      "precision": np.dtype(dtype).name.replace("float64", "double").replace("float32", "float")}
            def call(function, out, *arguments, threads=threads):
                return lambda: function(model, *arguments, out=out, threads=threads)
            yield {"algorithm": "inverse_dynamics", **common}, call(tandem.inverse_dynamics, vector, q, v, a)
            yield {"algorithm": "mass_matrix", **common}, call(tandem.mass_matrix, matrix, q)
            yield {"algorithm": "forward_dynamics", **common}, call(tandem.forward_dynamics, vector, q, v, tau)


def sum_after_steps(step):
    """The sum of the last state's numbers, of a state and joint forces [steps, nv]."""
    import jax
    def number(q, v, tau):
        once = jax.checkpoint(lambda state, tau: (step(*state, tau), None))
        (q, v), _ = jax.lax.scan(once, (q, v), tau)
        return q.sum() + v.sum()
    return number


def jax_rows(name, version, make, make_step, arguments, suite):
    """The suite's functions in both precisions. make() gives forward dynamics, make_step() a step of the suite
    gradients."""
    import jax
    for precision in ("double", "float"):
        def row(algorithm, how, batch, function, arguments, precision=precision):
            return jax_row(name, f"{version}, jax {jax.__version__}" + how, precision, algorithm, batch, function,
                           arguments)
        if suite == "derivatives":
            yield row("forward_dynamics_derivatives", ", jacfwd", DERIVATIVES,
                      lambda: jax.jacfwd(make(), argnums=(0, 1)),
                      [x[:DERIVATIVES] for x in arguments])
        elif suite == "gradients":
            q, v, tau = (x[:ROBOTS] for x in arguments)
            given = [q, v, 0.5 * np.resize(tau, (ROBOTS, STEPS, tau.shape[1]))]
            yield row("rollout", ", scan", ROBOTS * STEPS, lambda: sum_after_steps(make_step()), given)
            yield row("rollout_gradient", ", grad", ROBOTS * STEPS,
                      lambda: jax.grad(sum_after_steps(make_step()), argnums=(0, 1, 2)), given)
        else:
            yield row("forward_dynamics", "", BATCH, make, arguments)


def jax_row(name, variant, precision, algorithm, batch, make, arguments):
    """What make() gives, compiled over the batch in a precision; its first call compiles it."""
    import jax
    in_double = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64
    with in_double(precision == "double"):
        compiled = jax.jit(jax.vmap(make()))
        arguments = [jax.numpy.asarray(x, "float64" if precision == "double" else "float32") for x in arguments]
        jax.block_until_ready(compiled(*arguments))
    def call():
        with in_double(precision == "double"):
            jax.block_until_ready(compiled(*arguments))
    return {"algorithm": algorithm, "library": name, "variant": variant, "precision": precision, "threads": 1,
            "batch": batch}, call


def one_core():
    """Keeps JAX to one core, as it cannot be told a number of threads; the flags are those that frax recommends."""
    if "jax" in sys.modules:
        return
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false "
                                       "--xla_cpu_scheduler_type=CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED")


def mjx_rows(robot, rng, suite):
    one_core()
    from importlib.metadata import version

    import mujoco
    from mujoco import mjx
    description = mujoco.MjSpec.from_file(str(ROOT / f"robots/{robot}.urdf"))
    for geom in list(description.geoms):  # nothing collides in any row
        description.delete(geom)
    spec = description.compile()
    spec.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    spec.opt.timestep = DT
    def make():
        model, data = mjx.put_model(spec), mjx.make_data(spec)
        return lambda q, v, tau: mjx.forward(model, data.replace(qpos=q, qvel=v, qfrc_applied=tau)).qacc
    def make_step():
        model, data = mjx.put_model(spec), mjx.make_data(spec)
        def step(q, v, tau):
            there = mjx.step(model, data.replace(qpos=q, qvel=v, qfrc_applied=tau))
            return there.qpos, there.qvel
        return step
    arguments = states(rng, spec.nq, spec.nv, spec.nq != spec.nv, quaternion_first=True)
    yield from jax_rows("mjx", version("mujoco-mjx"), make, make_step, arguments, suite)


def urdf_for_frax(robot):
    """A shipped robot's URDF as frax takes it, and whether it floats: frax brings the floating joint itself, and wants
    every link to have an inertia."""
    tree = ElementTree.parse(ROOT / f"robots/{robot}.urdf").getroot()
    root = next((j for j in tree.findall("joint") if j.get("type") == "floating"), None)
    if root is not None:
        world = root.find("parent").get("link")
        tree.remove(root)
        tree.remove(next(link for link in tree.findall("link") if link.get("name") == world))
    for link in tree.findall("link"):
        if link.find("inertial") is None:
            link.append(ElementTree.fromstring('<inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" '
                                               'ixz="0" '
                                               'iyz="0"/></inertial>'))
    return ElementTree.tostring(tree, encoding="unicode"), root is not None


def frax_rows(robot, rng, suite):
    one_core()
    from importlib.metadata import version

    import frax
    text, floating = urdf_for_frax(robot)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{robot}.urdf"
        path.write_text(text, encoding="utf-8")
        model = frax.Robot(str(path), floating_base="quaternion" if floating else None)
    def make():
        return lambda q, v, tau: model.forward_dynamics(q, v, tau, None)
    def make_step():
        if floating:
            raise ValueError("has no steps of a floating base")
        dynamics = make()
        def step(q, v, tau):
            v = v + DT * dynamics(q, v, tau)
            return q + DT * v, v
        return step
    arguments = states(rng, model.nv + floating, model.nv, floating, quaternion_first=False)
    yield from jax_rows("frax", version("frax"), make, make_step, arguments, suite)


MAKERS = {"tandem": tandem_rows, "mjx": mjx_rows, "frax": frax_rows}


def made(library, robot, suite):
    return MAKERS[library](robot, np.random.default_rng(3), suite)


def make_and_forget(library, robot, suite):
    try:
        for _ in made(library, robot, suite):
            pass
    except Exception:  # told by the process that asks again
        pass


def compile_in_time(library, robot, suite):
    """Has another process compile, which can be ended, and leaves the code where this one finds it."""
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(ROOT / "build/jax/compiled"))
    process = multiprocessing.get_context("spawn").Process(target=make_and_forget, args=(library, robot, suite))
    process.start()
    process.join(LONGEST)
    if process.is_alive():
        process.kill()
        process.join()
        raise TimeoutError(f"compiling takes more than {LONGEST // 60} minutes")


def collect(libraries, robots, suite):
    """All rows that can be made; says why of those that cannot."""
    rows = []
    for library in libraries:
        for robot in robots:
            try:
                if suite == "gradients" and library != "tandem":
                    compile_in_time(library, robot, suite)
                for row, call in made(library, robot, suite):
                    call()
                    rows.append(({"robot": robot, **row}, call))
            except ImportError as error:
                print(f"{library}: not installed ({error}), left out", file=sys.stderr)
                break
            except Exception as error:  # a rival that cannot take a robot is left out, whatever it raises
                print(f"{library}: left out for {robot}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
    return rows


def measure(rows, repetitions, least_seconds):
    """Nanoseconds a state of every row, all rows in turn in random order. Rows that take seconds are repeated less."""
    calls, rounds = [], []
    for _, call in rows:
        call()
        start = time.perf_counter()
        call()
        seconds = max(time.perf_counter() - start, 1e-9)
        calls.append(max(1, round(least_seconds / seconds)))
        rounds.append(min(repetitions, max(3, round(10 / seconds))))
    times = [[] for _ in rows]
    for done in range(repetitions):
        for k in random.sample(range(len(rows)), len(rows)):
            if done >= rounds[k]:
                continue
            call = rows[k][1]
            start = time.perf_counter()
            for _ in range(calls[k]):
                call()
            times[k].append((time.perf_counter() - start) / calls[k] / rows[k][0].get("batch", BATCH) * 1e9)
    return times


def line(head, row, times):
    tenths = statistics.quantiles(times, n=10, method="inclusive") if len(times) > 1 else times * 9
    digits = {"fastest": min(times), "p10": tenths[0], "median": statistics.median(times), "p90": tenths[8]}
    return {**head, "kind": "time", "algorithm": row["algorithm"], "robot": row["robot"], "library": row["library"],
            "variant": row["variant"], "precision": row["precision"],
            "instruction_set": head["instruction_set"] if row["library"] == "tandem_python" else "native",
            "layout": "batch_row", "batch": row.get("batch", BATCH), "threads": row["threads"],
            "repetitions": len(times),
            "ns_per_state": {name: float(f"{x:.4g}") for name, x in digits.items()},
            "states_per_second": float(f"{1e9 / digits['median']:.4g}")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="results of tandem_bench --suite batches; rows are appended")
    parser.add_argument("--libraries", nargs="+", choices=["tandem", "mjx", "frax"], default=["tandem"])
    parser.add_argument("--repetitions", type=int, default=31)
    parser.add_argument("--min-time", type=float, default=5, help="milliseconds of a repetition at least")
    arguments = parser.parse_args()
    lines = [json.loads(text) for text in arguments.results.read_text(encoding="utf-8").splitlines()]
    ours = [x for x in lines if x.get("library") == "tandem" and x["kind"] == "time"]
    suite = lines[0]["suite"]
    shipped = {path.stem for path in (ROOT / "robots").glob("*.urdf")}
    robots = [robot for robot in dict.fromkeys(x["robot"] for x in ours) if robot in shipped]
    head = {key: ours[0][key] for key in KEPT if key in ours[0]}
    # the batch whose rows are measured with the default instruction set
    usual = {"derivatives": 1, "gradients": ROBOTS * STEPS}.get(suite, 16)
    head["instruction_set"] = next(x["instruction_set"] for x in ours if x["batch"] == usual)
    rows = collect(arguments.libraries, robots, suite)
    times = measure(rows, arguments.repetitions, arguments.min_time * 1e-3)
    with arguments.results.open("a", encoding="utf-8") as file:
        for (row, _), measured in zip(rows, times):
            file.write(json.dumps(line(head, row, measured), separators=(",", ":")) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
