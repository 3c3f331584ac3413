// SPDX-License-Identifier: Apache-2.0
/// Ways between processors.
#pragma once
#include "tandem/api/machine_model.hpp"

namespace tandem {

/// Processors 0 .. n - 1 of a topology.
class Network {
 public:
  Network(Topology topology, Index processors);

  Index size() const { return size_; }
  /// Whether all processors are alike: any two may be exchanged.
  bool is_full() const { return topology_ == Topology::full; }
  /// The neighbour of `from` that is nearest to `to`.
  Index step(Index from, Index to) const;
  /// How many steps it takes.
  Index distance(Index from, Index to) const;

 private:
  Topology topology_;
  Index size_, columns_;
};

}  // namespace tandem
