# SPDX-License-Identifier: Apache-2.0
"""Learning to reach with an evolution strategy: every arm of a vector environment tries its own policy.

    09_learn_to_reach.py [GENERATIONS [ARMS]]      draws learning.png

Needs Gymnasium. A policy is a small network. A generation evaluates the current one with noise, as many times as
there are arms, each noise with both signs in the same episode, and moves along the noise that increased the return,
as in T. Salimans and others, "Evolution strategies as a scalable alternative to reinforcement learning", 2017.
"""

import sys
import time

import gymnasium
import numpy as np

import tandem.gymnasium  # registers the environment

HIDDEN, STEPS = 32, 40


class Policies:
    """One network for each arm: from scaled observations through a hidden layer to actions of -1 to 1."""

    def __init__(self, envs: gymnasium.vector.VectorEnv) -> None:
        self.inputs, self.outputs = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
        self.split = HIDDEN * (self.inputs + 1)
        self.size = self.split + self.outputs * (HIDDEN + 1)
        # scales: 1 rad, 1 rad/s, 0.3 m
        self.scale = np.concatenate([np.ones(2 * self.outputs), np.full(6, 1 / 0.3)])

    def first(self, random: np.random.Generator) -> np.ndarray:
        """Random weights of the hidden layer, and zero output."""
        weights = np.zeros(self.size)
        weights[: self.split] = random.normal(size=self.split) / np.sqrt(self.inputs)
        return weights

    def __call__(self, weights: np.ndarray, observations: np.ndarray) -> np.ndarray:
        """Actions [arm, joint] of weights [arm, size], or of the same for all."""
        within = weights[..., : self.split].reshape(*weights.shape[:-1], HIDDEN, self.inputs + 1)
        without = weights[..., self.split :].reshape(*weights.shape[:-1], self.outputs, HIDDEN + 1)
        x = (observations * self.scale)[..., None]
        x = np.tanh(within[..., :-1] @ x + within[..., -1:])
        return np.tanh(without[..., :-1] @ x + without[..., -1:])[..., 0]


def returns(
    envs: gymnasium.vector.VectorEnv, policies: Policies, weights: np.ndarray, seeds: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return of an episode of each arm, and final distance from the goal."""
    observations, _ = envs.reset(seed=seeds)
    total = np.zeros(envs.num_envs)
    for _ in range(STEPS):
        observations, rewards, _, _, infos = envs.step(policies(weights, observations))
        total += rewards
    return total, infos["distance"]


def learn(generations: int, arms: int, seed: int = 1, noise: float = 0.1, rate: float = 0.05) -> np.ndarray:
    """Rows of generation, mean return and median final distance of the policy without noise, in new episodes."""
    envs = gymnasium.make_vec("tandem/Reach-v0", num_envs=arms, max_episode_steps=STEPS + 1, dt=8e-3, substeps=5)
    policies, random = Policies(envs), np.random.default_rng(seed)
    weights = policies.first(random)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    table, start = [], time.perf_counter()
    for generation in range(1, generations + 1):
        half = random.normal(size=(arms // 2, policies.size))
        tried = weights + noise * np.concatenate([half, -half])
        episodes = [int(s) for s in random.integers(2**31, size=arms // 2)] * 2  # the same for both signs
        total, _ = returns(envs, policies, tried, episodes)
        better = total[: arms // 2] - total[arms // 2 :]
        ranks = better.argsort().argsort() / (len(better) - 1) - 0.5  # ranks limit the influence of outliers
        gradient = ranks @ half / len(better)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        step = mean / (1 - 0.9**generation) / (np.sqrt(square / (1 - 0.99**generation)) + 1e-8)
        weights = 0.998 * weights + rate * step
        if generation % 5 == 0 or generation == 1:
            total, distance = returns(envs, policies, weights, list(range(arms)))
            table.append((generation, total.mean(), np.median(distance)))
            seconds = time.perf_counter() - start
            result = f"return {total.mean():7.2f}, {np.median(distance):.3f} m from the goal"
            print(f"generation {generation:4}: {result}, {seconds:.0f} s", flush=True)
    return np.array(table)


def draw(table: np.ndarray, name: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    left.plot(table[:, 0], table[:, 1])
    left.set(xlabel="generation", ylabel="return of an episode")
    right.plot(table[:, 0], table[:, 2], color="tab:orange")
    right.set(xlabel="generation", ylabel="median distance at its end, m", ylim=(0, None))
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(name, dpi=120)


if __name__ == "__main__":
    generations, arms = (int(sys.argv[k]) if len(sys.argv) > k else default for k, default in ((1, 30), (2, 128)))
    draw(learn(generations, arms), "learning.png")
