# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics of a motion, and forward dynamics of the result."""

import numpy as np

import tandem

robot = tandem.load("arm7")  # a shipped robot, a generator ("chain:100"), or a .urdf file
q = tandem.random_configuration(robot, seed=1)
v = np.zeros(robot.nv)
a = np.ones(robot.nv)

tau = tandem.inverse_dynamics(robot, q, v, a)
print("joint forces [N m]:", tau.round(3))
print("acceleration back [rad/s^2]:", tandem.forward_dynamics(robot, q, v, tau).round(9))
print("tool at [m]:", tandem.forward_kinematics(robot, q)[robot.frame_index("tool0"), :, 3].round(3))
