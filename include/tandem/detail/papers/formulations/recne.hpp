// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/papers/formulations/formulation.hpp"

namespace tandem::inline TANDEM_ISA {

/// How links accelerate and the forces that takes: what recursive and resolved Newton-Euler share.
template <class State, class Column>
struct NewtonEulerTasks : ChainTasks<State, Column> {
  using Chain = ChainTasks<State, Column>;
  using S = typename Chain::S;
  using Vector = typename Chain::Vector;
  using Chain::Chain;
  using Chain::R, Chain::p, Chain::s, Chain::J, Chain::qd, Chain::qdd, Chain::e_z, Chain::turns, Chain::mass;
  Vector wds = this->vectors("wd");
  Vector pdds = this->vectors("pdd");
  Vector sdd = this->vectors("sdd");
  Vector F = this->vectors("F");
  Vector N = this->vectors("N");
  typename Chain::Matrix Omega = this->matrices("Omega");
  bool by_omega = false;  ///< (2.13): wd~ + w~ w~ once in place of crosses twice

  TANDEM_HD Vec3<S> wd(int i) const { return i == 0 ? this->r.base.w : wds(i); }
  TANDEM_HD Vec3<S> pdd(int i) const { return i == 0 ? this->r.base.v : pdds(i); }

  /// (2.3) - (2.7), (2.20) - (2.24). Where joint i slides, it adds to the acceleration of the origin in place of that
  /// of angles.
  template <class On, class W>
  TANDEM_HD void link_tasks(const On& on, int i, const W& w) const {
    on(wds.at(i), [=, this]() TANDEM_INLINE {
      return turns(i) ? transpose_mul(R(i), wd(i - 1) + qdd(i) * e_z() + cross(w(i - 1), qd(i) * e_z()))
                      : transpose_mul(R(i), wd(i - 1));
    });
    if (by_omega)
      on(Omega.at(i), [=, this]() TANDEM_INLINE { return this->skew(wd(i)) + this->skew(w(i)) * this->skew(w(i)); });
    on(pdds.at(i), [=, this]() TANDEM_INLINE {
      const Vec3<S> before =
          turns(i) ? pdd(i - 1) : pdd(i - 1) + qdd(i) * e_z() + cross(w(i - 1), twice(qd(i) * e_z()));
      const Vec3<S> turned = transpose_mul(R(i), before);
      return by_omega ? turned + Omega(i) * p(i) : turned + cross(wd(i), p(i)) + cross(w(i), cross(w(i), p(i)));
    });
    on(sdd.at(i), [=, this]() TANDEM_INLINE {
      return by_omega ? pdd(i) + Omega(i) * s(i) : pdd(i) + cross(wd(i), s(i)) + cross(w(i), cross(w(i), s(i)));
    });
    force_tasks(on, i, w);
  }
  /// (2.6), (2.7)
  template <class On, class W>
  TANDEM_HD void force_tasks(const On& on, int i, const W& w) const {
    on(F.at(i), [=, this]() TANDEM_INLINE { return mass(i) * sdd(i); });
    on(N.at(i), [=, this]() TANDEM_INLINE { return J(i) * wd(i) + cross(w(i), J(i) * w(i)); });
  }
};

/// Recursive Newton-Euler, [Pond] table 2.2: motions outward, forces inward, each in the axes of its link.
template <class State, class Column, class Tau>
struct RecneTasks : TorqueTasks<NewtonEulerTasks<State, Column>, Tau> {
  using Base = TorqueTasks<NewtonEulerTasks<State, Column>, Tau>;
  using Base::Base, Base::tau;
  using S = typename Base::S;
  using Vector = typename Base::Vector;
  using Base::F, Base::N, Base::wd, Base::pdd;
  using Base::R, Base::p, Base::s, Base::ps, Base::x, Base::qd, Base::e_z, Base::turns, Base::n, Base::has_wrenches;
  Vector ws = this->vectors("w");
  Vector f = this->vectors("f");
  Vector moments = this->vectors("n");
  Vector f_before = this->vectors("f'");  ///< (i-1)f_i
  Vector n_before = this->vectors("n'");

  TANDEM_HD Vec3<S> w(int i) const { return i == 0 ? Vec3<S>::zero() : ws(i); }
  /// What link i + 1 and the wrench on link i take from it, in Sigma_i
  TANDEM_HD bool hands_on(int i) const { return i < n || has_wrenches(); }
  TANDEM_HD Vec3<S> f_next(int i) const {
    if (!has_wrenches()) return f_before(i + 1);
    return i < n ? f_before(i + 1) - x(i).f : -x(i).f;
  }
  TANDEM_HD Vec3<S> n_next(int i) const {
    if (!has_wrenches()) return n_before(i + 1);
    return i < n ? n_before(i + 1) - x(i).n : -x(i).n;
  }

  template <class On>
  TANDEM_HD void tasks(const On& on) const {
    outward(on);
    inward(on);
    for (int i = 1; i <= n; ++i)
      on(tau.at(i), [=, this]() TANDEM_INLINE {  // (2.12)
        return this->with_rotor(i, dot(turns(i) ? n_before(i) : f_before(i), e_z()));
      });
  }
  template <class On>
  TANDEM_HD void outward(const On& on) const {
    for (int i = 1; i <= n; ++i) {
      this->joint_tasks(on, i);
      on(ws.at(i), [=, this]() TANDEM_INLINE {  // (2.2)
        return transpose_mul(R(i), turns(i) ? w(i - 1) + qd(i) * e_z() : w(i - 1));
      });
      this->link_tasks(on, i, [this](int k) TANDEM_INLINE { return w(k); });
    }
  }
  template <class On>
  TANDEM_HD void inward(const On& on) const {
    for (int i = n; i >= 1; --i) {
      if (i > 1 || !turns(i))                                                                      // else nobody asks
        on(f.at(i), [=, this]() TANDEM_INLINE { return hands_on(i) ? F(i) + f_next(i) : F(i); });  // (2.8)
      on(moments.at(i), [=, this]() TANDEM_INLINE {                                                // (2.9)
        return hands_on(i) ? N(i) + n_next(i) + cross(ps(i), F(i)) + cross(p(i), f_next(i)) : N(i) + cross(ps(i), F(i));
      });
      if (i > 1 || !turns(i)) on(f_before.at(i), [=, this]() TANDEM_INLINE { return R(i) * f(i); });       // (2.10)
      if (i > 1 || turns(i)) on(n_before.at(i), [=, this]() TANDEM_INLINE { return R(i) * moments(i); });  // (2.11)
    }
  }
};

/// Recursive Newton-Euler as [Pond] has it: see RecneTasks. The default, recursive_newton_euler, is the same recursion
/// with less to compute and to keep.
struct Recne : Formulation<Recne, RecneTasks> {
  static constexpr Method method = Method::recne;
  static constexpr Matrices own_matrices = Matrices::omega;
  Matrices matrices = Matrices::automatic;

  template <class All>
  TANDEM_HD void tell(All& all) const {
    all.by_omega = matrices == Matrices::omega;
  }
};

}  // namespace tandem::inline TANDEM_ISA
