# SPDX-License-Identifier: Apache-2.0
"""Tandem: rigid-body dynamics of articulated robots.

>>> robot = tandem.load("arm7")                            # a shipped robot, a .urdf file, or "chain:100"
>>> q = tandem.random_configuration(robot, seed=1)
>>> v = a = np.zeros(robot.nv)
>>> tau = tandem.inverse_dynamics(robot, q, v, a)          # or whole batches, shape (batch, n)
>>> tandem.forward_dynamics(robot, q, v, tau).round(9) + 0
array([0., 0., 0., 0., 0., 0., 0.])
"""

from tandem import bridges, spatial
from tandem._core import (
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
    difference,
    integrate,
    integrate_rate,
    neutral_configuration,
    pose_to_matrix,
    pose_to_quaternion,
    random_configuration,
)
from tandem.drive import PdController
from tandem.errors import Error, ModelError, ModelWarning, Problem, SingularWarning
from tandem.functions import (
    Energy,
    InverseDynamicsTerms,
    bias_forces,
    center_of_mass,
    centre_of_mass,
    centroidal_momentum,
    close_loops,
    closed_loop_dynamics,
    constraint_wrenches,
    coriolis_matrix,
    energy,
    forward_dynamics,
    forward_dynamics_derivatives,
    forward_kinematics,
    gravity_forces,
    interbody_wrenches,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    inverse_dynamics_regressor,
    inverse_dynamics_terms,
    inverse_mass_matrix,
    inverse_mass_matrix_product,
    jacobian,
    jacobian_time_derivative_product,
    mass_matrix,
    mass_matrix_rate,
    operational_space_mobility,
    passive_forces,
    step,
)
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
    "Batch",
    "ComputedTorque",
    "Cost",
    "Divergence",
    "Energy",
    "Error",
    "InverseDynamicsTerms",
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
    "bias_forces",
    "bridges",
    "center_of_mass",
    "centre_of_mass",
    "centroidal_momentum",
    "check_model",
    "close_loops",
    "closed_loop_dynamics",
    "constraint_wrenches",
    "coriolis_matrix",
    "critical_path_formulas",
    "describe",
    "difference",
    "energy",
    "fit_lower_bound",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_kinematics",
    "from_mujoco",
    "generate",
    "gravity_forces",
    "hashimoto_critical_path",
    "instruction_set",
    "instruction_sets",
    "integrate",
    "integrate_rate",
    "interbody_wrenches",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_regressor",
    "inverse_dynamics_terms",
    "inverse_kinematics",
    "inverse_mass_matrix",
    "inverse_mass_matrix_product",
    "jacobian",
    "jacobian_time_derivative_product",
    "load",
    "lower_bound",
    "mass_matrix",
    "mass_matrix_rate",
    "neutral_configuration",
    "operational_space_mobility",
    "parameters",
    "passive_forces",
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
    "step",
    "use_instruction_set",
    "view",
]
