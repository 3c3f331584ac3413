// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/papers/formulations/recne.hpp"

namespace tandem::inline TANDEM_ISA {

/// Resolved Newton-Euler, [Pond] table 2.3 after Hashimoto and Kimura: the forces of links fall on joints by partial
/// velocities, and nothing goes inward. A joint k that slides has the partial velocity b of points alone, and no a.
template <class State, class Column, class Tau>
struct ResneTasks : TorqueTasks<NewtonEulerTasks<State, Column>, Tau> {
  using Base = TorqueTasks<NewtonEulerTasks<State, Column>, Tau>;
  using S = typename Base::S;
  using Pairs = typename Base::Vector;
  using Base::F, Base::N, Base::tau;
  using Base::R, Base::p, Base::s, Base::x, Base::qd, Base::e_z, Base::turns, Base::n, Base::has_wrenches;
  Pairs a = this->lay.template of_pairs<Vec3<S>>("a");         ///< iw_i^k: how link i turns by joint k
  Pairs b = this->lay.template of_pairs<Vec3<S>>("b");         ///< ip_i^k: how the origin of Sigma_i moves by it
  Pairs centres = this->lay.template of_pairs<Vec3<S>>("s");   ///< is_i^k: how the centre of mass does
  Pairs w_from = this->lay.template of_pairs<Vec3<S>>("w_k");  ///< iw_i^(k): what joints k .. i turn link i by
  typename Base::Scalar tau_to =
      this->lay.template of_pairs<S>("tau_k");  ///< tau_k^(i): what links k .. i take, by i, k
  int first_turning = 1;

  TANDEM_HD ResneTasks(const State& state, Column column, Tau out) : Base(state, column, out) {
    while (first_turning <= n && !turns(first_turning)) ++first_turning;
  }

  TANDEM_HD Vec3<S> w(int i) const { return i < first_turning ? Vec3<S>::zero() : w_from(i, first_turning); }
  TANDEM_HD Vec3<S> s_by(int i, int k) const { return turns(k) ? centres(i, k) : b(i, k); }

  template <class On>
  TANDEM_HD void tasks(const On& on) const {
    for (int i = 1; i <= n; ++i) {
      this->joint_tasks(on, i);
      int turned = 0;  // the last joint that w_from has
      for (int k = i; k >= 1; --k) {
        partial_velocities(on, i, k);
        if (!turns(k)) continue;
        on(w_from.at(i, k), [=, this]() TANDEM_INLINE {  // (2.18), (2.19)
          return turned == 0 ? qd(k) * a(i, k) : w_from(i, turned) + qd(k) * a(i, k);
        });
        turned = k;
      }
      this->link_tasks(on, i, [this](int k) TANDEM_INLINE { return w(k); });
      for (int k = 1; k <= i; ++k) {
        const auto sum = [=, this]() TANDEM_INLINE { return torque(i, k); };
        if (i < n)
          on(tau_to.at(i, k), sum);
        else
          on(tau.at(k), sum);
      }
    }
  }

 private:
  /// (2.15) - (2.17), (2.19)
  template <class On>
  TANDEM_HD void partial_velocities(const On& on, int i, int k) const {
    if (!turns(k)) {
      on(b.at(i, k),
         [=, this]() TANDEM_INLINE { return k == i ? transpose_mul(R(i), e_z()) : transpose_mul(R(i), b(i - 1, k)); });
      return;
    }
    on(a.at(i, k),
       [=, this]() TANDEM_INLINE { return k == i ? transpose_mul(R(i), e_z()) : transpose_mul(R(i), a(i - 1, k)); });
    on(b.at(i, k), [=, this]() TANDEM_INLINE {
      return k == i ? cross(a(i, k), p(i)) : transpose_mul(R(i), b(i - 1, k)) + cross(a(i, k), p(i));
    });
    on(centres.at(i, k), [=, this]() TANDEM_INLINE { return b(i, k) + cross(a(i, k), s(i)); });
  }
  /// (2.25), (2.26): tau_k^(i)
  TANDEM_HD S torque(int i, int k) const {
    S t = dot(F(i), s_by(i, k));
    if (turns(k)) t = dot(N(i), a(i, k)) + t;
    if (has_wrenches()) t = t - dot(x(i).f, b(i, k));
    if (has_wrenches() && turns(k)) t = t - dot(x(i).n, a(i, k));
    return k < i ? tau_to(i - 1, k) + t : this->with_rotor(i, t);
  }
};

/// Inverse dynamics by ResneTasks.
struct Resne : Formulation<Resne, ResneTasks> {
  static constexpr Method method = Method::resne;
};

}  // namespace tandem::inline TANDEM_ISA
