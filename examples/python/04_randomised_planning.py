# SPDX-License-Identifier: Apache-2.0
"""Sampling-based planning for a robot with uncertain parameters: thousands of samples, each with its own robot."""

import numpy as np

import tandem

robot = tandem.load("arm7")
samples, steps, dt = 4096, 20, 0.01
random = np.random.default_rng(1)

# every sample has its own masses, damping and slope of the ground
parameters = {
    "mass": robot.parameter("mass") * random.uniform(0.8, 1.2, (samples, robot.n_links)),
    "damping": robot.parameter("damping") + random.uniform(0.0, 0.5, (samples, robot.nv)),
    "gravity": robot.parameter("gravity") + random.normal(0.0, 0.2, (samples, 3)),
}
start = tandem.random_configuration(robot, seed=2)
goal = start + 0.1
q, v = np.tile(start, (samples, 1)), np.zeros((samples, robot.nv))
# constant torques in addition to gravity compensation, which would give the nominal robot these accelerations
guess = tandem.inverse_dynamics(robot, start, v, random.normal(0.0, 5.0, (samples, robot.nv)))

a, status = np.empty_like(v), np.empty(samples, np.uint8)
within_limits = np.ones(samples, bool)
for _ in range(steps):
    tau = guess + tandem.passive_forces(robot, q, v, parameters=parameters)
    implicit = dt * parameters["damping"]  # stable for strong damping of light links
    tandem.forward_dynamics(robot, q, v, tau, None, implicit, out=a, parameters=parameters, status=status)
    within_limits &= status == tandem.Status.OK
    v += dt * a
    tandem.integrate(robot, q, dt * v, out=q)

cost = np.linalg.norm(tandem.difference(robot, q, goal), axis=1)
cost[~within_limits] = np.inf
best = cost.argmin()
print(f"{samples} samples, {within_limits.sum()} within the limits on all {steps} steps")
print(
    "distance to the goal [rad]:",
    f"{np.linalg.norm(goal - start):.3f} before, {cost[best]:.3f} with the best sample",
)
