# SPDX-License-Identifier: Apache-2.0
"""A tumbling quadruped swings its legs in flight to land level; draws a picture.

    13_flight.py [ITERATIONS]      draws flight.png

In flight its centre of mass moves on a parabola, and its angular momentum is constant. tandem.ilqr optimizes the
torques of the twelve joints; the free base is not actuated.
"""

import sys

import numpy as np

import tandem
import tandem.ilqr

DT, STEPS = 0.0025, 200  # 0.5 s of flight
TUMBLE = 0.6  # rad/s, nose down

dog = tandem.load("quadruped")
LEGS = ("FL", "FR", "RL", "RR")


def standing() -> np.ndarray:
    q = tandem.neutral_configuration(dog)
    q[2] = 0.3
    for leg in LEGS:
        q[dog.joint(f"{leg}_hip_flexion").q_index], q[dog.joint(f"{leg}_knee").q_index] = 0.75, -1.5
    return q


def fly(iterations: int) -> tuple[tandem.ilqr.Motion, tandem.types.Rollout, tandem.types.Rollout]:
    """The optimized motion, a flight with fixed legs, and the motion with a more accurate integrator."""
    q0, v0 = standing(), np.zeros(dog.nv)
    v0[[0, 2, 4]] = 1.0, 9.81 * DT * STEPS / 2, TUMBLE  # forwards, upwards, and pitch
    legs = np.r_[np.zeros(6), np.ones(dog.nv - 6)]
    held = tandem.PdController(q0, 100 * legs, 5 * legs)
    stiff = tandem.rollout(dog, q0, v0, None, DT, STEPS, controller=held, every=1)
    # level, with the legs close to a standing pose; the position of the base cannot be controlled
    level = np.r_[np.zeros(3), np.full(3, 3000.0), np.full(dog.nv - 6, 0.3)]
    still = np.r_[np.zeros(6), np.full(dog.nv - 6, 0.01)]
    cost = tandem.Cost(effort=0.1, q=0.1 * (level > 0) * (level < 1), final_q=level, final_v=still, q_reference=q0)
    motion = tandem.ilqr.optimise(dog, cost, q0, v0, np.zeros(dog.nv), DT, STEPS, max_iterations=iterations)

    def follow(k: int, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        away = np.r_[tandem.difference(dog, motion.q[k], q), v - motion.v[k]]
        return np.clip(motion.forces[k] + motion.gains[k] @ away, -dog.tau_limit, dog.tau_limit)

    return motion, stiff, tandem.rollout(dog, q0, v0, follow, DT, STEPS, every=1, integrator="rk4")


def pitch(q: np.ndarray) -> np.ndarray:
    """Pitch of the trunk, nose down, degrees."""
    x = tandem.spatial.quaternion_to_matrix(q[..., 3:7])[..., 0]
    return np.rad2deg(np.arctan2(-x[..., 2], x[..., 0]))


def draw(stiff: np.ndarray, swung: np.ndarray, name: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, rows = plt.subplots(2, 1, figsize=(10, 6), layout="constrained", sharex=True)
    ways = (("legs held", "tab:red", stiff), ("legs swung by the torques found", "tab:blue", swung))
    for axes, (label, colour, path) in zip(rows, ways):
        for k in range(0, STEPS + 1, 40):
            poses = tandem.forward_kinematics(dog, path[k])
            moved = np.array([1.4 * k * DT, 0.0])  # drawn farther apart than the real distance
            trunk = poses[dog.frame_index("trunk")]
            ends = trunk[:, 3] + np.array([[-0.19], [0.19]]) * trunk[:, 0]
            axes.plot(*(ends[:, [0, 2]] + moved).T, color="0.2", linewidth=6, solid_capstyle="round")
            for leg in LEGS:
                points = [poses[dog.frame_index(f"{leg}_{part}")][[0, 2], 3] for part in ("thigh", "shank", "foot")]
                axes.plot(*(np.array(points) + moved).T, "o-", color=colour, linewidth=2, markersize=2.5)
        axes.set(aspect="equal", ylabel="z, m", title=f"{label}: lands {abs(pitch(path[-1])):.0f} degrees off level")
        axes.grid(alpha=0.3)
    rows[1].set_xlabel("x, m, drawn apart by time")
    figure.savefig(name, dpi=120)


if __name__ == "__main__":
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    motion, stiff, swung = fly(iterations)
    turned = tandem.centroidal_momentum(dog, swung.q_path, swung.v_path)[:, 3:]
    print(f"nose down at landing: {pitch(stiff.q):.1f} degrees with legs held, {pitch(swung.q):.1f} with legs swung")
    print(f"largest torque {np.abs(motion.forces).max():.1f} N m, {len(motion.costs) - 1} iterations")
    print(f"angular momentum {turned[0, 1]:.3f} N m s, kept to {np.abs(turned - turned[0]).max():.0e}")
    draw(stiff.q_path, swung.q_path, "flight.png")
