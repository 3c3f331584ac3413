// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/semidefinite.hpp"
#include "tandem/detail/passes/articulated_body.hpp"
#include "tandem/detail/passes/loop_motion.hpp"

namespace tandem::inline TANDEM_ISA {

/// What the directions that loop joints hold ask of the joints, J y = b, and the change that takes the least of the
/// robot's inertia to meet it:
///
///     y = M^-1 J^T x,    J M^-1 J^T x = b
///
/// Method    unit forces along the directions held go inwards from both links as in OperationalSpaceMobility, over the
///           articulated bodies of forward dynamics, found once: with u = S^T g of each at each joint,
///           J M^-1 J^T = sum of u K u^T. The forces x by LDL^T, from which directions that others hold already are
///           left out, see Semidefinite. What they do together is one pass outwards, with sum x u in the place of u.
///           Robots with mimic joints: J and M^-1 J^T, a column at a time. J M^-1 J^T by articulated bodies:
///           [Carpentier, Budhiraja, Mansard 2021], changed: their proximal iterations give the least forces of all
///           that serve, this the forces of as few directions as can be
struct LoopSystem {
  /// Rows behind those of ArticulatedBody: u and K u of every direction held, or with mimic joints J and M^-1 J^T; then
  /// J M^-1 J^T, and the forces.
  enum Part { pushes, responses, matrix, forces };
  template <class M>
  TANDEM_HD static Index at(const ModelView<M>& m, Part part) {
    const Index n = m.n_held, v = m.nv, first = ArticulatedBody::work_rows(m);
    return first + (part == pushes ? 0 : part == responses ? n * v : part == matrix ? 2 * n * v : 2 * n * v + n * n);
  }
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return m.n_held == 0 ? ArticulatedBody::work_rows(m) : at(m, forces) + m.n_held;
  }

  /// Calls f(row, direction, loop) for all directions held, in the order of the rows.
  template <class M, class F>
  TANDEM_HD static void for_each_held(const ModelView<M>& m, int loop, Index& row, F&& f) {
    for (int r = 0; r < 6; ++r)
      if (holds(m.loop_held[loop], r)) f(row++, r);
  }

  /// The forces x that meet the right-hand sides which stand in their place, and y added to `to`. After forward
  /// dynamics at the configuration q, whose articulated inertias are in the workspace, with the same `diagonal` added
  /// to the mass matrix. Column is the kind of columns that these passes have run on.
  template <class S, class Column, class M, class Q, class D, class To, class Work>
  TANDEM_PASS static void solve(const ModelView<M>& m, Q q, D diagonal, To to, Work w) {
    const auto x = w + at(m, forces);
    if (has_mimic_joints(m)) {
      fill_columns<S, Column>(m, q, diagonal, w);
      Semidefinite::solve<S>(w + at(m, matrix), Index{m.n_held}, x);
      for (Index r = 0; r < m.n_held; ++r) add_rows(m, S(x[r]), w + at(m, responses) + m.nv * r, to);
      return;
    }
    send_units<S>(m, q, w);
    fill_matrix<S>(m, w);
    Semidefinite::solve<S>(w + at(m, matrix), Index{m.n_held}, x);
    push_together<S>(m, w);
    const auto y = w + at(m, responses);  // K u is needed no more
    ArticulatedBody::outward<S>(m, as_column<Column>(y), w);
    add_rows(m, S(1), y, to);
  }

 private:
  template <class S, class M, class Rows, class To>
  TANDEM_HD static void add_rows(const ModelView<M>& m, const S& factor, Rows rows, To to) {
    for (Index k = 0; k < m.nv; ++k) to[k] = mul_add(factor, S(rows[k]), S(to[k]));
  }

  /// Unit forces along the directions held, from both links of every loop to the base.
  template <class S, class M, class Q, class Work>
  TANDEM_PASS static void send_units(const ModelView<M>& m, Q q, Work w) {
    fill(w + at(m, pushes), 2 * Index{m.n_held} * m.nv, S(0));
    Index first = 0;
    for (int loop = 0; loop < m.n_loops; ++loop) {
      Force<S> g[2][6];
      const auto X_21 = loop_transform<S>(m, loop, q);
      const auto X_1 = loop_frame<S>(m, loop, 0), X_2 = loop_frame<S>(m, loop, 1);
      int n = 0;
      for (int r = 0; r < 6; ++r) {
        if (!holds(m.loop_held[loop], r)) continue;
        const Vec3<S> unit = {S(r % 3 == 0), S(r % 3 == 1), S(r % 3 == 2)}, none = Vec3<S>::zero();
        const Force<S> at_2 = r < 3 ? Force<S>{none, unit} : Force<S>{unit, none};
        const Force<S> at_1 = {add_cross(at_2.n, X_21.r, at_2.f), at_2.f};  // the same, about the origin of frame 1
        g[0][n] = S(-1) * transpose_mul(X_1, at_1);
        g[1][n++] = transpose_mul(X_2, Force<S>{X_21.E * at_2.n, X_21.E * at_2.f});
      }
      int link[2] = {m.loop_link[2 * loop], m.loop_link[2 * loop + 1]};
      while (link[0] != link[1]) {
        const int end = link[0] > link[1] ? 0 : 1;
        send_through<S>(m, link[end], n, first, g[end], w);
        link[end] = m.parent[link[end]];
      }
      for (int r = 0; r < n; ++r) g[0][r] = g[0][r] + g[1][r];
      for (int i = link[0]; i != 0; i = m.parent[i]) send_through<S>(m, i, n, first, g[0], w);
      first += n;
    }
  }

  /// n forces, of the rows from one on, through joint i.
  template <class S, class M, class Work>
  TANDEM_PASS static void send_through(const ModelView<M>& m, int i, int n, Index first, Force<S>* g, Work w) {
    using Aba = ArticulatedBody;
    on_kept_joint_kind<S>(m, i, w, Aba::at(i, Aba::X), [&](auto joint) TANDEM_INLINE {
      constexpr int d = most_nv<decltype(joint)>;
      const auto response = kept_response<S>(joint, w, Aba::at_dof(m, m.dof_index[i]));
      const auto X_ip = recall_transform<S>(joint, m, i, w, Aba::at(i, Aba::X));
      for (int r = 0; r < n; ++r) {
        S u[d], Ku[d];
        g[r] = transpose_mul(X_ip, transmit(joint, response, g[r], u, Ku));
        const Index row = m.nv * (first + r) + m.dof_index[i];
        for (int k = 0; k < joint.nv; ++k) {
          w[at(m, pushes) + row + k] = u[k];
          w[at(m, responses) + row + k] = Ku[k];
        }
      }
    });
  }

  template <class S, class M, class Work>
  TANDEM_HD static void fill_matrix(const ModelView<M>& m, Work w) {
    const Index n = m.n_held, v = m.nv;
    const auto u = w + at(m, pushes), Ku = w + at(m, responses), G = w + at(m, matrix);
    for (Index r = 0; r < n; ++r)
      for (Index c = 0; c <= r; ++c) {
        S sum(0);
        for (Index k = 0; k < v; ++k) sum = mul_add(S(Ku[v * r + k]), S(u[v * c + k]), sum);
        G[n * r + c] = sum;
      }
  }

  /// sum x u in the place of what the joints were pushed with.
  template <class S, class M, class Work>
  TANDEM_HD static void push_together(const ModelView<M>& m, Work w) {
    const auto u = w + at(m, pushes), x = w + at(m, forces);
    for (int i = 1; i < m.n_links; ++i)
      on_joint_kind<S>(m, i, [&](auto joint) TANDEM_INLINE {
        const Index row = kept_response<S>(joint, w, ArticulatedBody::at_dof(m, m.dof_index[i])).row_of_u(0);
        for (int k = 0; k < joint.nv; ++k) {
          S sum(0);
          for (Index r = 0; r < m.n_held; ++r) sum = mul_add(S(x[r]), S(u[m.nv * r + m.dof_index[i] + k]), sum);
          w[row + k] = sum;
        }
      });
  }

  /// Where mimic joints make M^-1 more than the sum: J, M^-1 J^T and their product.
  template <class S, class Column, class M, class Q, class D, class Work>
  TANDEM_PASS static void fill_columns(const ModelView<M>& m, Q q, D diagonal, Work w) {
    const Index n = m.n_held, v = m.nv;
    const auto J = w + at(m, pushes), Y = w + at(m, responses), G = w + at(m, matrix);
    fill(J, n * v, S(0));
    Index row = 0;
    for (int loop = 0; loop < m.n_loops; ++loop) {
      add_loop_jacobian<S>(m, loop, q, loop_transform<S>(m, loop, q), J + v * row);
      for_each_held(m, loop, row, [](Index, int) {});
    }
    for (Index r = 0; r < n; ++r) {
      ArticulatedBody::solve<S, false, false>(m, as_column<Column>(J + v * r), diagonal, as_column<Column>(Y + v * r),
                                              w);
      for (Index c = 0; c <= r; ++c) {
        S sum(0);
        for (Index k = 0; k < v; ++k) sum = mul_add(S(J[v * c + k]), S(Y[v * r + k]), sum);
        G[n * r + c] = sum;
      }
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
