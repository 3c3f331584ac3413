# SPDX-License-Identifier: Apache-2.0
"""Tandem: rigid-body dynamics of articulated robots.

>>> robot = tandem.load("arm7")                            # a shipped robot, a .urdf file, or "chain:100"
>>> q = tandem.random_configuration(robot, seed=1)
>>> v = a = np.zeros(robot.nv)
>>> tau = tandem.inverse_dynamics(robot, q, v, a)          # or whole batches, shape (batch, n)
>>> tandem.forward_dynamics(robot, q, v, tau).round(9) + 0
array([0., 0., 0., 0., 0., 0., 0.])
"""

from tandem import bridges, functions, spatial
from tandem._core import (
    Actuator,
    Joint,
    Link,
    Loop,
    Model,
    ModelBuilder,
    Status,
    describe,
    generate,
    load,
    read_urdf,
    shipped_robots,
)
from tandem._core import version as __version__
from tandem.batch import (
    Parameter,
    instruction_set,
    instruction_sets,
    parameters,
    use_instruction_set,
)
from tandem.check import PropertyResult, check_model
from tandem.configuration import (
    neutral_configuration,
    pose_to_matrix,
    pose_to_quaternion,
    random_configuration,
)
from tandem.drive import Drive, PdController, actuator_drive, actuator_forces
from tandem.errors import Error, ModelError, ModelWarning, Problem, SingularWarning
from tandem.functions import *  # every algorithm
from tandem.inverse_kinematics import PoseSearch, inverse_kinematics
from tandem.live import Batch
from tandem.macroparallel import Macroparallel, MacroparallelReport
from tandem.mjcf import from_mujoco, read_mjcf
from tandem.plan import Plan
from tandem.rollout import ComputedTorque, Cost, FrameCost, Push, Rollout, rollout
from tandem.rollout_gradient import RolloutGradient, rollout_gradient
from tandem.schedule import (
    Schedule,
    critical_path_formulas,
    fit_lower_bound,
    hashimoto_critical_path,
    lower_bound,
    printed_critical_path,
    recneb_phases,
    schedule,
)
from tandem.simulation import Divergence, Iterated, Simulation, Trajectory
from tandem.viewer import Viewer, view

__all__ = [
    "Actuator",
    "Batch",
    "ComputedTorque",
    "Cost",
    "Divergence",
    "Drive",
    "Error",
    "FrameCost",
    "Iterated",
    "Joint",
    "Link",
    "Macroparallel",
    "MacroparallelReport",
    "Loop",
    "Model",
    "ModelBuilder",
    "ModelError",
    "ModelWarning",
    "Parameter",
    "PdController",
    "Plan",
    "PoseSearch",
    "Problem",
    "PropertyResult",
    "Push",
    "Rollout",
    "RolloutGradient",
    "Schedule",
    "Simulation",
    "SingularWarning",
    "Status",
    "Trajectory",
    "Viewer",
    "__version__",
    "actuator_drive",
    "actuator_forces",
    "bridges",
    "check_model",
    "critical_path_formulas",
    "describe",
    "fit_lower_bound",
    "from_mujoco",
    "generate",
    "hashimoto_critical_path",
    "instruction_set",
    "instruction_sets",
    "inverse_kinematics",
    "load",
    "lower_bound",
    "neutral_configuration",
    "parameters",
    "pose_to_matrix",
    "pose_to_quaternion",
    "printed_critical_path",
    "random_configuration",
    "read_mjcf",
    "read_urdf",
    "recneb_phases",
    "rollout",
    "rollout_gradient",
    "schedule",
    "shipped_robots",
    "spatial",
    "use_instruction_set",
    "view",
]
__all__ += functions.__all__
