// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/functions.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem {

std::vector<double> inertial_parameters(const Model& model) {
  const auto& m = model.view<double>();
  std::vector<double> pi;
  pi.reserve(10 * static_cast<std::size_t>(m.n_links - 1));
  for (int i = 1; i < m.n_links; ++i) {
    const auto body = transpose_mul(inverse(frame_transform<double>(m, i)), link_inertia<double>(m, i));
    const auto& I = body.I;
    pi.insert(pi.end(), {body.m, body.h.x, body.h.y, body.h.z, I.xx, I.xy, I.yy, I.xz, I.yz, I.zz});
  }
  return pi;
}

}  // namespace tandem
