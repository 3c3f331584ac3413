// SPDX-License-Identifier: Apache-2.0
/// Kernels of one robot, beside the generic ones.
#pragma once
#include <string>
#include <vector>

#include "tracing/teams.hpp"
#include "robots.hpp"
#include "sections.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"

namespace tandem::gpu_check {

/// Robots of more links have no kernels of their own here.
inline bool is_compiled(const Robot& robot) { return robot.model.n_links() <= 40; }
/// Of robots with quaternions and mimic joints there are checks alone.
inline bool is_timed(const Robot& robot) { return is_compiled(robot) && robot.name != "every_joint"; }
inline bool has_limbs(const Robot& robot) { return limbs_of(robot.model.view<double>(), 8).count > 1; }

/// Calls f(function, a number of the precision).
template <class F>
void for_each_kernel(F&& f) {
  f(InverseDynamics(), 0.0f);
  f(ForwardDynamics(), 0.0f);
  f(MassMatrix(), 0.0f);
  f(InverseDynamics(), 0.0);
  f(ForwardDynamics(), 0.0);
  f(MassMatrix(), 0.0);
}

/// Whether kernels of the robot give the bits of the generic ones. Their code comes from the store, if it is there.
void add_generated_checks(const Robot& robot, std::vector<Unit>& units);

/// Rates of robots with limbs by a thread a state and by a warp a limb, and what this says of the constants of
/// robot_kernels.cpp; then seconds of the compiler of this machine for the kernels of a robot, the store left aside.
void add_generated_rates(const std::vector<Robot>& robots, std::vector<Unit>& units);

}  // namespace tandem::gpu_check
