# SPDX-License-Identifier: Apache-2.0
# Over 400 lines, as all sensors are compared here.
"""Sensors against MuJoCo's sensordata at equal states, closed forms, and one another."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contact_support import G, Twin, simulation_of, tight
from mujoco_support import mujoco
from oracle_support import MODELS

import tandem
from tandem import bridges, mjcf, sensors
from tandem.sensors import Sensors
from tandem.sensors._zones import SIZES, hit

#: A walker on a floor and a boulder, whose left foot is a body that is fixed to the shank.
LEGGED = """<mujoco model="legged">
  <option timestep="0.002" magnetic="0.1 -0.4 0.3"/>
  <default><geom contype="0" conaffinity="1"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" contype="1" conaffinity="0" friction="0.6 0.02 0.003"/>
    <body name="rock" pos="0.4 0 0" euler="5 3 0">
      <geom name="rock" size="0.2" contype="1" conaffinity="0"/><site name="rock" size="0.3"/>
    </body>
    <body name="trunk" pos="0 0 0.5"><freejoint name="root"/>
      <geom name="trunk" type="box" size="0.15 0.1 0.06" mass="3"/>
      <geom name="nose" type="sphere" size="0.05" pos="0.2 0 0" mass="0.1"/>
      <camera name="eye" pos="0.2 0 0.05" euler="10 20 30"/>
      <site name="imu" pos="0.03 -0.02 0.05" euler="20 -30 70"/>
      <site name="belly" type="box" size="0.16 0.11 0.03" pos="0 0 -0.06" euler="3 0 8"/>
      <body name="right_thigh" pos="0 -0.1 -0.05">
        <joint name="right_hip" axis="0.1 1 0" range="-40 30" damping="0.4" frictionloss="0.3"/>
        <joint name="right_yaw" axis="0 0 1" pos="0 0 -0.05" armature="0.03"/>
        <geom name="right_thigh" type="cylinder" fromto="0 0 0 0 0 -0.2" size="0.03" mass="0.5"/>
        <site name="right_hip" pos="0 0 0.01" euler="0 30 0"/>
        <body name="right_shin" pos="0 0 -0.22">
          <joint name="right_knee" axis="0 1 0" range="-60 5" damping="0.2" stiffness="4"/>
          <geom name="right_shin" type="capsule" fromto="0 0 0 0 0 -0.2" size="0.03" mass="0.3" condim="4"/>
          <site name="right_sole" type="capsule" size="0.02 0.03" pos="0 0 -0.19" euler="90 0 0"/>
          <site name="right_shin" type="cylinder" size="0.05 0.04" pos="0 0 -0.2"/>
        </body></body>
      <body name="left_thigh" pos="0 0.1 -0.05"><joint name="left_hip" axis="0 1 0.1" range="-40 30"/>
        <geom name="left_thigh" type="box" size="0.03 0.02 0.1" pos="0 0 -0.1" mass="0.5"/>
        <body name="left_shin" pos="0 0 -0.22"><joint name="left_knee" axis="0 1 0" range="-60 5" frictionloss="0.1"/>
          <geom name="left_shin" type="ellipsoid" size="0.03 0.04 0.12" pos="0 0 -0.1" mass="0.3" condim="6"/>
          <body name="ankle" pos="0.01 0 -0.19" euler="0 15 5">
            <geom name="ankle" type="sphere" size="0.02" mass="0.05"/>
            <site name="load_cell" euler="40 0 10"/>
            <body name="left_foot" pos="0 0 -0.03" euler="0 -9 0">
              <geom name="left_foot" type="box" size="0.06 0.03 0.01" mass="0.2" friction="0.9"/>
              <site name="left_foot" type="ellipsoid" size="0.05 0.04 0.02"/>
            </body></body>
        </body></body>
    </body>
  </worldbody>
  <sensor>
    <accelerometer site="imu" name="accelerometer"/> <gyro site="imu"/> <velocimeter site="imu"/>
    <magnetometer site="imu"/> <accelerometer site="imu" cutoff="3" name="clipped"/>
    <touch site="belly"/> <touch site="right_sole"/> <touch site="right_shin"/> <touch site="left_foot"/>
    <touch site="rock"/> <touch site="left_foot" cutoff="20"/>
    <force site="right_hip"/> <torque site="right_hip"/> <force site="right_shin"/> <torque site="right_shin"/>
    <force site="load_cell"/> <torque site="load_cell"/> <force site="left_foot"/> <torque site="left_foot"/>
    <force site="imu"/> <torque site="imu"/> <force site="rock"/> <torque site="rock"/>
    <framepos objtype="site" objname="left_foot"/> <framepos objtype="body" objname="left_foot"/>
    <framepos objtype="xbody" objname="left_foot" reftype="site" refname="imu"/>
    <framepos objtype="camera" objname="eye"/> <framepos objtype="geom" objname="right_thigh"/>
    <framequat objtype="site" objname="imu"/> <framequat objtype="camera" objname="eye"/>
    <framequat objtype="body" objname="left_shin" reftype="body" refname="trunk"/>
    <framequat objtype="site" objname="right_shin" reftype="xbody" refname="rock"/>
    <framexaxis objtype="site" objname="load_cell"/> <frameyaxis objtype="xbody" objname="right_shin"/>
    <framezaxis objtype="geom" objname="left_shin" reftype="site" refname="imu"/>
    <framelinvel objtype="site" objname="left_foot"/> <frameangvel objtype="site" objname="left_foot"/>
    <framelinvel objtype="body" objname="left_foot" reftype="body" refname="right_shin"/>
    <frameangvel objtype="body" objname="left_foot" reftype="body" refname="right_shin"/>
    <framelinacc objtype="body" objname="left_foot"/> <frameangacc objtype="site" objname="load_cell"/>
    <framelinacc objtype="site" objname="rock"/>
    <subtreecom body="trunk"/> <subtreecom body="left_shin"/> <subtreecom body="ankle"/> <subtreecom body="world"/>
    <subtreelinvel body="trunk"/> <subtreelinvel body="left_foot"/>
    <subtreeangmom body="trunk"/> <subtreeangmom body="right_thigh"/> <subtreeangmom body="ankle"/>
    <jointpos joint="right_knee"/> <jointvel joint="right_yaw"/> <jointlimitfrc joint="right_hip"/>
    <jointlimitfrc joint="left_knee"/> <clock/>
  </sensor>
</mujoco>"""

#: An arm on a ball joint, with tendons and actuators.
ARM = """<mujoco model="arm">
  <compiler autolimits="true"/>
  <worldbody>
    <body name="upper" pos="0 0 1" euler="0 0 20"><joint name="shoulder" type="ball"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04" mass="2" contype="0" conaffinity="0"/>
      <body name="lower" pos="0.3 0 0"><joint name="elbow" axis="0 1 0" ref="20" springref="3" stiffness="2"/>
        <geom type="capsule" fromto="0 0 0 0.25 0 0" size="0.03" mass="1" contype="0" conaffinity="0"/>
        <body pos="0.25 0 0" euler="0 0 30"><joint name="wrist" axis="0 0 1" damping="0.1"/><joint name="slide" type="slide"
          axis="1 0 0" actuatorfrcrange="-1 1"/>
          <geom type="box" size="0.03 0.02 0.05" mass="0.4" contype="0" conaffinity="0"/>
          <site name="tip" pos="0.05 0 0.01" euler="30 0 0"/><site name="back" pos="-0.05 0 0.01"/>
        </body></body></body>
  </worldbody>
  <tendon><fixed name="cord"><joint joint="elbow" coef="0.3"/><joint joint="wrist" coef="-0.2"/></fixed></tendon>
  <actuator>
    <motor name="pull" joint="elbow" gear="3" ctrlrange="-1 1"/>
    <position name="servo" joint="wrist" kp="30" kv="2" forcerange="-4 4"/>
    <velocity name="drag" joint="slide" kv="8" gear="0.5"/>
    <motor name="push" joint="slide"/> <position name="tense" tendon="cord" kp="40" kv="3" gear="2"/>
    <motor name="jet" site="tip" gear="1 2 -1 0.1 0.2 0.3"/> <general name="lag" joint="elbow" dyntype="filterexact"
      dynprm="0.1" gainprm="3"/>
  </actuator>
  <sensor>
    <ballquat joint="shoulder"/> <ballangvel joint="shoulder"/> <jointpos joint="elbow"/> <jointvel joint="slide"/>
    <tendonpos tendon="cord"/> <tendonvel tendon="cord"/>
    <actuatorpos actuator="pull"/> <actuatorvel actuator="drag"/>
    <actuatorfrc actuator="pull"/> <actuatorfrc actuator="servo"/> <actuatorfrc actuator="drag"/>
    <actuatorpos actuator="tense"/> <actuatorvel actuator="tense"/> <actuatorfrc actuator="tense"/>
    <actuatorpos actuator="jet"/> <actuatorfrc actuator="jet"/> <actuatorfrc actuator="lag"/>
    <jointactuatorfrc joint="elbow"/> <jointactuatorfrc joint="slide"/>
    <accelerometer site="tip"/> <gyro site="tip"/> <force site="tip"/> <torque site="tip"/>
    <framequat objtype="site" objname="tip"/> <framequat objtype="site" objname="tip" reftype="body" refname="upper"/>
    <framelinacc objtype="site" objname="back"/> <framelinvel objtype="site" objname="back" reftype="site" refname="tip"/>
    <subtreeangmom body="lower"/>
  </sensor>
</mujoco>"""

EXACT: dict[str, Any] = {"tolerance": 1e-10, "most_steps": 200}


def forces_at(twin: Twin, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> tandem.types.ContactAcceleration:
    springs = tandem.passive_forces(twin.model, q, v, parameters={"friction": np.zeros(twin.model.nv)})
    return tandem.contact_dynamics(twin.contacts, q, v, tau + springs, cone="elliptic", impratio=1, **EXACT)


def values_at(found: Sensors, twin: Twin, q: np.ndarray, v: np.ndarray, tau: np.ndarray, **more: Any) -> np.ndarray:
    x = forces_at(twin, q, v, tau)
    assert np.all(x.converged)
    return found.values(q, v, x.a, contacts=twin.contacts, f_contact=x.f_contact, f_limit=x.f_limit, f_loop=x.f_loop,
                        **more)


def close(ours: np.ndarray, theirs: np.ndarray, bound: float) -> bool:
    return bool(np.abs(ours - theirs).max() < bound * (1 + np.abs(theirs).max()))


def test_a_legged_robot_has_the_sensordata_of_mujoco() -> None:
    twin = Twin(LEGGED, self_contact=True)
    found = Sensors.from_mjcf(LEGGED, twin.model)
    assert found.size == twin.theirs.nsensordata and not found.problems
    touched, clipped, compared = set(), 0, 0
    q, v, tau = twin.random_states(40, 5, 0.5)
    ours = values_at(found, twin, q, v, tau, time=0.25)
    assert ours.shape == (40, found.size)
    for k in range(len(q)):
        twin.data.time = 0.25
        twin.forward(q[k], v[k], tau[k])
        theirs, x = twin.data.sensordata, forces_at(twin, q[k], v[k], tau[k])
        if not close(x.a, twin.accelerations(q[k], v[k]), 1e-8):  # MuJoCo's solver has not come to the end
            continue
        compared += 1
        for sensor, (name, part) in enumerate(found.slices.items()):
            bound = 1e-8 if twin.theirs.sensor_needstage[sensor] < int(mujoco.mjtStage.mjSTAGE_ACC) else 1e-6
            assert close(ours[k, part], theirs[part], bound), (name, ours[k, part], theirs[part])
            if twin.theirs.sensor_type[sensor] == int(mujoco.mjtSensor.mjSENS_TOUCH) and theirs[part] > 0:
                touched.add(name)
        clipped += int((np.abs(theirs[found.slices["clipped"]]) == 3).sum())
    assert len(touched) == 6 and clipped > 10 and compared > 35
    limits = [part for name, part in found.slices.items() if isinstance(found.sensors[found.names.index(name)],
                                                                        sensors.JointLimitForce)]
    assert all((ours[:, part] > 0).any() for part in limits)


def test_an_arm_has_the_sensordata_of_mujoco() -> None:
    twin = Twin(ARM)
    found = Sensors.from_mjcf(twin.theirs, twin.model)
    assert found.size == twin.theirs.nsensordata
    random = np.random.default_rng(4)
    q, v, _ = twin.random_states(10, 3, 0.0, turn=0.8)
    for k in range(len(q)):
        ctrl, act = random.uniform(-2, 2, twin.model.nu), random.normal(size=twin.model.na)
        twin.set(q[k], v[k])
        twin.data.ctrl[:], twin.data.act[:] = ctrl, act
        mujoco.mj_forward(twin.theirs, twin.data)
        tau = tandem.actuator_forces(twin.model, q[k], v[k], ctrl, act)
        assert close(values_at(found, twin, q[k], v[k], tau, ctrl=ctrl, act=act), twin.data.sensordata, 1e-8)
    simulation = simulation_of(twin, contact_options=EXACT)
    simulation.q, simulation.v = q[-1], v[-1]
    given = found.read(simulation, tau, ctrl=ctrl, act=act)
    simulation.ctrl, simulation.act = ctrl, act
    for ours in (given, found.read(simulation), found.read(copy.deepcopy(simulation))):
        assert close(ours, twin.data.sensordata, 1e-8)
    with pytest.raises(tandem.Error, match="Simulation.ctrl is in use"):
        found.read(simulation, ctrl=ctrl)


def test_quaternions_do_not_jump_and_have_the_sign_of_mujoco() -> None:
    """A hinge makes three turns: the quaternion goes on as MuJoCo's does; the body's own is upside down."""
    twin = Twin("""<mujoco><worldbody><body name="a" quat="0 1 0.2 0"><joint axis="0 0 1"/><geom size="0.1"/>
      <body name="b" pos="1 0 0" quat="-1 0 0 0.3"><joint type="ball"/><geom size="0.1"/></body></body></worldbody>
      <sensor><framequat objtype="xbody" objname="b"/><framequat objtype="body" objname="b" reftype="body" refname="a"/>
      </sensor></mujoco>""")
    found = Sensors.from_mjcf(twin.theirs, twin.model)
    q = np.tile(twin.bridge.q_from(twin.theirs.qpos0), (100, 1))
    q[:, 0] = np.linspace(0, 6 * np.pi, 100)
    ours = found.values(q)
    for k in range(100):
        twin.forward(q[k], np.zeros(twin.model.nv), np.zeros(twin.model.nv))
        np.testing.assert_allclose(ours[k], twin.data.sensordata, atol=1e-12)
    assert np.abs(np.diff(ours, axis=0)).max() < 0.1


FILES = [file for file in sorted((MODELS / "mjcf").rglob("*.xml")) if "<sensor" in file.read_text(errors="replace")]


def files() -> list[Any]:
    if not FILES:
        reason = f"NO MJCF FILE IS COMPARED: there is none with sensors under {MODELS / 'mjcf'}"
        return [pytest.param(None, id="models", marks=pytest.mark.skip(reason=reason))]
    return [pytest.param(file, id=file.relative_to(MODELS / "mjcf").with_suffix("").as_posix()) for file in FILES]


@pytest.mark.parametrize("file", files())
@pytest.mark.filterwarnings("ignore")
def test_files_have_the_sensordata_of_mujoco(file: Path) -> None:
    """At MuJoCo's accelerations; sensors that contacts enter where all forces of the file are in Tandem's model."""
    try:
        model = tandem.describe(file).couple_mimic_joints().build()
    except tandem.ModelError as error:
        pytest.skip(f"refused: {str(error)[:100]}")
    with mjcf._captured_warnings(mujoco):
        theirs, _ = mjcf._compiled(mujoco, mujoco.MjSpec.from_file(str(file)), str(file), [])
    for shape in model.shapes:  # unread ones touch nothing
        ids = [k for k in range(theirs.ngeom) if (theirs.geom(k).name or f"geom{k}") == shape.name and shape.unread]
        theirs.geom_contype[ids] = theirs.geom_conaffinity[ids] = 0
    tight(theirs)
    theirs.opt.density = theirs.opt.viscosity = 0
    found = Sensors.from_mjcf(file, model, leave_out=True)
    assert all("rangefinder" in why or "is ignored, acts on" in why for why in found.problems)
    bridge, data = bridges.to_mujoco(model, theirs), mujoco.MjData(theirs)
    pairs = tandem.ContactSet(model, leave_out=True)
    dynamics = tandem.contact.ContactDynamics(pairs, cone="elliptic", impratio=1, **EXACT)
    random, q0, compared = np.random.default_rng(0), bridge.q_from(theirs.qpos0), 0
    for _ in range(5):
        q, v = tandem.integrate(model, q0, 0.2 * random.normal(size=model.nv)), random.normal(size=model.nv)
        mujoco.mj_resetData(theirs, data)
        data.qpos[:], data.qvel[:], data.time = bridge.q_to(q), bridge.v_to(v, q), 0.3
        data.ctrl[:] = ctrl = random.uniform(-0.5, 0.5, theirs.nu)
        mujoco.mj_forward(theirs, data)
        tau = tandem.passive_forces(model, q, v, parameters={"friction": np.zeros(model.nv)})
        x = dynamics(q, v, tau + bridge.tau_from(data.qfrc_actuator, q))
        a = bridge.a_from(data.qacc, q, v)
        same = close(x.a, a, 1e-4)
        ours = found.split(found.values(q, v, a, contacts=pairs, f_contact=x.f_contact, f_loop=x.f_loop,
                                        f_limit=x.f_limit, ctrl=ctrl, act=np.zeros(model.na), time=0.3))
        for k in range(theirs.nsensor):
            name = theirs.sensor(k).name or f"sensor{k}"
            if name not in ours:
                continue
            needs = found._readings[found.names.index(name)].needs
            if needs & {"f_contact", "f_limit", "wrenches"} and not same:
                continue
            first = theirs.sensor_adr[k]
            expected = data.sensordata[first : first + theirs.sensor_dim[k]]
            bound = 1e-5 if needs & {"f_contact", "f_limit", "wrenches"} else 1e-8
            assert close(ours[name], expected, bound), (name, ours[name], expected)
            compared += 1
    assert compared > 0 or not len(found)


@pytest.mark.parametrize("kind", SIZES)
def test_half_lines_meet_zones_as_rays_do_in_mujoco(kind: str) -> None:
    random = np.random.default_rng(2)
    size = tuple(random.uniform(0.2, 0.6, SIZES[kind]))
    point, along = random.uniform(-1, 1, (2000, 3)), random.normal(size=(2000, 3))
    along[:300, random.integers(0, 3)] = 0  # parallel to axes of the zone
    along[300:400] = [0, 0, 1]
    along /= np.linalg.norm(along, axis=-1, keepdims=True)
    full = np.zeros(3)
    full[: len(size)] = size
    number = int(getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}"))
    expected = [mujoco.mju_rayGeom(np.zeros(3), np.eye(3).ravel(), full, p, d, number) >= 0
                for p, d in zip(point, along)]
    assert 50 < sum(expected) < 1900
    np.testing.assert_array_equal(hit(kind, size, point, along), expected)


# -- simulations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype, bound", [(np.float64, 1e-6), (np.float32, 2e-3)])
def test_simulations_read_what_mj_forward_computes_in_their_state(dtype: Any, bound: float) -> None:
    twin = Twin(LEGGED, self_contact=True)
    found = Sensors.from_mjcf(LEGGED, twin.model)
    simulation = simulation_of(twin, dtype=dtype, contact_options=EXACT | {"cone": "elliptic", "impratio": 1})
    simulation.q[:] = twin.bridge.q_from(twin.theirs.qpos0)
    tau = 0.5 * np.random.default_rng(3).normal(size=twin.model.nv)
    for _ in range(3):
        simulation.run(0.2, tau=tau)
        ours = found.read(simulation, tau)
        twin.data.time = simulation.time
        twin.forward(np.asarray(simulation.q, float), np.asarray(simulation.v, float), tau.astype(dtype).astype(float))
        assert ours.dtype == dtype and close(ours, twin.data.sensordata, bound)
    assert (simulation.contact_forces[:, 0] > 0).any()


def some_sensors(model: tandem.Model) -> Sensors:
    feet = [f"{leg}_foot" for leg in ("FL", "FR", "RL", "RR")]
    return Sensors(model, [
        sensors.Accelerometer("trunk"), sensors.Gyro("trunk"), sensors.FrameQuaternion("trunk"),
        sensors.ProjectedGravity("trunk"), *(sensors.Touch(foot) for foot in feet),
        *(sensors.FrameHeight(foot) for foot in feet), *(sensors.ContactForce(f"{foot[:2]}_shank") for foot in feet),
        *(sensors.Force(foot) for foot in feet), *(sensors.JointPosition(name) for name in model.joint_names),
        sensors.SubtreeAngularMomentum("trunk"), sensors.Clock(),
    ])  # fmt: skip


def quadruped() -> tuple[tandem.Model, tandem.ContactSet]:
    robot = tandem.describe("quadruped").shape("floor", "plane", "world", contype=1, conaffinity=0)
    for leg in ("FL", "FR", "RL", "RR"):
        robot = robot.shape(leg, "sphere", f"{leg}_foot", size=0.015, contype=0, conaffinity=1)
    model = robot.build()
    return model, tandem.ContactSet(model)


def standing(model: tandem.Model) -> np.ndarray:
    q = tandem.neutral_configuration(model)
    q[7:] = np.tile([0.0, 0.8, -1.6], 4)
    q[2] = 0.3
    return q


def held(model: tandem.Model) -> tandem.PdController:
    kp, kd = np.full(model.nv, 60.0), np.full(model.nv, 1.0)
    kp[:6] = kd[:6] = 0
    return tandem.PdController(standing(model), kp, kd)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_of_vector_simulations_are_those_of_single_ones(dtype: Any) -> None:
    model, pairs = quadruped()
    found = some_sensors(model)
    options: dict[str, Any] = {"dt": 2e-3, "contacts": pairs, "controller": held(model), "dtype": dtype,
                               "effort_limits": True}
    robots = tandem.VectorSimulation(model, 9, **options)
    robots.reset(q=standing(model), seed=3, spread=0.1, speed=0.5)
    robots.step(steps=50)
    robots.step(ids=[2, 4])
    robots.tau[:] = np.random.default_rng(1).normal(size=(9, model.nv))
    robots.tau[:, :6] = 0
    robots.f_ext[3, 1] = [1, 2, 30, 0, 0.5, 0]
    rows = found.read(robots)
    assert rows.shape == (9, found.size) and rows.dtype == dtype
    single = tandem.Simulation(model, **options)
    for k in range(9):
        single.reset(robots.q[k], robots.v[k])
        single.time = float(robots.time[k])
        row = found.read(single, robots.tau[k], f_ext=robots.f_ext[k])
        np.testing.assert_allclose(rows[k], row, rtol=1e-9 if dtype == np.float64 else 1e-5, atol=1e-9)
    last = found.split(found.read(robots, a=np.zeros(model.nv), forces="last"))
    for leg in ("FL", "FR", "RL", "RR"):
        np.testing.assert_allclose(last[f"{leg}_foot_touch"][:, 0],
                                   sum(robots.contact_forces[:, k, 0] for k, pair in enumerate(pairs.slot_pairs)
                                       if pairs.pairs[pair].shape_2 == leg), rtol=1e-6, atol=1e-6)


def test_touches_of_a_standing_robot_sum_to_its_weight() -> None:
    """Closed forms: accelerometer, touches, force sensors and momentum at rest."""
    model, pairs = quadruped()
    simulation = tandem.Simulation(model, dt=2e-3, contacts=pairs, controller=held(model))
    simulation.q = standing(model)
    simulation.run(3.0)
    values = (found := some_sensors(model)).split(found.read(simulation))
    feet = ("FL", "FR", "RL", "RR")
    weight = model.mass * G
    np.testing.assert_allclose(sum(values[f"{leg}_foot_touch"][0] for leg in feet), weight, rtol=1e-2)
    np.testing.assert_allclose(sum(values[f"{leg}_shank_contact_force"] for leg in feet), [0, 0, weight], atol=0.02 *
                               weight)
    R = tandem.spatial.quaternion_to_matrix(values["trunk_quaternion"])
    np.testing.assert_allclose(values["trunk_accelerometer"], G * R[2], atol=0.05)
    np.testing.assert_allclose(values["trunk_projected_gravity"], -R[2], atol=1e-12)
    np.testing.assert_allclose(values["trunk_angular_momentum"], 0, atol=1e-3)
    for leg in feet:  # a foot of 0 or little mass passes on what the floor does
        force = values[f"{leg}_foot_force"]
        pushed = values[f"{leg}_shank_contact_force"]
        np.testing.assert_allclose(np.linalg.norm(force), np.linalg.norm(pushed), rtol=0.1)
        assert -0.004 < values[f"{leg}_foot_height"][0] < 0.016
    last = found.split(found.read(simulation, a=np.zeros(model.nv), forces="last"))
    for leg in feet:
        np.testing.assert_allclose(last[f"{leg}_shank_contact_force"], simulation.contact_force(f"{leg}_shank"),
                                   atol=1e-3)


def test_accelerometers_of_a_body_in_free_flight() -> None:
    """Free fall: 0 at the centre of mass, omega x omega x r beside it; MuJoCo has the same where it is driven."""
    model = tandem.ModelBuilder("body").link("world").link("body", mass=2, inertia=(0.1, 0, 0, 0.1, 0, 0.1))
    model = model.joint("root", "free", "world", "body").frame("side", "body", position=(0.2, 0, 0)).build()
    simulation = tandem.Simulation(model)
    simulation.v = [1, 2, 3, 0.4, 0, 5]
    found = Sensors(model, [sensors.Accelerometer("body"), sensors.Accelerometer("side"), sensors.Velocimeter("side"),
                            sensors.Force("body"), sensors.FrameLinearVelocity("side", relative_to="body"),
                            sensors.FramePosition(sensors.Place("body", (0.2, 0, 0.1)), relative_to="side")])
    values = found.split(found.read(simulation))
    omega, r = np.array([0.4, 0, 5]), np.array([0.2, 0, 0])
    np.testing.assert_allclose(values["body_accelerometer"], 0, atol=1e-12)
    np.testing.assert_allclose(values["side_accelerometer"], np.cross(omega, np.cross(omega, r)), atol=1e-12)
    np.testing.assert_allclose(values["side_velocimeter"], [1, 2, 3] + np.cross(omega, r), atol=1e-12)
    np.testing.assert_allclose(values["body_force"], 0, atol=1e-12)
    np.testing.assert_allclose(values["side_linear_velocity"], 0, atol=1e-12)
    np.testing.assert_allclose(values["body_position"], [0, 0, 0.1], atol=1e-15)
    np.testing.assert_allclose(found.split(found.read(simulation, f_ext=[[0] * 6, [0, 0, 2 * G, 0, 0, 0]]))
                               ["body_accelerometer"], [0, 0, G], atol=1e-12)


def test_forces_at_links_are_interbody_wrenches() -> None:
    model = tandem.load("arm7")
    random = np.random.default_rng(0)
    q, v, a = random.normal(size=(3, 4, 7)), random.normal(size=(3, 1, 7)), random.normal(size=(4, 7))
    f_ext = random.normal(size=(3, 4, model.n_links, 6))
    links = model.link_names[1:]
    found = Sensors(model, [kind(link) for link in links for kind in (sensors.Force, sensors.Torque)])
    expected = tandem.interbody_wrenches(model, q, v * np.ones((1, 4, 1)), a * np.ones((3, 1, 1)), f_ext)[..., 1:, :]
    ours = found.values(q, v, a, f_ext=f_ext)
    np.testing.assert_allclose(ours.reshape(3, 4, -1, 6), expected, rtol=1e-10, atol=1e-10)


def test_a_closed_loop_passes_its_forces_on() -> None:
    """The force on a bar from its parent is that of the tree less the force of the loop."""
    model = tandem.load("four_bar")
    simulation = tandem.Simulation(model)
    simulation.run(0.2)
    loop = model.loops[0]
    found = Sensors(model, [sensors.Force(model.link_names[1]), sensors.Force(loop.link_2)])
    q, v = simulation.q, simulation.v
    a, f_loop = tandem.closed_loop_dynamics(model, q, v, tandem.passive_forces(model, q, v), forces=True)
    values = found.read(simulation)
    R = tandem.forward_kinematics(model, q)[model.link_index(loop.link_2), :, :3]
    one = tandem.forward_kinematics(model, q)[model.frame_index(loop.link_1), :, :3] @ loop.placement_1[:, :3]
    free = Sensors(model.without_loops(), [sensors.Force(loop.link_2)]).values(q, v, a)
    np.testing.assert_allclose(values[3:], free - R.T @ one @ f_loop[0, :3], atol=1e-9)
    with pytest.raises(tandem.Error, match=f'Force "{model.link_names[1]}_force" needs f_loop'):
        found.values(q, v, a)


def test_robots_of_their_own_masses() -> None:
    model = tandem.load("quadruped")
    mass = model.parameter("mass") * np.random.default_rng(1).uniform(0.5, 2, (5, model.n_links))
    gravity = np.array([[0, 0, -9.81]]) * np.linspace(0.5, 1, 5)[:, None]
    robots = tandem.VectorSimulation(model, 5, parameters={"mass": mass})
    robots.parameter("gravity")[:] = gravity
    robots.reset(seed=1)
    found = Sensors(model, [sensors.SubtreeCenterOfMass("trunk"), sensors.Accelerometer("trunk"),
                            sensors.Force("FL_hip")])
    rows = found.read(robots)
    expected = tandem.centre_of_mass(model, robots.q, parameters={"mass": mass})
    np.testing.assert_allclose(rows[:, :3], expected, atol=1e-12)
    np.testing.assert_allclose(rows[:, 3:6], 0, atol=1e-9)  # free fall
    varied = {"mass": mass, "gravity": gravity}
    a = tandem.forward_dynamics(model, robots.q, robots.v, np.zeros(model.nv), parameters=varied)
    wrenches = tandem.interbody_wrenches(model, robots.q, robots.v, a, parameters=varied)
    np.testing.assert_allclose(rows[:, 6:], wrenches[:, model.link_index("FL_hip"), :3], atol=1e-9)
    heavy = tandem.describe("quadruped").change_link("FL_foot", mass=0.1).build()
    part = Sensors(heavy, [sensors.Force("FL_foot")])
    with pytest.raises(tandem.Error, match='"FL_foot" is a part of has mass of its own'):
        part.values(robots.q, robots.v, robots.v, parameters={"mass": mass})
    model, pairs = quadruped()
    robots = tandem.VectorSimulation(model, 2, contacts=pairs)
    robots.parameter("mass")  # those of the model so far
    touch = Sensors(model, [sensors.Touch("FL_foot")])
    assert touch.read(robots).shape == (2, 1)
    robots.parameter("mass")[1] *= 2
    assert touch.read(robots).shape == touch.read(robots, forces="last").shape == (2, 1)


def test_forces_of_robots_with_own_masses_and_gravity_are_their_weights() -> None:
    """At rest a floor carries the weight, whatever the softness."""
    robot = tandem.ModelBuilder("ball").link("world").link("ball", mass=1, inertia=(0.004, 0, 0, 0.004, 0, 0.004))
    robot = robot.joint("free", "free", "world", "ball").shape("floor", "plane", "world")
    model = robot.shape("ball", "sphere", "ball", size=0.1).build()
    robots = tandem.VectorSimulation(model, 3, dt=2e-3, contacts=tandem.ContactSet(model))
    robots.parameter("mass")[:, 1], robots.parameter("gravity")[:, 2] = [1, 2, 5], [-9.81, -1.62, -3.7]
    q = np.tile(tandem.neutral_configuration(model), (3, 1))
    q[:, 2] = 0.1
    robots.reset(q=q)
    robots.step(steps=3000)
    found = Sensors(model, [sensors.Touch("ball"), sensors.Accelerometer("ball")])
    rows = found.read(robots)
    np.testing.assert_allclose(rows[:, 0], [9.81, 3.24, 18.5], rtol=1e-6)
    np.testing.assert_allclose(rows[:, 3], [9.81, 1.62, 3.7], rtol=1e-6)
    np.testing.assert_allclose(found.read(robots, forces="last", a=np.zeros((3, 6))), rows, atol=1e-5)


def test_nan_stays_in_its_row() -> None:
    twin = Twin(LEGGED, self_contact=True)
    found = Sensors.from_mjcf(LEGGED, twin.model)
    q, v, tau = twin.random_states(8, 5, 0.3)
    x = forces_at(twin, q, v, tau)
    more = {"contacts": twin.contacts, "f_limit": x.f_limit, "time": 0.0}
    whole = found.values(q, v, x.a, f_contact=x.f_contact, **more)
    for name in ("q", "v", "a", "f_contact"):
        given = {"q": q.copy(), "v": v.copy(), "a": x.a.copy(), "f_contact": x.f_contact.copy()}
        given[name][3] = np.nan
        values = found.values(**given, **more)
        others = np.arange(8) != 3
        np.testing.assert_array_equal(values[others], whole[others])
        changed = np.isnan(values[3])
        assert changed.any() and (name == "q" or not changed.all())
        assert changed[found.slices["sensor8"]].all() or name != "f_contact"
        assert not changed[found.slices["sensor8"]].any() or name in ("q", "f_contact")


# -- names and errors -------------------------------------------------------------------------------------------------


def test_names_and_slices() -> None:
    arm = tandem.load("arm7")
    q2 = sensors.JointPosition("joint2", name="q2")
    found = Sensors(arm, [sensors.Gyro("tool0"), sensors.FrameAxis("tool0"), q2])
    assert found.names == ["tool0_gyro", "tool0_z_axis", "q2"] and len(found) == 3 and found.size == 7
    assert found.slices == {"tool0_gyro": slice(0, 3), "tool0_z_axis": slice(3, 6), "q2": slice(6, 7)}
    values = found.values(np.ones((2, 3, 7)), np.zeros(7))
    assert values.shape == (2, 3, 7) and found.split(values)["q2"].shape == (2, 3, 1)
    assert found.split(values)["q2"].base is not None  # a view
    assert found.values(np.ones(7, np.float32), np.zeros(7)).dtype == np.float32
    assert repr(found) == '<tandem.sensors.Sensors of "arm7": 3 sensors, 7 numbers>'
    for other in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        np.testing.assert_array_equal(other.values(np.ones(7), np.ones(7)), found.values(np.ones(7), np.ones(7)))
    assert len(Sensors(arm, [])) == 0 and Sensors(arm, []).values(np.ones((2, 7))).shape == (2, 0)


@pytest.mark.parametrize("make, said", [
    (lambda m: [sensors.Gyro("tol0")], 'Gyro "tol0_gyro".*no frame "tol0"; did you mean "tool0"'),
    (lambda m: [sensors.FramePosition("tool0", "lnk3")], 'no frame "lnk3"; did you mean "link3"'),
    (lambda m: [sensors.JointPosition("joint22")], 'no joint "joint22"; did you mean "joint2"'),
    (lambda m: [sensors.TendonPosition("cord")], 'no tendon "cord"'),
    (lambda m: [sensors.ActuatorForce("motor")], 'no actuator "motor"'),
    (lambda m: [sensors.Gyro("tool0"), sensors.Gyro("tool0")], 'two sensors are called "tool0_gyro"; give one.*name='),
    (lambda m: ["gyro"], "sensors has a str, expected sensors such as Gyro"),
    (lambda m: [sensors.FrameAxis("tool0", axis="w")], 'axis is "w"'),
    (lambda m: [sensors.FrameQuaternion("tool0", order="wxzy")], 'order is "wxzy"'),
    (lambda m: [sensors.FrameQuaternion("tool0", cutoff=1)], "cutoff is 1, expected 0"),
    (lambda m: [sensors.Gyro("tool0", cutoff=-1)], "cutoff is -1"),
    (lambda m: [sensors.Touch("tool0", "cone", (1,))], 'type is "cone", expected one of sphere'),
    (lambda m: [sensors.Touch("tool0", "box", (1,))], "expected 3 positive numbers for a box"),
    (lambda m: [sensors.Touch("tool0", size=(1,))], "size without type"),
    (lambda m: [sensors.Gyro(sensors.Place("tool0", quaternion=(0, 0, 0, 0)))], "not all 0"),
    (lambda m: [sensors.Gyro(sensors.Place("tool0", position=(0, 0)))], "expected 3 numbers, m"),
])  # fmt: skip
def test_errors_of_sets_teach(make: Any, said: str) -> None:
    arm = tandem.load("arm7")
    with pytest.raises(tandem.Error, match=said):
        Sensors(arm, make(arm))


def test_errors_of_inputs_teach() -> None:
    model, pairs = quadruped()
    found = Sensors(model, [sensors.Accelerometer("trunk"), sensors.Touch("FL_foot"), sensors.Clock()])
    q, v = standing(model), np.zeros(model.nv)
    with pytest.raises(tandem.Error, match='Accelerometer "trunk_accelerometer" needs the acceleration a'):
        found.values(q, v)
    with pytest.raises(tandem.Error, match='Touch "FL_foot_touch" needs contact forces f_contact'):
        found.values(q, v, v)
    f_contact = np.zeros((pairs.n_slots, 6))
    with pytest.raises(tandem.Error, match="given together"):
        found.values(q, v, v, f_contact=f_contact)
    with pytest.raises(tandem.Error, match='Clock "clock" needs the time'):
        found.values(q, v, v, contacts=pairs, f_contact=f_contact)
    with pytest.raises(tandem.Error, match=r"q has shape \(3,\), expected \(..., 19\)"):
        found.values(q[:3], v)
    with pytest.raises(tandem.Error, match="leading axes do not broadcast: q \\(2,\\), v \\(3,\\)"):
        found.values(np.tile(q, (2, 1)), np.tile(v, (3, 1)))
    with pytest.raises(tandem.Error, match=r"values has shape \(3,\)"):
        found.split(np.zeros(3))
    simulation = tandem.Simulation(model)
    with pytest.raises(tandem.Error, match='Touch "FL_foot_touch" needs contacts; make the simulation with contacts='):
        found.read(simulation)
    simulation = tandem.Simulation(model, contacts=pairs)
    with pytest.raises(tandem.Error, match='needs a, the acceleration, with forces="last"'):
        found.read(simulation, forces="last")
    with pytest.raises(tandem.Error, match='requires forces="last"'):
        found.read(simulation, a=v)
    with pytest.raises(tandem.Error, match='expected "now" or "last"'):
        found.read(simulation, forces="next")  # type: ignore[arg-type]
    with pytest.raises(tandem.Error, match=r"tau has shape \(2,\), expected \(18,\)"):
        found.read(simulation, [1, 2])
    with pytest.raises(tandem.Error, match='is of "arm7", expected the model of the sensors, "quadruped"'):
        found.read(tandem.Simulation(tandem.load("arm7")))
    with pytest.raises(tandem.Error, match="simulation is a ndarray"):
        found.read(q)  # type: ignore[arg-type]
    with pytest.raises(tandem.Error, match="base of arm7 accelerates"):
        Sensors(tandem.load("arm7").with_base_acceleration([1, 0, 0, 0, 0, 0]), [])


def test_sensors_that_are_not_supported_are_named() -> None:
    text = ARM.replace("<sensor>", """<sensor><rangefinder name="far" site="tip"/><rangefinder name="near" site="back"/>
      <user name="own" dim="2"/><clock name="late" delay="0.02" nsample="3"/>""")
    model = tandem.read_mjcf(text).build()
    with pytest.raises(tandem.Error, match='"far", "near": sensors of type rangefinder are not supported; "own": .*user'
                       '.*"late": the attribute delay.*leave_out=True'):
        Sensors.from_mjcf(text, model)
    found = Sensors.from_mjcf(text, model, leave_out=True)
    assert len(found.problems) == 3 and "far" not in found.names
    assert found.names[3] == "sensor7" and len(found) == 28
    assert pickle.loads(pickle.dumps(found)).problems == found.problems
    text = ARM.replace('actuatorfrcrange="-1 1"', 'actuatorfrcrange="-1 2"')
    assert '"sensor18": joint "slide" clips its actuators' in Sensors.from_mjcf(text, model, leave_out=True).problems[0]
    with pytest.raises(tandem.Error, match="source is a int"):
        Sensors.from_mjcf(3, model)
    with pytest.raises(tandem.ModelError, match="nothing.xml"):
        Sensors.from_mjcf("nothing.xml", model)
    other = tandem.load("arm7")
    with pytest.raises(tandem.Error, match='no frame "body3"|no joint "shoulder"'):
        Sensors.from_mjcf(ARM, other)
    spec = mujoco.MjSpec.from_string(ARM)
    assert Sensors.from_mjcf(spec, tandem.from_mujoco(spec)).size == Sensors.from_mjcf(ARM, model).size
