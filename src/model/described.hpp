// SPDX-License-Identifier: Apache-2.0
/// Ways from the frames that a model computes in to those of the description.
#pragma once
#include "tandem/detail/joint/joint.hpp"

namespace tandem::model_detail {

/// From the described frame of the link that carries joint i's link to the described frame of that link, where X_ip
/// leads between the model's frames of the two.
inline Transform<double> between_described(const ModelView<double>& m, int i, const Transform<double>& X_ip) {
  return frame_transform<double>(m, i) * X_ip * inverse(frame_transform<double>(m, m.parent[i]));
}

}  // namespace tandem::model_detail
