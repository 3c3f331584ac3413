# SPDX-License-Identifier: Apache-2.0
"""Robots of MJCF files as Gymnasium's MuJoCo environments have them: coordinates, controls, steps and resets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tandem._common.arguments import whole_number
from tandem._core import ContactSet, Model, load
from tandem.configuration import neutral_configuration
from tandem.errors import Error
from tandem.functions import Integrator
from tandem.gymnasium._episodes import EpisodeVectorEnv, Infos
from tandem.gymnasium._framework import Numbers, gym
from tandem.gymnasium._mujoco_state import Bodies, BodyState, Coordinates
from tandem.gymnasium._pictures import Pictures
from tandem.simulation import ContactOptions
from tandem.vector_simulation import VectorSimulation

INTEGRATORS: Mapping[str, Integrator] = {
    "Euler": "semi_implicit_euler",
    "implicit": "semi_implicit_euler",
    "implicitfast": "semi_implicit_euler",
    "RK4": "rk4",
}


def installed_file(name: str) -> Path:
    """The file of a robot that Gymnasium installs, or an Error that says how to get it."""
    path = Path(gym.__file__).parent / "envs" / "mujoco" / "assets" / name
    if not path.is_file():
        raise Error(
            f'{path}: no such file; the robots of MuJoCo environments come with pip install "gymnasium[mujoco]"'
        )
    return path


class MujocoVectorEnv(EpisodeVectorEnv):
    """Robots of an MJCF file with its actuators, contacts, time step and integrator, by
    :class:`tandem.VectorSimulation`.

    A step of the environment is ``frame_skip`` steps of the file's. What is observed of bodies and contacts is of the
    last stage of the last of these, as in MuJoCo's ``mjData`` after ``mj_step``; ``qpos`` and ``qvel`` are those after
    it.

    Attributes:
        model: the robot
        batch: the simulation
        dt: s, of a step of the environment
    """

    def _load(
        self,
        num_envs: int,
        xml_file: str | os.PathLike[str],
        frame_skip: int,
        reset_noise_scale: float,
        observes_bodies: bool,
        options: dict[str, Any],
    ) -> None:
        name = type(self).__name__
        known: dict[str, Any] = {
            "max_episode_steps": 1000,
            "autoreset_mode": "NextStep",
            "render_mode": None,
            "threads": 0,
            "contact_options": None,
        }
        for option in options:
            if option not in known:
                raise Error(
                    f"{name}: unknown option {option!r}; besides those of the environment there are {', '.join(known)}"
                )
        known |= options
        given = Path(xml_file)
        path = given if given.is_absolute() or given.parent != Path() or given.is_file() else installed_file(str(given))
        self.model: Model = load(str(path))
        settings: dict[str, Any] = dict(self.model.contact_settings)
        self._skip = whole_number(f"{name}: frame_skip", frame_skip, 1)
        time_step = settings["timestep"] or 0.002
        self.dt: float = time_step * self._skip
        self._prepare(num_envs, 1 / self.dt, known["max_episode_steps"], known["autoreset_mode"], known["render_mode"])
        if settings["integrator"] not in INTEGRATORS:
            known_ones = ", ".join(INTEGRATORS)
            raise Error(f"{name}: {path} has the integrator {settings['integrator']!r}, expected one of {known_ones}")
        integrator = INTEGRATORS[settings["integrator"]]
        self._noise = float(reset_noise_scale)
        if self.model.nu == 0:
            raise Error(f"{name}: {self.model.name} has no actuators")
        self._ranges = np.array([actuator.ctrl_range for actuator in self.model.actuators])
        pairs = ContactSet(self.model)
        contact_options: ContactOptions | None = known["contact_options"]
        self.batch = VectorSimulation(
            self.model,
            self.num_envs,
            dt=time_step,
            substeps=self._skip,
            integrator=integrator,
            threads=known["threads"],
            excess=np.inf,
            max_speed=np.inf,
            contacts=pairs,
            contact_options=contact_options,
        )
        self._coordinates = Coordinates(self.model)
        named = self.model.configuration_names
        start = self.model.configuration("qpos0") if "qpos0" in named else neutral_configuration(self.model)
        self.init_qpos = self._coordinates.qpos(np.asarray(start, np.float64))
        self.init_qvel = np.zeros(self.model.nv)
        self.qpos = np.tile(self.init_qpos, (self.num_envs, 1))
        self.qvel = np.zeros((self.num_envs, self.model.nv))
        self._controls[:] = 0  # actuators act from here on
        self._bodies = Bodies(path, self.model, pairs) if observes_bodies else None
        if self._bodies is not None and integrator != "rk4":
            raise Error(
                f"{name}: {path} has the integrator {settings['integrator']}; bodies and contacts are observed with RK4"
            )
        self._pictures = None if self.render_mode is None else Pictures(self.model)

    @property
    def _controls(self) -> Numbers:
        return self.batch.ctrl

    def _move(self, actions: Numbers) -> None:
        self._controls[:] = actions
        self.batch.step()
        q, v = self.batch.q, self.batch.v
        self.qpos = self._coordinates.qpos(q)
        self.qvel = self._coordinates.qvel(q, v)

    def _begin(self, which: NDArray[np.int64]) -> None:
        nq, nv = self.model.nq, self.model.nv
        noise, more = np.empty((len(which), nq)), np.empty((len(which), nv))
        for row, i in enumerate(which):
            chance = self._generator(i)
            noise[row] = chance.uniform(low=-self._noise, high=self._noise, size=nq)
            more[row] = self._velocity_noise(chance)
        self.qpos[which] = self.init_qpos + noise
        self.qvel[which] = self.init_qvel + more
        self._controls[which] = 0
        q = self._coordinates.q(self.qpos[which])
        self.batch.reset(which, q=q, v=self._coordinates.v(q, self.qvel[which]))

    def _velocity_noise(self, chance: np.random.Generator) -> Numbers:
        return chance.uniform(low=-self._noise, high=self._noise, size=self.model.nv)

    def _body_state(self, which: NDArray[np.int64] | None = None) -> BodyState:
        """Of bodies where contact forces act; after a reset there are none yet."""
        assert self._bodies is not None
        some = slice(None) if which is None else which
        q, v = self.batch.contact_state
        return self._bodies.state(q[some], v[some], self.batch.contact_forces[some])

    @property
    def _diverged(self) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self.batch.diverged
        return found

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture ``[height, width, 3]`` of each; None without a ``render_mode``."""
        if self._pictures is None:
            gym.logger.warn("render needs an environment made with render_mode='rgb_array'")
            return None
        return tuple(self._pictures.picture(q) for q in np.asarray(self.batch.q, np.float64))


__all__ = ["Infos", "MujocoVectorEnv", "installed_file"]
