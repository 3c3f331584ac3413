#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/contact: robots on a floor, and what MuJoCo says of their accelerations and contact forces.

    tools/make_contact_golden.py            write the files
    tools/make_contact_golden.py --check    write nothing; exit 1 if a number differs by more than 1e-9

Needs mujoco; takes a minute. ROBOT.xml is the model, ROBOT.txt has lines "name numbers": states in Tandem's coordinates
(rows of free joints along the axes of the link, quaternions x y z w), and MuJoCo's contacts, accelerations and forces
at tolerance 0.
"""

import argparse
import sys
from pathlib import Path

import mujoco
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "tests" / "golden" / "contact"
LEGS = (("front", 0.25, 0.0, 3), ("left", -0.15, 0.2, 4), ("right", -0.15, -0.2, 6))


def tripod() -> str:
    """A body on three legs whose feet have contacts of different dimensions, a tail and a bumper without friction."""
    legs = "".join(
        f"""
      <body name="{name}_thigh" pos="{x} {y} 0"><joint name="{name}_hip" axis="0.2 1 0.1" range="-0.9 0.7"
          frictionloss="{0.2 + 0.1 * k}" armature="0.01" solreflimit="0.03 0.8" solimplimit="0.8 0.95 0.01 0.4 3"/>
        <inertial mass="0.6" pos="0.01 0 -0.1" fullinertia="0.004 0.0042 0.001 0.0002 0.0001 0.0003"/>
        <body name="{name}_shin" pos="0 0 -0.22">
          <joint name="{name}_knee" axis="0 1 0" range="-1.2 0.2" armature="0.005"/>
          <inertial mass="0.25" pos="0 0.01 -0.1" diaginertia="0.002 0.002 0.0002"/>
          <geom name="{name}_foot" type="sphere" size="0.03" pos="0 0 -0.2" condim="{dim}"
            friction="{0.5 + 0.2 * k} 0.02 0.01" solref="{0.02 - 0.004 * k} {1 - 0.2 * k}" solimp="0.9 0.97 0.002 0.{3 + k} {k + 1}"/>
        </body>
      </body>"""
        for k, (name, x, y, dim) in enumerate(LEGS)
    )
    return f"""<mujoco model="tripod"><option timestep="0.002"/>
  <default><geom contype="0" conaffinity="1"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" contype="1" conaffinity="0" friction="0.4"/>
    <body name="trunk" pos="0 0 0.42"><freejoint name="root"/>
      <inertial mass="3" pos="0.02 0 0.01" fullinertia="0.05 0.06 0.08 0.001 0.002 0.003"/>
      <geom name="bumper" type="sphere" size="0.05" pos="0.3 0 -0.02" condim="1" solref="-3000 -40"/>{legs}
      <body name="tail" pos="-0.3 0 0"><joint name="tail" type="slide" axis="0 0 1" range="-0.05 0.05" frictionloss="1"/>
        <inertial mass="0.3" pos="0 0 0" diaginertia="0.001 0.001 0.001"/>
        <geom name="tip" type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02" margin="0.01" gap="0.002"/></body>
    </body>
  </worldbody></mujoco>"""


def humanoid() -> str:
    """The shipped humanoid on its feet, of four spheres each."""
    spec = mujoco.MjSpec.from_file(str(ROOT / "robots" / "humanoid.urdf"))
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1], contype=1, conaffinity=0)
    for body in spec.bodies:
        for geom in list(body.geoms):
            if body.name != "world":
                spec.delete(geom)
    root = spec.worldbody.first_body()
    if not root.joints:
        root.add_freejoint(name="root")
    leaves = [b for b in spec.bodies if b.name != "world" and b.first_body() is None]
    for body in leaves:
        for k, (x, y) in enumerate(((0.1, 0.04), (0.1, -0.04), (-0.06, 0.04), (-0.06, -0.04))):
            sphere = {"type": mujoco.mjtGeom.mjGEOM_SPHERE, "size": [0.02, 0, 0], "pos": [x, y, -0.05]}
            body.add_geom(name=f"{body.name}_{k}", contype=0, conaffinity=1, condim=3, **sphere)
    for joint in spec.joints:
        if joint.type in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            joint.frictionloss = 0.5
    spec.modelname = "humanoid"
    spec.compile()
    return spec.to_xml()


class State:
    """What a state says, in Tandem's coordinates."""

    def __init__(self, m: mujoco.MjModel, d: mujoco.MjData) -> None:
        self.m, self.d = m, d
        self.R = np.zeros((m.njnt, 3, 3))
        for j in range(m.njnt):
            if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
                q = d.qpos[m.jnt_qposadr[j] + 3 :][:4]
                mat = np.zeros(9)
                mujoco.mju_quat2Mat(mat, q / np.linalg.norm(q))
                self.R[j] = mat.reshape(3, 3)

    def free(self) -> list[tuple[int, int, int]]:
        m, kind = self.m, mujoco.mjtJoint.mjJNT_FREE
        return [(j, m.jnt_qposadr[j], m.jnt_dofadr[j]) for j in range(m.njnt) if m.jnt_type[j] == kind]

    def q(self) -> np.ndarray:
        q = self.d.qpos.copy()
        for _, at, _ in self.free():
            w, x, y, z = q[at + 3 : at + 7]
            q[at + 3 : at + 7] = x, y, z, w
        return q

    def along_link(self, x: np.ndarray) -> np.ndarray:
        x = x.copy()
        for j, _, at in self.free():
            x[at : at + 3] = self.R[j].T @ x[at : at + 3]
        return x

    def acceleration(self) -> np.ndarray:
        a, v = self.along_link(self.d.qacc), self.along_link(self.d.qvel)
        for _, _, at in self.free():
            a[at : at + 3] -= np.cross(v[at + 3 : at + 6], v[at : at + 3])
        return a

    def forces(self, kind: int) -> np.ndarray:
        """joint forces of constraint rows of a kind"""
        d, m = self.d, self.m
        J = d.efc_J.reshape(d.nefc, m.nv)
        rows = d.efc_type == kind
        return J[rows].T @ d.efc_force[rows]


def tight(m: mujoco.MjModel) -> None:
    m.opt.solver, m.opt.jacobian = mujoco.mjtSolver.mjSOL_NEWTON, mujoco.mjtJacobian.mjJAC_DENSE
    m.opt.tolerance, m.opt.iterations, m.opt.ls_iterations, m.opt.ls_tolerance = 0, 200, 200, 1e-12


def lines_of(xml: str, seed: int, states: int) -> list[str]:
    out: list[str] = []

    def say(name: str, *numbers: object) -> None:
        flat = np.concatenate([np.atleast_1d(np.asarray(x, float)).ravel() for x in numbers]) if numbers else []
        out.append(" ".join([name, *(repr(float(x)) for x in flat)]))

    m = mujoco.MjModel.from_xml_string(xml)
    say("timestep", m.opt.timestep)
    for b in range(1, m.nbody):
        say(f"body {m.body(b).name}", m.body_ipos[b], m.body_invweight0[b])
    say("dof_mobility", m.dof_invweight0)
    for name, addresses, softness in (("limit", m.dof_jntid, (m.jnt_solref, m.jnt_solimp)),
                                      ("friction", np.arange(m.nv), (m.dof_solref, m.dof_solimp))):
        say(f"{name}_softness", *[np.concatenate([s[k] for s in softness]) for k in addresses])
    for cone in (mujoco.mjtCone.mjCONE_ELLIPTIC, mujoco.mjtCone.mjCONE_PYRAMIDAL):
        for impratio in (1.0, 20.0):
            m = mujoco.MjModel.from_xml_string(xml)
            tight(m)
            m.opt.cone, m.opt.impratio = cone, impratio
            d, rng = mujoco.MjData(m), np.random.default_rng(seed)
            d.qvel[:] = 0.3 * rng.standard_normal(m.nv)
            found = 0
            for k in range(4000):
                if found == states:
                    break
                if k % 20 == 0:
                    d.qfrc_applied[6:] = rng.standard_normal(m.nv - 6)
                if k % 37 == 0:
                    d.qvel[:] += 0.5 * rng.standard_normal(m.nv)
                mujoco.mj_forward(m, d)
                if d.ncon >= 2 and k % 37 in (1, 20) and found < states:
                    found += 1
                    s, t = State(m, d), mujoco.mjtConstraint
                    say("state", cone, impratio)
                    say("q", s.q())
                    say("v", s.along_link(d.qvel))
                    say("tau", s.along_link(d.qfrc_smooth + d.qfrc_bias))
                    say("a", s.acceleration())
                    say("f_limit", s.forces(t.mjCNSTR_LIMIT_JOINT))
                    say("f_friction", s.forces(t.mjCNSTR_FRICTION_DOF))
                    for c in range(d.ncon):
                        con, force = d.contact[c], np.zeros(6)
                        body = m.geom_bodyid[con.geom[1]]
                        assert m.geom_bodyid[con.geom[0]] == 0 and body > 0
                        mujoco.mj_contactForce(m, d, c, force)
                        say(f"contact {m.body(body).name}", con.dim, con.friction, con.solref, con.solimp,
                            con.solreffriction, con.includemargin, m.body_invweight0[body, 0], con.dist, con.pos,
                            con.frame, force)
                mujoco.mj_step(m, d)
            assert found == states, found
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    for name, xml, states in (("tripod", tripod(), 8), ("humanoid", humanoid(), 4)):
        text = "\n".join(lines_of(xml, 2026, states)) + "\n"
        file = OUT / f"{name}.txt"
        if check:
            old = [line.split() for line in file.read_text().splitlines()]
            new = [line.split() for line in text.splitlines()]
            if [len(x) for x in old] != [len(x) for x in new]:
                sys.exit(f"{file.name} differs")
            for x, y in zip(old, new, strict=True):
                first = next((i for i, word in enumerate(y) if word.lstrip("-")[:1].isdigit()), len(y))
                of_x, of_y = (np.array(words[first:], float) for words in (x, y))
                if x[:first] != y[:first] or not np.allclose(of_x, of_y, 1e-9, 1e-9):
                    sys.exit(f"{file.name} differs in {' '.join(y[:first])}")
        else:
            file.write_text(text)
            (OUT / f"{name}.xml").write_text(xml)


if __name__ == "__main__":
    main()
