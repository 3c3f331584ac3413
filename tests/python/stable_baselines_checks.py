# SPDX-License-Identifier: Apache-2.0
"""Checks of the adapter to Stable-Baselines3, run by test_stable_baselines3.py."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

import tandem
import tandem.gymnasium
from tandem.gymnasium.stable_baselines import StableBaselinesVecEnv


def made(name: str, n: int, **options: Any) -> StableBaselinesVecEnv:
    return StableBaselinesVecEnv(
        gymnasium.make_vec(f"tandem/{name}-v0", num_envs=n, autoreset_mode="SameStep", **options)
    )


def check_beside_its_own_vector_environment() -> None:
    """The same numbers as its DummyVecEnv of single environments, which steps and resets one by one."""
    ours = made("Hopper", 3, max_episode_steps=7)
    theirs = DummyVecEnv([lambda: gymnasium.make("tandem/Hopper-v0", max_episode_steps=7)] * 3)
    ours.seed(5), theirs.seed(5)
    np.testing.assert_allclose(ours.reset(), theirs.reset(), rtol=1e-6, atol=1e-6)
    random, ended = np.random.default_rng(0), 0
    for _ in range(40):
        actions = random.uniform(-1, 1, (3, 3)).astype(np.float32)
        a, b = ours.step(actions), theirs.step(actions)
        for x, y in zip(a[:3], b[:3]):
            np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)
        for done, x, y in zip(a[2], a[3], b[3]):
            if not done:
                assert x == {}
                continue
            ended += 1
            assert set(x) == set(y) and x["TimeLimit.truncated"] == y["TimeLimit.truncated"]
            for key in x:
                np.testing.assert_allclose(x[key], y[key], rtol=1e-5, atol=1e-6)
    assert ended >= 15


def check_attributes() -> None:
    envs = made("HalfCheetah", 2)
    assert envs.observation_space.dtype == np.float32 and envs.get_attr("dt") == [0.05, 0.05]
    assert envs.env_is_wrapped(VecMonitor) == [False, False]
    for call, message in (
        (lambda: envs.env_method("seed"), "environments are stepped together"),
        (lambda: envs.set_attr("dt", 1, [0]), "is set of all environments or of none"),
        (lambda: StableBaselinesVecEnv(gymnasium.make_vec("tandem/Hopper-v0", num_envs=2)), 'expected "SameStep"'),
    ):
        try:
            call()
        except tandem.Error as error:
            assert message in str(error), error
        else:
            raise AssertionError(message)
    envs.close()


def check_an_algorithm() -> None:
    envs = VecMonitor(made("Hopper", 8, max_episode_steps=50))
    model = PPO("MlpPolicy", envs, n_steps=64, batch_size=128, n_epochs=2, seed=0, device="cpu")
    model.learn(2048)
    assert len(model.ep_info_buffer) > 20 and all(episode["l"] <= 50 for episode in model.ep_info_buffer)


if __name__ == "__main__":
    check_beside_its_own_vector_environment()
    check_attributes()
    check_an_algorithm()
