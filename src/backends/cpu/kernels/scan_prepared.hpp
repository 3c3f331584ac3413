// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "model/principal_axes.hpp"
#include "tandem/detail/scan/scan_plan.hpp"
#include "tandem/model/memory.hpp"

namespace tandem::inline TANDEM_ISA {

/// Where a chunk begins: its position, its first link and the rows of its first joint; how many joints it has, and
/// whether their links are numbered in a row.
struct ChunkPlace {
  Index position, link, q, v;
  int count;
  bool in_a_row;
};

/// What calls of a scan share: how the robot is cut, and the numbers of its links in the order in which lanes need
/// them, chunk beside chunk. The same for all instruction sets.
template <class T, bool turns_inertias>
class PreparedScan {
 public:
  /// Numbers of a link: placement [12]; mass; first moment [3]; its inertia about the origin [6] or, for methods that
  /// turn it, as least 1 + a a^T + b b^T, which is cheap to turn: least principal moment, a [3], b [3]; armature [d];
  /// with one degree of freedom how far the joint slides as it turns, infinite for one that slides only.
  enum Row { placement = 0, mass = 12, moment = 13, least = 16, spread = 17, armature = turns_inertias ? 23 : 22 };
  static constexpr int rows(int dof) { return armature + dof + (dof == 1 ? 1 : 0); }
  static constexpr int lanes = chunks_in_group<T>;

  PreparedScan(const ModelView<T>& m, const ScanCut& cut) {
    ScanPlanner<T> planner(m, cut);
    Arena size;
    planner.lay_out(size);
    integers_.resize(static_cast<std::size_t>(size.rows<std::int64_t>()));
    Arena arena(integers_.data());
    planner.lay_out(arena);
    plan_ = planner.plan();
    Index numbers = 0;
    for (Index g = 0; g < plan_.n_groups; ++g) {
      begins_.push_back(numbers);
      if (plan_.group_kind[g] != static_cast<ScanPlan::Int>(ScanKind::any))
        numbers += Index{plan_.group_steps[g]} * rows(plan_.group_dof[g]) * plan_.lanes;
    }
    for (Index c = 0; c < plan_.n_chunks; ++c) {
      const Index begin = plan_.chunk[c], count = plan_.chunk[c + 1] - begin, i = plan_.link_at(begin);
      const bool in_a_row = plan_.link_at(begin + count - 1) == i + count - 1;
      places_.push_back({begin, i, m.q_index[i], m.v_index[i], static_cast<int>(count), in_a_row});
    }
    constants_.resize(static_cast<std::size_t>(numbers) / line_size);
    for (Index g = 0; g < plan_.n_groups; ++g)
      if (plan_.group_kind[g] != static_cast<ScanPlan::Int>(ScanKind::any)) fill(m, g);
  }
  PreparedScan(const PreparedScan&) = delete;
  PreparedScan& operator=(const PreparedScan&) = delete;

  const ScanPlan& plan() const { return plan_; }
  const ChunkPlace* places(Index chunk) const { return places_.data() + chunk; }
  /// [steps][rows][lanes]
  const T* constants(Index group) const {
    return constants_.empty() ? nullptr : &constants_[0].x[0] + begins_[static_cast<std::size_t>(group)];
  }

 private:
  static constexpr std::size_t line_size = 64 / sizeof(T);
  struct alignas(64) Line {
    T x[line_size];
  };

  void fill(const ModelView<T>& m, Index g) {
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
          for (int row = 0; row < 4; ++row) put(mass + row, m.inertia[Index{10} * i + row]);
          const T* inertia = &m.inertia[Index{10} * i + 4];
          T parts[7];
          if (turns_inertias) {
            split(inertia, parts);
            inertia = &parts[0];
          }
          for (int row = least; row < armature; ++row) put(row, inertia[row - least]);
          for (int row = 0; row < dof; ++row) put(armature + row, m.armature[m.v_index[i] + row]);
          if (dof == 1) {
            const auto joint = AxialJoint<T>::of(m, i);
            put(armature + 1, joint.turns > 0 ? joint.slides : std::numeric_limits<T>::infinity());
          }
        } else {  // a locked joint on a massless link
          for (int row = 0; row < 9; ++row) put(placement + row, row % 4 == 0 ? T(1) : T(0));
          for (int row = 9; row < armature; ++row) put(row, T(0));
          for (int row = armature; row < rows(dof); ++row)
            put(row, row < armature + dof ? std::numeric_limits<T>::infinity() : T(0));
        }
      }
      to += rows(dof) * plan_.lanes;
    }
  }

  /// A symmetric matrix xx yy zz xy xz yz as least 1 + a a^T + b b^T.
  static void split(const T* I, T (&to)[7]) {
    const auto [moments, axes] = model_detail::principal_axes({I[0], I[3], I[4], I[1], I[5], I[2]});
    to[0] = static_cast<T>(moments[0]);
    for (int j = 1; j < 3; ++j)
      for (int i = 0; i < 3; ++i) to[3 * j - 2 + i] = static_cast<T>(std::sqrt(moments[j] - moments[0]) * axes[j][i]);
  }

  std::vector<std::int64_t> integers_;
  ScanPlan plan_;
  std::vector<Index> begins_;
  std::vector<ChunkPlace> places_;
  std::vector<Line, LineAllocator<Line>> constants_;
};

}  // namespace tandem::inline TANDEM_ISA
