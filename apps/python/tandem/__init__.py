# SPDX-License-Identifier: Apache-2.0
"""Tandem: rigid-body dynamics of articulated robots.

>>> robot = tandem.load("arm7")                            # a shipped robot, a .urdf file, or "chain:100"
>>> q = tandem.random_configuration(robot, seed=1)
>>> v = a = np.zeros(robot.nv)
>>> tau = tandem.inverse_dynamics(robot, q, v, a)          # or whole batches, shape (batch, n)
>>> tandem.forward_dynamics(robot, q, v, tau).round(9) + 0
array([0., 0., 0., 0., 0., 0., 0.])

``dir(tandem)`` lists what most users need. All algorithms are in :mod:`tandem.functions` and, by the same names, here.
Classes of results are in :mod:`tandem.types`; schedules on processors in :mod:`tandem.papers`. Modules that are
imported by name: :mod:`tandem.torch`, :mod:`tandem.jax`, :mod:`tandem.casadi`, :mod:`tandem.gymnasium`,
:mod:`tandem.mppi`, :mod:`tandem.ilqr`, :mod:`tandem.distributed`, :mod:`tandem.film`, :mod:`tandem.scene`,
:mod:`tandem.plot`, :mod:`tandem.sensors`.
"""

from tandem import _moved, bridges, functions, machine, papers, spatial, types
from tandem._check import check_model
from tandem._common.batch_options import parameters
from tandem._core import (
    Actuator,
    ContactSet as ContactSet,  # listed in tandem.types
    Coupler as Coupler,  # listed in tandem.types
    Joint,
    Link,
    Loop,
    Model,
    ModelBuilder,
    Status,
    Tendon as Tendon,  # listed in tandem.types
    describe,
    generate,
    load,
    read_urdf,
    shipped_robots,
)
from tandem._core import version as __version__
from tandem._view.viewer import view
from tandem.configuration import (
    neutral_configuration,
    pose_to_matrix,
    pose_to_quaternion,
    random_configuration,
    start_configuration,
)
from tandem.contact import (  # callable, and listed in tandem.contact
    contact_dynamics as contact_dynamics,
    contacts as contacts,
)
from tandem.contact_step import contact_step as contact_step  # not listed
from tandem.drive import (
    ComputedTorque,
    PdController,
    actuator_drive,
    actuator_forces,
    advance_activations as advance_activations,  # not listed
)
from tandem.errors import Error, ModelError, ModelWarning, SingularWarning
from tandem.functions import *  # every algorithm
from tandem.inverse_kinematics import inverse_kinematics
from tandem.mjcf import from_mujoco, read_mjcf
from tandem.plan import Plan
from tandem.rollout import Cost, FrameCost, Push, rollout
from tandem.rollout_gradient import rollout_gradient
from tandem.simulation import Simulation, Trajectory
from tandem.vector_simulation import VectorSimulation

__all__ = [
    "Actuator",
    "ComputedTorque",
    "Cost",
    "Error",
    "FrameCost",
    "Joint",
    "Link",
    "Loop",
    "Model",
    "ModelBuilder",
    "ModelError",
    "ModelWarning",
    "PdController",
    "Plan",
    "Push",
    "Simulation",
    "SingularWarning",
    "Status",
    "Trajectory",
    "VectorSimulation",
    "__version__",
    "actuator_drive",
    "actuator_forces",
    "bias_forces",
    "bridges",
    "centre_of_mass",
    "centroidal_momentum",
    "check_model",
    "close_loops",
    "closed_loop_dynamics",
    "coriolis_matrix",
    "describe",
    "difference",
    "energy",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_kinematics",
    "from_mujoco",
    "functions",
    "generate",
    "gravity_forces",
    "integrate",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_regressor",
    "inverse_kinematics",
    "inverse_mass_matrix",
    "inverse_mass_matrix_product",
    "jacobian",
    "jacobian_time_derivative_product",
    "load",
    "machine",
    "mass_matrix",
    "neutral_configuration",
    "papers",
    "parameters",
    "passive_forces",
    "pose_to_matrix",
    "pose_to_quaternion",
    "random_configuration",
    "read_mjcf",
    "read_urdf",
    "rollout",
    "rollout_gradient",
    "shipped_robots",
    "spatial",
    "start_configuration",
    "step",
    "types",
    "view",
]


def __dir__() -> list[str]:
    return sorted(__all__)


_moved.install(globals())
