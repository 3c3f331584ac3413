// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "core/random.hpp"
#include "core/text.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/detail/problems/integrate.hpp"
#include "tandem/error.hpp"

namespace tandem {

std::vector<double> neutral_configuration(const Model& model) {
  std::vector<double> q(static_cast<std::size_t>(model.nq()), 0.0);
  for_each_independent_joint(model.view<double>(), [&](auto joint, int iq, int) {
    // the real part of a joint's quaternion comes last
    constexpr int nq = decltype(joint)::nq;
    if (nq > decltype(joint)::nv) q[static_cast<std::size_t>(iq + nq - 1)] = 1;
  });
  return q;
}

std::vector<double> random_configuration(const Model& model, std::uint64_t seed) {
  const auto& m = model.view<double>();
  Random random(seed);
  std::vector<double> q(static_cast<std::size_t>(m.nq));
  for (int i = 1; i < m.n_links; ++i) {
    if (m.mimics[i] != 0) continue;
    double* x = q.data() + m.q_index[i];
    const auto within = [&](int row, double range) {
      const double lower = m.q_lower[m.q_index[i] + row], upper = m.q_upper[m.q_index[i] + row];
      x[row] =
          std::isfinite(lower) && std::isfinite(upper) ? random.uniform(lower, upper) : random.uniform(-range, range);
    };
    const auto quaternion = [&](int row) {
      for (int k = 0; k < 4; ++k) x[row + k] = random.normal();
      const double norm = std::hypot(std::hypot(x[row], x[row + 1]), std::hypot(x[row + 2], x[row + 3]));
      for (int k = 0; k < 4; ++k) x[row + k] /= norm;
    };
    const JointKind& kind = joint_kind(m.type[i]);
    for (int k = 0; k < kind.nq; ++k) {
      if (k == kind.quaternion) {
        quaternion(k);
        break;
      }
      within(k, k < kind.lengths ? 1 : std::numbers::pi);
    }
  }
  return q;
}

std::vector<double> random_configurations(const Model& model, std::uint64_t seed, Index batch) {
  if (seed >> 32 != 0) throw Error(sentence("random_configurations: seed is ", seed, ", expected one below 2^32"));
  if (batch < 0) throw Error(sentence("random_configurations: batch is ", batch, ", expected 0 or more"));
  std::vector<double> rows;
  rows.reserve(static_cast<std::size_t>(batch) * static_cast<std::size_t>(model.nq()));
  for (Index k = 0; k < batch; ++k) {
    const std::vector<double> q = random_configuration(model, seed + (static_cast<std::uint64_t>(k) << 32));
    rows.insert(rows.end(), q.begin(), q.end());
  }
  return rows;
}

}  // namespace tandem
