// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "check/sizes.hpp"

namespace tandem::check_detail {

/// Articulated-body dynamics of a robot with mimic joints goes through a tree in which these swing freely, and then
/// holds them to those they follow; the free motion may be far larger than the robot's own, which costs digits.
///
/// [nv] how far rounding errors may move the acceleration that is found under tau: errors as large as the terms of the
/// robot's own motion (dof_sizes, from dof_force_sizes), of the free motion, and of the motions that every holding
/// force causes for itself. Zeros if the free tree is singular: nothing right can come out of it.
Numbers free_tree_errors(const Model& model, const Numbers& q, const Numbers& v, const Numbers& tau,
                         const Numbers& f_ext, const Numbers& dof_sizes);

}  // namespace tandem::check_detail
