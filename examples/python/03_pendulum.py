# SPDX-License-Identifier: Apache-2.0
"""A pendulum made with ModelBuilder: its period, and a picture if Matplotlib is installed.

python 03_pendulum.py [PICTURE.png]
"""

import sys

import numpy as np

import tandem

length = 0.5
builder = tandem.ModelBuilder("pendulum")
builder.link("stand")
builder.link("bob", mass=1, com=(0, 0, -length))
builder.joint("hinge", "revolute", parent="stand", child="bob", axis=(0, 1, 0))
pendulum = builder.build()

simulation = tandem.Simulation(pendulum, dt=1e-3, integrator="rk4")
simulation.q = [0.05]
states = simulation.run(10.0)

angle = states.q[:, 0]
crossings = states.time[1:][(angle[:-1] > 0) & (angle[1:] <= 0)]
print(
    "period [s]:",
    np.diff(crossings).mean().round(3),
    "expected:",
    round(2 * np.pi * np.sqrt(length / 9.81), 3),
)

kinetic, potential = tandem.energy(pendulum, states.q, states.v)
total = kinetic + potential
print("energy drift [J]:", f"{np.ptp(total):.1e}")

if len(sys.argv) > 1:
    import tandem.plot

    tandem.plot.trajectory(pendulum, states, sys.argv[1], velocities=True)
    print("wrote", sys.argv[1])
