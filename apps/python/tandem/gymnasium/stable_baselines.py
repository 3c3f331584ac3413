# SPDX-License-Identifier: Apache-2.0
"""Vector environments for Stable-Baselines3, whose algorithms take a ``VecEnv``.

>>> import gymnasium, tandem.gymnasium
>>> from tandem.gymnasium.stable_baselines import StableBaselinesVecEnv  # doctest: +SKIP
>>> envs = gymnasium.make_vec("tandem/HalfCheetah-v0", num_envs=64, autoreset_mode="SameStep")  # doctest: +SKIP
>>> model = stable_baselines3.PPO("MlpPolicy", StableBaselinesVecEnv(envs))  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tandem._common.frameworks import framework
from tandem.errors import Error
from tandem.gymnasium._framework import Numbers, gym, vector

_vec_env = framework("stable_baselines3", "Stable-Baselines3").common.vec_env.base_vec_env


class StableBaselinesVecEnv(_vec_env.VecEnv):  # type: ignore[name-defined, misc]
    """A vector environment of Gymnasium as Stable-Baselines3 takes it: every array is handed on whole, nothing is
    copied per environment.

    Observations are float32. Infos of environments whose episode ends have ``terminal_observation``,
    ``TimeLimit.truncated`` and the infos of that step; the others are empty. ``VecMonitor`` and ``VecNormalize`` of
    Stable-Baselines3 go around it.

    Args:
        envs: a vector environment with ``autoreset_mode="SameStep"``
    """

    def __init__(self, envs: Any) -> None:
        mode = envs.metadata.get("autoreset_mode")
        if mode is not vector.AutoresetMode.SAME_STEP:
            found = getattr(mode, "value", mode)
            raise Error(
                f'StableBaselinesVecEnv: autoreset_mode is {found!r}, expected "SameStep": make the environment with it'
            )
        self.envs = envs
        self.render_mode = envs.render_mode
        space = envs.single_observation_space
        seen = gym.spaces.Box(space.low.astype(np.float32), space.high.astype(np.float32), dtype=np.float32)
        super().__init__(envs.num_envs, seen, envs.single_action_space)

    def reset(self) -> Numbers:
        """First observations; with the seeds of :meth:`seed`, once."""
        seeds = None if self._seeds[0] is None else list(self._seeds)
        observations, infos = self.envs.reset(seed=seeds)
        self.reset_infos = [
            {name: values[i] for name, values in infos.items() if name[0] != "_"} for i in range(self.num_envs)
        ]
        self._reset_seeds()
        self._reset_options()
        return np.asarray(observations, np.float32)

    def step_async(self, actions: Numbers) -> None:
        """Keeps the actions for :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Numbers, Numbers, Numbers, list[dict[str, Any]]]:
        """Steps all: observations, rewards, whether episodes ended, infos."""
        observations, rewards, terminations, truncations, infos = self.envs.step(self._actions)
        ended = terminations | truncations
        each: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(ended):
            final = infos["final_info"]
            each[i] = {name: values[i] for name, values in final.items() if name[0] != "_" and final[f"_{name}"][i]}
            each[i]["terminal_observation"] = np.asarray(infos["final_obs"][i], np.float32)
            each[i]["TimeLimit.truncated"] = bool(truncations[i] and not terminations[i])
        return np.asarray(observations, np.float32), np.asarray(rewards, np.float32), ended, each

    def close(self) -> None:
        """Closes the environments."""
        self.envs.close()

    def get_images(self) -> Sequence[Numbers | None]:
        """A picture of each."""
        pictures: Sequence[Numbers | None] = self.envs.render()
        return pictures

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the vector environment, the same for each."""
        value = getattr(self.envs, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute, of all."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise Error(f"StableBaselinesVecEnv.set_attr: {attr_name} is set of all environments or of none")
        setattr(self.envs, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Not served: environments have no methods of their own."""
        raise Error(
            f"StableBaselinesVecEnv.env_method: {method_name}: environments are stepped together and have no methods "
            "of "
            "their own"
        )

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """None is."""
        return [False for _ in self._get_indices(indices)]


__all__ = ["StableBaselinesVecEnv"]
