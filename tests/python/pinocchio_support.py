# SPDX-License-Identifier: Apache-2.0
"""Pinocchio behind arguments and results as Tandem has them."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from oracle_support import Case, mimics, stripped_urdf

import tandem

pin = pytest.importorskip(
    "pinocchio", reason="NOT COMPARED WITH PINOCCHIO: it is not installed (pip install pin)"
)

LOCAL = pin.ReferenceFrame.LOCAL
REFERENCES = {
    "local": LOCAL,
    "world": pin.ReferenceFrame.WORLD,
    "local_world_aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}


def numbers(element: ET.Element | None, name: str, default: str) -> np.ndarray:
    return np.array((element.get(name, default) if element is not None else default).split(), float)


def placement(element: ET.Element) -> pin.SE3:
    origin = element.find("origin")
    rotation = pin.rpy.rpyToMatrix(numbers(origin, "rpy", "0 0 0"))
    return pin.SE3(rotation, numbers(origin, "xyz", "0 0 0"))


def joint_model(joint: ET.Element) -> pin.JointModel:
    axis = numbers(joint.find("axis"), "xyz", "1 0 0")
    if joint.get("type") == "screw":
        pitch = numbers(joint.find("screw_thread_pitch"), "value", "")
        return pin.JointModelHelicalUnaligned(axis, pitch[0] / (2 * np.pi))
    if joint.get("type") == "universal":
        return pin.JointModelUniversal(np.array([1.0, 0, 0]), np.array([0, 1.0, 0]))
    assert joint.get("type") == "revolute"
    return pin.JointModelRevoluteUnaligned(axis)


def built_by_hand(robot: ET.Element, floating: bool) -> pin.Model:
    """A robot with joints that Pinocchio has but does not read from URDF."""
    model = pin.Model()
    joints = robot.findall("joint")
    links = {link.get("name"): link for link in robot.findall("link")}
    root = next(iter(links.keys() - {joint.find("child").get("link") for joint in joints}))

    def hang(name: str, carrier: int, X: pin.SE3) -> None:
        inertial = links[name].find("inertial")
        if inertial is not None:
            mass = numbers(inertial.find("mass"), "value", "")[0]
            names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
            xx, xy, xz, yy, yz, zz = (numbers(inertial.find("inertia"), name, "")[0] for name in names)
            I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            model.appendBodyToJoint(carrier, pin.Inertia(mass, np.zeros(3), I), X * placement(inertial))
        model.addBodyFrame(name, carrier, X, 0)
        for joint in joints:
            if joint.find("parent").get("link") != name:
                continue
            child, X_child = joint.find("child").get("link"), X * placement(joint)
            if joint.get("type") == "fixed":
                hang(child, carrier, X_child)
            else:
                moved = model.addJoint(carrier, joint_model(joint), X_child, joint.get("name"))
                hang(child, moved, pin.SE3.Identity())

    held = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint") if floating else 0
    hang(root, held, pin.SE3.Identity())
    return model


class Pinocchio:
    """A robot in Pinocchio.

    Pinocchio orders joints by name and writes angles of continuous and planar joints as cosine and sine.
    Mimic joints move freely there: v_theirs = G v, so tau = G^T tau_theirs and M = G^T M_theirs G.
    """

    def __init__(self, case: Case, model: tandem.Model):
        robot = stripped_urdf(case.file)
        self._refuse_planar(case, robot)
        text = ET.tostring(robot, encoding="unicode")
        by_hand = any(joint.get("type") in ("screw", "universal") for joint in robot.findall("joint"))
        root = (pin.JointModelFreeFlyer(),) if case.floating else ()
        try:
            self.model = built_by_hand(robot, case.floating) if by_hand else pin.buildModelFromXML(text, *root)
        except ValueError as error:
            pytest.skip(f"refused by Pinocchio: {error}")
        self.data = self.model.createData()
        self.tandem = model
        self.link_names = [link.get("name") for link in robot.findall("link")]
        self.follows = mimics(robot)
        self.joints = {joint.name: joint for joint in model.joints}
        self.theirs = {name: self._joint_id(name) for name in self.joints}
        self.frames = [self._frame_id(name) for name in model.frame_names]
        self.moving_mass = sum(inertia.mass for inertia in list(self.model.inertias)[1:])
        self.G = self._velocity_map()
        assert self.model.nv == sum(self.model.joints[i].nv for i in self.theirs.values())

    @staticmethod
    def _refuse_planar(case: Case, robot: ET.Element) -> None:
        for joint in robot.findall("joint"):
            axis = joint.find("axis")
            if joint.get("type") == "planar" and (
                axis is None or axis.get("xyz", "").split() != ["0", "0", "1"]
            ):
                pytest.skip(f"{case.name}: Pinocchio ignores the axis of planar joints, and here it is not z")

    def _joint_id(self, name: str) -> int:
        # the free joint that holds a floating robot is in no file
        theirs = name if self.model.existJointName(name) else "root_joint"
        return self.model.getJointId(theirs)

    def _frame_id(self, name: str) -> int:
        if self.model.existFrame(name, pin.FrameType.BODY):
            return self.model.getFrameId(name, pin.FrameType.BODY)
        assert name == self.tandem.link_names[0], f"Pinocchio has no frame {name}"
        return 0

    def _velocity_map(self) -> np.ndarray:
        G = np.zeros((self.model.nv, self.tandem.nv))
        for name in self.joints:
            leader, multiplier, _ = self.follows.get(name, (name, 1.0, 0.0))
            theirs = self.model.joints[self.theirs[name]]
            for k in range(theirs.nv):
                G[theirs.idx_v + k, self.joints[leader].v_index + k] = multiplier
        return G

    @property
    def independent_rows(self) -> np.ndarray:
        """Rows of Pinocchio's velocity that are ours too."""
        own = [self.model.joints[self.theirs[name]] for name in self.joints if name not in self.follows]
        return np.array([j.idx_v + k for j in own for k in range(j.nv)], dtype=int)

    @property
    def angles(self) -> np.ndarray:
        """Rows of Pinocchio's velocity that are of angles kept as cosine and sine, so without whole turns."""
        theirs = [self.model.joints[i] for i in self.theirs.values()]
        return np.array([j.idx_v + j.nv - 1 for j in theirs if (j.nq, j.nv) in ((2, 1), (4, 3))], dtype=int)

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """Pinocchio's configuration."""
        theirs = np.empty(self.model.nq)
        for name, joint in self.joints.items():
            leader, multiplier, offset = self.follows.get(name, (name, 1.0, 0.0))
            first = self.joints[leader].q_index
            j = self.model.joints[self.theirs[name]]
            rows = slice(j.idx_q, j.idx_q + j.nq)
            if joint.type == "free":
                theirs[rows] = q[first : first + 7]
            elif joint.type == "planar":
                x, y, angle = q[first : first + 3]
                theirs[rows] = x, y, np.cos(angle), np.sin(angle)
            elif joint.type == "universal":
                theirs[rows] = q[first : first + 2]
            else:
                value = multiplier * q[first] + offset
                theirs[rows] = [np.cos(value), np.sin(value)] if j.nq == 2 else [value]
        return theirs

    def same_quaternions(self, theirs: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Pinocchio's configuration with our signs of quaternions: either sign is the same rotation."""
        result, ours = theirs.copy(), self.configuration(q)
        for name, joint in self.joints.items():
            first = self.model.joints[self.theirs[name]].idx_q + 3
            rows = slice(first, first + 4)
            if joint.type == "free" and result[rows] @ ours[rows] < 0:
                result[rows] *= -1
        return result

    def forward_kinematics(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, reference: str
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        model, data, axes = self.model, self.data, REFERENCES[reference]
        pin.forwardKinematics(model, data, self.configuration(q), self.G @ v, self.G @ a)
        pin.updateFramePlacements(model, data)
        # the derivative of the origin's velocity is what Pinocchio calls classical
        acceleration = (
            pin.getFrameClassicalAcceleration
            if reference == "local_world_aligned"
            else pin.getFrameAcceleration
        )
        return (
            np.array([data.oMf[i].homogeneous[:3] for i in self.frames]),
            np.array([pin.getFrameVelocity(model, data, i, axes).vector for i in self.frames]),
            np.array([acceleration(model, data, i, axes).vector for i in self.frames]),
        )

    def jacobians(
        self, q: np.ndarray, v: np.ndarray, frame: str, reference: str
    ) -> tuple[np.ndarray, np.ndarray]:
        """Jacobian of a frame, and its time derivative times v."""
        model, data, axes = self.model, self.data, REFERENCES[reference]
        index = self.frames[self.tandem.frame_names.index(frame)]
        pin.computeJointJacobiansTimeVariation(model, data, self.configuration(q), self.G @ v)
        pin.updateFramePlacements(model, data)
        J = pin.getFrameJacobian(model, data, index, axes)
        dJ = pin.getFrameJacobianTimeVariation(model, data, index, axes)
        return self._reduced(J), self._reduced(dJ) @ v + self._drift_of_axes(index, axes)

    def frame_derivatives(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, frame: str, reference: str
    ) -> list[np.ndarray]:
        """Of a frame's velocity by q, of its acceleration by q and by v, and the Jacobian."""
        model, data, axes = self.model, self.data, REFERENCES[reference]
        if self.derived_by_differences(reference):
            return self._differences_of_frame(q, v, a, frame, reference)
        index = self.frames[self.tandem.frame_names.index(frame)]
        pin.computeForwardKinematicsDerivatives(model, data, self.configuration(q), self.G @ v, self.G @ a)
        pin.updateFramePlacements(model, data)
        by = [self._reduced(x) for x in pin.getFrameAccelerationDerivatives(model, data, index, axes)]
        if reference == "local_world_aligned":  # of the frame's origin, which moves: Pinocchio has these as of a point
            where = model.frames[index].parentJoint, model.frames[index].placement, axes
            by[0][:3] = self._reduced(pin.getPointVelocityDerivatives(model, data, *where)[0])
            _, *point, _ = pin.getPointClassicAccelerationDerivatives(model, data, *where)
            by[1][:3], by[2][:3] = (self._reduced(x) for x in point)
        return by

    def derived_by_differences(self, reference: str) -> bool:
        """Where Pinocchio's derivatives are not those of its own motions: axes that turn against their link, and along
        axes of the world those of links on planar joints."""
        planar = any(joint.shortname() == "JointModelPlanar" for joint in self.model.joints)
        return self.axes_turn or (planar and reference != "local")

    def _differences_of_frame(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, frame: str, reference: str
    ) -> list[np.ndarray]:
        index = self.tandem.frame_names.index(frame)
        step = np.finfo(float).eps ** (1 / 3)

        def motions(q: np.ndarray, v: np.ndarray) -> np.ndarray:
            return np.array([x[index] for x in self.forward_kinematics(q, v, a, reference)[1:]])

        by_q, by_v = np.empty((2, len(v), 2, 6))
        for k, u in enumerate(step * np.eye(len(v))):
            ahead, back = (tandem.integrate(self.tandem, q, x) for x in (u, -u))
            by_q[k] = (motions(ahead, v) - motions(back, v)) / (2 * step)
            by_v[k] = (motions(q, v + u) - motions(q, v - u)) / (2 * step)
        return [by_q[:, 0].T, by_q[:, 1].T, by_v[:, 1].T, by_v[:, 0].T]

    def momentum_derivatives(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> list[np.ndarray]:
        """Of the momentum about the centre of mass by q, of its rate by q and by v, and the momentum's matrix."""
        full = self.configuration(q), self.G @ v, self.G @ a
        return [
            self._reduced(x) for x in pin.computeCentroidalDynamicsDerivatives(self.model, self.data, *full)
        ]

    def _drift_of_axes(self, frame: int, axes: pin.ReferenceFrame) -> np.ndarray:
        """What axes add that turn against their own link, which Pinocchio leaves out of its Jacobian's derivative."""
        model, data, X = self.model, self.data, self.data.oMf[frame]
        seen_from = {
            LOCAL: X,
            pin.ReferenceFrame.WORLD: pin.SE3.Identity(),
            pin.ReferenceFrame.LOCAL_WORLD_ALIGNED: pin.SE3(np.eye(3), X.translation),
        }[axes]
        drift = pin.Motion.Zero()
        for i in list(model.supports[model.frames[frame].parentJoint])[1:]:
            if model.joints[i].shortname() == "JointModelUniversal":
                drift += (seen_from.inverse() * data.oMi[i]).act(data.joints[i].c)
        return drift.vector

    def _reduced(self, J: np.ndarray) -> np.ndarray:
        """A Jacobian with our columns; Pinocchio hands out one column as a vector."""
        return J.reshape(-1, self.model.nv) @ self.G

    def lever(self, q: np.ndarray) -> float:
        """How far a force on a link reaches: largest entry of the joints' Jacobians, plus one."""
        J = pin.computeJointJacobians(self.model, self.data, self.configuration(q))
        return float(np.abs(self._reduced(J)).max(initial=0)) + 1.0

    def force_terms(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        """Size of the inertial forces and weights whose sum is a joint force, which may be far smaller."""
        motion = np.abs(a).max(initial=0) + np.abs(v).max(initial=0) ** 2
        return float(
            np.abs(self.mass_matrix(q)).max(initial=0) * motion + self.moving_mass * 9.81 * self.lever(q)
        )

    def inverse_dynamics(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, f_ext: np.ndarray | None = None
    ) -> np.ndarray:
        full = self.configuration(q), self.G @ v, self.G @ a
        forces = () if f_ext is None else (self._forces(f_ext),)
        return self.G.T @ pin.rnea(self.model, self.data, *full, *forces)

    @property
    def axes_turn(self) -> bool:
        """Whether axes of a joint turn against its own link."""
        return any(joint.shortname() == "JointModelUniversal" for joint in self.model.joints)

    def inverse_dynamics_derivatives(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, f_ext: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """By configuration and by velocity."""
        if not self.axes_turn:
            full = self.configuration(q), self.G @ v, self.G @ a
            forces = () if f_ext is None else (self._forces(f_ext),)
            by_q, by_v, _ = pin.computeRNEADerivatives(self.model, self.data, *full, *forces)
            return self.G.T @ by_q @ self.G, self.G.T @ by_v @ self.G
        step = np.finfo(float).eps ** (1 / 3)
        by_q, by_v = np.empty((2, len(v), len(v)))
        for k, u in enumerate(step * np.eye(len(v))):
            ahead, back = (tandem.integrate(self.tandem, q, x) for x in (u, -u))
            by_q[:, k] = self.inverse_dynamics(ahead, v, a, f_ext) - self.inverse_dynamics(back, v, a, f_ext)
            by_v[:, k] = self.inverse_dynamics(q, v + u, a, f_ext) - self.inverse_dynamics(q, v - u, a, f_ext)
        return by_q / (2 * step), by_v / (2 * step)

    def regressor(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Ten columns for each of our joints, in our order."""
        full = self.configuration(q), self.G @ v, self.G @ a
        Y = pin.computeJointTorqueRegressor(self.model, self.data, *full)
        blocks = Y.reshape(self.model.nv, -1, 10)[:, [self.theirs[j.name] - 1 for j in self.tandem.joints]]
        return self.G.T @ blocks.reshape(self.model.nv, -1)

    def inertial_parameters(self) -> np.ndarray:
        theirs = [self.model.inertias[self.theirs[j.name]].toDynamicParameters() for j in self.tandem.joints]
        return np.concatenate([np.zeros(0), *theirs])

    def interbody_wrenches(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, f_ext: np.ndarray
    ) -> np.ndarray:
        """Of the moving links, ours in order: what its last recursion has left in the data."""
        self.inverse_dynamics(q, v, a, f_ext)
        return np.array([self.data.f[self.theirs[joint.name]].vector for joint in self.tandem.joints])

    def _forces(self, f_ext: np.ndarray) -> pin.StdVec_Force:
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero() for _ in range(self.model.njoints)])
        for name, joint in self.joints.items():
            forces[self.theirs[name]] = pin.Force(f_ext[joint.index])
        return forces

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        M = pin.crba(self.model, self.data, self.configuration(q))
        M = np.triu(M) + np.triu(M, 1).T
        return self.G.T @ M @ self.G

    def forward_dynamics(
        self,
        q: np.ndarray,
        v: np.ndarray,
        tau: np.ndarray,
        f_ext: np.ndarray,
        diagonal: np.ndarray | None = None,
    ) -> np.ndarray:
        """By aba; with mimic joints or a diagonal, which it does not know, by the mass matrix."""
        if diagonal is None and not self.follows:
            full = self.configuration(q), self.G @ v, self.G @ tau
            return self.G.T @ pin.aba(self.model, self.data, *full, self._forces(f_ext))
        M = self.mass_matrix(q) + np.diag(np.zeros(self.tandem.nv) if diagonal is None else diagonal)
        return np.linalg.solve(M, tau - self.inverse_dynamics(q, v, 0 * v, f_ext))

    def centre_of_mass(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        full = self.configuration(q)
        pin.centerOfMass(self.model, self.data, full, self.G @ v)
        com, velocity = self.data.com[0].copy(), self.data.vcom[0].copy()
        return com, velocity, self._reduced(pin.jacobianCenterOfMass(self.model, self.data, full))

    def centroidal_momentum(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        A = pin.ccrba(self.model, self.data, self.configuration(q), self.G @ v).copy()
        return self.data.hg.vector.copy(), self._reduced(A)
