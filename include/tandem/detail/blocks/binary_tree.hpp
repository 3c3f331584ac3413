// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/core/column.hpp"

namespace tandem::inline TANDEM_ISA {

/// A binary tree over n leaves in a row. Node k of level l stands for the leaves k 2^l .. (k + 1) 2^l - 1, as far as there
/// are any. A node without a right child is its left child: it has no place of its own.
struct BinaryTree {
  Index n;

  TANDEM_HD Index nodes(int level) const { return (n + (Index{1} << level) - 1) >> level; }
  /// Levels of joints above the leaves, ceil(log2 n).
  TANDEM_HD int levels() const {
    int l = 0;
    while (nodes(l) > 1) ++l;
    return l;
  }
  TANDEM_HD Index places() const { return n > 0 ? place(levels(), 0, false) + 1 : 0; }

  /// Where node k of a level lies among all nodes, level after level.
  TANDEM_HD Index place(int level, Index k, bool alone_is_child = true) const {
    while (alone_is_child && level > 0 && !joins(level, k)) {
      --level;
      k *= 2;
    }
    for (int l = 0; l < level; ++l) k += nodes(l);
    return k;
  }
  /// True if node k has two children.
  TANDEM_HD bool joins(int level, Index k) const { return 2 * k + 1 < nodes(level - 1); }
  TANDEM_HD Index first(int level, Index k) const { return k << level; }
  TANDEM_HD Index end(int level, Index k) const { return first(level, k + 1) < n ? first(level, k + 1) : n; }

  /// Calls f(places of the node and of its two children, their leaves first .. middle - 1 and middle .. end - 1) for all
  /// nodes with two children; the nodes of a level are independent of each other.
  template <class Engine, class F>
  TANDEM_HD void for_each_join(const Engine& engine, int level, F&& f) const {
    engine.for_each(nodes(level), [&](Index k) TANDEM_INLINE {
      if (joins(level, k))
        f(place(level, k), place(level - 1, 2 * k), place(level - 1, 2 * k + 1), first(level, k),
          first(level - 1, 2 * k + 1), end(level, k));
    });
  }
  /// From the leaves to the root.
  template <class Engine, class F>
  TANDEM_HD void upward(const Engine& engine, F&& f) const {
    for (int level = 1, top = levels(); level <= top; ++level) for_each_join(engine, level, f);
  }
  /// From the root to the leaves.
  template <class Engine, class F>
  TANDEM_HD void downward(const Engine& engine, F&& f) const {
    for (int level = levels(); level >= 1; --level) for_each_join(engine, level, f);
  }
};

}  // namespace tandem::inline TANDEM_ISA
