# SPDX-License-Identifier: Apache-2.0
"""A rope released from a horizontal position: its energy balance, and a film.

python 07_rope_film.py [FILM.gif|FILM.mp4|PICTURE.png] [--links N] [--time T]
"""

import argparse
import time

import numpy as np

import tandem
import tandem.film

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("file", nargs="?", default="rope.gif", help="film or picture to draw (rope.gif)")
parser.add_argument("--links", type=int, default=200, help="segments of 0.1 m (200)")
parser.add_argument(
    "--time", type=float, help="s of motion (the time it takes to swing over to the other side)"
)
parser.add_argument("--method", default="automatic", help="of forward dynamics (automatic)")
arguments = parser.parse_args()

rope = tandem.load(f"rope:{arguments.links}")
swing = 4.2 * np.sqrt(arguments.links / 200)  # s; longer ropes are slower
duration = arguments.time if arguments.time is not None else swing
dt = 1e-3 if arguments.links <= 1000 else 5e-4  # waves are faster on a longer rope

simulation = tandem.Simulation(rope, dt=dt, integrator="rk4", method=arguments.method)
simulation.q[:4] = [0, np.sqrt(0.5), 0, np.sqrt(0.5)]  # the first ball joint, a quarter turn about y
start = time.perf_counter()
states = simulation.run(duration, every=max(1, round(duration / dt / 250)))
wall = time.perf_counter() - start
print(f"{rope.name}: {duration:.3g} s of motion in {wall:.3g} s, {rope.nv} degrees of freedom")

kinetic, potential = tandem.energy(rope, states.q, states.v)
budget = kinetic + potential + states.dissipated  # no actuation: no work
print("largest kinetic energy [J]:", f"{kinetic.max():.6g}")
print("taken by damping [J]:", f"{states.dissipated[-1]:.4g}")
print("drift of the budget [J]:", f"{np.abs(budget - budget[0]).max():.2g}")

size = (640, 360) if arguments.file.endswith(".gif") else (1280, 720)
tandem.film.render(rope, states, arguments.file, size=size)
print("wrote", arguments.file)
