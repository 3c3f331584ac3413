// SPDX-License-Identifier: Apache-2.0
#include "papers/schedules/network.hpp"

#include <cmath>

namespace tandem {

Network::Network(Topology topology, Index processors)
    : topology_(topology),
      size_(processors),
      columns_(static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(processors))))) {}

Index Network::step(Index from, Index to) const {
  if (from == to) return to;
  const Index outward = from < to ? 1 : -1;
  switch (topology_) {
    case Topology::full: return to;
    case Topology::chain: return from + outward;
    case Topology::ring: {
      const Index ahead = (to - from + size_) % size_;
      return (from + (2 * ahead <= size_ ? 1 : size_ - 1)) % size_;
    }
    case Topology::grid: {
      // along the row, unless it ends there, then along the column
      const Index side = to % columns_ > from % columns_ ? 1 : to % columns_ < from % columns_ ? -1 : 0;
      if (side != 0 && from + side < size_) return from + side;
      return from + outward * columns_;
    }
    case Topology::tree: {
      Index below = to;  // the ancestor of `to` that may be a child of `from`
      while ((below - 1) / 2 > from) below = (below - 1) / 2;
      return below > from && (below - 1) / 2 == from ? below : (from - 1) / 2;
    }
  }
  return to;
}

Index Network::distance(Index from, Index to) const {
  if (is_full()) return from == to ? 0 : 1;
  Index steps = 0;
  for (; from != to; from = step(from, to)) ++steps;
  return steps;
}

}  // namespace tandem
