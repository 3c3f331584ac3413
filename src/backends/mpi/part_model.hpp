// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

#include "tandem/api/mpi.hpp"
#include "tandem/model/view.hpp"

namespace tandem::mpi {

/// The numbers of links first .. end - 1 of a chain, as the whole chain's model has them: link 0 stands for the link
/// before. Those arrays of a ModelView that the methods for chains read.
class PartModel {
 public:
  PartModel() = default;
  /// Throws what ModelBuilder throws, and Error for a joint that cannot be part of a chain.
  PartModel(Index first, Index end, Index links, const std::function<ChainLink(Index)>& describe,
            const std::array<double, 3>& gravity);

  const ModelView<double>& view() const { return view_; }

 private:
  void append(const Model& piece, int first, int end);

  ModelView<double> view_;
  std::vector<std::int32_t> parent_, q_index_, v_index_;
  std::vector<JointType> type_;
  std::vector<double> slides_, placement_, inertia_, armature_, frame_placement_;
};

}  // namespace tandem::mpi
