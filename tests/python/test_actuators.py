# SPDX-License-Identifier: Apache-2.0
"""Motors and servos: MuJoCo's forces, what they limit, and simulations that they drive."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_oracle_mjcf import ALL, LARGE, MODELS, load, reason_of

import tandem
from tandem import bridges, mjcf

mujoco = pytest.importorskip("mujoco", reason="NOT COMPARED WITH MUJOCO: it is not installed (pip install mujoco)")

EPS = np.finfo(np.float64).eps

#: A cart with a pole, driven in every way that is served, and in some that are not.
CART = """<mujoco model="cart">
  <worldbody>
    <body name="cart"><joint name="slide" type="slide" axis="1 0 0"/>
      <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><site name="s"/>
      <body name="pole"><joint name="hinge" axis="0 1 0"/><inertial pos="0 0 -0.5" mass="1" diaginertia="0.1 0.1 0.1"/>
        <body name="tip" pos="0 0 -1"><joint name="wrist" axis="0 1 0" actuatorfrcrange="-7 7"/>
          <inertial pos="0 0 -0.2" mass="0.5" diaginertia="0.1 0.1 0.1"/>
          <body name="ball"><joint name="ball" type="ball"/><inertial pos="0 0 0.1" mass="1" diaginertia="1 1 1"/></body>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="t"><joint joint="wrist" coef="1"/></fixed></tendon>
  <actuator>
    <motor name="push" joint="slide" gear="100" ctrlrange="-1 2"/>
    <position name="servo" joint="hinge" kp="40" kv="3" gear="2" ctrlrange="-1 1" forcerange="-15 15"/>
    <motor name="tendon" tendon="t"/>
    <velocity name="speed" joint="wrist" kv="5"/>
    <general name="spring" joint="wrist" gainprm="2 0.1 0.2" gaintype="affine" biastype="affine" biasprm="0.3 -4 -0.5"/>
    <muscle name="lag" joint="hinge" lengthrange="0 1"/>
    <motor name="three" joint="ball"/>
  </actuator>
  <keyframe><key name="there" qpos="0.1 0.2 0.3 1 0 0 0" ctrl="0.5 0.6 0.7 0.8 0.9 1.0 1.1"/></keyframe>
</mujoco>"""


def actuated(file: Path) -> Any:
    """MuJoCo's model with its actuators alone; those that the warnings name are disabled."""
    model, _ = mjcf._compiled(mujoco, mujoco.MjSpec.from_file(str(file)), str(file), [])
    bits = mujoco.mjtDisableBit
    model.opt.disableflags |= int(bits.mjDSBL_CONSTRAINT) | int(bits.mjDSBL_CONTACT)
    scalar = {int(mujoco.mjtJoint.mjJNT_SLIDE), int(mujoco.mjtJoint.mjJNT_HINGE)}
    for k in range(model.nu):
        kind, (on, relative_to) = int(model.actuator_trntype[k]), model.actuator_trnid[k]
        of_joint = kind <= 1 and int(model.jnt_type[on]) in scalar
        of_tendon = kind == 3 and model.wrap_type[model.tendon_adr[on]] == mujoco.mjtWrap.mjWRAP_JOINT
        of_site = kind == 4 and relative_to < 0
        linear = model.actuator_gaintype[k] <= 1 and model.actuator_biastype[k] <= 1
        of_first_order = model.actuator_dyntype[k] <= 3 and not model.actuator_actearly[k]
        if not ((of_joint or of_tendon or of_site) and linear and of_first_order):
            model.actuator_group[k] = 30
    model.opt.disableactuator |= 1 << 30
    model.body_gravcomp[:] = 0  # left out, as a warning says; some joints count it as a force of actuators
    return model


@ALL
def test_forces_are_those_of_mujoco(file: Path) -> None:
    """qfrc_actuator at random controls (beyond their ranges, too), positions and velocities, to rounding of the sum."""
    if reason_of(file):
        pytest.skip("refused")
    model, theirs = load(file), actuated(file)
    assert model.nu == theirs.nu
    if model.nu == 0 or model.nv > LARGE:
        pytest.skip("no actuators" if model.nu == 0 else "large: many copies of one robot")
    told = "\n".join(model.warnings)
    for k, actuator in enumerate(model.actuators):
        assert actuator.name == (theirs.actuator(k).name or f"actuator{k}")
        acts_on = actuator.joint or actuator.tendon or actuator.frame
        assert (acts_on is None) == (int(theirs.actuator_group[k]) == 30)
        assert acts_on is not None or "is ignored" in told
    bridge, data, rng = bridges.to_mujoco(model, theirs), mujoco.MjData(theirs), np.random.default_rng(3)
    for seed in range(5):
        q, v = tandem.random_configuration(model, seed=seed), rng.normal(size=model.nv)
        reach = np.where(theirs.actuator_ctrllimited, np.abs(theirs.actuator_ctrlrange).max(axis=1), 1.0)
        ctrl = rng.uniform(-1.5, 1.5, theirs.nu) * reach
        data.qpos[:], data.qvel[:], data.ctrl[:] = bridge.q_to(q), bridge.v_to(v, q), ctrl
        data.act[:] = rng.normal(size=theirs.na)
        mujoco.mj_forward(theirs, data)
        served = theirs.actuator_group != 30
        act = data.act[theirs.actuator_actadr[served & (theirs.actuator_dyntype > 0)]]
        ctrl_or_act = ctrl.copy()
        ctrl_or_act[served & (theirs.actuator_dyntype > 0)] = act
        gain, bias = np.abs(theirs.actuator_gainprm[:, :3]), np.abs(theirs.actuator_biasprm[:, :3])
        lengths = np.stack([np.ones(theirs.nu), np.abs(data.actuator_length), np.abs(data.actuator_velocity)], axis=1)
        of_input = gain * np.abs(ctrl_or_act)[:, None]
        terms = ((of_input + bias) * lengths).sum(axis=1) * np.abs(theirs.actuator_gear).max(axis=1)
        tolerance = 32 * EPS * max(1.0, terms[served].sum()) if served.any() else 0.0
        ours = tandem.actuator_forces(model, q, v, ctrl, act)
        np.testing.assert_allclose(ours, bridge.tau_from(data.qfrc_actuator, q), rtol=0, atol=tolerance)


def at_home(name: str, integrator: Any) -> tuple[tandem.Model, Any, Any]:
    """A robot, and MuJoCo's model and data of it at the keyframe "home", without dry friction, to be stepped by 1
    ms."""
    file = MODELS / "mjcf" / f"{name}.xml"
    if not file.exists():
        pytest.skip(f"{file} is not there")
    model, theirs = tandem.load(file), actuated(file)
    theirs.opt.integrator, theirs.opt.timestep = int(integrator), 1e-3
    theirs.dof_frictionloss[:] = 0
    data = mujoco.MjData(theirs)
    mujoco.mj_resetDataKeyframe(theirs, data, 0)
    return model, theirs, data


@pytest.mark.parametrize("name", ["franka_panda/panda_nohand", "universal_robots_ur5e/ur5e"])
def test_servos_hold_a_robot_as_they_do_in_mujoco(name: str) -> None:
    """A second at the keyframe "home": both by Runge-Kutta of order four, which differ by rounding."""
    model, theirs, data = at_home(name, mujoco.mjtIntegrator.mjINT_RK4)
    home, ctrl = model.configuration("home"), model.controls("home")
    assert np.array_equal(ctrl, data.ctrl) and np.array_equal(home, data.qpos)
    drive = tandem.actuator_drive(model, ctrl)
    frictionless = {"friction": np.zeros(model.nv)}
    run = tandem.Simulation(
        model, dt=1e-3, integrator="rk4", controller=drive.controller, limits=False, parameters=frictionless
    )
    run.q = home
    for _ in range(1000):
        run.step(drive.tau)
        mujoco.mj_step(theirs, data)
    moved = np.abs(data.qpos - home).max()
    assert moved < 0.05  # without them the Panda falls by 1.8 rad
    np.testing.assert_allclose(run.q, data.qpos, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["franka_panda/panda_nohand", "kuka_iiwa14/iiwa14", "ufactory_xarm7/xarm7_nohand"])
def test_stiff_servos_end_where_they_do_in_mujoco(name: str) -> None:
    """With gains that both take implicitly: where the servos balance the weight, less what is left of the way there."""
    model, theirs, data = at_home(name, mujoco.mjtIntegrator.mjINT_IMPLICITFAST)
    drive = tandem.actuator_drive(model, model.controls("home"))
    run = tandem.Simulation(
        model, dt=1e-3, controller=drive.controller, limits=False, effort_limits=True,
        parameters={"friction": np.zeros(model.nv)},
    )  # fmt: skip
    home = run.q = model.configuration("home")
    for _ in range(3000):
        run.step(drive.tau)
        mujoco.mj_step(theirs, data)
    moved = np.abs(data.qpos - home).max()
    assert np.abs(run.q - data.qpos).max() < 1e-3 * moved + 1e-9
    still = tandem.actuator_forces(model, run.q, 0 * run.v, model.controls("home"))
    weight = tandem.gravity_forces(model, run.q)
    assert np.abs(still - weight).max() < 1e-2 * np.abs(weight).max()


@pytest.mark.parametrize("name", ["franka_panda/panda", "ufactory_xarm7/xarm7_nohand", "anybotics_anymal_c/anymal_c"])
def test_servos_limit_efforts(name: str) -> None:
    """By MuJoCo's force ranges and gears."""
    file = MODELS / "mjcf" / f"{name}.xml"
    if not file.exists():
        pytest.skip(f"{file} is not there")
    model, theirs = tandem.load(file), actuated(file)
    for k in np.flatnonzero((theirs.actuator_group != 30) & (theirs.actuator_trntype <= 1)):
        limit = model.tau_limit[model.joint(theirs.joint(theirs.actuator_trnid[k, 0]).name).v_index]
        if theirs.actuator_forcelimited[k]:
            assert limit == np.abs(theirs.actuator_gear[k, 0] * theirs.actuator_forcerange[k]).max() < np.inf


class TestCart:
    def test_the_order_of_controls_is_that_of_the_file(self) -> None:
        model = tandem.read_mjcf(CART).build()
        names = ["push", "servo", "tendon", "speed", "spring", "lag", "three"]
        assert [actuator.name for actuator in model.actuators] == names and model.nu == 7
        joints = ["slide", "hinge", None, "wrist", "wrist", None, None]
        assert [actuator.joint for actuator in model.actuators] == joints
        assert [actuator.tendon for actuator in model.actuators] == [None, None, "t", *[None] * 4]
        assert model.controls("there").tolist() == [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1]
        servo = model.actuators[1]
        assert (servo.gear, servo.gain, servo.bias) == (2, (40, 0, 0), (0, -40, -3))
        assert (servo.ctrl_range, servo.force_range) == ((-1, 1), (-15, 15))
        told = "\n".join(model.warnings)
        assert 'actuator "lag": is ignored: it is a muscle' in told
        assert 'actuator "three": is ignored: it acts on a joint with several degrees of freedom' in told

    def test_lopsided_ranges_are_kept_and_told(self) -> None:
        """A gear of 100 and controls of -1 to 2 are forces of -100 to 200."""
        model = tandem.read_mjcf(CART).build()
        state = (np.array([0, 0, 0, 0, 0, 0, 1.0]), np.zeros(model.nv))
        ends = tandem.actuator_forces(model, *state, np.outer([-9, 9], [1, 0, 0, 0, 0, 0, 0]))
        assert ends[:, 0].tolist() == [-100, 200]
        told = "\n".join(model.warnings)
        assert ('joint "slide": takes forces from -100 to 200; the larger magnitude is used as the limit in both '
                'directions') in told
        assert model.tau_limit[:3].tolist() == [200, np.inf, 7]

    def test_a_range_of_a_joint_holds_for_its_one_actuator(self) -> None:
        text = CART.replace('name="slide" type="slide"', 'name="slide" type="slide" actuatorfrcrange="-50 300"')
        model, theirs = tandem.read_mjcf(text).build(), mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(theirs)
        for ctrl in (-1.0, 2.0):
            data.ctrl[0] = ctrl
            mujoco.mj_forward(theirs, data)
            force = tandem.actuator_forces(model, [0, 0, 0, 0, 0, 0, 1], np.zeros(model.nv), [ctrl, *[0] * 6])
            assert force[0] == data.qfrc_actuator[0]

    def test_drives_are_the_forces(self) -> None:
        """While no actuator is at the end of its range."""
        model = tandem.read_mjcf(CART).build()
        q, v = np.array([0.1, 0.05, -0.2, 0, 0, 0, 1]), np.array([0.3, 0.1, -0.4, 0.5, 0.6, 0.7])
        ctrl = np.array([[0.5, 0.2, 0, 0.4, -0.3, 0, 0], [-0.5, 0.1, 0.9, 0.1, 0.3, 9, 9]])
        drive = tandem.actuator_drive(model, ctrl)
        assert drive.tau.shape == drive.controller.kp.shape == (2, model.nv)
        rows = slice(0, 3)
        ours = drive.tau[:, rows] + drive.controller.kp[:, rows] * (drive.controller.q_target[:, rows] - q[rows])
        ours -= drive.controller.kd[:, rows] * v[rows]
        np.testing.assert_allclose(ours, tandem.actuator_forces(model, q, v, ctrl)[:, rows], rtol=1e-14)

    def test_copies_keep_them(self) -> None:
        model = tandem.read_mjcf(CART).build()
        state = (np.array([0.1, 0.2, 0.3, 0, 0, 0, 1]), np.ones(model.nv), model.controls("there"))
        forces = tandem.actuator_forces(model, *state)
        for again in (pickle.loads(pickle.dumps(model)), tandem.describe(model).build(), model.with_gravity((0, 0, 0))):
            assert [actuator.name for actuator in again.actuators] == [actuator.name for actuator in model.actuators]
            assert np.array_equal(tandem.actuator_forces(again, *state), forces)
            assert np.array_equal(again.controls("there"), model.controls("there"))

    def test_what_is_written_comes_back(self) -> None:
        """But those that were left out, which have no control any more."""
        model = tandem.read_mjcf(CART).build()
        again = tandem.read_mjcf(tandem.read_mjcf(CART).write_mjcf()).build()
        kept = [k for k, actuator in enumerate(model.actuators) if actuator.joint or actuator.tendon]
        assert [actuator.name for actuator in again.actuators] == [model.actuators[k].name for k in kept]
        ctrl = model.controls("there")
        assert np.array_equal(again.controls("there"), ctrl[kept])
        assert again.tau_limit[:3].tolist() == [200, 30, 7]  # nothing that is left out pushes on the hinge any more
        q, v = np.array([0.1, 0.2, 0.3, 0, 0, 0, 1]), np.ones(model.nv)
        expected = tandem.actuator_forces(model, q, v, ctrl)
        np.testing.assert_allclose(tandem.actuator_forces(again, q, v, ctrl[kept]), expected, rtol=1e-15)

    def test_edits_take_them_along(self) -> None:
        builder = tandem.read_mjcf(CART)
        builder.change_joint("hinge", rename="shoulder").remove_actuator("spring")
        assert builder.build().actuators[1].joint == "shoulder" and "spring" not in builder.actuator_names
        builder.lock_joint("shoulder", [0.1])
        assert "servo" not in builder.actuator_names and builder.build().controls("there").shape == (5,)
        tool = tandem.ModelBuilder("base").link("root", mass=1)
        both = tool.append(tandem.read_mjcf(CART), "root", prefix="left/")
        assert both.actuator_names[0] == "left/push" and both.build().actuators[0].joint == "left/slide"
        whole = tandem.read_mjcf(CART).build()
        reduced = whole.reduced(["hinge"], whole.configuration("there"))
        names = ["push", "tendon", "speed", "spring", "three"]
        assert [actuator.name for actuator in reduced.actuators if actuator.name != "lag"] == names

    def test_disabled_actuators_push_nothing(self) -> None:
        text = CART.replace("<worldbody>", '<option><flag actuation="disable"/></option><worldbody>', 1)
        model = tandem.read_mjcf(text).build()
        assert all(actuator.joint is None for actuator in model.actuators)
        assert "it is disabled" in "\n".join(model.warnings)
        text = CART.replace("<worldbody>", '<option><flag clampctrl="disable"/></option><worldbody>', 1)
        model = tandem.read_mjcf(text).build()
        assert tandem.actuator_forces(model, [0, 0, 0, 0, 0, 0, 1], np.zeros(6), [9, *[0] * 6])[0] == 900


def test_followers_push_on_those_that_they_follow() -> None:
    robot = tandem.ModelBuilder("gripper").link("base")
    robot.link("left", mass=1, com=(0, 0, 1)).link("right", mass=1, com=(0, 0, 1))
    robot.joint("a", "revolute", "base", "left", axis=(0, 1, 0))
    robot.joint("b", "revolute", "base", "right", axis=(0, 1, 0), mimic="a", multiplier=-2, offset=0.5)
    robot.actuator("servo", "b", gear=3, gain=(10, 0, 0), bias=(0, -10, -1))
    model = robot.build()
    q, v, ctrl = 0.3, 0.7, 0.2
    force = 10 * ctrl - 10 * 3 * (-2 * q + 0.5) - 3 * -2 * v  # along the length 3 b
    tau = tandem.actuator_forces(model, [q], [v], [ctrl])
    assert tau == pytest.approx(-2 * 3 * force, rel=1e-14)
    drive = tandem.actuator_drive(model, [ctrl])
    other = drive.tau + drive.controller.kp * (drive.controller.q_target - q) - drive.controller.kd * v
    assert other == pytest.approx(tau, rel=1e-14)


def test_errors() -> None:
    model = tandem.read_mjcf(CART).build()
    q, v = tandem.neutral_configuration(model), np.zeros(model.nv)
    for call, text in (
        (lambda: tandem.actuator_forces(model, q, v, [0.0] * 6), r"ctrl has shape \(6,\), expected \(7,\)"),
        (lambda: tandem.actuator_forces(model, q, v, [np.nan] * 7), r'ctrl\[0\], of actuator "push", is not finite'),
        (lambda: tandem.actuator_forces(model, [q] * 2, [v] * 3, [0] * 7), "leading shapes do not broadcast"),
        (lambda: tandem.actuator_drive(model, [0.0]), r"actuator_drive: ctrl has shape \(1,\)"),
        (lambda: model.controls("nowhere"), 'has no configuration "nowhere"'),
        (lambda: tandem.describe(model).remove_actuator("pusch"), 'did you mean "push"'),
        (lambda: tandem.describe(model).actuator("more", "hing").build(), 'joint "hing" does not exist; did you mean'),
        (lambda: tandem.describe(model).actuator("more", "ball").build(), "expected one"),
        (lambda: tandem.describe(model).actuator("push", "slide").build(), 'duplicate actuator name "push"'),
        (lambda: tandem.describe(model).actuator("more", "slide", gear=np.inf).build(), "not finite"),
        (lambda: tandem.describe(model).actuator("more", "slide", ctrl_range=(2, 1)).build(), "ctrl_range is 2 to 1"),
    ):
        with pytest.raises(tandem.Error, match=text):
            call()
    unstable = tandem.describe(model).actuator("away", "slide", bias=(0, 3, 0)).build()
    with pytest.raises(tandem.Error, match='actuator "away" has a force that grows with the position of its joint'):
        tandem.actuator_drive(unstable, [0.0] * 8)
