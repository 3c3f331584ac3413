# SPDX-License-Identifier: Apache-2.0
"""Policy learning with gradients through the dynamics (PyTorch and tandem.torch); draws a picture.

    15_learn_through_dynamics.py [UPDATES]      draws policy.png

Needs PyTorch. A small network controls a batch of arms for one second; the distances to their goals are differentiated
through all steps. 09_learn_to_reach.py learns the same task from returns only.
"""

import sys
import time

import numpy as np
import torch

import tandem
import tandem.torch

DT, STEPS, ARMS = 0.05, 20, 64
arm = tandem.load("arm7")
tool = arm.frame_index("tool0")
home = torch.tensor([0, 0.4, 0, -1.2, 0, 0.7, 0], dtype=torch.float64)
inertia = torch.tensor(np.diag(tandem.mass_matrix(arm, home.numpy())))  # N m per rad/s^2
damping = torch.tensor(arm.damping) + 4 * inertia


def tip(q: torch.Tensor) -> torch.Tensor:
    return tandem.torch.forward_kinematics(arm, q)[:, tool, :, 3]


def goals(count: int, seed: int) -> torch.Tensor:
    """Points that the arm can reach."""
    q = home.numpy() + np.random.default_rng(seed).uniform(-0.6, 0.6, (count, arm.nv))
    return torch.tensor(tandem.forward_kinematics(arm, q)[:, tool, :, 3])


def move(policy: torch.nn.Module, goal: torch.Tensor) -> torch.Tensor:
    """Distances of the tool from its goal, m ``[step, arm]``; damping is implicit."""
    q, v = home.expand(len(goal), -1), torch.zeros(len(goal), arm.nv, dtype=torch.float64)
    distances = []
    for _ in range(STEPS):
        push = 15 * inertia * torch.tanh(policy(torch.cat([q - home, v / 3, 3 * (goal - tip(q))], dim=1)))
        tau = push + tandem.torch.gravity_forces(arm, q) - damping * v
        v = v + DT * tandem.torch.forward_dynamics(arm, q, v, tau, None, DT * damping.expand(len(goal), -1))
        q = q + DT * v
        distances.append((tip(q) - goal).norm(dim=1))
    return torch.stack(distances)


def learn(updates: int) -> tuple[torch.nn.Module, list[float]]:
    torch.manual_seed(1)
    policy = torch.nn.Sequential(torch.nn.Linear(17, 64), torch.nn.Tanh(), torch.nn.Linear(64, arm.nv)).double()
    with torch.no_grad():
        policy[2].weight *= 0.1
    optimiser = torch.optim.Adam(policy.parameters(), 0.01)
    misses = []
    for update in range(updates):
        for group in optimiser.param_groups:
            group["lr"] = 0.01 * (1 - update / updates) + 1e-4
        distances = move(policy, goals(ARMS, 10 + update))  # new goals in every update
        optimiser.zero_grad()
        distances[STEPS // 2 :].mean().backward()
        optimiser.step()
        misses.append(float(distances[-1].detach().median()))
    return policy, misses


def draw(misses: list[float], before: np.ndarray, after: np.ndarray, name: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    left.semilogy(100 * np.array(misses), color="tab:blue")
    left.set_yticks([2, 5, 10, 20, 40], ["2", "5", "10", "20", "40"])
    left.minorticks_off()
    left.set(xlabel="update", ylabel="median distance at the end, cm",
             title=f"{len(misses)} gradients through {STEPS} steps")
    times = DT * np.arange(1, STEPS + 1)
    for distances, colour, label in ((before, "0.6", "arm held still"), (after, "tab:blue", "under the policy")):
        right.plot(times, 100 * np.median(distances, axis=1), color=colour, linewidth=2, label=label)
        right.fill_between(times, *(100 * np.quantile(distances, (0.1, 0.9), axis=1)), color=colour, alpha=0.2)
    right.set(xlabel="time, s", ylabel="distance from the goal, cm", title="goals never seen, 80 % of them shaded",
              ylim=(0, None))
    right.legend()
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(name, dpi=120)


if __name__ == "__main__":
    updates = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    new = goals(200, 1)
    begin = time.perf_counter()
    policy, misses = learn(updates)
    seconds = time.perf_counter() - begin
    with torch.no_grad():
        before, after = (move(x, new).numpy() for x in (lambda seen: 0 * seen[:, : arm.nv], policy))
    print(f"{updates} updates of {ARMS} arms in {seconds:.1f} s")
    print(f"median distance from goals never seen: {100 * np.median(before[-1]):.1f} cm before, "
          f"{100 * np.median(after[-1]):.1f} cm after")
    try:
        draw(misses, before, after, "policy.png")
    except ImportError:
        print("no picture: Matplotlib is not there")
