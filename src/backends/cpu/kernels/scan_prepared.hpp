// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <limits>
#include <type_traits>
#include <vector>

#include "tandem/algorithms/scan_articulated_body.hpp"

namespace tandem::inline TANDEM_ISA {

/// What calls of the scan form share: how the robot is cut, and the numbers of its links in the order in which lanes need
/// them, chunk beside chunk. The same for all instruction sets.
template <class T>
class PreparedScan {
 public:
  /// Numbers of a link: placement [12], inertia [10], armature [d], and for chunks of mixed joints whether it turns, as a mask.
  enum Row { placement = 0, inertia = 12, armature = 22 };
  static constexpr int rows(int dof) { return armature + dof + 1; }

  PreparedScan(const ModelView<T>& m, const Options& options) {
    constexpr int lanes = ScanArticulatedBody::lanes<T>;
    ScanPlanner<T> planner(m, options, lanes);
    integers_.resize(static_cast<std::size_t>(planner.integers() + 1) / 2);
    plan_ = planner.plan(integers_.data());
    Index size = 0;
    for (Index g = 0; g < plan_.n_groups; ++g) {
      begins_.push_back(size);
      if (plan_.group_kind[g] != static_cast<ScanPlan::Int>(ScanKind::any))
        size += Index{plan_.group_steps[g]} * rows(plan_.group_dof[g]) * lanes;
    }
    constants_.resize(static_cast<std::size_t>(size) / line_size);
    for (Index g = 0; g < plan_.n_groups; ++g)
      if (plan_.group_kind[g] != static_cast<ScanPlan::Int>(ScanKind::any)) fill(m, g);
  }
  PreparedScan(const PreparedScan&) = delete;
  PreparedScan& operator=(const PreparedScan&) = delete;

  const ScanPlan& plan() const { return plan_; }
  /// [steps][rows][lanes]
  const T* constants(Index group) const { return &constants_[0].x[0] + begins_[static_cast<std::size_t>(group)]; }

 private:
  static constexpr std::size_t line_size = 64 / sizeof(T);
  struct alignas(64) Line {
    T x[line_size];
  };

  void fill(const ModelView<T>& m, Index g) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    const int dof = plan_.group_dof[g];
    T* to = const_cast<T*>(constants(g));
    for (Index k = 0; k < plan_.group_steps[g]; ++k) {
      for (int l = 0; l < plan_.lanes; ++l) {
        const auto put = [&](int row, T x) { to[row * plan_.lanes + l] = x; };
        const Index c = plan_.group_chunk[g] + l;
        const Index position = c < plan_.group_chunk[g + 1] ? plan_.chunk[c] + k : plan_.n;
        if (c < plan_.group_chunk[g + 1] && position < plan_.chunk[c + 1]) {
          const auto i = plan_.link_at(position);
          for (int row = 0; row < 12; ++row) put(placement + row, m.placement[Index{12} * i + row]);
          for (int row = 0; row < 10; ++row) put(inertia + row, m.inertia[Index{10} * i + row]);
          for (int row = 0; row < dof; ++row) put(armature + row, m.armature[m.v_index[i] + row]);
          put(armature + dof, std::bit_cast<T>(m.type[i] == JointType::prismatic ? Bits{0} : Bits{-1}));
        } else {  // a locked joint on a massless link
          for (int row = 0; row < 9; ++row) put(placement + row, row % 4 == 0 ? T(1) : T(0));
          for (int row = 9; row < armature; ++row) put(row, T(0));
          for (int row = 0; row < dof; ++row) put(armature + row, std::numeric_limits<T>::infinity());
          put(armature + dof, T(0));
        }
      }
      to += rows(dof) * plan_.lanes;
    }
  }

  std::vector<std::int64_t> integers_;
  ScanPlan plan_;
  std::vector<Index> begins_;
  std::vector<Line> constants_;
};

}  // namespace tandem::inline TANDEM_ISA
