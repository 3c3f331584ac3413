// SPDX-License-Identifier: Apache-2.0
/// [Amin-Javaheri]: tables 1 and 2, and the two ways between them that section 3.3 turns down, on as many processors as
/// they can use, with what each level of them does at the same time.
#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

#include "core/counting.hpp"
#include "tandem/detail/papers/log_composite.hpp"
#include "tandem/model/model.hpp"

namespace tandem::test {

/// What happens at the same time: how many parts of those that compute anything.
struct Levels {
  std::size_t now = 0;
  std::vector<Index> busy;
  Index sum(std::size_t begin, std::size_t end) const {
    return std::accumulate(busy.begin() + static_cast<std::ptrdiff_t>(begin),
                           busy.begin() + static_cast<std::ptrdiff_t>(end), Index{0});
  }
};

/// An executor with a processor for every part, also of those within parts.
struct LevelsExecutor {
  static constexpr bool divides_parts = true;
  Levels* levels;
  template <class F>
  void for_each(Index n, F&& f) const {
    const std::size_t begin = levels->now;
    std::size_t end = begin;
    for (Index i = 0; i < n; ++i) {
      levels->now = begin;
      const std::int64_t before = Counting::count.flops();
      f(i);
      if (levels->now == begin && Counting::count.flops() > before) {
        if (levels->busy.size() <= begin) levels->busy.resize(begin + 1);
        ++levels->busy[begin];
        ++levels->now;
      }
      end = std::max(end, levels->now);
    }
    levels->now = end;
  }
};

inline std::vector<Counting> counting(const std::vector<double>& x) {
  std::vector<Counting> y;
  for (const double number : x) y.emplace_back(number);
  return y;
}

/// A chain of joints with one axis each, and the matrix as far as it is found.
struct CountedMassMatrix {
  using S = Counting;
  const LevelsExecutor& executor;
  const ModelView<double>& m;
  Index n;
  std::vector<Transform<S>> X;  ///< from a to a + 1
  std::vector<LockedLinks<S>> sets;
  std::vector<Force<S>> forces;
  std::vector<S> H;

  template <class T>
  static T& at(std::vector<T>& x, Index a) {
    return x[static_cast<std::size_t>(a)];
  }
  AxialJoint<S> joint(Index a) const { return AxialJoint<S>::of(m, static_cast<int>(a) + 1); }

  CountedMassMatrix(const LevelsExecutor& with, const Model& model, const std::vector<S>& q)
      : executor(with),
        m(model.view<double>()),
        n(model.nv()),
        X(static_cast<std::size_t>(n)),
        sets(X.size()),
        forces(X.size()),
        H(X.size() * X.size()) {
    executor.for_each(n, [&](Index a) {
      at(X, a) =
          a + 1 < n ? joint_transform<S>(joint(a + 1), m, static_cast<int>(a) + 2, q.data()) : Transform<S>::identity();
      at(sets, a) = LogComposite::about_centre(link_inertia<S>(m, static_cast<int>(a) + 1));
    });
  }
  /// Table 1: a set after the other.
  void gather_sets() {
    for (Index a = n - 2; a >= 0; --a)
      executor.for_each(1, [&](Index) { at(sets, a) = LogComposite::join(at(sets, a), at(X, a), at(sets, a + 1)); });
  }
  /// Table 2, stage A: groups of 2, 4, 8, ... links.
  void double_sets() {
    auto frames = X;  // from a to the end of the inner half of its group
    for (Index half = 1; half < n; half *= 2) {
      const auto before = sets;
      const auto frames_before = frames;
      executor.for_each(n, [&](Index a) {
        const Index j = a / (2 * half) * 2 * half + half;
        if (a >= j || j >= n) return;
        const auto& X_aj = frames_before[static_cast<std::size_t>(a)];
        at(sets, a) =
            LogComposite::join(before[static_cast<std::size_t>(a)], X_aj, before[static_cast<std::size_t>(j)]);
        if (2 * half < n) at(frames, a) = frames_before[static_cast<std::size_t>(j)] * X_aj;
      });
    }
  }
  void find_diagonal() {
    executor.for_each(n, [&](Index x) {
      at(forces, x) = LogComposite::force_of_axis(joint(x), at(sets, x));
      at(H, x * n + x) = joint(x).along(0, at(forces, x)) + S(m.armature[x]);
    });
  }
  void put(Index a, Index x, const Force<S>& F) { at(H, x * n + a) = at(H, a * n + x) = joint(a).along(0, F); }
  /// Table 1: all columns at the same time, one link after the other.
  void sweep_columns() {
    for (Index d = 1; d < n; ++d)
      executor.for_each(n - d, [&](Index a) {
        Force<S>& F = at(forces, a + d);
        F = transpose_mul(at(X, a), F);
        put(a, a + d, F);
      });
  }
  /// Recursive doubling of each column's own recurrence: the change of frame from a to x, from those of half the way.
  void double_columns() {
    std::vector<Transform<S>> far(static_cast<std::size_t>(n * n), Transform<S>::identity());
    executor.for_each(n * n, [&](Index k) { at(far, k) = k % n < k / n ? at(X, k % n) : Transform<S>::identity(); });
    for (Index h = 1; h < n - 1; h *= 2) {
      const auto before = far;
      executor.for_each(n * n, [&](Index k) {
        const Index x = k / n, a = k % n;
        if (a + h < x) at(far, k) = before[static_cast<std::size_t>(k + h)] * before[static_cast<std::size_t>(k)];
      });
    }
    executor.for_each(n * n, [&](Index k) {
      const Index x = k / n, a = k % n;
      if (a < x) put(a, x, transpose_mul(at(far, k), at(forces, x)));
    });
  }
};

/// Table 1, on n processors: a set after the other, then every column on a processor of its own.
inline std::vector<Counting> by_table_1(const LevelsExecutor& executor, const Model& model,
                                        const std::vector<Counting>& q) {
  CountedMassMatrix M(executor, model, q);
  M.gather_sets();
  M.find_diagonal();
  M.sweep_columns();
  return M.H;
}
/// The sets of table 2, the columns of table 1: K1 O(N) + K2 O(log2 N).
inline std::vector<Counting> by_swept_columns(const LevelsExecutor& executor, const Model& model,
                                              const std::vector<Counting>& q) {
  CountedMassMatrix M(executor, model, q);
  M.double_sets();
  M.find_diagonal();
  M.sweep_columns();
  return M.H;
}
/// The sets of table 2, and every column doubled by itself.
inline std::vector<Counting> by_doubled_columns(const LevelsExecutor& executor, const Model& model,
                                                const std::vector<Counting>& q) {
  CountedMassMatrix M(executor, model, q);
  M.double_sets();
  M.find_diagonal();
  M.double_columns();
  return M.H;
}
/// Table 2, as the library has it.
inline std::vector<Counting> by_table_2(const LevelsExecutor& executor, const Model& model,
                                        const std::vector<Counting>& q) {
  const auto& m = model.view<double>();
  const LogComposite method;
  std::vector<Counting> H(static_cast<std::size_t>(m.nv * m.nv)), work(static_cast<std::size_t>(method.work_rows(m)));
  method.body<Counting>(executor, m, q.data(), H.data(), work.data());
  return H;
}

}  // namespace tandem::test
