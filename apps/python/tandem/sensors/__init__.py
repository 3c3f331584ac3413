# SPDX-License-Identifier: Apache-2.0
"""Sensors: what a robot measures, of one state or of all robots of a simulation, in one array.

>>> from tandem.sensors import Accelerometer, FramePosition, Gyro, Sensors
>>> arm = tandem.load("arm7")
>>> sensors = Sensors(arm, [Accelerometer("tool0"), Gyro("tool0"), FramePosition("tool0", relative_to="link4")])
>>> q, zero = tandem.neutral_configuration(arm), np.zeros(arm.nv)
>>> values = sensors.split(sensors.values(q, zero, zero))
>>> values["tool0_accelerometer"].round(9).tolist()  # at rest
[0.0, 0.0, 9.81]

:meth:`Sensors.from_mjcf` has those of a file of MuJoCo. Classes of sensors are frozen dataclasses. Common arguments:

- ``frame``: name of a frame or link, or a :class:`Place`
- ``relative_to``: a reference frame, in whose axes the result is; None: the world
- ``name``: name of the sensor, unique in a set; empty: what it is on and its kind, such as ``"imu_gyro"``
- ``cutoff``: values are clipped to -cutoff ... cutoff, in the unit of the sensor; 0: they are not
"""

from tandem.sensors._bodies import (
    ContactForce,
    Force,
    SubtreeAngularMomentum,
    SubtreeCenterOfMass,
    SubtreeLinearVelocity,
    Torque,
    Touch,
)
from tandem.sensors._frames import (
    Accelerometer,
    FrameAngularAcceleration,
    FrameAngularVelocity,
    FrameAxis,
    FrameHeight,
    FrameLinearAcceleration,
    FrameLinearVelocity,
    FramePosition,
    FrameQuaternion,
    Gyro,
    Magnetometer,
    ProjectedGravity,
    Velocimeter,
)
from tandem.sensors._joints import (
    ActuatorForce,
    ActuatorPosition,
    ActuatorVelocity,
    Clock,
    JointActuatorForce,
    JointLimitForce,
    JointPosition,
    JointVelocity,
    TendonPosition,
    TendonVelocity,
)
from tandem.sensors._robot import Place
from tandem.sensors._sensor import Sensor
from tandem.sensors._sensors import Sensors

__all__ = [
    "Accelerometer",
    "ActuatorForce",
    "ActuatorPosition",
    "ActuatorVelocity",
    "Clock",
    "ContactForce",
    "Force",
    "FrameAngularAcceleration",
    "FrameAngularVelocity",
    "FrameAxis",
    "FrameHeight",
    "FrameLinearAcceleration",
    "FrameLinearVelocity",
    "FramePosition",
    "FrameQuaternion",
    "Gyro",
    "JointActuatorForce",
    "JointLimitForce",
    "JointPosition",
    "JointVelocity",
    "Magnetometer",
    "Place",
    "ProjectedGravity",
    "Sensor",
    "Sensors",
    "SubtreeAngularMomentum",
    "SubtreeCenterOfMass",
    "SubtreeLinearVelocity",
    "TendonPosition",
    "TendonVelocity",
    "Torque",
    "Touch",
    "Velocimeter",
]
