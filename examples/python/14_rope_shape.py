# SPDX-License-Identifier: Apache-2.0
"""A rope of a thousand links with weak actuators is brought into a shape by gradients of its motion; draws a picture.

    14_rope_shape.py [LINKS]      draws rope_shape.png

Each joint has a PD actuator. They are too weak for the rope's weight: with the shape itself as target, they miss it.
The targets are optimized with tandem.rollout_gradient, the adjoint of the whole motion, which gives the gradient for
all links at a few times the cost of the motion.
"""

import sys
import time

import numpy as np

import tandem

LENGTH, MASS, BENDING = 1.0, 0.15, 0.25  # m, kg, N m^2
DT, STEPS = 0.01, 200  # 2 s


class Rope:
    """A hanging rope; its target shape is a hook that curls towards the end."""

    def __init__(self, links: int) -> None:
        builder, segment = tandem.ModelBuilder("rope").link("hand"), LENGTH / links
        mass, across = MASS / links, MASS / links * segment**2 / 12
        for k in range(links):
            builder.link(f"link{k}", mass, com=(0, 0, -segment / 2), inertia=np.diag([across, across, 0.1 * across]))
            parent, below = (f"link{k - 1}", -segment) if k else ("hand", 0.0)
            builder.joint(f"joint{k}", "continuous", parent, f"link{k}", axis=(0, 1, 0), position=(0, 0, below))
        self.model = builder.build()
        self.shape = 5 * np.pi / links * ((np.arange(links) + 0.5) / links) ** 1.5  # angles of the joints
        self.stiffness = BENDING / segment
        self.cost = tandem.Cost(final_q=0.5, final_v=0.002, q_reference=self.shape)

    def move(self, aim: np.ndarray) -> tandem.types.RolloutGradient:
        """A motion from hanging straight, with targets ``aim``, and the gradient of its error."""
        muscles = tandem.PdController(aim, kp=self.stiffness, kd=0.1 * self.stiffness)
        hanging = np.zeros(self.model.nq)
        return tandem.rollout_gradient(self.model, hanging, dt=DT, steps=STEPS, controller=muscles, cost=self.cost,
                                       limits=False)

    def curve(self, q: np.ndarray) -> np.ndarray:
        """Positions of all links, m ``[link, (x, z)]``."""
        poses = tandem.forward_kinematics(self.model, q)[1:]
        ends = poses[-1:, :, 3] - LENGTH / len(q) * poses[-1:, :, 2]
        return np.concatenate([poses[..., 3], ends])[:, [0, 2]]


def shape(rope: Rope, iterations: int) -> tuple[list[np.ndarray], list[float]]:
    """Final states and largest link errors, m, of gradient steps with Barzilai-Borwein step lengths."""
    aim, before, states, missed = rope.shape.copy(), None, [], []
    for _ in range(iterations + 1):
        found = rope.move(aim)
        slope = found.by_q_target.sum(axis=0)
        states.append(rope.curve(found.q))
        missed.append(np.linalg.norm(states[-1] - rope.curve(rope.shape), axis=1).max())
        length = 1.0
        if before is not None:
            step, change = aim - before[0], slope - before[1]
            length = step @ step / abs(step @ change)
        before = aim, slope
        aim = aim - length * slope
    return states, missed


def draw(rope: Rope, states: list[np.ndarray], missed: list[float], name: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    left.plot(*rope.curve(rope.shape).T, color="0.75", linewidth=7, label="wanted")
    left.plot(*states[0].T, color="tab:red", label="muscles told the shape itself")
    left.plot(*states[-1].T, color="tab:blue", label="told what the adjoint found")
    left.set(aspect="equal", xlabel="x, m", ylabel="z, m", title=f"{rope.model.nv:,} links after {DT * STEPS:.0f} s")
    left.legend(fontsize=8)
    right.semilogy(1e3 * np.array(missed), "o-", color="tab:blue", markersize=3)
    right.set(xlabel="gradients", ylabel="farthest link from the shape, mm",
              title=f"{rope.model.nv:,} aims, {len(missed)} gradients")
    right.grid(alpha=0.3)
    figure.savefig(name, dpi=120)


if __name__ == "__main__":
    links = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    rope = Rope(links)
    begin = time.perf_counter()
    states, missed = shape(rope, 10)
    seconds = time.perf_counter() - begin
    print(f"{links} links, {len(missed)} gradients of {STEPS} steps in {seconds:.1f} s")
    print(f"farthest link from its place: {1e3 * missed[0]:.0f} mm when told the shape, {1e3 * missed[-1]:.1f} mm in "
          "the end")
    draw(rope, states, missed, "rope_shape.png")
