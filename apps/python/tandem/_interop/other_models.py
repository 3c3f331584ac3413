# SPDX-License-Identifier: Apache-2.0
"""A robot as a model of Pinocchio or MuJoCo; for :mod:`tandem.bridges`."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from tandem import _core
from tandem._core import Joint, Model
from tandem.configuration import neutral_configuration
from tandem.errors import Error
from tandem.functions import Array, forward_kinematics


def imported(function: str, library: str, package: str) -> Any:
    try:
        return importlib.import_module(library)
    except ImportError as error:
        raise Error(f"{function}: {library} cannot be imported ({error}); pip install {package}") from None


def mujoco_model_of(model: Model) -> Any:
    mujoco = imported("mujoco_model", "mujoco", "mujoco")
    _refuse_a_moving_base("mujoco_model", model)
    return mujoco.MjModel.from_xml_string(_core.describe(model).write_mjcf())


def pinocchio_model_of(model: Model) -> Any:
    """The tree, link by link: joints, bodies and frames are numbered as they are here."""
    pin = imported("pinocchio_model", "pinocchio", "pin")
    if model.loops:
        names = ", ".join(f'"{name}"' for name in model.loop_names)
        raise Error(
            f"pinocchio_model: {model.name} has loop joints ({names}), which pinocchio.Model does not support; use "
            "ModelBuilder.remove_loop"
        )
    _refuse_a_moving_base("pinocchio_model", model)
    theirs = pin.Model()
    theirs.name = model.name
    theirs.gravity.linear = np.array(model.gravity)
    ids, bodies = [0], [theirs.addBodyFrame(model.link_names[0], 0, pin.SE3.Identity(), 0)]
    for joint in model.joints:
        parent = int(model.parents[joint.index])
        index = theirs.addJoint(ids[parent], _joint_model(pin, joint), _se3(pin, joint.placement), joint.name)
        ids.append(index)
        frame = theirs.addJointFrame(index, bodies[parent])
        bodies.append(theirs.addBodyFrame(joint.child, index, pin.SE3.Identity(), frame))
        _take_limits(theirs, theirs.joints[index], joint)
    for link, index in zip(model.links, ids):
        if link.mass > 0 or np.any(link.inertia):
            inertia = pin.Inertia(link.mass, np.array(link.centre_of_mass), np.array(link.inertia))
            theirs.appendBodyToJoint(index, inertia, pin.SE3.Identity())
    poses = forward_kinematics(model, neutral_configuration(model))
    for k in range(model.n_links, model.n_frames):
        on = int(model.frame_links[k])
        R, p = poses[on][:, :3], poses[on][:, 3]
        place = pin.SE3(R.T @ poses[k][:, :3], R.T @ (poses[k][:, 3] - p))
        theirs.addFrame(pin.Frame(model.frame_names[k], ids[on], bodies[on], place, pin.FrameType.OP_FRAME))
    return theirs


def _refuse_a_moving_base(function: str, model: Model) -> None:
    if np.any(model.base_acceleration):
        raise Error(f"{function}: the base of {model.name} accelerates; use model.with_base_acceleration([0] * 6)")


def _se3(pin: Any, pose: Array) -> Any:
    return pin.SE3(np.array(pose[:, :3]), np.array(pose[:, 3]))


def _joint_model(pin: Any, joint: Joint) -> Any:
    axis = np.array(joint.axis, dtype=float)
    if joint.type in ("revolute", "continuous"):  # an angle, as here: no cosine and sine
        return pin.JointModelRevoluteUnaligned(axis)
    if joint.type == "prismatic":
        return pin.JointModelPrismaticUnaligned(axis)
    if joint.type == "helical":
        return pin.JointModelHelicalUnaligned(axis, joint.pitch / (2 * np.pi))
    if joint.type == "universal":
        return pin.JointModelUniversal(np.array([1.0, 0, 0]), np.array([0, 1.0, 0]))
    if joint.type == "spherical":
        return pin.JointModelSpherical()
    if joint.type == "free":
        return pin.JointModelFreeFlyer()
    if joint.type == "planar" and np.allclose(axis, [0, 0, 1], rtol=0, atol=1e-12):
        return pin.JointModelPlanar()
    normal = ", ".join(f"{x:.3g}" for x in axis)
    raise Error(
        f'pinocchio_model: the {joint.type} joint "{joint.name}" has the normal ({normal}); Pinocchio\'s planar joints '
        'move in '
        "x and y of their frames"
    )


def _take_limits(theirs: Any, there: Any, joint: Joint) -> None:
    """Of a joint that follows another one, whose numbers are those of that one, nothing."""
    rows = slice(there.idx_v, there.idx_v + there.nv)
    own = 0.0 if joint.mimics else 1.0
    theirs.armature[rows] = own * joint.armature
    theirs.damping[rows] = own * joint.damping
    if joint.mimics:
        return
    for lower, upper, limit in (
        ("lowerEffortLimit", "upperEffortLimit", joint.effort),
        ("lowerVelocityLimit", "upperVelocityLimit", joint.velocity),
        ("lowerDryFrictionLimit", "upperDryFrictionLimit", joint.friction),
    ):
        if hasattr(theirs, upper):
            getattr(theirs, lower)[rows] = -limit
            getattr(theirs, upper)[rows] = limit
        else:  # before Pinocchio 4
            older = {"upperEffortLimit": "effortLimit", "upperVelocityLimit": "velocityLimit"}.get(upper, "friction")
            getattr(theirs, older)[rows] = limit
    if joint.nq == 1:
        theirs.lowerPositionLimit[there.idx_q] = joint.lower
        theirs.upperPositionLimit[there.idx_q] = joint.upper
