// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/papers/formulations/link_frames.hpp"
#include "tandem/detail/papers/formulations/notation.hpp"
#include "tandem/detail/papers/formulations/tasks.hpp"

namespace tandem::inline TANDEM_ISA {

/// A chain in a state: what tasks are given. `N` is the notation (notation.hpp), M the type of the model's numbers,
/// `Constants` a column of LinkConstants.
template <class S, class N, class M, class Constants, class Q, class V, class A, class Fx>
struct ChainState {
  using Number = S;
  using Notation = N;
  using C = LinkConstants<S>;
  const ModelView<M>& m;
  Records<C, Constants, S> constants;
  Q q;
  V v;
  A a;
  Fx f_ext;
  Motion<S> base = Motion<S>::zero();  ///< how Sigma_0 accelerates, minus gravity

  template <class Part>
  TANDEM_HD Part of(int i, Part C::* part) const {
    return constants.load(i, part);
  }
  TANDEM_HD bool turns(int i) const { return m.type[i] != JointType::prismatic; }
};

template <class S, class N, class M, class Constants, class Q, class V, class A, class Fx>
TANDEM_HD auto chain_state(const ModelView<M>& m, Constants constants, Q q, V v, A a, Fx f_ext) {
  ChainState<S, N, M, Constants, Q, V, A, Fx> state = {m, {constants}, q, v, a, f_ext};
  state.base = state.of(0, &LinkConstants<S>::described) * base_acceleration<S>(m);
  return state;
}

/// What tasks of all formulations read, in the symbols of [Pond]: what a joint changes of its link, and forces on
/// links.
template <class State, class Column>
struct ChainTasks {
  using S = typename State::Number;
  using N = typename State::Notation;
  using C = LinkConstants<S>;
  using Vector = Quantity<Vec3<S>, S, Column>;
  using Matrix = Quantity<Mat3<S>, S, Column>;
  using Scalar = Quantity<S, S, Column>;
  State r;
  int n;
  TaskLayout<S, Column> lay;
  Matrix rotations = matrices("R");
  Vector slides = vectors("p^");
  Quantity<Force<S>, S, Column> wrenches = lay.template of_links<Force<S>>("x");

  TANDEM_HD ChainTasks(const State& state, Column column)
      : r(state), n(state.m.n_links - 1), lay{column, state.m.n_links - 1} {}

  /// One of every link
  TANDEM_HD Vector vectors(const char* name) { return lay.template of_links<Vec3<S>>(name); }
  TANDEM_HD Matrix matrices(const char* name) { return lay.template of_links<Mat3<S>>(name); }
  TANDEM_HD Scalar numbers(const char* name) { return lay.template of_links<S>(name); }

  TANDEM_HD bool turns(int i) const { return r.turns(i); }
  TANDEM_HD bool has_wrenches() const { return static_cast<bool>(r.f_ext); }
  TANDEM_HD S qd(int i) const { return S(r.v[r.m.v_index[i]]); }
  TANDEM_HD S qdd(int i) const { return S(r.a[r.m.v_index[i]]); }
  TANDEM_HD static auto e_z() { return N::template unit_z<S>(); }
  TANDEM_HD static auto skew(const Vec3<S>& a) { return N::template skew<S>(a); }

  /// (i-1)R_i, ip^_i, is^_i, their sum, the wrench on link i about the origin of Sigma_i
  TANDEM_HD Mat3<S> R(int i) const { return turns(i) ? rotations(i) : r.of(i, &C::rotation); }
  TANDEM_HD Vec3<S> p(int i) const { return turns(i) ? r.of(i, &C::p) : slides(i); }
  TANDEM_HD Vec3<S> s(int i) const { return r.of(i, &C::s); }
  TANDEM_HD Vec3<S> ps(int i) const { return turns(i) ? r.of(i, &C::ps) : slides(i) + s(i); }
  TANDEM_HD Force<S> x(int i) const { return wrenches(i); }
  TANDEM_HD S mass(int i) const { return r.of(i, &C::m); }
  TANDEM_HD S mass_from(int i) const { return r.of(i, &C::M); }
  TANDEM_HD Sym3<S> J(int i) const { return r.of(i, &C::J); }
  /// Whether the base accelerates by angles.
  TANDEM_HD bool base_turns() const {
    const auto* const a = r.m.base_acceleration;
    using M = std::remove_cvref_t<decltype(*a)>;
    return any(a[0] != M(0)) || any(a[1] != M(0)) || any(a[2] != M(0));
  }
  /// m s^_i + M p^_i
  TANDEM_HD Vec3<S> moment(int i) const {
    return turns(i) ? r.of(i, &C::moment) : r.of(i, &C::moment) + mass_from(i) * slides(i);
  }

  /// What the rotor of joint i takes besides: none in the thesis.
  TANDEM_HD S with_rotor(int i, const S& tau) const { return with_rotor(i, qdd(i), tau); }
  TANDEM_HD S with_rotor(int i, const S& acceleration, const S& tau) const {
    const auto& armature = r.m.armature[r.m.v_index[i]];
    using M = std::remove_cvref_t<decltype(armature)>;
    return any(armature != M(0)) ? mul_add(S(armature), acceleration, tau) : tau;
  }

  /// The tasks that wait for nothing: (2.1), (2.14), (2.46), (2.62), or how far the joint has moved, and the wrench on
  /// the link.
  template <class On>
  TANDEM_HD void joint_tasks(const On& on, int i) const {
    if (turns(i))
      on(rotations.at(i), [=, this]() TANDEM_INLINE { return rotation(i, angle(i)); });
    else
      on(slides.at(i), [=, this]() TANDEM_INLINE { return r.of(i, &C::p) + position(i) * r.of(i, &C::rotation).row2; });
    wrench_task(on, i);
  }
  template <class On>
  TANDEM_HD void wrench_task(const On& on, int i) const {
    if (has_wrenches())
      on(wrenches.at(i), [=, this]() TANDEM_INLINE {
        return transpose_mul(r.of(i, &C::described), load_force_linear_first<S>(r.f_ext, Index{6} * i));
      });
  }

  TANDEM_HD S position(int i) const { return S(r.q[r.m.q_index[i]]); }
  /// Sine and cosine of the angle between x of Sigma_{i-1} and of Sigma_i.
  TANDEM_HD SinCos<S> angle(int i) const {
    const auto own = sincos(position(i));
    if (!turns_zero(r.m, i)) return own;
    const auto zero = r.of(i, &C::zero);
    return {sum_of_products(own.sin, zero.cos, own.cos, zero.sin),
            difference_of_products(own.cos, zero.cos, own.sin, zero.sin)};
  }
  /// Rz(angle) Rx(twist)^T
  TANDEM_HD Mat3<S> rotation(int i, const SinCos<S>& t) const {
    const auto twist = r.of(i, &C::twist);
    return {{t.cos, -(t.sin * twist.cos), t.sin * twist.sin},
            {t.sin, t.cos * twist.cos, -(t.cos * twist.sin)},
            {S(0), twist.sin, twist.cos}};
  }
};

/// Such tasks, and where the torques go that they find.
template <class Chain, class Tau>
struct TorqueTasks : Chain {
  using S = typename Chain::S;
  Quantity<S, S, Tau> tau;

  template <class State, class Column>
  TANDEM_HD TorqueTasks(const State& state, Column column, Tau out) : Chain(state, column), tau{"tau", out, 0} {}
};

}  // namespace tandem::inline TANDEM_ISA
