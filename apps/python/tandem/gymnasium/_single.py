# SPDX-License-Identifier: Apache-2.0
"""One environment each: the vector environments of one."""

from __future__ import annotations

from tandem.gymnasium._episodes import OneEnv
from tandem.gymnasium._quadruped import QuadrupedVectorEnv
from tandem.gymnasium._runners import (
    AntVectorEnv,
    HalfCheetahVectorEnv,
    HopperVectorEnv,
    HumanoidVectorEnv,
    Walker2dVectorEnv,
)


class HalfCheetahEnv(OneEnv):
    """One :class:`HalfCheetahVectorEnv`, with its options."""

    many = HalfCheetahVectorEnv


class HopperEnv(OneEnv):
    """One :class:`HopperVectorEnv`, with its options."""

    many = HopperVectorEnv


class Walker2dEnv(OneEnv):
    """One :class:`Walker2dVectorEnv`, with its options."""

    many = Walker2dVectorEnv


class AntEnv(OneEnv):
    """One :class:`AntVectorEnv`, with its options."""

    many = AntVectorEnv


class HumanoidEnv(OneEnv):
    """One :class:`HumanoidVectorEnv`, with its options."""

    many = HumanoidVectorEnv


class QuadrupedEnv(OneEnv):
    """One :class:`QuadrupedVectorEnv`, with its options."""

    many = QuadrupedVectorEnv
