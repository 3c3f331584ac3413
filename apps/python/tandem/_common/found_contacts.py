# SPDX-License-Identifier: Apache-2.0
"""Contacts of pairs of shapes that are found in every state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem import _core
from tandem._core import ContactSet

Array = NDArray[np.float64]


class FoundContacts(NamedTuple):
    """Contacts of pairs of two moving links that a :class:`tandem.ContactSet` finds, which have no slots: ``n`` of all
    states, by states, links and shapes."""

    state: NDArray[np.int32]  #: ``[n]`` in which state, or robot of a batch
    shape_1: NDArray[np.int32]  #: ``[n]`` index of shape 1 in ``model.shapes``
    shape_2: NDArray[np.int32]  #: ``[n]`` index of shape 2, to which normals point
    slot: NDArray[np.int32]  #: ``[n]`` which contact of the two shapes
    distance: Array  #: ``[n]`` distance of the surfaces, below the margin of the pair, m
    position: Array  #: ``[n, 3]`` midpoint between the surfaces, in the world, m
    frame: Array  #: ``[n, 3, 3]`` rows: the normal, and two tangents
    #: ``[n, 6]`` force of shape 1 on shape 2 along the normal and the two tangents, N; then moments about them, N m; 0
    #: where contacts alone are computed
    force: Array


def found_contacts(pairs: ContactSet, q: ArrayLike) -> FoundContacts:
    """Find the contacts of pairs of two moving links that ``pairs`` does not list, see :class:`tandem.ContactSet`.

    Args:
        pairs: a contact set with ``finds_pairs``; of one that lists all pairs nothing is found
        q: ``[nq]`` configuration, rad|m

    Raises:
        Error: for a q of wrong shape

    >>> rope = tandem.describe(tandem.load("chain:3"))
    >>> for k in (1, 2, 3):
    ...     rope = rope.shape(f"ball{k}", "sphere", f"link{k}", size=0.6)
    >>> pairs = tandem.ContactSet(rope.build(), self_pairs="found")
    >>> q = tandem.neutral_configuration(pairs.model)
    >>> found = tandem.contact.found_contacts(pairs, q)
    >>> found.shape_1, found.shape_2  # links next to each other do not touch
    (array([0], dtype=int32), array([2], dtype=int32))
    """
    return FoundContacts(*_core.found_contacts(pairs, np.ascontiguousarray(q, float)))
