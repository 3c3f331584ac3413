# SPDX-License-Identifier: Apache-2.0
"""Joints, links and frames of a batch by name, with the rows of all robots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from tandem import functions
from tandem._attributes import KnownAttributes
from tandem._core import Joint, Link
from tandem._live_states import numbers_of
from tandem.arguments import whole_number
from tandem.functions import Array, Reference

if TYPE_CHECKING:
    from tandem.live import Batch


class _View(KnownAttributes):
    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    def _set(self, name: str, part: Array, values: ArrayLike) -> None:
        numbers = numbers_of(values, part.dtype)
        if part.ndim == 2 and part.shape[1] == 1 and numbers.shape == (len(part),):
            numbers = numbers[:, None]  # a number for each robot
        self._batch._write(name, part, numbers)


class JointView(_View):
    """A joint of all robots: its rows, to read and to write where they are written to below."""

    def __init__(self, batch: Batch, joint: str | int) -> None:
        super().__init__(batch)
        self._joint = batch.model.joint(joint)
        first, more = self._joint.q_index, self._joint.v_index
        self._of_q = slice(first, first + self._joint.nq)
        self._of_v = slice(more, more + self._joint.nv)

    def __repr__(self) -> str:
        return f"<{self._joint.type} joint {self._joint.name!r} of {self._batch.size} robots>"

    @property
    def joint(self) -> Joint:
        """What the model has."""
        return self._joint

    @property
    def q(self) -> Array:
        """Coordinates ``[size, nq of the joint]`` rad|m, where the batch has them."""
        return self._batch.q[:, self._of_q]

    @q.setter
    def q(self, values: ArrayLike) -> None:
        self._set("q", self.q, values)

    @property
    def v(self) -> Array:
        """Velocities ``[size, nv of the joint]`` rad/s|m/s, where the batch has them."""
        return self._batch.v[:, self._of_v]

    @v.setter
    def v(self, values: ArrayLike) -> None:
        self._set("v", self.v, values)

    @property
    def tau(self) -> Array:
        """Forces ``[size, nv of the joint]`` N m|N, where the batch has them."""
        return self._batch.tau[:, self._of_v]

    @tau.setter
    def tau(self, values: ArrayLike) -> None:
        self._set("tau", self.tau, values)

    @property
    def q_target(self) -> Array:
        """What the controller pulls to, ``[size, nq of the joint]`` rad|m, where the batch has it."""
        return self._batch.q_target[:, self._of_q]

    @q_target.setter
    def q_target(self, values: ArrayLike) -> None:
        self._set("q_target", self.q_target, values)

    @property
    def armature(self) -> Array:
        """Rotor inertias ``[size, nv of the joint]`` kg m^2|kg; written to, every robot has its own."""
        return self._batch._present("armature")[:, self._of_v]

    @armature.setter
    def armature(self, values: ArrayLike) -> None:
        self._set("armature", self._batch.parameter("armature")[:, self._of_v], values)

    @property
    def damping(self) -> Array:
        """Viscous damping ``[size, nv of the joint]`` N m s/rad|N s/m; written to, every robot has its own."""
        return self._batch._present("damping")[:, self._of_v]

    @damping.setter
    def damping(self, values: ArrayLike) -> None:
        self._set("damping", self._batch.parameter("damping")[:, self._of_v], values)

    @property
    def friction(self) -> Array:
        """Coulomb friction ``[size, nv of the joint]`` N m|N; written to, every robot has its own."""
        return self._batch._present("friction")[:, self._of_v]

    @friction.setter
    def friction(self, values: ArrayLike) -> None:
        self._set("friction", self._batch.parameter("friction")[:, self._of_v], values)

    @property
    def stiffness(self) -> Array:
        """Stiffness of its spring ``[size, nv of the joint]`` N m/rad|N/m; written to, every robot has its own."""
        return self._batch._present("stiffness")[:, self._of_v]

    @stiffness.setter
    def stiffness(self, values: ArrayLike) -> None:
        self._set("stiffness", self._batch.parameter("stiffness")[:, self._of_v], values)


class FrameView(_View):
    """A frame of all robots: where it is and how it moves, computed from the present states when asked."""

    def __init__(self, batch: Batch, frame: str | int) -> None:
        super().__init__(batch)
        model = batch.model
        if isinstance(frame, str):
            self._index = model.frame_index(frame)
        else:
            self._index = whole_number("Batch.frame: frame", frame, 0, model.n_frames - 1)

    @property
    def name(self) -> str:
        """Of the frame."""
        return self._batch.model.frame_names[self._index]

    def __repr__(self) -> str:
        return f"<{type(self).__name__.removesuffix('View').lower()} {self.name!r} of {self._batch.size} robots>"

    @property
    def pose(self) -> Array:
        """In the world, ``[size, 3, 4]``, a new array."""
        return functions.forward_kinematics(self._batch.model, self._batch.q, threads=self._batch._threads)[:, self._index]

    @property
    def position(self) -> Array:
        """Of its origin in the world, ``[size, 3]`` m, a new array."""
        return self.pose[..., 3]

    @property
    def rotation(self) -> Array:
        """From its axes to the world's, ``[size, 3, 3]``, a new array."""
        return self.pose[..., :3]

    @property
    def velocity(self) -> Array:
        """Of its origin, and of turning, along the world's axes: ``[size, 6]`` m/s and rad/s, linear first, a new array."""
        batch = self._batch
        of_all = functions.forward_kinematics(
            batch.model, batch.q, batch.v, reference="local_world_aligned", threads=batch._threads
        )
        return of_all[1][:, self._index]

    def jacobian(self, reference: Reference = "local_world_aligned") -> Array:
        """``[size, 6, nv]``, a new array; see :func:`tandem.jacobian`."""
        batch = self._batch
        return functions.jacobian(batch.model, batch.q, self._index, reference, threads=batch._threads)


class LinkView(FrameView):
    """A link of all robots: what a frame has, what it weighs, and what pushes it."""

    def __init__(self, batch: Batch, link: str | int) -> None:
        self._link = batch.model.link(link)
        super().__init__(batch, self._link.index)

    @property
    def link(self) -> Link:
        """What the model has."""
        return self._link

    @property
    def mass(self) -> Array:
        """``[size]`` kg; written to, every robot has its own."""
        return self._batch._present("mass")[:, self._index]

    @mass.setter
    def mass(self, values: ArrayLike) -> None:
        self._set("mass", self._batch.parameter("mass")[:, self._index], values)

    @property
    def com(self) -> Array:
        """Centre of mass in the link's frame, ``[size, 3]`` m; written to, every robot has its own."""
        return self._batch._present("com")[:, self._index]

    @com.setter
    def com(self, values: ArrayLike) -> None:
        self._set("com", self._batch.parameter("com")[:, self._index], values)

    @property
    def inertia(self) -> Array:
        """xx xy xz yy yz zz about the centre of mass, ``[size, 6]`` kg m^2; written to, every robot has its own."""
        return self._batch._present("inertia")[:, self._index]

    @inertia.setter
    def inertia(self, values: ArrayLike) -> None:
        self._set("inertia", self._batch.parameter("inertia")[:, self._index], values)

    @property
    def f_ext(self) -> Array:
        """Wrench on it ``[size, 6]`` N, N m, linear first, at its origin along its axes, where the batch has it."""
        return self._batch.f_ext[:, self._index]

    @f_ext.setter
    def f_ext(self, values: ArrayLike) -> None:
        self._set("f_ext", self.f_ext, values)
