// SPDX-License-Identifier: Apache-2.0
/// Where the numbers of random configurations lie.
#pragma once
#include "tandem/model/model.hpp"

namespace tandem {

/// From where to where, rad|m.
struct Range {
  double lower;  ///< the least
  double upper;  ///< the greatest
};

/// The range from which random_configuration draws a coordinate of a joint that is no part of a quaternion: the limits
/// if both are finite, else [-pi, pi] rad or [-1, 1] m, shifted by as little as brings it within the one that is
/// finite. `coordinate` counts from 0 in the joint's rows of q. Throws Error for a joint or a coordinate that does not
/// exist.
Range random_range(const Model& model, int joint, int coordinate);

}  // namespace tandem
