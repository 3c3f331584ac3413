// SPDX-License-Identifier: Apache-2.0
/// Passes over links whose transforms the articulated-body algorithm has placed in its workspace.
#pragma once
#include "tandem/detail/passes/articulated_body.hpp"

namespace tandem::inline TANDEM_ISA {

struct LinkPasses {
  using Aba = ArticulatedBody;

  /// Outward: calls f(link, [S rate and what its parents move with, along the link's axes, of each of up to four
  /// rates]), of rate k for links up to last[k]; 0 where last[k] is 0. Accelerations have no velocity part.
  template <class S, class M, class Work, class F, int n, class... Rates>
  TANDEM_HD static void motions(const ModelView<M>& m, Work w, F&& f, const int (&last)[n], Rates... rates) {
    static_assert(n == sizeof...(rates) && 6 * n <= Aba::rows_per_branch);
    Motion<S> a_i[n];
    int end = 0;
    for (int k = 0; k < n; ++k) {
      a_i[k] = Motion<S>::zero();
      end = last[k] > end ? last[k] : end;
    }
    for (int i = 1; i <= end; ++i) {
      const int p = m.parent[i];
      on_kept_joint_kind<S>(m, i, w, Aba::at(i, Aba::X), [&](auto joint) TANDEM_INLINE {
        const auto X_ip = recall_transform<S>(joint, m, i, w, Aba::at(i, Aba::X));
        const auto move = [&](int k, auto rate) TANDEM_INLINE {
          if (i > last[k]) return;
          if (p != 0 && p != i - 1) a_i[k] = load<Motion<S>>(w, Aba::at(m, p, Aba::A) + 6 * k);
          a_i[k] = p == 0 ? Motion<S>::zero() : X_ip * a_i[k];
          a_i[k] = a_i[k] + joint_motion<S>(joint, m, i, rate);
        };
        int k = 0;
        (move(k++, rates), ...);
      });
      for (int k = 0; branches(m, i) && k < n; ++k) store(w, Aba::at(m, i, Aba::A) + 6 * k, a_i[k]);
      f(i, a_i);
    }
  }

  /// Outward: the rates of all joints as ArticulatedBody::outward finds them, of efforts u [n] that `left(link, n, u)`
  /// has changed; calls f(link, [how it accelerates]).
  template <class S, class M, class Rate, class Work, class Left, class F>
  TANDEM_HD static void respond(const ModelView<M>& m, Rate rate, Work w, Left&& left, F&& f) {
    Motion<S> a_i[1];
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      if (p != 0 && p != i - 1) a_i[0] = load<Motion<S>>(w, Aba::at(m, p, Aba::A));
      on_kept_joint_kind<S>(m, i, w, Aba::at(i, Aba::X), [&](auto joint) TANDEM_INLINE {
        constexpr int d = most_nv<decltype(joint)>;
        const auto r = kept_response<S>(joint, w, Aba::at_dof(m, first_dof(m, i)));
        a_i[0] = p == 0 ? Motion<S>::zero() : recall_transform<S>(joint, m, i, w, Aba::at(i, Aba::X)) * a_i[0];
        S u[d], qdd[d];
        for (int k = 0; k < joint.nv; ++k) u[k] = r.u(k);
        left(i, joint.nv, &u[0]);
        accelerate(r, u, a_i[0], qdd);
        // -0 becomes 0: zeros that other lanes bring along would change it
        for (int k = 0; k < joint.nv; ++k) rate[first_dof(m, i) + k] = qdd[k] = qdd[k] + S(0);
        a_i[0] = a_i[0] + joint.template motion<S>(&qdd[0]);
      });
      if (branches(m, i)) store(w, Aba::at(m, i, Aba::A), a_i[0]);
      f(i, a_i);
    }
  }

  /// Outward: calls f(link, Rates), where it turns and accelerates with the speeds v while no joint accelerates.
  template <class S, class M, class V, class Work, class F>
  TANDEM_HD static void rates(const ModelView<M>& m, V v, Work w, F&& f) {
    const auto base = base_rates<S>(m);
    auto i_rates = base;
    [[maybe_unused]] const S still(0);
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      if (p == 0)
        i_rates = base;
      else if (p != i - 1)
        i_rates = rates_of(load<CarriedRates<S>>(w, Aba::at(m, p, Aba::RATES)));
      on_kept_joint_kind<S>(m, i, w, Aba::at(i, Aba::X), [&](auto joint) TANDEM_INLINE {
        i_rates = moved(recall_transform<S>(joint, m, i, w, Aba::at(i, Aba::X)) * i_rates,
                        joint_motion<S>(joint, m, i, v), joint_motion<S>(joint, m, i, in_every_row(still)));
      });
      if (branches(m, i)) store(w, Aba::at(m, i, Aba::RATES), carried(i_rates));
      f(i, i_rates);
    }
  }

  /// Outward: calls f(link, X_iw) with the transform from the world.
  template <class S, class M, class Work, class F>
  TANDEM_HD static void places(const ModelView<M>& m, Work w, F&& f) {
    auto X_iw = Transform<S>::identity();
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      if (p == 0)
        X_iw = Transform<S>::identity();
      else if (p != i - 1)
        X_iw = load<Transform<S>>(w, Aba::at(m, p, Aba::IA));
      on_kept_joint_kind<S>(m, i, w, Aba::at(i, Aba::X), [&](auto joint) TANDEM_INLINE {
        X_iw = recall_transform<S>(joint, m, i, w, Aba::at(i, Aba::X)) * X_iw;
      });
      if (branches(m, i)) store(w, Aba::at(m, i, Aba::IA), X_iw);
      f(i, X_iw);
    }
  }

  /// Whether turning_part is not zero.
  template <class M>
  TANDEM_HD static bool has_turning_part(const ModelView<M>& m) {
    for (int i = 1; i < m.n_links; ++i)
      if (m.type[i] == JointType::free || m.type[i] == JointType::planar) return true;
    return false;
  }
  /// How much faster points at the origins of links accelerate than the rows of v do whose axes turn with the link: w
  /// x v of free
  /// and planar joints. What others write as the rate of a coordinate in the world has it inside.
  template <class S, class M, class V, class Out>
  TANDEM_HD static void turning_part(const ModelView<M>& m, V v, Out out) {
    fill(out, m.nv, S(0));
    for (int i = 1; i < m.n_links; ++i) {
      const int row = v_row(m, i);
      if (m.type[i] == JointType::free) {
        store(out, row, cross(load<Vec3<S>>(v, row + 3), load<Vec3<S>>(v, row)));
      } else if (m.type[i] == JointType::planar) {
        const S turn = v[row + 2], x = v[row], y = v[row + 1];
        out[row] = -turn * y;
        out[row + 1] = turn * x;
      }
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
