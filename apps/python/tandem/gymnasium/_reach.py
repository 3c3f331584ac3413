# SPDX-License-Identifier: Apache-2.0
"""Arms that reach for points, thousands of them at once on a :class:`tandem.VectorSimulation`."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem import functions
from tandem._control.reach_pictures import ReachPictures
from tandem._core import Model, load
from tandem.configuration import neutral_configuration
from tandem.drive import PdController
from tandem.errors import Error
from tandem.gymnasium._episodes import EpisodeVectorEnv, Infos, OneEnv
from tandem.gymnasium._framework import Numbers, gym
from tandem.vector_simulation import VectorSimulation

Control: TypeAlias = Literal["targets", "forces"]

_beyond = 0.01  # rad|m that a joint may lie beyond its limits: more than stops give


class ReachVectorEnv(EpisodeVectorEnv):
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
        self._prepare(num_envs, 1 / (dt * substeps), max_episode_steps, autoreset_mode, render_mode)
        model = load(robot) if isinstance(robot, str) else robot
        self._check(model, control)
        self._pictures = None if render_mode is None else ReachPictures(model)
        self.model = model
        self._frame = model.n_frames - 1 if frame is None else model.frame_index(frame)
        self._control, self._stride, self._tolerance = control, float(stride), float(tolerance)
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
        self._bound(max_speed)
        self._goals = np.zeros((self.num_envs, 3))
        self._known_way: Numbers | None = None
        self._seeds: NDArray[np.uint64] | None = None
        self._episodes = np.zeros(self.num_envs, np.uint64)

    @staticmethod
    def _check(model: Model, control: str) -> None:
        if control not in ("targets", "forces"):
            raise Error(f"ReachVectorEnv: control is {control!r}, expected 'targets' or 'forces'")
        for joint in model.joints:
            if joint.nq > 1:
                raise Error(
                    f"ReachVectorEnv: joint {joint.name!r} is {joint.type}, expected joints with one coordinate"
                )

    def _bound(self, max_speed: float) -> None:
        """The spaces, with the bounds of observations."""
        model = self.model
        far = np.full(3, self._farthest())
        fast = np.full(model.nv, float(max_speed))
        lower = np.concatenate([model.q_lower - _beyond, -fast, -far, -2 * far])
        upper = np.concatenate([model.q_upper + _beyond, fast, far, 2 * far])
        box = gym.spaces.Box
        observation = box(
            np.nextafter(lower.astype(np.float32), np.float32(-np.inf)),
            np.nextafter(upper.astype(np.float32), np.float32(np.inf)),
            dtype=np.float32,
        )
        self._set_spaces(observation, box(-1.0, 1.0, (model.nv,), np.float32))

    def _farthest(self) -> float:
        """How far from the world's origin the tip can be, m."""
        model = self.model
        joints = list(model.joints)
        slides = [max(abs(j.lower), abs(j.upper)) for j in joints if j.type in ("prismatic", "helical")]
        neutral = functions.forward_kinematics(model, neutral_configuration(model))[:, :, 3]
        between = [np.linalg.norm(neutral[j.index] - neutral[model.link_index(j.parent)]) for j in joints]
        last = np.linalg.norm(neutral[self._frame] - neutral[model.frame_links[self._frame]])
        return float(np.linalg.norm(neutral[0]) + np.sum(between) + np.sum(slides) + last)

    def _seed(self, which: NDArray[np.int64], seeds: list[int | None]) -> None:
        super()._seed(which, seeds)
        if self._seeds is None:
            base = np.uint64(self.np_random.integers(2**62))
            self._seeds = base + np.arange(self.num_envs, dtype=np.uint64)
        for i in which:
            own = seeds[i]
            if own is not None:
                self._seeds[i], self._episodes[i] = own % 2**64, 0

    def _move(self, actions: Numbers) -> None:
        self._moves = moves = np.clip(np.asarray(actions, np.float64), -1, 1)
        if self._control == "targets":
            targets = self.batch.q + self._stride * moves
            self.batch.q_target[:] = np.clip(targets, self.model.q_lower, self.model.q_upper)
        else:
            assert self.forces is not None
            self.batch.tau[:] = moves * self.forces
        self.batch.step()
        self._known_way = None

    def _judge(self, actions: Numbers) -> tuple[Numbers, NDArray[np.bool_], Infos]:
        infos = self._beginning()
        rewards = -infos["distance"] - 0.01 * np.mean(self._moves**2, axis=1) + infos["is_success"]
        return rewards, self.batch.diverged, infos

    def _beginning(self) -> Infos:
        distances = np.linalg.norm(self._way(), axis=1)
        return {"distance": distances, "is_success": distances < self._tolerance}

    def _observe(self, which: NDArray[np.int64]) -> Numbers:
        columns = [self.batch.q, self.batch.v, self._goals, self._way()]
        return np.concatenate(columns, axis=1, dtype=np.float32, casting="same_kind")[which]

    def _way(self) -> Numbers:
        """``[n, 3]`` from tips to goals, m."""
        if self._known_way is None:
            self._known_way = self._goals - self._tip.position
        return self._known_way

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture ``[480, 480, 3]`` of each, with its goal; None without a ``render_mode``."""
        if self._pictures is None:
            gym.logger.warn("render needs an environment made with render_mode='rgb_array'")
            return None
        distances = self._beginning()["distance"]
        look = self._pictures.picture
        return tuple(
            look(q, goal, float(distance), bool(distance < self._tolerance))
            for q, goal, distance in zip(self.batch.q, self._goals, distances)
        )

    def _begin(self, which: NDArray[np.int64]) -> None:
        assert self._seeds is not None
        nv = self.model.nv
        chance = _chance(self._seeds[which], self._episodes[which], 2 * nv)
        self._episodes[which] += np.uint64(1)
        pose = self._middle + self._reach * chance[:, nv:]
        self._goals[which] = functions.forward_kinematics(self.model, pose)[:, self._frame, :, 3]
        self.batch.reset(which, q=self._middle + 0.1 * chance[:, :nv])
        self._known_way = None
        if self._control == "targets":
            self.batch.q_target[which] = self.batch.q[which]


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


class ReachEnv(OneEnv):
    """One arm that reaches for points: :class:`ReachVectorEnv` of one, with the same options.

    Gymnasium's ``make`` counts the steps of an episode; made by itself it does not end but by divergence.
    """

    many = ReachVectorEnv
