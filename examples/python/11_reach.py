# SPDX-License-Identifier: Apache-2.0
"""A seven-joint arm reaches one point from many poses with minimal cost; draws a picture.

    11_reach.py [STARTS]      draws reach.png

tandem.ilqr optimizes torques of least effort that bring the tool to the point, at rest, within 0.8 s. All initial
states are optimized in parallel. Only the position of the tool is prescribed, so each motion ends in a different
pose.
"""

import sys
import time

import numpy as np

import tandem
import tandem.ilqr

DT, STEPS = 0.02, 40  # 0.8 s
GOAL = np.array([0.5, 0.0, 0.65])  # m
HOME = np.array([0, 0.4, 0, -1.2, 0, 0.7, 0])  # preferred pose, far from the joint limits

arm = tandem.load("arm7")
tool = arm.frame_index("tool0")


def reach(starts: int, seed: int = 1) -> tandem.ilqr.Motion:
    """Motions from bent poses that differ by up to 28 degrees in every joint."""
    q0 = HOME + np.random.default_rng(seed).uniform(-0.5, 0.5, (starts, arm.nv))
    there = tandem.FrameCost("tool0", GOAL, final_weight=1e5)
    cost = tandem.Cost(effort=1e-3, q=1.0, v=0.1, final_v=100.0, frames=[there], q_reference=HOME)
    return tandem.ilqr.optimise(arm, cost, q0, None, None, DT, STEPS)


def draw(motion: tandem.ilqr.Motion, tips: np.ndarray, name: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(10, 4.4), layout="constrained")
    ways, costs = figure.add_subplot(1, 2, 1, projection="3d"), figure.add_subplot(1, 2, 2)
    for way in tips:
        ways.plot(*way.T, color="tab:blue", alpha=0.5, linewidth=1)
    ways.scatter(*tips[:, 0].T, color="0.4", s=8, label="starts")
    ways.scatter(*GOAL, color="tab:orange", s=70, marker="*", label="goal", zorder=5)
    ways.set(xlabel="x, m", ylabel="y, m", zlabel="z, m", title=f"the tool's ways from {len(tips)} poses")
    ways.view_init(24, -60)
    ways.legend(loc="upper left")
    over = motion.costs / motion.cost
    costs.semilogy(over - 1 + 1e-9, color="tab:blue", alpha=0.3, linewidth=1)
    costs.set(xlabel="iteration", ylabel="cost above the least, relative",
              title="and what they cost while they are found")
    costs.grid(alpha=0.3)
    figure.savefig(name, dpi=120)


if __name__ == "__main__":
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    begin = time.perf_counter()
    motion = reach(starts)
    seconds = time.perf_counter() - begin
    tips = tandem.forward_kinematics(arm, motion.q)[..., tool, :, 3]
    off = np.linalg.norm(tips[:, -1] - GOAL, axis=-1)
    print(f"{motion.converged.sum()} of {starts} starts converge, {len(motion.costs) - 1} iterations, {seconds:.1f} s")
    print(f"the tool ends {1e3 * off.max():.2f} mm or less from the point, moving by "
          f"{np.abs(motion.v[:, -1]).max():.3f} rad/s or less")
    used = np.abs(motion.forces / arm.tau_limit).max(axis=(0, 1))
    print("largest torques, of what the motors have:", " ".join(f"{x:.0%}" for x in used))
    draw(motion, tips, "reach.png")
