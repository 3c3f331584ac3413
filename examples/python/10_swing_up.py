# SPDX-License-Identifier: Apache-2.0
"""Swing-up of a double pendulum with a motor at its elbow only, from many initial states; draws a picture.

    10_swing_up.py [STARTS]      draws swing_up.png

The shoulder is passive, so the motor has to swing the pendulum up. tandem.ilqr optimizes the torques for all initial
states in parallel, with four initial guesses for each, using derivatives of every step.
"""

import sys
import time

import numpy as np

import tandem
import tandem.ilqr

DT, STEPS, GUESSES = 0.02, 150, 4  # 3 s
LENGTH, MOTOR = 0.5, 8.0  # m, N m

builder = tandem.ModelBuilder("double pendulum").link("ceiling")
for name, parent, joint, below in (("upper", "ceiling", "shoulder", 0.0), ("lower", "upper", "elbow", -LENGTH)):
    builder.link(name, 1.0, com=(0, 0, -LENGTH / 2), inertia=np.diag([0.021, 0.021, 0.001]))
    effort = MOTOR if joint == "elbow" else 0.0
    builder.joint(joint, "continuous", parent, name, axis=(0, 1, 0), position=(0, 0, below), effort=effort,
                  damping=0.02)
pendulum = builder.build()
upright = np.array([np.pi, 0.0])


def swing_up(starts: int, seed: int = 1) -> tandem.ilqr.Motion:
    """Motions from up to 60 degrees and 2 rad/s to upright at rest: the best guess of each initial state."""
    random = np.random.default_rng(seed)
    q0, v0 = random.uniform(-np.pi / 3, np.pi / 3, (starts, 2)), random.uniform(-2, 2, (starts, 2))
    q0[0] = v0[0] = 0  # one hangs at rest
    guesses = random.normal(0, 1, (starts * GUESSES, STEPS, 2))
    cost = tandem.Cost(effort=0.05, final_q=200.0, final_v=20.0, q_reference=upright)
    found = tandem.ilqr.optimise(
        pendulum, cost, q0.repeat(GUESSES, 0), v0.repeat(GUESSES, 0), guesses, DT, driven=[1], max_iterations=120
    )
    best = found.cost.reshape(starts, GUESSES).argmin(axis=1) + GUESSES * np.arange(starts)
    return tandem.ilqr.Motion(*(x[:, best] if x is found.costs else x[best] for x in found))


def tip(motion: tandem.ilqr.Motion) -> tuple[np.ndarray, np.ndarray]:
    """Positions of elbow and tip, m ``[start, step, 3]``."""
    poses = tandem.forward_kinematics(pendulum, motion.q)[..., pendulum.frame_index("lower"), :, :]
    return poses[..., 3], poses[..., 3] - LENGTH * poses[..., 2]


def draw(motion: tandem.ilqr.Motion, name: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    elbows, tips = tip(motion)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    left.plot(*tips[0][:, [0, 2]].T, color="0.8", linewidth=1, zorder=0)
    for k in range(0, STEPS + 1, 6):
        x, z = np.array([[0, 0, 0], elbows[0, k], tips[0, k]])[:, [0, 2]].T
        left.plot(x, z, "o-", color=plt.cm.viridis_r(k / STEPS), markersize=3, linewidth=1.5, zorder=k)
    left.set(aspect="equal", xlabel="x, m", ylabel="z, m",
             title="the one that hung still, every 0.12 s, dark at the end")
    time = DT * np.arange(STEPS + 1)
    away = np.linalg.norm(tips - [0, 0, 2 * LENGTH], axis=-1)
    right.plot(time, away.T, color="tab:blue", alpha=0.35, linewidth=1)
    right.plot(time, away[0], color="black", linewidth=1.5)
    right.set(xlabel="time, s", ylabel="tip's way to the top, m", xlim=(0, time[-1]), ylim=(0, None))
    right.set_title(f"all {len(tips)} starts come to stand: torques found side by side")
    figure.savefig(name, dpi=120)


if __name__ == "__main__":
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    begin = time.perf_counter()
    motion = swing_up(starts)
    seconds = time.perf_counter() - begin
    stand = np.linalg.norm(tip(motion)[1][:, -1] - [0, 0, 2 * LENGTH], axis=-1) < 0.03
    print(f"{stand.sum()} of {starts} starts end within 3 cm of the top, after {len(motion.costs) - 1} iterations, "
          f"{seconds:.1f} s")
    print(f"torques of up to {np.abs(motion.forces).max():.1f} N m; to hold it out to the side takes "
          f"{2 * 9.81 * LENGTH:.1f} N m")
    draw(motion, "swing_up.png")
