// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/executors/executor.hpp"
#include "tandem/detail/passes/composite_inertia.hpp"

namespace tandem::inline TANDEM_ISA {

/// Mass matrix from the axes of a robot and from the forces that move what hangs from each of them: all entries at
/// once.
///
///     M_kj = z_j . (n_k + (p_k - p_j) x f_k)  or, if j slides,  z_j . f_k          j <= k
///
/// Changed: neighbouring axes share a point p_B in their midst, S_j = [z_j; (p_j - p_B) x z_j] or [0; z_j] about it, so
/// that an entry is a product of six numbers with six,
///
///     M_kj = S_j . F_kB,   F_kB = [n_k + (p_k - p_B) x f_k; f_k]
///
/// Only differences of places enter, and those inside a block are short: the digits of the entries one by one.
///
/// Of a tree j carries k, or has 0: degrees of freedom are numbered depth first, so that those that j carries are its
/// neighbours.
///
/// Work      15 rows per degree of freedom      Cost O(n^2), every block of rows on its own, every block of a row on
///           its own again
struct AllPairs {
  /// What is known of a degree of freedom, along world axes; each number beside those of its neighbours.
  template <class S>
  struct Dof {
    Motion<S> axis;  ///< about p, then about the point of its block
    Vec3<S> p;
    Force<S> F;  ///< that a unit of its acceleration takes, about p
  };
  static constexpr Index block = 16;  ///< neighbouring degrees of freedom that share a point

  using Int = std::int32_t;
  /// Behind the last degree of freedom that each of them carries.
  template <class M>
  static void find_ends(const ModelView<M>& m, Int* ends) {
    for (Int k = m.n_dof - 1; k >= 0; --k) {
      const Int link = m.dof_link[k], child = m.last_child[link];
      const bool last = k + 1 == m.n_dof || m.dof_link[k + 1] != link;
      ends[k] = !last ? ends[k + 1] : child != 0 ? ends[m.dof_index[child]] : k + 1;
    }
  }

  TANDEM_HD static constexpr Index work_rows(Index n) { return rows_of<Dof<double>> * n; }
  /// Degree of freedom k of n, as a record.
  template <class S>
  TANDEM_HD static auto dof(Index n, Index k, S* w) {
    return records<Dof<S>>(StridedColumn<S>{w + k, n});
  }

  /// The point that the block of a degree of freedom shares, and what is seen from it, or from another one.
  template <class S>
  TANDEM_HD static Vec3<S> point_of_block(Index n, Index b, S* w) {
    return dof(n, (b * block + end_of(n, b)) / 2, w).load(0, &Dof<S>::p);
  }
  template <class S>
  TANDEM_HD static Motion<S> axis_about(const Dof<S>& known, const Vec3<S>& point) {
    return {known.axis.w, add_cross(known.axis.v, known.p - point, known.axis.w)};
  }
  template <class S>
  TANDEM_HD static Force<S> force_about(const Dof<S>& known, const Vec3<S>& point) {
    return {add_cross(known.F.n, known.p - point, known.F.f), known.F.f};
  }

  /// M, both triangles; `armature` is added to its diagonal. `ends`: of a chain null.
  template <class S, class Executor, class A, class Matrix>
  TANDEM_HD static void fill_in(const Executor& executor, Index n, S* w, A armature, Matrix M,
                                const Int* ends = nullptr) {
    const Index blocks = (n + block - 1) / block;
    executor.for_each(blocks, [&](Index b) TANDEM_INLINE {
      const auto p_B = point_of_block<S>(n, b, w);
      for (Index j = b * block; j < end_of(n, b); ++j) {
        const auto known = dof(n, j, w);
        known.store(0, &Dof<S>::axis, axis_about(known.load(0), p_B));
      }
    });
    executor.for_each(blocks, [&](Index b) TANDEM_INLINE {
      for_each_in_part(executor, b, [&](Index c) TANDEM_INLINE {  // left of the diagonal: these forces, those axes
        if (ends && are_apart(n, c, b, ends)) return clear<S>(n, b, c, M, [](Index, Index) { return true; });
        Numbers<S> forces, axes;
        load_forces(n, b, point_of_block<S>(n, c, w), w, forces);
        load_axes(n, c, w, axes);
        tile(n, b, c, forces, axes, M);
        if (ends) clear<S>(n, b, c, M, [=](Index j, Index k) TANDEM_INLINE { return j >= ends[k]; });
      });
      const auto p_B = point_of_block<S>(n, b, w);
      Numbers<S> axes;
      load_axes(n, b, w, axes);
      for_each_in_part(executor, blocks - b, [&](Index k) TANDEM_INLINE {
        if (ends && k > 0 && are_apart(n, b, b + k, ends))
          return clear<S>(n, b, b + k, M, [](Index, Index) { return true; });
        Numbers<S> forces;
        load_forces(n, b + k, p_B, w, forces);
        if (k == 0)
          diagonal_tile(n, b, axes, forces, armature, M);
        else
          tile(n, b, b + k, axes, forces, M);
        if (ends)
          clear<S>(n, b, b + k, M, [=](Index i, Index j) TANDEM_INLINE { return i < j ? j >= ends[i] : i >= ends[j]; });
      });
    });
  }

 private:
  /// Six numbers for each degree of freedom of a block: its axis, or its force about some point.
  template <class S>
  struct Numbers {
    alignas(64) S x[6][block];
  };
  template <class S>
  TANDEM_HD static S product(const Numbers<S>& a, Index i, const Numbers<S>& b, Index k) {
    S sum = a.x[0][i] * b.x[0][k];
    for (int c = 1; c < 6; ++c) sum = mul_add(a.x[c][i], b.x[c][k], sum);
    return sum;
  }

  TANDEM_HD static Index end_of(Index n, Index b) { return (b + 1) * block < n ? (b + 1) * block : n; }
  template <class S>
  TANDEM_HD static void set(Numbers<S>& numbers, Index k, int row, const Vec3<S>& a) {
    numbers.x[row][k] = a.x;
    numbers.x[row + 1][k] = a.y;
    numbers.x[row + 2][k] = a.z;
  }
  template <class S>
  TANDEM_HD static void load_axes(Index n, Index b, S* w, Numbers<S>& axes) {
    const Index begin = b * block;
    if (begin + block <= n)
      copy_axes<block>(n, begin, block, w, axes);
    else
      copy_axes<0>(n, begin, n - begin, w, axes);
  }
  template <Index size, class S>
  TANDEM_HD static void copy_axes(Index n, Index begin, Index count, S* w, Numbers<S>& axes) {
    for (int c = 0; c < 6; ++c)
      for (Index k = 0; k < (size > 0 ? size : count); ++k) axes.x[c][k] = w[n * c + begin + k];
  }
  template <class S>
  TANDEM_HD static void load_forces(Index n, Index b, const Vec3<S>& point, S* w, Numbers<S>& forces) {
    const Index begin = b * block, count = end_of(n, b) - begin;
#pragma omp simd
    for (Index k = 0; k < count; ++k) {
      const Force<S> F = force_about(dof(n, begin + k, w).load(0), point);
      set(forces, k, 0, F.n);
      set(forces, k, 3, F.f);
    }
  }

  /// Whether none of an inner block carries any of an outer one.
  TANDEM_HD static bool are_apart(Index n, Index inner, Index outer, const Int* ends) {
    for (Index j = inner * block; j < end_of(n, inner); ++j)
      if (ends[j] > outer * block) return false;
    return true;
  }
  /// 0 in the entries of a tile that it should be in.
  template <class S, class Matrix, class F>
  TANDEM_HD static void clear(Index n, Index b, Index c, Matrix M, const F& should) {
    for (Index j = b * block; j < end_of(n, b); ++j)
      for (Index k = c * block; k < end_of(n, c); ++k)
        if (should(j, k)) M[j * n + k] = S(0);
  }

  /// Rows of block b, columns of block c, neither of them on the diagonal.
  template <class S, class Matrix>
  TANDEM_HD static void tile(Index n, Index b, Index c, const Numbers<S>& rows, const Numbers<S>& columns, Matrix M) {
    const Index n_rows = end_of(n, b) - b * block, n_columns = end_of(n, c) - c * block;
    const Index corner = b * block * n + c * block;
    Index j = 0;
    if (n_columns == block) {
      constexpr Index at_once = 4;  // the columns' numbers stay in registers for as many rows
      for (; j + at_once <= n_rows; j += at_once) {
#pragma omp simd
        for (Index k = 0; k < block; ++k)
          for (Index i = 0; i < at_once; ++i) M[corner + (j + i) * n + k] = product(rows, j + i, columns, k);
      }
    }
    for (; j < n_rows; ++j)
      for (Index k = 0; k < n_columns; ++k) M[corner + j * n + k] = product(rows, j, columns, k);
  }
  template <class S, class A, class Matrix>
  TANDEM_HD static void diagonal_tile(Index n, Index b, const Numbers<S>& axes, const Numbers<S>& forces, A armature,
                                      Matrix M) {
    const Index begin = b * block, count = end_of(n, b) - begin;
    for (Index k = 0; k < count; ++k) {
      for (Index j = 0; j < k; ++j)
        M[(begin + k) * n + begin + j] = M[(begin + j) * n + begin + k] = product(axes, j, forces, k);
      M[(begin + k) * n + begin + k] = product(axes, k, forces, k) + S(armature[begin + k]);
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
