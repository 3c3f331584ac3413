// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "tracing/at.hpp"
#include "tracing/limbs.hpp"

namespace tandem {
namespace {

/// What makes subtrees alike: types of joints, and from where in the subtree they hang or what they follow, link by
/// link.
std::vector<std::int32_t> shape_of(const ModelView<double>& m, std::int32_t first, std::int32_t links) {
  std::vector<std::int32_t> shape;
  for (std::int32_t i = first; i < first + links; ++i) {
    shape.push_back(static_cast<std::int32_t>(m.type[i]));
    shape.push_back(i == first ? 0 : m.parent[i] - first);
    shape.push_back(m.mimics[i] == 0 ? -1 : m.mimics[i] - first);
  }
  return shape;
}

std::vector<std::int32_t> sizes_of_subtrees(const ModelView<double>& m) {
  std::vector<std::int32_t> sizes(at(m.n_links), 1);
  for (std::int32_t i = m.n_links - 1; i > 0; --i) sizes[at(m.parent[i])] += sizes[at(i)];
  return sizes;
}

}  // namespace

std::vector<AlikeLimbs> alike_limbs(const ModelView<double>& m) {
  const std::vector<std::int32_t> sizes = sizes_of_subtrees(m);
  std::vector<AlikeLimbs> result;
  std::vector<bool> inside(at(m.n_links));
  for (std::int32_t parent = 0; parent < m.n_links; ++parent) {
    if (inside[at(parent)]) continue;
    std::map<std::vector<std::int32_t>, std::vector<std::int32_t>> by_shape;
    for (std::int32_t i = parent + 1; i < parent + sizes[at(parent)]; i += sizes[at(i)])
      by_shape[shape_of(m, i, sizes[at(i)])].push_back(i);
    for (const auto& [shape, firsts] : by_shape) {
      if (firsts.size() < 2) continue;
      result.push_back({firsts, sizes[at(firsts.front())]});
      for (const std::int32_t first : firsts)
        for (std::int32_t k = 0; k < sizes[at(first)]; ++k) inside[at(first + k)] = true;
    }
  }
  return result;
}

}  // namespace tandem
