// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/papers/formulations/recne.hpp"

namespace tandem::inline TANDEM_ISA {

struct Unaccelerated {
  TANDEM_HD constexpr int operator[](Index) const { return 0; }
  TANDEM_HD constexpr Unaccelerated operator+(Index) const { return {}; }
};
/// The state of a chain whose joints do not accelerate, without gravity.
template <class S, class N, class M, class Constants, class Q, class V, class A, class Fx>
TANDEM_HD auto of_velocities(const ChainState<S, N, M, Constants, Q, V, A, Fx>& s) {
  return ChainState<S, N, M, Constants, Q, V, Unaccelerated, Fx>{
      s.m, s.constants, s.q, s.v, {}, s.f_ext, {s.base.w, Vec3<S>::zero()}};
}
template <class State>
using OfVelocities = decltype(of_velocities(std::declval<const State&>()));

/// The hybrid formulation, [Pond] table 2.6 after Izaguirre: what velocities take by recursive Newton-Euler, inertia
/// and gravity by compound links. Tasks of tau are the fast ones of page 29, which follow accelerations; the others are
/// slow.
template <class State, class Column, class Tau>
struct HybridTasks : RecneTasks<OfVelocities<State>, Column, Tau> {
  using Base = RecneTasks<OfVelocities<State>, Column, Tau>;
  using S = typename Base::S;
  using C = typename Base::C;
  using Vector = typename Base::Vector;
  using Base::R, Base::p, Base::e_z, Base::turns, Base::n, Base::mass_from, Base::skew, Base::tau;
  State whole;
  typename Base::Matrix R_far = this->lay.template of_pairs<Mat3<S>>("jR");  ///< jR_i
  Vector p_far = this->lay.template of_pairs<Vec3<S>>("jp");                 ///< jp_i
  Vector L = this->vectors("L");                                             ///< (i-1)L_i: first moment from link i on
  typename Base::Matrix I = this->matrices("I");                             ///< (i-1)I_i: inertia from link i on
  typename Base::Scalar M = this->lay.template of_pairs<S>("M");
  typename Base::Scalar g = this->numbers("g");

  TANDEM_HD HybridTasks(const State& state, Column column, Tau out)
      : Base(of_velocities(state), column, out), whole(state) {}

  /// Of frames j < i
  TANDEM_HD Mat3<S> R(int j, int i) const { return i - j == 1 ? R(i) : R_far.between(j, i).get(); }
  TANDEM_HD Vec3<S> p(int j, int i) const { return p_far.between(j, i).get(); }
  TANDEM_HD S qdd(int i) const { return S(whole.a[whole.m.v_index[i]]); }

  template <class On>
  TANDEM_HD void tasks(const On& on) const {
    this->outward(on);
    this->inward(on);
    for (int i = n; i >= 1; --i) compound_tasks(on, i);
    for (int d = 2; d < n; ++d)
      for (int j = 0; j + d < n; ++j) {
        const int i = j + d, k = j + (d + 1) / 2;
        on(R_far.between(j, i), [=, this]() TANDEM_INLINE { return R(j, k) * R(k, i); });            // (2.63)
        on(p_far.between(j, i), [=, this]() TANDEM_INLINE { return p(j, k) + R(j, k) * p(k, i); });  // (2.64)
      }
    for (int i = 1; i <= n; ++i)
      for (int j = i; j <= n; ++j)
        if (i != j || turns(i)) on(M.at(j, i), [=, this]() TANDEM_INLINE { return inertia_of(i, j); });
    for (int i = 1; i <= n; ++i) {
      on(g.at(i), [=, this]() TANDEM_INLINE { return gravity_on(i); });
      on(tau.at(i), [=, this]() TANDEM_INLINE { return force_of(i); });
    }
  }

 private:
  /// (2.64) - (2.66): what does not change of the links is added up before
  template <class On>
  TANDEM_HD void compound_tasks(const On& on, int i) const {
    on(p_far.between(i - 1, i), [=, this]() TANDEM_INLINE { return R(i) * p(i); });
    on(L.at(i), [=, this]() TANDEM_INLINE { return R(i) * (i < n ? this->moment(i) + L(i + 1) : this->moment(i)); });
    on(I.at(i), [=, this]() TANDEM_INLINE {
      Mat3<S> own = this->r.of(i, &C::compound);
      if (!turns(i)) own = own + skew(p(i)) * skew(mass_from(i) * p(i));
      const Mat3<S> pL = skew(p(i - 1, i)) * skew(L(i));
      return congruence(transpose(R(i)), i < n ? own + I(i + 1) : own) - pL - transpose(pL);
    });
  }
  /// (2.67): joint i feels what it takes that joint j accelerates the links from j on. If j slides that is M e_z, with
  /// the moment L x e_z.
  TANDEM_HD S inertia_of(int i, int j) const {
    if (i == j) return dot(I(i) * e_z(), e_z());
    if (turns(j)) return felt(i, j, I(j) * e_z(), cross(e_z(), L(j)));
    return felt(i, j, cross(L(j), e_z()), mass_from(j) * e_z());
  }
  template <class Moment, class Force>
  TANDEM_HD S felt(int i, int j, const Moment& moment, const Force& force) const {
    const auto axis = transpose_mul(R(i - 1, j - 1), e_z());
    if (!turns(i)) return dot(axis, force);
    return dot(axis, moment) + dot(cross(e_z(), p(i - 1, j - 1)), R(i - 1, j - 1) * force);
  }
  /// (2.68)
  TANDEM_HD S gravity_on(int i) const {
    return turns(i) ? felt_of_base(i, cross(e_z(), L(i))) : felt_of_base(i, mass_from(i) * e_z());
  }
  template <class Force>
  TANDEM_HD S felt_of_base(int i, const Force& force) const {
    return i == 1 ? dot(force, whole.base.v) : dot(R(0, i - 1) * force, whole.base.v);
  }
  /// (2.69)
  TANDEM_HD S force_of(int i) const {
    S sum = dot(turns(i) ? this->n_before(i) : this->f_before(i), e_z()) + g(i);
    for (int j = 1; j <= n; ++j)
      sum = mul_add(i == j && !turns(i) ? mass_from(i) : j < i ? M(i, j) : M(j, i), qdd(j), sum);
    return this->with_rotor(i, qdd(i), sum);
  }
};

/// Inverse dynamics by HybridTasks.
struct Hybrid : Formulation<Hybrid, HybridTasks> {
  static constexpr Method method = Method::hybrid;
};

}  // namespace tandem::inline TANDEM_ISA
