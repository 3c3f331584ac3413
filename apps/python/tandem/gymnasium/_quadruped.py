# SPDX-License-Identifier: Apache-2.0
"""A quadruped that walks as it is told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem import contact
from tandem._common.arguments import whole_number
from tandem._core import ContactSet, Model, ModelBuilder, describe, load
from tandem.configuration import neutral_configuration
from tandem.drive import PdController
from tandem.errors import Error
from tandem.gymnasium._episodes import EpisodeVectorEnv, Infos
from tandem.gymnasium._framework import Numbers, gym
from tandem.gymnasium._mujoco_state import rotations
from tandem.gymnasium._pictures import Pictures
from tandem.simulation import ContactOptions
from tandem.vector_simulation import VectorSimulation

Range = tuple[float, float]


class QuadrupedVectorEnv(EpisodeVectorEnv):
    """Quadrupeds on a floor that follow commands, a velocity along x and y and a rate of turning each.

    An observation is the direction of gravity, the linear and the angular velocity of the trunk, along its axes, the
    command, the joints' distance from the stance, their velocities and the last action. An action of -1 to 1 for each
    joint moves the target of a PD controller by ``stride`` from the stance.

    The reward of a step, times its duration, is ``exp(-4 |v - command|^2) + 0.5 exp(-4 (turning - command)^2)`` less
    ``2 v_z^2``, ``0.05`` times the square of the angular velocity across the vertical, the square of the tilt, ``0.01``
    times the square of the change of the action and ``1e-3`` times the square of the forces of the controller over
    their limits. An episode is terminated where the trunk touches something or tilts by 60 degrees.

    Args:
        num_envs: how many
        robot: a file of MJCF or URDF, a built-in robot or a builder, with a free joint and hinges; a floor is added if
            it has no plane, and feet to the built-in ``"quadruped"``
        stance: ``[joints]`` rad; None: the configuration "home" of the robot, or hips 0, thighs 0.8, knees -1.6 of legs
            of three joints
        kp, kd: gains of the controller, N m/rad, N m s/rad
        stride: rad
        command_x, command_y, command_yaw: ranges of commands, m/s, m/s, rad/s
        reset_noise_scale: rad, rad/s, of joints at the start of an episode
        max_episode_steps: after which an episode is truncated; None: never
        dt: s
        substeps: of ``dt`` in a step of the environment
        autoreset_mode: when what has ended begins anew: ``"NextStep"``, ``"SameStep"`` or ``"Disabled"``, or
            Gymnasium's ``AutoresetMode``
        render_mode: ``"rgb_array"``: :meth:`render` gives pictures, for which Pillow is needed
        threads: 0: all cores
        contact_options: how contacts are solved, see :class:`tandem.types.ContactOptions`
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        robot: str | os.PathLike[str] | ModelBuilder = "quadruped",
        stance: ArrayLike | None = None,
        kp: float = 30.0,
        kd: float = 1.0,
        stride: float = 0.3,
        command_x: Range = (0.3, 0.8),
        command_y: Range = (0.0, 0.0),
        command_yaw: Range = (0.0, 0.0),
        reset_noise_scale: float = 0.05,
        max_episode_steps: int | None = 500,
        dt: float = 5e-3,
        substeps: int = 4,
        autoreset_mode: Any = "NextStep",
        render_mode: str | None = None,
        threads: int = 0,
        contact_options: ContactOptions | None = None,
    ) -> None:
        substeps = whole_number("QuadrupedVectorEnv: substeps", substeps, 1)
        self.dt = dt * substeps
        self._prepare(num_envs, 1 / self.dt, max_episode_steps, autoreset_mode, render_mode)
        self.model = _on_a_floor(robot)
        joints = list(self.model.joints)
        if joints[0].type != "free" or any(joint.nv != 1 for joint in joints[1:]):
            raise Error(
                f"QuadrupedVectorEnv: {self.model.name} must have a free joint, then joints with one coordinate each"
            )
        pairs = ContactSet(self.model, self_contact=False)
        self._start = _standing(self.model, pairs, stance)
        self._stance = self._start[7:]
        lower, upper = self.model.q_lower[7:], self.model.q_upper[7:]
        self._lower, self._upper = lower, upper
        self._stride, self._noise = float(stride), float(reset_noise_scale)
        self._commands = np.array([command_x, command_y, command_yaw], np.float64)
        nv = self.model.nv
        gains = np.r_[np.zeros(6), np.ones(nv - 6)]
        self.batch = VectorSimulation(
            self.model,
            self.num_envs,
            dt=dt,
            substeps=substeps,
            controller=PdController(self._start, kp * gains, kd * gains),
            threads=threads,
            excess=np.inf,
            contacts=pairs,
            contact_options=contact_options,
        )
        limits = self.model.tau_limit[6:]
        self._limits = np.where(np.isfinite(limits), limits, np.inf)
        self._kp, self._kd = float(kp), float(kd)
        self._trunk = self.batch.link(joints[0].child)
        self.commands = np.zeros((self.num_envs, 3))  #: ``[num_envs, 3]`` may be written to
        self._last = np.zeros((self.num_envs, nv - 6))
        self._make_spaces(12 + 3 * (nv - 6), -np.ones(nv - 6), np.ones(nv - 6))
        self._pictures = None if render_mode is None else Pictures(self.model)

    def _begin(self, which: NDArray[np.int64]) -> None:
        n = self.model.nv - 6
        noise = np.empty((len(which), 2 * n + 3))
        for row, i in enumerate(which):
            noise[row] = self._generator(i).uniform(-1, 1, 2 * n + 3)
        q = np.tile(self._start, (len(which), 1))
        q[:, 7:] = np.clip(q[:, 7:] + self._noise * noise[:, :n], self._lower, self._upper)
        v = np.zeros((len(which), n + 6))
        v[:, 6:] = self._noise * noise[:, n : 2 * n]
        middle, half = self._commands.mean(axis=1), np.ptp(self._commands, axis=1) / 2
        self.commands[which] = middle + half * noise[:, 2 * n :]
        self.batch.reset(which, q=q, v=v)
        self.batch.q_target[which] = q
        self._last[which] = 0

    def _move(self, actions: Numbers) -> None:
        moves = np.clip(actions.astype(np.float64), -1, 1)
        self._change = moves - self._last
        self._last = moves
        self.batch.q_target[:, 7:] = np.clip(self._stance + self._stride * moves, self._lower, self._upper)
        self.batch.step()

    def _down(self) -> Numbers:
        """``[n, 3]`` the direction of gravity along the axes of the trunk."""
        down: Numbers = -rotations(self.batch.q[:, 3:7])[:, 2]
        return down

    def _observe(self, which: NDArray[np.int64]) -> Numbers:
        q, v = self.batch.q, self.batch.v
        columns = [self._down(), v[:, :6], self.commands, q[:, 7:] - self._stance, v[:, 6:], self._last]
        return np.concatenate(columns, axis=1)[which]

    def _judge(self, actions: Numbers) -> tuple[Numbers, NDArray[np.bool_], Infos]:
        q, v, down = self.batch.q, self.batch.v, self._down()
        wrong = ((v[:, :2] - self.commands[:, :2]) ** 2).sum(axis=1)
        turned = (v[:, 5] - self.commands[:, 2]) ** 2
        effort = (self._kp * (self.batch.q_target[:, 7:] - q[:, 7:]) - self._kd * v[:, 6:]) / self._limits
        cost = 2 * v[:, 2] ** 2 + 0.05 * (v[:, 3:5] ** 2).sum(axis=1) + (down[:, :2] ** 2).sum(axis=1)
        cost += 0.01 * (self._change**2).sum(axis=1) + 1e-3 * (effort**2).sum(axis=1)
        tracking = np.exp(-4 * wrong) + 0.5 * np.exp(-4 * turned)
        touches: NDArray[np.bool_] = np.asarray(self._trunk.touches)
        fallen = touches | (down[:, 2] > -0.5) | self.batch.diverged
        infos = {
            "x_velocity": v[:, 0].copy(),
            "y_velocity": v[:, 1].copy(),
            "reward_tracking": tracking * self.dt,
            "reward_cost": -cost * self.dt,
        }
        return (tracking - cost) * self.dt, fallen, infos

    def _beginning(self) -> Infos:
        return {}

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture ``[height, width, 3]`` of each; None without a ``render_mode``."""
        if self._pictures is None:
            gym.logger.warn("render needs an environment made with render_mode='rgb_array'")
            return None
        return tuple(self._pictures.picture(q) for q in self.batch.q)


def _on_a_floor(robot: str | os.PathLike[str] | ModelBuilder) -> Model:
    """With a floor, and with feet if it is the built-in quadruped."""
    if isinstance(robot, ModelBuilder):
        builder = robot
    else:
        source = os.fspath(robot)
        builder = describe(load(source, floating=True) if Path(source).suffix == ".urdf" else source)
    if robot == "quadruped":
        for leg in ("FL", "FR", "RL", "RR"):
            builder = builder.shape(f"{leg}_foot", "sphere", f"{leg}_shank", size=0.015, position=(0, 0, -0.195))
        builder = builder.shape("trunk", "box", "trunk", size=(0.19, 0.05, 0.05))
    model: Model = builder.build()
    if any(shape.type == "plane" for shape in model.shapes):
        return model
    return builder.shape("floor", "plane", model.link_names[0]).build()


def _standing(model: Model, pairs: ContactSet, stance: ArrayLike | None) -> Numbers:
    """Its feet on the floor."""
    n = model.nv - 6
    if "home" in model.configuration_names and stance is None:
        return np.array(model.configuration("home"), np.float64)
    if stance is None:
        if n != 12:
            raise Error(f"QuadrupedVectorEnv: {model.name} has {n} joints and no configuration home; give a stance")
        stance = [0, 0.8, -1.6] * 4
    q = np.array(neutral_configuration(model), np.float64)
    joints = np.asarray(stance, np.float64)
    if joints.shape != (n,):
        raise Error(f"QuadrupedVectorEnv: stance has shape {joints.shape}, expected ({n},)")
    q[7:] = joints
    q[2] = 10.0
    q[2] -= float(contact.contacts(pairs, q).distance.min())
    return q
