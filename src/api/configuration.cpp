// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/random.hpp"
#include "core/text.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/api/random_range.hpp"
#include "tandem/detail/problems/integrate.hpp"
#include "tandem/error.hpp"

namespace tandem {

std::vector<double> neutral_configuration(const Model& model) {
  std::vector<double> q(static_cast<std::size_t>(model.nq()), 0.0);
  for_each_independent_joint<double>(model.view<double>(), [&](auto joint, int iq, int) {
    // the real part of a joint's quaternion comes last
    if (joint.nq > joint.nv) q[static_cast<std::size_t>(iq + joint.nq - 1)] = 1;
  });
  return q;
}

Range random_range(const Model& model, int joint, int coordinate) {
  const auto& m = model.view<double>();
  if (joint < 1 || joint >= m.n_links || m.mimics[joint] != 0)
    throw Error(
        sentence("random_range: joint is ", joint, ", expected 1 to ", m.n_links - 1, " and not a mimic joint"));
  const JointKind& kind = joint_kind(m.type[joint]);
  const int most = kind.quaternion >= 0 ? kind.quaternion : kind.nq;
  if (coordinate < 0 || coordinate >= most)
    throw Error(sentence("random_range: coordinate is ", coordinate, ", expected less than ", most));
  const double lower = m.q_lower[m.q_index[joint] + coordinate], upper = m.q_upper[m.q_index[joint] + coordinate];
  const double half = coordinate < kind.lengths ? 1 : std::numbers::pi;
  if (std::isfinite(lower) && std::isfinite(upper)) return {lower, upper};
  if (lower > -half) return {lower, lower + 2 * half};
  if (upper < half) return {upper - 2 * half, upper};
  return {-half, half};
}

StartConfiguration start_configuration(const Model& model) {
  for (const char* name : {"home", "neutral"})
    if (const int named = model.find_configuration(name); named >= 0) {
      const auto q = model.configuration(named);
      return {{q.begin(), q.end()}, sentence("configuration ", in_quotes(name), " of the model")};
    }
  StartConfiguration start = {neutral_configuration(model), "neutral configuration"};
  if (model.n_loops() > 0) return start;
  const auto& m = model.view<double>();
  std::vector<std::string> moved;
  for (int i = 1; i < m.n_links; ++i) {
    if (m.mimics[i] != 0 || !joint_kind(m.type[i]).has_range) continue;
    double& q = start.q[static_cast<std::size_t>(m.q_index[i])];
    const double nearest = std::min(std::max(q, m.q_lower[m.q_index[i]]), m.q_upper[m.q_index[i]]);
    if (nearest == q) continue;
    q = nearest;
    moved.push_back(in_quotes(model.joint_name(i)));
  }
  if (!moved.empty())
    start.what = sentence("permitted configuration nearest to the neutral one, with joints at a limit: ",
                          comma_separated(moved, [](const std::string& name) { return name; }));
  return start;
}

std::vector<double> random_configuration(const Model& model, std::uint64_t seed) {
  const auto& m = model.view<double>();
  Random random(seed);
  std::vector<double> q(static_cast<std::size_t>(m.nq));
  for (int i = 1; i < m.n_links; ++i) {
    if (m.mimics[i] != 0) continue;
    double* x = q.data() + m.q_index[i];
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
      const Range range = random_range(model, i, k);
      x[k] = random.uniform(range.lower, range.upper);
    }
  }
  return q;
}

std::vector<double> random_configurations(const Model& model, std::uint64_t seed, Index batch) {
  if (seed >> 32 != 0) throw Error(sentence("random_configurations: seed is ", seed, ", expected less than 2^32"));
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
