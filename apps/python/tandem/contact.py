# SPDX-License-Identifier: Apache-2.0
"""Where the shapes of a robot touch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tandem import _core
from tandem._core import ContactSet, Model
from tandem.errors import Error
from tandem.functions import Array


class Contacts(NamedTuple):
    """Contacts by the slots of a :class:`tandem.ContactSet`, in the axes of the world."""

    distance: Array  #: ``[..., n_slots]`` of the two surfaces, m; below 0: they overlap; infinite: no contact in this slot
    position: Array  #: ``[..., n_slots, 3]`` half way between the surfaces, m
    frame: Array  #: ``[..., n_slots, 3, 3]`` rows: the normal, from shape 1 to shape 2 of the pair, and two tangents

    @property
    def normal(self) -> Array:
        """``[..., n_slots, 3]`` unit vectors from shape 1 to shape 2 of the pair."""
        return self.frame[..., 0, :]


def contacts(robot: Model | ContactSet, q: ArrayLike) -> Contacts:
    """Distances, points and frames of the contacts of a robot's shapes.

    Also of shapes that are far apart: two shapes push where their distance is below the margin of their pair. No forces are
    computed. A :class:`tandem.ContactSet` is made once and used for many calls.

    Args:
        robot: a contact set, or a model, of which ``ContactSet(model)`` has all pairs
        q: ``[..., nq]`` configuration, rad|m

    Raises:
        Error: the shape of q does not fit, or contacts of the model cannot be computed, see :class:`tandem.ContactSet`

    >>> robot = tandem.ModelBuilder("ball").link("world").link("ball", mass=1, inertia=(1, 0, 0, 1, 0, 1))
    >>> robot = robot.joint("free", "free", "world", "ball").shape("floor", "plane", "world")
    >>> ball = robot.shape("ball", "sphere", "ball", size=0.1).build()
    >>> found = tandem.contacts(ball, [0, 0, 0.3, 0, 0, 0, 1])
    >>> found.distance.round(3).tolist(), found.position.round(3).tolist(), found.normal.tolist()
    ([0.2], [[0.0, 0.0, 0.1]], [[0.0, 0.0, 1.0]])
    """
    chosen = robot if isinstance(robot, ContactSet) else ContactSet(robot)
    nq = chosen.model.nq
    given = np.ascontiguousarray(q, float)
    if given.ndim == 0 or given.shape[-1] != nq:
        raise Error(f"contacts: q has shape {given.shape}, expected (..., {nq}): this robot has nq = {nq}")
    front, n = given.shape[:-1], chosen.n_slots
    rows = given.reshape(-1, nq) if nq else given.reshape(int(np.prod(front)), 0)
    distance, position, frame = (np.empty((len(rows), size * n)) for size in (1, 3, 9))
    _core.fill_contacts(chosen, rows, distance, position, frame)
    return Contacts(distance.reshape(*front, n), position.reshape(*front, n, 3), frame.reshape(*front, n, 3, 3))
