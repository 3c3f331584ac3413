// SPDX-License-Identifier: Apache-2.0
/// Ranges of random configurations.
#pragma once
#include "tandem/model/model.hpp"

namespace tandem {

/// An interval, rad|m.
struct Range {
  double lower;  ///< lower end
  double upper;  ///< upper end
};

/// The range of a coordinate in random_configuration(), for coordinates that are not part of a quaternion. It is the
/// interval of the joint limits if both are finite, else [-pi, pi] rad or [-1, 1] m, shifted to satisfy a single limit.
/// `coordinate` counts from 0 in the joint's rows of q. Throws Error for a joint or a coordinate that does not exist.
Range random_range(const Model& model, int joint, int coordinate);

}  // namespace tandem
