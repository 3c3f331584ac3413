// SPDX-License-Identifier: Apache-2.0
/// How large the terms are that an algorithm sums: what rounding errors are proportional to.
#pragma once
#include <vector>

#include "tandem/model/model.hpp"

namespace tandem::check_detail {

using Numbers = std::vector<double>;

/// Largest terms met on the way from the base to a link.
struct LinkSizes {
  double reach = 0;         ///< m, distance from the world's origin
  double turn = 0;          ///< rad/s
  double speed = 0;         ///< m/s
  double turn_rate = 0;     ///< rad/s^2
  double acceleration = 0;  ///< m/s^2, gravity included
};

/// [n_links] for the state (q, v, a).
std::vector<LinkSizes> link_sizes(const Model& model, const Numbers& q, const Numbers& v, const Numbers& a);

/// The same for a frame that rides on a link.
LinkSizes at_frame(const Model& model, const std::vector<LinkSizes>& links, int frame);

/// [n_dof] size of the terms in the joint forces of state (q, v, a): inertial and external forces of all that a joint
/// carries, with their lever arms; mimic joints have rows of their own. f_ext [n_links, 6] or empty.
Numbers dof_force_sizes(const Model& model, const Numbers& q, const Numbers& v, const Numbers& a,
                        const Numbers& f_ext = {});

/// [nv] the same, mimic joints counted with the joints that they follow.
Numbers force_sizes(const Model& model, const Numbers& q, const Numbers& v, const Numbers& a,
                    const Numbers& f_ext = {});

/// Size of the terms in the momentum of state (q, v): linear, and angular about the centre of mass.
struct MomentumSize {
  double linear = 0, angular = 0;
};
MomentumSize momentum_size(const Model& model, const Numbers& q, const Numbers& v);

}  // namespace tandem::check_detail
