# SPDX-License-Identifier: Apache-2.0
"""Sensors of an MJCF file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tandem import bridges, mjcf
from tandem._core import Model
from tandem.configuration import neutral_configuration
from tandem.errors import Error
from tandem.functions import Array
from tandem.sensors import _bodies, _frames, _joints
from tandem.sensors._robot import Place, Robot
from tandem.sensors._sensor import Sensor
from tandem.sensors._state import Inputs, State
from tandem.sensors._zones import SIZES

#: classes of sensors on a frame, by MuJoCo's names
_AT_FRAMES: dict[str, Callable[..., Sensor]] = {
    "FRAMEPOS": _frames.FramePosition,
    "FRAMELINVEL": _frames.FrameLinearVelocity,
    "FRAMEANGVEL": _frames.FrameAngularVelocity,
    "FRAMELINACC": _frames.FrameLinearAcceleration,
    "FRAMEANGACC": _frames.FrameAngularAcceleration,
    "ACCELEROMETER": _frames.Accelerometer,
    "GYRO": _frames.Gyro,
    "VELOCIMETER": _frames.Velocimeter,
    "FORCE": _bodies.Force,
    "TORQUE": _bodies.Torque,
}
_ON_FRAMES = {*_AT_FRAMES, "FRAMEXAXIS", "FRAMEYAXIS", "FRAMEZAXIS", "FRAMEQUAT", "MAGNETOMETER", "TOUCH"}
_OF_BODIES: dict[str, Callable[..., Sensor]] = {
    "SUBTREECOM": _bodies.SubtreeCenterOfMass,
    "SUBTREELINVEL": _bodies.SubtreeLinearVelocity,
    "SUBTREEANGMOM": _bodies.SubtreeAngularMomentum,
}
_OF_PARTS: dict[str, tuple[str, Callable[..., Sensor]]] = {
    "JOINTPOS": ("joint", _joints.JointPosition),
    "JOINTVEL": ("joint", _joints.JointVelocity),
    "BALLANGVEL": ("joint", _joints.JointVelocity),
    "JOINTACTFRC": ("joint", _joints.JointActuatorForce),
    "JOINTLIMITFRC": ("joint", _joints.JointLimitForce),
    "TENDONPOS": ("tendon", _joints.TendonPosition),
    "TENDONVEL": ("tendon", _joints.TendonVelocity),
    "ACTUATORPOS": ("actuator", _joints.ActuatorPosition),
    "ACTUATORVEL": ("actuator", _joints.ActuatorVelocity),
    "ACTUATORFRC": ("actuator", _joints.ActuatorForce),
}


@dataclass(frozen=True)
class _Quaternion(_frames.FrameQuaternion):
    """With the sign that MuJoCo has."""

    sign: float = 1.0

    def _sign(self) -> float:
        return self.sign


def sensors_of(source: Any, model: Model) -> tuple[list[Sensor], list[str]]:
    """Sensors in their order, and those that are not supported, a sentence for each reason."""
    mujoco, theirs, meshes = _compiled(source)
    reader = _Reader(mujoco, theirs, meshes, model)
    found: list[Sensor] = []
    problems: dict[str, list[str]] = {}
    for k in range(theirs.nsensor):
        try:
            sensor = reader.sensor(k)
            sensor._bind(reader.robot)
            found.append(sensor)
        except Error as error:
            problems.setdefault(str(error).removeprefix("Sensors: "), []).append(f'"{reader.name("sensor", k)}"')
    return found, [f"{', '.join(names)}: {why}" for why, names in problems.items()]


def _compiled(source: Any) -> tuple[Any, Any, set[str]]:
    """MuJoCo, its model, and the names of shapes that are not what they are in the source."""
    mujoco = mjcf._mujoco("the argument of from_mjcf")
    if isinstance(source, mujoco.MjModel):
        return mujoco, source, set()
    with mjcf._captured_warnings(mujoco):
        if isinstance(source, mujoco.MjSpec):
            path, spec = "<mujoco.MjSpec>", source.copy()
        elif isinstance(source, (str, os.PathLike)):
            text = os.fspath(source)
            path = "<string>" if "<" in text else text
            try:
                spec = mujoco.MjSpec.from_string(text) if "<" in text else mujoco.MjSpec.from_file(text)
            except Exception as error:  # of several classes
                raise mjcf._problem(path, error) from None
        else:
            raise Error(f"Sensors.from_mjcf: source is a {type(source).__name__}, expected a file, MJCF text, a "
                        "mujoco.MjModel or MjSpec")
        meshes = {geom.name for geom in spec.geoms if geom.meshname or geom.hfieldname}
        return mujoco, mjcf._compiled(mujoco, spec, path, [])[0], meshes


class _Reader:
    def __init__(self, mujoco: Any, theirs: Any, meshes: set[str], model: Model) -> None:
        self._mujoco, self._theirs, self._meshes, self._model = mujoco, theirs, meshes, model
        self.robot = Robot(model)
        self._types = {int(kind): word.removeprefix("mjSENS_") for word, kind in mujoco.mjtSensor.__members__.items()}
        self._objects = {int(kind): word.removeprefix("mjOBJ_") for word, kind in mujoco.mjtObj.__members__.items()}
        self._bodies = self._names("body", theirs.nbody)
        self._bodies[0] = model.link_names[0]
        self._joints = self._names("joint", theirs.njnt)
        free = [j for j in range(theirs.njnt) if theirs.jnt_type[j] == 0 and not theirs.joint(j).name]
        if len(free) == 1:
            self._joints[free[0]] = "floating_base"

    def _names(self, kind: str, count: int) -> list[str]:
        """As Tandem has them: what has a name keeps it, the others are named by kind and number."""
        given = [getattr(self._theirs, kind)(k).name for k in range(count)]
        taken = {name for name in given if name}
        names = []
        for k, name in enumerate(given):
            if not name:
                name = f"{kind}{k}"
                while name in taken:
                    name += "_"
                taken.add(name)
            names.append(name)
        return names

    def name(self, kind: str, k: int) -> str:
        return getattr(self._theirs, kind)(k).name or f"{kind}{k}"

    def kind(self, k: int) -> str:
        return self._types[int(self._theirs.sensor_type[k])]

    def sensor(self, k: int) -> Sensor:
        """Raises Error if it is not supported."""
        theirs, kind = self._theirs, self.kind(k)
        for name in ("sensor_delay", "sensor_interval"):
            if np.any(getattr(theirs, name, np.zeros((theirs.nsensor, 1)))[k] != 0):
                raise Error(f"the attribute {name.removeprefix('sensor_')} is not supported")
        sensor = self._made(k, kind)
        cutoff = float(theirs.sensor_cutoff[k])
        return replace(sensor, name=self.name("sensor", k), cutoff=0.0 if sensor._unlimited else cutoff)

    def _made(self, k: int, kind: str) -> Sensor:
        theirs, on, other = self._theirs, int(self._theirs.sensor_objid[k]), int(self._theirs.sensor_refid[k])
        if kind == "CLOCK":
            return _joints.Clock()
        if kind == "JOINTACTFRC":
            self._check_actuators(on)
        if kind in _OF_PARTS:
            part, of_part = _OF_PARTS[kind]
            return of_part(self._joints[on] if part == "joint" else self.name(part, on))
        if kind == "BALLQUAT":
            return _joints.JointPosition(self._joints[on], order="wxyz")
        if kind in _OF_BODIES:
            return _OF_BODIES[kind](self._bodies[on])
        if kind not in _ON_FRAMES:
            raise Error(f"sensors of type {kind.lower()} are not supported")
        at, relative = self._place(int(theirs.sensor_objtype[k]), on), dict[str, Any]()
        if other >= 0:
            relative["relative_to"] = self._place(int(theirs.sensor_reftype[k]), other)
        if kind in ("FORCE", "TORQUE") and theirs.site_bodyid[on] == 0:
            raise Error("the site is in the world, which has no parent")
        if kind in _AT_FRAMES:
            return _AT_FRAMES[kind](at, **relative)
        if kind in ("FRAMEXAXIS", "FRAMEYAXIS", "FRAMEZAXIS"):
            axis: Any = kind[5].lower()
            return _frames.FrameAxis(at, axis=axis, **relative)
        if kind == "FRAMEQUAT":
            plain = _Quaternion(at, order="wxyz", **relative)
            return replace(plain, sign=self._sign(k, plain))
        if kind == "MAGNETOMETER":
            x, y, z = (float(x) for x in theirs.opt.magnetic)
            return _frames.Magnetometer(at, (x, y, z))
        return self._touch(at, on)

    def _check_actuators(self, joint: int) -> None:
        """Raises Error if the forces of actuators on a joint are not those of the robot."""
        theirs, acts = self._theirs, self._mujoco.mjtTrn
        low, high = theirs.jnt_actfrcrange[joint]
        if theirs.jnt_actfrclimited[joint] and low != -high:
            raise Error(f'joint "{self._joints[joint]}" clips its actuators to {low:g} to {high:g}, expected a '
                        "symmetric range")
        known = {each.name for each in self._model.actuators if each.joint or each.tendon or each.frame}
        for k in range(theirs.nu):
            kind, on = int(theirs.actuator_trntype[k]), int(theirs.actuator_trnid[k, 0])
            if self.name("actuator", k) in known:
                continue
            if kind in (int(acts.mjTRN_JOINT), int(acts.mjTRN_JOINTINPARENT)):
                moves = on == joint
            elif kind == int(acts.mjTRN_TENDON):
                first = int(theirs.tendon_adr[on])
                wraps = slice(first, first + int(theirs.tendon_num[on]))
                fixed = theirs.wrap_type[wraps] == int(self._mujoco.mjtWrap.mjWRAP_JOINT)
                moves = not fixed.all() or joint in theirs.wrap_objid[wraps]
            else:
                moves = True
            if moves:
                name = self.name("actuator", k)
                raise Error(f'actuator "{name}", which is ignored, acts on joint "{self._joints[joint]}"')

    def _touch(self, at: Place, site: int) -> Sensor:
        shapes = {int(getattr(self._mujoco.mjtGeom, f"mjGEOM_{word.upper()}")): (word, size)
                  for word, size in SIZES.items()}
        kind = int(self._theirs.site_type[site])
        if kind not in shapes:
            raise Error("the site has a form that is not supported")
        word, size = shapes[kind]
        chosen: Any = word
        return _bodies.Touch(at, chosen, tuple(float(x) for x in self._theirs.site_size[site][:size]))

    def _place(self, kind: int, k: int) -> Place:
        """Where an object is on its body."""
        theirs, word = self._theirs, self._objects[kind]
        if word == "XBODY":
            return Place(self._bodies[k])
        if word == "BODY":
            return self._on(k, theirs.body_ipos[k], theirs.body_iquat[k])
        if word == "GEOM":
            if theirs.geom(k).name in self._meshes:
                raise Error(f'the frame of shape "{theirs.geom(k).name}" depends on its mesh, which is not read; give '
                            "from_mjcf a mujoco.MjModel")
            return self._on(theirs.geom_bodyid[k], theirs.geom_pos[k], theirs.geom_quat[k])
        if word == "SITE":
            return self._on(theirs.site_bodyid[k], theirs.site_pos[k], theirs.site_quat[k])
        if word == "CAMERA":
            if theirs.cam_mode[k] != 0:
                raise Error(f'camera "{self.name("camera", k)}" is not fixed')
            return self._on(theirs.cam_bodyid[k], theirs.cam_pos[k], theirs.cam_quat[k])
        raise Error(f"sensors on objects of type {word.lower()} are not supported")

    def _on(self, body: int, position: Array, quaternion: Array) -> Place:
        w, x, y, z = (float(number) for number in quaternion)
        px, py, pz = (float(number) for number in position)
        return Place(self._bodies[int(body)], (px, py, pz), (x, y, z, w))

    def _sign(self, k: int, plain: _Quaternion) -> float:
        """1 or -1, as MuJoCo's numbers have it at the file's own configuration."""
        model, data = self._model, self._mujoco.MjData(self._theirs)
        try:
            q = bridges.to_mujoco(model, self._theirs).q_from(self._theirs.qpos0)
        except Error:  # the robot has been edited
            q = neutral_configuration(model)
        self._mujoco.mj_forward(self._theirs, data)
        first = int(self._theirs.sensor_adr[k])
        ours = plain._bind(self.robot).read(State(self.robot, Inputs(np.array(q)[None]), {}, 1))[0]
        return 1.0 if float(ours @ data.sensordata[first : first + 4]) >= 0 else -1.0
