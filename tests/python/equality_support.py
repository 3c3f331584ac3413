# SPDX-License-Identifier: Apache-2.0
"""Robots with equality constraints, here and in MuJoCo."""

from __future__ import annotations

from typing import Any

import numpy as np
from contact_support import Twin, tight
from mujoco_support import mujoco

import tandem
from tandem import bridges

#: A four-bar on the ground whose coupler is closed by a soft connect, with a foot that touches the floor.
FOUR_BAR = """<mujoco model="four_bar">
  <option timestep="0.002"/>
  <default><geom contype="0" conaffinity="1"/><joint damping="0.02"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" contype="1" conaffinity="0" friction="0.7"/>
    <body name="crank" pos="0 0 0.3"><joint name="crank" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.1" size="0.01" mass="0.3"/>
      <body name="coupler" pos="0 0 0.1"><joint name="coupler" axis="0 1 0.02"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0.05" size="0.01" mass="0.4"/></body></body>
    <body name="rocker" pos="0.3 0 0.25"><joint name="rocker" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.01" mass="0.3"/>
      <geom name="foot" type="sphere" pos="0 0 -0.24" size="0.02" mass="0.1"/></body>
  </worldbody>
  <equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.3 0 0.05" solref="0.01 0.9"
      solimp="0.8 0.97 0.002 0.4 3"/></equality>
</mujoco>"""

#: Bodies that float, welded to each other, to the world and to a chain; a connect to the world; sites.
WELDED = """<mujoco model="welded">
  <option timestep="0.002"/>
  <default><geom contype="0" conaffinity="1"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" contype="1" conaffinity="0" friction="0.7"/>
    <site name="hook" pos="0.4 0.3 0.5" euler="10 20 30"/>
    <body name="a" pos="0 0 0.3" euler="10 0 20"><freejoint name="a"/>
      <geom name="a" type="box" size="0.05 0.06 0.07" mass="1"/><site name="a" pos="0.03 0.02 0.1" euler="5 0 8"/></body>
    <body name="b" pos="0.2 0 0.3"><freejoint name="b"/><geom name="b" size="0.05" mass="0.7"/></body>
    <body name="arm" pos="-0.3 0 0.3"><joint name="shoulder" axis="0 1 0" damping="0.1"/>
      <geom name="arm" type="capsule" fromto="0 0 0 0.1 0 0" size="0.02" mass="0.5"/>
      <body name="fore" pos="0.1 0 0"><joint name="elbow" axis="0 1 0.3" range="-60 60" frictionloss="0.1"/>
        <geom name="fore" type="capsule" fromto="0 0 0 0.1 0 0" size="0.02" mass="0.3"/>
        <body name="tip" pos="0.12 0 0" euler="0 30 0">
          <geom name="tip" type="box" size="0.01 0.02 0.03" pos="0.01 0 0" mass="0.2"/>
          <site name="tip" euler="0 0 40"/></body></body></body>
  </worldbody>
  <equality>
    <weld name="ab" body1="a" body2="b" anchor="0.02 0.01 0" relpose="0.2 0 0.02 0.9 0.1 0.2 0.3" torquescale="0.6"
      solref="0.03 0.8" solimp="0.7 0.95 0.01 0.3 2"/>
    <weld name="held" site1="tip" site2="a" torquescale="2"/>
    <weld name="floating" body1="b" solref="-300 -20"/>
    <connect name="hung" site1="a" site2="hook" solref="0.05 1"/>
  </equality>
</mujoco>"""

#: Joints that follow others by polynomials, one that is held, references that are not 0, and fixed tendons.
COUPLED = """<mujoco model="coupled">
  <option timestep="0.002"/>
  <default><geom contype="0" conaffinity="1"/><joint damping="0.03"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" contype="1" conaffinity="0" friction="0.7"/>
    <body name="palm" pos="0 0 0.2"><joint name="lift" type="slide" axis="0 0 1"/>
      <geom type="box" size="0.05 0.05 0.02" mass="1"/>
      <body name="f1" pos="0.05 0 0"><joint name="j1" axis="0 1 0" ref="20" range="-90 90"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.06" size="0.01" mass="0.1"/>
        <body name="f2" pos="0 0 -0.06"><joint name="j2" axis="0 1 0.1" armature="0.001"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.06" size="0.01" mass="0.1"/>
          <body name="f3" pos="0 0 -0.06"><joint name="j3" axis="0 1 0" ref="-10"/>
            <geom type="capsule" fromto="0 0 0 0 0 -0.05" size="0.01" mass="0.1"/></body></body></body>
      <body name="t1" pos="-0.05 0 0"><joint name="k1" axis="0 1 0" frictionloss="0.02"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.08" size="0.01" mass="0.1"/>
        <body name="t2" pos="0 0 -0.08"><joint name="k2" type="slide" axis="0 0 1" ref="0.03"/>
          <geom type="sphere" size="0.02" mass="0.1"/></body></body>
      <body name="u1" pos="0 0.05 0"><joint name="h1" axis="1 0 0"/><geom size="0.02" pos="0 0 -0.05" mass="0.1"/></body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="left"><joint joint="j1" coef="0.5"/><joint joint="j2" coef="-1"/></fixed>
    <fixed name="right"><joint joint="k1" coef="1"/><joint joint="k2" coef="3"/></fixed>
    <fixed name="alone" stiffness="3"><joint joint="h1" coef="0.7"/><joint joint="lift" coef="0.3"/></fixed>
  </tendon>
  <equality>
    <joint name="cubic" joint1="j3" joint2="j1" polycoef="0.1 0.5 -0.3 0.4 0.2" solref="0.03 1"/>
    <joint name="linear" joint1="k2" joint2="j2" polycoef="0 -0.05 0 0 0" solimp="0.7 0.9 0.01 0.5 2"/>
    <joint name="fixed" joint1="k1" polycoef="0.2 0 0 0 0" solref="-100 -3"/>
    <tendon name="both" tendon1="left" tendon2="right" polycoef="0.02 0.8 0.3 0 -0.2"/>
    <tendon name="taut" tendon1="alone" polycoef="0.05 0 0 0 0" solref="0.06 0.7"/>
    <joint name="off" joint1="j1" active="false"/>
  </equality>
</mujoco>"""


class Pair(Twin):
    """A robot with equality constraints here, with soft joint constraints, and in MuJoCo."""

    def __init__(self, source: Any, cone: str = "elliptic", self_contact: bool = False,
                 leave_out: bool = False) -> None:
        self.theirs = mujoco.MjModel.from_xml_string(source) if isinstance(source, str) else source
        tight(self.theirs, cone, self.theirs.opt.impratio)
        self.model = tandem.from_mujoco(self.theirs, couple_mimic_joints=True)
        self.data = mujoco.MjData(self.theirs)
        self.bridge = bridges.to_mujoco(self.model, self.theirs)
        self.contacts = tandem.ContactSet(self.model, self_contact=self_contact, leave_out=leave_out)

    def dynamics(self, **more: Any) -> Any:
        return tandem.contact.ContactDynamics(self.contacts, tolerance=1e-11, most_steps=100, tendon_springs=False,
                                              **more)

    def equality_forces(self, q: np.ndarray) -> np.ndarray:
        """[nv] J^T f of MuJoCo's constraints."""
        rows = self.data.efc_type[: self.data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        J = self.data.efc_J.reshape(-1, self.theirs.nv)[: self.data.nefc]
        return self.bridge.tau_from(J[rows].T @ self.data.efc_force[: self.data.nefc][rows], q)

    def own_equality_forces(self, q: np.ndarray, found: Any) -> np.ndarray:
        """[nv] the same, of wrenches of loop joints and of forces of couplers."""
        return generalized_forces(self.model, q, found)


def generalized_forces(model: tandem.Model, q: np.ndarray, found: Any) -> np.ndarray:
    """[nv] J^T f of wrenches of loop joints and of forces of couplers."""
    tau, lengths = np.zeros(model.nv), positions_of(model, q)
    for coupler, f in zip(model.couplers, found.f_coupler, strict=True):
        x = lengths[coupler.element]
        tau += f * x[coupler.first][1]
        if coupler.second is not None:
            at, J = x[coupler.second]
            tau -= f * J * np.polyval(np.polyder(coupler.polynomial[::-1]), at)
    frames = tandem.forward_kinematics(model, q).reshape(-1, 3, 4)
    for loop, wrench in zip(model.loops, found.f_loop, strict=True):
        poses = [frames[model.link(name).index] for name in (loop.link_1, loop.link_2)]
        ends = [compose(pose, placement) for pose, placement in
                zip(poses, (loop.placement_1, loop.placement_2), strict=True)]
        pulled = ends[1][:, 3] if loop.type not in ("fixed", "spherical") else ends[0][:, 3]
        force, moment = ends[0][:, :3] @ wrench[:3], ends[0][:, :3] @ wrench[3:]
        for name, point, sign in ((loop.link_1, pulled, -1), (loop.link_2, ends[1][:, 3], 1)):
            index = model.link(name).index
            J = tandem.jacobian(model, q, index, reference="local_world_aligned")
            arm = point - frames[index][:, 3]
            tau += sign * (J[:3].T @ force + J[3:].T @ (moment + np.cross(arm, force)))
    return tau


def positions_of(model: tandem.Model, q: np.ndarray) -> dict[str, dict[str, tuple[float, np.ndarray]]]:
    """Positions of joints and lengths of tendons, with their derivatives by the rows of v."""
    joints = {}
    for joint in model.joints:
        if joint.type not in ("revolute", "continuous", "prismatic"):
            continue
        times, more = (joint.multiplier, joint.offset) if joint.mimics else (1.0, 0.0)
        joints[joint.name] = (times * float(q[joint.q_index]) + more, times * np.eye(model.nv)[joint.v_index])
    tendons = {}
    for tendon, length in zip(model.tendons, model.tendon_lengths(q), strict=True):
        tendons[tendon.name] = (float(length), sum(c * joints[j][1] for j, c in tendon.joints.items()))
    return {"joint": joints, "tendon": tendons}


def compose(pose: np.ndarray, placement: np.ndarray) -> np.ndarray:
    return np.hstack([pose[:, :3] @ placement[:, :3], (pose[:, :3] @ placement[:, 3] + pose[:, 3])[:, None]])
