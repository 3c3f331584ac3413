// SPDX-License-Identifier: Apache-2.0
/// Tendons and couplers in a Newton step, and contacts and loop joints of robots with mimic joints: columns over the
/// articulated bodies of all others.
#pragma once
#include "tandem/detail/contact/link_passes.hpp"
#include "tandem/detail/contact/zones.hpp"
#include "tandem/detail/solve/tree_ltl.hpp"

namespace tandem::inline TANDEM_ISA {

/// With E = J^T B of these, H = B B^T, and y_0 the step without their curvature,
///
///     y = y_0 - U z,   U = (M + J^T H J of all others)^-1 E,   (1 + E^T U) z = E^T y_0
///
/// 1 on the diagonal: the dense system cannot be singular. The articulated bodies of y_0 are those of the workspace.
template <class Solver>
struct ContactColumns {
  using S = typename Solver::Number;
  using Work = typename Solver::Rows::Column;
  using Block = typename Solver::Block;
  using Tendons = typename Solver::Tendons;
  using Loops = typename Solver::Loops;
  using Couplers = typename Solver::Couplers;
  using Aba = ArticulatedBody;
  using Link = LinkPasses;
  const Solver& s;
  S open;  ///< 1 in lanes whose step counts

  /// Rows of k columns.
  template <class M>
  TANDEM_HD static Index rows(const ModelView<M>& m, Index k) {
    return k * (2 * m.n_dof + k + 1) + m.n_dof;
  }

  /// Of robots with mimic joints: changes the accelerations y_0, which are in the column step.
  TANDEM_HD void join() const {
    const auto& m = s.m;
    const Index most = s.most_columns(), nv = m.nv;
    const auto E = s.columns(), U = E + most * nv, G = U + most * nv, z = G + most * most;
    s.release();
    Index n = 0;
    const auto respond = [&] {
      Aba::solve<S, false, false>(m, E + n * nv, s.diagonal(), U + n * nv, s.w);
      ++n;
    };
    for_each_column([&](const Block& b, int c, const S* B) {
      store(s.w, Aba::at(s.contacts.kinds[c].link, Aba::F), S(-1) * b.force(B));
      store(s.w, Aba::at(s.contacts.kinds[c].other, Aba::F), b.force(B, Block::On::other));
      fill(E + n * nv, nv, S(0));
      Link::less_bias_forces<S>(m, E + n * nv, s.w);
      respond();
    });
    const auto of_loops = s.loops();
    for (int l = 0; l < of_loops.list.n; ++l)
      of_loops.for_each_held(l, [&](int j) TANDEM_INLINE {
        const int one = of_loops.list.kinds[l].link_1, two = of_loops.list.kinds[l].link_2;
        if (one != 0) store(s.w, Aba::at(one, Aba::F), S(-1) * of_loops.column(l, j, Loops::On::first));
        if (two != 0) store(s.w, Aba::at(two, Aba::F), of_loops.column(l, j, Loops::On::second));
        fill(E + n * nv, nv, S(0));
        Link::less_bias_forces<S>(m, E + n * nv, s.w);
        respond();
      });
    const auto of_couplers = s.couplers();
    for (int c = 0; c < of_couplers.list.n; ++c) {
      fill(E + n * nv, nv, S(0));
      of_couplers.spread(c, sqrt(S(of_couplers.of(c)[Couplers::D])), E + n * nv);
      respond();
    }
    const auto rows = s.tendons();
    for (int t = 0; t < rows.list.n; ++t) {
      const S h = rows.of(t)[Tendons::Joints::h];
      if (!any(S(0) < h)) continue;
      fill(E + n * nv, nv, S(0));
      rows.spread(t, sqrt(h), E + n * nv);
      respond();
    }
    for (Index j = 0; j < n; ++j) {
      z[j] = dot_of(nv, E + j * nv, s.step());
      for (Index k = 0; k < n; ++k) G[n * j + k] = dot_of(nv, E + j * nv, U + k * nv) + S(j == k ? 1 : 0);
    }
    solve_spd<S>(G, static_cast<int>(n), z);
    for (Index j = 0; j < n; ++j) subtract(nv, S(z[j]), U + j * nv, s.step());
  }

  /// The same of tendons and couplers before joints accelerate, for robots without mimic joints. Forces go from joints
  /// to the base and, with `couple`, to links that are coupled to those on the way. With u = S^T f at every joint, u_j
  /// of a column and u_0 of all forces of the step,
  ///
  ///     1 + E^T U = 1 + u_j^T K u_k,   E^T y_0 = u_j^T K u_0,   u_0 -= u_j z_j
  TANDEM_HD void join_joints(bool couple) const {
    const auto& m = s.m;
    const Index most = s.most_columns(), dofs = m.n_dof;
    const auto u = s.columns(), Ku = u + most * dofs, G = Ku + most * dofs, z = G + most * most, u_0 = z + most;
    Index n = 0;
    s.release();
    const auto from_joints = [&](auto rows, int of_list, const S& h) {
      if (!any(S(0) < h * open)) return;
      fill(s.step(), m.nv, S(0));
      rows.spread(of_list, sqrt(h), s.step());
      send(s.step(), u + n * dofs, Ku + n * dofs, couple);
      ++n;
    };
    const auto of_couplers = s.couplers();
    for (int c = 0; c < of_couplers.list.n; ++c) from_joints(of_couplers, c, S(of_couplers.of(c)[Couplers::D]));
    const auto of_tendons = s.tendons();
    for (int t = 0; t < of_tendons.list.n; ++t) from_joints(of_tendons, t, S(of_tendons.of(t)[Tendons::Joints::h]));
    if (n == 0) return;
    for_each_u([&](Index dof, Index row) TANDEM_INLINE { u_0[dof] = S(s.w[row]); });
    for (Index j = 0; j < n; ++j) {
      z[j] = dot_of(dofs, Ku + j * dofs, u_0);
      for (Index k = 0; k <= j; ++k)
        G[n * j + k] = G[n * k + j] = dot_of(dofs, Ku + j * dofs, u + k * dofs) + S(j == k ? 1 : 0);
    }
    solve_spd<S>(G, static_cast<int>(n), z);
    for (Index j = 0; j < n; ++j) subtract(dofs, S(z[j]), u + j * dofs, u_0);
    for_each_u([&](Index dof, Index row) TANDEM_INLINE { s.w[row] = S(u_0[dof]); });
  }

 private:
  /// Calls f(block, contact, column of B) for columns that act in any lane.
  template <class F>
  TANDEM_HD void for_each_column(F&& f) const {
    for (int c = 0; c < s.contacts.n; ++c) {
      const Block b = s.rows().block(c);
      if (s.contacts.kinds[c].other == 0 || !b.touches_in(open)) continue;
      S B[most_contact_rows][most_contact_rows];
      b.kept_zone().columns(B);
      for (int k = 0; k < b.dim; ++k) {
        S size(0);
        for (int j = k; j < b.dim; ++j) size = size + abs(B[k][j]);
        if (any(S(0) < size * open)) f(b, c, B[k]);
      }
    }
  }

  /// Forces of joints, tau [nv], each from its joint on: u and K u at all joints. The rows F of links are 0 before and
  /// after.
  TANDEM_PASS void send(Work tau, Work u, Work Ku, bool couple) const {
    const auto& m = s.m;
    const Work w = s.w;
    fill(u, Index{m.n_dof}, S(0));
    fill(Ku, Index{m.n_dof}, S(0));
    const auto coupled = s.coupled();
    for (int i = m.n_links - 1; i >= 1; --i) {
      const int first = m.dof_index[i];
      S size = coupled.size_of(i);
      for (int k = 0; k < joint_kind(m.type[i]).nv; ++k) size = size + abs(S(tau[first + k]));
      if (!any(S(0) < size)) continue;
      auto left = load<Force<S>>(w, Aba::at(i, Aba::F));
      store(w, Aba::at(i, Aba::F), Force<S>::zero());
      on_kept_joint_kind<S>(m, i, w, Aba::at(i, Aba::X), [&](auto joint) TANDEM_INLINE {
        constexpr int d = most_nv<decltype(joint)>;
        const auto r = kept_response<S>(joint, w, Aba::at_dof(m, first));
        S u_i[d];
        for (int k = 0; k < joint.nv; ++k) u[first + k] = u_i[k] = S(tau[first + k]) + joint.along(k, left);
        for (int k = 0; k < joint.nv; ++k) {
          Ku[first + k] = row_of_K(r, k, u_i, joint.nv);
          left = mul_add(-S(Ku[first + k]), r.U(k), left);
        }
        coupled.hand_on_from(joint, i, r, u_i, left, couple);
      });
    }
  }
  /// Calls f(degree of freedom, row of the workspace in which articulated bodies keep its u).
  template <class F>
  TANDEM_HD void for_each_u(F&& f) const {
    const auto& m = s.m;
    for (int i = 1; i < m.n_links; ++i) {
      const int n = joint_kind(m.type[i]).nv, first = m.dof_index[i];
      const Index row = Aba::at_dof(m, first) + 6 * n + n * n;
      for (int k = 0; k < n; ++k) f(Index{first} + k, row + k);
    }
  }

  TANDEM_HD static S dot_of(Index n, Work x, Work y) {
    S sum(0);
    for (Index k = 0; k < n; ++k) sum = mul_add(S(x[k]), S(y[k]), sum);
    return sum;
  }
  /// y -= z x
  TANDEM_HD static void subtract(Index n, const S& z, Work x, Work y) {
    for (Index k = 0; k < n; ++k) y[k] = mul_add(-z, S(x[k]), S(y[k]));
  }
};

}  // namespace tandem::inline TANDEM_ISA
