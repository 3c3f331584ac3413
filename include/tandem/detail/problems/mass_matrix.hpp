// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/solve/mirror.hpp"
#include "tandem/detail/joint/axes.hpp"
#include "tandem/detail/passes/composite_inertia.hpp"

namespace tandem::inline TANDEM_ISA {

/// Mass matrix (joint-space inertia): tau = M(q) a for a robot at rest without gravity.
///
/// Method    composite rigid bodies, [RBDA] table 6.2: the force F_k that moves what hangs from degree of freedom k is
///           handed from link to link, F_j = X_j^T F_k, M_kj = S_j^T F_j. Where many links follow one another, and
///           where axes turn against their links, changed: F_k is turned to world axes once and meets every ancestor j
///           directly, M_kj = z_j . (n_k + (p_k - p_j) x f_k) + d_j . f_k. Nothing depends on the order of the j, so
///           that on long chains neighbours are done together
/// In        q [nq] rad|m
/// Out       M [nv, nv] kg m^2|kg, symmetric, both triangles
/// Joints    armature is on the diagonal
/// Work      34 rows per link + 7 per degree of freedom     Cost O(n_dof * depth)
struct MassMatrix {
  static constexpr const char* name = "mass_matrix";
  static constexpr const char* alias = "crba";
  static constexpr const char* summary = "joint-space inertia matrix";
  static constexpr Argument arguments[] = {
      argument::q,
      {"M", Rows::matrix, Role::output, "kg m^2|kg", "mass matrix"},
  };
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  static constexpr Method methods[] = {Method::automatic, Method::composite_rigid_body};

  template <class S>
  using Link = CompositeInertia::Link<S>;
  // the axes of every degree of freedom, each coordinate in a row of its own: direction, origin, one if it slides
  enum Coordinate { ZX, ZY, ZZ, PX, PY, PZ, SLIDES, n_coordinates };

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return CompositeInertia::work_rows(m) + Index{n_coordinates} * m.n_dof;
  }

  template <class S, class M, class Q, class Matrix, class Work>
  TANDEM_PASS static void body(const ModelView<M>& m, Q q, Matrix H, Work w) {
    const bool unit_axes = !has_own_axes(m), geared = has_mimic_joints(m);
    const bool long_chain =
        unit_axes && !geared && m.n_dof >= long_run<S> && m.n_dof - m.dof_run_start[m.n_dof - 1] >= long_run<S>;
    const auto axes = w + CompositeInertia::work_rows(m);
    if (hands_on(m)) return hand_on<S>(m, q, H, w);
    CompositeInertia::place<S>(m, q, w);
    if (long_chain) store_axes<S>(m, w, axes);
    if (geared) fill(H, Index{m.nv} * m.nv, S(0));

    // the force that moves what hangs from a joint is felt by every joint between it and the base
    CompositeInertia::gather<S, false>(
        m, w, [&](auto joint, int i, const Transform<S>& X_iw, const Inertia<S>& I_i) TANDEM_INLINE {
          for (int k = 0; k < joint.nv; ++k) {
            const auto F_k = momentum_of_axis(I_i, X_iw.E, joint, k);
            if (long_chain)
              row_by_runs(m, first_dof(m, i) + k, F_k, X_iw.r, axes, H);
            else if (unit_axes)
              row_by_links<true>(m, first_dof(m, i) + k, F_k, X_iw.r, w, H);
            else
              row_by_own_axes(m, first_dof(m, i) + k, F_k, X_iw.r, w, H);
          }
        });
    if (long_chain || geared) Mirror<S>::whole(m.nv, H);
    for (int k = 0; k < m.nv; ++k) H[Index{m.nv} * k + k] = S(H[Index{m.nv} * k + k]) + S(m.armature[k]);
  }

  /// The rows rank, rank + size, ... and what they bring to columns: `size` workers, each with a workspace of its own,
  /// fill in the matrix together. They repeat the passes over the links, which on a tree with long limbs take less than
  /// the rows. Not for mimic joints, whose rows several degrees of freedom share.
  template <class S, class M, class Q, class Matrix, class Work>
  TANDEM_HD static void body_of_share(const ModelView<M>& m, int rank, int size, Q q, Matrix H, Work w) {
    const auto forces = records<Force<S>>(w + CompositeInertia::work_rows(m));  // in the room of the axes
    const bool hands = hands_on(m);
    if (hands)
      keep_transforms<S>(m, q, w);
    else
      CompositeInertia::place<S>(m, q, w);
    CompositeInertia::gather<S, false>(
        m, w, [&](auto joint, int i, const Transform<S>& X_iw, const Inertia<S>& I_i) TANDEM_INLINE {
          for (int k = 0; k < joint.nv; ++k)
            forces.store(first_dof(m, i) + k, hands ? joint.column(k, I_i) : momentum_of_axis(I_i, X_iw.E, joint, k));
        });
    const auto links = records<Link<S>>(w);
    for (int k = rank; k < m.nv; k += size) {
      if (hands)
        row_from_link_to_link(m, k, forces.load(k), w, H);
      else
        row_by_links<true>(m, k, forces.load(k), links.load(link_of_dof(m, k), &Link<S>::X_iw).r, w, H);
      H[Index{m.nv} * k + k] = S(H[Index{m.nv} * k + k]) + S(m.armature[k]);
    }
  }

  /// Whether forces go from link to link, which costs a transform at every link on the way; the other way costs a turn
  /// to the world of every link and force, and half a transform a degree of freedom on the way. Measured in lanes and
  /// alone: up to eight links in a row the first is faster, up to twelve about as fast, and code for one robot has half
  /// of its operations left.
  template <class M>
  TANDEM_HD static bool hands_on(const ModelView<M>& m) {
    return m.depth <= 12 && !has_own_axes(m);
  }

  template <class S, class M, class Q, class Matrix, class Work>
  TANDEM_HD static void hand_on(const ModelView<M>& m, Q q, Matrix H, Work w) {
    keep_transforms<S>(m, q, w);
    if (has_mimic_joints(m)) fill(H, Index{m.nv} * m.nv, S(0));
    CompositeInertia::gather<S, false>(
        m, w, [&](auto joint, int i, const Transform<S>&, const Inertia<S>& I_i) TANDEM_INLINE {
          for (int k = 0; k < joint.nv; ++k)
            row_from_link_to_link(m, first_dof(m, i) + k, joint.column(k, I_i), w, H);
        });
    if (has_mimic_joints(m)) Mirror<S>::whole(m.nv, H);
    for (int k = 0; k < m.nv; ++k) H[Index{m.nv} * k + k] = S(H[Index{m.nv} * k + k]) + S(m.armature[k]);
  }

  template <class S, class M, class Q, class Work>
  TANDEM_HD static void keep_transforms(const ModelView<M>& m, Q q, Work w) {
    const auto links = records<Link<S>>(w);
    for (int i = 1; i < m.n_links; ++i)
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        keep_transform(joint, link_transform<S>(joint, m, i, q), w, links.row(i, &Link<S>::X_ip));
      });
  }

  /// Row of degree of freedom k as in row_by_links, from the force along the axes of its own link.
  template <class S, class M, class Work, class Matrix>
  TANDEM_HD static void row_from_link_to_link(const ModelView<M>& m, int k, Force<S> F, Work w, Matrix H) {
    const auto links = records<Link<S>>(w);
    int link = link_of_dof(m, k);
    for (int j = k; j >= 0;) {
      for (const int next = link_of_dof(m, j); link != next; link = m.parent[link])
        on_kept_joint_kind<S>(m, link, w, links.row(link, &Link<S>::X_ip), [&](auto joint) TANDEM_INLINE {
          F = transpose_mul(recall_transform<S>(joint, m, link, w, links.row(link, &Link<S>::X_ip)), F);
        });
      do {
        const int axis = axis_of_dof(m, j), next = m.dof_parent[j];
        const Vec3<S>& f = axis >= 3 ? F.f : F.n;
        put(m, k, j, next, axis % 3 == 0 ? f.x : axis % 3 == 1 ? f.y : f.z, H);
        j = next;
      } while (j >= 0 && link_of_dof(m, j) == link);
    }
  }

  /// The entry of degrees of freedom k and j, and zeros between j and the next one towards the base.
  template <class S, class M, class Matrix>
  TANDEM_HD static void put(const ModelView<M>& m, int k, int j, int next, const S& entry, Matrix H) {
    if (has_mimic_joints(m)) return add_geared(m, k, j, entry, H);
    const Index n = m.nv;
    H[n * k + j] = entry;
    H[n * j + k] = entry;
    for (int other = next + 1; other < j; ++other) {  // of other branches
      H[n * k + other] = S(0);
      H[n * other + k] = S(0);
    }
  }

  /// The moment about p_j of a force F given about p. A turning axis at p_j feels it, a sliding one feels the force.
  template <class S>
  TANDEM_HD static Vec3<S> moment_about(const Vec3<S>& p_j, const Force<S>& F, const Vec3<S>& p) {
    return add_cross(F.n, p - p_j, F.f);
  }

  /// Row of degree of freedom k, left of the diagonal, and the column above it: one ancestor after the
  /// other towards the base, zeros between them. With mimic joints added to what is there.
  template <bool unit_axes, class S, class M, class Work, class Matrix>
  TANDEM_HD static void row_by_links(const ModelView<M>& m, int k, const Force<S>& F, const Vec3<S>& p, Work w,
                                     Matrix H) {
    const auto links = records<Link<S>>(w);
    for (int j = k; j >= 0;) {
      const int link = link_of_dof(m, j);
      const auto n_j = moment_about(links.load(link, &Link<S>::X_iw).r, F, p);
      const Index E_jw = links.row(link, &Link<S>::X_iw);  // its rows are the link's axes
      do {
        const int axis = axis_of_dof(m, j), next = m.dof_parent[j];
        const bool slides = joint_set<M> != JointSet::hinges && axis >= 3;
        const S entry = unit_axes || axis < 6
                            ? dot(load<Vec3<S>>(w, E_jw + 3 * (slides ? axis - 3 : axis)), slides ? F.f : n_j)
                            : along_own_axis(m, link, j - m.dof_index[link], Force<S>{n_j, F.f}, w);
        put(m, k, j, next, entry, H);
        j = next;
      } while (j >= 0 && link_of_dof(m, j) == link);
    }
  }

  /// The same where some axes are no unit axes of their links, apart: it would slow down the other, and so would
  /// references to F and p, which would have to lie in memory.
  template <class S, class M, class Work, class Matrix>
  TANDEM_PASS static void row_by_own_axes(const ModelView<M>& m, int k, Force<S> F, Vec3<S> p, Work w, Matrix H) {
    row_by_links<false>(m, k, F, p, w, H);
  }
  /// S_j^T F of an axis that is no unit axis of the link.
  template <class S, class M, class Work>
  TANDEM_PASS static S along_own_axis(const ModelView<M>& m, int link, int k, const Force<S>& F, Work w) {
    const auto links = records<Link<S>>(w);
    return on_kept_joint_kind<S>(m, link, w, links.row(link, &Link<S>::X_ip), [&](auto joint) TANDEM_INLINE {
      const auto E = links.load(link, &Link<S>::X_iw).E;
      return joint.along(k, Force<S>{E * F.n, E * F.f});
    });
  }

  /// Joints that move together share a row and a column: the entries of their degrees of freedom k, j are added up,
  /// geared.
  template <class S, class M, class Matrix>
  TANDEM_HD static void add_geared(const ModelView<M>& m, int k, int j, const S& entry, Matrix H) {
    const int i_k = m.dof_link[k], i_j = m.dof_link[j];
    const Index row = m.v_index[i_k] + k - m.dof_index[i_k], column = m.v_index[i_j] + j - m.dof_index[i_j];
    const S geared = S(m.multiplier[i_k]) * S(m.multiplier[i_j]) * entry;
    const Index low = row > column ? row : column, high = row > column ? column : row;
    const bool twice = low == high && k != j;  // two joints that move as one: both orders meet on the diagonal
    H[low * m.nv + high] = S(H[low * m.nv + high]) + (twice ? geared + geared : geared);
  }

  /// From this many neighbours on it pays to have their axes side by side.
  template <class S>
  static constexpr int long_run = rows_at_once<S> > 1 ? 4 * rows_at_once<S> : 1 << 30;

  template <class S, class M, class Work, class Axes>
  TANDEM_HD static void store_axes(const ModelView<M>& m, Work w, Axes axes) {
    const auto links = records<Link<S>>(w);
    for (int k = 0; k < m.n_dof; ++k) {
      const Index E_iw = links.row(m.dof_link[k], &Link<S>::X_iw);
      const int axis = m.dof_axis[k];
      const auto z = load<Vec3<S>>(w, E_iw + 3 * (axis < 3 ? axis : axis - 3)), p = load<Vec3<S>>(w, E_iw + 9);
      const S rows[n_coordinates] = {z.x, z.y, z.z, p.x, p.y, p.z, S(axis < 3 ? 0 : 1)};
      for (int c = 0; c < n_coordinates; ++c) axes[Index{m.n_dof} * c + k] = rows[c];
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
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[MassMatrix]
after = "InverseDynamicsSecondDerivatives"
compiled_with = "OperationalSpaceMobility"
cuda_apart = true
ignores_loops = true

[MassMatrix.python]
summary = "Joint-space inertia: tau = M(q) a for a robot at rest without gravity."
text = '''
The default method is composite rigid bodies, [RBDA] table 6.2.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> M = tandem.mass_matrix(arm, tandem.random_configuration(arm, seed=1))
>>> np.array_equal(M, M.T), bool((np.linalg.eigvalsh(M) > 0).all())
(True, True)
'''

[MassMatrix.python.notes]
M = ", symmetric; armature is on its diagonal"
*/
