// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// The end of link i's descendants, which are numbered i .. end - 1.
template <class M>
TANDEM_HD int end_of_subtree(const ModelView<M>& m, int i) {
  while (m.last_child[i] != 0) i = m.last_child[i];
  return i + 1;
}

/// The child of link i with the most descendants, or 0 for a leaf.
template <class M>
TANDEM_HD int heaviest_child(const ModelView<M>& m, int i) {
  const int last = m.last_child[i];
  if (last <= i + 1) return last;
  int heaviest = 0, most = 0;
  for (int child = i + 1; child <= last;) {
    const int end = end_of_subtree(m, child);
    if (end - child > most) {
      heaviest = child;
      most = end - child;
    }
    child = end;
  }
  return heaviest;
}

/// Links first .. next - 1 and behind .. end - 1: the descendants of link `first` without those of link `next`. The path
/// from `first` leads to `last`, the parent of `next`; what branches off it hangs free. The terminal subsystem has no
/// `next`: there next = behind = end, and no link is `last`.
struct Subsystem {
  int first, next, behind, end, last;
  TANDEM_HD bool is_terminal() const { return last == 0; }

  /// Parents before their children.
  template <class F>
  TANDEM_HD void outward(F&& f) const {
    for (int i = first; i < next; ++i) f(i);
    for (int i = behind; i < end; ++i) f(i);
  }
  /// Children before their parents.
  template <class F>
  TANDEM_HD void inward(F&& f) const {
    for (int i = end - 1; i >= behind; --i) f(i);
    for (int i = next - 1; i >= first; --i) f(i);
  }
};

/// A tree of links cut into subsystems along its heaviest path, which goes from the base to the child with the most
/// descendants, and on. Subsystem k hangs from the last link of the path in subsystem k - 1; the one at the tip is terminal.
struct Division {
  static constexpr int most = 64;
  int count = 1;
  int first[most + 1], end[most + 1];  ///< of the descendants that hang beyond each cut

  template <class M>
  TANDEM_HD Subsystem subsystem(const ModelView<M>& m, Index k) const {
    if (k + 1 == count) return {first[k], end[k], end[k], end[k], 0};
    return {first[k], first[k + 1], end[k + 1], end[k], m.parent[first[k + 1]]};
  }

  /// At most `parts` subsystems, the terminal one `load_ratio` times as long as the others. A cut needs a link before it that
  /// resists its joint with its own inertia, as nothing hangs from it for a while: it goes behind the heaviest of the next
  /// few links of the path.
  template <class M>
  TANDEM_HD static Division along_heaviest_path(const ModelView<M>& m, int parts, double load_ratio) {
    constexpr int choice = 8;
    Division d;
    d.first[0] = 1;
    d.end[0] = m.n_links;
    const double length = (m.n_links - 1) / (parts - 1 + load_ratio);
    int i = 0, end = m.n_links, seen = 0, best = 0, best_end = 0;
    M heaviest = M(0);
    while (d.count < parts) {
      const int next = heaviest_child(m, i);
      if (next == 0) break;
      if (m.last_child[i] != next || next != i + 1) end = end_of_subtree(m, next);
      const int before = m.n_links - 1 - (end - next);  // links that a cut here leaves on its inner side
      if (i > 0 && before >= d.count * length - choice / 2) {
        ++seen;
        const M weight = resists(m, i) ? m.inertia[Index{10} * i] : M(0);
        if (weight > heaviest) {
          heaviest = weight;
          best = next;
          best_end = end;
        }
        if (seen >= choice && best != 0) {
          d.first[d.count] = best;
          d.end[d.count++] = best_end;
          seen = best = 0;
          heaviest = M(0);
        }
      }
      i = next;
    }
    if (best != 0 && d.count < parts) {  // the path ended within the choice
      d.first[d.count] = best;
      d.end[d.count++] = best_end;
    }
    return d;
  }

 private:
  template <class M>
  TANDEM_HD static bool resists(const ModelView<M>& m, int i) {
    const auto I = articulated(load_inertia<M>(m.inertia, Index{10} * i));
    return on_joint(m.type[i], [&](auto joint) TANDEM_INLINE {
      bool all = true;
      for (int k = 0; k < decltype(joint)::nv; ++k)
        all = all && component(column(I, joint.row(k)), joint.row(k)) > M(0);
      return all;
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
