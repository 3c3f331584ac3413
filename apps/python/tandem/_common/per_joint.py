# SPDX-License-Identifier: Apache-2.0
"""What a model has for each of its joints, by the joints' own indices."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, SupportsIndex, TypeVar

from tandem.errors import Error

T_co = TypeVar("T_co", covariant=True)


class PerJoint(tuple[T_co, ...]):
    """Entry i is of joint i, which carries link i: the first is 1, as link 0 is the base and no joint carries it.

    So ``model.joint_names[model.joint_index(name)] == name``, and ``joints[i]`` corresponds to ``link_names[i]`` and
    ``parents[i]``. Iteration goes from joint 1 to the last one. An index of 0, or one past the end, raises an Error;
    -1 is the last joint.

    >>> arm = tandem.load("arm7")
    >>> arm.joint_names[1], arm.joints[1].child == arm.link_names[1], len(arm.joints)
    ('joint1', True, 7)
    """

    __slots__ = ()

    def __getitem__(self, joint: SupportsIndex) -> T_co:  # type: ignore[override]
        if isinstance(joint, slice):
            raise Error("joints are numbered from 1 and cannot be sliced; slice list(joints), whose first index is 0")
        k = operator.index(joint)
        if not (1 <= k <= len(self) or -len(self) <= k < 0):
            there = f"there are 1 to {len(self)}" if self else "there are none"
            raise Error(f"joint {k} does not exist; {there}")
        return super().__getitem__(k - 1 if k > 0 else k)

    def __reversed__(self) -> Iterator[T_co]:
        return reversed(tuple(self))

    def index(self, value: Any, *bounds: Any) -> int:
        """The joint whose entry this is, 1 or more."""
        return super().index(value, *bounds) + 1

    def __eq__(self, other: object) -> bool:
        """Whether all entries are the same, in the same order: of another one, a tuple or a list."""
        return tuple(self) == tuple(other) if isinstance(other, (tuple, list)) else NotImplemented

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{k}: {entry!r}" for k, entry in enumerate(self, 1)) + "}"
