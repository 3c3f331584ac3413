// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/methods/articulated_body.hpp"
#include "tandem/detail/recursion/moving_axes.hpp"

namespace tandem::inline TANDEM_ISA {

/// The mass matrix in factors that articulated bodies give, of robots without mimic joints:
///
///     M = L^T D L        L_kj = (U K)_k . S_j  for the coordinates j that k hangs from, 1 for k itself
///
/// with D, K = D^-1 and U = IA S of the articulated-body algorithm, blocks of the size of the joints. They are the factors that
/// elimination gives ([RBDA] section 6.5), found without it: each entry is a product of an articulated inertia and an axis, and no
/// digit depends on the condition of M.                                     [Rodriguez, Jain, Kreutz-Delgado 1992]
struct MassFactor {
  /// Rows of L below its diagonal, one after the other.
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return Index{m.n_dof} * (m.n_dof - 1) / 2;
  }
  TANDEM_HD static Index at(Index k, Index j) { return k * (k - 1) / 2 + j; }

  /// From what the articulated bodies have left in `bodies`, and where the axes are.
  template <class S, class M, class Bodies, class Axes, class Work>
  TANDEM_PASS static void find(const ModelView<M>& m, Bodies bodies, Axes moving, Work L) {
    const auto links = MovingAxes::links<S>(m, moving);
    const auto axes = MovingAxes::axes<S>(m, moving);
    for (int i = 1; i < m.n_links; ++i) {
      if (m.parent[i] == 0) continue;
      const auto X_iw = links.load(i, &MovingAxes::Link<S>::X_iw);
      on_joint(m, i, [&](auto joint) TANDEM_INLINE {
        constexpr int d = decltype(joint)::nv;
        const int first = first_dof(m, i);
        const KeptResponse<S, d, Bodies> response = {bodies, ArticulatedBody::at_dof(m, first)};
        for (int k = 0; k < d; ++k) {
          const auto in_link = column_of_UK<d, S>(response, k);
          const Force<S> UK = {transpose_mul(X_iw.E, in_link.n), transpose_mul(X_iw.E, in_link.f)};
          auto there = UK;
          for (int j = m.dof_parent[first], link = i; j >= 0; j = m.dof_parent[j]) {
            if (link_of_dof(m, j) != link) {
              link = link_of_dof(m, j);
              there.n = add_cross(UK.n, X_iw.r - links.load(link, &MovingAxes::Link<S>::X_iw).r, UK.f);
            }
            MovingAxes::on_kind(m, link, j, [&](auto kind) TANDEM_INLINE {
              L[at(first + k, j)] = along<kind()>(axes.load(j, &AxisMotion<S>::axis), there);
            });
          }
        }
      });
    }
  }

  /// X = M^-1, both triangles: row by row outward, what each coordinate does alone and what those before it take along.
  ///
  ///     X_kc = - sum L_kj X_jc,   X_kk = K - sum L_kj X_jk
  ///
  /// where all terms of the diagonal are positive.
  template <class S, class M, class Bodies, class Work, class Matrix>
  TANDEM_PASS static void invert(const ModelView<M>& m, Bodies bodies, Work L, Matrix X) {
    const Index n = m.n_dof;
    fill(X, n * n, S(0));
    for (int i = 1, root = 0; i < m.n_links; ++i) {
      const int first = first_dof(m, i), end = MovingAxes::end_of_dofs(m, i);
      if (m.parent[i] == 0) root = first;
      for (int k = first; k < end; ++k) {
        take_ancestors<S>(m, k, first, S(1), L, X, root, first);
        for (int c = root; c < first; ++c) X[n * c + k] = S(X[n * k + c]);
      }
      for (int k = first; k < end; ++k)
        for (int c = first; c <= k; ++c) X[n * k + c] = K<S>(m, bodies, i, k, c);
      for (int k = first; k < end; ++k) {
        for (int c = first; c <= k; ++c) {
          S x = X[n * k + c];
          for (int j = m.dof_parent[first]; j >= 0; j = m.dof_parent[j])
            x = mul_add(-S(L[at(k, j)]), S(X[n * c + j]), x);
          X[n * k + c] = x;
          X[n * c + k] = x;
        }
      }
    }
  }

  /// X = -M^-1 X, for a matrix that is zero wherever M is. Then numbers of other branches are zero on the way inward: where each
  /// is a pack they are left out, else vectors go over them.
  template <class S, class M, class Bodies, class Work, class Matrix>
  TANDEM_PASS static void minus_solve(const ModelView<M>& m, Bodies bodies, Work L, Matrix X) {
    for (int root = 1, next; root < m.n_links; root = next) {
      next = root + 1;
      while (next < m.n_links && m.parent[next] != 0) ++next;
      const int begin = first_dof(m, root), end = MovingAxes::end_of_dofs(m, next - 1);
      for (int i = next - 1; i > root; --i) {
        const int first = first_dof(m, i);
        for (int k = first; k < MovingAxes::end_of_dofs(m, i); ++k) {
          if constexpr (rows_at_once<S> > 1) {
            take_from_ancestors<S>(m, k, first, L, X, begin, end);
          } else {
            take_from_ancestors<S>(m, k, first, L, X, first, end_of_subtree(m, i));
            for (int c = m.dof_parent[first]; c >= 0;) {
              const int run = m.dof_run_start[c];
              take_from_ancestors<S>(m, k, first, L, X, run, c + 1);
              c = m.dof_parent[run];
            }
          }
        }
      }
      for (int i = root; i < next; ++i) {
        const int first = first_dof(m, i), after = MovingAxes::end_of_dofs(m, i);
        const bool alone = after == first + 1;
        if (!alone)
          for (int c = begin; c < end; ++c) yield<S>(m, bodies, i, first, after, X + c);
        const S factor = alone ? -K<S>(m, bodies, i, first, first) : S(1);
        for (int k = first; k < after; ++k) take_ancestors<S>(m, k, first, factor, L, X, begin, end);
      }
    }
  }

  /// One beyond the last degree of freedom of all that hangs from joint i.
  template <class M>
  TANDEM_HD static int end_of_subtree(const ModelView<M>& m, int i) {
    while (m.last_child[i] != 0) i = m.last_child[i];
    return MovingAxes::end_of_dofs(m, i);
  }

 private:
  /// How coordinate k of joint i alone yields to a force along c.
  template <class S, class M, class Bodies>
  TANDEM_HD static S K(const ModelView<M>& m, Bodies bodies, int i, int k, int c) {
    const int first = first_dof(m, i), d = MovingAxes::end_of_dofs(m, i) - first;
    return bodies[ArticulatedBody::at_dof(m, first) + 6 * d + d * (k - first) + c - first];
  }
  /// x = -K x, of the coordinates of a joint in one column.
  template <class S, class M, class Bodies, class Column>
  TANDEM_HD static void yield(const ModelView<M>& m, Bodies bodies, int i, int first, int end, Column x) {
    const Index n = m.n_dof;
    S pushed[6];
    for (int k = first; k < end; ++k) pushed[k - first] = S(x[n * k]);
    for (int k = first; k < end; ++k) {
      S sum(0);
      for (int l = first; l < end; ++l) sum = mul_add(-K<S>(m, bodies, i, k, l), pushed[l - first], sum);
      x[n * k] = sum;
    }
  }

  /// Columns `begin` to `end` - 1 in parts whose numbers stay in registers: f(first column, how many as a constant).
  template <class S, class F>
  TANDEM_HD static void in_parts(int begin, int end, F&& f) {
    constexpr int unit = rows_at_once<S>, wide = unit > 1 ? 4 * unit : 8;
    for (; begin + wide <= end; begin += wide) f(begin, std::integral_constant<int, wide>{});
    if constexpr (unit > 4)
      for (; begin + unit <= end; begin += unit) f(begin, std::integral_constant<int, unit>{});
    for (; begin + 4 <= end; begin += 4) f(begin, std::integral_constant<int, 4>{});
    if (begin + 2 <= end) {
      f(begin, std::integral_constant<int, 2>{});
      begin += 2;
    }
    if (begin < end) f(begin, std::integral_constant<int, 1>{});
  }
  /// X_kc = factor X_kc - sum L_kj X_jc, over all j that k hangs from. Zeros are without sign, whatever they were made of.
  template <class S, class M, class Work, class Matrix>
  TANDEM_PASS static void take_ancestors(const ModelView<M>& m, int k, int first, S factor, Work L, Matrix X, int begin,
                                         int end) {
    const Index n = m.n_dof;
    in_parts<S>(begin, end, [&](int c, auto width) TANDEM_INLINE {
      const auto row_k = X + (n * k + c);
      S x[width()];
#pragma omp simd
      for (int e = 0; e < width(); ++e) x[e] = mul_add(factor, S(row_k[e]), S(0));
      for (int j = m.dof_parent[first]; j >= 0; j = m.dof_parent[j]) {
        const S l = -S(L[at(k, j)]);
        const auto row_j = X + (n * j + c);
#pragma omp simd
        for (int e = 0; e < width(); ++e) x[e] = mul_add(l, S(row_j[e]), x[e]);
      }
#pragma omp simd
      for (int e = 0; e < width(); ++e) row_k[e] = x[e];
    });
  }
  /// X_jc -= L_kj X_kc for all these j.
  template <class S, class M, class Work, class Matrix>
  TANDEM_PASS static void take_from_ancestors(const ModelView<M>& m, int k, int first, Work L, Matrix X, int begin,
                                              int end) {
    const Index n = m.n_dof;
    in_parts<S>(begin, end, [&](int c, auto width) TANDEM_INLINE {
      const auto row_k = X + (n * k + c);
      S x[width()];
#pragma omp simd
      for (int e = 0; e < width(); ++e) x[e] = S(row_k[e]);
      for (int j = m.dof_parent[first]; j >= 0; j = m.dof_parent[j]) {
        const S l = -S(L[at(k, j)]);
        const auto row_j = X + (n * j + c);
#pragma omp simd
        for (int e = 0; e < width(); ++e) row_j[e] = mul_add(l, x[e], S(row_j[e]));
      }
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
