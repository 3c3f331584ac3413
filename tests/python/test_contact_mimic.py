# SPDX-License-Identifier: Apache-2.0
"""Robots with mimic joints that touch themselves and others, against MuJoCo with joint equalities."""

from __future__ import annotations

import numpy as np
import pytest
from contact_support import Twin
from mujoco_support import mujoco

import tandem

#: A gripper on a slide and a wrist, whose fingers follow each other by equalities, above a rod and a ball on a floor.
#: One finger has a tip that turns with the slide; two tendons and a loop join what contacts couple as well.
GRIPPER = """<mujoco model="gripper">
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="palm" pos="0 0 0.2"><joint name="lift" type="slide" axis="0 0 1"/><joint name="wrist" axis="0 0.2 1"/>
      <geom name="palm" size="0.03" mass="0.6"/>
      <body name="left" pos="-0.05 0 -0.02">
        <joint name="left" type="slide" axis="1 0 0" range="-0.02 0.015" frictionloss="0.4" armature="0.01"/>
        <geom name="left" type="capsule" fromto="0 0 0 0 0 -0.1" size="0.012" mass="0.1" friction="0.7"/></body>
      <body name="right" pos="0.05 0 -0.02"><joint name="right" type="slide" axis="1 0 0"/>
        <geom name="right" type="capsule" fromto="0 0 0 0 0 -0.1" size="0.012" mass="0.12" friction="0.7"/>
        <body name="tip" pos="0 0 -0.11"><joint name="tip" axis="0 1 0"/>
          <geom name="tip" type="sphere" pos="0 0 -0.01" size="0.014" mass="0.05" condim="4"/></body></body>
    </body>
    <body name="rod" pos="0 0 0.07" euler="80 10 0"><freejoint/>
      <geom name="rod" type="capsule" size="0.04 0.06" mass="0.3"/></body>
    <body name="ball" pos="0.11 0 0.05"><freejoint/><geom name="ball" size="0.05" mass="0.2" condim="6"/></body>
  </worldbody>
  <equality>
    <joint name="both" joint1="right" joint2="left" polycoef="0 -1 0 0 0"/>
    <joint name="turn" joint1="tip" joint2="left" polycoef="0 6 0 0 0"/>
  </equality>
</mujoco>"""

TENDON = """<tendon><fixed name="lifted" limited="true" range="-0.05 0.01" frictionloss="0.1">
      <joint joint="lift" coef="1"/><joint joint="wrist" coef="0.2"/><joint joint="left" coef="2"/></fixed></tendon>
</mujoco>"""


class Followed(Twin):
    """A robot whose joints follow exactly here, and by stiff rows in MuJoCo. Softness of contacts, limits and friction
    is relative to how bodies move in the own configuration: here with joints that follow, so there as well."""

    def __init__(self, text: str, cone: str, impratio: float) -> None:
        super().__init__(text, cone, impratio, self_contact=True)
        theirs, data = self.theirs, self.data
        mujoco.mj_forward(theirs, data)
        M = np.zeros((theirs.nv, theirs.nv))
        mujoco.mj_fullM(theirs, data, M)
        P = np.eye(theirs.nv)  # velocities by those of joints that follow no other
        follows = []
        for k in range(theirs.neq):
            first, second = (theirs.jnt_dofadr[j[k]] for j in (theirs.eq_obj1id, theirs.eq_obj2id))
            P[first] = theirs.eq_data[k, 1] * P[second]
            follows.append(first)
        P = np.delete(P, follows, axis=1)
        response = P @ np.linalg.solve(P.T @ M @ P, P.T)
        for body in range(1, theirs.nbody):
            J = np.zeros((2, 3, theirs.nv))
            mujoco.mj_jacBodyCom(theirs, data, J[0], J[1], body)
            theirs.body_invweight0[body] = [np.trace(x @ response @ x.T) / 3 for x in J]
        theirs.dof_invweight0[:] = np.diag(response)
        for k in range(theirs.njnt):
            if theirs.jnt_type[k] == mujoco.mjtJoint.mjJNT_FREE:
                for dof in theirs.jnt_dofadr[k] + np.array([[0, 1, 2], [3, 4, 5]]):
                    theirs.dof_invweight0[dof] = theirs.dof_invweight0[dof].mean()
        for k in range(theirs.ntendon):
            row = np.zeros(theirs.nv)
            for j in range(theirs.tendon_adr[k], theirs.tendon_adr[k] + theirs.tendon_num[k]):
                row[theirs.jnt_dofadr[theirs.wrap_objid[j]]] = theirs.wrap_prm[j]
            theirs.tendon_invweight0[k] = row @ response @ row

    def limit(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and contact forces where the rows that make joints follow have no softness, to its third
        power: from three that they have."""
        found = []
        impedances = np.array([0.9996, 0.9998, 0.9999])
        for d in impedances:
            self.theirs.eq_solimp[:] = [d, d, 0.001, 0.5, 2]
            self.data.qacc_warmstart[:] = 0
            self.forward(q, v, tau)
            found.append(np.concatenate([self.accelerations(q, v), self.forces(q).ravel()]))
        R = (1 - impedances) / impedances
        at_zero = [np.prod([x / (x - own) for x in R if x != own]) for own in R]  # Lagrange
        result = at_zero @ np.array(found)
        return result[: self.model.nv], result[self.model.nv :].reshape(-1, 6)


@pytest.mark.parametrize("cone, impratio", [("elliptic", 1.0), ("pyramidal", 1.0), ("elliptic", 5.0)])
@pytest.mark.parametrize("text", [GRIPPER, GRIPPER.replace("</mujoco>", TENDON)], ids=["gripper", "with a tendon"])
def test_accelerations_are_the_limit_of_stiff_equalities(text: str, cone: str, impratio: float) -> None:
    twin = Followed(text, cone, impratio)
    assert twin.model.nv == 15
    q, v, tau = twin.random_states(24, 3, 0.02, 0.02)
    v *= 0.2
    found = tandem.contact_dynamics(twin.contacts, q, v, tau, tolerance=1e-9, most_steps=100)
    assert found.converged.all()
    moving, close = 0, 0
    for k in range(len(q)):
        a, forces = twin.limit(q[k], v[k], tau[k])
        moving += int(np.count_nonzero(found.f_contact[k, :, 0] > 0))
        close += int(np.abs(found.a[k] - a).max() < 1e-6 * np.abs(a).max()
                     and np.abs(found.f_contact[k] - forces).max() < 1e-6 * np.abs(forces).max())
    assert moving > 60
    assert close >= len(q) - 1  # a zone may change between the three


def test_bits_do_not_depend_on_the_batch() -> None:
    robot = tandem.read_mjcf(GRIPPER.replace("</mujoco>", TENDON)).build()
    pairs = tandem.ContactSet(robot)
    twin = Twin(GRIPPER.replace("</mujoco>", TENDON), self_contact=True)
    q, v, tau = twin.random_states(19, 5, 0.02, 0.05)
    for dtype in (np.float64, np.float32):
        q_, v_, tau_ = (x.astype(dtype) for x in (q, v, tau))
        together = tandem.contact_dynamics(pairs, q_, v_, tau_)
        for k in range(len(q)):
            alone = tandem.contact_dynamics(pairs, q_[k], v_[k], tau_[k])
            np.testing.assert_array_equal(together.a[k], alone.a)
            np.testing.assert_array_equal(together.f_contact[k], alone.f_contact)
            batched = tandem.contact_dynamics(pairs, q_[k:], v_[k:], tau_[k:])
            np.testing.assert_array_equal(together.a[k], batched.a[0])


def test_no_force_is_left_over_in_space() -> None:
    """A gripper that floats, and bodies that it touches: all forces on the three of them add up to none."""
    text = GRIPPER.replace('<geom name="floor" type="plane" size="0 0 1"/>', "").replace(
        '<joint name="lift" type="slide" axis="0 0 1"/><joint name="wrist" axis="0 0.2 1"/>', '<freejoint name="root"/>'
    ).replace("<option ", '<option gravity="0 0 0" ')
    twin = Twin(text, self_contact=True)
    robot = twin.model
    q, v, tau = twin.random_states(20, 3, 0.0, 0.02)
    free = [joint for joint in robot.joints if joint.type == "free"]
    assert len(free) == 3
    for joint in free:
        tau[:, joint.v_index : joint.v_index + 6] = 0
    found = tandem.contact_dynamics(twin.contacts, q, v, tau, tolerance=1e-12, most_steps=100)
    forces = tandem.inverse_dynamics(robot, q, v, found.a)
    total, size = np.zeros((len(q), 3)), 0.0
    for joint in free:
        x, w = q[:, joint.q_index + 3 : joint.q_index + 6], q[:, joint.q_index + 6, None]
        f = forces[:, joint.v_index : joint.v_index + 3]
        turned = f + 2 * np.cross(x, np.cross(x, f) + w * f)  # to the axes of the world
        total += turned
        size = max(size, np.abs(turned).max())
    assert size > 10
    np.testing.assert_allclose(total, 0, atol=1e-9 * size)
