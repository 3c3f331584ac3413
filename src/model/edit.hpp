// SPDX-License-Identifier: Apache-2.0
/// What edits of a description and of a model share.
#pragma once
#include <span>
#include <string>

#include "tandem/model/builder.hpp"

namespace tandem::model_detail {

/// The fixed joint that a joint is while its position is q, its rows of a configuration. Throws Error for a q that has another
/// size, is not finite or has a quaternion of zeros; ModelError for a joint that could not be built.
JointDescription locked(const JointDescription& joint, std::span<const double> q);

/// Whether limits forbid a position, and what is said then.
bool lies_outside(const JointDescription& joint, std::span<const double> q);
std::string locked_outside(const JointDescription& joint, double q);

}  // namespace tandem::model_detail
