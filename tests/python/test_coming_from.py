# SPDX-License-Identifier: Apache-2.0
"""What docs/coming_from_pinocchio.md and docs/coming_from_mujoco.md say of those libraries, and functions they show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tandem

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROBOTS = sorted((DOCS.parent / "robots").glob("*.urdf"))

#: A trunk that carries two arms, the one that comes first in the file later in the alphabet.
TWO_ARMS = """<robot name="two_arms">
<link name="trunk"><inertial><mass value="3"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="a"><inertial><origin xyz="0 0 0.2"/><mass value="1"/>
  <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<link name="b"><inertial><origin xyz="0 0.1 0"/><mass value="2"/>
  <inertia ixx="0.2" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="z_left" type="continuous"><parent link="trunk"/><child link="a"/><axis xyz="0 1 0"/>
  <origin xyz="0.3 0 0"/><dynamics damping="5"/></joint>
<joint name="a_right" type="revolute"><parent link="trunk"/><child link="b"/><axis xyz="1 0 0"/>
  <limit lower="-1" upper="1" velocity="1" effort="1"/>MIMIC</joint>
</robot>"""
PLAIN = TWO_ARMS.replace("MIMIC", "")


def page(name: str) -> dict[str, Any]:
    """What the Python blocks of a page define."""
    names: dict[str, Any] = {}
    text = (DOCS / name).read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        exec(block, names)
    return names


class TestPinocchio:
    @pytest.fixture(autouse=True)
    def library(self) -> None:
        self.pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (pip install pin)")

    @pytest.mark.parametrize("floating", [False, True])
    @pytest.mark.parametrize("text", [PLAIN, *ROBOTS], ids=lambda x: getattr(x, "stem", "two_arms"))
    def test_arrays_across(self, text: str | Path, floating: bool) -> None:
        pin, shown = self.pin, page("coming_from_pinocchio.md")
        urdf = text if isinstance(text, str) else re.sub(r"<\?xml.*?\?>", "", text.read_text(encoding="utf-8"))
        if 'type="floating"' in urdf and floating:
            pytest.skip("floats already")
        model = tandem.Model.from_urdf_string(urdf, floating=floating)
        theirs = pin.buildModelFromXML(urdf, *((pin.JointModelFreeFlyer(),) if floating else ()))
        data = theirs.createData()
        q = tandem.random_configuration(model, seed=3)
        v, a = np.random.default_rng(1).normal(size=(2, model.nv))
        rows, q_theirs = shown["rows_of_v"](model, theirs), shown["to_pinocchio"](model, theirs, q)
        v_theirs, a_theirs = np.empty((2, model.nv))
        v_theirs[rows], a_theirs[rows] = v, a
        tau_theirs = pin.rnea(theirs, data, q_theirs, v_theirs, a_theirs)
        tau = tandem.inverse_dynamics(model, q, v, a)
        assert np.allclose(tau, tau_theirs[rows], rtol=1e-9, atol=1e-9)
        M = pin.crba(theirs, data, q_theirs)
        assert np.array_equal(M, M.T)
        assert np.allclose(tandem.mass_matrix(model, q), M[np.ix_(rows, rows)], rtol=1e-9, atol=1e-9)
        if np.linalg.cond(M) < 1e12:  # arms on a base without mass cannot float
            minverse = pin.computeMinverse(theirs, data, q_theirs)[np.ix_(rows, rows)]
            product = tandem.inverse_mass_matrix_product(model, q, np.eye(model.nv))
            assert np.allclose(product, minverse, rtol=1e-8, atol=1e-8 * np.abs(minverse).max())
        kinetic, potential = tandem.energy(model, q, v)
        assert np.isclose(kinetic, pin.computeKineticEnergy(theirs, data, q_theirs, v_theirs))
        assert np.isclose(potential, pin.computePotentialEnergy(theirs, data, q_theirs))
        frame = theirs.getFrameId(model.link_names[-1])
        J = pin.computeFrameJacobian(theirs, data, q_theirs, frame)
        assert np.allclose(tandem.jacobian(model, q, model.link_names[-1]), J[:, rows], atol=1e-9)
        ours = shown["to_pinocchio"](model, theirs, tandem.integrate(model, q, v))
        assert np.allclose(pin.integrate(theirs, q_theirs, v_theirs), ours)

    def test_joints_of_a_link_are_in_the_order_of_their_names(self) -> None:
        theirs, model = self.pin.buildModelFromXML(PLAIN), tandem.Model.from_urdf_string(PLAIN)
        assert list(theirs.names)[1:] == ["a_right", "z_left"]
        assert model.joint_names == ["z_left", "a_right"]

    def test_continuous_joints_have_a_cosine_and_a_sine(self) -> None:
        theirs, model = self.pin.buildModelFromXML(PLAIN), tandem.Model.from_urdf_string(PLAIN)
        assert (theirs.nq, theirs.nv, model.nq, model.nv) == (3, 2, 2, 2)
        assert self.pin.neutral(theirs).tolist() == [0, 1, 0]
        q0, q1 = [0.0, 0.0], [7.0, 0.0]
        assert tandem.difference(model, q0, q1)[0] == 7.0
        across = page("coming_from_pinocchio.md")["to_pinocchio"]
        d = self.pin.difference(theirs, across(model, theirs, np.array(q0)), across(model, theirs, np.array(q1)))
        assert np.isclose(d[1], 7.0 - 2 * np.pi)

    def test_planar_joints_ignore_their_axis(self) -> None:
        text = PLAIN.replace('"continuous"', '"planar"')
        theirs, model = self.pin.buildModelFromXML(text), tandem.Model.from_urdf_string(text)
        assert theirs.joints[theirs.getJointId("z_left")].nq == 4 and model.joint("z_left").nq == 3
        q = self.pin.neutral(theirs)
        q[theirs.joints[theirs.getJointId("z_left")].idx_q + 1] = 1.0  # along y, the file's normal
        data = theirs.createData()
        self.pin.framesForwardKinematics(theirs, data, q)
        assert np.allclose(data.oMf[theirs.getFrameId("a")].translation, [0.3, 1, 0])
        assert model.joint("z_left").axis == pytest.approx([0, 1, 0])

    def test_mimic_joints_move_freely_unless_asked(self) -> None:
        def follows(follower: str, leader: str) -> str:
            limit, mimic = '<limit lower="-1" upper="1" velocity="1" effort="1"/>', f'<mimic joint="{leader}"/>'
            text = PLAIN.replace("continuous", "revolute").replace("<dynamics", limit + "<dynamics")
            start = f'<joint name="{follower}" type="revolute">'
            return text.replace(start, start + mimic)

        text = follows("z_left", "a_right")
        assert self.pin.buildModelFromXML(text).nv == 2
        assert self.pin.buildModelFromXML(text, mimic=True).nv == 1
        assert tandem.Model.from_urdf_string(text).nv == 1
        text = follows("a_right", "z_left")
        with pytest.raises(ValueError, match="mimic"):
            self.pin.buildModelFromXML(text, mimic=True)
        assert tandem.Model.from_urdf_string(text).nv == 1

    def test_names_gravity_and_damping(self) -> None:
        pin = self.pin
        floating = pin.buildModelFromXML(PLAIN, pin.JointModelFreeFlyer())
        model = tandem.Model.from_urdf_string(PLAIN, floating=True)
        assert floating.names[1] == "root_joint" and model.joint_names[1] == "floating_base"
        assert floating.getFrameId("nobody") == floating.nframes
        with pytest.raises(tandem.Error):
            model.frame_index("nobody")
        assert floating.gravity.linear.tolist() == list(model.gravity)
        theirs, ours = pin.buildModelFromXML(PLAIN), tandem.Model.from_urdf_string(PLAIN)
        assert 5.0 in theirs.damping.tolist() and ours.damping.tolist() == [5.0, 0.0]
        q, v = pin.neutral(theirs), np.array([0.0, 1.0])
        rnea = pin.rnea(theirs, theirs.createData(), q, v, 0 * v)
        assert abs(rnea[1]) < 1.0  # would be more than 5 with damping
        aba = pin.aba(theirs, theirs.createData(), q, v, 0 * v)
        assert np.allclose(tandem.forward_dynamics(ours, [0.0, 0.0], [1.0, 0.0], [0.0, 0.0]), aba[::-1])
        assert tandem.passive_forces(ours, [0, 0], [1, 0]).tolist() == [-5.0, 0.0]

    def test_forces_on_links(self) -> None:
        pin = self.pin
        theirs, model = pin.buildModelFromXML(PLAIN), tandem.Model.from_urdf_string(PLAIN)
        f_ext = np.zeros((model.n_links, 6))
        f_ext[model.joint("z_left").index] = 1, 2, 3, 4, 5, 6
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero() for _ in range(theirs.njoints)])
        forces[theirs.getJointId("z_left")] = pin.Force(np.array([1.0, 2, 3, 4, 5, 6]))
        zero, rows = np.zeros(2), page("coming_from_pinocchio.md")["rows_of_v"](model, theirs)
        tau = pin.rnea(theirs, theirs.createData(), pin.neutral(theirs), zero, zero, forces)
        assert np.allclose(tandem.inverse_dynamics(model, zero, zero, zero, f_ext), tau[rows])


#: A free body that carries a ball joint and a hinge.
MJCF = """<mujoco><option><flag contact="disable" energy="enable"/></option><worldbody>
<body name="trunk"><freejoint name="floating_base"/>
 <inertial pos="0.1 0 0" mass="2" fullinertia="0.02 0.03 0.04 0 0 0"/>
 <body name="arm" pos="0 0 0.3"><joint name="shoulder" type="ball"/>
  <inertial pos="0 0.1 0.2" mass="1" fullinertia="0.02 0.02 0.01 0 0 0"/>
  <body name="hand" pos="0 0 0.4"><joint name="elbow" type="hinge" axis="0 1 0" damping="0.5" armature="0.01"
    stiffness="3" FRICTION/><inertial pos="0 0 0.2" mass="0.5" fullinertia="0.01 0.01 0.005 0 0 0"/></body>
</body></body></worldbody></mujoco>"""


def same_robot(friction: float = 0.0) -> tandem.Model:
    return (
        tandem.ModelBuilder("same")
        .link("trunk", 2, com=(0.1, 0, 0), inertia=(0.02, 0, 0, 0.03, 0, 0.04))
        .link("arm", 1, com=(0, 0.1, 0.2), inertia=(0.02, 0, 0, 0.02, 0, 0.01))
        .link("hand", 0.5, com=(0, 0, 0.2), inertia=(0.01, 0, 0, 0.01, 0, 0.005))
        .joint("shoulder", "spherical", "trunk", "arm", position=(0, 0, 0.3))
        .joint("elbow", "revolute", "arm", "hand", position=(0, 0, 0.4), axis=(0, 1, 0), damping=0.5, armature=0.01,
               stiffness=3, friction=friction)  # fmt: skip
        .build(floating=True)
    )


class TestMujoco:
    @pytest.fixture(autouse=True)
    def library(self) -> None:
        self.mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (pip install mujoco)")

    def state(self, seed: int = 2, friction: float = 0.0) -> tuple[Any, ...]:
        """Both models, MuJoCo's data in a random state, our q, v, and the rotation of the trunk."""
        text = MJCF.replace("FRICTION", f'frictionloss="{friction}"' if friction else "")
        theirs, model = self.mujoco.MjModel.from_xml_string(text), same_robot(friction)
        data = self.mujoco.MjData(theirs)
        q = tandem.random_configuration(model, seed=seed)
        v = np.random.default_rng(seed).normal(size=model.nv)
        data.qpos[:], data.qvel[:] = page("coming_from_mujoco.md")["to_mujoco"](model, theirs, q, v)
        R = tandem.forward_kinematics(model, q)[1, :, :3]
        self.mujoco.mj_forward(theirs, data)
        return theirs, model, data, q, v, R

    def test_poses_and_velocities(self) -> None:
        theirs, model, data, q, v, _ = self.state()
        pose, velocity = tandem.forward_kinematics(model, q, v, reference="local_world_aligned")
        for name in ("trunk", "arm", "hand"):
            body, frame = theirs.body(name).id, model.frame_index(name)
            assert np.allclose(pose[frame, :, 3], data.xpos[body])
            assert np.allclose(pose[frame, :, :3], data.xmat[body].reshape(3, 3))
            found = np.empty(6)
            self.mujoco.mj_objectVelocity(theirs, data, self.mujoco.mjtObj.mjOBJ_XBODY, body, found, 0)
            assert np.allclose([*found[3:], *found[:3]], velocity[frame])  # theirs is angular first

    def test_dynamics(self) -> None:
        theirs, model, data, q, v, R = self.state()
        passive = tandem.passive_forces(model, q, v)
        a = tandem.forward_dynamics(model, q, v, passive)
        linear, angular = v[:3], v[3:6]
        assert np.allclose(data.qacc[:3], R @ (a[:3] + np.cross(angular, linear)))
        assert np.allclose(data.qacc[3:], a[3:])
        self.mujoco.mj_inverse(theirs, data)
        assert np.allclose(data.qfrc_inverse, 0, atol=1e-9)
        assert np.allclose(tandem.inverse_dynamics(model, q, v, a) - passive, 0, atol=1e-9)
        assert np.allclose(data.qfrc_passive, passive)
        assert theirs.dof_damping[-1] == model.damping[-1] == 0.5  # although angles are in degrees there
        kinetic, potential = tandem.energy(model, q, v)
        assert np.allclose(data.energy, [potential, kinetic])
        assert np.allclose(data.subtree_com[0], tandem.centre_of_mass(model, q))
        assert theirs.opt.gravity.tolist() == list(model.gravity)
        assert self.mujoco.mj_name2id(theirs, self.mujoco.mjtObj.mjOBJ_JOINT, "nobody") == -1

    def test_mass_matrix_and_jacobian(self) -> None:
        theirs, model, data, q, _, R = self.state()
        W = np.eye(model.nv)
        W[:3, :3] = R
        M = np.zeros((model.nv, model.nv))
        self.mujoco.mj_fullM(theirs, data, M)
        assert np.allclose(W.T @ M @ W, tandem.mass_matrix(model, q))
        assert M[-1, -1] > 0.01  # with armature
        jac = np.zeros((6, model.nv))
        self.mujoco.mj_jacBody(theirs, data, jac[:3], jac[3:], theirs.body("hand").id)
        assert np.allclose(jac @ W, tandem.jacobian(model, q, "hand", "local_world_aligned"))

    def test_forces_on_bodies(self) -> None:
        theirs, model, data, q, v, R = self.state()
        f, i = np.array([1.0, -2, 3, 0.4, 0.5, -0.6]), model.link_index("hand")
        f_ext = np.zeros((model.n_links, 6))
        f_ext[i] = f
        hand = theirs.body("hand").id
        R_hand = data.xmat[hand].reshape(3, 3)
        force = R_hand @ f[:3]
        lever = data.xpos[hand] - data.xipos[hand]
        data.xfrc_applied[hand] = [*force, *(R_hand @ f[3:] + np.cross(lever, force))]
        self.mujoco.mj_forward(theirs, data)
        a = tandem.forward_dynamics(model, q, v, tandem.passive_forces(model, q, v), f_ext)
        assert np.allclose(data.qacc[3:], a[3:])

    def test_integrate_and_difference(self) -> None:
        theirs, model, data, q, v, R = self.state()
        qpos, there = data.qpos.copy(), np.empty(theirs.nv)
        self.mujoco.mj_integratePos(theirs, qpos, data.qvel, 0.1)
        ours = tandem.integrate(model, q, 0.1 * v)
        across = page("coming_from_mujoco.md")["to_mujoco"](model, theirs, ours, v)[0]
        assert np.allclose(qpos[7:11], across[7:11]) and np.allclose(qpos[3:7], across[3:7])
        # theirs goes straight on along the world's axes, ours along a screw
        assert np.allclose(qpos[:3], data.qpos[:3] + 0.1 * R @ v[:3])
        self.mujoco.mj_differentiatePos(theirs, there, 1.0, data.qpos, across)
        assert np.allclose(there[3:], tandem.difference(model, q, ours)[3:])

    def test_dry_friction_is_a_constraint(self) -> None:
        theirs, model, data, q, v, _ = self.state(friction=0.2)
        assert theirs.dof_frictionloss[-1] == 0.2 and data.nefc == 1
        sliding = -3 * q[-1] - 0.5 * v[-1]  # spring and damper
        assert np.isclose(data.qfrc_passive[-1], sliding)
        assert np.isclose(tandem.passive_forces(model, q, v)[-1], sliding - 0.2 * np.sign(v[-1]))

    def test_urdf(self) -> None:
        """Fixed links melt away, and a mimic joint becomes an equality constraint."""
        limits = '<limit lower="-1" upper="1" velocity="1" effort="1"/><dynamics damping'
        text = TWO_ARMS.replace("continuous", "revolute").replace("<dynamics damping", limits)
        text = text.replace("MIMIC", '<mimic joint="z_left"/>').replace(
            "</robot>",
            """<link name="tip"/><joint name="welded" type="fixed"><parent link="a"/><child link="tip"/>
            <origin xyz="0 0 1"/></joint></robot>""",
        )
        theirs = self.mujoco.MjModel.from_xml_string(text)
        assert self.mujoco.mj_name2id(theirs, self.mujoco.mjtObj.mjOBJ_BODY, "tip") == -1
        model = tandem.Model.from_urdf_string(text)
        assert "tip" in model.frame_names
        assert (theirs.nv, theirs.neq, model.nv) == (2, 1, 1)
        assert theirs.opt.integrator == self.mujoco.mjtIntegrator.mjINT_EULER

    def test_batches(self) -> None:
        """What the table of batches says is there, and a falling pendulum is where it is here."""
        batches = pytest.importorskip("mujoco.batch", reason="MuJoCo is older than 4.0")
        text = """<mujoco><option timestep="0.001" integrator="RK4"/><worldbody><body name="rod"><joint name="hinge" axis="0 1 0"/>
            <inertial pos="0 0 -0.5" mass="1" diaginertia="0.1 0.1 0.01"/></body></worldbody>
            <keyframe><key name="up" qpos="2"/></keyframe></mujoco>"""
        theirs = batches.Batch(self.mujoco.MjModel.from_xml_string(text), 5, 1)
        qpos, applied = theirs.bind("qpos"), theirs.bind("qfrc_applied")
        ours = tandem.VectorSimulation(tandem.read_mjcf(text).build(), 5, dt=1e-3, integrator="rk4")
        q, tau = ours.q, ours.tau
        for batch, array, name in ((theirs, qpos, "body_mass"), (ours, q, "mass")):
            array[:, 0] = np.linspace(0.1, 1, 5)
            masses = batch.expand(name) if batch is theirs else batch.parameter(name)
            masses[:, 1] = np.linspace(1, 2, 5)
        applied[:, 0] = tau[:, 0] = 0.3
        theirs.step(nstep=100)
        ours.step(steps=100)
        theirs.step([1, 3], 50)
        ours.step(ids=[1, 3], steps=50)
        theirs.reset([4], 0)
        ours.reset([4], to="up")
        np.testing.assert_allclose(theirs.joint("hinge").qpos, ours.joint("hinge").q, atol=1e-8)
        np.testing.assert_allclose(theirs.body("rod").mass[:, 0], ours.link("rod").mass)
        poses = ours.bind("poses")
        theirs.forward()
        np.testing.assert_allclose(theirs.bind("xpos")[:, 1], poses[:, 1, :, 3], atol=1e-12)
        with pytest.raises(tandem.Error, match='expected one of "start", "up"'):
            ours.reset(to="down")
