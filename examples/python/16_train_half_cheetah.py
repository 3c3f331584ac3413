# SPDX-License-Identifier: Apache-2.0
"""Proximal policy optimisation of a running cheetah, by Stable-Baselines3 on Tandem's environments.

    16_train_half_cheetah.py [MINUTES [ENVIRONMENTS]]      draws training.png, writes cheetah.webp

Needs Gymnasium with MuJoCo's robots, Stable-Baselines3 and PyTorch: pip install "gymnasium[mujoco]" stable-baselines3
(PyTorch for processors alone is enough: python3-torch of Debian, or the CPU wheel of pytorch.org). The policy is
trained in Tandem alone, then runs episodes of the same seeds in tandem/HalfCheetah-v0 and in Gymnasium's own
HalfCheetah-v5 on MuJoCo.
"""

import sys
import time

import gymnasium
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize

import tandem.gymnasium
import tandem.scene
from tandem.gymnasium.stable_baselines import StableBaselinesVecEnv


class Clock(BaseCallback):
    """Ends the training after a time, and keeps the mean reward of the steps between updates of the policy."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds, self.begin, self.curve, self.rewards = seconds, time.monotonic(), [], []

    def _on_step(self) -> bool:
        self.rewards.append(self.training_env.get_original_reward().mean())
        return time.monotonic() - self.begin < self.seconds

    def _on_rollout_end(self) -> None:
        self.curve.append((time.monotonic() - self.begin, self.num_timesteps, float(np.mean(self.rewards))))
        self.rewards.clear()


def returns(env: gymnasium.Env, model: PPO, envs: VecNormalize, seeds: range) -> np.ndarray:
    """Returns of episodes without noise in a single environment."""
    total = np.zeros(len(seeds))
    for k, seed in enumerate(seeds):
        observation, _ = env.reset(seed=seed)
        ended = False
        while not ended:
            action, _ = model.predict(envs.normalize_obs(observation.astype(np.float32)), deterministic=True)
            observation, reward, terminated, truncated, _ = env.step(action)
            total[k] += reward
            ended = terminated or truncated
    return total


def film(path: str, model: PPO, envs: VecNormalize, seconds: float = 3.0) -> None:
    """The first seconds of a run."""
    env = gymnasium.make("tandem/HalfCheetah-v0")
    observation, _ = env.reset(seed=5)
    batch, poses = env.unwrapped._one.batch, []
    for _ in range(round(seconds / 0.05)):
        poses.append(batch.q[0].copy())
        action, _ = model.predict(envs.normalize_obs(observation.astype(np.float32)), deterministic=True)
        observation, *_ = env.step(action)
    scene = tandem.scene.Scene(size=(560, 200), azimuth=80, elevation=12, cell=0.5)
    scene.add(batch.model, np.array(poses), colour=["#e9c46a", "#e76f51"])
    scene.save(path, fps=20)


def main() -> None:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 0.25
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 64
    torch.set_num_threads(1)
    made = gymnasium.make_vec("tandem/HalfCheetah-v0", num_envs=n, autoreset_mode="SameStep")
    envs = VecNormalize(StableBaselinesVecEnv(made), gamma=0.98)
    model = PPO(
        "MlpPolicy",
        envs,
        n_steps=8192 // n,
        batch_size=1024,
        n_epochs=10,
        learning_rate=1e-3,
        gamma=0.98,
        gae_lambda=0.92,
        clip_range=0.2,
        max_grad_norm=0.8,
        policy_kwargs={"log_std_init": -1.0, "net_arch": [64, 64]},
        seed=1,
        device="cpu",
    )
    seeds, steps = (range(100, 110), 1000) if minutes > 1 else (range(100, 102), 200)
    ours = gymnasium.make("tandem/HalfCheetah-v0", max_episode_steps=steps)
    before = returns(ours, model, envs, seeds)
    clock = Clock(60 * minutes)
    model.learn(10**9, callback=clock)
    envs.training = False
    seconds = time.monotonic() - clock.begin
    done = model.num_timesteps
    print(f"{done} steps of {n} environments in {seconds:.0f} s, {done / seconds:.0f} a second")
    here = returns(ours, model, envs, seeds)
    theirs = returns(gymnasium.make("HalfCheetah-v5", max_episode_steps=steps), model, envs, seeds)
    print(
        f"return of {steps} steps: before the training {before.mean():.0f}, after it {here.mean():.0f}, "
        f"in MuJoCo {theirs.mean():.0f}"
    )
    for seed, a, b in zip(seeds, here, theirs):
        print(f"  seed {seed}: {a:8.2f} here, {b:8.2f} in MuJoCo")
    film("cheetah.webp", model, envs)
    draw(clock.curve, here / steps, theirs / steps)


def draw(curve: list[tuple[float, int, float]], here: np.ndarray, theirs: np.ndarray) -> None:
    """The curve, with the returns of the final policy."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    seconds, _, mean = np.array(curve).T
    figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
    axes.plot(seconds / 60, mean, label="while training, with noise")
    axes.plot(np.full(len(here), seconds[-1] / 60), here, "o", label="final policy, Tandem")
    axes.plot(np.full(len(theirs), seconds[-1] / 60), theirs, "x", label="final policy, MuJoCo")
    axes.set_xlabel("minutes on two cores")
    axes.set_ylabel("reward of a step")
    axes.legend()
    figure.savefig("training.png", dpi=110)


if __name__ == "__main__":
    main()
