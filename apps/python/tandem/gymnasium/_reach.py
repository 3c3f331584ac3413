# SPDX-License-Identifier: Apache-2.0
"""Arms that reach for points, thousands of them at once on a :class:`tandem.VectorSimulation`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem import functions
from tandem._common.arguments import whole_number
from tandem._control.reach_pictures import ReachPictures
from tandem._core import Model, load
from tandem.configuration import neutral_configuration
from tandem.drive import PdController
from tandem.errors import Error
from tandem.gymnasium._framework import Numbers, gym, reset_mask, vector
from tandem.gymnasium._framework import autoreset_mode as known_mode
from tandem.gymnasium._framework import render_mode as known_render_mode
from tandem.vector_simulation import VectorSimulation

Control: TypeAlias = Literal["targets", "forces"]

_beyond = 0.01  # rad|m that a joint may lie beyond its limits: more than stops give


class ReachVectorEnv(vector.VectorEnv):  # type: ignore[misc]
    """Arms that reach for points, one each, all stepped together.

    An observation is ``q``, ``v``, the goal, and the way from the tip of the arm to the goal, in metres along the
    world's axes. An action of -1 to 1 for each joint, clipped to that, moves the targets of a PD controller by up to
    ``stride`` from where the joints are (``control="targets"``), or is a part of :attr:`forces` (``"forces"``), which
    speed a joint up by about a tenth of ``max_speed`` in a step, as far as effort limits go; the weight of the arm is
    compensated. The reward of a step is minus the distance in metres, minus a hundredth of the mean square of the
    action, plus 1 within ``tolerance``. An episode is truncated after ``max_episode_steps`` and terminated where a
    joint becomes faster than ``max_speed``. Infos have the ``distance`` and whether it is within ``tolerance``,
    ``is_success``.

    How an episode begins depends on the seed of its environment, which is ``seed + i`` of the i-th as it is with
    Gymnasium's own vector environments, and on the number of episodes since: not on the other environments, nor on the
    number of threads.

    Args:
        num_envs: how many
        robot: a model, or what :func:`tandem.load` takes, of joints with one coordinate each
        frame: that is to reach the goal; None: the last one
        control: what actions are
        stride: rad|m
        kp, kd: gains of the controller, for every joint, or for each
        tolerance: m
        max_episode_steps: of ``dt`` times ``substeps``
        max_speed: of a joint, rad/s|m/s
        dt: s
        substeps: of ``dt`` in a step of the environment
        autoreset_mode: when what has ended begins anew: ``"NextStep"``, ``"SameStep"`` or ``"Disabled"``, or
            Gymnasium's ``AutoresetMode``
        render_mode: ``"rgb_array"``: :meth:`render` gives pictures, for which Matplotlib is needed
        threads: 0: all cores
    """

    metadata: dict[str, Any] = {
        "render_modes": ["rgb_array"],
        "render_fps": 25,
        "autoreset_mode": vector.AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        robot: Model | str = "arm7",
        frame: str | None = None,
        control: Control = "targets",
        stride: float = 0.2,
        kp: ArrayLike = 200.0,
        kd: ArrayLike = 20.0,
        tolerance: float = 0.05,
        max_episode_steps: int | None = 50,
        max_speed: float = 20.0,
        dt: float = 4e-3,
        substeps: int = 10,
        autoreset_mode: Any = "NextStep",
        render_mode: str | None = None,
        threads: int = 0,
    ) -> None:
        self.num_envs = whole_number("ReachVectorEnv: num_envs", num_envs, 1)
        model = load(robot) if isinstance(robot, str) else robot
        self._check(model, control)
        self._mode = known_mode("ReachVectorEnv", autoreset_mode)
        self.render_mode = known_render_mode("ReachVectorEnv", render_mode)
        self.metadata = {
            **self.metadata,
            "autoreset_mode": self._mode,
            "render_fps": max(1, round(1 / (dt * substeps))),
        }
        self._pictures = None if render_mode is None else ReachPictures(model)
        self.model = model
        self._frame = model.n_frames - 1 if frame is None else model.frame_index(frame)
        self._control, self._stride, self._tolerance = control, float(stride), float(tolerance)
        self._most = None if max_episode_steps is None else whole_number("max_episode_steps", max_episode_steps, 1)
        lower, upper = _ranges(model)
        self._middle = (lower + upper) / 2
        self._reach = (upper - lower) / 2 * 0.5  # that far from the middle goals are looked for
        controller = PdController(self._middle, kp, kd) if control == "targets" else None
        self.batch = VectorSimulation(
            model,
            self.num_envs,
            dt=dt,
            substeps=substeps,
            controller=controller,
            gravity_compensation=True,
            effort_limits=True,
            max_speed=max_speed,
            threads=threads,
        )
        #: joint forces that an action of 1 stands for with ``control="forces"``, ``[nv]`` N m|N
        self.forces: Numbers | None = None
        if control == "forces":
            poses = self._middle + self._reach * np.random.default_rng(0).uniform(-1, 1, (64, model.nv))
            # 1 / (M^-1)_ii is what resists a joint whose neighbours are free to move; of all poses the geometric mean
            free = np.diagonal(np.linalg.inv(functions.mass_matrix(model, poses)), axis1=1, axis2=2)
            self.forces = np.minimum(
                model.tau_limit, np.exp(-np.log(free).mean(axis=0)) * max_speed / (10 * dt * substeps)
            )
        self._tip = self.batch.frame(self._frame)
        self._make_spaces(max_speed)
        self._goals = np.zeros((self.num_envs, 3))
        self._seeds: NDArray[np.uint64] | None = None
        self._episodes = np.zeros(self.num_envs, np.uint64)
        self._elapsed = np.zeros(self.num_envs, np.int64)
        self._done = np.zeros(self.num_envs, bool)

    @staticmethod
    def _check(model: Model, control: str) -> None:
        if control not in ("targets", "forces"):
            raise Error(f"ReachVectorEnv: control is {control!r}, expected 'targets' or 'forces'")
        for joint in model.joints:
            if joint.nq > 1:
                raise Error(
                    f"ReachVectorEnv: joint {joint.name!r} is {joint.type}, expected joints with one coordinate"
                )

    def _make_spaces(self, max_speed: float) -> None:
        model = self.model
        far = np.full(3, self._farthest())
        fast = np.full(model.nv, float(max_speed))
        lower = np.concatenate([model.q_lower - _beyond, -fast, -far, -2 * far])
        upper = np.concatenate([model.q_upper + _beyond, fast, far, 2 * far])
        box = gym.spaces.Box
        self.single_observation_space = box(
            np.nextafter(lower.astype(np.float32), np.float32(-np.inf)),
            np.nextafter(upper.astype(np.float32), np.float32(np.inf)),
            dtype=np.float32,
        )
        self.single_action_space = box(-1.0, 1.0, (model.nv,), np.float32)
        batch_space = vector.utils.batch_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def _farthest(self) -> float:
        """How far from the world's origin the tip can be, m."""
        model = self.model
        joints = list(model.joints)
        slides = [max(abs(j.lower), abs(j.upper)) for j in joints if j.type in ("prismatic", "helical")]
        neutral = functions.forward_kinematics(model, neutral_configuration(model))[:, :, 3]
        between = [np.linalg.norm(neutral[j.index] - neutral[model.link_index(j.parent)]) for j in joints]
        last = np.linalg.norm(neutral[self._frame] - neutral[model.frame_links[self._frame]])
        return float(np.linalg.norm(neutral[0]) + np.sum(between) + np.sum(slides) + last)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, dict[str, Any]]:
        """Begins episodes: of all, or of those in the mask ``options["reset_mask"]``.

        With a ``seed`` that of the i-th is ``seed + i``, a list has one for each; None leaves them, for their next
        episodes.
        """
        mask = reset_mask("ReachVectorEnv.reset", options, self.num_envs)
        first = seed if isinstance(seed, int) or seed is None else next((s for s in seed if s is not None), None)
        super().reset(seed=first)
        if self._seeds is None:
            base = np.uint64(self.np_random.integers(2**62))
            self._seeds = base + np.arange(self.num_envs, dtype=np.uint64)
        if seed is not None:
            seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else list(seed)
            if len(seeds) != self.num_envs:
                raise Error(f"ReachVectorEnv.reset: seed has {len(seeds)} numbers, expected {self.num_envs}")
            for i, own in enumerate(seeds):
                if mask[i] and own is not None:
                    self._seeds[i], self._episodes[i] = own, 0
        self._begin(np.flatnonzero(mask))
        observations, distances = self._look()
        return observations, self._infos(distances, mask)

    def step(self, actions: ArrayLike) -> tuple[Numbers, Numbers, Numbers, Numbers, dict[str, Any]]:
        """Moves all by an action each: observations, rewards, terminations, truncations, infos."""
        if self._seeds is None:
            raise gym.error.ResetNeeded("ReachVectorEnv.step: call reset first")
        batch, mode, fresh = self.batch, self._mode, self._done
        moves = np.asarray(actions, np.float64)
        if moves.shape != (self.num_envs, self.model.nv):
            raise Error(f"step: actions have shape {moves.shape}, expected {(self.num_envs, self.model.nv)}")
        if mode is vector.AutoresetMode.DISABLED and fresh.any():
            raise Error(
                f"step: episode {np.flatnonzero(fresh)[0]} has ended; reset it with options['reset_mask'] first"
            )
        moves = np.clip(moves, -1, 1)
        if self._control == "targets":
            batch.q_target[:] = np.clip(batch.q + self._stride * moves, self.model.q_lower, self.model.q_upper)
        else:
            assert self.forces is not None
            batch.tau[:] = moves * self.forces
        batch.step()
        self._elapsed += 1
        anew = np.flatnonzero(fresh)  # these begin in this step, whatever their action is
        if anew.size:
            self._begin(anew)
        observations, distances = self._look()
        rewards = -distances - 0.01 * np.mean(moves**2, axis=1) + (distances < self._tolerance)
        rewards[anew] = 0
        terminations = batch.diverged
        truncations = np.zeros(self.num_envs, bool) if self._most is None else self._elapsed >= self._most
        done = terminations | truncations
        infos: dict[str, Any] = {}
        if mode is vector.AutoresetMode.SAME_STEP and done.any():
            ended = np.flatnonzero(done)
            final = np.full(self.num_envs, None, object)
            for i in ended:
                final[i] = observations[i].copy()
            infos = {"final_obs": final, "_final_obs": done.copy(), "_final_info": done.copy()}
            infos["final_info"] = self._infos(np.where(done, distances, 0), done)
            self._begin(ended)
            observations, distances = self._look()
        else:
            self._done = done
        infos.update(self._infos(distances, np.ones(self.num_envs, bool)))
        return observations, rewards, terminations, truncations, infos

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture ``[480, 480, 3]`` of each, with its goal; None without a ``render_mode``."""
        if self._pictures is None:
            gym.logger.warn("render needs an environment made with render_mode='rgb_array'")
            return None
        distances = np.linalg.norm(self._goals - self._tip.position, axis=1)
        look = self._pictures.picture
        return tuple(
            look(q, goal, float(distance), bool(distance < self._tolerance))
            for q, goal, distance in zip(self.batch.q, self._goals, distances)
        )

    def _begin(self, which: NDArray[np.int64]) -> None:
        """The next episodes of some."""
        assert self._seeds is not None
        nv = self.model.nv
        chance = _chance(self._seeds[which], self._episodes[which], 2 * nv)
        self._episodes[which] += np.uint64(1)
        pose = self._middle + self._reach * chance[:, nv:]
        self._goals[which] = functions.forward_kinematics(self.model, pose)[:, self._frame, :, 3]
        self.batch.reset(which, q=self._middle + 0.1 * chance[:, :nv])
        if self._control == "targets":
            self.batch.q_target[which] = self.batch.q[which]
        self._elapsed[which] = 0
        self._done[which] = False

    def _look(self) -> tuple[Numbers, Numbers]:
        """New observations, and distances."""
        way = self._goals - self._tip.position
        columns = [self.batch.q, self.batch.v, self._goals, way]
        return np.concatenate(columns, axis=1, dtype=np.float32, casting="same_kind"), np.linalg.norm(way, axis=1)

    def _infos(self, distances: Numbers, of: Numbers) -> dict[str, Any]:
        success = (distances < self._tolerance) & of
        return {
            "distance": np.where(of, distances, 0.0),
            "_distance": of.copy(),
            "is_success": success,
            "_is_success": of.copy(),
        }


def _ranges(model: Model) -> tuple[Numbers, Numbers]:
    """Limits, or a full turn, or 2 pi m, shifted by as little as brings it within a limit that stands alone."""
    lower, upper = model.q_lower, model.q_upper
    bounded = np.isfinite(lower) & np.isfinite(upper)
    begin = np.where(bounded, lower, np.where(lower > -np.pi, lower, np.minimum(upper, np.pi) - 2 * np.pi))
    return begin, np.where(bounded, upper, begin + 2 * np.pi)


def _chance(seeds: NDArray[np.uint64], episodes: NDArray[np.uint64], n: int) -> Numbers:
    """Numbers of -1 to 1, ``[episode, n]``, each of its seed, its episode and its place alone, by splitmix64."""
    with np.errstate(over="ignore"):
        golden = np.uint64(0x9E3779B97F4A7C15)
        x = _mixed(seeds + golden) + _mixed(episodes * golden + np.uint64(1))
        x = _mixed(x[:, None] + golden * np.arange(1, n + 1, dtype=np.uint64))
    return (x >> np.uint64(11)) * 2.0**-52 - 1


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


class ReachEnv(gym.Env):  # type: ignore[misc]
    """One arm that reaches for points: :class:`ReachVectorEnv` of one, with the same options.

    Gymnasium's ``make`` counts the steps of an episode; made by itself it does not end but by divergence.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 25}

    def __init__(self, render_mode: str | None = None, **options: Any) -> None:
        own = {"max_episode_steps": None, **options, "autoreset_mode": "Disabled", "render_mode": render_mode}
        self._one = ReachVectorEnv(1, **own)
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_fps": self._one.metadata["render_fps"]}
        self.observation_space = self._one.single_observation_space
        self.action_space = self._one.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, dict[str, Any]]:
        """Begins an episode: the first of a seed, or the next one."""
        super().reset(seed=seed)
        if seed is None and self._one._seeds is None:
            seed = int(self.np_random.integers(2**62))
        observations, infos = self._one.reset(seed=seed)
        return observations[0], _of_one(infos)

    def step(self, action: ArrayLike) -> tuple[Numbers, float, bool, bool, dict[str, Any]]:
        """Moves by an action: observation, reward, terminated, truncated, info."""
        observations, rewards, terminations, truncations, infos = self._one.step(np.asarray(action)[None])
        ended = bool(terminations[0]), bool(truncations[0])
        return observations[0], float(rewards[0]), *ended, _of_one(infos)

    def render(self) -> NDArray[np.uint8] | None:
        """A picture ``[480, 480, 3]`` of the arm and its goal; None without a ``render_mode``."""
        pictures = self._one.render()
        return None if pictures is None else pictures[0]


def _of_one(infos: dict[str, Any]) -> dict[str, Any]:
    return {name: values[0].item() for name, values in infos.items() if not name.startswith("_")}
