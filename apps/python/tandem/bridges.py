# SPDX-License-Identifier: Apache-2.0
"""Conversion of coordinates between Tandem and Pinocchio or MuJoCo, with joints paired by name.

The libraries differ in the coordinates of the same robot:

============================  ==========================  ==========================  ============================
..                            Tandem                      Pinocchio                   MuJoCo
============================  ==========================  ==========================  ============================
order of the joints           depth first, as described   siblings by name            depth first, as described
a continuous joint in q       the angle, with its turns   cosine and sine             the angle
a planar joint in q           x y angle                   x y cosine sine             there is none
quaternions                   x y z w                     x y z w                     w x y z
position of a free joint      in the parent frame         in the parent frame         in the world
linear velocity of one        along the body's axes       along the body's axes       along the world's axes
a mimic joint                 no rows of its own          rows of its own, or none    rows of its own
============================  ==========================  ==========================  ============================

Velocities of planar and spherical joints, and angular ones of free joints, are along the child's axes in all three.
A bridge reads the other library's model; the module imports a library only to make a model of it::

    robot, theirs = tandem.load(file), pinocchio.buildModelFromUrdf(file)
    bridge = tandem.bridges.to_pinocchio(robot, theirs)
    tau = bridge.tau_from(pinocchio.rnea(theirs, data, bridge.q_to(q), bridge.v_to(v), bridge.a_to(a)))

A bridge checks types and names of joints only. It does not check that both models have the same axes, frames and
masses; compare :func:`tandem.forward_kinematics` with the other library's to verify it. Coordinates of joints with one
degree of freedom are not changed; MuJoCo's ``ref``, which shifts them, is not subtracted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tandem import spatial
from tandem._core import Joint, Model
from tandem._interop.joint_pairs import Theirs, of_mujoco, of_pinocchio, pair
from tandem._interop.other_models import mujoco_model_of, pinocchio_model_of
from tandem.configuration import neutral_configuration, pose_to_quaternion
from tandem.errors import Error
from tandem.functions import Array, forward_kinematics, inverse_dynamics

__all__ = ["Bridge", "mujoco_model", "pinocchio_model", "to_mujoco", "to_pinocchio"]

_Indices = NDArray[np.intp]


class _Line(NamedTuple):
    """theirs = multiplier * ours + offset, in row `theirs` of theirs and `ours` of ours; own: not of a mimic joint."""

    ours: int
    theirs: int
    multiplier: float = 1.0
    offset: float = 0.0
    own: bool = True


class _Lines:
    """Rows of q or v, side by side."""

    def __init__(self, lines: list[_Line]) -> None:
        self.ours: _Indices = np.array([line.ours for line in lines], np.intp)
        self.theirs: _Indices = np.array([line.theirs for line in lines], np.intp)
        self.multiplier = np.array([line.multiplier for line in lines])
        self.offset = np.array([line.offset for line in lines])
        self.own = np.array([line.own for line in lines], bool)

    def forward(self, ours: Array) -> Array:
        """The values of the rows `theirs`."""
        x = ours[..., self.ours]
        return x * self.multiplier.astype(x.dtype) + self.offset.astype(x.dtype)


class _Floating(NamedTuple):
    """A free joint whose pose and linear velocity are along the world's axes there."""

    name: str
    q: tuple[int, int]  # first rows, ours and theirs
    v: tuple[int, int]
    position: Array  # of the joint in the world, m
    quaternion: Array


class Bridge:
    """Conversions of q, v, a, tau between Tandem and another library.

    Bridges are made by :func:`to_pinocchio` and :func:`to_mujoco`. Methods ``..._to`` convert to the other library,
    methods ``..._from`` convert to Tandem. Arrays may have leading axes: ``[..., nq]`` in Tandem, ``[..., bridge.nq]``
    in the other library; float32 is preserved. Additional arguments ``q`` and ``v`` are those of Tandem, and are needed
    only for free joints of MuJoCo. All methods raise :class:`tandem.Error` for a wrong shape, and if ``q`` or ``v`` is
    missing.

    With G = :meth:`velocity_matrix`, theirs is v = G v, tau = G^T tau, M = G^T M G, a Jacobian J = J G.
    """

    def __init__(self, library: str, model: Model, nq: int, nv: int, pairs: list[tuple[Joint, Theirs]]) -> None:
        self.model: Model = model  #: model of Tandem
        self.library: str = library  #: "Pinocchio" or "MuJoCo"
        self.nq: int = nq  #: length of q in the other library
        self.nv: int = nv  #: length of v in the other library
        #: names of the joints, Tandem's first, in Tandem's order
        self.joints: list[tuple[str, str]] = [(ours.name, theirs.name) for ours, theirs in pairs]
        q, circles, v = [], [], []
        self._floating: list[_Floating] = []
        for ours, theirs in pairs:
            own = not ours.mimics
            gear = (ours.multiplier, ours.offset, own)
            if theirs.kind == "mimic":
                continue
            if theirs.kind == "circle":
                circles.append(_Line(ours.q_index, theirs.q, *gear))
            elif theirs.kind == "planar":
                q += [_Line(ours.q_index + k, theirs.q + k) for k in range(2)]
                circles.append(_Line(ours.q_index + 2, theirs.q + 2))
            elif theirs.kind == "free" and library == "MuJoCo":
                self._floating.append(_floating(model, ours, theirs))
                v += [_Line(ours.v_index + k, theirs.v + k) for k in range(3, 6)]
                continue
            elif theirs.kind == "spherical" and library == "MuJoCo":
                q += [_Line(ours.q_index + k, theirs.q + (k + 1) % 4) for k in range(4)]
            elif own:
                q += [_Line(ours.q_index + k, theirs.q + k) for k in range(ours.nq)]
            else:
                q.append(_Line(ours.q_index, theirs.q, *gear))
            degrees = ours.nv if own else 1
            v += [_Line(ours.v_index + k, theirs.v + k, ours.multiplier, 0.0, own) for k in range(degrees)]
        self._q, self._circles, self._v = _Lines(q), _Lines(circles), _Lines(v)

    def __repr__(self) -> str:
        sizes = f"nq {self.model.nq} here, {self.nq} there, nv {self.model.nv} here, {self.nv} there"
        return f'<tandem.bridges.Bridge "{self.model.name}" to {self.library}: {sizes}>'

    def q_to(self, q: ArrayLike) -> Array:
        """Configuration ``[..., bridge.nq]`` of the other library for ``q [..., nq]``; mimic joints follow their
        sources."""
        q = _array("q_to", "q", q, self.model.nq)
        theirs = np.empty((*q.shape[:-1], self.nq), q.dtype)
        theirs[..., self._q.theirs] = self._q.forward(q)
        angle = self._circles.forward(q)
        theirs[..., self._circles.theirs] = np.cos(angle)
        theirs[..., self._circles.theirs + 1] = np.sin(angle)
        for joint in self._floating:
            (i, j), position, quaternion = joint.q, *_placement(joint, q.dtype)
            theirs[..., j : j + 3] = position + spatial.quaternion_rotate(quaternion, q[..., i : i + 3])
            turned = spatial.quaternion_product(quaternion, q[..., i + 3 : i + 7])
            theirs[..., j + 3 : j + 7] = np.roll(turned, 1, axis=-1)
        return theirs

    def q_from(self, q: ArrayLike) -> Array:
        """Tandem's configuration ``[..., nq]`` of theirs ``[..., bridge.nq]``.

        Angles that are cosine and sine there come back in -pi .. pi, without whole turns. What their mimic joints have
        is not looked at. Raises :class:`tandem.Error` where cosine and sine are both 0, which is no angle.
        """
        theirs = _array("q_from", "q", q, self.nq)
        ours = np.empty((*theirs.shape[:-1], self.model.nq), theirs.dtype)
        ours[..., self._q.ours[self._q.own]] = theirs[..., self._q.theirs[self._q.own]]
        own = self._circles.own
        cosine, sine = (theirs[..., self._circles.theirs[own] + k] for k in range(2))
        if ((cosine == 0) & (sine == 0)).any():
            raise Error(
                f"q_from: cosine and sine of an angle in q are both 0; {self.library} stores the angle 0 as 1, 0, "
                "so its neutral configuration is not all zeros"
            )
        ours[..., self._circles.ours[own]] = np.arctan2(sine, cosine)
        for joint in self._floating:
            (i, j), position, quaternion = joint.q, *_placement(joint, theirs.dtype)
            back = spatial.quaternion_conjugate(quaternion)
            ours[..., i : i + 3] = spatial.quaternion_rotate(back, theirs[..., j : j + 3] - position)
            turned = np.roll(theirs[..., j + 3 : j + 7], -1, axis=-1)
            ours[..., i + 3 : i + 7] = spatial.quaternion_product(back, turned)
        return ours

    def v_to(self, v: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Their velocity ``[..., bridge.nv]`` of ``v [..., nv]``; mimic joints move as they follow."""
        v = _array("v_to", "v", v, self.model.nv)
        theirs = self._rows_to("v_to", "v", v, q)
        theirs[..., self._v.theirs] = self._v.forward(v)
        return theirs

    def v_from(self, v: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Tandem's velocity ``[..., nv]`` of theirs ``[..., bridge.nv]``; their mimic joints' are not looked at."""
        return self._own_rows("v_from", "v", v, q)

    def a_to(self, a: ArrayLike, q: ArrayLike | None = None, v: ArrayLike | None = None) -> Array:
        """Their acceleration, the derivative of their velocity, ``[..., bridge.nv]`` of ``a [..., nv]``.

        A linear velocity along turning axes changes although the body keeps its pace: MuJoCo's free joints need v, too.
        """
        a = _array("a_to", "a", a, self.model.nv)
        a = self._carried("a_to", a, v, 1.0)
        theirs = self._rows_to("a_to", "a", a, q)
        theirs[..., self._v.theirs] = self._v.forward(a)
        return theirs

    def a_from(self, a: ArrayLike, q: ArrayLike | None = None, v: ArrayLike | None = None) -> Array:
        """Tandem's acceleration ``[..., nv]`` of theirs ``[..., bridge.nv]``; see :meth:`a_to`."""
        return self._carried("a_from", self._own_rows("a_from", "a", a, q), v, -1.0)

    def tau_to(self, tau: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Their joint torques ``[..., bridge.nv]`` equivalent to ``tau [..., nv]``; 0 for mimic joints."""
        tau = _array("tau_to", "tau", tau, self.model.nv)
        theirs = self._rows_to("tau_to", "tau", tau, q)
        theirs[..., self._v.theirs] = np.where(self._v.own, tau[..., self._v.ours], 0)
        return theirs

    def tau_from(self, tau: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Tandem's joint torques ``[..., nv]`` from theirs ``[..., bridge.nv]``, including those of mimic joints."""
        theirs = _array("tau_from", "tau", tau, self.nv)
        ours = self._own_rows("tau_from", "tau", theirs, q)
        for k in np.flatnonzero(~self._v.own):
            ours[..., self._v.ours[k]] += ours.dtype.type(self._v.multiplier[k]) * theirs[..., self._v.theirs[k]]
        return ours

    def bias_to(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Their bias forces ``[..., bridge.nv]`` at ``q`` and ``v``: MuJoCo's ``qfrc_bias``, Pinocchio's ``nle``.

        These are the joint torques at which *their* accelerations are zero. For Tandem's see
        :func:`tandem.bias_forces`, which differs for a free joint that turns: its linear acceleration is a derivative
        along the world's axes in MuJoCo, along the body's in Tandem. Rows of mimic joints are 0; the joint that they
        follow has their part.
        """
        q, v = _array("bias_to", "q", q, self.model.nq), _array("bias_to", "v", v, self.model.nv)
        a = self.a_from(np.zeros(self.nv, v.dtype), q, v)
        return self.tau_to(inverse_dynamics(self.model, q, v, a), q)

    def velocity_matrix(self, q: ArrayLike | None = None) -> Array:
        """The matrix G ``[..., bridge.nv, nv]`` with v_theirs = G v, of any leading shape that q has."""
        columns = np.eye(self.model.nv)
        rows = self.v_to(columns, None if q is None else np.asarray(q)[..., None, :])
        return np.swapaxes(rows, -1, -2)

    def _rows_to(self, function: str, name: str, x: Array, q: ArrayLike | None) -> Array:
        """Their rows, with linear ones of floating joints written and the others to be written."""
        shape, turns = self._turns(function, name, x, q)
        theirs = np.empty((*shape, self.nv), x.dtype)
        for joint, turn in zip(self._floating, turns):
            i, j = joint.v
            theirs[..., j : j + 3] = spatial.quaternion_rotate(turn, x[..., i : i + 3])
        return theirs

    def _own_rows(self, function: str, name: str, x: ArrayLike, q: ArrayLike | None) -> Array:
        theirs = _array(function, name, x, self.nv)
        shape, turns = self._turns(function, name, theirs, q)
        ours = np.empty((*shape, self.model.nv), theirs.dtype)
        ours[..., self._v.ours[self._v.own]] = theirs[..., self._v.theirs[self._v.own]]
        for joint, turn in zip(self._floating, turns):
            i, j = joint.v
            back = spatial.quaternion_conjugate(turn)
            ours[..., i : i + 3] = spatial.quaternion_rotate(back, theirs[..., j : j + 3])
        return ours

    def _turns(
        self, function: str, name: str, x: Array, q: ArrayLike | None
    ) -> tuple[tuple[int, ...], list[Array]]:
        """The leading shape of the arrays; the orientation of each floating body in the world."""
        if q is None:
            if self._floating:
                raise Error(
                    f"{function}: q is required: {self.library} has linear velocities and forces of the free joint "
                    f'"{self._floating[0].name}" along the axes of the world, Tandem along those of the body'
                )
            return x.shape[:-1], []
        q = _array(function, "q", q, self.model.nq).astype(x.dtype, copy=False)
        try:
            shape = np.broadcast_shapes(x.shape[:-1], q.shape[:-1])
        except ValueError:
            raise Error(
                f"{function}: leading shapes do not broadcast: {x.shape[:-1]} of {name} and {q.shape[:-1]} of q"
            ) from None
        starts = [joint.q[0] + 3 for joint in self._floating]
        return shape, [
            spatial.quaternion_product(_placement(joint, q.dtype)[1], q[..., i : i + 4])
            for joint, i in zip(self._floating, starts)
        ]

    def _carried(self, function: str, a: Array, v: ArrayLike | None, sign: float) -> Array:
        """a, with sign * w x v of floating bodies added to their linear acceleration."""
        if not self._floating:
            return a
        if v is None:
            raise Error(
                f'{function}: v is required: the axes of the free joint "{self._floating[0].name}" turn with the body '
                'in '
                f"Tandem and not in {self.library}"
            )
        v = _array(function, "v", v, self.model.nv).astype(a.dtype, copy=False)
        try:
            a = np.array(np.broadcast_to(a, (*np.broadcast_shapes(a.shape[:-1], v.shape[:-1]), a.shape[-1])))
        except ValueError:
            raise Error(
                f"{function}: leading shapes do not broadcast: {a.shape[:-1]} of a and {v.shape[:-1]} of v"
            ) from None
        for joint in self._floating:
            i = joint.v[0]
            a[..., i : i + 3] += sign * np.cross(v[..., i + 3 : i + 6], v[..., i : i + 3])
        return a


def to_pinocchio(model: Model, pin_model: Any, *, names: Mapping[str, str] | None = None) -> Bridge:
    """Make a bridge to a ``pinocchio.Model`` of the same robot.

    Joints are paired by name. The free joint of a floating base, which files do not name, is paired with that of
    Pinocchio ("root_joint") if each model has one such joint left.

    Args:
        names: differing names of joints: Tandem's name to Pinocchio's

    Raises:
        Error: names the joints that one model lacks, or whose types differ
    """
    pairs = pair("to_pinocchio", "Pinocchio", model, of_pinocchio(pin_model), names)
    for joint, there in pairs:
        if there.kind == "planar" and not np.allclose(joint.axis, [0, 0, 1], rtol=0, atol=1e-12):
            normal = ", ".join(f"{x:.3g}" for x in joint.axis)
            raise Error(
                f'to_pinocchio: the planar joint "{joint.name}" has the normal ({normal}); Pinocchio\'s planar joints '
                "always move in x and y of their frames, so the robots differ"
            )
    return Bridge("Pinocchio", model, pin_model.nq, pin_model.nv, pairs)


def to_mujoco(model: Model, mj_model: Any, *, names: Mapping[str, str] | None = None) -> Bridge:
    """Make a bridge to a ``mujoco.MjModel`` of the same robot.

    Joints are paired by name. The free joint of a floating base, which files do not name, is paired with that of MuJoCo
    if each model has one such joint left.

    Args:
        names: differing names of joints: Tandem's name to MuJoCo's

    Raises:
        Error: names the joints that one model lacks, or whose types differ
    """
    pairs = pair("to_mujoco", "MuJoCo", model, of_mujoco(mj_model), names)
    return Bridge("MuJoCo", model, mj_model.nq, mj_model.nv, pairs)


def pinocchio_model(model: Model) -> Any:
    """The robot as a new ``pinocchio.Model``, for :func:`to_pinocchio`.

    Names and order of joints, bodies and frames, gravity, limits, armature, damping and friction are those of the
    robot. Coordinates of continuous joints are angles, named configurations become reference configurations, and mimic
    joints become independent. Springs are omitted, as Pinocchio has none.

    Raises:
        Error: Pinocchio is not installed; the robot has loop joints, a base that accelerates, or a planar joint whose
            normal is not z
    """
    theirs = pinocchio_model_of(model)
    bridge = to_pinocchio(model, theirs)
    for name in model.configuration_names:
        theirs.referenceConfigurations[name] = bridge.q_to(model.configuration(name))
    return theirs


def mujoco_model(model: Model) -> Any:
    """The robot as a new ``mujoco.MjModel``, for :func:`to_mujoco`: the MJCF that ``ModelBuilder.write_mjcf`` writes,
    compiled.

    Raises:
        Error: MuJoCo is not installed
        ModelError: lists what MuJoCo has no word for
    """
    return mujoco_model_of(model)


def _floating(model: Model, ours: Joint, theirs: Theirs) -> _Floating:
    if ours.parent != model.link_names[0]:
        raise Error(
            f'to_mujoco: the free joint "{ours.name}" is attached to link "{ours.parent}"; those of MuJoCo are '
            'attached to '
            "the world"
        )
    placement = forward_kinematics(model, neutral_configuration(model))[ours.index]
    position, quaternion = pose_to_quaternion(placement)
    return _Floating(ours.name, (ours.q_index, theirs.q), (ours.v_index, theirs.v), position, quaternion)


def _placement(joint: _Floating, dtype: Any) -> tuple[Array, Array]:
    return joint.position.astype(dtype), joint.quaternion.astype(dtype)


def _array(function: str, name: str, x: ArrayLike, length: int) -> Array:
    array = np.asarray(x)
    if array.ndim == 0 or array.shape[-1] != length:
        raise Error(f"{function}: {name} has shape {array.shape}, expected (..., {length})")
    if array.dtype.kind not in "fiub":
        raise Error(f"{function}: {name} has dtype {array.dtype}, expected real numbers")
    return array if array.dtype.kind == "f" else array.astype(np.float64)
