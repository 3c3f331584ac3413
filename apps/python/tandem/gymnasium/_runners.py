# SPDX-License-Identifier: Apache-2.0
"""HalfCheetah, Hopper, Walker2d, Ant and Humanoid as Gymnasium's version 5 of them, on
:class:`tandem.VectorSimulation`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandem.drive import actuator_forces
from tandem.errors import Error
from tandem.gymnasium._episodes import Infos
from tandem.gymnasium._framework import Numbers
from tandem.gymnasium._mujoco_env import MujocoVectorEnv

Range = tuple[float, float]

_MORE = """

    A vector environment of robots from the file that Gymnasium installs (``pip install "gymnasium[mujoco]"``), or of
    another file with the same joints. Observations, rewards, terminations, infos, the noise of resets and seeds are
    those of Gymnasium's {id}, whose options these are.

    Args:
        num_envs: how many
        xml_file: MJCF: the name of a file of Gymnasium's, or a path
        max_episode_steps: after which an episode is truncated; None: never
        autoreset_mode: when what has ended begins anew: ``"NextStep"``, ``"SameStep"`` or ``"Disabled"``, or
            Gymnasium's ``AutoresetMode``
        render_mode: ``"rgb_array"``: :meth:`render` gives pictures, for which Pillow is needed
        threads: 0: all cores
        contact_options: how contacts are solved, see :class:`tandem.types.ContactOptions`
        others: as in {id}
    """


class _PlanarVectorEnv(MujocoVectorEnv):
    """What has a root of two slides and a hinge: x, z, pitch."""

    def _prepare_planar(self, forward_reward_weight: float, ctrl_cost_weight: float, exclude: bool) -> None:
        self._forward, self._cost = forward_reward_weight, ctrl_cost_weight
        self._exclude = exclude
        self._make_spaces(self.model.nq + self.model.nv - int(exclude), *self._ranges.T)

    def _move(self, actions: Numbers) -> None:
        before = self.qpos[:, 0].copy()
        super()._move(actions)
        self._x_velocity = (self.qpos[:, 0] - before) / self.dt

    def _observe(self, which: NDArray[np.int64]) -> Numbers:
        return np.concatenate([self.qpos[which, int(self._exclude) :], self._seen_velocity(self.qvel[which])], axis=1)

    def _seen_velocity(self, qvel: Numbers) -> Numbers:
        return np.clip(qvel, -10, 10)

    def _costs(self, actions: Numbers) -> Numbers:
        return np.asarray(self._cost * np.sum(np.square(actions), axis=1), np.float64)


class HalfCheetahVectorEnv(_PlanarVectorEnv):
    __doc__ = "A planar cheetah runs forwards: Gymnasium's HalfCheetah-v5." + _MORE.format(id="HalfCheetah-v5")

    def __init__(
        self,
        num_envs: int = 1,
        *,
        xml_file: str = "half_cheetah.xml",
        frame_skip: int = 5,
        forward_reward_weight: float = 1.0,
        ctrl_cost_weight: float = 0.1,
        reset_noise_scale: float = 0.1,
        exclude_current_positions_from_observation: bool = True,
        **options: Any,
    ) -> None:
        self._load(num_envs, xml_file, frame_skip, reset_noise_scale, False, options)
        self._prepare_planar(forward_reward_weight, ctrl_cost_weight, exclude_current_positions_from_observation)

    def _seen_velocity(self, qvel: Numbers) -> Numbers:
        return qvel

    def _velocity_noise(self, chance: np.random.Generator) -> Numbers:
        return self._noise * chance.standard_normal(self.model.nv)

    def _judge(self, actions: Numbers) -> tuple[Numbers, NDArray[np.bool_], Infos]:
        forward, cost = self._forward * self._x_velocity, self._costs(actions)
        infos = {
            "x_position": self.qpos[:, 0].copy(),
            "x_velocity": self._x_velocity,
            "reward_forward": forward,
            "reward_ctrl": -cost,
        }
        return forward - cost, self._diverged, infos

    def _beginning(self) -> Infos:
        return {"x_position": self.qpos[:, 0].copy()}


class HopperVectorEnv(_PlanarVectorEnv):
    __doc__ = "A leg hops forwards: Gymnasium's Hopper-v5." + _MORE.format(id="Hopper-v5")

    def __init__(
        self,
        num_envs: int = 1,
        *,
        xml_file: str = "hopper.xml",
        frame_skip: int = 4,
        forward_reward_weight: float = 1.0,
        ctrl_cost_weight: float = 1e-3,
        healthy_reward: float = 1.0,
        terminate_when_unhealthy: bool = True,
        healthy_state_range: Range = (-100.0, 100.0),
        healthy_z_range: Range = (0.7, float("inf")),
        healthy_angle_range: Range = (-0.2, 0.2),
        reset_noise_scale: float = 5e-3,
        exclude_current_positions_from_observation: bool = True,
        **options: Any,
    ) -> None:
        self._healthy_reward, self._terminates = healthy_reward, terminate_when_unhealthy
        self._state, self._z, self._angle = healthy_state_range, healthy_z_range, healthy_angle_range
        self._load(num_envs, xml_file, frame_skip, reset_noise_scale, False, options)
        self._prepare_planar(forward_reward_weight, ctrl_cost_weight, exclude_current_positions_from_observation)

    def _is_healthy(self) -> NDArray[np.bool_]:
        healthy = _between(self.qpos[:, 1], self._z) & _between(self.qpos[:, 2], self._angle)
        rest = np.concatenate([self.qpos[:, 2:], self.qvel], axis=1)
        return healthy & _between(rest, self._state).all(axis=1) & ~self._diverged

    def _judge(self, actions: Numbers) -> tuple[Numbers, NDArray[np.bool_], Infos]:
        forward, cost, healthy = self._forward * self._x_velocity, self._costs(actions), self._is_healthy()
        survive = healthy * float(self._healthy_reward)
        infos = {
            "x_position": self.qpos[:, 0].copy(),
            "z_distance_from_origin": self.qpos[:, 1] - self.init_qpos[1],
            "x_velocity": self._x_velocity,
            "reward_forward": forward,
            "reward_ctrl": -cost,
            "reward_survive": survive,
        }
        return forward + survive - cost, ~healthy & self._terminates | self._diverged, infos

    def _beginning(self) -> Infos:
        return {"x_position": self.qpos[:, 0].copy(), "z_distance_from_origin": self.qpos[:, 1] - self.init_qpos[1]}


class Walker2dVectorEnv(HopperVectorEnv):
    __doc__ = "Two legs walk forwards in a plane: Gymnasium's Walker2d-v5." + _MORE.format(id="Walker2d-v5")

    def __init__(
        self,
        num_envs: int = 1,
        *,
        xml_file: str = "walker2d_v5.xml",
        healthy_z_range: Range = (0.8, 2.0),
        healthy_angle_range: Range = (-1.0, 1.0),
        **options: Any,
    ) -> None:
        if "healthy_state_range" in options:
            raise Error("Walker2dVectorEnv: unknown option 'healthy_state_range'; that is an option of Hopper-v5")
        super().__init__(
            num_envs,
            xml_file=xml_file,
            healthy_state_range=(-np.inf, np.inf),
            healthy_z_range=healthy_z_range,
            healthy_angle_range=healthy_angle_range,
            **options,
        )


class _FreeVectorEnv(MujocoVectorEnv):
    """What has a free root."""

    def _prepare_free(
        self, forward_reward_weight: float, healthy_reward: float, terminate_when_unhealthy: bool, exclude: bool
    ) -> None:
        self._forward, self._healthy_reward, self._terminates = (
            forward_reward_weight,
            healthy_reward,
            terminate_when_unhealthy,
        )
        self._skipped = 2 * int(exclude)
        self._at = np.zeros((self.num_envs, 2))

    def _where(self) -> Numbers:
        """``[n, 2]`` whose speed is the reward, after the last step."""
        raise NotImplementedError

    def _begin(self, which: NDArray[np.int64]) -> None:
        super()._begin(which)
        if len(which) == self.num_envs:
            self._seen = self._body_state()
        else:
            for whole, part in zip(self._seen, self._body_state(which)):
                whole[which] = part
        self._at[which] = self._where()[which]

    def _move(self, actions: Numbers) -> None:
        super()._move(actions)
        self._seen = self._body_state()
        at = self._where()
        self._xy_velocity = (at - self._at) / self.dt
        self._at = at

    def _infos(self, healthy: NDArray[np.bool_], forward: Numbers, control: Numbers, contact: Numbers) -> Infos:
        return {
            **self._beginning(),
            "x_velocity": self._xy_velocity[:, 0],
            "y_velocity": self._xy_velocity[:, 1],
            "reward_forward": forward,
            "reward_ctrl": -control,
            "reward_contact": -contact,
            "reward_survive": healthy * float(self._healthy_reward),
        }

    def _beginning(self) -> Infos:
        return {
            "x_position": self.qpos[:, 0].copy(),
            "y_position": self.qpos[:, 1].copy(),
            "distance_from_origin": np.linalg.norm(self.qpos[:, :2], axis=1),
        }

    def _rewards(
        self, healthy: NDArray[np.bool_], control: Numbers, contact: Numbers
    ) -> tuple[Numbers, NDArray[np.bool_], Infos]:
        forward = self._forward * self._xy_velocity[:, 0]
        infos = self._infos(healthy, forward, control, contact)
        ended = ~healthy & self._terminates | self._diverged
        return forward + infos["reward_survive"] - (control + contact), ended, infos


class AntVectorEnv(_FreeVectorEnv):
    __doc__ = "A body on four legs runs along x: Gymnasium's Ant-v5." + _MORE.format(id="Ant-v5")

    def __init__(
        self,
        num_envs: int = 1,
        *,
        xml_file: str = "ant.xml",
        frame_skip: int = 5,
        forward_reward_weight: float = 1.0,
        ctrl_cost_weight: float = 0.5,
        contact_cost_weight: float = 5e-4,
        healthy_reward: float = 1.0,
        main_body: int | str = 1,
        terminate_when_unhealthy: bool = True,
        healthy_z_range: Range = (0.2, 1.0),
        contact_force_range: Range = (-1.0, 1.0),
        reset_noise_scale: float = 0.1,
        exclude_current_positions_from_observation: bool = True,
        include_cfrc_ext_in_observation: bool = True,
        **options: Any,
    ) -> None:
        self._load(num_envs, xml_file, frame_skip, reset_noise_scale, True, options)
        assert self._bodies is not None
        self._control_weight, self._contact_weight = ctrl_cost_weight, contact_cost_weight
        self._main = self._bodies.names.index(main_body) if isinstance(main_body, str) else main_body
        self._z, self._force = healthy_z_range, contact_force_range
        self._sees_forces = include_cfrc_ext_in_observation
        self._prepare_free(
            forward_reward_weight, healthy_reward, terminate_when_unhealthy, exclude_current_positions_from_observation
        )
        forces = 6 * (len(self._bodies.names) - 1) * int(include_cfrc_ext_in_observation)
        self._make_spaces(self.model.nq + self.model.nv - self._skipped + forces, *self._ranges.T)

    def _velocity_noise(self, chance: np.random.Generator) -> Numbers:
        return self._noise * chance.standard_normal(self.model.nv)

    def _where(self) -> Numbers:
        return self._seen.position[:, self._main, :2].copy()

    def _forces(self) -> Numbers:
        return np.clip(self._seen.cfrc_ext, *self._force)

    def _observe(self, which: NDArray[np.int64]) -> Numbers:
        parts = [self.qpos[which, self._skipped :], self.qvel[which]]
        if self._sees_forces:
            parts.append(self._forces()[which, 1:].reshape(len(which), -1))
        return np.concatenate(parts, axis=1)

    def _judge(self, actions: Numbers) -> tuple[Numbers, NDArray[np.bool_], Infos]:
        finite = np.isfinite(self.qpos).all(axis=1) & np.isfinite(self.qvel).all(axis=1)
        z = self.qpos[:, 2]
        healthy = finite & (self._z[0] <= z) & (z <= self._z[1]) & ~self._diverged
        control = np.asarray(self._control_weight * np.sum(np.square(actions), axis=1), np.float64)
        contact = self._contact_weight * np.square(self._forces()).sum(axis=(1, 2))
        return self._rewards(healthy, control, contact)


class HumanoidVectorEnv(_FreeVectorEnv):
    __doc__ = (
        "A humanoid walks along x: Gymnasium's Humanoid-v5. Infos lack the lengths of tendons, which exert no force."
        + _MORE.format(id="Humanoid-v5")
    )

    def __init__(
        self,
        num_envs: int = 1,
        *,
        xml_file: str = "humanoid.xml",
        frame_skip: int = 5,
        forward_reward_weight: float = 1.25,
        ctrl_cost_weight: float = 0.1,
        contact_cost_weight: float = 5e-7,
        contact_cost_range: Range = (-np.inf, 10.0),
        healthy_reward: float = 5.0,
        terminate_when_unhealthy: bool = True,
        healthy_z_range: Range = (1.0, 2.0),
        reset_noise_scale: float = 1e-2,
        exclude_current_positions_from_observation: bool = True,
        include_cinert_in_observation: bool = True,
        include_cvel_in_observation: bool = True,
        include_qfrc_actuator_in_observation: bool = True,
        include_cfrc_ext_in_observation: bool = True,
        **options: Any,
    ) -> None:
        self._load(num_envs, xml_file, frame_skip, reset_noise_scale, True, options)
        assert self._bodies is not None
        self._control_weight, self._contact_weight = ctrl_cost_weight, contact_cost_weight
        self._contact_range, self._z = contact_cost_range, healthy_z_range
        self._sees = (
            include_cinert_in_observation,
            include_cvel_in_observation,
            include_qfrc_actuator_in_observation,
            include_cfrc_ext_in_observation,
        )
        self._prepare_free(
            forward_reward_weight, healthy_reward, terminate_when_unhealthy, exclude_current_positions_from_observation
        )
        bodies = len(self._bodies.names) - 1
        sizes = (10 * bodies, 6 * bodies, self.model.nv - 6, 6 * bodies)
        seen = sum(size for size, sees in zip(sizes, self._sees) if sees)
        self._make_spaces(self.model.nq + self.model.nv - self._skipped + seen, *self._ranges.T)

    def _where(self) -> Numbers:
        return self._seen.centre_of_mass[:, :2]

    def _observe(self, which: NDArray[np.int64]) -> Numbers:
        n, seen = len(which), self._seen
        forces = actuator_forces(self.model, self.batch.q[which], self.batch.v[which], self._controls[which])[:, 6:]
        parts = [seen.cinert[which, 1:], seen.cvel[which, 1:], forces, seen.cfrc_ext[which, 1:]]
        shown = [part.reshape(n, -1) for part, sees in zip(parts, self._sees) if sees]
        return np.concatenate([self.qpos[which, self._skipped :], self.qvel[which], *shown], axis=1)

    def _judge(self, actions: Numbers) -> tuple[Numbers, NDArray[np.bool_], Infos]:
        healthy = _between(self.qpos[:, 2], self._z) & ~self._diverged
        control = self._control_weight * np.square(self._controls).sum(axis=1)
        contact = self._contact_weight * np.square(self._seen.cfrc_ext).sum(axis=(1, 2))
        return self._rewards(healthy, control, np.clip(contact, *self._contact_range))


def _between(x: Numbers, bounds: Range) -> NDArray[np.bool_]:
    within: NDArray[np.bool_] = (bounds[0] < x) & (x < bounds[1])
    return within
