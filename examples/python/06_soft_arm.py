# SPDX-License-Identifier: Apache-2.0
"""A soft arm of a thousand segments, bent by tendons that are pulled in turn; draws a picture or film.

python 06_soft_arm.py [PICTURE.png|FILM.gif|FILM.mp4] [--links N]
"""

import argparse

import numpy as np

import tandem

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("file", nargs="?", help="picture or film to draw; needs Matplotlib")
parser.add_argument("--links", type=int, default=1000, help="segments (1000)")
arguments = parser.parse_args()

# a hanging rod of soft foam, 1 m long and 4 cm thick, divided into segments with pairs of bending joints
length, radius, density, youngs_modulus = 1.0, 0.02, 300.0, 2e5
n = arguments.links
segment = length / n
mass = density * np.pi * radius**2 * segment
bending = youngs_modulus * np.pi * radius**4 / 4 / segment  # N m/rad per joint: E I / length
damping = 0.05 * bending  # N m s/rad
across = mass * (3 * radius**2 + segment**2) / 12

builder = tandem.ModelBuilder("soft arm").link("base")
parent, below = "base", 0.0
for k in range(n):
    builder.link(f"cross{k}")
    builder.link(
        f"segment{k}", mass, com=(0, 0, -segment / 2), inertia=np.diag([across, across, mass * radius**2 / 2])
    )
    joint = {"stiffness": bending, "damping": damping}
    builder.joint(f"x{k}", "continuous", parent, f"cross{k}", axis=(1, 0, 0), position=(0, 0, below), **joint)
    builder.joint(f"y{k}", "continuous", f"cross{k}", f"segment{k}", axis=(0, 1, 0), **joint)
    parent, below = f"segment{k}", -segment
arm = builder.build()

# Three tendons run along the arm at 1.5 cm from its axis, 120 degrees apart, and end at 60 %, 80 % and 100 % of its
# length. Its force times the distance is its moment on every joint that it passes.
angles = np.deg2rad([90, 210, 330])
moments = 0.015 * np.column_stack([np.sin(angles), -np.cos(angles)])  # [tendons, (x, y)] N m per N
ends = np.array([0.6, 0.8, 1.0])
passed = (np.arange(n) + 0.5) / n < ends[:, None]  # [tendons, joints]


def tendons(simulation: tandem.Simulation) -> np.ndarray:
    pull = 25.0 * np.clip(np.sin(2 * np.pi * (simulation.time / 2 - np.arange(3) / 3)), 0, None)  # N, in turn
    return np.einsum("t,tj,tc->jc", pull, passed, moments).ravel()


# Springs and damping are implicit. Vibrations of neighbouring segments are a hundred times too fast for an explicit
# method with this step.
simulation = tandem.Simulation(arm, dt=4e-3)
states = simulation.run(2.0, tau=tendons, every=5)

tip = arm.frame_index(f"segment{n - 1}")
way = np.array([tandem.forward_kinematics(arm, q)[tip, :, 3] for q in states.q])
kinetic, potential = tandem.energy(arm, states.q, states.v)
print(f"{arm.n_joints} joints, {bending:.3g} N m/rad each")
print("the tip moved [m]:", f"{np.linalg.norm(np.diff(way, axis=0), axis=1).sum():.2f}")
print("work of the tendons [J]:", f"{states.work[-1]:.3f}, of which damping took {states.dissipated[-1]:.3f}")

if arguments.file:
    import tandem.film

    tandem.film.render(arm, states, arguments.file, title="soft arm pulled by three tendons")
    print("wrote", arguments.file)
