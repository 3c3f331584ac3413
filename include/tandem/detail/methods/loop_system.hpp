// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/blocks/semidefinite.hpp"
#include "tandem/detail/methods/articulated_body.hpp"
#include "tandem/detail/recursion/loop_motion.hpp"

namespace tandem::inline TANDEM_ISA {

/// What the directions that loop joints hold ask of the joints, J y = b, and the change that takes the least of the robot's
/// inertia to meet it:
///
///     y = M^-1 J^T x,    J M^-1 J^T x = b
///
/// Method    the rows of M^-1 J^T by the articulated bodies of forward dynamics, found once, a pass each; the system of the
///           forces x by LDL^T, from which directions that others hold already are left out, see Semidefinite.
///           J M^-1 J^T by articulated bodies: [Carpentier, Budhiraja, Mansard 2021], changed: their proximal iterations give
///           the least forces of all that serve, this the forces of as few directions as can be
struct LoopSystem {
  /// Rows behind those of ArticulatedBody.
  enum Part { jacobian, responses, matrix, forces };
  template <class M>
  TANDEM_HD static Index at(const ModelView<M>& m, Part part) {
    const Index n = m.n_held, v = m.nv, first = ArticulatedBody::work_rows(m);
    return first + (part == jacobian ? 0 : part == responses ? n * v : part == matrix ? 2 * n * v : 2 * n * v + n * n);
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

  /// J, at the configuration q.
  template <class S, class M, class Q, class Work>
  TANDEM_PASS static void fill_jacobian(const ModelView<M>& m, Q q, Work w) {
    auto J = w + at(m, jacobian);
    fill(J, Index{m.n_held} * m.nv, S(0));
    for (int loop = 0; loop < m.n_loops; ++loop) {
      add_loop_jacobian<S>(m, loop, q, loop_transform<S>(m, loop, q), J);
      for (int r = 0; r < 6; ++r)
        if (holds(m.loop_held[loop], r)) J = J + m.nv;
    }
  }

  /// The forces x that meet the right-hand sides which stand in their place, and y added to `to`. After forward dynamics, whose
  /// articulated inertias are in the workspace, with the same `diagonal` added to the mass matrix. Column is the kind of
  /// columns that these passes have run on.
  template <class S, class Column, class M, class D, class To, class Work>
  TANDEM_PASS static void solve(const ModelView<M>& m, D diagonal, To to, Work w) {
    const Index n = m.n_held, v = m.nv;
    const auto J = w + at(m, jacobian), Y = w + at(m, responses), G = w + at(m, matrix), x = w + at(m, forces);
    for (Index r = 0; r < n; ++r) {
      ArticulatedBody::solve<S, false, false>(m, as_column<Column>(J + v * r), diagonal, as_column<Column>(Y + v * r),
                                              w);
      for (Index c = 0; c <= r; ++c) {
        S sum(0);
        for (Index k = 0; k < v; ++k) sum = mul_add(S(J[v * c + k]), S(Y[v * r + k]), sum);
        G[n * r + c] = sum;
      }
    }
    Semidefinite::solve<S>(G, n, x);
    for (Index k = 0; k < v; ++k) {
      S sum = to[k];
      for (Index r = 0; r < n; ++r) sum = mul_add(S(x[r]), S(Y[v * r + k]), sum);
      to[k] = sum;
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
