# SPDX-License-Identifier: Apache-2.0
"""Thousands of states in one call, with reused result arrays."""

import time

import numpy as np

import tandem

robot = tandem.load("quadruped", floating=True)
batch = 4096
q = tandem.random_configuration(robot, seed=1, batch=batch)
v = np.random.default_rng(1).normal(size=(batch, robot.nv))
tau = np.zeros(robot.nv)  # a single state applies to all states of the batch
a = np.empty((batch, robot.nv))

for precision in (np.float64, np.float32):
    arguments = [x.astype(precision) for x in (q, v, tau)]
    out = a.astype(precision)
    tandem.forward_dynamics(robot, *arguments, out=out)
    start = time.perf_counter()
    tandem.forward_dynamics(robot, *arguments, out=out)
    rate = batch / (time.perf_counter() - start)
    print(f"{robot.name}, {np.dtype(precision)}: {rate:,.0f} forward dynamics per second")

com = tandem.centre_of_mass(robot, q)
print("mean centre of mass [m]:", com.mean(axis=0).round(2))
