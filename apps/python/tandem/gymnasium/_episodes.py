# SPDX-License-Identifier: Apache-2.0
"""Episodes of vector environments: seeds, time limits and resets, as Gymnasium's own vector environments have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem._common.arguments import whole_number
from tandem.errors import Error
from tandem.gymnasium._framework import Numbers, autoreset_mode, gym, render_mode, reset_mask, vector

Infos = dict[str, Any]


class EpisodeVectorEnv(vector.VectorEnv):  # type: ignore[misc]
    """A vector environment whose random numbers, time limits and resets are those of Gymnasium's ``SyncVectorEnv``.

    Each environment has a generator of its own, ``numpy.random.Generator`` of its seed, from which a reset draws.
    """

    metadata: dict[str, Any] = {
        "render_modes": ["rgb_array"],
        "render_fps": 25,
        "autoreset_mode": vector.AutoresetMode.NEXT_STEP,
    }

    def _prepare(
        self, num_envs: int, fps: float, max_episode_steps: int | None, autoreset: Any, rendering: str | None
    ) -> None:
        """Before all else."""
        name = type(self).__name__
        self.num_envs = whole_number(f"{name}: num_envs", num_envs, 1)
        self._mode = autoreset_mode(name, autoreset)
        self.render_mode = render_mode(name, rendering)
        self.metadata = {**self.metadata, "autoreset_mode": self._mode, "render_fps": max(1, round(fps))}
        self._most = (
            None if max_episode_steps is None else whole_number(f"{name}: max_episode_steps", max_episode_steps, 1)
        )
        self._generators: list[np.random.Generator | None] = [None] * self.num_envs
        self._elapsed = np.zeros(self.num_envs, np.int64)
        self._done = np.zeros(self.num_envs, bool)
        self._has_begun = False

    def _make_spaces(self, observations: int, lower: ArrayLike, upper: ArrayLike) -> None:
        box = gym.spaces.Box
        self._set_spaces(
            box(-np.inf, np.inf, (observations,), np.float64),
            box(np.asarray(lower, np.float32), np.asarray(upper, np.float32), dtype=np.float32),
        )

    def _set_spaces(self, observation: Any, action: Any) -> None:
        """Those of one environment."""
        self.single_observation_space, self.single_action_space = observation, action
        batched = vector.utils.batch_space
        self.observation_space = batched(self.single_observation_space, self.num_envs)
        self.action_space = batched(self.single_action_space, self.num_envs)

    # what an environment is: of those named, or of all
    def _begin(self, which: NDArray[np.int64]) -> None:
        raise NotImplementedError

    def _move(self, actions: Numbers) -> None:
        raise NotImplementedError

    def _observe(self, which: NDArray[np.int64]) -> Numbers:
        raise NotImplementedError

    def _judge(self, actions: Numbers) -> tuple[Numbers, NDArray[np.bool_], Infos]:
        """Rewards, terminations and infos of a step, of all."""
        raise NotImplementedError

    def _beginning(self) -> Infos:
        """Infos of a reset, of all."""
        raise NotImplementedError

    def _seed(self, which: NDArray[np.int64], seeds: list[int | None]) -> None:
        """New seeds of some, before they begin; None: the generator goes on."""
        for i in which:
            if seeds[i] is not None:
                self._generators[i] = gym.utils.seeding.np_random(seeds[i])[0]

    def _generator(self, i: int) -> np.random.Generator:
        """From which environment i draws."""
        found = self._generators[i]
        if found is None:
            found = self._generators[i] = gym.utils.seeding.np_random(None)[0]
        return found

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, Infos]:
        """Begins episodes: of all, or of those in the mask ``options["reset_mask"]``.

        With a ``seed`` that of the i-th is ``seed + i``, a list has one for each; None: the generators go on.
        """
        name = type(self).__name__
        mask = reset_mask(f"{name}.reset", options, self.num_envs)
        seeds: list[int | None] = [None] * self.num_envs
        if isinstance(seed, (Sequence, np.ndarray)) and not isinstance(seed, str) and np.ndim(seed) > 0:
            seeds = [None if own is None else whole_number(f"{name}.reset: seed", own, 0) for own in seed]
        elif seed is not None:
            first = whole_number(f"{name}.reset: seed", seed, 0)
            seeds = [first + i for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise Error(f"{name}.reset: seed has {len(seeds)} numbers, expected {self.num_envs}")
        super().reset(seed=next((own for own in seeds if own is not None), None))
        which = np.flatnonzero(mask)
        self._seed(which, seeds)
        self._restart(which)
        self._has_begun = True
        return self._observe(np.arange(self.num_envs)), _merged({}, ~mask, self._beginning(), mask)

    def step(self, actions: ArrayLike) -> tuple[Numbers, Numbers, Numbers, Numbers, Infos]:
        """Moves all by an action each: observations, rewards, terminations, truncations, infos."""
        name = type(self).__name__
        if not self._has_begun:
            raise gym.error.ResetNeeded(f"{name}.step: call reset first")
        moves = np.asarray(actions)
        if moves.shape != self.action_space.shape:
            raise Error(f"{name}.step: actions have shape {moves.shape}, expected {self.action_space.shape}")
        if self._mode is vector.AutoresetMode.DISABLED and self._done.any():
            first = np.flatnonzero(self._done)[0]
            raise Error(f"{name}.step: episode {first} has ended; reset it with options['reset_mask'] first")
        begun = self._done.copy()  # these begin in this step, whatever their action is
        self._move(moves)
        self._elapsed += 1
        rewards, terminations, of_step = self._judge(moves)
        rewards[begun], terminations[begun] = 0, False
        if begun.any():
            self._restart(np.flatnonzero(begun))
        truncations = np.zeros(self.num_envs, bool) if self._most is None else self._elapsed >= self._most
        self._done = terminations | truncations
        observations = self._observe(np.arange(self.num_envs))
        infos: Infos = {}
        if self._mode is vector.AutoresetMode.SAME_STEP and self._done.any():
            begun, none = self._done.copy(), np.zeros(self.num_envs, bool)
            ended = np.flatnonzero(begun)
            final = np.full(self.num_envs, None, object)
            for i in ended:
                final[i] = observations[i].copy()
            infos = {"final_obs": final, "_final_obs": begun.copy(), "_final_info": begun.copy()}
            infos["final_info"] = _merged(of_step, begun, {}, none)
            self._restart(ended)
            observations[ended] = self._observe(ended)
        infos.update(_merged(of_step, ~begun, self._beginning() if begun.any() else {}, begun))
        return observations, rewards, terminations, truncations, infos

    def _restart(self, which: NDArray[np.int64]) -> None:
        self._begin(which)
        self._elapsed[which] = 0
        self._done[which] = False


def _merged(of_steps: Infos, stepped: NDArray[np.bool_], of_resets: Infos, begun: NDArray[np.bool_]) -> Infos:
    """Infos of environments that made a step and of those that begin, with the masks that Gymnasium has beside them."""
    infos: Infos = {}
    for some, mask in ((of_steps, stepped), (of_resets, begun)):
        if not mask.any():
            continue
        for name, values in some.items():
            if name not in infos:
                infos[name], infos[f"_{name}"] = np.zeros_like(values), np.zeros(len(mask), bool)
            infos[name][mask] = values[mask]
            infos[f"_{name}"] |= mask
    return infos


class OneEnv(gym.Env):  # type: ignore[misc]
    """One environment: the vector environment of one, with the same options.

    Gymnasium's ``make`` counts the steps of an episode; made by itself it ends by termination alone.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 25}
    many: Any = EpisodeVectorEnv  #: the vector environment

    def __init__(self, render_mode: str | None = None, **options: Any) -> None:
        own = {"max_episode_steps": None, **options, "autoreset_mode": "Disabled", "render_mode": render_mode}
        self._one = self.many(1, **own)
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_fps": self._one.metadata["render_fps"]}
        self.observation_space = self._one.single_observation_space
        self.action_space = self._one.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Numbers, Infos]:
        """Begins an episode."""
        super().reset(seed=seed)
        observations, infos = self._one.reset(seed=seed)
        self._np_random = self._one._generator(0)
        return observations[0], _of_one(infos)

    def step(self, action: ArrayLike) -> tuple[Numbers, float, bool, bool, Infos]:
        """Moves by an action: observation, reward, terminated, truncated, info."""
        self._one._done[:] = False  # who steps on after an end may
        observations, rewards, terminations, truncations, infos = self._one.step(np.asarray(action)[None])
        return observations[0], float(rewards[0]), bool(terminations[0]), bool(truncations[0]), _of_one(infos)

    def render(self) -> NDArray[np.uint8] | None:
        """A picture ``[height, width, 3]``; None without a ``render_mode``."""
        pictures: tuple[NDArray[np.uint8], ...] | None = self._one.render()
        return None if pictures is None else pictures[0]


def _of_one(infos: Infos) -> Infos:
    return {name: values[0].item() for name, values in infos.items() if not name.startswith("_")}
