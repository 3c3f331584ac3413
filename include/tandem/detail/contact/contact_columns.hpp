// SPDX-License-Identifier: Apache-2.0
/// Mimic joints, tendons and couplers in a Newton step: columns over the articulated bodies of all others.
#pragma once
#include "tandem/detail/contact/link_passes.hpp"
#include "tandem/detail/contact/zones.hpp"
#include "tandem/detail/solve/tree_ltl.hpp"

namespace tandem::inline TANDEM_ISA {

/// With E = J^T B of tendons and couplers, H = B B^T, and E = C^T of mimic joints, whose rows C a = 0 hold exactly; and
/// with y_0 the step without these, mimic joints free,
///
///     y = y_0 - U z,   U = (M + J^T H J of all others)^-1 E,   (R + E^T U) z = E^T y_0
///
/// R is 1 of tendons and couplers and 0 of mimic joints. The articulated bodies of y_0 are those of the workspace.
template <class Solver>
struct ContactColumns {
  using S = typename Solver::Number;
  using Work = typename Solver::Rows::Column;
  using Tendons = typename Solver::Tendons;
  using Couplers = typename Solver::Couplers;
  using Aba = ArticulatedBody;
  const Solver& s;
  S open;  ///< 1 in lanes whose step counts

  /// Rows of k columns.
  template <class M>
  TANDEM_HD static Index rows(const ModelView<M>& m, Index k) {
    return k * (2 * Index{m.n_dof} + k + 1) + m.n_dof;
  }

  /// Changes what joints yield with, before they accelerate. Forces go from joints to the base and, with `couple`, to
  /// links that are coupled to those on the way. With u = S^T f at every joint, u_j of a column and u_0 of all forces
  /// of the step,
  ///
  ///     R + E^T U = R + u_j^T K u_k,   E^T y_0 = u_j^T K u_0,   u_0 -= u_j z_j
  ///
  /// Without `soft` only mimic joints are held.
  TANDEM_HD void join(bool couple, bool soft) const {
    const auto& m = s.m;
    const Index most = s.most_columns(), dofs = m.n_dof;
    const auto u = s.columns(), Ku = u + most * dofs, G = Ku + most * dofs, z = G + most * most, u_0 = z + most;
    const auto efforts = s.step_of_dofs();
    Index n = 0;
    s.release();
    const auto add = [&] {
      send(efforts, u + n * dofs, Ku + n * dofs, couple);
      ++n;
    };
    if (has_mimic_joints(m))
      Aba::for_each_mimic(m, [&](int i, int source) {
        fill(efforts, dofs, S(0));
        Aba::hold(m, i, source, S(1), efforts);
        add();
      });
    const Index hard = n;
    const auto from_joints = [&](auto rows, int of_list, const S& h) {
      if (!any(S(0) < h * open)) return;
      fill(s.step(), m.nv, S(0));
      rows.spread(of_list, sqrt(h), s.step());
      s.expand(s.step(), efforts);
      add();
    };
    if (soft) {
      const auto of_couplers = s.couplers();
      for (int c = 0; c < of_couplers.list.n; ++c) from_joints(of_couplers, c, S(of_couplers.of(c)[Couplers::D]));
      const auto of_tendons = s.tendons();
      for (int t = 0; t < of_tendons.list.n; ++t) from_joints(of_tendons, t, S(of_tendons.of(t)[Tendons::Joints::h]));
    }
    if (n == 0) return;
    for_each_u([&](Index dof, Index row) TANDEM_INLINE { u_0[dof] = S(s.w[row]); });
    for (Index j = 0; j < n; ++j) {
      z[j] = dot_of(dofs, Ku + j * dofs, u_0);
      for (Index k = 0; k <= j; ++k)
        G[n * j + k] = G[n * k + j] = dot_of(dofs, Ku + j * dofs, u + k * dofs) + S(j == k && j >= hard ? 1 : 0);
    }
    if (hard > 0) settle_massless(n, G, z, u_0);
    solve_spd<S>(G, static_cast<int>(n), z);
    for (Index j = 0; j < n; ++j) subtract(dofs, S(z[j]), u + j * dofs, u_0);
    for_each_u([&](Index dof, Index row) TANDEM_INLINE { s.w[row] = S(u_0[dof]); });
  }

 private:
  /// A mimic joint that moves nothing with inertia does not swing: its column is the force that pushes it, known before
  /// the others.
  TANDEM_HD void settle_massless(Index n, Work G, Work z, Work u_0) const {
    const auto& m = s.m;
    Index j = 0;
    Aba::for_each_mimic(m, [&](int i, int) {
      const auto heavy = S(0) < Aba::is_heavy<S>(m, i, s.w);
      const S push = u_0[m.dof_index[i]];
      for (Index k = 0; k < n; ++k) {
        if (k == j) continue;
        z[k] = select(heavy, S(z[k]), mul_add(-S(G[n * k + j]), push, S(z[k])));
        G[n * k + j] = G[n * j + k] = select(heavy, S(G[n * k + j]), S(0));
      }
      z[j] = select(heavy, S(z[j]), push);
      G[n * j + j] = select(heavy, S(G[n * j + j]), S(1));
      ++j;
    });
  }

  /// Forces of joints, tau [n_dof], each from its joint on: u and K u at all joints. The rows F of links are 0 before
  /// and after.
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
