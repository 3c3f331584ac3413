// SPDX-License-Identifier: Apache-2.0
/// Forces between two links, as outer forces of both.
#pragma once
#include <span>

#include "check/sizes.hpp"
#include "tandem/detail/spatial/vec3.hpp"
#include "tandem/model/model.hpp"

namespace tandem::check_detail {

/// Adds to f_ext [n_links, 6] what pushes link 2, and link 1 back: a force f at a point and a moment n about it, in the
/// world, N, N m. pose [n_frames, 12] as forward kinematics has it.
void push_apart(const Numbers& pose, int link_1, int link_2, const Vec3<double>& point, const Vec3<double>& f,
                const Vec3<double>& n, Numbers& f_ext);

/// The same by a loop joint's wrench, as closed_loop_dynamics() has it.
void push_by_loop(const Numbers& pose, const LoopJoint& loop, std::span<const double, 6> wrench, Numbers& f_ext);

}  // namespace tandem::check_detail
