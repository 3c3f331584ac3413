// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/abreast.hpp"
#include "tandem/detail/passes/articulated_body.hpp"
#include "tandem/detail/passes/moving_axes.hpp"

namespace tandem::inline TANDEM_ISA {

/// Matrices of joint forces that the articulated bodies answer column by column, of robots without mimic joints:
///
///     inward    u = x - S . p,     p of the parent += p + U K u        p: what pushes from beyond
///     outward   y = K u - (U K) . a',   a = a' + S y                   a': acceleration with the joint locked
///
/// along world axes, about the links' own origins, several columns side by side. A column takes O(n); with the factors
/// of M (mass_factor.hpp) it takes two products for each pair of coordinates one of which hangs from the other, which
/// is less unless robots are deep. [RBDA] table 7.1; [Carpentier 2018] has M^-1 so
struct ColumnResponse {
  /// Whether a coordinate hangs from so many others, on average, that this is faster.
  template <class M>
  TANDEM_HD static bool serves(const ModelView<M>& m) {
    if (m.n_dof < 2 * deep) return false;
    Index pairs = 0;
    for (int k = 0; k < m.n_dof; ++k)
      for (int j = k; j >= 0; j = m.dof_parent[m.dof_run_start[j]]) pairs += j - m.dof_run_start[j] + 1;
    return pairs >= Index{deep} * m.n_dof;
  }

  /// U K along world axes, columns at work, and what waits at branches for them.
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return 6 * Index{m.n_dof} + most_abreast * rows_at_once<M> * (Index{m.n_dof} + 6 * branches_in_branches(m));
  }

  /// From what the articulated bodies have left in `bodies`, and where the axes are.
  template <class S, class M, class Bodies, class Axes, class Work>
  TANDEM_PASS static void find(const ModelView<M>& m, Bodies bodies, Axes moving, Work w) {
    const auto links = MovingAxes::links<S>(m, moving);
    const auto UK = records<Force<S>>(w);
    for (int i = 1; i < m.n_links; ++i) {
      const auto X_iw = links.load(i, &MovingAxes::Link<S>::X_iw);
      ArticulatedBody::for_each_UK<S>(m, i, bodies, X_iw.E,
                                      [&](int k, const Force<S>& of_k) TANDEM_INLINE { UK.store(k, of_k); });
    }
  }

  /// X = -M^-1 X, which is zero wherever M is. Where each number is a pack, columns of one path go together and leave
  /// out the branches in which they are zero on the way inward.
  template <class S, class M, class Bodies, class Axes, class Work, class Matrix>
  TANDEM_PASS static void minus_solve(const ModelView<M>& m, Bodies bodies, Axes moving, Work w, Matrix X) {
    for_each_tree(m, [&](const Links& tree) TANDEM_INLINE {
      const int begin = first_dof(m, tree.begin), end = MovingAxes::end_of_dofs(m, tree.end - 1);
      const auto solve = [&](int first, int after_last) TANDEM_INLINE {
        in_parts<S>(first, after_last, [&](auto width, int c, int after) TANDEM_INLINE {
          Links pushed = tree;
          if constexpr (rows_at_once<S> == 1) {
            const int top = link_of_dof(m, c);
            pushed = {top, end_of_subtree(m, top)};
          }
          minus_solve<width(), S>(m, bodies, moving, w, tree, pushed, {c, after}, X);
        });
      };
      if constexpr (rows_at_once<S> > 1)
        solve(begin, end);
      else
        for_each_path(m, begin, end, solve);
    });
  }

  /// X = M^-1, both triangles. Columns of a path in blocks: their rows nearer to the base than the block are known, as
  /// columns before it were found, so that only rows of the block are pushed inward. Blocks are the robot's, whatever
  /// the registers: so are the bits.
  template <class S, class M, class Bodies, class Axes, class Work, class Matrix>
  TANDEM_PASS static void invert(const ModelView<M>& m, Bodies bodies, Axes moving, Work w, Matrix X) {
    fill(X, Index{m.n_dof} * m.n_dof, S(0));
    for_each_tree(m, [&](const Links& tree) TANDEM_INLINE {
      const int begin = first_dof(m, tree.begin), end = MovingAxes::end_of_dofs(m, tree.end - 1);
      for_each_path(m, begin, end, [&](int path, int after_path) TANDEM_INLINE {
        for (int block = path, after; block < after_path; block = after) {
          after = block + known_at_once < after_path ? block + known_at_once : after_path;
          in_parts<S>(block, after, [&](auto width, int c, int after_c) TANDEM_INLINE {
            invert<width(), S>(m, bodies, moving, w, tree, block, {c, after_c}, X);
          });
        }
      });
    });
  }

 private:
  static constexpr int deep = 20;
  static constexpr int known_at_once = 32;  ///< columns of a block of M^-1
  /// Registers of columns: the forces that push in them, six numbers each, stay in registers.
#if defined(__AVX512F__) || defined(__ARM_NEON)
  static constexpr int most_abreast = 4;
#else
  static constexpr int most_abreast = 2;
#endif
  /// Calls f(how many registers as a constant, begin, end) for parts of the columns. Plain numbers go in parts as alike
  /// as can be; packs go in parts of the most registers and the few that are left one by one, as every width is
  /// compiled.
  template <class S, class F>
  TANDEM_HD static void in_parts(int begin, int end, F&& f) {
    if constexpr (rows_at_once<S> > 1) {
      in_even_parts<most_abreast, S>(begin, end, [&](int c, int after) TANDEM_INLINE {
        on_width<most_abreast, S>(after - c, [&](auto width) TANDEM_INLINE { f(width, c, after); });
      });
    } else {
      for (; begin + most_abreast <= end; begin += most_abreast)
        f(std::integral_constant<int, most_abreast>{}, begin, begin + most_abreast);
      for (; begin < end; ++begin) f(std::integral_constant<int, 1>{}, begin, begin + 1);
    }
  }
  struct Links {
    int begin, end;
  };
  struct Columns {
    int begin, end;
    TANDEM_HD int count() const { return end - begin; }
  };
  /// How many links that branch lie one within a branch of the other, at most.
  template <class M>
  TANDEM_HD static Index branches_in_branches(const ModelView<M>& m) {
    Index open = 0, most = 0;
    for (int i = m.n_links - 1; i >= 1; --i) {
      if (branches(m, i)) --open;
      if (opens(m, i) && ++open > most) most = open;
    }
    return most;
  }
  /// Whether link i is the first one, on the way inward, that its parent has to wait for.
  template <class M>
  TANDEM_HD static bool opens(const ModelView<M>& m, int i) {
    return m.parent[i] != 0 && m.parent[i] != i - 1 && m.last_child[m.parent[i]] == i;
  }
  /// One beyond the last link of all that hangs from joint i.
  template <class M>
  TANDEM_HD static int end_of_subtree(const ModelView<M>& m, int i) {
    while (m.last_child[i] != 0) i = m.last_child[i];
    return i + 1;
  }
  template <class M, class F>
  TANDEM_HD static void for_each_tree(const ModelView<M>& m, F&& f) {
    for (int root = 1, end; root < m.n_links; root = end) {
      end = root + 1;
      while (end < m.n_links && m.parent[end] != 0) ++end;
      f(Links{root, end});
    }
  }
  /// Of the coordinates `begin` to `end` - 1, those that hang one from the other in turn.
  template <class M, class F>
  TANDEM_HD static void for_each_path(const ModelView<M>& m, int begin, int end, F&& f) {
    for (int after; begin < end; begin = after) {
      for (after = begin + 1; after < end && m.dof_parent[after] == after - 1;) ++after;
      f(begin, after);
    }
  }

  /// Numbers that all columns share.
  template <class V, class S>
  TANDEM_HD static Vec3<V> shared(const Vec3<S>& a) {
    return {V(a.x), V(a.y), V(a.z)};
  }
  template <class V, class S>
  TANDEM_HD static Motion<V> shared(const Motion<S>& s) {
    return {shared<V>(s.w), shared<V>(s.v)};
  }
  template <class V, class S>
  TANDEM_HD static Force<V> shared(const Force<S>& f) {
    return {shared<V>(f.n), shared<V>(f.f)};
  }

  /// Where columns at work lie, `width` registers side by side.
  template <int width, class S, class M, class Work>
  struct Rows {
    using V = Abreast<S>;
    static constexpr Index n = rows_at_once<S>;
    Work columns, waiting;

    TANDEM_HD Rows(const ModelView<M>& m, Work w)
        : columns(w + 6 * Index{m.n_dof}), waiting(columns + width * n * m.n_dof) {}
    TANDEM_HD V load(int k, int e) const { return load_abreast<V>(columns, n * (width * k + e)); }
    TANDEM_HD void store(int k, int e, const V& x) const { store_abreast(columns, n * (width * k + e), x); }

    /// What waits at the open branch `level`: six numbers a column, a force or a motion.
    template <class Six>
    TANDEM_HD Six load_waiting(int level, int e) const {
      Six x;
      V* const numbers = reinterpret_cast<V*>(&x);
      for (int r = 0; r < 6; ++r) numbers[r] = load_abreast<V>(waiting, n * (6 * (width * level + e) + r));
      return x;
    }
    template <class Six>
    TANDEM_HD void store_waiting(int level, int e, const Six& x) const {
      const V* const numbers = reinterpret_cast<const V*>(&x);
      for (int r = 0; r < 6; ++r) store_abreast(waiting, n * (6 * (width * level + e) + r), numbers[r]);
    }
  };

  /// x -> u: through all links `pushed`, which are a subtree or none, then on towards the base on one path, as far as
  /// link `least`.
  template <int width, class S, class M, class Axes, class Work>
  TANDEM_PASS static void inward(const ModelView<M>& m, Axes moving, Work w, const Links& pushed, int least) {
    using V = Abreast<S>;
    const auto links = MovingAxes::links<S>(m, moving);
    const auto axes = MovingAxes::axes<S>(m, moving);
    const auto UK = records<Force<S>>(w);
    const Rows<width, S, M, Work> x(m, w);
    Force<V> p[width];
    for (auto& p_e : p) p_e = Force<V>::zero();
    for (int i = pushed.end - 1, open = 0; i >= least;) {
      const int parent = m.parent[i], first = first_dof(m, i), end = MovingAxes::end_of_dofs(m, i);
      if (i >= pushed.begin) {
        if (m.last_child[i] == 0)
          for (auto& p_e : p) p_e = Force<V>::zero();
        if (branches(m, i)) {
          --open;
          for (int e = 0; e < width; ++e) p[e] = p[e] + x.template load_waiting<Force<V>>(open, e);
        }
      }
      for (int k = first; k < end; ++k) {
        const auto s = shared<V>(axes.load(k, &AxisMotion<S>::axis));
        MovingAxes::on_kind(m, i, k, [&](auto kind) TANDEM_INLINE {
          for (int e = 0; e < width; ++e) x.store(k, e, x.load(k, e) - along<kind()>(s, p[e]));
        });
      }
      if (parent < least) break;
      for (int k = first; k < end; ++k) {
        const auto handed_on = shared<V>(UK.load(k));
        for (int e = 0; e < width; ++e) p[e] = mul_add(x.load(k, e), handed_on, p[e]);
      }
      const auto r =
          shared<V>(links.load(i, &MovingAxes::Link<S>::X_iw).r - links.load(parent, &MovingAxes::Link<S>::X_iw).r);
      for (auto& p_e : p) p_e = shift_origin(p_e, r);
      if (i > pushed.begin && parent != i - 1) {
        if (opens(m, i)) {
          for (int e = 0; e < width; ++e) x.store_waiting(open, e, p[e]);
          ++open;
        } else {
          for (int e = 0; e < width; ++e)
            x.store_waiting(open - 1, e, x.template load_waiting<Force<V>>(open - 1, e) + p[e]);
        }
      }
      i = i > pushed.begin ? i - 1 : parent;
    }
  }

  /// Outward through the links of a tree. yielded(i, a, y) finds how joint i accelerates while its link does so with a,
  /// the rows y; links before `whole` that lie not on the way there are left out.
  template <int width, class S, class M, class Axes, class Work, class Yielded>
  TANDEM_HD static void outward(const ModelView<M>& m, Axes moving, Work w, const Links& tree, int whole,
                                Yielded&& yielded) {
    using V = Abreast<S>;
    const auto links = MovingAxes::links<S>(m, moving);
    const auto axes = MovingAxes::axes<S>(m, moving);
    const Rows<width, S, M, Work> rows(m, w);
    Motion<V> a[width];
    for (int i = tree.begin, open = 0; i < tree.end; i = i < whole ? next_towards(m, i, whole) : i + 1) {
      const int parent = m.parent[i], first = first_dof(m, i), end = MovingAxes::end_of_dofs(m, i);
      if (parent == 0) {
        for (auto& a_e : a) a_e = Motion<V>::zero();
      } else {
        if (parent != i - 1) {
          for (int e = 0; e < width; ++e) a[e] = rows.template load_waiting<Motion<V>>(open - 1, e);
          if (m.last_child[parent] == i) --open;
        }
        const auto r =
            shared<V>(links.load(i, &MovingAxes::Link<S>::X_iw).r - links.load(parent, &MovingAxes::Link<S>::X_iw).r);
        for (auto& a_e : a) a_e.v = add_cross(a_e.v, a_e.w, r);
      }
      V y[6][width];
      yielded(i, a, y);
      for (int k = first; k < end; ++k) {
        const auto s = shared<V>(axes.load(k, &AxisMotion<S>::axis));
        MovingAxes::on_kind(m, i, k, [&](auto kind) TANDEM_INLINE {
          for (int e = 0; e < width; ++e) {
            const V& y_k = y[k - first][e];
            if constexpr (kind() != AxisKind::slides) a[e].w = mul_add(y_k, s.w, a[e].w);
            if constexpr (kind() != AxisKind::turns) a[e].v = mul_add(y_k, s.v, a[e].v);
          }
        });
      }
      if (branches(m, i)) {
        for (int e = 0; e < width; ++e) rows.store_waiting(open, e, a[e]);
        ++open;
      }
    }
  }
  /// The link after i on the way from it to link `there`.
  template <class M>
  TANDEM_HD static int next_towards(const ModelView<M>& m, int i, int there) {
    if (!branches(m, i)) return i + 1;
    while (m.parent[there] != i) there = m.parent[there];
    return there;
  }

  /// y = sign K u - (U K) . a
  template <int width, bool minus, class S, class M, class Bodies, class Work, class V>
  TANDEM_HD static void yield(const ModelView<M>& m, Bodies bodies, Work w, int i, bool pushed,
                              const Motion<V> (&a)[width], V (&y)[6][width]) {
    const auto UK = records<Force<S>>(w);
    const Rows<width, S, M, Work> u(m, w);
    const int first = first_dof(m, i), end = MovingAxes::end_of_dofs(m, i), d = end - first;
    const Index K = ArticulatedBody::at_dof(m, first) + 6 * d;
    for (int k = 0; k < d; ++k) {
      for (auto& y_e : y[k]) y_e = V(S(0));
      if (pushed)
        for (int l = 0; l < d; ++l) {
          const S K_kl = bodies[K + d * k + l];
          for (int e = 0; e < width; ++e) y[k][e] = mul_add(V(minus ? -K_kl : K_kl), u.load(first + l, e), y[k][e]);
        }
      const auto resists = shared<V>(UK.load(first + k));
      for (int e = 0; e < width; ++e) y[k][e] = y[k][e] - dot(a[e], resists);
    }
  }

  template <int width, class S, class M, class Bodies, class Axes, class Work, class Matrix>
  TANDEM_PASS static void minus_solve(const ModelView<M>& m, Bodies bodies, Axes moving, Work w, const Links& tree,
                                      const Links& pushed, const Columns& c, Matrix X) {
    using V = Abreast<S>;
    const Rows<width, S, M, Work> rows(m, w);
    const Index n = m.n_dof, abreast = rows_at_once<S>;
    for (int k = first_dof(m, tree.begin); k < MovingAxes::end_of_dofs(m, tree.end - 1); ++k)
      for (int e = 0; e < width; ++e)
        rows.store(k, e, load_some<V, S>(X, n * k + c.begin + abreast * e, c.count() - abreast * e));
    inward<width, S>(m, moving, w, pushed, tree.begin);
    outward<width, S>(m, moving, w, tree, tree.begin,
                      [&](int i, const Motion<V>(&a)[width], V(&y)[6][width]) TANDEM_INLINE {
                        yield<width, true, S>(m, bodies, w, i, true, a, y);
                        for (int k = first_dof(m, i), end = MovingAxes::end_of_dofs(m, i), l = 0; k < end; ++k, ++l)
                          for (int e = 0; e < width; ++e)
                            store_some<S>(X, n * k + c.begin + abreast * e, c.count() - abreast * e, y[l][e]);
                      });
  }

  template <int width, class S, class M, class Bodies, class Axes, class Work, class Matrix>
  TANDEM_PASS static void invert(const ModelView<M>& m, Bodies bodies, Axes moving, Work w, const Links& tree,
                                 int block, const Columns& c, Matrix X) {
    using V = Abreast<S>;
    const Rows<width, S, M, Work> rows(m, w);
    const Index n = m.n_dof;
    constexpr int abreast = rows_at_once<S>;
    const Links path = {link_of_dof(m, block), link_of_dof(m, c.end - 1) + 1};
    for (int k = first_dof(m, path.begin); k < MovingAxes::end_of_dofs(m, path.end - 1); ++k) {
      S unit[width * abreast];
      for (int l = 0; l < width * abreast; ++l) unit[l] = S(l == k - c.begin ? 1 : 0);
      for (int e = 0; e < width; ++e) rows.store(k, e, load_abreast<V>(&unit[0], abreast * e));
    }
    inward<width, S>(m, moving, w, {path.end, path.end}, path.begin);
    outward<width, S>(m, moving, w, tree, path.begin,
                      [&](int i, const Motion<V>(&a)[width], V(&y)[6][width]) TANDEM_INLINE {
                        const int first = first_dof(m, i), end = MovingAxes::end_of_dofs(m, i);
                        if (i >= path.begin) yield<width, false, S>(m, bodies, w, i, i < path.end, a, y);
                        for (int k = first; k < end; ++k) {
                          auto& row = y[k - first];
                          if (k < block) {
                            for (int e = 0; e < width; ++e)
                              row[e] = load_some<V, S>(X, n * k + c.begin + abreast * e, c.count() - abreast * e);
                            continue;
                          }
                          if (k < c.begin) continue;  // found as columns, from where it is mirrored
                          S numbers[width * abreast];
                          for (int e = 0; e < width; ++e) {
                            store_some<S>(X, n * k + c.begin + abreast * e, c.count() - abreast * e, row[e]);
                            store_abreast(&numbers[0], abreast * e, row[e]);
                          }
                          for (int l = c.begin; l < c.end && l < k; ++l) X[n * l + k] = numbers[l - c.begin];
                        }
                      });
  }
};

}  // namespace tandem::inline TANDEM_ISA
