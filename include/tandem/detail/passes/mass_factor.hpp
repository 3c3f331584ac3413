// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/abreast.hpp"
#include "tandem/detail/passes/articulated_body.hpp"
#include "tandem/detail/passes/moving_axes.hpp"

namespace tandem::inline TANDEM_ISA {

/// The mass matrix in factors that articulated bodies give, of robots without mimic joints:
///
///     M = L^T D L        L_kj = (U K)_k . S_j  for the coordinates j that k hangs from, 1 for k itself
///
/// with D, K = D^-1 and U = IA S of the articulated-body algorithm, blocks of the size of the joints. They are the
/// factors that elimination gives ([RBDA] section 6.5), found without it: each entry is a product of an articulated
/// inertia and an axis, and no digit depends on the condition of M. [Rodriguez, Jain, Kreutz-Delgado 1992]
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
      ArticulatedBody::for_each_UK<S>(m, i, bodies, X_iw.E, [&](int k, const Force<S>& UK) TANDEM_INLINE {
        auto there = UK;
        for (int j = m.dof_parent[first_dof(m, i)], link = i; j >= 0; j = m.dof_parent[j]) {
          if (link_of_dof(m, j) != link) {
            link = link_of_dof(m, j);
            there.n = add_cross(UK.n, X_iw.r - links.load(link, &MovingAxes::Link<S>::X_iw).r, UK.f);
          }
          MovingAxes::on_kind(m, link, j, [&](auto kind) TANDEM_INLINE {
            L[at(k, j)] = along<kind()>(axes.load(j, &AxisMotion<S>::axis), there);
          });
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
        take_ancestors<S>(m, k, first, L, X, root, first);
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

  /// Rows of memory in which `minus_solve` works on some columns at a time.
  template <class M>
  TANDEM_HD static Index solve_rows(const ModelView<M>& m) {
    return 2 * most_columns<M> * m.n_dof;
  }
  /// X = -M^-1 X and Y = -M^-1 Y, for matrices that are zero wherever M is: some columns of both at a time, which are
  /// brought together in w and written back. Where each number is a pack, rows in which the columns are zero on the way
  /// inward are left out; else vectors go over all columns.
  template <class S, class M, class Bodies, class Work, class Matrix, class MatrixY>
  TANDEM_PASS static void minus_solve(const ModelView<M>& m, Bodies bodies, Work L, Matrix X, MatrixY Y, Work w) {
    for (int root = 1, next; root < m.n_links; root = next) {
      next = root + 1;
      while (next < m.n_links && m.parent[next] != 0) ++next;
      const int begin = first_dof(m, root), end = MovingAxes::end_of_dofs(m, next - 1);
      const auto solve = [&](const Columns& columns) TANDEM_INLINE {
        on_width<most_abreast, S>(columns.end - columns.begin, [&](auto width) TANDEM_INLINE {
          minus_solve<width(), S>(m, bodies, L, begin, end, columns, X, Y, w);
        });
      };
      if constexpr (rows_at_once<S> > 1) {
        in_even_parts<most_abreast, S>(begin, end,
                                       [&](int c, int after) TANDEM_INLINE { solve({c, after, begin, end}); });
      } else {
        for (int path = begin, after; path < end; path = after) {
          for (after = path + 1; after < end && m.dof_parent[after] == after - 1;) ++after;
          in_even_parts<most_abreast, S>(path, after, [&](int c, int after_c) TANDEM_INLINE {
            solve({c, after_c, c, end_of_subtree(m, link_of_dof(m, c))});
          });
        }
      }
    }
  }

  /// One beyond the last degree of freedom of all that hangs from joint i.
  template <class M>
  TANDEM_HD static int end_of_subtree(const ModelView<M>& m, int i) {
    while (m.last_child[i] != 0) i = m.last_child[i];
    return MovingAxes::end_of_dofs(m, i);
  }

  /// How coordinate k of joint i alone yields to a force along c.
  template <class S, class M, class Bodies>
  TANDEM_HD static S K(const ModelView<M>& m, Bodies bodies, int i, int k, int c) {
    const int first = first_dof(m, i), d = MovingAxes::end_of_dofs(m, i) - first;
    return bodies[ArticulatedBody::at_dof(m, first) + 6 * d + d * (k - first) + c - first];
  }

 private:
  /// Columns that are solved for together. On the way inward they are zero but in rows `top` to `below` - 1 and in
  /// those that `top` hangs from.
  struct Columns {
    int begin, end, top, below;
  };
  /// Registers of columns of each matrix: two rows of both matrices stay in registers. More gain nothing where there
  /// are more registers: three keep the multiply-adds busy.
  static constexpr int most_abreast = 3;
  template <class S>
  static constexpr int most_columns = most_abreast * rows_at_once<S>;

  /// Row k of the columns in w, both matrices, `width` registers each.
  template <int width, class S>
  struct Row {
    static constexpr int n = rows_at_once<S>, both = 2 * width;
    Abreast<S> x[both];

    template <class Work>
    TANDEM_HD static Row load(Work w, int k) {
      Row row;
      for (int e = 0; e < both; ++e) row.x[e] = load_abreast<Abreast<S>>(w, Index{n} * (both * k + e));
      return row;
    }
    template <class Work>
    TANDEM_HD void store(Work w, int k) const {
      for (int e = 0; e < both; ++e) store_abreast(w, Index{n} * (both * k + e), x[e]);
    }
    TANDEM_HD void scale(S factor) {
      const Abreast<S> f(factor), zero(S(0));
      for (int e = 0; e < both; ++e) x[e] = mul_add(f, x[e], zero);
    }
    /// Less factor times another row.
    TANDEM_HD void take(S factor, const Row& other) {
      const Abreast<S> f(-factor);
      for (int e = 0; e < both; ++e) x[e] = mul_add(f, other.x[e], x[e]);
    }
    /// From and to the matrices, of which the row begins at `at` and has so many columns.
    template <class Matrix>
    TANDEM_HD static void gather(int columns, Matrix X, Index at, Abreast<S>* x) {
      for (int e = 0; e < width; ++e) x[e] = load_some<Abreast<S>, S>(X, at + n * e, columns - n * e);
    }
    template <class Matrix>
    TANDEM_HD static void scatter(int columns, Matrix X, Index at, const Abreast<S>* x) {
      for (int e = 0; e < width; ++e) store_some<S>(X, at + n * e, columns - n * e, x[e]);
    }
  };

  template <int width, class S, class M, class Bodies, class Work, class Matrix, class MatrixY>
  TANDEM_PASS static void minus_solve(const ModelView<M>& m, Bodies bodies, Work L, int begin, int end, Columns columns,
                                      Matrix X, MatrixY Y, Work w) {
    using R = Row<width, S>;
    const Index n = m.n_dof;
    const int count = columns.end - columns.begin;
    for (int k = begin; k < end; ++k) {
      R row;
      R::gather(count, X, n * k + columns.begin, row.x);
      R::gather(count, Y, n * k + columns.begin, row.x + width);
      row.store(w, k);
    }
    for (int last = columns.below - 1; last >= 0;) {
      const int first = m.dof_run_start[last];
      hand_inward<R, S>(m, L, first, last, w);
      last = first <= columns.top ? m.dof_parent[first] : first - 1;
    }
    const auto put = [&](const R& row, int k) TANDEM_INLINE {
      row.store(w, k);
      R::scatter(count, X, n * k + columns.begin, row.x);
      R::scatter(count, Y, n * k + columns.begin, row.x + width);
    };
    for (int k = begin; k < end;) k = take_outward<R, S>(m, bodies, L, k, end, w, put);
  }

  // Two rows at a time, if they follow each other on a path: an even one, counted from where the path starts, and the
  // next.

  /// x_j -= sum L_kj x_k over the k = first .. last, of a path, for all j that these hang from.
  template <class R, class S, class M, class Work>
  TANDEM_HD static void hand_inward(const ModelView<M>& m, Work L, int first, int last, Work w) {
    const auto behind = [&](int j) TANDEM_INLINE {
      const int k = MovingAxes::end_of_dofs(m, link_of_dof(m, j));
      return k < first ? first : k;
    };
    for (int j = last; j >= 0;) {
      const bool two = (j - m.dof_run_start[j]) % 2 != 0;
      const int common = behind(j);
      auto x = R::load(w, j);
      if (!two) {
        for (int k = common; k <= last; ++k) x.take(S(L[at(k, j)]), R::load(w, k));
        x.store(w, j);
        j = m.dof_parent[j];
      } else {
        auto y = R::load(w, j - 1);
        for (int k = common; k <= last; ++k) {
          const auto row = R::load(w, k);
          x.take(S(L[at(k, j)]), row);
          y.take(S(L[at(k, j - 1)]), row);
        }
        x.store(w, j);
        for (int k = behind(j - 1); k < common; ++k) y.take(S(L[at(k, j - 1)]), R::load(w, k));
        y.store(w, j - 1);
        j = m.dof_parent[j - 1];
      }
    }
  }

  /// x_k = -K x_k - sum L_kj x_j over all j that k hangs from, and the next row, if they go together. Zeros are without
  /// sign, whatever they were made of.
  template <class R, class S, class M, class Bodies, class Work, class Put>
  TANDEM_HD static int take_outward(const ModelView<M>& m, Bodies bodies, Work L, int k, int end, Work w, Put&& put) {
    const auto yielding = [&](int k_) TANDEM_INLINE {
      const int i = link_of_dof(m, k_), first = first_dof(m, i), after = MovingAxes::end_of_dofs(m, i);
      if (after > first + 1) {
        if (k_ == first) yield<R, S>(m, bodies, i, first, after, w);
        return R::load(w, k_);
      }
      auto x = R::load(w, k_);
      x.scale(-K<S>(m, bodies, i, k_, k_));
      return x;
    };
    const auto before = [&](int k_) TANDEM_INLINE { return m.dof_parent[first_dof(m, link_of_dof(m, k_))]; };
    const bool two = k + 1 < end && m.dof_parent[k + 1] == k && (k - m.dof_run_start[k]) % 2 == 0;
    const int common = before(k);
    auto x = yielding(k);
    if (!two) {
      for (int j = common; j >= 0; j = m.dof_parent[j]) x.take(S(L[at(k, j)]), R::load(w, j));
      put(x, k);
      return k + 1;
    }
    auto y = yielding(k + 1);
    for (int j = common; j >= 0; j = m.dof_parent[j]) {
      const auto row = R::load(w, j);
      x.take(S(L[at(k, j)]), row);
      y.take(S(L[at(k + 1, j)]), row);
    }
    put(x, k);
    for (int j = before(k + 1); j != common; j = m.dof_parent[j]) y.take(S(L[at(k + 1, j)]), R::load(w, j));
    put(y, k + 1);
    return k + 2;
  }
  /// x = -K x, of the coordinates of a joint.
  template <class R, class S, class M, class Bodies, class Work>
  TANDEM_HD static void yield(const ModelView<M>& m, Bodies bodies, int i, int first, int end, Work w) {
    for (int e = 0; e < R::both; ++e) {
      const auto row = [&](int k) TANDEM_INLINE { return Index{R::n} * (R::both * k + e); };
      Abreast<S> pushed[6];
      for (int k = first; k < end; ++k) pushed[k - first] = load_abreast<Abreast<S>>(w, row(k));
      for (int k = first; k < end; ++k) {
        Abreast<S> sum(S(0));
        for (int l = first; l < end; ++l) sum = mul_add(Abreast<S>(-K<S>(m, bodies, i, k, l)), pushed[l - first], sum);
        store_abreast(w, row(k), sum);
      }
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
  /// X_kc -= sum L_kj X_jc, over all j that k hangs from.
  template <class S, class M, class Work, class Matrix>
  TANDEM_PASS static void take_ancestors(const ModelView<M>& m, int k, int first, Work L, Matrix X, int begin,
                                         int end) {
    const Index n = m.n_dof;
    in_parts<S>(begin, end, [&](int c, auto width) TANDEM_INLINE {
      constexpr bool abreast = width() % rows_at_once<S> == 0;
      constexpr int of_one = abreast ? rows_at_once<S> : 1, count = width() / of_one;
      using V = std::conditional_t<abreast, Abreast<S>, S>;
      V x[count];
      for (int e = 0; e < count; ++e) x[e] = load_abreast<V>(X, n * k + c + of_one * e);
      for (int j = m.dof_parent[first]; j >= 0; j = m.dof_parent[j]) {
        const V l(-S(L[at(k, j)]));
        for (int e = 0; e < count; ++e) x[e] = mul_add(l, load_abreast<V>(X, n * j + c + of_one * e), x[e]);
      }
      for (int e = 0; e < count; ++e) store_abreast(X, n * k + c + of_one * e, x[e]);
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
