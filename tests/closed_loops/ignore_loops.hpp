// SPDX-License-Identifier: Apache-2.0
/// Functions of the tree (`ignores_loops` in their headers). Written by tools/register.py.
#pragma once

namespace tandem::test {

inline constexpr const char* ignore_loops[] = {
    "forward_kinematics", "forward_kinematics_derivatives", "forward_kinematics_jvp", "forward_kinematics_vjp",
    "jacobian", "jacobian_time_derivative_product", "inverse_dynamics", "bias_forces", "gravity_forces",
    "inverse_dynamics_terms", "interbody_wrenches", "inverse_dynamics_regressor", "inverse_dynamics_derivatives",
    "inverse_dynamics_jvp", "inverse_dynamics_vjp", "inverse_dynamics_hvp", "inverse_dynamics_second_derivatives",
    "mass_matrix", "mass_matrix_rate", "coriolis_matrix", "inverse_mass_matrix_product", "inverse_mass_matrix",
    "energy", "energy_derivatives", "centre_of_mass", "centre_of_mass_derivatives", "centroidal_momentum",
    "centroidal_momentum_derivatives", "passive_forces", "passive_forces_derivatives", "integrate", "difference",
    "integrate_rate",
};

}  // namespace tandem::test
