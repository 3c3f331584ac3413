# SPDX-License-Identifier: Apache-2.0
"""Published robots with closed loops, as MuJoCo has them: Cassie, a gripper, boxes held by balls.

MuJoCo's own answer is soft. Compared is what its mass matrix, bias forces and the Jacobian of its constraints say,
solved densely, at rest: what loops add at speed is compared with Pinocchio's.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import tandem

mujoco = pytest.importorskip(
    "mujoco", reason="NOT COMPARED WITH MUJOCO: it is not installed (pip install mujoco)"
)

FOLDER = Path(__file__).parents[2].parent / "shared" / "models" / "mjcf"
ROBOTS = ["agility_cassie/cassie.xml", "robotiq_2f85/2f85.xml", "mujoco_equality/connect.xml"]


def bare(file: Path) -> mujoco.MjModel:
    """Bodies, joints and equalities alone: meshes are elsewhere."""
    root = ET.parse(file).getroot()
    for name in ("asset", "contact", "sensor", "actuator", "keyframe", "tendon", "visual", "statistic"):
        for element in root.findall(name):
            root.remove(element)
    for equalities in root.findall("equality"):
        for element in list(equalities):
            if element.tag != "connect":
                equalities.remove(element)
    has_inertials = bool(list(root.iter("inertial")))
    for parent in list(root.iter()):
        for element in list(parent):
            named = element.tag == "geom" and (has_inertials or element.get("type") == "mesh")
            if named or element.tag in ("camera", "light", "mesh", "material"):
                parent.remove(element)
    model = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    off = mujoco.mjtDisableBit
    model.opt.disableflags = off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_FRICTIONLOSS
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    return model


def xyzw(quaternion: np.ndarray) -> np.ndarray:
    return np.roll(quaternion, -1)


def rotated(quaternion: np.ndarray, x: np.ndarray) -> np.ndarray:
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, quaternion)
    return R.reshape(3, 3) @ x


class Both:
    """The same robot in MuJoCo and in Tandem."""

    def __init__(self, file: Path):
        self.model = m = bare(file)
        self.data = mujoco.MjData(m)
        kinds = {0: "free", 1: "spherical", 2: "prismatic", 3: "revolute"}
        b = tandem.ModelBuilder(file.stem).link("body0").gravity(tuple(m.opt.gravity))
        self.offset = np.zeros((m.nbody, 3))  # of a body's frame in its link's, which begins where its joint turns
        for body in range(1, m.nbody):
            parent = f"body{m.body_parentid[body]}"
            position, turn = m.body_pos[body] + self.offset[m.body_parentid[body]], m.body_quat[body]
            joints = range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body])
            for j in joints:
                at = np.zeros(3) if m.jnt_type[j] == 0 else m.jnt_pos[j]
                assert j == joints[0] or np.array_equal(at, m.jnt_pos[joints[0]]), "joints about several points"
                self.offset[body] = -at
                name = f"body{body}" if j == joints[-1] else f"before{j}"
                if m.jnt_type[j] == 0:
                    place: dict[str, object] = {}
                elif j == joints[0]:
                    place = {"position": position + rotated(turn, at), "quaternion": xyzw(turn)}
                else:
                    place = {}
                self.add(b, name, body if j == joints[-1] else None)
                b.joint(
                    f"joint{j}", kinds[m.jnt_type[j]], parent, name, axis=m.jnt_axis[j],
                    armature=float(m.dof_armature[m.jnt_dofadr[j]]), **place,
                )
                parent = name
            if not joints:
                self.add(b, f"body{body}", body)
                b.joint(f"fixed{body}", "fixed", parent, f"body{body}", position=position, quaternion=xyzw(turn))
        assert (m.eq_type == mujoco.mjtEq.mjEQ_CONNECT).all()
        for e in range(m.neq):
            one, two, one_at, two_at = m.eq_obj1id[e], m.eq_obj2id[e], m.eq_data[e, :3], m.eq_data[e, 3:6]
            if m.eq_objtype[e] == mujoco.mjtObj.mjOBJ_SITE:
                one_at, two_at = m.site_pos[one], m.site_pos[two]
                one, two = m.site_bodyid[one], m.site_bodyid[two]
            b.loop(
                f"loop{e}", "spherical", f"body{one}", f"body{two}", position_1=one_at + self.offset[one],
                position_2=two_at + self.offset[two],
            )
        self.ours = b.build()

    def add(self, b: tandem.ModelBuilder, name: str, body: int | None) -> None:
        if body is None:
            b.link(name)
            return
        m, R = self.model, np.empty(9)
        mujoco.mju_quat2Mat(R, m.body_iquat[body])
        R = R.reshape(3, 3)
        I = R @ np.diag(m.body_inertia[body]) @ R.T
        b.link(name, m.body_mass[body], com=m.body_ipos[body] + self.offset[body], inertia=(I + I.T) / 2)

    def rows(self) -> list[tuple[int, tandem.Joint]]:
        return [(int(joint.name[5:]), joint) for joint in self.ours.joints]

    def start(self) -> np.ndarray:
        q = np.zeros(self.ours.nq)
        for j, joint in self.rows():
            theirs = self.model.qpos0[self.model.jnt_qposadr[j] :]
            if joint.type == "free":
                q[joint.q_index : joint.q_index + 7] = [*theirs[:3], *xyzw(theirs[3:7])]
            elif joint.type == "spherical":
                q[joint.q_index : joint.q_index + 4] = xyzw(theirs[:4])
        return q

    def expected(self, q: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """The acceleration at rest in state q, that of the tree alone, and how ill the equations are."""
        m, d = self.model, self.data
        W = np.zeros((m.nv, self.ours.nv))
        for j, joint in self.rows():
            to, of, row, first = m.jnt_qposadr[j], m.jnt_dofadr[j], joint.v_index, joint.q_index
            if joint.type == "free":
                x, y, z, qx, qy, qz, qw = q[first : first + 7]
                d.qpos[to : to + 7] = x, y, z, qw, qx, qy, qz
                for k, axis in enumerate(np.eye(3)):
                    W[of : of + 3, row + k] = rotated(np.array([qw, qx, qy, qz]), axis)
                W[of + 3 : of + 6, row + 3 : row + 6] = np.eye(3)
            elif joint.type == "spherical":
                d.qpos[to : to + 4] = np.roll(q[first : first + 4], 1)
                W[of : of + 3, row : row + 3] = np.eye(3)
            else:
                d.qpos[to] = m.qpos0[to] + q[first]
                W[of, row] = 1
        d.qvel[:] = 0
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        M, bias = W.T @ M @ W, W.T @ d.qfrc_bias
        assert np.abs(d.efc_pos).max() < 1e-9, "the loops are closed there, too"
        J = d.efc_J.reshape(d.nefc, m.nv) @ W
        free = np.linalg.solve(M, tau - bias)
        G = J @ np.linalg.solve(M, J.T)
        values, vectors = np.linalg.eigh(G)
        kept = values > 1e-10 * values[-1]
        x = vectors[:, kept] @ (vectors[:, kept].T @ (-J @ free) / values[kept])
        scale = np.sqrt(np.diag(M))
        kappa = np.linalg.cond(M / np.outer(scale, scale)) * values[-1] / values[kept].min()
        return free + np.linalg.solve(M, J.T @ x), free, kappa


@pytest.mark.parametrize("robot", ROBOTS)
def test_accelerations_are_those_of_mujocos_equations(robot: str) -> None:
    if not FOLDER.is_dir():
        pytest.skip("NOT COMPARED: the collection of robots is not beside the project")
    both = Both(FOLDER / robot)
    m = both.ours
    assert m.n_loops > 0
    compared = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        q = tandem.integrate(m, both.start(), 0.1 * rng.normal(size=m.nv))
        q, error = tandem.close_loops(m, q, tolerance=1e-16, error=True)  # as far as roundings let it
        if error > 1e-14:
            continue
        tau = rng.normal(size=m.nv)
        a = tandem.forward_dynamics(m, q, np.zeros(m.nv), tau)
        theirs, free, kappa = both.expected(q, tau)
        size = max(np.abs(x).max() for x in (a, theirs, free))
        assert np.abs(a - theirs).max() < 32 * kappa * np.finfo(float).eps * size
        # loops closed in the tree of joins of divide and conquer
        joined, f = tandem.closed_loop_dynamics(
            m, q, np.zeros(m.nv), tau, method="divide_and_conquer", forces=True
        )
        assert np.abs(joined - theirs).max() < 32 * kappa * np.finfo(float).eps * size
        _, usual = tandem.closed_loop_dynamics(m, q, np.zeros(m.nv), tau, forces=True)
        assert np.abs(f - usual).max() < 32 * kappa * np.finfo(float).eps * max(1.0, np.abs(usual).max())
        compared += 1
    assert compared >= 3
