# SPDX-License-Identifier: Apache-2.0
"""Sampling-based control (MPPI): an arm moves around a ball; draws a picture.

    08_mppi.py [SAMPLES [SECONDS]]      draws mppi.png

No path is planned. In every step, a few hundred rollouts with random torques are evaluated by a cost of the distance
from the tip to the goal, and of the distance to the ball; see tandem.mppi.
"""

import sys

import numpy as np

import tandem
import tandem.mppi

arm = tandem.load("arm7")
tool = arm.frame_index("tool0")
home = np.array([-0.9, 1.1, 0, 1.0, 0, 0.6, 0])
start = tandem.forward_kinematics(arm, home)[tool, :, 3]
goal = start * [1, -1, 1]
ball, radius = (start + goal) / 2 + [0.05, 0, 0], 0.15
inertia = np.diag(tandem.mass_matrix(arm, home))
dt = 0.02


def clearance(q: np.ndarray) -> np.ndarray:
    """Clearance between the ball and the links from the third on, and the tool, m."""
    points = tandem.forward_kinematics(arm, q.reshape(-1, arm.nq))[:, 3:, :, 3]
    between = (points[:, :-1] + points[:, 1:]) / 2
    far = np.linalg.norm(np.concatenate([points, between], axis=1) - ball, axis=-1).min(axis=1)
    return far.reshape(q.shape[:-1]) - radius


def collision(q: np.ndarray, v: np.ndarray, forces: np.ndarray) -> np.ndarray:
    """Cost of paths that come closer than 5 cm, and a much larger one if they touch."""
    close = clearance(q)
    return (40 * np.clip(0.05 - close, 0, None) + 20 * (close < 0)).sum(axis=1)


def move(samples: int, seconds: float, avoid: bool = True, seed: int = 0):
    """Times, tip and clearance of the motion, with smaller steps than those of the rollouts."""
    to_goal = tandem.Cost(v=0.1, final_v=0.5, frames=[tandem.FrameCost("tool0", goal, 60.0, 60.0)])
    controller = tandem.mppi.Mppi(
        arm,
        (to_goal, collision) if avoid else to_goal,
        dt=dt,
        horizon=25,
        samples=samples,
        noise=12 * inertia,  # accelerations of up to some 12 rad/s^2 ...
        hold=5,  # ... for a tenth of a second
        damping=4 * inertia,
        seed=seed,
    )
    robot = tandem.VectorSimulation(arm, 1, dt=2e-3, substeps=round(dt / 2e-3), gravity_compensation=True,
                                    effort_limits=True)
    robot.reset(q=home)
    times, tips, clear = [], [], []
    for k in range(round(seconds / dt) + 1):
        times.append(k * dt)
        tips.append(robot.frame("tool0").position[0])
        clear.append(clearance(robot.q)[0])
        robot.step(controller(robot.q[0], robot.v[0]))
    return np.array(times), np.array(tips), np.array(clear)


def draw(ways, name: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (above, side, over) = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
    for label, colour, (times, tips, clear) in ways:
        for axes, (x, y) in ((above, (0, 1)), (side, (1, 2))):
            axes.plot(tips[:, x], tips[:, y], color=colour, label=label)
        over.plot(times, np.linalg.norm(tips - goal, axis=1), color=colour, label=f"{label}: to the goal")
        over.plot(times, clear, "--", color=colour, label=f"{label}: to the ball")
    for axes, (x, y), names in ((above, (0, 1), "xy"), (side, (1, 2), "yz")):
        axes.add_patch(plt.Circle(ball[[x, y]], radius, color="0.8"))
        axes.plot(*start[[x, y]], "k.")
        axes.plot(*goal[[x, y]], "k*", markersize=10)
        axes.set(xlabel=f"{names[0]}, m", ylabel=f"{names[1]}, m", aspect="equal")
    over.axhline(0, color="0.5", linewidth=0.8)
    over.set(xlabel="time, s", ylabel="distance, m")
    over.legend(fontsize=8)
    figure.savefig(name, dpi=120)


if __name__ == "__main__":
    samples, seconds = (kind(sys.argv[k]) if len(sys.argv) > k else x for k, kind,
                        x in ((1, int, 256), (2, float, 2.0)))
    straight, around = move(samples, seconds, avoid=False), move(samples, seconds)
    for name, (_, tips, clear) in (("straight", straight), ("around", around)):
        print(f"{name}: ends {np.linalg.norm(tips[-1] - goal):.3f} m from the goal, {clear.min():+.3f} m clear of the "
              "ball")
    draw([("not told of the ball", "tab:blue", straight), ("told of it", "tab:orange", around)], "mppi.png")
