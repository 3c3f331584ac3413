// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/coupling_pattern.hpp"

#include <algorithm>
#include <functional>

namespace tandem {

CouplingPattern::CouplingPattern(const std::int32_t* parents, int n_links)
    : parents_(parents, parents + n_links),
      first_(static_cast<std::size_t>(n_links) + 1),
      meets_(static_cast<std::size_t>(n_links)),
      of_links_(static_cast<std::size_t>(n_links)) {}
CouplingPattern::~CouplingPattern() = default;

void CouplingPattern::clear() {
  for (std::vector<int>& partners : of_links_) partners.clear();
  std::fill(meets_.begin(), meets_.end(), 0);
}

void CouplingPattern::add(int link, int other) {
  if (link == 0 || other == 0) return;
  of_links_[static_cast<std::size_t>(std::max(link, other))].push_back(std::min(link, other));
}

void CouplingPattern::meet(int link) { meets_[static_cast<std::size_t>(link)] = 1; }

/// What a link leaves behind when it is eliminated: its partners and its parent are coupled with each other. The first
/// one of them to follow hands this on.
void CouplingPattern::close() {
  for (std::size_t i = of_links_.size(); i-- > 1;) {
    std::vector<int>& partners = of_links_[i];
    if (partners.empty()) continue;
    std::sort(partners.begin(), partners.end(), std::greater<>());
    partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
    const int parent = parents_[i], next = std::max(parent, partners.front());
    std::vector<int>& of_next = of_links_[static_cast<std::size_t>(next)];
    for (const int j : partners) {
      meets_[static_cast<std::size_t>(j)] = 1;
      if (j != next) of_next.push_back(j);
    }
    if (parent != next && parent != 0) of_next.push_back(parent);
  }
  partners_.clear();
  for (std::size_t i = 0; i < of_links_.size(); ++i) {
    first_[i] = static_cast<int>(partners_.size());
    partners_.insert(partners_.end(), of_links_[i].begin(), of_links_[i].end());
  }
  first_.back() = static_cast<int>(partners_.size());
}

int CouplingPattern::n() const { return static_cast<int>(partners_.size()); }
const int* CouplingPattern::first() const { return first_.data(); }
const int* CouplingPattern::partners() const { return partners_.data(); }
const int* CouplingPattern::meets() const { return meets_.data(); }

}  // namespace tandem
