// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/operational_space_mobility.hpp"

namespace tandem::inline TANDEM_ISA {

/// How links and joints move under forces on themselves in one configuration, the robot's own: what the laws of rows
/// take for the diagonal of J M^-1 J^T. MuJoCo's body_invweight0 and dof_invweight0.
///
/// Method    the articulated inertias of forward dynamics, then outward, with six unit forces g on link i, by what its
///           joint yields to and what it transmits to the parent,           [Rodriguez, Jain, Kreutz-Delgado 1992]
///
///               G = S^T g,   g_p = X^T (g - U K G),   A_i = G^T K G + g_p^T A_p g_p
///
///           and so for unit forces of the joint itself, with G = 1 and g_p = -X^T U K. Robots with mimic joints: link
///           by link by OperationalSpaceMobility, joint by joint by forward dynamics
/// In        q [nq] rad|m
/// Out       in the workspace, the mobilities A of all links [6, 6] 1/kg, 1/(kg m), 1/(kg m^2), linear first, along the
///           axes of the link; joints [nv] 1/kg | 1/(kg m^2)
/// Cost      O(n_links); with mimic joints O(n_links^2)
template <class S, class M, class Work>
struct ContactMobility {
  using Aba = ArticulatedBody;

  const ModelView<M>& m;
  Work w;

  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return at_links(m) + Index{36} * m.n_links;
  }

  /// Of all links, and the diagonal of M^-1, of which directions that a joint does not tell apart, three along or about
  /// the axes of a free or spherical one, have the mean.
  template <class Q, class Out>
  TANDEM_HD void find(Q q, Out joints) const {
    if (has_mimic_joints(m)) {
      for (int i = 1; i < m.n_links; ++i) by_columns(i, q);
      respond_to_each(q, joints);
    } else {
      OperationalSpaceMobility::factorise<S, Work>(m, q, w, w + Aba::work_rows(m));
      for (int i = 1; i < m.n_links; ++i) outward(i, joints);
    }
    for (int i = 1; i < m.n_links; ++i) {
      if (m.mimics[i] != 0) continue;
      const int row = v_row(m, i);
      if (m.type[i] == JointType::free || m.type[i] == JointType::spherical) average(joints + row);
      if (m.type[i] == JointType::free) average(joints + (row + 3));
    }
  }

  /// Of a point of a link, in the link's described frame: a third of the trace of its mobility, 1/kg. MuJoCo takes
  /// the centre of mass.
  TANDEM_HD S of_point(int i, const Vec3<S>& described) const {
    const Transform<S> X_fi = frame_transform<S>(m, i);
    const Vec3<S> p = transpose_mul_add(X_fi.E, described, X_fi.r);
    S trace(0);
    for (int k = 0; k < 3; ++k) {
      const Force<S> push = shift_origin(unit(k), p);
      trace = trace + dot(response(i, push), push);
    }
    return trace * S(1.0 / 3);
  }
  /// Of a link under moments: a third of the trace of its rotational mobility, 1/(kg m^2).
  TANDEM_HD S of_turn(int i) const {
    const Work A = of_link(i);
    return (S(A[21]) + S(A[28]) + S(A[35])) * S(1.0 / 3);
  }

 private:
  TANDEM_HD static Index at_links(const ModelView<M>& m) {
    return OperationalSpaceMobility{}.work_rows(m) + 2 * Index{m.nv};
  }
  TANDEM_HD Work of_link(int i) const { return w + at_links(m) + Index{36} * i; }
  TANDEM_HD static Force<S> unit(int k) { return OperationalSpaceMobility::unit_force<S>(k); }

  /// How link i accelerates under a force on it.
  TANDEM_HD Motion<S> response(int i, const Force<S>& f) const {
    const auto row = [&](int k) TANDEM_INLINE {
      return dot_add(load<Vec3<S>>(of_link(i), 6 * k), f.f, dot(load<Vec3<S>>(of_link(i), 6 * k + 3), f.n));
    };
    return {{row(3), row(4), row(5)}, {row(0), row(1), row(2)}};
  }

  /// Link i and its joint, from the mobility of the parent.
  template <class Out>
  TANDEM_HD void outward(int i, Out joints) const {
    const int p = m.parent[i];
    on_kept_joint_kind<S>(m, i, w, Aba::at(i, Aba::X), [&](auto joint) TANDEM_INLINE {
      constexpr int d = most_nv<decltype(joint)>;
      const auto yields = kept_response<S>(joint, w, Aba::at_dof(m, first_dof(m, i)));
      const auto X_ip = recall_transform<S>(joint, m, i, w, Aba::at(i, Aba::X));
      for (int k = 0; k < joint.nv; ++k) {
        const Force<S> g_p = transpose_mul(X_ip, column_of_UK<d, S>(yields, k, joint.nv));
        joints[first_dof(m, i) + k] = p == 0 ? yields.K(k, k) : yields.K(k, k) + dot(response(p, g_p), g_p);
      }
      const Work A = of_link(i);
      Force<S> g_p[6];
      S G[6][d], KG[d];
      for (int r = 0; r < 6; ++r) {
        g_p[r] = transpose_mul(X_ip, transmit(joint, yields, unit(r), G[r], KG));
        const Motion<S> a_p = p == 0 ? Motion<S>::zero() : response(p, g_p[r]);
        for (int c = 0; c <= r; ++c) {
          S sum = dot(a_p, g_p[c]);
          for (int k = 0; k < joint.nv; ++k) sum = mul_add(KG[k], G[c][k], sum);
          A[6 * r + c] = sum;
        }
      }
      Mirror<S>::whole(6, A);
    });
  }

  /// Link i, whose frame is not that of its description.
  template <class Q>
  TANDEM_HD void by_columns(int i, Q q) const {
    const Work A = of_link(i);
    OperationalSpaceMobility{i, Reference::local}.body<S>(m, q, A, w);
    const Transform<S> X_if = inverse(frame_transform<S>(m, i));
    Force<S> f[6];
    Motion<S> a[6];
    for (int r = 0; r < 6; ++r) a[r] = response(i, f[r] = transpose_mul(X_if, unit(r)));
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c) A[6 * r + c] = dot(a[r], f[c]);
  }
  template <class Q, class Out>
  TANDEM_HD void respond_to_each(Q q, Out joints) const {
    const auto one = w + Aba::work_rows(m), y = one + m.nv;
    fill(one, m.nv, S(0));
    Aba::respond<S>(m, q, as_column<Out>(one), as_column<Out>(y), w);
    for (int k = 0; k < m.nv; ++k) {
      one[k] = S(1);
      Aba::respond_factored<S>(m, as_column<Out>(one), as_column<Out>(y), w);
      one[k] = S(0);
      joints[k] = S(y[k]);
    }
  }

  template <class Column>
  TANDEM_HD static void average(Column x) {
    const auto mean = (x[0] + x[1] + x[2]) / 3;
    x[0] = x[1] = x[2] = mean;
  }
};

}  // namespace tandem::inline TANDEM_ISA
