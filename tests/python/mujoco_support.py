# SPDX-License-Identifier: Apache-2.0
"""MuJoCo behind arguments and results as Tandem has them."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from oracle_support import Case, mimics, stripped_urdf

import tandem

mujoco = pytest.importorskip(
    "mujoco", reason="NOT COMPARED WITH MUJOCO: it is not installed (pip install mujoco)"
)

#: Every link stays a body of its own with the inertia that the file gives.
COMPILER = {
    "fusestatic": "false",
    "balanceinertia": "false",
    "boundmass": "0",
    "boundinertia": "0",
    "discardvisual": "true",
    "strippath": "false",
    "angle": "radian",
}


def mujoco_model(robot: ET.Element, floating: bool) -> mujoco.MjModel:
    """MuJoCo's model of a stripped URDF: no limits, no constraints, no damping."""
    if floating:
        children = {child.get("link") for child in robot.iter("child")}
        root = next((link for link in robot.findall("link") if link.get("name") not in children), None)
        if root is None:
            raise ValueError("no root link")
        if root.get("name") == "world":  # for MuJoCo this is the world, and only children of it can float
            raise ValueError("the link to float is named world")
        ET.SubElement(robot, "link", name="world")
        joint = ET.SubElement(robot, "joint", name="root_joint", type="floating")
        ET.SubElement(joint, "parent", link="world")
        ET.SubElement(joint, "child", link=root.get("name"))
    for joint in robot.findall("joint"):
        for element in joint.findall("limit") + joint.findall("dynamics"):
            joint.remove(element)
    ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler", COMPILER)
    model = mujoco.MjModel.from_xml_string(ET.tostring(robot, encoding="unicode"))
    model.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    model.opt.gravity[:] = 0, 0, -9.81
    return model


class Mujoco:
    """A robot in MuJoCo.

    Its free joints have the quaternion's w first; their linear velocity and force are along the world's axes.
    Mimic joints move freely there. So v_theirs = W v, a_theirs = W a + drift and tau = W^T tau_theirs.
    """

    def __init__(self, case: Case, model: tandem.Model):
        robot = stripped_urdf(case.file)
        if any(joint.get("type") == "planar" for joint in robot.findall("joint")):
            pytest.skip(f"{case.name}: MuJoCo has no planar joint")
        self.tandem, self.follows = model, mimics(robot)
        try:
            self.model = mujoco_model(robot, case.floating)
        except ValueError as error:
            pytest.skip(f"refused by MuJoCo: {' '.join(str(error).split())}")
        self.data = mujoco.MjData(self.model)
        self.joints = {joint.name: joint for joint in model.joints}
        self.theirs = {name: self._joint_id(name) for name in self.joints}
        self.bodies = [self._body_id(name) for name in model.frame_names]

    def _joint_id(self, name: str) -> int:
        index = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, name)
        return index if index >= 0 else self.model.joint("root_joint").id

    def _body_id(self, name: str) -> int:
        index = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, name)
        assert index >= 0 or name == self.tandem.link_names[0], f"MuJoCo has no body {name}"
        return max(index, 0)

    def set_state(self, q: np.ndarray, v: np.ndarray) -> None:
        """Sets MuJoCo's state, W and drift."""
        self.W, self.drift = np.zeros((self.model.nv, self.tandem.nv)), np.zeros(self.model.nv)
        for name, joint in self.joints.items():
            leader, multiplier, offset = self.follows.get(name, (name, 1.0, 0.0))
            first, row = self.joints[leader].q_index, self.joints[leader].v_index
            their_q = self.model.jnt_qposadr[self.theirs[name]]
            their_v = self.model.jnt_dofadr[self.theirs[name]]
            if joint.type == "free":
                x, y, z, qx, qy, qz, qw = q[first : first + 7]
                self.data.qpos[their_q : their_q + 7] = x, y, z, qw, qx, qy, qz
                R = np.empty(9)
                mujoco.mju_quat2Mat(R, np.array([qw, qx, qy, qz]))
                R = R.reshape(3, 3)
                self.W[their_v : their_v + 3, row : row + 3] = R
                self.W[their_v + 3 : their_v + 6, row + 3 : row + 6] = np.eye(3)
                linear, angular = v[row : row + 3], v[row + 3 : row + 6]
                self.drift[their_v : their_v + 3] = R @ np.cross(angular, linear)
            else:
                self.data.qpos[their_q] = multiplier * q[first] + offset
                self.W[their_v, row] = multiplier
        self.data.qvel[:] = self.W @ v

    def poses(self, q: np.ndarray) -> np.ndarray:
        self.set_state(q, np.zeros(self.tandem.nv))
        mujoco.mj_kinematics(self.model, self.data)
        R = self.data.xmat[self.bodies].reshape(-1, 3, 3)
        return np.concatenate([R, self.data.xpos[self.bodies][:, :, None]], axis=2)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        self.set_state(q, np.zeros(self.tandem.nv))
        mujoco.mj_fwdPosition(self.model, self.data)
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return self.W.T @ M @ self.W

    def bias_forces(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        self.set_state(q, v)
        mujoco.mj_forward(self.model, self.data)
        M_drift = np.zeros(self.model.nv)
        mujoco.mj_mulM(self.model, self.data, M_drift, self.drift)
        return self.W.T @ (self.data.qfrc_bias + M_drift)

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        self.set_state(q, v)
        self.data.qacc[:] = self.W @ a + self.drift
        mujoco.mj_inverse(self.model, self.data)
        return self.W.T @ self.data.qfrc_inverse

    def forward_dynamics(
        self, q: np.ndarray, v: np.ndarray, tau: np.ndarray, f_ext: np.ndarray
    ) -> np.ndarray:
        """Of a robot without mimic joints; f_ext are forces at the links' origins along their axes."""
        self.set_state(q, v)
        mujoco.mj_fwdPosition(self.model, self.data)
        self.data.qfrc_applied[:] = self.W @ tau  # W is orthogonal here
        self.data.xfrc_applied[:] = 0
        for joint in self.joints.values():
            body = self.bodies[joint.index]
            R, force = self.data.xmat[body].reshape(3, 3), f_ext[joint.index]
            lever = self.data.xpos[body] - self.data.xipos[body]
            linear = R @ force[:3]
            self.data.xfrc_applied[body] = [*linear, *(R @ force[3:] + np.cross(lever, linear))]
        mujoco.mj_forward(self.model, self.data)
        self.data.qfrc_applied[:] = 0
        self.data.xfrc_applied[:] = 0
        return self.W.T @ (self.data.qacc - self.drift)
