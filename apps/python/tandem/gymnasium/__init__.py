# SPDX-License-Identifier: Apache-2.0
"""Environments of Gymnasium, thousands of them at once on a :class:`tandem.VectorSimulation`.

``import tandem.gymnasium`` registers them; ``"tandem.gymnasium:tandem/Reach-v0"`` is imported by Gymnasium itself.

=========================  ==========================================================================
``tandem/Reach-v0``        an arm reaches for points
``tandem/HalfCheetah-v0``  Gymnasium's HalfCheetah-v5; so are ``Hopper``, ``Walker2d``, ``Ant`` and ``Humanoid``
``tandem/Quadruped-v0``    a quadruped walks as it is told
=========================  ==========================================================================

>>> import gymnasium, tandem.gymnasium
>>> envs = gymnasium.make_vec("tandem/Reach-v0", num_envs=100)
>>> observations, infos = envs.reset(seed=1)
>>> observations.shape, envs.single_action_space.shape
((100, 20), (7,))
>>> observations, rewards, terminations, truncations, infos = envs.step(envs.action_space.sample())
>>> rewards.shape, sorted(infos)
((100,), ['_distance', '_is_success', 'distance', 'is_success'])
"""

from __future__ import annotations

from tandem.gymnasium._framework import gym as _gym
from tandem.gymnasium._quadruped import QuadrupedVectorEnv
from tandem.gymnasium._reach import ReachEnv, ReachVectorEnv
from tandem.gymnasium._runners import (
    AntVectorEnv,
    HalfCheetahVectorEnv,
    HopperVectorEnv,
    HumanoidVectorEnv,
    Walker2dVectorEnv,
)
from tandem.gymnasium._single import AntEnv, HalfCheetahEnv, HopperEnv, HumanoidEnv, QuadrupedEnv, Walker2dEnv

__all__ = [
    "AntEnv",
    "AntVectorEnv",
    "HalfCheetahEnv",
    "HalfCheetahVectorEnv",
    "HopperEnv",
    "HopperVectorEnv",
    "HumanoidEnv",
    "HumanoidVectorEnv",
    "QuadrupedEnv",
    "QuadrupedVectorEnv",
    "ReachEnv",
    "ReachVectorEnv",
    "Walker2dEnv",
    "Walker2dVectorEnv",
]

_STEPS = {  # of an episode
    "Reach": 50,
    "HalfCheetah": 1000,
    "Hopper": 1000,
    "Walker2d": 1000,
    "Ant": 1000,
    "Humanoid": 1000,
    "Quadruped": 500,
}

for _name, _steps in _STEPS.items():
    if f"tandem/{_name}-v0" not in _gym.registry:
        _gym.register(
            id=f"tandem/{_name}-v0",
            entry_point=f"tandem.gymnasium:{_name}Env",
            vector_entry_point=f"tandem.gymnasium:{_name}VectorEnv",
            max_episode_steps=_steps,
        )
