// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/algorithms/arguments.hpp"
#include "tandem/algorithms/composite_inertia.hpp"

namespace tandem::inline TANDEM_ISA {

/// Mass matrix (joint-space inertia): tau = M(q) a for a robot at rest without gravity.
///
/// Method    composite rigid bodies, [RBDA] table 6.2; changed: along world axes, and the force F_k that moves what hangs
///           from degree of freedom k meets every ancestor j directly, M_kj = z_j . (n_k + (p_k - p_j) x f_k) + d_j . f_k.
///           Nothing depends on the order of the j, so that on long chains neighbours are done together
/// In        q [nq] rad|m
/// Out       M [nv, nv] kg m^2|kg, symmetric, both triangles
/// Joints    armature is on the diagonal
/// Work      22 rows per link + 7 per degree of freedom     Cost O(n_dof * depth)
struct MassMatrix {
  static constexpr const char* name = "mass_matrix";
  static constexpr const char* summary = "joint-space inertia matrix";
  static constexpr Argument arguments[] = {
      {"q", Rows::q, Role::input, "rad|m", "configuration"},
      {"M", Rows::matrix, Role::output, "kg m^2|kg", "mass matrix"},
  };
  static constexpr Method methods[] = {Method::automatic, Method::composite_rigid_body};

  // the axes of every degree of freedom, each coordinate in a row of its own: direction, origin, one if it slides
  enum Coordinate { ZX, ZY, ZZ, PX, PY, PZ, SLIDES, n_coordinates };

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return CompositeInertia::work_rows(m) + Index{n_coordinates} * m.n_dof;
  }

  template <class S, class M, class Q, class Matrix, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Matrix H, Work w) {
    fill_in<S, true>(m, q, H, w);
  }

  /// M, or its lower triangle only.
  template <class S, bool both, class M, class Q, class Matrix, class Work>
  TANDEM_HD static void fill_in(const ModelView<M>& m, Q q, Matrix H, Work w) {
    const bool long_chain =
        m.n_mimic == 0 && m.n_dof >= long_run<S> && m.n_dof - m.dof_run_start[m.n_dof - 1] >= long_run<S>;
    const auto axes = w + CompositeInertia::work_rows(m);
    place_links<S>(m, q, w, CompositeInertia::rows_per_link);
    if (long_chain) store_axes<S>(m, w, axes);
    if (m.n_mimic != 0) fill(H, Index{m.nv} * m.nv, S(0));

    // the force that moves what hangs from a joint is felt by every joint between it and the base
    CompositeInertia::gather<S, false>(m, w, [&](int i, const Transform<S>& X_iw, const Inertia<S>& I_i) TANDEM_INLINE {
      on_joint(m.type[i], [&](auto joint) TANDEM_INLINE {
        for (int k = 0; k < decltype(joint)::nv; ++k) {
          const auto F_k = momentum_of_axis(I_i, world_direction(X_iw, joint.row(k)), joint.row(k));
          if (long_chain)
            row_by_runs(m, m.dof_index[i] + k, F_k, X_iw.r, axes, H);
          else
            row_by_links<both>(m, i, k, F_k, X_iw.r, w, H);
        }
      });
    });
    if (both && (long_chain || m.n_mimic != 0)) mirror(m.nv, H);
    for (int k = 0; k < m.nv; ++k) H[Index{m.nv} * k + k] = S(H[Index{m.nv} * k + k]) + S(m.armature[k]);
  }

  /// The moment about p_j of a force F given about p. A turning axis at p_j feels it, a sliding one feels the force.
  template <class S>
  TANDEM_HD static Vec3<S> moment_about(const Vec3<S>& p_j, const Force<S>& F, const Vec3<S>& p) {
    return add_cross(F.n, p - p_j, F.f);
  }

  /// Row of degree of freedom k of joint i, left of the diagonal and, for both triangles, the column above it: link by
  /// link towards the base, zeros between them. With mimic joints added to what is there.
  template <bool both, class S, class M, class Work, class Matrix>
  TANDEM_HD static void row_by_links(const ModelView<M>& m, int i, int k, const Force<S>& F, const Vec3<S>& p, Work w,
                                     Matrix H) {
    const Index n = m.nv, row = m.v_index[i] + k;
    for (int j = i; j != 0; j = m.parent[j]) {
      const auto X_jw = load_transform<S>(w, CompositeInertia::at(j, CompositeInertia::X));
      const Vec3<S> n_j = moment_about(X_jw.r, F, p);
      on_joint(m.type[j], [&](auto joint) TANDEM_INLINE {
        for (int l = 0; l < decltype(joint)::nv; ++l) {
          if (j == i && l > k) break;
          const S entry = dot(world_direction(X_jw, joint.row(l)), joint.row(l) < 3 ? n_j : F.f);
          const Index column = m.v_index[j] + l;
          if (m.n_mimic != 0) {
            add_geared(m, i, row, j, column, j == i && l == k, entry, H);
          } else {
            H[n * row + column] = entry;
            if (both) H[n * column + row] = entry;
          }
        }
      });
      if (m.parent[j] == j - 1 || m.n_mimic != 0) continue;
      // degrees of freedom between those of link j and of its parent belong to other branches
      for (Index column = m.dof_index[m.parent[j] + 1]; column < m.dof_index[j]; ++column) {
        H[n * row + column] = S(0);
        if (both) H[n * column + row] = S(0);
      }
    }
  }

  /// Joints that move together share a row and a column: their entries are added up, geared.
  template <class S, class M, class Matrix>
  TANDEM_HD static void add_geared(const ModelView<M>& m, int i, Index row, int j, Index column, bool diagonal,
                                   const S& entry, Matrix H) {
    const S geared = S(m.multiplier[i]) * S(m.multiplier[j]) * entry;
    const Index low = row > column ? row : column, high = row > column ? column : row;
    const bool twice = low == high && !diagonal;  // two joints that move as one: both orders meet on the diagonal
    H[low * m.nv + high] = S(H[low * m.nv + high]) + (twice ? geared + geared : geared);
  }

  /// From this many neighbours on it pays to have their axes side by side.
  template <class S>
  static constexpr int long_run = rows_at_once<S> > 1 ? 4 * rows_at_once<S> : 1 << 30;

  template <class S, class M, class Work, class Axes>
  TANDEM_HD static void store_axes(const ModelView<M>& m, Work w, Axes axes) {
    for (int i = 1; i < m.n_links; ++i) {
      const auto X_iw = load_transform<S>(w, CompositeInertia::at(i, CompositeInertia::X));
      on_joint(m.type[i], [&](auto joint) TANDEM_INLINE {
        for (int k = 0; k < decltype(joint)::nv; ++k) {
          const auto z = world_direction(X_iw, joint.row(k));
          const S slides(joint.row(k) < 3 ? 0 : 1);
          const S rows[n_coordinates] = {z.x, z.y, z.z, X_iw.r.x, X_iw.r.y, X_iw.r.z, slides};
          for (int c = 0; c < n_coordinates; ++c) axes[Index{m.n_dof} * c + m.dof_index[i] + k] = rows[c];
        }
      });
    }
  }

  /// The row left of the diagonal, zeros included, in runs of neighbouring degrees of freedom, each
  /// hanging from the one before it.
  template <class S, class M, class Axes, class Matrix>
  TANDEM_HD static void row_by_runs(const ModelView<M>& m, int k, const Force<S>& F, const Vec3<S>& p, Axes axes,
                                    Matrix H) {
    const Index n = m.n_dof, row = n * k;
    int end = k + 1;
    while (end > 0) {
      const int begin = m.dof_run_start[end - 1], next = m.dof_parent[begin] + 1;
#pragma omp simd
      for (int j = begin; j < end; ++j) {
        const Vec3<S> z = {axes[ZX * n + j], axes[ZY * n + j], axes[ZZ * n + j]};
        const Vec3<S> p_j = {axes[PX * n + j], axes[PY * n + j], axes[PZ * n + j]};
        H[row + j] = select(S(0) < S(axes[SLIDES * n + j]), dot(z, F.f), dot(z, moment_about(p_j, F, p)));
      }
      for (int j = next; j < begin; ++j) H[row + j] = S(0);
      end = next;
    }
  }

  /// Lower triangle to upper, in blocks that stay in the cache.
  template <class Matrix>
  TANDEM_HD static void mirror(Index n, Matrix H) {
    constexpr Index block = 16;
    for (Index k0 = 0; k0 < n; k0 += block)
      for (Index j0 = 0; j0 <= k0; j0 += block)
        for (Index k = k0; k < k0 + block && k < n; ++k)
          for (Index j = j0; j < j0 + block && j < k; ++j) H[j * n + k] = H[k * n + j];
  }
};

}  // namespace tandem::inline TANDEM_ISA
