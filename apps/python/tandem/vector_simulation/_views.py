# SPDX-License-Identifier: Apache-2.0
"""Joints, links and frames of a vector simulation by name, with the rows of all robots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from tandem import functions
from tandem._common.arguments import whole_number
from tandem._common.attributes import ArrayProperty, KnownAttributes, written
from tandem._core import Joint, Link
from tandem.functions import Array, Reference
from tandem.vector_simulation._arrays import RobotArrays
from tandem.vector_simulation._states import numbers_of


class _parameter(ArrayProperty):
    """A parameter of every robot by the rows of it that belong to a view."""

    def __init__(self, rows: Callable[[Any], Any]) -> None:
        name = rows.__name__

        def get(view: Any) -> Array:
            return view._robots._present(name)[:, rows(view)]

        def put(view: Any, values: ArrayLike) -> None:
            view._write(name, view._robots.parameter(name)[:, rows(view)], values)

        super().__init__(get, put, doc=rows.__doc__)


class _View(KnownAttributes):
    def __init__(self, robots: RobotArrays) -> None:
        self._robots = robots

    def _write(self, name: str, part: Array, values: ArrayLike) -> None:
        numbers = numbers_of(values, part.dtype)
        if part.ndim == 2 and part.shape[1] == 1 and numbers.shape == (len(part),):
            numbers = numbers[:, None]  # a number for each robot
        self._robots._write(name, part, numbers)


class JointView(_View):
    """A joint of all robots: views of its rows, some of which can be written."""

    def __init__(self, robots: RobotArrays, joint: str | int) -> None:
        super().__init__(robots)
        self._joint = robots.model.joint(joint)
        first, more = self._joint.q_index, self._joint.v_index
        self._of_q = slice(first, first + self._joint.nq)
        self._of_v = slice(more, more + self._joint.nv)

    def __repr__(self) -> str:
        return f"<{self._joint.type} joint {self._joint.name!r} of {self._robots.size} robots>"

    @property
    def joint(self) -> Joint:
        """The joint or link of the model."""
        return self._joint

    @written
    def q(self) -> Array:
        """Coordinates ``[size, nq of the joint]`` rad|m, a view."""
        return self._robots.q[:, self._of_q]

    @written
    def v(self) -> Array:
        """Velocities ``[size, nv of the joint]`` rad/s|m/s, a view."""
        return self._robots.v[:, self._of_v]

    @written
    def tau(self) -> Array:
        """Joint torques ``[size, nv of the joint]`` N m|N, a view."""
        return self._robots.tau[:, self._of_v]

    @written
    def q_target(self) -> Array:
        """Target of the controller, ``[size, nq of the joint]`` rad|m, a view."""
        return self._robots.q_target[:, self._of_q]

    @_parameter
    def armature(self) -> slice:
        """Rotor inertias ``[size, nv of the joint]`` kg m^2|kg; writing makes it a parameter of each robot."""
        return self._of_v

    @_parameter
    def damping(self) -> slice:
        """Viscous damping ``[size, nv of the joint]`` N m s/rad|N s/m; writing makes it a parameter of each robot."""
        return self._of_v

    @_parameter
    def friction(self) -> slice:
        """Coulomb friction ``[size, nv of the joint]`` N m|N; writing makes it a parameter of each robot."""
        return self._of_v

    @_parameter
    def stiffness(self) -> slice:
        """Stiffness of its spring ``[size, nv of the joint]`` N m/rad|N/m; writing makes it a parameter of each
        robot."""
        return self._of_v


class FrameView(_View):
    """A frame of all robots: its pose and motion, computed from the current states at each access."""

    def __init__(self, robots: RobotArrays, frame: str | int) -> None:
        super().__init__(robots)
        model = robots.model
        if isinstance(frame, str):
            self._index = model.frame_index(frame)
        else:
            self._index = whole_number("VectorSimulation.frame: frame", frame, 0, model.n_frames - 1)

    @property
    def name(self) -> str:
        """Of the frame."""
        return self._robots.model.frame_names[self._index]

    def __repr__(self) -> str:
        return f"<{type(self).__name__.removesuffix('View').lower()} {self.name!r} of {self._robots.size} robots>"

    @property
    def pose(self) -> Array:
        """Pose in the world, ``[size, 3, 4]``, a new array."""
        return functions.forward_kinematics(self._robots.model, self._robots.q,
                                            threads=self._robots._threads)[:, self._index]

    @property
    def position(self) -> Array:
        """Position of its origin in the world, ``[size, 3]`` m, a new array."""
        return self.pose[..., 3]

    @property
    def rotation(self) -> Array:
        """Rotation from its axes to the world's, ``[size, 3, 3]``, a new array."""
        return self.pose[..., :3]

    @property
    def velocity(self) -> Array:
        """Velocity of its origin and angular velocity along the world's axes, ``[size, 6]`` m/s, rad/s, a new array."""
        robots = self._robots
        of_all = functions.forward_kinematics(
            robots.model, robots.q, robots.v, reference="local_world_aligned", threads=robots._threads
        )
        return of_all[1][:, self._index]

    def jacobian(self, reference: Reference = "local_world_aligned") -> Array:
        """``[size, 6, nv]``, a new array; see :func:`tandem.jacobian`."""
        robots = self._robots
        return functions.jacobian(robots.model, robots.q, self._index, reference, threads=robots._threads)


class LinkView(FrameView):
    """A link of all robots: properties of a frame, inertial parameters and external wrench."""

    def __init__(self, robots: RobotArrays, link: str | int) -> None:
        self._link = robots.model.link(link)
        super().__init__(robots, self._link.index)

    @property
    def link(self) -> Link:
        """The joint or link of the model."""
        return self._link

    @_parameter
    def mass(self) -> int:
        """Mass ``[size]`` kg; writing makes it a parameter of each robot."""
        return self._index

    @_parameter
    def com(self) -> int:
        """Centre of mass in the link's frame, ``[size, 3]`` m; writing makes it a parameter of each robot."""
        return self._index

    @_parameter
    def inertia(self) -> int:
        """xx xy xz yy yz zz about the centre of mass, ``[size, 6]`` kg m^2; writing makes it a parameter of each
        robot."""
        return self._index

    @property
    def contact_force(self) -> Array:
        """Sum of the contact forces on it in the last step along the axes of the world, ``[size, 3]`` N."""
        return self._robots._simulation.contact_force(self._link.index)

    @property
    def touches(self) -> Array:
        """Whether a contact force acted on it in the last step, ``[size]``."""
        found: Array = self._robots._simulation.touches(self._link.index)
        return found

    @written
    def f_ext(self) -> Array:
        """Wrench on it ``[size, 6]`` N, N m, linear first, at its origin along its axes, where the simulation has
        it."""
        return self._robots.f_ext[:, self._index]
